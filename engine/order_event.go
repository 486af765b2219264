package engine

import "holdfast/timeline"

// This file owns events of orders, and of their units that are late. They are read off a command's write set, whatever the command: an order's row that was made,
// changed or removed, and a unit of an order that another command, or time, has moved to another article, or taken from one.

func init() {
	registerEvents("order", orderEvents, OrderCreated, OrderDeleted, OrderUpdated)
	registerEvents("unavailability", overdueEvents, UnitOverdue)
}

// overdueEvents finds the units that a command of time keeps for the first step beyond the end that their line has.
func overdueEvents(t *tx, emit func(typ HookEvent, unit ID, data func() eventData)) {
	for _, c := range t.set {
		x, ok := c.(*change[timeline.Placed])
		if !ok || x.before == nil || x.after == nil {
			continue
		}
		end, is := outUntil(x.before.Hold)
		if !is || end > t.now || x.after.Body().End <= end {
			continue
		}
		o := t.acc.orderOf(x.before.Hold)
		if o == nil {
			continue
		}
		if l := o.lineNo(x.before.Line); l != nil && l.To == end {
			emit(UnitOverdue, x.after.ID, func() eventData {
				u := t.unavailability(*x.after)
				return t.written(OfAccount{t.acc.id, &u}, aboutUnit)
			})
		}
	}
}

// orderEvents finds the events of orders in what the plan has recorded.
func orderEvents(t *tx, emit func(typ HookEvent, order ID, data func() eventData)) {
	tell := func(typ HookEvent, o *Order) { emit(typ, o.ID, func() eventData { return t.eventOf(o) }) }
	told := map[ID]bool{}
	for _, c := range t.set {
		x, ok := c.(*change[Order])
		if !ok {
			continue
		}
		told[x.key()] = true
		switch {
		case x.after == nil:
			emit(OrderDeleted, x.before.ID, nil)
		case x.before == nil:
			tell(OrderCreated, x.after)
		case x.before.Revision != x.after.Revision:
			tell(OrderUpdated, x.after)
		}
	}
	for _, c := range t.set {
		x, ok := c.(*change[timeline.Placed])
		if !ok || x.before == nil || x.after == nil || x.after.Flags.Blocker() != timeline.BlockerOrder || !t.elsewhere(x.before.Place, x.after.Place) {
			continue
		}
		if id := t.acc.ownerOf(x.after.Hold); !told[id] && id != (ID{}) {
			told[id] = true
			tell(OrderUpdated, t.order(id))
		}
	}
}

// elsewhere says whether two places show in an order's record as different: by their article, or as one is none.
func (t *tx) elsewhere(p, q timeline.Place) bool {
	if p.Seated() != q.Seated() || !p.Seated() || p.Lot == q.Lot {
		return p.Seated() != q.Seated()
	}
	s := t.draft().Stock()
	return s.Lot(p.Lot).Article != s.Lot(q.Lot).Article
}

// eventOf is an order as events say it.
func (t *tx) eventOf(o *Order) eventData {
	const order, part = 2 << 10, 512 // about what is written of an order, of each line and of each unit
	r := t.shown(o)
	return t.written(r, order+part*(len(r.Lines)+len(r.Units)))
}
