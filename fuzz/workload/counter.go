package workload

import (
	"holdfast/engine/base"
	"holdfast/engine/order"
	"holdfast/fuzz/model"
)

// This file owns random commands of what happens seldom at the counter: a unit is ready before its time, a unit is not
// fetched, a step is taken back.

// counterCommand draws one, mostly of a unit whose state allows it.
func counterCommand(d Dice, a *model.Account, now int64) base.Op {
	if len(a.Orders) == 0 {
		return createOrder(d, a, now)
	}
	switch d.N("counter command", 9) {
	case 0, 1:
		if o, u := unitIn(d, a, order.Returned); u != nil {
			return order.ReadyUnit{Order: o.ID, Unit: u.ID}
		}
	case 2, 3:
		if o, u := unitIn(d, a, order.Pending); u != nil {
			return order.CancelUnit{Order: o.ID, Unit: u.ID}
		}
	case 4, 5, 6, 7:
		o, u := unitIn(d, a,
			pick(d, "undo", []order.Fulfillment{order.Prepared, order.Fulfilled, order.Fulfilled, order.Returned}))
		if u == nil {
			break
		}
		ids := []ID{u.ID}
		if v := unitOf(d, o); v != nil && v.ID != u.ID && odds(d, "two", 30) {
			ids = append(ids, v.ID)
		}
		return order.UndoOrder{ID: o.ID, Units: ids}
	}
	o := likely(d, a, 60)
	return order.FulfillOrder{ID: o.ID, Units: some(d, o), At: past(d, now), Ready: odds(d, "ready", 70)}
}

// unitIn is a unit of an order, mostly one in a state.
func unitIn(d Dice, a *model.Account, state order.Fulfillment) (*model.Order, *model.OrderUnit) {
	if !odds(d, "any unit", 10) {
		for try := 0; try < 6; try++ {
			o := pick(d, "order", a.Orders)
			if u := unitOf(d, o); u != nil && u.State == state {
				return o, u
			}
		}
	}
	o := pick(d, "order", a.Orders)
	return o, unitOf(d, o)
}
