package model

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// This file owns the exhaustive search: whether things can be laid on lanes at all, and with how few moves.

// task is something to be laid on a lane: home is where it lies for nothing (-1: nowhere), cost what it costs
// elsewhere. A task that may be dropped can be left out.
type task struct {
	span       Span
	may        func(lane int) bool
	home, cost int
	drop       int // cost of leaving it out, 0: it may not be
}

// maxStates is how many ways to stand the search keeps after a task before it gives up.
const maxStates = 30_000

// cheapest lays all tasks on lanes around what is fixed there. known is false where it gave up; cost is -1 where there
// is no way. Going through the tasks by their starts, it keeps every way in which lanes can be taken then, the cheapest
// to each.
func cheapest(lanes int, fixed [][]Span, tasks []task) (cost int, known bool) {
	tasks = slices.Clone(tasks)
	slices.SortStableFunc(tasks, func(x, y task) int { return cmp.Compare(x.span.Start, y.span.Start) })
	type state struct {
		until []int64 // per lane: when what was laid on it ends
		cost  int
	}
	states := []state{{until: make([]int64, lanes)}}
	for _, x := range tasks {
		next := map[string]int{}
		var made []state
		add := func(from state, lane, cost int) {
			s := state{slices.Clone(from.until), from.cost + cost}
			if lane >= 0 {
				s.until[lane] = x.span.End
			}
			var key []byte
			for l := range s.until {
				if s.until[l] <= x.span.Start {
					s.until[l] = 0 // all that is over is alike
				}
				key = binary.BigEndian.AppendUint64(key, uint64(s.until[l]))
			}
			if i, ok := next[string(key)]; !ok {
				next[string(key)] = len(made)
				made = append(made, s)
			} else if s.cost < made[i].cost {
				made[i] = s
			}
		}
		for _, s := range states {
			for l := range lanes {
				meets := slices.ContainsFunc(fixed[l], func(f Span) bool { return f.Overlaps(x.span) })
				if meets || s.until[l] > x.span.Start || !x.may(l) {
					continue
				}
				cost := x.cost
				if l == x.home {
					cost = 0
				}
				add(s, l, cost)
			}
			if x.drop > 0 {
				add(s, -1, x.drop)
			}
		}
		if states = made; len(states) > maxStates {
			return 0, false
		}
	}
	cost = -1
	for _, s := range states {
		if cost < 0 || s.cost < cost {
			cost = s.cost
		}
	}
	return cost, true
}

// board turns a pool into what cheapest wants.
func (a *Account) board(p Pool, from, now int64) (lanes []Slot, fixed [][]Span, tasks []task) {
	lanes, things := a.lanes(p, from, now)
	fixed = make([][]Span, len(lanes))
	for _, x := range things {
		if x.move == nowhere {
			fixed[x.lane] = append(fixed[x.lane], x.span)
			continue
		}
		may := func(int) bool { return true }
		if x.move == inLot {
			may = func(l int) bool { return lanes[l].Lot == lanes[x.lane].Lot }
		}
		if x.move == among {
			may = func(l int) bool { return a.suits(lanes[l].Lot, x.asks, now) }
		}
		tasks = append(tasks, task{span: x.span, may: may, home: x.lane})
	}
	return lanes, fixed, tasks
}

// maxLanes and maxTasks bound the pools that are searched.
const (
	maxLanes = 7
	maxTasks = 40
)

// fits says whether n more units can be seated over a hull at all, whatever moves; known is false where the pool is too
// large to say. Slots that are not among those given take none of them; nil: all do.
func (a *Account) fits(p Pool, hull Span, n int, on func(Slot) bool, now int64) (ok, known bool) {
	lanes, fixed, tasks := a.board(p, hull.Start, now)
	if len(lanes) > maxLanes || len(tasks) > maxTasks {
		if on != nil || slices.ContainsFunc(tasks, func(t task) bool { return t.span.Overlaps(hull) }) {
			return false, false
		}
		return a.freeThroughout(p, hull) >= n, true // nothing that takes room there may move
	}
	for range n {
		tasks = append(tasks, task{span: hull, home: -1, may: func(l int) bool { return on == nil || on(lanes[l]) }})
	}
	cost, known := cheapest(len(lanes), fixed, tasks)
	return cost >= 0, known
}
