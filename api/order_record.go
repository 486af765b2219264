package api

import (
	"slices"
	"strconv"

	"holdfast/engine"
)

// This file owns how an order is written. It needs the record alone: the same bytes go to whoever asks and to whoever is told.
// order_line_record.go has its lines and units.

var (
	userSchema = recordSchema("UserReference",
		has("id", idSchema.says("The user's id where users are kept.")),
		has("name", textSchema.says("What the user is called.")),
		has("avatarUrl", textSchema.orNull().says("A picture of the user.")),
		has("email", textSchema.orNull().says("Email address.")))
	orderLocationSchema = recordSchema("OrderLocation",
		has("id", idSchema.says("The location's id.")),
		has("name", textSchema.says("What the location is called.")),
		has("address", addressSchema.orNull().says("Where the location is.")),
		has("timezone", textSchema.says("IANA name of the location's time zone.")))
	mainContactSchema = recordSchema("MainContact", slices.Concat(contactMembers, []Member{has("crmCustomerId", idSchema.orNull().
				says("The customer's id among the account's customers; null: there is none."))})...)
	orderCustomerSchema = recordSchema("OrderCustomer", slices.Concat([]Member{has("id", idSchema.
				says("The customer's id in the order."))}, contactMembers, []Member{
		has("crmCustomerId", idSchema.orNull().says("The customer's id among the account's customers; null: there is none.")),
		has("checkoutFields", listSchema(checkoutFieldSchema).says("What this customer was asked.")),
		has("createdAt", createdSchema),
		has("updatedAt", updatedSchema),
	})...)
	discountBriefMembers = []Member{
		has("id", textSchema.says("The discount code's id.")),
		has("code", textSchema.says("The text that customers enter.")),
		has("valueType", discountType.schema.says("Whether value is a percentage, an amount off the order or an amount off each unit.")),
		has("value", integerSchema.says("A percentage from 1 to 100, or an amount in minor units.")),
		has("applicablePurchaseTypes", listSchema(purchaseType.schema).says("The ways of taking an item that it counts for.")),
	}
	allocationsSchema = listSchema(recordSchema("DiscountAllocation",
		has("itemId", textSchema.says("The line's id.")),
		has("value", integerSchema.says("What is taken off the line, in minor units."))))
	orderPricingSchema = recordSchema("OrderPricing",
		has("currency", textSchema.says("ISO 4217 code of the currency of all amounts.")),
		has("subtotal", integerSchema.says("Sum before discounts and taxes, in minor units.")),
		has("totalDiscounts", integerSchema.says("What discounts take off, in minor units.")),
		has("totalTaxes", integerSchema.says("Taxes, in minor units.")),
		has("total", integerSchema.says("Sum after discounts and with taxes, in minor units.")),
		has("discountCodes", listSchema(recordSchema("AppliedDiscountCode", slices.Concat(discountBriefMembers, []Member{
			has("appliedValue", integerSchema.says("What it takes off, in minor units.")),
			has("allocations", allocationsSchema.says("What it takes off each line; the sum is appliedValue.")),
		})...)).says("The discount codes of the order, in the order in which they were applied.")))
	totalMembers = func() (all []Member) {
		for _, t := range paymentTotals {
			all = append(all, has(t.name, integerSchema.says(t.about+", by the payments that were recorded; in minor units.")))
		}
		return all
	}()
	documentSchema = recordSchema("OrderDocument",
		has("id", idSchema.says("The document's id.")),
		has("type", textSchema.says("What kind of document it is, such as invoice.")),
		has("name", textSchema.says("What people call the document.")),
		has("fileRef", textSchema.orNull().says("Where the file is kept.")))
	commentSchema = recordSchema("OrderComment",
		has("id", idSchema.says("The comment's id.")),
		has("createdAt", createdSchema),
		has("updatedAt", updatedSchema),
		has("authorType", enumSchema(engine.AuthorUser, engine.AuthorSystem).says("Whether a key made the comment, or the service did.")),
		has("content", textSchema.says("The comment's text.")),
		has("author", userSchema.orNull().says("Who wrote it; null: nobody was named.")),
		has("authorId", idSchema.orNull().says("The id of who wrote it; null: nobody was named.")),
		has("parentCommentId", idSchema.orNull().says("The comment that this one answers; null: none.")))
	consentSchema = recordSchema("ConsentAcceptance",
		has("id", idSchema.says("The consent's id.")),
		has("orderId", idSchema.says("The order's id.")),
		has("consentConfigId", idSchema.orNull().says("The id of what was asked, where that is kept.")),
		has("label", textSchema.orNull().says("What was agreed to, in short.")),
		has("consentText", textSchema.orNull().says("The whole text that was agreed to.")),
		has("required", booleanSchema.says("Whether the order took agreement.")),
		has("acceptedAt", instantSchema.orNull().says("When the customer agreed; null: they did not.")),
		has("ipAddress", textSchema.orNull().says("The address that the agreement came from.")),
		has("userAgent", textSchema.orNull().says("The program that the agreement came from.")),
		has("locale", textSchema.orNull().says("Language of the text, as a tag.")),
		has("links", listSchema(recordSchema("ConsentLink",
			has("kind", textSchema.says("What kind of link it is, such as policy.")),
			has("policyDocumentId", idSchema.orNull().says("The id of the document, where that is kept.")),
			has("name", textSchema.orNull().says("What people call the link.")),
			has("content", textSchema.orNull().says("The text behind the link.")))).says("What the text refers to.")))
	cardSchema = recordSchema("SavedCard",
		has("brand", textSchema.says("Who issued the card.")),
		has("last4", textSchema.says("The last four digits of its number.")))
	methodSchema = recordSchema("CustomPaymentMethod",
		has("id", idSchema.says("The method's id where methods are kept.")),
		has("label", textSchema.says("What people call the method.")),
		has("key", textSchema.orNull().says("The key under which programs find the method.")),
		has("description", textSchema.orNull().says("What is told of the method.")))

	orderSchema = recordSchema("Order", slices.Concat([]Member{
		has("id", idSchema.says("The order's id.")),
		has("number", integerSchema.says("The account's count of orders, this one included.")),
		has("reference", textSchema.orNull().says("The merchant's or the shop's own name for the order.")),
		has("status", enumSchema(engine.OrderStatuses...).says("draft: it takes no stock; open: it does; active: units are out; closed: it is over.")),
		has("channel", enumSchema(engine.Channels...).says("Where it came from.")),
		has("createdAt", createdSchema),
		has("updatedAt", updatedSchema),
		has("archivedAt", instantSchema.orNull().says("When it was archived; null while it is not.")),
		has("updatedBy", textSchema.says("The label of the key that last changed it.")),
		has("currentlyViewing", nullSchema.says("Always null: who looks at it is not kept.")),
		has("assignedTo", userSchema.orNull().says("The user who looks after it.")),
		has("pickupLocation", orderLocationSchema.orNull().says("Where its units are handed over; stock is taken there.")),
		has("returnLocation", orderLocationSchema.orNull().says("Where its units come back to.")),
		has("customers", listSchema(orderCustomerSchema).says("The people whom the order is for.")),
		has("mainContact", mainContactSchema.orNull().says("Whom the order is with.")),
		has("lineItems", listSchema(orderLineSchema).says("What is ordered.")),
		has("stockItems", listSchema(stockItemSchema).says("The units of the lines; a long list has pages of its own.")),
		has("documents", listSchema(documentSchema).says("The documents of the order.")),
		has("comments", listSchema(commentSchema).says("The comments on the order, the oldest first.")),
		has("hasSavedPaymentMethod", booleanSchema.says("Whether the customer's means of payment is kept by who charges it.")),
		has("savedCard", cardSchema.orNull().says("The card that is kept; null: none.")),
		has("pricing", orderPricingSchema.says("What the order costs.")),
		has("fulfillmentState", enumSchema(engine.Fulfillments...).says("How far its lines are together.")),
		has("subscriptionData", subscriptionDataSchema.says("The subscriptions among its lines.")),
		has("tags", listSchema(tagSchema).says("The tags linked to it.")),
	}, externalMembers, totalMembers, []Member{
		has("paymentMethodKey", textSchema.orNull().says("How the customer pays, as it was given.")),
		has("customPaymentMethod", methodSchema.orNull().says("The merchant's own way of payment.")),
		has("note", textSchema.orNull().says("A text for those who read it.")),
		has("earliestStartDate", instantSchema.orNull().says("First instant of its first line.")),
		has("latestEndDate", instantSchema.orNull().says("Last end of its lines; null: none has one.")),
		has("consentAcceptances", listSchema(consentSchema).says("What the customers have agreed to.")),
	})...)
)

