package timeline

// This file owns stranded conflicts. A stranded conflict waits for an article whose units are all taken by pinned
// holds. It is not counted in its pool: to count it would keep a unit of another article free, which it can never get.

import (
	"cmp"
	"slices"
)

// strandedSteps is how many holds a read looks at for them. Where there are more they count as the others do, for a
// write as for an answer.
const strandedSteps = 10_000

// strandedStep says that from an instant on so many conflicts of a pool count for nothing in it.
type strandedStep struct {
	at int64
	n  int
}

// stranded is how many conflicts of a pool of several lots count for nothing in it over w, step by step from its start;
// nil: none ever does.
func (s *Stock) stranded(p PoolRef, w Span) (steps []strandedStep) {
	if !p.pool || s.ConflictCount(p) == 0 || len(s.Lots(p)) < 2 {
		return nil
	}
	left := strandedSteps
	var all []strandedStep // what each lot adds from an instant on
	for _, lot := range s.Lots(p) {
		if s.lot(lot).claims == 0 {
			continue
		}
		var ok bool
		if all, ok = s.strandedOn(lot, w, all, &left); !ok {
			return nil
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(x, y strandedStep) int { return cmp.Compare(x.at, y.at) })
	steps = append(steps, strandedStep{at: w.Start})
	for n, i := 0, 0; i < len(all); {
		t := all[i].at
		for ; i < len(all) && all[i].at == t; i++ {
			n += all[i].n
		}
		switch last := &steps[len(steps)-1]; {
		case last.at == t:
			last.n = n
		case last.n != n:
			steps = append(steps, strandedStep{t, n})
		}
	}
	if len(steps) == 1 && steps[0].n == 0 {
		return nil
	}
	return steps
}

// claims says that no other lot than its own will do for a conflict.
func (h *Hold) claims() bool { return h.Flags.Any(PinnedArticle | PinnedSlot) }

// strandedOn appends what a lot adds: at each instant the conflicts pinned to it that find none of its units left by
// what is seated and pinned there. ok is false where more holds than left would have to be looked at.
func (s *Stock) strandedOn(lot LotNo, w Span, steps []strandedStep, left *int) (more []strandedStep, ok bool) {
	type edge struct {
		at           int64
		room, claims int
	}
	var edges []edge
	add := func(x Span, room, claims int) {
		if x = x.Clip(w); !x.Empty() {
			edges = append(edges, edge{x.Start, room, claims}, edge{x.End, -room, -claims})
		}
	}
	for h := range s.Conflicts(lot) {
		if *left--; *left < 0 {
			return nil, false
		}
		if h.claims() {
			add(h.Span, 0, 1)
		}
	}
	if len(edges) == 0 { // none of them in w
		return steps, true
	}
	for _, no := range s.lot(lot).slots {
		e := s.slot(no)
		add(e.span, 1, 0)
		for h, at := e.rail.next(e.rail.from(w.Start)); h != nil && seatStart(h) < w.End; h, at = e.rail.next(at) {
			if *left--; *left < 0 {
				return nil, false
			}
			if h.Flags.Any(Pinned) {
				add(h.Seat(), -1, 0)
			}
		}
	}
	slices.SortFunc(edges, func(x, y edge) int { return cmp.Compare(x.at, y.at) })
	room, claims, was := 0, 0, 0
	for i := 0; i < len(edges) && edges[i].at < w.End; {
		t := edges[i].at
		for ; i < len(edges) && edges[i].at == t; i++ {
			room, claims = room+edges[i].room, claims+edges[i].claims
		}
		if n := max(0, claims-max(0, room)); n != was {
			steps = append(steps, strandedStep{t, n - was})
			was = n
		}
	}
	return steps, true
}

// through calls visit with the stretches of w over which the same conflicts count, and how many do not, until it
// returns false.
func through(steps []strandedStep, w Span, visit func(Span, int) bool) {
	for i, x := range steps {
		over := Span{x.at, w.End}
		if i+1 < len(steps) {
			over.End = steps[i+1].at
		}
		if !visit(over, x.n) {
			return
		}
	}
}
