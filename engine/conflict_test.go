package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns conflicts: what they are counted against, and who has a unit for them.

// unit is an unavailability as it is now.
func (s *shop) unit(id base.ID) stock.Unavailability {
	s.T.Helper()
	u, ok := stock.UnavailabilityByID(s.view(), id)
	require.True(s.T, ok)
	return u
}

// beside is a shop with one unit of a SKU that an order has over some hours, and an order with a conflict over others.
func beside(t *testing.T, seated, conflict [2]int64) (s *shop, sku base.Item, has, lacks *order.OrderRecord) {
	s = newShop(t)
	sku = base.Item{SKU: s.sku()}
	s.article(sku.SKU, 1)
	at := func(hours int64) int64 { return s.now + hours*hour }
	has = s.order(sku, base.PurchaseBooking, at(seated[0]), ptr(at(seated[1])), 1, false)
	lacks = s.order(sku, base.PurchaseBooking, at(conflict[0]), ptr(at(conflict[1])), 1, true)
	require.False(t, has.Conflict())
	require.True(t, lacks.Conflict())
	return s, sku, has, lacks
}

func (s *shop) until(o *order.OrderRecord, hours int64) order.PatchOrderLine {
	return order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{To: new(s.now + hours*hour)})}
}

func (s *shop) over(o *order.OrderRecord, from, to int64) order.PatchOrderLine {
	p := s.until(o, to)
	p.Fields = base.Changed(order.OrderLineInput{From: new(s.now + from*hour), To: p.Fields.To.To})
	return p
}

// What a hold has, it has: to be shorter beside a conflict it needs nothing, and so does the conflict itself.
func TestShorterBesideAConflict(t *testing.T) {
	s, sku, has, lacks := beside(t, [2]int64{10, 30}, [2]int64{10, 30})
	s.do(s.until(has, 20))
	s.do(s.until(lacks, 25))
	u := s.unit(lacks.Lines[0].Units[0].Hold)
	require.True(t, u.Conflict())
	require.Equal(t, s.now+25*hour, u.Range.End)
	s.refused(base.CodeInsufficient, s.until(has, 22)) // what it gave up was counted for the conflict
	s.do(s.over(lacks, 5, 25))                         // nothing is taken of what it asks for anew
	s.refused(base.CodeInsufficient, s.over(has, 4, 20))
	s.do(s.over(lacks, 10, 15))
	s.do(s.over(lacks, 20, 40))
	require.False(t, s.unit(lacks.Lines[0].Units[0].Hold).Conflict(), "it has room there")
	require.Equal(t, 0, s.available(sku, s.now+10*hour, s.now+30*hour))
	s.reopen()
}

// A conflict with other dates takes what it asks for anew as any hold does, also where no other conflict is in its
// pool.
func TestLongerConflictNeedsRoom(t *testing.T) {
	s, sku, has, lacks := beside(t, [2]int64{10, 30}, [2]int64{10, 20})
	s.refused(base.CodeInsufficient, s.until(lacks, 25))
	s.refused(base.CodeInsufficient, s.over(lacks, 5, 25))
	s.do(s.until(has, 20))
	s.do(s.until(lacks, 25)) // nobody has the hours from 20 on
	require.True(t, s.unit(lacks.Lines[0].Units[0].Hold).Conflict())

	// Of two units of a line that grows, the one that waits asks for the room that the other has just taken.
	two := s.order(sku, base.PurchaseBooking, s.now+40*hour, ptr(s.now+50*hour), 2, true)
	s.refused(base.CodeInsufficient, s.until(two, 60))
	s.do(s.until(two, 45))
	s.reopen()
}

// What a shorter line gives up is not there for the units that it gets beside: they are new.
func TestShorterLineOfMoreUnits(t *testing.T) {
	s, _, has, _ := beside(t, [2]int64{10, 30}, [2]int64{10, 30})
	p := s.until(has, 20)
	p.Fields = base.Changed(order.OrderLineInput{Quantity: 2, To: p.Fields.To.To})
	s.refused(base.CodeInsufficient, p)
}

// The same by a move of a hold, and for two units that change places at once.
func TestMovedBesideAConflict(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	a, b := s.article(sku.SKU, 1), s.article(sku.SKU, 1)
	first := s.book(base.Item{Article: a}, s.now+10*hour, s.now+30*hour, 1)
	second := s.book(base.Item{Article: b}, s.now+10*hour, s.now+30*hour, 1)
	lacks := s.order(sku, base.PurchaseBooking, s.now+10*hour, ptr(s.now+30*hour), 1, true)
	require.True(t, lacks.Conflict())
	id := func(h *hold.Hold) base.ID { return h.Lines[0].Units[0].ID }
	s.do(hold.MoveHold{ID: first.ID, Lines: []hold.MoveLine{{Unavailability: id(first), To: ptr(s.now + 20*hour)}}})
	s.refused(base.CodeInsufficient,
		hold.MoveHold{ID: first.ID, Lines: []hold.MoveLine{{Unavailability: id(first), To: ptr(s.now + 21*hour)}}})
	s.refused(base.CodeInsufficient, hold.MoveHold{ID: second.ID,
		Lines: []hold.MoveLine{{Unavailability: id(second), From: ptr(s.now + 9*hour), Article: &a}}})
	s.do(hold.MoveHold{ID: first.ID, Lines: []hold.MoveLine{{Unavailability: id(first), To: ptr(s.now + 15*hour)}}})
	s.reopen()
}

