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

// This file owns the tests of units that are sold.

// TestASoldUnitLeavesTheStock sells one unit of three: from the hand-over on there are two, in every answer, and the
// sale is shown in a window that contains its instant and in no other.
func TestASoldUnitLeavesTheStock(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 3)
	made := s.order(base.Item{SKU: sku}, base.PurchaseSale, s.now+hour, nil, 1, false)
	reserved := made.Lines[0].Units[0].Hold
	s.now += 3 * hour
	at := s.now
	made = s.do(order.FulfillOrder{ID: made.ID}).(*order.OrderRecord)
	require.Equal(t, order.OrderClosed, made.Status)
	require.Equal(t, order.UnitRecord{Article: article, Name: "Unit", SKUName: ptr("Bike"),
		Ordered: base.Item{SKU: sku}, OrderedName: "Bike", Range: base.Span{Start: at, End: base.Forever}},
		made.Units[0])
	seen := func(w base.Span) (x stock.ArticleStock) {
		require.NoError(t, stock.FillArticleStock(s.view(), &x, article, base.ID{}, w, s.now))
		return x
	}
	check := func() {
		now := seen(base.Span{Start: at, End: at})
		require.Equal(t, 2, now.Quantity[0].Count)
		require.EqualValues(t, 2, now.Balance[0].Value)
		require.EqualValues(t, 0, now.Committed[0].Value)
		require.Len(t, now.Units, 1)
		u := now.Units[0]
		require.Equal(t, stock.Unavailability{
			ID: reserved, Range: base.Span{Start: at, End: base.Forever}, Body: base.Span{Start: at, End: base.Forever},
			Kind: timeline.Sale, Blocker: timeline.BlockerOrder,
			Owner: made.ID, Item: made.Lines[0].Units[0].ID, Article: article, Location: s.loc,
			Line: int(made.Lines[0].No),
		}, u)
		require.False(t, u.Conflict())
		require.Empty(t, now.Conflicts)
		require.Len(t, seen(base.Span{Start: at - day, End: at + 1}).Units, 1)
		require.Empty(t, seen(base.Span{Start: at - day, End: at}).Units)
		later := seen(base.Span{Start: at + 1, End: at + 1000*day})
		require.Empty(t, later.Units)
		require.Equal(t, 2, later.Quantity[0].Count)
		units, total, err := stock.ArticleUnits(s.view(), article, base.Span{Start: at, End: at + day}, base.First)
		require.NoError(t, err)
		require.Equal(t, []stock.Unavailability{u}, units)
		require.Equal(t, 1, total)
	}
	check()
	s.reopen()
	check()
	require.Equal(t, 2, s.available(base.Item{SKU: sku}, at, at+day))
	plan, err := stock.PlanQuantity(s.view(), article, s.loc, 2, nil, s.now+1)
	require.NoError(t, err)
	require.True(t, plan.OK, "what was sold is in nobody's way")
	s.do(order.DeleteOrder{ID: made.ID})
	require.Equal(t, 2, seen(base.Span{Start: at + 1, End: at + 1}).Quantity[0].Count)
	require.Empty(t, seen(base.Span{Start: at, End: at}).Units)
	s.reopen()
}

// TestAUniqueArticleIsSoldForGood sells the only unit of an article: its total, the list, a plan, the calendar and what
// an export has agree that there is none, until the sale is undone.
func TestAUniqueArticleIsSoldForGood(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	made := s.order(base.Item{SKU: sku}, base.PurchaseSale, s.now, nil, 1, false)
	s.now += hour
	s.do(order.FulfillOrder{ID: made.ID})
	agree := func(n int) {
		t.Helper()
		w := base.Span{Start: s.now + 1, End: s.now + day}
		var x stock.ArticleStock
		require.NoError(t, stock.FillArticleStock(s.view(), &x, article, base.ID{}, w, s.now))
		require.Equal(t, n, x.Quantity[0].Count)
		require.Len(t, x.Locations, n)
		require.EqualValues(t, n, x.Balance[0].Value)
		_, total, err := stock.ListArticles(s.view(),
			&stock.ArticleQuery{Window: w, Now: s.now, Active: true, Location: &s.loc, Limit: 10}, nil)
		require.NoError(t, err)
		require.Equal(t, n, total, "with a unit there")
		stays := stock.StayingOf(s.view(), stock.ArticleByID(s.view(), article), s.now+1)
		require.Len(t, stays.Units, n, "in an export")
		buckets, err := hold.Calendar(s.view(), hold.Query{Item: base.Item{SKU: sku}, Location: s.loc, Window: w},
			stock.BucketChange, s.now, nil)
		require.NoError(t, err)
		require.Equal(t, []int{n - len(x.Units), n - len(x.Units)}, []int{buckets[0].MinFree, buckets[0].MaxFree})
		plan, err := stock.PlanQuantity(s.view(), article, s.loc, 1, nil, s.now+1)
		require.NoError(t, err)
		require.False(t, plan.OK, "there is none that could go")
		require.Len(t, plan.Blockers, n, "and nobody in the way but who bought it")
	}
	agree(0)
	s.reopen()
	agree(0)
	s.do(order.UndoOrder{ID: made.ID, Units: []base.ID{made.Lines[0].Units[0].ID}})
	agree(1)
}

