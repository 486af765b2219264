package workload

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/fuzz/model"
	"holdfast/timeline"
)

// This file owns random commands.

// buffers are what articles and SKUs keep free around bookings; mostly nothing, sometimes calendar units.
// buffers are some of each kind of length, the same in other words, and others that are nearly the same.
var buffers = []stock.Buffer{
	{Amount: 1, Unit: timeline.Hours}, {Amount: 60, Unit: timeline.Minutes}, {Amount: 90, Unit: timeline.Minutes},
	{Amount: 0, Unit: timeline.Hours},
	{Amount: 4, Unit: timeline.Hours}, {Amount: 1, Unit: timeline.Days}, {Amount: 24, Unit: timeline.Hours},
	{Amount: 1, Unit: timeline.Weeks},
	{Amount: 7, Unit: timeline.Days}, {Amount: 1, Unit: timeline.Months},
}

func buffer(d Dice) *stock.Buffer {
	if odds(d, "no buffer", 70) {
		return nil
	}
	b := pick(d, "buffer", buffers)
	return &b
}

func bufferPatch(d Dice) (p stock.BufferPatch) {
	switch d.N("buffer patch", 3) {
	case 1:
		p.Amount = base.Null[int64]()
	case 2:
		b := pick(d, "buffer", buffers)
		p.Amount, p.Unit = base.Some(b.Amount), base.Some(b.Unit)
	}
	return p
}

// Furnish gives an account two or three locations, SKUs and articles, single ones and lots. Large: one lot is larger
// than what is counted by walking.
func (w *World) Furnish(d Dice, tenant int, large bool) error {
	do := func(op base.Op) error { _, _, fault := w.Do(tenant, op); return fault }
	a := func() *model.Account { return w.Tenants[tenant].Twin }
	for i := range 2 + d.N("more locations", 2) {
		if err := do(stock.CreateLocation{
			LocationFields: stock.LocationFields{Name: "here", Timezone: Zones[i]}}); err != nil {
			return err
		}
	}
	for range 2 {
		if err := do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "kind"}, Before: buffer(d),
			After: buffer(d)}); err != nil {
			return err
		}
	}
	for i := range 3 + d.N("more articles", 3) {
		op := createArticle(d, a(), w.Now())
		if large && i == 0 {
			op.Quantities[0].Count = 40
		}
		if err := do(op); err != nil {
			return err
		}
	}
	for range 2 {
		if err := do(createKit(d, a())); err != nil {
			return err
		}
	}
	return nil
}

func createArticle(d Dice, a *model.Account, now int64) stock.CreateArticle {
	o := stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "thing"}}
	if odds(d, "of a SKU", 85) {
		o.SKU = &favourite(d, "SKU", skus(a)).ID
	}
	if odds(d, "own buffers", 15) {
		o.Before, o.After = buffer(d), buffer(d)
	}
	for range 1 + d.N("more stock", 4)/3 {
		q := stock.InitialQuantity{Location: location(d, a), Count: 1 + d.N("count", 5)/2}
		if odds(d, "from", 20) {
			from := instant(d, a, now)
			q.From = &from
		}
		o.Quantities = append(o.Quantities, q)
	}
	return o
}

// nobody is an id that no customer has.
var nobody = ID{0: 1, 6: 0x70, 8: 0x80, 15: 0xff}

// item names a SKU or an article, seldom one that is not there.
func item(d Dice, a *model.Account) (i base.Item) {
	if odds(d, "nobody", 2) {
		return base.Item{SKU: nobody}
	}
	return asked(d, a)
}

// known names an item that is there.
func known(d Dice, a *model.Account) base.Item {
	if odds(d, "by SKU", 70) {
		return base.Item{SKU: favourite(d, "SKU", skus(a)).ID}
	}
	return base.Item{Article: favourite(d, "article", articles(a)).ID}
}

func location(d Dice, a *model.Account) ID { return favourite(d, "location", locations(a)).ID }

// locations, skus and articles are those that are there.
func locations(a *model.Account) []*model.Location {
	return slices.DeleteFunc(slices.Clone(a.Locations), func(l *model.Location) bool { return l.Gone })
}

