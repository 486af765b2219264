//go:build console

package main

import (
	"fmt"
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

// shows looks at the bars of a unit that is late, of one that leaves for another place, of one in repair, and of one
// that is kept without end; buffers are hatched beside them.
func (w *consoleWorld) shows(b *browser.Browser) {
	look := func(name string, order map[string]any, class, says string) {
		s := order["stockItems"].([]any)[0].(map[string]any)
		selector := w.bar(b, s["unavailabilityId"].(string), s["inventoryArticleId"], s["pickupDate"].(string))
		b.Until(fmt.Sprintf(`document.querySelector('%s%s')?.ariaLabel.includes(%q)`, selector, class, says))
		if shots() != "" {
			b.Shot(filepath.Join(shots(), name+".png"))
		}
		require.Empty(w, b.Faint(), name)
	}
	places := w.ask("GET", "locations?pageSize=2", "")["data"].([]any)
	from := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 95)
	leaves := w.ask("POST", "orders",
		fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"returnLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q}]}`,
			places[0].(map[string]any)["id"], places[1].(map[string]any)["id"], w.first("skus?pageSize=1"),
			from.Format(time.RFC3339), from.Add(48*time.Hour).Format(time.RFC3339)))
	look("one-way", leaves, "", "goes to "+places[1].(map[string]any)["name"].(string)+" for good")
	hatched := func() bool {
		return b.Eval(`(() => {const s = getComputedStyle(document.querySelector("[data-bar]"), "::after"); return parseFloat(s.width) > 1 && s.backgroundImage.includes("repeating");})()`).(bool)
	}
	require.True(w, hatched(), "the buffer behind it")
	b.Eval(`document.querySelector("[data-bar]").style.setProperty("--after", "0px")`)
	require.False(w, hatched(), "a buffer that is left out is found")

	stand := w.ask("POST", "articles",
		fmt.Sprintf(`{"name":"Stand","quantities":[{"serviceLocationId":%q,"count":1,"from":"2026-01-01T00:00:00Z"}]}`,
			places[0].(map[string]any)["id"]))["id"].(string)
	w.ask("POST", "articles/"+stand+"/scheduled-events",
		fmt.Sprintf(`{"type":"reservation","name":"Brakes","serviceLocationId":%q,"startDate":%q,"endDate":%q}`,
			places[0].(map[string]any)["id"], from.Format(time.RFC3339), from.Add(24*time.Hour).Format(time.RFC3339)))
	service := w.ask("GET", fmt.Sprintf("articles/bars?ids=%s&dateRange[from]=%s&dateRange[to]=%s", stand,
		from.Format(time.RFC3339), from.Add(time.Hour).Format(time.RFC3339)),
		"")["data"].([]any)[0].(map[string]any)["bars"].([]any)[0].(map[string]any)["id"].(string)
	b.Until(fmt.Sprintf(`document.querySelector('%s.event')?.ariaLabel.startsWith("Brakes, Stand, ")`,
		w.bar(b, service, stand, from.Format(time.RFC3339))))

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

