package main

// This file owns the habit of backups as serve has it: its options, the process that opens an archive as a server
// would, and its figures.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"holdfast/engine/pace"
	"holdfast/persist"
	"holdfast/persist/backup"
)

type habitConfig struct {
	to       string
	every    time.Duration
	keep     int
	logEvery time.Duration
	logMax   string
	bucket   bucketConfig
	waiting  int64         // see logMax
	target   backup.Target // see to
}

func (c *habitConfig) flags(f *pflag.FlagSet) {
	f.StringVar(&c.to, "backup-to", "", "directory on another disk, or s3://bucket/prefix, that backups are kept "+
		"in: archives, each opened before it counts, and the log behind them; "+
		"default: none are kept")
	f.DurationVar(&c.every, "backup-every", backupEvery, "time between archives")
	f.IntVar(&c.keep, "backup-keep", 7, "how many archives stay, with the log behind the first of them")
	f.DurationVar(&c.logEvery, "backup-log-every", time.Second,
		"time between pieces of the log: what a lost machine loses")
	c.bucket.flags(f)
	f.StringVar(&c.logMax, "backup-log-max", "512MiB", "log that waits for a target that fails, like 512MiB; beyond "+
		"it the backup line ends, and another one begins with an archive")
}

// backupEvery is the time between archives where nothing else is said.
const backupEvery = 24 * time.Hour

// leastWaiting is the least of --backup-log-max: with less, the log of a few bookings would end the backup line.
const leastWaiting = 64 << 10

// check judges the options, all together.
func (c *habitConfig) check(data string) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if c.every < time.Minute {
		fault("--backup-every %q must be a time from 1m on, like 24h", c.every)
	}
	if c.keep < 1 {
		fault("--backup-keep %q must be a number from 1 on", strconv.Itoa(c.keep))
	}
	if c.logEvery < 10*time.Millisecond || c.logEvery > time.Hour {
		fault("--backup-log-every %q must be a time from 10ms to 1h, like 1s", c.logEvery)
	}
	var ok bool
	if c.waiting, ok = pace.ParseMemory(c.logMax); !ok || c.logMax == "off" || c.waiting < leastWaiting {
		fault("--backup-log-max %q must be a number of bytes from 64KiB on, as in 512MiB", c.logMax)
	}
	if c.to != "" {
		var err error
		if c.target, err = c.place(data); err != nil {
			faults = append(faults, err)
		}
	}
	if c.bucket.set() && !backup.IsBucket(c.to) {
		fault("--backup-s3-endpoint, -region and -credentials are for a bucket: --backup-to %q must be like "+
			"s3://bucket/prefix", c.to)
	}
	if len(faults) > 0 {
		return usageError{errors.Join(faults...)}
	}
	return nil
}

// place is the target, which must be neither in the data directory nor around it: a disk that is lost takes both.
func (c *habitConfig) place(data string) (backup.Target, error) {
	target, err := c.bucket.target("backup-to", c.to)
	dir, ok := target.(*backup.Dir)
	if err != nil || !ok {
		return target, err
	}
	if st, err := os.Stat(dir.Root); err == nil && !st.IsDir() {
		return nil, fmt.Errorf("--backup-to %q must be a directory, and is none", c.to)
	}
	to, live := resolved(dir.Root), resolved(data)
	if within(to, live) || within(live, to) {
		return nil, fmt.Errorf("--backup-to %q must not be in the data directory %q, nor have it in it: who loses "+
			"one would lose both", c.to, data)
	}
	return target, nil
}

