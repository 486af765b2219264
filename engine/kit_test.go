package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the tests of kits: catalog items that take stock.

func (s *shop) kit(components ...commerce.Component) base.Item {
	s.T.Helper()
	return base.Item{
		CatalogItem: s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "Kit",
			Components: components}}).(*commerce.CatalogItem).ID}
}

// takes has a kit take something else.
func takes(kit base.ID, components ...commerce.Component) commerce.PatchCatalogItem {
	return commerce.PatchCatalogItem{ID: kit, Fields: base.Changed(commerce.CatalogFields{Components: components})}
}

// promised demands that as many can be held as the answer says, and one more not.
func (s *shop) promised(i base.Item, from, to int64) int {
	s.T.Helper()
	n := s.available(i, from, to)
	preview := func(n int) error {
		_, err := s.Preview(Command{Account: s.acc, Op: s.booking(i, from, to, n)})
		return err
	}
	if n > 0 {
		require.NoError(s.T, preview(n), "%d were promised", n)
	}
	require.Error(s.T, preview(n+1), "only %d were promised", n)
	return n
}

func TestKitTakesAllItsComponentsOrNothing(t *testing.T) {
	s := newShop(t)
	bike, helmet := s.sku(), s.sku()
	for range 3 {
		s.article(bike, 1)
	}
	s.article(helmet, 5)
	lock := s.article(base.ID{}, 2)
	kit := s.kit(commerce.Component{Item: base.Item{SKU: bike}, Quantity: 1},
		commerce.Component{Item: base.Item{SKU: helmet}, Quantity: 2},
		commerce.Component{Item: base.Item{Article: lock}, Quantity: 1})
	require.Equal(t, 2, s.promised(kit, noon, noon+day))
	h := s.book(kit, noon, noon+day, 2)
	require.Equal(t, kit, h.Lines[0].Item)
	require.Equal(t, 2, h.Lines[0].Quantity)
	require.Len(t, h.Lines[0].Units, 8)
	require.Equal(t, 0, s.promised(kit, noon+hour, noon+2*hour))
	require.Equal(t, 1, s.available(base.Item{SKU: bike}, noon, noon+day))
	require.Equal(t, 1, s.available(base.Item{SKU: helmet}, noon, noon+day))

	e := s.refused(base.CodeInsufficient, s.booking(kit, noon, noon+day, 3))
	short := e.Details.(base.ShortageDetails).Lines
	require.Len(t, short, 1, "one line, whatever it lacks")
	require.Equal(t, base.Shortage{Line: 0, Requested: 3, Available: 0, Reason: "not_enough_stock",
		Blockers: short[0].Blockers, Blocking: 4}, short[0])
	require.Len(t, short[0].Blockers, 4, "of what there is least of")
	e = s.refused(base.CodeInsufficient, s.booking(kit, noon, noon+day, 2))
	require.Equal(t, base.Span{Start: noon + day, End: noon + 2*day}, *e.Details.(base.ShortageDetails).Lines[0].Next)

	// A released kit gives all back, and its hold, which is over, keeps no item.
	s.refused(base.CodeInUse, commerce.DeleteCatalogItem{ID: kit.CatalogItem})
	s.reopen()
	require.Equal(t, h.Lines, func() []hold.HoldLine { x, _ := hold.HoldByID(s.view(), h.ID); return x.Lines }())
	s.do(hold.ReleaseHold{ID: h.ID})
	require.Equal(t, 2, s.available(kit, noon, noon+day))
	s.reopen()
	s.do(commerce.DeleteCatalogItem{ID: kit.CatalogItem})
}

