package main

// This file owns the figures that engine and store give to /metrics.

import (
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	dto "github.com/prometheus/client_model/go"

	"holdfast/engine"
	"holdfast/engine/pace"
	"holdfast/persist"
	"holdfast/timeline"
)

// registerProcess adds the metrics that can be given before the state is loaded.
func registerProcess(registry *prometheus.Registry, memory *memoryWatch) {
	registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "holdfast_build_info", Help: "Always 1: its labels say what runs.",
			ConstLabels: prometheus.Labels{"version": programVersion(), "go": runtime.Version(),
				"zones": timeline.ZoneDataVersion()},
		}, func() float64 { return 1 }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "holdfast_memory_short", Help: "1 while memory is so short that nothing is added.",
		}, func() float64 {
			if memory.short.Load() {
				return 1
			}
			return 0
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "holdfast_memory_needed_bytes", Help: "Memory that a collection would not give back.",
		}, func() float64 { return float64(pace.Needed()) }),
	)
}

// startup is what a start came to.
type startup struct {
	replayed uint64 // records of the log
	took     time.Duration
}

// register adds the figures of engine and store, of a data directory.
func (c *core) register(registry *prometheus.Registry, dir string, began startup) {
	gauge := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	counter := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
	}
	counter("holdfast_commands_total", "Commands done.", func() float64 { return float64(c.engine.Stats().Commands) })
	counter("holdfast_commands_refused_total", "Commands refused by the state.",
		func() float64 { return float64(c.engine.Stats().Refused) })
	counter("holdfast_commit_groups_total", "Log records written, each with one sync.",
		func() float64 { return float64(c.engine.Stats().Groups) })
	gauge("holdfast_commands_queued", "Commands that wait for the writer.",
		func() float64 { return float64(c.engine.Stats().Queued) })
	counter("holdfast_due_failures_total", "Times that something was due and could not be done.",
		func() float64 { return float64(c.engine.Stats().SetAside) })
	registry.MustRegister(&dueSetAside{core: c, desc: prometheus.NewDesc("holdfast_due_set_aside",
		"What was due, could not be done and is to be tried again.", []string{"account", "table"}, nil)})
	gauge("holdfast_clock_behind_seconds",
		"By how much the machine's clock is behind the time that the server goes by.", func() float64 {
			return behind().Seconds()
		})
	gauge("holdfast_storage_failed", "1 when the log cannot be written any more.", func() float64 {
		if c.engine.Failed() != nil {
			return 1
		}
		return 0
	})
	gauge("holdfast_log_sequence", "Sequence of the last durable log record.",
		func() float64 { return float64(c.store.Stats().Durable) })
	gauge("holdfast_log_folded_sequence", "Sequence up to which the log is folded into rows.",
		func() float64 { return float64(c.store.Stats().Folded) })
	gauge("holdfast_log_first_sequence", "Sequence of the first log record that is kept: restores to a point, and "+
		"feeds, go back to it.", func() float64 { return float64(c.store.Stats().FirstKept) })
	gauge("holdfast_log_first_timestamp_seconds",
		"When the first log record that is kept was written; 0: there is none.", c.keptSince)
	gauge("holdfast_log_kept_bytes", "Log that is kept behind the fold; 0 while it is still being read, and with "+
		"--log-keep all.", func() float64 { return float64(c.store.Stats().KeptBytes) })
	gauge("holdfast_log_unfolded_bytes", "Log in memory that waits to be folded.",
		func() float64 { return float64(c.store.Stats().UnfoldedBytes) })
	gauge("holdfast_disk_bytes", "What the data directory takes on its disk, as du tells it.",
		func() float64 { return float64(diskUsage(dir)) })
	totals := func(name, help string, of func(engine.Totals) int) {
		gauge(name, help, func() float64 { return float64(of(c.engine.Totals())) })
	}
	totals("holdfast_accounts", "Accounts.", func(n engine.Totals) int { return n.Accounts })
	totals("holdfast_articles", "Articles of all accounts.", func(n engine.Totals) int { return n.Articles })
	totals("holdfast_holds", "Holds of all accounts, carts and firm ones, those that have ended as long as "+
		"they are kept.", func(n engine.Totals) int { return n.Holds })
	totals("holdfast_orders", "Orders of all accounts, in every state.", func(n engine.Totals) int { return n.Orders })
	totals("holdfast_units_taken", "Units of all accounts that are taken, now or later: a unit counts for each time.",
		func(n engine.Totals) int { return n.Units })
	gauge("holdfast_start_seconds", "How long the start took, until the first request was let in.", began.took.Seconds)
	gauge("holdfast_start_records_replayed", "Records of the log that the start applied to the rows.",
		func() float64 { return float64(began.replayed) })
	registry.MustRegister(&syncTimes{core: c,
		desc: prometheus.NewDesc("holdfast_log_sync_seconds", "Time of each sync of the log.", nil, nil)})
}

// keptSince is when the first record was written that is kept. It may be cut off meanwhile: then it is the next one.
func (c *core) keptSince() float64 {
	for range 3 {
		r, err := c.store.Record(c.store.Stats().FirstKept)
		if err == nil {
			return float64(r.At) / 1000
		}
		if !errors.Is(err, persist.ErrPruned) {
			return 0
		}
	}
	return 0
}

// diskUsage is what the files below a directory take on the disk, in bytes. A file that goes meanwhile counts for
// nothing.
func diskUsage(dir string) (bytes int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				bytes += st.Blocks * 512
			}
		}
		return nil
	})
	return bytes
}

// dueSetAside counts what is set aside, by account and table.
type dueSetAside struct {
	core *core
	desc *prometheus.Desc
}

func (s *dueSetAside) Describe(to chan<- *prometheus.Desc) { to <- s.desc }

func (s *dueSetAside) Collect(to chan<- prometheus.Metric) {
	type place struct{ account, table string }
	counts := map[place]int{{}: 0} // of no account, so that there is always one
	for _, x := range s.core.engine.SetAside() {
		counts[place{x.Account.String(), x.Table}]++
	}
	for at, n := range counts {
		to <- prometheus.MustNewConstMetric(s.desc, prometheus.GaugeValue, float64(n), at.account, at.table)
	}
}

// syncTimes passes the store's histogram on under a name of ours: the store's own has none. Pebble counts in
// nanoseconds.
type syncTimes struct {
	core *core
	desc *prometheus.Desc
}

func (s *syncTimes) Describe(to chan<- *prometheus.Desc) { to <- s.desc }

func (s *syncTimes) Collect(to chan<- prometheus.Metric) {
	times := s.core.store.Stats().SyncSeconds
	if times == nil {
		return // the storage has failed
	}
	var m dto.Metric
	if err := times.Write(&m); err != nil || m.Histogram == nil {
		return
	}
	const second = 1e9
	buckets := make(map[float64]uint64, len(m.Histogram.Bucket))
	for _, b := range m.Histogram.Bucket {
		buckets[b.GetUpperBound()/second] = b.GetCumulativeCount()
	}
	to <- prometheus.MustNewConstHistogram(s.desc, m.Histogram.GetSampleCount(), m.Histogram.GetSampleSum()/second,
		buckets)
}
