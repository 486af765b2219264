package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file holds what a refusal names, and the work that it may cost, against their bounds.

// explained plans a command that is refused for stock, and gives its lines and what finding out cost.
func (s *shop) explained(op base.Op) ([]base.Shortage, *stock.InTheWay) {
	s.Helper()
	snapshot := s.Engine.current.Load()
	v, _ := view(snapshot, s.acc)
	x := s.Engine.planOn(snapshot, v)
	x.Explain = true
	_, err := op.PlanOn(x)
	var e *base.Error
	require.ErrorAs(s, err, &e)
	require.Equal(s, base.CodeInsufficient, e.Code)
	return e.Details.(base.ShortageDetails).Lines, stock.Seating(x).Way
}

func TestBlockersAreTheFirstByStart(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 30)
	var all []stock.Unavailability
	for i := range 30 { // those placed later begin earlier
		h := s.do(hold.PlaceHold{
			Lines: []hold.HoldLineInput{
				{Item: base.Item{SKU: sku}, Location: s.loc,
					Window:   base.Span{Start: s.now + day - int64(i/2)*hour, End: s.now + 2*day},
					Quantity: 1}}}).(*hold.Hold)
		all = append(all, h.Lines[0].Units[0].Unavailability)
	}
	slices.SortFunc(all, func(x, y stock.Unavailability) int {
		if x.Range.Start != y.Range.Start {
			return int(x.Range.Start - y.Range.Start)
		}
		return x.ID.Compare(y.ID)
	})
	var want []base.ID
	for _, u := range all[:20] {
		want = append(want, u.ID)
	}
	line := hold.HoldLineInput{Item: base.Item{SKU: sku}, Location: s.loc,
		Window: base.Span{Start: s.now + day, End: s.now + 2*day}, Quantity: 1}
	lines, _ := s.explained(hold.PlaceHold{Lines: []hold.HoldLineInput{line}})
	require.Equal(t, want, lines[0].Blockers)
	require.Equal(t, 30, lines[0].Blocking)

	x, err := hold.Explain(s.view(), hold.Query{Item: base.Item{SKU: sku}, Location: s.loc, Window: line.Window}, 1,
		s.now)
	require.NoError(t, err)
	require.Equal(t, 30, x.Blocking)
	require.Len(t, x.Blockers, 20)
	for i, u := range x.Blockers {
		require.Equal(t, want[i], u.ID)
	}

	// What the command itself moves stands in nobody's way, and is not counted.
	other := s.do(hold.PlaceHold{
		Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sku}, Location: s.loc,
			Window: base.Span{Start: s.now + 4*day, End: s.now + 5*day}, Quantity: 30}}}).(*hold.Hold)
	from, to := s.now+day, s.now+4*day+hour
	lines, _ = s.explained(hold.MoveHold{ID: ownerOf(s, all[0].ID),
		Lines: []hold.MoveLine{{Unavailability: all[0].ID, From: &from, To: &to}}})
	require.Equal(t, 30, lines[0].Blocking, "at the instant with the least free")
	require.NotContains(t, lines[0].Blockers, all[0].ID)
	lines, _ = s.explained(hold.MoveHold{ID: other.ID,
		Lines: []hold.MoveLine{
			{Unavailability: other.Lines[0].Units[0].ID, From: &line.Window.Start, To: &line.Window.End}}})
	require.Equal(t, 30, lines[0].Blocking)
}

func ownerOf(s *shop, unit base.ID) base.ID {
	u, ok := stock.UnavailabilityByID(s.view(), unit)
	require.True(s, ok)
	return u.Owner
}

// A refusal of a thousand lines, each at an instant of its own, names a thousand holds, searches fifty windows, and
// looks at so many slots and no more.
func TestWorkOfARefusalIsBounded(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 3000)
	window := base.Span{Start: s.now + day, End: s.now + 100*day}
	s.do(hold.PlaceHold{
		Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sku}, Location: s.loc, Window: window, Quantity: 3000}}})
	var lines []hold.HoldLineInput
	for i := range 1000 {
		at := s.now + 2*day + int64(i)*hour
		lines = append(lines, hold.HoldLineInput{Item: base.Item{SKU: sku}, Location: s.loc,
			Window: base.Span{Start: at, End: at + hour}, Quantity: 1})
	}
	short, way := s.explained(hold.PlaceHold{Lines: lines})
	require.Len(t, short, 1000)
	require.LessOrEqual(t, way.Looks, stock.MaxBlockerLooks)
	require.LessOrEqual(t, way.Named, base.MaxBlockersInAll)
	named, next := 0, 0
	for _, l := range short {
		require.LessOrEqual(t, len(l.Blockers), base.MaxBlockers)
		require.Equal(t, 3000, l.Blocking, "how many there are is said of every line")
		named += len(l.Blockers)
		if l.Next != nil {
			next++
		}
	}
	require.Equal(t, way.Named, named)
	require.Equal(t, stock.MaxNextOfAnAnswer, next)

	// The same instant is looked at once.
	for i := range lines {
		lines[i].Window = lines[0].Window
	}
	short, way = s.explained(hold.PlaceHold{Lines: lines})
	require.Equal(t, base.MaxBlockersInAll, way.Named)
	require.Less(t, way.Looks, 2*3000)
	require.Len(t, short[49].Blockers, base.MaxBlockers)
	require.Empty(t, short[50].Blockers)
}

