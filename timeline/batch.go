package timeline

// This file owns batches: where a command changes thousands of holds, one after the other, what is kept of them by time is changed in one go. A tree of 10,000
// gaps takes as many changes in order for a tenth of what they take one by one: no node is looked for, copied or summed up more than once.

import (
	"iter"
	"slices"
)

// batch is changes that are not made yet. The token of the owner has it while there are some; until flush nobody may look at the trees that they are of. What is
// found by id, and what lies on a slot, is always as it should be.
type batch struct {
	gaps   pendingTrees[gapSum, gapSums]
	pinned pendingTrees[int64, latest]
	seats  pendingTrees[struct{}, none[key, int64]]
	steps  []pendingSteps
}

// batchFrom is how many changes in a row a draft makes at once before it thinks that many more will come.
const batchFrom = 8

// begin has changes wait for flush. One that nothing is kept together for, as of a slot's lot or of a conflict, belongs behind that.
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
}

// pending is a change of a tree: v is put at k, or, where gone, what is at k goes. had: there is something at k before it.
type pending struct {
	k         key
	v         int64
	gone, had bool
}

// pendingTrees is what waits for trees of one kind.
type pendingTrees[S comparable, A summer[key, int64, S]] struct {
	trees []*sumTree[key, int64, S, A]
	lists [][]pending
}

func (p *pendingTrees[S, A]) add(t *sumTree[key, int64, S, A], c pending) {
	i := slices.Index(p.trees, t)
	if i < 0 {
		i = len(p.trees)
		p.trees, p.lists = append(p.trees, t), append(p.lists, nil)
	}
	if l := &p.lists[i]; len(*l) == cap(*l) {
		*l = slices.Grow(*l, 3*len(*l)+batchFrom) // where there are many there are many more
	}
	p.lists[i] = append(p.lists[i], c)
}

func (p *pendingTrees[S, A]) flush(edit *token) {
	for i, t := range p.trees {
		changeSpans(t, edit, p.lists[i])
	}
}

// changeSpans makes changes as if one by one.
func changeSpans[S comparable, A summer[key, int64, S]](t *sumTree[key, int64, S, A], edit *token, list []pending) {
	byKey := func(a, b pending) int { return a.k.compare(b.k) }
	if !slices.IsSortedFunc(list, byKey) {
		slices.SortStableFunc(list, byKey)
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
	merge(t, edit, last)
}

// merge makes changes that are in order, one of each key.
func merge[S comparable, A summer[key, int64, S]](t *sumTree[key, int64, S, A], edit *token, list []pending) {
	if t.root == nil {
		t.root = &node[key, int64, S, A]{edit: edit}
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
func mergeInto[S comparable, A summer[key, int64, S]](n *node[key, int64, S, A], edit *token, list []pending, count *int) []*node[key, int64, S, A] {
	if n.in == nil {
		return mergeLeaf(n, edit, list, count)
	}
	kids, like := make([]*node[key, int64, S, A], 0, len(n.keys)+1), true
	for i, kid := range n.kids() {
		m := len(list)
		if i+1 < len(n.keys) {
			m, _ = slices.BinarySearchFunc(list, n.keys[i+1], func(c pending, k key) int { return c.k.compare(k) })
		}
		if m == 0 {
			kids = append(kids, kid)
		} else {
			kids = append(kids, mergeInto(kid, edit, list[:m], count)...)
			like = like && len(kids) == i+1
		}
		list = list[m:]
	}
	if kids = joined(edit, kids); !like || len(kids) != len(n.keys) {
		return parents(edit, kids)
	}
	n = n.ownInner(edit)
	for i, kid := range kids {
		if n.in.kids[i] != kid || kid.edit == edit {
			n.in.kids[i] = kid
			n.note(i)
		}
	}
	return []*node[key, int64, S, A]{n}
}

func mergeLeaf[S comparable, A summer[key, int64, S]](n *node[key, int64, S, A], edit *token, list []pending, count *int) (leaves []*node[key, int64, S, A]) {
	keys, vals := make([]key, 0, len(n.keys)+len(list)), make([]int64, 0, len(n.keys)+len(list))
	i := 0
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
		leaves = append(leaves, &node[key, int64, S, A]{edit: edit, keys: slices.Clone(keys[part[0]:part[1]]), vals: slices.Clone(vals[part[0]:part[1]])})
	}
	return leaves
}

// parts cuts n things into as few parts as there have to be of at most most, about equal: each by where it begins and ends.
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
func parents[S comparable, A summer[key, int64, S]](edit *token, kids []*node[key, int64, S, A]) (list []*node[key, int64, S, A]) {
	for part := range parts(len(kids), innerMax) {
		list = append(list, newInner(edit, kids[part[0]:part[1]]))
	}
	return list
}

// joined is neighbours with those of them in one node that are thin, as mend joins them.
func joined[S comparable, A summer[key, int64, S]](edit *token, list []*node[key, int64, S, A]) []*node[key, int64, S, A] {
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
			out[m] = &node[key, int64, S, A]{edit: edit, keys: slices.Concat(a.keys, b.keys), vals: slices.Concat(a.vals, b.vals)}
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
