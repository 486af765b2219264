//go:build console

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file looks at how the console shows what a unit is in for, and at which state a view shows.

// bar shows a unit in time, and gives its bar's selector.
func (w *consoleWorld) bar(b *browser.Browser, unit string, article any, from string) string {
	start, err := time.Parse(time.RFC3339, from)
	require.NoError(w, err)
	b.Show(fmt.Sprintf("timeline?article=%s&on=%d", article, start.Add(-24*time.Hour).UnixMilli()))
	selector := fmt.Sprintf(`[data-bar="%s"]`, unit)
	b.Until(fmt.Sprintf("document.querySelector(%q)", selector))
	return selector
}

// shows looks at the bars of a unit that is late, of one that leaves for another place, and of one that is kept without end; buffers are hatched beside them.
func (w *consoleWorld) shows(b *browser.Browser) {
	look := func(name string, order map[string]any, class, says string) {
		s := order["stockItems"].([]any)[0].(map[string]any)
		selector := w.bar(b, s["unavailabilityId"].(string), s["inventoryArticleId"], s["pickupDate"].(string))
		b.Until(fmt.Sprintf(`document.querySelector('%s%s')?.ariaLabel.includes(%q)`, selector, class, says))
		if shots := os.Getenv("CONSOLE_SHOTS"); shots != "" {
			b.Shot(filepath.Join(shots, name+".png"))
		}
		require.Empty(w, b.Faint(), name)
	}
	places := w.ask("GET", "locations?pageSize=2", "")["data"].([]any)
	from := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 95)
	leaves := w.ask("POST", "orders", fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"returnLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q}]}`,
		places[0].(map[string]any)["id"], places[1].(map[string]any)["id"], w.first("skus?pageSize=1"), from.Format(time.RFC3339), from.Add(48*time.Hour).Format(time.RFC3339)))
	look("one-way", leaves, "", "goes to "+places[1].(map[string]any)["name"].(string)+" for good")
	hatched := func() bool {
		return b.Eval(`(() => {const s = getComputedStyle(document.querySelector("[data-bar]"), "::after"); return parseFloat(s.width) > 1 && s.backgroundImage.includes("repeating");})()`).(bool)
	}
	require.True(w, hatched(), "the buffer behind it")
	b.Eval(`document.querySelector("[data-bar]").style.setProperty("--after", "0px")`)
	require.False(w, hatched(), "a buffer that is left out is found")

	endless := w.ask("GET", "orders?status=open&sort=latestEndDate&direction=asc&pageSize=250", "")["data"].([]any)
	for _, o := range endless {
		if order := o.(map[string]any); order["latestEndDate"] == nil && order["earliestStartDate"] != nil {
			look("without-end", order, ".open", "→")
			break
		}
	}
	require.Equal(w, 1.0, b.Eval(`document.querySelectorAll(".bar.open").length`))

	var late []any
	require.Eventually(w, func() bool { // one of the demo's is to be back a minute after it began
		late = w.ask("GET", "orders?late=return", "")["data"].([]any)
		return len(late) > 0
	}, 2*time.Minute, time.Second)
	look("late", late[0].(map[string]any), ".late", "late")
	require.Empty(w, b.Noted())
}

// links opens the address of what one sees in another browser: it sees the same rows at the same time. Which bars are drawn beyond the edges may differ.
func (w *consoleWorld) links(b *browser.Browser) {
	b.Show("timeline?zoom=weeks")
	b.Until(`+document.querySelector(".tl").dataset.rows > 100`)
	b.Eval(`document.querySelector(".tl").scrollTop = 36 * 70; document.querySelector(".tl").scrollLeft += 200`)
	b.Until(`location.hash.includes("row=70")`)
	seen := func(b *browser.Browser) any {
		b.Until(`document.querySelector("[data-row='70'] .tl-name span")`)
		return b.Eval(`(() => {const e = document.querySelector(".tl"), r = document.querySelector("[data-row='70']"); return [r.querySelector(".tl-name").textContent, Math.round((r.getBoundingClientRect().top - e.getBoundingClientRect().top) / 36), Math.round((document.querySelector(".tl-now")?.getBoundingClientRect().left ?? -1e4) / 8)].join();})()`)
	}
	second := browser.Open(w.T, w.origin)
	second.Size(1440, 900, false)
	second.Visit(w.key, b.Eval(`location.hash.slice(2)`).(string))
	require.Equal(w, seen(b), seen(second))
	require.Empty(w, second.Noted())

	// An address that is given while scrolling comes to rest is where one goes.
	b.Eval(`document.querySelector(".tl").scrollLeft += 300; setTimeout(() => {location.hash = "#/timeline?on=1899999900000";}, 345)`)
	time.Sleep(time.Second)
	require.Equal(w, "#/timeline?on=1899999900000", strings.Split(b.Eval("location.hash").(string), "&")[0])
	require.Empty(w, b.Noted())
}

// agrees gives a view answers of different states: it reads them again, and at last a state that is pinned.
func (w *consoleWorld) agrees(b *browser.Browser) {
	b.Show("keys")
	b.Eval(`window.fetched = fetch; window.fetch = async (url, o) => {
		const got = await fetched(url, o);
		if (!url.includes("/conflicts?")) return got;
		reads.push(url);
		return url.includes("asOf=") || reads.length > strange ? got : new Response(await got.text(), {status: got.status, headers: {"X-Sequence": "1"}});
	}`)
	for strange, reads := range map[int]float64{0: 1, 1: 2, 100: 4} {
		b.Eval(fmt.Sprintf(`window.reads = []; window.strange = %d; location.hash = "#/today"`, strange))
		b.Until(`document.querySelector("[role=tab]")`)
		require.Equal(w, reads, b.Eval(`reads.length`), "%d answers of another state", strange)
		require.Equal(w, strange > 2, b.Eval(`reads.at(-1).includes("asOf=")`))
		b.Show("keys")
	}
	b.Reload()
	require.Empty(w, b.Noted())
}
