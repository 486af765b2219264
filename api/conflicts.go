package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns the list of conflicts: holds without a unit.

type listConflicts struct {
	filter stock.ConflictFilter
	window *window
	page   page
}

var conflictsQuery = wire.ShapeOf("ListConflicts", slices.Concat([]wire.Field[listConflicts]{
	wire.Defaulted("serviceLocationId", wire.SomeID, base.ID{},
		func(o *listConflicts) *base.ID { return &o.filter.Location }).
		Says("Only conflicts at this location."),
	wire.Defaulted("skuId", wire.SomeID, base.ID{}, func(o *listConflicts) *base.ID { return &o.filter.SKU }).
		Says("Only conflicts of this SKU."),
	wire.Defaulted("articleId", wire.SomeID, base.ID{}, func(o *listConflicts) *base.ID { return &o.filter.Article }).
		Says("Only conflicts of this article."),
	wire.Optional("dateRange", dateRange, func(o *listConflicts) **window { return &o.window }).
		Says("Only those that overlap it."),
}, pageFields(func(o *listConflicts) *page { return &o.page }))...)

var (
	shortageReasons = wire.EnumSchema("not_enough_stock", "fragmented_by_pinned_holds")
	conflictSchema  = describe("Conflict", func(w *scribe, c *stock.Conflict) { w.writeConflict(*c) })
)

func (w *scribe) writeConflict(c stock.Conflict) {
	w.Object("unavailability", "Unavailability", "The hold that has no unit.",
		func() { w.writeUnavailability(&c.Unavailability) })
	w.As(shortageReasons, "reason", c.Reason,
		"Whether units are missing, or pinned holds leave none free for the whole time.")
	w.Instant("since", c.Since, "Since when it has no unit.")
}

var conflictOperations = []operation{
	readChecked(operation{
		id: "admin.conflicts.list", method: "GET", path: "/v1/admin/conflicts",
		scopes:  stockRead,
		summary: "Lists holds that have no unit, in order of creation.", answer: pagedSchema(conflictSchema),
	}, input[listConflicts]{query: conflictsQuery}, func(q *request, o *listConflicts) {
		q.checkWindow(o.window)
	}, func(q *request, o *listConflicts) error {
		if o.window != nil {
			w := q.span(o.window)
			o.filter.Window = &w
		}
		conflicts, total := stock.Conflicts(q.view, o.filter, o.page.offset(), o.page.size, q.now)
		appendRows(q, o.page, conflicts, total, (*scribe).writeConflict)
		return nil
	}),
}