// A hold keeps its claim when it goes to another unit of its pool.
func TestToAnotherUnitBesideAConflict(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	a, b := s.article(sku.SKU, 1), s.article(sku.SKU, 1)
	at := func(hours int64) int64 { return s.now + hours*hour }
	s.book(base.Item{Article: a}, at(18), at(20), 1)
	s.book(base.Item{Article: b}, at(15), at(17), 1)
	h := s.book(sku, at(10), at(12), 1)
	u := s.unit(h.Lines[0].Units[0].ID)
	// free at each instant, nowhere throughout
	lacks := s.order(sku, base.PurchaseBooking, at(11), ptr(at(19)), 1, true)
	require.True(t, lacks.Conflict())
	to := a
	if u.Article == a {
		to = b
	}
	s.do(hold.MoveHold{ID: h.ID, Lines: []hold.MoveLine{{Unavailability: u.ID, Article: &to}}})
	require.Equal(t, to, s.unit(u.ID).Article)
	s.reopen()
}

// A hand-over is judged by seats: the unit lies on the counter, and the conflict that is counted beside it has none.
func TestHandOverBesideAConflict(t *testing.T) {
	s, _, has, lacks := beside(t, [2]int64{13, 16}, [2]int64{12, 15})
	s.do(order.FulfillOrder{ID: has.ID})
	require.Equal(t, s.now, s.unit(has.Lines[0].Units[0].Hold).Body.Start)
	require.True(t, s.unit(lacks.Lines[0].Units[0].Hold).Conflict())
	s.refused(base.CodeInsufficient, order.FulfillOrder{ID: lacks.ID})
	s.reopen()
}

// A reservation of an article, seated or not, is made shorter as a booking is.
func TestShorterReservationBesideAConflict(t *testing.T) {
	s := newShop(t)
	article := s.article(s.sku(), 2)
	reserve := func() *stock.ScheduledEvent {
		return s.do(stock.CreateScheduledEvent{Article: article, Location: s.loc,
			ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "Repair"},
			Window:               base.Span{Start: s.now + 10*hour, End: s.now + 30*hour}}).(*stock.ScheduledEvent)
	}
	first, second := reserve(), reserve()
	s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, Force: true})
	require.NotEqual(t, s.unit(base.After(first.ID, 1)).Conflict(), s.unit(base.After(second.ID, 1)).Conflict())
	for _, e := range []*stock.ScheduledEvent{first, second} {
		s.do(stock.PatchScheduledEvent{Article: article, ID: e.ID, To: base.Some(s.now + 20*hour)})
	}
	require.NotEqual(t, s.unit(base.After(first.ID, 1)).Conflict(), s.unit(base.After(second.ID, 1)).Conflict())
	s.reopen()
}

// A repair that waits on an article that is out gets a unit of it when one comes free, by whatever way, and what holds
// of customers wait for there does not come between.
func TestRepairOfWhatIsOutGetsWhatComesFree(t *testing.T) {
	var s *shop
	var article base.ID
	var other *stock.ScheduledEvent
	reserve := func() *stock.ScheduledEvent {
		return s.do(stock.CreateScheduledEvent{Article: article, Location: s.loc,
			ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "Repair"},
			Window:               base.Span{Start: noon + 10*hour, End: noon + 30*hour}}).(*stock.ScheduledEvent)
	}
	for name, frees := range map[string]func(){
		"more units": func() { s.do(stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: 1}) },
		"deleted":    func() { s.do(stock.DeleteScheduledEvent{Article: article, ID: other.ID}) },
		"other dates": func() {
			s.do(stock.PatchScheduledEvent{Article: article, ID: other.ID,
				From: base.Some(noon + 40*hour), To: base.Some(noon + 50*hour)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s = newShop(t)
			article = s.article(s.sku(), 3)
			h := s.book(base.Item{Article: article}, noon+10*hour, noon+30*hour, 1)
			waysOut["inactive"](s, article)
			first, second := reserve(), reserve()
			s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 2, Force: true})
			lacks := base.After(first.ID, 1)
			if other = second; !s.unit(lacks).Conflict() {
				lacks, other = base.After(second.ID, 1), first
			}
			require.True(t, s.unit(lacks).Conflict())
			frees()
			require.False(t, s.unit(lacks).Conflict())
			require.True(t, s.unit(h.Lines[0].Units[0].ID).Conflict())
			s.reopen()
		})
	}
	for _, out := range []string{"inactive", "archived"} { // its bookings leave, and a repair that waits stays
		t.Run(out, func(t *testing.T) {
			s = newShop(t)
			article = s.article(s.sku(), 2)
			h := s.book(base.Item{Article: article}, noon+10*hour, noon+20*hour, 1)
			repair := base.After(reserve().ID, 1)
			s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, Force: true})
			unit := h.Lines[0].Units[0].ID
			require.True(t, s.unit(repair).Conflict(), "it ends last")
			require.False(t, s.unit(unit).Conflict())
			waysOut[out](s, article)
			require.False(t, s.unit(repair).Conflict())
			require.True(t, s.unit(unit).Conflict())
			s.reopen()
		})
	}
}

