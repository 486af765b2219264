package order

import (
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
)

// This file owns how much an operation on an order may change, in units of stock: of a large one the plan is made off
// the writer (base.Sized). So is that of a small change of a large order: its plan goes through all of the order, too.

// perPart is how many units a part of an order with texts of its own counts as: to write and to compare it takes as
// long.
const perPart = 8

// Size is how much a change of the order goes through, in units.
func (o *Order) Size() int {
	m := o.Rest()
	parts := len(o.Payments) + len(m.Customers) + len(m.Fields) + len(m.Consents) + len(m.Documents) + len(m.Comments)
	for i := range o.Lines {
		parts += o.Lines[i].texts()
	}
	return o.UnitCount() + perPart*parts
}

// texts counts what a line has of parts with texts of their own.
func (l *OrderLine) texts() int {
	if l.More == nil {
		return 0
	}
	m := l.More
	return 1 + len(m.Variants) + len(m.Requirements) + len(m.Fields) + len(m.Combined)
}

// sizeOf is the size of an order, if there is one.
func sizeOf(a *base.AccountState, id base.ID) int {
	if o := OrderTable(a).Get(id); o != nil {
		return o.Size()
	}
	return 0
}

func init() { OrderKind.WhenDue.Size = sizeOf }

// asked counts the units that lines ask for.
func asked(a *base.AccountState, lines []OrderLineInput) (n int) {
	for i := range lines {
		n += commerce.UnitsTaken(a, lines[i].Item, lines[i].Quantity)
	}
	return n
}

// Size counts the units that are asked for.
func (o CreateOrder) Size(a *base.AccountState) int { return asked(a, o.Lines) }

// Size is that of the order, and the units that are asked for.
func (o AddOrderLines) Size(a *base.AccountState) int { return sizeOf(a, o.Order) + asked(a, o.Lines) }

// Size is that of the order, and the units that are asked for.
func (o PatchOrderLine) Size(a *base.AccountState) int {
	return sizeOf(a, o.Order) + asked(a, []OrderLineInput{o.Fields.To})
}

// Size counts the units of the holds.
func (o OrderHold) Size(a *base.AccountState) (n int) {
	for _, id := range o.Holds {
		n += hold.UnitsOf(a, id)
	}
	return n
}

// Size is that of the order.
func (o PatchOrder) Size(a *base.AccountState) int { return sizeOf(a, o.ID) }

// Size is that of the order.
func (o DeleteOrderLine) Size(a *base.AccountState) int { return sizeOf(a, o.Order) }

// Size is that of the order.
func (o ConfirmOrder) Size(a *base.AccountState) int { return sizeOf(a, o.ID) }

// Size is that of the order.
func (o PrepareOrder) Size(a *base.AccountState) int { return sizeOf(a, o.ID) }

// Size is that of the order.
func (o FulfillOrder) Size(a *base.AccountState) int { return sizeOf(a, o.ID) }

// Size is that of the order.
func (o ReturnOrder) Size(a *base.AccountState) int { return sizeOf(a, o.ID) }

// Size is that of the order.
func (o UndoOrder) Size(a *base.AccountState) int { return sizeOf(a, o.ID) }

// Size is that of the order.
func (o CancelOrder) Size(a *base.AccountState) int { return sizeOf(a, o.ID) }

// Size is that of the order.
func (o DeleteOrder) Size(a *base.AccountState) int { return sizeOf(a, o.ID) }

// Size is that of the order.
func (o ApplyDiscount) Size(a *base.AccountState) int { return sizeOf(a, o.Order) }

// Size is that of the order.
func (o RemoveDiscount) Size(a *base.AccountState) int { return sizeOf(a, o.Order) }

// Size is that of the order.
func (o AddPayment) Size(a *base.AccountState) int { return sizeOf(a, o.Order) }

// Size is that of the order.
func (o AddComment) Size(a *base.AccountState) int { return sizeOf(a, o.Order) }

// Size is that of the order.
func (o ArchiveOrder) Size(a *base.AccountState) int { return sizeOf(a, o.ID) }

// Size is that of the order.
func (o CancelSubscription) Size(a *base.AccountState) int {
	if of := OrderTable(a).First(orderBySubscription, string(o.ID[:])); of != nil {
		return of.Size()
	}
	return 0
}

// Size is that of the order.
func (o AssignUnit) Size(a *base.AccountState) int { return sizeOf(a, o.Order) }

// Size is that of the order.
func (o UnassignUnit) Size(a *base.AccountState) int { return sizeOf(a, o.Order) }

// Size is that of the order.
func (o CancelUnit) Size(a *base.AccountState) int { return sizeOf(a, o.Order) }

// Size is that of the order.
func (o ReadyUnit) Size(a *base.AccountState) int { return sizeOf(a, o.Order) }

// SizeOf is that of the order.
func (orderLabels) SizeOf(a *base.AccountState, id base.ID) int { return sizeOf(a, id) }
