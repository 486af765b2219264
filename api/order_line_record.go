package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns how the lines and units of an order are written, and its subscriptions.

var (
	fieldValueSchema     = fieldValue.Schema.OrNull()
	checkoutFieldTypes   = wire.EnumSchema(order.CheckoutFieldTypes...).OrNull()
	checkoutFieldFormats = wire.EnumSchema(order.CheckoutFieldFormats...)
	codeTypes            = wire.EnumSchema("auto-assigned", "manual")
	operatorSchema       = wire.EnumSchema(operatorNames...)
	stockItemSchema      = describe("OrderStockItem", func(w *scribe, u *order.OrderUnit) {
		w.stockItem(emptyOrder, new(order.OrderLine), u, new(order.UnitRecord))
	})
)

var operatorNames = func() (names []string) {
	for _, o := range label.Operators {
		names = append(names, string(o))
	}
	return names
}()

// orderLines writes the first lines of an order.
func (w *scribe) orderLines(r *order.OrderRecord, most int) {
	prices, _ := r.LinePrices()
	shown := wire.UpTo(r.Lines, most)
	discounts := r.SubscriptionDiscounts(len(shown))
	n := 0
	wire.First(&w.Writer, "lineItems", "OrderLineItem", shown, len(r.Lines), "What is ordered.",
		func(l *order.OrderLine) {
			var p commerce.LinePrice
			var off []order.SubscriptionDiscount
			if n < len(prices) {
				p = prices[n]
			}
			if n < len(discounts) {
				off = discounts[n]
			}
			n++
			w.orderLine(r, l, p, off)
		})
}

// combinedRows writes the rows that make a line's price together.
func (w *scribe) combinedRows(l *order.OrderLine) {
	wire.Nullable(&w.Writer, "combinedRows", "RowCombination", l.Combination(),
		"The rows of a table with combineRows that make the line's price together, or the one that asks less than "+
			"any combination; null: it is not sold so. Other dates combine the rows anew, as they were when the "+
			"line was sold.", w.combination)
}

func (w *scribe) combination(c *commerce.Combination) {
	w.Int("unitPrice", c.Total, "What they ask together for one unit, in minor units.")
	wire.List(&w.Writer, "rows", "RowOfCombination", c.Rows, "The rows, in the order in which they lie.",
		func(u *commerce.RowUnits) {
			w.ID("pricingRowId", u.Row, "The row.")
			w.Int("units", u.Units, "How many of the row's durations the line takes.")
		})
}

