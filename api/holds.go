package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
)

// This file owns holds without an order on the wire: placing one is the main job of the service.

var purchaseType = wire.Enum(base.PurchaseBooking, base.PurchaseSale, base.PurchaseSubscription)

// itemFields name what is asked for: one SKU, one article or one catalog item.
func itemFields[In any](at func(*In) *base.Item) []wire.Field[In] {
	return append(stockFields(at),
		wire.Defaulted("catalogItemId", wire.SomeID, base.ID{}, func(in *In) *base.ID { return &at(in).CatalogItem }).
			Says("The catalog item: all its components are taken. Exactly one such id is given."))
}

// stockFields name a SKU or an article.
func stockFields[In any](at func(*In) *base.Item) []wire.Field[In] {
	return []wire.Field[In]{
		wire.Defaulted("skuId", wire.SomeID, base.ID{}, func(in *In) *base.ID { return &at(in).SKU }).
			Says("The SKU: any of its articles will do. Exactly one such id is given."),
		wire.Defaulted("articleId", wire.SomeID, base.ID{}, func(in *In) *base.ID { return &at(in).Article }).
			Says("The article. Exactly one such id is given."),
	}
}

// windowFields are a range whose end may be left open.
func windowFields[In any](at func(*In) *base.Span) []wire.Field[In] {
	return []wire.Field[In]{
		wire.Required("from", wire.Instant, func(in *In) *int64 { return &at(in).Start }).
			Says("First instant of the window."),
		wire.Defaulted("to", wire.Instant, base.Forever, func(in *In) *int64 { return &at(in).End }).
			Says("First instant after the window. Default: without end."),
	}
}

var count = wire.Integer[int](1, base.MaxCount)

var holdLineShape = wire.ShapeOf("HoldLineInput", slices.Concat(
	itemFields(func(l *hold.HoldLineInput) *base.Item { return &l.Item }),
	[]wire.Field[hold.HoldLineInput]{
		wire.Required("serviceLocationId", wire.UUID, func(l *hold.HoldLineInput) *base.ID { return &l.Location }).
			Says("The location that units are taken at."),
		wire.Defaulted("returnServiceLocationId", wire.SomeID, base.ID{},
			func(l *hold.HoldLineInput) *base.ID { return &l.Return }).
			Says(aboutReturn),
	},
	windowFields(func(l *hold.HoldLineInput) *base.Span { return &l.Window }),
	[]wire.Field[hold.HoldLineInput]{
		wire.Defaulted("quantity", count, 1, func(l *hold.HoldLineInput) *int { return &l.Quantity }).
			Says("How many units. Default: 1."),
		wire.Defaulted("purchaseType", purchaseType, base.PurchaseBooking,
			func(l *hold.HoldLineInput) *base.PurchaseType { return &l.Purchase }).
			Says("How they are taken: booked for a time, sold, or subscribed to. Default: booking."),
	})...)

var expiry = wire.Integer[int64](hold.MinExpiry, hold.MaxExpiry)

// holdFields are what a hold is made of, by a request or by a row of a file.
var holdFields = []wire.Field[hold.PlaceHold]{
	wire.Required("lines", wire.ListOf(wire.Object(holdLineShape), 1, base.MaxLines),
		func(o *hold.PlaceHold) *[]hold.HoldLineInput { return &o.Lines }).
		Says("What is held, all or nothing."),
	wire.Optional("expiresInSeconds", expiry, func(o *hold.PlaceHold) **int64 { return &o.ExpiresIn }).
		Says("After how many seconds the hold gives its stock back, from now. Default: never, the hold is firm."),
	wire.Optional("customerId", wire.UUID, func(o *hold.PlaceHold) **base.ID { return &o.Customer }).
		Says("The customer whom it is for, and whom an order of it is for. Default: nobody."),
	wire.Defaulted("note", longText, "", func(o *hold.PlaceHold) *string { return &o.Note }).
		Says("A text for those who read it."),
}

var placeHoldShape = wire.ShapeOf("PlaceHold", append(holdFields,
	wire.Flag("allowPast", func(o *hold.PlaceHold) *bool { return &o.AllowPast }).
		Says("Takes lines whose window is over, which are otherwise refused. Default: false."))...)

