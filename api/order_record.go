package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns how an order is written. It needs the record alone: the same bytes go to a client that asks and to a
// webhook. order_line_record.go has its lines and units.

var (
	orderStatuses     = wire.EnumSchema(order.OrderStatuses...)
	orderChannels     = wire.EnumSchema(order.Channel("").Words()...)
	fulfillmentStates = wire.EnumSchema(order.Fulfillments...)
	unitStates        = wire.EnumSchema(order.UnitFulfillments...)
	authorTypes       = wire.EnumSchema(order.AuthorUser, order.AuthorSystem)

	orderSchema = describeAs("Order", emptyOrder, func(w *scribe, r *order.OrderRecord) { w.order(r, base.MaxListed) })
	emptyOrder  = &order.OrderRecord{Order: new(order.Order)}

	movedOrderSchema = describeAs("MovedOrder", &movedOrder{order: emptyOrder}, (*scribe).writeMovedOrder)
)

// paymentTotals are the sums of an order's payments, in the order of the record.
var paymentTotals = [...]struct {
	name  string
	kind  order.PaymentKind
	about string
}{
	{"capturedTotal", order.Capture, "What was taken from the customer" + byPayments},
	{"refundedTotal", order.Refund, "What was given back" + byPayments},
	{"depositCapturedTotal", order.DepositCapture, "What was kept of the deposit" + byPayments},
	{"depositRefundedTotal", order.DepositRefund, "What of the deposit was given back" + byPayments},
	{"depositAuthorisedTotal", order.DepositAuthorise, "What was set aside as a deposit" + byPayments},
	{"depositCancelledTotal", order.DepositCancel, "What is not set aside any more" + byPayments},
}

const byPayments = ", by the payments that were recorded; in minor units."

// appendOrder appends an order as a record of its own.
func appendOrder(w *scribe, r *order.OrderRecord) {
	start := len(w.Out)
	w.Braces(func() { w.order(r, base.MaxListed) })
	w.Out = wire.Bounded(w.Out, start, wire.MaxRecord)
}

// listedOrder writes an order as a row.
func listedOrder(w *scribe, r *order.OrderRecord) { w.order(r, wire.RowEntries) }

// order writes an order with the first entries of its longest lists.
func (w *scribe) order(r *order.OrderRecord, most int) {
	more := r.Rest()
	w.ID("id", r.ID, "The order's id.")
	w.Int("number", int64(r.Number), "The account's count of orders, this one included.")
	w.GivenText("reference", more.Reference, "The merchant's or the shop's own name for the order.")
	w.As(orderStatuses, "status", r.Status.String(),
		"draft: it takes no stock; open: it does; active: units are out; closed: it is over.")
	w.As(orderChannels, "channel", r.Channel.String(), "Where it came from.")
	w.Created(r.ID)
	w.Updated(r.UpdatedAt)
	w.GivenInstant("archivedAt", r.ArchivedAt, "When it was archived; null while it is not.")
	w.Text("updatedBy", r.UpdatedBy.String(), "The label of the key that last changed it.")
	w.Null("currentlyViewing", "Always null: who looks at it is not kept.")
	w.user("assignedTo", more.Assigned, "The user who looks after it.")
	w.orderLocation("pickupLocation", r.Pickup, r.PickupAt,
		"Where its units are handed over; stock is taken there. As it was when the order was opened or given it.")
	w.orderLocation("returnLocation", r.Return, r.ReturnAt, "Where its units come back to, as it was then.")
	w.orderCustomers(r, more)
	wire.Nullable(&w.Writer, "mainContact", "MainContact", r.Contact,
		"Whom the order is with, as they were when it was opened or given them.", func(c *commerce.Contact) {
			w.contact(c)
			w.crmCustomer(r.Customer)
		})
	wire.List(&w.Writer, "checkoutFields", "CheckoutField", more.Fields,
		"What the customer was asked for the order as a whole.", w.customerField)
	w.orderLines(r, most)
	w.stockItems(r, most)
	w.orderDocuments(more)
	wire.First(&w.Writer, "comments", "OrderComment", wire.UpTo(more.Comments, most), len(more.Comments),
		"The comments on the order, the oldest first.", w.comment)
	w.Bool("hasSavedPaymentMethod", more.Method.HasSaved,
		"Whether the payment service keeps the customer's means of payment.")
	wire.Nullable(&w.Writer, "savedCard", "SavedCard", more.Method.Card, "The card that is kept; null: none.",
		wire.Fields[order.SavedCard](&w.Writer))
	w.orderPricing(r)
	w.As(fulfillmentStates, "fulfillmentState", r.Fulfillment().String(),
		"How far the units of all its lines are together: "+eachFulfillment)
	w.subscriptionData(r)
	wire.Each(&w.Writer, "tags", "Tag", r.TagRows, "The tags linked to it.", w.writeTag)
	w.external(r.External)
	w.totals(r.Order, base.ID{})
	w.paymentMethod(more)
	w.GivenText("note", more.Note, "A text for those who read it.")
	from, to := r.Bounds()
	w.GivenInstant("earliestStartDate", from, "First instant of its first line.")
	w.GivenInstant("latestEndDate", to, "Last end of its lines; null: none has one.")
	wire.List(&w.Writer, "consentAcceptances", "ConsentAcceptance", more.Consents, "What the customers have agreed to.",
		func(c *order.Consent) { w.consent(r.ID, c) })
}

