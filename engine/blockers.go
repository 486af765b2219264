package engine

import (
	"cmp"
	"slices"

	"holdfast/timeline"
)

// This file owns what is named as standing in the way: which holds, in which order, how many of them, and how much work an
// answer may spend on finding them. How many there are is counted in an index, whatever their number; names are looked for.

const (
	maxBlockerLooks   = 100_000 // slots looked at for an answer
	maxNextOfAnAnswer = 50      // lines of an answer whose next window is searched
)

// inTheWay finds what stands in the way of the lines of one answer, on the state as it was before the command.
type inTheWay struct {
	stock *timeline.Stock
	line  int               // named of a line, at most
	all   int               // named of the answer, at most
	gone  []timeline.Placed // what the command itself has taken out: it stands in nobody's way
	named int
	looks int
	known map[moment][]timeline.Hold
	nexts int
}

// moment is an instant in a pool.
type moment struct {
	pool timeline.PoolRef
	at   int64
}

// blockers are holds that stand in the way: the first of them by start, then id, and how many there are.
type blockers struct {
	first []timeline.Hold
	total int
}

func byStart(x, y timeline.Hold) int {
	return cmp.Or(cmp.Compare(x.Span.Start, y.Span.Start), x.ID.Compare(y.ID))
}

// add adds the holds and conflicts of a pool over an instant.
func (w *inTheWay) add(b *blockers, p timeline.PoolRef, at int64) {
	total := w.stock.CountAt(p, at).Committed
	var out []ID
	for _, h := range w.gone {
		room := h.Span // a conflict takes its whole hull
		if h.Place.Seated() {
			room = h.Seat()
		}
		if room.Holds(at) && w.stock.In(p, h.Place.Lot) {
			total--
			out = append(out, h.ID)
		}
	}
	names := slices.DeleteFunc(w.firstOver(moment{p, at}, len(out)), func(h timeline.Hold) bool { return slices.Contains(out, h.ID) })
	b.first = append(b.first, names...)
	slices.SortFunc(b.first, byStart)
	b.first = b.first[:min(len(b.first), w.line)]
	b.total += max(total, len(names))
}

// close says which of the line's blockers the answer still has room to name.
func (w *inTheWay) close(b *blockers) []timeline.Hold {
	n := min(len(b.first), w.all-w.named)
	w.named += n
	return b.first[:n]
}

// firstOver lists the first holds and conflicts of a pool over an instant, and so many more. It is a copy.
func (w *inTheWay) firstOver(m moment, more int) []timeline.Hold {
	if w.named >= w.all {
		return nil
	}
	most := w.line + more
	list, known := w.known[m]
	if !known || len(list) < most && len(list) >= w.line {
		list = w.look(m, most)
		if w.known == nil {
			w.known = map[moment][]timeline.Hold{}
		}
		w.known[m] = list
	}
	return slices.Clone(list)
}

// look goes through the slots of a pool, as long as the answer may look at more.
func (w *inTheWay) look(m moment, most int) (list []timeline.Hold) {
	add := func(h timeline.Hold) {
		if len(list) == most && byStart(h, list[most-1]) > 0 {
			return
		}
		i, _ := slices.BinarySearchFunc(list, h, byStart)
		if list = slices.Insert(list, i, h); len(list) > most {
			list = list[:most]
		}
	}
	for s := range w.stock.PoolSlots(m.pool) {
		if w.looks == maxBlockerLooks {
			break
		}
		w.looks++
		if h, ok := w.stock.HoldAt(s.No, m.at); ok {
			add(h)
		}
	}
	for h := range w.stock.ConflictsIn(m.pool, Span{Start: m.at, End: m.at + 1}) {
		if w.looks == maxBlockerLooks {
			break
		}
		w.looks++
		add(h)
	}
	return list
}

// mayNext says whether the next window of one more line is searched.
func (w *inTheWay) mayNext() bool {
	w.nexts++
	return w.nexts <= maxNextOfAnAnswer
}

// inTheWay is what finds blockers for the refusal of a plan.
func (t *tx) inTheWay() *inTheWay {
	if t.seating().way == nil {
		b := t.bounds.withDefaults()
		t.seating().way = &inTheWay{stock: t.acc.stock, line: b.Named, all: b.NamedAll, gone: t.draft().Gone()}
	}
	return t.seating().way
}

// blocked tells a line what stands in its way.
func (t *tx) blocked(short *Shortage, b *blockers) {
	if !t.explain {
		return
	}
	for _, h := range t.inTheWay().close(b) {
		short.Blockers = append(short.Blockers, h.ID)
	}
	short.Blocking = b.total
}
