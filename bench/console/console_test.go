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

// This file owns the figures of the console: how soon a screen is there, how even its frames are, how many elements it
// has, and what it asks of the server.

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
	f.Logf("%s: %.4g %s", name, figure, target.Unit)
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
	f.Call("Performance.setTimeDomain", map[string]any{"timeDomain": "threadTicks"})
	f.Call("Performance.enable", nil)
	f.Visit(server.Key, "keys")
	f.judge("bytes before the first view",
		f.Eval(`performance.getEntriesByType("resource").filter((e) => e.name.includes("/console/")).reduce((n, e) => n + e.transferSize, 0)`).(float64), bench.NoTarget("B"))

	screen := fmt.Sprintf("timeline?zoom=season&on=%d", dataset.Middle)
	f.screen("100 rows by 90 days", screen, 3850,
		`document.querySelectorAll(".tl-row[data-row]").length >= 100 && !document.querySelector(".tl-row:not([data-row])")`)
	f.screen("SKUs by 90 days", "heat?days=90&from="+fmt.Sprint(dataset.Middle), 900,
		`document.querySelectorAll(".cell").length > 400`)
	for _, zoom := range []string{"season", "weeks", "days", "hours"} {
		f.scrolls(zoom)
	}
	f.stalls()
	require.Empty(t, f.Noted())
	var table strings.Builder
	require.NoError(t, f.report.Table(&table))
	t.Log(table.String())
}

// there waits in the page for a view to be there, and gives how long that took up to the end of the frame that shows
// it.
const there = `new Promise((done) => {
	performance.clearResourceTimings();
	const began = performance.now(), end = () => done(performance.now() - began);
	location.hash = "#/%s";
	const look = () => {(%s) ? requestAnimationFrame(() => setTimeout(end)) : requestAnimationFrame(look);};
	requestAnimationFrame(look);
})`

// screen measures how soon a screen can be worked with after a click, how many elements it has, and what the server
// does for it.
func (f *figures) screen(name, view string, height int, is string) {
	f.Size(1640, height, false)
	var times []float64
	var asked []request
	for range 5 {
		f.Show("keys")
		times = append(times, f.Eval(fmt.Sprintf(there, view, is)).(float64))
		raw, err := json.Marshal(
			f.Eval(`performance.getEntriesByType("resource").filter((e) => e.name.includes("/v1/") && !e.name.includes("/changes")).map((e) => ({url: e.name, coding: e.contentEncoding || "gzip"}))`))
		require.NoError(f.T, err)
		asked = nil
		require.NoError(f.T, json.Unmarshal(raw, &asked))
	}
	f.Show("keys")
	spent := f.worked()
	f.Eval(fmt.Sprintf(there, view, is))
	f.judge(name+", CPU of the page's thread", 1000*(f.worked()-spent), bench.NoTarget("ms"))
	slices.Sort(times)
	f.judge(name+", interactive (median of 5)", times[2], bench.AtMost(500, "ms"))
	f.judge(name+", interactive (slowest)", times[4], bench.AtMost(500, "ms"))
	f.nodes(name, f.Eval(`document.querySelectorAll("*").length`).(float64))
	work, cpu, bytes := f.work(asked)
	f.judge(name+", "+fmt.Sprint(len(asked))+" requests", work, bench.AtMost(5, "ms"))
	f.judge(name+", CPU of server and asker", cpu, bench.AtMost(5, "ms"))
	f.judge(name+", answers", bytes, bench.NoTarget("B"))
}

func (f *figures) nodes(name string, n float64) {
	f.judge(name+", elements", n, bench.AtMost(mostNodes, ""))
	require.Less(f.T, n, float64(mostNodes), name)
}

// request is one that the page made, and the coding that its answer came in.
type request struct{ URL, Coding string }

// work is how long requests take together over the loopback, one after the other, transport included, and what CPU time
// the process, which is server and asker in one, spends on them: the mean of many. Answers come in the coding that the
// browser had them in, and are not unpacked: that is the browser's work.
func (f *figures) work(asked []request) (ms, cpu, bytes float64) {
	const rounds = 30
	var t bench.Tally
	for _, r := range asked {
		bytes += float64(f.ask(r))
		f.ask(r)
		stop := t.Start()
		for range rounds {
			f.ask(r)
		}
		stop(rounds)
	}
	return t.Took.Seconds() * 1000 / rounds, t.Sample().CPU.Seconds() * 1000 * float64(len(asked)), bytes
}

