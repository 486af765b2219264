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

// This file owns the world of the generated tests: a shop with a record of every kind, made by the examples of the
// document, and for each operation of the document a request that goes through in it. An operation that is added is in
// it by itself.

type world struct {
	*shop
	doc published
	ids map[string]string // by the path of the collection, or by the member that refers to it
}

// generated is one request, taken apart so that a test can spoil one thing.
type generated struct {
	op           tree
	id           string // of the operation
	method, path string
	template     string // the path as the document has it
	query        []string
	body         any // decoded JSON; nil: none
}

func (r generated) target() string {
	if len(r.query) == 0 {
		return r.path
	}
	return r.path + "?" + strings.Join(r.query, "&")
}

func (r generated) text() string {
	if r.body == nil {
		return ""
	}
	b, err := json.Marshal(r.body)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// idPaths are the collections that members refer to by an id.
var idPaths = map[string]string{
	"serviceLocationId": "/v1/admin/locations", "returnServiceLocationId": "/v1/admin/locations",
	"fromServiceLocationId": "/v1/admin/locations", "skuId": "/v1/admin/skus", "articleId": "/v1/admin/articles",
	"customerId": "/v1/admin/customers", "crmCustomerId": "/v1/admin/customers",
	"pickupLocationId": "/v1/admin/locations", "returnLocationId": "/v1/admin/locations",
	"catalogItemId": "/v1/admin/catalog", "catalogItemIds": "/v1/admin/catalog",
	"pricingTableId": "/v1/admin/pricing-tables/pricing-table",
}

func newWorld(t testing.TB) *world {
	w := &world{shop: newShop(t), doc: theDocument(t), ids: map[string]string{}}
	all := w.requests()
	// A record may take others: what is refused at first is asked for again once there are more.
	for range 4 {
		for _, r := range all {
			if r.method != "POST" || !w.collects(r.template) || w.ids[r.template] != "" {
				continue
			}
			if r, ready := w.request(r.op, r.method, r.template); ready {
				if a := w.call(r.method, r.target(), r.text()); a.status == 200 {
					w.ids[r.template] = madeBy(r.template, a.object())
				}
			}
		}
	}
	for _, r := range all {
		if r.method == "POST" && w.collects(r.template) {
			require.NotEmpty(t, w.ids[r.template], "the example of %s makes no record: %s", r.id,
				w.call(r.method, w.again(r).target(), w.again(r).text()).body)
		}
	}
	w.ids["toServiceLocationId"] = w.ok("POST", "/v1/admin/locations",
		`{"name":"Porto","timezone":"Europe/Lisbon"}`)["id"].(string)
	for _, scope := range []string{"inventory", "catalog", "customers", "orders"} {
		w.ids["tagIds "+scope] = w.ok("POST", "/v1/admin/tags",
			fmt.Sprintf(`{"value":"seen","scope":%q}`, scope))["id"].(string)
	}
	hooks := "/v1/admin/webhooks"
	w.ids[hooks+"/{id}/deliveries"] = w.ok("POST", hooks+"/"+w.ids[hooks]+"/test", "")["id"].(string)
	for _, r := range all {
		if r.template == "/v1/admin/holds" && r.method == "POST" {
			w.ids[r.template+" that ends"] = w.ok("POST", r.template, w.again(r).text())["id"].(string)
		}
	}
	order := w.ok("GET", "/v1/admin/orders/"+w.ids["/v1/admin/orders"], "")
	w.ids["stockItemIds"] = at(order, "stockItems", 0, "id").(string)
	w.ids["/v1/admin/orders/{id}/stock-items"] = w.ids["stockItemIds"]
	w.ids["/v1/admin/subscriptions"] = at(w.ok("POST", "/v1/admin/orders", w.subscribing()), "lineItems", 0,
		"subscription", "id").(string)
	unit := at(w.ok("GET", "/v1/admin/holds/"+w.ids["/v1/admin/holds"], ""), "lines", 0, "unavailabilities", 0).(tree)
	w.ids["unavailabilityId"] = unit["id"].(string)
	return w
}

// madeBy is what names the record that a POST to a path has made.
func madeBy(template string, answer tree) string {
	switch template {
	case "/v1/admin/orders/{id}/line-items":
		lines := answer["lineItems"].([]any)
		return at(lines, len(lines)-1, "id").(string)
	case "/v1/admin/orders/{orderId}/discount-codes":
		return at(answer, "result", "code", "code").(string)
	}
	return answer["id"].(string)
}

// subscribing is an order of a subscription.
func (w *world) subscribing() string {
	return fmt.Sprintf(
		`{"status":"open","pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"subscription","startDate":%q,"subscription":{"paymentCycleAmount":1,"paymentCycleUnit":"months"}}]}`,
		w.ids["/v1/admin/locations"], w.ids["/v1/admin/skus"], when(noon))
}

// collects says that records made at a path have paths of their own below it.
func (w *world) collects(path string) bool {
	for other := range w.doc.root["paths"].(tree) {
		if rest, below := strings.CutPrefix(other, path+"/{"); below && strings.HasSuffix(rest, "}") {
			return true
		}
	}
	return false
}

// requests is one for each operation of the document, in the order of paths and methods.
func (w *world) requests() (all []generated) {
	paths := w.doc.root["paths"].(tree)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range slices.Sorted(maps.Keys(paths[path].(tree))) {
			r, _ := w.request(paths[path].(tree)[method].(tree), strings.ToUpper(method), path)
			all = append(all, r)
		}
	}
	return all
}

