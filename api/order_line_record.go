package api

import (
	"slices"

	"holdfast/engine"
)

// This file owns how the lines and units of an order are written, and its subscriptions.

var (
	checkoutFieldMembers = []Member{
		has("name", textSchema), has("type", enumSchema(engine.CheckoutFieldTypes...).orNull()), has("placeholder", textSchema.orNull()),
		has("required", booleanSchema), has("internal", booleanSchema), has("attributeId", textSchema.orNull()),
		has("attributeFormat", enumSchema(engine.CheckoutFieldFormats...).orNull()), has("options", listSchema(recordSchema("CheckoutFieldOption", has("name", textSchema)))),
		has("value", textSchema.orNull()), has("checkoutFieldId", idSchema.orNull()),
	}
	checkoutFieldSchema     = recordSchema("CheckoutField", slices.Concat([]Member{has("ids", listSchema(idSchema))}, checkoutFieldMembers)...)
	lineCheckoutFieldSchema = recordSchema("LineCheckoutField", slices.Concat([]Member{has("id", textSchema.orNull())}, checkoutFieldMembers)...)

	lineSubscriptionMembers = slices.Concat([]Member{
		has("id", idSchema), has("orderLineItemId", idSchema), has("label", textSchema.orNull()), has("price", integerSchema), has("renewalPrice", integerSchema.orNull()),
		has("commitmentCycles", integerSchema.orNull()),
	},
		periodMembers("paymentCycleAmount", "paymentCycleUnit"), periodMembers("commitmentPeriodAmount", "commitmentPeriodUnit"),
		periodMembers("cancellationLeadTimeAmount", "cancellationLeadTimeUnit"), []Member{
			has("initialChargeType", textSchema), has("renewalType", textSchema), has("collectionMethod", textSchema),
			has("status", enumSchema(string(engine.SubscriptionActive), string(engine.SubscriptionCancelling), string(engine.SubscriptionCancelled))),
			has("nextBillingAt", instantSchema.orNull()), has("cancelAt", instantSchema.orNull()), has("cancelledAt", instantSchema.orNull()),
		})
	lineSubscriptionSchema     = recordSchema("LineSubscription", lineSubscriptionMembers...)
	subscriptionDiscountSchema = recordSchema("SubscriptionDiscount",
		has("code", textSchema), has("valueType", discountType.schema), has("value", integerSchema), has("subscriptionDuration", discountDuration.schema),
		has("subscriptionDurationCycles", integerSchema.orNull()), has("firstDiscountedCycleIndex", integerSchema), has("discountCodeId", idSchema),
		has("discountPeriodTo", instantSchema.orNull()))
	linePricingSchema = recordSchema("LineItemPricing",
		has("currency", textSchema), has("unitPrice", integerSchema), has("quantity", integerSchema), has("taxRate", integerSchema), has("subtotal", integerSchema),
		has("totalDiscounts", integerSchema), has("totalTaxes", integerSchema), has("total", integerSchema))

	orderLineSchema = recordSchema("OrderLineItem", slices.Concat([]Member{
		has("id", idSchema), has("orderCustomerId", idSchema.orNull()), has("catalogItemId", idSchema.orNull()), has("skuId", idSchema.orNull()),
		has("articleId", idSchema.orNull()), has("pricingRowId", idSchema.orNull()), has("createdAt", instantSchema), has("updatedAt", instantSchema),
		has("name", recordSchema("LocalizedName", has("def", textSchema))), has("pricing", linePricingSchema),
		has("variants", listSchema(recordSchema("ChosenVariant", has("variantId", idSchema), has("variantValueId", idSchema),
			has("variantLabel", textSchema.orNull()), has("variantValueLabel", textSchema.orNull())))),
		has("duration", textSchema.orNull()), has("durationLabel", textSchema.orNull()), has("startDate", instantSchema), has("endDate", instantSchema.orNull()),
		has("returnedDate", instantSchema.orNull()), has("purchaseType", purchaseType.schema), has("imageUrl", textSchema.orNull()), has("note", textSchema.orNull()),
		has("fulfillmentState", enumSchema(engine.Fulfillments...)), has("checkoutFields", listSchema(lineCheckoutFieldSchema)),
	}, totalMembers, []Member{
		has("addonOfLineItemId", idSchema.orNull()), has("catalogAddonId", idSchema.orNull()), has("cartAddonId", idSchema.orNull()),
		has("isAddon", textSchema.orNull()), has("subscription", lineSubscriptionSchema.orNull()), has("subscriptionDiscounts", listSchema(subscriptionDiscountSchema)),
	})...)

	stockPlaceSchema = recordSchema("StockItemLocation", has("id", idSchema), has("name", textSchema))
	stockItemSchema  = recordSchema("OrderStockItem",
		has("id", idSchema), has("createdAt", instantSchema), has("updatedAt", instantSchema), has("name", textSchema), has("lineItemId", idSchema),
		has("fulfillmentState", enumSchema(engine.Fulfillments...)), has("orderId", idSchema), has("code", textSchema.orNull()),
		has("codeType", enumSchema("auto-assigned", "manual")), has("expectsInventoryLink", booleanSchema),
		has("requirements", listSchema(recordSchema("Requirement", has("key", textSchema), has("operator", enumSchema(operatorNames...)),
			has("values", listSchema(textSchema)), has("attributeId", idSchema)))),
		has("inventoryArticleId", idSchema.orNull()), has("pickupServiceLocation", stockPlaceSchema.orNull()), has("returnServiceLocation", stockPlaceSchema.orNull()),
		has("pickupDate", instantSchema), has("returnDate", instantSchema.orNull()), has("unavailabilityId", idSchema.orNull()),
		has("purchaseType", purchaseType.schema), has("inventoryArticle", recordSchema("InventoryArticle", has("name", textSchema),
			has("codes", listSchema(textSchema)), has("binLocation", nullSchema), has("skuName", textSchema.orNull()), has("skuCode", textSchema.orNull())).orNull()),
		has("note", nullSchema), has("revenueSplitRate", &Schema{Type: "number"}), has("hasConflicts", booleanSchema),
		has("requirementsUnmet", booleanSchema.says("true: the article lost what the line requires, and no other of its pool had room; the unit stays where it is")))

	amountOfTime           = []Member{has("amount", integerSchema), has("unit", enumSchema(unitNames...))}
	subscriptionDataSchema = recordSchema("SubscriptionData", has("hasSubscriptions", booleanSchema), has("currency", textSchema),
		has("items", listSchema(recordSchema("SubscriptionDataItem",
			has("productName", textSchema), has("planLabel", textSchema.orNull()), has("listPrice", integerSchema), has("paymentCycleUnit", enumSchema(unitNames...)),
			has("paymentCycleAmount", integerSchema), has("discounts", listSchema(recordSchema("SubscriptionDataDiscount",
				has("code", textSchema), has("valueType", discountType.schema), has("value", integerSchema)))),
			has("nextPayment", recordSchema("NextPayment", has("amount", integerSchema), has("date", instantSchema)).orNull()),
			has("minimumTerm", recordSchema("MinimumTerm", has("periodAmount", integerSchema), has("periodUnit", enumSchema(unitNames...)), has("endDate", instantSchema)).orNull()),
			has("renewal", recordSchema("SubscriptionRenewal", has("price", integerSchema), has("fromDate", instantSchema)).orNull()),
			has("endsAt", instantSchema.orNull()), has("cancellationNotice", recordSchema("CancellationNotice", amountOfTime...).orNull())))))
)

