package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns the tests of records that are found, against lists of all that are judged one by one.

// says looks for words, in lower case and apart, that begin as those of a search do.
func says(search string, texts ...string) bool {
	all := strings.Fields(strings.ToLower(strings.Join(texts, " ")))
	for _, w := range strings.Fields(strings.ToLower(search)) {
		if !slices.ContainsFunc(all, func(x string) bool { return strings.HasPrefix(x, w) }) {
			return false
		}
	}
	return true
}

func TestRecordsAreFoundByWordsAndCodes(t *testing.T) {
	s := newShop(t)
	dice := rand.New(rand.NewPCG(3, 4))
	words := []string{"Anna", "ann", "Bike", "bikes", "Box", "red", "Red", "42"}
	text := func() string {
		var list []string
		for range 1 + dice.IntN(3) {
			list = append(list, words[dice.IntN(len(words))])
		}
		return strings.Join(list, " ")
	}
	type record struct {
		id    base.ID
		texts []string
		code  string
		scope label.TagScope
	}
	var customers, skus, locations, tags []record
	scopes := []label.TagScope{label.TagInventory, label.TagOrders}
	locations = append(locations, record{id: s.loc, texts: []string{stock.LocationByID(s.view(), s.loc).Name}})
	for i := range 60 {
		name, code := text(), fmt.Sprint("C", i%40)
		customers = append(customers,
			record{s.do(commerce.CreateCustomer{
				Contact: base.Changed(commerce.Contact{FullName: new(name),
					Email: new(code + "@x")})}).(*commerce.Customer).ID, []string{name, code + " x"}, code + "@x", ""})
		if i < 40 {
			skus = append(skus,
				record{s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: name, Code: &code}}).(*stock.SKU).ID,
					[]string{name, code}, code, ""})
		}
		city := text()
		locations = append(locations,
			record{s.do(stock.CreateLocation{LocationFields: stock.LocationFields{Name: name, Timezone: "UTC",
				Address: &base.Address{City: city}}}).(*stock.Location).ID, []string{name, city}, "", ""})
		scope := scopes[dice.IntN(2)]
		if slices.ContainsFunc(tags, func(x record) bool { return x.texts[0] == name && x.scope == scope }) {
			continue // a scope has no two of one name
		}
		tags = append(tags,
			record{s.do(label.CreateTag{TagFields: label.TagFields{Value: name, Scope: scope}}).(*label.Tag).ID,
				[]string{name}, "", scope})
	}
	// what is found follows what a record says by now
	s.do(commerce.PatchCustomer{ID: customers[3].id, Contact: base.Changed(commerce.Contact{FullName: new("Renamed")})})
	customers[3].texts[0] = "Renamed"
	s.do(stock.DeleteSKU{ID: skus[5].id})
	skus = slices.Delete(skus, 5, 6)
	check := func() {
		for range 300 {
			q, p := base.RecordQuery{}, base.Part{Offset: dice.IntN(10), Limit: 1 + dice.IntN(10)}
			if dice.IntN(4) > 0 {
				q.Search = strings.ToUpper(text()[:2])
			}
			if dice.IntN(6) == 0 {
				q.Search += " " + text()
			}
			code := ""
			if dice.IntN(4) == 0 {
				code = fmt.Sprint("c", dice.IntN(45))
			}
			want := func(all []record, code string, of ...label.TagScope) (ids []base.ID, total int) {
				for _, r := range all {
					if says(q.Search, r.texts...) && (code == "" || strings.EqualFold(r.code, code)) &&
						(of == nil || slices.Contains(of, r.scope)) {
						ids = append(ids, r.id)
					}
				}
				return base.PartOf(ids, p), len(ids)
			}
			same := func(want []base.ID, total int, got []base.ID, n int) {
				t.Helper()
				require.Equal(t, total, n, "%+v %s", q, code)
				require.Equal(t, fmt.Sprint(want), fmt.Sprint(got), "%+v %s", q, code)
			}
			list, n := stock.LocationDirectory.Find(s.view(), &q, nil, p)
			ids, total := want(locations, "")
			same(ids, total, idsOf(list, func(r *stock.Location) base.ID { return r.ID }), n)
			of := scopes[:1+dice.IntN(2)]
			found, n := label.FindTags(s.view(), &q, of, p)
			ids, total = want(tags, "", of...)
			same(ids, total, idsOf(found, func(r *label.Tag) base.ID { return r.ID }), n)
			if code != "" {
				q.Code = &code
			}
			units, n := stock.SKUDirectory.Find(s.view(), &q, nil, p)
			ids, total = want(skus, code)
			same(ids, total, idsOf(units, func(r *stock.SKU) base.ID { return r.ID }), n)
			if code != "" {
				code += "@X"
			}
			people, n := commerce.CustomerDirectory.Find(s.view(), &q, nil, p)
			ids, total = want(customers, code)
			same(ids, total, idsOf(people, func(r *commerce.Customer) base.ID { return r.ID }), n)
		}
	}
	check()
	s.reopen()
	check()
}

// Somebody whose full name was given is found by that and by the other two, and so are the orders for them.
func TestCustomersAreFoundByEachName(t *testing.T) {
	s := newShop(t)
	who := base.Changed(commerce.Contact{FirstName: new("Maria"), LastName: new("Sousa"), FullName: new("Mizinha")})
	m := s.do(commerce.CreateCustomer{Contact: who}).(*commerce.Customer)
	s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderDraft, Pickup: s.loc, Customer: &m.ID}})
	s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderDraft, Pickup: s.loc,
		Customers: []order.OrderCustomerInput{{Contact: who}}}})
	for _, word := range []string{"mar", "sousa", "mizinha", "maria mizinha"} {
		customers, _ := commerce.CustomerDirectory.Find(s.view(), &base.RecordQuery{Search: word}, nil, base.First)
		require.Len(t, customers, 1, word)
		_, total := order.ListOrders(s.view(), &order.OrderQuery{Search: word, Active: true, Limit: 10})
		require.Equal(t, 2, total, word)
	}
}