func skus(a *model.Account) []*model.SKU {
	return slices.DeleteFunc(slices.Clone(a.SKUs), func(k *model.SKU) bool { return k.Gone })
}

func articles(a *model.Account) []*model.Article {
	return slices.DeleteFunc(slices.Clone(a.Articles), func(r *model.Article) bool { return r.Gone })
}

// favourite picks the first more often than others: most of what happens shall happen at one place.
func favourite[T any](d Dice, label string, list []T) T {
	if odds(d, label+" one", 60) {
		return list[0]
	}
	return pick(d, label, list)
}

// stockCommand draws a command on the stock and on its holds.
func stockCommand(d Dice, a *model.Account, now int64) base.Op {
	kind := d.N("command", 100)
	switch {
	case kind < 52 || len(a.Units) < 5 && kind < 70:
		return placeHold(d, a, now)
	case kind < 58:
		if h := anyHold(d, a); h != nil {
			return hold.ReleaseHold{ID: h.ID}
		}
	case kind < 68:
		if o, ok := moveHold(d, a, now); ok {
			return o
		}
	case kind < 70:
		if h := anyHold(d, a); h != nil {
			return hold.ConfirmHold{ID: h.ID}
		}
	case kind < 72:
		if h := anyHold(d, a); h != nil {
			return hold.ExtendHold{ID: h.ID, ExpiresIn: int64(30 + d.N("expiry", 7000))}
		}
	case kind < 79:
		return event(d, a, now)
	case kind < 93:
		return quantity(d, a, now)
	case kind < 95:
		return patchArticle(d, a)
	case kind < 97:
		return remove(d, a)
	case kind < 98 && odds(d, "of the catalog", 40):
		return kitCommand(d, a)
	case kind < 98:
		return stock.PatchSKU{ID: pick(d, "SKU", skus(a)).ID, Before: bufferPatch(d), After: bufferPatch(d)}
	case kind < 99 && len(articles(a)) < 8:
		return createArticle(d, a, now)
	}
	return placeHold(d, a, now)
}

func anyHold(d Dice, a *model.Account) *model.Hold {
	if len(a.Holds) == 0 {
		return nil
	}
	return pick(d, "hold", a.Holds)
}

func placeHold(d Dice, a *model.Account, now int64) hold.PlaceHold {
	var o hold.PlaceHold
	for range 1 + d.N("more lines", 5)/3 {
		l := hold.HoldLineInput{Item: item(d, a), Location: location(d, a), Window: Window(d, a, now),
			Quantity: 1 + d.N("quantity", 8)/6}
		for try := 0; try < 6 && odds(d, "tight", 80) && a.Known(l.Item) &&
			!a.Tight(l.Item, l.Location, l.Window, now); try++ {
			l.Window = Window(d, a, now)
		}
		switch {
		case l.Window.End == base.Forever && odds(d, "sale", 50):
			l.Purchase = base.PurchaseSale
		case odds(d, "subscription", 10):
			l.Purchase = base.PurchaseSubscription
		}
		o.Lines = append(o.Lines, l)
	}
	if odds(d, "cart", 15) {
		in := int64(30 + d.N("expiry", 7000))
		o.ExpiresIn = &in
	}
	o.AllowPast = !odds(d, "of the present", 10)
	return o
}

func moveHold(d Dice, a *model.Account, now int64) (o hold.MoveHold, ok bool) {
	h := anyHold(d, a)
	if h == nil {
		return o, false
	}
	o.ID = h.ID
	for _, u := range a.Units {
		if a.Owner(u) != h.ID || len(o.Lines) > 0 && odds(d, "not this unit", 60) {
			continue
		}
		l := hold.MoveLine{Unavailability: u.ID}
		switch d.N("move", 7) {
		case 0, 1:
			w := Window(d, a, now)
			l.From, l.To = &w.Start, &w.End
		case 2:
			from := instant(d, a, now)
			l.From = &from
		case 3:
			to := instant(d, a, now)
			l.To = &to
		case 4:
			l.Article = &pick(d, "article", a.Articles).ID
			if odds(d, "from as it is", 40) {
				from := u.Body().Start
				l.From = &from
			}
		case 6:
			w := u.Body()
			l.From, l.To = &w.Start, &w.End
		case 5:
			s := pick(d, "slot", a.Slots)
			l.Slot = &s.ID
		}
		o.Lines = append(o.Lines, l)
	}
	return o, len(o.Lines) > 0
}

