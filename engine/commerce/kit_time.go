package commerce

import (
	"math"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the questions about kits over time: the earliest window, and the calendar.

// NextKits finds the earliest window of a length, not before an instant, in which n kits can be held at some places
// together: where the count has enough for all parts. Whether they are seated together is asked as Available does.
func NextKits(a *base.AccountState, s *timeline.Stock, k *Kit, places []*stock.Location, to *stock.Location, notBefore,
	length int64, n int, until, now int64) *base.Span {
	if !k.Item.Takes() {
		return nil
	}
	var pools []timeline.Shape
	offers := make([][]offer, len(places))
	rooms := make([][][]int, len(places)) // by place, part and source
	for i, l := range places {
		offers[i] = k.Offers(a, s, l, base.Span{Start: notBefore, End: notBefore + length}, now)
		rooms[i] = make([][]int, len(offers[i]))
		for j, f := range offers[i] {
			rooms[i][j] = make([]int, len(f.Sources))
			pools = stock.AppendShapes(pools, f.Sources, l, to, length, now)
		}
	}
	enough := func(free []int) bool {
		kits := 0
		for i := range offers {
			for j, f := range offers[i] {
				for m, src := range f.Sources {
					if !src.Closed {
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
			kits += KitsAt(a, s, k, places[i], stock.Needed(base.Span{Start: from, End: from + length}, places[i], to),
				now).Available
		}
		return kits >= n
	}
	from, ok := s.NextWhere(pools, notBefore, until, enough, held)
	if !ok {
		return nil
	}
	return &base.Span{Start: from, End: from + length}
}

// KitBuckets is how many buckets of one calendar are seated for real where parts of a kit meet in a pool. Further
// buckets count the kits that find a unit free throughout for every part. These can be held for sure, but the count is
// not exact.
const KitBuckets = 200

// CalendarOfKits counts kits in buckets as Calendar does units: at each instant, of the part that there is least of;
// and over each bucket, what can be held. Each number is the sum of what the places have by themselves.
func CalendarOfKits(a *base.AccountState, k *Kit, places []*stock.Location, w base.Span, zone string,
	size stock.BucketSize, now int64, dst []stock.Bucket) ([]stock.Bucket, error) {
	var pools []timeline.PoolRef
	byPlace := make([][]offer, len(places))
	for i, l := range places {
		byPlace[i] = k.Offers(a, a.Stock, l, w, now)
		for _, f := range byPlace[i] {
			for _, s := range f.Sources {
				pools = append(pools, s.Pool)
			}
		}
	}
	edges, err := stock.Edges(a, zone, size, pools, w)
	if err != nil {
		return dst, err
	}
	// Between two changes all counts stand still.
	steps := slices.Concat(edges, a.Stock.Edges(pools, w, math.MaxInt))
	slices.Sort(steps)
	steps = slices.Compact(steps)
	list := make([]stock.Bucket, len(edges)-1)
	for n := range list {
		list[n] = stock.Bucket{Range: base.Span{Start: edges[n], End: edges[n+1]}, Exact: true}
	}
	left := KitBuckets
	for p, offers := range byPlace {
		kits := make([]int, len(steps)-1)
		held := make([][][]timeline.Bucket, len(offers))
		for i, f := range offers {
			of := make([]timeline.PoolRef, len(f.Sources))
			for j, s := range f.Sources {
				of[j] = s.Pool
				held[i] = append(held[i], a.Stock.Calendar(of[j:j+1], edges, now, nil))
			}
			free := a.Stock.MinFrees(of, steps, make([]int, 0, len(kits)))
			for n := range free {
				if x := floorDiv(free[n], f.demand()); i == 0 || x < kits[n] {
					kits[n] = x
				}
			}
		}
		step := 0
		for n := range list {
			b := &list[n]
			least, most := kits[step], kits[step]
			for ; step < len(kits) && steps[step] < b.Range.End; step++ {
				least, most = min(least, kits[step]), max(most, kits[step])
			}
			b.MinFree, b.MaxFree = b.MinFree+least, b.MaxFree+most
			for _, f := range offers {
				for j := range f.Sources {
					f.Sources[j].Hull = b.Range
				}
			}
			x, exact := KitsOver(a, k, places[p], offers, held, n, b.Range, true, now, &left)
			b.Available, b.Exact = b.Available+x, b.Exact && exact
		}
	}
	return append(dst, list...), nil
}

// KitsOver is how many kits can be held over the n-th of some windows at a location, where held has what can be held of
// each source over its hull. If parts meet in a pool, the kits are seated for real, as long as there are tries left.
// plain: the hulls are the window, without buffers.
func KitsOver(a *base.AccountState, k *Kit, l *stock.Location, offers []offer, held [][][]timeline.Bucket, n int,
	w base.Span, plain bool, now int64, left *int) (kits int, exact bool) {
	shared := false
	for i := range offers {
		f := &offers[i]
		room, sure := make([]int, len(f.Sources)), true
		for j := range f.Sources {
			src := &f.Sources[j]
			b := VacatedOver(a, src, held[i][j][n], now, left)
			if sure = sure && b.Exact; !src.Closed {
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
		x := kitAnswer{Availability: stock.Availability{Available: kits}}
		return x.surely(a, a.Stock, offers, now), false
	}
	*left--
	x := KitsOf(a, a.Stock, k, l, offers, w, now, plain)
	return x.Available, x.Exact
}

// VacatedOver turns what a source has over its hull into what holds that name its article can have. It adds what other
// holds can leave there, as long as there are tries left, and takes off what conflicts of its pool are counted for.
func VacatedOver(a *base.AccountState, src *stock.Source, b timeline.Bucket, now int64, left *int) timeline.Bucket {
	if !src.Named {
		return b
	}
	switch most := max(0, src.Free(a.Stock, src.Hull, now)); {
	case most < b.Available:
		b.Available, b.Exact = most, true
		return b
	case most == b.Available:
		return b
	}
	if b.Exact = false; *left > 0 {
		*left--
		x := src.Available(a.Stock, src.Hull, now)
		b.Available, b.Exact = x.Available, x.Exact
	}
	return b
}
