package backup

// This file owns the habit: what runs along with a store and keeps its backups.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"sync"
	"time"

	"holdfast/persist"
)

// Options say what is kept where. All are needed but Logger, Now, Retry and LookEvery.
type Options struct {
	Store    *persist.Store
	Target   Target
	Every    time.Duration // between archives
	Keep     int           // verified archives, from 1 on
	LogEvery time.Duration // between segments, at least
	LogMax   int64         // bytes of log that wait for a target which fails
	// Open opens an archive at the target as a server would, elsewhere than in this process, and says what it found.
	Open   func(ctx context.Context, name string) (Opened, error)
	Logger *slog.Logger
	Now    func() time.Time
	Retry  time.Duration // from one failure to the next try, at first; 0 means a second
	// LookEvery is the time between two looks at whether the target is still there; 0 means 20 seconds.
	LookEvery time.Duration
}

// Opened is what a process has found in an archive: the end of its log, whose state hash is that of the state it has
// rebuilt.
type Opened struct {
	Seq       uint64 `json:"sequence"`
	Hash      string `json:"hash"`
	StateHash string `json:"stateHash"`
}

// Describe makes of a position what Opened says of one.
func Describe(p persist.Position) Opened {
	return Opened{Seq: p.Seq, Hash: fmt.Sprintf("%x", p.Hash[:]), StateHash: fmt.Sprintf("%016x", p.StateHash)}
}

// Habit keeps the backups of a store until it is closed.
type Habit struct {
	o      Options
	log    *slog.Logger
	stop   chan struct{}      // closed when the last segment is to be put
	cancel context.CancelFunc // ends an archive, and a Put that is not answered
	last   context.Context    // of what Close waits for
	wg     sync.WaitGroup
	redo   chan struct{} // a line was begun: an archive is due

	mu    sync.Mutex // guards what follows
	line  string     // that objects are put into; empty until the target was looked at
	sent  persist.Position
	state State
}

// Start begins to keep backups. It returns at once: a target that does not answer is tried again.
func Start(o Options) *Habit {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Retry == 0 {
		o.Retry = time.Second
	}
	if o.LookEvery == 0 {
		o.LookEvery = 20 * time.Second
	}
	ctx, cancel := context.WithCancel(context.Background())
	h := &Habit{o: o, log: o.Logger, stop: make(chan struct{}), cancel: cancel, last: ctx, redo: make(chan struct{}, 1)}
	h.state.Started = o.Now()
	h.wg.Go(func() { h.run(ctx) })
	return h
}

// Close puts what is left of the log, at most until ctx ends, and gives up an archive that is under way. Call it when
// nothing is written any more, before the store is closed.
func (h *Habit) Close(ctx context.Context) {
	close(h.stop)
	done := make(chan struct{})
	go func() { h.wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		h.cancel()
		<-done
	}
	h.cancel()
	if s := h.State(); s.Unsent > 0 {
		h.log.Error("the last of the log is not at the backup target", "target", h.o.Target.String(), "from", s.Sent+1,
			"to", h.o.Store.End().Seq)
	}
}

// run looks at the target until it answers, and then keeps archives and segments.
func (h *Habit) run(ctx context.Context) {
	for wait := h.o.Retry; ; wait = min(2*wait, mostRetry) {
		err := h.attach(ctx)
		if err == nil {
			break
		}
		h.failed(ctx, &h.state.LogFailures, "the backup target cannot be read", err)
		if !h.pause(wait) {
			return
		}
	}
	beside, end := context.WithCancel(ctx)
	h.wg.Go(func() { h.archives(beside) })
	h.wg.Go(func() { h.looks(beside) })
	h.ship(ctx)
	end()
}

// mostRetry is the longest time from one failure to the next try.
const mostRetry = 30 * time.Second

// pause waits; it is false when the habit is to end.
func (h *Habit) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-h.stop:
		return false
	}
}

// failed counts and logs what did not come out, unless it was called off.
func (h *Habit) failed(ctx context.Context, count *uint64, what string, err error) {
	if ctx.Err() != nil {
		return
	}
	h.mu.Lock()
	*count++
	h.state.LastError = what + ": " + err.Error()
	h.mu.Unlock()
	h.log.Error(what, "target", h.o.Target.String(), "cause", err)
}