var operatorNames = func() (names []string) {
	for _, o := range engine.Operators {
		names = append(names, string(o))
	}
	return names
}()

// orderCustomerOf is whom a line is for: the one named, else the first of the order's.
func orderCustomerOf(r *engine.OrderRecord, more *engine.LineMore) engine.ID {
	switch {
	case more.OrderCustomer != engine.ID{}:
		return more.OrderCustomer
	case len(r.Rest().Customers) > 0:
		return r.Rest().Customers[0].ID
	case r.Contact != nil:
		return r.MainCustomer()
	}
	return engine.ID{}
}

func appendOrderLine(b []byte, r *engine.OrderRecord, l *engine.OrderLine, p engine.LinePrice) []byte {
	more := l.Rest()
	b = appendID(append(b, `{"id":`...), l.ID)
	b = appendGivenID(append(b, `,"orderCustomerId":`...), orderCustomerOf(r, more))
	item := l.Item()
	b = appendGivenID(append(b, `,"catalogItemId":`...), item.CatalogItem)
	b = appendGivenID(append(b, `,"skuId":`...), item.SKU)
	b = appendGivenID(append(b, `,"articleId":`...), item.Article)
	b = appendGivenID(append(b, `,"pricingRowId":`...), l.PricingRow)
	b = appendInstant(append(b, `,"createdAt":`...), engine.CreatedAt(l.ID))
	b = appendInstant(append(b, `,"updatedAt":`...), l.UpdatedAt)
	b = append(appendText(append(b, `,"name":{"def":`...), l.Name.String()), '}')
	b = appendText(append(b, `,"pricing":{"currency":`...), r.Currency)
	b = appendInt(append(b, `,"unitPrice":`...), p.Unit)
	b = appendInt(append(b, `,"quantity":`...), int(l.Quantity))
	b = appendInt(append(b, `,"taxRate":`...), int(l.TaxRate))
	b = appendInt(append(b, `,"subtotal":`...), p.Subtotal)
	b = appendInt(append(b, `,"totalDiscounts":`...), p.Discount)
	b = appendInt(append(b, `,"totalTaxes":`...), p.Tax)
	b = append(appendInt(append(b, `,"total":`...), p.Total), '}')
	b = appendList(append(b, `,"variants":`...), more.Variants, func(b []byte, v engine.LineVariant) []byte {
		b = appendID(append(appendID(append(b, `{"variantId":`...), v.Variant), `,"variantValueId":`...), v.Value)
		b = appendTextOrNull(append(b, `,"variantLabel":`...), v.Label)
		return append(appendTextOrNull(append(b, `,"variantValueLabel":`...), v.ValueLabel), '}')
	})
	b = appendGiven(append(b, `,"duration":`...), l.Duration())
	b = appendGiven(append(b, `,"durationLabel":`...), r.DurationLabel(l))
	b = appendInstant(append(b, `,"startDate":`...), l.From)
	b = appendInstant(append(b, `,"endDate":`...), l.To)
	b = appendSet(append(b, `,"returnedDate":`...), l.ReturnedAt())
	b = appendText(append(b, `,"purchaseType":`...), string(l.Purchase.Type()))
	b = appendGiven(append(b, `,"imageUrl":`...), more.ImageURL)
	b = appendGiven(append(b, `,"note":`...), more.Note)
	b = appendText(append(b, `,"fulfillmentState":`...), l.Fulfillment().String())
	b = appendCheckoutFields(append(b, `,"checkoutFields":`...), more.Fields, true)
	b = appendTotals(b, r.Order, l.ID)
	b = appendGivenID(append(b, `,"addonOfLineItemId":`...), more.AddonOf)
	b = appendGivenID(append(b, `,"catalogAddonId":`...), more.CatalogAddon)
	b = appendGivenID(append(b, `,"cartAddonId":`...), more.CartAddon)
	b = appendGiven(append(b, `,"isAddon":`...), more.IsAddon)
	if l.Subscription == nil {
		return append(b, `,"subscription":null,"subscriptionDiscounts":[]}`...)
	}
	b = append(appendLineSubscription(append(b, `,"subscription":{`...), l), '}')
	b = appendList(append(b, `,"subscriptionDiscounts":`...), r.Plan(l).Discounts, func(b []byte, d engine.SubscriptionDiscount) []byte {
		b = appendText(append(b, `{"code":`...), d.Terms.Code)
		b = appendText(append(b, `,"valueType":`...), string(d.Terms.ValueType))
		b = appendInt(append(b, `,"value":`...), d.Terms.Value)
		b = appendText(append(b, `,"subscriptionDuration":`...), string(d.Terms.Duration))
		b = appendIntOrNull(append(b, `,"subscriptionDurationCycles":`...), d.Terms.Cycles)
		b = appendID(append(b, `,"firstDiscountedCycleIndex":0,"discountCodeId":`...), d.ID)
		return append(appendInstant(append(b, `,"discountPeriodTo":`...), d.Until), '}')
	})
	return append(b, '}')
}