func TestKitOfWhatIsNotThere(t *testing.T) {
	s := newShop(t)
	sku, article := s.sku(), s.article(base.ID{}, 1)
	empty, kit := s.kit(), s.kit(commerce.Component{Item: base.Item{Article: article}, Quantity: 1},
		commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1})
	_, err := hold.Available(s.view(), hold.Query{Item: empty, Window: base.Span{Start: noon, End: noon + day}}, s.now)
	require.ErrorIs(t, err, &base.Error{Code: base.CodeStateNotAllowed})
	s.refused(base.CodeStateNotAllowed, s.booking(empty, noon, noon+day, 1))
	s.refused(base.CodeNotFound, s.booking(base.Item{CatalogItem: sku}, noon, noon+day, 1))
	require.Equal(t, 0, s.promised(kit, noon, noon+day), "the SKU has no unit")
	s.article(sku, 1)
	require.Equal(t, 1, s.promised(kit, noon, noon+day))
	s.do(commerce.PatchCatalogItem{ID: kit.CatalogItem,
		Fields: base.Changed(commerce.CatalogFields{Status: commerce.CatalogDraft})})
	require.Equal(t, 0, s.available(kit, noon, noon+day))
	e := s.refused(base.CodeStateNotAllowed, s.booking(kit, noon, noon+day, 1))
	require.Equal(t, base.StateDetails{State: "draft", Allowed: []string{"update"}}, e.Details)
	s.do(commerce.PatchCatalogItem{ID: kit.CatalogItem,
		Fields: base.Changed(commerce.CatalogFields{Status: commerce.CatalogActive})})
	s.do(stock.PatchArticle{ID: article, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
		Force: true})
	require.Equal(t, 0, s.available(kit, noon, noon+day))
	s.refused(base.CodeStateNotAllowed, s.booking(kit, noon, noon+day, 1))
	lines := []hold.HoldLineInput{{Item: base.Item{SKU: sku, CatalogItem: kit.CatalogItem}, Location: s.loc,
		Window: base.Span{Start: noon, End: noon + day}, Quantity: 1}}
	s.refused(base.CodeInvalid, hold.PlaceHold{Lines: lines})
	many := s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 6000})
	s.refused(base.CodeInvalid, s.booking(many, noon, noon+day, 2))
}

// Components that meet in one pool are judged together there: not by the least of what each has.
func TestComponentsThatMeetInOnePool(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	first := s.article(sku, 1)
	for range 3 {
		s.article(sku, 1)
	}
	twice := s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1},
		commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1})
	require.Equal(t, 2, s.promised(twice, noon, noon+day))
	numbers := func(i base.Item) []int {
		a, err := hold.Available(s.view(),
			hold.Query{Item: i, Location: s.loc, Window: base.Span{Start: noon, End: noon + day}}, s.now)
		require.NoError(t, err)
		return []int{a.Available, a.Stock, a.Committed}
	}
	require.Equal(t, []int{2, 2, 0}, numbers(twice))
	own := s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 3},
		commerce.Component{Item: base.Item{Article: first}, Quantity: 1})
	require.Equal(t, 1, s.promised(own, noon, noon+day))
	require.Equal(t, []int{1, 1, 0}, numbers(own), "four units make one")
	s.book(base.Item{SKU: sku}, noon, noon+day, 1) // sits on one of the four
	require.Equal(t, 0, s.promised(own, noon, noon+day))
	require.Equal(t, []int{0, 1, 1}, numbers(own), "and three make none, though three are what the SKU's part takes")
	s.do(takes(own.CatalogItem, commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1},
		commerce.Component{Item: base.Item{Article: first}, Quantity: 1}))
	s.promised(own, noon, noon+day)
	require.Equal(t, 1, s.promised(own, noon+day, noon+2*day))
}

