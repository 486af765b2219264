//go:build console

package main

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file looks at what each view shows where there is nothing to show: it is empty, still loading (also what was
// asked for last), refused, or the server is out of reach.

// emptyViews are the views with what each says to a merchant who has a place and nothing else.
var emptyViews = map[string]string{
	"timeline": "No article here", "lookup": "No SKUs to show", "heat": "No SKUs yet", "today": "Nothing",
	"orders": "No order passes", "conflicts": "No conflicts",
	"plan": "No article with stock here", "webhooks": "Nobody is told yet", "keys": "Begins with", "import": "Drop",
	"health": "Sequence",
}

// answering has the page's questions of a view answered by a function, where what all views need is answered as ever.
const answering = `window.fetched ||= fetch; window.fetch = (url, o) => !url.includes("/v1/admin/") || /admin\/(account|locations|skus|changes)\b/.test(url) ? fetched(url, o) : (%s)(url, o)`

// without are the states of a view that has no answer: how its questions go, and what says so, where.
var without = []struct{ name, answer, selector, says string }{
	{"loading", `(url, o) => new Promise((_, no) => o.signal?.addEventListener("abort", () => no(new DOMException("", "AbortError"))))`, "main .skeleton[role=status]", "Loading"},
	{"refused", `() => Promise.resolve(new Response('{"title":"Not now","detail":"This was planted","code":"INTERNAL"}', {status: 500}))`, "main .notice[role=alert]", "This was planted"},
	{"offline", `() => Promise.reject(new TypeError("planted"))`, "main .notice[role=alert]", "out of reach"},
}

// told says whether a text is to be seen, or read out, in what a selector finds.
func told(selector, text string) string {
	return fmt.Sprintf(
		`[...document.querySelectorAll(%q)].some((x) => x.checkVisibility({visibilityProperty: true, opacityProperty: true}) && x.getBoundingClientRect().height > 10 && ((x.ariaLabel || "") + x.innerText).includes(%q))`, selector, text)
}

// waits goes on to another day, place, period or number while its answers are held back: what was read before is
// neither shown nor acted on.
func (w *consoleWorld) waits(b *browser.Browser) {
	id := w.ordersFromLookUp(b)["id"].(string)
	unit := func() map[string]any { return w.ask("GET", "orders/"+id, "")["stockItems"].([]any)[0].(map[string]any) }
	at, err := time.Parse(time.RFC3339, unit()["pickupDate"].(string))
	require.NoError(w, err)
	elsewhere := w.ask("GET", "locations?pageSize=2", "")["data"].([]any)[1].(map[string]any)["id"]
	today := fmt.Sprintf("today?on=%d", at.UnixMilli())
	for _, step := range []struct{ from, to, buttons string }{
		{today, fmt.Sprintf("today?on=%d", at.AddDate(0, 0, -30).UnixMilli()), "tbody .btn"},
		{today, fmt.Sprintf("%s&at=%s", today, elsewhere), "tbody .btn"},
		{"lookup", fmt.Sprintf("lookup?from=%d&to=%d", at.UnixMilli(), at.AddDate(0, 0, 1).UnixMilli()), ".offer .btn"},
		{"lookup", "lookup?search=o", ".offer .btn"},
		{"plan", "plan?amount=2", "aside .btn"}, {"plan", "plan?search=o", "aside .btn"},
	} {
		b.Show(step.from)
		buttons := fmt.Sprintf(`document.querySelectorAll(%q).length`, "main "+step.buttons)
		require.NotZero(w, b.Eval(buttons), step.from)
		b.Eval(`document.querySelectorAll(".note .btn").forEach((x) => x.click())`)
		b.Eval(`window.held = new Promise((done) => {window.letGo = done;}); 0`)
		b.Eval(fmt.Sprintf(answering,
			`async (url, o) => {if (o.method === "GET" || url.includes("/query")) await held; return fetched(url, o);}`))
		b.Eval(fmt.Sprintf(
			`location.hash = %q; new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`,
			"#/"+step.to))
		if step.from == today {
			scan(b, unit()["code"].(string))
			b.Until(`document.querySelector(".note")`)
			require.Contains(w, b.Eval(`document.querySelector(".note").textContent`), "the day is not read yet",
				step.to)
		}
		require.Zero(w, b.Eval(buttons), step.to)
		b.Eval("letGo(); window.fetch = fetched")
		b.Show(step.to)
		if step.from == today {
			scan(b, unit()["code"].(string))
			b.Says(".note.bad", "neither to be handed over nor to come back")
			require.Equal(w, "pending", unit()["fulfillmentState"])
		}
	}
	require.Empty(w, b.Noted())
}

func TestConsoleSaysWhenThereIsNothingToShow(t *testing.T) {
	w := newConsoleWorld(t)
	w.ask("POST", "locations", `{"name":"Alone","timezone":"Europe/Lisbon"}`)
	b := browser.Open(t, w.origin)
	b.Size(1440, 900, false)
	b.Visit(w.key, "keys")
	shot := func(name string) {
		if shots() != "" {
			b.Shot(filepath.Join(shots(), name+".png"))
		}
	}
	for _, view := range consoleViews {
		b.Show(view)
		empty := told("main .view", emptyViews[view])
		b.Until(empty)
		shot("empty-" + view)
		require.Empty(t, b.Faint(), view)
		b.Eval(`document.querySelector("main .view").style.visibility = "hidden"`)
		require.Equal(t, false, b.Eval(empty), "%s: a view that is blank is found", view)
	}
	w.ask("POST", "skus", `{"name":"Alone"}`) // without one the look-up has nothing to ask
	b.Until(`document.querySelector(".live .dim")`)
	for _, view := range consoleViews {
		if view == "import" { // it asks nothing before there is a file
			continue
		}
		t.Run(view, func(t *testing.T) {
			b.T = t
			for _, state := range without {
				b.Show("import")
				b.Eval(fmt.Sprintf(answering, state.answer))
				b.Eval(fmt.Sprintf("location.hash = %q", "#/"+view))
				says := told(state.selector, state.says)
				b.Until(says)
				shot(state.name + "-" + view)
				require.Empty(t, b.Faint(), state.name)
				if state.name == "offline" {
					b.Until(told("main .banner[role=alert]", "goes on by itself"))
				}
				hide := `document.querySelectorAll(%q).forEach((x) => {x.style.visibility = %q;})`
				b.Eval(fmt.Sprintf(hide, state.selector, "hidden"))
				require.Equal(t, false, b.Eval(says), "%s: a view that does not say so is found", state.name)
				b.Eval(fmt.Sprintf(hide, state.selector, "") + "; window.fetch = fetched")
				if state.name != "loading" {
					b.Click("main .notice", "Try again")
					b.Until("!" + says)
				}
			}
			require.Empty(t, b.Noted())
		})
	}
	b.T = t
	w.stop()
}
