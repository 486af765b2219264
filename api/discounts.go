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

	discountCode     = wire.Text(1, commerce.MaxCode)
	discountType     = wire.Words[commerce.DiscountType]()
	discountDuration = wire.Words[commerce.DiscountDuration]()
)

// What is said of a code where it stands in other records.
const (
	aboutDiscountType = "Whether value is a percentage, an amount off the order or an amount off each unit."
	aboutDiscounted   = "A percentage from 1 to 100, or an amount in minor units."
)

var createDiscountShape = wire.ShapeOf("CreateDiscountCode",
	wire.MadeOf(func(o *commerce.CreateDiscountCode) *commerce.DiscountTerms { return &o.DiscountTerms })...)

var patchDiscountShape = wire.ShapeOf("PatchDiscountCode",
	wire.ChangedBy(func(o *commerce.PatchDiscountCode) *base.Changes[commerce.DiscountTerms] { return &o.Fields })...)

var discountSchema = describe("DiscountCode", (*scribe).writeDiscountCode)

func (w *scribe) writeDiscountCode(d *commerce.DiscountCode) {
	w.ID("id", d.ID, "The record's id.")
	wire.WriteFields(&w.Writer, &d.DiscountTerms,
		wire.Behind("value", func() {
			w.GivenText("currency", d.Currency, "ISO 4217 code of the currency of an amount: the account's as the "+
				"amount was given; null of a percentage, which is of any.")
		}),
		wire.Behind("usageLimit", func() { w.Int("usedCount", d.Used, "How many orders use it.") }))
	w.Created(d.ID)
	w.Updated(d.UpdatedAt)
}

// answerDiscountCode answers with a discount code and its entity tag, which is of what the merchant says: a use is no
// change.
var answerDiscountCode = answers((*scribe).writeDiscountCode)

type listDiscounts struct {
	search string
	page   page
}

var listDiscountsQuery = wire.ShapeOf("ListDiscountCodes", slices.Concat([]wire.Field[listDiscounts]{
	wire.Defaulted("search", wire.Text(0, base.MaxName), "", func(o *listDiscounts) *string { return &o.search }).
		Says("A part of the code, without case."),
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
	}, input[commerce.CreateDiscountCode]{body: createDiscountShape}, asIs, answerDiscountCode),
	readOne(operation{
		id: "admin.discountCodes.get", method: "GET", path: discountPath, scopes: discountsRead, cached: true,
		summary: "Returns a discount code; its entity tag does not change when the code " +
			"is used.", answer: discountSchema,
	}, byID(itself), "discount code", commerce.DiscountCodeByID, answerDiscountCode),
	write(operation{
		id: "admin.discountCodes.update", method: "PATCH", path: discountPath, scopes: discountsWrite,
		summary: "Changes a discount code; orders that carry it keep what it took off.", answer: discountSchema,
	}, input[commerce.PatchDiscountCode]{path: byID(func(o *commerce.PatchDiscountCode) *base.ID { return &o.ID }),
		body: patchDiscountShape}, asIs, answerDiscountCode),
	deletion[commerce.DiscountCode](operation{
		id: "admin.discountCodes.delete", path: discountPath, scopes: discountsWrite,
		summary: "Deletes a discount code; orders that carry it keep what it took off.",
	}, byID),
}
