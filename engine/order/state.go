package order

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns the life of an order: which state allows what, and the moves from one state to the next that no unit's
// way makes by itself.

// OrderAction is something that the state of an order allows or not.
type OrderAction string

// What can be done with an order, by the names of the operations.
const (
	Confirm    OrderAction = "confirm"
	Cancel     OrderAction = "cancel"
	Prepare    OrderAction = "prepare"
	Fulfill    OrderAction = "fulfill"
	Return     OrderAction = "return"
	Ready      OrderAction = "readyStockItem"
	Undo       OrderAction = "undo"
	Extend     OrderAction = "updateLineItem"
	EditLines  OrderAction = "addLineItems"
	Assign     OrderAction = "assignStockItem"
	CancelItem OrderAction = "cancelStockItem"
	Discount   OrderAction = "applyDiscountCode"
	Annotate   OrderAction = "update"
	Archive    OrderAction = "archive"
	Unarchive  OrderAction = "unarchive"
	Delete     OrderAction = "delete"
)

// alongside are the operations that are allowed where another is.
var alongside = map[OrderAction]string{EditLines: "deleteLineItem", Discount: "removeDiscountCode",
	Assign: "unassignStockItem"}

// allowedIn is what each state allows.
var allowedIn = [...][]OrderAction{
	OrderDraft:  {Confirm, Cancel, Delete, Discount, EditLines, Extend, Annotate},
	OrderOpen:   {Prepare, Fulfill, Undo, Cancel, CancelItem, Delete, Discount, EditLines, Extend, Assign, Annotate},
	OrderActive: {Fulfill, Return, Ready, Undo, CancelItem, Extend, Assign, Annotate},
	OrderClosed: {Ready, Undo, Archive, Unarchive, Delete, Annotate},
}

// allow refuses what an order's state does not allow, and says what it does.
func (o *Order) allow(a OrderAction) error { return o.allowAs(a, string(a)) }

// allowAs is allow of an operation that is allowed where another is.
func (o *Order) allowAs(a OrderAction, operation string) error {
	if slices.Contains(allowedIn[o.Status], a) {
		return nil
	}
	d := base.StateDetails{State: o.Status.String(), Allowed: o.allowedBut(a)}
	return &base.Error{Code: base.CodeStateNotAllowed,
		Detail: "the order is " + d.State + ", which does not allow " + operation, Details: d}
}

// allowedBut is what an order's state allows, except for the action that is refused.
func (o *Order) allowedBut(refused OrderAction) []string {
	others := slices.DeleteFunc(slices.Clone(allowedIn[o.Status]), func(a OrderAction) bool { return a == refused })
	return operationsOf(others...)
}

// operationsOf are the names of the operations of some actions.
func operationsOf(actions ...OrderAction) (names []string) {
	for _, a := range actions {
		names = append(names, string(a))
		if also := alongside[a]; also != "" {
			names = append(names, also)
		}
	}
	return names
}

// ConfirmOrder makes a draft an open order: it takes stock for all lines or for none. With AllowOverbooked what is
// short becomes a conflict.
type ConfirmOrder struct {
	base.Answers[*OrderRecord]
	ID              base.ID
	AllowOverbooked bool
}

func (o ConfirmOrder) PlanOn(t *base.Tx) (any, error) {
	n, err := editFor(t, Confirm, o.ID, nil)
	if err != nil {
		return nil, err
	}
	if err := confirm(t, n, o.AllowOverbooked); err != nil {
		return nil, err
	}
	return answer(t, n), nil
}

func confirm(t *base.Tx, o *Order, overbook bool) error {
	if len(o.Lines) == 0 {
		return base.Refuse(base.CodeConflict, "the order has no line items")
	}
	o.Status = OrderOpen
	if err := copyAtOpening(t, o); err != nil {
		return err
	}
	return open(t, o, 0, overbook)
}

// CancelOrder closes a draft or an open order: every pending line is cancelled, its stock freed. The uses of codes of a
// draft, which was never sold, are given back.
type CancelOrder struct {
	base.Answers[*OrderRecord]
	ID base.ID
}

func (o CancelOrder) PlanOn(t *base.Tx) (any, error) {
	n, err := editFor(t, Cancel, o.ID, nil)
	if err != nil {
		return nil, err
	}
	for i := range n.Lines {
		l := &n.Lines[i]
		for j := range l.Units {
			free(t, &l.Units[j])
			l.Units[j].State = Cancelled
		}
		if s := l.Subscription; s != nil && !s.over() {
			s.end(t.Now)
		}
	}
	if n.Status == OrderDraft {
		for i := range n.Codes {
			giveBack(t, &n.Codes[i])
		}
	}
	n.Status, n.Cancelled = OrderClosed, true
	stock.SeatFreed(t)
	return answer(t, n), nil
}

// ArchiveOrder puts a closed order away, or takes it out again.
type ArchiveOrder struct {
	base.Answers[*OrderRecord]
	ID      base.ID
	Archive bool
}

func (o ArchiveOrder) PlanOn(t *base.Tx) (any, error) {
	action := Archive
	if !o.Archive {
		action = Unarchive
	}
	n, err := editFor(t, action, o.ID, nil)
	if err != nil {
		return nil, err
	}
	switch {
	case !o.Archive:
		n.ArchivedAt = 0
	case n.ArchivedAt == 0:
		n.ArchivedAt = t.Now
	}
	return answer(t, n), nil
}

// DeleteOrder removes an order that has nothing out, a closed one, too. Its stock is free again, but what was sold for
// good stays gone, and its history goes. The uses that it has made of codes are given back, whatever its state.
type DeleteOrder struct {
	base.Answers[any]
	base.IfMatch
	ID base.ID
}

func (o DeleteOrder) PlanOn(t *base.Tx) (any, error) {
	n, err := editFor(t, Delete, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	for i := range n.Lines {
		l := &n.Lines[i]
		for j := range l.Units {
			free(t, &l.Units[j])
		}
	}
	for i := range n.Codes {
		giveBack(t, &n.Codes[i])
	}
	stock.SeatFreed(t)
	return nil, drop(t, n.ID)
}
