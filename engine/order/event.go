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

// overdueEvents finds the units that are kept beyond the end that their line has, and were not before, or beyond
// another end: time has gone by, a return was undone, or the line got an end that is past.
func overdueEvents(t *base.Tx, emit func(typ base.HookEvent, unit base.ID, data func() base.EventData)) {
	told := map[base.ID]bool{}
	tell := func(id base.ID, end int64) {
		if told[id] || wasLate(t, id, end) {
			return
		}
		told[id] = true
		emit(base.UnitOverdue, id, func() base.EventData {
			h, at, _ := stock.Draft(t).Find(id)
			u := stock.UnavailabilityOf(t, timeline.Placed{Hold: h, Place: at})
			return t.Written(base.OfAccount{Account: t.Acc.ID, Record: &u}, stock.AboutUnit)
		})
	}
	for _, c := range t.Set {
		switch x := c.(type) {
		case *base.Change[timeline.Placed]:
			if x.After == nil {
				continue
			}
			if _, out := stock.OutUntil(x.After.Hold); !out {
				continue
			}
			if o := orderOf(t.Acc, x.After.Hold); o != nil {
				if end, is := order(t, o.ID).late(x.After.Hold, t.Now); is {
					tell(x.After.ID, end)
				}
			}
		case *base.Change[Order]: // another end may leave units with the time that they have
			if x.Before == nil || x.After == nil {
				continue
			}
			for i := range x.After.Lines {
				l := &x.After.Lines[i]
				was := x.Before.LineNo(l.No)
				if l.To > t.Now || was == nil || was.To == l.To {
					continue
				}
				for j := range l.Units {
					h, _, _ := stock.Draft(t).Find(l.Units[j].Hold)
					if end, is := x.After.late(h, t.Now); is {
						tell(h.ID, end)
					}
				}
			}
		}
	}
}

// late says whether a unit of an order is kept beyond the end of its line, and what that end is.
func (o *Order) late(h timeline.Hold, now int64) (end int64, is bool) {
	until, out := stock.OutUntil(h)
	if !out || o == nil {
		return 0, false
	}
	l := o.LineNo(h.Line)
	if l == nil || l.To > now || until <= l.To {
		return 0, false
	}
	return l.To, true
}

// wasLate says that a unit was kept beyond an end of its line before the command.
func wasLate(t *base.Tx, id base.ID, end int64) bool {
	h, _, ok := t.Acc.Stock.Find(id)
	if !ok {
		return false
	}
	was, is := orderOf(t.Acc, h).late(h, t.Now)
	return is && was == end
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
