package base

import "holdfast/engine/sorted"

// This file owns sums by key: how many records name something, or how much comes to it. They follow from rows.

// Sum is what one key comes to.
type Sum[K any] struct {
	Of K
	N  int64
}

// Sums are those that are not 0, in the order of their keys. An account has them as an extension.
type Sums[K any] struct {
	Items sorted.Set[Sum[K]]
	copy  *Sums[K] // what publish gave last, while nothing has changed since
}

// NewSums makes sums by keys in an order.
func NewSums[K any](compare func(a, b K) int) *Sums[K] {
	return &Sums[K]{Items: sorted.New(func(a, b Sum[K]) bool { return compare(a.Of, b.Of) < 0 })}
}

// Publish gives a copy that never changes.
func (s *Sums[K]) Publish() Extension {
	if s.copy == nil {
		s.copy = &Sums[K]{Items: s.Items.Clone()}
	}
	return s.copy
}

// Of is the sum of a key.
func (s *Sums[K]) Of(key K) int64 {
	x, _ := s.Items.Get(Sum[K]{Of: key})
	return x.N
}

// Add changes the sum of a key.
func (s *Sums[K]) Add(key K, n int64) {
	if n == 0 {
		return
	}
	s.copy = nil
	if n += s.Of(key); n == 0 {
		s.Items.Delete(Sum[K]{Of: key})
	} else {
		s.Items.Set(Sum[K]{key, n})
	}
}
