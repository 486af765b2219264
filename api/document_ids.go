package api

import (
	"encoding/binary"
	"hash/fnv"
	"strings"

	"holdfast/engine/base"
)

// This file owns the ids in the document's examples. The examples tell one story: each record of it has an id of its
// own, wherever it is named, so that the requests can be played one after the other. A test plays them.

// recordsByMember are the records that members name, where a member is not called by its record.
var recordsByMember = map[string]string{
	"addonOfLineItem": "LineItem", "apiKey": "APIKey", "author": "UserReference", "delivery": "WebhookDelivery",
	"fromSlot": "Slot", "crmCustomer": "Customer", "event": "Event", "fromServiceLocation": "Location",
	"inventoryArticle": "Article", "orderLineItem": "LineItem", "orderStockItem": "StockItem",
	"parentComment": "OrderComment", "pickupLocation": "Location", "removedSlot": "Slot", "resource": "Order",
	"returnLocation": "Location", "row": "PricingRow", "serviceLocation": "Location",
	"returnServiceLocation": "Location", "sku": "SKU", "toServiceLocation": "another Location",
	"toSlot": "another Slot", "variant": "CatalogVariant", "variantValue": "CatalogVariantValue",
}

// recordsBySchema are the records whose id a schema has, where it is not called by its record.
var recordsBySchema = map[string]string{
	"":           "Article", // what ids of a query name
	"ArticleSKU": "SKU", "AttributeValue": "Attribute", "CatalogItemRow": "CatalogItem",
	"CatalogVariantInput": "CatalogVariant", "CatalogVariantValueInput": "CatalogVariantValue",
	"CheckoutFieldInput": "CheckoutField", "CustomPaymentMethodInput": "CustomPaymentMethod",
	"LineSubscription": "Subscription", "ListArticles": "Article", "ListedArticle": "Article", "NewAPIKey": "APIKey",
	"OrderLineItem": "LineItem", "OrderLocation": "Location", "OrderStockItem": "StockItem",
	"PatchAttributeOption": "AttributeOption", "RevokedAPIKey": "APIKey", "StockItemLocation": "Location",
	"TaxonomyCategoryInput": "TaxonomyCategory", "UserReferenceInput": "UserReference",
	"WebhookDeliveryDetails": "WebhookDelivery", "WebhookWithSecret": "Webhook",
}

// recordsByPath are the records that a path names by {id}, by the segment before it.
var recordsByPath = map[string]string{
	"api-keys": "APIKey", "articles": "Article", "attributes": "Attribute", "catalog": "CatalogItem",
	"customers": "Customer", "discount-codes": "DiscountCode", "holds": "Hold", "locations": "Location",
	"orders": "Order", "scheduled-events": "ScheduledEvent", "skus": "SKU", "snapshots": "Snapshot",
	"subscriptions": "Subscription", "tags": "Tag", "webhooks": "Webhook", "external-pricing-row": "ExternalPricingRow",
	"pricing-row": "PricingRow",
}

// recordOf is the record whose id a member of a schema is.
func recordOf(schema, member string) string {
	if member == "id" || member == "ids" {
		if record := recordsBySchema[schema]; record != "" {
			return record
		}
		return schema
	}
	name := strings.TrimSuffix(strings.TrimSuffix(member, "Ids"), "Id")
	if record := recordsByMember[name]; record != "" {
		return record
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// recordOfPath is the record that a parameter of a path names.
func recordOfPath(path, parameter string) string {
	before, _, _ := strings.Cut(path, "/{"+parameter+"}")
	segment := before[strings.LastIndexByte(before, '/')+1:]
	if record := recordsByPath[segment]; record != "" {
		return record
	}
	return recordOf("", parameter)
}

// exampleID is the id of a record of the story, the same in each document.
func exampleID(record string) string {
	h := fnv.New64a()
	h.Write([]byte(record))
	sum := h.Sum64()
	id := base.ID{0x01, 0x90, 0xd3, 0xa4, 6: 0x7c, 0x32, 0x90, 10: 0x3f, 0x2a}
	binary.BigEndian.PutUint16(id[4:], uint16(sum>>48))
	id[9] = byte(sum >> 40)
	binary.BigEndian.PutUint32(id[12:], uint32(sum))
	return id.String()
}
