package stock

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns an article's stock in a window: what is on it, what it amounts to, and its four time series.

// ArticleStock is the stock of an article in a window. A window that is an instant has Start == End. It may be read
// into again and again, which uses its memory again.
type ArticleStock struct {
	Window       base.Span
	Most         int               // how many units and conflicts there may be here; 0: MaxListed
	Bookable     bool              // Availability is what can be booked over the window
	Units        []Unavailability  // that overlap the window, in id order; conflicts among them; the first
	Taken        int               // how many there are
	Conflicts    []Unavailability  // of all that overlap the window, in id order; the first
	Conflicted   int               // how many there are
	Events       []*ScheduledEvent // by start, then id
	Locations    []ArticleLocation
	Quantity     []LocationCount // units over the window's start
	Availability []LocationCount // units that can be held over the window, without buffers; or where Bookable with them
	Balance      []Step          // stock; what was sold has left it
	Committed    []Step          // units under a booking, a buffer, a sales reservation or a conflict
	ToSell       []Step          // units that could be sold and never come back
	Utilisation  []Step          // committed in proportion to balance

	ledger stockLedger
	units  base.FirstOf[timeline.Placed]
	short  base.FirstOf[timeline.Placed] // conflicts
}

// Reset empties the stock, for another window.
func (x *ArticleStock) Reset(w base.Span) {
	*x = ArticleStock{
		Window: w, Most: x.Most, Bookable: x.Bookable, Units: x.Units[:0], Conflicts: x.Conflicts[:0],
		Events: x.Events[:0], Locations: x.Locations[:0], Quantity: x.Quantity[:0],
		Availability: x.Availability[:0], Balance: x.Balance[:0], Committed: x.Committed[:0], ToSell: x.ToSell[:0],
		Utilisation: x.Utilisation[:0], ledger: x.ledger,
		units: x.units, short: x.short,
	}
}

// ArticleLocation groups the slots of an article that have equal location and range.
type ArticleLocation struct {
	Location base.ID
	Range    base.Span
	Count    int
}

// LocationCount is a number of units at a location, and since or from when; From is nil where there is no such instant.
//
// For units that can be held over a window, From is its start if there are some. If there are none, a unit can be held
// from the start up to some instant and no further (up to the start itself, if none is free there); From is then the
// first instant from which one can be held beyond that. So From never lies before what is in the way, and never at an
// instant where a unit only leaves; it is always an instant where something ends. For units that can be booked, if
// there are none, From is the start of the earliest later window of this length over which one can be booked.
type LocationCount struct {
	Location base.ID
	Count    int
	From     *int64
	Exact    bool // of units that can be held; false: pinned holds made the search stop, perhaps more could be held
}

// Step is one step of a time series. Value is a whole number but in Utilisation.
type Step struct {
	Range base.Span
	Value float64
}

// FillArticleStock reads an article's stock in a window, at all locations or, where one is given, at that one alone.
func FillArticleStock(v base.View, x *ArticleStock, id base.ID, location base.ID, w base.Span, now int64) error {
	a := v.Acc
	r := ArticleTable(a).Get(id)
	if r == nil {
		return ErrNoArticle
	}
	x.Reset(w)
	x.Events = ScheduledEvents(v, x.Events, id, location, w)
	lots := r.Lots
	if location != (base.ID{}) {
		i := slices.IndexFunc(lots, func(l ArticleLot) bool { return LocationKind.IDOf(a, l.Location) == location })
		lots = lots[max(i, 0) : i+1]
	}
	most := cmp.Or(x.Most, base.MaxListed)
	x.units.Begin(most, byID)
	x.short.Begin(most, byID)
	for _, l := range lots {
		addLotStock(a, x, r, l, LocationKind.IDOf(a, l.Location), now)
	}
	for _, u := range x.units.List() {
		x.Units = append(x.Units, UnavailabilityAt(a, u.Hold, u.Place))
	}
	for _, u := range x.short.List() {
		x.Conflicts = append(x.Conflicts, UnavailabilityAt(a, u.Hold, u.Place))
	}
	x.Taken, x.Conflicted = x.units.Total, x.short.Total
	x.fillSeries(a, lots)
	return nil
}

// firstBack is how far back it is first looked for where the steps at an instant begin; each further look goes back so
// many times as far.
const (
	firstBack   = 64 * 24 * 60 * 60 * 1000
	furtherBack = 16
)

