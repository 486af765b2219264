//go:build console

package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file types times and looks at how they are told: in fields, in links, and where the browser's own clock is
// wrong.

func TestConsoleTellsTimes(t *testing.T) {
	w := newConsoleWorld(t, "--demo")
	b := browser.Open(t, w.origin)
	b.Size(1280, 900, false)
	b.Visit(w.key, "keys")
	for _, flow := range []struct {
		name string
		is   func(b *browser.Browser)
	}{
		{"a time is typed", w.types}, {"a number of a link that is none is left out", w.garbles},
		{"the browser's clock is wrong", w.asksTheClock},
	} {
		t.Run(flow.name, func(t *testing.T) {
			b.T, w.T = t, t
			flow.is(b)
		})
	}
	b.T, w.T = t, t
}

// types gives fields of times other values by single keys: what is half typed changes nothing and stays, and what is
// whole is taken when it is left.
func (w *consoleWorld) types(b *browser.Browser) {
	from := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 100).Add(12 * time.Hour)
	to := from.AddDate(0, 0, 200)
	keys := func(text string, also func()) {
		for _, key := range text {
			b.Press(string(key))
			also()
		}
	}
	address := func() string { return b.Eval(`location.hash`).(string) }

	b.Show(fmt.Sprintf("lookup?at=%s&from=%d&to=%d", w.first("locations?pageSize=1"), from.UnixMilli(),
		from.AddDate(0, 0, 1).UnixMilli()))
	was, first := address(), b.Eval(field("From")+".value")
	b.Eval(field("To") + ".focus()")
	keys(to.Format("01022006"), func() {
		require.Equal(w, was, address(), "half typed")
		require.Equal(w, first, b.Eval(field("From")+".value"))
	})
	w.heldNow(b) // what is heard of meanwhile leaves the field as it is
	b.Press("Enter")
	b.Until(fmt.Sprintf(`%s.value.startsWith(%q) && location.hash !== %q`, field("To"), to.Format(time.DateOnly), was))
	require.Equal(w, first, b.Eval(field("From")+".value"))
	was, last := address(), b.Eval(field("To")+".value")
	b.Eval(field("To") + ".blur()")
	b.Eval(field("To") + ".focus()")
	keys("01010002", func() {})
	b.Press("Enter")
	require.Equal(w, was, address(), "a year that nobody means")
	require.Equal(w, last, b.Eval(field("To")+".value"))

	day := to.Format(time.DateOnly)
	for view, at := range map[string]string{
		"timeline": `document.querySelector("input[type=date]")`, "orders": field("Over the day"),
	} {
		b.Show(view)
		time.Sleep(time.Second) // by then the address says where the timeline has come to rest
		was := address()
		b.Eval(at + ".focus()")
		keys(to.Format("01022006")[:6], func() { require.Equal(w, was, address(), "half typed in %s", view) })
		keys(to.Format("01022006")[6:], func() {})
		b.Eval(at + ".blur()")
		b.Until(fmt.Sprintf(`%s.value === %q && /(on|from)=\d+/.test(location.hash)`, at, day))
	}
	require.Empty(w, b.Noted())
}

// heldNow makes a hold, and waits for the page to hear of it.
func (w *consoleWorld) heldNow(b *browser.Browser) {
	heard := `document.querySelector(".live").textContent`
	was := b.Eval(heard)
	from := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 300)
	w.ask("POST", "holds", fmt.Sprintf(`{"lines":[{"skuId":%q,"serviceLocationId":%q,"from":%q,"to":%q}]}`,
		w.first("skus?pageSize=1"), w.first("locations?pageSize=1"), from.Format(time.RFC3339),
		from.Add(time.Hour).Format(time.RFC3339)))
	b.Until(fmt.Sprintf(`%s !== %q`, heard, was))
}

// garbles opens links with numbers that are none: each view shows what it shows without them.
func (w *consoleWorld) garbles(b *browser.Browser) {
	const shown = `(document.querySelector("main .view .tools") || document.querySelector("main .view")).innerText + [...document.querySelectorAll("main .tools input")].map((x) => x.value)`
	numbers := []string{"99999999999999999999", "-5", "soon", "1e400"}
	for _, parameter := range []string{"timeline?on=", "timeline?row=", "today?on=", "lookup?from=", "lookup?to=",
		"heat?from=", "heat?days=", "heat?row=", "plan?from=", "orders?from=", "orders?page="} {
		b.Show("keys") // a view that is there already keeps what it shows
		b.Show(strings.Split(parameter, "?")[0])
		plain := b.Eval(shown)
		for _, number := range numbers {
			b.Show("keys")
			b.Show(parameter + number)
			require.Equal(w, plain, b.Eval(shown), "%s%s", parameter, number)
			require.Zero(w, b.Eval(`document.querySelectorAll("main [role=alert]").length`), "%s%s", parameter, number)
			require.Empty(w, b.Noted(), "%s%s", parameter, number)
		}
	}
	for _, number := range numbers {
		b.Show("lookup?cart=" + w.first("skus?pageSize=1") + "*" + number)
		require.Equal(w, "1", b.Eval(`document.querySelector(".cart li b").textContent`))
	}
}

// asksTheClock opens the page in a browser that is three days ahead: it shows the server's day.
func (w *consoleWorld) asksTheClock(b *browser.Browser) {
	second := browser.Open(w.T, w.origin)
	second.Size(1280, 900, false)
	second.Call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": `{
		const Real = Date;
		window.Date = class extends Real {
			constructor(...of) {of.length ? super(...of) : super(Real.now() + 3 * 864e5);}
			static now() {return Real.now() + 3 * 864e5;}
		};
	}`})
	second.Visit(w.key, "today")
	b.Show("today")
	const day = `document.querySelector("main h1").textContent`
	require.Equal(w, b.Eval(day), second.Eval(day))
	require.Empty(w, second.Noted())
}
