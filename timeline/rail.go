package timeline

// This file owns the rail: one slot's holds, disjoint by seat, in order of time.

import (
	"slices"
	"unsafe"
)

// rail is the sorted rows of one slot. As seats are disjoint, in order of their starts they are in order of their ends,
// so a plain sorted run answers what overlaps a window. A rail never changes: put and take return another one whose
// arrays are of exact size. Most slots have few holds, and then an array of their own beats any tree: 60 ns to search
// 5, 190 ns to copy them. It says how many rows there are once, not as a slice does twice, so that a slot fills a cache
// line.
type rail struct {
	first *Hold     // the first of n adjacent rows, while all fit into one run; nil: there is none
	n     int32     // of these
	long  *longRail // else
}

type longRail struct {
	n    int
	runs []railRun // at least two, none empty
}

type railRun struct {
	start int64 // the first row's seat start
	rows  []Hold
}

// railPos is a place in a rail: row i of run j.
type railPos struct{ j, i int }

// is says that two rails are one and the same; two with equal rows need not be.
func (r *rail) is(other *rail) bool {
	return *r == *other
}

func seatStart(h *Hold) int64 { return h.Span.Start + h.cut.ms() }

// shortRail is the rail of so many rows in order as fit into one run.
func shortRail(rows []Hold) rail {
	if len(rows) == 0 {
		return rail{}
	}
	return rail{first: &rows[0], n: int32(len(rows))}
}

// rows are those of a rail that is not long.
func (r *rail) rows() []Hold { return unsafe.Slice(r.first, r.n) }

// newRail is the rail of rows in order.
func newRail(rows []Hold) rail {
	if len(rows) <= railMax {
		return shortRail(rows)
	}
	long := &longRail{n: len(rows)}
	for ; len(rows) > 0; rows = rows[min(railMax, len(rows)):] {
		run := slices.Clone(rows[:min(railMax, len(rows))])
		long.runs = append(long.runs, railRun{seatStart(&run[0]), run})
	}
	long.runs = slices.Clip(long.runs)
	return rail{long: long}
}

func (r *rail) len() int {
	if r.long != nil {
		return r.long.n
	}
	return int(r.n)
}

// run is the rows of run j; nil past the last.
func (r *rail) run(j int) []Hold {
	switch {
	case r.long == nil && j == 0:
		return r.rows()
	case r.long != nil && uint(j) < uint(len(r.long.runs)):
		return r.long.runs[j].rows
	}
	return nil
}

