package timeline

// This file owns the ordered set of most indexes by key: a B+tree of sorted runs, copy on write with an ownership
// token, with a summary of each subtree where one is wanted. versioned.go owns the others, and doc.go says which is
// where, and why.

import (
	"slices"
	"sync/atomic"
)

// token says which owner may change a node in place: the one whose edit points to the same token. A node with another
// token is shared, and copied before it is changed. Each version of an owner has its own token, and all of these have
// one line: the owner still owns the room after the end of an array that an older version sees, so it appends there
// without copying.
type token struct {
	line  *line
	later *batch // changes that are not made yet of nodes with this token; nil: each is made at once
}

// line has a byte, as pointers to distinct variables of no size may be equal.
type line struct{ _ byte }

func newToken() *token { return &token{line: new(line)} }

// next is the token of the owner's next version.
func (t *token) next() *token { return &token{line: t.line} }

// summer makes the summary of a subtree: of a leaf from its items, of an inner node from its children's. It has no
// state.
type summer[K, V, S any] interface {
	leaf(keys []K, vals []V) S
	join(sums []S) S
}

// sumTree is an ordered map of pointer-free keys and values with a summary S of every subtree: a persistent B+tree. The
// zero value is empty. Copying the struct makes a version; any goroutine may read a version while none calls set or del
// with the token of its nodes.
//
// Keys and values of a leaf lie in two arrays of exact size, up to the allocator's class, so that memory follows the
// number of items and not the fill of the nodes, which is 69 % after random insertion. Appending at the right edge
// gives full leaves, and copies none.
type sumTree[K sorter[K], V any, S comparable, A summer[K, V, S]] struct {
	root *node[K, V, S, A]
	n    int
}

// tree is one without summaries.
type tree[K sorter[K], V any] = sumTree[K, V, struct{}, none[K, V]]

type none[K, V any] struct{}

func (none[K, V]) leaf([]K, []V) struct{}   { return struct{}{} }
func (none[K, V]) join([]struct{}) struct{} { return struct{}{} }

// node is a leaf (in is nil, vals[i] belongs to keys[i]), or an inner node: keys[i] is the first key of child i, in an
// array that never changes, as most writes leave it as it is.
//
// Readers may note something of a subtree in its memo. All nodes above a node with a token have that token, too. So if
// a node's token is not the owner's, nothing below that node changes any more, even if the owner continues to write. A
// node that the owner may change in place has no memo, and a copy begins without.
type node[K sorter[K], V any, S comparable, A summer[K, V, S]] struct {
	edit *token
	keys []K
	vals []V
	in   *inner[K, V, S, A]
	memo atomic.Pointer[any] // readers' own (Section), in what the allocator's class of a node has free
	long bool                // a leaf that shares its arrays with an older version, which sees less of them
}

// inner is what a node with children has in addition to its keys. Each kind has one array, with room for one more than
// the most, so that copying it is one move.
type inner[K sorter[K], V any, S comparable, A summer[K, V, S]] struct {
	kids [innerMax + 1]*node[K, V, S, A]
	sums [innerMax + 1]S
}

func (t *sumTree[K, V, S, A]) len() int { return t.n }

func (n *node[K, V, S, A]) kids() []*node[K, V, S, A] { return n.in.kids[:len(n.keys)] }
func (n *node[K, V, S, A]) sums() []S                 { return n.in.sums[:len(n.keys)] }

func (n *node[K, V, S, A]) sum() S {
	var a A
	if n.in == nil {
		return a.leaf(n.keys, n.vals)
	}
	return a.join(n.sums())
}

// childOf is the index of the child that has k's place.
func childOf[K sorter[K]](keys []K, k K) int {
	i := k.search(keys)
	if i < len(keys) && keys[i] == k {
		return i
	}
	return max(i-1, 0)
}

// get finds the value of k.
func (t *sumTree[K, V, S, A]) get(k K) (v V, ok bool) {
	f := t.finger()
	return f.get(k)
}

// finger begins to look for many keys.
func (t *sumTree[K, V, S, A]) finger() finger[K, V, S, A] { return finger[K, V, S, A]{root: t.root} }