// Two lines of one command: what one kit takes is not there for the other, and the article that any of them names is
// taken first.
func TestKitsOfOneCommand(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	first := s.article(sku, 1)
	s.article(sku, 1)
	any, that := s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1}),
		s.kit(commerce.Component{Item: base.Item{Article: first}, Quantity: 1})
	line := func(i base.Item, n int) hold.HoldLineInput {
		return hold.HoldLineInput{Item: i, Location: s.loc, Window: base.Span{Start: noon, End: noon + day},
			Quantity: n}
	}
	e := s.refused(base.CodeInsufficient,
		hold.PlaceHold{Lines: []hold.HoldLineInput{line(any, 2), line(that, 1), line(base.Item{SKU: sku}, 1)}})
	lines := e.Details.(base.ShortageDetails).Lines
	require.Len(t, lines, 1)
	require.Equal(t, []int{0, 2, 0}, []int{lines[0].Line, lines[0].Requested, lines[0].Available},
		"of those that stay, the others hold all")
	h := s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{line(any, 1), line(that, 1)}}).(*hold.Hold)
	require.Equal(t, first, h.Lines[1].Units[0].Article)
	require.NotEqual(t, first, h.Lines[0].Units[0].Article)
	require.Equal(t, 0, h.Lines[0].Units[0].Line)

	// Units of a kit move like others.
	moved := s.do(hold.MoveHold{ID: h.ID,
		Lines: []hold.MoveLine{
			{Unavailability: h.Lines[0].Units[0].ID, From: ptr(noon + 2*day), To: ptr(noon + 3*day)}}}).(*hold.Hold)
	require.Equal(t, base.Span{Start: noon + 2*day, End: noon + 3*day}, moved.Lines[0].Window)
	require.Equal(t, h.Lines[1].Window, moved.Lines[1].Window)
}

func TestKitsOverTime(t *testing.T) {
	s := newShop(t)
	bike, helmet := s.sku(fourHours), s.sku()
	s.article(bike, 2)
	s.article(helmet, 3)
	kit := s.kit(commerce.Component{Item: base.Item{SKU: bike}, Quantity: 1},
		commerce.Component{Item: base.Item{SKU: helmet}, Quantity: 1})
	from := noon + day
	s.book(base.Item{SKU: bike}, from, from+4*hour, 2)            // with the buffer until 8
	s.book(base.Item{SKU: helmet}, from+10*hour, from+20*hour, 3) // free of both for two hours only
	v := s.view()
	next := func(length int64, n int) base.Span {
		w, _, err := hold.Next(v, hold.NextQuery{Item: kit, Location: s.loc, NotBefore: from, Length: length,
			Quantity: n, Until: from + 30*day}, s.now)
		require.NoError(t, err)
		return w
	}
	require.Equal(t, base.Span{Start: from + 8*hour, End: from + 10*hour}, next(2*hour, 1))
	require.Equal(t, base.Span{Start: from + 20*hour, End: from + 23*hour}, next(3*hour, 1))
	require.Equal(t, base.Span{}, next(2*hour, 3))

	buckets, err := hold.Calendar(v, hold.Query{Item: kit, Location: s.loc,
		Window: base.Span{Start: from, End: from + 24*hour}}, stock.BucketChange, s.now, nil)
	require.NoError(t, err)
	require.Equal(t, []stock.Bucket{
		{Range: base.Span{Start: from, End: from + 8*hour}, MinFree: 0, MaxFree: 0, Available: 0, Exact: true},
		{Range: base.Span{Start: from + 8*hour, End: from + 10*hour}, MinFree: 2, MaxFree: 2, Available: 2,
			Exact: true},
		{Range: base.Span{Start: from + 10*hour, End: from + 20*hour}, MinFree: 0, MaxFree: 0, Available: 0,
			Exact: true}, {Range: base.Span{Start: from + 20*hour, End: from + 24*hour}, MinFree: 2, MaxFree: 2,
			Available: 2, Exact: true},
	}, buckets)
	buckets, err = hold.Calendar(v, hold.Query{Item: kit, Window: base.Span{Start: from + 9*hour, End: from + 11*hour}},
		stock.BucketDay, s.now, nil)
	require.NoError(t, err)
	require.Equal(t,
		[]stock.Bucket{{Range: base.Span{Start: from + 9*hour, End: from + 11*hour}, MinFree: 0, MaxFree: 2,
			Available: 0, Exact: true}}, buckets)

	x, err := hold.Explain(v,
		hold.Query{Item: kit, Location: s.loc, Window: base.Span{Start: from + 9*hour, End: from + 12*hour}}, 1, s.now)
	require.NoError(t, err)
	require.Equal(t, []any{0, 3, from + 10*hour}, []any{x.Available, x.Stock, x.At})
	require.Len(t, x.Blockers, 3, "of the helmets, that there are none of")
	require.Equal(t, "later", x.Alternatives[0].Kind)
	require.Equal(t, base.Span{Start: from + 20*hour, End: from + 23*hour}, x.Alternatives[0].Window)
	require.Equal(t, "shorter", x.Alternatives[1].Kind)

	porto := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Porto", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
	for _, sku := range []base.ID{bike, helmet} {
		s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "there", SKU: &sku},
			Quantities: []stock.InitialQuantity{{Location: porto, Count: 1}}})
	}
	a, err := hold.Available(s.view(),
		hold.Query{Item: kit, Window: base.Span{Start: from + 8*hour, End: from + 10*hour}}, s.now)
	require.NoError(t, err)
	require.Equal(t, stock.Availability{Available: 2 + 1, Stock: 2 + 1, Exact: true}, a, "each location by itself")
}

