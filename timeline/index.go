package timeline

// This file owns the time classes: which seated holds overlap a window, over the whole account.

import (
	"math"
	"math/bits"
)

// classCount is the number of length classes. Class c has lengths in [2^(c-1), 2^c) milliseconds; the last one has the
// open ends, too.
const classCount = 64

// lengthClass is the class of a span that is not empty.
func lengthClass(s Span) int { return bits.Len64(uint64(s.End - s.Start)) }

// classes has every seated hold's seat in a tree of its length class, ordered by start, then slot and lot; the value is
// the end. A seat of class c that overlaps [f, t) starts in (f - 2^c, t). So the tree needs no augmentation, and with
// factor 2 and even density at most half of the seats that are looked at do not overlap.
type classes struct {
	edit *token
	of   [classCount]tree[key, int64]
}

func (c *classes) own(edit *token) *classes {
	if c.edit == edit {
		return c
	}
	n := *c
	n.edit = edit
	return &n
}

// reach is the earliest start that a span of class c may have to last past t.
func reach(c int, t int64) int64 {
	length := int64(1)<<c - 1 // the longest; for the last class the largest number there is
	if t < math.MinInt64+length {
		return math.MinInt64
	}
	return t - length + 1
}

func (c *classes) put(edit *token, seat Span, at Place) {
	t, k := &c.of[lengthClass(seat)], timeKey(seat.Start, uint32(at.Slot), uint32(at.Lot))
	if edit.later != nil {
		edit.later.seats.add(t, pending[int64]{k: k, v: seat.End})
		return
	}
	t.set(edit, k, seat.End)
}

func (c *classes) del(edit *token, seat Span, at Place) {
	t, k := &c.of[lengthClass(seat)], timeKey(seat.Start, uint32(at.Slot), uint32(at.Lot))
	if edit.later != nil {
		edit.later.seats.add(t, pending[int64]{k: k, v: seat.End, gone: true})
		return
	}
	if _, ok := t.del(edit, k); !ok {
		panic("timeline: hold not in its time class")
	}
}

// overlapping visits the seats that share an instant with w, class by class, in each by start, then slot, until visit
// returns false.
func (c *classes) overlapping(w Span, visit func(seat Span, at Place) bool) {
	end := timeKey(w.End, 0, 0)
	for i := range c.of {
		t := &c.of[i]
		if t.len() == 0 {
			continue
		}
		on := true
		t.scan(timeKey(reach(i, w.Start), 0, 0), func(keys []key, ends []int64) bool {
			for j, k := range keys {
				if !k.before(end) {
					return false
				}
				if ends[j] > w.Start && !visit(Span{k.time(), ends[j]}, Place{LotNo(k.lower()), SlotNo(k.upper())}) {
					on = false
					return false
				}
			}
			return true
		})
		if !on {
			return
		}
	}
}