// taken is a shop in which two articles of a SKU are booked and the first goes out: its booking is a conflict.
func taken(t *testing.T, out func(s *shop, article base.ID)) (s *shop, sku base.Item, other *hold.Hold, lacks base.ID) {
	s = newShop(t)
	sku = base.Item{SKU: s.sku()}
	s.article(sku.SKU, 1)
	s.article(sku.SKU, 1)
	first := s.book(sku, s.now+10*hour, s.now+20*hour, 1)
	other = s.book(sku, s.now+10*hour, s.now+20*hour, 1)
	lacks = first.Lines[0].Units[0].ID
	out(s, s.unit(lacks).Article)
	require.True(t, s.unit(lacks).Conflict())
	return s, sku, other, lacks
}

var waysOut = map[string]func(s *shop, article base.ID){
	"inactive": func(s *shop, r base.ID) {
		s.do(stock.PatchArticle{ID: r, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
			Force: true})
	},
	"archived": func(s *shop, r base.ID) { s.do(stock.ArchiveArticle{ID: r, Archived: true, Force: true}) },
	"another SKU": func(s *shop, r base.ID) {
		s.do(stock.PatchArticle{Force: true, ID: r, Fields: base.Changed(stock.ArticleFields{SKU: new(s.sku())})})
	},
	"no SKU": func(s *shop, r base.ID) {
		s.do(stock.PatchArticle{ID: r, Fields: base.Changed(stock.ArticleFields{}, "skuId"), Force: true})
	},
}

// A booking whose article was taken out belongs to its SKU: what comes free there is its, after a restart too.
func TestConflictOfAnArticleThatIsOut(t *testing.T) {
	for name, out := range waysOut {
		t.Run(name, func(t *testing.T) {
			s, sku, other, lacks := taken(t, out)
			s.reopen()
			require.Equal(t, 0, s.available(sku, s.now+10*hour, s.now+20*hour))
			s.refused(base.CodeInsufficient, s.booking(sku, s.now+10*hour, s.now+20*hour, 1))
			s.do(hold.ReleaseHold{ID: other.ID})
			require.False(t, s.unit(lacks).Conflict())
			s.refused(base.CodeInsufficient, s.booking(sku, s.now+10*hour, s.now+20*hour, 1))
			s.reopen()
		})
	}
}

// So is what is new there: units, and an article.
func TestConflictOfAnArticleThatIsOutGetsWhatIsNew(t *testing.T) {
	for name, out := range waysOut {
		t.Run(name, func(t *testing.T) {
			s, _, other, lacks := taken(t, out)
			s.do(stock.IncreaseQuantity{Article: s.unit(other.Lines[0].Units[0].ID).Article, Location: s.loc,
				Amount: 1})
			require.False(t, s.unit(lacks).Conflict())
			s, sku, _, lacks := taken(t, out)
			s.article(sku.SKU, 1)
			require.False(t, s.unit(lacks).Conflict())
		})
	}
}

// With no article left it waits, uncounted; the next one has it, wherever its own is by then.
func TestConflictWithNoArticleLeft(t *testing.T) {
	for name, out := range waysOut {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			sku := base.Item{SKU: s.sku()}
			article := s.article(sku.SKU, 1)
			lacks := s.book(sku, s.now+10*hour, s.now+20*hour, 1).Lines[0].Units[0].ID
			out(s, article)
			require.True(t, s.unit(lacks).Conflict())
			_, total := stock.Conflicts(s.view(), stock.ConflictFilter{SKU: sku.SKU}, 0, 10, s.now)
			require.Equal(t, 1, total)
			if stock.ArticleByID(s.view(), article).Takes() {
				s.book(base.Item{Article: article}, s.now+10*hour, s.now+20*hour, 1)
			}
			s.reopen()
			other := s.article(sku.SKU, 1)
			u := s.unit(lacks)
			require.False(t, u.Conflict())
			require.Equal(t, other, u.Article)
			s.reopen()
		})
	}
}