// appendLineSubscription appends the members of a line's subscription.
func appendLineSubscription(b []byte, l *engine.OrderLine) []byte {
	s := l.Subscription
	b = appendID(append(appendID(append(b, `"id":`...), s.ID), `,"orderLineItemId":`...), l.ID)
	b = appendGiven(append(b, `,"label":`...), s.Label)
	b = appendInt(append(b, `,"price":`...), l.UnitPrice)
	b = appendIntOrNull(append(b, `,"renewalPrice":`...), s.Terms.RenewalPrice)
	b = appendIntOrNull(append(b, `,"commitmentCycles":`...), s.Terms.CommitmentCycles)
	b = appendPeriod(b, "paymentCycleAmount", "paymentCycleUnit", &s.Terms.Cycle)
	b = appendPeriod(b, "commitmentPeriodAmount", "commitmentPeriodUnit", s.Terms.Commitment)
	b = appendPeriod(b, "cancellationLeadTimeAmount", "cancellationLeadTimeUnit", s.Terms.CancellationLead)
	b = appendText(append(b, `,"initialChargeType":`...), s.Terms.InitialCharge)
	b = appendText(append(b, `,"renewalType":`...), s.Terms.RenewalType)
	b = appendText(append(b, `,"collectionMethod":`...), s.Collection)
	b = appendText(append(b, `,"status":`...), string(s.Status()))
	b = appendSet(append(b, `,"nextBillingAt":`...), s.NextBillingAt)
	b = appendSet(append(b, `,"cancelAt":`...), s.CancelAt)
	return appendSet(append(b, `,"cancelledAt":`...), s.CancelledAt)
}

