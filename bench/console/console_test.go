//go:build console

package console

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
	"holdfast/bench"
	"holdfast/bench/dataset"
	"holdfast/bench/load"
)

// This file owns the figures of the console: how soon a screen is there, how even its frames are, how many elements it has, and what it asks of the server.

const mostNodes = 5000

// figures are what is measured of one page.
type figures struct {
	*testing.T
	*browser.Browser
	server *load.Server
	report *bench.Report
}

func (f *figures) judge(name string, figure float64, target bench.Target) {
	r := bench.Judge(figure, target)
	r.Name = name
	f.report.Results = append(f.report.Results, r)
}

func TestFiguresOfTheConsole(t *testing.T) {
	scale, err := dataset.Scale()
	require.NoError(t, err)
	w, err := bench.Build(scale, func(text string) { t.Log(text) })
	require.NoError(t, err)
	defer w.Close()
	server, err := load.Serve(w)
	require.NoError(t, err)
	defer server.Close()
	f := &figures{t, browser.Open(t, "http://"+server.Address), server, bench.NewReport(scale)}
	f.Size(1640, 900, false)
	f.Visit(server.Key, "keys")
	f.judge("bytes before the first view", f.Eval(`performance.getEntriesByType("resource").filter((e) => e.name.includes("/console/")).reduce((n, e) => n + e.transferSize, 0)`).(float64), bench.NoTarget("B"))

	screen := fmt.Sprintf("timeline?zoom=season&on=%d", dataset.Middle)
	f.screen("100 rows by 90 days", screen, 3850, `document.querySelectorAll(".tl-row[data-row]").length >= Math.min(100, +document.querySelector(".tl")?.dataset.rows) && !document.querySelector(".tl-row:not([data-row])")`)
	f.screen("SKUs by 90 days", "heat?days=90&from="+fmt.Sprint(dataset.Middle), 900, `document.querySelectorAll(".cell").length > 400`)
	for _, zoom := range []string{"season", "weeks", "days", "hours"} {
		f.scrolls(zoom)
	}
	require.Empty(t, f.Noted())
	var table strings.Builder
	require.NoError(t, f.report.Table(&table))
	t.Log(table.String())
}

// there waits in the page for a view to be there, and gives how long that took up to the end of the frame that shows it.
const there = `new Promise((done) => {
	performance.clearResourceTimings();
	const began = performance.now(), end = () => done(performance.now() - began);
	location.hash = "#/%s";
	const look = () => {(%s) ? requestAnimationFrame(() => setTimeout(end)) : requestAnimationFrame(look);};
	requestAnimationFrame(look);
})`

// screen measures how soon a screen can be worked with after a click, how many elements it has, and what the server does for it.
func (f *figures) screen(name, view string, height int, is string) {
	f.Size(1640, height, false)
	var times []float64
	var asked []string
	for range 5 {
		f.Show("keys")
		times = append(times, f.Eval(fmt.Sprintf(there, view, is)).(float64))
		raw, err := json.Marshal(f.Eval(`performance.getEntriesByType("resource").filter((e) => e.name.includes("/v1/") && !e.name.includes("/changes")).map((e) => e.name)`))
		require.NoError(f.T, err)
		asked = nil
		require.NoError(f.T, json.Unmarshal(raw, &asked))
	}
	slices.Sort(times)
	f.judge(name+", interactive (median of 5)", times[2], bench.AtMost(500, "ms"))
	f.judge(name+", interactive (slowest)", times[4], bench.AtMost(500, "ms"))
	f.nodes(name, f.Eval(`document.querySelectorAll("*").length`).(float64))
	work, bytes := f.work(asked)
	f.judge(name+", "+fmt.Sprint(len(asked))+" requests", work, bench.AtMost(5, "ms"))
	f.judge(name+", answers", bytes, bench.NoTarget("B"))
}

func (f *figures) nodes(name string, n float64) {
	f.judge(name+", elements", n, bench.AtMost(mostNodes, ""))
	require.Less(f.T, n, float64(mostNodes), name)
}

// work is how long requests take together over the loopback, one after the other, transport included: the mean of many.
func (f *figures) work(asked []string) (ms, bytes float64) {
	const rounds = 30
	for _, url := range asked {
		var took time.Duration
		for round := range rounds + 3 {
			r, err := http.NewRequest("GET", url, nil)
			require.NoError(f.T, err)
			r.Header.Set("X-API-KEY", f.server.Key)
			began := time.Now()
			res, err := http.DefaultClient.Do(r)
			require.NoError(f.T, err)
			n, err := io.Copy(io.Discard, res.Body)
			require.NoError(f.T, err)
			res.Body.Close()
			require.Equal(f.T, 200, res.StatusCode, url)
			if round >= 3 {
				took += time.Since(began)
			}
			if round == 0 {
				bytes += float64(n)
			}
		}
		ms += float64(took) / float64(time.Millisecond) / rounds
	}
	return ms, bytes
}

// scrolling goes over all rows, so many pixels a frame, and gives how long frames took and the most elements there were.
const scrolling = `new Promise((done) => {
	const e = document.querySelector(".tl"), all = e.scrollHeight - e.clientHeight, step = Math.max(%d, all / 3000), frames = [];
	let nodes = 0, last = 0, drawn = 0;
	const turn = (t) => {
		if (last) frames.push(t - last);
		last = t;
		if (frames.length %% 4 === 0) {nodes = Math.max(nodes, document.getElementsByTagName("*").length); if (document.querySelector(".bar[data-bar]")) drawn++;}
		if (e.scrollTop >= all - 1) return done({frames, nodes, drawn: drawn * 4 / frames.length});
		e.scrollTop += step;
		requestAnimationFrame(turn);
	};
	requestAnimationFrame(turn);
})`

// scrolls measures frames while one scrolls from the first row to the last.
func (f *figures) scrolls(zoom string) {
	f.Size(1440, 900, false)
	f.Show(fmt.Sprintf("timeline?zoom=%s&on=%d", zoom, dataset.Middle))
	f.Until(`+document.querySelector(".tl").dataset.rows > 0`)
	f.Eval(`document.querySelector(".tl").scrollTop = 0`)
	time.Sleep(500 * time.Millisecond)
	var got struct {
		Frames       []float64
		Nodes, Drawn float64
	}
	raw, err := json.Marshal(f.Eval(fmt.Sprintf(scrolling, 90)))
	require.NoError(f.T, err)
	require.NoError(f.T, json.Unmarshal(raw, &got))
	slices.Sort(got.Frames)
	n := len(got.Frames)
	name := fmt.Sprintf("scrolling all rows, %s", zoom)
	f.judge(name+", p50 of "+fmt.Sprint(n)+" frames", got.Frames[n/2], bench.NoTarget("ms"))
	f.judge(name+", p99 of frames", got.Frames[n*99/100], bench.AtMost(50, "ms"))
	f.judge(name+", longest frame", got.Frames[n-1], bench.NoTarget("ms"))
	f.judge(name+", frames with bars", 100*got.Drawn, bench.NoTarget("%"))
	f.nodes(name, got.Nodes)
}