// The count says that there is a kit, and no part alone is short, but what would have to move for the one part must sit
// where the other one is.
func TestKitThatOnlySeatingTells(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a, b, c := s.article(sku, 1), s.article(sku, 1), s.article(sku, 1)
	at := func(article base.ID, from, to int64, pinned bool) {
		h := s.book(base.Item{Article: article}, noon+from*hour, noon+to*hour, 1)
		if !pinned { // made for the SKU, and put where it is
			s.do(hold.ReleaseHold{ID: h.ID})
			others := map[base.ID]bool{a: true, b: true, c: true}
			delete(others, article)
			var fill []*hold.Hold
			for _, x := range []base.ID{a, b, c} {
				if others[x] {
					if f, err := s.try(s.booking(base.Item{Article: x}, noon+from*hour, noon+to*hour, 1)); err == nil {
						fill = append(fill, f.(*hold.Hold))
					}
				}
			}
			h = s.book(base.Item{SKU: sku}, noon+from*hour, noon+to*hour, 1)
			for _, f := range fill {
				s.do(hold.ReleaseHold{ID: f.ID})
			}
		}
		require.Equal(s.T, article, h.Lines[0].Units[0].Article)
	}
	at(c, 1, 3, true)
	at(b, 14, 17, true)
	at(b, 2, 9, false)
	at(c, 9, 16, false)
	from, to := noon+4*hour, noon+14*hour
	require.Equal(t, 2, s.promised(base.Item{SKU: sku}, from, to))
	require.Equal(t, 1, s.promised(base.Item{Article: a}, from, to))
	kit := s.kit(commerce.Component{Item: base.Item{Article: a}, Quantity: 1},
		commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1})
	require.Equal(t, 0, s.promised(kit, from, to))
	e := s.refused(base.CodeInsufficient, s.booking(kit, from, to, 1))
	short := e.Details.(base.ShortageDetails).Lines[0]
	require.Equal(t, "fragmented_by_pinned_holds", short.Reason)
	v := s.view()
	w, ok, err := hold.Next(v, hold.NextQuery{Item: kit, Location: s.loc, NotBefore: from, Length: to - from,
		Quantity: 1, Until: from + 30*day}, s.now)
	require.NoError(t, err)
	require.Equal(t, []any{true, noon + 16*hour}, []any{ok, w.Start}, "when both have ended")
}

// Between a number that is too small and one that is too large the seating finds the one that is right, within bounds.
func TestSeatingFindsTheNumberOfKits(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	first := s.article(sku, 4)
	s.article(sku, 300)
	i := s.kit(commerce.Component{Item: base.Item{Article: first}, Quantity: 1},
		commerce.Component{Item: base.Item{SKU: sku}, Quantity: 2})
	acc := s.view().Acc
	k, err := commerce.KitByID(acc, i.CatalogItem)
	require.NoError(t, err)
	l, w := stock.LocationTable(acc).Get(s.loc), base.Span{Start: noon, End: noon + day}
	seat := func(least, bound int, exact bool) []any {
		n, sure := commerce.SeatKits(acc, acc.Stock, k, l, w, s.now, least, bound, exact, false)
		return []any{n, sure}
	}
	require.Equal(t, []any{4, true}, seat(4, 4, true))
	require.Equal(t, []any{4, true}, seat(1, 4, true))
	require.Equal(t, []any{4, false}, seat(0, 17, true), "the bound was wrong: what was found is the most that is")
	require.Equal(t, []any{4, false}, seat(2, 3, false), "the bound was not sure: more was found")
	require.Equal(t, []any{4, false}, seat(0, 1000, false))
	many := s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 100},
		commerce.Component{Item: base.Item{Article: first}, Quantity: 1})
	acc = s.view().Acc
	k, _ = commerce.KitByID(acc, many.CatalogItem)
	require.Equal(t, []any{2, false}, seat(0, 3, true), "no more than that is tried")
	require.Equal(t, 3, s.available(many, noon, noon+day), "free throughout: nothing has to be tried")
}

