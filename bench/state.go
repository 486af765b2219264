package bench

import (
	"fmt"
	"runtime"
	"time"

	"holdfast/bench/dataset"
)

// This file owns what the state as a whole costs: the time to have it back from disk, and its memory.

// startUp opens the directory again and again, for at least a time and three times, and gives the fastest: from the
// call of Open to an engine that takes commands. Files that were just written are in the system's cache.
func startUp(w *World, budget time.Duration) (Result, error) {
	best, total := time.Duration(0), time.Duration(0)
	for n := 0; n < 3 || total < budget; n++ {
		if err := w.shut(); err != nil {
			return Result{}, err
		}
		runtime.GC()
		start := time.Now()
		if err := w.open(); err != nil {
			return Result{}, err
		}
		took := time.Since(start)
		total += took
		if best == 0 || took < best {
			best = took
		}
	}
	r := Judge(best.Seconds(), startUpTarget(w))
	r.Note = fmt.Sprintf("%d holds, %.0f /s", w.Drawn, float64(w.Drawn)/best.Seconds())
	return r, nil
}

// startUpTarget is four seconds for ten million holds, and a second for few.
func startUpTarget(w *World) Target { return AtMost(max(1, float64(w.Drawn)*4/10e6), "s") }

// heapPerHold gives the live heap that a hold takes in timelines with all their indexes, put one by one in the order in
// which they were booked. Records are not in it.
func heapPerHold(scale float64) (Result, error) {
	set, err := dataset.New(scale)
	if err != nil {
		return Result{}, err
	}
	stock := set.Stock()
	list := make([]dataset.Hold, set.Target)
	for i := range list {
		list[i] = set.Next()
	}
	set = nil
	before := Heap()
	start := time.Now()
	for i, h := range list {
		row := h.Row(i)
		stock.Put(row.Hold, row.Place)
		if i%25 == 0 {
			stock.Publish() // as often as groups are committed
		}
	}
	took := time.Since(start)
	used := Heap() - before
	runtime.KeepAlive(list)
	r := Judge(float64(used)/float64(stock.Len()), AtMost(150, "B"))
	r.Note = fmt.Sprintf("%d holds, put at %.0f /s", stock.Len(), float64(len(list))/took.Seconds())
	return r, nil
}

// heapPerRecord gives the live heap of an engine that was opened from disk, a hold: the unit with its indexes and its
// hold's record. An engine on the same merchant without holds is taken off.
func heapPerRecord(w *World, scale float64) (Result, error) {
	used, err := w.heap()
	if err != nil {
		return Result{}, err
	}
	holds := w.Drawn + dataset.BusyHolds
	bare, err := empty(scale)
	if err != nil {
		return Result{}, err
	}
	defer bare.Close()
	if bare.Merchant, err = bare.CreateMerchant(bare.Engine); err != nil {
		return Result{}, err
	}
	without, err := bare.heap()
	if err != nil {
		return Result{}, err
	}
	r := Judge(float64(used-without)/float64(holds-dataset.BusyHolds), AtMost(250, "B"))
	r.Note = fmt.Sprintf("%d holds, opened from disk", holds)
	return r, nil
}
