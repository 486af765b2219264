//go:build console

package main

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file moves bars of the timeline, by keys and by the pointer, and looks at what stands in the interface before
// and after.

// heldFar holds a unit where nobody else is, and shows it.
func (w *consoleWorld) heldFar(b *browser.Browser, note string) (hold, bar string, from time.Time) {
	from = time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 90).Add(12 * time.Hour)
	sku, at := w.first("skus?pageSize=1"), w.first("locations?pageSize=1")
	h := w.ask("POST", "holds",
		fmt.Sprintf(`{"note":%q,"lines":[{"skuId":%q,"serviceLocationId":%q,"from":%q,"to":%q,"quantity":1}]}`,
			note, sku, at, from.Format(time.RFC3339), from.Add(24*time.Hour).Format(time.RFC3339)))
	bar = h["lines"].([]any)[0].(map[string]any)["unavailabilities"].([]any)[0].(map[string]any)["id"].(string)
	b.Show(fmt.Sprintf("timeline?at=%s&sku=%s&on=%d", at, sku, from.Add(-24*time.Hour).UnixMilli()))
	b.Until(fmt.Sprintf(`document.querySelector('[data-bar="%s"]')`, bar))
	return h["id"].(string), bar, from
}

// moves gives a hold other dates by keys alone: given up it stays, dropped it is where it was shown.
func (w *consoleWorld) moves(b *browser.Browser) {
	hold, bar, from := w.heldFar(b, "By keys")
	start := func() string {
		line := w.ask("GET", "holds/"+hold, "")["lines"].([]any)[0].(map[string]any)
		unit := line["unavailabilities"].([]any)[0].(map[string]any)
		return unit["range"].(map[string]any)["start"].(string)
	}
	was := start()
	begin := func() {
		b.Eval(fmt.Sprintf(`document.querySelector('[data-bar="%s"]').focus()`, bar))
		b.Press("m")
		b.Until(`document.querySelector(".moving")`)
		b.Press("ArrowRight")
		b.Press("ArrowRight")
		b.Until(`document.querySelector(".moving")?.textContent.includes("fits")`)
	}
	begin()
	b.Press("Escape")
	b.Until(`!document.querySelector(".moving")`)
	require.Equal(w, was, start(), "given up")
	begin()
	b.Press("Enter")
	b.Until(`[...document.querySelectorAll(".note")].some((x) => x.textContent.includes("Moved to"))`)
	require.Equal(w, from.Add(2*time.Hour).Format("2006-01-02T15:04:05.000Z"), start(), "two steps of an hour")

	over := from.AddDate(0, 0, -110)
	h := w.ask("POST", "holds", fmt.Sprintf(
		`{"allowPast":true,"lines":[{"skuId":%q,"serviceLocationId":%q,"from":%q,"to":%q}]}`, w.first("skus?pageSize=1"),
		w.first("locations?pageSize=1"), over.Format(time.RFC3339), over.Add(time.Hour).Format(time.RFC3339)))
	bar = w.unit(h["id"].(string))["id"].(string)
	b.Show(fmt.Sprintf("timeline?on=%d", over.Add(-24*time.Hour).UnixMilli()))
	b.Until(fmt.Sprintf(`document.querySelector('[data-bar="%s"]')?.focus() || document.activeElement.dataset.bar === %q`,
		bar, bar))
	b.Press("m")
	b.Says(".note", "It is over")
	require.Empty(w, b.Noted())
}

// arrows leads from cell to cell and from bar to bar by keys alone, and opens what they lead to.
func (w *consoleWorld) arrows(b *browser.Browser) {
	b.Show("heat")
	b.Eval(`document.querySelector("[data-cell='0-0']").focus()`)
	for _, step := range [][2]string{{"ArrowRight", "0-1"}, {"ArrowRight", "0-2"}, {"ArrowDown", "1-2"},
		{"ArrowLeft", "1-1"}, {"ArrowUp", "0-1"}} {
		b.Press(step[0])
		b.Until(fmt.Sprintf(`document.activeElement.dataset.cell === %q`, step[1]))
	}
	b.Press("Enter")
	b.Until(`location.hash.startsWith("#/timeline?")`)

	b.Show("timeline")
	b.Until(`document.querySelector(".bar[data-bar][tabindex='0']")?.focus() || document.activeElement.matches("[data-bar]")`)
	at := func() (bar string, row, left float64) {
		got := b.Eval(`(() => {const x = document.activeElement; return [x.dataset.bar, +x.closest(".tl-row").dataset.row, x.offsetLeft];})()`).([]any)
		return got[0].(string), got[1].(float64), got[2].(float64)
	}
	first, row, left := at()
	b.Press("ArrowRight")
	next, its, further := at()
	require.NotEqual(w, first, next)
	require.Equal(w, row, its, "the next of its row")
	require.Greater(w, further, left)
	b.Press("ArrowLeft")
	back, _, _ := at()
	require.Equal(w, first, back)
	b.Press("ArrowDown")
	below, its, _ := at()
	require.Greater(w, its, row)
	b.Press("Enter")
	b.Until(`document.activeElement.matches(".panel") && location.hash.includes("bar=` + below + `")`)
	b.Press("Escape")
	// the focus goes back
	b.Until(fmt.Sprintf(`!document.querySelector(".panel") && document.activeElement.dataset.bar === %q`, below))
	require.Empty(w, b.Noted())
}

// unit is the first unit of a hold, as the interface has it.
func (w *consoleWorld) unit(hold string) map[string]any {
	return w.ask("GET", "holds/"+hold,
		"")["lines"].([]any)[0].(map[string]any)["unavailabilities"].([]any)[0].(map[string]any)
}

