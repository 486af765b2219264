package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// This file owns the real thing: the program itself, killed while clients book over HTTP.

const (
	killKey  = "hf_killtestkey_0123456789012345678901234567890123456789"
	killUnit = 400 // units of the one lot that everybody books
	killFrom = "2030-06-01T10:00:00.000Z"
	killTo   = "2030-06-03T10:00:00.000Z"
)

// server is the program under test.
type server struct {
	t               *testing.T
	binary, dir     string
	flags           []string // beside those that say where it is
	listen          string
	process         *exec.Cmd
	client          http.Client
	location, item  string
	mu              sync.Mutex
	attempts        []*attempt
	killed, retried int
}

// attempt is one booking as its client knows it.
type attempt struct {
	key      string // idempotency key
	body     string
	quantity int
	answer   []byte // of a booking that was acknowledged
	id       string
	refused  bool
	released string // empty, "asked" or "acknowledged"
}

// newServer builds the program, for a directory that is new.
func newServer(t *testing.T) *server {
	dir := t.TempDir()
	s := &server{t: t, binary: filepath.Join(dir, "holdfast"), dir: filepath.Join(dir, "data"), listen: freeAddress(t)}
	s.client.Timeout = 20 * time.Second
	build := exec.Command("go", "build", "-o", s.binary, "./cmd/holdfast")
	build.Dir = "../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is shipped, also where the race detector needs C
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return s
}

// furnish makes the stock that clients book.
func (s *server) furnish() {
	s.location = s.make("/v1/admin/locations", `{"name":"Harbour","timezone":"Europe/Helsinki"}`)
	s.item = s.make("/v1/admin/articles",
		fmt.Sprintf(`{"name":"Bike","quantities":[{"serviceLocationId":%q,"count":%d}]}`, s.location, killUnit))
}

// launch starts the program, and does not wait.
func (s *server) launch() (log *bytes.Buffer) {
	log = new(bytes.Buffer)
	s.process = exec.Command(s.binary, append([]string{"serve", "--listen", s.listen, "--data", s.dir}, s.flags...)...)
	s.process.Env = append(os.Environ(), "HOLDFAST_BOOTSTRAP_KEY="+killKey)
	s.process.Stdout, s.process.Stderr = log, log
	require.NoError(s.t, s.process.Start())
	return log
}

// start starts the program and waits until it is ready.
func (s *server) start() {
	s.t.Helper()
	log := s.launch()
	for range 600 {
		if res, err := s.client.Get("http://" + s.listen + "/readyz"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(20 * time.Millisecond) // not a measure of anything: another process is starting
	}
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
	s.t.Fatalf("the server does not become ready: %s", log.String())
}

func (s *server) kill() {
	require.NoError(s.t, s.process.Process.Kill())
	require.Error(s.t, s.process.Wait())
	s.client.CloseIdleConnections()
	s.killed++
}

// ask sends a request; an error means that the outcome is unknown.
func (s *server) ask(method, path, key, body string) (status int, answer []byte, err error) {
	r, err := http.NewRequest(method, "http://"+s.listen+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("X-API-KEY", killKey)
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	res, err := s.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(res.Body)
	return res.StatusCode, answer, err
}

// make creates a record and returns its id.
func (s *server) make(path, body string) string {
	s.t.Helper()
	status, answer, err := s.ask("POST", path, "", body)
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, status, "%s", answer)
	return idOf(s.t, answer)
}

func idOf(t *testing.T, answer []byte) string {
	var r struct{ ID string }
	require.NoError(t, json.Unmarshal(answer, &r))
	return r.ID
}

// book tries an attempt, once more if it was tried before, and notes what it came to. It says whether the server
// answered.
func (s *server) book(a *attempt) bool {
	status, answer, err := s.ask("POST", "/v1/admin/holds", a.key, a.body)
	if err != nil {
		return false
	}
	switch status {
	case http.StatusOK:
		a.answer, a.id = answer, idOf(s.t, answer)
	case http.StatusConflict:
		a.refused = true
	default:
		s.t.Errorf("%d: %s", status, answer)
	}
	return true
}

func (s *server) release(a *attempt) bool {
	a.released = "asked"
	status, answer, err := s.ask("DELETE", "/v1/admin/holds/"+a.id, "", "")
	if err != nil {
		return false
	}
	if status/100 != 2 {
		s.t.Errorf("release: %d: %s", status, answer)
	}
	a.released = "acknowledged"
	return true
}

// load books and releases from several clients until the server is gone.
func (s *server) load(clients int, seed uint64) *sync.WaitGroup {
	var all sync.WaitGroup
	round := s.killed // not read by the clients: it grows while they still run
	for c := range clients {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(c)))
			for n := 0; ; n++ {
				a := &attempt{key: fmt.Sprintf("round-%d-client-%d-%d", round, c, n), quantity: 1 + rng.IntN(3)}
				a.body = fmt.Sprintf(
					`{"lines":[{"articleId":%q,"serviceLocationId":%q,"from":%q,"to":%q,"quantity":%d}]}`, s.item,
					s.location, killFrom, killTo, a.quantity)
				s.mu.Lock()
				s.attempts = append(s.attempts, a)
				s.mu.Unlock()
				if !s.book(a) || a.id != "" && rng.IntN(2) == 0 && !s.release(a) {
					return
				}
			}
		})
	}
	return &all
}

