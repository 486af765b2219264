package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
)

// This file owns quotes on the wire: what an order of lines and codes would cost.

// quoteOf is what a quote is asked for.
type quoteOf struct {
	order.CreateOrder
	lines []orderLine
}

var quoteShape = wire.ShapeOf("QuoteInput",
	wire.Required("pickupLocationId", wire.UUID, func(o *quoteOf) *base.ID { return &o.Pickup }).
		Says("Where the units would be handed over: days, weeks and months of a price are counted there."),
	wire.Optional("returnLocationId", wire.UUID, func(o *quoteOf) **base.ID { return &o.Return }).
		Says("Where the units would come back to. Default: the pickup location. No price depends on it."),
	wire.Required("lineItems", orderLines(1), func(o *quoteOf) *[]orderLine { return &o.lines }).
		Says("What would be ordered, as an order takes it."),
	wire.Defaulted("discountCodes", wire.ListOf(discountCode, 0, 100), nil,
		func(o *quoteOf) *[]string { return &o.Discounts }).Shows("null").
		Says("Discount codes that would be put on it, one after the other; one that cannot be applied refuses all. "+
			"No use is counted."))

var quoteSchema = describe("Quote", (*scribe).writeQuote)

// quotedLine is a line of a quote.
type quotedLine struct {
	line  order.OrderLine
	price commerce.LinePrice
	other *commerce.Combination
}

func (w *scribe) writeQuote(x *order.Quote) {
	r := &order.OrderRecord{Order: orElse(x.Order, new(order.Order))}
	w.orderPricing(r)
	prices, _ := r.LinePrices()
	lines := make([]quotedLine, len(r.Lines))
	for i := range lines {
		lines[i] = quotedLine{r.Lines[i], prices[i], x.Combinations[i]}
	}
	wire.List(&w.Writer, "lineItems", "QuotedLineItem", lines, "What each line costs, in their order.",
		func(l *quotedLine) {
			w.ID("id", l.line.ID, "The line's id in allocations of this answer; it is used nowhere else.")
			w.Text("name", l.line.Name.String(), "What the line would be called.")
			w.Bool("priced", l.line.Priced(),
				"Whether its price was given or is of a pricing row; a line that is not costs nothing.")
			w.GivenID("pricingRowId", l.line.PricingRow,
				"The pricing row that the price is of; null where it is of none, or of combinedRows.")
			w.combinedRows(&l.line)
			w.Int("unitPrice", l.price.Unit,
				"Price of one unit for the whole time, of a subscription for a payment; in minor units, before taxes.")
			w.Int("quantity", int64(l.line.Quantity), "How many units.")
			w.sums(commerce.OrderPrice{Subtotal: l.price.Subtotal, Discount: l.price.Discount, Tax: l.price.Tax,
				Total: l.price.Total})
			wire.Nullable(&w.Writer, "combination", "RowCombination", l.other,
				"Rows of the item's table that follow each other and cost less together than the line, those with "+
					"the longest duration first; null if there are none, or too many to try. The line costs that "+
					"much if it is given its unitPrice.", w.combination)
		})
}

var quoteOperations = []operation{
	readChecked(operation{
		id: "admin.orders.quote", method: "POST", path: "/v1/admin/quotes", scopes: ordersRead, answer: quoteSchema,
		summary: "Prices the lines and codes of an order that is not made. Nothing is stored, stock is not checked, " +
			"and no event is sent.",
	}, input[quoteOf]{body: quoteShape}, func(q *request, o *quoteOf) {
		o.Lines = q.lines(o.lines)
		var read cover
		read.add(q.faults.ListOf)
		for _, f := range q.view.Check(&o.CreateOrder) {
			if !read.has(f) {
				q.faults.Add(f)
			}
		}
	}, func(q *request, o *quoteOf) error {
		if err := q.denied(&o.CreateOrder); err != nil {
			return err
		}
		x, err := order.QuoteOrder(q.view, o.CreateOrder, q.now)
		if err != nil {
			return err
		}
		appendRecord(&q.scribe, x, (*scribe).writeQuote)
		return nil
	}),
}
