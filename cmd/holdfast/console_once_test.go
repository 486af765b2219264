//go:build console

package main

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file does things twice that are meant once: because no answer came, by a double click, and by a code that a
// scanner reads again.

// losing has the page's writes done, and the answers to the next of them lost on their way.
const losing = `window.fetched ||= fetch; window.lose = %d; window.fetch = async (url, o) => {
	const got = await fetched(url, o);
	if (o.method === "GET" || !/(holds|orders|payments|decrease-quantity)$/.test(url) || lose-- <= 0) return got;
	if (lose %% 2) throw new TypeError("planted");
	return new Response(new ReadableStream({start: (to) => {to.enqueue(new Uint8Array(1)); to.error(new TypeError("planted"));}}));
}`

const noAnswer = "No answer came: it may be done, or not. Do the same again, and it is done once."

// loses has answers lost: what is done again then is done once, also after a reload. What has had its answer is done
// once more.
func (w *consoleWorld) loses(b *browser.Browser) {
	count := func(list string) float64 {
		return w.ask("GET", list+"?pageSize=1", "")["pagination"].(map[string]any)["total"].(float64)
	}
	for i, c := range []struct{ button, list, view string }{
		{"Hold 30 min", "holds", "timeline"}, {"Book firmly", "holds", "timeline"}, {"Order", "orders", "orders"},
	} {
		before := count(c.list)
		w.cart(b, 120+i, 1)
		b.Eval(fmt.Sprintf(losing, 2))
		for range 2 {
			b.Click(".cart", c.button)
			b.Says(".cart [role=alert]", noAnswer)
			b.Until(`lose >= 0 && document.querySelector(".cart [role=alert]")`)
		}
		b.Reload()
		b.Click(".cart", c.button)
		b.Until(fmt.Sprintf(`location.hash.startsWith("#/%s")`, c.view))
		require.Equal(w, before+1, count(c.list), c.button)
		w.cart(b, 120+i, 1)
		b.Click(".cart", c.button)
		b.Until(fmt.Sprintf(`location.hash.startsWith("#/%s")`, c.view))
		require.Equal(w, before+2, count(c.list), "%s, and the same anew", c.button)
	}
	order := w.newest()["id"].(string)
	b.Show("orders?id=" + order)
	b.Until(`document.querySelector('.panel input[aria-label="Amount paid"]')`)
	b.Eval(fmt.Sprintf(losing, 1))
	b.Eval(`document.querySelector('.panel input[aria-label="Amount paid"]').focus()`)
	b.Text("5")
	b.Click(".panel form", "Record a payment")
	b.Says(".note.bad", noAnswer)
	b.Click(".panel form", "Record a payment")
	b.Says(".note", "The payment is recorded.")
	require.Len(w, w.ask("GET", "orders/"+order+"/payments", "")["data"], 1)
	require.Empty(w, b.Eval(`Object.keys(sessionStorage).filter((k) => k !== "holdfast.key")`),
		"what has its answer is forgotten")
	b.Reload()
	require.Empty(w, b.Noted())
}

// frozen has no time go by in the page until it is let go on by so many milliseconds.
const frozen = `(() => {let at = performance.now(); performance.now = () => at; window.goOn = (ms) => {at += ms;};})()`

