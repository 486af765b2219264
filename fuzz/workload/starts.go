package workload

import (
	"fmt"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/fuzz/model"
	"holdfast/timeline"
)

// This file owns the law of what is shown as bookable: no start of a calendar, and no article of a list that is asked
// for it, refuses a hold of as many units as it shows, and no exact one takes more.

// rentals are how long rentals are, by the clock and by the calendar.
var rentals = []commerce.Period{
	{Amount: 90, Unit: timeline.Minutes}, {Amount: 6 * 3600, Unit: timeline.Seconds}, {Amount: 1, Unit: timeline.Days},
	{Amount: 2, Unit: timeline.Days},
	{Amount: 1, Unit: timeline.Weeks}, {Amount: 1, Unit: timeline.Months},
}

// Starts asks when rentals can begin, and what of an article can be booked over a window, has the twin judge the
// answers, and holds the engine to each by a preview.
func (w *World) Starts(d Dice, tenant int) error {
	if w.Engine.Now() != w.Now() {
		return nil // the clock was put back: a preview would be of another instant than the next command
	}
	a, now := w.Tenants[tenant].Twin, w.Now()
	q := startQuery(d, a, now)
	list, err := a.Starts(w.View(tenant), q, now)
	if err != nil {
		return err
	}
	for _, x := range list {
		if q.Location == (ID{}) {
			break
		}
		l := hold.HoldLineInput{Item: q.Item, Location: q.Location, Return: q.Return, Window: x.Window}
		if err := w.Keeps(tenant, l, x.Available, x.Exact); err != nil {
			return fmt.Errorf("starts %+v at %d: %w", q, now, err)
		}
	}
	article, x := pick(d, "article", articles(a)).ID, Closed(d, a, now)
	places, err := a.Bookable(w.View(tenant), article, x, now)
	if err != nil {
		return err
	}
	for _, p := range places {
		l := hold.HoldLineInput{Item: base.Item{Article: article}, Location: p.Location, Window: x}
		if err := w.Keeps(tenant, l, p.Count, p.Exact); err != nil {
			return fmt.Errorf("article %x at %d: %w", article, now, err)
		}
	}
	return nil
}

// Keeps checks a number of units that the engine has shown: so many can be held, and where the number is exact, one
// more cannot.
func (w *World) Keeps(tenant int, l hold.HoldLineInput, n int, exact bool) error {
	hold := func(n int) error {
		l.Quantity = n
		_, err := w.Engine.Preview(engine.Command{Account: w.Tenants[tenant].ID,
			Op: hold.PlaceHold{Lines: []hold.HoldLineInput{l}}})
		return err
	}
	if n > 0 {
		if err := hold(n); err != nil {
			return fmt.Errorf("%+v: %d were shown: %w", l, n, err)
		}
	}
	if err := hold(n + 1); err == nil && exact {
		return fmt.Errorf("%+v: %d were shown, and one more can be had", l, n)
	}
	return nil
}

func startQuery(d Dice, a *model.Account, now int64) hold.StartQuery {
	q := hold.StartQuery{Query: hold.Query{Item: asked(d, a), Location: where(d, a),
		Window: Span{Start: instant(d, a, now)}}, Length: pick(d, "rental", rentals)}
	q.Window.End = q.Window.Start + int64(1+d.N("days", 5))*24*hour
	if odds(d, "back elsewhere", 20) {
		q.Return = location(d, a)
	}
	for range d.N("times", 3) {
		q.Times = append(q.Times, int64(d.N("half hours", 48))*hour/2)
	}
	return q
}
