package timeline

// This file owns Sets: which numbers are under which term, for the filters of others, and the sets of numbers that
// filters make.

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"
)

// Bits is a set of numbers below 64 times its length.
type Bits []uint64

// Add adds a number.
func (b Bits) Add(no uint32) { b[no/64] |= 1 << (no % 64) }

// Remove takes a number out.
func (b Bits) Remove(no uint32) { b[no/64] &^= 1 << (no % 64) }

// Has says whether a number is in it.
func (b Bits) Has(no uint32) bool { return b.bit(no) != 0 }

func (b Bits) bit(no uint32) int { return int(b[no/64] >> (no % 64) & 1) }

// All yields its numbers in their order. A number that is yielded may be taken out.
func (b Bits) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i, word := range b {
			for ; word != 0; word &= word - 1 {
				if !yield(uint32(i*64 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// Count is how many numbers it has.
func (b Bits) Count() (n int) {
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// Intersect takes out what is not in another set, of the same length.
func (b Bits) Intersect(with Bits) {
	for i := range b {
		b[i] &= with[i]
	}
}

// Pick appends up to limit numbers of the set in their order, or backward, after the first skip ones.
func (b Bits) Pick(dst []uint32, skip, limit int, backward bool) []uint32 {
	for i := range b {
		at := i
		if backward {
			at = len(b) - 1 - i
		}
		word := b[at]
		if n := bits.OnesCount64(word); skip >= n {
			skip -= n
			continue
		}
		for ; word != 0 && limit > 0; skip-- {
			bit := bits.TrailingZeros64(word)
			if backward {
				bit = 63 - bits.LeadingZeros64(word)
			}
			word &^= 1 << bit
			if skip <= 0 {
				dst = append(dst, uint32(at*64+bit))
				limit--
			}
		}
		if skip = max(skip, 0); limit <= 0 {
			break
		}
	}
	return dst
}

// Term is what numbers are listed under. Terms are ordered by their bytes.
type Term [20]byte

// Next is the first term after all terms that begin with the first n bytes of t. These bytes must not all have the
// greatest value.
func (t Term) Next(n int) (next Term) {
	copy(next[:], t[:n])
	for i := n - 1; i >= 0; i-- {
		if next[i]++; next[i] != 0 {
			break
		}
	}
	return next
}

// setKey is a term, and which 64 numbers.
type setKey struct{ a, b, c uint64 }

func (t *Term) key(block uint32) setKey {
	return setKey{binary.BigEndian.Uint64(t[:]), binary.BigEndian.Uint64(t[8:]),
		uint64(binary.BigEndian.Uint32(t[16:]))<<32 | uint64(block)}
}

func (k *setKey) before(o *setKey) bool {
	if k.a != o.a {
		return k.a < o.a
	}
	return k.b < o.b || k.b == o.b && k.c < o.c
}

func (k setKey) search(run []setKey) int {
	lo, hi := 0, len(run)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if run[mid].before(&k) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// members counts the numbers of a subtree.
type members struct{}

func (members) leaf(_ []setKey, words []uint64) int32 { return int32(Bits(words).Count()) }
func (members) join(sums []int32) (n int32)           { return number[setKey, uint64]{}.join(sums) }

// Sets are sets of numbers by terms: 32 bytes for each 64 numbers in a row of which a term has any. The zero value is
// not usable: take NewSets. Publish, Add and Remove are for one writer; a published copy may be read by anyone.
type Sets struct {
	edit *token
	rows sumTree[setKey, uint64, int32, members]
}

// NewSets makes empty sets.
func NewSets() *Sets { return &Sets{edit: newToken()} }

// Publish gives a copy that never changes, in constant time.
func (s *Sets) Publish() *Sets {
	s.edit = s.edit.next()
	return &Sets{rows: s.rows}
}

// Len is how many numbers all terms have together.
func (s *Sets) Len() int {
	if s.rows.root == nil {
		return 0
	}
	return int(s.rows.root.sum())
}

// Add lists a number under a term.
func (s *Sets) Add(t Term, no uint32) {
	k := t.key(no / 64)
	word, _ := s.rows.get(k)
	s.rows.set(s.edit, k, word|1<<(no%64))
}

// Remove takes it out again.
func (s *Sets) Remove(t Term, no uint32) {
	k := t.key(no / 64)
	word, _ := s.rows.get(k)
	if word &^= 1 << (no % 64); word == 0 {
		s.rows.del(s.edit, k)
		return
	}
	s.rows.set(s.edit, k, word)
}

// Has says whether a number is listed under a term.
func (s *Sets) Has(t Term, no uint32) bool {
	word, _ := s.rows.get(t.key(no / 64))
	return word>>(no%64)&1 == 1
}

// Count is how many numbers the terms have from one on, up to another; one that several have counts as often.
func (s *Sets) Count(from, to Term) int {
	return before(&s.rows, to.key(0)) - before(&s.rows, from.key(0))
}

// Mark adds the numbers of the terms from one on, up to another, to a set.
func (s *Sets) Mark(from, to Term, in Bits) {
	end := to.key(0)
	s.rows.scan(from.key(0), func(keys []setKey, words []uint64) bool {
		n := len(keys)
		if !keys[n-1].before(&end) {
			n = end.search(keys)
		}
		for i := range keys[:n] {
			in[uint32(keys[i].c)] |= words[i]
		}
		return n == len(keys)
	})
}

// Of yields the numbers of a term, in their order.
func (s *Sets) Of(t Term) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		last := t.key(1<<32 - 1)
		s.rows.scan(t.key(0), func(keys []setKey, words []uint64) bool {
			for i := range keys {
				if last.before(&keys[i]) {
					return false
				}
				for word := words[i]; word != 0; word &= word - 1 {
					if !yield(uint32(keys[i].c)*64 + uint32(bits.TrailingZeros64(word))) {
						return false
					}
				}
			}
			return true
		})
	}
}

// SetsLoader makes Sets of numbers in whatever order; one that is mostly ascending takes the least room. One goroutine
// uses it, once.
type SetsLoader struct {
	last map[Term]int // of each term, the place of the numbers that came last
	list []setItem
}

type setItem struct {
	key  setKey
	word uint64
}

// NewSetsLoader makes an empty loader.
func NewSetsLoader() *SetsLoader { return &SetsLoader{last: map[Term]int{}} }

// Add lists a number under a term.
func (l *SetsLoader) Add(t Term, no uint32) {
	i, ok := l.last[t]
	if k := t.key(no / 64); !ok || l.list[i].key != k {
		i = len(l.list)
		l.last[t], l.list = i, append(l.list, setItem{key: k})
	}
	l.list[i].word |= 1 << (no % 64)
}

// Finish makes the sets.
func (l *SetsLoader) Finish() *Sets {
	slices.SortFunc(l.list, func(x, y setItem) int {
		switch {
		case x.key == y.key:
			return 0
		case x.key.before(&y.key):
			return -1
		}
		return 1
	})
	n := 0
	for _, x := range l.list {
		if n > 0 && l.list[n-1].key == x.key {
			l.list[n-1].word |= x.word
			continue
		}
		l.list[n] = x
		n++
	}
	s := NewSets()
	s.rows, _ = build[setKey, uint64, int32, members](s.edit, n,
		func(i int) (setKey, uint64) { return l.list[i].key, l.list[i].word })
	*l = SetsLoader{}
	return s
}
