package workload

import (
	"fmt"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/fuzz/model"
)

// This file owns the comparison of reads: what the engine answers over random windows, held against the twin.

// Compare asks an account a few of everything.
func (w *World) Compare(d Dice, tenant int) error {
	a, v, now := w.Tenants[tenant].Twin, w.View(tenant), w.Now()
	if err := a.Records(v, now); err != nil {
		return err
	}
	if err := Sums(v); err != nil {
		return err
	}
	for range 3 {
		q := hold.Query{Item: asked(d, a), Location: where(d, a), Window: Window(d, a, now)}
		for try := 0; try < 3 && !a.Tight(q.Item, q.Location, q.Window, now); try++ {
			q.Window = Window(d, a, now)
		}
		if err := a.Available(v, q, now); err != nil {
			return err
		}
		if q.Location == (ID{}) {
			continue
		}
		if err := w.Promise(tenant, q); err != nil {
			return err
		}
		if err := w.wider(d, a, v, q, now); err != nil {
			return err
		}
	}
	days := Closed(d, a, now)
	size := pick(d, "bucket", []stock.BucketSize{stock.BucketDay, stock.BucketHour, stock.BucketChange})
	q := hold.Query{Item: asked(d, a), Location: where(d, a), Window: days}
	if err := a.Calendar(v, q, size, now); err != nil {
		return err
	}
	if size == stock.BucketDay {
		if err := counts(a, v, days); err != nil {
			return err
		}
	}
	article, at, x := pick(d, "article", articles(a)).ID, where(d, a), Window(d, a, now)
	for try := 0; try < 6 && !a.Tight(base.Item{Article: article}, at, x, now); try++ {
		x = Window(d, a, now)
	}
	if odds(d, "an instant", 40) {
		x.End = x.Start
	}
	if err := a.ArticleStock(v, article, at, x, now); err != nil {
		return err
	}
	f := stock.ConflictFilter{}
	switch d.N("filter", 4) {
	case 1:
		f.Window = &x
	case 2:
		f.Location, f.Article = location(d, a), pick(d, "article", a.Articles).ID
	case 3:
		f.SKU = pick(d, "SKU", a.SKUs).ID
	}
	if err := a.Conflicts(v, f, now); err != nil {
		return err
	}
	if err := w.plans(d, a, v, now); err != nil {
		return err
	}
	if odds(d, "starts", 40) {
		return w.Starts(d, tenant)
	}
	return nil
}

// counts judges the counts of all SKUs over all locations, by days.
func counts(a *model.Account, v base.View, days base.Span) error {
	var skus []*stock.SKU
	for k := range stock.SKUs(v).All() {
		skus = append(skus, k)
	}
	edges, free, units, err := engine.CountSKUs(v, skus, ID{}, days, stock.BucketDay)
	for i := 0; i < len(skus) && err == nil; i++ {
		err = a.Counts(skus[i].ID, ID{}, edges, free[i], units[i])
	}
	return err
}

// where is a location, sometimes all of them.
func where(d Dice, a *model.Account) ID {
	if odds(d, "everywhere", 20) {
		return ID{}
	}
	return location(d, a)
}

// wider says that a longer window never has more units, where both answers are exact and the longer one needs all that
// the shorter needs: a buffer of a month can begin earlier for a window that begins later, on the 30th and the 31st of
// March.
func (w *World) wider(d Dice, a *model.Account, v base.View, q hold.Query, now int64) error {
	longer := q
	longer.Window.Start = max(0, q.Window.Start-int64(d.N("earlier", 10))*hour)
	if q.Window.End != base.Forever {
		longer.Window.End += int64(d.N("later", 10)) * hour
	}
	short, err := hold.Available(v, q, now)
	if err != nil {
		return err
	}
	long, err := hold.Available(v, longer, now)
	if err != nil {
		return err
	}
	if short.Exact && long.Exact && long.Available > short.Available &&
		a.Covers(q.Item, q.Location, longer.Window, q.Window, now) {
		return fmt.Errorf("%+v at %d has %+v, the longer %+v has %+v", q, now, short, longer.Window, long)
	}
	return nil
}

// plans asks what would be: a reduction, the next window, and why not.
func (w *World) plans(d Dice, a *model.Account, v base.View, now int64) error {
	article, here, amount := pick(d, "article", articles(a)).ID, location(d, a), 1+d.N("amount", 3)
	at := instant(d, a, now)
	plan, err := stock.PlanQuantity(v, article, here, amount, &at, now)
	if err != nil {
		return err
	}
	if err := a.Plan(plan, article, here, amount, at, now); err != nil {
		return fmt.Errorf("plan for %d of %x at %x from %d on, at %d: %w", amount, article, here, at, now, err)
	}
	if odds(d, "next", 50) {
		q := hold.NextQuery{
			Item: asked(d, a), Location: where(d, a), NotBefore: instant(d, a, now),
			Length: pick(d, "hours", lengths) * hour, Quantity: 1 + d.N("quantity", 3),
		}
		q.Until = q.NotBefore + pick(d, "until", lengths)*hour
		var try []int64
		for range 5 {
			try = append(try, instant(d, a, now))
		}
		return a.Next(v, q, now, try)
	}
	q := hold.Query{Item: asked(d, a), Location: where(d, a), Window: Window(d, a, now)}
	return a.Explain(v, q, 1+d.N("quantity", 3), now)
}
