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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/persist/backup"
	"holdfast/persist/backup/s3test"
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
	reach   []string // flags with which every command finds the backups
	more    []string // flags of serve
	errs    bytes.Buffer
}

func newKeeper(t *testing.T) *keeper {
	dir := t.TempDir()
	return &keeper{t: t, key: "hf_keepertestkey_" + strings.Repeat("0123456789", 4), data: filepath.Join(dir, "data"),
		backups: filepath.Join(dir, "backups")}
}

func (k *keeper) start() {
	k.t.Helper()
	self, err := os.Executable()
	require.NoError(k.t, err)
	k.address, k.metrics = freeAddress(k.t), freeAddress(k.t)
	k.process = exec.Command(self)
	k.process.Args = slices.Concat([]string{"holdfast", "serve", "--listen", k.address, "--metrics-listen", k.metrics,
		"--data", k.data,
		"--backup-to", k.backups, "--backup-log-every", "10ms", "--backup-every", "1m"}, k.reach, k.more)
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

// figure is one of the metrics, or -1.
func (k *keeper) figure(name string) float64 {
	k.t.Helper()
	a, err := http.Get("http://" + k.metrics + "/metrics")
	require.NoError(k.t, err)
	text, err := io.ReadAll(a.Body)
	a.Body.Close()
	require.NoError(k.t, err)
	require.NotContains(k.t, string(text), s3test.SecretKey)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			require.NoError(k.t, err)
			return n
		}
	}
	return -1
}

