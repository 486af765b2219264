package bench

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"holdfast/bench/dataset"
	"holdfast/engine"
	"holdfast/engine/hold"
)

// This file owns bookings in process, through the durable path: each is a command of its own with one line and one
// unit.

var bookTarget = AtLeast(20_000, "/s")

// book books holds of the data set's stream for about a time, from one goroutine: in order, many under way.
func book(w *World, budget time.Duration) (Result, error) {
	const batch = 20_000
	p := dataset.NewPipeline(w.Engine, w.Account)
	return booked(w, budget, batch, func(list []hold.PlaceHold) ([]time.Duration, error) {
		for i := range list {
			p.Submit(list[i])
		}
		return nil, p.Flush()
	})
}

// bookConcurrently books them from 64 goroutines, each of which waits for its own.
func bookConcurrently(w *World, budget time.Duration) (Result, error) {
	const batch, goroutines = 20_000, 64
	return booked(w, budget, batch, func(list []hold.PlaceHold) ([]time.Duration, error) {
		var next atomic.Int64
		var failure atomic.Pointer[error]
		var workers sync.WaitGroup
		times := make([]time.Duration, len(list))
		for range goroutines {
			workers.Go(func() {
				for i := next.Add(1) - 1; int(i) < len(list); i = next.Add(1) - 1 {
					start := time.Now()
					if _, err := w.Engine.Do(engine.Command{Account: w.Account, Actor: "bench", Op: list[i]}); err !=
						nil {
						failure.Store(&err)
					}
					times[i] = time.Since(start)
				}
			})
		}
		workers.Wait()
		if err := failure.Load(); err != nil {
			return nil, *err
		}
		return times, nil
	})
}

// booked draws batches and lets them be booked; the drawing is not measured. How long each took is known where do says
// so.
func booked(w *World, budget time.Duration, batch int, do func([]hold.PlaceHold) ([]time.Duration, error)) (Result,
	error) {
	var t Tally
	before := w.Engine.Stats()
	for t.Took < budget {
		list := make([]hold.PlaceHold, batch)
		for i := range list {
			list[i] = w.Command(w.Next())
		}
		stop := t.Start()
		times, err := do(list)
		if err != nil {
			return Result{}, err
		}
		stop(batch)
		t.Times = append(t.Times, times...)
	}
	r := Rate(t.Sample(), bookTarget)
	r.Note = fmt.Sprintf("%d holds, %.1f to a sync", t.N, float64(t.N)/float64(w.Engine.Stats().Groups-before.Groups))
	return r, nil
}
