package order

import (
	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns events of orders, and of their units that are late. They are read off a command's write set, whatever
// the command: an order's row that was made, changed or removed, and a unit of an order that another command, or time,
// has moved to another article, or taken from one.

func init() {
	base.RegisterEvents("order", orderEvents, base.OrderCreated, base.OrderDeleted, base.OrderUpdated)
	base.RegisterEvents("unavailability", overdueEvents, base.UnitOverdue)
}

// overdueEvents finds the units that a command of time keeps for the first step beyond the end that their line has.
func overdueEvents(t *base.Tx, emit func(typ base.HookEvent, unit base.ID, data func() base.EventData)) {
	for _, c := range t.Set {
		x, ok := c.(*base.Change[timeline.Placed])
		if !ok || x.Before == nil || x.After == nil {
			continue
		}
		end, is := stock.OutUntil(x.Before.Hold)
		if !is || end > t.Now || x.After.Body().End <= end {
			continue
		}
		o := orderOf(t.Acc, x.Before.Hold)
		if o == nil {
			continue
		}
		if l := o.LineNo(x.Before.Line); l != nil && l.To == end {
			emit(base.UnitOverdue, x.After.ID, func() base.EventData {
				u := stock.UnavailabilityOf(t, *x.After)
				return t.Written(base.OfAccount{Account: t.Acc.ID, Record: &u}, stock.AboutUnit)
			})
		}
	}
}

// orderEvents finds the events of orders in what the plan has recorded.
func orderEvents(t *base.Tx, emit func(typ base.HookEvent, order base.ID, data func() base.EventData)) {
	tell := func(typ base.HookEvent, o *Order) { emit(typ, o.ID, func() base.EventData { return eventOf(t, o) }) }
	told := map[base.ID]bool{}
	for _, c := range t.Set {
		x, ok := c.(*base.Change[Order])
		if !ok {
			continue
		}
		told[x.Key()] = true
		switch {
		case x.After == nil:
			emit(base.OrderDeleted, x.Before.ID, nil)
		case x.Before == nil:
			tell(base.OrderCreated, x.After)
		case x.Before.Revision != x.After.Revision:
			tell(base.OrderUpdated, x.After)
		}
	}
	for _, c := range t.Set {
		x, ok := c.(*base.Change[timeline.Placed])
		if !ok || x.Before == nil || x.After == nil || x.After.Flags.Blocker() != timeline.BlockerOrder ||
			!elsewhere(t, x.Before.Place, x.After.Place) {
			continue
		}
		if id := stock.OwnerOf(t.Acc, x.After.Hold); !told[id] && id != (base.ID{}) {
			told[id] = true
			tell(base.OrderUpdated, order(t, id))
		}
	}
}

// eventOf is an order as events say it.
func eventOf(t *base.Tx, o *Order) base.EventData {
	const order, part = 2 << 10, 512 // about what is written of an order, of each line and of each unit
	r := shown(t, o)
	return t.Written(r, order+part*(len(r.Lines)+len(r.Units)))
}
