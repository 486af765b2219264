package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// This file owns the torture: the program, killed for minutes, also while it starts, while backups of it are written
// and while one is restored.

// torture is how long it goes on, 0 where nobody asks for it.
func torture(t *testing.T) time.Duration {
	text := os.Getenv("TORTURE")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	require.NoError(t, err, "TORTURE is a duration")
	return d
}

// TestTorture books from eight clients and kills the program every 50 to 500 ms. In one round of two it is killed while
// it starts, up to three times; in one of ten a backup is restored, killed, and restored again. After each round
// everything that was acknowledged has to be there. What clients no longer have is forgotten, so that a round takes as
// long after an hour as after a minute.
func TestTorture(t *testing.T) {
	length := torture(t)
	if length == 0 {
		t.Skip("TORTURE says for how long")
	}
	seed := newSeed(t)
	s := newServer(t)
	backups := filepath.Join(t.TempDir(), "backups")
	s.flags = []string{"--backup-to", backups, "--backup-every", "1m", "--backup-log-every", "20ms"}
	rng := rand.New(rand.NewPCG(seed, 0))
	early, restores, cut, acknowledged, tried := 0, 0, 0, 0, 0
	done := false
	defer func() {
		fmt.Printf("torture: seed %d: %d operations, %d acknowledged, %d asked again; killed %d times, %d of them "+
			"while it started; %d restores, %d of them killed\n",
			seed, tried, acknowledged, s.retried, s.killed+early, early, restores, cut)
		if done {
			fmt.Println("torture: 0 lost")
		} else {
			fmt.Printf("torture: LOST, or it could not go on: HOLDFAST_SEED=%d\n", seed)
		}
	}()
	s.start()
	s.furnish()
	require.Eventually(t, func() bool { // the first archive, which is opened before it counts
		to := filepath.Join(t.TempDir(), "first")
		return exec.Command(s.binary, "restore", "--from", backups, "--data", to).Run() == nil
	}, time.Minute, 100*time.Millisecond)
	for end := time.Now().Add(length); time.Now().Before(end); {
		all := s.load(8, rng.Uint64())
		time.Sleep(time.Duration(50+rng.IntN(450)) * time.Millisecond) // when the kill comes is left to chance
		s.kill()
		all.Wait()
		for range rng.IntN(2) * (1 + rng.IntN(3)) {
			s.launch()
			time.Sleep(time.Duration(rng.IntN(200)) * time.Millisecond)
			_ = s.process.Process.Kill() // it may have ended
			_ = s.process.Wait()
			early++
		}
		if rng.IntN(10) == 0 {
			if s.restore(backups, rng) {
				cut++
			}
			restores++
		}
		s.start()
		s.settle()
		for _, a := range s.attempts { // or there would be no stock to book
			if a.id != "" && a.released == "" && rng.IntN(4) > 0 {
				require.True(t, s.release(a))
			}
		}
		n, known := s.forget()
		tried, acknowledged = tried+n, acknowledged+known
	}
	tried, acknowledged = tried+len(s.attempts), acknowledged+len(s.attempts)
	s.kill()
	s.verify(s.dir)
	require.Positive(t, s.killed)
	done = true
}

// forget drops what no client has any more, and says how much that is, and how much of it was acknowledged.
func (s *server) forget() (n, acknowledged int) {
	s.attempts = slices.DeleteFunc(s.attempts, func(a *attempt) bool {
		gone := a.id == "" || a.released == "acknowledged"
		if gone {
			n++
			if a.id != "" {
				acknowledged++
			}
		}
		return gone
	})
	return n, acknowledged
}

// restore restores the newest backup into a new directory, and says whether a first try was killed.
func (s *server) restore(backups string, rng *rand.Rand) (killed bool) {
	s.t.Helper()
	to := filepath.Join(s.t.TempDir(), "restored")
	try := exec.Command(s.binary, "restore", "--from", backups, "--data", to)
	require.NoError(s.t, try.Start())
	time.Sleep(time.Duration(rng.IntN(150)) * time.Millisecond)
	_ = try.Process.Kill()
	if killed = try.Wait() != nil; killed {
		require.NoError(s.t, os.RemoveAll(to))
		out, err := exec.Command(s.binary, "restore", "--from", backups, "--data", to).CombinedOutput()
		require.NoError(s.t, err, "%s", out)
	}
	s.verify(to)
	require.NoError(s.t, os.RemoveAll(to))
	return killed
}
