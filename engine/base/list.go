package base

import (
	"iter"
	"slices"
)

// This file owns parts of lists: how a list that looks at every record is cut into pages, and how a long list inside a
// record is cut, of whose entries the record has the first, and how many there are.

// PageOf takes the records that fit: those from offset on, at most limit, and how many there are.
func PageOf[R any](all iter.Seq[*R], fits func(*R) bool, offset, limit int) (page []*R, total int) {
	for r := range all {
		if !fits(r) {
			continue
		}
		if total >= offset && len(page) < limit {
			page = append(page, r)
		}
		total++
	}
	return page, total
}

// MaxListed is how many entries a list inside one record has at most.
const MaxListed = 1000

// Part is a part of a list: so many entries from an offset on.
type Part struct{ Offset, Limit int }

// First is the part that a record has of a list.
var First = Part{0, MaxListed}

// PartOf cuts a list.
func PartOf[T any](list []T, p Part) []T {
	from := min(p.Offset, len(list))
	return list[from:min(from+p.Limit, len(list))]
}

// FirstOf are the first of all that are added since Begin, in an order. However many are added, it keeps little more
// than these.
type FirstOf[T any] struct {
	Total   int // added so far
	most    int
	compare func(a, b T) int
	kept    []T
	full    bool // the first of those that are kept are as many as may be, and in order
}

// Begin forgets what was added, and keeps at most so many from now on, in the same memory.
func (f *FirstOf[T]) Begin(most int, compare func(a, b T) int) {
	*f = FirstOf[T]{most: most, compare: compare, kept: f.kept[:0]}
}

// Add adds one. What cannot be among the first is dropped, some at once and some now and then.
func (f *FirstOf[T]) Add(x T) {
	f.Total++
	if f.full && (f.most == 0 || f.compare(f.kept[f.most-1], x) <= 0) {
		return
	}
	if f.kept = append(f.kept, x); len(f.kept) >= 2*f.most+64 {
		f.List()
	}
}

// List gives the first so far.
func (f *FirstOf[T]) List() []T {
	slices.SortFunc(f.kept, f.compare)
	f.kept = f.kept[:min(len(f.kept), f.most)]
	f.full = len(f.kept) == f.most
	return f.kept
}

// Cap is for how many it has memory.
func (f *FirstOf[T]) Cap() int { return cap(f.kept) }
