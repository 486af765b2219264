package timeline

// This file owns batches: where a command changes thousands of holds, one after the other, what is kept of them by time
// is changed in one go. A tree of 10,000 gaps takes as many changes in order for a tenth of what they take one by one:
// no node is looked for, copied or summed up more than once.

import (
	"cmp"
	"iter"
	"slices"
	"sync"
)

// batch collects changes of trees that are not made yet. The token of the owner has a batch while there are such
// changes. Until flush, nothing may read the trees that they belong to. Two things are always up to date: what is found
// by an id, and what lies on a slot.
type batch struct {
	gaps   pendingTrees[gapSum, gapSums]
	pinned pendingTrees[int64, latest]
	seats  pendingTrees[struct{}, none[key, int64]]
	steps  []pendingSteps
	lost   []key // ids of holds that were taken out: they are in their tree still, with no place, and many are put back
}

// begin makes changes wait for flush. A slot may be added or removed only after that flush.
func (s *Stock) begin() {
	if s.edit.later == nil {
		s.edit.later = new(batch)
	}
}

// flush makes the changes that wait.
func (s *Stock) flush() {
	b := s.edit.later
	if b == nil {
		return
	}
	s.edit.later = nil
	b.gaps.flush(s.edit)
	b.pinned.flush(s.edit)
	b.seats.flush(s.edit)
	for _, p := range b.steps {
		for _, c := range sumUp(p.list) {
			p.of.step(s.edit, c.at, c.stock)
		}
	}
	gone := make([]pending[uint32], 0, len(b.lost))
	for _, k := range b.lost {
		if where, _ := s.ids.get(k); where == 0 {
			gone = append(gone, pending[uint32]{k: k, gone: true})
		}
	}
	changeAll(&s.ids, s.edit, gone)
}

// flushGaps makes the waiting changes of the gaps, the index that says where holds have room.
func (s *Stock) flushGaps() {
	if b := s.edit.later; b != nil {
		b.gaps.flush(s.edit)
		b.gaps = pendingTrees[gapSum, gapSums]{}
	}
}

// where is the place of a hold in the ids; ok is false where there is none.
func (s *Stock) where(id ID) (where uint32, ok bool) {
	where, ok = s.ids.get(id.key())
	return where, ok && where != 0
}

// enter puts the place of a hold into the ids, and says whether it had none.
func (s *Stock) enter(id ID, where uint32) bool {
	k := id.key()
	if b := s.edit.later; b != nil && len(b.lost) > 0 {
		if at := owned(&s.ids, s.edit, k); at != nil {
			was := *at
			*at = where
			return was == 0
		}
	}
	return s.ids.set(s.edit, k, where)
}

// lose takes the place of a hold out of the ids.
func (s *Stock) lose(id ID) (where uint32, ok bool) {
	k := id.key()
	if s.edit.later == nil {
		return s.ids.del(s.edit, k)
	}
	at := owned(&s.ids, s.edit, k)
	if at == nil || *at == 0 {
		return 0, false
	}
	where, *at = *at, 0
	s.edit.later.lost = append(s.edit.later.lost, k)
	return where, true
}

// pending is a change of a tree: v is put at k, or, if gone, what is at k is removed. had: there is something at k
// before the change. nth gives the order of the changes of one key while they are sorted.
type pending[V any] struct {
	k         key
	v         V
	nth       uint32
	gone, had bool
}

// pendingTrees is what waits for trees of one kind.
type pendingTrees[S comparable, A summer[key, int64, S]] struct {
	trees []pendingTree[S, A]
	at    map[*sumTree[key, int64, S, A]]int // in trees, once there are more than a few
}

// pendingTree is what waits for one of them, in runs of one instant each: like holds begin and end together, and come
// in order of their slots, so that most runs are in order as they are.
type pendingTree[S comparable, A summer[key, int64, S]] struct {
	of   *sumTree[key, int64, S, A]
	runs [][]pending[int64]
}

// lately is how many of the last trees, and of the last runs of one, a change looks for its own among.
const lately = 4

func (p *pendingTrees[S, A]) add(t *sumTree[key, int64, S, A], c pending[int64]) {
	x := p.of(t)
	for i := len(x.runs) - 1; i >= max(0, len(x.runs)-lately); i-- {
		if run := &x.runs[i]; (*run)[0].k.hi == c.k.hi {
			if len(*run) == cap(*run) {
				*run = grown(*run)
			}
			*run = append(*run, c)
			return
		}
	}
	x.runs = append(x.runs, []pending[int64]{c})
}