// Of several pools it is in the one whose buffers are those on its hull, also when these change.
func TestConflictInThePoolOfItsBuffers(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	plain, wide := s.article(sku.SKU, 1), s.article(sku.SKU, 1)
	s.do(stock.PatchArticle{ID: wide,
		After: stock.BufferPatch{Amount: base.Some(fourHours.Amount), Unit: base.Some(fourHours.Unit)}})
	third := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &sku.SKU},
		After: &fourHours, Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 1}}}).(*stock.Article).ID
	var units []stock.Unavailability
	for range 3 {
		units = append(units, s.unit(s.book(sku, s.now+10*hour, s.now+20*hour, 1).Lines[0].Units[0].ID))
	}
	for _, u := range units {
		if u.Article != third {
			continue
		}
		s.do(stock.PatchArticle{ID: third, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
			Force: true})
		require.Equal(t, wide, s.unit(u.ID).Article)
		s.do(stock.PatchArticle{ID: wide, After: stock.BufferPatch{Amount: base.Null[int64]()}})
		s.do(stock.PatchArticle{ID: plain,
			After: stock.BufferPatch{Amount: base.Some(fourHours.Amount), Unit: base.Some(fourHours.Unit)}})
		require.Equal(t, plain, s.unit(u.ID).Article)
	}
	s.reopen()
}

// An open end has no buffer behind it: who waits without end for what has one may as well have what has none, and waits
// there where a unit is free.
func TestConflictWithoutEndInAPoolThatHasRoom(t *testing.T) {
	oneHour := stock.BufferPatch{Amount: base.Some[int64](1), Unit: base.Some(timeline.Hours)}
	for _, x := range []struct {
		name     string
		purchase base.PurchaseType
		before   stock.BufferPatch // that the pool without a buffer behind has
		goes     bool
	}{
		{"booking", base.PurchaseBooking, stock.BufferPatch{}, true},
		{"sale", base.PurchaseSale, stock.BufferPatch{}, true},
		{"booking of another buffer before", base.PurchaseBooking, oneHour, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newShop(t)
			sku := base.Item{SKU: s.sku()}
			there := s.do(stock.CreateLocation{
				LocationFields: stock.LocationFields{Name: "There", Timezone: "UTC"}}).(*stock.Location).ID
			a := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &sku.SKU},
				Quantities: []stock.InitialQuantity{{Location: there, Count: 1}}}).(*stock.Article).ID
			b := s.article(sku.SKU, 1)
			s.do(stock.PatchArticle{ID: b, After: oneHour})
			s.do(stock.PatchArticle{ID: a, Before: x.before})
			at := func(hours int64) int64 { return s.now + hours*hour }
			s.book(base.Item{Article: b}, at(6), at(8), 1)
			waits := s.order(sku, x.purchase, at(3), nil, 1, true)
			require.True(t, waits.Conflict())
			s.do(stock.IncreaseQuantity{Article: a, Location: s.loc, Amount: 1})
			u := s.unit(waits.Lines[0].Units[0].Hold)
			require.Equal(t, x.goes, !u.Conflict())
			if x.goes {
				require.Equal(t, a, u.Article)
				require.Zero(t, s.available(sku, at(6), at(9)))
				s.refused(base.CodeInsufficient, s.booking(sku, at(6), at(9), 1))
			} else {
				require.Equal(t, b, u.Article)
			}
			s.reopen()
		})
	}
}

// Who loses its unit waits for it, with an end or without one, however like the units of another pool are.
func TestConflictWaitsWhereItSat(t *testing.T) {
	for _, ends := range []bool{true, false} {
		t.Run(map[bool]string{true: "with an end", false: "without one"}[ends], func(t *testing.T) {
			s := newShop(t)
			sku := base.Item{SKU: s.sku()}
			first, second := s.article(sku.SKU, 1), s.article(sku.SKU, 1)
			s.do(stock.PatchArticle{ID: second, After: stock.BufferPatch{Amount: base.Some[int64](3),
				Unit: base.Some(timeline.Hours)}})
			at := func(days int64) int64 { return s.now + days*24*hour }
			s.book(base.Item{Article: first}, at(10), at(20), 1)
			end := at(20)
			if !ends {
				end = base.Forever
			}
			unit := s.book(sku, at(10), end, 1).Lines[0].Units[0].ID
			require.Equal(t, second, s.unit(unit).Article)
			then := at(15)
			s.do(stock.DecreaseQuantity{Article: second, Location: s.loc, Amount: 1, From: &then, Force: true})
			u := s.unit(unit)
			require.True(t, u.Conflict())
			require.Equal(t, second, u.Article)
			s.do(stock.IncreaseQuantity{Article: second, Location: s.loc, Amount: 1, From: &then})
			u = s.unit(unit)
			require.False(t, u.Conflict())
			require.Equal(t, second, u.Article)
			s.reopen()
		})
	}
}

// What an overbooked order is short of is tried once by seats: a conflict that waits for an article keeps no unit of
// another from it.
func TestOverbookedOrderLeavesNoUnitIdle(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	a, b := base.Item{Article: s.article(sku.SKU, 1)}, base.Item{Article: s.article(sku.SKU, 1)}
	named, any := s.line(a, s.now+10*hour, s.now+20*hour, nil), s.line(sku, s.now+10*hour, s.now+20*hour, nil)
	named.Quantity = 2
	o := s.requiring(named, any)
	o.AllowOverbooked = true
	r := s.do(o).(*order.OrderRecord)
	require.Equal(t, b.Article, s.unit(r.Lines[1].Units[0].Hold).Article)
	require.False(t, s.unit(r.Lines[1].Units[0].Hold).Conflict())
	_, total := stock.Conflicts(s.view(), stock.ConflictFilter{}, 0, 10, s.now)
	require.Equal(t, 1, total)
	s.refused(base.CodeInsufficient, s.booking(b, s.now+10*hour, s.now+20*hour, 1))
	s.reopen()
}

