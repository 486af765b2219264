package api

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api/auth"
	"holdfast/engine"
	"holdfast/engine/base"
)

// This file holds every operation of the document against every scope there is, and against another account's ids.

// suffices says in the words of the document whether a scope is enough for one of those needed: write includes read,
// and an area covers what is below it.
func suffices(scope string, needed []any) bool {
	area, write := strings.CutSuffix(scope, ".write")
	area = strings.TrimSuffix(area, ".read")
	for _, n := range needed {
		of, writes := strings.CutSuffix(n.(string), ".write")
		of = strings.TrimSuffix(of, ".read")
		if (write || !writes) && strings.HasPrefix(of+".", area+".") {
			return true
		}
	}
	return false
}

// A request with an unknown parameter tells whether the key was let in, and changes nothing: the scope is looked at
// before.
func TestEveryOperationWithEveryScope(t *testing.T) {
	long(t)
	w := newWorld(t)
	keys := map[string]string{}
	for i, scope := range auth.Scopes {
		keys[scope] = w.newKey(w.account,
			engine.CreateKey{PublicID: fmt.Sprintf("matrix%04d", i), Scopes: []string{scope}})
	}
	for _, r := range w.requests() {
		access, scopes := r.op["x-access"], listOf(r.op["x-scopes"])
		r.query = append(r.query, "zz=1")
		allowed := 0
		for _, scope := range auth.Scopes {
			a := w.call(r.method, r.target(), r.text(), "X-API-KEY", keys[scope])
			if access == "no-key" || access == "any-key" || suffices(scope, scopes) {
				require.Equal(t, 400, a.status, "%s with %s: %s", r.id, scope, a.body)
				allowed++
				continue
			}
			a.isRefusal(403, base.CodeMissingScope)
			if scopes == nil {
				scopes = []any{}
			}
			require.Equal(t, scopes, at(a.object(), "details", "requiredScopes"), "%s with %s", r.id, scope)
		}
		require.Equal(t, access == "full-access", allowed == 0, "%s is for nobody", r.id)
		require.Equal(t, 400, w.call(r.method, r.target(), r.text()).status, "%s with full access", r.id)
	}
}

// A member that takes a scope of its own is refused to a key that has the operation's alone.
func TestMembersWithScopesOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	keys := 0
	for _, r := range w.requests() {
		body := w.doc.resolve(r.op["requestBody"])
		if body == nil || r.body == nil {
			continue
		}
		s, _ := w.named(body["content"].(tree)["application/json"].(tree)["schema"])
		for name, m := range s["properties"].(tree) {
			own := listOf(m.(tree)["x-scopes"])
			given, there := r.body.(tree)[name]
			if own == nil || !there || given == nil {
				continue
			}
			for _, scope := range listOf(r.op["x-scopes"]) {
				if suffices(scope.(string), own) {
					continue
				}
				keys++
				key := w.newKey(w.account,
					engine.CreateKey{PublicID: fmt.Sprintf("member%04d", keys), Scopes: []string{scope.(string)}})
				a := w.call(r.method, r.target(), r.text(), "X-API-KEY", key)
				a.isRefusal(403, base.CodeDeniedFields)
				require.True(t, slices.ContainsFunc(listOf(at(a.object(), "details", "deniedFields")),
					func(entry any) bool {
						return slices.Contains(listOf(at(entry, "fields")), any(name)) &&
							reflect.DeepEqual(own, at(entry, "requiredScopes"))
					}), "%s of %s: %s", name, r.id, a.body)
			}
		}
	}
	require.Positive(t, keys)
}

