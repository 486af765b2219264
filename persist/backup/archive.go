package backup

// This file owns putting archives: when one is due, that it is opened before it counts, and what goes for it.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sync/atomic"
	"time"

	"holdfast/persist"
)

// Mark says of an archive that it was opened, and what was found. It lies next to the archive, as JSON.
type Mark struct {
	Opened
	Name           string    `json:"archive"`
	Made           time.Time `json:"made"`
	Verified       time.Time `json:"verified"`
	Bytes          int64     `json:"bytes"`
	ArchiveSeconds float64   `json:"archiveSeconds"`
	OpenSeconds    float64   `json:"openSeconds"`
}

// mostMark is the size that a mark has at most.
const mostMark = 64 << 10

// errMark: what lies there is no mark of that archive.
var errMark = errors.New("is damaged: it is no mark of that archive, which counts as one that was not verified")

func readMark(ctx context.Context, t Target, f Full) (m Mark, err error) {
	name := f.base() + verifiedSuffix
	r, err := t.Get(ctx, name)
	if err != nil {
		return m, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, mostMark))
	if err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	if err := json.Unmarshal(b, &m); err != nil || m.Name != path.Base(f.Name) || m.Seq != f.Seq {
		return m, fmt.Errorf("%s %w", name, errMark)
	}
	return m, nil
}

// ReadMarks reads the mark of every verified archive. One whose mark is damaged is not verified in the lines that it
// returns, and is one of the faults.
func ReadMarks(ctx context.Context, t Target, lines []Line) (read []Line, faults []error, err error) {
	for _, l := range lines {
		l.Fulls = slices.Clone(l.Fulls)
		for i, f := range l.Fulls {
			if !f.Verified {
				continue
			}
			_, err := readMark(ctx, t, f)
			switch {
			case errors.Is(err, errMark):
				l.Fulls[i].Verified, l.Fulls[i].badMark = false, true
				faults = append(faults, err)
			case errors.Is(err, ErrMissing): // it was taken away meanwhile
				l.Fulls[i].Verified = false
			case err != nil:
				return nil, nil, err
			}
		}
		read = append(read, l)
	}
	return read, faults, nil
}

// archives puts an archive whenever one is due: with each line, every Every after the last good one of the line, and
// when the clock says that that one is yet to come.
func (h *Habit) archives(ctx context.Context) {
	wait := h.o.Retry
	for {
		if due := h.due(); due > 0 {
			t := time.NewTimer(due)
			select {
			case <-h.redo:
			case <-t.C:
			case <-h.stop:
				t.Stop()
				return
			}
			t.Stop()
			continue
		}
		line, _ := h.current()
		err := h.archive(ctx, line)
		if now, _ := h.current(); now != line {
			continue // it was broken off meanwhile
		}
		if err == nil {
			wait = h.o.Retry
			continue
		}
		select {
		case <-h.stop:
			return
		default:
		}
		h.failed(ctx, &h.state.ArchiveFailures, "a full backup did not come out", err)
		h.prune(ctx)
		if !h.pause(wait) {
			return
		}
		wait = min(2*wait, mostArchiveRetry)
	}
}

// mostArchiveRetry is the longest time from one archive that did not come out to the next.
const mostArchiveRetry = 10 * time.Minute

// mostDue is how long it is waited by the clock at once.
const mostDue = time.Minute

// due is the time until an archive is due, or until the caller must ask again.
func (h *Habit) due() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Good == nil || h.state.GoodLine != h.line {
		return 0
	}
	made, now := h.state.Good.Made, h.o.Now()
	if made.After(now) { // the clock was ahead
		return 0
	}
	left := made.Add(h.o.Every).Sub(now)
	return min(max(left, 0), mostDue)
}

