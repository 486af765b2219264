package model

import (
	"slices"
	"time"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the calendar of rentals: on each local day of a window one may begin at the times of day that were
// asked for, else at that of the window's first instant. A rental has as many units as are available over its window,
// and none where it is over. The list of articles gives the same for its window, when asked.

// Starts judges an answer: the starts that there are, and of each how many units it has.
func (a *Account) Starts(v base.View, q hold.StartQuery, now int64) ([]hold.Start, error) {
	have, err := hold.Starts(v, q, now, nil)
	if err != nil {
		return nil, wrong("starts %+v: %v", q, err)
	}
	z := a.Zone
	if l := a.location(q.Location); l != nil {
		z = l.Zone
	}
	var want []int64
	for day := floorDay(wall(z, q.Window.Start)); day*dayMs <= wall(z, q.Window.End)+dayMs; day++ {
		times := q.Times
		if len(times) == 0 {
			times = []int64{wall(z, q.Window.Start) - floorDay(wall(z, q.Window.Start))*dayMs}
		}
		for _, clock := range times {
			if t := instant(z, day*dayMs+clock); q.Window.Holds(t) {
				want = append(want, t)
			}
		}
	}
	if len(q.Times) == 0 && (len(want) == 0 || want[0] != q.Window.Start) {
		// the second of two that the clock shows alike
		want = append([]int64{q.Window.Start}, want...)
	}
	slices.Sort(want)
	if want = slices.Compact(want); len(want) != len(have) {
		return nil, wrong("starts %+v are\n%+v, the twin says %v", q, have, want)
	}
	for i, x := range have {
		t := want[i]
		year, month, day := time.UnixMilli(wall(z, t)).UTC().Date()
		w := Span{Start: t, End: addSteps(z, t, q.Length.Amount, q.Length.Unit)}
		if date := (timeline.Date{Year: int32(year), Month: uint8(month), Day: uint8(day)}); x.Window != w ||
			x.Date != date {
			return nil, wrong("starts %+v: %d is %+v, the twin says %+v on %+v", q, i, x, w, date)
		}
		if fault := a.startHas(v, q.Query, x, now); fault != nil {
			return nil, fault
		}
	}
	return have, nil
}

// startHas judges how many units a start has by what is available of its window.
func (a *Account) startHas(v base.View, q hold.Query, x hold.Start, now int64) error {
	if x.Window.End <= now {
		if x.Available != 0 || !x.Exact {
			return wrong("start %+v at %d is over", x, now)
		}
		a.Seen.StartsOver++
		return nil
	}
	q.Window, q.Moves = x.Window, true
	y, err := hold.Available(v, q, now)
	switch {
	case err != nil:
		return err
	case x.Exact && y.Exact && x.Available != y.WithMoves, x.Exact && x.Available < y.WithMoves, y.Exact &&
		x.Available > y.WithMoves:
		return wrong("start %+v of %+v at %d, of the window there is %+v", x, q, now, y)
	case !x.Exact:
		a.Seen.StartsInexact++
	case x.Available == 0:
		a.Seen.StartsNone++
	}
	return nil
}

// Bookable judges what the stock of an article says can be booked over a window at each location, and from when on
// where nothing can.
func (a *Account) Bookable(v base.View, article ID, w Span, now int64) ([]stock.LocationCount, error) {
	have := stock.ArticleStock{Bookable: true}
	if err := stock.FillArticleStock(v, &have, article, ID{}, w, now); err != nil {
		return nil, wrong("stock of %x: %v", article, err)
	}
	if w.Start == w.End {
		w.End++
	}
	r := a.article(article)
	// units were there once
	have.Availability = slices.DeleteFunc(have.Availability,
		func(x stock.LocationCount) bool { return a.location(x.Location) == nil })
	for _, x := range have.Availability {
		q := hold.Query{Item: base.Item{Article: article}, Location: x.Location}
		if fault := a.startHas(v, q, hold.Start{Window: w, Available: x.Count, Exact: x.Exact}, now); fault != nil &&
			r.Takes {
			return nil, fault
		}
		from := max(w.Start, now+1-(w.End-w.Start))
		next, ok, err := hold.Next(v, hold.NextQuery{
			Item: q.Item, Location: x.Location, NotBefore: from, Length: w.End - w.Start, Quantity: 1,
			Until: from + 2*366*dayMs,
		}, now)
		switch {
		case err != nil:
			return nil, err
		case !r.Takes && (x.Count != 0 || !x.Exact || x.From != nil):
			return nil, wrong("%x takes nothing, and has %+v", article, x)
		case !r.Takes:
		case x.Count > 0 && *x.From != w.Start, x.Count == 0 && (x.From != nil) != ok, x.Count == 0 && ok &&
			*x.From != next.Start:
			return nil, wrong("of %x over %+v there is %+v at %d, the next is %+v", article, w, x, now, next)
		}
	}
	return have.Availability, nil
}