// fillSeries makes the four time series. Those of an instant are the steps that hold it, which are not cut. To find
// where these begin it is looked back in few stretches: what was committed years ago seldom matters.
func (x *ArticleStock) fillSeries(a *base.AccountState, lots []ArticleLot) {
	w, g := x.Window, &x.ledger
	if w.Start < w.End {
		g.over = w
		g.fill(a, lots, w.Start)
		x.addSeries()
		return
	}
	g.over = base.Span{Start: math.MinInt64, End: base.Forever}
	for back := int64(firstBack); ; back *= furtherBack {
		since := w.Start - back
		if since < 0 {
			since = math.MinInt64
		}
		g.fill(a, lots, since)
		x.addSeries()
		if since == math.MinInt64 {
			return
		}
		if min(x.Committed[0].Range.Start, x.Utilisation[0].Range.Start) > since {
			if sold := &x.ToSell[0].Range; sold.Start <= since {
				sold.Start = soldSince(a, lots, w.Start)
			}
			return
		}
	}
}

// soldSince is from when on as many units of some lots can be sold as at an instant: the more the later, as what counts
// is the least that are free from then on.
func soldSince(a *base.AccountState, lots []ArticleLot, at int64) int64 {
	since := int64(math.MinInt64)
	for _, l := range lots {
		pool := timeline.LotRef(l.No)
		if free, _, _, _ := a.Stock.MinFree(pool, base.Span{Start: at, End: base.Forever}); free > 0 {
			since = max(since, a.Stock.LastBelow(pool, at, free))
		}
	}
	return since
}

// InstantOr makes a window that may be an instant into one that is not empty.
func InstantOr(w base.Span) base.Span {
	if w.Start == w.End {
		w.End++
	}
	return w
}

// joinSlot adds a slot to those of its location, which begin at first. One with the range of the slot before it, as
// most have, is counted there.
func joinSlot(list []ArticleLocation, first int, at base.ID, r base.Span) []ArticleLocation {
	if n := len(list); n > first && list[n-1].Range == r {
		list[n-1].Count++
		return list
	}
	return append(list, ArticleLocation{at, r, 1})
}

// joinSlots orders slots of one location by their range, and counts those of equal ranges together. It returns how many
// ranges there are.
func joinSlots(list []ArticleLocation) (n int) {
	slices.SortFunc(list, func(p, q ArticleLocation) int {
		return cmp.Or(cmp.Compare(p.Range.Start, q.Range.Start), cmp.Compare(p.Range.End, q.Range.End))
	})
	for _, x := range list {
		if n > 0 && list[n-1].Range == x.Range {
			list[n-1].Count += x.Count
			continue
		}
		list[n] = x
		n++
	}
	return n
}

func addLotStock(a *base.AccountState, x *ArticleStock, r *Article, l ArticleLot, at base.ID, now int64) {
	w, pool := InstantOr(x.Window), timeline.LotRef(l.No)
	quantity := LocationCount{Location: at}
	since := int64(math.MinInt64)
	first := len(x.Locations)
	for _, no := range a.Stock.Slots(l.No) {
		s, _ := a.Stock.Slot(no)
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
			x.Locations = joinSlot(x.Locations, first, at, s.Span)
		}
		for h := range a.Stock.Holds(no, w) {
			x.units.Add(timeline.Placed{Hold: h, Place: timeline.Place{Lot: l.No, Slot: no}})
		}
	}
	for h := range a.Stock.ConflictsIn(pool, w) {
		x.units.Add(timeline.Placed{Hold: h, Place: timeline.Place{Lot: l.No}})
		x.short.Add(timeline.Placed{Hold: h, Place: timeline.Place{Lot: l.No}})
	}
	History(a, l.No, w, x.units.Add)
	x.Locations = x.Locations[:first+joinSlots(x.Locations[first:])]
	if since != math.MinInt64 {
		quantity.From = &since
	}
	x.Quantity = append(x.Quantity, quantity)

	free := LocationCount{Location: at, Exact: true}
	switch {
	case x.Bookable:
		free = bookable(a, x, r, l, now)
	case r.Takes():
		answer := a.Stock.Available(pool, w, now)
		if free.Count, free.Exact = answer.Available, answer.Exact; free.Count > 0 {
			free.From = &x.Window.Start
		} else {
			free.From = freeFrom(a, pool, w, now)
		}
	}
	x.Availability = append(x.Availability, free)
}