// attach finds the line that this store's log continues, and the last good archive; or begins a line.
func (h *Habit) attach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	all, lines, err := h.lines(ctx)
	if err != nil {
		return err
	}
	if lines, err = h.marks(ctx, lines); err != nil {
		return err
	}
	h.warn(all, lines)
	if good, ok := Newest(lines); ok {
		mark, err := readMark(ctx, h.o.Target, good)
		if err != nil {
			return err
		}
		h.mu.Lock()
		h.state.Good, h.state.GoodLine, h.state.seen = &mark, path.Dir(good.Name), h.o.Now()
		h.mu.Unlock()
	}
	if err := h.o.Target.Clean(ctx, func(line string) bool {
		l, ok := parseLine(line)
		return ok && l.Incarnation == h.o.Store.Incarnation()
	}); err != nil {
		return err
	}
	if n := len(lines); n > 0 {
		at, err := h.endOf(ctx, lines[n-1])
		if err != nil {
			return err
		}
		if h.continues(at) {
			h.mu.Lock()
			h.line, h.sent, h.state.Line, h.state.Sent = lines[n-1].Name, at, lines[n-1].Name, at.Seq
			h.mu.Unlock()
			h.log.Info("backups go on", "target", h.o.Target.String(), "line", lines[n-1].Name, "sequence", at.Seq)
			return nil
		}
		h.log.Warn("the log does not go on where the last backup of this incarnation ends: another line is begun",
			"target", h.o.Target.String(), "line", lines[n-1].Name)
	}
	newest := ""
	if len(all) > 0 {
		newest = all[len(all)-1].Name
	}
	h.begin(newest)
	return nil
}

// lookTimeout is how long it may take to see what a target holds.
const lookTimeout = 5 * time.Minute

// lines lists the lines at the target, and those of this incarnation.
func (h *Habit) lines(ctx context.Context) (all, own []Line, err error) {
	all, err = Lines(ctx, h.o.Target)
	for _, l := range all {
		if l.Incarnation == h.o.Store.Incarnation() && l.Name != "" {
			own = append(own, l)
		}
	}
	return all, own, err
}

// lately is how young the last object of another server is while that server may still run.
const lately = 10 * time.Minute

// warn says that another server's line is being written at the target.
func (h *Habit) warn(all, own []Line) {
	since := h.o.Now().Add(-lately).UnixMilli()
	if len(own) > 0 {
		since = min(since, own[0].Begun)
	}
	for _, l := range all {
		if l.Name != "" && l.Incarnation != h.o.Store.Incarnation() && l.written() > since {
			h.log.Warn("another server, or the one that this directory was copied from, keeps its backups at the same "+
				"target: if it still runs, give each a target of its own; a restore must be told which one is meant",
				"target", h.o.Target.String(), "line", l.Name, "written", readable(l.written()))
		}
	}
}

// marks is ReadMarks, and logs the faults.
func (h *Habit) marks(ctx context.Context, lines []Line) ([]Line, error) {
	lines, faults, err := ReadMarks(ctx, h.o.Target, lines)
	for _, fault := range faults {
		h.log.Error("a mark at the backup target is damaged", "target", h.o.Target.String(), "cause", fault)
	}
	return lines, err
}

// endOf is the last position of a line as its last segment says, or the mark of its first verified archive, behind
// which no record may be missing. The zero position says that there is neither.
func (h *Habit) endOf(ctx context.Context, l Line) (p persist.Position, err error) {
	if n := len(l.Pieces); n > 0 {
		x := l.Pieces[n-1]
		r, err := h.o.Target.Get(ctx, x.Name)
		if err != nil {
			return p, err
		}
		defer r.Close()
		seg, _, err := persist.CheckSegment(r)
		if err != nil {
			h.log.Error("the last segment at the backup target is damaged", "name", x.Name, "cause", err)
			return p, nil
		}
		return seg.End, nil
	}
	if _, ok := l.good(); !ok {
		return p, nil
	}
	m, err := readMark(ctx, h.o.Target, l.firstGood())
	if err != nil {
		return p, err
	}
	r, err := h.o.Store.Record(m.Seq)
	if err == nil && Describe(r.Position) == m.Opened {
		p = r.Position
	}
	return p, nil
}

// continues says whether the store's log has that record, and what comes after it.
func (h *Habit) continues(p persist.Position) bool {
	if p.Seq == 0 {
		return false
	}
	r, err := h.o.Store.Record(p.Seq)
	return err == nil && r.Hash == p.Hash
}

// begin begins a line at the end of the log, and asks for its archive. Lines are in the order of their names: this
// one comes after another one, whatever the clock says.
func (h *Habit) begin(after string) {
	h.mu.Lock()
	from := h.o.Store.End()
	name := lineName(h.o.Now().UnixMilli(), h.o.Store.Incarnation())
	if name <= after { // the clock was put back, or stands
		begun, _ := parseLine(after)
		name = lineName(begun.Begun+1, h.o.Store.Incarnation())
	}
	h.line, h.sent, h.state.Line, h.state.Sent = name, from, name, from.Seq
	h.mu.Unlock()
	select {
	case h.redo <- struct{}{}:
	default:
	}
	h.log.Info("a line of backups begins", "target", h.o.Target.String(), "line", name, "sequence", from.Seq)
}

func (h *Habit) current() (line string, sent persist.Position) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.line, h.sent
}

// same says whether an object has these bytes.
func same(ctx context.Context, t Target, name string, b []byte) (bool, error) {
	got, err := readAll(ctx, t, name, int64(len(b)))
	if errors.Is(err, ErrMissing) {
		return false, nil
	}
	if err != nil && ctx.Err() == nil && strings.Contains(err.Error(), "another length") {
		return false, nil
	}
	return err == nil && string(got) == string(b), err
}
