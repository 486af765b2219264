package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/persist/backup"
)

// This file owns the tests of backups as a habit: of the program, from its options to a machine that is lost.

// keeper is a server that keeps backups.
type keeper struct {
	t       *testing.T
	process *exec.Cmd
	address string
	metrics string
	key     string
	data    string
	backups string
	errs    bytes.Buffer
}

func newKeeper(t *testing.T) *keeper {
	dir := t.TempDir()
	return &keeper{t: t, key: "hf_keepertestkey_" + strings.Repeat("0123456789", 4), data: filepath.Join(dir, "data"), backups: filepath.Join(dir, "backups")}
}

func (k *keeper) start() {
	k.t.Helper()
	self, err := os.Executable()
	require.NoError(k.t, err)
	k.address, k.metrics = freeAddress(k.t), freeAddress(k.t)
	k.process = exec.Command(self)
	k.process.Args = []string{"holdfast", "serve", "--listen", k.address, "--metrics-listen", k.metrics, "--data", k.data,
		"--backup-to", k.backups, "--backup-log-every", "10ms", "--backup-every", "1m"}
	k.process.Env = append(os.Environ(), bootstrapVariable+"="+k.key)
	k.process.Stderr = &k.errs
	require.NoError(k.t, k.process.Start())
	process := k.process
	k.t.Cleanup(func() { process.Process.Kill() })
	require.NoError(k.t, awaitReady(k.address))
}

// kill loses the process at once.
func (k *keeper) kill() {
	require.NoError(k.t, k.process.Process.Kill())
	k.process.Wait()
}

func (k *keeper) post(path, body string) (answer struct{ ID string }, status int) {
	r, err := http.NewRequest("POST", "http://"+k.address+"/v1/admin/"+path, strings.NewReader(body))
	if err != nil {
		return answer, 0
	}
	r.Header.Set("X-API-KEY", k.key)
	r.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer, 0
	}
	defer a.Body.Close()
	if json.NewDecoder(a.Body).Decode(&answer) != nil {
		return answer, 0
	}
	return answer, a.StatusCode
}

