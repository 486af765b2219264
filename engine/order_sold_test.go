package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

// This file owns the tests of units that are sold.

// TestASoldUnitLeavesTheStock sells one unit of three: from the hand-over on there are two, in every answer, and the sale is shown in a
// window that contains its instant and in no other.
func TestASoldUnitLeavesTheStock(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 3)
	order := s.order(Item{SKU: sku}, PurchaseSale, s.now+hour, nil, 1, false)
	reserved := order.Lines[0].Units[0].Hold
	s.now += 3 * hour
	at := s.now
	order = s.do(FulfillOrder{ID: order.ID}).(*OrderRecord)
	require.Equal(t, OrderClosed, order.Status)
	require.Equal(t, UnitRecord{Article: article, Name: "Unit", SKUName: ptr("Bike"), Ordered: Item{SKU: sku}, OrderedName: "Bike", Range: Span{Start: at, End: Forever}}, order.Units[0])
	seen := func(w Span) (x ArticleStock) {
		require.NoError(t, s.view().ArticleStock(&x, article, ID{}, w, s.now))
		return x
	}
	check := func() {
		now := seen(Span{Start: at, End: at})
		require.Equal(t, 2, now.Quantity[0].Count)
		require.EqualValues(t, 2, now.Balance[0].Value)
		require.EqualValues(t, 0, now.Committed[0].Value)
		require.Len(t, now.Units, 1)
		u := now.Units[0]
		require.Equal(t, Unavailability{
			ID: reserved, Range: Span{Start: at, End: Forever}, Body: Span{Start: at, End: Forever}, Kind: timeline.Sale, Blocker: timeline.BlockerOrder,
			Owner: order.ID, Item: order.Lines[0].Units[0].ID, Article: article, Location: s.loc, Line: int(order.Lines[0].No),
		}, u)
		require.False(t, u.Conflict())
		require.Empty(t, now.Conflicts)
		require.Len(t, seen(Span{Start: at - day, End: at + 1}).Units, 1)
		require.Empty(t, seen(Span{Start: at - day, End: at}).Units)
		later := seen(Span{Start: at + 1, End: at + 1000*day})
		require.Empty(t, later.Units)
		require.Equal(t, 2, later.Quantity[0].Count)
		units, total, err := s.view().ArticleUnits(article, Span{Start: at, End: at + day}, First)
		require.NoError(t, err)
		require.Equal(t, []Unavailability{u}, units)
		require.Equal(t, 1, total)
	}
	check()
	s.reopen()
	check()
	require.Equal(t, 2, s.available(Item{SKU: sku}, at, at+day))
	plan, err := s.view().PlanQuantity(article, s.loc, 2, nil, s.now+1)
	require.NoError(t, err)
	require.True(t, plan.OK, "what was sold is in nobody's way")
	s.do(DeleteOrder{ID: order.ID})
	require.Equal(t, 2, seen(Span{Start: at + 1, End: at + 1}).Quantity[0].Count)
	require.Empty(t, seen(Span{Start: at, End: at}).Units)
	s.reopen()
}

// TestAUniqueArticleIsSoldForGood sells the only unit of an article: its total, the list, a plan, the calendar and what an export has agree that there is none, until
// the sale is undone.
func TestAUniqueArticleIsSoldForGood(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	order := s.order(Item{SKU: sku}, PurchaseSale, s.now, nil, 1, false)
	s.now += hour
	s.do(FulfillOrder{ID: order.ID})
	agree := func(n int) {
		t.Helper()
		w := Span{Start: s.now + 1, End: s.now + day}
		var x ArticleStock
		require.NoError(t, s.view().ArticleStock(&x, article, ID{}, w, s.now))
		require.Equal(t, n, x.Quantity[0].Count)
		require.Len(t, x.Locations, n)
		require.EqualValues(t, n, x.Balance[0].Value)
		_, total, err := s.view().ListArticles(&ArticleQuery{Window: w, Now: s.now, Active: true, Location: &s.loc, Limit: 10}, nil)
		require.NoError(t, err)
		require.Equal(t, n, total, "with a unit there")
		require.Len(t, s.view().UnitsOf(s.view().Article(article), s.now+1), n, "in an export")
		buckets, err := s.view().Calendar(Query{Item: Item{SKU: sku}, Location: s.loc, Window: w}, BucketChange, s.now, nil)
		require.NoError(t, err)
		require.Equal(t, []int{n - len(x.Units), n - len(x.Units)}, []int{buckets[0].MinFree, buckets[0].MaxFree})
		plan, err := s.view().PlanQuantity(article, s.loc, 1, nil, s.now+1)
		require.NoError(t, err)
		require.False(t, plan.OK, "there is none that could go")
		require.Len(t, plan.Blockers, n, "and nobody in the way but who bought it")
	}
	agree(0)
	s.reopen()
	agree(0)
	s.do(UndoOrder{ID: order.ID, Units: []ID{order.Lines[0].Units[0].ID}})
	agree(1)
}

