package api

import (
	"slices"

	"holdfast/engine"
)

// This file owns discount codes on the wire.

var (
	discountsRead  = []string{"catalog.discounts.read"}
	discountsWrite = []string{"catalog.discounts.write"}

	discountCode     = text(1, 64)
	discountType     = enum(engine.DiscountPercentage, engine.DiscountPerOrder, engine.DiscountPerItem)
	discountDuration = enum(engine.DiscountOnce, engine.DiscountRepeating, engine.DiscountForever)
	discountCycles   = integer[int64](1, 10_000)
	discountItems    = list(uuid, 1, 250)
	atLeastOne       = integer[int64](1, maxSafeInteger)
)

const (
	aboutDiscountValue    = "What it takes off: whole percent, 1 to 100, of a percentage; else minor units of the account's currency."
	aboutDiscountItems    = "The catalog items whose lines it is for; null: all."
	aboutDiscountDuration = "The payments of a subscription that are discounted: the first, the first few, or all."
	aboutDiscountType     = "Whether value is a percentage, an amount off the order or an amount off each unit."
	aboutDiscounted       = "A percentage from 1 to 100, or an amount in minor units."
	aboutDiscountPayments = "For which payments of a subscription it counts: the first, some, or all."
	aboutDiscountedCycles = "How many payments it counts for, where that is repeating."
	aboutDiscountCycles   = "How many payments it counts for, where that is repeating, and only there."
)

var createDiscountShape = shapeOf("CreateDiscountCode",
	required("code", discountCode, func(o *engine.CreateDiscountCode) *string { return &o.Code }).shows(`"SUMMER"`).
		says("The text that customers enter: unique in the account, compared without case."),
	required("valueType", discountType, func(o *engine.CreateDiscountCode) *engine.DiscountType { return &o.ValueType }).
		says("Whether value is a percentage, an amount off each order or an amount off each unit."),
	required("value", atLeastOne, func(o *engine.CreateDiscountCode) *int64 { return &o.Value }).shows("10").says(aboutDiscountValue),
	defaulted("applicablePurchaseTypes", purchaseTypes, nil, func(o *engine.CreateDiscountCode) *[]engine.PurchaseType { return &o.Purchases }).
		says("The ways of taking an item that it counts for. Default: all."),
	optional("usageLimit", atLeastOne, func(o *engine.CreateDiscountCode) **int64 { return &o.UsageLimit }).
		says("How many orders may use it; null: any number.").shows("500"),
	optional("startsAt", instant, func(o *engine.CreateDiscountCode) **int64 { return &o.StartsAt }).
		says("From when on it is valid; null: at once.").shows(`"2025-06-01T00:00:00.000Z"`),
	optional("endsAt", instant, func(o *engine.CreateDiscountCode) **int64 { return &o.EndsAt }).shows(`"2025-09-01T00:00:00.000Z"`).
		says("The instant from which on it is over."),
	defaulted("catalogItemIds", discountItems, nil, func(o *engine.CreateDiscountCode) *[]engine.ID { return &o.CatalogItems }).says(aboutDiscountItems),
	defaulted("subscriptionDuration", discountDuration, engine.DiscountOnce, func(o *engine.CreateDiscountCode) *engine.DiscountDuration { return &o.Duration }).
		says("For which payments of a subscription it counts: the first, some, or all. Default: once.").
		shows(`"repeating"`).says(aboutDiscountDuration),
	optional("subscriptionDurationCycles", discountCycles, func(o *engine.CreateDiscountCode) **int64 { return &o.Cycles }).shows("3").says(aboutDiscountCycles))

var patchDiscountShape = shapeOf("PatchDiscountCode",
	merged("code", discountCode, false, func(o *engine.PatchDiscountCode) *engine.Opt[string] { return &o.Code }).
		says("The text that customers enter; case does not count.").shows(`"SUMMER"`),
	merged("valueType", discountType, false, func(o *engine.PatchDiscountCode) *engine.Opt[engine.DiscountType] { return &o.ValueType }).
		says(aboutDiscountType),
	merged("value", atLeastOne, false, func(o *engine.PatchDiscountCode) *engine.Opt[int64] { return &o.Value }).shows("10").says(aboutDiscountValue),
	merged("applicablePurchaseTypes", purchaseTypes, true, func(o *engine.PatchDiscountCode) *engine.Opt[[]engine.PurchaseType] { return &o.Purchases }).
		says("The ways of taking an item that it counts for; null: all."),
	merged("usageLimit", atLeastOne, true, func(o *engine.PatchDiscountCode) *engine.Opt[int64] { return &o.UsageLimit }).
		says("How many orders may use it; null: any number.").shows("500"),
	merged("startsAt", instant, true, func(o *engine.PatchDiscountCode) *engine.Opt[int64] { return &o.StartsAt }).
		says("From when on it is valid; null: at once.").shows(`"2025-06-01T00:00:00.000Z"`),
	merged("endsAt", instant, true, func(o *engine.PatchDiscountCode) *engine.Opt[int64] { return &o.EndsAt }).
		says("From when on it is valid no more; null: never.").shows(`"2025-09-01T00:00:00.000Z"`),
	merged("catalogItemIds", discountItems, true, func(o *engine.PatchDiscountCode) *engine.Opt[[]engine.ID] { return &o.CatalogItems }).says(aboutDiscountItems),
	merged("subscriptionDuration", discountDuration, true, func(o *engine.PatchDiscountCode) *engine.Opt[engine.DiscountDuration] { return &o.Duration }).
		says("For which payments of a subscription it counts: the first, some, or all. Null clears it.").
		shows(`"repeating"`).says(aboutDiscountDuration),
	merged("subscriptionDurationCycles", discountCycles, true, func(o *engine.PatchDiscountCode) *engine.Opt[int64] { return &o.Cycles }).shows("3").says(aboutDiscountCycles))

