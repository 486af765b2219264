//go:build console

package main

import (
	"fmt"

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
