package stock

import (
	"fmt"
	"math"

	"holdfast/engine/base"
)

// This file owns the check of what is derived of stock: the timelines, the links between articles, lots and pools, and
// what is due of units.

func init() { base.RegisterFollower(base.Follower{Check: checkStock}) }

func checkStock(a *base.AccountState) error {
	if err := a.Stock.Check(); err != nil {
		return err
	}
	for s := range SKUTable(a).All() {
		if want := summed(a, s); s.articles != want {
			return fmt.Errorf("SKU %s sums its articles up to %v, they make %v", s.ID, s.articles, want)
		}
	}
	for r := range ArticleTable(a).All() {
		if ArticleTable(a).No(r.No) != r {
			return fmt.Errorf("article %s is not found by its number", r.ID)
		}
		for _, l := range r.Lots {
			lot := a.Stock.Lot(l.No)
			if lot.Article != r.No || lot.Location != l.Location {
				return fmt.Errorf("article %s names lot %d of another", r.ID, l.No)
			}
			if want := poolNow(a, r, l.Location); lot.Pool != want {
				return fmt.Errorf("lot %d is in pool %d, its article says %d", l.No, lot.Pool, want)
			}
			if before, after := EffectiveBuffers(a, r); l.Before != before || l.After != after ||
				l.closed == r.Takes() {
				return fmt.Errorf("lot %d has the buffers %v and %v and is closed: %t; in effect are %v, %v and %t",
					l.No, l.Before, l.After, l.closed, before, after, !r.Takes())
			}
		}
	}
	var oneWays OneWayUnits
	for h := range a.Stock.Overlapping(base.Span{Start: math.MinInt64, End: base.Forever}) {
		oneWays.count(h.Hold, 1)
	}
	if oneWays != *OneWays(a) {
		return fmt.Errorf("%d one-way units, %d counted", oneWays.N, OneWays(a).N)
	}
	return nil
}