// until waits for a figure of the metrics.
func (k *keeper) until(name string, fits func(float64) bool) {
	k.t.Helper()
	for range 1200 { // keeps a broken server from hanging the test
		a, err := http.Get("http://" + k.metrics + "/metrics")
		require.NoError(k.t, err)
		text, err := io.ReadAll(a.Body)
		a.Body.Close()
		require.NoError(k.t, err)
		for line := range strings.Lines(string(text)) {
			if value, ok := strings.CutPrefix(line, name+" "); ok {
				n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
				require.NoError(k.t, err)
				if fits(n) {
					return
				}
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	require.Fail(k.t, "still waiting for "+name, k.errs.String())
}

// good says whether a good backup is there, as a watch asks.
func (k *keeper) good() int {
	a, err := http.Get("http://" + k.address + "/readyz?backup")
	require.NoError(k.t, err)
	defer a.Body.Close()
	return a.StatusCode
}

func (k *keeper) command(args ...string) (out string) {
	k.t.Helper()
	var stdout, stderr bytes.Buffer
	require.Zero(k.t, run(args, nil, &stdout, &stderr), "%v: %s", args, stderr.String())
	return stdout.String()
}

// opened is what a copy of a directory opens to.
func (k *keeper) opened(dir string) (o backup.Opened) {
	require.NoError(k.t, json.Unmarshal([]byte(k.command("verify", "--start", "--data", dir)), &o))
	return o
}

// TestALostMachineComesBack books from several sides, loses the machine in the middle, and restores: first with all of the log sent, then with the last of it
// not there yet. What comes back is what was there at that record, and it takes bookings.
func TestALostMachineComesBack(t *testing.T) {
	k := newKeeper(t)
	k.start()
	location, status := k.post("locations", `{"name":"Harbour","timezone":"Europe/Lisbon"}`)
	require.Equal(t, 200, status)
	sku, status := k.post("skus", `{"name":"Bike"}`)
	require.Equal(t, 200, status)
	_, status = k.post("articles", `{"name":"Bike","skuId":"`+sku.ID+`","quantities":[{"serviceLocationId":"`+location.ID+`","count":2000}]}`)
	require.Equal(t, 200, status)
	k.until("holdfast_backup_last_good_sequence", func(n float64) bool { return n > 0 })
	require.Equal(t, 200, k.good())

	hold := `{"lines":[{"skuId":"` + sku.ID + `","serviceLocationId":"` + location.ID + `","quantity":1,"from":"2027-05-01T10:00:00Z","to":"2027-05-02T10:00:00Z"}]}`
	book := func(ctx context.Context, each int) (taken []string) {
		var mu sync.Mutex
		var sides sync.WaitGroup
		for range 4 {
			sides.Go(func() {
				for i := 0; i < each && ctx.Err() == nil; i++ {
					if h, status := k.post("holds", hold); status == 200 {
						mu.Lock()
						taken = append(taken, h.ID)
						mu.Unlock()
					}
				}
			})
		}
		sides.Wait()
		return taken
	}
	taken := book(t.Context(), 50)
	require.Len(t, taken, 200)
	k.until("holdfast_backup_log_unsent_records", func(n float64) bool { return n == 0 })
	k.kill()
	before := k.opened(k.data)

	// All was sent: nothing is lost with the machine.
	lost := k.data
	k.data = filepath.Join(filepath.Dir(lost), "again")
	require.Contains(t, k.command("restore", "--from", k.backups, "--data", k.data), "restored to")
	require.Equal(t, before.StateHash, k.opened(k.data).StateHash)
	require.Contains(t, k.command("verify", "--data", k.data), "result in order")

	// The restored server keeps backups beside the old chain. It is lost in the middle of bookings.
	k.start()
	for _, id := range taken {
		r, err := http.NewRequest("GET", "http://"+k.address+"/v1/admin/holds/"+id, nil)
		require.NoError(t, err)
		r.Header.Set("X-API-KEY", k.key)
		a, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		a.Body.Close()
		require.Equal(t, 200, a.StatusCode, "a booking that was acknowledged is lost")
	}
	k.until("holdfast_backup_last_good_sequence", func(n float64) bool { return n >= float64(before.Seq) })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan []string)
	go func() { done <- book(ctx, 1_000_000) }()
	k.until("holdfast_backup_segments_total", func(n float64) bool { return n >= 5 })
	k.kill()
	cancel()
	require.NotEmpty(t, <-done)

	// What comes back is what the lost machine had at the record where the log in the backup ends.
	at := filepath.Join(filepath.Dir(lost), "third")
	k.command("restore", "--from", k.backups, "--data", at)
	end := k.opened(at)
	require.Greater(t, end.Seq, before.Seq)
	then := filepath.Join(filepath.Dir(lost), "then")
	k.command("restore", "--from", k.data, "--data", then, "--at", strconv.FormatUint(end.Seq, 10))
	require.Equal(t, k.opened(then).StateHash, end.StateHash)
	require.Contains(t, k.command("verify", "--data", at), "result in order")

	// Who looks after the machine is told how old the last good archive is.
	require.Regexp(t, `backups    ok    the last good archive in .* is \d+s old and ends at record \d+`,
		k.command("doctor", "--data", at, "--listen", freeAddress(t), "--backup-to", k.backups))

	// A point in between: the records up to it, and no more.
	middle := filepath.Join(filepath.Dir(lost), "middle")
	k.command("restore", "--from", k.backups, "--data", middle, "--at", strconv.FormatUint(end.Seq-1, 10))
	require.Equal(t, end.Seq-1, k.opened(middle).Seq)
}

// Options that make no sense are refused together, each with what it may be, before anything is opened.
func TestBackupOptions(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	refused := func(want []string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		require.NotZero(t, run(append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0"}, args...), nil, &out, &errs))
		for _, w := range want {
			require.Contains(t, errs.String(), w)
		}
		require.NoDirExists(t, data)
	}
	refused([]string{`--backup-every "1s"`, `--backup-keep "0"`, `--backup-log-every "0s"`, `--backup-log-max "lots"`},
		"--backup-every", "1s", "--backup-keep", "0", "--backup-log-every", "0", "--backup-log-max", "lots")
	refused([]string{`--backup-to "` + data + `/backups" must not be in the data directory`}, "--backup-to", data+"/backups")
	refused([]string{`must not be in the data directory`}, "--backup-to", dir)
	refused([]string{`must be a directory, and is none`}, "--backup-to", filepath.Join(dir, "file"))
	refused([]string{`s3:// is not taken yet`}, "--backup-to", "s3://bucket/prefix")

	for to, want := range map[string]string{
		filepath.Join(dir, "x.tar.gz"): "ends with .tar.zst", filepath.Join(dir, "x.zip"): "ends with .tar.zst", filepath.Join(dir, "file"): "exists",
		dir: "not empty",
	} {
		var out, errs bytes.Buffer
		require.NotZero(t, run([]string{"backup", "--to", to, "--data", data}, nil, &out, &errs))
		require.Contains(t, errs.String(), want, to)
	}
	require.NoError(t, os.Mkdir(data, 0o700))
	var out, errs bytes.Buffer
	require.NotZero(t, run([]string{"backup", "--to", filepath.Join(data, "new"), "--data", data}, nil, &out, &errs))
	require.Contains(t, errs.String(), "must not be in the data directory")
}

// A server that keeps no backups says so to who asks for them.
func TestNoBackupsAreKept(t *testing.T) {
	p := &program{}
	require.ErrorContains(t, p.backups(), "--backup-to")
}
