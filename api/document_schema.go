package api

import (
	"maps"
	"slices"

	"holdfast/api/auth"
	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
)

// This file owns how schemas stand in the document: those with a name once, under components, and a reference
// elsewhere.

// components are what the document names.
type components struct{ schemas, examples map[string]ordered }

// inOrder gives components in the order of their names.
func inOrder(components map[string]ordered) (all ordered) {
	for _, name := range slices.Sorted(maps.Keys(components)) {
		all = all.with(name, components[name])
	}
	return all
}

// answer describes an answer of a schema, with an example: that of a named one stands once, as the schema does.
func (c *components) answer(s *wire.Schema) ordered {
	o := ordered{{"schema", c.schema(s, false)}}
	if s.Name == "" {
		return o.with("example", answerExample(s))
	}
	if _, known := c.examples[s.Name]; !known {
		c.examples[s.Name] = ordered{{"value", answerExample(s)}}
	}
	return o.with("examples", ordered{{s.Name, ordered{{"$ref", "#/components/examples/" + s.Name}}}})
}

// schema describes a value. closed: members that are not declared are refused, as in requests; what an answer may come
// to hold in later versions is left open.
func (c *components) schema(s *wire.Schema, closed bool) ordered {
	if s.Name == "" && s.Enum != nil {
		named := *s
		named.Name = enumName(s.Enum)
		s = &named
	}
	if s.Name == "" {
		return c.plain(s, closed)
	}
	if _, known := c.schemas[s.Name]; !known {
		c.schemas[s.Name] = nil // one that holds itself would go on forever
		named := *s
		named.Nullable = false
		if !saysOnce(s) {
			named.About = ""
		}
		c.schemas[s.Name] = c.plain(&named, closed)
	}
	ref := ordered{{"$ref", "#/components/schemas/" + s.Name}}
	if s.Nullable {
		ref = ordered{{"anyOf", []any{ref, ordered{{"type", "null"}}}}}
	}
	if saysOnce(s) {
		return ref
	}
	return about(ref, s)
}

// saysOnce says of a named value that what is said of it is the same wherever it stands: a member refers to it and adds
// nothing.
func saysOnce(s *wire.Schema) bool { return s.Type != "object" && s.Enum == nil }

// enums are values that stand in several places, by the name that they have in the document: a generator makes one type
// of each.
var enums = map[string][]string{
	"ArchiveFilter":       {string(archiveActive), string(archiveArchived), string(archiveAll)},
	"ArticleSort":         articleSorts.Schema.Enum,
	"ArticleStatus":       articleStatus.Schema.Enum,
	"AttributeFormat":     attributeFormat.Schema.Enum,
	"AttributeOrigin":     origins.Schema.Enum,
	"BufferOrigin":        {"article", "sku"},
	"CheckoutFieldFormat": order.CheckoutFieldFormats,
	"CheckoutFieldType":   order.CheckoutFieldTypes,
	"CustomerType":        commerce.CustomerType("").Words(),
	"DeliveryState":       deliveryState.Schema.Enum,
	"DiscountDuration":    discountDuration.Schema.Enum,
	"DiscountType":        discountType.Schema.Enum,
	"DisabledReason":      {outbox.TooManyFailures},
	"EventResource":       eventResource.Enum,
	"EventType":           hookEvent.Schema.Enum,
	"FilterFormat":        filterFormats.Schema.Enum,
	"FulfillmentState":    order.Fulfillments,
	"Operator":            operatorNames,
	"OrderChannel":        orderChannels.Enum,
	"OrderMember":         engine.OrderMembers(),
	"OrderStatus":         order.OrderStatuses,
	"NewOrderStatus":      orderStatus.Schema.Enum,
	"PaymentKind":         paymentKind.Schema.Enum,
	"PurchaseType":        purchaseType.Schema.Enum,
	"ScheduledEventType":  eventType.Schema.Enum,
	"Scope":               auth.Scopes,
	"ShortageReason":      {"not_enough_stock", "fragmented_by_pinned_holds"},
	"SortDirection":       {string(ascending), string(descending)},
	"StockItemState":      order.UnitFulfillments,
	"SubscriptionStatus":  subscriptionStatus.Schema.Enum,
	"SystemGroup":         systemGroups.Schema.Enum,
	"TagScope":            tagScope.Schema.Enum,
	"TimeUnit":            unitNames,
}

// enumName is the name of values, empty if they have none.
func enumName(values []string) string {
	for name, named := range enums {
		if slices.Equal(values, named) {
			return name
		}
	}
	return ""
}

func about(o ordered, s *wire.Schema) ordered {
	if s.About != "" {
		o = o.with("description", s.About)
	}
	return o
}

func (c *components) plain(s *wire.Schema, closed bool) (o ordered) {
	switch {
	case s.Type == "": // any value, null as well
	case s.Nullable && s.Type != "null":
		o = o.with("type", []string{s.Type, "null"})
	default:
		o = o.with("type", s.Type)
	}
	if s.Format != "" {
		o = o.with("format", s.Format)
	}
	o = about(o, s)
	if s.Enum != nil {
		values := make([]any, len(s.Enum), len(s.Enum)+1)
		for i, v := range s.Enum {
			values[i] = v
		}
		if s.Nullable {
			values = append(values, nil)
		}
		o = o.with("enum", values)
	}
	least, most := "minimum", "maximum"
	switch s.Type {
	case "string":
		least, most = "minLength", "maxLength"
	case "array":
		least, most = "minItems", "maxItems"
	}
	if s.Min != nil {
		o = o.with(least, *s.Min)
	}
	if s.Max != nil {
		o = o.with(most, *s.Max)
	}
	if s.Items != nil {
		o = o.with("items", c.schema(s.Items, closed))
	}
	if s.Type == "object" {
		o = c.members(o, s, closed)
	}
	return o
}

func (c *components) members(o ordered, s *wire.Schema, closed bool) ordered {
	var properties ordered
	var required []string
	for _, m := range s.Members {
		p := c.schema(m.Schema, closed)
		if m.Scope != "" {
			p = p.with("x-scopes", []string{m.Scope})
		}
		properties = properties.with(m.Name, p)
		if name, total := wire.TotalMember(m); name != "" && !closed && s.Name != "" && !s.Whole {
			properties = properties.with(name, c.schema(total, closed))
		}
		if m.Required {
			required = append(required, m.Name)
		}
	}
	if properties != nil {
		o = o.with("properties", properties)
	}
	if required != nil {
		o = o.with("required", required)
	}
	switch {
	case s.Extra != nil:
		o = o.with("additionalProperties", c.schema(s.Extra, closed))
	case closed:
		o = o.with("additionalProperties", false)
	}
	return o
}
