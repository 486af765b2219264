package hold

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the calendar of rentals: at which instants of a window one of some length can begin, and of how many
// units.

// StartQuery asks when rentals of an item can begin, in a window and by the local clock of its location, or by that of
// the account if it asks for all locations.
type StartQuery struct {
	Query  // the window is the one that they begin in; WithMoves is always the answer
	Length commerce.Period
	Times  []int64 // of day at which one may begin, in milliseconds; none: the one at which the window begins
}

// Start is an instant at which a rental may begin.
type Start struct {
	Date      timeline.Date // the local one
	Window    base.Span     // of the rental
	Available int           // units that can be held for it, with the buffers that a booking brings
	Exact     bool          // false: pinned holds made the search stop, perhaps more could be held
}

// startSearches is how often one question about starts looks for a rearrangement, all its windows together.
const startSearches = 1000

// Starts appends the starts of a window to dst: for each, what Available says has with moves of the rental that begins
// then. None is available where a hold would be refused for what it is: where the item takes none, and where the rental
// would be over by now.
func Starts(v base.View, q StartQuery, now int64, dst []Start) ([]Start, error) {
	a, first := v.Acc, len(dst)
	to, err := stock.GoingTo(a, q.Return)
	if err != nil {
		return dst, err
	}
	places, err := stock.Places(a, q.Location)
	if err != nil {
		return dst, err
	}
	dst, err = q.starts(Zone(v, q.Location), dst)
	list := dst[first:]
	if err != nil || len(list) == 0 {
		return dst, err
	}
	s := startSearch{AccountState: a, to: to, now: now, searches: startSearches, tries: commerce.KitBuckets}
	for i := range list {
		list[i].Exact = true
		s.windows = append(s.windows, list[i].Window)
	}
	if q.CatalogItem != (base.ID{}) {
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

// CountEntries is how many buckets and starts a window has, whatever the item is: so too many are refused before
// anything is counted. Where it is cut at each change, that is of one bucket at least. starts: they are asked for.
func CountEntries(v base.View, q StartQuery, size stock.BucketSize, starts bool) (int, error) {
	edges, err := stock.Edges(v.Acc, zoneAt(v.Acc, q.Location), size, nil, q.Window)
	if err != nil {
		return 0, err
	}
	n := len(edges) - 1
	if starts {
		list, err := q.starts(Zone(v, q.Location), nil)
		return n + len(list), err
	}
	return n, nil
}

// Zone is the zone of the days at a location, or at all locations together.
func Zone(v base.View, location base.ID) *timeline.Zone {
	return stock.MustZone(zoneAt(v.Acc, location))
}

// zoneAt is the name of that zone: a location's, or the account's over all.
func zoneAt(a *base.AccountState, location base.ID) string {
	if l := stock.LocationTable(a).Get(location); l != nil {
		return l.Timezone
	}
	return a.Row.Timezone
}

// starts appends the starts of a window in order of time, each instant once: a time of day that a date skips is a later
// one.
func (q *StartQuery) starts(zone *timeline.Zone, dst []Start) ([]Start, error) {
	w, first := q.Window, len(dst)
	add := func(from int64) {
		to := timeline.AddSteps(zone, from, q.Length.Amount, q.Length.Unit)
		if w.Holds(from) && to <= base.MaxInstant {
			dst = append(dst, Start{Date: timeline.DateOf(zone, from), Window: base.Span{Start: from, End: to}})
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
		if len(dst)-first > stock.MaxBuckets {
			return dst, base.InvalidAt("/length", "range", "would give more than 10000 starts")
		}
	}
	list := dst[first:]
	slices.SortFunc(list, func(x, y Start) int { return cmp.Compare(x.Window.Start, y.Window.Start) })
	list = slices.CompactFunc(list, func(x, y Start) bool { return x.Window.Start == y.Window.Start })
	return dst[:first+len(list)], nil
}

// startSearch is what one question about starts does.
type startSearch struct {
	*base.AccountState
	to       *stock.Location
	windows  []base.Span
	now      int64
	searches int // that are left of those for a rearrangement
	tries    int // and of those for what names an article, and for kits whose parts meet in a pool
}

// units adds what there is of a SKU or an article at some places.
func (s *startSearch) units(i base.Item, places []*stock.Location, list []Start) error {
	article, sku, _, err := stock.Named(s.AccountState, i)
	if err != nil {
		return err
	}
	for _, l := range places {
		for _, src := range stock.Sources(s.AccountState, nil, article, sku, l, s.windows[0], s.now) {
			if src.Closed {
				continue
			}
			for n, b := range s.over(&src, l) {
				src.Hull = s.hull(&src, l, s.windows[n])
				b = commerce.VacatedOver(s.AccountState, &src, b, s.now, &s.tries)
				list[n].Available, list[n].Exact = list[n].Available+b.Available, list[n].Exact && b.Exact
			}
		}
	}
	return nil
}

// kits adds what there is of a catalog item at some places.
func (s *startSearch) kits(id base.ID, places []*stock.Location, list []Start) error {
	k, err := commerce.KitByID(s.AccountState, id)
	if err != nil {
		return err
	}
	if !rented(k) {
		return nil
	}
	for _, l := range places {
		offers := k.Offers(s.AccountState, s.Stock, l, s.windows[0], s.now)
		held := make([][][]timeline.Bucket, len(offers))
		for i, f := range offers {
			for j := range f.Sources {
				held[i] = append(held[i], s.over(&f.Sources[j], l))
			}
		}
		for n := range list {
			w := stock.Needed(s.windows[n], l, s.to)
			for _, f := range offers {
				for j := range f.Sources {
					f.Sources[j].Hull = s.hull(&f.Sources[j], l, w)
				}
			}
			x, exact := commerce.KitsOver(s.AccountState, k, l, offers, held, n, w, false, s.now, &s.tries)
			list[n].Available, list[n].Exact = list[n].Available+x, list[n].Exact && exact
		}
	}
	return nil
}

// over is how many units of a source can be held for each window, as they are.
func (s *startSearch) over(src *stock.Source, l *stock.Location) []timeline.Bucket {
	hulls := make([]base.Span, len(s.windows))
	for i, w := range s.windows {
		hulls[i] = s.hull(src, l, w)
	}
	return s.Stock.Windows(src.Pool, hulls, s.now, &s.searches, nil)
}

// hull is what a window takes of a source.
func (s *startSearch) hull(src *stock.Source, l *stock.Location, w base.Span) base.Span {
	return timeline.Hull(stock.Needed(w, l, s.to), src.Before, src.After, l.Zone(), s.now)
}

// rented says that the kit is offered for a time.
func rented(k *commerce.Kit) bool {
	return slices.Contains(k.Item.Purchases, base.PurchaseBooking) ||
		slices.Contains(k.Item.Purchases, base.PurchaseSubscription)
}