var (
	discountCodeSchema  = textSchema.shows(`"SUMMER"`)
	discountValueSchema = integerSchema.shows("10")
	discountItemsSchema = listSchema(idSchema).orNull()
	discountSchema      = describe("DiscountCode", (*scribe).writeDiscountCode)
)

func (w *scribe) writeDiscountCode(d *engine.DiscountCode) {
	w.ID("id", d.ID, "The record's id.")
	w.As(discountCodeSchema, "code", d.Code, "The text that customers enter; case does not count.")
	w.As(discountType.schema, "valueType", string(d.ValueType), aboutDiscountType)
	w.Key("value", discountValueSchema, aboutDiscounted)
	w.Out = appendInt(w.Out, d.Value)
	w.purchaseTypes("applicablePurchaseTypes", d.Purchases, "The ways of taking an item that it counts for.")
	w.IntOrNull("usageLimit", d.UsageLimit, "How many orders may use it; null: any number.")
	w.Int("usedCount", int64(d.Used), "How many orders use it.")
	w.InstantOrNull("startsAt", d.StartsAt, "From when on it is valid; null: at once.")
	w.InstantOrNull("endsAt", d.EndsAt, "From when on it is valid no more; null: never.")
	if w.Key("catalogItemIds", discountItemsSchema, "The catalog items that it counts for; null: all."); d.CatalogItems == nil {
		w.Nil()
	} else {
		w.Out = appendList(w.Out, d.CatalogItems, appendID)
	}
	w.As(discountDuration.schema, "subscriptionDuration", string(d.Duration), aboutDiscountPayments)
	w.IntOrNull("subscriptionDurationCycles", d.Cycles, aboutDiscountedCycles)
	w.Created(d.ID)
	w.Updated(d.UpdatedAt)
}

// answerDiscountCode answers with a discount code and its entity tag, which is of what the merchant says: a use is no change.
func answerDiscountCode(q *request, d *engine.DiscountCode) error {
	if !q.sameRevision(d.Revision) {
		appendRecord(&q.scribe, d, (*scribe).writeDiscountCode)
	}
	return nil
}

type listDiscounts struct {
	search string
	page   page
}

var listDiscountsQuery = shapeOf("ListDiscountCodes", slices.Concat([]field[listDiscounts]{
	defaulted("search", text(0, 255), "", func(o *listDiscounts) *string { return &o.search }).says("A part of the code, without case."),
}, pageFields(func(o *listDiscounts) *page { return &o.page }))...)

const discountPath = "/v1/admin/discount-codes/{id}"

var discountOperations = []operation{
	read(operation{
		id: "admin.discountCodes.list", method: "GET", path: "/v1/admin/discount-codes", scopes: discountsRead,
		summary: "Lists discount codes in order of creation.", answer: pagedSchema(discountSchema),
	}, input[listDiscounts]{query: listDiscountsQuery}, func(q *request, o *listDiscounts) error {
		codes, total := q.view.DiscountCodes(o.search, o.page.offset(), o.page.size)
		appendRows(q, o.page, codes, total, (*scribe).writeDiscountCode)
		return nil
	}),
	write(operation{
		id: "admin.discountCodes.create", method: "POST", path: "/v1/admin/discount-codes", scopes: discountsWrite,
		summary: "Creates a discount code.", answer: discountSchema,
	}, input[engine.CreateDiscountCode]{body: createDiscountShape},
		func(_ *request, o *engine.CreateDiscountCode) engine.Op { return o }, answerDiscountCode),
	read(operation{
		id: "admin.discountCodes.get", method: "GET", path: discountPath, scopes: discountsRead, cached: true,
		summary: "Returns a discount code; its uses are no part of its tag.", answer: discountSchema,
	}, input[engine.ID]{path: byID(func(id *engine.ID) *engine.ID { return id })}, func(q *request, id *engine.ID) error {
		d := q.view.DiscountCode(*id)
		if d == nil {
			return notFound("discount code")
		}
		return answerDiscountCode(q, d)
	}),
	write(operation{
		id: "admin.discountCodes.update", method: "PATCH", path: discountPath, scopes: discountsWrite, guarded: true,
		summary: "Changes a discount code; orders that carry it keep what it took off.", answer: discountSchema,
	}, input[engine.PatchDiscountCode]{path: byID(func(o *engine.PatchDiscountCode) *engine.ID { return &o.ID }), body: patchDiscountShape},
		func(q *request, o *engine.PatchDiscountCode) engine.Op {
			o.IfMatch = q.ifMatch
			return o
		}, answerDiscountCode),
	write(operation{
		id: "admin.discountCodes.delete", method: "DELETE", path: discountPath, scopes: discountsWrite, guarded: true,
		summary: "Deletes a discount code; orders that carry it keep what it took off.", answer: nullSchema,
	}, input[engine.DeleteDiscountCode]{path: byID(func(o *engine.DeleteDiscountCode) *engine.ID { return &o.ID })},
		func(q *request, o *engine.DeleteDiscountCode) engine.Op {
			o.IfMatch = q.ifMatch
			return o
		}, answerNull),
}
