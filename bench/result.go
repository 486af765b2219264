package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// This file owns a figure with its target, and the table of all.

// Target is what a figure has to reach: at least or at most so much of a unit.
type Target struct {
	Value   float64 `json:"value"` // 0: nothing is demanded
	Unit    string  `json:"unit"`  // us | ms | s | /s | B | %
	AtLeast bool    `json:"atLeast"`
}

// AtMost is a target from above.
func AtMost(v float64, unit string) Target { return Target{Value: v, Unit: unit} }

// AtLeast is a target from below.
func AtLeast(v float64, unit string) Target { return Target{Value: v, Unit: unit, AtLeast: true} }

// NoTarget is the unit of a figure that nothing is demanded of.
func NoTarget(unit string) Target { return Target{Unit: unit} }

// Result is one figure.
type Result struct {
	Name      string  `json:"name"`
	Figure    float64 `json:"figure"` // in the target's unit
	PerSecond float64 `json:"perSecond,omitempty"`
	P50us     float64 `json:"p50us,omitempty"`
	P99us     float64 `json:"p99us,omitempty"`
	CPUus     float64 `json:"cpuus,omitempty"` // CPU time of the process per operation
	Allocs    float64 `json:"allocs"`          // per operation; -1: not counted
	Target    Target  `json:"target"`
	Met       bool    `json:"met"`
	Note      string  `json:"note,omitempty"`
	Err       string  `json:"error,omitempty"` // it could not be measured
}

// Mean is the result of a sample whose figure is the mean time of an operation, in us or ms.
func Mean(s Sample, t Target) Result {
	us := 1e6 / s.PerSecond
	if t.Unit == "ms" {
		us /= 1000
	}
	return Sampled(s, us, t)
}

// Rate is the result of a sample whose figure is operations a second.
func Rate(s Sample, t Target) Result { return Sampled(s, s.PerSecond, t) }

// Tail is the result of a sample whose figure is the time, in ms, that 99 in 100 operations do not exceed.
func Tail(s Sample, t Target) Result { return Sampled(s, micros(s.P99)/1000, t) }

// Sampled is the result of a sample with a figure of its own.
func Sampled(s Sample, figure float64, t Target) Result {
	r := Judge(figure, t)
	r.PerSecond, r.P50us, r.P99us, r.CPUus, r.Allocs = s.PerSecond, micros(s.P50), micros(s.P99), micros(s.CPU),
		s.Allocs
	return r
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// Judge is the result of a figure alone.
func Judge(figure float64, t Target) Result {
	r := Result{Figure: figure, Allocs: -1, Target: t}
	r.Met = t.Value == 0 || t.AtLeast && figure >= t.Value || !t.AtLeast && figure <= t.Value
	return r
}

// Failed is the result of what could not be measured.
func Failed(name string, t Target, err error) Result {
	return Result{Name: name, Allocs: -1, Target: t, Err: err.Error()}
}

// verdict says in words whether the target is met, or how far off the figure is.
func (r Result) verdict() string {
	switch {
	case r.Err != "":
		return "not measured: " + r.Err
	case r.Target.Value == 0:
		return ""
	case r.Met:
		return "met"
	case r.Target.AtLeast:
		return fmt.Sprintf("short by %.0f %%", 100*(1-r.Figure/r.Target.Value))
	}
	return fmt.Sprintf("%.1f times too much", r.Figure/r.Target.Value)
}

func (t Target) String() string {
	switch {
	case t.Value == 0:
		return ""
	case t.AtLeast:
		return ">= " + Number(t.Value) + " " + t.Unit
	}
	return "<= " + Number(t.Value) + " " + t.Unit
}

// Report is a run.
type Report struct {
	When    time.Time `json:"when"`
	Scale   float64   `json:"scale"`
	Go      string    `json:"go"`
	OS      string    `json:"os"`
	CPUs    int       `json:"cpus"`
	Results []Result  `json:"results"`
}

// NewReport is a report of this process without results.
func NewReport(scale float64) *Report {
	return &Report{
		When: time.Now().UTC().Truncate(time.Second), Scale: scale,
		Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0),
	}
}

// Processor is what the machine says that it has.
func Processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// JSON writes the report as one object.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Table writes the report for people.
func (r *Report) Table(w io.Writer) error {
	fmt.Fprintf(w, "\nscale %g, %s, %s, %d CPUs\n\n", r.Scale, r.Go, r.OS, r.CPUs)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "name\tfigure\tops/s\tp50\tp99\tcpu\tallocs\ttarget\t")
	for _, x := range r.Results {
		allocs, figure := "", Number(x.Figure)+" "+x.Target.Unit
		if x.Allocs >= 0 {
			allocs = Number(x.Allocs)
		}
		if x.Err != "" {
			figure = ""
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", x.Name, figure, blank(x.PerSecond), blankTime(x.P50us),
			blankTime(x.P99us),
			blankTime(x.CPUus), allocs, x.Target, x.verdict())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, x := range r.Results {
		if x.Note != "" {
			fmt.Fprintf(w, "%s: %s\n", x.Name, x.Note)
		}
	}
	return nil
}

// Number renders three significant digits, whole numbers from 100 on.
func Number(v float64) string {
	switch {
	case v >= 100 || v == float64(int64(v)):
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

func blank(v float64) string {
	if v == 0 {
		return ""
	}
	return Number(v)
}

func blankTime(us float64) string {
	switch {
	case us == 0:
		return ""
	case us < 1000:
		return Number(us) + " us"
	}
	return Number(us/1000) + " ms"
}

// WriteReport writes a report as JSON, and its chart, to the files that are named; an empty name asks for none.
func WriteReport(file string, report any, chartFile string, chart func() []byte) error {
	if file != "" {
		b, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, append(b, '\n'), 0o644); err != nil {
			return err
		}
	}
	if chartFile == "" {
		return nil
	}
	return os.WriteFile(chartFile, chart(), 0o644)
}