// moveLine is a line of a move as it comes in: to may be null, which opens the end.
type moveLine struct {
	hold.MoveLine
	to base.Opt[int64]
}

type moveHold struct {
	id     base.ID
	lines  []moveLine
	dryRun bool
}

// newEnd is the end that a line gets; nil: it keeps the one that it has.
func newEnd(to base.Opt[int64]) *int64 {
	switch {
	case !to.Set:
		return nil
	case to.Null:
		return new(base.Forever)
	}
	return &to.Value
}

var moveHoldShape = wire.ShapeOf("MoveHold",
	wire.Required("lines", wire.ListOf(wire.Object(wire.ShapeOf("MoveLine",
		wire.Required("unavailabilityId", wire.UUID, func(l *moveLine) *base.ID { return &l.Unavailability }).
			Says("The unit of the hold that is moved."),
		wire.Optional("from", wire.Instant, func(l *moveLine) **int64 { return &l.From }).
			Says("Its new first instant. Default: as it is."),
		wire.Merged("to", wire.Instant, true, func(l *moveLine) *base.Opt[int64] {
			return &l.to
		}).Says("Its new end. Default: as it is; null: without end."),
		wire.Optional("articleId", wire.UUID, func(l *moveLine) **base.ID { return &l.Article }).
			Says("Pins the unit to this article."),
		wire.Optional("slotId", wire.UUID, func(l *moveLine) **base.ID { return &l.Slot }).
			Says("Pins the unit to this slot."),
	)), 1, base.MaxLines), func(o *moveHold) *[]moveLine {
		return &o.lines
	}).Says("The units that are moved, all or nothing."),
	wire.Flag("dryRun", func(o *moveHold) *bool { return &o.dryRun }).Says(aboutDryRun))

const (
	aboutDryRun = "Answers what would happen, and changes nothing."
	aboutMoved  = "With dryRun: units of others that would move to make room, at their new places. Otherwise empty."
)

// holdLineChange is a change of a line as it comes in: to may be null, which opens the end.
type holdLineChange struct {
	hold.HoldLineChange
	to base.Opt[int64]
}

type heldChanges struct {
	hold.ChangeHold
	change []holdLineChange
	dryRun bool
}

var changeHoldShape = wire.ShapeOf("ChangeHold",
	wire.Merged("customerId", wire.UUID, true, func(o *heldChanges) *base.Opt[base.ID] { return &o.Customer }).
		Says("The customer whom it is for. Null: nobody. Default: as it is."),
	wire.Defaulted("add", wire.ListOf(wire.Object(holdLineShape), 0, base.MaxLines), nil,
		func(o *heldChanges) *[]hold.HoldLineInput { return &o.Add }).
		Says("New lines, behind those that stay. Default: none.").Shows("null"),
	wire.Defaulted("change", wire.ListOf(wire.Object(wire.ShapeOf("HoldLineChange",
		wire.Required("line", wire.Integer[int](0, base.MaxLines-1), func(x *holdLineChange) *int { return &x.Line }).
			Says("The number of the line, from 0."),
		wire.Optional("quantity", count, func(x *holdLineChange) **int { return &x.Quantity }).
			Says("How many units. Default: as it is."),
		wire.Optional("from", wire.Instant, func(x *holdLineChange) **int64 { return &x.From }).
			Says("Its new first instant. Default: as it is."),
		wire.Merged("to", wire.Instant, true, func(x *holdLineChange) *base.Opt[int64] {
			return &x.to
		}).Says("Its new end. Default: as it is; null: without end."),
	)), 0, base.MaxLines), nil, func(o *heldChanges) *[]holdLineChange { return &o.change }).
		Says("Lines to change, in quantity or dates; their units are assigned again. "+
			"Default: none.").Shows("null"),
	wire.Defaulted("remove", wire.ListOf(wire.Integer[int](0, base.MaxLines-1), 0, base.MaxLines), nil,
		func(o *heldChanges) *[]int { return &o.Remove }).
		Says("The numbers of lines that are taken out, from 0. Default: none.").Shows("null"),
	wire.Flag("allowPast", func(o *heldChanges) *bool { return &o.AllowPast }).
		Says("Takes lines whose window is over, which are otherwise refused. Default: false."),
	wire.Flag("dryRun", func(o *heldChanges) *bool { return &o.dryRun }).Says(aboutDryRun))

