//go:build console

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file plants faults in the page, and shows that the checks find them.

// plans applies the plan that it shows; one that is not the one that was shown is refused.
func (w *consoleWorld) plans(b *browser.Browser) {
	// Articles of its own: the demo's first pool is full at some hours, and has no plan to apply then.
	at := w.ask("POST", "locations", `{"name":"Planned","timezone":"Europe/Lisbon"}`)["id"].(string)
	sku := w.ask("POST", "skus", `{"name":"Punt"}`)["id"].(string)
	for _, name := range []string{"Punt 1", "Punt 2"} {
		w.ask("POST", "articles",
			fmt.Sprintf(`{"name":%q,"skuId":%q,"quantities":[{"serviceLocationId":%q,"count":1}]}`, name, sku, at))
	}
	hold := w.ask("POST", "holds",
		fmt.Sprintf(`{"lines":[{"skuId":%q,"serviceLocationId":%q,"from":"2032-05-01T00:00:00Z","to":"2032-05-03T00:00:00Z","quantity":1}]}`,
			sku, at))
	article := w.unit(hold["id"].(string))["articleId"].(string)
	b.Show("plan?at=" + at + "&article=" + article)
	b.Until(`[...document.querySelectorAll("aside .btn")].some((x) => x.textContent.includes("Apply"))`)
	b.Says(".notice", "1 booking moves")
	shown := func() bool {
		plan := w.ask("GET", "articles/"+article+"/plan-quantity-change?amount=1&serviceLocationId="+at,
			"")["plan"].(string)
		return strings.Contains(b.Eval(`document.querySelector("aside code").textContent`).(string), plan[:16])
	}
	units := func() any {
		return w.ask("GET", "articles?ids="+article+"&fields=quantity",
			"")["articles"].([]any)[0].(map[string]any)["quantity"]
	}
	require.True(w, shown(), "the plan shown is the interface's")

	// Planted: the page shows a plan, and asks for another.
	before := units()
	b.Eval(`window.fetched = fetch; window.fetch = (url, o) => fetched(url, o.body?.includes("expectedPlan") ? {...o, body: o.body.replace(/"expectedPlan":"./, (m) => m.slice(0, -1) + (m.at(-1) === "0" ? "1" : "0"))} : o)`)
	b.Click("aside", "Apply this plan")
	b.Until(`document.querySelector(".note.bad")`)
	require.Equal(w, before, units(), "a plan that differs is not applied")
	b.Eval(`window.fetch = fetched; document.querySelector(".note.bad .btn").click(); document.querySelector("aside code").firstChild.data = "0000"`)
	require.False(w, shown(), "a plan shown that differs is found")
	b.Reload()
	b.Until(`[...document.querySelectorAll("aside .btn")].some((x) => x.textContent.includes("Apply"))`)
	b.Click("aside", "Apply this plan")
	b.Says(".note", "very plan")
	require.NotEqual(w, before, units())
	require.Empty(w, b.Noted())
}

// places holds bars against the days that the head names, over the change of the clock.
func (w *consoleWorld) places(b *browser.Browser) {
	lisbon := w.ask("POST", "locations", `{"name":"Clock","timezone":"Europe/Lisbon"}`)["id"].(string)
	article := w.ask("POST", "articles",
		fmt.Sprintf(`{"name":"Sundial","quantities":[{"serviceLocationId":%q,"count":1,"from":"2026-01-01T00:00:00Z"}]}`, lisbon))["id"].(string)
	// from the 26th and the 30th on, to the 29th and the 1st
	changes := map[string]string{"2027-03-26T00:00:00Z": "2027-03-28T23:00:00Z",
		"2027-10-29T23:00:00Z": "2027-11-01T00:00:00Z"}
	for from, to := range changes {
		h := w.ask("POST", "holds",
			fmt.Sprintf(`{"lines":[{"articleId":%q,"serviceLocationId":%q,"from":%q,"to":%q,"quantity":1}]}`, article,
				lisbon, from, to))
		bar := w.unit(h["id"].(string))["id"].(string)
		start, err := time.Parse(time.RFC3339, from)
		require.NoError(w, err)
		b.Show(fmt.Sprintf("timeline?at=%s&article=%s&on=%d", lisbon, article, start.Add(-24*time.Hour).UnixMilli()))
		selector := fmt.Sprintf(`[data-bar="%s"]`, bar)
		b.Until(fmt.Sprintf("document.querySelector(%q)", selector))
		days := func() string {
			return b.Eval(fmt.Sprintf(`(() => {const bar = document.querySelector(%q), left = parseFloat(bar.style.left), right = left + parseFloat(bar.style.width);
				const at = (x) => [...document.querySelectorAll(".tl-small")].find((m) => Math.abs(parseFloat(m.style.left) - x) < 1)?.textContent.replace(/\D/g, "");
				return at(left) + " to " + at(right);})()`, selector)).(string)
		}
		want := map[string]string{"03": "26 to 29", "10": "30 to 1"}[from[5:7]]
		require.Equal(w, want, days(), "the bar begins and ends where its days do")
		b.Eval(fmt.Sprintf(
			`document.querySelector(%q).style.left = parseFloat(document.querySelector(%[1]q).style.left) - 150 + "px"`,
			selector))
		require.NotEqual(w, want, days(), "a bar that is off by a day is found")
	}
	require.Empty(w, b.Noted())
}

