package main

// This file owns what a bench prints and saves, and the comparison with a run that was saved.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// benchRun is a run: --save and --json write these members, in this order.
type benchRun struct {
	Holdfast string        `json:"holdfast"` // the version that asked
	When     time.Time     `json:"when"`
	Machine  benchMachine  `json:"machine"` // on which the clients ran
	Of       string        `json:"of"`      // the server's URL, or the directory
	Seconds  float64       `json:"seconds"` // for each workload
	Results  []benchResult `json:"results"`
}

type benchMachine struct {
	System    string `json:"system"`
	Processor string `json:"processor"`
	CPUs      int    `json:"cpus"`
}

// benchResult is one workload. The last three are there in a comparison: how many times that of the saved run.
type benchResult struct {
	Workload  string  `json:"workload"`
	Clients   int     `json:"clients"`
	Answers   int     `json:"answers"`
	PerSecond float64 `json:"perSecond"`
	P50us     float64 `json:"p50us"`
	P99us     float64 `json:"p99us"`
	Bytes     float64 `json:"answerBytes"`
	Turned    int     `json:"turnedAway,omitempty"` // requests that the limits of the server refused
	RateTimes float64 `json:"rateTimes,omitempty"`
	P50Times  float64 `json:"p50Times,omitempty"`
	P99Times  float64 `json:"p99Times,omitempty"`
}

func newBenchRun(c benchConfig) *benchRun {
	of := c.url
	if c.data != "" {
		of = c.data
	}
	return &benchRun{
		Holdfast: programVersion(), When: time.Now().UTC().Truncate(time.Second), Of: of, Seconds: c.time.Seconds(),
		Results: []benchResult{},
		Machine: benchMachine{System: runtime.GOOS + "/" + runtime.GOARCH,
			Processor: processorOf(systemFile("/proc/cpuinfo")), CPUs: runtime.GOMAXPROCS(0)},
	}
}

// processorOf is what /proc/cpuinfo says that the machine has, empty where it says nothing.
func processorOf(info string) string {
	for line := range strings.Lines(info) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// readBenchRun reads a run that --save wrote.
func readBenchRun(name string) (*benchRun, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, err
	}
	var r benchRun
	if err := json.Unmarshal(text, &r); err != nil || len(r.Results) == 0 {
		return nil, errors.New("must be a file that --save wrote")
	}
	return &r, nil
}

// benchTick is how often the bar moves.
const benchTick = 100 * time.Millisecond