// Random kits of few articles, some of them of one SKU, in a shop with pinned holds: the number that is answered can be
// held, and one more cannot.
func TestPromiseOfKits(t *testing.T) {
	long(t)
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := newShop(t)
		skus := []base.ID{s.sku(), s.sku(stock.Buffer{Amount: 1, Unit: timeline.Hours})}
		var articles []base.ID
		for range 2 + r.IntN(4) {
			articles = append(articles, s.article(skus[r.IntN(2)], 1+r.IntN(2)))
		}
		if r.IntN(2) == 0 { // a pool of its own in the first SKU
			own := stock.Buffer{Amount: 2, Unit: timeline.Hours}
			articles = append(articles,
				s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "x", SKU: &skus[0]}, After: &own,
					Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 2}}}).(*stock.Article).ID)
		}
		part := func() commerce.Component {
			if r.IntN(2) == 0 {
				return commerce.Component{Item: base.Item{Article: articles[r.IntN(len(articles))]}, Quantity: 1}
			}
			return commerce.Component{Item: base.Item{SKU: skus[r.IntN(2)]}, Quantity: 1 + r.IntN(2)}
		}
		lot := s.article(skus[1], 2+r.IntN(2))
		kits := []base.Item{s.kit(part(), part(), part()),
			s.kit(commerce.Component{Item: base.Item{Article: lot}, Quantity: 1},
				commerce.Component{Item: base.Item{SKU: skus[1]}, Quantity: 1})}
		for range 25 {
			i := base.Item{SKU: skus[r.IntN(2)]}
			switch r.IntN(4) {
			case 0:
				i = base.Item{Article: articles[r.IntN(len(articles))]}
			case 1:
				i = kits[r.IntN(2)]
			}
			from := noon + int64(r.IntN(36))*hour
			if h, err := s.try(s.booking(i, from, from+int64(1+r.IntN(12))*hour, 1)); err == nil && r.IntN(3) == 0 {
				u := h.(*hold.Hold).Lines[0].Units[0]
				s.do(hold.MoveHold{ID: h.(*hold.Hold).ID,
					Lines: []hold.MoveLine{{Unavailability: u.ID, Slot: &u.Slot}}})
			}
			from = noon + int64(r.IntN(36))*hour
			s.promised(kits[r.IntN(2)], from, from+int64(1+r.IntN(10))*hour)
		}
	}
}

// A conflict takes no unit of any article, but one of the SKU: the kit that needs both comes when the conflict is over,
// though nothing ends on a slot then.
func TestNextKitComesWhenAConflictEnds(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a, _, c := s.article(sku, 1), s.article(sku, 1), s.article(sku, 1)
	kit := s.kit(commerce.Component{Item: base.Item{Article: a}, Quantity: 1},
		commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1})
	s.book(base.Item{SKU: sku}, noon, noon+5*hour, 2)
	s.book(base.Item{SKU: sku}, noon, noon+10*hour, 1)
	s.do(stock.DecreaseQuantity{Article: c, Location: s.loc, Amount: 1, Force: true})
	// next is the first window of an hour, and must be the first of all that can be held.
	next := func(from int64) int64 {
		w, ok, err := hold.Next(s.view(), hold.NextQuery{Item: kit, Location: s.loc, NotBefore: from, Length: hour,
			Quantity: 1, Until: from + day}, s.now)
		require.NoError(t, err)
		require.True(t, ok)
		for at := from; at < w.Start; at += hour / 2 {
			require.Zero(t, s.promised(kit, at, at+hour))
		}
		require.Equal(t, 1, s.promised(kit, w.Start, w.End))
		return w.Start
	}
	_, conflicts := stock.Conflicts(s.view(), stock.ConflictFilter{}, 0, 1, s.now)
	require.Equal(t, 1, conflicts)
	require.Equal(t, noon+10*hour, next(noon))
	require.Equal(t, noon+10*hour, next(noon+6*hour))
}