var extendHoldShape = wire.ShapeOf("ExtendHold",
	wire.Required("expiresInSeconds", expiry, func(o *hold.ExtendHold) *int64 { return &o.ExpiresIn }).
		Says("After how many seconds the hold gives its stock back, from now."))

var (
	holdStatuses = wire.EnumSchema(hold.HoldStatuses...)
	holdSchema   = describe("Hold", func(w *scribe, h *hold.Hold) { w.writeHold(h, base.MaxListed) })
)

// appendHold appends a hold as a record of its own.
func appendHold(w *scribe, h *hold.Hold) {
	start := len(w.Out)
	appendRecord(w, h, func(w *scribe, h *hold.Hold) { w.writeHold(h, base.MaxListed) })
	w.Out = wire.Bounded(w.Out, start, wire.MaxRecord)
}

// movedHold is a hold, and the units of others that make room for it.
type movedHold struct {
	hold  hold.Hold
	moved []stock.Unavailability
}

var movedHoldSchema = describe("MovedHold", (*scribe).writeMovedHold)

func (w *scribe) writeMovedHold(m *movedHold) {
	w.writeHold(&m.hold, base.MaxListed)
	w.units("moved", m.moved, 0, aboutMoved)
}

// answerMove answers with the hold that was moved, or would be.
func answerMove(q *request, h *hold.Hold) error {
	q.tag = h.Revision
	start := len(q.Out)
	appendRecord(&q.scribe, &movedHold{*h, q.others(h.ID)}, (*scribe).writeMovedHold)
	q.Out = wire.Bounded(q.Out, start, wire.MaxRecord)
	return nil
}

// others are the units of others than an owner that a preview would have go elsewhere.
func (q *request) others(owner base.ID) (list []stock.Unavailability) {
	for _, u := range q.moved {
		if u.Owner != owner {
			list = append(list, u)
		}
	}
	return list
}

// listedHold writes a hold as a row.
func listedHold(w *scribe, h *hold.Hold) { w.writeHold(h, wire.RowEntries) }

// writeHold writes a hold with the first of its lines, and of their units.
func (w *scribe) writeHold(h *hold.Hold, most int) {
	w.ID("id", h.ID, "The hold's id.")
	w.As(holdStatuses, "status", h.Status.String(),
		"held: it expires; confirmed: it does not; expired, released or ordered: it is over, and answers for a day.")
	w.InstantOrNull("expiresAt", h.ExpiresAt, "When it gives its stock back; null where it does not expire.")
	w.MadeAt(h.CreatedAt)
	w.GivenID("customerId", h.Customer, "The customer whom it is for; null: nobody is named.")
	w.GivenText("note", h.Note, "A text for those who read it.")
	left := most
	wire.First(&w.Writer, "lines", "HoldLine", wire.UpTo(h.Lines, most), len(h.Lines), "What it holds.",
		func(l *hold.HoldLine) {
			w.GivenID("skuId", l.SKU, "The SKU that was asked for; null where it was another item.")
			w.GivenID("articleId", l.Article, "The article that was asked for; null where it was another item.")
			w.GivenID("catalogItemId", l.CatalogItem,
				"The catalog item that was asked for; null where it was another item.")
			w.ID("serviceLocationId", l.Location, "The location that its units are at.")
			w.ID("returnServiceLocationId", l.Return, "The location that they are brought back to.")
			w.Instant("from", l.Window.Start, "First instant of the line.")
			w.End("to", l.Window.End, "First instant after it; null: without end.")
			w.Count("quantity", l.Quantity, "How many units.")
			w.As(purchaseType.Schema, "purchaseType", string(l.Purchase), "How they are taken.")
			shown := wire.UpTo(l.Units, left)
			left -= len(shown)
			wire.First(&w.Writer, "unavailabilities", "HeldUnit", shown, max(l.Taken, len(l.Units)),
				"Its units, each where it is and until when.", w.heldUnit)
		})
}

