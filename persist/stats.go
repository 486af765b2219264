package persist

// This file owns what metrics show.

import "github.com/prometheus/client_golang/prometheus"

// Stats is what a store says about itself, for metrics.
type Stats struct {
	Durable       uint64 // sequence of the last durable record
	Published     uint64
	Folded        uint64 // the marker's
	FirstKept     uint64
	UnfoldedBytes int64 // of log, waiting in memory for the folder
	KeptBytes     int64 // of log; 0 while the log is still being read, or kept for ever
	Sublevels     int   // of Pebble's L0: the folder waits at 16
	// SyncSeconds is the time of each sync of Pebble's log file.
	SyncSeconds prometheus.Histogram
}

// Stats may be called at any time. Once the storage has failed it leaves out
// what only Pebble knows.
func (s *Store) Stats() Stats {
	m := s.Marker()
	st := Stats{
		Durable: s.End().Seq, Published: s.published.Load(), Folded: m.Seq, FirstKept: m.FirstKept,
		UnfoldedBytes: s.overlay.bytes.Load(), KeptBytes: s.kept.size(),
	}
	if s.fuse.failed() == nil && !s.closed.Load() {
		p := s.db.Metrics()
		st.Sublevels = s.o.sublevels(s.db)
		st.SyncSeconds = p.LogWriter.FsyncLatency
	}
	return st
}