// ask asks the interface as the page does, and gives the length of the answer as it is sent.
func (f *figures) ask(q request) int64 {
	r, err := http.NewRequest("GET", q.URL, nil)
	require.NoError(f.T, err)
	r.Header.Set("X-API-KEY", f.server.Key)
	r.Header.Set("Accept-Encoding", q.Coding)
	res, err := http.DefaultClient.Do(r)
	require.NoError(f.T, err)
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	require.NoError(f.T, err)
	require.Equal(f.T, 200, res.StatusCode, q.URL)
	return n
}

// scrolling goes on over all rows for some frames, so many pixels each, and gives how long frames took and the most
// elements there were.
const scrolling = `new Promise((done) => {
	const e = document.querySelector(".tl"), all = e.scrollHeight - e.clientHeight, step = Math.max(90, all / 3000), frames = [];
	const began = performance.now();
	let nodes = 0, last = 0, drawn = 0;
	const turn = (t) => {
		if (last) frames.push(t - last);
		last = t;
		nodes = Math.max(nodes, document.getElementsByTagName("*").length);
		if (document.querySelector(".bar[data-bar]")) drawn++;
		const end = e.scrollTop >= all - 1;
		if (end || frames.length === 100 || t - began > 60000) return done({frames, nodes, drawn, end});
		e.scrollTop += step;
		frame();
	};
	const frame = () => { // a browser that draws nothing for two seconds has had a frame of two seconds
		let on = true;
		const next = () => {
			if (on) turn(performance.now());
			on = false;
		};
		requestAnimationFrame(next);
		setTimeout(next, 2000);
	};
	frame();
})`

// scrolls measures frames while one scrolls from the first row to the last.
func (f *figures) scrolls(zoom string) {
	f.Size(1440, 900, false)
	f.Show(fmt.Sprintf("timeline?zoom=%s&on=%d", zoom, dataset.Middle))
	f.Until(`+document.querySelector(".tl").dataset.rows > 0`)
	f.Eval(`document.querySelector(".tl").scrollTop = 0`)
	time.Sleep(500 * time.Millisecond)
	var frames []float64
	var nodes, drawn float64
	work := f.worked()
	for end := false; !end; {
		got := f.scroll()
		frames, nodes, drawn, end = append(frames, got.Frames...), max(nodes, got.Nodes), drawn+got.Drawn, got.End
	}
	work = f.worked() - work
	slices.Sort(frames)
	n := len(frames)
	name := fmt.Sprintf("scrolling all rows, %s", zoom)
	f.judge(name+", p50 of "+fmt.Sprint(n)+" frames", frames[n/2], bench.NoTarget("ms"))
	f.judge(name+", p99 of frames", frames[n*99/100], bench.AtMost(50, "ms"))
	f.judge(name+", longest frame", frames[n-1], bench.NoTarget("ms"))
	f.judge(name+", CPU of the page's thread, a frame", 1000*work/float64(n), bench.NoTarget("ms"))
	f.judge(name+", frames with bars", 100*drawn/float64(n), bench.NoTarget("%"))
	f.nodes(name, nodes)
}

// scrolled is what some frames of scrolling were like.
type scrolled struct {
	Frames       []float64
	Nodes, Drawn float64 // the most elements, and in how many frames there were bars
	End          bool    // the last row is there
}

// scroll scrolls for some frames.
func (f *figures) scroll() (got scrolled) {
	raw, err := json.Marshal(f.Eval(scrolling))
	require.NoError(f.T, err)
	require.NoError(f.T, json.Unmarshal(raw, &got))
	return got
}

// stalls has the page do nothing for a while in each tenth frame of scrolling: the frames that are measured are as
// long.
func (f *figures) stalls() {
	const ms = 120
	f.Show(fmt.Sprintf("timeline?zoom=weeks&on=%d", dataset.Middle))
	f.Eval(fmt.Sprintf(`document.querySelector(".tl").scrollTop = window.scrolls = 0; document.querySelector(".tl").addEventListener("scroll", () => {
		for (const end = performance.now() + (++scrolls %% 10 ? 0 : %d); performance.now() < end;);
	})`, ms))
	frames := f.scroll().Frames
	slices.Sort(frames)
	require.Greater(f.T, len(frames), 20)
	require.GreaterOrEqual(f.T, frames[len(frames)*99/100], float64(ms), "frames that take too long are found")
}

// worked is how many seconds of CPU time the page's thread has spent on tasks.
func (f *figures) worked() float64 {
	var got struct {
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	f.Into(&got, "Performance.getMetrics", nil)
	i := slices.IndexFunc(got.Metrics, func(m struct {
		Name  string
		Value float64
	}) bool {
		return m.Name == "TaskDuration"
	})
	return got.Metrics[i].Value
}
