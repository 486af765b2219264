package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine"
)

// This file owns the list of holds: its filters, and the page that comes of them.

type listHolds struct {
	engine.HoldQuery
	status                    []string
	sku, article, catalogItem *engine.ID
	window                    *window
	direction                 sortDirection
	page                      page
}

var listHoldsQuery = wire.ShapeOf("ListHolds", slices.Concat([]wire.Field[listHolds]{
	wire.Defaulted("status", wire.ListOf(wire.Enum(engine.HoldStatuses...), 0, len(engine.HoldStatuses)), nil, func(o *listHolds) *[]string { return &o.status }).
		Says("Only holds in one of these states. Default: all."),
	wire.Optional("skuId", wire.UUID, func(o *listHolds) **engine.ID { return &o.sku }).Says("Only holds of which a line asks for this SKU."),
	wire.Optional("articleId", wire.UUID, func(o *listHolds) **engine.ID { return &o.article }).Says("Only holds of which a line asks for this article."),
	wire.Optional("catalogItemId", wire.UUID, func(o *listHolds) **engine.ID { return &o.catalogItem }).Says("Only holds of which a line asks for this catalog item."),
	wire.Optional("serviceLocationId", wire.UUID, func(o *listHolds) **engine.ID { return &o.Location }).Says("Only holds of which a line is at this location."),
	wire.Optional("dateRange", dateRange, func(o *listHolds) **window { return &o.window }).Says("Only holds of which a line is for some of it."),
	searchFilter("the note", func(o *listHolds) *string { return &o.Search }),
	wire.Defaulted("direction", wire.Enum(ascending, descending), ascending, func(o *listHolds) *sortDirection { return &o.direction }).
		Says("desc: the youngest first."),
}, pageFields(func(o *listHolds) *page { return &o.page }))...)

func (q *request) listHolds(o *listHolds) error {
	for _, name := range o.status {
		o.Status = append(o.Status, engine.HoldStatus(1+slices.Index(engine.HoldStatuses, name)))
	}
	if o.sku != nil {
		o.Items = append(o.Items, engine.Item{SKU: *o.sku})
	}
	if o.article != nil {
		o.Items = append(o.Items, engine.Item{Article: *o.article})
	}
	if o.catalogItem != nil {
		o.Items = append(o.Items, engine.Item{CatalogItem: *o.catalogItem})
	}
	if o.window != nil {
		o.Window = &engine.Span{Start: o.window.from, End: o.window.to}
	}
	o.Desc, o.Part, o.Units = o.direction == descending, o.page.part(), wire.RowEntries
	holds, total := q.view.ListHolds(&o.HoldQuery)
	appendRows(q, o.page, holds, total, listedHold)
	return nil
}
