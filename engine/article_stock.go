package engine

import (
	"cmp"
	"math"
	"slices"

	"holdfast/timeline"
)

// This file owns an article's stock in a window: what is on it, what it amounts to, and its four time series.

// ArticleStock is the stock of an article in a window. A window that is an instant has Start == End.
type ArticleStock struct {
	Window       Span
	Units        []Unavailability // that overlap the window, in id order; conflicts among them
	Events       []*ScheduledEvent
	Locations    []ArticleLocation
	Quantity     []LocationCount // units over the window's start
	Availability []LocationCount // units that can be held over the window, without buffers
	Balance      []Step          // stock less units sold for good
	Committed    []Step          // units under a booking, a buffer, a sales reservation or a conflict
	ToSell       []Step          // units that could be sold and never come back
	Utilisation  []Step          // committed in proportion to balance
}

// ArticleLocation groups the slots of an article that have equal location and range.
type ArticleLocation struct {
	Location ID
	Range    Span
	Count    int
}

// LocationCount is a number of units at a location, and since or from when; From is nil where there is no such instant.
type LocationCount struct {
	Location ID
	Count    int
	From     *int64
}

// Step is one step of a time series. Value is a whole number but in Utilisation.
type Step struct {
	Range Span
	Value float64
}

// ArticleStock reads an article's stock in a window, at all locations or, where one is given, at that one alone.
func (v View) ArticleStock(id ID, location ID, w Span, now int64) (*ArticleStock, error) {
	a := v.acc
	r := a.articles().Get(id)
	if r == nil {
		return nil, errNoArticle
	}
	x := &ArticleStock{Window: w}
	for _, e := range v.ScheduledEvents(id, w) {
		if location == (ID{}) || e.Location == location {
			x.Events = append(x.Events, e)
		}
	}
	var lots []timeline.LotNo
	for _, l := range r.lots {
		at := a.locationID(l.location)
		if location != (ID{}) && at != location {
			continue
		}
		lots = append(lots, l.no)
		a.addLotStock(x, r, l, at, now)
	}
	slices.SortFunc(x.Units, func(p, q Unavailability) int { return p.ID.Compare(q.ID) })
	a.addSeries(x, lots)
	return x, nil
}

// instantOr makes a window that may be an instant into one that is not empty.
func instantOr(w Span) Span {
	if w.Start == w.End {
		w.End++
	}
	return w
}

// addSlot counts a slot among those of its location, which stand from first on.
func addSlot(list []ArticleLocation, first int, at ID, w Span) []ArticleLocation {
	if i := slices.IndexFunc(list[first:], func(y ArticleLocation) bool { return y.Range == w }); i >= 0 {
		list[first+i].Count++
		return list
	}
	return append(list, ArticleLocation{at, w, 1})
}

func sortByRange(list []ArticleLocation) {
	slices.SortStableFunc(list, func(p, q ArticleLocation) int {
		return cmp.Or(cmp.Compare(p.Range.Start, q.Range.Start), cmp.Compare(p.Range.End, q.Range.End))
	})
}

// UnitsOf lists where units of an article are at an instant, or will be behind it.
func (v View) UnitsOf(r *Article, from int64) (list []ArticleLocation) {
	for _, l := range r.lots {
		first := len(list)
		for _, no := range v.acc.stock.Slots(l.no) {
			if s, _ := v.acc.stock.Slot(no); s.Span.End > from {
				list = addSlot(list, first, v.acc.locationID(l.location), s.Span)
			}
		}
		sortByRange(list[first:])
	}
	return list
}

func (a *account) addLotStock(x *ArticleStock, r *Article, l articleLot, at ID, now int64) {
	w := instantOr(x.Window)
	quantity := LocationCount{Location: at}
	since := int64(math.MinInt64)
	first := len(x.Locations)
	for _, no := range a.stock.Slots(l.no) {
		s, _ := a.stock.Slot(no)
		if s.Span.Holds(w.Start) {
			quantity.Count++
		}
		// The count over the window's start holds since the last change before it.
		for _, edge := range [...]int64{s.Span.Start, s.Span.End} {
			if edge <= w.Start {
				since = max(since, edge)
			}
		}
		if s.Span.Overlaps(w) {
			x.Locations = addSlot(x.Locations, first, at, s.Span)
		}
		for h := range a.stock.Holds(no, w) {
			x.Units = append(x.Units, a.unavailability(h, timeline.Place{Lot: l.no, Slot: no}))
		}
	}
	for h := range a.stock.ConflictsIn(timeline.LotRef(l.no), w) {
		x.Units = append(x.Units, a.unavailability(h, timeline.Place{Lot: l.no}))
	}
	sortByRange(x.Locations[first:])
	if since != math.MinInt64 {
		quantity.From = &since
	}
	x.Quantity = append(x.Quantity, quantity)

	free := LocationCount{Location: at}
	if r.Takes() {
		pool := timeline.LotRef(l.no)
		if free.Count = a.stock.Available(pool, w, now).Available; free.Count > 0 {
			free.From = &x.Window.Start
		} else {
			a.stock.Sweep(pool, Span{Start: w.Start, End: Forever}, func(s Span, c timeline.Count) bool {
				if c.Free() > 0 && s.Start > w.Start {
					free.From = &s.Start
				}
				return free.From == nil
			})
		}
	}
	x.Availability = append(x.Availability, free)
}

