package api

import (
	"math"
	"slices"

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

var listOrdersQuery = shapeOf("ListOrders", slices.Concat([]field[listOrders]{
	defaulted("status", list(enum(engine.OrderStatuses...), 0, 4), nil, func(o *listOrders) *[]string { return &o.status }).
		says("Only orders in one of these states. Default: all."),
	optional("dateRange", dateRange, func(o *listOrders) **window { return &o.window }).says("Orders of which a line is for some of it."),
	optional("createdAt", dateRange, func(o *listOrders) **window { return &o.created }).says("Both ends are in it."),
	optional("customerId", uuid, func(o *listOrders) **engine.ID { return &o.Customer }).
		says("Orders that are for this customer, or name them in their list of customers."),
	defaulted("tagIds", list(looseID, 1, 100), nil, func(o *listOrders) *[]engine.ID { return &o.Tags }).says("Orders that have one of them."),
	optional("number", integer[uint32](1, math.MaxUint32), func(o *listOrders) **uint32 { return &o.Number }).says("Only the order of this number."),
	externalIDFilter(func(o *listOrders) **string { return &o.External }, "the order"),
	defaulted("archive", enum(archiveActive, archiveArchived, archiveAll), archiveActive, func(o *listOrders) *archiveFilter { return &o.archive }).
		says("Which orders by whether they are archived. Default: active."),
	defaulted("search", text(0, 255), "", func(o *listOrders) *string { return &o.Search }).
		says("A part of the reference, the note, a customer's name or email, or a line's name, without case; or the number."),
	defaulted("direction", enum(ascending, descending), ascending, func(o *listOrders) *sortDirection { return &o.direction }).
		says("desc: the youngest first."),
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
		w.order(w.view.OrderRecord(r, rowEntries), rowEntries)
	})
	return nil
}
