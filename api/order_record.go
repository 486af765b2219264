package api

import (
	"slices"
	"strconv"

	"holdfast/engine"
)

// This file owns how an order is written. It needs the record alone: the same bytes go to whoever asks and to whoever is told.
// order_line_record.go has its lines and units.

var (
	userSchema          = recordSchema("UserReference", has("id", idSchema), has("name", textSchema), has("avatarUrl", textSchema.orNull()), has("email", textSchema.orNull()))
	orderLocationSchema = recordSchema("OrderLocation", has("id", idSchema), has("name", textSchema),
		has("address", recordSchema("OrderLocationAddress", addressMembers...).orNull()), has("timezone", textSchema))
	mainContactSchema   = recordSchema("MainContact", slices.Concat(contactMembers, []Member{has("crmCustomerId", idSchema.orNull())})...)
	orderCustomerSchema = recordSchema("OrderCustomer", slices.Concat([]Member{has("id", idSchema)}, contactMembers, []Member{
		has("crmCustomerId", idSchema.orNull()), has("checkoutFields", listSchema(checkoutFieldSchema)), has("createdAt", instantSchema), has("updatedAt", instantSchema),
	})...)
	discountBriefMembers = []Member{
		has("id", textSchema), has("code", textSchema), has("valueType", discountType.schema), has("value", integerSchema),
		has("applicablePurchaseTypes", listSchema(purchaseType.schema)),
	}
	allocationsSchema  = listSchema(recordSchema("DiscountAllocation", has("itemId", textSchema), has("value", integerSchema)))
	orderPricingSchema = recordSchema("OrderPricing",
		has("currency", textSchema), has("subtotal", integerSchema), has("totalDiscounts", integerSchema), has("totalTaxes", integerSchema),
		has("total", integerSchema), has("discountCodes", listSchema(recordSchema("AppliedDiscountCode", slices.Concat(discountBriefMembers, []Member{
			has("appliedValue", integerSchema), has("allocations", allocationsSchema),
		})...))))
	totalMembers = func() (all []Member) {
		for _, t := range paymentTotals {
			all = append(all, has(t.name, integerSchema))
		}
		return all
	}()
	documentSchema = recordSchema("OrderDocument", has("id", idSchema), has("type", textSchema), has("name", textSchema), has("fileRef", textSchema.orNull()))
	commentSchema  = recordSchema("OrderComment",
		has("id", idSchema), has("createdAt", instantSchema), has("updatedAt", instantSchema), has("authorType", enumSchema(engine.AuthorUser, engine.AuthorSystem)),
		has("content", textSchema), has("author", userSchema.orNull()), has("authorId", idSchema.orNull()), has("parentCommentId", idSchema.orNull()))
	consentSchema = recordSchema("ConsentAcceptance",
		has("id", idSchema), has("orderId", idSchema), has("consentConfigId", idSchema.orNull()), has("label", textSchema.orNull()),
		has("consentText", textSchema.orNull()), has("required", booleanSchema), has("acceptedAt", instantSchema.orNull()), has("ipAddress", textSchema.orNull()),
		has("userAgent", textSchema.orNull()), has("locale", textSchema.orNull()), has("links", listSchema(recordSchema("ConsentLink",
			has("kind", textSchema), has("policyDocumentId", idSchema.orNull()), has("name", textSchema.orNull()), has("content", textSchema.orNull())))))
	cardSchema   = recordSchema("SavedCard", has("brand", textSchema), has("last4", textSchema))
	methodSchema = recordSchema("CustomPaymentMethod",
		has("id", idSchema), has("label", textSchema), has("key", textSchema.orNull()), has("description", textSchema.orNull()))

	orderSchema = recordSchema("Order", slices.Concat([]Member{
		has("id", idSchema), has("number", integerSchema), has("reference", textSchema.orNull()), has("status", enumSchema(engine.OrderStatuses...)),
		has("channel", enumSchema(engine.Channels...)), has("createdAt", instantSchema), has("updatedAt", instantSchema), has("archivedAt", instantSchema.orNull()),
		has("updatedBy", textSchema), has("currentlyViewing", nullSchema), has("assignedTo", userSchema.orNull()),
		has("pickupLocation", orderLocationSchema.orNull()), has("returnLocation", orderLocationSchema.orNull()),
		has("customers", listSchema(orderCustomerSchema)), has("mainContact", mainContactSchema.orNull()), has("lineItems", listSchema(orderLineSchema)),
		has("stockItems", listSchema(stockItemSchema)), has("documents", listSchema(documentSchema)), has("comments", listSchema(commentSchema)),
		has("hasSavedPaymentMethod", booleanSchema), has("savedCard", cardSchema.orNull()), has("pricing", orderPricingSchema),
		has("fulfillmentState", enumSchema(engine.Fulfillments...)), has("subscriptionData", subscriptionDataSchema), has("tags", listSchema(tagSchema)),
	}, totalMembers, []Member{
		has("paymentMethodKey", textSchema.orNull()), has("customPaymentMethod", methodSchema.orNull()), has("note", textSchema.orNull()),
		has("earliestStartDate", instantSchema.orNull()), has("latestEndDate", instantSchema.orNull()), has("consentAcceptances", listSchema(consentSchema)),
	})...)
)

// paymentTotals are the sums of an order's payments, in the order of the record.
var paymentTotals = [...]struct {
	name string
	kind engine.PaymentKind
}{
	{"capturedTotal", engine.Capture}, {"refundedTotal", engine.Refund}, {"depositCapturedTotal", engine.DepositCapture},
	{"depositRefundedTotal", engine.DepositRefund}, {"depositAuthorisedTotal", engine.DepositAuthorise}, {"depositCancelledTotal", engine.DepositCancel},
}

// OrderPayload is an order's record as a version of the interface writes it: there is one.
func OrderPayload(_ string, r *engine.OrderRecord) []byte {
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