// paymentTotals are the sums of an order's payments, in the order of the record.
var paymentTotals = [...]struct {
	name  string
	kind  engine.PaymentKind
	about string
}{
	{"capturedTotal", engine.Capture, "What was taken from the customer"}, {"refundedTotal", engine.Refund, "What was given back"},
	{"depositCapturedTotal", engine.DepositCapture, "What was kept of the deposit"}, {"depositRefundedTotal", engine.DepositRefund, "What of the deposit was given back"},
	{"depositAuthorisedTotal", engine.DepositAuthorise, "What was set aside as a deposit"},
	{"depositCancelledTotal", engine.DepositCancel, "What is not set aside any more"},
}

// OrderPayload is an order's record as a version of the interface writes it: there is one.
func OrderPayload(_ string, record any) []byte {
	r := record.(*engine.OrderRecord)
	const order, part = 3 << 10, 1 << 10 // about what is written of an order, of each line, and of each unit
	return appendOrder(make([]byte, 0, order+part*(len(r.Lines)+len(r.Units))), r)
}

func appendOrder(b []byte, r *engine.OrderRecord) []byte {
	start := len(b)
	return bounded(appendOrderUpTo(b, r, engine.MaxListed), start, maxRecord)
}

// appendOrderUpTo appends an order with the first entries of its longest lists.
func appendOrderUpTo(b []byte, r *engine.OrderRecord, most int) []byte {
	more := r.Rest()
	b = appendID(append(b, `{"id":`...), r.ID)
	b = appendInt(append(b, `,"number":`...), r.Number)
	b = appendGiven(append(b, `,"reference":`...), more.Reference)
	b = appendText(append(b, `,"status":`...), r.Status.String())
	b = appendText(append(b, `,"channel":`...), r.Channel.String())
	b = appendInstant(append(b, `,"createdAt":`...), engine.CreatedAt(r.ID))
	b = appendInstant(append(b, `,"updatedAt":`...), r.UpdatedAt)
	b = appendSet(append(b, `,"archivedAt":`...), r.ArchivedAt)
	b = appendText(append(b, `,"updatedBy":`...), r.UpdatedBy.String())
	b = appendUser(append(b, `,"currentlyViewing":null,"assignedTo":`...), more.Assigned)
	b = appendOrderLocation(append(b, `,"pickupLocation":`...), r.PickupAt)
	b = appendOrderLocation(append(b, `,"returnLocation":`...), r.ReturnAt)
	b = appendOrderCustomers(append(b, `,"customers":`...), r, more)
	b = append(b, `,"mainContact":`...)
	if r.Contact == nil {
		b = append(b, "null"...)
	} else {
		b = appendContact(append(b, '{'), r.Contact)
		b = append(appendGivenID(append(b, `,"crmCustomerId":`...), r.Customer), '}')
	}
	prices, _ := r.LinePrices()
	b = append(b, `,"lineItems":[`...)
	for i := range min(len(r.Lines), most) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendOrderLine(b, r, &r.Lines[i], prices[i])
	}
	if b = append(b, ']'); len(r.Lines) > most {
		b = appendInt(append(b, `,"lineItemsTotal":`...), len(r.Lines))
	}
	b = appendStockItems(b, r, most)
	b = appendList(append(b, `,"documents":`...), more.Documents, func(b []byte, d engine.OrderDocument) []byte {
		b = appendText(append(appendID(append(b, `{"id":`...), d.ID), `,"type":`...), d.Type)
		b = appendText(append(b, `,"name":`...), d.Name)
		return append(appendTextOrNull(append(b, `,"fileRef":`...), d.FileRef), '}')
	})
	b = appendFirst(b, "comments", more.Comments, len(more.Comments), most, appendComment)
	b = appendBool(append(b, `,"hasSavedPaymentMethod":`...), more.Method.HasSaved)
	b = append(b, `,"savedCard":`...)
	if card := more.Method.Card; card == nil {
		b = append(b, "null"...)
	} else {
		b = appendText(append(b, `{"brand":`...), card.Brand)
		b = append(appendText(append(b, `,"last4":`...), card.Last4), '}')
	}
	b = appendOrderPricing(append(b, `,"pricing":`...), r)
	b = appendText(append(b, `,"fulfillmentState":`...), r.Fulfillment().String())
	b = appendSubscriptionData(append(b, `,"subscriptionData":`...), r)
	b = appendList(append(b, `,"tags":`...), r.TagRows, func(b []byte, g *engine.Tag) []byte { return appendTag(nil, b, g) })
	b = appendExternal(b, r.External)
	b = appendTotals(b, r.Order, engine.ID{})
	b = appendTextOrNull(append(b, `,"paymentMethodKey":`...), more.Method.Key)
	b = append(b, `,"customPaymentMethod":`...)
	if m := more.Method.Custom; m == nil {
		b = append(b, "null"...)
	} else {
		b = appendText(append(appendID(append(b, `{"id":`...), m.ID), `,"label":`...), m.Label)
		b = appendTextOrNull(append(b, `,"key":`...), m.Key)
		b = append(appendTextOrNull(append(b, `,"description":`...), m.Description), '}')
	}
	b = appendGiven(append(b, `,"note":`...), more.Note)
	from, to := r.Bounds()
	b = appendSet(append(b, `,"earliestStartDate":`...), from)
	b = appendSet(append(b, `,"latestEndDate":`...), to)
	b = appendList(append(b, `,"consentAcceptances":`...), more.Consents, func(b []byte, c engine.Consent) []byte { return appendConsent(b, r.ID, &c) })
	return append(b, '}')
}