func event(d Dice, a *model.Account, now int64) base.Op {
	if len(a.Events) > 0 && odds(d, "an event that is there", 60) {
		e := pick(d, "event", a.Events)
		if odds(d, "delete", 50) {
			return stock.DeleteScheduledEvent{Article: e.Article, ID: e.ID}
		}
		o := stock.PatchScheduledEvent{Article: e.Article, ID: e.ID,
			Fields: base.Changed(stock.ScheduledEventFields{Name: "other"})}
		if odds(d, "from", 60) {
			w := Closed(d, a, now)
			o.From, o.To = base.Some(w.Start), base.Some(w.End)
		}
		if odds(d, "elsewhere", 20) {
			o.Location = base.Some(location(d, a))
		}
		return o
	}
	o := stock.CreateScheduledEvent{
		Article: pick(d, "article", a.Articles).ID, Location: location(d, a),
		ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "service"},
		Window:               Window(d, a, now),
	}
	if odds(d, "note", 15) {
		o.Type = stock.EventNote
	}
	return o
}

// Repair gives an account an article that is out, with as many repairs as it has units. One unit is taken away, so that
// often a repair waits. Then a repair is deleted or gets other dates, there is one more unit, or nothing happens yet.
func (w *World) Repair(d Dice, tenant int) error {
	do := func(op base.Op) error { _, _, fault := w.Do(tenant, op); return fault }
	a := func() *model.Account { return w.Tenants[tenant].Twin }
	here, units := a().Locations[0].ID, 1+d.N("more units to repair", 3)
	if err := do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "out", Status: stock.ArticleInactive},
		Quantities: []stock.InitialQuantity{{Location: here, Count: units}}}); err != nil {
		return err
	}
	article := a().Articles[len(a().Articles)-1].ID
	for range units {
		from := w.Now() + int64(1+d.N("soon", 4))*hour
		if err := do(stock.CreateScheduledEvent{Article: article, Location: here,
			ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "repair"},
			Window:               base.Span{Start: from, End: from + pick(d, "hours", lengths)*hour}}); err != nil {
			return err
		}
	}
	if err := do(stock.DecreaseQuantity{Article: article, Location: here, Amount: 1, Force: true}); err != nil {
		return err
	}
	switch e := a().Events[len(a().Events)-1]; d.N("then", 4) {
	case 0:
		return do(stock.DeleteScheduledEvent{Article: e.Article, ID: e.ID})
	case 1:
		other := Closed(d, a(), w.Now())
		return do(stock.PatchScheduledEvent{Article: e.Article, ID: e.ID, From: base.Some(other.Start),
			To: base.Some(other.End)})
	case 2:
		return do(stock.IncreaseQuantity{Article: article, Location: here, Amount: 1})
	}
	return nil
}

func quantity(d Dice, a *model.Account, now int64) base.Op {
	article, here, amount := pick(d, "article", a.Articles).ID, location(d, a), 1+d.N("amount", 5)/3
	var at *int64
	if odds(d, "planned", 50) {
		t := instant(d, a, now)
		at = &t
	}
	if o, ok := planned(d, a, now); ok && odds(d, "about what is planned", 25) {
		return o
	}
	if out := slices.DeleteFunc(slices.Clone(a.Units), func(u model.Unit) bool {
		no := a.Lots[u.Lot-1].Article
		return u.Slot != 0 || no < 0 || a.Articles[no].Takes
	}); len(out) > 0 && odds(d, "of what is out", 60) {
		lot := a.Lots[pick(d, "conflict of what is out", out).Lot-1]
		if there := a.Locations[lot.Location]; !there.Gone && !a.Articles[lot.Article].Gone {
			return stock.IncreaseQuantity{Article: a.Articles[lot.Article].ID, Location: there.ID, Amount: amount,
				From: at}
		}
	}
	switch d.N("quantity", 5) {
	case 0:
		return stock.IncreaseQuantity{Article: article, Location: here, Amount: amount, From: at}
	case 1:
		if there := location(d, a); there != here {
			return stock.TransferQuantity{Article: article, From: here, To: there, Amount: amount, At: at}
		}
	}
	o := stock.DecreaseQuantity{Article: article, Location: here, Amount: amount, From: at, Force: odds(d, "force", 60)}
	if odds(d, "stale plan", 5) {
		stale := "0"
		o.Expected = &stale
	}
	return o
}