// totals writes the sums of payments, of a line or of the whole order.
func (w *scribe) totals(o *order.Order, line base.ID) {
	for i := range paymentTotals {
		t := &paymentTotals[i]
		w.Int(t.name, o.Paid(t.kind, line), t.about)
	}
}

func (w *scribe) user(name string, u *order.UserRef, about string) {
	wire.Nullable(&w.Writer, name, "UserReference", u, about, wire.Fields[order.UserRef](&w.Writer))
}

func (w *scribe) orderLocation(name string, id base.ID, l *stock.PlaceCopy, about string) {
	wire.Nullable(&w.Writer, name, "OrderLocation", l, about, func(l *stock.PlaceCopy) {
		w.ID("id", id, "The location's id.")
		w.Text("name", l.Name, "What the location is called.")
		w.locationAddress(l.Address)
		w.Text("timezone", l.Timezone, "IANA name of the location's time zone.")
	})
}

func (w *scribe) crmCustomer(id base.ID) {
	w.GivenID("crmCustomerId", id,
		"The customer's id among the account's customers, also of one who is deleted by now; null: there is none.")
}

// orderCustomers writes the customers that an order is for: those given, else the customer of the main contact.
func (w *scribe) orderCustomers(r *order.OrderRecord, more *order.OrderMore) {
	list := more.Customers
	if len(list) == 0 && r.Contact != nil {
		list = []order.OrderCustomer{{ID: r.MainCustomer(), Customer: r.Customer, Contact: *r.Contact,
			Fields: more.Fields, UpdatedAt: r.UpdatedAt}}
	}
	wire.List(&w.Writer, "customers", "OrderCustomer", list, "The people whom the order is for; without "+
		"a list the main contact, whose updatedAt is that of the order.",
		func(c *order.OrderCustomer) {
			w.ID("id", c.ID, "The customer's id in the order.")
			w.contact(&c.Contact)
			w.crmCustomer(c.Customer)
			wire.List(&w.Writer, "checkoutFields", "CheckoutField", c.Fields, "What this customer was asked.",
				w.customerField)
			w.Created(c.ID)
			w.Updated(c.UpdatedAt)
		})
}

// customerField writes a field of a form that is none of a line's.
func (w *scribe) customerField(f *order.CheckoutField) {
	w.IDs("ids", f.IDs, "Ids of the same field in other places.")
	w.checkoutField(f)
}

func (w *scribe) orderDocuments(more *order.OrderMore) {
	wire.List(&w.Writer, "documents", "OrderDocument", more.Documents, "The documents of the order.",
		func(d *order.OrderDocument) {
			w.ID("id", d.ID, "The document's id.")
			w.Text("type", d.Type, "What kind of document it is, such as invoice.")
			w.Text("name", d.Name, "What people call the document.")
			w.TextOrNull("fileRef", d.FileRef, "Where the file is kept.")
		})
}

