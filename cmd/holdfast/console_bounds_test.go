//go:build console

package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file shows what is much, or old: lists that are cut say so.

func TestConsoleShowsWhatIsMuch(t *testing.T) {
	w := newConsoleWorld(t)
	at := w.ask("POST", "locations", `{"name":"Harbour","timezone":"Europe/Helsinki"}`)["id"].(string)
	sku := w.ask("POST", "skus", `{"name":"Kayak"}`)["id"].(string)
	w.ask("POST", "articles", fmt.Sprintf(
		`{"name":"Kayaks","skuId":%q,"quantities":[{"serviceLocationId":%q,"count":300,"from":"2020-01-01T00:00:00Z"}]}`,
		sku, at))
	now := time.Now().UTC().Truncate(time.Hour)
	order := func(units, from, to int) string {
		return w.ask("POST", "orders", fmt.Sprintf(
			`{"status":"open","pickupLocationId":%q,"lineItems":[{"skuId":%q,"quantity":%d,"purchaseType":"booking","startDate":%q,"endDate":%q,"unitPrice":100}]}`,
			at, sku, units, now.AddDate(0, 0, from).Format(time.RFC3339),
			now.AddDate(0, 0, to).Format(time.RFC3339)))["id"].(string)
	}
	b := browser.Open(t, w.origin)
	b.Size(1280, 900, false)
	flow := func(name string, is func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			b.T, w.T = t, t
			is(t)
			require.Empty(t, b.Noted())
		})
		b.T, w.T = t, t
	}
	b.Visit(w.key, "keys")

	flow("the oldest that is late is shown", func(t *testing.T) {
		out := order(1, -300, 1)
		line := w.ask("POST", "orders/"+out+"/fulfill", fmt.Sprintf(`{"at":%q}`, now.AddDate(0, 0, -300).
			Format(time.RFC3339)))["lineItems"].([]any)[0].(map[string]any)["id"].(string)
		w.ask("PATCH", "orders/"+out+"/line-items/"+line,
			fmt.Sprintf(`{"endDate":%q,"unitPrice":100}`, now.AddDate(0, 0, -250).Format(time.RFC3339)))
		order(1, -200, -199)
		b.Show("today?tab=late")
		b.Until(`document.querySelectorAll("tbody tr").length === 1`)
		b.Show("today?tab=missed")
		b.Until(`document.querySelectorAll("tbody tr").length === 1`)
	})
	flow("many that are late are counted", func(t *testing.T) {
		for range 18 { // of an order a list has the first twelve units
			order(12, -190, -189)
		}
		b.Show("today?tab=missed")
		b.Until(`document.querySelectorAll("tbody tr").length === 200`)
		b.Says("[role=tab][aria-selected=true]", "217")
		b.Says("main p", "and 17 more")
	})
	flow("a list that is cut goes on", func(t *testing.T) {
		for i := range 255 {
			w.ask("POST", "skus", fmt.Sprintf(`{"name":"Kind %03d"}`, i))
		}
		b.Until(`document.querySelector(".live .dim")`)
		b.Reload()
		b.Show("lookup")
		b.Until(`document.querySelectorAll(".offer").length === 250`)
		b.Says("main .pages", "Page 1 of 2, 256 in all")
		b.Click("main .pages", "Next page")
		b.Until(`document.querySelectorAll(".offer").length === 6 && document.querySelector(".offer .free")`)
		b.Eval(field("What") + ".focus()")
		b.Text("Kind 00")
		b.Until(`document.querySelectorAll(".offer").length === 10`)
	})
}