// appendCheckoutFields appends fields of a form: those of a line have an id, those of a customer ids.
func appendCheckoutFields(b []byte, list []engine.CheckoutField, ofLine bool) []byte {
	return appendList(b, list, func(b []byte, f engine.CheckoutField) []byte {
		if ofLine {
			b = appendTextOrNull(append(b, `{"id":`...), f.ID)
		} else {
			b = appendList(append(b, `{"ids":`...), f.IDs, appendID)
		}
		b = appendText(append(b, `,"name":`...), f.Name)
		b = appendGiven(append(b, `,"type":`...), f.Type)
		b = appendTextOrNull(append(b, `,"placeholder":`...), f.Placeholder)
		b = appendBool(append(b, `,"required":`...), f.Required)
		b = appendBool(append(b, `,"internal":`...), f.Internal)
		b = appendTextOrNull(append(b, `,"attributeId":`...), f.AttributeID)
		b = appendTextOrNull(append(b, `,"attributeFormat":`...), f.AttributeFormat)
		b = appendList(append(b, `,"options":`...), f.Options, func(b []byte, name string) []byte {
			return append(appendText(append(b, `{"name":`...), name), '}')
		})
		b = appendTextOrNull(append(b, `,"value":`...), f.Value)
		return append(appendIDOrNull(append(b, `,"checkoutFieldId":`...), f.CheckoutFieldID), '}')
	})
}

// appendStockItems appends the first units of an order, as a member.
func appendStockItems(b []byte, r *engine.OrderRecord, most int) []byte {
	b = append(b, `,"stockItems":[`...)
	n := 0
	most = min(most, len(r.Units))
	for i := range r.Lines {
		for j := range min(len(r.Lines[i].Units), most-n) {
			if n > 0 {
				b = append(b, ',')
			}
			b = appendStockItem(b, r, &r.Lines[i], &r.Lines[i].Units[j], &r.Units[n])
			n++
		}
	}
	if b = append(b, ']'); r.StockItems() > n {
		b = appendInt(append(b, `,"stockItemsTotal":`...), r.StockItems())
	}
	return b
}

