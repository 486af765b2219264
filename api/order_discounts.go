package api

import (
	"slices"

	"holdfast/engine"
)

// This file owns discount codes on orders, on the wire: put on, tried, taken off.

const orderDiscountsPath = ordersPath + "/{orderId}/discount-codes"

type discountOfOrder struct {
	order engine.ID
	code  string
}

// byOrder is the path of what is done with an order's codes.
func byOrder[In any](order func(*In) *engine.ID) *shape[In] {
	return shapeOf("OrderPath", required("orderId", uuid, order).says("The order's id."))
}

func discountCodeShape[In any](code func(*In) *string) *shape[In] {
	return shapeOf("OrderDiscountCode", required("code", discountCode, code).shows(`"SUMMER"`).says("Compares without case."))
}

var (
	discountBriefSchema = recordSchema("DiscountCodeResult", discountBriefMembers...)
	appliedMembers      = []Member{
		has("valid", booleanSchema.says("Whether the code takes something off.")),
		has("code", discountBriefSchema.says("The code.")),
		has("appliedValue", integerSchema.says("What it takes off, in minor units.")),
		has("allocations", allocationsSchema.says("What it takes off each line; the sum is appliedValue."))}
	appliedResultSchema = recordSchema("AppliedDiscount",
		has("result", recordSchema("DiscountResult", appliedMembers...).says("What the code does.")),
		has("order", orderSchema.says("The order with the code.")))
	validateResultSchema = recordSchema("ValidatedDiscount", has("result", recordSchema("DiscountTrial", slices.Concat(
		[]Member{
			has("valid", booleanSchema.says("Whether the code would take something off.")),
			has("reason", textSchema.orNull().says("The code of the refusal that applying it would meet; null where it would do.")),
			has("code", discountBriefSchema.orNull().says("The code; null where there is none of this text."))}, appliedMembers[2:])...).
		says("What the code would do.")))
)

func appendDiscounted(b []byte, d *engine.Discounted, trial bool) []byte {
	b = appendBool(append(b, `{"result":{"valid":`...), d.Reason == "")
	if trial {
		b = appendGiven(append(b, `,"reason":`...), string(d.Reason))
	}
	if b = append(b, `,"code":`...); d.Code == nil {
		b = append(b, "null"...)
	} else {
		b = append(appendDiscountBrief(b, d.Code.ID, &d.Code.DiscountTerms), '}')
	}
	b = appendInt(append(b, `,"appliedValue":`...), d.Applied)
	return append(appendAllocations(append(b, `,"allocations":`...), d.Allocations), '}')
}

var orderDiscountOperations = []operation{
	write(operation{
		id: "admin.orders.applyDiscountCode", method: "POST", path: orderDiscountsPath, scopes: ordersWrite, answer: appliedResultSchema,
		summary: "Puts a discount code on a draft or an open order and counts a use of it, or refuses and counts none.",
	}, input[engine.ApplyDiscount]{
		path: byOrder(func(o *engine.ApplyDiscount) *engine.ID { return &o.Order }), body: discountCodeShape(func(o *engine.ApplyDiscount) *string { return &o.Code }),
	}, asIs, func(q *request, d *engine.Discounted) error {
		q.out = append(appendOrder(append(appendDiscounted(q.out, d, false), `,"order":`...), d.Order), '}')
		return nil
	}),
	read(operation{
		id: "admin.orders.validateDiscountCode", method: "POST", path: orderDiscountsPath + "/validate", scopes: ordersRead, answer: validateResultSchema,
		summary: "Says what a discount code would take off an order, and why not if it would not; counts no use.",
	}, input[discountOfOrder]{
		path: byOrder(func(o *discountOfOrder) *engine.ID { return &o.order }), body: discountCodeShape(func(o *discountOfOrder) *string { return &o.code }),
	}, func(q *request, o *discountOfOrder) error {
		d, err := q.view.TryDiscount(o.order, o.code, q.now)
		if err != nil {
			return err
		}
		q.out = append(appendDiscounted(q.out, d, true), '}')
		return nil
	}),
	write(operation{
		id: "admin.orders.removeDiscountCode", method: "DELETE", path: orderDiscountsPath + "/{code}", scopes: ordersWrite, guarded: true, answer: nullSchema,
		summary: "Takes a discount code off a draft or an open order and gives its use back.",
	}, input[engine.RemoveDiscount]{
		path: shapeOf("OrderCodePath", required("orderId", uuid, func(o *engine.RemoveDiscount) *engine.ID { return &o.Order }).says("The order's id."),
			required("code", text(0, 1000), func(o *engine.RemoveDiscount) *string { return &o.Code }).
				shows(`"SUMMER"`).says("The text of the discount code; case does not count.")),
	}, func(q *request, o *engine.RemoveDiscount) engine.Op {
		o.IfMatch = q.ifMatch
		return o
	}, answerNull),
}
