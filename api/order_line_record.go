package api

import (
	"slices"

	"holdfast/engine"
)

// This file owns how the lines and units of an order are written, and its subscriptions.

var (
	checkoutFieldMembers = []Member{
		has("name", textSchema.says("What the customer was asked.")),
		has("type", enumSchema(engine.CheckoutFieldTypes...).orNull().says("What kind of field it is.")),
		has("placeholder", textSchema.orNull().says("What stood in the empty field.")),
		has("required", booleanSchema.says("Whether it had to be filled in.")),
		has("internal", booleanSchema.says("Whether only the merchant sees it.")),
		has("attributeId", textSchema.orNull().says("The customer's attribute that the answer is for.")),
		has("attributeFormat", enumSchema(engine.CheckoutFieldFormats...).orNull().says("The format of that attribute.")),
		has("options", listSchema(recordSchema("CheckoutFieldOption",
			has("name", textSchema.says("What people call the choice.")))).says("What could be chosen.")),
		has("value", textSchema.orNull().says("What the customer answered.")),
		has("checkoutFieldId", idSchema.orNull().says("The id of the field in the shop that asked.")),
	}
	checkoutFieldSchema = recordSchema("CheckoutField", slices.Concat([]Member{has("ids", listSchema(idSchema).
				says("Ids of the same field in other places."))}, checkoutFieldMembers)...)
	lineCheckoutFieldSchema = recordSchema("LineCheckoutField", slices.Concat([]Member{has("id", textSchema.orNull().
				says("The field's id in the shop that asked."))}, checkoutFieldMembers)...)

	lineSubscriptionMembers = slices.Concat([]Member{
		has("id", idSchema.says("The subscription's id.")),
		has("orderLineItemId", idSchema.says("The line that it is of.")),
		has("label", textSchema.orNull().says("What people call its price.")),
		has("price", integerSchema.says("What each payment is, in minor units.")),
		has("renewalPrice", integerSchema.orNull().says("What a payment is after the commitment, in minor units; null: the same.")),
		has("commitmentCycles", integerSchema.orNull().says("For how many payments the customer is bound; null: none.")),
	},
		periodMembers("paymentCycleAmount", "paymentCycleUnit"), periodMembers("commitmentPeriodAmount", "commitmentPeriodUnit"),
		periodMembers("cancellationLeadTimeAmount", "cancellationLeadTimeUnit"), []Member{
			has("initialChargeType", textSchema.says("When the first payment is due, as it was given.")),
			has("renewalType", textSchema.says("What follows the commitment, as it was given.")),
			has("collectionMethod", textSchema.says("How payments are collected, as it was given; nothing is charged here.")),
			has("status", enumSchema(string(engine.SubscriptionActive), string(engine.SubscriptionCancelling), string(engine.SubscriptionCancelled)).
				says("Whether it goes on, ends at cancelAt, or has ended.")),
			has("nextBillingAt", instantSchema.orNull().says("When the next payment is due; null: none is.")),
			has("cancelAt", instantSchema.orNull().says("When it will end; null: it goes on.")),
			has("cancelledAt", instantSchema.orNull().says("When it was cancelled; null: it was not.")),
		})
	lineSubscriptionSchema     = recordSchema("LineSubscription", lineSubscriptionMembers...)
	subscriptionDiscountSchema = recordSchema("SubscriptionDiscount",
		has("code", textSchema.says("The text of the discount code.")),
		has("valueType", discountType.schema.says("Whether value is a percentage, an amount off the order or an amount off each unit.")),
		has("value", integerSchema.says("A percentage from 1 to 100, or an amount in minor units.")),
		has("subscriptionDuration", discountDuration.schema.says("For which payments it counts: the first, some, or all.")),
		has("subscriptionDurationCycles", integerSchema.orNull().says("How many payments it counts for, where that is repeating.")),
		has("firstDiscountedCycleIndex", integerSchema.says("The first payment that it counts for, from 0.")),
		has("discountCodeId", idSchema.says("The id of the discount code.")),
		has("discountPeriodTo", instantSchema.orNull().says("Until when it counts; null: without end.")))
	linePricingSchema = recordSchema("LineItemPricing",
		has("currency", textSchema.says("ISO 4217 code of the currency of all amounts.")),
		has("unitPrice", integerSchema.says("Price of one unit for the whole time, of a subscription for a payment; in minor units, before taxes.")),
		has("quantity", integerSchema.says("How many units.")),
		has("taxRate", integerSchema.says("Tax in hundredths of a percent: 2300 is 23 %.")),
		has("subtotal", integerSchema.says("Sum before discounts and taxes, in minor units.")),
		has("totalDiscounts", integerSchema.says("What discounts take off, in minor units.")),
		has("totalTaxes", integerSchema.says("Taxes, in minor units.")),
		has("total", integerSchema.says("Sum after discounts and with taxes, in minor units.")))

	orderLineSchema = recordSchema("OrderLineItem", slices.Concat([]Member{
		has("id", idSchema.says("The line's id.")),
		has("orderCustomerId", idSchema.orNull().says("The customer of the order that the line is for; null: the order's own.")),
		has("catalogItemId", idSchema.orNull().says("The catalog item; null where it is another item.")),
		has("skuId", idSchema.orNull().says("The SKU; null where it is another item.")),
		has("articleId", idSchema.orNull().says("The article; null where it is another item.")),
		has("pricingRowId", idSchema.orNull().says("The pricing row that the price is of; null: it was given, or the line is free.")),
		has("createdAt", createdSchema),
		has("updatedAt", updatedSchema),
		has("name", recordSchema("LocalizedName",
			has("def", textSchema.says("The name in the merchant's language."))).says("What the line is called.")),
		has("pricing", linePricingSchema.says("What the line costs.")),
		has("variants", listSchema(recordSchema("ChosenVariant",
			has("variantId", idSchema.says("The variant that was chosen from.")),
			has("variantValueId", idSchema.says("The choice.")),
			has("variantLabel", textSchema.orNull().says("What the variant was called then.")),
			has("variantValueLabel", textSchema.orNull().says("What the choice was called then.")))).says("What the customer chose.")),
		has("duration", textSchema.orNull().says("How long the line is, as an ISO 8601 duration; null without end.")),
		has("durationLabel", textSchema.orNull().says("How long the line is in words, such as 2 days; null without end.")),
		has("startDate", instantSchema.says("First instant of the line.")),
		has("endDate", instantSchema.orNull().says("First instant behind it; null: without end.")),
		has("returnedDate", instantSchema.orNull().says("When the last of its units came back; null: not all are back.")),
		has("purchaseType", purchaseType.schema.says("How it is taken: booked for a time, sold, or subscribed to.")),
		has("imageUrl", textSchema.orNull().says("A picture of it.")),
		has("note", textSchema.orNull().says("A text for those who read it.")),
		has("fulfillmentState", enumSchema(engine.Fulfillments...).says("How far it is: waiting, ready, handed over, back, or called off.")),
		has("checkoutFields", listSchema(lineCheckoutFieldSchema).says("What the customer was asked for this line.")),
	}, totalMembers, []Member{
		has("addonOfLineItemId", idSchema.orNull().says("The line that this one is an add-on of.")),
		has("catalogAddonId", idSchema.orNull().says("The add-on's id in the shop's catalog, as it was given.")),
		has("cartAddonId", idSchema.orNull().says("The add-on's id in the cart, as it was given.")),
		has("isAddon", textSchema.orNull().says("What kind of add-on it is, as it was given.")),
		has("subscription", lineSubscriptionSchema.orNull().says("The subscription, of a line that is one.")),
		has("subscriptionDiscounts", listSchema(subscriptionDiscountSchema).says("What discount codes do to its payments.")),
	})...)

	stockPlaceSchema = recordSchema("StockItemLocation",
		has("id", idSchema.says("The location's id.")),
		has("name", textSchema.says("What the location is called.")))
	stockItemSchema = recordSchema("OrderStockItem",
		has("id", idSchema.says("The unit's id in the order.")),
		has("createdAt", createdSchema),
		has("updatedAt", updatedSchema),
		has("name", textSchema.says("What its line is called.")),
		has("lineItemId", idSchema.says("The line that it is of.")),
		has("fulfillmentState", enumSchema(engine.Fulfillments...).says("How far it is: waiting, ready, handed over, back, or called off.")),
		has("orderId", idSchema.says("The order's id.")),
		has("code", textSchema.orNull().says("The first code of its article; null without one.")),
		has("codeType", enumSchema("auto-assigned", "manual").says("Whether the service chose the article, or somebody did.")),
		has("expectsInventoryLink", booleanSchema.says("Whether an article is expected to be named, as it was given; nothing is checked here.")),
		has("requirements", listSchema(recordSchema("Requirement",
			has("key", textSchema.says("What is looked at: an attribute.")),
			has("operator", enumSchema(operatorNames...).says("How its value is compared.")),
			has("values", listSchema(textSchema).says("With what it is compared.")),
			has("attributeId", idSchema.says("The attribute.")))).says("What its article has to have.")),
		has("inventoryArticleId", idSchema.orNull().says("The article that it is a unit of; null while it has none.")),
		has("pickupServiceLocation", stockPlaceSchema.orNull().says("Where it is handed over.")),
		has("returnServiceLocation", stockPlaceSchema.orNull().says("Where it comes back to.")),
		has("pickupDate", instantSchema.says("When it is, or was, handed over.")),
		has("returnDate", instantSchema.orNull().says("When it is due, or came, back; null: never.")),
		has("unavailabilityId", idSchema.orNull().says("The unit of stock that it takes; null while it takes none.")),
		has("purchaseType", purchaseType.schema.says("How it is taken: booked for a time, sold, or subscribed to.")),
		has("inventoryArticle", recordSchema("InventoryArticle",
			has("name", textSchema.says("What the article is called.")),
			has("codes", listSchema(textSchema).says("Codes on its units.")),
			has("binLocation", nullSchema.says("Always null: shelves are not kept here.")),
			has("skuName", textSchema.orNull().says("What its SKU is called.")),
			has("skuCode", textSchema.orNull().says("The code of its SKU."))).orNull().says("Its article, in short.")),
		has("note", nullSchema.says("Always null: units have no notes.")),
		has("revenueSplitRate", (&Schema{Type: "number"}).says("Which part of the line's total counts as the article's income, from 0 to 1.")),
		has("hasConflicts", booleanSchema.says("Whether it has no unit of stock though it needs one.")),
		has("requirementsUnmet", booleanSchema.
			says("Whether its article lost what the line requires and no other of its pool had room: the unit stays where it is.")))

	amountOfTime = []Member{
		has("amount", integerSchema.says("How many of the unit.")),
		has("unit", enumSchema(unitNames...).says("The unit of the amount."))}
	subscriptionDataSchema = recordSchema("SubscriptionData",
		has("hasSubscriptions", booleanSchema.says("Whether a line is a subscription.")),
		has("currency", textSchema.says("ISO 4217 code of the currency of all amounts.")),
		has("items", listSchema(recordSchema("SubscriptionDataItem",
			has("productName", textSchema.says("What its line is called.")),
			has("planLabel", textSchema.orNull().says("The label of its price.")),
			has("listPrice", integerSchema.says("What a payment is before discounts, in minor units.")),
			has("paymentCycleUnit", enumSchema(unitNames...).says("The unit of the time from payment to payment.")),
			has("paymentCycleAmount", integerSchema.says("How many units there are from payment to payment.")),
			has("discounts", listSchema(recordSchema("SubscriptionDataDiscount",
				has("code", textSchema.says("The text of the discount code.")),
				has("valueType", discountType.schema.says("Whether value is a percentage, an amount off the order or an amount off each unit.")),
				has("value", integerSchema.says("A percentage from 1 to 100, or an amount in minor units.")))).
				says("What discount codes do to its payments.")),
			has("nextPayment", recordSchema("NextPayment",
				has("amount", integerSchema.says("What it is, in minor units, after discounts.")),
				has("date", instantSchema.says("When it is due."))).orNull().says("The payment that is due next; null: none is.")),
			has("minimumTerm", recordSchema("MinimumTerm",
				has("periodAmount", integerSchema.says("How many units.")),
				has("periodUnit", enumSchema(unitNames...).says("The unit of the amount.")),
				has("endDate", instantSchema.says("When that is over."))).orNull().says("How long the customer is bound; null: not at all.")),
			has("renewal", recordSchema("SubscriptionRenewal",
				has("price", integerSchema.says("What a payment is from then on, in minor units.")),
				has("fromDate", instantSchema.says("From when on."))).orNull().says("What follows the commitment; null: nothing changes.")),
			has("endsAt", instantSchema.orNull().says("When it ends; null: it goes on.")),
			has("cancellationNotice", recordSchema("CancellationNotice", amountOfTime...).orNull().
				says("How long before the end it has to be cancelled; null: any time.")))).
			says("The subscriptions, in the order of their lines.")))
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