// appendSet appends an instant that is unset where it is 0.
func appendSet(b []byte, t int64) []byte {
	if t == 0 {
		return append(b, "null"...)
	}
	return appendInstant(b, t)
}

// appendTotals appends the sums of payments, of a line or of the whole order.
func appendTotals(b []byte, o *engine.Order, line engine.ID) []byte {
	for _, t := range paymentTotals {
		b = appendInt(key(b, t.name), o.Paid(t.kind, line))
	}
	return b
}

func appendUser(b []byte, u *engine.UserRef) []byte {
	if u == nil {
		return append(b, "null"...)
	}
	b = appendText(append(appendID(append(b, `{"id":`...), u.ID), `,"name":`...), u.Name)
	b = appendTextOrNull(append(b, `,"avatarUrl":`...), u.AvatarURL)
	return append(appendTextOrNull(append(b, `,"email":`...), u.Email), '}')
}

func appendOrderLocation(b []byte, l *engine.Location) []byte {
	if l == nil {
		return append(b, "null"...)
	}
	b = appendText(append(appendID(append(b, `{"id":`...), l.ID), `,"name":`...), l.Name)
	if b = append(b, `,"address":`...); l.Address == nil {
		b = append(b, "null"...)
	} else {
		b = append(appendAddress(append(b, '{'), l.Address), '}')
	}
	return append(appendText(append(b, `,"timezone":`...), l.Timezone), '}')
}

