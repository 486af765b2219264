package main

// This file owns the figures that engine and store give to /metrics.

import (
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// register adds the figures of engine and store.
func (c *core) register(registry *prometheus.Registry) {
	gauge := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	counter := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
	}
	counter("holdfast_commands_total", "Commands done.", func() float64 { return float64(c.engine.Stats().Commands) })
	counter("holdfast_refusals_total", "Commands refused by the state.", func() float64 { return float64(c.engine.Stats().Refused) })
	counter("holdfast_commit_groups_total", "Log records written, each with one sync.", func() float64 { return float64(c.engine.Stats().Groups) })
	gauge("holdfast_commands_queued", "Commands that wait for the writer.", func() float64 { return float64(c.engine.Stats().Queued) })
	counter("holdfast_due_failures_total", "Times that something was due and could not be done.", func() float64 { return float64(c.engine.Stats().SetAside) })
	registry.MustRegister(&dueSetAside{core: c, desc: prometheus.NewDesc("holdfast_due_set_aside", "What was due, could not be done and is to be tried again.", []string{"account", "table"}, nil)})
	gauge("holdfast_clock_behind_seconds", "By how much the machine's clock is behind the time that the server goes by.", func() float64 {
		_, behind := steady.reading()
		return behind.Seconds()
	})
	gauge("holdfast_storage_failed", "1 when the log cannot be written any more.", func() float64 {
		if c.engine.Failed() != nil {
			return 1
		}
		return 0
	})
	gauge("holdfast_log_sequence", "Sequence of the last durable log record.", func() float64 { return float64(c.store.Stats().Durable) })
	gauge("holdfast_log_folded_sequence", "Sequence up to which the log is folded into rows.", func() float64 { return float64(c.store.Stats().Folded) })
	gauge("holdfast_log_unfolded_bytes", "Log in memory that waits to be folded.", func() float64 { return float64(c.store.Stats().UnfoldedBytes) })
	gauge("holdfast_disk_bytes", "Size of the data directory.", func() float64 { return float64(c.store.Stats().DiskBytes) })
	registry.MustRegister(&syncTimes{core: c, desc: prometheus.NewDesc("holdfast_log_sync_seconds", "Time of each sync of the log.", nil, nil)})
}

// dueSetAside counts what is set aside, by account and table.
type dueSetAside struct {
	core *core
	desc *prometheus.Desc
}

func (s *dueSetAside) Describe(to chan<- *prometheus.Desc) { to <- s.desc }

func (s *dueSetAside) Collect(to chan<- prometheus.Metric) {
	type place struct{ account, table string }
	counts := map[place]int{}
	for _, x := range s.core.engine.SetAside() {
		counts[place{x.Account.String(), x.Table}]++
	}
	for at, n := range counts {
		to <- prometheus.MustNewConstMetric(s.desc, prometheus.GaugeValue, float64(n), at.account, at.table)
	}
}

// syncTimes passes the store's histogram on under a name of ours: the store's own has none. Pebble counts in nanoseconds.
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
	to <- prometheus.MustNewConstHistogram(s.desc, m.Histogram.GetSampleCount(), m.Histogram.GetSampleSum()/second, buckets)
}
