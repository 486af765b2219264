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
	list := a.stretches(p)
	for i, s := range list {
		toSell := math.MaxInt
		for _, later := range list[i:] {
			toSell = min(toSell, later.balance-later.committed)
		}
		use := 0.0
		if s.balance != 0 {
			use = float64(s.committed) / float64(s.balance)
		}
		extend(&x.Balance, s.span, float64(s.balance))
		extend(&x.Committed, s.span, float64(s.committed))
		extend(&x.ToSell, s.span, float64(max(0, toSell)))
		extend(&x.Utilisation, s.span, use)
	}
	for _, y := range []*[]stock.Step{&x.Balance, &x.Committed, &x.ToSell, &x.Utilisation} {
		*y = window(*y, x.Window)
	}
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