func (w *scribe) orderLine(r *order.OrderRecord, l *order.OrderLine, p commerce.LinePrice,
	off []order.SubscriptionDiscount) {
	more := l.Rest()
	w.ID("id", l.ID, "The line's id.")
	w.GivenID("orderCustomerId", r.CustomerOf(l),
		"The customer of the order that the line is for: the first, where none was named; null: the order is for "+
			"nobody.")
	item := l.Item()
	w.GivenID("catalogItemId", item.CatalogItem, "The catalog item; null where it is another item.")
	w.GivenID("skuId", item.SKU, "The SKU; null where it is another item.")
	w.GivenID("articleId", item.Article, "The article; null where it is another item.")
	w.GivenID("pricingRowId", l.PricedBy(),
		"The pricing row that the price is of; null: it was given, is of combinedRows, or the line is free.")
	w.combinedRows(l)
	w.Created(l.ID)
	w.Updated(l.UpdatedAt)
	w.Object("name", "LocalizedName", "What the line is called.", func() {
		w.Text("def", l.Name.String(), "The name in the merchant's language.")
	})
	w.Object("pricing", "LineItemPricing", "What the line costs.", func() {
		w.Text("currency", r.Currency.String(), aboutCurrency)
		w.Bool("priced", l.Priced(),
			"Whether its price was given or is of a pricing row; a line that is not costs nothing.")
		w.Int("unitPrice", p.Unit,
			"Price of one unit for the whole time, of a subscription for a payment; in minor units, before taxes.")
		w.Int("quantity", int64(l.Quantity), "How many units.")
		w.Int("cancelledQuantity", int64(l.Waived), "How many of them are not charged for, as nobody fetched them.")
		w.Int("taxRate", int64(l.TaxRate), "Tax in hundredths of a percent: 2300 is 23 %.")
		w.sums(commerce.OrderPrice{Subtotal: p.Subtotal, Discount: p.Discount, Tax: p.Tax, Total: p.Total})
	})
	wire.List(&w.Writer, "variants", "ChosenVariant", more.Variants, "What the customer chose.",
		wire.Fields[order.LineVariant](&w.Writer))
	w.GivenText("duration", l.Duration(), "How long the line is, as an ISO 8601 duration; null without end. It is "+
		"computed from startDate and endDate; a request cannot set it.")
	label := ""
	if w.Writes() {
		label = r.DurationLabel(l)
	}
	w.GivenText("durationLabel", label,
		"How long the line is in words, such as 2 days; null without end. A request cannot set it either.")
	w.Instant("startDate", l.From, "First instant of the line.")
	w.End("endDate", l.To, "First instant behind it; null: without end.")
	w.GivenInstant("returnedDate", l.ReturnedAt(), "When the last of its units came back; null: not all are back.")
	w.As(purchaseType.Schema, "purchaseType", string(l.Purchase.Type()),
		"How it is taken: booked for a time, sold, or subscribed to.")
	w.GivenText("imageUrl", more.ImageURL, "A picture of it.")
	w.GivenText("note", more.Note, "A text for those who read it.")
	w.As(fulfillmentStates, "fulfillmentState", l.Fulfillment().String(),
		"How far its units are together: "+eachFulfillment)
	wire.List(&w.Writer, "checkoutFields", "LineCheckoutField", more.Fields,
		"What the customer was asked for this line.", func(f *order.CheckoutField) {
			w.TextOrNull("id", f.ID, "The field's id in the shop that asked.")
			w.checkoutField(f)
		})
	w.totals(r.Order, l.ID)
	w.GivenID("addonOfLineItemId", more.AddonOf, "The line that this one is an add-on of.")
	w.GivenID("catalogAddonId", more.CatalogAddon, "The add-on's id in the shop's catalog, as it was given.")
	w.GivenID("cartAddonId", more.CartAddon, "The add-on's id in the cart, as it was given.")
	w.GivenText("isAddon", more.IsAddon, "What kind of add-on it is, as it was given.")
	w.subscriptionOf(r, l, off)
}

// eachFulfillment says what each state of several units means.
const eachFulfillment = "pending (none is handed over, and not all are ready), prepared (all are ready), " +
	"partially_fulfilled (some are handed over, none is back), fulfilled (all are handed over, none is back), " +
	"partially_returned (some are back, and others are still out or not handed over), returned (all are back, and " +
	"what is sold is handed over) or cancelled (all are). Cancelled units do not count beside others."

// subscriptionOf writes the subscription of a line, if it is one, and what codes do to it.
func (w *scribe) subscriptionOf(r *order.OrderRecord, l *order.OrderLine, off []order.SubscriptionDiscount) {
	wire.Nullable(&w.Writer, "subscription", "LineSubscription", l.Subscription,
		"The subscription, of a line that is one.", func(s *order.Subscription) {
			line := l
			if s != l.Subscription { // it is described
				line = &order.OrderLine{Subscription: s}
			}
			w.lineSubscription(r.Order, line)
		})
	wire.List(&w.Writer, "subscriptionDiscounts", "SubscriptionDiscount", off,
		"What discount codes do to its payments.", func(d *order.SubscriptionDiscount) {
			c := orElse(d.OrderCode, &noCode)
			w.discountTerms(&c.Terms)
			w.As(discountDuration.Schema, "subscriptionDuration", string(c.Terms.Duration),
				"For which payments it counts: the first, some, or all.")
			w.IntOrNull("subscriptionDurationCycles", c.Terms.Cycles,
				"How many payments it counts for, where that is repeating.")
			w.Int("firstDiscountedCycleIndex", 0, "The first payment that it counts for, from 0.")
			w.ID("discountCodeId", c.ID, "The id of the discount code.")
			w.End("discountPeriodTo", d.Until, "Until when it counts; null: without end.")
		})
}