// owned is the value of k, to be changed in place; nil where there is none. It is for trees without summaries.
func owned[K sorter[K], V any](t *tree[K, V], edit *token, k K) *V {
	at := &t.root
	if *at == nil {
		return nil
	}
	for (*at).in != nil {
		*at = (*at).ownInner(edit)
		at = &(*at).in.kids[childOf((*at).keys, k)]
	}
	n := *at
	i := k.search(n.keys)
	if i == len(n.keys) || n.keys[i] != k {
		return nil
	}
	if !n.owned(edit) {
		n = n.copied(edit)
		*at = n
	}
	return &n.vals[i]
}

// finger finds the values of keys in a tree that does not change, for less where they come in order: it stays at the
// leaf where it found the last.
type finger[K sorter[K], V any, S comparable, A summer[K, V, S]] struct {
	root, leaf *node[K, V, S, A]
}

func (f *finger[K, V, S, A]) get(k K) (v V, ok bool) {
	if f.leaf != nil { // it may be there, and no further than the last of its keys
		if i := k.search(f.leaf.keys); i < len(f.leaf.keys) && (i > 0 || f.leaf.keys[0] == k) {
			return f.leaf.vals[i], f.leaf.keys[i] == k
		}
	}
	n := f.root
	if n == nil {
		return v, false
	}
	for n.in != nil {
		n = n.in.kids[childOf(n.keys, k)]
	}
	f.leaf = n
	i := k.search(n.keys)
	if i == len(n.keys) || n.keys[i] != k {
		return v, false
	}
	return n.vals[i], true
}

// set puts v at k, in place of what was there, and says whether nothing was.
func (t *sumTree[K, V, S, A]) set(edit *token, k K, v V) (added bool) {
	if t.root == nil {
		t.root, t.n = &node[K, V, S, A]{edit: edit, keys: []K{k}, vals: []V{v}}, 1
		return true
	}
	root, right, added := t.root.set(edit, k, v, true)
	if right != nil {
		root = newInner(edit, []*node[K, V, S, A]{root, right})
	}
	t.root = root
	if added {
		t.n++
	}
	return added
}

// newInner is an inner node over up to innerMax children.
func newInner[K sorter[K], V any, S comparable, A summer[K, V, S]](edit *token, kids []*node[K, V, S, A]) *node[K, V, S,
	A] {
	n := &node[K, V, S, A]{edit: edit, keys: make([]K, len(kids)), in: new(inner[K, V, S, A])}
	for i, kid := range kids {
		n.in.kids[i], n.keys[i], n.in.sums[i] = kid, kid.keys[0], kid.sum()
	}
	return n
}

// note takes first key and summary of child i as they are now.
func (n *node[K, V, S, A]) note(i int) {
	kid := n.in.kids[i]
	n.in.sums[i] = kid.sum()
	if first := kid.keys[0]; n.keys[i] != first {
		n.keys = slices.Clone(n.keys)
		n.keys[i] = first
	}
}

// ownInner is the inner node itself where edit may change it, else a copy that edit may.
func (n *node[K, V, S, A]) ownInner(edit *token) *node[K, V, S, A] {
	if n.edit == edit {
		return n
	}
	in := *n.in
	return &node[K, V, S, A]{edit: edit, keys: n.keys, in: &in}
}

// open makes room for one more child at i.
func (n *node[K, V, S, A]) open(i int, kid *node[K, V, S, A]) {
	m := len(n.keys)
	n.keys = insertAt(n.keys, false, i, kid.keys[0])
	copy(n.in.kids[i+1:m+1], n.in.kids[i:m])
	copy(n.in.sums[i+1:m+1], n.in.sums[i:m])
	n.in.kids[i], n.in.sums[i] = kid, kid.sum()
}

// shut takes child i out.
func (n *node[K, V, S, A]) shut(i int) {
	m := len(n.keys) - 1
	n.keys = removeAt(n.keys, false, i)
	copy(n.in.kids[i:m], n.in.kids[i+1:m+1])
	copy(n.in.sums[i:m], n.in.sums[i+1:m+1])
	n.in.kids[m] = nil
}

