package base

import "sort"

// This file owns how rows become an account at start-up: what one worker read of it, in lists that grow without
// copying.

// AccountLoader collects the rows of one account that one worker read, each kind in ascending order of its keys.
type AccountLoader struct {
	ID   ID
	Cold map[byte][]func(*State, *AccountState) // what puts the rows of a kind in place
	Bulk shelf                                  // rows of kinds that are put in place all at once
	Due  []DueItem
	Kept KeptSums // of rows that are on disk alone
}

// Chunks is a list that grows without copying: many rows are read once and put in place once. Each chunk is twice as
// long as the one before it, up to a bound: there may be thousands of accounts with a few rows each.
type Chunks[T any] struct{ list [][]T }

const (
	firstChunk = 8  // rows
	doublings  = 10 // to 8192
)

// Next makes room for one more row at the end.
func (c *Chunks[T]) Next() *T {
	n := len(c.list)
	if n == 0 || len(c.list[n-1]) == cap(c.list[n-1]) {
		c.list = append(c.list, make([]T, 0, firstChunk<<min(n, doublings)))
		n++
	}
	last := &c.list[n-1]
	*last = (*last)[:len(*last)+1]
	return &(*last)[len(*last)-1]
}

// Merge visits the rows of several lists in the order of their ids, in runs, and releases each chunk after its last
// row.
func Merge[T any](lists []Chunks[T], id func(*T) ID, visit func(run []T)) {
	rest := make([][]T, len(lists)) // of the chunk each list is at
	for {
		least, second := -1, ID{}
		var first ID
		for i := range lists {
			for len(rest[i]) == 0 && len(lists[i].list) > 0 {
				rest[i], lists[i].list[0] = lists[i].list[0], nil
				lists[i].list = lists[i].list[1:]
			}
			if len(rest[i]) == 0 {
				continue
			}
			switch x := id(&rest[i][0]); {
			case least < 0:
				least, first = i, x
			case x.Compare(first) < 0:
				least, first, second = i, x, first
			case second == ID{} || x.Compare(second) < 0:
				second = x
			}
		}
		if least < 0 {
			return
		}
		run := rest[least]
		n := len(run)
		if second != (ID{}) && id(&run[n-1]).Compare(second) > 0 {
			n = sort.Search(n, func(i int) bool { return id(&run[i]).Compare(second) > 0 })
		}
		visit(run[:n])
		rest[least] = run[n:]
	}
}
