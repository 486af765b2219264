package timeline

// This file owns the sweep: an exact search for the cheapest way to lay intervals on lanes, from left to right.

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Intervals are laid in order of their starts. Of what has been laid so far, only one thing matters: which interval
// lies on which lane now. That is a state, and of all ways to one state the cheapest is kept. With k lanes there are at
// most k! states at an instant, so for few lanes the sweep is exact in time linear in the intervals (max overlap k is
// treewidth k-1, and recolouring is fixed-parameter tractable in that). Lanes are interchangeable if nothing that comes
// later can see a difference between them, because the same tasks may lie on them and none is at home there: states
// that differ by a permutation of such lanes are one.
//
// If a layer grows over the width, its most expensive states are dropped. If the work is used up, the search ends. In
// both cases the answer is not proven. Both are counts, so the answer is the same wherever and whenever it is asked
// for.
const (
	seatWidth   = 256
	seatWork    = 20_000 // states made, of about 0.1 us each
	reduceWidth = 4096
	reduceWork  = 200_000
	sweepLanes  = 64
)

// Costs are lexicographic: what finds no place, then what moves, then slots whose end changes.
const (
	costEnd  = 1
	costMove = 1 << 12
	costDrop = 1 << 32
)

// task is an interval to be laid.
type task struct {
	span  Span
	lanes uint64 // where it may lie: bit per lane; not where a fixed bar is in the way
	home  int    // the lane where it costs nothing, or -1
	cost  int64  // elsewhere
	drop  int64  // cost of leaving it out; 0: it must be laid
	close bool   // nothing follows it on its lane, ever
}

// sweep is a question and, after run, its answer.
type sweep struct {
	lanes int
	tasks []task // by start
	width int    // states of a layer
	work  int    // states made in all
	limit int64  // only an answer that costs less is looked for; 0: any

	at     []int // per task: its lane, or -1
	cost   int64
	proven bool // nothing was cut off: the answer is the cheapest, or there is none
}

// looks is how many looks at a lane a run came to that was given so much work: each task has to know of each lane, and
// a state takes about two.
func (s *sweep) looks(given int) int { return len(s.tasks)*s.lanes + 2*(given-max(0, s.work)) }

// state is one way things can stand when the sweep has come to some instant. layer.lay says which interval lies on
// which lane.
type state struct {
	hash  uint64
	cost  int64
	bound int64 // cost plus what is bound to follow
	from  int32 // the state of the layer before, and what was done with the task then
	lane  int32
}

// layer is all states after some task; lay has lanes entries for each state: the task on the lane plus 1, 0 where it is
// free.
type layer struct {
	states []state
	lay    []uint16
}

type sweepRun struct {
	*sweep
	cur, next layer
	trail     [][]state // the layers that are done
	table     []int32   // open addressing over next.states by hash; index plus 1
	kind      []uint64  // kind[i*lanes+l]: lanes of one kind are alike for the tasks from i on
	tail      []int64   // likewise: what the tasks from i on cost whose home it is, once it is closed
	lay       []uint16
}

// run looks for the cheapest answer below the limit. ok is false where it found none.
func (s *sweep) run() (ok bool) {
	n := len(s.tasks)
	if s.lanes > sweepLanes || n >= math.MaxUint16 {
		return false
	}
	s.proven = true
	if s.limit == 0 {
		s.limit = math.MaxInt64
	}
	r := sweepRun{sweep: s, trail: make([][]state, 0, n+1), lay: make([]uint16, s.lanes), table: make([]int32, 1024)}
	r.prepare()
	r.cur = layer{[]state{{}}, make([]uint16, s.lanes)}
	for i := range s.tasks {
		r.next.lay = r.next.lay[:0]
		r.next.states = make([]state, 0, len(r.cur.states)+8)
		clear(r.table)
		for j := range r.cur.states {
			r.step(i, j)
		}
		if s.work < 0 {
			s.proven = false
			return false
		}
		if len(r.next.states) > s.width {
			s.proven = false
			r.cut(s.width)
		}
		if len(r.next.states) == 0 {
			return false
		}
		r.trail = append(r.trail, r.cur.states)
		r.cur, r.next = r.next, r.cur
	}
	r.read()
	return true
}

