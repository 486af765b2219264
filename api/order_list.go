package api

import (
	"math"
	"slices"

	"holdfast/api/wire"
	"holdfast/engine"
)

// This file owns the list of orders: its filters, and the page that comes of them.

type listOrders struct {
	engine.OrderQuery
	status          []string
	window, created *window
	archive         archiveFilter
	direction       sortDirection
	page            page
}

var listOrdersQuery = wire.ShapeOf("ListOrders", slices.Concat([]wire.Field[listOrders]{
	wire.Defaulted("status", wire.ListOf(wire.Enum(engine.OrderStatuses...), 0, 4), nil, func(o *listOrders) *[]string { return &o.status }).
		Says("Only orders in one of these states. Default: all."),
	wire.Optional("dateRange", dateRange, func(o *listOrders) **window { return &o.window }).Says("Orders of which a line is for some of it."),
	wire.Optional("createdAt", dateRange, func(o *listOrders) **window { return &o.created }).Says("Both ends are in it."),
	wire.Optional("customerId", wire.UUID, func(o *listOrders) **engine.ID { return &o.Customer }).
		Says("Orders that are for this customer, or name them in their list of customers."),
	wire.Defaulted("tagIds", wire.ListOf(wire.LooseID, 1, 100), nil, func(o *listOrders) *[]engine.ID { return &o.Tags }).Says("Orders that have one of them."),
	wire.Optional("number", wire.Integer[uint32](1, math.MaxUint32), func(o *listOrders) **uint32 { return &o.Number }).Says("Only the order of this number."),
	externalIDFilter(func(o *listOrders) **string { return &o.External }, "the order"),
	wire.Defaulted("archive", wire.Enum(archiveActive, archiveArchived, archiveAll), archiveActive, func(o *listOrders) *archiveFilter { return &o.archive }).
		Says("Which orders by whether they are archived. Default: active."),
	wire.Defaulted("search", wire.Text(0, 255), "", func(o *listOrders) *string { return &o.Search }).
		Says("A part of the reference, the note, a customer's name or email, or a line's name, without case; or the number."),
	wire.Defaulted("direction", wire.Enum(ascending, descending), ascending, func(o *listOrders) *sortDirection { return &o.direction }).
		Says("desc: the youngest first."),
}, pageFields(func(o *listOrders) *page { return &o.page }))...)

func (q *request) checkListOrders(o *listOrders) {
	q.checkWindow(o.window)
	q.checkRange("/createdAt", o.created)
}

func (q *request) listOrders(o *listOrders) error {
	for _, name := range o.status {
		o.Status = append(o.Status, engine.OrderStatus(slices.Index(engine.OrderStatuses, name)))
	}
	if o.window != nil {
		o.Window = &engine.Span{Start: o.window.from, End: o.window.to}
	}
	if o.created != nil {
		o.Created = &engine.Span{Start: o.created.from, End: o.created.to}
	}
	o.Active, o.Archived = o.archive != archiveArchived, o.archive != archiveActive
	o.Desc, o.Offset, o.Limit = o.direction == descending, o.page.offset(), o.page.size
	orders, total := q.view.ListOrders(&o.OrderQuery)
	appendRows(q, o.page, orders, total, func(w *scribe, r *engine.Order) {
		w.order(w.view.OrderRecord(r, wire.RowEntries), wire.RowEntries)
	})
	return nil
}