// TestSaleBeforeItsTime sells a unit before it is due, and one on the slot of a booking that has just ended.
func TestSaleBeforeItsTime(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	s.book(Item{SKU: sku}, s.now, s.now+hour, 1)
	order := s.order(Item{SKU: sku}, PurchaseSale, s.now+day, nil, 1, false)
	s.now += 2 * hour
	earlier := s.now - hour/2
	s.do(FulfillOrder{ID: order.ID, At: &earlier})
	var x ArticleStock
	require.NoError(t, s.view().ArticleStock(&x, article, ID{}, Span{Start: s.now, End: s.now}, s.now))
	require.Equal(t, 0, x.Quantity[0].Count)
	require.NoError(t, s.view().ArticleStock(&x, article, ID{}, Span{Start: earlier, End: earlier}, s.now))
	require.Equal(t, timeline.Sale, x.Units[len(x.Units)-1].Kind)
	s.reopen()
}

// TestSoldByAnOlderProgram lets a unit leave the stock that an older program has sold, where it went on to be a hold.
func TestSoldByAnOlderProgram(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 2)
	order := s.order(Item{SKU: sku}, PurchaseSale, s.now, nil, 1, false)
	s.now += hour
	at := s.now
	s.do(soldAsBefore{order.ID})
	s.now += hour
	require.NoError(t, s.Tick(t.Context()))
	_, found := s.view().Unavailability(order.Lines[0].Units[0].Hold)
	require.False(t, found)
	var x ArticleStock
	require.NoError(t, s.view().ArticleStock(&x, article, ID{}, Span{Start: at, End: at}, s.now))
	require.Equal(t, 1, x.Quantity[0].Count)
	require.Len(t, x.Units, 1)
	require.Equal(t, article, s.view().Order(order.ID).Units[0].Article)
	s.reopen()
}

// soldAsBefore hands the units of an order over as programs did up to format 5.
type soldAsBefore struct{ order ID }

func (soldAsBefore) Check() []Fault { return nil }
func (soldAsBefore) result() any    { return new(any) }
func (o soldAsBefore) plan(t *tx) (any, error) {
	n, err := t.edit(o.order)
	if err != nil {
		return nil, err
	}
	u := &n.Lines[0].Units[0]
	h, _, _ := t.draft().Find(u.Hold)
	h.Kind, h.Flags = timeline.Sale, h.Flags|timeline.Out
	t.draft().Replace(h)
	u.State, u.Handed = Fulfilled, t.now
	return nil, nil
}

// A sale has no end, and is given none where it is moved.
func TestASaleIsMovedToNoEnd(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 2)
	held := s.do(PlaceHold{Lines: []HoldLineInput{{Item: Item{SKU: sku}, Location: s.loc, Window: Span{Start: noon + hour, End: Forever}, Quantity: 1, Purchase: PurchaseSale}}}).(*Hold)
	unit := held.Lines[0].Units[0].ID
	move := func(from, to *int64) MoveHold {
		return MoveHold{ID: held.ID, Lines: []MoveLine{{Unavailability: unit, From: from, To: to}}}
	}
	e := s.refused(CodeInvalid, move(nil, ptr(noon+day)))
	require.Equal(t, []Fault{{Pointer: "/lines/0/to", Code: "forbidden", Message: "a sale has no end"}}, e.Faults)
	s.do(move(ptr(noon+2*hour), nil))
	require.EqualValues(t, Forever, s.unit(unit).Range.End)
}

// endedSale gives a sale an end, as a move did once.
type endedSale struct {
	unit ID
	end  int64
}

func (endedSale) Check() []Fault { return nil }

func (o endedSale) plan(t *tx) (any, error) {
	h, _, _ := t.draft().Find(o.unit)
	t.draft().Stretch(h.WithSpan(Span{Start: h.Span.Start, End: o.end}).WithBuffers(h.Before(), 0))
	return nil, nil
}

func (endedSale) result() any { return nil }

// A sale that an older program gave an end goes out for good all the same: who is behind that goes elsewhere, or stands in its way.
func TestASaleWithAnEndGoesOut(t *testing.T) {
	for behind := 1; behind <= 2; behind++ {
		for _, late := range []bool{false, true} {
			s := newShop(t)
			sku := s.sku()
			article := s.article(sku, 2)
			o := s.order(Item{SKU: sku}, PurchaseSale, noon+hour, nil, 1, false)
			s.do(endedSale{o.Lines[0].Units[0].Hold, noon + day})
			s.do(PlaceHold{Lines: []HoldLineInput{{Item: Item{SKU: sku}, Location: s.loc, Window: Span{Start: noon + 2*day, End: noon + 3*day}, Quantity: behind}}})
			if late {
				s.now = noon + day + hour
			}
			if behind == 2 {
				s.refused(CodeInsufficient, FulfillOrder{ID: o.ID})
				continue
			}
			require.Equal(t, OrderClosed, s.do(FulfillOrder{ID: o.ID}).(*OrderRecord).Status)
			var left ArticleStock
			require.NoError(t, s.view().ArticleStock(&left, article, ID{}, Span{Start: noon + 2*day, End: noon + 3*day}, s.now))
			require.Equal(t, 1, left.Quantity[0].Count)
			require.Empty(t, left.Conflicts)
			s.reopen()
		}
	}
}
