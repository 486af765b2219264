package api

import (
	"math"
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/order"
)

// This file owns the list of orders: its filters and sorts, and the page that comes of them.

type listOrders struct {
	order.OrderQuery
	status, fulfillment []string
	window              *window
	ranges              [len(orderRanges)]*window
	archive             archiveFilter
	direction           sortDirection
	page                page
}

// orderRanges are the filters by an instant of the order.
var orderRanges = [...]struct {
	name, about string
	at          func(q *order.OrderQuery) **base.Span
}{
	{"createdAt", "When it was made.", func(q *order.OrderQuery) **base.Span { return &q.Created }},
	{"updatedAt", "When it was last changed.", func(q *order.OrderQuery) **base.Span { return &q.Updated }},
	{"earliestStartDate", "When its first line begins.", func(q *order.OrderQuery) **base.Span { return &q.Start }},
	{"latestEndDate", "The latest end of its lines; lines without end do not count.",
		func(q *order.OrderQuery) **base.Span { return &q.End }},
	{"pickupDue", "The earliest start of its lines with a unit that is still to be handed over; a draft has none.",
		func(q *order.OrderQuery) **base.Span { return &q.PickupDue }},
	{"returnDue", "The earliest end of its lines with a unit that is out.",
		func(q *order.OrderQuery) **base.Span { return &q.ReturnDue }},
}

func rangeFields() (fields []wire.Field[listOrders]) {
	for i, r := range orderRanges {
		fields = append(fields, wire.Optional(r.name, dateRange,
			func(o *listOrders) **window { return &o.ranges[i] }).Says(r.about+" Both ends are in the range."))
	}
	return fields
}

var locationIDs = wire.ListOf(wire.UUID, 1, 100)

var listOrdersQuery = wire.ShapeOf("ListOrders", slices.Concat([]wire.Field[listOrders]{
	wire.Defaulted("status", wire.ListOf(wire.Enum(order.OrderStatuses...), 0, 4), nil,
		func(o *listOrders) *[]string { return &o.status }).
		Says("Only orders in one of these states. Default: all."),
	wire.Defaulted("fulfillmentState", wire.ListOf(wire.Enum(order.Fulfillments...), 0, len(order.Fulfillments)), nil,
		func(o *listOrders) *[]string {
			return &o.fulfillment
		}).Says("Only orders in one of these fulfillment states. Default: all."),
	wire.Optional("hasConflicts", wire.Boolean, func(o *listOrders) **bool { return &o.Conflict }).
		Says("Whether a unit of it has no stock."),
	wire.Defaulted("late", wire.ListOf(wire.Enum(order.LatePickup, order.LateReturn), 0, 2), nil,
		func(o *listOrders) *[]order.Lateness { return &o.Late }).
		Says("pickup: a unit was not handed over though its line has begun; return: one is out though its line is " +
			"over. By the instant of the answer."),
	wire.Defaulted("channel", wire.ListOf(wire.Enum(orderChannels.Enum...), 0, len(orderChannels.Enum)), nil,
		func(o *listOrders) *[]string { return &o.Channel }).
		Says("Only orders that came from one of these. Default: all."),
	wire.Defaulted("pickupLocationId", locationIDs, nil, func(o *listOrders) *[]base.ID {
		return &o.Pickup
	}).Says("Only orders that are handed over at one of these locations."),
	wire.Defaulted("returnLocationId", locationIDs, nil, func(o *listOrders) *[]base.ID {
		return &o.Return
	}).Says("Only orders that come back to one of these locations."),
	wire.Optional("assignedTo", wire.UUID, func(o *listOrders) **base.ID { return &o.Assigned }).
		Says("Only orders that this user looks after."),
	wire.Optional("dateRange", dateRange, func(o *listOrders) **window { return &o.window }).
		Says("Only orders with a line that overlaps this range. A line of a sale counts only at its start."),
	wire.Optional("customerId", wire.UUID, func(o *listOrders) **base.ID { return &o.Customer }).
		Says("Only orders that are for this customer, or name them in their list of customers."),
	wire.Defaulted("tagIds", wire.ListOf(wire.LooseID, 1, 100), nil, func(o *listOrders) *[]base.ID { return &o.Tags }).
		Says("Only orders that have one of these tags."),
	wire.Optional("number", wire.Integer[uint32](1, math.MaxUint32), func(o *listOrders) **uint32 { return &o.Number }).
		Says("Only the order of this number."),
	externalIDFilter(func(o *listOrders) **string { return &o.External }, "the order"),
	wire.Defaulted("archive", wire.Enum(archiveActive, archiveArchived, archiveAll), archiveActive,
		func(o *listOrders) *archiveFilter { return &o.archive }).
		Says("Filter: active, archived or all orders. Default: active."),
	wire.Defaulted("search", wire.Text(0, base.MaxName), "", func(o *listOrders) *string { return &o.Search }).
		Says(searchedWords +
			"the reference, the note, a customer's name, company or email, or a line's name. A number " +
			"finds the order " +
			"with that number, too."),
	wire.Defaulted("sort", wire.Enum(order.OrderSorts...), order.OrdersByCreatedAt,
		func(o *listOrders) *order.OrderSort { return &o.Sort }).
		Says("What the list is sorted by. Equal orders are sorted by number, in the same direction; orders without " +
			"a value come last in both directions."),
	wire.Defaulted("direction", wire.Enum(ascending, descending), ascending,
		func(o *listOrders) *sortDirection { return &o.direction }).
		Says("Whether the least or the greatest value comes first. Default: asc."),
}, rangeFields(), pageFields(func(o *listOrders) *page { return &o.page }))...)

func (q *request) checkListOrders(o *listOrders) {
	q.checkWindow(o.window)
	for i, r := range orderRanges {
		q.checkRange("/"+r.name, o.ranges[i])
	}
}

func (q *request) listOrders(o *listOrders) error {
	for _, name := range o.status {
		o.Status = append(o.Status, order.OrderStatus(slices.Index(order.OrderStatuses, name)))
	}
	if o.window != nil {
		o.Window = &base.Span{Start: o.window.from, End: o.window.to}
	}
	for _, name := range o.fulfillment {
		o.Fulfillment = append(o.Fulfillment, order.Fulfillment(slices.Index(order.Fulfillments, name)))
	}
	for i, r := range orderRanges {
		if w := o.ranges[i]; w != nil {
			*r.at(&o.OrderQuery) = &base.Span{Start: w.from, End: w.to}
		}
	}
	o.Now = q.now
	o.Active, o.Archived = o.archive != archiveArchived, o.archive != archiveActive
	o.Desc, o.Offset, o.Limit = o.direction == descending, o.page.offset(), o.page.size
	orders, total := order.ListOrders(q.view, &o.OrderQuery)
	appendRows(q, o.page, orders, total, func(w *scribe, r *order.Order) {
		w.order(order.RecordOf(w.view, r, wire.RowEntries), wire.RowEntries)
	})
	return nil
}