// set returns the node that takes n's place and, where it had to split, the one right of it. last: no node is right of
// n.
func (n *node[K, V, S, A]) set(edit *token, k K, v V, last bool) (left, right *node[K, V, S, A], added bool) {
	if n.in == nil {
		return n.setLeaf(edit, k, v, last)
	}
	i := childOf(n.keys, k)
	kid, kid2, added := n.in.kids[i].set(edit, k, v, last && i == len(n.keys)-1)
	n = n.ownInner(edit)
	n.in.kids[i] = kid
	n.note(i)
	if kid2 == nil {
		return n, nil, added
	}
	n.open(i+1, kid2)
	m := len(n.keys)
	if m <= innerMax {
		return n, nil, added
	}
	at := m / 2
	if last && i+2 == m {
		at = m - 1
	}
	right = newInner(edit, n.in.kids[at:m])
	clear(n.in.kids[at:])
	n.keys = slices.Clone(n.keys[:at])
	return n, right, added
}

func (n *node[K, V, S, A]) setLeaf(edit *token, k K, v V, last bool) (left, right *node[K, V, S, A], added bool) {
	i := k.search(n.keys)
	owned := n.owned(edit)
	if i < len(n.keys) && n.keys[i] == k {
		if !owned {
			n = n.copied(edit)
		}
		n.vals[i] = v
		return n, nil, false
	}
	if last && i == len(n.keys) {
		left, right = n.append(edit, k, v)
		return left, right, true
	}
	if len(n.keys) < leafMax {
		keys, vals := insertAt(n.keys, owned, i, k), insertAt(n.vals, owned, i, v)
		if !owned {
			n = &node[K, V, S, A]{edit: edit}
		}
		n.keys, n.vals = keys, vals
		return n, nil, true
	}
	at := len(n.keys) / 2
	left = &node[K, V, S, A]{edit: edit, keys: n.keys[:at], vals: n.vals[:at]}
	right = &node[K, V, S, A]{edit: edit, keys: n.keys[at:], vals: n.vals[at:]}
	if i <= at {
		left.keys, left.vals = insertAt(left.keys, false, i, k), insertAt(left.vals, false, i, v)
		right.keys, right.vals = slices.Clone(right.keys), slices.Clone(right.vals)
	} else {
		right.keys, right.vals = insertAt(right.keys, false, i-at, k), insertAt(right.vals, false, i-at, v)
		left.keys, left.vals = slices.Clone(left.keys), slices.Clone(left.vals)
	}
	return left, right, true
}

// owned says that edit may change a leaf's arrays in place, and no version sees them.
func (n *node[K, V, S, A]) owned(edit *token) bool { return n.edit == edit && !n.long }

// copied is a leaf of edit's own with the same items.
func (n *node[K, V, S, A]) copied(edit *token) *node[K, V, S, A] {
	return &node[K, V, S, A]{edit: edit, keys: slices.Clone(n.keys), vals: slices.Clone(n.vals)}
}

// append puts an item after all others of the last leaf. More will come, as ids only grow. So it allocates room for as
// many more as there are, and the next items go there without a copy, whichever version they belong to.
func (n *node[K, V, S, A]) append(edit *token, k K, v V) (left, right *node[K, V, S, A]) {
	m := len(n.keys)
	switch {
	case m == leafMax:
		return n, &node[K, V, S, A]{edit: edit, keys: []K{k}, vals: []V{v}}
	case m == cap(n.keys) || m == cap(n.vals) || n.edit.line != edit.line:
		room := min(m, leafMax-m)
		n = &node[K, V, S, A]{edit: edit, keys: append(slices.Grow([]K(nil), m+room), n.keys...),
			vals: append(slices.Grow([]V(nil), m+room), n.vals...)}
	case n.edit != edit:
		n = &node[K, V, S, A]{edit: edit, keys: n.keys, vals: n.vals, long: true}
	}
	n.keys, n.vals = append(n.keys, k), append(n.vals, v)
	return n, nil
}

// insertAt puts v at s[i]: in place where the array is owned and has room, else in a new array of the allocator's next
// size; an owned one gets a little more room, as more is to come.
func insertAt[T any](s []T, owned bool, i int, v T) []T {
	n := len(s)
	if owned && n < cap(s) {
		s = s[:n+1]
		copy(s[i+1:], s[i:n])
		s[i] = v
		return s
	}
	room := n + 1
	if owned {
		room += n / 16
	}
	t := slices.Grow([]T(nil), room)[:n+1]
	copy(t, s[:i])
	t[i] = v
	copy(t[i+1:], s[i:])
	return t
}