// planned draws a change of quantity about one that is planned: it calls that off, as an opposite or a transfer back at
// its instant, or comes before it or after it.
func planned(d Dice, a *model.Account, now int64) (base.Op, bool) {
	list := slices.DeleteFunc(slices.Clone(a.Slots), func(s model.Slot) bool {
		return s.Span.Start <= now && (s.Span.End <= now || s.Span.End == base.Forever)
	})
	if len(list) == 0 {
		return nil, false
	}
	s := pick(d, "slot that comes or goes", list)
	lot := a.Lots[s.Lot-1]
	article, here := a.Articles[lot.Article], a.Locations[lot.Location]
	there := location(d, a)
	if article.Gone || here.Gone || there == here.ID {
		return nil, false
	}
	comes := s.Span.Start > now
	at := s.Span.Start
	if !comes {
		at = s.Span.End
	}
	amount := 1 + d.N("amount", 5)/4
	switch d.N("planned change", 6) {
	case 0, 1:
		if comes {
			return stock.DecreaseQuantity{Article: article.ID, Location: here.ID, Amount: amount, From: &at}, true
		}
		return stock.IncreaseQuantity{Article: article.ID, Location: here.ID, Amount: amount, From: &at}, true
	case 2:
		if comes {
			return stock.TransferQuantity{Article: article.ID, From: here.ID, To: there, Amount: amount, At: &at}, true
		}
		return stock.TransferQuantity{Article: article.ID, From: there, To: here.ID, Amount: amount, At: &at}, true
	case 3: // again, earlier or later
		at += int64(d.N("by", 24)-12) * hour
		return stock.TransferQuantity{Article: article.ID, From: here.ID, To: there, Amount: amount, At: &at}, true
	}
	at += int64(d.N("by", 24)-12) * hour
	return stock.DecreaseQuantity{Article: article.ID, Location: here.ID, Amount: amount, From: &at,
		Force: odds(d, "force", 40)}, true
}

func patchArticle(d Dice, a *model.Account) base.Op {
	r := pick(d, "article", articles(a))
	force := len(a.Units)%3 > 0 // no die is rolled: worlds that are known by their seeds stay what they are
	if odds(d, "archive", 20) {
		return stock.ArchiveArticle{ID: r.ID, Archived: !r.Archived || odds(d, "again", 10), Force: force}
	}
	o := stock.PatchArticle{ID: r.ID, Force: force}
	switch d.N("patch", 6) {
	case 0, 1, 2:
		status := stock.ArticleInactive
		if !r.Takes || odds(d, "active", 20) {
			status = stock.ArticleActive
		}
		o.Fields = base.Changed(stock.ArticleFields{Status: status})
	case 3:
		o.Fields = base.Changed(stock.ArticleFields{}, "skuId")
	case 4:
		o.Fields = base.Changed(stock.ArticleFields{SKU: new(pick(d, "SKU", skus(a)).ID)})
	case 5:
		o.Before, o.After = bufferPatch(d), bufferPatch(d)
	}
	return o
}

// remove deletes what is hardly used, or is refused. Something of each kind stays.
func remove(d Dice, a *model.Account) base.Op {
	switch d.N("remove", 5) {
	case 0:
		if len(locations(a)) > 1 {
			return stock.DeleteLocation{ID: pick(d, "location", a.Locations).ID}
		}
	case 1:
		if len(skus(a)) > 1 {
			return stock.DeleteSKU{ID: pick(d, "SKU", a.SKUs).ID}
		}
	default:
		if len(articles(a)) > 2 {
			return stock.DeleteArticle{ID: pick(d, "article", a.Articles).ID}
		}
	}
	return stock.CreateSKU{SKUFields: stock.SKUFields{Name: "kind"}, Before: buffer(d), After: buffer(d)}
}