var noCode order.OrderCode

// discountTerms writes what a code does to the payments of a subscription.
func (w *scribe) discountTerms(d *commerce.DiscountTerms) {
	w.Text("code", d.Code, "The text of the discount code.")
	w.As(discountType.Schema, "valueType", string(d.ValueType), aboutDiscountType)
	w.Int("value", d.Value, aboutDiscounted)
}

// lineSubscription writes the subscription of a line of an order.
func (w *scribe) lineSubscription(o *order.Order, l *order.OrderLine) {
	s := l.Subscription
	w.ID("id", s.ID, "The subscription's id.")
	w.ID("orderLineItemId", l.ID, "The line that it is of.")
	w.GivenText("label", s.Label, "What people call its price.")
	w.Int("price", l.UnitPrice, "What each payment is, in minor units.")
	w.IntOrNull("renewalPrice", s.Terms.RenewalPrice,
		"What a payment is after the commitment, in minor units; null: the same.")
	w.IntOrNull("commitmentCycles", s.Terms.CommitmentCycles,
		"For how many payments the customer is bound; null: none.")
	w.period("paymentCycleAmount", "paymentCycleUnit", &s.Terms.Cycle)
	w.period("commitmentPeriodAmount", "commitmentPeriodUnit", s.Terms.Commitment)
	w.period("cancellationLeadTimeAmount", "cancellationLeadTimeUnit", s.Terms.CancellationLead)
	w.Text("initialChargeType", s.Terms.InitialCharge, "When the first payment is due, as it was given.")
	w.Text("renewalType", s.Terms.RenewalType, "What follows the commitment, as it was given.")
	w.Text("collectionMethod", s.Collection, "How payments are collected, as it was given; nothing is charged here.")
	w.As(subscriptionStatus.Schema, "status", string(s.Status(o)),
		"Whether its order is a draft, it goes on, ends at cancelAt, or has ended.")
	w.GivenInstant("nextBillingAt", s.NextBillingAt, "When the next payment is due; null: none is.")
	w.GivenInstant("cancelAt", s.EndsAt(), "When it will end; null: it goes on.")
	w.GivenInstant("cancelledAt", s.CancelledAt, "When it was cancelled; null: it was not.")
}

// checkoutField writes the members of a form's field that come after its ids: a field of a line has one id, a field of
// a customer several.
func (w *scribe) checkoutField(f *order.CheckoutField) {
	w.Text("name", f.Name, "What the customer was asked.")
	w.Key("type", checkoutFieldTypes, "What kind of field it is.")
	w.Out = wire.AppendGiven(w.Out, f.Type)
	w.TextOrNull("placeholder", f.Placeholder, "What stood in the empty field.")
	w.Bool("required", f.Required, "Whether it had to be filled in.")
	w.Bool("internal", f.Internal, "Whether only the merchant sees it.")
	w.TextOrNull("attributeId", f.AttributeID, "The customer's attribute that the answer is for.")
	w.AsOrNull(checkoutFieldFormats, "attributeFormat", f.AttributeFormat, "The format of that attribute.")
	wire.List(&w.Writer, "options", "CheckoutFieldOption", f.Options, "What could be chosen.", func(name *string) {
		w.Text("name", *name, "What people call the choice.")
	})
	w.Key("value", fieldValueSchema, "What the customer answered: a string, of a number also a number and of a "+
		"checkbox also true or false, as it is by its type or its attribute's format.")
	w.Out = appendFieldValue(w.Out, f)
	w.IDOrNull("checkoutFieldId", f.CheckoutFieldID, "The id of the field in the shop that asked.")
}

var stockItemList = wire.ListSchema(stockItemSchema)