// A unit of a named article is handed over early where what is in its way may move to another article; so is one that
// has no unit yet.
func TestEarlyHandOverOfANamedArticle(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	for range 2 {
		s.article(sku.SKU, 1)
	}
	first := s.rent(sku, s.now+10*hour, s.now+20*hour, 1)
	on := s.unit(first.Lines[0].Units[0].Hold).Article
	second := s.rent(base.Item{Article: on}, s.now+30*hour, s.now+40*hour, 1)
	s.do(order.FulfillOrder{ID: second.ID})
	require.Equal(t, on, s.unit(second.Lines[0].Units[0].Hold).Article)
	require.NotEqual(t, on, s.unit(first.Lines[0].Units[0].Hold).Article)
	require.False(t, s.unit(first.Lines[0].Units[0].Hold).Conflict())
	s.reopen()
}

// A conflict that waits for an article has it as soon as what is there may move to another.
func TestConflictOfAnArticlePushesOthersOut(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	for range 2 {
		s.article(sku.SKU, 1)
	}
	var holds []*hold.Hold
	for range 2 {
		holds = append(holds, s.book(sku, s.now+10*hour, s.now+20*hour, 1))
	}
	on := s.unit(holds[0].Lines[0].Units[0].ID).Article
	waits := s.order(base.Item{Article: on}, base.PurchaseBooking, s.now+10*hour, ptr(s.now+20*hour), 1, true)
	require.True(t, waits.Conflict())
	s.do(hold.ReleaseHold{ID: holds[1].ID})
	u := s.unit(waits.Lines[0].Units[0].Hold)
	require.False(t, u.Conflict())
	require.Equal(t, on, u.Article)
	require.False(t, s.unit(holds[0].Lines[0].Units[0].ID).Conflict())
	s.reopen()
}

// A hold that was made for a slot gets that slot back, and no other, as long as it is there.
func TestConflictGetsItsSlotBack(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	r := s.article(sku, 2)
	from, to := s.now+10*hour, s.now+20*hour
	h, other := s.book(base.Item{Article: r}, from, to, 1), s.book(base.Item{Article: r}, from, to, 1)
	unit, second := h.Lines[0].Units[0].ID, other.Lines[0].Units[0].Slot
	s.do(hold.ReleaseHold{ID: other.ID})
	s.do(hold.MoveHold{ID: h.ID, Lines: []hold.MoveLine{{Unavailability: unit, Slot: &second}}})
	require.Equal(t, second, s.unit(unit).Slot)
	status := func(to stock.ArticleStatus) {
		s.do(stock.PatchArticle{Force: true, ID: r, Fields: base.Changed(stock.ArticleFields{Status: to})})
	}

	status(stock.ArticleInactive)
	require.True(t, s.unit(unit).Conflict())
	s.reopen()
	status(stock.ArticleActive)
	require.Equal(t, second, s.unit(unit).Slot)

	status(stock.ArticleInactive)
	// it waits for its slot at other dates, too
	s.do(hold.MoveHold{ID: h.ID, Lines: []hold.MoveLine{{Unavailability: unit, To: ptr(to - hour)}}})
	status(stock.ArticleActive)
	require.Equal(t, second, s.unit(unit).Slot)

	// What is on its slot meanwhile moves away for it, as for all that is made for a slot.
	status(stock.ArticleInactive)
	status(stock.ArticleActive)
	s.do(stock.DecreaseQuantity{Article: r, Location: s.loc, Amount: 1, Force: true})
	require.Equal(t, second, s.unit(unit).Slot, "the other one went")

	// Where it is gone, any of the article's will do.
	status(stock.ArticleInactive)
	s.do(stock.DecreaseQuantity{Article: r, Location: s.loc, Amount: 1})
	s.do(stock.IncreaseQuantity{Article: r, Location: s.loc, Amount: 1})
	require.True(t, s.unit(unit).Conflict())
	status(stock.ArticleActive)
	require.False(t, s.unit(unit).Conflict())
	require.NotEqual(t, second, s.unit(unit).Slot)
	s.reopen()
}