// appendOrderCustomers appends those whom an order is for: those given, else the one whom the main contact is of.
func appendOrderCustomers(b []byte, r *engine.OrderRecord, more *engine.OrderMore) []byte {
	list := more.Customers
	if len(list) == 0 && r.Contact != nil {
		list = []engine.OrderCustomer{{ID: r.MainCustomer(), Customer: r.Customer, Contact: *r.Contact, Fields: more.Fields, UpdatedAt: r.UpdatedAt}}
	}
	return appendList(b, list, func(b []byte, c engine.OrderCustomer) []byte {
		b = appendContact(append(appendID(append(b, `{"id":`...), c.ID), ','), &c.Contact)
		b = appendGivenID(append(b, `,"crmCustomerId":`...), c.Customer)
		b = appendCheckoutFields(append(b, `,"checkoutFields":`...), c.Fields, false)
		b = appendInstant(append(b, `,"createdAt":`...), engine.CreatedAt(c.ID))
		return append(appendInstant(append(b, `,"updatedAt":`...), c.UpdatedAt), '}')
	})
}

func appendComment(b []byte, c engine.OrderComment) []byte {
	b = appendInstant(append(appendID(append(b, `{"id":`...), c.ID), `,"createdAt":`...), engine.CreatedAt(c.ID))
	b = appendInstant(append(b, `,"updatedAt":`...), c.UpdatedAt)
	b = appendText(append(b, `,"authorType":`...), c.AuthorType)
	b = appendText(append(b, `,"content":`...), c.Content)
	b = appendUser(append(b, `,"author":`...), c.Author)
	b = append(b, `,"authorId":`...)
	if c.Author == nil {
		b = append(b, "null"...)
	} else {
		b = appendID(b, c.Author.ID)
	}
	return append(appendGivenID(append(b, `,"parentCommentId":`...), c.Parent), '}')
}

