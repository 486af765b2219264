package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"holdfast/bench"
	"holdfast/bench/dataset"
	"holdfast/bench/load"
	"holdfast/engine/pace"
)

// This file owns the command line, and the order in which things are measured.

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	budget := flag.Duration("time", 5*time.Second, "time for one figure")
	asJSON := flag.Bool("json", false, "print one JSON object instead of a table")
	profile := flag.String("cpuprofile", "", "write a CPU profile of the measuring to this file")
	only := flag.String("only", "", "measure only figures whose name matches this regular expression")
	flag.Parse()
	pace.Start() // as the server does
	scale, err := dataset.Scale()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	began := time.Now()
	progress := func(text string) { fmt.Fprintf(os.Stderr, "%6.1f s  %s\n", time.Since(began).Seconds(), text) }
	choice, err := bench.Choose(*only)
	if err != nil {
		return err
	}

	w, err := bench.Build(scale, progress)
	if err != nil {
		return err
	}
	defer func() {
		if e := w.Close(); err == nil {
			err = e
		}
	}()
	written, err := bench.Profile(*profile)
	if err != nil {
		return err
	}
	defer written()
	report := bench.NewReport(scale)
	m := bench.Run{World: w, Scale: scale, Budget: *budget, Choice: choice, Progress: progress, Report: report}
	if err := bench.Reads(ctx, &m); err != nil {
		return err
	}
	s, err := load.Serve(w)
	if err != nil {
		return err
	}
	if err := errors.Join(s.Reads(ctx, &m), bench.Writes(ctx, &m), s.Writes(ctx, &m), s.Close()); err != nil {
		return err
	}
	if *asJSON {
		return report.JSON(os.Stdout)
	}
	return report.Table(os.Stdout)
}
