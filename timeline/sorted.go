package timeline

// This file owns counted trees, in which items are found by their place, and Sorted: numbers in the order of an instant
// or an amount, for the lists of others.

import "slices"

// number counts the items of a subtree.
type number[K, V any] struct{}

func (number[K, V]) leaf(keys []K, _ []V) int32 { return int32(len(keys)) }
func (number[K, V]) join(sums []int32) (n int32) {
	for _, s := range sums {
		n += s
	}
	return n
}

// countedTree is a tree that knows how many items each subtree has.
type countedTree[K sorter[K], V any] = sumTree[K, V, int32, number[K, V]]

// before is the sum of what comes before k.
func before[K sorter[K], V any, A summer[K, V, int32]](t *sumTree[K, V, int32, A], k K) (sum int) {
	n := t.root
	if n == nil {
		return 0
	}
	for n.in != nil {
		i := childOf(n.keys, k)
		for _, s := range n.sums()[:i] {
			sum += int(s)
		}
		n = n.in.kids[i]
	}
	var a A
	i := k.search(n.keys)
	return sum + int(a.leaf(n.keys[:i], n.vals[:i]))
}

// ahead visits the runs of items from a place on, ascending, until visit returns false.
func ahead[K sorter[K], V any](n *node[K, V, int32, number[K, V]], place int,
	visit func(keys []K, vals []V) bool) bool {
	if n.in == nil {
		return place >= len(n.keys) || visit(n.keys[place:], n.vals[place:])
	}
	for i, s := range n.sums() {
		if place >= int(s) {
			place -= int(s)
			continue
		}
		if !ahead(n.in.kids[i], place, visit) {
			return false
		}
		place = 0
	}
	return true
}

// behind visits the runs of the items before a place, the last run first, until visit returns false.
func behind[K sorter[K], V any](n *node[K, V, int32, number[K, V]], place int,
	visit func(keys []K, vals []V) bool) bool {
	if n.in == nil {
		place = min(place, len(n.keys))
		return place == 0 || visit(n.keys[:place], n.vals[:place])
	}
	var a number[K, V]
	sums := n.sums()
	first := int(a.join(sums))
	for i := len(sums) - 1; i >= 0; i-- {
		if first -= int(sums[i]); first < place && !behind(n.in.kids[i], place-first, visit) {
			return false
		}
	}
	return true
}

// Sorted is an ordered set of numbers, each under an instant or an amount: by that, then by the number. A number may be
// under several. It takes 20 bytes for each, and the free room in the nodes of the tree. The numbers are stored once
// more next to the keys, so a walk reads the numbers alone. That takes a third less time. The zero value is not usable:
// take NewSorted. Publish, Put and Delete are for one writer; a published copy may be read by anyone.
type Sorted struct {
	edit *token
	rows countedTree[key, uint32]
}

// NewSorted makes an empty set.
func NewSorted() *Sorted { return &Sorted{edit: newToken()} }

// Publish gives a copy that never changes, in constant time.
func (m *Sorted) Publish() *Sorted {
	m.edit = m.edit.next()
	return &Sorted{rows: m.rows}
}

// Len is how many there are.
func (m *Sorted) Len() int { return m.rows.len() }

// Put puts a number under an instant or amount.
func (m *Sorted) Put(at int64, no uint32) { m.rows.set(m.edit, timeKey(at, 0, no), no) }

// Delete takes it out again.
func (m *Sorted) Delete(at int64, no uint32) { m.rows.del(m.edit, timeKey(at, 0, no)) }

// Has says whether a number is under an instant or amount.
func (m *Sorted) Has(at int64, no uint32) bool {
	_, ok := m.rows.get(timeKey(at, 0, no))
	return ok
}

// Before is how many are under less than that: the place of the first that is not.
func (m *Sorted) Before(at int64) int { return before(&m.rows, timeKey(at, 0, 0)) }

// Mark adds the numbers of the places from one on, up to another, to a set.
func (m *Sorted) Mark(from, to int, in Bits) {
	if left := to - from; left > 0 {
		ahead(m.rows.root, from, func(_ []key, numbers []uint32) bool {
			for _, no := range numbers[:min(left, len(numbers))] {
				in.Add(no)
			}
			left -= len(numbers)
			return left > 0
		})
	}
}

// Pick appends up to limit numbers that are in a set, out of those at the places from one on, up to another. It skips
// the first skip ones. With backward it begins at the end. It looks at 4 bytes and a bit for each that it passes by.
func (m *Sorted) Pick(dst []uint32, in Bits, from, to, skip, limit int, backward bool) []uint32 {
	left, most := to-from, len(dst)+limit
	visit := func(_ []key, numbers []uint32) bool {
		if len(numbers) > left && backward {
			numbers = numbers[len(numbers)-left:]
		} else {
			numbers = numbers[:min(left, len(numbers))]
		}
		left -= len(numbers)
		found := 0
		for _, no := range numbers {
			found += in.bit(no)
		}
		if found <= skip {
			skip -= found
			return left > 0
		}
		start := len(dst)
		for _, no := range numbers {
			if in.Has(no) {
				dst = append(dst, no)
			}
		}
		if backward {
			slices.Reverse(dst[start:])
		}
		dst = slices.Delete(dst, start, start+skip)
		skip = 0
		if len(dst) >= most {
			dst = dst[:most]
			return false
		}
		return left > 0
	}
	switch {
	case left <= 0 || limit <= 0:
	case backward:
		behind(m.rows.root, to, visit)
	default:
		ahead(m.rows.root, from, visit)
	}
	return dst
}

// SortedLoader makes a Sorted of numbers in whatever order. One goroutine uses it, once.
type SortedLoader struct{ list []key }

// Add puts a number under an instant or amount.
func (l *SortedLoader) Add(at int64, no uint32) { l.list = append(l.list, timeKey(at, 0, no)) }

// Finish makes the set.
func (l *SortedLoader) Finish() *Sorted {
	m := NewSorted()
	slices.SortFunc(l.list, key.compare)
	l.list = slices.Compact(l.list)
	m.rows, _ = build[key, uint32, int32, number[key, uint32]](m.edit, len(l.list),
		func(i int) (key, uint32) { return l.list[i], l.list[i].lower() })
	l.list = nil
	return m
}