// startsBefore counts the rows of a run whose seat starts at t or earlier.
func startsBefore(rows []Hold, t int64) int {
	lo, hi := 0, len(rows)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if seatStart(&rows[mid]) <= t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// behind is the place after the last row whose seat starts at t or earlier. It may lie at the end of a run.
func (r *rail) behind(t int64) railPos {
	if r.long == nil {
		return railPos{0, startsBefore(r.rows(), t)}
	}
	j := r.long.runAt(t)
	return railPos{j, startsBefore(r.long.runs[j].rows, t)}
}

// runAt is the last run that starts at t or earlier, else the first.
func (l *longRail) runAt(t int64) int {
	lo, hi := 0, len(l.runs)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if l.runs[mid].start <= t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return max(lo-1, 0)
}

// from is the place of the first row whose seat ends after t.
func (r *rail) from(t int64) railPos {
	p := r.behind(t)
	if p.i > 0 && r.run(p.j)[p.i-1].Span.End > t {
		p.i--
	}
	return p
}

// next is the row at p and the place after it; nil past the last row.
func (r *rail) next(p railPos) (*Hold, railPos) {
	rows := r.run(p.j)
	if p.i == len(rows) {
		p = railPos{p.j + 1, 0}
		if rows = r.run(p.j); rows == nil {
			return nil, p
		}
	}
	return &rows[p.i], railPos{p.j, p.i + 1}
}

// prev is the row in front of p; nil in front of the first row.
func (r *rail) prev(p railPos) *Hold {
	if p.i == 0 {
		if p.j == 0 {
			return nil
		}
		p = railPos{p.j - 1, len(r.run(p.j - 1))}
	}
	return &r.run(p.j)[p.i-1]
}

// left counts the rows from p on.
func (r *rail) left(p railPos) (n int) {
	for j := p.j; ; j++ {
		rows := r.run(j)
		if rows == nil {
			return n - p.i
		}
		n += len(rows)
	}
}

// at is the row whose seat holds the instant t; nil where the slot is free then.
func (r *rail) at(t int64) *Hold {
	if h := r.prev(r.behind(t)); h != nil && h.Span.End > t {
		return h
	}
	return nil
}

// around is the gap around the instant t, which lies inside in; ok is false where a row is over t.
func (r *rail) around(t int64, in Span) (gap Span, ok bool) {
	if gap = r.between(r.behind(t), in); gap.Start > t {
		return Span{}, false
	}
	return gap, true
}

// between is the stretch inside in between the rows on both sides of p, which may be in the same run or not.
func (r *rail) between(p railPos, in Span) Span {
	if h := r.prev(p); h != nil {
		in.Start = max(in.Start, h.Span.End)
	}
	if h, _ := r.next(p); h != nil {
		in.End = min(in.End, seatStart(h))
	}
	return in
}

// room is the stretch inside in that the row at p may have: what is between the rows on both sides of it.
func (r *rail) room(p railPos, in Span) Span {
	if h := r.prev(p); h != nil {
		in.Start = max(in.Start, h.Span.End)
	}
	if h, _ := r.next(railPos{p.j, p.i + 1}); h != nil {
		in.End = min(in.End, seatStart(h))
	}
	return in
}

// mayFix are the flags without which a hold that is not over may move anywhere in its pool.
const mayFix = Pinned | Choosy

// pins is the flags that may fix one of the rows.
func (r *rail) pins() (f Flags) {
	for h, p := r.next(railPos{}); h != nil; h, p = r.next(p) {
		f |= h.Flags & mayFix
	}
	return f
}

// find is the place of the row with an id. It looks at every row: the index by id keeps no start, to save 8 bytes a
// hold.
func (r *rail) find(id ID) (railPos, bool) {
	for j := 0; ; j++ {
		rows := r.run(j)
		if rows == nil {
			return railPos{}, false
		}
		for i := range rows {
			if rows[i].ID == id {
				return railPos{j, i}, true
			}
		}
	}
}

// put returns the rail with hold h added, and the gap that h was put into. in is the span of the slot. It panics if h
// would break invariant 1 or 2.
func (r rail) put(h Hold, in Span) (with rail, gap Span) {
	seat := h.Seat()
	p := r.behind(seat.Start)
	if gap = r.between(p, in); !gap.Covers(seat) {
		panic("timeline: a hold is outside of its slot or in the way of another")
	}
	rows := insertAt(r.run(p.j), false, p.i, h)
	if r.long == nil {
		if len(rows) <= railMax {
			return shortRail(rows), gap
		}
		return rail{long: &longRail{len(rows), splitRun(rows, p.i)}}, gap
	}
	long := &longRail{n: r.long.n + 1}
	if len(rows) <= railMax {
		long.runs = slices.Clone(r.long.runs)
		long.runs[p.j] = railRun{seatStart(&rows[0]), rows}
	} else {
		long.runs = slices.Concat(r.long.runs[:p.j], splitRun(rows, p.i), r.long.runs[p.j+1:])
	}
	return rail{long: long}, gap
}

// splitRun halves a run that is one row too long; row i is the new one. A row that is added at the end starts a run of
// its own: bookings come in order of time, and would leave runs that are only half full.
func splitRun(rows []Hold, i int) []railRun {
	at := len(rows) / 2
	if i == len(rows)-1 {
		at = i
	}
	a, b := slices.Clone(rows[:at]), slices.Clone(rows[at:])
	return []railRun{{seatStart(&a[0]), a}, {seatStart(&b[0]), b}}
}

// swap is the rail with another row at p, whose seat is in the room of that.
func (r rail) swap(p railPos, h Hold) rail {
	rows := slices.Clone(r.run(p.j))
	rows[p.i] = h
	if r.long == nil {
		return shortRail(rows)
	}
	long := &longRail{n: r.long.n, runs: slices.Clone(r.long.runs)}
	long.runs[p.j] = railRun{seatStart(&rows[0]), rows}
	return rail{long: long}
}

// take is the rail without the row at p.
func (r rail) take(p railPos) rail {
	if r.long == nil {
		return shortRail(removeAt(r.rows(), false, p.i))
	}
	if r.long.n <= railMax*3/4 {
		all := make([]Hold, 0, r.long.n-1)
		for j, run := range r.long.runs {
			for i := range run.rows {
				if (railPos{j, i}) != p {
					all = append(all, run.rows[i])
				}
			}
		}
		return shortRail(all)
	}
	long := &longRail{n: r.long.n - 1}
	rows := r.long.runs[p.j].rows
	if len(rows) == 1 {
		long.runs = slices.Concat(r.long.runs[:p.j], r.long.runs[p.j+1:])
		if len(long.runs) == 1 {
			return shortRail(long.runs[0].rows)
		}
		return rail{long: long}
	}
	rows = removeAt(rows, false, p.i)
	long.runs = slices.Clone(r.long.runs)
	long.runs[p.j] = railRun{seatStart(&rows[0]), rows}
	return rail{long: long}
}
