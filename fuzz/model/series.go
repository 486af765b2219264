package model

import (
	"math"
	"slices"

	"holdfast/engine/stock"
)

// This file owns the four time series of an article, computed afresh at every instant at which one could change.

// stretch is time over which nothing changes.
type stretch struct {
	span               Span
	balance, committed int
}

// stretches covers all time.
func (a *Account) stretches(p Pool) (list []stretch) {
	edges := []int64{math.MinInt64}
	if len(p.Lots) > 0 {
		edges = append(edges, a.instants([]Pool{p}, Span{Start: -1, End: Forever})[1:]...)
	}
	edges = append(edges, Forever)
	for i, t := range edges[:len(edges)-1] {
		x := stretch{span: Span{Start: t, End: edges[i+1]}}
		x.balance, x.committed = a.at(p, t)
		list = append(list, x)
	}
	return list
}

func (a *Account) series(x *stock.ArticleStock, p Pool) {
	var lots [][]stretch
	for _, lot := range p.Lots {
		lots = append(lots, a.stretches(Pool{Lots: []uint32{lot}}))
	}
	for _, s := range a.stretches(p) {
		use := 0.0
		if s.balance != 0 {
			use = float64(s.committed) / float64(s.balance)
		}
		toSell := 0
		for _, lot := range lots {
			toSell += sellable(lot, s.span.Start)
		}
		extend(&x.Balance, s.span, float64(s.balance))
		extend(&x.Committed, s.span, float64(s.committed))
		extend(&x.ToSell, s.span, float64(toSell))
		extend(&x.Utilisation, s.span, use)
	}
	for _, y := range []*[]stock.Step{&x.Balance, &x.Committed, &x.ToSell, &x.Utilisation} {
		*y = window(*y, x.Window)
	}
}

// sellable is how many units of an article could be sold at one location at an instant and never come back: the least
// of what is there less what is committed, from the instant on without end, and never less than none.
func sellable(lot []stretch, t int64) int {
	least := math.MaxInt
	for _, s := range lot {
		if s.span.End > t {
			least = min(least, s.balance-s.committed)
		}
	}
	return max(0, least)
}

// extend adds to a series; neighbours of equal value are joined.
func extend(series *[]stock.Step, s Span, value float64) {
	if n := len(*series); n > 0 && (*series)[n-1].Value == value {
		(*series)[n-1].Range.End = s.End
		return
	}
	*series = append(*series, stock.Step{Range: s, Value: value})
}

// window cuts a series to a window; of one that is an instant it is the whole step.
func window(series []stock.Step, w Span) []stock.Step {
	series = slices.DeleteFunc(series, func(s stock.Step) bool { return !meets(w, s.Range) })
	if w.Start < w.End {
		for i := range series {
			series[i].Range = series[i].Range.Clip(w)
		}
	}
	return series
}
