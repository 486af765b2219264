package engine

import (
	"slices"
)

// This file owns the life of an order: which state allows what, and the moves from one state to the next that no unit's way
// makes by itself.

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
var alongside = map[OrderAction]string{EditLines: "deleteLineItem", Discount: "removeDiscountCode", Assign: "unassignStockItem"}

// allowedIn is what each state allows.
var allowedIn = [...][]OrderAction{
	OrderDraft:  {Confirm, Cancel, Delete, Discount, EditLines, Extend, Annotate},
	OrderOpen:   {Prepare, Fulfill, Undo, Cancel, CancelItem, Delete, Discount, EditLines, Extend, Assign, Annotate},
	OrderActive: {Fulfill, Return, Ready, Undo, CancelItem, Extend, Assign, Annotate},
	OrderClosed: {Ready, Undo, Archive, Unarchive, Delete, Annotate},
}

// allow refuses what an order's state does not allow, and says what it does.
func (o *Order) allow(a OrderAction) error {
	if slices.Contains(allowedIn[o.Status], a) {
		return nil
	}
	d := StateDetails{State: o.Status.String(), Allowed: o.allowedBut(a)}
	return &Error{Code: CodeStateNotAllowed, Detail: "the order is " + d.State + ", which does not allow " + string(a), Details: d}
}

// allowedBut is what an order's state allows beside what is refused.
func (o *Order) allowedBut(refused OrderAction) (names []string) {
	for _, a := range allowedIn[o.Status] {
		if a == refused {
			continue
		}
		names = append(names, string(a))
		if also := alongside[a]; also != "" {
			names = append(names, also)
		}
	}
	return names
}

// ConfirmOrder makes a draft an open order: it takes stock for all lines or for none. With AllowOverbooked what is short
// becomes a conflict. It answers with the *OrderRecord.
type ConfirmOrder struct {
	ID              ID
	AllowOverbooked bool
}

func (ConfirmOrder) Check() []Fault { return nil }

func (o ConfirmOrder) plan(t *tx) (any, error) {
	n, err := t.editFor(Confirm, o.ID, nil)
	if err != nil {
		return nil, err
	}
	if err := t.confirm(n, o.AllowOverbooked); err != nil {
		return nil, err
	}
	return t.answer(n), nil
}

func (ConfirmOrder) result() any { return new(OrderRecord) }

func (t *tx) confirm(o *Order, overbook bool) error {
	if len(o.Lines) == 0 {
		return refuse(CodeConflict, "the order has no line items")
	}
	o.Status = OrderOpen
	t.copyAtOpening(o)
	return t.open(o, 0, overbook)
}

// CancelOrder closes a draft or an open order: every pending line is cancelled, its stock freed. The uses of codes of a draft, which
// was never sold, are given back. It answers with the *OrderRecord.
type CancelOrder struct{ ID ID }

func (CancelOrder) Check() []Fault { return nil }

func (o CancelOrder) plan(t *tx) (any, error) {
	n, err := t.editFor(Cancel, o.ID, nil)
	if err != nil {
		return nil, err
	}
	for i := range n.Lines {
		l := &n.Lines[i]
		for j := range l.Units {
			t.free(&l.Units[j])
			l.Units[j].State = Cancelled
		}
		if s := l.Subscription; s != nil {
			s.CancelAt, s.CancelledAt, s.NextBillingAt = t.now, t.now, 0
		}
	}
	if n.Status == OrderDraft {
		for i := range n.Codes {
			t.giveBack(&n.Codes[i])
		}
	}
	n.Status, n.Cancelled = OrderClosed, true
	t.seatFreed()
	return t.answer(n), nil
}

func (CancelOrder) result() any { return new(OrderRecord) }

// ArchiveOrder puts a closed order away, or takes it out again. It answers with the *OrderRecord.
type ArchiveOrder struct {
	ID      ID
	Archive bool
}

func (ArchiveOrder) Check() []Fault { return nil }

func (o ArchiveOrder) plan(t *tx) (any, error) {
	action := Archive
	if !o.Archive {
		action = Unarchive
	}
	n, err := t.editFor(action, o.ID, nil)
	if err != nil {
		return nil, err
	}
	switch {
	case !o.Archive:
		n.ArchivedAt = 0
	case n.ArchivedAt == 0:
		n.ArchivedAt = t.now
	}
	return t.answer(n), nil
}

func (ArchiveOrder) result() any { return new(OrderRecord) }

// DeleteOrder removes an order that has nothing out, a closed one, too. Its stock is free again, but what was sold for good stays
// gone, and its history goes. The uses that it has made of codes are given back, whatever its state. It answers with nil.
type DeleteOrder struct {
	ID      ID
	IfMatch []uint64
}

func (DeleteOrder) Check() []Fault { return nil }

func (o DeleteOrder) plan(t *tx) (any, error) {
	n, err := t.editFor(Delete, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	for i := range n.Lines {
		l := &n.Lines[i]
		for j := range l.Units {
			t.free(&l.Units[j])
		}
	}
	for i := range n.Codes {
		t.giveBack(&n.Codes[i])
	}
	t.seatFreed()
	return nil, t.drop(n.ID)
}

func (DeleteOrder) result() any { return new(any) }