// of is what waits for a tree.
func (p *pendingTrees[S, A]) of(t *sumTree[key, int64, S, A]) *pendingTree[S, A] {
	for i := len(p.trees) - 1; i >= max(0, len(p.trees)-lately); i-- {
		if p.trees[i].of == t {
			return &p.trees[i]
		}
	}
	if len(p.trees) > lately {
		if i, ok := p.at[t]; ok {
			return &p.trees[i]
		}
	}
	if p.at == nil {
		p.at = map[*sumTree[key, int64, S, A]]int{}
	}
	p.at[t] = len(p.trees)
	p.trees = append(p.trees, pendingTree[S, A]{of: t})
	return &p.trees[len(p.trees)-1]
}

func (p *pendingTrees[S, A]) flush(edit *token) {
	var seats []uint32
	for i := range p.trees {
		x := &p.trees[i]
		slices.SortStableFunc(x.runs, func(a, b []pending[int64]) int { return cmp.Compare(a[0].k.hi, b[0].k.hi) })
		n := 0
		for _, run := range x.runs {
			n += len(run)
		}
		list := roomy(n)
		for _, run := range x.runs {
			list, seats = bySlot(list, run, seats)
			spare(run)
		}
		changeAll(x.of, edit, list)
		spare(list)
	}
}

// bySlot appends a run to a list in order of slots; changes of one slot keep their order. If there are more than twice
// as many slots from the first to the last one as changes, it appends the run as it is. seats is scratch memory.
func bySlot(list, run []pending[int64], seats []uint32) ([]pending[int64], []uint32) {
	first, last, ordered := run[0].k.upper(), run[0].k.upper(), true
	for i := 1; i < len(run); i++ {
		ordered = ordered && !run[i].k.before(run[i-1].k)
		first, last = min(first, run[i].k.upper()), max(last, run[i].k.upper())
	}
	if ordered || int(last-first) > 2*len(run) {
		return append(list, run...), seats
	}
	seats = append(seats[:0], make([]uint32, last-first+1)...)
	for i := range run {
		seats[run[i].k.upper()-first]++
	}
	at := uint32(len(list))
	for i, n := range seats {
		seats[i], at = at, at+n
	}
	list = list[:len(list)+len(run)]
	for i := range run {
		seat := &seats[run[i].k.upper()-first]
		list[*seat] = run[i]
		*seat++
	}
	return list, seats
}

// roomyRuns are runs whose changes are made, to be used again: they would be a quarter of all the garbage of commands
// of thousands of holds. Each is of pointers to runs of one of these rooms.
var roomyRuns [len(rooms)]sync.Pool

var rooms = [...]int{1 << 8, 1 << 11, 1 << 14, 1 << 17}

// roomy is an empty run with room for so many changes.
func roomy(n int) []pending[int64] {
	for i, room := range rooms {
		if n <= room {
			if run, ok := roomyRuns[i].Get().(*[]pending[int64]); ok {
				return *run
			}
			return make([]pending[int64], 0, room)
		}
	}
	return make([]pending[int64], 0, n)
}

// spare keeps a run to be used again.
func spare(run []pending[int64]) {
	if i := slices.Index(rooms[:], cap(run)); i >= 0 {
		run = run[:0]
		roomyRuns[i].Put(&run)
	}
}

// grown is a run with room for more: where there are many there are many more.
func grown(run []pending[int64]) []pending[int64] {
	if len(run) < rooms[0]/4 {
		return slices.Grow(run, 3*len(run))
	}
	more := append(roomy(4*len(run)), run...)
	spare(run)
	return more
}

// changeAll makes changes as if one by one.
func changeAll[V any, S comparable, A summer[key, V, S]](t *sumTree[key, V, S, A], edit *token, list []pending[V]) {
	if !slices.IsSortedFunc(list, func(a, b pending[V]) int { return a.k.compare(b.k) }) {
		for i := range list {
			list[i].nth = uint32(i)
		}
		slices.SortFunc(list, func(a, b pending[V]) int { return cmp.Or(a.k.compare(b.k), cmp.Compare(a.nth, b.nth)) })
	}
	last := list[:0] // of each key the last change is what counts
	for _, c := range list {
		c.had = c.gone
		if n := len(last); n > 0 && last[n-1].k == c.k {
			c.had = last[n-1].had
			last = last[:n-1]
		}
		last = append(last, c)
	}
	if len(last) > 0 {
		merge(t, edit, last)
	}
}

// merge makes changes that are in order, one of each key.
func merge[V any, S comparable, A summer[key, V, S]](t *sumTree[key, V, S, A], edit *token, list []pending[V]) {
	if t.root == nil {
		t.root = &node[key, V, S, A]{edit: edit}
	}
	level := mergeInto(t.root, edit, list, &t.n)
	for len(level) > 1 {
		level = parents(edit, level)
	}
	t.root = nil
	if len(level) == 1 {
		t.root = level[0]
		for t.root.in != nil && len(t.root.keys) == 1 {
			t.root = t.root.in.kids[0]
		}
	}
}