// until waits for a figure of the metrics.
func (k *keeper) until(name string, fits func(float64) bool) {
	k.t.Helper()
	for range 1200 { // keeps a broken server from hanging the test
		if n := k.figure(name); n >= 0 && fits(n) {
			return
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

// restore makes a directory beside the data of what is in the backups, and says what is in it: that it is in order,
// first.
func (k *keeper) restore(name string, args ...string) (dir string, o backup.Opened) {
	k.t.Helper()
	dir = filepath.Join(filepath.Dir(k.data), name)
	require.Contains(k.t,
		k.command(slices.Concat([]string{"restore", "--from", k.backups, "--data", dir}, k.reach, args)...),
		"restored to")
	require.Contains(k.t, k.command("verify", "--data", dir), "result in order")
	return dir, k.opened(dir)
}

// stock makes something that can be booked, and gives the body of a booking.
func (k *keeper) stock() (hold string) {
	k.t.Helper()
	location, status := k.post("locations", `{"name":"Harbour","timezone":"Europe/Lisbon"}`)
	require.Equal(k.t, 200, status)
	sku, status := k.post("skus", `{"name":"Bike"}`)
	require.Equal(k.t, 200, status)
	_, status = k.post("articles",
		`{"name":"Bike","skuId":"`+sku.ID+`","quantities":[{"serviceLocationId":"`+location.ID+`","count":9000}]}`)
	require.Equal(k.t, 200, status)
	return `{"lines":[{"skuId":"` + sku.ID + `","serviceLocationId":"` + location.ID + `","quantity":1,` +
		`"from":"2027-05-01T10:00:00Z","to":"2027-05-02T10:00:00Z"}]}`
}

// book books from four sides, each so many times or until ctx ends, and says what was acknowledged.
func (k *keeper) book(ctx context.Context, hold string, each int) (taken []string) {
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

// A restore to an instant between two pieces of the log leaves the later ones out, and does not say that it has all.
func TestRestoreBetweenPieces(t *testing.T) {
	k := newKeeper(t)
	k.start()
	k.until("holdfast_backup_last_good_sequence", func(n float64) bool { return n > 0 })
	lastPiece := func() backup.Piece {
		_, status := k.post("customers", `{"companyName":"Company"}`)
		require.Equal(t, 200, status)
		k.until("holdfast_backup_log_unsent_records", func(n float64) bool { return n == 0 })
		lines, err := backup.Lines(t.Context(), backup.NewDir(k.backups))
		require.NoError(t, err)
		pieces := lines[len(lines)-1].Pieces
		return pieces[len(pieces)-1]
	}
	first := lastPiece()
	time.Sleep(20 * time.Millisecond) // so that there is an instant between the two
	last := lastPiece()
	k.kill()
	restore := func(at int64) string {
		code, out, errs := holdfast("restore", "--from", k.backups, "--data", filepath.Join(t.TempDir(), "then"),
			"--at", instantText(at))
		require.Zero(t, code, errs)
		require.Contains(t, out, "restored to")
		return errs
	}
	const all = "all of it is restored"
	require.NotContains(t, restore(first.At+1), all)
	require.NotContains(t, restore(last.At), all)
	require.Contains(t, restore(last.At+3_600_000), all)
}

// TestALostMachineComesBack keeps the backups in a directory.
func TestALostMachineComesBack(t *testing.T) { lostMachine(newKeeper(t)) }

// lostMachine books from several sides, loses the machine in the middle, and restores: first with all of the log sent,
// then with the last of it not there yet. What comes back is what was there at that record, and it takes bookings.
func lostMachine(k *keeper) {
	t := k.t
	k.start()
	hold := k.stock()
	k.until("holdfast_backup_last_good_sequence", func(n float64) bool { return n > 0 })
	require.Equal(t, 200, k.good())

	taken := k.book(t.Context(), hold, 50)
	require.Len(t, taken, 200)
	k.until("holdfast_backup_log_unsent_records", func(n float64) bool { return n == 0 })
	k.kill()
	before := k.opened(k.data)

	// All was sent: nothing is lost with the machine.
	lost := k.data
	again, after := k.restore("again")
	require.Equal(t, before.StateHash, after.StateHash)

	// The restored server keeps backups beside the old backup line. It is lost in the middle of bookings.
	k.data = again
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
	go func() { done <- k.book(ctx, hold, 1_000_000) }()
	k.until("holdfast_backup_segments_total", func(n float64) bool { return n >= 5 })
	k.kill()
	cancel()
	require.NotEmpty(t, <-done)

	// What comes back is what the lost machine had at the record where the log in the backup ends.
	at, end := k.restore("third")
	require.Greater(t, end.Seq, before.Seq)
	then := filepath.Join(filepath.Dir(lost), "then")
	k.command("restore", "--from", k.data, "--data", then, "--at", strconv.FormatUint(end.Seq, 10))
	require.Equal(t, k.opened(then).StateHash, end.StateHash)

	// Who looks after the machine is told how old the last good archive is.
	doctor := func(data string) string {
		return k.command(append([]string{"doctor", "--data", data, "--listen", freeAddress(t), "--backup-to",
			k.backups}, k.reach...)...)
	}
	require.Regexp(t, `backups    ok    the last good archive in .* is \d+s old and ends at record \d+`, doctor(k.data))
	require.Regexp(t, `backups    note .* or of the directory that this one was restored from`, doctor(at))

	// All backup lines can be read where they lie.
	all := k.command(append([]string{"verify", "--data", k.backups}, k.reach...)...)
	require.Regexp(t, `pieces of the log, records \d+ to \d+, \d+ bytes: checksums and chain`, all)
	require.Equal(t, 2, strings.Count(all, "  line   "), all)
	require.Contains(t, all, "result in order")

	// A point in between: the records up to it, and no more.
	_, middle := k.restore("middle", "--at", strconv.FormatUint(end.Seq-1, 10))
	require.Equal(t, end.Seq-1, middle.Seq)
}

// TestTheKeptLog: how far back it goes is an option, and is told by the metrics and by verify.
func TestTheKeptLog(t *testing.T) {
	k := newKeeper(t)
	k.more = []string{"--log-keep", "1MiB", "--backup-log-max", "1MiB"}
	k.start()
	_, status := k.post("skus", `{"name":"First"}`)
	require.Equal(t, 200, status)
	require.EqualValues(t, 1, k.figure("holdfast_log_first_sequence"))
	began := k.figure("holdfast_log_first_timestamp_seconds")
	require.Positive(t, began)
	body := `{"name":"Bike","description":"` + strings.Repeat("long ", 1900) + `"}`
	for range 5000 { // keeps a broken server from hanging the test
		_, status := k.post("skus", body)
		require.Equal(t, 200, status)
		if k.figure("holdfast_log_first_sequence") > 1 {
			break
		}
	}
	require.Greater(t, k.figure("holdfast_log_first_sequence"), 1.0)
	require.Greater(t, k.figure("holdfast_log_first_timestamp_seconds"), began)
	k.kill()
	first := regexp.MustCompile(`log    \d+ records from (\d+) to .*\n +kept from 20.*Z on: `).
		FindStringSubmatch(k.command("verify", "--data", k.data))
	require.NotNil(t, first)
	k.backups, k.reach = k.data, nil
	k.restore("oldest", "--at", first[1])

	var out, errs bytes.Buffer
	require.NotZero(t,
		run([]string{"restore", "--from", k.data, "--data", filepath.Join(t.TempDir(), "new"), "--at", "1"}, nil, &out,
			&errs))
	require.Contains(t, errs.String(), "--at 0 makes an empty directory")
}

// Options that make no sense are refused together, each with what it may be, before anything is opened.
func TestBackupOptions(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	refused := func(want []string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		require.NotZero(t,
			run(append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0"}, args...), nil, &out, &errs))
		for _, w := range want {
			require.Contains(t, errs.String(), w)
		}
		require.NoDirExists(t, data)
	}
	refused([]string{`--backup-every "1s"`, `--backup-keep "0"`, `--backup-log-every "0s"`, `--backup-log-max "lots"`},
		"--backup-every", "1s", "--backup-keep", "0", "--backup-log-every", "0", "--backup-log-max", "lots")
	refused([]string{`--backup-log-max "1" must be a number of bytes from 64KiB on`}, "--backup-log-max", "1")
	refused([]string{`--backup-to "` + data + `/backups" must not be in the data directory`}, "--backup-to",
		data+"/backups")
	refused([]string{`must not be in the data directory`}, "--backup-to", dir)
	refused([]string{`must be a directory, and is none`}, "--backup-to", filepath.Join(dir, "file"))
	for _, to := range []string{"s3:bucket", "s3://", "S3://bucket", "s3://b/x", "s3://bucket//x", "gs://bucket"} {
		refused([]string{`--backup-to "` + to + `" must be a directory, or a bucket like s3://bucket/prefix`},
			"--backup-to", to)
	}
	refused([]string{`--backup-to "s3://...@bucket/x" must be`}, "--backup-to", "s3://key:secret@bucket/x")
	refused([]string{`--backup-s3-endpoint "s3.example.com" must be like https://s3.example.com`},
		"--backup-to", "s3://bucket", "--backup-s3-endpoint", "s3.example.com")
	refused([]string{`--backup-s3-endpoint "https://...@host" must be like`}, "--backup-to", "s3://bucket",
		"--backup-s3-endpoint", "https://key:secret@host")
	refused([]string{`--backup-s3-region "over there" must be like eu-central-1`}, "--backup-to", "s3://bucket",
		"--backup-s3-region", "over there")
	refused([]string{`--backup-s3-credentials "` + dir + `/file" must be a file that has aws_access_key_id`},
		"--backup-to", "s3://bucket", "--backup-s3-credentials", filepath.Join(dir, "file"))
	refused([]string{`--backup-s3-endpoint, -region and -credentials are for a bucket`}, "--backup-s3-endpoint",
		"https://s3.example.com")
	for _, keep := range []string{"lots", "0", "1KiB", "off"} {
		refused([]string{`--log-keep "` + keep + `" must be a number of bytes from 1MiB on, as in 1GiB, or all`},
			"--log-keep", keep)
	}
	refused([]string{`--log-keep "2MiB" must not be less than --backup-log-max "512MiB"`}, "--log-keep", "2MiB",
		"--backup-to", filepath.Join(dir, "backups"))
	t.Setenv("AWS_REGION", "over there")
	refused([]string{`AWS_REGION "over there" must be like eu-central-1`}, "--backup-to", "s3://bucket")

	for to, want := range map[string]string{
		filepath.Join(dir, "x.tar.gz"): "ends with .tar.zst", filepath.Join(dir, "x.zip"): "ends with .tar.zst",
		filepath.Join(dir, "file"): "exists",
		dir:                        "not empty", "s3://bucket/x.tar.zst": "serve --backup-to keeps backups in a bucket",
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
