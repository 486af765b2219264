package timeline

// This file owns what is known of a large pool's fixed things: seats that may not move, and where slots begin and end.

import "math"

// pinnedTree has seats by their ends, then slot; the value is the start, the summary the latest start.
type pinnedTree = sumTree[key, int64, int64, latest]

type latest struct{}

func (latest) leaf(_ []key, starts []int64) int64 {
	last := starts[0]
	for _, t := range starts[1:] {
		last = max(last, t)
	}
	return last
}

func (latest) join(sums []int64) int64 { return latest{}.leaf(nil, sums) }

// pinned is the seats of a large pool with a flag that may fix them, and how many slots begin and end when.
type pinned struct {
	slot    pinnedTree // out, or pinned to their slot
	article pinnedTree // pinned to their lot and no more, or choosy: not all lots may do
	begins  tree[instant, int32]
	ends    tree[instant, int32] // except for Forever
}

func (p *pinned) of(f Flags) *pinnedTree {
	switch {
	case f.Any(Out | PinnedSlot):
		return &p.slot
	case f.Any(toLot | Choosy):
		return &p.article
	}
	return nil
}

func pinnedKey(seat Span, no SlotNo) key { return timeKey(seat.End, uint32(no), 0) }

func (p *pinned) put(edit *token, f Flags, no SlotNo, seat Span) {
	switch t, k := p.of(f), pinnedKey(seat, no); {
	case t == nil:
	case edit.later != nil:
		edit.later.pinned.add(t, pending[int64]{k: k, v: seat.Start})
	default:
		t.set(edit, k, seat.Start)
	}
}

func (p *pinned) del(edit *token, f Flags, no SlotNo, seat Span) {
	switch t, k := p.of(f), pinnedKey(seat, no); {
	case t == nil:
	case edit.later != nil:
		edit.later.pinned.add(t, pending[int64]{k: k, v: seat.Start, gone: true})
	default:
		t.del(edit, k)
	}
}

func (p *pinned) live(edit *token, span Span, by int32) {
	tally(&p.begins, edit, span.Start, by)
	if span.End != Forever {
		tally(&p.ends, edit, span.End, by)
	}
}

func tally(t *tree[instant, int32], edit *token, at int64, by int32) {
	if n, _ := t.get(instant(at)); n+by != 0 {
		t.set(edit, instant(at), n+by)
	} else {
		t.del(edit, instant(at))
	}
}

// after is what the seats that end after t share; all time where there are none.
func after(t *pinnedTree, at int64) Span {
	all := always
	if t.root == nil {
		return all
	}
	from := timeKey(at+1, 0, 0)
	for n := t.root; n != nil; {
		i := childOf(n.keys, from)
		if n.in == nil {
			if i = from.search(n.keys); i < len(n.keys) {
				all = all.Clip(Span{latest{}.leaf(nil, n.vals[i:]), n.keys[i].time()})
			}
			break
		}
		if i+1 < len(n.keys) {
			all = all.Clip(Span{latest{}.join(n.in.sums[i+1 : len(n.keys)]), n.keys[i+1].time()})
		}
		n = n.in.kids[i]
	}
	return all
}

// shared is what all things have in common that end after t and never leave their slot, or with several lots their lot:
// seats that are out or pinned; slots' beginnings, as something that fills them until then; with several lots slots'
// ends, as something that fills them from then on. Seats that are merely over are not looked at.
func (p *pinned) shared(t int64, several bool) Span {
	all := after(&p.slot, t)
	if several {
		all = all.Clip(after(&p.article, t))
		if last, ok := lastKey(&p.ends); ok && last > t {
			all.Start = max(all.Start, last)
		}
	}
	p.begins.scan(instant(t+1), func(keys []instant, _ []int32) bool {
		all.End = min(all.End, int64(keys[0]))
		return false
	})
	return all
}

// alive is the stretch over which all slots are alive, of which there are some: from the latest begin to the earliest
// end.
func (p *pinned) alive() Span {
	last, _ := lastKey(&p.begins)
	all := Span{last, Forever}
	p.ends.scan(instant(always.Start), func(keys []instant, _ []int32) bool {
		all.End = int64(keys[0])
		return false
	})
	return all
}

func lastKey(t *tree[instant, int32]) (int64, bool) {
	n := t.root
	if n == nil {
		return 0, false
	}
	for n.in != nil {
		n = n.in.kids[len(n.keys)-1]
	}
	return int64(n.keys[len(n.keys)-1]), true
}

// fixedAfter is the stretch that all fixed things of a large pool share which end after t, the latest of the command's
// instant and earlier ones; empty where they share none, from math.MinInt64 to Forever where there are none. See
// pinned.shared for what counts. ok is false where p is not large: there it is quicker to look at them.
func (s *Stock) fixedAfter(p PoolRef, t int64) (shared Span, ok bool) {
	l := s.large(p)
	if l == nil {
		return Span{math.MinInt64, math.MinInt64}, false
	}
	return l.pinned.shared(t, len(s.Lots(p)) > 1), true
}