// curves holds the curve of a lot against the steps that the interface tells, at noon of each day; its units are bars
// when they are opened.
func (w *consoleWorld) curves(b *browser.Browser) {
	const units = 12
	at := w.ask("POST", "locations", `{"name":"Depot","timezone":"UTC"}`)["id"]
	article := w.ask("POST", "articles",
		fmt.Sprintf(`{"name":"Cones","quantities":[{"serviceLocationId":%q,"count":%d,"from":"2026-01-01T00:00:00Z"}]}`,
			at, units))["id"]
	first := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 200)
	day := func(n float64) string {
		return first.Add(time.Duration(n * 24 * float64(time.Hour))).Format(time.RFC3339)
	}
	for _, h := range []struct {
		n        int
		from, to float64
	}{{3, 1, 3}, {5, 2.5, 4}, {2, 2.25, 2.75}, {4, 5, 6}} {
		w.ask("POST", "holds",
			fmt.Sprintf(`{"lines":[{"articleId":%q,"serviceLocationId":%q,"from":%q,"to":%q,"quantity":%d}]}`, article,
				at, day(h.from), day(h.to), h.n))
	}
	w.ask("POST", fmt.Sprintf("articles/%s/decrease-quantity", article),
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":9,"effectiveFrom":%q,"force":true}`, at, day(4.5)))
	row := w.ask("GET", fmt.Sprintf("articles/bars?ids=%s&dateRange[from]=%s&dateRange[to]=%s", article, day(-1),
		day(8)), "")["data"].([]any)[0].(map[string]any)
	var want []string
	for n := range 7 {
		var taken, stock any
		for _, s := range row["steps"].([]any) {
			if s := s.(map[string]any); s["from"].(string) <= first.Add(time.Duration(24*n+12)*time.Hour).
				Format("2006-01-02T15:04:05.000Z") {
				taken, stock = s["taken"], s["stock"]
			}
		}
		want = append(want, fmt.Sprintf("%d: %v of %v", first.AddDate(0, 0, n).Day(), taken, stock))
	}
	require.Equal(w, fmt.Sprintf("%d: 10 of 12", first.AddDate(0, 0, 2).Day()), want[2],
		"3, 5 from that noon on, and 2 that are there until the evening")
	b.Show(fmt.Sprintf("timeline?at=%s&article=%s&on=%d", at, article, first.UnixMilli()))
	b.Until(`document.querySelector(".lot .taken")`)
	drawn := func() any {
		return b.Eval(fmt.Sprintf(`(() => {
			const svg = document.querySelector(".lot"), left = parseFloat(svg.style.left), all = {};
			for (const of of ["taken", "stock"]) all[of] = [...svg.querySelector("." + of).getAttribute("d").matchAll(/[ML]([\d.]+),([\d.]+)H([\d.]+)/g)].map((m) => m.slice(1).map(Number));
			const at = (of, x) => {const y = all[of].find(([a, , b]) => a <= x && x < b)?.[1]; return y === undefined ? "?" : Math.round((32 - y) * %d / 26 * 100) / 100;};
			const days = [...document.querySelectorAll(".tl-small")].map((m) => [m.textContent.replace(/\D/g, ""), parseFloat(m.style.left) + 75.5 - left]), first = days.findIndex(([day]) => day === "%d");
			return days.slice(first, first + 7).map(([day, x]) => day + ": " + at("taken", x) + " of " + at("stock", x)).join("; ");
		})()`, units, first.Day()))
	}
	require.Equal(w, strings.Join(want, "; "), drawn())
	require.Zero(w, b.Eval(`document.querySelectorAll(".tl-row [data-bar]:not(.conflict)").length`), "not a bar each")
	require.Equal(w, 1.0, b.Eval(`document.querySelectorAll(".lot .over").length`),
		"where more are promised than there are")
	b.Eval(`(() => {const p = document.querySelector(".lot .taken"); p.setAttribute("d", p.getAttribute("d").replace(/L([\d.]+),([\d.]+)H([\d.]+)/g, (m, a, y, b) => "L" + (+a + 150) + "," + y + "H" + (+b + 150)));})()`)
	require.NotEqual(w, strings.Join(want, "; "), drawn(), "a curve that is off by a day is found")
	b.Reload()
	b.Until(`document.querySelector(".lot .taken")`)
	b.Click(".tl-row", "Show the units of Cones")
	slots := map[any]bool{}
	for _, x := range row["bars"].([]any) {
		slots[x.(map[string]any)["slotId"]] = true
	}
	b.Until(fmt.Sprintf(`document.querySelectorAll(".tl-row.unit").length === %d`, len(slots)))
	require.Equal(w, float64(len(row["bars"].([]any))),
		b.Eval(`document.querySelectorAll(".tl-row.unit [data-bar]").length`))
	if shots() != "" {
		b.Shot(filepath.Join(shots(), "lot.png"))
	}
	require.Empty(w, b.Noted())
}

// links opens the address of what one sees in another browser: it sees the same rows at the same time. Which bars are
// drawn beyond the edges may differ.
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

	// The heat map, in a window that shows some of its rows alone.
	for _, each := range []*browser.Browser{b, second} {
		each.Size(1440, 420, false)
	}
	b.Show("heat?days=14")
	b.Eval(`document.querySelector(".heat").scrollTop = 34 * 5`)
	b.Until(`location.hash.includes("row=5")`)
	top := `[...document.querySelectorAll(".heat-row")].find((x) => x.getBoundingClientRect().top >= document.querySelector(".heat-head").getBoundingClientRect().bottom - 1)?.innerText`
	second.Show(b.Eval(`location.hash.slice(2)`).(string))
	second.Until(top)
	require.Equal(w, b.Eval(top), second.Eval(top))
	second.Eval(`document.querySelector(".heat").scrollTop = 0`)
	require.NotEqual(w, b.Eval(top), second.Eval(top), "another row is found")
	b.Size(1440, 900, false)
	b.Show("timeline?zoom=weeks")
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