// planted shows that the checks of each page find what they are for.
func (w *consoleWorld) planted(b *browser.Browser) {
	b.Show("keys")
	require.Empty(w, b.Nameless())
	b.Eval(`document.querySelector("button[aria-label='Sign out']").removeAttribute("aria-label")`)
	b.Eval(`document.querySelector("button[title='Sign out']").removeAttribute("title")`)
	require.NotEmpty(w, b.Nameless(), "a label that was removed")
	require.Empty(w, b.Unreached())
	b.Eval(`document.querySelector("button[title='Light or dark']").tabIndex = -1`)
	require.Len(w, b.Unreached(), 1, "a control that keys do not come to")
	b.Size(360, 720, false)
	b.Eval(`document.querySelector("main p").style.minWidth = "500px"; document.querySelector("main").style.overflow = "visible"`)
	require.Positive(w, b.Wider(), "a page that is wider than its window")
	require.Empty(w, b.Cut())
	b.Eval(`(() => {const x = document.createElement("aside"); x.className = "panel"; x.style.left = "-9px"; document.querySelector("main").append(x);})()`)
	require.Len(w, b.Cut(), 1, "a panel that is not all in the window")
	b.Size(1440, 900, false)
	b.Eval(`document.querySelector("main").append(...Array.from({length: 5000}, () => document.createElement("i")))`)
	require.Greater(w, b.Elements(), 5000.0, "too many elements")
	require.Empty(w, b.Faint())
	b.Eval(`document.querySelector("h1").style.opacity = 0.3`)
	require.NotEmpty(w, b.Faint(), "text that can hardly be read")
	require.Empty(w, b.Noted())
	b.Eval(`(() => { const s = document.createElement("script"); s.src = "http://outside.example/x.js"; document.head.append(s); })()`)
	time.Sleep(300 * time.Millisecond)
	require.Contains(w, strings.Join(b.Noted(), "\n"), "Content Security Policy", "a foreign script")
	b.Eval(`(() => { const s = document.createElement("script"); s.textContent = "window.ran = true"; document.head.append(s); })()`)
	time.Sleep(300 * time.Millisecond)
	require.Nil(w, b.Eval("window.ran"), "a script in the page")
	require.NotEmpty(w, b.Noted())
	require.Empty(w, b.Kept(w.key))
	for place, keep := range map[string]string{
		"localStorage": `localStorage.setItem("planted", "my " + key)`, "cookie": `document.cookie = "planted=" + key`,
		"address":  `history.replaceState(null, "", "?key=" + key + location.hash)`,
		"database": `await new Promise((done) => {indexedDB.open("planted").onsuccess = (e) => {e.target.result.close(); done();};})`, "cache": `await caches.open("planted")`,
	} {
		b.Eval(fmt.Sprintf(`(async () => {const key = %q; %s;})()`, w.key, keep))
		require.Equal(w, []string{place}, b.Kept(w.key), "a key that is kept there")
		b.Eval(`(async () => {
			localStorage.removeItem("planted"); document.cookie = "planted=; max-age=0"; history.replaceState(null, "", "/" + location.hash); await caches.delete("planted");
			await new Promise((done) => {indexedDB.deleteDatabase("planted").onsuccess = done;});
		})()`)
	}
	b.Eval(`console.error("planted")`)
	require.NotEmpty(w, b.Noted(), "an error in the console")
	b.Call("Page.setBypassCSP", map[string]any{"enabled": true})
	b.Reload()
	b.Eval(`fetch("http://127.0.0.1:9/elsewhere").catch(() => 0)`)
	require.Contains(w, strings.Join(b.Noted(), "\n"), "off its origin", "a request elsewhere, which no policy stops")
	b.Call("Page.setBypassCSP", map[string]any{"enabled": false})
	b.Reload()
	require.Empty(w, b.Noted(), "the page is well again")
}