// A conflict of an article all of whose units are taken by what is pinned there can sit nowhere, so it bars no other
// unit; one that could sit does.
func TestPinnedConflictCountsWhereItCouldSit(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	a, b := base.Item{Article: s.article(sku.SKU, 1)}, base.Item{Article: s.article(sku.SKU, 1)}
	from, to := s.now+10*hour, s.now+20*hour
	o := s.order(a, base.PurchaseBooking, from, &to, 2, true)
	require.True(t, o.Conflict())
	require.Equal(t, 0, s.available(a, from, to))
	require.Equal(t, 1, s.available(sku, from, to))
	require.Equal(t, 1, s.promised(sku, from, to))
	changes, err := hold.Calendar(s.view(),
		hold.Query{Item: sku, Location: s.loc, Window: base.Span{Start: from, End: to}}, stock.BucketChange, s.now, nil)
	require.NoError(t, err)
	require.Len(t, changes, 1)
	require.Equal(t, 1, changes[0].Available)
	h := s.book(sku, from, to, 1)
	require.Equal(t, b.Article, h.Lines[0].Units[0].Article)
	s.refused(base.CodeInsufficient, s.booking(sku, from, to, 1))
	s.do(hold.ReleaseHold{ID: h.ID})
	s.do(order.UnassignUnit{Order: o.ID, Unit: o.Lines[0].Units[0].ID})
	require.Equal(t, 1, s.available(sku, from, to), "the line names the article still")
	s.reopen()
}

// Time alone makes room for a conflict as what is past needs none, and then it is seated, though nobody does anything.
func TestTimeSeatsAConflict(t *testing.T) {
	s, sku, has, lacks := beside(t, [2]int64{10, 30}, [2]int64{20, 40})
	at := func(hours int64) int64 { return noon + hours*hour }
	waits := func() bool { return s.unit(lacks.Lines[0].Units[0].Hold).Conflict() }
	s.tick(at(30) - 1)
	require.True(t, waits())
	s.reopen()
	s.tick(at(30))
	require.False(t, waits())
	require.False(t, s.orderNow(lacks).Conflict())
	require.False(t, s.orderNow(has).Conflict())
	require.Zero(t, s.available(sku, at(39), at(40)))
	s.reopen()

	// The instant is that at which what has the room ends: it comes sooner where that does.
	s, _, has, lacks = beside(t, [2]int64{10, 30}, [2]int64{20, 60})
	s.do(s.over(has, 10, 25))
	s.tick(at(25) - 1)
	require.True(t, waits())
	s.tick(at(25))
	require.False(t, waits())
	s.reopen()
}

// A conflict that is made shorter is one since the same instant, and is seated when time makes room for the dates that
// it has now.
func TestTimeSeatsAConflictThatIsShorter(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	s.article(sku.SKU, 1)
	at := func(hours int64) int64 { return noon + hours*hour }
	s.book(sku, at(10), at(30), 1)
	s.book(sku, at(40), at(50), 1)
	lacks := s.order(sku, base.PurchaseBooking, at(20), ptr(at(60)), 1, true)
	until := s.until(lacks, 38)
	s.tick(at(5))
	s.do(until)
	list, _ := stock.Conflicts(s.view(), stock.ConflictFilter{}, 0, 2, s.now)
	require.Len(t, list, 1)
	require.Equal(t, noon, list[0].Since)
	s.tick(at(30) - 1)
	require.True(t, s.orderNow(lacks).Conflict())
	s.tick(at(30))
	require.False(t, s.orderNow(lacks).Conflict())
	s.reopen()
}

// Of several that time makes room for at once the one that was made first is seated, and the others when it ends.
func TestTimeSeatsTheOldestConflictFirst(t *testing.T) {
	s, sku, _, first := beside(t, [2]int64{10, 30}, [2]int64{20, 40})
	at := func(hours int64) int64 { return noon + hours*hour }
	second := s.order(sku, base.PurchaseBooking, at(15), ptr(at(50)), 1, true)
	third := s.order(sku, base.PurchaseBooking, at(15), ptr(at(40)), 1, true)
	waits := func(o *order.OrderRecord) bool { return s.orderNow(o).Conflict() }
	s.bounded(base.Bounds{DueItems: 1, FollowUps: 1})
	s.tick(at(30))
	require.False(t, waits(first))
	require.True(t, waits(second))
	require.True(t, waits(third))
	s.tick(at(40))
	require.False(t, waits(second))
	require.True(t, waits(third), "it is over")
	s.reopen()
}

// Where units are free at every instant and pins keep a conflict out, the end of what is pinned lets it in.
func TestTimeSeatsAConflictThatPinsKeptOut(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	a, b := s.article(sku.SKU, 1), s.article(sku.SKU, 1)
	at := func(hours int64) int64 { return noon + hours*hour }
	s.book(base.Item{Article: a}, at(18), at(20), 1)
	s.book(base.Item{Article: b}, at(15), at(17), 1)
	lacks := s.order(sku, base.PurchaseBooking, at(11), ptr(at(19)), 1, true)
	require.True(t, lacks.Conflict())
	s.tick(at(17) - 1)
	require.True(t, s.orderNow(lacks).Conflict())
	s.tick(at(17))
	require.False(t, s.orderNow(lacks).Conflict())
	s.reopen()
}

