package api

import (
	"encoding/json"
	"slices"
	"strings"

	"holdfast/api/wire"
)

// This file owns the examples of the document: made of the schemas, with values that a reader can believe in. Each
// request among them is one that the service takes once the ids are the caller's own: a test sends them all.

// exampleValues are values by the name of the member that has them, as JSON. A name with the name of its schema before
// it (Schema.member) is preferred.
var exampleValues = map[string]string{
	"address": `"Rua Augusta 12"`, "amount": `2`, "apiVersion": `"` + Version + `"`, "at": `"2025-06-02T09:00:00.000Z"`,
	"bufferTimeUnitAfter": `"hours"`, "bufferTimeUnitBefore": `"hours"`, "city": `"Lisboa"`, "code": `"BIKE-1"`,
	"codes":   `["B-0001"]`,
	"comment": `"Brakes are checked"`, "country": `"PT"`, "count": `3`, "createdAt": `"2025-06-01T12:00:00.000Z"`,
	"currency":   `"EUR"`,
	"dayOfMonth": `1`, "description": `"With a box for two children"`, "details": `"Second door"`,
	"email":   `"ana@example.com"`,
	"endDate": `"2030-06-04T09:00:00.000Z"`, "end": `"2030-06-04T09:00:00.000Z"`,
	"expiresAt":  `"2030-01-01T00:00:00.000Z"`,
	"acceptedAt": `"2025-06-01T12:00:00.000Z"`, "expiresInSeconds": `900`, "firstName": `"Ana"`,
	"from": `"2030-06-02T09:00:00.000Z"`, "label": `"Weekend"`, "lastName": `"Silva"`,
	"name": `"Cargo bike"`, "notBefore": `"2030-06-02T09:00:00.000Z"`, "note": `"Collects at noon"`,
	"phone":  `"+351210000000"`,
	"prefix": `"hf_a1B2c3D4e5F6"`, "price": `4500`, "purchasePrice": `289900`, "quantity": `1`,
	"requestId": `"8f3a1c22b7d0-1f"`,
	"seconds":   `86400`, "start": `"2030-06-02T09:00:00.000Z"`, "startDate": `"2030-06-02T09:00:00.000Z"`,
	"timezone": `"Europe/Lisbon"`,
	"to":       `"2030-06-04T09:00:00.000Z"`, "until": `"2030-07-02T09:00:00.000Z"`,
	"updatedAt":       `"2025-06-01T12:00:00.000Z"`,
	"ChangeList.next": `"1042.8f3a1c22b7d01f"`, "OrderHistory.next": `"2.1748779200000"`,
	"AttributeValue.value": `"L"`, "DiscountCode.code": `"SUMMER"`, "DiscountCode.value": `10`,
	"FulfillmentField.value": `"L"`, "FulfillmentFieldValue.value": `"L"`,
	"InitialQuantity.from": `"2025-01-01T00:00:00.000Z"`, "TaxonomyCategory.fullName": `"Vehicles > Cargo bikes"`,
	"TaxonomyCategoryInput.fullName": `"Vehicles > Cargo bikes"`, "condition": `"Like new"`, "folderPath": `"bikes"`,
	"groupName": `"Geometry"`,
	"itemCosts": `24900`, "mimeType": `"image/jpeg"`, "originalName": `"bike.jpg"`, "path": `"vehicles/cargo-bikes"`,
	"profitability": `-314800`,
	"size":          `183204`,
	"companyName":   `"Silva Events"`, "dateOfBirth": `"1990-04-17"`, "deliveryNotes": `"Ring twice"`,
	"fullName": `"Ana Silva"`, "language": `"pt-PT"`,
	"avatarUrl": `"https://example.com/rui.png"`, "consentText": `"I have read the terms of rental."`,
	"ipAddress": `"203.0.113.7"`, "locale": `"pt-PT"`,
	"placeholder": `"In centimetres"`, "userAgent": `"Mozilla/5.0"`, "title": `"Terms of rental"`,
	"state": `"LX"`, "taxId": `"PT501964843"`,
	"url": `"https://example.com/bike"`, "zipCode": `"1100-053"`,
	"Webhook.disabledReason": `null`, "Webhook.enabled": `true`, "WebhookWithSecret.disabledReason": `null`,
	"WebhookWithSecret.enabled": `true`,
	"secret":                    `"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`,
}

