package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"holdfast/engine/pace"
)

// This file owns the command line, and the order of things.

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

type options struct {
	sizes  []int // articles
	budget time.Duration
	json   string
	chart  string
	note   string
	from   string
}

func parse() (o options, err error) {
	flag.DurationVar(&o.budget, "time", 3*time.Second, "time for one kind of work at one size")
	sizes := flag.String("sizes", "10000,100000,1000000", "numbers of articles, each with ten holds")
	flag.StringVar(&o.json, "json", "", "also write all figures to this file, as JSON")
	flag.StringVar(&o.chart, "chart", "", "also write a chart to this file, as SVG")
	flag.StringVar(&o.note, "note", "",
		"what the chart says of the machine beside what it has, like: other programs on it")
	flag.StringVar(&o.from, "from", "", "measure nothing: show what -json wrote to this file")
	flag.Parse()
	var faults []error
	for text := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 100 || n > 10_000_000 {
			faults = append(faults,
				fmt.Errorf("-sizes has %q: each must be a number of articles from 100 to 10000000", text))
		}
		o.sizes = append(o.sizes, n)
	}
	if o.budget <= 0 {
		faults = append(faults, fmt.Errorf("-time %v must be more than nothing", o.budget))
	}
	return o, errors.Join(faults...)
}

func run() error {
	o, err := parse()
	if err != nil {
		return err
	}
	if o.from != "" {
		r, err := readReport(o.from)
		if err != nil {
			return err
		}
		return errors.Join(r.write(o), r.table(os.Stdout))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	began := time.Now()
	progress := func(text string) { fmt.Fprintf(os.Stderr, "%6.1f s  %s\n", time.Since(began).Seconds(), text) }
	pace.Start() // as the server does
	r := newReport(o.note)
	for _, articles := range o.sizes {
		s, err := measure(ctx, articles, o.budget, progress)
		if err != nil {
			return fmt.Errorf("%d articles: %w", articles, err)
		}
		r.Sizes = append(r.Sizes, s)
		if err := r.write(o); err != nil { // what is there is kept, whatever becomes of the next size
			return err
		}
	}
	return r.table(os.Stdout)
}
