//go:build console

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file fills carts of the look-up: one is refused, with its witness and a way out, and one is sent to somebody
// else as a link.

// cart shows the look-up with units of the first SKU in the cart, over a day on which nobody else has any, and gives
// the line that asks the interface for them.
func (w *consoleWorld) cart(b *browser.Browser, days, quantity int) (line string) {
	from := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, days).Add(12 * time.Hour)
	to, sku, at := from.Add(24*time.Hour), w.first("skus?pageSize=1"), w.first("locations?pageSize=1")
	b.Show(fmt.Sprintf("lookup?at=%s&from=%d&to=%d&cart=%s*%d", at, from.UnixMilli(), to.UnixMilli(), sku, quantity))
	b.Until(`document.querySelector(".cart li")`)
	return fmt.Sprintf(`"skuId":%q,"serviceLocationId":%q,"from":%q,"to":%q,"quantity":%d`, sku, at,
		from.Format(time.RFC3339), to.Format(time.RFC3339), quantity)
}

// refuses books what somebody else has: it is said how many there are, who has them and when it would do, and then that
// is booked.
func (w *consoleWorld) refuses(b *browser.Browser) {
	line := w.cart(b, 110, 1)
	free := w.ask("POST", "availability/query",
		`{"lines":[{`+line+`}]}`)["lines"].([]any)[0].(map[string]any)["available"].(float64)
	require.Positive(w, free)
	theirs := w.ask("POST", "holds", fmt.Sprintf(`{"note":"All of them","lines":[{%s}]}`,
		strings.Replace(line, `"quantity":1`, fmt.Sprintf(`"quantity":%.0f`, free), 1)))
	defer func() { w.ask("DELETE", "holds/"+theirs["id"].(string), "") }()
	b.Says(".offer", "Why, and when?")
	b.Click(".cart", "Book firmly")
	status, refusal := w.answer(w.key, "POST", "holds", `{"lines":[{`+line+`}]}`)
	require.Equal(w, 409, status)
	said := refusal["details"].(map[string]any)["lines"].([]any)[0].(map[string]any)
	b.Says(".cart [role=alert]", refusal["title"].(string))
	b.Says(".cart [role=alert]", fmt.Sprintf("1 asked for, %v to be had.", said["available"]))
	b.Says(".cart [role=alert]", "It fits from")
	b.Says(".cart [role=alert] summary", fmt.Sprintf("%v in the way", said["blockingTotal"]))
	b.Eval(`document.querySelector(".cart [role=alert] details").open = true`)
	require.Equal(w, float64(len(said["blockingUnavailabilities"].([]any))),
		b.Eval(`document.querySelectorAll(".cart .blockers li").length`))
	witness := fmt.Sprint(said["blockingUnavailabilities"])
	for _, u := range theirs["lines"].([]any)[0].(map[string]any)["unavailabilities"].([]any) {
		require.Contains(w, witness, u.(map[string]any)["id"], "their units are in the way")
	}

	next := said["next"].(map[string]any)["from"].(string)
	b.Click(".offer:has(.free.no)", "Why, and when?")
	b.Until(`document.querySelector(".why .row")`)
	explained := w.ask("POST", "availability/explain", "{"+line+"}")["alternatives"].([]any)
	require.NotEmpty(w, explained)
	for i, x := range explained {
		x := x.(map[string]any)
		place := ""
		if x["kind"] == "location" {
			place = w.ask("GET", fmt.Sprintf("locations/%s", x["serviceLocationId"]), "")["name"].(string)
		} else {
			require.Nil(w, x["serviceLocationId"], "it is the place that was asked for")
		}
		said := b.Eval(fmt.Sprintf(`document.querySelectorAll(".why .row .btn")[%d].textContent.trim()`, i)).(string)
		require.True(w, strings.HasPrefix(said, fmt.Sprintf("%s: %s", x["kind"], place)), said)
		require.Equal(w, x["kind"] == "location", !strings.ContainsAny(said, "0123456789"), "a time, or a place: %s",
			said)
	}
	b.Click(".offer", "Take that period")
	then, err := time.Parse(time.RFC3339, next)
	require.NoError(w, err)
	b.Until(fmt.Sprintf(`location.hash.includes("from=%d")`, then.UnixMilli()))
	b.Click(".cart", "Book firmly")
	b.Until(`location.hash.startsWith("#/timeline?") && location.hash.includes("bar=")`)
	bar := strings.Split(strings.SplitAfter(b.Eval("location.hash").(string), "bar=")[1], "&")[0]
	booked := w.ask("GET", "holds?direction=desc&pageSize=1",
		"")["data"].([]any)[0].(map[string]any)["lines"].([]any)[0].(map[string]any)
	require.Equal(w, next, booked["from"])
	require.Equal(w, bar, booked["unavailabilities"].([]any)[0].(map[string]any)["id"])
	require.Empty(w, b.Noted())
}

// shares sends a cart as a link: another browser sees that cart, and holds what is in it.
func (w *consoleWorld) shares(b *browser.Browser) {
	line := w.cart(b, 115, 2)
	b.Eval(`Object.defineProperty(navigator, "clipboard", {configurable: true, value: {writeText: async (link) => {window.copied = link;}}})`)
	b.Click(".cart", "Link")
	b.Says(".note", "The link is copied")
	origin, view, _ := strings.Cut(b.Eval("copied").(string), "/#/")
	require.Equal(w, w.origin, origin)
	second := browser.Open(w.T, w.origin)
	second.Size(1440, 900, false)
	second.Visit(w.key, view)
	second.Until(`document.querySelector(".cart li")`)
	seen := `document.querySelector(".cart").innerText + [...document.querySelectorAll(".tools input, .tools select")].map((x) => x.value)`
	require.Equal(w, b.Eval(seen), second.Eval(seen))
	second.Click(".cart", "Hold 30 min")
	second.Until(`location.hash.startsWith("#/timeline")`)
	held := w.ask("GET", "holds?status=held&direction=desc&pageSize=1",
		"")["data"].([]any)[0].(map[string]any)["lines"].([]any)[0].(map[string]any)
	require.Contains(w, line,
		fmt.Sprintf(`"skuId":%q,"serviceLocationId":%q`, held["skuId"], held["serviceLocationId"]))
	require.Equal(w, 2.0, held["quantity"])
	require.Empty(w, second.Noted())
	require.Empty(w, b.Noted())
}
