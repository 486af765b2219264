package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns the departures of one-way orders that a program made which planned none. They are due at once, so the first start plans
// them, an order at a time. The order says that they are planned: what becomes of them since, as one that cannot be called off, is not
// planned again.

// undeparted says that an order has units that leave their place, for which no program has planned that.
func (o *Order) undeparted() bool {
	sends := func(l OrderLine) bool { return o.sends(&l) != 0 }
	return !o.Departs && o.Return != o.Pickup && (o.Status == OrderOpen || o.Status == OrderActive) && slices.ContainsFunc(o.Lines, sends)
}

// departOlder plans the departures of an order that an older program made. What counts on its units becomes a conflict. What the order says
// stays what it was.
func (t *tx) departOlder(id ID) {
	n, err := t.edit(id)
	if err != nil {
		return
	}
	t.editOf(id).kept = true
	n.Departs = true
	if err := t.reroute(n, true); err != nil {
		panic(err) // nothing refuses it when it may overbook: this is a fault of the program, and sets the order aside
	}
}

// departs notes that an order's lines send units elsewhere, with their departures planned.
func (o *Order) departs(l *OrderLine) (flags timeline.Flags) {
	if flags = o.sends(l); flags != 0 {
		o.Departs = true
	}
	return flags
}
