//go:build console

package main

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file goes through orders: each filter is held against the interface's answer to the same question, and so is
// what was paid for an order and what changed it.

// orderFilters are the filters by what the page calls them, with what the interface does.
var orderFilters = map[string]string{
	"Status": "status", "Units": "fulfillmentState", "Late": "late", "Conflicts": "hasConflicts", "From": "channel",
	"Archived": "archive", "Sorted by": "sort", "Order": "direction",
}

// field is the control of the view that has a name beside it.
func field(name string) string {
	return fmt.Sprintf(
		`[...document.querySelectorAll("main .tools .field")].find((x) => x.querySelector(".name").textContent === %q).querySelector("input, select")`, name)
}

// enter gives a field a value as a person does.
func enter(b *browser.Browser, name, value string) {
	b.Eval(fmt.Sprintf(
		`(() => {const x = %s; x.value = %q; x.dispatchEvent(new Event("input", {bubbles: true})); x.dispatchEvent(new Event("change", {bubbles: true}));})()`, field(name), value))
}

// filters sets each filter to each of its choices: the page lists what the interface answers, in that order.
func (w *consoleWorld) filters(b *browser.Browser) {
	answered := func(q url.Values) string {
		if !q.Has("direction") {
			q.Set("direction", "desc")
		}
		q.Set("pageSize", "50")
		var list []string
		for _, o := range w.ask("GET", "orders?"+q.Encode(), "")["data"].([]any) {
			list = append(list, fmt.Sprintf("#%v", o.(map[string]any)["number"]))
		}
		return strings.Join(list, ",")
	}
	listed := func() any {
		return b.Eval(`[...document.querySelectorAll("main tbody tr")].map((x) => x.cells[0].textContent).join()`)
	}
	lists := func(q url.Values, what string) {
		w.Helper()
		if !assert.Eventually(w, func() bool { return listed() == answered(q) }, 10*time.Second, 50*time.Millisecond,
			what) {
			require.Equal(w, answered(q), listed(), what)
		}
	}
	b.Show("orders")
	lists(url.Values{}, "all")
	all := listed()
	narrowed := 0
	for name, parameter := range orderFilters {
		choices := b.Eval(`[...` + field(name) + `.options].map((x) => x.value)`).([]any)
		require.Equal(w, "", choices[0], name)
		for _, choice := range append(choices[1:], "") {
			enter(b, name, choice.(string))
			q := url.Values{}
			if choice != "" {
				q.Set(parameter, choice.(string))
			}
			lists(q, name+" "+choice.(string))
			if listed() != all {
				narrowed++
			}
		}
	}
	require.Greater(w, narrowed, 10, "choices that change what is listed")
	newest := w.newest()
	enter(b, "Status", "open")
	enter(b, "Units", "pending")
	lists(url.Values{"status": {"open"}, "fulfillmentState": {"pending"}}, "two at once")
	enter(b, "Status", "")
	enter(b, "Units", "")
	enter(b, "Search", "korhonen")
	lists(url.Values{"search": {"korhonen"}}, "a name")
	enter(b, "Search", fmt.Sprintf("%v", newest["number"]))
	lists(url.Values{"number": {fmt.Sprint(newest["number"])}}, "a number")
	enter(b, "Search", "")
	lists(url.Values{}, "all again")
	zone, err := time.LoadLocation(w.ask("GET", "account", "")["timezone"].(string))
	require.NoError(w, err)
	now := time.Now().In(zone)
	day := time.Date(now.Year(), now.Month(), now.Day()+3, 0, 0, 0, 0, zone)
	enter(b, "Over the day", day.Format(time.DateOnly))
	lists(url.Values{"dateRange[from]": {day.UTC().Format(time.RFC3339)},
		"dateRange[to]": {day.AddDate(0, 0, 1).UTC().Format(time.RFC3339)}}, "a day")
	at := w.first("locations?pageSize=1")
	b.Show("orders?at=" + at)
	lists(url.Values{"pickupLocationId": {at}}, "a place")

	// Planted: the page asks without what was chosen.
	b.Show("orders")
	b.Eval(`window.fetched = fetch; window.asked = 0; window.fetch = (url, o) => {if (url.includes("status=closed")) asked++; return fetched(url.replace("status=closed", ""), o);}; 0`)
	enter(b, "Status", "closed")
	b.Until(`asked > 0 && location.hash.includes("status=closed")`)
	time.Sleep(300 * time.Millisecond)
	require.NotEqual(w, answered(url.Values{"status": {"closed"}}), listed(), "a filter that is not asked for is found")
	b.Reload()
	lists(url.Values{"status": {"closed"}}, "as the link says")
	require.Empty(w, b.Noted())
}

