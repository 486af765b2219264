package engine

import "github.com/tidwall/btree"

// This file owns sums by key: how many records name something, or how much comes to it. They follow from rows.

// sum is what one key comes to.
type sum[K any] struct {
	of K
	n  int64
}

// sums are those that are not 0, in the order of their keys. An account has them as an extension.
type sums[K any] struct {
	items *btree.BTreeG[sum[K]]
	copy  *sums[K] // what publish gave last, while nothing has changed since
}

func newSums[K any](compare func(a, b K) int) *sums[K] {
	return &sums[K]{items: btree.NewBTreeGOptions(func(a, b sum[K]) bool { return compare(a.of, b.of) < 0 }, btree.Options{NoLocks: true})}
}

func (s *sums[K]) publish() extension {
	if s.copy == nil {
		s.copy = &sums[K]{items: s.items.Copy()}
	}
	return s.copy
}

func (s *sums[K]) of(key K) int64 {
	x, _ := s.items.Get(sum[K]{of: key})
	return x.n
}

func (s *sums[K]) add(key K, n int64) {
	if n == 0 {
		return
	}
	s.copy = nil
	if n += s.of(key); n == 0 {
		s.items.Delete(sum[K]{of: key})
	} else {
		s.items.Set(sum[K]{key, n})
	}
}