// settle holds the restarted server against what its clients know, and asks again what they do not.
func (s *server) settle() {
	s.t.Helper()
	taken := 0
	for _, a := range s.attempts {
		known := a.answer
		if known == nil && !a.refused || a.released == "" {
			s.retried++
			require.True(s.t, s.book(a))
			require.False(s.t, known != nil && a.released == "" && !bytes.Equal(known, a.answer),
				"%s was acknowledged, and its repeat is %s", known, a.answer)
		}
		if a.id == "" {
			continue
		}
		status, answer, err := s.ask("GET", "/v1/admin/holds/"+a.id, "", "")
		require.NoError(s.t, err)
		require.Equal(s.t, http.StatusOK, status, "acknowledged hold %s is gone: %s", a.id, answer)
		var h struct {
			Status string
			Lines  []struct{ Unavailabilities []json.RawMessage }
		}
		require.NoError(s.t, json.Unmarshal(answer, &h))
		switch {
		case h.Status == "confirmed":
			require.NotEqual(s.t, "acknowledged", a.released, "%s was released", a.id)
			require.Len(s.t, h.Lines[0].Unavailabilities, a.quantity)
			taken += a.quantity
			a.released = ""
		default:
			require.Equal(s.t, "released", h.Status)
			require.NotEqual(s.t, "", a.released, "nobody released %s", a.id)
			a.released = "acknowledged"
		}
	}
	status, answer, err := s.ask("GET",
		fmt.Sprintf("/v1/admin/availability?articleId=%s&serviceLocationId=%s&from=%s&to=%s", s.item, s.location,
			killFrom, killTo), "", "")
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, status, "%s", answer)
	var free struct{ Available int }
	require.NoError(s.t, json.Unmarshal(answer, &free))
	require.Equal(s.t, killUnit, free.Available+taken, "units free and units that clients have")
}

// verify has the program check a directory.
func (s *server) verify(dir string) {
	s.t.Helper()
	out, err := exec.Command(s.binary, "verify", "--data", dir).CombinedOutput()
	require.NoError(s.t, err, "%s", out)
}

// TestKilledServer kills the program while clients book, many times on one directory. What it acknowledged is there
// after each restart, what it did not answer is there whole or not at all, and its idempotency key tells which.
func TestKilledServer(t *testing.T) {
	seed := newSeed(t)
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	if long() {
		rounds = 100
	}
	s := newServer(t)
	s.start()
	s.furnish()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range rounds {
		all := s.load(8, rng.Uint64())
		time.Sleep(time.Duration(50+rng.IntN(300)) * time.Millisecond) // when the kill comes is left to chance
		s.kill()
		all.Wait()
		s.start()
		s.settle()
	}
	s.kill()
	s.verify(s.dir)
	t.Logf("%d bookings tried, %d kills, %d asked again", len(s.attempts), s.killed, s.retried)
	require.Greater(t, len(s.attempts), 10*rounds)
}

// freeAddress is an address on loopback on which nothing listened a moment ago.
func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}