// bookable is how many units a booking of the window can have of an article at a location, as Available has it with
// moves: none over a window that is over.
func bookable(a *base.AccountState, x *ArticleStock, r *Article, l ArticleLot, now int64) LocationCount {
	at, w := LocationTable(a).No(l.Location), InstantOr(x.Window)
	free := LocationCount{Location: LocationKind.IDOf(a, l.Location), Exact: true}
	if at == nil || !r.Takes() {
		return free
	}
	src := Sources(a, nil, r, nil, at, w, now)[0]
	if w.End > now {
		answer := src.Available(a.Stock, src.Hull, now)
		free.Count, free.Exact = answer.Available, answer.Exact
	}
	if free.Count > 0 {
		free.From = &x.Window.Start
	} else {
		from := max(w.Start, now-w.Length()+1)
		if next := NextFit(a, a.Stock, r, nil, nil, []*Location{at}, nil, from, w.Length(), 1,
			min(from+SearchSpan, base.MaxInstant-w.Length()), now); next != nil {
			free.From = &next.Start
		}
	}
	return free
}

// freeFrom is the first instant from which a unit of a lot can be held longer than from the start of a window, over
// which none can be; nil where there is none.
func freeFrom(a *base.AccountState, p timeline.PoolRef, w base.Span, now int64) (from *int64) {
	bar, barred := w.End, false // where none is free
	a.Stock.Sweep(p, base.Span{Start: w.Start, End: base.Forever}, func(s base.Span, c timeline.Count) bool {
		switch {
		case !barred:
			if barred = c.Free() < 1; barred {
				bar = s.Start
			}
			return barred || s.End < w.End
		case c.Free() > 0:
			from = &s.Start
		}
		return from == nil
	})
	if bar == w.Start || a.Stock.Available(p, base.Span{Start: w.Start, End: bar}, now).Available > 0 {
		return from
	}
	// A unit is free at every instant up to there, and what is pinned is in the way.
	turns := append(turns(a, p, base.Span{Start: w.Start, End: bar}), bar)
	held := sort.Search(len(turns)-1, func(i int) bool {
		return a.Stock.Available(p, base.Span{Start: w.Start, End: turns[i]}, now).Available < 1
	}) - 1 // the last up to which a unit can be held
	begin := sort.Search(held, func(i int) bool {
		return a.Stock.Available(p, base.Span{Start: turns[i], End: turns[held+1]}, now).Available > 0
	})
	return &turns[begin]
}

