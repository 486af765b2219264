package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
)

// This file owns discount codes on orders, on the wire: put on, tried, taken off.

const orderDiscountsPath = ordersPath + "/{orderId}/discount-codes"

type discountOfOrder struct {
	order base.ID
	code  string
}

// byOrder is the path of what is done with an order's codes.
func byOrder[In any](order func(*In) *base.ID) *wire.Shape[In] {
	return wire.ShapeOf("OrderPath", wire.Required("orderId", wire.UUID, order).Says("The order's id."))
}

func discountCodeShape[In any](code func(*In) *string) *wire.Shape[In] {
	return wire.ShapeOf("OrderDiscountCode",
		wire.Required("code", discountCode, code).Shows(`"SUMMER"`).Says("Compares without case."))
}

var (
	appliedResultSchema = describe("AppliedDiscount", func(w *scribe, d *order.Discounted) {
		w.writeDiscounted("DiscountResult", "What the code does.", d, false)
		w.Key("order", orderSchema, "The order with the code.")
	})
	validateResultSchema = describe("ValidatedDiscount", (*scribe).writeTrial)
)

// writeTrial writes what a code would do.
func (w *scribe) writeTrial(d *order.Discounted) {
	w.writeDiscounted("DiscountTrial", "What the code would do.", d, true)
}

func (w *scribe) writeDiscounted(of, about string, d *order.Discounted, trial bool) {
	w.Object("result", of, about, func() {
		if !trial {
			w.Bool("valid", d.Reason == "", "Whether the code takes something off.")
		} else {
			w.Bool("valid", d.Reason == "", "Whether the code would take something off.")
			w.GivenText("reason", string(d.Reason),
				"The code with which it would be refused; null if it can be applied.")
		}
		brief := func(c *commerce.DiscountCode) { w.discountBrief(c.ID, &c.DiscountTerms) }
		if trial {
			wire.Nullable(&w.Writer, "code", "DiscountCodeResult", d.Code,
				"The code; null where there is none of this text.", brief)
		} else {
			w.Object("code", "DiscountCodeResult", "The code.",
				func() { brief(orElse(d.Code, new(commerce.DiscountCode))) })
		}
		w.Int("appliedValue", d.Applied, "What it takes off, in minor units.")
		w.allocations(d.Allocations)
	})
}

var orderDiscountOperations = []operation{
	write(operation{
		id: "admin.orders.applyDiscountCode", method: "POST", path: orderDiscountsPath, scopes: ordersWrite,
		answer:  appliedResultSchema,
		summary: "Puts a discount code on a draft or an open order and counts a use of it, or refuses and counts none.",
	}, input[order.ApplyDiscount]{
		path: byOrder(func(o *order.ApplyDiscount) *base.ID {
			return &o.Order
		}), body: discountCodeShape(func(o *order.ApplyDiscount) *string { return &o.Code }),
	}, asIs, func(q *request, d *order.Discounted) error {
		q.Braces(func() {
			q.writeDiscounted("DiscountResult", "What the code does.", d, false)
			q.Key("order", orderSchema, "The order with the code.")
			appendOrder(&q.scribe, d.Order)
		})
		return nil
	}),
	read(operation{
		id: "admin.orders.validateDiscountCode", method: "POST", path: orderDiscountsPath + "/validate",
		scopes: ordersRead, answer: validateResultSchema,
		summary: "Says what a discount code would take off an order, or why it cannot be applied; counts no use.",
	}, input[discountOfOrder]{
		path: byOrder(func(o *discountOfOrder) *base.ID {
			return &o.order
		}), body: discountCodeShape(func(o *discountOfOrder) *string { return &o.code }),
	}, func(q *request, o *discountOfOrder) error {
		d, err := order.TryDiscount(q.view, o.order, o.code, q.now)
		if err != nil {
			return err
		}
		appendRecord(&q.scribe, d, (*scribe).writeTrial)
		return nil
	}),
	removal(operation{
		id: "admin.orders.removeDiscountCode", path: orderDiscountsPath + "/{code}",
		scopes:  ordersWrite,
		summary: "Takes a discount code off a draft or an open order and gives its use back.",
	}, input[order.RemoveDiscount]{
		path: wire.ShapeOf("OrderCodePath", wire.Required("orderId", wire.UUID,
			func(o *order.RemoveDiscount) *base.ID { return &o.Order }).Says("The order's id."),
			wire.Required("code", wire.Text(0, 1000), func(o *order.RemoveDiscount) *string { return &o.Code }).
				Shows(`"SUMMER"`).Says("The text of the discount code; case does not count.")),
	}),
}