func (w *world) again(r generated) generated {
	r, _ = w.request(r.op, r.method, r.template)
	return r
}

// request makes the request of an operation; ready: there are all records that its path names.
func (w *world) request(op tree, method, path string) (r generated, ready bool) {
	r = generated{op: op, id: op["operationId"].(string), method: method, template: path}
	ready = true
	at := ""
	for _, segment := range strings.Split(path, "/")[1:] {
		if strings.HasPrefix(segment, "{") {
			collection := templateOf(path, at)
			if strings.HasSuffix(path, "/order") {
				collection += " that ends"
			}
			id := w.ids[collection]
			if id == "" {
				ready, id = false, exampleID("nothing")
			}
			segment = id
		}
		at += "/" + segment
	}
	r.path = at
	for _, x := range listOf(op["parameters"]) {
		p := w.doc.resolve(x)
		if name := p["name"].(string); p["in"] == "query" &&
			(p["required"] == true || name == "skuId" || name == "tagIds" && method == "DELETE") {
			r.query = append(r.query, w.parameter(name, p, path)...)
		}
	}
	if body := w.doc.resolve(op["requestBody"]); body != nil && len(r.query) == 0 {
		r.body = w.filled(body["content"].(tree)["application/json"].(tree)["example"], "", path)
	}
	return r, ready
}

// templateOf is the beginning of a template that has as many segments as a path.
func templateOf(template, path string) string {
	return strings.Join(strings.Split(template, "/")[:len(strings.Split(path, "/"))], "/")
}

// parameter writes the example of a query's parameter.
func (w *world) parameter(name string, p tree, path string) (pairs []string) {
	switch v := w.filled(p["example"], name, path).(type) {
	case []any:
		for _, x := range v {
			pairs = append(pairs, name+"="+url.QueryEscape(fmt.Sprint(x)))
		}
	case tree:
		for _, m := range slices.Sorted(maps.Keys(v)) {
			pairs = append(pairs, name+"["+m+"]="+url.QueryEscape(fmt.Sprint(v[m])))
		}
	default:
		pairs = []string{name + "=" + url.QueryEscape(fmt.Sprint(v))}
	}
	return pairs
}

// filled is an example with ids of the world in place of its own.
func (w *world) filled(v any, name, path string) any {
	switch v := v.(type) {
	case tree:
		o := tree{}
		for m, x := range v {
			o[m] = w.filled(x, m, path)
		}
		return o
	case []any:
		l := make([]any, len(v))
		for i, x := range v {
			l[i] = w.filled(x, name, path)
		}
		return l
	case string:
		if !isExampleID(v) {
			return v
		}
		if name == "tagIds" {
			for part, scope := range map[string]string{"/catalog/": "catalog", "/customers/": "customers",
				"/orders/": "orders"} {
				if strings.Contains(path, part) {
					return w.ids["tagIds "+scope]
				}
			}
			return w.ids["tagIds inventory"]
		}
		for _, key := range []string{name, idPaths[name]} {
			if id := w.ids[key]; id != "" {
				return id
			}
		}
	}
	return v
}

// isExampleID says whether a text is the id of a record of the document's story.
func isExampleID(s string) bool {
	return len(s) == 36 && strings.HasPrefix(s, "0190d3a4-") && s[14:18] == "7c32" && s[24:28] == "3f2a"
}

// The requests of the document are ones that the service takes.
func TestExamplesAreTaken(t *testing.T) {
	w := newWorld(t)
	all := w.requests()
	// What removes comes last, and what is below something before it.
	slices.SortStableFunc(all, func(a, b generated) int {
		order := func(r generated) int {
			if r.method != "DELETE" {
				return 0
			}
			return 100 - strings.Count(r.template, "/")
		}
		return order(a) - order(b)
	})
	for _, r := range all {
		a := w.call(r.method, r.target(), r.text())
		// A name that is taken, a record that is in use, or a code that the order has, is no fault of the example.
		if a.status != 200 && a.status != 409 && a.status != 422 {
			t.Errorf("%s: %s %s %s: %s", r.id, r.method, r.target(), r.text(), a.body)
		}
	}
}

// What the document shows of each parameter of a read is taken by whoever reads it.
func TestExamplesOfParametersAreTaken(t *testing.T) {
	w := newWorld(t)
	for _, r := range w.requests() {
		if r.method != "GET" {
			continue
		}
		for _, x := range listOf(r.op["parameters"]) {
			p := w.doc.resolve(x)
			name, _ := p["name"].(string)
			if p["in"] != "query" || p["example"] == nil || slices.ContainsFunc(r.query, func(q string) bool {
				return strings.HasPrefix(q, name+"=") || strings.HasPrefix(q, name+"[")
			}) {
				continue
			}
			one := r
			one.query = append(slices.Clone(r.query), w.parameter(name, p, r.template)...)
			a := w.call("GET", one.target(), "")
			for _, fault := range listOf(a.object()["errors"]) {
				if code := fault.(tree)["code"]; code != "exclusive" && code != "required" { // of several together
					t.Errorf("%s: %s: %s", r.id, one.target(), a.body)
				}
			}
		}
	}
}
