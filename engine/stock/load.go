package stock

import (
	"cmp"
	"slices"
	"sync"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns how an account's timelines come of their rows at start-up: all at once.

// stockRows are lots, slots and units as they are read.
type stockRows struct {
	lots  []Lot
	slots []timeline.Slot
	units base.Chunks[timeline.Placed]

	oneWays OneWayUnits
}

var stockBulk = base.RegisterPlace[stockRows]()

// loadStock builds timelines. Units refer to nothing, so they are put in order while other rows are put in place.
func loadStock(of []*base.AccountLoader) (finish func(a *base.AccountState) error) {
	units := make([]base.Chunks[timeline.Placed], len(of))
	for i, l := range of {
		x := stockBulk.On(&l.Bulk)
		units[i], x.units = x.units, base.Chunks[timeline.Placed]{}
	}
	var work sync.WaitGroup
	loader := timeline.NewLoader()
	work.Go(func() { base.Merge(units, func(u *timeline.Placed) base.ID { return u.ID }, loader.AddHolds) })
	return func(a *base.AccountState) (err error) {
		var lots []Lot
		var slots []timeline.Slot
		for _, l := range of {
			x := stockBulk.On(&l.Bulk)
			lots, slots = append(lots, x.lots...), append(slots, x.slots...)
			OneWays(a).N += x.oneWays.N
			*x = stockRows{}
		}
		slices.SortFunc(lots, func(x, y Lot) int { return cmp.Compare(x.No, y.No) })
		slices.SortFunc(slots, func(x, y timeline.Slot) int { return cmp.Compare(x.No, y.No) })
		placed := placeLots(a, lots)
		work.Wait()
		for _, lot := range placed {
			loader.AddLot(lot)
		}
		for _, s := range slots {
			loader.AddSlot(s)
		}
		if a.Stock, err = loader.Finish(); err == nil {
			a.Choose()
		}
		return err
	}
}

// placeLots sums up articles and makes each know its lots, and says which pools these are in.
func placeLots(a *base.AccountState, lots []Lot) []timeline.Lot {
	aggregateAll(a)
	placed := make([]timeline.Lot, len(lots))
	for i := range lots {
		l, lot := &lots[i], &placed[i]
		*lot = timeline.Lot{No: l.No, Article: l.article, Location: l.location}
		if r := ArticleTable(a).No(l.article); r != nil { // nothing else has read it yet, so it may be changed
			derive(a, r, append(r.Lots, ArticleLot{Location: l.location, No: l.No}))
			lot.Pool = poolFor(a, r, l.location)
		}
	}
	return placed
}
