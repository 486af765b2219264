package engine

import (
	"cmp"
	"math"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the pictures of stock in time: what is on articles as bars, and how many units of SKUs are free day by
// day.

// Bar is a unit that is taken, with what a picture of it needs.
type Bar struct {
	ID       base.ID
	Range    base.Span // the hull: buffers and body
	Body     base.Span
	Kind     timeline.Kind
	Flags    timeline.Flags
	Owner    base.ID // the hold, order or scheduled event that it belongs to, as Flags.Blocker says
	Number   uint32
	Label    string // what it is for: an order's customer, a hold's note, an event's name
	Location base.ID
	Slot     base.ID // zero: a conflict
	Due      int64   // of a unit of an order that is out for longer than it was to be: when it was due; 0 else
	GoesTo   base.ID // of a unit that comes back elsewhere: the location where it is to be then; zero else
}

// ArticleBars is what is on an article in a window. It may be read into again and again.
type ArticleBars struct {
	Units     int   // the most units at an instant of the window
	Bars      []Bar // what has a unit, by the start of its body, then by id; the first
	Taken     int   // how many there are
	Conflicts []Bar // what has none, in the same order; the first
	Short     int   // how many there are
	Events    []*stock.ScheduledEvent
	// where the count changes, the window's start first: of more units than one, or of one that comes or goes; empty
	// else
	Steps   []int64
	Counts  []timeline.Count // the units there and those taken of them, from each step on
	Stepped bool             // these are all steps

	units, short base.FirstOf[barUnit] // what bars are made of
	lots         []timeline.PoolRef
	changes      []countChange
}

// countChange is by how much counts change at an instant.
type countChange struct {
	at int64
	by timeline.Count
}

// inTime puts changes in order, those of one instant beside each other.
func inTime(list []countChange) {
	slices.SortFunc(list, func(a, b countChange) int { return cmp.Compare(a.at, b.at) })
}

// barUnit is a unit that is taken, before its bar is made: of many only the first have one.
type barUnit struct {
	timeline.Hold
	location, slot base.ID // slot is zero: a conflict
}

// compare orders them by the start of their bodies, then by id.
func (u barUnit) compare(o barUnit) int {
	return cmp.Or(cmp.Compare(u.Body().Start, o.Body().Start), u.ID.Compare(o.ID))
}

// Reset forgets what was read, and also the room for it where that is for more units than so many.
func (x *ArticleBars) Reset(most int) {
	if x.units.Cap() > most || x.short.Cap() > most || cap(x.changes) > most {
		*x = ArticleBars{}
	}
	*x = ArticleBars{
		Bars: x.Bars[:0], Conflicts: x.Conflicts[:0], Events: x.Events[:0], Steps: x.Steps[:0], Counts: x.Counts[:0],
		units: x.units, short: x.short,
		lots: x.lots[:0], changes: x.changes[:0],
	}
}

// FillArticleBars reads what is on an article in a window that is not empty: at all locations or, where one is given,
// at that one alone. It gives at most so many bars, conflicts and steps of each.
func FillArticleBars(v base.View, x *ArticleBars, r *stock.Article, location base.ID, w base.Span, bars, steps int) {
	a := v.Acc
	x.Reset(math.MaxInt)
	x.units.Begin(bars, barUnit.compare)
	x.short.Begin(bars, barUnit.compare)
	for _, l := range r.Lots {
		at := stock.LocationKind.IDOf(a, l.Location)
		if location != (base.ID{}) && location != at {
			continue
		}
		x.lots = append(x.lots, timeline.LotRef(l.No))
		for _, no := range a.Stock.Slots(l.No) {
			slot, _ := a.Stock.Slot(no)
			if slot.Span.Start <= w.Start && w.Start < slot.Span.End {
				x.Units++
			}
			for _, c := range [...]countChange{
				{slot.Span.Start, timeline.Count{Stock: 1}}, {slot.Span.End, timeline.Count{Stock: -1}},
			} {
				if w.Start < c.at && c.at < w.End {
					x.changes = append(x.changes, c)
				}
			}
			for h := range a.Stock.Holds(no, w) {
				x.units.Add(barUnit{h, at, slot.ID})
			}
		}
		for h := range a.Stock.ConflictsIn(timeline.LotRef(l.No), w) {
			x.short.Add(barUnit{h, at, base.ID{}})
		}
	}
	x.Events = stock.ScheduledEvents(v, x.Events, r.ID, location, w)
	x.Taken, x.Short = x.units.Total, x.short.Total
	x.Bars, x.Conflicts = makeBars(a, x.Bars, x.units.List()), makeBars(a, x.Conflicts, x.short.List())
	if x.Stepped = !x.countUnits() && x.Units <= 1; !x.Stepped { // bars say it all of one unit
		addSteps(a, x, x.lots, w, steps)
	}
}

// countUnits makes of the units at a window's start the most at an instant of it; it says whether their number changes.
func (x *ArticleBars) countUnits() (changes bool) {
	inTime(x.changes)
	now, was := x.Units, x.Units
	for i, c := range x.changes {
		if now += c.by.Stock; i+1 < len(x.changes) && x.changes[i+1].at == c.at {
			continue
		}
		x.Units, changes = max(x.Units, now), changes || now != was
	}
	return changes
}

func bar(a *base.AccountState, u *barUnit) Bar {
	h := u.Hold
	b := Bar{
		ID: h.ID, Range: h.Span, Body: h.Body(), Kind: h.Kind, Flags: h.Flags, Owner: stock.OwnerOf(a, h),
		Location: u.location, Slot: u.slot,
	}
	if to := stock.GoesTo(a, h); to != nil {
		b.GoesTo = to.ID
	}
	if end, is := stock.OutUntil(h); is && h.Flags.Blocker() == timeline.BlockerOrder {
		if o := order.OrderTable(a).Get(b.Owner); o != nil {
			if l := o.LineNo(h.Line); l != nil && l.To < end {
				b.Due = l.To
			}
		}
	}
	return b
}

// makeBars makes bars of units, and says what they are for.
func makeBars(a *base.AccountState, list []Bar, units []barUnit) []Bar {
	for i := range units {
		list = append(list, bar(a, &units[i]))
		b := &list[i]
		switch b.Flags.Blocker() {
		case timeline.BlockerOrder:
			if o := order.OrderTable(a).Get(b.Owner); o != nil {
				b.Number = o.Number
				if m := commerce.CustomerTable(a).Get(o.Customer); m != nil {
					b.Label = m.Name()
				}
			}
		case timeline.BlockerScheduledEvent:
			if e := stock.EventTable(a).Get(b.Owner); e != nil {
				b.Label = e.Name
			}
		default:
			b.Label = hold.Holds(a).Note(b.Owner)
		}
	}
	return list
}

// addSteps counts the units of lots over a window, wherever the count of them together changes.
func addSteps(a *base.AccountState, x *ArticleBars, lots []timeline.PoolRef, w base.Span, most int) {
	x.changes = append(x.changes[:0], countChange{at: w.Start})
	end := w.End // from here on a lot changes more often than is told
	for _, p := range lots {
		var was timeline.Count
		cuts := 0
		a.Stock.Sweep(p, w, func(over base.Span, c timeline.Count) bool {
			if c != was && over.Start > w.Start {
				cuts++
			}
			if cuts > most {
				end = min(end, over.Start)
				return false
			}
			by := timeline.Count{Stock: c.Stock - was.Stock, Committed: c.Committed - was.Committed}
			x.changes, was = append(x.changes, countChange{over.Start, by}), c
			return true
		})
	}
	inTime(x.changes)
	var sum timeline.Count
	for i, c := range x.changes {
		sum.Stock += c.by.Stock
		sum.Committed += c.by.Committed
		if c.at >= end || i+1 < len(x.changes) && x.changes[i+1].at == c.at {
			continue
		}
		if n := len(x.Counts); n == 0 || x.Counts[n-1] != sum { // what one lot's change adds another's may take away
			x.Steps, x.Counts = append(x.Steps, c.at), append(x.Counts, sum)
		}
	}
	if x.Stepped = end == w.End && len(x.Steps) <= most; len(x.Steps) > most {
		x.Steps, x.Counts = x.Steps[:most], x.Counts[:most]
	}
}

// CountSKUs counts the units of SKUs over a window, by days or hours of a location, or of the account over all of them.
// The buckets are those between neighbouring edges. For each SKU and bucket, free is the fewest units that are free at
// an instant of the bucket, below 0 if holds have no unit. stock is the number of units that are there at its start. Of
// all locations each number is the sum of what the locations have by themselves, as in a calendar.
func CountSKUs(v base.View, skus []*stock.SKU, location base.ID, w base.Span, size stock.BucketSize) (edges []int64,
	free, units [][]int, err error) {
	a, zone := v.Acc, v.Acc.Row.Timezone
	places, err := stock.Places(a, location)
	if err != nil {
		return nil, nil, nil, err
	}
	if location != (base.ID{}) {
		zone = places[0].Timezone
	}
	if edges, err = stock.Edges(a, zone, size, nil, w); err != nil {
		return nil, nil, nil, err
	}
	var few []stock.Source
	var pools []timeline.PoolRef
	var own []int // of one place
	for _, s := range skus {
		least, there := make([]int, len(edges)-1), make([]int, len(edges)-1)
		for _, l := range places {
			if few = stock.Sources(a, few[:0], nil, s, l, w, w.Start); len(few) == 0 {
				continue
			}
			pools = pools[:0]
			for _, x := range few {
				pools = append(pools, x.Pool)
				a.Stock.AddStock(x.Pool, edges[:len(there)], there)
			}
			own = a.Stock.MinFrees(pools, edges, own[:0])
			for i, n := range own {
				least[i] += n
			}
		}
		free, units = append(free, least), append(units, there)
	}
	return edges, free, units, nil
}
