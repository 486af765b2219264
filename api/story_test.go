package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file plays the document's examples as the story that they tell: what a reader copies from one goes on in the
// next.

// story are operations in the order in which a shop comes to them.
var story = []string{
	"admin.locations.create", "admin.tags.create", "admin.attributes.create", "admin.skus.create",
	"admin.articles.create", "admin.articles.linkTags",
	"admin.articles.increaseQuantity", "admin.customers.create", "admin.pricingTables.create",
	"admin.pricingTables.createRow", "admin.catalog.create",
	"admin.discountCodes.create", "admin.webhooks.create", "admin.webhooks.test", "admin.webhooks.listDeliveries",
	"admin.webhooks.getDelivery",
	"admin.availability.get", "admin.availability.query", "admin.availability.calendar", "admin.availability.calendars",
	"admin.availability.next", "admin.availability.explain",
	"admin.availability.whatIf", "admin.articles.list", "admin.articles.get",
	"admin.holds.create", "admin.holds.get", "admin.holds.move", "admin.holds.extend", "admin.holds.confirm",
	"admin.holds.order",
	"admin.orders.create", "admin.orders.applyDiscountCode", "admin.orders.addLineItems", "admin.orders.updateLineItem",
	"admin.orders.update", "admin.orders.confirm",
	"admin.orders.recordPayment", "admin.orders.addComment", "admin.orders.prepare", "admin.orders.fulfill",
	"admin.orders.return", "admin.orders.listStockItems",
	"admin.orders.get", "admin.conflicts.list", "admin.changes.list",
}

// keptElsewhere are records that other systems keep: the story has their ids from there.
var keptElsewhere = []string{"Parent", "TaxonomyCategory", "Group", "File", "UserReference", "ConsentConfig",
	"PolicyDocument", "CustomPaymentMethod", "CheckoutField", "CatalogAddon", "CartAddon"}

// retold has the real ids of a story that is played, by those of the examples.
type retold map[string]string

// learn takes the ids of an answer by those at the same places of its example.
func (r retold) learn(example, answer any) {
	switch e := example.(type) {
	case tree:
		if a, ok := answer.(tree); ok {
			for name := range e {
				r.learn(e[name], a[name])
			}
		}
	case []any:
		if a, ok := answer.([]any); ok && len(e) > 0 && len(a) > 0 {
			r.learn(e[0], a[0])
		}
	case string:
		if a, ok := answer.(string); ok && isExampleID(e) {
			r[e] = a
		}
	}
}

// told is a text with the real ids in place of those of the examples.
func (r retold) told(t *testing.T, op, text string) string {
	for i := range len(text) - 35 {
		if id := text[i : i+36]; isExampleID(id) {
			_, known := r[id]
			require.True(t, known, "%s: no record of the story so far has the id %s: %s", op, id, text)
		}
	}
	for example, real := range r {
		text = strings.ReplaceAll(text, example, real)
	}
	return text
}

func TestExamplesTellAStory(t *testing.T) {
	s, doc, real := newShop(t), theDocument(t), retold{}
	for _, record := range keptElsewhere {
		real[exampleID(record)] = exampleID(record)
	}
	type found struct {
		method, path string
		op           tree
	}
	ops := map[string]found{}
	for path, methods := range doc.root["paths"].(tree) {
		for method, op := range methods.(tree) {
			ops[op.(tree)["operationId"].(string)] = found{strings.ToUpper(method), path, op.(tree)}
		}
	}
	for _, id := range story {
		o, known := ops[id]
		require.True(t, known, id)
		target, query := o.path, url.Values{}
		for _, x := range listOf(o.op["parameters"]) {
			p := doc.resolve(x)
			name, example := p["name"].(string), p["example"]
			switch {
			case p["in"] == "path":
				target = strings.ReplaceAll(target, "{"+name+"}", example.(string))
			case p["in"] == "query" && (p["required"] == true || id == "admin.availability.get" && name == "skuId" ||
				id == "admin.availability.calendar" && name == "skuId"):
				if members, ok := example.(tree); ok {
					for _, m := range slices.Sorted(maps.Keys(members)) {
						query.Add(name+"["+m+"]", fmt.Sprint(members[m]))
					}
				} else {
					query.Add(name, fmt.Sprint(example))
				}
			}
		}
		if len(query) > 0 {
			target += "?" + query.Encode()
		}
		body := ""
		if content := doc.resolve(o.op["requestBody"]); content != nil {
			b, err := json.Marshal(content["content"].(tree)["application/json"].(tree)["example"])
			require.NoError(t, err)
			body = real.told(t, id, string(b))
		}
		a := s.call(o.method, real.told(t, id, target), body)
		require.Equal(t, 200, a.status, "%s %s %s: %s", id, target, body, a.body)
		media := doc.resolve(o.op["responses"].(tree)["200"])["content"].(tree)["application/json"].(tree)
		example := media["example"]
		for _, named := range doc.resolve(media["examples"]) {
			example = doc.resolve(named)["value"]
		}
		var answer any
		require.NoError(t, json.Unmarshal(a.body, &answer))
		real.learn(example, answer)
	}
}