// measure does the workloads. One that has nothing to work on is left out, and named.
func (r *benchRun) measure(cmd *cobra.Command, t *benchTarget, list []workload, c benchConfig) error {
	errs := cmd.ErrOrStderr()
	b := &bench{benchTarget: t, clients: c.clients, now: time.Now()}
	if t.account != "" {
		fmt.Fprintln(errs, "account "+t.account)
	}
	bar := newBar(errs, int64(len(list))*c.time.Milliseconds(), "", false)
	say := func(w workload, text string) {
		if isTerminal(errs) {
			bar.Describe(w.name)
		} else {
			fmt.Fprintf(errs, "%s: %s\n", w.name, text)
		}
	}
	var leftOut []string
	defer func() {
		bar.Finish()
		for _, text := range leftOut {
			fmt.Fprintln(errs, text)
		}
	}()
	var nothing error
	for n, w := range list {
		say(w, w.about)
		work, err := w.prepare(b)
		if errors.Is(err, errNothingToAsk) || errors.Is(err, errNoSKU) {
			nothing = err
			leftOut = append(leftOut, fmt.Sprintf("%s is left out: %v", w.name, err))
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		clients := c.clients
		if w.most > 0 {
			clients = min(clients, w.most)
		}
		stop := make(chan struct{})
		go func() {
			begin, tick := time.Now(), time.NewTicker(benchTick)
			defer tick.Stop()
			for {
				select {
				case <-stop:
					return
				case <-tick.C:
					bar.Set64(int64(n)*c.time.Milliseconds() + min(time.Since(begin), c.time).Milliseconds())
				}
			}
		}()
		d, err := b.drive(work, clients, c.time, nil)
		close(stop)
		if err == nil {
			err = d.errAllTurned()
		}
		if work.undo != nil && t.account == "" { // a copy goes as a whole
			err = errors.Join(err, work.undo(func(what string) { say(w, what) }))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		r.add(w.name, clients, d)
	}
	if len(r.Results) == 0 {
		return nothing
	}
	return nil
}

func (r *benchRun) add(name string, clients int, d driven) {
	n := len(d.times)
	us := func(i int) float64 { return float64(d.times[i].Nanoseconds()) / 1000 }
	r.Results = append(r.Results, benchResult{
		Workload: name, Clients: clients, Answers: n, PerSecond: float64(n) / d.took.Seconds(), P50us: us(n / 2),
		P99us: us(n * 99 / 100),
		Bytes: float64(d.bytes) / float64(n), Turned: d.turned,
	})
}

// compareWith notes how many times the figures of a saved run these are.
func (r *benchRun) compareWith(saved *benchRun) {
	for i := range r.Results {
		x := &r.Results[i]
		for _, was := range saved.Results {
			if was.Workload == x.Workload && was.PerSecond > 0 && was.P50us > 0 && was.P99us > 0 {
				x.RateTimes, x.P50Times, x.P99Times = x.PerSecond/was.PerSecond, x.P50us/was.P50us, x.P99us/was.P99us
			}
		}
	}
}

func (r *benchRun) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// table prints a run for people, with ratios where there is a saved one.
func (r *benchRun) table(w io.Writer, saved *benchRun) error {
	fmt.Fprintf(w, "%s, %s a workload; %s\n\n", r.Of, time.Duration(r.Seconds*float64(time.Second)), r.machine())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "workload\tclients\tanswers a second\tp50\tp99\tbytes\tturned away\t"
	if saved != nil {
		head += "rate\tp50\tp99\t"
	}
	fmt.Fprintln(t, head)
	for _, x := range r.Results {
		fmt.Fprintf(t, "%s\t%d\t%.0f\t%s\t%s\t%.0f\t%d\t", x.Workload, x.Clients, x.PerSecond, inTime(x.P50us),
			inTime(x.P99us), x.Bytes, x.Turned)
		switch {
		case saved != nil && x.RateTimes > 0:
			fmt.Fprintf(t, "%.2f times\t%.2f\t%.2f\t", x.RateTimes, x.P50Times, x.P99Times)
		case saved != nil:
			fmt.Fprint(t, "not there\t\t\t")
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil || saved == nil {
		return err
	}
	fmt.Fprintf(w, "\ncompared with: %s, %gs a workload; %s\n", saved.Of, saved.Seconds, saved.machine())
	for _, other := range r.differences(saved) {
		fmt.Fprintln(w, other)
	}
	return nil
}

// machine says of when, by what and where a run is.
func (r *benchRun) machine() string {
	m := r.Machine
	return fmt.Sprintf("holdfast %s, %s, %s, %d CPUs, %s", r.Holdfast, r.When.Format(time.RFC3339), m.System, m.CPUs,
		m.Processor)
}

// differences are what else than the program may make two runs differ.
func (r *benchRun) differences(saved *benchRun) (list []string) {
	if r.Machine != saved.Machine {
		list = append(list, "note: that was another machine")
	}
	if r.Of != saved.Of {
		list = append(list, "note: that was another server or directory")
	}
	for _, x := range r.Results {
		for _, was := range saved.Results {
			if x.Workload == was.Workload && x.Clients != was.Clients {
				list = append(list, fmt.Sprintf("note: %s had %d clients there", x.Workload, was.Clients))
			}
		}
	}
	return list
}

// inTime is a time in us as one reads it: three digits, and its unit.
func inTime(us float64) string {
	unit := "us"
	for _, larger := range []string{"ms", "s"} {
		if us < 1000 {
			break
		}
		us, unit = us/1000, larger
	}
	return strconv.FormatFloat(us, 'f', max(0, 2-int(math.Log10(max(1, us)))), 64) + " " + unit
}
