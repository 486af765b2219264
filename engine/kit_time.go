package engine

import (
	"math"
	"slices"

	"holdfast/timeline"
)

// This file owns the questions about kits over time: the earliest window, and the calendar.

// nextKits finds the earliest window of a length, not before an instant, in which n kits can be held at some places together:
// where the count has enough for all parts. Whether they are seated together is asked as Available does.
func (a *account) nextKits(s *timeline.Stock, k *kit, places []*Location, to *Location, notBefore, length int64, n int, until, now int64) *Span {
	if !k.item.Takes() {
		return nil
	}
	var pools []timeline.Shape
	offers := make([][]offer, len(places))
	rooms := make([][][]int, len(places)) // by place, part and source
	for i, l := range places {
		offers[i] = k.offers(a, s, l, Span{Start: notBefore, End: notBefore + length}, now)
		rooms[i] = make([][]int, len(offers[i]))
		for j, f := range offers[i] {
			rooms[i][j] = make([]int, len(f.sources))
			pools = appendShapes(pools, f.sources, l, to, length, now)
		}
	}
	enough := func(free []int) bool {
		kits := 0
		for i := range offers {
			for j, f := range offers[i] {
				for m, src := range f.sources {
					if !src.closed {
						rooms[i][j][m], free = free[0], free[1:]
					}
				}
			}
			kits += mostOf(offers[i], rooms[i])
		}
		return kits >= n
	}
	held := func(from int64) bool {
		kits := 0
		for i := 0; i < len(places) && kits < n; i++ {
			kits += a.kitsAt(s, k, places[i], needed(Span{Start: from, End: from + length}, places[i], to), now).Available
		}
		return kits >= n
	}
	from, ok := s.NextWhere(pools, notBefore, until, enough, held)
	if !ok {
		return nil
	}
	return &Span{Start: from, End: from + length}
}

// kitBuckets is how many buckets of one calendar are seated for real where parts of a kit meet in a pool. Of further ones it has what finds a unit free
// throughout for every part, which can be held for sure, and is not exact.
const kitBuckets = 200

// calendarOfKits counts kits in buckets as Calendar does units: at each instant, of the part that there is least of; and over each bucket, what can be held.
func (a *account) calendarOfKits(k *kit, places []*Location, w Span, zone string, size BucketSize, now int64, dst []Bucket) ([]Bucket, error) {
	var pools []timeline.PoolRef
	byPlace := make([][]offer, len(places))
	for i, l := range places {
		byPlace[i] = k.offers(a, a.stock, l, w, now)
		for _, f := range byPlace[i] {
			for _, s := range f.sources {
				pools = append(pools, s.pool)
			}
		}
	}
	edges, err := a.edges(zone, size, pools, w)
	if err != nil {
		return dst, err
	}
	// Between two changes all counts stand still.
	steps := slices.Concat(edges, a.stock.Edges(pools, w, math.MaxInt))
	slices.Sort(steps)
	steps = slices.Compact(steps)
	total := make([]int, len(steps)-1)
	list := make([]Bucket, len(edges)-1)
	for n := range list {
		list[n] = Bucket{Range: Span{Start: edges[n], End: edges[n+1]}, Exact: true}
	}
	left := kitBuckets
	for p, offers := range byPlace {
		kits := make([]int, len(total))
		held := make([][][]timeline.Bucket, len(offers))
		for i, f := range offers {
			free := make([]int, len(total))
			for _, s := range f.sources {
				for n, least := range a.stock.MinFrees(s.pool, steps, nil) {
					free[n] += least
				}
				held[i] = append(held[i], a.stock.Calendar([]timeline.PoolRef{s.pool}, edges, now, nil))
			}
			for n := range free {
				if x := floorDiv(free[n], f.demand()); i == 0 || x < kits[n] {
					kits[n] = x
				}
			}
		}
		for n := range kits {
			total[n] += kits[n]
		}
		for n := range list {
			for _, f := range offers {
				for j := range f.sources {
					f.sources[j].hull = list[n].Range
				}
			}
			x, exact := a.kitsOver(k, places[p], offers, held, n, list[n].Range, true, now, &left)
			list[n].Available, list[n].Exact = list[n].Available+x, list[n].Exact && exact
		}
	}
	for n, step := 0, 0; n < len(list); n++ {
		b := &list[n]
		b.MinFree, b.MaxFree = total[step], total[step]
		for ; step < len(total) && steps[step] < b.Range.End; step++ {
			b.MinFree, b.MaxFree = min(b.MinFree, total[step]), max(b.MaxFree, total[step])
		}
	}
	return append(dst, list...), nil
}

// kitsOver is how many kits can be held over the n-th of some windows at a location, where held has what can be held of each source as it is over its hull. Where
// parts meet in a pool it is tried, as long as there are tries left. plain: the hulls are the window, without buffers.
func (a *account) kitsOver(k *kit, l *Location, offers []offer, held [][][]timeline.Bucket, n int, w Span, plain bool, now int64, left *int) (kits int, exact bool) {
	shared := false
	for i := range offers {
		f := &offers[i]
		room, sure := make([]int, len(f.sources)), true
		for j := range f.sources {
			src := &f.sources[j]
			b := a.vacatedOver(src, held[i][j][n], now, left)
			if sure = sure && b.Exact; !src.closed {
				room[j] = b.Available
			}
		}
		shared = shared || f.meets
		switch most := f.most(room); {
		case i == 0 || most < kits:
			kits, exact = most, sure
		case most == kits:
			exact = exact || sure
		}
	}
	switch {
	case !shared || kits == 0 && exact:
		return kits, exact
	case *left == 0:
		x := kitAnswer{Availability: Availability{Available: kits}}
		return x.surely(a, a.stock, offers, now), false
	}
	*left--
	x := a.kitsOf(a.stock, k, l, offers, w, now, plain)
	return x.Available, x.Exact
}

// vacatedOver adds to what a source has over its hull what others leave there for who names its article, as long as there are tries left.
func (a *account) vacatedOver(src *source, b timeline.Bucket, now int64, left *int) timeline.Bucket {
	if !src.named || src.free(a.stock, src.hull, now) <= b.Available {
		return b
	}
	if b.Exact = false; *left > 0 {
		*left--
		x := src.available(a.stock, src.hull, now)
		b.Available, b.Exact = x.Available, x.Exact
	}
	return b
}