// Two parts that name articles of one pool share what its conflicts leave: so many kits as are promised can be held.
func TestPartsOfOnePoolShareWhatConflictsLeave(t *testing.T) {
	for _, turned := range []bool{false, true} {
		for _, end := range []*int64{nil, ptr(noon + 30*day)} {
			s := newShop(t)
			sku := s.sku()
			first, second := s.article(sku, 0), s.article(sku, 2)
			s.do(stock.IncreaseQuantity{Article: first, Location: s.loc, Amount: 2, From: ptr(s.now + 2*hour)})
			s.book(base.Item{Article: second}, s.now, s.now+8*hour, 2)
			s.book(base.Item{Article: first}, s.now+13*hour, s.now+20*hour, 1)
			s.book(base.Item{Article: second}, s.now+13*hour, s.now+20*hour, 1)
			// the one's units are out, the other's not there yet
			s.order(base.Item{SKU: sku}, base.PurchaseSubscription, s.now, end, 2, true)
			require.Equal(t, 2, s.view().Acc.Stock.ConflictLen())
			parts := []commerce.Component{{Item: base.Item{Article: second}, Quantity: 1},
				{Item: base.Item{Article: first}, Quantity: 1}}
			if turned {
				slices.Reverse(parts)
			}
			s.promised(s.kit(parts...), s.now+23*hour, s.now+35*hour)
		}
	}
}

// A line of kits keeps the components that it was booked with, whatever the kit takes by now.
func TestALineKeepsTheComponentsOfItsKit(t *testing.T) {
	s := newShop(t)
	bike, helmet, lock := base.Item{SKU: s.sku()}, base.Item{Article: s.article(base.ID{}, 9)},
		base.Item{Article: s.article(base.ID{}, 9)}
	s.article(bike.SKU, 4)
	kit := s.kit(commerce.Component{Item: bike, Quantity: 1}, commerce.Component{Item: helmet, Quantity: 2})
	from, to := s.now+day, s.now+2*day
	o := s.order(kit, base.PurchaseBooking, from, &to, 2, false)
	draft := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderDraft, Pickup: s.loc},
		Lines: []order.OrderLineInput{
			{Item: kit, Purchase: base.PurchaseBooking, Quantity: 1, From: &from, To: &to}}}).(*order.OrderRecord)
	held := s.book(kit, from, to, 1)
	s.now++
	s.do(takes(kit.CatalogItem, commerce.Component{Item: lock, Quantity: 1}))
	patch := func(n int) order.PatchOrderLine {
		return order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
			Fields: base.Changed(order.OrderLineInput{Quantity: n})}
	}
	free := func() []int {
		return []int{s.available(bike, from, to), s.available(helmet, from, to), s.available(lock, from, to)}
	}
	require.Equal(t, []int{1, 3, 9}, free())
	require.Len(t, s.do(patch(3)).(*order.OrderRecord).Units, 9)
	require.Equal(t, []int{0, 1, 9}, free())
	e := s.refused(base.CodeInsufficient, patch(4))
	require.Equal(t, []int{4, 3},
		[]int{e.Details.(base.ShortageDetails).Lines[0].Requested, e.Details.(base.ShortageDetails).Lines[0].Available})
	for _, u := range order.OrderByID(s.view(), o.ID).Units {
		require.Contains(t, []base.Item{bike, helmet}, u.Ordered)
	}
	require.Len(t, s.do(patch(1)).(*order.OrderRecord).Units, 3)
	require.Equal(t, []int{2, 5, 9}, free())

	// A draft was not booked yet. What was held keeps its components, too.
	require.Len(t, s.do(order.ConfirmOrder{ID: draft.ID}).(*order.OrderRecord).Units, 1)
	other := s.do(order.OrderHold{Holds: []base.ID{held.ID}}).(*order.OrderRecord)
	require.Equal(t, []int{2, 5, 8}, free())
	require.Len(t, s.do(order.PatchOrderLine{Order: other.ID, ID: other.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{Quantity: 2})}).(*order.OrderRecord).Units, 6)
	require.Equal(t, []int{1, 3, 8}, free())

	// What a line has is not removed.
	s.refused(base.CodeInUse, stock.DeleteArticle{ID: helmet.Article})
	s.reopen()
	require.Len(t, s.do(patch(2)).(*order.OrderRecord).Units, 6)
	require.Equal(t, []int{0, 1, 8}, free())
}

