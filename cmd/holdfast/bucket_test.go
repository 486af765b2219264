package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/persist/backup/s3test"
)

// This file owns the tests of backups in a bucket: of the program, up to a service that fails and processes that are
// killed.

// inBucket has a keeper keep its backups in the bucket of a service.
func inBucket(t *testing.T, url string) *keeper {
	t.Setenv("AWS_ACCESS_KEY_ID", s3test.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", s3test.SecretKey)
	k := newKeeper(t)
	k.backups, k.reach = "s3://"+s3test.Bucket+"/shops/one", []string{"--backup-s3-endpoint", url}
	return k
}

func fakeBucket(t *testing.T) (*s3test.Fake, *keeper) {
	fake := s3test.NewFake()
	t.Cleanup(fake.Close)
	return fake, inBucket(t, fake.URL)
}

// TestALostMachineComesBackFromABucket is TestALostMachineComesBack with a bucket. What may sign is told nobody.
func TestALostMachineComesBackFromABucket(t *testing.T) {
	_, k := fakeBucket(t)
	lostMachine(k)
	require.NotEmpty(t, k.errs.String())
	require.NotContains(t, k.errs.String(), s3test.SecretKey)
	require.NotContains(t, k.errs.String(), s3test.AccessKey)
}

// arrival is a fault of the first request that fits, and of all like it where there is another fault for those. It
// tells of the first one, once.
func arrival(fits func(*http.Request) bool, first, others s3test.Fault) (fault func(*http.Request) s3test.Fault,
	came chan struct{}) {
	came = make(chan struct{}, 1)
	seen := make(chan struct{}, 1)
	return func(r *http.Request) s3test.Fault {
		if !fits(r) {
			return s3test.None
		}
		select {
		case seen <- struct{}{}:
			came <- struct{}{}
			return first
		default:
			return others
		}
	}, came
}

// puts fits the request that puts an object of a kind, by the begin and the end of its name.
func puts(begin, end string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/"+begin) &&
			strings.HasSuffix(r.URL.Path, end)
	}
}

// TestKilledWhileItPuts kills the server while an archive, its mark or a piece of the log is on its way, or the answer
// to that. The next start continues the backup line, and what comes back is what was there.
func TestKilledWhileItPuts(t *testing.T) {
	for name, at := range map[string]struct {
		fits  func(*http.Request) bool
		fault s3test.Fault
	}{
		"an archive":     {puts("full-", archiveSuffix), s3test.Stall},
		"its end":        {puts("full-", archiveSuffix), s3test.Lose},
		"its mark":       {puts("full-", ".verified"), s3test.Stall},
		"the mark's end": {puts("full-", ".verified"), s3test.Lose},
		"a piece":        {puts("log-", ""), s3test.Stall},
		"the end of one": {puts("log-", ""), s3test.Lose},
	} {
		t.Run(name, func(t *testing.T) {
			fake, k := fakeBucket(t)
			fault, came := arrival(at.fits, at.fault, s3test.Stall)
			fake.Failing(fault)
			k.start()
			hold := k.stock()
			require.Len(t, k.book(t.Context(), hold, 10), 40)
			<-came
			k.kill()
			before := k.opened(k.data)
			require.Contains(t, k.command("verify", "--data", k.data), "result in order")

			fake.Failing(nil)
			k.start()
			require.Len(t, k.book(t.Context(), hold, 10), 40)
			k.until("holdfast_backup_last_good_sequence", func(n float64) bool { return n > 0 })
			k.until("holdfast_backup_log_unsent_records", func(n float64) bool { return n == 0 })
			k.until("holdfast_backup_breaks_total", func(n float64) bool { return n == 0 })
			k.kill()
			_, restored := k.restore("restored")
			require.Equal(t, k.opened(k.data).StateHash, restored.StateHash)
			require.Greater(t, restored.Seq, before.Seq)
			require.Zero(t, fake.Uploads())
		})
	}
}

// TestKilledWhileItRestores leaves what no command takes for data, and what the next restore does not write over.
func TestKilledWhileItRestores(t *testing.T) {
	fake, k := fakeBucket(t)
	k.start()
	hold := k.stock()
	k.until("holdfast_backup_last_good_sequence", func(n float64) bool { return n > 0 })
	require.Len(t, k.book(t.Context(), hold, 10), 40)
	k.until("holdfast_backup_log_unsent_records", func(n float64) bool { return n == 0 })
	k.kill()
	self, err := os.Executable()
	require.NoError(t, err)
	for _, kind := range []string{"full", "log"} {
		fault, came := arrival(func(r *http.Request) bool {
			return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/"+kind+"-")
		}, s3test.Hang, s3test.Hang)
		fake.Failing(fault)
		dir := filepath.Join(filepath.Dir(k.data), kind)
		restore := exec.Command(self)
		restore.Args = append([]string{"holdfast", "restore", "--from", k.backups, "--data", dir}, k.reach...)
		require.NoError(t, restore.Start())
		<-came
		require.NoError(t, restore.Process.Kill())
		restore.Wait()
		fake.Failing(nil)

		var out, errs bytes.Buffer
		require.NotZero(t, run([]string{"verify", "--data", dir}, nil, &out, &errs), "half a restore is taken for data")
		if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
			errs.Reset()
			require.NotZero(t, run([]string{"serve", "--data", dir, "--listen", "127.0.0.1:0"}, nil, &out, &errs))
			errs.Reset()
			require.NotZero(t,
				run(append([]string{"restore", "--from", k.backups, "--data", dir}, k.reach...), nil, &out, &errs))
			require.Contains(t, errs.String(), "not empty")
			require.NoError(t, os.RemoveAll(dir))
		}
		_, restored := k.restore(kind)
		require.Equal(t, k.opened(k.data).StateHash, restored.StateHash)
	}
}

