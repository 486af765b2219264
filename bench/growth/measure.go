package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"holdfast/bench"
	"holdfast/bench/load"
)

// This file owns what is measured of one size.

// size is one merchant with its figures.
type size struct {
	Articles  int       `json:"articles"`
	Units     int       `json:"units"`
	Holds     int       `json:"holds"`
	Works     []work    `json:"works"`
	StartUp   float64   `json:"startUpSeconds"`
	Heap      float64   `json:"heapPerHoldBytes"` // with its record and all indexes
	Collector collector `json:"collector"`
}

// work is what one caller waits for one kind of work: in process, and over HTTP, where the answer has a length. The
// list is asked over HTTP alone: package bench asks for most and fewest units in turns, which cost so differently that
// the middle of both says nothing.
type work struct {
	Name    string  `json:"name"`
	P50us   float64 `json:"p50us,omitempty"`
	P99us   float64 `json:"p99us,omitempty"`
	HTTPP50 float64 `json:"httpP50us"`
	HTTPP99 float64 `json:"httpP99us"`
	Bytes   float64 `json:"answerBytes"`
}

// collector is what collections took while many clients asked and booked as fast as they could.
type collector struct {
	Cycles   uint64  `json:"cycles"`
	Percent  float64 `json:"percentOfCPU"` // of what the process used, its clients included
	GC       float64 `json:"gcSeconds"`
	Used     float64 `json:"usedSeconds"`
	Requests float64 `json:"requestsPerSecond"`
	Garbage  float64 `json:"bytesAllocatedPerRequest"`
	Heap     float64 `json:"liveHeapBytes"`
}

// figures are those of package bench that are taken, by the kind of work that they are of.
var figures = map[string]string{
	"PointAvailability": load.Point, "SKUAvailability": load.SKU, "Calendar90Days": load.Calendar,
}

const chosen = "^(PointAvailability|SKUAvailability|Calendar90Days|StartUp|HeapPerHoldWithRecord)$"

// fullSize is the articles of scale 1.
const fullSize = 100_000

func measure(ctx context.Context, articles int, budget time.Duration, progress func(string)) (s size, err error) {
	scale := float64(articles) / fullSize
	w, err := bench.Build(scale, progress)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	choice, err := bench.Choose(chosen)
	if err != nil {
		return s, err
	}
	r := bench.Run{World: w, Scale: scale, Budget: budget, Choice: choice, Progress: progress,
		Report: bench.NewReport(scale)}
	if err := bench.Reads(ctx, &r); err != nil {
		return s, err
	}
	s = size{Articles: len(w.Set.Articles), Units: w.Slots, Holds: w.Target}
	inProcess := map[string]work{}
	for _, x := range r.Report.Results {
		switch {
		case x.Err != "":
			return s, fmt.Errorf("%s: %s", x.Name, x.Err)
		case x.Name == "StartUp":
			s.StartUp = x.Figure
		case x.Name == "HeapPerHoldWithRecord":
			s.Heap = x.Figure
		default:
			inProcess[figures[x.Name]] = work{P50us: x.P50us, P99us: x.P99us}
		}
	}
	progress("holds in process")
	w.Settle()
	hold, err := load.HoldAlone(w, budget)
	if err != nil {
		return s, err
	}
	inProcess[load.Hold] = work{P50us: micros(hold.P50), P99us: micros(hold.P99)}
	server, err := load.Serve(w)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	progress("one client over HTTP")
	alone, err := server.Alone(w, budget)
	if err != nil {
		return s, err
	}
	for _, a := range alone {
		x := inProcess[a.Work]
		x.Name, x.HTTPP50, x.HTTPP99, x.Bytes = a.Work, micros(a.P50), micros(a.P99), a.Answer
		s.Works = append(s.Works, x)
	}
	progress("many clients, and the collector beside them")
	s.Collector, err = collect(ctx, server, w)
	return s, errors.Join(err, ctx.Err())
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// Collections are counted from the end of one to the end of another, because the runtime gives CPU times at the end of
// each. So many are counted; or, where garbage is slow to come, as many as end within a time, or until half as many
// more holds are booked as the stock had.
const (
	collections    = 4
	collectionTime = 4 * time.Minute
)

// collect has many clients ask and book, and says what share of the processors collections took.
func collect(ctx context.Context, server *load.Server, w *bench.World) (c collector, err error) {
	w.Settle()
	runtime.GC()
	before, begin := cpuTimes(), time.Now()
	var enough atomic.Bool
	over := make(chan struct{})
	go func() {
		defer close(over)
		for !enough.Load() && cpuTimes().cycles < before.cycles+collections && time.Since(begin) < collectionTime &&
			ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		enough.Store(true)
	}()
	sample, err := server.Mixed(w, w.Target/2, enough.Load)
	enough.Store(true)
	<-over
	if err != nil {
		return c, err
	}
	after := cpuTimes()
	if after.cycles == before.cycles { // one before its time: the share is at most this
		runtime.GC()
		after = cpuTimes()
	}
	c = collector{
		Cycles: after.cycles - before.cycles, GC: after.gc - before.gc, Used: after.used - before.used,
		Requests: sample.PerSecond, Garbage: sample.Bytes, Heap: after.live,
	}
	c.Percent = 100 * c.GC / c.Used
	return c, nil
}

// times are what the runtime says of the process since its start, in seconds, as of the last collection.
type times struct {
	cycles         uint64
	gc, used, live float64
}

func cpuTimes() times {
	m := []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/cpu/classes/gc/total:cpu-seconds"},
		{Name: "/cpu/classes/total:cpu-seconds"},
		{Name: "/cpu/classes/idle:cpu-seconds"}, {Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(m)
	return times{m[0].Value.Uint64(), m[1].Value.Float64(), m[2].Value.Float64() - m[3].Value.Float64(),
		float64(m[4].Value.Uint64())}
}