// turns lists the instants inside w at which something of a lot begins or ends.
func turns(a *base.AccountState, p timeline.PoolRef, w base.Span) (list []int64) {
	note := func(s base.Span) {
		for _, t := range [...]int64{s.Start, s.End} {
			if w.Start < t && t < w.End {
				list = append(list, t)
			}
		}
	}
	no, _ := p.Lot()
	for _, slot := range a.Stock.Slots(no) {
		s, _ := a.Stock.Slot(slot)
		note(s.Span)
		for h := range a.Stock.Holds(slot, w) {
			note(h.Seat())
		}
	}
	for h := range a.Stock.ConflictsIn(p, w) {
		note(h.Span)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// stockLedger adds an article's numbers up over a stretch of time, lot by lot.
type stockLedger struct {
	over  base.Span
	total numbers // where it begins
	edges []edge
	steps []edge // of the present lot: what is committed and can be sold from then on
}

// numbers are what an article has at an instant, or a change of it.
type numbers struct{ balance, committed, toSell int }

func (n *numbers) add(x numbers) {
	n.balance += x.balance
	n.committed += x.committed
	n.toSell += x.toSell
}

// edge is a change of the numbers at an instant.
type edge struct {
	at int64
	by numbers
}

// fill adds lots up, anew. What is committed of them, and can be sold, only since an instant.
func (g *stockLedger) fill(a *base.AccountState, lots []ArticleLot, since int64) {
	*g = stockLedger{over: g.over, edges: g.edges[:0], steps: g.steps[:0]}
	for _, l := range lots {
		g.add(a.Stock, l.No, since)
	}
}

// note adds a change at an instant.
func (g *stockLedger) note(at int64, by numbers) {
	if at <= g.over.Start {
		g.total.add(by)
	} else if at < g.over.End {
		g.edges = append(g.edges, edge{at, by})
	}
}

// add adds a lot. Of it can be sold, at each instant, the least that are free from there on, without end; a unit of one
// lot does not stand in for one of another.
func (g *stockLedger) add(s *timeline.Stock, no timeline.LotNo, since int64) {
	for _, slot := range s.Slots(no) {
		if x, _ := s.Slot(slot); x.Span.Overlaps(g.over) {
			g.note(x.Span.Start, numbers{balance: 1})
			g.note(x.Span.End, numbers{balance: -1})
		}
	}
	g.steps = g.steps[:0]
	lot := timeline.LotRef(no)
	s.Sweep(lot, base.Span{Start: since, End: g.over.End}, func(x base.Span, c timeline.Count) bool {
		g.steps = append(g.steps, edge{x.Start, numbers{committed: c.Committed, toSell: c.Free()}})
		return true
	})
	least := math.MaxInt // that are free from there on
	if end := g.over.End; end < base.Forever {
		least, _, _, _ = s.MinFree(lot, base.Span{Start: end, End: base.Forever})
	}
	for i := len(g.steps) - 1; i >= 0; i-- {
		n := &g.steps[i].by
		least = min(least, n.toSell)
		n.toSell = max(0, least)
	}
	var was numbers
	for _, x := range g.steps {
		g.note(x.at, numbers{committed: x.by.committed - was.committed, toSell: x.by.toSell - was.toSell})
		was = x.by
	}
}

// addSeries makes the four time series of what the ledger has.
func (x *ArticleStock) addSeries() {
	g := &x.ledger
	x.Balance, x.Committed, x.ToSell, x.Utilisation = x.Balance[:0], x.Committed[:0], x.ToSell[:0], x.Utilisation[:0]
	slices.SortFunc(g.edges, func(p, q edge) int { return cmp.Compare(p.at, q.at) })
	from, now := g.over.Start, g.total
	for _, e := range g.edges {
		if e.at > from {
			x.addLevel(base.Span{Start: from, End: e.at}, now)
			from = e.at
		}
		now.add(e.by)
	}
	x.addLevel(base.Span{Start: from, End: g.over.End}, now)
	if x.Window.Start == x.Window.End {
		for _, series := range [...]*[]Step{&x.Balance, &x.Committed, &x.ToSell, &x.Utilisation} {
			*series = atInstant(*series, x.Window.Start)
		}
	}
}

// addLevel adds a stretch over which the numbers stay the same to the four time series.
func (x *ArticleStock) addLevel(over base.Span, n numbers) {
	use := 0.0
	if n.balance != 0 {
		use = float64(n.committed) / float64(n.balance)
	}
	addStep(&x.Balance, over, float64(n.balance))
	addStep(&x.Committed, over, float64(n.committed))
	addStep(&x.ToSell, over, float64(n.toSell))
	addStep(&x.Utilisation, over, use)
}

// addStep appends a step to a series, or makes its last one longer.
func addStep(series *[]Step, r base.Span, value float64) {
	if n := len(*series); n > 0 && (*series)[n-1].Value == value {
		(*series)[n-1].Range.End = r.End
	} else {
		*series = append(*series, Step{r, value})
	}
}

// atInstant keeps the one step of a joined series that holds an instant.
func atInstant(series []Step, t int64) []Step {
	for _, s := range series {
		if s.Range.Holds(t) {
			return append(series[:0], s)
		}
	}
	return series[:0]
}

// ArticleUnits reads what is taken of an article in a window, in id order, and how much that is. An instant has Start
// == End.
func ArticleUnits(v base.View, id base.ID, w base.Span, p base.Part) (list []Unavailability, total int, err error) {
	r := ArticleTable(v.Acc).Get(id)
	if r == nil {
		return nil, 0, ErrNoArticle
	}
	w = InstantOr(w)
	var f base.FirstOf[timeline.Placed]
	f.Begin(p.Offset+p.Limit, byID)
	for _, l := range r.Lots {
		for _, no := range v.Acc.Stock.Slots(l.No) {
			for h := range v.Acc.Stock.Holds(no, w) {
				f.Add(timeline.Placed{Hold: h, Place: timeline.Place{Lot: l.No, Slot: no}})
			}
		}
		History(v.Acc, l.No, w, f.Add)
		for h := range v.Acc.Stock.ConflictsIn(timeline.LotRef(l.No), w) {
			f.Add(timeline.Placed{Hold: h, Place: timeline.Place{Lot: l.No}})
		}
	}
	for _, u := range base.PartOf(f.List(), p) {
		list = append(list, UnavailabilityAt(v.Acc, u.Hold, u.Place))
	}
	return list, f.Total, nil
}

// byID is the order of units by id.
func byID(a, b timeline.Placed) int { return a.ID.Compare(b.ID) }