// prepare finds which lanes are alike from each task on, and what is bound to follow once a lane is closed.
func (r *sweepRun) prepare() {
	n, k := len(r.tasks), r.lanes
	r.kind, r.tail = make([]uint64, (n+1)*k), make([]int64, (n+1)*k)
	for i := n - 1; i >= 0; i-- {
		t := &r.tasks[i]
		for l := range k {
			r.tail[i*k+l] = r.tail[i*k+k+l]
			mark := t.lanes >> l & 1
			if t.home == l {
				mark |= 2
				if !t.close {
					r.tail[i*k+l] += t.cost
				}
			}
			r.kind[i*k+l] = scramble(r.kind[i*k+k+l]<<2 ^ r.kind[i*k+k+l]>>62 ^ mark ^ uint64(i)<<40)
		}
	}
}

// step lays task i in every way that state j allows.
func (r *sweepRun) step(i, j int) {
	t, was := &r.tasks[i], r.cur.states[j]
	lay := r.cur.lay[j*r.lanes : (j+1)*r.lanes]
	var few [sweepLanes]uint64
	tried, kind := few[:0], r.kind[i*r.lanes:]
	for m := t.lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		if lay[l] != 0 || slices.Contains(tried, kind[l]) {
			continue // taken, or one that is just like it was tried
		}
		tried = append(tried, kind[l])
		cost := was.cost
		if t.home != l {
			cost += t.cost
		}
		r.add(i, j, l, lay, cost)
	}
	if t.drop > 0 {
		r.add(i, j, -1, lay, was.cost+t.drop)
	}
}

// add puts a state into the next layer, or finds it there and keeps the cheaper way to it. States are distinguished by
// 64 bits of hash. If two ever have the same hash, the more expensive one is lost, but no wrong answer results.
func (r *sweepRun) add(i, j, lane int, lay []uint16, cost int64) {
	if r.work--; cost >= r.limit || r.work < 0 {
		return
	}
	copy(r.lay, lay)
	if lane >= 0 {
		r.lay[lane] = uint16(i + 1)
	}
	until := Forever
	if i+1 < len(r.tasks) {
		until = r.tasks[i+1].span.Start
	}
	bound, hash, next := cost, uint64(0), (i+1)*r.lanes
	for l, x := range r.lay {
		if x == 0 {
			continue
		}
		switch u := &r.tasks[x-1]; {
		case u.close:
			bound += r.tail[next+l]
		case u.span.End <= until:
			r.lay[l] = 0
			continue
		}
		hash += scramble(r.kind[next+l] ^ uint64(x))
	}
	if bound >= r.limit {
		return
	}
	hash = scramble(hash)
	made := state{hash, cost, bound, int32(j), int32(lane)}
	mask := uint64(len(r.table) - 1)
	for p := hash & mask; ; p = (p + 1) & mask {
		k := int(r.table[p]) - 1
		switch {
		case k < 0:
			r.next.states = append(r.next.states, made)
			r.next.lay = append(r.next.lay, r.lay...)
			r.table[p] = int32(len(r.next.states))
			if 2*len(r.next.states) > len(r.table) {
				r.rehash()
			}
		case r.next.states[k].hash != hash:
			continue
		case cost < r.next.states[k].cost:
			r.next.states[k] = made
			copy(r.next.lay[k*r.lanes:], r.lay)
		}
		return
	}
}

// scramble is the finalizer of MurmurHash3.
func scramble(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func (r *sweepRun) rehash() {
	r.table = make([]int32, 2*len(r.table))
	mask := uint64(len(r.table) - 1)
	for k := range r.next.states {
		p := r.next.states[k].hash & mask
		for r.table[p] != 0 {
			p = (p + 1) & mask
		}
		r.table[p] = int32(k + 1)
	}
}

// cut keeps the width states that promise most.
func (r *sweepRun) cut(width int) {
	order := make([]int, len(r.next.states))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.next.states[a].bound, r.next.states[b].bound), cmp.Compare(a, b))
	})
	var kept layer
	for _, k := range order[:width] {
		kept.states = append(kept.states, r.next.states[k])
		kept.lay = append(kept.lay, r.next.lay[k*r.lanes:(k+1)*r.lanes]...)
	}
	r.next = kept
}

// read takes the cheapest of the last states and goes back over how it came about.
func (r *sweepRun) read() {
	best := -1
	for k := range r.cur.states {
		if best < 0 || r.cur.states[k].cost < r.cur.states[best].cost {
			best = k
		}
	}
	r.cost = r.cur.states[best].cost
	r.at = make([]int, len(r.tasks))
	at := r.cur.states[best]
	for i := len(r.tasks) - 1; i >= 0; i-- {
		r.at[i] = int(at.lane)
		at = r.trail[i][at.from]
	}
}
