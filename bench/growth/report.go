package main

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"holdfast/bench"
)

// This file owns the table, the JSON and the chart.

type report struct {
	When  time.Time `json:"when"`
	CPU   string    `json:"cpu"`
	CPUs  int       `json:"cpus"`
	Go    string    `json:"go"`
	Note  string    `json:"note,omitempty"`
	Sizes []size    `json:"sizes"`
}

func newReport(note string) *report {
	return &report{Note: note, When: time.Now().UTC().Truncate(time.Second), CPU: bench.Processor(),
		CPUs: runtime.GOMAXPROCS(0), Go: runtime.Version()}
}

// readReport reads what write has written.
func readReport(name string) (*report, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := &report{}
	if err := json.Unmarshal(text, r); err != nil || len(r.Sizes) == 0 {
		return nil, fmt.Errorf("%s is no file that -json wrote", name)
	}
	return r, nil
}

// write writes the files that were asked for.
func (r *report) write(o options) error {
	return bench.WriteReport(o.json, r, o.chart, r.chart)
}

// machine says when and on what the figures were taken.
func (r *report) machine() string {
	text := fmt.Sprintf("%s, %d CPUs (%s), %s", r.When.Format(time.DateOnly), r.CPUs, r.CPU, r.Go)
	if r.Note != "" {
		text += ", " + r.Note
	}
	return text
}

