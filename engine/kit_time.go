package engine

import (
	"math"
	"slices"

	"holdfast/timeline"
)

// This file owns the questions about kits over time: the earliest window, and the calendar.

// nextKits finds the earliest window of a length, not before an instant, in which n kits can be held at some places together:
// where the count has enough for all parts. Whether they are seated together is asked as Available does.
func (a *account) nextKits(s *timeline.Stock, k *kit, places []*Location, notBefore, length int64, n int, until, now int64) *Span {
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
			pools = appendShapes(pools, f.sources, l, length, now)
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
			kits += a.kitsAt(s, k, places[i], Span{Start: from, End: from + length}, now).Available
		}
		return kits >= n
	}
	from, ok := s.NextWhere(pools, notBefore, until, enough, held)
	if !ok {
		return nil
	}
	return &Span{Start: from, End: from + length}
}

// calendarOfKits counts kits in buckets as Calendar does units: at each instant, of the part that there is least of.
func (a *account) calendarOfKits(k *kit, places []*Location, w Span, zone string, size BucketSize, dst []Bucket) ([]Bucket, error) {
	var pools []timeline.PoolRef
	byPlace := make([][]offer, len(places))
	for i, l := range places {
		byPlace[i] = k.offers(a, a.stock, l, w, 0)
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
	available := make([]int, len(edges)-1)
	for _, offers := range byPlace {
		kits := make([]int, len(total))
		lows := make([][][]timeline.Bucket, len(offers))
		for i, f := range offers {
			free := make([]int, len(total))
			for _, s := range f.sources {
				for n, b := range a.stock.Calendar([]timeline.PoolRef{s.pool}, steps, nil) {
					free[n] += b.Min
				}
				lows[i] = append(lows[i], a.stock.Calendar([]timeline.PoolRef{s.pool}, edges, nil))
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
		room := make([][]int, len(offers))
		for n := range available {
			for i := range offers {
				room[i] = room[i][:0]
				for j, low := range lows[i] {
					free := 0
					if !offers[i].sources[j].closed {
						free = low[n].Min
					}
					room[i] = append(room[i], free)
				}
			}
			available[n] += mostOf(offers, room)
		}
	}
	for n, step := 0, 0; n < len(available); n++ {
		b := Bucket{Span{Start: edges[n], End: edges[n+1]}, total[step], total[step], available[n]}
		for ; step < len(total) && steps[step] < edges[n+1]; step++ {
			b.MinFree, b.MaxFree = min(b.MinFree, total[step]), max(b.MaxFree, total[step])
		}
		dst = append(dst, b)
	}
	return dst, nil
}