// What tells of a person goes only to a key that may read orders or customers, whatever else it may do. It
// holds invariant 7.
func TestPersonsAreForKeysThatMayReadThem(t *testing.T) {
	w := newWorld(t)
	const person = "Eufrasia"
	contact := `"firstName":"Eufrasia","email":"Eufrasia@example.com","phone":"Eufrasia","companyName":"Eufrasia"`
	fields := `"checkoutFields":[{"name":"Eufrasia","type":"text","value":"Eufrasia"}]`
	customer := w.ok("POST", "/v1/admin/customers", `{`+contact+`,"taxId":"Eufrasia"}`)["id"]
	w.ids["/v1/admin/customers"] = customer.(string)
	line := fmt.Sprintf(`{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q,"note":"Eufrasia",%s}`, w.ids["/v1/admin/skus"],
		when(noon), when(noon+day), fields)
	o := w.ok("POST", ordersPath, fmt.Sprintf(`{"status":"open","allowOverbooking":true,"pickupLocationId":%q,
		"customerId":%q,"customers":[{"crmCustomerId":%[2]q,%[3]s,%[4]s}],%[4]s,"note":"Eufrasia","reference":"WEB-7",
		"assignedTo":{"id":%[2]q,"name":"Eufrasia"},"consentAcceptances":[{"label":"Eufrasia","ipAddress":"Eufrasia"}],
		"documents":[{"type":"invoice","name":"Eufrasia"}],"lineItems":[%[5]s,%[5]s]}`,
		w.ids["/v1/admin/locations"], customer, contact, fields, line))
	w.ids[ordersPath] = o["id"].(string)
	w.ids[ordersPath+"/{id}/line-items"] = at(o, "lineItems", 0, "id").(string)
	w.ids["lineItemId"] = w.ids[ordersPath+"/{id}/line-items"]
	w.ok("POST", ordersPath+"/"+w.ids[ordersPath]+"/comments", `{"content":"Eufrasia"}`)

	tried, told := 0, 0
	for _, r := range w.requests() {
		for _, scope := range listOf(r.op["x-scopes"]) {
			tells := suffices(scope.(string), []any{"orders.details.read", "customers.read"})
			if tells && r.method != "GET" {
				continue
			}
			key := w.newKey(w.account,
				engine.CreateKey{PublicID: fmt.Sprintf("persons%04d", tried), Scopes: []string{scope.(string)}})
			tried++
			a := w.call(r.method, r.target(), r.text(), "X-API-KEY", key)
			switch named := strings.Contains(string(a.body), person); {
			case named && tells:
				told++
			case named:
				t.Errorf("%s tells a key with %s of a person: %s", r.id, scope, a.body)
			}
		}
	}
	require.Positive(t, told)
}

// With another account's key, ids of this one are answered exactly as ids that nobody has. It holds invariant 2.
func TestEveryOperationWithForeignIds(t *testing.T) {
	w := newWorld(t)
	var mine, nobodys []string
	for i, key := range slices.Sorted(maps.Keys(w.ids)) {
		mine = append(mine, w.ids[key])
		nobodys = append(nobodys, w.ids[key], fmt.Sprintf("%s%04d", nobodyID[:32], i))
	}
	strange := strings.NewReplacer(nobodys...)
	tried := 0
	for _, r := range w.requests() {
		target, text := r.target(), r.text()
		if !slices.ContainsFunc(mine, func(id string) bool { return strings.Contains(target+text, id) }) {
			continue
		}
		tried++
		headers := []string{"X-API-KEY", w.other, "X-Request-Id", "same"}
		theirs := w.call(r.method, target, text, headers...)
		nobody := w.call(r.method, strange.Replace(target), strange.Replace(text), headers...)
		require.Equal(t, nobody.status, theirs.status, "%s: %s", r.id, theirs.body)
		require.Equal(t, string(nobody.body), strange.Replace(string(theirs.body)), r.id)
		if strings.Contains(r.template, "{") {
			theirs.isRefusal(404, base.CodeNotFound)
		}
		if theirs.status == 200 {
			require.Equal(t, "GET", r.method, "%s took ids of another account: %s", r.id, theirs.body)
		}
	}
	require.Greater(t, tried, 40)
}
