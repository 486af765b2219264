package timeline

// This file owns the ordered set that every index by key is made of: a B+tree of sorted runs, copy on write with an ownership token.

import (
	"encoding/binary"
	"slices"
)

// token is who may change a node in place: the one Stock whose edit points to the same token. A node with another token is shared, and copied before it is
// changed. It has a byte, as pointers to distinct variables of no size may be equal.
type token struct{ _ byte }

// sorter is a key that finds its place in a sorted run. One call a node: the comparisons inside are not generic and get inlined.
type sorter[K any] interface {
	comparable
	search(run []K) int // index of the first key that does not come before this one
}

// key orders by hi, then lo.
type key struct{ hi, lo uint64 }

func (k key) before(o key) bool { return k.hi < o.hi || k.hi == o.hi && k.lo < o.lo }

func (k key) search(run []key) int {
	lo, hi := 0, len(run)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if run[mid].before(k) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// idKey orders a lot's rows by id.
type idKey struct {
	lot LotNo
	id  ID
}

func (k idKey) before(o idKey) bool {
	return k.lot < o.lot || k.lot == o.lot && k.id.Before(o.id)
}

func (k idKey) search(run []idKey) int {
	lo, hi := 0, len(run)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if run[mid].before(k) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// timeKey orders by an instant, then by two numbers.
func timeKey(t int64, a, b uint32) key { return key{uint64(t) ^ 1<<63, uint64(a)<<32 | uint64(b)} }

func (k key) time() int64   { return int64(k.hi ^ 1<<63) }
func (k key) upper() uint32 { return uint32(k.lo >> 32) }
func (k key) lower() uint32 { return uint32(k.lo) }

func (k key) id() (id ID) {
	binary.BigEndian.PutUint64(id[:8], k.hi)
	binary.BigEndian.PutUint64(id[8:], k.lo)
	return id
}

// The most items of a leaf and children of an inner node. A node other than the root that falls below a quarter joins a neighbour.
const (
	leafMax  = 128
	innerMax = 64
)

// tree is an ordered map of pointer-free keys and values: a persistent B+tree. The zero value is empty. Copying the struct makes a version; a version may be
// read by anyone while nobody calls set or del with the token of its nodes.
//
// Keys and values of a leaf lie in two arrays of exact size (to the allocator's class), so that memory follows the number of items and not the fill of the
// nodes: 69 % after random insertion. Appending at the right edge leaves full leaves behind.
type tree[K sorter[K], V any] struct {
	root *node[K, V]
	n    int
}

// node is a leaf (kids nil; vals[i] belongs to keys[i]) or an inner node (keys[i] <= every key of kids[i] and > every key of kids[i-1]; vals nil).
type node[K sorter[K], V any] struct {
	edit *token
	keys []K
	vals []V
	kids []*node[K, V]
}

func (t *tree[K, V]) len() int { return t.n }

// child is the index of the kid that has k's place.
func child[K sorter[K]](keys []K, k K) int {
	i := k.search(keys)
	if i < len(keys) && keys[i] == k {
		return i
	}
	return max(i-1, 0)
}

// get finds the value of k.
func (t *tree[K, V]) get(k K) (v V, ok bool) {
	n := t.root
	if n == nil {
		return v, false
	}
	for n.kids != nil {
		n = n.kids[child(n.keys, k)]
	}
	i := k.search(n.keys)
	if i == len(n.keys) || n.keys[i] != k {
		return v, false
	}
	return n.vals[i], true
}

// set puts v at k, in place of what was there.
func (t *tree[K, V]) set(edit *token, k K, v V) {
	if t.root == nil {
		t.root = &node[K, V]{edit: edit, keys: []K{k}, vals: []V{v}}
		t.n = 1
		return
	}
	root, right, added := t.root.set(edit, k, v, true)
	if right != nil {
		root = &node[K, V]{edit: edit, keys: []K{root.keys[0], right.keys[0]}, kids: []*node[K, V]{root, right}}
	}
	t.root = root
	if added {
		t.n++
	}
}

// own is the node itself where edit may change it, else a copy that edit may.
func (n *node[K, V]) own(edit *token) *node[K, V] {
	if n.edit == edit {
		return n
	}
	return &node[K, V]{edit: edit, keys: slices.Clone(n.keys), vals: slices.Clone(n.vals), kids: slices.Clone(n.kids)}
}

// set returns the node that takes n's place and, where it had to split, the one right of it. last: no node is right of n.
func (n *node[K, V]) set(edit *token, k K, v V, last bool) (left, right *node[K, V], added bool) {
	if n.kids == nil {
		return n.setLeaf(edit, k, v, last)
	}
	i := child(n.keys, k)
	kid, kid2, added := n.kids[i].set(edit, k, v, last && i == len(n.kids)-1)
	if kid2 == nil && kid == n.kids[i] && n.keys[i] == kid.keys[0] {
		return n, nil, added
	}
	n = n.own(edit)
	n.kids[i], n.keys[i] = kid, kid.keys[0]
	if kid2 == nil {
		return n, nil, added
	}
	n.keys = insertAt(n.keys, true, i+1, kid2.keys[0])
	n.kids = insertAt(n.kids, true, i+1, kid2)
	if len(n.kids) <= innerMax {
		return n, nil, added
	}
	at := len(n.kids) / 2
	if last && i+2 == len(n.kids) {
		at = len(n.kids) - 1
	}
	right = &node[K, V]{edit: edit, keys: slices.Clone(n.keys[at:]), kids: slices.Clone(n.kids[at:])}
	n.keys, n.kids = slices.Clone(n.keys[:at]), slices.Clone(n.kids[:at])
	return n, right, added
}

func (n *node[K, V]) setLeaf(edit *token, k K, v V, last bool) (left, right *node[K, V], added bool) {
	i := k.search(n.keys)
	if i < len(n.keys) && n.keys[i] == k {
		n = n.own(edit)
		n.vals[i] = v
		return n, nil, false
	}
	if len(n.keys) < leafMax {
		owned := n.edit == edit
		keys, vals := insertAt(n.keys, owned, i, k), insertAt(n.vals, owned, i, v)
		if !owned {
			n = &node[K, V]{edit: edit}
		}
		n.keys, n.vals = keys, vals
		return n, nil, true
	}
	if last && i == len(n.keys) {
		return n, &node[K, V]{edit: edit, keys: []K{k}, vals: []V{v}}, true
	}
	at := len(n.keys) / 2
	left = &node[K, V]{edit: edit, keys: n.keys[:at], vals: n.vals[:at]}
	right = &node[K, V]{edit: edit, keys: n.keys[at:], vals: n.vals[at:]}
	if i <= at {
		left.keys, left.vals = insertAt(left.keys, false, i, k), insertAt(left.vals, false, i, v)
		right.keys, right.vals = slices.Clone(right.keys), slices.Clone(right.vals)
	} else {
		right.keys, right.vals = insertAt(right.keys, false, i-at, k), insertAt(right.vals, false, i-at, v)
		left.keys, left.vals = slices.Clone(left.keys), slices.Clone(left.vals)
	}
	return left, right, true
}

// insertAt puts v at s[i]: in place where the array is owned and has room, else in a new array of the allocator's next size; an owned one gets a little more
// room, as more is to come.
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

// removeAt takes s[i] out, in place where the array is owned and not mostly empty then.
func removeAt[T any](s []T, owned bool, i int) []T {
	n := len(s) - 1
	if owned && n >= cap(s)*3/4 {
		copy(s[i:], s[i+1:])
		clear(s[n:])
		return s[:n]
	}
	t := slices.Grow([]T(nil), n)[:n]
	copy(t, s[:i])
	copy(t[i:], s[i+1:])
	return t
}

// del takes k out and says whether it was there.
func (t *tree[K, V]) del(edit *token, k K) (v V, ok bool) {
	if t.root == nil {
		return v, false
	}
	root, v, ok := t.root.del(edit, k)
	if !ok {
		return v, false
	}
	for len(root.kids) == 1 {
		root = root.kids[0]
	}
	if len(root.keys) == 0 {
		root = nil
	}
	t.root = root
	t.n--
	return v, true
}

func (n *node[K, V]) del(edit *token, k K) (out *node[K, V], v V, ok bool) {
	if n.kids == nil {
		i := k.search(n.keys)
		if i == len(n.keys) || n.keys[i] != k {
			return n, v, false
		}
		v = n.vals[i]
		owned := n.edit == edit
		keys, vals := removeAt(n.keys, owned, i), removeAt(n.vals, owned, i)
		if !owned {
			n = &node[K, V]{edit: edit}
		}
		n.keys, n.vals = keys, vals
		return n, v, true
	}
	i := child(n.keys, k)
	kid, v, ok := n.kids[i].del(edit, k)
	if !ok {
		return n, v, false
	}
	n = n.own(edit)
	n.kids[i] = kid
	if kid.thin() {
		n.mend(edit, i)
	} else {
		n.keys[i] = kid.keys[0]
	}
	return n, v, true
}

func (n *node[K, V]) thin() bool {
	if n.kids == nil {
		return len(n.keys) < leafMax/4
	}
	return len(n.kids) < innerMax/4
}

// mend joins the thin kid i with a neighbour where the two fit into three quarters of a node, so that the next few changes do not split them again. An empty
// kid goes.
func (n *node[K, V]) mend(edit *token, i int) {
	if len(n.kids[i].keys) == 0 {
		n.keys, n.kids = removeAt(n.keys, true, i), removeAt(n.kids, true, i)
		return
	}
	n.keys[i] = n.kids[i].keys[0]
	if len(n.kids) == 1 {
		return
	}
	j := max(i-1, 0)
	a, b := n.kids[j], n.kids[j+1]
	limit := leafMax * 3 / 4
	if a.kids != nil {
		limit = innerMax * 3 / 4
	}
	if len(a.keys)+len(b.keys) > limit {
		return
	}
	joined := &node[K, V]{edit: edit, keys: slices.Concat(a.keys, b.keys)}
	if a.kids == nil {
		joined.vals = slices.Concat(a.vals, b.vals)
	} else {
		joined.kids = slices.Concat(a.kids, b.kids)
	}
	n.kids[j], n.keys[j] = joined, joined.keys[0]
	n.keys, n.kids = removeAt(n.keys, true, j+1), removeAt(n.kids, true, j+1)
}

// scan visits the runs of keys from k on, ascending, until visit returns false.
func (t *tree[K, V]) scan(k K, visit func(keys []K, vals []V) bool) {
	if t.root != nil {
		t.root.scan(k, visit)
	}
}

func (n *node[K, V]) scan(k K, visit func(keys []K, vals []V) bool) bool {
	if n.kids == nil {
		i := k.search(n.keys)
		return i == len(n.keys) || visit(n.keys[i:], n.vals[i:])
	}
	i := child(n.keys, k)
	if !n.kids[i].scan(k, visit) {
		return false
	}
	for _, kid := range n.kids[i+1:] {
		if !kid.all(visit) {
			return false
		}
	}
	return true
}

// all visits every run, ascending, until visit returns false, which it reports.
func (n *node[K, V]) all(visit func(keys []K, vals []V) bool) bool {
	if n.kids == nil {
		return visit(n.keys, n.vals)
	}
	for _, kid := range n.kids {
		if !kid.all(visit) {
			return false
		}
	}
	return true
}

func (t *tree[K, V]) all(visit func(keys []K, vals []V) bool) {
	if t.root != nil {
		t.root.all(visit)
	}
}
