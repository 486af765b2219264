package backup

// This file owns putting the log, in segments.

import (
	"bytes"
	"context"
	"errors"
	"time"

	"holdfast/persist"
)

// segmentBytes is how many bytes of log a segment has at most, unless one record is larger.
const segmentBytes = 16 << 20

// putTime is how long a Put of some bytes may take: a target that stalls has failed.
func putTime(bytes int) time.Duration {
	return 20*time.Second + time.Duration(bytes/(64<<10))*time.Second
}

// piece is a segment on its way.
type piece struct {
	line string
	file []byte
	seg  persist.Segment
	asOf time.Time // the log up to then is in it; zero where there is more
}

// ship puts segments until the habit ends, then what is left.
func (h *Habit) ship(ctx context.Context) {
	var raw []byte
	var p *piece // that was not put yet
	var waits backlog
	wait := h.o.Retry
	for ending := false; ; {
		_, sent := h.current()
		if p == nil && !ending {
			select {
			case <-h.o.Store.Wake(sent.Seq + 1):
			case <-h.stop:
				ending = true
			}
		}
		began := time.Now()
		err := error(nil)
		for more := true; more && err == nil; {
			if p, more, err = h.next(p, &raw); p == nil || err != nil {
				break
			}
			if err = h.put(ctx, p); err == nil {
				h.took(p)
				p, wait, waits = nil, h.o.Retry, backlog{}
			}
		}
		switch {
		case err == nil && ending:
			return
		case err == nil:
			if !h.pause(h.o.LogEvery - time.Since(began)) {
				ending = true
			}
			continue
		case errors.Is(err, persist.ErrClosed):
			return
		case errors.Is(err, persist.ErrPruned):
			h.broken("the log that was not put yet is not kept any more", err)
			p, waits = nil, backlog{}
			continue
		case errors.Is(err, ErrExists):
			h.broken("somebody else has put a segment of this incarnation", err)
			p, waits = nil, backlog{}
			continue
		case errors.Is(err, persist.ErrCorrupt):
			h.broken("the log does not go on where the last segment ends", err)
			p, waits = nil, backlog{}
			continue
		}
		h.failed(ctx, &h.state.LogFailures, "a segment of the log is not at the backup target", err)
		if ending && ctx.Err() != nil {
			return
		}
		if over, err := waits.over(h.o.Store, p, h.o.LogMax); over {
			h.broken("more log waits for the backup target than --backup-log-max allows", err)
			p, waits = nil, backlog{}
			continue
		}
		if ending {
			select { // stop is closed
			case <-time.After(wait):
			case <-ctx.Done():
			}
		} else if !h.pause(wait) {
			ending = true
		}
		wait = min(2*wait, mostRetry)
	}
}

// next is the segment to put: the one that was not put yet, else what was published after the last one. more says that
// there may be another one after it.
func (h *Habit) next(p *piece, raw *[]byte) (_ *piece, more bool, err error) {
	if p != nil {
		return p, true, nil
	}
	line, sent := h.current()
	asOf := h.o.Now()
	file, buf, seg, err := h.o.Store.Segment(*raw, sent, segmentBytes)
	if *raw = buf; err != nil || file == nil {
		return nil, false, err
	}
	if cap(*raw) > 2*segmentBytes {
		*raw = nil // a record that was larger
	}
	if more = seg.Bytes > segmentBytes/2; more {
		asOf = time.Time{}
	}
	return &piece{line: line, file: file, seg: seg, asOf: asOf}, more, nil
}

// put puts a segment. One of its name that has the same bytes is the same one, of a Put whose answer was lost.
func (h *Habit) put(ctx context.Context, p *piece) error {
	ctx, cancel := context.WithTimeout(ctx, putTime(len(p.file)))
	defer cancel()
	name := pieceName(p.line, p.seg.First, p.seg.End.Seq, p.seg.End.At)
	err := h.o.Target.Put(ctx, name, bytes.NewReader(p.file), int64(len(p.file)))
	if errors.Is(err, ErrExists) {
		equal, e := same(ctx, h.o.Target, name, p.file)
		if e != nil {
			return e
		}
		if equal {
			return nil
		}
	}
	return err
}

// took notes that a segment is at the target.
func (h *Habit) took(p *piece) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sent, h.state.Sent = p.seg.End, p.seg.End.Seq
	h.state.Segments++
	h.state.SegmentBytes += uint64(len(p.file))
	if !p.asOf.IsZero() {
		h.state.sentAsOf = p.asOf
	}
}

// broken gives up a line.
func (h *Habit) broken(why string, err error) {
	line, sent := h.current()
	h.mu.Lock()
	h.state.Breaks++
	h.state.LastError = why
	h.mu.Unlock()
	h.log.Error("the backup line is broken: another one is begun, with a full archive", "why", why, "target",
		h.o.Target.String(), "line", line, "after", sent.Seq, "cause", err)
	h.begin(line)
}

// backlog counts the log that waits for a target which fails, each record once.
type backlog struct {
	upTo  persist.Position
	bytes int64
}

// over says whether more than most bytes wait: a segment that is made, and all records after it.
func (b *backlog) over(s *persist.Store, p *piece, most int64) (bool, error) {
	if p == nil {
		return false, nil
	}
	if b.upTo.Seq == 0 {
		b.upTo, b.bytes = p.seg.End, int64(p.seg.Bytes)
	}
	for b.bytes <= most {
		seg, err := s.Behind(b.upTo, int(max(most-b.bytes, 1))) // one record at least, even if that is too much
		if err != nil {
			return errors.Is(err, persist.ErrPruned), err
		}
		if seg.Bytes == 0 {
			return false, nil
		}
		b.upTo, b.bytes = seg.End, b.bytes+int64(seg.Bytes)
	}
	return true, nil
}