// doubled clicks with the pointer where a button is that says a text, the first of those that a selector finds, and
// again there: what has come to lie there takes nothing, until a moment has gone by.
func doubled(b *browser.Browser, inside, text, done string) {
	b.Helper()
	button := fmt.Sprintf(
		`[...document.querySelectorAll(%q)].find((x) => x.textContent.trim() === %q)`, inside+" .btn", text)
	b.Until(button)
	b.Eval("goOn(1000)")
	at := b.Eval(`(() => {const x = ` + button + `; x.scrollIntoView({block: "nearest"}); const r = x.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2];})()`).([]any)
	point := [2]float64{at[0].(float64), at[1].(float64)}
	b.Drag(true, point)
	b.Until(done)
	b.Until(`!document.querySelector("[aria-busy=true]")`)
	b.Eval(`window.fetched ||= fetch; window.written = 0; window.fetch = (url, o) => {if (o.method !== "GET") written++; return fetched(url, o);}; 0`)
	b.Drag(true, point)
	b.Eval(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`)
	require.Zero(b, b.Eval("written"), "%s: the second click does something", text)
}

// doubles clicks twice where it is meant once.
func (w *consoleWorld) doubles(b *browser.Browser) {
	first, second := w.ordersFromLookUp(b), w.ordersFromLookUp(b)
	item := func(order map[string]any) map[string]any {
		return w.ask("GET", "orders/"+order["id"].(string), "")["stockItems"].([]any)[0].(map[string]any)
	}
	panel := func(text string) string {
		return fmt.Sprintf(
			`[...document.querySelectorAll(".panel footer .btn")].some((x) => x.textContent.trim() === %q)`, text)
	}
	b.Show("orders?id=" + second["id"].(string))
	b.Eval(frozen)
	doubled(b, ".panel", "Ready", "!"+panel("Ready"))
	require.Equal(w, "prepared", item(second)["fulfillmentState"])
	doubled(b, ".panel", "Cancel the order", `document.querySelector(".panel .confirm")`)
	b.Click(".panel", "Keep")
	doubled(b, ".panel", "Hand over", panel("Take back"))
	require.Equal(w, "fulfilled", item(second)["fulfillmentState"])
	doubled(b, ".panel", "Take back", panel("Archive"))
	require.Nil(w, w.ask("GET", "orders/"+second["id"].(string), "")["archivedAt"])

	other := w.ordersFromLookUp(b)
	at, err := time.Parse(time.RFC3339, item(first)["pickupDate"].(string))
	require.NoError(w, err)
	b.Show(fmt.Sprintf("today?on=%d", at.UnixMilli()))
	rows := `document.querySelectorAll("tbody tr").length`
	for _, order := range []map[string]any{first, other} {
		b.Until(fmt.Sprintf(`document.querySelector("tbody").textContent.includes("#%v")`, order["number"]))
	}
	before := b.Eval(rows).(float64)
	doubled(b, "tbody", "Hand over", fmt.Sprintf("%s === %v", rows, before-1))
	require.Equal(w, before-1, b.Eval(rows), "no other row goes")

	b.Show("plan?search=Helmet")
	for typed, asked := range map[string]string{"2": "2", "2.5": "2.5", "": "0"} { // also what is no plan
		b.Eval(fmt.Sprintf(`(() => {const x = %s; x.value = %q; x.dispatchEvent(new Event("input", {bubbles: true}));})()`,
			field("Units fewer"), typed))
		b.Until(fmt.Sprintf(`location.hash.includes("amount=%s")`, asked))
		if typed == "2" {
			b.Until(`[...document.querySelectorAll("aside dd")].some((x) => x.textContent === "2")`)
			continue
		}
		b.Until(`document.querySelector("main .notice[role=alert]") && !document.querySelector("aside")`)
	}
	b.Show("plan?search=Helmet&amount=1")
	doubled(b, "aside", "Apply this plan",
		`[...document.querySelectorAll(".note")].some((x) => x.textContent.includes("very plan"))`)
	b.Reload()
	require.Empty(w, b.Noted())
}

// rescans has a scanner read a code twice: it is handed over, and does not come back at once.
func (w *consoleWorld) rescans(b *browser.Browser) {
	at, sku := w.first("locations?pageSize=1"), w.first("skus?pageSize=1")
	from := time.Now().UTC().Truncate(time.Second)
	order := w.ask("POST", "orders", fmt.Sprintf(
		`{"status":"open","pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q}]}`,
		at, sku, from.Add(time.Minute).Format(time.RFC3339), from.Add(2*time.Minute).Format(time.RFC3339)))
	unit := func() map[string]any {
		return w.ask("GET", "orders/"+order["id"].(string), "")["stockItems"].([]any)[0].(map[string]any)
	}
	code := unit()["code"].(string)
	b.Show("today")
	b.Says("tbody tr", code)
	b.Eval(frozen)
	scan(b, code)
	b.Says(".note", "Handed over: ")
	b.Until(fmt.Sprintf(`!document.querySelector("tbody")?.textContent.includes(%q)`, code))
	scan(b, code)
	b.Says(".note.bad", "was scanned a moment ago")
	require.Equal(w, "fulfilled", unit()["fulfillmentState"])
	b.Eval("goOn(5000)")
	scan(b, code)
	b.Says(".note", "Back: ")
	require.Equal(w, "returned", unit()["fulfillmentState"])
	b.Reload()
	require.Empty(w, b.Noted())
}
