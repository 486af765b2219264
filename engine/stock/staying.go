package stock

import (
	"cmp"
	"math"
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns where the units of an article are if nobody takes them to another location: what a file can say of
// them beside holds that do.

// Staying is where the units of an article are, as far as they stay. What one-way units of holds are taken to another
// location for is left out: they are where they are taken, before and after it, and arrive nowhere. So it is for those
// of orders whose departure lies ahead; one that is past counts, as all other changes of the quantity do.
type Staying struct {
	Units   []Stay
	Ending  int // units that end later, and are not among these
	Ordered int // one-way units of orders that stay
	// one-way units that stay for good, whatever their records say: what they brought has gone on without a hold, to
	// somewhere that may be where it came from
	Settled []base.ID
}

// Stay is units at a location from an instant on, without end.
type Stay struct {
	Location base.ID
	From     int64
	Count    int
}

// stayChange is a change of the quantity of one of an article's lots, by its position in the list of them.
type stayChange struct {
	at      int64
	lot, by int
	unit    base.ID // of an arrival that is left out: the unit
	from    int     // and the lot that it is taken from
}

// StayingOf tells where the units of an article are, as far as they stay. Where a lot would have fewer than none, as
// what a one-way unit has brought has gone on, the unit stays where it was taken up to then, and not longer.
func StayingOf(v base.View, r *Article, now int64) (x Staying) {
	var changes []stayChange
	for i, l := range r.Lots {
		for _, no := range v.Acc.Stock.Slots(l.No) {
			s, _ := v.Acc.Stock.Slot(no)
			if changes = append(changes, stayChange{at: s.Span.Start, lot: i, by: 1}); s.Span.End != base.Forever {
				changes = append(changes, stayChange{at: s.Span.End, lot: i, by: -1})
			}
			if OneWays(v.Acc).N > 0 {
				changes = x.unmove(v.Acc, changes, r, i, no, now)
			}
		}
	}
	slices.SortStableFunc(changes, func(p, q stayChange) int { return cmp.Compare(p.at, q.at) })

	count, net := make([]int, len(r.Lots)), make([]int, len(r.Lots))
	arrivals, stays := make([][]stayChange, len(r.Lots)), make([][]Stay, len(r.Lots))
	var changed []int
	for len(changes) > 0 {
		at := changes[0].at
		for changed = changed[:0]; len(changes) > 0 && changes[0].at == at; changes = changes[1:] {
			c := changes[0]
			net[c.lot] += c.by
			changed = append(changed, c.lot)
			if c.unit != (base.ID{}) {
				arrivals[c.lot] = append(arrivals[c.lot], c)
			}
		}
		for i := 0; i < len(changed); i++ {
			lot := changed[i]
			for n := len(arrivals[lot]); count[lot]+net[lot] < 0 && n > 0; n-- {
				last := arrivals[lot][n-1]
				arrivals[lot] = arrivals[lot][:n-1]
				net[lot]++
				net[last.from]--
				changed = append(changed, last.from)
				x.Settled = append(x.Settled, last.unit)
			}
		}
		for _, lot := range changed {
			by := net[lot]
			count[lot], net[lot] = count[lot]+by, 0
			if by > 0 {
				stays[lot] = append(stays[lot], Stay{LocationKind.IDOf(v.Acc, r.Lots[lot].Location), at, by})
			}
			if by < 0 && at > now {
				x.Ending -= by
			}
			for n := len(stays[lot]); by < 0 && n > 0; n-- { // those that came last go
				last := &stays[lot][n-1]
				less := min(-by, last.Count)
				last.Count, by = last.Count-less, by+less
				if last.Count == 0 {
					stays[lot] = stays[lot][:n-1]
				}
			}
		}
	}
	x.Units = slices.Concat(stays...)
	return x
}

// unmove adds the changes that leave out what the one-way units on a slot are taken to other locations for.
func (x *Staying) unmove(a *base.AccountState, changes []stayChange, r *Article, lot int, no timeline.SlotNo,
	now int64) []stayChange {
	place := timeline.Place{Lot: r.Lots[lot].No, Slot: no}
	for h := range a.Stock.Holds(no, base.Span{Start: math.MinInt64, End: base.Forever}) {
		d := departureOf(h, a.Stock.Lot(place.Lot), place, GoesTo(a, h))
		if d == nil {
			continue
		}
		if h.Flags.Blocker() == timeline.BlockerOrder {
			if d.at <= now {
				continue
			}
			x.Ordered++
		}
		to := slices.IndexFunc(r.Lots, func(l ArticleLot) bool { return l.Location == d.to })
		changes = append(changes, stayChange{at: d.at, lot: lot, by: 1},
			stayChange{at: d.at, lot: to, by: -1, unit: h.ID, from: lot})
	}
	return changes
}

// Leaving says for which units of an account that they leave their place when they end, by their records and by what a
// file says of the stock (StayingOf).
func Leaving(v base.View, now int64) func(unit base.ID) bool {
	if OneWays(v.Acc).N == 0 {
		return func(base.ID) bool { return false }
	}
	settled := map[base.ID]bool{}
	for r := range Articles(v).All() {
		for _, id := range StayingOf(v, r, now).Settled {
			settled[id] = true
		}
	}
	return func(unit base.ID) bool {
		h, _, _ := v.Acc.Stock.Find(unit)
		return h.Flags.Has(timeline.OneWay) && !settled[unit]
	}
}
