package engine

import (
	"math"
	"slices"

	"holdfast/timeline"
)

// This file owns the questions about kits over time: the earliest window, and the calendar.

// maxKitSteps bounds the windows that nextKits looks at, and of those the ones in which all parts are there each for itself.
const (
	maxKitSteps = 1000
	maxKitTries = 64
)

// nextKits finds the earliest window of a length, not before an instant, in which n kits can be held. It goes from one part's
// next window to another's until all have theirs at once. Of a part that another one of the kit takes from, too, that is where
// the count has enough for both; whether they are seated together is asked as Available does.
func (a *account) nextKits(s *timeline.Stock, k *kit, l *Location, notBefore, length int64, n int, until, now int64) *Span {
	if !k.item.Takes() {
		return nil
	}
	offers := k.offers(a, l, Span{Start: notBefore, End: notBefore + length}, now)
	pools := make([][]timeline.Shape, len(offers))
	var shared []timeline.Shape
	for i, f := range offers {
		others := make([]int, len(f.pinned))
		for j, m := range f.pinned {
			others[j] = n * m
		}
		if pools[i] = shapes(f.sources, others, l, length, now); f.meets() {
			shared = append(shared, pools[i]...)
		}
	}
	for t, steps, tries := notBefore, 0, 0; t < until && steps < maxKitSteps; steps++ {
		from, ok := t, false
		for i, f := range offers {
			if f.meets() {
				from, ok = s.NextCount(pools[i], n*f.quantity, from, until)
			} else {
				from, ok = s.NextFit(pools[i], n*f.quantity, from, until, now)
			}
			if !ok {
				return nil
			}
		}
		w := Span{Start: from, End: from + length}
		if from > t {
			t = from
			continue
		}
		if len(shared) == 0 || a.kitsAt(s, k, l, w, now).Available >= n {
			return &w
		}
		if tries++; tries > maxKitTries {
			return nil
		}
		if t, ok = s.NextRoom(shared, t, until); !ok {
			return nil
		}
	}
	return nil
}

// calendarOfKits counts kits in buckets as Calendar does units: at each instant, of the part that there is least of.
func (a *account) calendarOfKits(k *kit, places []*Location, w Span, zone string, size BucketSize, dst []Bucket) ([]Bucket, error) {
	var pools []timeline.PoolRef
	byPlace := make([][]offer, len(places))
	for i, l := range places {
		byPlace[i] = k.offers(a, l, w, 0)
		for _, f := range byPlace[i] {
			for _, s := range f.open() {
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
			free, demand := make([]int, len(total)), f.quantity
			for j, s := range f.open() {
				for n, b := range a.stock.Calendar([]timeline.PoolRef{s.pool}, steps, nil) {
					free[n] += b.Min
				}
				demand += f.pinned[j]
				lows[i] = append(lows[i], a.stock.Calendar([]timeline.PoolRef{s.pool}, edges, nil))
			}
			for n := range free {
				if x := floorDiv(free[n], demand); i == 0 || x < kits[n] {
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
				for _, low := range lows[i] {
					room[i] = append(room[i], low[n].Min)
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