// A hand-over that is refused explains one unit of each line, however many the line has.
func TestHandOverExplainsOneUnitOfALine(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 400)
	from, to := s.now+5*day, s.now+6*day
	pinned := s.do(hold.PlaceHold{
		Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sku}, Location: s.loc,
			Window: base.Span{Start: s.now, End: from - day}, Quantity: 400}}}).(*hold.Hold)
	require.Len(t, pinned.Lines[0].Units, 400)
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc, Status: order.OrderOpen},
		Lines: []order.OrderLineInput{
			{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 200, From: &from, To: &to},
			{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 100, From: &from, To: &to},
		}}).(*order.OrderRecord)
	lines, way := s.explained(order.FulfillOrder{ID: o.ID})
	require.Len(t, lines, 2)
	for i, n := range []int{200, 100} {
		require.Equal(t, [3]int{i, n, 0}, [3]int{lines[i].Line, lines[i].Requested, lines[i].Available})
		require.Equal(t, 400, lines[i].Blocking)
		require.Len(t, lines[i].Blockers, 20)
	}
	require.LessOrEqual(t, way.Looks, 2*400)
	require.LessOrEqual(t, way.Nexts, 2)
}

// A record has the first thousand of its units, and the rest by pages.
func TestRecordsHaveTheFirstUnits(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1500)
	w := base.Span{Start: s.now + day, End: s.now + 2*day}
	line := func(n int) hold.HoldLineInput {
		return hold.HoldLineInput{Item: base.Item{SKU: sku}, Location: s.loc, Window: w, Quantity: n}
	}
	h := s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{line(700), line(500)}}).(*hold.Hold)
	require.Len(t, h.Lines[0].Units, 700)
	require.Len(t, h.Lines[1].Units, 300)
	require.Equal(t, 500, h.Lines[1].Taken)
	whole, _ := hold.HoldByID(s.view(), h.ID)
	require.Len(t, whole.Lines[1].Units, 500)
	units, total, ok := hold.HoldUnits(s.view(), h.ID, base.Part{Offset: 690, Limit: 20})
	require.True(t, ok)
	require.Equal(t, 1200, total)
	require.Equal(t, slices.Concat(whole.Lines[0].Units[690:], whole.Lines[1].Units[:10]), units)

	var x stock.ArticleStock
	require.NoError(t, stock.FillArticleStock(s.view(), &x, article, base.ID{}, w, s.now))
	require.Len(t, x.Units, base.MaxListed)
	require.Equal(t, 1200, x.Taken)
	list, total, err := stock.ArticleUnits(s.view(), article, w, base.Part{Offset: 1000, Limit: 250})
	require.NoError(t, err)
	require.Equal(t, 1200, total)
	require.Len(t, list, 200)
	require.Positive(t, list[0].ID.Compare(x.Units[999].ID))

	s.do(hold.ReleaseHold{ID: h.ID})
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc, Status: order.OrderOpen},
		Lines: []order.OrderLineInput{
			{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 900, From: &w.Start, To: &w.End},
			{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 300, From: &w.Start, To: &w.End},
		}}).(*order.OrderRecord)
	require.Len(t, o.Units, base.MaxListed)
	require.Equal(t, 1200, o.StockItems())
	r, items, total := order.OrderStockItems(s.view(), o.ID, base.Part{Offset: 895, Limit: 10})
	require.Empty(t, r.Units)
	require.Equal(t, 1200, total)
	require.Len(t, items, 10)
	require.Equal(t, r.Lines[0].Units[899].ID, items[4].Unit.ID)
	require.Equal(t, r.Lines[1].Units[0].ID, items[5].Unit.ID)
	require.Equal(t, article, items[5].At.Article)
}

// What waits on another article of the SKU, and is counted against a line that names an article, is named as being in
// its way: the article itself has a unit free.
func TestBlockersOfANamedArticleWhosePoolIsShort(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	other, named := base.Item{Article: s.article(sku, 1)}, base.Item{Article: s.article(sku, 1)}
	from, noon, to := s.now+day, s.now+2*day, s.now+3*day
	taken := s.book(other, from, noon, 1).Lines[0].Units[0].ID
	own := s.book(named, noon, to, 1).Lines[0].Units[0].ID
	waits := s.order(base.Item{SKU: sku}, base.PurchaseBooking, from, &to, 1, true).Lines[0].Units[0].Hold
	require.True(t, s.unit(waits).Conflict())
	require.Equal(t, other.Article, s.unit(waits).Article)
	lines, _ := s.explained(s.booking(named, from, noon, 1))
	require.Equal(t, 0, lines[0].Available)
	require.Equal(t, []base.ID{taken, waits}, lines[0].Blockers)
	require.Equal(t, 2, lines[0].Blocking)

	// Where the article itself is taken by what may not leave it, that is in the way.
	lines, _ = s.explained(s.booking(named, noon, to, 1))
	require.Equal(t, []base.ID{own}, lines[0].Blockers)
	require.Equal(t, 1, lines[0].Blocking)

	// A kit of the article is refused for the same.
	kit := s.kit(commerce.Component{Item: named, Quantity: 1})
	lines, _ = s.explained(s.booking(kit, from, noon, 1))
	require.Equal(t, []base.ID{taken, waits}, lines[0].Blockers)
}
