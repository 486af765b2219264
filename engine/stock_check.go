package engine

import (
	"fmt"
	"math"
)

// This file owns the check of what is derived of stock: the timelines, the links between articles, lots and pools, and what is due of
// units.

func init() { registerFollower(follower{check: checkStock}) }

func checkStock(a *account) (due int, err error) {
	if err := a.stock.Check(); err != nil {
		return 0, err
	}
	for s := range a.skus().All() {
		if want := a.summed(s); s.articles != want {
			return 0, fmt.Errorf("SKU %s sums its articles up to %v, they make %v", s.ID, s.articles, want)
		}
	}
	for r := range a.articles().All() {
		if a.articles().No(r.No) != r {
			return 0, fmt.Errorf("article %s is not found by its number", r.ID)
		}
		for _, l := range r.lots {
			lot := a.stock.Lot(l.no)
			if lot.Article != r.No || lot.Location != l.location {
				return 0, fmt.Errorf("article %s names lot %d of another", r.ID, l.no)
			}
			if want := a.poolNow(r, l.location); lot.Pool != want {
				return 0, fmt.Errorf("lot %d is in pool %d, its article says %d", l.no, lot.Pool, want)
			}
			if before, after := a.buffers(r); l.before != before || l.after != after || l.closed == r.Takes() {
				return 0, fmt.Errorf("lot %d has the buffers %v and %v and is closed: %t; in effect are %v, %v and %t", l.no, l.before, l.after, l.closed, before, after, !r.Takes())
			}
		}
	}
	var oneWays oneWayUnits
	for h := range a.stock.Overlapping(Span{Start: math.MinInt64, End: Forever}) {
		if _, is := unitDue(h.Hold); is {
			due++
		}
		oneWays.count(h.Hold, 1)
	}
	if oneWays != *a.oneWays() {
		return 0, fmt.Errorf("%d one-way units, %d counted", oneWays.n, a.oneWays().n)
	}
	return due, nil
}