func (w *scribe) comment(c *order.OrderComment) {
	w.ID("id", c.ID, "The comment's id.")
	w.Created(c.ID)
	w.Updated(c.UpdatedAt)
	w.As(authorTypes, "authorType", c.AuthorType, "Whether a key made the comment, or the service did.")
	w.Text("content", c.Content, "The comment's text.")
	w.user("author", c.Author, "Who wrote it; null: nobody was named.")
	var author *base.ID
	if c.Author != nil {
		author = &c.Author.ID
	}
	w.IDOrNull("authorId", author, "The id of who wrote it; null: nobody was named.")
	w.GivenID("parentCommentId", c.Parent, "The comment that this one answers; null: none.")
}

func (w *scribe) consent(made base.ID, c *order.Consent) {
	w.ID("id", c.ID, "The consent's id.")
	w.ID("orderId", made, "The order's id.")
	wire.WriteFields(&w.Writer, c)
}

func (w *scribe) orderPricing(r *order.OrderRecord) {
	p, _ := r.Price()
	w.Object("pricing", "OrderPricing", "What the order costs.", func() {
		w.Text("currency", r.Currency.String(), aboutCurrency)
		w.sums(p)
		wire.List(&w.Writer, "discountCodes", "AppliedDiscountCode", r.Codes,
			"The discount codes of the order, in the order in which they were applied.",
			func(c *order.OrderCode) {
				w.discountBrief(c.ID, &c.Terms)
				w.Int("appliedValue", c.Applied(), "What it takes off, in minor units.")
				w.allocations(c.Allocations)
			})
	})
}

const aboutCurrency = "ISO 4217 code of the currency of all amounts."

// sums writes what an order or a line costs.
func (w *scribe) sums(p commerce.OrderPrice) {
	w.Int("subtotal", p.Subtotal, "Sum before discounts and taxes, in minor units.")
	w.Int("totalDiscounts", p.Discount, "What discounts take off, in minor units.")
	w.Int("totalTaxes", p.Tax, "Taxes, in minor units.")
	w.Int("total", p.Total, "Sum after discounts and with taxes, in minor units.")
}

// discountBrief writes what an order shows of a discount code.
func (w *scribe) discountBrief(id base.ID, d *commerce.DiscountTerms) {
	w.TextID("id", id, "The discount code's id.")
	w.Text("code", d.Code, "The text that customers enter.")
	w.As(discountType.Schema, "valueType", string(d.ValueType), aboutDiscountType)
	w.Int("value", d.Value, aboutDiscounted)
	words(w, "applicablePurchaseTypes", purchaseTypeList, d.Purchases, "The ways of taking an item that it counts for.")
}

func (w *scribe) allocations(list []order.LineAmount) {
	wire.List(&w.Writer, "allocations", "DiscountAllocation", list,
		"What it takes off each line; the sum is appliedValue.", func(a *order.LineAmount) {
			w.TextID("itemId", a.Line, "The line's id.")
			w.Int("value", a.Value, "What is taken off the line, in minor units.")
		})
}

func (w *scribe) paymentMethod(more *order.OrderMore) {
	w.TextOrNull("paymentMethodKey", more.Method.Key, "How the customer pays, as it was given.")
	wire.Nullable(&w.Writer, "customPaymentMethod", "CustomPaymentMethod", more.Method.Custom,
		"The merchant's own way of payment.",
		wire.Fields[order.CustomMethod](&w.Writer))
}

// answerOrder answers with an order and its entity tag. The tag is that of the stored row, for If-Match: where its
// units are changes without it. A key that may not read orders is told nothing of persons.
func answerOrder(q *request, r *order.OrderRecord) error {
	q.tag = r.Revision
	if !q.may(ordersRead[0]) {
		r = r.Impersonal()
	}
	appendOrder(&q.scribe, r)
	return nil
}

// movedOrder is an order, and the units of others that would make room for it.
type movedOrder struct {
	order *order.OrderRecord
	moved []stock.Unavailability
}

func (w *scribe) writeMovedOrder(m *movedOrder) {
	w.order(m.order, base.MaxListed)
	w.units("moved", m.moved, 0, aboutMoved)
}

// answerMovedOrder answers with an order whose units get other dates or articles, or would.
func answerMovedOrder(q *request, r *order.OrderRecord) error {
	q.tag = r.Revision
	start := len(q.Out)
	appendRecord(&q.scribe, &movedOrder{r, q.others(r.ID)}, (*scribe).writeMovedOrder)
	q.Out = wire.Bounded(q.Out, start, wire.MaxRecord)
	return nil
}