// resolved is where a name leads, as far as it exists.
func resolved(name string) string {
	full, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	rest := ""
	for at := full; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return full
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// within says whether a name is below a directory, or is it.
func within(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// start begins to keep backups of a store; nil where none are to be kept.
func (c *habitConfig) start(store *persist.Store, log *slog.Logger) *backup.Habit {
	if c.to == "" {
		return nil
	}
	return backup.Start(backup.Options{
		Store: store, Target: c.target, Every: c.every, Keep: c.keep, LogEvery: c.logEvery, LogMax: c.waiting,
		Logger: log,
		Open: func(ctx context.Context, name string) (backup.Opened, error) {
			return openElsewhere(ctx, c.target, name)
		},
	})
}

// openElsewhere has a process of low priority open an archive as a server would.
func openElsewhere(ctx context.Context, target backup.Target, name string) (o backup.Opened, err error) {
	self, err := os.Executable()
	if err != nil {
		return o, err
	}
	archive, err := target.Get(ctx, name)
	if err != nil {
		return o, err
	}
	defer archive.Close()
	var out, errs bytes.Buffer
	verify := exec.CommandContext(ctx, self)
	verify.Args = []string{"holdfast", "verify", "--start", "--data", "-"}
	verify.Env = append(os.Environ(), "GOMEMLIMIT="+strconv.FormatInt(openingMemory(), 10))
	verify.Stdin, verify.Stdout, verify.Stderr = archive, &out, &errs
	if err := verify.Start(); err != nil {
		return o, err
	}
	// errs is the process's until it has ended
	urgent := syscall.Setpriority(syscall.PRIO_PROCESS, verify.Process.Pid, lowest)
	if err := verify.Wait(); err != nil {
		if urgent != nil {
			err = fmt.Errorf("%w; its priority stayed as it is: %w", err, urgent)
		}
		return o, fmt.Errorf("%w: %s", err, strings.TrimSpace(errs.String()))
	}
	return o, json.Unmarshal(out.Bytes(), &o)
}

// lowest is the priority of work that nothing waits for.
const lowest = 19

// openingMemory is the soft limit of a process that opens an archive: half of the memory that there is, as a server
// takes the rest.
func openingMemory() int64 {
	limit, _ := pace.MemoryLimit(systemFile)
	return limit / 2
}

// registerHabit adds the figures of backups.
func registerHabit(registry *prometheus.Registry, h *backup.Habit) {
	gauge := func(name, help string, value func(backup.State) float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return value(h.State()) }))
	}
	counter := func(name, help string, value func(backup.State) uint64) {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
			func() float64 { return float64(value(h.State())) }))
	}
	good := func(of func(*backup.Mark) float64) func(backup.State) float64 {
		return func(s backup.State) float64 {
			if s.Good == nil {
				return 0
			}
			return of(s.Good)
		}
	}
	gauge("holdfast_backup_last_good_timestamp_seconds",
		"When the last archive was begun that was opened and found good; 0: there is none.",
		good(func(m *backup.Mark) float64 { return float64(m.Made.Unix()) }))
	gauge("holdfast_backup_last_good_sequence", "Sequence of the log at which the last good archive ends.",
		good(func(m *backup.Mark) float64 { return float64(m.Seq) }))
	gauge("holdfast_backup_last_good_bytes", "Size of the last good archive.",
		good(func(m *backup.Mark) float64 { return float64(m.Bytes) }))
	gauge("holdfast_backup_archive_seconds", "How long the last good archive took.",
		good(func(m *backup.Mark) float64 { return m.ArchiveSeconds }))
	gauge("holdfast_backup_open_seconds", "How long it took to open it.",
		good(func(m *backup.Mark) float64 { return m.OpenSeconds }))
	gauge("holdfast_backup_log_unsent_records", "Records of the log that are not in the backup yet.",
		func(s backup.State) float64 { return float64(s.Unsent) })
	gauge("holdfast_backup_well", "1 while the last good archive is young enough and the log is sent.",
		func(backup.State) float64 {
			if h.Fault() != nil {
				return 0
			}
			return 1
		})
	counter("holdfast_backup_archives_total", "Archives that were made and opened.",
		func(s backup.State) uint64 { return s.Archives })
	counter("holdfast_backup_segments_total", "Pieces of the log that were sent.",
		func(s backup.State) uint64 { return s.Segments })
	counter("holdfast_backup_segment_bytes_total", "Bytes of these pieces.",
		func(s backup.State) uint64 { return s.SegmentBytes })
	counter("holdfast_backup_failures_total", "Tries to send something, or to take old backups away, that failed.",
		func(s backup.State) uint64 { return s.ArchiveFailures + s.LogFailures + s.PruneFailures })
	counter("holdfast_backup_breaks_total", "Backup lines that were ended because the target failed for too long.",
		func(s backup.State) uint64 { return s.Breaks })
}
