package stock

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns what is named as standing in the way: which holds, in which order, how many of them, and how much work an
// answer may spend on finding them. How many there are is counted in an index, whatever their number; names are looked for.

const (
	MaxBlockerLooks   = 100_000 // slots looked at for an answer
	MaxNextOfAnAnswer = 50      // lines of an answer whose next window is searched
)

// InTheWay finds what stands in the way of the lines of one answer, on the state as it was before the command.
type InTheWay struct {
	Stock *timeline.Stock
	Line  int               // named of a line, at most
	All   int               // named of the answer, at most
	Gone  []timeline.Placed // what the command itself has taken out: it stands in nobody's way
	Named int
	Looks int
	known map[moment][]timeline.Hold
	Nexts int
}

// moment is an instant in a pool.
type moment struct {
	pool timeline.PoolRef
	at   int64
}

// Blockers are holds that stand in the way: the first of them by start, then id, and how many there are.
type Blockers struct {
	first []timeline.Hold
	Total int
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
	names := slices.DeleteFunc(w.firstOver(moment{p, at}, len(out)), func(h timeline.Hold) bool { return slices.Contains(out, h.ID) })
	b.first = append(b.first, names...)
	slices.SortFunc(b.first, byStart)
	b.first = b.first[:min(len(b.first), w.Line)]
	b.Total += max(total, len(names))
}

// Close says which of the line's blockers the answer still has room to name.
func (w *InTheWay) Close(b *Blockers) []timeline.Hold {
	n := min(len(b.first), w.All-w.Named)
	w.Named += n
	return b.first[:n]
}

// firstOver lists the first holds and conflicts of a pool over an instant, and so many more. It is a copy.
func (w *InTheWay) firstOver(m moment, more int) []timeline.Hold {
	if w.Named >= w.All {
		return nil
	}
	most := w.Line + more
	list, known := w.known[m]
	if !known || len(list) < most && len(list) >= w.Line {
		list = w.look(m, most)
		if w.known == nil {
			w.known = map[moment][]timeline.Hold{}
		}
		w.known[m] = list
	}
	return slices.Clone(list)
}

// look goes through the slots of a pool, as long as the answer may look at more.
func (w *InTheWay) look(m moment, most int) (list []timeline.Hold) {
	add := func(h timeline.Hold) {
		if len(list) == most && byStart(h, list[most-1]) > 0 {
			return
		}
		i, _ := slices.BinarySearchFunc(list, h, byStart)
		if list = slices.Insert(list, i, h); len(list) > most {
			list = list[:most]
		}
	}
	for s := range w.Stock.PoolSlots(m.pool) {
		if w.Looks == MaxBlockerLooks {
			break
		}
		w.Looks++
		if h, ok := w.Stock.HoldAt(s.No, m.at); ok {
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

// Blocked tells a line what stands in its way.
func Blocked(t *base.Tx, short *base.Shortage, b *Blockers) {
	if !t.Explain {
		return
	}
	for _, h := range NotedInTheWay(t).Close(b) {
		short.Blockers = append(short.Blockers, h.ID)
	}
	short.Blocking = b.Total
}