// edge is a change of an article's numbers at an instant.
type edge struct {
	at                 int64
	balance, committed int
}

// addSeries builds the four time series over some lots of an article.
func (a *account) addSeries(x *ArticleStock, lots []timeline.LotNo) {
	var edges []edge
	add := func(s Span, balance, committed int) {
		edges = append(edges, edge{s.Start, balance, committed})
		if s.End != Forever {
			edges = append(edges, edge{s.End, -balance, -committed})
		}
	}
	all := Span{Start: math.MinInt64, End: Forever}
	if x.Window.Start < x.Window.End {
		all.Start = x.Window.Start // only an instant's steps begin before the window
	}
	hold := func(h timeline.Hold, s Span) {
		if h.Kind == timeline.Sale {
			add(s, -1, 0) // sold for good
		} else {
			add(s, 0, 1)
		}
	}
	for _, no := range lots {
		for _, slot := range a.stock.Slots(no) {
			if s, _ := a.stock.Slot(slot); s.Span.Overlaps(all) {
				add(s.Span, 1, 0)
			}
			for h := range a.stock.Holds(slot, all) {
				hold(h, h.Seat())
			}
		}
		for h := range a.stock.ConflictsIn(timeline.LotRef(no), all) {
			add(h.Span, 0, 1)
		}
	}
	slices.SortFunc(edges, func(p, q edge) int { return cmp.Compare(p.at, q.at) })
	steps := levels(edges)
	// Units for sale: the least of balance less committed from each step on, without end.
	least := math.MaxInt
	toSell := make([]int, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		least = min(least, steps[i].balance-steps[i].committed)
		toSell[i] = max(0, least)
	}
	for i, s := range steps {
		r, ok := inWindow(s.Span, x.Window)
		if !ok {
			continue
		}
		use := 0.0
		if s.balance != 0 {
			use = float64(s.committed) / float64(s.balance)
		}
		for _, y := range [...]struct {
			series *[]Step
			value  float64
		}{{&x.Balance, float64(s.balance)}, {&x.Committed, float64(s.committed)}, {&x.ToSell, float64(toSell[i])}, {&x.Utilisation, use}} {
			if n := len(*y.series); n > 0 && (*y.series)[n-1].Value == y.value {
				(*y.series)[n-1].Range.End = r.End
			} else {
				*y.series = append(*y.series, Step{r, y.value})
			}
		}
	}
	if x.Window.Start == x.Window.End {
		for _, series := range [...]*[]Step{&x.Balance, &x.Committed, &x.ToSell, &x.Utilisation} {
			*series = atInstant(*series, x.Window.Start)
		}
	}
}

type level struct {
	Span
	balance, committed int
}

// levels sums edges up into steps that cover all time.
func levels(edges []edge) []level {
	steps := []level{{Span: Span{Start: math.MinInt64, End: Forever}}}
	for _, e := range edges {
		last := &steps[len(steps)-1]
		if e.at > last.Start {
			n := *last
			last.End, n.Start = e.at, e.at
			steps = append(steps, n)
			last = &steps[len(steps)-1]
		}
		last.balance += e.balance
		last.committed += e.committed
	}
	return steps
}

// inWindow cuts a step to a window; of an instant it is every step, cut to none.
func inWindow(s, w Span) (Span, bool) {
	if w.Start == w.End {
		return s, true
	}
	cut := s.Clip(w)
	return cut, !cut.Empty()
}

// atInstant keeps the one step of a joined series that holds an instant.
func atInstant(series []Step, t int64) []Step {
	for _, s := range series {
		if s.Range.Holds(t) {
			return []Step{s}
		}
	}
	return nil
}