// stockItems writes the first units of an order.
func (w *scribe) stockItems(r *order.OrderRecord, most int) {
	w.Key("stockItems", stockItemList, "The units of the lines; a long list has pages of its own. updatedAt of a unit "+
		"stays as it was where the service alone has put the unit on another article.")
	w.Out = append(w.Out, '[')
	n := 0
	most = min(most, len(r.Units))
	for i := range r.Lines {
		for j := range min(len(r.Lines[i].Units), most-n) {
			w.Next()
			w.Braces(func() { w.stockItem(r, &r.Lines[i], &r.Lines[i].Units[j], &r.Units[n]) })
			n++
		}
	}
	w.Out = append(w.Out, ']')
	if r.StockItems() > n {
		w.Count("stockItems"+wire.TotalOf, r.StockItems(), "")
	}
}

func (w *scribe) stockItem(r *order.OrderRecord, l *order.OrderLine, u *order.OrderUnit, at *order.UnitRecord) {
	more := l.Rest()
	w.ID("id", u.ID, "The unit's id in the order.")
	w.Created(u.ID)
	w.Updated(max(base.CreatedAt(u.ID), u.Handed, u.Returned, u.UpdatedAt))
	w.Text("name", l.Name.String(), "What its line is called.")
	w.ID("lineItemId", l.ID, "The line that it is of.")
	w.As(unitStates, "fulfillmentState", u.State.String(), "How far it is: pending (nothing is done yet), "+
		"prepared (ready to be handed over), fulfilled (handed over), returned (back) or "+
		"cancelled (not to be handed over).")
	w.ID("orderId", r.ID, "The order's id.")
	var code *string
	if len(at.Codes) > 0 {
		code = &at.Codes[0]
	}
	w.TextOrNull("code", code, "The first code of its article; null without one.")
	codeType := "auto-assigned"
	if u.ByHand {
		codeType = "manual"
	}
	w.As(codeTypes, "codeType", codeType, "Whether the service chose the article, or somebody did.")
	w.orderedAs("What the unit was ordered as, also while it has no article: of a kit, the component.", at.Ordered,
		at.OrderedName, at.OrderedCode)
	w.Bool("substitute", u.Substitute, "Whether somebody has put an article there that is not what was ordered.")
	w.Bool("expectsInventoryLink", more.ExpectsLink,
		"Whether an article is expected to be named, as it was given; nothing is checked here.")
	wire.List(&w.Writer, "requirements", "Requirement", more.Requirements, "What its article has to have.",
		func(r *order.Requirement) {
			w.Text("key", r.Key, "What is looked at: an attribute.")
			w.As(operatorSchema, "operator", string(r.Operator), "How its value is compared.")
			w.Texts("values", r.Values, "With what it is compared.")
			w.ID("attributeId", r.Attribute, "The attribute.")
		})
	w.GivenID("inventoryArticleId", at.Article,
		"The article that it is, or was, a unit of; null while it has none, and once it is cancelled.")
	w.stockPlace("pickupServiceLocation", r.Pickup, r.PickupAt, "Where it is handed over.")
	w.stockPlace("returnServiceLocation", r.Return, r.ReturnAt, "Where it comes back to.")
	pickup, back := l.From, l.To
	if u.Handed != 0 {
		pickup = u.Handed
	}
	if u.Returned != 0 {
		back = u.Returned
	}
	w.Instant("pickupDate", pickup, "When it is, or was, handed over.")
	w.End("returnDate", back, "When it is due back, or came back; null: never.")
	w.GivenID("unavailabilityId", u.Hold, "The unit of stock that it takes; null while it takes none.")
	w.As(purchaseType.Schema, "purchaseType", string(l.Purchase.Type()),
		"How it is taken: booked for a time, sold, or subscribed to.")
	w.stockArticle(at)
	w.Null("note", "Always null: units have no notes.")
	w.Number("revenueSplitRate", l.SplitRate(),
		"Which part of the line's total counts as the article's income, from 0 to 1.")
	w.Bool("hasConflicts", at.Conflict, "Whether it has no unit of stock though it needs one.")
	w.Bool("requirementsUnmet", at.Unmet,
		"Whether its article lost what the line requires and no other of its pool had room: the unit stays "+
			"where it is.")
}