// mergeInto returns the nodes that take n's place, and counts the items that there are more.
func mergeInto[V any, S comparable, A summer[key, V, S]](n *node[key, V, S, A], edit *token, list []pending[V],
	count *int) []*node[key, V, S, A] {
	if n.in == nil {
		return mergeLeaf(n, edit, list, count)
	}
	kids, like := make([]*node[key, V, S, A], 0, len(n.keys)+1), true
	changed := uint64(0) // a bit for each child
	for i, kid := range n.kids() {
		if len(list) == 0 || i+1 < len(n.keys) && !list[0].k.before(n.keys[i+1]) {
			kids = append(kids, kid)
			continue
		}
		m := len(list)
		if i+1 < len(n.keys) && !list[m-1].k.before(n.keys[i+1]) {
			m, _ = slices.BinarySearchFunc(list, n.keys[i+1], func(c pending[V], k key) int { return c.k.compare(k) })
		}
		kids = append(kids, mergeInto(kid, edit, list[:m], count)...)
		changed |= 1 << i
		like = like && len(kids) == i+1
		list = list[m:]
	}
	if kids = joined(edit, kids); !like || len(kids) != len(n.keys) {
		return parents(edit, kids)
	}
	n = n.ownInner(edit)
	for i, kid := range kids {
		if changed&(1<<i) != 0 {
			n.in.kids[i] = kid
			n.note(i)
		}
	}
	return []*node[key, V, S, A]{n}
}

func mergeLeaf[V any, S comparable, A summer[key, V, S]](n *node[key, V, S, A], edit *token, list []pending[V],
	count *int) (leaves []*node[key, V, S, A]) {
	var fewKeys [2 * leafMax]key
	var fewVals [2 * leafMax]V
	keys, vals, i := fewKeys[:0], fewVals[:0], 0
	for _, c := range list {
		for i < len(n.keys) && n.keys[i].before(c.k) {
			keys, vals = append(keys, n.keys[i]), append(vals, n.vals[i])
			i++
		}
		there := i < len(n.keys) && n.keys[i] == c.k
		if c.had && !there {
			panic("timeline: what goes is not there")
		}
		if there {
			i++
		}
		if !c.gone {
			keys, vals = append(keys, c.k), append(vals, c.v)
		}
	}
	keys, vals = append(keys, n.keys[i:]...), append(vals, n.vals[i:]...)
	*count += len(keys) - len(n.keys)
	for part := range parts(len(keys), leafMax) {
		leaves = append(leaves, &node[key, V, S, A]{edit: edit, keys: slices.Clone(keys[part[0]:part[1]]),
			vals: slices.Clone(vals[part[0]:part[1]])})
	}
	return leaves
}

// parts cuts n things into as few parts as there have to be of at most most, about equal: each by where it begins and
// ends.
func parts(n, most int) iter.Seq[[2]int] {
	return func(yield func([2]int) bool) {
		m := (n + most - 1) / most
		for i := range m {
			if !yield([2]int{i * n / m, (i + 1) * n / m}) {
				return
			}
		}
	}
}

// parents are inner nodes over some children.
func parents[V any, S comparable, A summer[key, V, S]](edit *token,
	kids []*node[key, V, S, A]) (list []*node[key, V, S, A]) {
	for part := range parts(len(kids), innerMax) {
		list = append(list, newInner(edit, kids[part[0]:part[1]]))
	}
	return list
}

// joined is neighbours with those of them in one node that are thin, as mend joins them.
func joined[V any, S comparable, A summer[key, V, S]](edit *token, list []*node[key, V, S, A]) []*node[key, V, S, A] {
	out := list[:0]
	for _, b := range list {
		most := leafMax
		if b.in != nil {
			most = innerMax
		}
		m := len(out) - 1
		if m < 0 || min(len(out[m].keys), len(b.keys)) >= most/4 || len(out[m].keys)+len(b.keys) > most*3/4 {
			out = append(out, b)
			continue
		}
		if a := out[m]; b.in == nil {
			out[m] = &node[key, V, S, A]{edit: edit, keys: slices.Concat(a.keys, b.keys),
				vals: slices.Concat(a.vals, b.vals)}
		} else {
			out[m] = newInner(edit, slices.Concat(a.kids(), b.kids()))
		}
	}
	return out
}

// pendingSteps is what waits for a profile.
type pendingSteps struct {
	of   *profile
	list []change
}

func (b *batch) step(p *profile, t int64, d int32) {
	i := slices.IndexFunc(b.steps, func(x pendingSteps) bool { return x.of == p })
	if i < 0 {
		i = len(b.steps)
		b.steps = append(b.steps, pendingSteps{of: p})
	}
	list := &b.steps[i].list
	for j := max(0, len(*list)-2); j < len(*list); j++ { // like holds begin and end together
		if c := &(*list)[j]; c.at == t {
			c.stock += d
			return
		}
	}
	*list = append(*list, change{t, d, 0})
}