// TestTheServerGoesOnWhileTheBucketFails: every booking is taken; what waits is sent later, or the backup line is
// broken and another one begins.
func TestTheServerGoesOnWhileTheBucketFails(t *testing.T) {
	fake, k := fakeBucket(t)
	k.more = []string{"--backup-log-max", "64KiB"}
	k.start()
	hold := k.stock()
	k.until("holdfast_backup_last_good_sequence", func(n float64) bool { return n > 0 })
	// The record of the 9,000 units alone is more than may wait.
	k.until("holdfast_backup_log_unsent_records", func(n float64) bool { return n == 0 })
	failing := func(r *http.Request) s3test.Fault {
		if r.Method == http.MethodPut {
			return s3test.Fails
		}
		return s3test.None
	}

	fake.Failing(failing)
	require.Len(t, k.book(t.Context(), hold, 5), 20)
	k.until("holdfast_backup_failures_total", func(n float64) bool { return n > 0 })
	k.until("holdfast_backup_log_unsent_records", func(n float64) bool { return n > 0 })
	fake.Failing(nil)
	k.until("holdfast_backup_log_unsent_records", func(n float64) bool { return n == 0 })
	k.until("holdfast_backup_breaks_total", func(n float64) bool { return n == 0 })

	fake.Failing(failing)
	broken := false
	for range 50 {
		require.Len(t, k.book(t.Context(), hold, 25), 100)
		if broken = k.figure("holdfast_backup_breaks_total") > 0; broken {
			break
		}
	}
	if !broken { // enough waits by now: the next try tells
		k.until("holdfast_backup_breaks_total", func(n float64) bool { return n > 0 })
	}
	require.Equal(t, 503, k.good())
	fake.Failing(nil)
	k.until("holdfast_backup_well", func(n float64) bool { return n == 1 })
	require.Equal(t, 200, k.good())
	require.Len(t, k.book(t.Context(), hold, 5), 20)
	k.until("holdfast_backup_log_unsent_records", func(n float64) bool { return n == 0 })
	k.kill()
	require.Contains(t, k.errs.String(), "the backup line is broken")
	require.Contains(t, k.errs.String(), "more log waits for the backup target than --backup-log-max allows")
	require.NotContains(t, k.errs.String(), s3test.SecretKey)
	_, restored := k.restore("restored")
	require.Equal(t, k.opened(k.data).StateHash, restored.StateHash)
}

// TestNamesInABucket: one archive by its name, one backup line by its own, nothing, and what is no name.
func TestNamesInABucket(t *testing.T) {
	fake, k := fakeBucket(t)
	k.start()
	k.stock()
	k.until("holdfast_backup_last_good_sequence", func(n float64) bool { return n > 0 })
	k.kill()
	whole := k.backups
	for key := range fake.Objects() {
		if strings.HasSuffix(key, archiveSuffix) {
			k.backups = "s3://" + s3test.Bucket + "/" + key
			k.restore("archive")
			require.Contains(t, k.command(append([]string{"verify", "--data", k.backups}, k.reach...)...),
				"result in order")
			k.backups = k.backups[:strings.LastIndexByte(k.backups, '/')]
			k.restore("line")
		}
	}
	refused := func(want string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		require.NotZero(t, run(append(args, k.reach...), nil, &out, &errs))
		require.Contains(t, errs.String()+out.String(), want)
	}
	to := filepath.Join(t.TempDir(), "new")
	refused("there are no backups at s3://bucket/elsewhere", "restore", "--from", "s3://bucket/elsewhere", "--data", to)
	refused("is not there", "restore", "--from", "s3://bucket/elsewhere/x.tar.zst", "--data", to)
	refused(`--from "s3:/bucket" must be a directory, or a bucket like s3://bucket/prefix`, "restore", "--from",
		"s3:/bucket", "--data", to)
	refused(`--data "s3://b" must be`, "verify", "--data", "s3://b")
	refused(`must be a directory, or a bucket`, "doctor", "--backup-to", "s3:bucket", "--data", to)
	require.NoDirExists(t, to)
	fake.Failing(func(*http.Request) s3test.Fault { return s3test.Forbid })
	refused("AccessDenied", "restore", "--from", whole, "--data", to)
	refused("AccessDenied", "doctor", "--backup-to", whole, "--data", to)
	require.NoDirExists(t, to)
}

// TestADamagedChainIsFound flips one bit of a piece of the log in the bucket.
func TestADamagedChainIsFound(t *testing.T) {
	fake, k := fakeBucket(t)
	k.start()
	hold := k.stock()
	k.until("holdfast_backup_last_good_sequence", func(n float64) bool { return n > 0 })
	for range 3 {
		k.book(t.Context(), hold, 1)
		k.until("holdfast_backup_log_unsent_records", func(n float64) bool { return n == 0 })
	}
	k.kill()
	verify := append([]string{"verify", "--data", k.backups}, k.reach...)
	require.Contains(t, k.command(verify...), "result in order")
	for key, b := range fake.Objects() {
		if strings.Contains(key, "/log-") {
			flipped := bytes.Clone(b)
			flipped[len(b)/2] ^= 1
			fake.Add(key, string(flipped))
			break
		}
	}
	var out, errs bytes.Buffer
	require.Equal(t, exitFailed, run(verify, nil, &out, &errs))
	require.Contains(t, out.String(), "FAULTS FOUND")
	require.Contains(t, errs.String(), "/log-")
}