// removeAt takes s[i] out: in place where the array is owned and stays three quarters full, else in a new array.
func removeAt[T any](s []T, owned bool, i int) []T {
	n := len(s) - 1
	if owned && n >= cap(s)*3/4 {
		copy(s[i:], s[i+1:])
		return s[:n]
	}
	t := slices.Grow([]T(nil), n)[:n]
	copy(t, s[:i])
	copy(t[i:], s[i+1:])
	return t
}

// del takes k out and says whether it was there.
func (t *sumTree[K, V, S, A]) del(edit *token, k K) (v V, ok bool) {
	if t.root == nil {
		return v, false
	}
	root, v, ok := t.root.del(edit, k)
	if !ok {
		return v, false
	}
	for root.in != nil && len(root.keys) == 1 {
		root = root.in.kids[0]
	}
	if len(root.keys) == 0 {
		root = nil
	}
	t.root = root
	t.n--
	return v, true
}

func (n *node[K, V, S, A]) del(edit *token, k K) (out *node[K, V, S, A], v V, ok bool) {
	if n.in == nil {
		i := k.search(n.keys)
		if i == len(n.keys) || n.keys[i] != k {
			return n, v, false
		}
		v = n.vals[i]
		owned := n.owned(edit)
		keys, vals := removeAt(n.keys, owned, i), removeAt(n.vals, owned, i)
		if !owned {
			n = &node[K, V, S, A]{edit: edit}
		}
		n.keys, n.vals = keys, vals
		return n, v, true
	}
	i := childOf(n.keys, k)
	kid, v, ok := n.in.kids[i].del(edit, k)
	if !ok {
		return n, v, false
	}
	n = n.ownInner(edit)
	n.in.kids[i] = kid
	n.mend(edit, i)
	return n, v, true
}

// mend takes note of child i, which has lost an item. One that is thin joins a neighbour where the two fit into three
// quarters of a node, so that the next few changes do not split them again. An empty one goes.
func (n *node[K, V, S, A]) mend(edit *token, i int) {
	kid := n.in.kids[i]
	if len(kid.keys) == 0 {
		n.shut(i)
		return
	}
	n.note(i)
	most := leafMax
	if kid.in != nil {
		most = innerMax
	}
	if len(kid.keys) >= most/4 || len(n.keys) == 1 {
		return
	}
	j := max(i-1, 0)
	a, b := n.in.kids[j], n.in.kids[j+1]
	if len(a.keys)+len(b.keys) > most*3/4 {
		return
	}
	if a.in == nil {
		n.in.kids[j] = &node[K, V, S, A]{edit: edit, keys: slices.Concat(a.keys, b.keys),
			vals: slices.Concat(a.vals, b.vals)}
	} else {
		n.in.kids[j] = newInner(edit, slices.Concat(a.kids(), b.kids()))
	}
	n.note(j)
	n.shut(j + 1)
}

// scan visits the runs of items from k on, ascending, until visit returns false.
func (t *sumTree[K, V, S, A]) scan(k K, visit func(keys []K, vals []V) bool) {
	if t.root != nil {
		t.root.scan(k, visit)
	}
}

func (n *node[K, V, S, A]) scan(k K, visit func(keys []K, vals []V) bool) bool {
	if n.in == nil {
		i := k.search(n.keys)
		return i == len(n.keys) || visit(n.keys[i:], n.vals[i:])
	}
	i := childOf(n.keys, k)
	kids := n.kids()
	if !kids[i].scan(k, visit) {
		return false
	}
	for _, kid := range kids[i+1:] {
		if !kid.all(visit) {
			return false
		}
	}
	return true
}

// all visits every run of items, ascending, until visit returns false.
func (t *sumTree[K, V, S, A]) all(visit func(keys []K, vals []V) bool) {
	if t.root != nil {
		t.root.all(visit)
	}
}

func (n *node[K, V, S, A]) all(visit func(keys []K, vals []V) bool) bool {
	if n.in == nil {
		return visit(n.keys, n.vals)
	}
	for _, kid := range n.kids() {
		if !kid.all(visit) {
			return false
		}
	}
	return true
}
