package engine

import (
	"cmp"
	"slices"
	"sync"

	"holdfast/timeline"
)

// This file owns how an account's timelines come of their rows at start-up: all at once.

// stockRows are lots, slots and units as they are read.
type stockRows struct {
	lots  []lot
	slots []timeline.Slot
	units chunks[timeline.Placed]

	oneWays oneWayUnits
}

var stockBulk = registerPlace[stockRows]()

// loadStock builds timelines. Units refer to nothing, so they are put in order while other rows are put in place.
func loadStock(of []*accountLoader) (finish func(a *account) error) {
	units := make([]chunks[timeline.Placed], len(of))
	for i, l := range of {
		x := stockBulk.on(&l.bulk)
		units[i], x.units = x.units, chunks[timeline.Placed]{}
	}
	var work sync.WaitGroup
	loader := timeline.NewLoader()
	work.Go(func() { merge(units, func(u *timeline.Placed) ID { return u.ID }, loader.AddHolds) })
	return func(a *account) (err error) {
		var lots []lot
		var slots []timeline.Slot
		for _, l := range of {
			x := stockBulk.on(&l.bulk)
			lots, slots = append(lots, x.lots...), append(slots, x.slots...)
			a.oneWays().n += x.oneWays.n
			*x = stockRows{}
		}
		slices.SortFunc(lots, func(x, y lot) int { return cmp.Compare(x.no, y.no) })
		slices.SortFunc(slots, func(x, y timeline.Slot) int { return cmp.Compare(x.No, y.No) })
		placed := a.placeLots(lots)
		work.Wait()
		for _, lot := range placed {
			loader.AddLot(lot)
		}
		for _, s := range slots {
			loader.AddSlot(s)
		}
		if a.stock, err = loader.Finish(); err == nil {
			a.choose()
		}
		return err
	}
}

// placeLots sums up articles and makes each know its lots, and says which pools these are in.
func (a *account) placeLots(lots []lot) []timeline.Lot {
	a.aggregateAll()
	placed := make([]timeline.Lot, len(lots))
	for i := range lots {
		l, lot := &lots[i], &placed[i]
		*lot = timeline.Lot{No: l.no, Article: l.article, Location: l.location}
		if r := a.articles().No(l.article); r != nil { // nobody has seen it yet, so it may be changed
			a.derive(r, append(r.lots, articleLot{location: l.location, no: l.no}))
			lot.Pool = a.poolFor(r, l.location)
		}
	}
	return placed
}