// drags gives a hold other dates, then another article, with the pointer: what else would move is shown before the
// drop, and Esc gives up.
func (w *consoleWorld) drags(b *browser.Browser) {
	hold, bar, from := w.heldFar(b, "By pointer")
	selector := fmt.Sprintf(`[data-bar="%s"]`, bar)
	day := 150.0 // pixels of a day, where one sees days
	x, y := b.Middle(selector)
	was := w.unit(hold)
	b.Drag(false, [2]float64{x, y}, [2]float64{x + 20, y}, [2]float64{x + day, y})
	b.Says(".moving", "fits")
	b.Press("Escape")
	b.Until(`!document.querySelector(".moving")`)
	b.Release(x+day, y)
	require.Equal(w, was, w.unit(hold), "given up")
	b.Drag(true, [2]float64{x, y}, [2]float64{x + 20, y}, [2]float64{40, y})
	b.Until(`!document.querySelector(".moving")`)
	require.Equal(w, was, w.unit(hold), "dropped on the menu")
	b.Drag(true, [2]float64{x, y}, [2]float64{x + 20, y}, [2]float64{x + day, y})
	require.Eventually(w, func() bool {
		return w.unit(hold)["range"].(map[string]any)["start"] == from.Add(24*time.Hour).
			Format("2006-01-02T15:04:05.000Z")
	}, 10*time.Second, 50*time.Millisecond, "a day on")

	// Onto an article where another lies then that may move: it is said that it would, and where to, and then it has.
	sku, at := w.first("skus?pageSize=1"), was["serviceLocationId"]
	other := w.ask("POST", "holds",
		fmt.Sprintf(`{"note":"Makes room","lines":[{"skuId":%q,"serviceLocationId":%q,"from":%q,"to":%q,"quantity":1}]}`,
			sku, at, from.Add(24*time.Hour).Format(time.RFC3339), from.Add(48*time.Hour).
				Format(time.RFC3339)))["id"].(string)
	theirs := w.unit(other)
	b.Until(fmt.Sprintf(`document.querySelector('[data-bar="%s"]')`, theirs["id"]))
	x, y = b.Middle(selector)
	_, to := b.Middle(fmt.Sprintf(`[data-bar="%s"]`, theirs["id"]))
	b.Drag(false, [2]float64{x, y}, [2]float64{x, (y + to) / 2}, [2]float64{x, to})
	b.Says(".moving", "1 other would move")
	require.Equal(w, 2.0, b.Eval(`document.querySelectorAll(".bar.ghost").length`),
		"the bar, and where the other would be")
	require.Equal(w, theirs, w.unit(other), "shown, not done")
	b.Release(x, to)
	require.Eventually(w, func() bool { return w.unit(hold)["articleId"] == theirs["articleId"] }, 10*time.Second,
		50*time.Millisecond)
	require.NotEqual(w, theirs["articleId"], w.unit(other)["articleId"], "it has made room")
	moved := fmt.Sprintf(
		`document.querySelector('[data-bar="%s"].moved')?.ariaLabel.includes("moved by the engine from %s")`,
		theirs["id"], w.ask("GET", "articles/"+theirs["articleId"].(string), "")["name"])
	b.Until(moved)
	b.Eval(fmt.Sprintf(`document.querySelector('[data-bar="%s"]').classList.remove("moved"); 0`, theirs["id"]))
	require.NotEqual(w, true, b.Eval(moved), "a bar that is not marked is found")
	b.Reload() // whoever opens the page later sees it, too
	b.Until(moved)
	require.Equal(w, false,
		b.Eval(fmt.Sprintf(`document.querySelector('[data-bar="%s"]').classList.contains("moved")`, bar)),
		"a person has moved this one")
	require.Empty(w, b.Noted())
}

// hears sees within a second what another browser's user has done.
func (w *consoleWorld) hears(b *browser.Browser) {
	_, bar, _ := w.heldFar(b, "Elsewhere")
	second := browser.Open(w.T, w.origin)
	second.Size(1440, 900, false)
	second.Visit(w.key, b.Eval(`location.hash.slice(2)`).(string)+"&bar="+bar)
	second.Until(`[...document.querySelectorAll(".panel .btn")].some((x) => x.textContent === "Release")`)
	time.Sleep(time.Second) // both feeds wait
	second.Click(".panel", "Release")
	second.Until(`document.querySelector(".panel .confirm")`)
	began := time.Now()
	second.Click(".panel .confirm", "Release")
	b.Until(fmt.Sprintf(`!document.querySelector('[data-bar="%s"]')`, bar))
	w.Logf("seen in a second browser after %v", time.Since(began).Round(time.Millisecond))
	require.Empty(w, b.Noted())
	require.Empty(w, second.Noted())
}

// begins hears of what is changed between the first view that is read and the first look at what has changed.
func (w *consoleWorld) begins(b *browser.Browser) {
	hold, bar, _ := w.heldFar(b, "Between")
	second := browser.Open(w.T, w.origin)
	second.Size(1440, 900, false)
	second.Call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": `{
		const real = window.fetch;
		window.fetch = (url, o) => (!window.hear && String(url).includes("/changes?") ? new Promise((go) => {window.hear = go;}).then(() => real(url, o)) : real(url, o));
	}`})
	second.Visit(w.key, b.Eval(`location.hash.slice(2)`).(string))
	shown := fmt.Sprintf(`document.querySelector('[data-bar="%s"]')`, bar)
	second.Until(shown + ` && window.hear`)
	w.ask("DELETE", "holds/"+hold, "")
	time.Sleep(300 * time.Millisecond)
	require.NotNil(w, second.Eval(shown+`?.dataset.bar`), "it listens to nothing yet")
	second.Eval(`window.hear(); 0`)
	second.Until("!" + shown)
	require.Empty(w, second.Noted())
}