// pays records what was paid for an order and writes a comment; what was paid back elsewhere is seen, and who has
// changed the order.
func (w *consoleWorld) pays(b *browser.Browser) {
	id := w.ordersFromLookUp(b)["id"].(string)
	money := func(amount string) string {
		return b.Eval(fmt.Sprintf(
			`new Intl.NumberFormat(navigator.language, {style: "currency", currency: %q}).format(%s)`,
			w.newest()["pricing"].(map[string]any)["currency"], amount)).(string)
	}
	paid := func(amount string) {
		w.Helper()
		b.Until(fmt.Sprintf(
			`[...document.querySelectorAll(".panel .facts div")].some((x) => x.innerText.startsWith("Paid") && x.innerText.endsWith(%q))`, money(amount)))
	}
	payments := func() (list []string) {
		for _, p := range w.ask("GET", "orders/"+id+"/payments", "")["data"].([]any) {
			list = append(list, fmt.Sprintf("%v %v", p.(map[string]any)["kind"], p.(map[string]any)["amount"]))
		}
		return list
	}
	write := func(label, text, button string) {
		b.Eval(fmt.Sprintf(`document.querySelector('.panel input[aria-label=%q]').focus()`, label))
		b.Text(text)
		b.Click(".panel form", button)
	}
	paid("0")
	require.Empty(w, payments())
	write("Amount paid", "12.5", "Record a payment")
	paid("12.5")
	require.Equal(w, []string{"capture 1250"}, payments())
	w.ask("POST", "orders/"+id+"/payments", `{"kind":"refund","amount":250,"method":"cash"}`)
	paid("10")
	write("Amount paid", "0.125", "Record a payment")
	b.Says(".note", "EUR has 2 decimal digits.")
	require.Len(w, payments(), 2, "nothing is rounded")
	require.Equal(w, []any{"HUF 1,234.50", "MGA 1,234.50", "¥123,450", "IQD 123.450", "€90,071,992,547,409.91"},
		b.Eval(`import("/console/store.js").then(({money}) => [[123450, "HUF"], [123450, "MGA"], [123450, "JPY"], [123450, "IQD"], [9007199254740991, "EUR"]].map(([n, c]) => money(n, c).replaceAll("\u00a0", " ")))`),
		"by ISO 4217, whatever the browser has")
	require.Equal(w, []any{123450.0, 1235.0, 12345.0, "HUF has 2 decimal digits.", "JPY has 0 decimal digits."},
		b.Eval(`import("/console/store.js").then(({minor}) => [["1234.5", "HUF"], ["1235", "JPY"], ["12.345", "BHD"], ["1.005", "HUF"], ["1.5", "JPY"]].map((a) => {try {return minor(...a);} catch (e) {return e.message;}}))`))
	b.Says(".panel li", "refund "+money("2.5"))
	require.Equal(w, []string{"capture 1250", "refund 250"}, payments())
	write("A comment", "Bell is loose", "Add")
	b.Says(".panel p", "Bell is loose")
	require.Equal(w, "Bell is loose", w.ask("GET", "orders/"+id, "")["comments"].([]any)[0].(map[string]any)["content"])

	history := func() string {
		var list []string
		for _, c := range w.ask("GET", "orders/"+id+"/history", "")["changes"].([]any) {
			c := c.(map[string]any)
			what := fmt.Sprint(c["change"])
			if changed := c["changed"].([]any); len(changed) > 0 {
				what = fmt.Sprint(changed[0])
			}
			list = append(list, fmt.Sprintf("%v by %v", what, c["actor"]))
		}
		return strings.Join(list, ",")
	}
	told := func() any {
		return b.Eval(`[...[...document.querySelectorAll(".panel h3")].find((x) => x.textContent === "History")?.nextSibling.children || []].map((x) => x.innerText.split(" ").slice(0, 3).join(" ")).join()`)
	}
	short := func(list string) string { // the label of the key is more than one word
		lines := strings.Split(list, ",")
		for i := range lines {
			lines[i] = strings.Join(strings.Split(lines[i], " ")[:3], " ")
		}
		return strings.Join(lines, ",")
	}
	list := history()
	require.Regexp(w, "^comments by .*,payments by .*,payments by .*,created by ", list)
	require.Eventually(w, func() bool { return told() == short(list) }, 10*time.Second, 50*time.Millisecond, "%v", list)
	b.Eval(`[...document.querySelectorAll(".panel h3")].find((x) => x.textContent === "History").nextSibling.lastChild.remove()`)
	require.NotEqual(w, short(list), told(), "a change that is left out is found")
	b.Reload() // what was done before the page was opened is told, too
	require.Eventually(w, func() bool { return told() == short(list) }, 10*time.Second, 50*time.Millisecond, "%v", list)
	require.Empty(w, b.Noted())
}
