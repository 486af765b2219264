package bench

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"
)

// This file owns a run: which figures it takes, and those that are taken in process.

// Run is a run of the suites: what it measures on, and where the results go.
type Run struct {
	*World
	Scale    float64
	Budget   time.Duration // for one figure
	Choice   Choice
	Progress func(string)
	Report   *Report
}

// Choice is the figures that a run takes; the zero Choice is all.
type Choice struct{ *regexp.Regexp }

// Choose makes the choice of the names that match.
func Choose(pattern string) (Choice, error) {
	if pattern == "" {
		return Choice{}, nil
	}
	re, err := regexp.Compile(pattern)
	return Choice{re}, err
}

// Figure takes one figure, if it is chosen. An error or a panic is reported as its result: a figure that cannot be
// taken does not end the run.
func (r *Run) Figure(ctx context.Context, name string, target Target, measure func() (Result, error)) {
	if ctx.Err() != nil || r.Choice.Regexp != nil && !r.Choice.MatchString(name) {
		return
	}
	r.Progress(name)
	r.Settle()
	r.Report.Results = append(r.Report.Results, attempt(name, target, measure))
}

func attempt(name string, target Target, measure func() (Result, error)) (r Result) {
	defer func() {
		if p := recover(); p != nil {
			r = Failed(name, target, fmt.Errorf("%v", p))
		}
	}()
	r, err := measure()
	if err != nil {
		return Failed(name, target, err)
	}
	r.Name = name
	return r
}

// Reads measures in process what leaves the world as it is.
func Reads(ctx context.Context, r *Run) error {
	for _, x := range reads {
		r.Figure(ctx, x.name, x.target,
			func() (Result, error) { return Mean(Measure(r.Budget, x.make(r.World)), x.target), nil })
	}
	r.Figure(ctx, "StartUp", startUpTarget(r.World), func() (Result, error) { return startUp(r.World, r.Budget) })
	r.Figure(ctx, "HeapPerHoldWithRecord", AtMost(250, "B"),
		func() (Result, error) { return heapPerRecord(r.World, r.Scale) })
	r.Figure(ctx, "HeapPerHold", AtMost(150, "B"), func() (Result, error) { return heapPerHold(r.Scale) })
	r.Figure(ctx, "HeapPerOrder", orderHeapTarget, func() (Result, error) { return heapPerOrder(r.Scale) })
	type pair struct{ start, heap Result }
	many := sync.OnceValues(func() (p pair, err error) {
		p.start, p.heap, err = manyAccounts(r.Scale)
		return p, err
	})
	r.Figure(ctx, "StartUpOfAccounts", NoTarget("s"), func() (Result, error) { p, err := many(); return p.start, err })
	r.Figure(ctx, "HeapPerAccount", NoTarget("KiB"), func() (Result, error) { p, err := many(); return p.heap, err })
	r.Figure(ctx, "Replay", bookTarget, func() (Result, error) { return replay(ctx) })
	return ctx.Err()
}

// Writes measures in process the work that changes the world: it comes after all work that reads.
func Writes(ctx context.Context, r *Run) error {
	for _, x := range soldOutAsks {
		r.Figure(ctx, x.name, SoldOutTarget,
			func() (Result, error) { return soldOutAnswers(r.World, r.Budget, x.make) })
	}
	r.Figure(ctx, "Book", bookTarget, func() (Result, error) { return book(r.World, r.Budget) })
	r.Figure(ctx, "BookConcurrently", bookTarget, func() (Result, error) { return bookConcurrently(r.World, r.Budget) })
	return ctx.Err()
}
