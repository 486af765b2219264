package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"time"

	"holdfast/bench"
	"holdfast/bench/dataset"
	"holdfast/bench/load"
	"holdfast/engine/pace"
)

// This file owns the command line, and the order of things.

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "vs:", err)
		os.Exit(1)
	}
}

type options struct {
	budget  time.Duration
	clients []int
	only    *regexp.Regexp
	json    string
	chart   string
}

func parse() (o options, err error) {
	budget := flag.Duration("time", 3*time.Second, "time for one kind of work, with one number of clients, on one side")
	clients := flag.String("clients", "1,8,32,64", "numbers of clients")
	only := flag.String("only", "", "do only work whose name matches this regular expression")
	flag.StringVar(&o.json, "json", "", "also write all figures to this file, as JSON")
	flag.StringVar(&o.chart, "chart", "", "also write a chart of the ratios to this file, as SVG")
	flag.Parse()
	o.budget = *budget
	for text := range strings.SplitSeq(*clients, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1_000 {
			return o, fmt.Errorf("--clients has %q: each must be a number between 1 and 1000", text)
		}
		o.clients = append(o.clients, n)
	}
	o.only, err = regexp.Compile(*only)
	return o, err
}

func run() (err error) {
	o, err := parse()
	if err != nil {
		return err
	}
	scale, err := dataset.Scale()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	began := time.Now()
	progress := func(text string) { fmt.Fprintf(os.Stderr, "%6.1f s  %s\n", time.Since(began).Seconds(), text) }
	pace.Start() // as the server does

	w, err := bench.Build(scale, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	stock, err := readStock(w)
	if err != nil {
		return err
	}
	server, err := load.Serve(w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	c, err := startCluster(ctx, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	pg, err := loadPostgres(ctx, c, stock, progress)
	if err != nil {
		return err
	}
	r := newReport(scale, pg.version, stock)
	sides := sides{newHoldfast(server), pg}
	if err := measureAll(ctx, o, stock, sides, r, progress); err != nil {
		return err
	}
	if err := floors(ctx, server, o, r, progress); err != nil {
		return err
	}
	return r.write(o)
}