func appendConsent(b []byte, order engine.ID, c *engine.Consent) []byte {
	b = appendID(append(appendID(append(b, `{"id":`...), c.ID), `,"orderId":`...), order)
	b = appendIDOrNull(append(b, `,"consentConfigId":`...), c.ConfigID)
	b = appendTextOrNull(append(b, `,"label":`...), c.Label)
	b = appendTextOrNull(append(b, `,"consentText":`...), c.Text)
	b = appendBool(append(b, `,"required":`...), c.Required)
	b = appendInstantOrNull(append(b, `,"acceptedAt":`...), c.AcceptedAt)
	b = appendTextOrNull(append(b, `,"ipAddress":`...), c.IPAddress)
	b = appendTextOrNull(append(b, `,"userAgent":`...), c.UserAgent)
	b = appendTextOrNull(append(b, `,"locale":`...), c.Locale)
	b = appendList(append(b, `,"links":`...), c.Links, func(b []byte, l engine.ConsentLink) []byte {
		b = appendText(append(b, `{"kind":`...), l.Kind)
		b = appendIDOrNull(append(b, `,"policyDocumentId":`...), l.PolicyDocumentID)
		b = appendTextOrNull(append(b, `,"name":`...), l.Name)
		return append(appendTextOrNull(append(b, `,"content":`...), l.Content), '}')
	})
	return append(b, '}')
}

func appendOrderPricing(b []byte, r *engine.OrderRecord) []byte {
	p, _ := r.Price()
	b = appendText(append(b, `{"currency":`...), r.Currency)
	b = appendInt(append(b, `,"subtotal":`...), p.Subtotal)
	b = appendInt(append(b, `,"totalDiscounts":`...), p.Discount)
	b = appendInt(append(b, `,"totalTaxes":`...), p.Tax)
	b = appendInt(append(b, `,"total":`...), p.Total)
	b = appendList(append(b, `,"discountCodes":`...), r.Codes, func(b []byte, c engine.OrderCode) []byte {
		b = appendInt(append(appendDiscountBrief(b, c.ID, &c.Terms), `,"appliedValue":`...), c.Applied())
		return append(appendAllocations(append(b, `,"allocations":`...), c.Allocations), '}')
	})
	return append(b, '}')
}

// appendDiscountBrief appends what is told of a code on an order, without the closing brace.
func appendDiscountBrief(b []byte, id engine.ID, d *engine.DiscountTerms) []byte {
	b = appendText(append(appendID(append(b, `{"id":`...), id), `,"code":`...), d.Code)
	b = appendText(append(b, `,"valueType":`...), string(d.ValueType))
	b = appendInt(append(b, `,"value":`...), d.Value)
	return appendList(append(b, `,"applicablePurchaseTypes":`...), d.Purchases, func(b []byte, p engine.PurchaseType) []byte { return appendText(b, string(p)) })
}

func appendAllocations(b []byte, list []engine.LineAmount) []byte {
	return appendList(b, list, func(b []byte, a engine.LineAmount) []byte {
		b = appendID(append(b, `{"itemId":`...), a.Line)
		return append(strconv.AppendInt(append(b, `,"value":`...), a.Value, 10), '}')
	})
}

// answerOrder answers with an order and its entity tag. The tag is that of the stored row, for If-Match: where its units are and
// whom it is for changes without it.
func answerOrder(q *request, r *engine.OrderRecord) error {
	q.tag, q.out = r.Revision, appendOrder(q.out, r)
	return nil
}
