package persist

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// childDir tells this test binary that it is to be the other process.
const childDir = "HOLDFAST_TEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		child(dir, os.Getenv("HOLDFAST_TEST_CHILD_SEED"))
		return
	}
	os.Exit(m.Run())
}

// child opens the directory, goes on with the history of that seed, and prints
// each sequence that was acknowledged, until it is killed.
func child(dir, seed string) {
	o := small(nil)
	o.Dir = dir
	s, err := Open(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, _ := strconv.ParseUint(seed, 10, 64)
	toy := newToy(n)
	for toy.seq < s.End().Seq {
		toy.step()
	}
	s.Published(toy.seq)
	for {
		if err := toy.commit(s); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(toy.seq)
	}
}

func start(t *testing.T, dir string, seed uint64) (*exec.Cmd, *bufio.Scanner) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, fmt.Sprintf("HOLDFAST_TEST_CHILD_SEED=%d", seed))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

// TestKilledProcess kills a process that writes, many times, and finds all that
// it acknowledged. While it lives its directory is locked.
func TestKilledProcess(t *testing.T) {
	seed := newSeed(t)
	o := small(nil)
	o.Dir = t.TempDir()
	acked := uint64(0)
	for round := range 8 {
		cmd, lines := start(t, o.Dir, seed)
		for range 5 + 9*round {
			require.True(t, lines.Scan())
			n, err := strconv.ParseUint(lines.Text(), 10, 64)
			require.NoError(t, err, lines.Text())
			acked = n
		}
		if round == 0 {
			_, err := Open(o)
			require.ErrorIs(t, err, ErrLocked)
		}
		require.NoError(t, cmd.Process.Kill())
		for lines.Scan() {
			if n, err := strconv.ParseUint(lines.Text(), 10, 64); err == nil {
				acked = n
			}
		}
		require.Error(t, cmd.Wait())
		s := open(t, o)
		toy := newToy(seed)
		for toy.seq < s.End().Seq {
			toy.step()
		}
		require.NoError(t, toy.check(s, acked, acked+1))
		require.NoError(t, s.Close())
		t.Logf("acknowledged %d, recovered %d", acked, toy.seq)
	}
}