// A unit that is announced lets in who waits for it when it is there.
func TestTimeSeatsAConflictOnAUnitThatComes(t *testing.T) {
	s, sku, _, lacks := beside(t, [2]int64{10, 50}, [2]int64{20, 40})
	at := func(hours int64) int64 { return noon + hours*hour }
	more := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &sku.SKU},
		Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 1, From: ptr(at(30))}}}).(*stock.Article).ID
	require.True(t, s.orderNow(lacks).Conflict())
	s.tick(at(30))
	u := s.unit(lacks.Lines[0].Units[0].Hold)
	require.False(t, u.Conflict())
	require.Equal(t, more, u.Article)
	s.reopen()
}

// An article that was out of use for a while seats by time as before.
func TestTimeSeatsAConflictOfAnArticleThatWasOut(t *testing.T) {
	s := newShop(t)
	article := s.article(s.sku(), 1)
	at := func(hours int64) int64 { return noon + hours*hour }
	s.book(base.Item{Article: article}, at(10), at(30), 1)
	lacks := s.order(base.Item{Article: article}, base.PurchaseBooking, at(20), ptr(at(40)), 1, true)
	s.do(stock.PatchArticle{ID: article, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
		Force: true})
	s.tick(at(5))
	s.do(stock.PatchArticle{ID: article, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleActive})})
	require.True(t, s.orderNow(lacks).Conflict())
	s.tick(at(30))
	require.False(t, s.orderNow(lacks).Conflict())
	s.reopen()
}

// Time seats nobody on an article that is out. Back in, it has who waits for it.
func TestTimeSeatsNobodyOnAnArticleThatIsOut(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 1)
	at := func(hours int64) int64 { return noon + hours*hour }
	s.order(base.Item{Article: article}, base.PurchaseBooking, at(10), ptr(at(20)), 1, false)
	lacks := s.order(base.Item{Article: article}, base.PurchaseBooking, at(15), ptr(at(40)), 1, true)
	require.True(t, lacks.Conflict())
	s.do(stock.PatchArticle{ID: article, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
		Force: true})
	s.tick(at(20))
	require.True(t, s.orderNow(lacks).Conflict())
	s.reopen()
	s.do(stock.PatchArticle{ID: article, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleActive})})
	require.False(t, s.orderNow(lacks).Conflict())
	s.reopen()
}

// Of what loses its unit to a reduction, the time until then is free: who waits for no more than that gets it.
func TestForcedDecreaseSeatsWhoHasTimeUntilThen(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	article := s.article(sku.SKU, 1)
	long := s.order(sku, base.PurchaseBooking, s.now+hour, nil, 1, false)
	short := s.order(sku, base.PurchaseBooking, s.now+2*hour, ptr(s.now+4*hour), 1, true)
	require.True(t, short.Conflict())

	s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, From: ptr(s.now + 10*hour), Force: true})
	require.True(t, s.unit(long.Lines[0].Units[0].Hold).Conflict())
	require.False(t, s.unit(short.Lines[0].Units[0].Hold).Conflict())
	s.reopen()
}

// Two articles whose buffers differ are two pools. Where a change of the buffers makes them one, of the article or of
// what it has from its SKU, who waits in the one gets what is free in the other.
func TestPoolsThatBecomeOneSeatWhoWaits(t *testing.T) {
	for name, join := range map[string]func(s *shop, sku, article base.ID){
		"article": func(s *shop, _, article base.ID) {
			s.do(stock.PatchArticle{ID: article,
				Before: stock.BufferPatch{Amount: base.Null[int64](), Unit: base.Null[timeline.Unit]()}})
		},
		"SKU": func(s *shop, sku, _ base.ID) {
			s.do(stock.PatchSKU{ID: sku,
				Before: stock.BufferPatch{Amount: base.Some[int64](1), Unit: base.Some(timeline.Hours)}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			sku := s.sku()
			s.article(sku, 1)
			other := s.article(sku, 1)
			s.do(stock.PatchArticle{ID: other,
				Before: stock.BufferPatch{Amount: base.Some[int64](1), Unit: base.Some(timeline.Hours)}})
			from, to := s.now+day, s.now+2*day
			theirs := s.book(base.Item{Article: other}, from, to, 1)
			s.book(base.Item{SKU: sku}, from, to, 1)
			waits := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc,
				AllowOverbooked: true}, Lines: []order.OrderLineInput{
				{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from, To: &to},
			}}).(*order.OrderRecord)
			require.True(t, waits.Conflict())
			s.do(hold.ReleaseHold{ID: theirs.ID})
			require.True(t, order.OrderByID(s.view(), waits.ID).Conflict(), "it waits in the other pool")
			before := s.view().Sequence()
			join(s, sku, other)
			require.False(t, order.OrderByID(s.view(), waits.ID).Conflict())
			list, err := s.feed(s.acc, before, 100)
			require.NoError(t, err)
			require.NotEmpty(t, list)
			for _, c := range list {
				require.Empty(t, c.Moved, "it had no unit that it could have moved from")
			}
			s.reopen()
		})
	}
}

