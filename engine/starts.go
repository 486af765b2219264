package engine

import (
	"cmp"
	"slices"

	"holdfast/timeline"
)

// This file owns the calendar of rentals: at which instants of a window one of some length can begin, and of how many units.

// StartQuery asks when rentals of an item can begin, in a window and by the local clock of its location, or of the account over all.
type StartQuery struct {
	Query  // the window is the one that they begin in; WithMoves is always what is told
	Length Period
	Times  []int64 // of day at which one may begin, in milliseconds; none: the one at which the window begins
}

// Start is an instant at which a rental may begin.
type Start struct {
	Date      timeline.Date // the local one
	Window    Span          // of the rental
	Available int           // units that can be held for it, with the buffers that a booking brings
	Exact     bool          // false: pinned holds made the search stop, perhaps more could be held
}

// startSearches is how often one question about starts looks for a rearrangement, all its windows together.
const startSearches = 1000

// Starts appends the starts of a window to dst: for each, what Available says has with moves of the rental that begins then. None is available where a hold would be
// refused for what it is: where the item takes none, and where the rental would be over by now.
func (v View) Starts(q StartQuery, now int64, dst []Start) ([]Start, error) {
	a, first := v.acc, len(dst)
	to, err := a.goingTo(q.Return)
	if err != nil {
		return dst, err
	}
	places, err := a.places(q.Location)
	if err != nil {
		return dst, err
	}
	dst, err = q.starts(v.Zone(q.Location), dst)
	list := dst[first:]
	if err != nil || len(list) == 0 {
		return dst, err
	}
	s := startSearch{account: a, to: to, now: now, searches: startSearches, tries: kitBuckets}
	for i := range list {
		list[i].Exact = true
		s.windows = append(s.windows, list[i].Window)
	}
	if q.CatalogItem != (ID{}) {
		err = s.kits(q.CatalogItem, places, list)
	} else {
		err = s.units(q.Item, places, list)
	}
	for i := range list {
		if x := &list[i]; x.Window.End <= now {
			x.Available, x.Exact = 0, true
		}
	}
	return dst, err
}

// Zone is the zone that days are told in at a location, or over all.
func (v View) Zone(location ID) *timeline.Zone { return mustZone(v.acc.zoneAt(location)) }

// zoneAt is the name of that zone: a location's, or the account's over all.
func (a *account) zoneAt(location ID) string {
	if l := a.locations().Get(location); l != nil {
		return l.Timezone
	}
	return a.row.Timezone
}

// starts appends the starts of a window in order of time, each instant once: a time of day that a date skips is a later one.
func (q *StartQuery) starts(zone *timeline.Zone, dst []Start) ([]Start, error) {
	w, first := q.Window, len(dst)
	add := func(from int64) {
		to := timeline.AddSteps(zone, from, q.Length.Amount, q.Length.Unit)
		if w.Holds(from) && to <= maxInstant {
			dst = append(dst, Start{Date: timeline.DateOf(zone, from), Window: Span{Start: from, End: to}})
		}
	}
	begin, times := timeline.DateOf(zone, w.Start), q.Times
	if len(times) == 0 { // of the two instants that a clock shows alike the window begins at the one that was said
		add(w.Start)
		begin, times = begin.AddDays(1), []int64{timeline.ClockOf(zone, w.Start)}
	}
	for d := begin; ; d = d.AddDays(1) {
		if t, _ := timeline.DayStart(zone, d); t >= w.End {
			break
		}
		for _, clock := range times {
			add(timeline.WallInstant(zone, d, clock))
		}
		if len(dst)-first > maxBuckets {
			return dst, invalid([]Fault{{In: "query", Pointer: "length", Code: "range", Message: "would give more than 10000 starts"}})
		}
	}
	list := dst[first:]
	slices.SortFunc(list, func(x, y Start) int { return cmp.Compare(x.Window.Start, y.Window.Start) })
	list = slices.CompactFunc(list, func(x, y Start) bool { return x.Window.Start == y.Window.Start })
	return dst[:first+len(list)], nil
}

// startSearch is what one question about starts does.
type startSearch struct {
	*account
	to       *Location
	windows  []Span
	now      int64
	searches int // that are left of those for a rearrangement
	tries    int // and of those for what names an article, and for kits whose parts meet in a pool
}

// units adds what there is of a SKU or an article at some places.
func (s *startSearch) units(i Item, places []*Location, list []Start) error {
	article, sku, _, err := s.named(i)
	if err != nil {
		return err
	}
	for _, l := range places {
		for _, src := range s.sources(nil, article, sku, l, s.windows[0], s.now) {
			if src.closed {
				continue
			}
			for n, b := range s.over(&src, l) {
				src.hull = s.hull(&src, l, s.windows[n])
				b = s.vacatedOver(&src, b, s.now, &s.tries)
				list[n].Available, list[n].Exact = list[n].Available+b.Available, list[n].Exact && b.Exact
			}
		}
	}
	return nil
}

// kits adds what there is of a catalog item at some places.
func (s *startSearch) kits(id ID, places []*Location, list []Start) error {
	k, err := s.kit(id)
	if err != nil {
		return err
	}
	if !k.rented() {
		return nil
	}
	for _, l := range places {
		offers := k.offers(s.account, s.stock, l, s.windows[0], s.now)
		held := make([][][]timeline.Bucket, len(offers))
		for i, f := range offers {
			for j := range f.sources {
				held[i] = append(held[i], s.over(&f.sources[j], l))
			}
		}
		for n := range list {
			w := needed(s.windows[n], l, s.to)
			for _, f := range offers {
				for j := range f.sources {
					f.sources[j].hull = s.hull(&f.sources[j], l, w)
				}
			}
			x, exact := s.kitsOver(k, l, offers, held, n, w, false, s.now, &s.tries)
			list[n].Available, list[n].Exact = list[n].Available+x, list[n].Exact && exact
		}
	}
	return nil
}

// over is how many units of a source can be held for each window, as they are.
func (s *startSearch) over(src *source, l *Location) []timeline.Bucket {
	hulls := make([]Span, len(s.windows))
	for i, w := range s.windows {
		hulls[i] = s.hull(src, l, w)
	}
	return s.stock.Windows(src.pool, hulls, s.now, &s.searches, nil)
}

// hull is what a window takes of a source.
func (s *startSearch) hull(src *source, l *Location, w Span) Span {
	return timeline.Hull(needed(w, l, s.to), src.before, src.after, l.Zone(), s.now)
}

// rented says that the kit is offered for a time.
func (k *kit) rented() bool {
	return slices.Contains(k.item.Purchases, PurchaseBooking) || slices.Contains(k.item.Purchases, PurchaseSubscription)
}
