package stock

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns what is named as standing in the way: which holds, in which order, how many of them, and how much work
// an answer may spend on finding them. How many there are is counted in an index, whatever their number; names are
// looked for.

const (
	MaxBlockerLooks   = 100_000 // slots looked at for an answer
	MaxNextOfAnAnswer = 50      // lines of an answer whose next window is searched
)

// InTheWay finds what stands in the way of the lines of one answer, on the state as it was before the command.
type InTheWay struct {
	Stock *timeline.Stock
	Line  int               // named of a line, at most
	All   int               // named of the answer, at most
	Gone  []timeline.Placed // what the command itself has taken out: it is in the way of nothing
	Named int
	Looks int
	known map[moment][]blocker
	Nexts int
}

// moment is an instant in a pool.
type moment struct {
	pool timeline.PoolRef
	at   int64
}

// Blockers are holds that stand in the way: the first of them by start, then id, and how many there are.
type Blockers struct {
	first []blocker
	Total int
}

// blocker is a hold that stands in the way, as far as their order goes.
type blocker struct {
	start int64
	id    base.ID
}

func (x *blocker) before(y *blocker) bool {
	return x.start < y.start || x.start == y.start && x.id.Compare(y.id) < 0
}

func byStart(x, y timeline.Hold) int {
	return cmp.Or(cmp.Compare(x.Span.Start, y.Span.Start), x.ID.Compare(y.ID))
}

// Add adds the holds and conflicts of a pool over an instant.
func (w *InTheWay) Add(b *Blockers, p timeline.PoolRef, at int64) {
	total := w.Stock.CountAt(p, at).Committed
	var out []base.ID
	for _, h := range w.Gone {
		room := h.Span // a conflict takes its whole hull
		if h.Place.Seated() {
			room = h.Seat()
		}
		if room.Holds(at) && w.Stock.In(p, h.Place.Lot) {
			total--
			out = append(out, h.ID)
		}
	}
	before := len(b.first)
	for _, x := range w.firstOver(moment{p, at}, len(out)) {
		if !slices.Contains(out, x.id) {
			b.first = append(b.first, x)
		}
	}
	b.Total += max(total, len(b.first)-before)
	if before > 0 {
		slices.SortFunc(b.first,
			func(x, y blocker) int { return cmp.Or(cmp.Compare(x.start, y.start), x.id.Compare(y.id)) })
	}
	b.first = b.first[:min(len(b.first), w.Line)]
}

// Close lists those of the line's blockers that the answer still has room to name.
func (w *InTheWay) Close(b *Blockers) []base.ID {
	n := min(len(b.first), w.All-w.Named)
	w.Named += n
	if n == 0 {
		return nil
	}
	ids := make([]base.ID, n)
	for i := range ids {
		ids[i] = b.first[i].id
	}
	return ids
}

// firstOver lists the first holds and conflicts of a pool over an instant, and so many more. It is not the caller's to
// change.
func (w *InTheWay) firstOver(m moment, more int) []blocker {
	if w.Named >= w.All {
		return nil
	}
	most := w.Line + more
	list, known := w.known[m]
	if !known || len(list) < most && len(list) >= w.Line {
		list = w.look(m, most)
		if w.known == nil {
			w.known = map[moment][]blocker{}
		}
		w.known[m] = list
	}
	return list
}

// look goes through the slots of a pool, as long as the answer may look at more.
func (w *InTheWay) look(m moment, most int) (list []blocker) {
	list = make([]blocker, 0, min(most, 2*base.MaxBlockers))
	add := func(h timeline.Hold) {
		x := blocker{h.Span.Start, h.ID}
		if len(list) == most {
			if !x.before(&list[most-1]) {
				return
			}
			list = list[:most-1]
		}
		lo, hi := 0, len(list)
		for lo < hi {
			if mid := int(uint(lo+hi) / 2); list[mid].before(&x) {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		list = slices.Insert(list, lo, x)
	}
	for h, ok := range w.Stock.PoolHolds(m.pool, m.at) {
		if w.Looks == MaxBlockerLooks {
			break
		}
		if w.Looks++; ok {
			add(h)
		}
	}
	for h := range w.Stock.ConflictsIn(m.pool, base.Span{Start: m.at, End: m.at + 1}) {
		if w.Looks == MaxBlockerLooks {
			break
		}
		w.Looks++
		add(h)
	}
	return list
}

// MayNext says whether the next window of one more line is searched.
func (w *InTheWay) MayNext() bool {
	w.Nexts++
	return w.Nexts <= MaxNextOfAnAnswer
}

// NotedInTheWay is what finds blockers for the refusal of a plan.
func NotedInTheWay(t *base.Tx) *InTheWay {
	if Seating(t).Way == nil {
		b := t.Bounds.WithDefaults()
		Seating(t).Way = &InTheWay{Stock: t.Acc.Stock, Line: b.Named, All: b.NamedAll, Gone: Draft(t).Gone()}
	}
	return Seating(t).Way
}

// Blocked adds to a line's shortage what stands in its way.
func Blocked(t *base.Tx, short *base.Shortage, b *Blockers) {
	if !t.Explain {
		return
	}
	short.Blockers = NotedInTheWay(t).Close(b)
	short.Blocking = b.Total
}
