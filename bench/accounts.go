package bench

import (
	"fmt"
	"runtime"
	"time"

	"holdfast/bench/dataset"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
)

// This file owns what many small merchants cost: each has a location, an article of one unit and a hold of it.

// accountsAtOnce is how many merchants are made at a time: so many commands share a sync.
const accountsAtOnce = 256

// manyAccounts gives the time of a start with 10,000 merchants at scale 1, and the live heap that each takes then.
func manyAccounts(scale float64) (start, heap Result, err error) {
	w, err := empty(scale)
	if err != nil {
		return start, heap, err
	}
	defer w.Close()
	w.Set = nil // the engine's heap is measured
	n := max(100, int(10_000*scale))
	for first := 0; first < n; first += accountsAtOnce {
		if err := makeAccounts(w.Engine, first, min(first+accountsAtOnce, n)); err != nil {
			return start, heap, err
		}
	}
	if err := w.shut(); err != nil {
		return start, heap, err
	}
	runtime.GC()
	began := time.Now()
	if err := w.open(); err != nil {
		return start, heap, err
	}
	took := time.Since(began)
	used, err := w.heap()
	if err != nil {
		return start, heap, err
	}
	start, heap = Judge(took.Seconds(), NoTarget("s")), Judge(float64(used)/float64(n)/1024, NoTarget("KiB"))
	start.Note = fmt.Sprintf("%d accounts of an article with a hold, %.0f us each", n,
		float64(took.Microseconds())/float64(n))
	return start, heap, nil
}

// makeAccounts makes some merchants, one step of all after the other.
func makeAccounts(e *engine.Engine, first, end int) error {
	places, articles := make([]base.ID, end-first), make([]base.ID, end-first)
	for _, step := range []func(i int) base.Op{
		func(int) base.Op {
			return base.CreateAccount{AccountFields: base.AccountFields{Name: "Merchant", Timezone: "UTC"}}
		},
		func(int) base.Op {
			return stock.CreateLocation{LocationFields: stock.LocationFields{Name: "Shop", Timezone: "UTC"}}
		},
		func(i int) base.Op {
			return stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Article"},
				Quantities: []stock.InitialQuantity{{Location: places[i], Count: 1}}}
		},
		func(i int) base.Op {
			return hold.PlaceHold{Lines: []hold.HoldLineInput{{Item: base.Item{Article: articles[i]},
				Location: places[i], Quantity: 1, Window: base.Span{Start: dataset.Middle, End: dataset.End}}}}
		},
	} {
		futures := make([]*engine.Future, end-first)
		for i := range futures {
			futures[i] = e.Submit(engine.Command{
				Account: base.MakeID(dataset.Epoch, base.Base{Lo: uint64(1 + first + i)}), Actor: "bench", Op: step(i)})
		}
		for i, f := range futures {
			res, err := f.Wait()
			if err != nil {
				return err
			}
			switch x := res.Record.(type) {
			case *stock.Location:
				places[i] = x.ID
			case *stock.Article:
				articles[i] = x.ID
			}
		}
	}
	return nil
}