// TestUndoOfASaleAtAPlaceThatIsGone: a unit that was sold is no stock of its place, so that this can be deleted. Then
// the unit cannot come back.
func TestUndoOfASaleAtAPlaceThatIsGone(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 1)
	made := s.order(base.Item{SKU: sku}, base.PurchaseSale, s.now, nil, 1, false)
	s.do(order.FulfillOrder{ID: made.ID})
	s.now += hour
	s.do(stock.DeleteLocation{ID: s.loc})
	s.refused(base.CodeConflict, order.UndoOrder{ID: made.ID, Units: []base.ID{made.Lines[0].Units[0].ID}})
	s.reopen()
}

// TestSaleBeforeItsTime sells a unit before it is due, and one on the slot of a booking that has just ended.
func TestSaleBeforeItsTime(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	s.book(base.Item{SKU: sku}, s.now, s.now+hour, 1)
	made := s.order(base.Item{SKU: sku}, base.PurchaseSale, s.now+day, nil, 1, false)
	s.now += 2 * hour
	earlier := s.now - hour/2
	s.do(order.FulfillOrder{ID: made.ID, At: &earlier})
	var x stock.ArticleStock
	require.NoError(t,
		stock.FillArticleStock(s.view(), &x, article, base.ID{}, base.Span{Start: s.now, End: s.now}, s.now))
	require.Equal(t, 0, x.Quantity[0].Count)
	require.NoError(t,
		stock.FillArticleStock(s.view(), &x, article, base.ID{}, base.Span{Start: earlier, End: earlier}, s.now))
	require.Equal(t, timeline.Sale, x.Units[len(x.Units)-1].Kind)
	s.reopen()
}

// TestUndoOfASaleThatEndedItsSlotLater undoes a sale that is told to have been while another hold was on its slot: that
// ended with the other hold, and the unit that comes back has a slot of its own.
func TestUndoOfASaleThatEndedItsSlotLater(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	s.book(base.Item{SKU: sku}, s.now, s.now+2*hour, 1)
	made := s.order(base.Item{SKU: sku}, base.PurchaseSale, s.now+day, nil, 1, false)
	s.now += 3 * hour
	earlier := s.now - 2*hour
	s.do(order.FulfillOrder{ID: made.ID, At: &earlier})
	s.now += hour
	s.do(order.UndoOrder{ID: made.ID, Units: []base.ID{made.Lines[0].Units[0].ID}})
	for at, n := range map[int64]int{earlier: 1, s.now - 1: 0, s.now: 1, s.now + 2*day: 1} {
		var x stock.ArticleStock
		w := base.Span{Start: at, End: at}
		require.NoError(t, stock.FillArticleStock(s.view(), &x, article, base.ID{}, w, s.now))
		require.Equal(t, n, x.Quantity[0].Count, at-s.now)
	}
	require.False(t, s.orderNow(made).Conflict())
	s.reopen()
}

