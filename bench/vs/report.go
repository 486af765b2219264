package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"holdfast/bench"
)

// This file owns the table, the JSON and the chart.

type report struct {
	When       time.Time `json:"when"`
	CPU        string    `json:"cpu"`
	CPUs       int       `json:"cpus"`
	Go         string    `json:"go"`
	PostgreSQL string    `json:"postgresql"`
	Scale      float64   `json:"scale"`
	Articles   int       `json:"articles"`
	Bookings   int       `json:"bookings"`
	Rows       []row     `json:"rows"`
	Floors     []floor   `json:"floors"`

	exampleQuery, exampleBody []byte
}

type row struct {
	Work     string   `json:"work"`
	About    string   `json:"about"`
	Clients  int      `json:"clients"`
	Holdfast measured `json:"holdfast"`
	Postgres measured `json:"postgresql"`
	Ratio    float64  `json:"ratio"`
	Goal     float64  `json:"goal,omitempty"` // at 32 clients
}

type floor struct {
	Clients int      `json:"clients"`
	Get     measured `json:"emptyGet"`
	Post    measured `json:"emptyPost"`
	Synced  measured `json:"syncedBatches"`
}

const goalClients = 32

func newReport(scale float64, version string, s *sharedStock) *report {
	q := s.questions(1, 11, false)[0]
	return &report{
		When: time.Now().UTC().Truncate(time.Second), CPU: bench.Processor(), CPUs: runtime.GOMAXPROCS(0),
		Go: runtime.Version(), PostgreSQL: version,
		Scale: scale, Articles: len(s.articles), Bookings: len(s.bookings),
		exampleQuery: s.pointQuery(q), exampleBody: s.holdBody(s.sale, 0, s.saleWindow),
	}
}

func (r *report) add(w work, n int, ours, theirs measured) {
	x := row{w.name, w.about, n, ours, theirs, ours.PerSecond / theirs.PerSecond, 0}
	if n == goalClients || w.most > 0 && n == w.most {
		x.Goal = w.goal
	}
	r.Rows = append(r.Rows, x)
}

func (r *report) write(o options) error {
	if err := r.table(os.Stdout); err != nil {
		return err
	}
	return bench.WriteReport(o.json, r, o.chart, r.chart)
}

func (r *report) table(to io.Writer) error {
	fmt.Fprintf(to, "\n%s, %d CPUs (%s), %s, PostgreSQL %s, scale %g: %d articles, %d bookings; clients on the "+
		"same CPUs\n\n",
		r.When.Format(time.DateOnly), r.CPUs, r.CPU, r.Go, r.PostgreSQL, r.Scale, r.Articles, r.Bookings)
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "work\tclients\tHoldfast\tp50\tp99\tPostgreSQL\tp50\tp99\ttimes\tgoal\t")
	for _, x := range r.Rows {
		goal := ""
		if x.Goal > 0 {
			goal = fmt.Sprintf("%g: met", x.Goal)
			if x.Ratio < x.Goal {
				goal = fmt.Sprintf("%g: missed", x.Goal)
			}
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", x.Work, x.Clients, rate(x.Holdfast.PerSecond),
			ms(x.Holdfast.P50us), ms(x.Holdfast.P99us),
			rate(x.Postgres.PerSecond), ms(x.Postgres.P50us), ms(x.Postgres.P99us), times(x.Ratio), goal)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(to)
	fmt.Fprintln(t, "floor\tclients\tempty GET\tempty POST\tPebble, synced\t")
	for _, x := range r.Floors {
		fmt.Fprintf(t, "\t%d\t%s\t%s\t%s\t\n", x.Clients, rate(x.Get.PerSecond), rate(x.Post.PerSecond),
			rate(x.Synced.PerSecond))
	}
	return t.Flush()
}

func rate(x float64) string { return digits(x) + " /s" }
func ms(us float64) string  { return digits(us/1000) + " ms" }
func times(x float64) string {
	return digits(x)
}

// digits shows three digits, or all in front of the point.
func digits(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// chart shows how many times PostgreSQL's rate each kind of work reaches, on a logarithmic axis, at the most clients up
// to 32.
func (r *report) chart() []byte {
	best := map[string]row{}
	var names []string
	for _, x := range r.Rows {
		if x.Clients > goalClients {
			continue
		}
		if _, seen := best[x.Work]; !seen {
			names = append(names, x.Work)
		}
		best[x.Work] = x
	}
	const left, width, step, top = 190, 420, 34, 64
	most := 1.0
	for _, x := range best {
		most = max(most, x.Ratio)
	}
	decades := math.Ceil(math.Log10(most))
	place := func(x float64) float64 { return left + width*math.Log10(max(1, x))/decades }
	var b strings.Builder
	height := top + step*len(names) + 40
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 %d" font-family="system-ui, sans-serif" font-size="14">`+"\n", height)
	fmt.Fprintf(&b, `<rect width="820" height="%d" fill="#fff"/>`+"\n", height)
	fmt.Fprintf(&b, `<text x="16" y="28" font-size="17" font-weight="600">Holdfast beside PostgreSQL %s: times as many answers a second</text>`+"\n", r.PostgreSQL)
	for d := range int(decades) + 1 {
		x := place(math.Pow(10, float64(d)))
		fmt.Fprintf(&b, `<path d="M%.0f %d V%d" stroke="#ddd"/><text x="%.0f" y="%d" text-anchor="middle" fill="#666" font-size="12">%.0f×</text>`+"\n",
			x, top-8, height-36, x, top-14, math.Pow(10, float64(d)))
	}
	for i, name := range names {
		x, y := best[name], top+i*step
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text><rect x="%d" y="%d" width="%.0f" height="20" rx="2" fill="#1f6f5c"/>`,
			left-10, y+15, name, left, y, max(1, place(x.Ratio)-left))
		fmt.Fprintf(&b, `<text x="%.0f" y="%d" fill="#333">%s×  <tspan fill="#666" font-size="12">%s against %s /s</tspan></text>`+"\n",
			max(left, place(x.Ratio))+8, y+15, times(x.Ratio), digits(x.Holdfast.PerSecond),
			digits(x.Postgres.PerSecond))
	}
	fmt.Fprintf(&b, `<text x="16" y="%d" fill="#666" font-size="12">%s, %d CPUs (%s), %d articles, %d bookings, %d clients on the same CPUs (bulk: 8), both durable; make bench-vs</text>`+"\n",
		height-10, r.When.Format(time.DateOnly), r.CPUs, r.CPU, r.Articles, r.Bookings, goalClients)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}