// exampleBodies are the requests that cannot be made of their schema alone, by operation.
var exampleBodies = map[string]string{
	"admin.pricingTables.createRow": `{"label":"Monthly","purchaseType":"subscription","price":9900,"subscription":{"paymentCycleAmount":1,"paymentCycleUnit":"months","commitmentCycles":3}}`,
	"admin.pricingTables.updateRow": `{"label":"Monthly","price":8900,"subscription":{"paymentCycleAmount":1,"paymentCycleUnit":"months"}}`,
	"admin.orders.create": `{"status":"draft","customerId":"` + exampleID("Customer") + `","pickupLocationId":"` +
		exampleID("Location") + `","reference":"WEB-1042","note":"Collects at noon",` +
		`"checkoutFields":[{"name":"Body height","type":"number","required":true,"value":172}],` +
		`"consentAcceptances":[{"label":"Terms of rental","required":true,"acceptedAt":"2025-06-01T12:00:00.000Z","links":[{"kind":"policy","name":"Terms"}]}],` +
		`"lineItems":[{"catalogItemId":"` + exampleID("CatalogItem") +
		`","purchaseType":"booking","quantity":1,"startDate":"2030-06-02T09:00:00.000Z","endDate":"2030-06-04T09:00:00.000Z","unitPrice":9000,"taxRate":2300,"note":"Saddle high"}]}`,
	"admin.orders.addLineItems": `{"lineItems":[{"skuId":"` + exampleID("SKU") +
		`","purchaseType":"booking","startDate":"2030-06-02T09:00:00.000Z","endDate":"2030-06-04T09:00:00.000Z","unitPrice":1500}]}`,
	"admin.availability.calendars": `{"items":[{"skuId":"` + exampleID("SKU") +
		`","quantity":2}],"serviceLocationId":"` + exampleID("Location") + `","from":"2030-06-02T09:00:00.000Z",` +
		`"to":"2030-06-04T09:00:00.000Z","length":2,"lengthUnit":"days"}`,
	"admin.attributes.create": `{"name":"Frame size","key":"frame_size","format":"select","options":[{"name":"M"},{"name":"L"}],"group":"Geometry"}`,
}

// exclusive are members of which a request gives one.
var exclusive = []string{"skuId", "articleId", "catalogItemId", "slotId"}

// requestExample is an example of a body.
func requestExample(op *operation) json.RawMessage {
	if text := exampleBodies[op.id]; text != "" {
		return json.RawMessage(text)
	}
	return json.RawMessage(appendExample(nil, op.body, place{}, true))
}

// answerExample is an example of an answer.
func answerExample(s *wire.Schema) json.RawMessage {
	return json.RawMessage(appendExample(nil, s, place{}, false))
}

// place is where a value stands: as a member of a schema, both by their names.
type place struct{ schema, member string }

// appendExample appends a value of a schema that stands at a place.
func appendExample(b []byte, s *wire.Schema, at place, request bool) []byte {
	name := at.member
	if text := exampleOf(s, name); text != "" {
		return append(b, text...)
	}
	switch s.Type {
	case "object":
		return appendExampleObject(b, s, request)
	case "array":
		if request && (s.Min == nil || *s.Min == 0) && name == "tags" {
			return append(b, "[]"...)
		}
		at.member = strings.TrimSuffix(name, "s")
		return append(appendExample(append(b, '['), s.Items, at, request), ']')
	case "string":
		return wire.AppendText(b, exampleText(s, at))
	case "integer", "number":
		n := int64(1)
		if s.Min != nil {
			n = max(n, *s.Min)
		}
		if s.Max != nil {
			n = min(n, *s.Max)
		}
		return wire.AppendInt(b, n)
	case "boolean":
		return append(b, "false"...)
	case "null":
		return append(b, "null"...)
	}
	return append(b, `{}`...)
}

// exampleOf is what was said of the schema, or of the name where that fits the schema.
func exampleOf(s *wire.Schema, name string) string {
	if s.Example != "" {
		return s.Example
	}
	text := exampleValues[name]
	if text == "" || s.Enum != nil && !slices.Contains(s.Enum, strings.Trim(text, `"`)) {
		return ""
	}
	fits := map[byte]string{'"': "string", '[': "array", '{': "object"}[text[0]]
	if fits == "" {
		fits = "integer"
	}
	if fits != s.Type || s.Format == "uuid" {
		return ""
	}
	if s.Type == "string" && s.Max != nil && int64(len(text)-2) > *s.Max {
		return ""
	}
	return text
}

func appendExampleObject(b []byte, s *wire.Schema, request bool) []byte {
	b = append(b, '{')
	chosen := false
	for _, m := range s.Members {
		if request && !m.Required {
			if m.Name == "id" || m.Schema.Example == "null" {
				continue
			}
			if slices.Contains(exclusive, m.Name) {
				if chosen {
					continue
				}
				chosen = true
			}
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(wire.AppendText(b, m.Name), ':')
		if text := exampleValues[s.Name+"."+m.Name]; text != "" {
			b = append(b, text...)
			continue
		}
		b = appendExample(b, m.Schema, place{s.Name, m.Name}, request)
	}
	return append(b, '}')
}

func exampleText(s *wire.Schema, at place) string {
	name := at.member
	switch {
	case s.Enum != nil:
		return s.Enum[0]
	case s.Format == "uuid", name == "id", strings.HasSuffix(name, "Id"), strings.HasSuffix(name, "Ids"):
		return exampleID(recordOf(at.schema, name))
	case s.Format == "date-time":
		return "2030-06-02T09:00:00.000Z"
	case s.Format == "date":
		return "2025-06-02"
	case s.Format == "email":
		return "ana@example.com"
	case s.Format == "uri":
		return "https://example.com/"
	}
	text := "text"
	if name != "" {
		text = name
	}
	if s.Min != nil && int64(len(text)) < *s.Min {
		text += strings.Repeat("x", int(*s.Min)-len(text))
	}
	if s.Max != nil && int64(len(text)) > *s.Max {
		text = text[:*s.Max]
	}
	return text
}