var heldUnitSchema = describe("HeldUnit", (*scribe).heldUnit)

// heldUnit writes a unit of a hold: where it is, and what it was asked for as.
func (w *scribe) heldUnit(u *hold.HeldUnit) {
	w.writeUnavailability(&u.Unavailability)
	name, code := "", (*string)(nil)
	if w.Writes() {
		name, code = hold.CalledAs(w.view, u.Ordered)
	}
	w.orderedAs("What the unit was asked for as, also while it has no slot: of a kit, the component.", u.Ordered, name,
		code)
}

func answerHold(q *request, h *hold.Hold) error {
	q.tag = h.Revision
	appendHold(&q.scribe, h)
	return nil
}

type listHolds struct {
	hold.HoldQuery
	status                    []string
	sku, article, catalogItem *base.ID
	window                    *window
	direction                 sortDirection
	page                      page
}

const ofOneLine = " One and the same line must pass all filters on lines."

var listHoldsQuery = wire.ShapeOf("ListHolds", slices.Concat([]wire.Field[listHolds]{
	wire.Defaulted("status", wire.ListOf(wire.Enum(hold.HoldStatuses...), 0, len(hold.HoldStatuses)), nil,
		func(o *listHolds) *[]string { return &o.status }).
		Says("Only holds in one of these states. Default: all."),
	wire.Optional("skuId", wire.UUID, func(o *listHolds) **base.ID {
		return &o.sku
	}).Says("Only holds with a line for this SKU." + ofOneLine),
	wire.Optional("articleId", wire.UUID, func(o *listHolds) **base.ID {
		return &o.article
	}).Says("Only holds with a line for this article." + ofOneLine),
	wire.Optional("catalogItemId", wire.UUID, func(o *listHolds) **base.ID {
		return &o.catalogItem
	}).Says("Only holds with a line for this catalog item." + ofOneLine),
	wire.Optional("serviceLocationId", wire.UUID, func(o *listHolds) **base.ID {
		return &o.Location
	}).Says("Only holds with a line at this location." + ofOneLine),
	wire.Optional("dateRange", dateRange, func(o *listHolds) **window {
		return &o.window
	}).Says("Only holds with a line that overlaps this range; a line of a sale counts only at its start." + ofOneLine),
	wire.Optional("customerId", wire.UUID, func(o *listHolds) **base.ID { return &o.Customer }).
		Says("Only holds for this customer."),
	searchFilter("the note", func(o *listHolds) *string { return &o.Search }),
	wire.Defaulted("direction", wire.Enum(ascending, descending), ascending,
		func(o *listHolds) *sortDirection { return &o.direction }).
		Says("desc: the newest first."),
}, pageFields(func(o *listHolds) *page { return &o.page }))...)

func (q *request) listHolds(o *listHolds) error {
	for _, name := range o.status {
		o.Status = append(o.Status, hold.HoldStatus(1+slices.Index(hold.HoldStatuses, name)))
	}
	if o.sku != nil {
		o.Items = append(o.Items, base.Item{SKU: *o.sku})
	}
	if o.article != nil {
		o.Items = append(o.Items, base.Item{Article: *o.article})
	}
	if o.catalogItem != nil {
		o.Items = append(o.Items, base.Item{CatalogItem: *o.catalogItem})
	}
	if o.window != nil {
		o.Window = &base.Span{Start: o.window.from, End: o.window.to}
	}
	o.Desc, o.Part, o.Units = o.direction == descending, o.page.part(), wire.RowEntries
	holds, total := hold.ListHolds(q.view, &o.HoldQuery)
	appendRows(q, o.page, holds, total, listedHold)
	return nil
}