// TestSoldByAnOlderProgram lets a unit leave the stock that an older program has sold, where it went on to be a hold.
func TestSoldByAnOlderProgram(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 2)
	made := s.order(base.Item{SKU: sku}, base.PurchaseSale, s.now, nil, 1, false)
	s.now += hour
	at := s.now
	s.do(soldAsBefore{order: made.ID})
	s.now += hour
	require.NoError(t, s.Tick(t.Context()))
	_, found := stock.UnavailabilityByID(s.view(), made.Lines[0].Units[0].Hold)
	require.False(t, found)
	var x stock.ArticleStock
	require.NoError(t, stock.FillArticleStock(s.view(), &x, article, base.ID{}, base.Span{Start: at, End: at}, s.now))
	require.Equal(t, 1, x.Quantity[0].Count)
	require.Len(t, x.Units, 1)
	require.Equal(t, article, order.OrderByID(s.view(), made.ID).Units[0].Article)
	// That the order has copies now is no change of it, and so none that the history names.
	list, _, _, err := s.OrderHistory(t.Context(), s.view(), made.ID, OrderPoint{}, 1)
	require.NoError(t, err)
	require.Equal(t, "clock", list[0].Actor)
	require.Equal(t, []string{"stockItems"}, list[0].Differs)
	s.reopen()
}

// soldAsBefore hands the units of an order over as programs did up to format 5, which kept no copies.
type soldAsBefore struct {
	base.Answers[any]
	order base.ID
}

func (o soldAsBefore) PlanOn(t *base.Tx) (any, error) {
	n, err := order.Edit(t, o.order)
	if err != nil {
		return nil, err
	}
	u := &n.Lines[0].Units[0]
	h, _, _ := stock.Draft(t).Find(u.Hold)
	h.Kind, h.Flags = timeline.Sale, h.Flags|timeline.Out
	stock.Draft(t).Replace(h)
	u.State, u.Handed = order.Fulfilled, t.Now
	n.OrderCopies = order.OrderCopies{}
	return nil, nil
}

// A sale has no end, and is given none where it is moved.
func TestASaleIsMovedToNoEnd(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 2)
	held := s.do(hold.PlaceHold{
		Lines: []hold.HoldLineInput{
			{Item: base.Item{SKU: sku}, Location: s.loc, Window: base.Span{Start: noon + hour, End: base.Forever},
				Quantity: 1, Purchase: base.PurchaseSale}}}).(*hold.Hold)
	unit := held.Lines[0].Units[0].ID
	move := func(from, to *int64) hold.MoveHold {
		return hold.MoveHold{ID: held.ID, Lines: []hold.MoveLine{{Unavailability: unit, From: from, To: to}}}
	}
	e := s.refused(base.CodeInvalid, move(nil, ptr(noon+day)))
	require.Equal(t, []base.Fault{{Pointer: "/lines/0/to", Code: "forbidden", Message: "a sale has no end"}}, e.Faults)
	s.do(move(ptr(noon+2*hour), nil))
	require.EqualValues(t, base.Forever, s.unit(unit).Range.End)
}

// endedSale gives a sale an end, as a move did once.
type endedSale struct {
	base.Answers[any]
	unit base.ID
	end  int64
}

func (o endedSale) PlanOn(t *base.Tx) (any, error) {
	h, _, _ := stock.Draft(t).Find(o.unit)
	stock.Draft(t).Stretch(h.WithSpan(base.Span{Start: h.Span.Start, End: o.end}).WithBuffers(h.Before(), 0))
	return nil, nil
}

// A sale that an older program gave an end goes out for good all the same: who is behind that goes elsewhere, or stands
// in its way.
func TestASaleWithAnEndGoesOut(t *testing.T) {
	for behind := 1; behind <= 2; behind++ {
		for _, late := range []bool{false, true} {
			s := newShop(t)
			sku := s.sku()
			article := s.article(sku, 2)
			o := s.order(base.Item{SKU: sku}, base.PurchaseSale, noon+hour, nil, 1, false)
			s.do(endedSale{unit: o.Lines[0].Units[0].Hold, end: noon + day})
			s.do(hold.PlaceHold{
				Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sku}, Location: s.loc,
					Window: base.Span{Start: noon + 2*day, End: noon + 3*day}, Quantity: behind}}})
			if late {
				s.now = noon + day + hour
			}
			if behind == 2 {
				s.refused(base.CodeInsufficient, order.FulfillOrder{ID: o.ID})
				continue
			}
			require.Equal(t, order.OrderClosed, s.do(order.FulfillOrder{ID: o.ID}).(*order.OrderRecord).Status)
			var left stock.ArticleStock
			require.NoError(t, stock.FillArticleStock(s.view(), &left, article, base.ID{},
				base.Span{Start: noon + 2*day, End: noon + 3*day}, s.now))
			require.Equal(t, 1, left.Quantity[0].Count)
			require.Empty(t, left.Conflicts)
			s.reopen()
		}
	}
}
