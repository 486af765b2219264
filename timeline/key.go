package timeline

// This file owns the keys of the ordered sets.

import "encoding/binary"

// sorter is a key that finds its place in a sorted run. It is one call a node: the comparisons inside are not generic
// and get inlined.
type sorter[K any] interface {
	comparable
	search(run []K) int // index of the first key that does not come before this one
}

// key orders by hi, then lo. It is an id, or an instant and two numbers.
type key struct{ hi, lo uint64 }

// timeKey orders by an instant, then by two numbers.
func timeKey(t int64, a, b uint32) key { return key{uint64(t) ^ 1<<63, uint64(a)<<32 | uint64(b)} }

func (a ID) key() key { return key{binary.BigEndian.Uint64(a[:8]), binary.BigEndian.Uint64(a[8:])} }

func (k key) before(o key) bool { return k.hi < o.hi || k.hi == o.hi && k.lo < o.lo }

func (k key) compare(o key) int {
	switch {
	case k == o:
		return 0
	case k.before(o):
		return -1
	}
	return 1
}

func (k key) time() int64   { return int64(k.hi ^ 1<<63) }
func (k key) upper() uint32 { return uint32(k.lo >> 32) }
func (k key) lower() uint32 { return uint32(k.lo) }

func (k key) id() (id ID) {
	binary.BigEndian.PutUint64(id[:8], k.hi)
	binary.BigEndian.PutUint64(id[8:], k.lo)
	return id
}

// search branches on purpose: a leaf is rarely in the cache, and the processor reads ahead on both sides of a guess.
// Comparing without a branch took a third longer.
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

// instant is a key of time alone.
type instant int64

func (t instant) search(run []instant) int {
	lo, hi := 0, len(run)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if run[mid] < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