var holdOperations = []operation{
	readChecked(operation{
		id: "admin.holds.list", method: "GET", path: "/v1/admin/holds", scopes: stockRead,
		summary: "Lists holds in order of creation: those that pass all filters, those that ended within the last " +
			"24 hours included.", answer: pagedSchema(holdSchema),
	}, input[listHolds]{query: listHoldsQuery}, func(q *request, o *listHolds) {
		q.checkWindow(o.window)
	}, (*request).listHolds),
	partsOf(operation{
		id: "admin.holds.listUnavailabilities", method: "GET", path: "/v1/admin/holds/{id}/unavailabilities",
		scopes:  stockRead,
		summary: "Lists all that a hold takes, in the order of its lines; one that has ended takes nothing.",
		answer:  pagedSchema(heldUnitSchema),
	}, byUUID, func(q *request, l *listParts) error {
		units, total, ok := hold.HoldUnits(q.view, l.of, l.page.part())
		if !ok {
			return notFound("hold")
		}
		appendRows(q, l.page, units, total, func(w *scribe, u hold.HeldUnit) { w.heldUnit(&u) })
		return nil
	}),
	write(operation{
		id: "admin.holds.create", method: "POST", path: "/v1/admin/holds", scopes: stockWrite,
		summary: "Takes stock: all lines or nothing.", answer: holdSchema,
	}, input[hold.PlaceHold]{body: placeHoldShape}, asIs, answerHold),
	read(operation{
		id: "admin.holds.get", method: "GET", path: "/v1/admin/holds/{id}", scopes: stockRead,
		summary: "Returns a hold; one that ended answers for 24 hours.", answer: holdSchema,
	}, input[base.ID]{path: byUUID(itself)}, func(q *request, id *base.ID) error {
		h, ok := hold.HoldWith(q.view, *id, base.MaxListed)
		if !ok {
			return notFound("hold")
		}
		return answerHold(q, h)
	}),
	removal(operation{
		id: "admin.holds.delete", path: "/v1/admin/holds/{id}", scopes: stockWrite,
		summary: "Gives a hold's stock back.",
	}, input[hold.ReleaseHold]{path: byUUID(func(o *hold.ReleaseHold) *base.ID { return &o.ID })}),
	write(operation{
		id: "admin.holds.update", method: "PATCH", path: "/v1/admin/holds/{id}", scopes: stockWrite,
		answer: holdSchema,
		summary: "Adds, changes and removes lines of a hold, and sets its customer: all or nothing. Units that the " +
			"hold has count as free for it.",
	}, input[heldChanges]{path: byUUID(func(o *heldChanges) *base.ID { return &o.ID }), body: changeHoldShape},
		func(q *request, o *heldChanges) base.OpOf[*hold.Hold] {
			q.preview = o.dryRun
			for _, x := range o.change {
				x.To = newEnd(x.to)
				o.Change = append(o.Change, x.HoldLineChange)
			}
			return &o.ChangeHold
		}, answerHold),
	write(operation{
		id: "admin.holds.move", method: "POST", path: "/v1/admin/holds/{id}/move", scopes: stockWrite,
		summary: "Changes dates, article or slot of units of a hold: all or nothing.", answer: movedHoldSchema,
	}, input[moveHold]{path: byUUID(func(o *moveHold) *base.ID { return &o.id }), body: moveHoldShape},
		func(q *request, o *moveHold) base.OpOf[*hold.Hold] {
			q.preview = o.dryRun
			op := &hold.MoveHold{ID: o.id, Lines: make([]hold.MoveLine, len(o.lines))}
			for i, l := range o.lines {
				l.To = newEnd(l.to)
				op.Lines[i] = l.MoveLine
			}
			return op
		}, answerMove),
	write(operation{
		id: "admin.holds.extend", method: "POST", path: "/v1/admin/holds/{id}/extend", scopes: stockWrite,
		summary: "Gives a hold a new expiry.", answer: holdSchema,
	}, input[hold.ExtendHold]{path: byUUID(func(o *hold.ExtendHold) *base.ID { return &o.ID }), body: extendHoldShape},
		asIs, answerHold),
	write(operation{
		id: "admin.holds.confirm", method: "POST", path: "/v1/admin/holds/{id}/confirm", scopes: stockWrite,
		summary: "Makes a hold firm: it no longer expires.", answer: holdSchema,
	}, input[hold.ConfirmHold]{path: byUUID(func(o *hold.ConfirmHold) *base.ID { return &o.ID })}, asIs, answerHold),
}