// archive puts an archive, has it opened, marks it, and takes away what is beyond Keep.
func (h *Habit) archive(ctx context.Context, line string) error {
	ctx, cancel := h.untilStop(ctx)
	defer cancel()
	began := h.o.Now()
	var full Full
	var made persist.Backup
	err := h.o.Store.SendCheckpoint(ctx, func(b persist.Backup, archive func(io.Writer, persist.Progress) error) error {
		made = b
		full = Full{Seq: b.End.Seq, At: b.End.At, Made: began.UnixMilli(),
			Name: fullName(line, b.End.Seq, b.End.At, began.UnixMilli())}
		r, w := io.Pipe()
		counted := &counter{r: r}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go counted.watch(ctx, Stalled, cancel)
		written := make(chan error, 1)
		go func() {
			err := archive(w, nil)
			w.CloseWithError(err) // nil: the end
			written <- err
		}()
		err := h.o.Target.Put(ctx, full.Name, counted, -1)
		r.CloseWithError(errors.Join(err, errGivenUp))
		full.Size = counted.n.Load()
		if err == nil {
			return <-written
		}
		<-written
		return err
	})
	if err != nil {
		return err
	}
	archived := h.o.Now()
	h.log.Info("full backup is at the target, and is opened", "name", full.Name, "sequence", full.Seq, "bytes",
		full.Size, "took", archived.Sub(began))
	opened, err := h.o.Open(ctx, full.Name)
	if err != nil {
		return fmt.Errorf("%s cannot be opened, and does not count: %w", full.Name, err)
	}
	if err := h.compare(ctx, made.End, opened); err != nil {
		return fmt.Errorf("%s does not count: %w", full.Name, err)
	}
	verified := h.o.Now()
	m := Mark{
		Opened: opened, Name: path.Base(full.Name), Made: began.UTC(), Verified: verified.UTC(), Bytes: full.Size,
		ArchiveSeconds: archived.Sub(began).Seconds(), OpenSeconds: verified.Sub(archived).Seconds(),
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	err = h.o.Target.Put(ctx, full.base()+verifiedSuffix, bytes.NewReader(b), int64(len(b)))
	if err != nil && !errors.Is(err, ErrExists) { // the mark of this very archive: its name has the moment it was made
		return err
	}
	h.mu.Lock()
	h.state.Good, h.state.GoodLine, h.state.seen, h.state.unseen = &m, line, verified, false
	h.state.Archives++
	h.state.LastError = ""
	h.mu.Unlock()
	h.log.Info("full backup is good: it was opened as a server would", "name", full.Name, "sequence", full.Seq, "state",
		opened.StateHash,
		"archive", archived.Sub(began), "opening", verified.Sub(archived))
	h.prune(ctx)
	return nil
}

var errGivenUp = errors.New("the archive is not read any more")

// untilStop ends with the habit.
func (h *Habit) untilStop(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-h.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// compare holds what was found in an archive against the running store.
func (h *Habit) compare(ctx context.Context, end persist.Position, opened Opened) error {
	if end.Seq > 0 {
		select {
		case <-h.o.Store.Wake(end.Seq):
		case <-ctx.Done():
			return ctx.Err()
		}
		r, err := h.o.Store.Record(end.Seq)
		switch {
		// what was copied was read from the log that was compared with the head file
		case errors.Is(err, persist.ErrPruned):
		case err != nil:
			return err
		default:
			end = r.Position
		}
	}
	if want := Describe(end); opened != want {
		return fmt.Errorf("it opens at record %d with the hash %s and the state hash %s; the server has record %d "+
			"with %s and %s there",
			opened.Seq, opened.Hash, opened.StateHash, want.Seq, want.Hash, want.StateHash)
	}
	return nil
}

// prune takes away what is beyond Keep, of this incarnation alone. What fails here is tried again after the next
// archive.
func (h *Habit) prune(ctx context.Context) {
	look, cancel := context.WithTimeout(ctx, lookTimeout)
	_, lines, err := h.lines(look)
	if len(beyond(lines, h.o.Keep)) > 0 {
		lines, err = h.marks(look, lines) // what goes must not go for an archive that is none
	}
	cancel()
	for _, name := range beyond(lines, h.o.Keep) {
		one, cancel := context.WithTimeout(ctx, deleteTimeout)
		e := h.o.Target.Delete(one, name)
		cancel()
		if e != nil {
			err = fmt.Errorf("%s: %w", name, e)
			break
		}
	}
	if err != nil {
		h.failed(ctx, &h.state.PruneFailures, "old backups could not be taken away", err)
	}
}

// deleteTimeout is how long it may take to take one object away.
const deleteTimeout = time.Minute

// beyond names what goes: everything older than the first of the archives that stay, and archives without a mark that
// are not the last one. Without a verified archive no segment goes.
func beyond(lines []Line, keep int) (names []string) {
	first, at, left := Full{}, -1, keep
	for i := len(lines) - 1; i >= 0 && left > 0; i-- {
		for j := len(lines[i].Fulls) - 1; j >= 0 && left > 0; j-- {
			if f := lines[i].Fulls[j]; f.Verified {
				first, at, left = f, i, left-1
			}
		}
	}
	last := true
	for i := len(lines) - 1; i >= 0; i-- {
		l := lines[i]
		old := i < at // the first that stays is of a later line
		for j := len(l.Fulls) - 1; j >= 0; j-- {
			f := l.Fulls[j]
			if !f.Verified && !last || old {
				names = append(names, objects(f)...)
			}
			if f.Name == first.Name {
				old = true
			}
			last = false
		}
		for k, p := range l.Pieces {
			// The last one of a line that stays says where the line continues.
			if i < at || i == at && p.Last <= first.Seq && k < len(l.Pieces)-1 {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// objects names the mark of an archive, if it has one, then the archive.
func objects(f Full) []string {
	if f.Verified || f.badMark {
		return []string{f.base() + verifiedSuffix, f.Name}
	}
	return []string{f.Name}
}

// counter counts what is read through it.
type counter struct {
	r io.Reader
	n atomic.Int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// Stalled is how long a target may take nothing of an archive, or may take to answer after its end.
const Stalled = 5 * time.Minute

// watch calls off what reads nothing for a while.
func (c *counter) watch(ctx context.Context, while time.Duration, callOff func()) {
	t := time.NewTicker(while)
	defer t.Stop()
	for last := int64(-1); ; {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		n := c.n.Load()
		if n == last {
			callOff()
			return
		}
		last = n
	}
}
