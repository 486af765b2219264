//go:build console

package main

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file holds the figures that the page shows of the service against its metrics.

// metric is the value of a series of the metrics.
func (w *consoleWorld) metric(text, series string) float64 {
	w.Helper()
	found := regexp.MustCompile(`(?m)^` + series + `(?:\{[^}]*\})? (\S+)$`).FindStringSubmatch(text)
	require.NotNil(w, found, series)
	v, err := strconv.ParseFloat(found[1], 64)
	require.NoError(w, err)
	return v
}

// figures reads the cards and the facts of the view, and holds them against what the metrics say.
func (w *consoleWorld) figures(b *browser.Browser) {
	b.Show("health")
	shown := func() map[string]any {
		return b.Eval(`Object.fromEntries([...[...document.querySelectorAll("main .card")].map((x) => [x.querySelector("h3").textContent, x.querySelector(".figure").firstChild.data]),
			...[...document.querySelectorAll("main .facts div")].map((x) => [x.firstChild.textContent, x.lastChild.textContent]),
			["Refused", document.querySelectorAll("main .card .figure small")[2].textContent.match(/ ([\d,.\s]*) refused/)[1]]].map(([k, v]) => [k, v.trim().replace(/(\d)\D(?=\d{3}(\D|$))/g, "$1")]))`).(map[string]any)
	}
	differ := func() (list []string) {
		res, err := http.Get("http://" + w.metrics + "/metrics")
		require.NoError(w, err)
		defer res.Body.Close()
		raw, err := io.ReadAll(res.Body)
		require.NoError(w, err)
		text, is := string(raw), shown()
		whole := func(v float64) string { return fmt.Sprintf("%.0f", v) }
		for name, want := range map[string]string{
			"Sequence": whole(w.ask("GET", "articles/bars?pageSize=1", "")["sequence"].(float64)),
			"Queue":    whole(w.metric(text, "holdfast_commands_queued")),
			"Refused":  whole(w.metric(text, "holdfast_commands_refused_total")),
			"Webhooks": whole(w.metric(text, "holdfast_webhook_deliveries_queued")),
			"Sync of the log": fmt.Sprintf("%.2f",
				1000*w.metric(text, "holdfast_log_sync_seconds_sum")/w.metric(text, "holdfast_log_sync_seconds_count")),
			"Log records": whole(w.metric(text, "holdfast_commit_groups_total")),
			"Articles":    whole(w.metric(text, "holdfast_articles")),
			"Units taken": whole(w.metric(text, "holdfast_units_taken")),
			"Snapshots":   whole(w.metric(text, "holdfast_snapshots_held")),
			"On disk":     whole(math.Round(w.metric(text, "holdfast_disk_bytes")/(1<<20))) + " MiB",
		} {
			if is[name] != want {
				list = append(list, fmt.Sprintf("%s: %v, not %s", name, is[name], want))
			}
		}
		return list
	}
	var last []string
	if !assert.Eventually(w, func() bool { last = differ(); return len(last) == 0 }, 20*time.Second,
		200*time.Millisecond) {
		require.Empty(w, last)
	}
	b.Says("main .notice.warn", w.ask("GET", "health", "")["backupFault"].(string))
	b.Eval(`window.fetched = fetch; window.fetch = async (url, o) => {
		const got = await fetched(url, o);
		return url.includes("/health") ? new Response(JSON.stringify({...await got.json(), articles: 7})) : got;
	}; 0`)
	b.Until(`[...document.querySelectorAll("main .facts dd")].some((x) => x.textContent === "7")`)
	require.Contains(w, strings.Join(differ(), "\n"), "Articles: 7", "a figure that is not the service's is found")
	b.Reload()
	require.Empty(w, b.Noted())
}