// A line that does not say what it was booked with gets more where what it has is what the kit takes by now, and keeps
// that from then on.
func TestALineThatDoesNotSayItsComponents(t *testing.T) {
	asFormat7(t)
	s := newShop(t)
	one, two := base.Item{Article: s.article(base.ID{}, 9)}, base.Item{Article: s.article(base.ID{}, 9)}
	kit := s.kit(commerce.Component{Item: one, Quantity: 1}, commerce.Component{Item: two, Quantity: 1})
	held := s.book(kit, s.now+day, s.now+2*day, 1)
	s.do(takes(kit.CatalogItem, commerce.Component{Item: two, Quantity: 2}))
	s.reopen()
	o := s.do(order.OrderHold{Holds: []base.ID{held.ID}}).(*order.OrderRecord)
	more := func(n int) order.PatchOrderLine {
		return order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
			Fields: base.Changed(order.OrderLineInput{Quantity: n})}
	}
	s.refused(base.CodeConflict, more(2))
	s.do(takes(kit.CatalogItem, commerce.Component{Item: one, Quantity: 1}, commerce.Component{Item: two, Quantity: 1}))
	require.Len(t, s.do(more(2)).(*order.OrderRecord).Units, 4)
	s.do(takes(kit.CatalogItem, commerce.Component{Item: two, Quantity: 2}))
	require.Len(t, s.do(more(3)).(*order.OrderRecord).Units, 6)
	require.Len(t, s.do(more(1)).(*order.OrderRecord).Units, 2)
	s.reopen()
}

// unbooked leaves an order as a program wrote it that did not keep the components of its kits.
type unbooked struct {
	base.Answers[any]
	ID base.ID
}

func (o unbooked) PlanOn(t *base.Tx) (any, error) {
	was := order.OrderTable(t.Acc).Get(o.ID)
	n := was.Clone()
	for i := range n.Lines {
		m := order.Own(&n.Lines[i].More)
		m.Components, m.PartPrices = nil, nil
	}
	base.Record(t, order.OrderKind, was, n)
	return nil, nil
}

// A line of an older program gets no more where the kit takes other components by now, though they are as many: more of
// the one and fewer of the other, another in its place, or all of one.
func TestALineOfOtherComponentsThanItsKitGetsNoMore(t *testing.T) {
	s := newShop(t)
	bike, lock, pump := base.Item{SKU: s.bin()}, base.Item{SKU: s.bin()}, base.Item{SKU: s.bin()}
	of := func(i base.Item, n int) commerce.Component { return commerce.Component{Item: i, Quantity: n} }
	for _, now := range [][]commerce.Component{{of(bike, 2), of(lock, 1)}, {of(pump, 1), of(lock, 2)}, {of(bike, 3)}} {
		kit := s.kit(of(bike, 1), of(lock, 2))
		o := s.order(kit, base.PurchaseBooking, s.now+day, ptr(s.now+2*day), 1, false)
		s.do(unbooked{ID: o.ID})
		more := order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
			Fields: base.Changed(order.OrderLineInput{Quantity: 2})}
		s.do(takes(kit.CatalogItem, now...))
		s.refused(base.CodeConflict, more)
		s.do(takes(kit.CatalogItem, of(bike, 1), of(lock, 2)))
		require.Len(t, s.do(more).(*order.OrderRecord).Units, 6)
		s.do(order.DeleteOrder{ID: o.ID})
	}
}
