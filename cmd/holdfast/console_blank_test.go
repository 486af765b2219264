//go:build console

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file looks at what each view shows where there is nothing to show: it is empty, still loading, refused, or the server is out of reach.

// emptyViews are the views with what each says to a merchant who has a place and nothing else.
var emptyViews = map[string]string{
	"timeline": "No article here", "lookup": "No SKUs yet", "heat": "No SKUs yet", "today": "Nothing", "orders": "No order passes", "conflicts": "No conflicts",
	"plan": "No article with stock here", "webhooks": "Nobody is told yet", "keys": "Begins with", "import": "Drop", "health": "Sequence",
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
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].some((x) => x.checkVisibility({visibilityProperty: true, opacityProperty: true}) && x.getBoundingClientRect().height > 10 && ((x.ariaLabel || "") + x.innerText).includes(%q))`, selector, text)
}

func TestConsoleSaysWhenThereIsNothingToShow(t *testing.T) {
	w := newConsoleWorld(t)
	w.ask("POST", "locations", `{"name":"Alone","timezone":"Europe/Lisbon"}`)
	b := browser.Open(t, w.origin)
	b.Size(1440, 900, false)
	b.Visit(w.key, "keys")
	shot := func(name string) {
		if shots := os.Getenv("CONSOLE_SHOTS"); shots != "" {
			b.Shot(filepath.Join(shots, name+".png"))
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
