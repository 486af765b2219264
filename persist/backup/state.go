package backup

// This file owns what a habit says of itself, and when that is well.

import (
	"fmt"
	"time"
)

// State is what a habit has come to.
type State struct {
	Started  time.Time
	Line     string // empty until the target was looked at
	Good     *Mark  // the last good archive; nil where there is none
	GoodLine string
	Sent     uint64    // the last record at the target, in segments
	Unsent   uint64    // records that are not there yet
	SentAsOf time.Time // everything written until then is there

	Archives, Segments, SegmentBytes            uint64 // put by this process
	ArchiveFailures, LogFailures, PruneFailures uint64
	Breaks                                      uint64 // lines broken off
	LastError                                   string // since the last good archive

	sentAsOf time.Time
	seen     time.Time // when the last good archive was last seen at the target
	unseen   bool      // it was not, at the last look that was answered
}

// State is what the habit has come to now.
func (h *Habit) State() State {
	now, end := h.o.Now(), h.o.Store.Stats().Published
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.state
	s.SentAsOf = s.sentAsOf
	switch {
	case s.Line == "":
	case end <= s.Sent:
		s.SentAsOf = now
	default:
		s.Unsent = end - s.Sent
	}
	return s
}

// Fault says what is not well with the backups; nil where all is. A last good archive is too old when another one
// should long have been there, the log when it has not been put for a minute, or ten times LogEvery where that is more;
// the target is gone when the last good archive was not seen there for a minute. Whoever asks the server may be told
// it: it names no path, and what was wrong with the target is in the log.
func (h *Habit) Fault() error {
	s, now := h.State(), h.o.Now()
	tooLong := max(mostUnseen, 10*h.o.LogEvery)
	switch since := s.SentAsOf; {
	case s.Good == nil:
		return fmt.Errorf("there is no good backup yet")
	case s.GoodLine != s.Line:
		return fmt.Errorf(
			"the backup line was broken, and no good backup begins the next one yet; the last good one is of %s",
			s.Good.Made.Format(time.RFC3339))
	case Aged(s.Good.Made, now, h.o.Every) != nil:
		return Aged(s.Good.Made, now, h.o.Every)
	case s.Unsent > 0 && now.Sub(latest(since, s.Started)) > tooLong:
		return fmt.Errorf("the log at the backup target ends %s ago",
			now.Sub(latest(since, s.Started)).Round(time.Second))
	case now.Sub(s.seen) > mostUnseen && s.unseen:
		return fmt.Errorf("the last good backup is not at the target any more")
	case now.Sub(s.seen) > mostUnseen:
		return fmt.Errorf("the backup target has not answered for %s", now.Sub(s.seen).Round(time.Second))
	}
	return nil
}

// Aged says why an archive does not do as the last good one, where one is made every so often: another one should long
// have been there, or nothing is known of its age.
func Aged(made, now time.Time, every time.Duration) error {
	switch age := now.Sub(made); {
	case age > every+max(every/2, 10*time.Minute):
		return fmt.Errorf("the last good backup is of %s, and one is made every %s", made.UTC().Format(time.RFC3339),
			every)
	case age < -clocksDiffer:
		return fmt.Errorf("the last good backup is of %s, which is yet to come: the clock was ahead when it was made, "+
			"or is behind now", made.UTC().Format(time.RFC3339))
	}
	return nil
}

// clocksDiffer is by how much clocks of two machines may differ.
const clocksDiffer = time.Minute

// mostUnseen is how long a target may be out of reach.
const mostUnseen = time.Minute

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
