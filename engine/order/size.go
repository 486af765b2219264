package order

import (
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
)

// This file owns how many units of stock an operation on an order may change: of a large one the plan is made off the
// writer (base.Sized). So is that of a small change of a large order: its plan goes through all of the order, too.

// unitsOf counts the units of an order, if there is one.
func unitsOf(a *base.AccountState, id base.ID) int {
	if o := OrderTable(a).Get(id); o != nil {
		return o.UnitCount()
	}
	return 0
}

// asked counts the units that lines ask for.
func asked(a *base.AccountState, lines []OrderLineInput) (n int) {
	for i := range lines {
		n += commerce.UnitsTaken(a, lines[i].Item, lines[i].Quantity)
	}
	return n
}

// Size counts the units that are asked for.
func (o CreateOrder) Size(a *base.AccountState) int { return asked(a, o.Lines) }

// Size counts the units of the order, and those that are asked for.
func (o AddOrderLines) Size(a *base.AccountState) int { return unitsOf(a, o.Order) + asked(a, o.Lines) }

// Size counts the units of the order, and those that are asked for.
func (o PatchOrderLine) Size(a *base.AccountState) int {
	return unitsOf(a, o.Order) + asked(a, []OrderLineInput{o.Fields.To})
}

// Size counts the units of the holds.
func (o OrderHold) Size(a *base.AccountState) (n int) {
	for _, id := range o.Holds {
		n += hold.UnitsOf(a, id)
	}
	return n
}

// Size counts the units of the order.
func (o PatchOrder) Size(a *base.AccountState) int { return unitsOf(a, o.ID) }

// Size counts the units of the order.
func (o DeleteOrderLine) Size(a *base.AccountState) int { return unitsOf(a, o.Order) }

// Size counts the units of the order.
func (o ConfirmOrder) Size(a *base.AccountState) int { return unitsOf(a, o.ID) }

// Size counts the units of the order.
func (o PrepareOrder) Size(a *base.AccountState) int { return unitsOf(a, o.ID) }

// Size counts the units of the order.
func (o FulfillOrder) Size(a *base.AccountState) int { return unitsOf(a, o.ID) }

// Size counts the units of the order.
func (o ReturnOrder) Size(a *base.AccountState) int { return unitsOf(a, o.ID) }

// Size counts the units of the order.
func (o UndoOrder) Size(a *base.AccountState) int { return unitsOf(a, o.ID) }

// Size counts the units of the order.
func (o CancelOrder) Size(a *base.AccountState) int { return unitsOf(a, o.ID) }

// Size counts the units of the order.
func (o DeleteOrder) Size(a *base.AccountState) int { return unitsOf(a, o.ID) }

// Size counts the units of the order.
func (o ApplyDiscount) Size(a *base.AccountState) int { return unitsOf(a, o.Order) }

// Size counts the units of the order.
func (o RemoveDiscount) Size(a *base.AccountState) int { return unitsOf(a, o.Order) }

// Size counts the units of the order.
func (o AddPayment) Size(a *base.AccountState) int { return unitsOf(a, o.Order) }

// Size counts the units of the order.
func (o AddComment) Size(a *base.AccountState) int { return unitsOf(a, o.Order) }

// Size counts the units of the order.
func (o ArchiveOrder) Size(a *base.AccountState) int { return unitsOf(a, o.ID) }

// Size counts the units of the order.
func (o CancelSubscription) Size(a *base.AccountState) int {
	if of := OrderTable(a).First(orderBySubscription, string(o.ID[:])); of != nil {
		return of.UnitCount()
	}
	return 0
}

// Size counts the units of the order.
func (o AssignUnit) Size(a *base.AccountState) int { return unitsOf(a, o.Order) }

// Size counts the units of the order.
func (o UnassignUnit) Size(a *base.AccountState) int { return unitsOf(a, o.Order) }

// Size counts the units of the order.
func (o CancelUnit) Size(a *base.AccountState) int { return unitsOf(a, o.Order) }

// Size counts the units of the order.
func (o ReadyUnit) Size(a *base.AccountState) int { return unitsOf(a, o.Order) }