// stockArticle writes the article of a unit in short.
func (w *scribe) stockArticle(at *order.UnitRecord) {
	if at.Article == (base.ID{}) {
		at = nil
	}
	wire.Nullable(&w.Writer, "inventoryArticle", "InventoryArticle", at, "Its article, in short.",
		func(at *order.UnitRecord) {
			w.Text("name", at.Name, "What the article is called.")
			w.Texts("codes", at.Codes, "Codes on its units.")
			w.Null("binLocation", "Always null: shelves are not kept here.")
			w.TextOrNull("skuName", at.SKUName, "What its SKU is called.")
			w.TextOrNull("skuCode", at.SKUCode, "The code of its SKU.")
		})
}

func (w *scribe) stockPlace(name string, id base.ID, l *stock.PlaceCopy, about string) {
	wire.Nullable(&w.Writer, name, "StockItemLocation", l, about, func(l *stock.PlaceCopy) {
		w.ID("id", id, "The location's id.")
		w.Text("name", l.Name, "What the location is called.")
	})
}

func (w *scribe) subscriptionData(r *order.OrderRecord) {
	plans := r.Plans()
	w.Object("subscriptionData", "SubscriptionData", "The subscriptions among its lines.", func() {
		w.Bool("hasSubscriptions", len(plans) > 0, "Whether a line is a subscription.")
		w.Text("currency", r.Currency.String(), aboutCurrency)
		wire.List(&w.Writer, "items", "SubscriptionDataItem", plans,
			"The subscriptions, in the order of their lines.", func(p *order.SubscriptionPlan) {
				if p.Subscription == nil { // it is described
					p = &order.SubscriptionPlan{SubscriptionRecord: order.SubscriptionRecord{
						Subscription: new(order.Subscription), Line: new(order.OrderLine)}}
				}
				w.subscriptionItem(p)
			})
	})
}

func (w *scribe) subscriptionItem(p *order.SubscriptionPlan) {
	w.Text("productName", p.Line.Name.String(), "What its line is called.")
	w.GivenText("planLabel", p.Label, "The label of its price.")
	w.Int("listPrice", p.ListPrice, "What a payment is before discounts, in minor units.")
	w.periodOf("paymentCycleAmount", "How many units there are from payment to payment.", "paymentCycleUnit",
		"The unit of the time from payment to payment.", &p.Terms.Cycle)
	w.Before("paymentCycleUnit", "paymentCycleAmount")
	wire.List(&w.Writer, "discounts", "SubscriptionDataDiscount", p.Discounts,
		"What discount codes do to its payments.", func(d *order.SubscriptionDiscount) {
			w.discountTerms(&orElse(d.OrderCode, &noCode).Terms)
		})
	next := &p.NextBillingAt
	if *next == 0 {
		next = nil
	}
	wire.Nullable(&w.Writer, "nextPayment", "NextPayment", next, "The payment that is due next; null: none is.",
		func(at *int64) {
			w.Int("amount", p.NextAmount, "What it is, in minor units, after discounts.")
			w.Instant("date", *at, "When it is due.")
		})
	wire.Nullable(&w.Writer, "minimumTerm", "MinimumTerm", p.MinimumTerm,
		"How long the customer is bound; null: not at all.", func(t *commerce.Period) {
			w.periodOf("periodAmount", "How many units.", "periodUnit", "The unit of the amount.", t)
			w.End("endDate", p.TermEnd, "When that is over; null: it goes on.")
		})
	wire.Nullable(&w.Writer, "renewal", "SubscriptionRenewal", p.Renewal,
		"What payments are after the commitment, or after the first cycle without one, also where that is the same "+
			"price; null: the subscription ends before.", func(price *int64) {
			w.Int("price", *price, "What a payment is from then on, in minor units.")
			w.Instant("fromDate", p.RenewsAt, "From when on.")
		})
	w.End("endsAt", p.EndsAt, "When it ends; null: it goes on.")
	wire.Nullable(&w.Writer, "cancellationNotice", "CancellationNotice", p.Terms.CancellationLead,
		"How long before the end it has to be cancelled; null: any time.",
		func(t *commerce.Period) {
			w.periodOf("amount", "How many units of time.", "unit", "The unit of the amount.", t)
		})
}