func appendStockItem(b []byte, r *engine.OrderRecord, l *engine.OrderLine, u *engine.OrderUnit, at *engine.UnitRecord) []byte {
	more := l.Rest()
	b = appendID(append(b, `{"id":`...), u.ID)
	b = appendInstant(append(b, `,"createdAt":`...), engine.CreatedAt(u.ID))
	b = appendInstant(append(b, `,"updatedAt":`...), max(engine.CreatedAt(u.ID), u.Handed, u.Returned, u.UpdatedAt))
	b = appendText(append(b, `,"name":`...), l.Name.String())
	b = appendID(append(b, `,"lineItemId":`...), l.ID)
	b = appendText(append(b, `,"fulfillmentState":`...), u.State.String())
	b = appendID(append(b, `,"orderId":`...), r.ID)
	if b = append(b, `,"code":`...); len(at.Codes) == 0 {
		b = append(b, "null"...)
	} else {
		b = appendText(b, at.Codes[0])
	}
	if u.ByHand {
		b = append(b, `,"codeType":"manual"`...)
	} else {
		b = append(b, `,"codeType":"auto-assigned"`...)
	}
	b = appendBool(append(b, `,"expectsInventoryLink":`...), more.ExpectsLink)
	b = appendList(append(b, `,"requirements":`...), more.Requirements, func(b []byte, r engine.Requirement) []byte {
		b = appendText(append(b, `{"key":`...), r.Key)
		b = appendText(append(b, `,"operator":`...), string(r.Operator))
		b = appendList(append(b, `,"values":`...), r.Values, appendText)
		return append(appendID(append(b, `,"attributeId":`...), r.Attribute), '}')
	})
	b = appendGivenID(append(b, `,"inventoryArticleId":`...), at.Article)
	b = appendStockPlace(append(b, `,"pickupServiceLocation":`...), r.PickupAt)
	b = appendStockPlace(append(b, `,"returnServiceLocation":`...), r.ReturnAt)
	pickup, back := l.From, l.To
	if u.Handed != 0 {
		pickup = u.Handed
	}
	if u.Returned != 0 {
		back = u.Returned
	}
	b = appendInstant(append(b, `,"pickupDate":`...), pickup)
	b = appendInstant(append(b, `,"returnDate":`...), back)
	b = appendGivenID(append(b, `,"unavailabilityId":`...), u.Hold)
	b = appendText(append(b, `,"purchaseType":`...), string(l.Purchase.Type()))
	if b = append(b, `,"inventoryArticle":`...); at.Article == (engine.ID{}) {
		b = append(b, "null"...)
	} else {
		b = appendText(append(b, `{"name":`...), at.Name)
		b = appendList(append(b, `,"codes":`...), at.Codes, appendText)
		b = appendTextOrNull(append(b, `,"binLocation":null,"skuName":`...), at.SKUName)
		b = append(appendTextOrNull(append(b, `,"skuCode":`...), at.SKUCode), '}')
	}
	b = appendNumber(append(b, `,"note":null,"revenueSplitRate":`...), l.SplitRate())
	b = appendBool(append(b, `,"hasConflicts":`...), at.Conflict)
	return append(appendBool(append(b, `,"requirementsUnmet":`...), at.Unmet), '}')
}

func appendStockPlace(b []byte, l *engine.Location) []byte {
	if l == nil {
		return append(b, "null"...)
	}
	b = appendText(append(appendID(append(b, `{"id":`...), l.ID), `,"name":`...), l.Name)
	return append(b, '}')
}

func appendSubscriptionData(b []byte, r *engine.OrderRecord) []byte {
	subscribed := r.Subscriptions()
	b = appendBool(append(b, `{"hasSubscriptions":`...), len(subscribed) > 0)
	b = appendText(append(b, `,"currency":`...), r.Currency)
	b = appendList(append(b, `,"items":`...), subscribed, func(b []byte, s engine.SubscriptionRecord) []byte {
		p, terms := r.Plan(s.Line), &s.Terms
		b = appendText(append(b, `{"productName":`...), s.Line.Name.String())
		b = appendGiven(append(b, `,"planLabel":`...), s.Label)
		b = appendInt(append(b, `,"listPrice":`...), p.ListPrice)
		b = appendPeriod(b, "paymentCycleAmount", "paymentCycleUnit", &terms.Cycle)
		b = appendList(append(b, `,"discounts":`...), p.Discounts, func(b []byte, d engine.SubscriptionDiscount) []byte {
			b = appendText(append(b, `{"code":`...), d.Terms.Code)
			b = appendText(append(b, `,"valueType":`...), string(d.Terms.ValueType))
			return append(appendInt(append(b, `,"value":`...), d.Terms.Value), '}')
		})
		if b = append(b, `,"nextPayment":`...); s.NextBillingAt == 0 {
			b = append(b, "null"...)
		} else {
			b = appendInt(append(b, `{"amount":`...), p.NextAmount)
			b = append(appendInstant(append(b, `,"date":`...), s.NextBillingAt), '}')
		}
		if b = append(b, `,"minimumTerm":`...); p.MinimumTerm == nil {
			b = append(b, "null"...)
		} else {
			b = appendPeriod(append(b, '{'), "periodAmount", "periodUnit", p.MinimumTerm)
			b = append(appendInstant(append(b, `,"endDate":`...), p.TermEnd), '}')
		}
		if b = append(b, `,"renewal":`...); p.Renewal == nil {
			b = append(b, "null"...)
		} else {
			b = appendInt(append(b, `{"price":`...), *p.Renewal)
			b = append(appendInstant(append(b, `,"fromDate":`...), p.RenewsAt), '}')
		}
		b = appendInstant(append(b, `,"endsAt":`...), p.EndsAt)
		if b = append(b, `,"cancellationNotice":`...); terms.CancellationLead == nil {
			return append(b, "null}"...)
		}
		return append(appendPeriod(append(b, '{'), "amount", "unit", terms.CancellationLead), '}', '}')
	})
	return append(b, '}')
}