func (r *report) table(to io.Writer) error {
	fmt.Fprintf(to, "\n%s; one caller or client on the same CPUs\n\n", r.machine())
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "articles\tholds\twork\tp50\tp99\tover HTTP p50\tp99\tanswer\t")
	for _, s := range r.Sizes {
		for _, w := range s.Works {
			fmt.Fprintf(t, "%d\t%d\t%s\t%s\t%s\t%s\t%s\t%.0f B\t\n", s.Articles, s.Holds, w.Name, took(w.P50us),
				took(w.P99us), took(w.HTTPP50), took(w.HTTPP99), w.Bytes)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(to)
	fmt.Fprintln(t, "articles\tholds\tstart-up\theap a hold\tcollector's share\tcollections\tCPU time of "+
		"one\trequests\tallocated a request\tlive heap\t")
	for _, s := range r.Sizes {
		c := s.Collector
		fmt.Fprintf(t, "%d\t%d\t%s s\t%.0f B\t%s %%\t%d\t%s s\t%.0f /s\t%.0f B\t%.0f MB\t\n", s.Articles, s.Holds,
			bench.Number(s.StartUp), s.Heap,
			bench.Number(c.Percent), c.Cycles, bench.Number(c.GC/float64(max(1, c.Cycles))), c.Requests, c.Garbage,
			c.Heap/1e6)
	}
	return t.Flush()
}

// took is a time in the unit that one reads it in.
func took(us float64) string {
	switch {
	case us == 0:
		return ""
	case us >= 1e6:
		return bench.Number(us/1e6) + " s"
	case us >= 1000:
		return bench.Number(us/1000) + " ms"
	}
	return bench.Number(us) + " us"
}

// line is one line of the chart: a time in us for each size.
type line struct {
	name, color string
	us          []float64
}

// names are what the kinds of work are called in the chart.
var names = map[string]string{
	"point": "one article", "SKU": "a SKU at a place", "list": "first 50 of the list", "calendar": "90-day calendar",
	"hold": "one hold, durable",
}

var colors = []string{"#1f6f5c", "#3b6fb6", "#b6553b", "#7a4fa3", "#8a6d1f"}

func (r *report) lines() (list []line) {
	for i, w := range r.Sizes[0].Works {
		l := line{name: names[w.Name], color: colors[i%len(colors)]}
		for _, s := range r.Sizes {
			l.us = append(l.us, s.Works[i].HTTPP50)
		}
		list = append(list, l)
	}
	start := line{name: "start-up", color: "#666"}
	for _, s := range r.Sizes {
		start.us = append(start.us, 1e6*s.StartUp)
	}
	return append(list, start)
}

// chart shows what one client waits for each kind of work at each size, over HTTP, on two logarithmic axes: what
// follows the answer is level, what follows the stock rises as the dashed line does.
func (r *report) chart() []byte {
	const left, width, right, top, height = 70, 470, 280, 56, 400
	lines := r.lines()
	least, most := math.Inf(1), 0.0
	for _, l := range lines {
		least, most = min(least, slices.Min(l.us)), max(most, slices.Max(l.us))
	}
	first, last := float64(r.Sizes[0].Articles), float64(r.Sizes[len(r.Sizes)-1].Articles)
	low, high := math.Floor(math.Log10(least)), math.Ceil(math.Log10(most))
	x := func(articles float64) float64 {
		return left + width*math.Log10(articles/first)/max(1, math.Log10(last/first))
	}
	y := func(us float64) float64 { return top + height*(high-math.Log10(us))/(high-low) }
	var b strings.Builder
	w, h := left+width+right, top+height+64
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="14">`+"\n", w, h)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", w, h)
	b.WriteString(`<text x="16" y="28" font-size="17" font-weight="600">What one client waits, the middle time, as the stock grows</text>` + "\n")
	for e := low; e <= high; e++ {
		us := math.Pow(10, e)
		fmt.Fprintf(&b, `<path d="M%d %.0fH%d" stroke="#ddd"/><text x="%d" y="%.0f" text-anchor="end" fill="#666" font-size="12">%s</text>`+"\n",
			left, y(us), left+width, left-8, y(us)+4, took(us))
	}
	for _, s := range r.Sizes {
		fmt.Fprintf(&b, `<path d="M%.0f %dV%d" stroke="#eee"/><text x="%.0f" y="%d" text-anchor="middle" fill="#666" font-size="12">%s articles</text>`+"\n",
			x(float64(s.Articles)), top, top+height, x(float64(s.Articles)), top+height+20, thousands(s.Articles))
	}
	foot := math.Pow(10, low)
	fmt.Fprintf(&b, `<path d="M%.0f %.0fL%.0f %.0f" stroke="#bbb" stroke-dasharray="5 5"/>`+"\n", x(first), y(foot),
		x(last), y(foot*last/first))
	behind := math.Pow(last/first, 0.8)
	fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="end" fill="#999" font-size="12">as the stock</text>`+"\n",
		x(first*behind)-4, y(foot*behind)-4)
	labels := make([]float64, len(lines))
	order := make([]int, len(lines))
	for i, l := range lines {
		var path strings.Builder
		for k, us := range l.us {
			fmt.Fprintf(&path, "%c%.0f %.1f", "ML"[min(k, 1)], x(float64(r.Sizes[k].Articles)), y(us))
			fmt.Fprintf(&b, `<circle cx="%.0f" cy="%.1f" r="3.5" fill="%s"/>`+"\n", x(float64(r.Sizes[k].Articles)),
				y(us), l.color)
		}
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", path.String(), l.color)
		labels[i], order[i] = y(l.us[len(l.us)-1])+5, i
	}
	// Labels keep a distance, the uppermost where it belongs.
	slices.SortFunc(order, func(i, j int) int { return int(labels[i] - labels[j]) })
	for n, i := range order {
		if n > 0 {
			labels[i] = max(labels[i], labels[order[n-1]]+18)
		}
		us := lines[i].us
		fmt.Fprintf(&b, `<text x="%d" y="%.0f" fill="%s">%s  <tspan fill="#666" font-size="12">%s to %s</tspan></text>`+
			"\n",
			left+width+12, labels[i], lines[i].color, lines[i].name, took(us[0]), took(us[len(us)-1]))
	}
	fmt.Fprintf(&b, `<text x="16" y="%d" fill="#666" font-size="12">%s; ten holds an article; over HTTP; make bench-growth</text>`+"\n", h-12, html.EscapeString(r.machine()))
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// thousands writes a number with commas.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