// Who loses its unit to one that is late has waited for what time makes free as long as any other, also where a start
// does at once what was due one after the other while the engine was down.
func TestWhoIsPushedAsideHasItsTurnByAge(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	x, y := s.article(sku, 1), s.article(sku, 1)
	s.do(stock.PatchArticle{ID: y,
		Before: stock.BufferPatch{Amount: base.Some[int64](1), Unit: base.Some(timeline.Hours)}})
	begin := s.now
	s.rent(base.Item{Article: x}, begin+hour, begin+5*hour, 1) // nobody fetches it
	late := s.rent(base.Item{Article: y}, begin+hour, begin+3*hour, 1)
	pushed := s.rent(base.Item{SKU: sku}, begin+4*hour, begin+10*hour, 1)
	younger := s.order(base.Item{SKU: sku}, base.PurchaseBooking, begin+2*hour, ptr(begin+11*hour), 1, true)
	require.True(t, younger.Conflict())
	// now it would wait for x
	s.do(stock.PatchArticle{ID: y,
		After: stock.BufferPatch{Amount: base.Some[int64](1), Unit: base.Some(timeline.Hours)}})
	s.tick(begin + hour)
	s.do(order.FulfillOrder{ID: late.ID})
	require.False(t, s.orderNow(pushed).Conflict())
	s.tick(begin + 6*hour)
	require.False(t, s.orderNow(pushed).Conflict())
	require.True(t, s.orderNow(younger).Conflict())
	s.reopen()
}

// A unit that loses its place to other dates of its line waits where it belongs before anybody is tried.
func TestWhoLosesItsPlaceHasItsTurnByAge(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	s.article(sku.SKU, 1)
	s.article(sku.SKU, 1)
	oneHour := stock.BufferPatch{Amount: base.Some[int64](1), Unit: base.Some(timeline.Hours)}
	other := s.article(sku.SKU, 1)
	s.do(stock.PatchArticle{ID: other, Before: oneHour, After: oneHour})
	older := s.order(sku, base.PurchaseBooking, s.now+3*hour, ptr(s.now+10*hour), 3, false)
	require.Equal(t, other, s.unit(older.Lines[0].Units[2].Hold).Article)
	s.do(stock.IncreaseQuantity{Article: other, Location: s.loc, Amount: 1})
	s.tick(s.now + 6*hour)
	younger := s.order(sku, base.PurchaseBooking, s.now, nil, 2, true)
	require.True(t, younger.Conflict())
	s.do(order.PatchOrderLine{Order: older.ID, ID: older.Lines[0].ID, AllowOverbooked: true,
		Fields: base.Changed(order.OrderLineInput{}, "endDate")})
	require.False(t, s.orderNow(older).Conflict())
	require.True(t, s.orderNow(younger).Conflict())
	s.reopen()
}

// A hold that a late unit pushes aside leaves room behind that unit: who waits for no more than that gets it.
func TestWhoIsPushedAsideLeavesRoomBehindALateUnit(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	s.article(sku.SKU, 1)
	out := s.rent(sku, noon, noon+hour, 1)
	next := s.rent(sku, noon+hour, noon+20*hour, 1)
	over := s.rental(order.OrderOpen, sku, noon+10*hour, noon+15*hour, 1)
	over.AllowOverbooked = true
	waits := s.do(over).(*order.OrderRecord)
	require.True(t, s.orderNow(waits).Conflict())
	s.do(order.FulfillOrder{ID: out.ID})
	s.tick(noon + hour)
	require.True(t, s.orderNow(next).Conflict())
	require.False(t, s.orderNow(waits).Conflict())
	s.reopen()
}

// A repair that waits for a unit may get other dates, and goes on to wait; it takes nothing from a booking by that.
func TestRepairThatWaitsGetsOtherDates(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 2)
	s.book(base.Item{Article: article}, noon+10*hour, noon+30*hour, 1)
	repair := s.do(stock.CreateScheduledEvent{Article: article, Location: s.loc,
		ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "Repair"},
		Window:               base.Span{Start: noon + 10*hour, End: noon + 31*hour}}).(*stock.ScheduledEvent)
	s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, Force: true})
	s.book(base.Item{Article: article}, noon+40*hour, noon+50*hour, 1)
	until := func(hours int64) stock.PatchScheduledEvent {
		return stock.PatchScheduledEvent{Article: article, ID: repair.ID, To: base.Some(noon + hours*hour)}
	}
	for _, hours := range []int64{40, 25} {
		s.do(until(hours))
		u := s.unit(base.After(repair.ID, 1))
		require.True(t, u.Conflict())
		require.Equal(t, noon+hours*hour, u.Range.End)
	}
	s.refused(base.CodeInsufficient, until(28)) // it has given that up
	s.refused(base.CodeInsufficient, until(45))
	there := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "There", Timezone: "UTC"}}).(*stock.Location).ID
	away := until(25)
	away.Location = base.Some(there)
	s.refused(base.CodeInsufficient, away)
	away = until(39)
	away.From = base.Some(noon + 31*hour)
	s.do(away)
	require.False(t, s.unit(base.After(repair.ID, 1)).Conflict())
	s.reopen()
}
