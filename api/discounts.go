package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
)

// This file owns discount codes on the wire.

var (
	discountsRead  = []string{"catalog.discounts.read"}
	discountsWrite = []string{"catalog.discounts.write"}

	discountCode     = wire.Text(1, 64)
	discountType     = wire.Enum(commerce.DiscountPercentage, commerce.DiscountPerOrder, commerce.DiscountPerItem)
	discountDuration = wire.Enum(commerce.DiscountOnce, commerce.DiscountRepeating, commerce.DiscountForever)
	discountCycles   = wire.Integer[int64](1, 10_000)
	discountItems    = wire.ListOf(wire.UUID, 1, 250)
	atLeastOne       = wire.Integer[int64](1, wire.MaxSafeInteger)
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

var createDiscountShape = wire.ShapeOf("CreateDiscountCode",
	wire.Required("code", discountCode, func(o *commerce.CreateDiscountCode) *string { return &o.Code }).Shows(`"SUMMER"`).
		Says("The text that customers enter: unique in the account, compared without case."),
	wire.Required("valueType", discountType, func(o *commerce.CreateDiscountCode) *commerce.DiscountType { return &o.ValueType }).
		Says("Whether value is a percentage, an amount off each order or an amount off each unit."),
	wire.Required("value", atLeastOne, func(o *commerce.CreateDiscountCode) *int64 { return &o.Value }).Shows("10").Says(aboutDiscountValue),
	wire.Defaulted("applicablePurchaseTypes", purchaseTypes, nil, func(o *commerce.CreateDiscountCode) *[]base.PurchaseType { return &o.Purchases }).
		Says("The ways of taking an item that it counts for. Default: all."),
	wire.Optional("usageLimit", atLeastOne, func(o *commerce.CreateDiscountCode) **int64 { return &o.UsageLimit }).
		Says("How many orders may use it; null: any number.").Shows("500"),
	wire.Optional("startsAt", wire.Instant, func(o *commerce.CreateDiscountCode) **int64 { return &o.StartsAt }).
		Says("From when on it is valid; null: at once.").Shows(`"2025-06-01T00:00:00.000Z"`),
	wire.Optional("endsAt", wire.Instant, func(o *commerce.CreateDiscountCode) **int64 { return &o.EndsAt }).Shows(`"2025-09-01T00:00:00.000Z"`).
		Says("The instant from which on it is over."),
	wire.Defaulted("catalogItemIds", discountItems, nil, func(o *commerce.CreateDiscountCode) *[]base.ID { return &o.CatalogItems }).Says(aboutDiscountItems),
	wire.Defaulted("subscriptionDuration", discountDuration, commerce.DiscountOnce, func(o *commerce.CreateDiscountCode) *commerce.DiscountDuration { return &o.Duration }).
		Says("For which payments of a subscription it counts: the first, some, or all. Default: once.").
		Shows(`"repeating"`).Says(aboutDiscountDuration),
	wire.Optional("subscriptionDurationCycles", discountCycles, func(o *commerce.CreateDiscountCode) **int64 { return &o.Cycles }).Shows("3").Says(aboutDiscountCycles))

var patchDiscountShape = wire.ShapeOf("PatchDiscountCode",
	wire.Merged("code", discountCode, false, func(o *commerce.PatchDiscountCode) *base.Opt[string] { return &o.Code }).
		Says("The text that customers enter; case does not count.").Shows(`"SUMMER"`),
	wire.Merged("valueType", discountType, false, func(o *commerce.PatchDiscountCode) *base.Opt[commerce.DiscountType] { return &o.ValueType }).
		Says(aboutDiscountType),
	wire.Merged("value", atLeastOne, false, func(o *commerce.PatchDiscountCode) *base.Opt[int64] { return &o.Value }).Shows("10").Says(aboutDiscountValue),
	wire.Merged("applicablePurchaseTypes", purchaseTypes, true, func(o *commerce.PatchDiscountCode) *base.Opt[[]base.PurchaseType] { return &o.Purchases }).
		Says("The ways of taking an item that it counts for; null: all."),
	wire.Merged("usageLimit", atLeastOne, true, func(o *commerce.PatchDiscountCode) *base.Opt[int64] { return &o.UsageLimit }).
		Says("How many orders may use it; null: any number.").Shows("500"),
	wire.Merged("startsAt", wire.Instant, true, func(o *commerce.PatchDiscountCode) *base.Opt[int64] { return &o.StartsAt }).
		Says("From when on it is valid; null: at once.").Shows(`"2025-06-01T00:00:00.000Z"`),
	wire.Merged("endsAt", wire.Instant, true, func(o *commerce.PatchDiscountCode) *base.Opt[int64] { return &o.EndsAt }).
		Says("From when on it is valid no more; null: never.").Shows(`"2025-09-01T00:00:00.000Z"`),
	wire.Merged("catalogItemIds", discountItems, true, func(o *commerce.PatchDiscountCode) *base.Opt[[]base.ID] { return &o.CatalogItems }).Says(aboutDiscountItems),
	wire.Merged("subscriptionDuration", discountDuration, true, func(o *commerce.PatchDiscountCode) *base.Opt[commerce.DiscountDuration] { return &o.Duration }).
		Says("For which payments of a subscription it counts: the first, some, or all. Null clears it.").
		Shows(`"repeating"`).Says(aboutDiscountDuration),
	wire.Merged("subscriptionDurationCycles", discountCycles, true, func(o *commerce.PatchDiscountCode) *base.Opt[int64] { return &o.Cycles }).Shows("3").Says(aboutDiscountCycles))

var (
	discountCodeSchema  = wire.TextSchema.Shows(`"SUMMER"`)
	discountValueSchema = wire.IntegerSchema.Shows("10")
	discountItemsSchema = wire.ListSchema(wire.IDSchema).OrNull()
	discountSchema      = describe("DiscountCode", (*scribe).writeDiscountCode)
)

func (w *scribe) writeDiscountCode(d *commerce.DiscountCode) {
	w.ID("id", d.ID, "The record's id.")
	w.As(discountCodeSchema, "code", d.Code, "The text that customers enter; case does not count.")
	w.As(discountType.Schema, "valueType", string(d.ValueType), aboutDiscountType)
	w.Key("value", discountValueSchema, aboutDiscounted)
	w.Out = wire.AppendInt(w.Out, d.Value)
	w.GivenText("currency", d.Currency, "ISO 4217 code of the currency of an amount: the account's as the amount was given; null of a percentage, which is of any.")
	w.purchaseTypes("applicablePurchaseTypes", d.Purchases, "The ways of taking an item that it counts for.")
	w.IntOrNull("usageLimit", d.UsageLimit, "How many orders may use it; null: any number.")
	w.Int("usedCount", int64(d.Used), "How many orders use it.")
	w.InstantOrNull("startsAt", d.StartsAt, "From when on it is valid; null: at once.")
	w.InstantOrNull("endsAt", d.EndsAt, "From when on it is valid no more; null: never.")
	if w.Key("catalogItemIds", discountItemsSchema, "The catalog items that it counts for; null: all."); d.CatalogItems == nil {
		w.Nil()
	} else {
		w.Out = wire.AppendList(w.Out, d.CatalogItems, wire.AppendID)
	}
	w.As(discountDuration.Schema, "subscriptionDuration", string(d.Duration), aboutDiscountPayments)
	w.IntOrNull("subscriptionDurationCycles", d.Cycles, aboutDiscountedCycles)
	w.Created(d.ID)
	w.Updated(d.UpdatedAt)
}

// answerDiscountCode answers with a discount code and its entity tag, which is of what the merchant says: a use is no change.
func answerDiscountCode(q *request, d *commerce.DiscountCode) error {
	if !q.sameRevision(d.Revision) {
		appendRecord(&q.scribe, d, (*scribe).writeDiscountCode)
	}
	return nil
}

type listDiscounts struct {
	search string
	page   page
}

var listDiscountsQuery = wire.ShapeOf("ListDiscountCodes", slices.Concat([]wire.Field[listDiscounts]{
	wire.Defaulted("search", wire.Text(0, 255), "", func(o *listDiscounts) *string { return &o.search }).Says("A part of the code, without case."),
}, pageFields(func(o *listDiscounts) *page { return &o.page }))...)

const discountPath = "/v1/admin/discount-codes/{id}"

var discountOperations = []operation{
	read(operation{
		id: "admin.discountCodes.list", method: "GET", path: "/v1/admin/discount-codes", scopes: discountsRead,
		summary: "Lists discount codes in order of creation.", answer: pagedSchema(discountSchema),
	}, input[listDiscounts]{query: listDiscountsQuery}, func(q *request, o *listDiscounts) error {
		codes, total := commerce.DiscountCodes(q.view, o.search, o.page.offset(), o.page.size)
		appendRows(q, o.page, codes, total, (*scribe).writeDiscountCode)
		return nil
	}),
	write(operation{
		id: "admin.discountCodes.create", method: "POST", path: "/v1/admin/discount-codes", scopes: discountsWrite,
		summary: "Creates a discount code.", answer: discountSchema,
	}, input[commerce.CreateDiscountCode]{body: createDiscountShape},
		asIs, answerDiscountCode),
	read(operation{
		id: "admin.discountCodes.get", method: "GET", path: discountPath, scopes: discountsRead, cached: true,
		summary: "Returns a discount code; its uses are no part of its tag.", answer: discountSchema,
	}, input[base.ID]{path: byID(func(id *base.ID) *base.ID { return id })}, func(q *request, id *base.ID) error {
		d := commerce.DiscountCodeByID(q.view, *id)
		if d == nil {
			return notFound("discount code")
		}
		return answerDiscountCode(q, d)
	}),
	write(operation{
		id: "admin.discountCodes.update", method: "PATCH", path: discountPath, scopes: discountsWrite, guarded: true,
		summary: "Changes a discount code; orders that carry it keep what it took off.", answer: discountSchema,
	}, input[commerce.PatchDiscountCode]{path: byID(func(o *commerce.PatchDiscountCode) *base.ID { return &o.ID }), body: patchDiscountShape},
		guarded(func(o *commerce.PatchDiscountCode) *[]uint64 { return &o.IfMatch }), answerDiscountCode),
	write(operation{
		id: "admin.discountCodes.delete", method: "DELETE", path: discountPath, scopes: discountsWrite, guarded: true,
		summary: "Deletes a discount code; orders that carry it keep what it took off.", answer: wire.NullSchema,
	}, input[commerce.DeleteDiscountCode]{path: byID(func(o *commerce.DeleteDiscountCode) *base.ID { return &o.ID })},
		guarded(func(o *commerce.DeleteDiscountCode) *[]uint64 { return &o.IfMatch }), answerNull),
}
