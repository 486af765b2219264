package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// Of an article that cannot be held over a window: from when a unit can be held longer than from the window's start.
func TestFreeFrom(t *testing.T) {
	at := func(h int64) int64 { return noon + h*hour }
	for name, c := range map[string]struct {
		units      int
		holds      [][4]int64 // from, to (0: without end), quantity, the slot that it is pinned to (0: none)
		start, end int64
		want       int64 // 0: none
	}{
		"a unit goes inside the window": {3, [][4]int64{{24, 29, 1}, {29, 37, 3}}, 22, 34, 37},
		"none is free at its start":     {3, [][4]int64{{24, 29, 1}, {29, 37, 3}}, 30, 34, 37},
		"one comes, and another goes": {2, [][4]int64{{10, 20, 2}, {20, 30, 1}, {30, 40, 2}, {40, 50, 1}},
			25, 35, 40},
		"none is free again":                   {1, [][4]int64{{10, 0, 1}}, 5, 15, 0},
		"behind the window":                    {1, [][4]int64{{10, 20, 1}, {20, 30, 1}}, 5, 15, 30},
		"pinned, and the count stays the same": {2, [][4]int64{{10, 15, 1, 1}, {15, 20, 1, 2}}, 12, 18, 15},
		"pinned, and one is free before":       {2, [][4]int64{{15, 20, 1, 1}, {0, 13, 1, 2}}, 11, 18, 13},
		"pinned, and later all are taken together": {2, [][4]int64{{10, 15, 1, 1}, {15, 20, 1, 2}, {22, 30, 2}}, 12, 25,
			15},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			article := s.article(base.ID{}, c.units)
			slots := s.view().Acc.Stock.Slots(stock.ArticleTable(s.view().Acc).Get(article).Lots[0].No)
			for _, h := range c.holds {
				end := at(h[1])
				if h[1] == 0 {
					end = base.Forever
				}
				made := s.book(base.Item{Article: article}, at(h[0]), end, int(h[2]))
				if h[3] > 0 {
					slot, _ := s.view().Acc.Stock.Slot(slots[h[3]-1])
					s.do(hold.MoveHold{ID: made.ID,
						Lines: []hold.MoveLine{{Unavailability: made.Lines[0].Units[0].ID, Slot: &slot.ID}}})
				}
			}
			var x stock.ArticleStock
			require.NoError(t, stock.FillArticleStock(s.view(), &x, article, base.ID{},
				base.Span{Start: at(c.start), End: at(c.end)}, s.now))
			require.Len(t, x.Availability, 1)
			require.Zero(t, x.Availability[0].Count)
			if c.want == 0 {
				require.Nil(t, x.Availability[0].From)
				return
			}
			require.NotNil(t, x.Availability[0].From)
			require.Equal(t, c.want, (*x.Availability[0].From-noon)/hour)
		})
	}
}

// What can be sold for good is the sum of what each location can sell: a unit of one place does not stand in for one of
// another, and a conflict at one leaves the other's unit free.
func TestToSellAtTwoLocations(t *testing.T) {
	at := func(h int64) int64 { return noon + h*hour }
	type booking struct{ place, from, to int64 }
	for name, c := range map[string]struct {
		bookings []booking
		want     []stock.Step // over the ten hours from noon on
	}{
		"each taken at another time": {[]booking{{0, 2, 3}, {1, 5, 6}}, []stock.Step{
			{Range: base.Span{Start: at(0), End: at(3)}, Value: 0},
			{Range: base.Span{Start: at(3), End: at(6)}, Value: 1},
			{Range: base.Span{Start: at(6), End: at(10)}, Value: 2}}},
		"both taken at the same time": {[]booking{{0, 2, 3}, {1, 2, 3}}, []stock.Step{
			{Range: base.Span{Start: at(0), End: at(3)}, Value: 0},
			{Range: base.Span{Start: at(3), End: at(10)}, Value: 2}}},
		"one too many at the first": {[]booking{{0, 2, 3}, {0, 2, 3}}, []stock.Step{
			{Range: base.Span{Start: at(0), End: at(3)}, Value: 1},
			{Range: base.Span{Start: at(3), End: at(10)}, Value: 2}}},
		"one taken behind the window": {[]booking{{0, 2, 3}, {1, 15, 20}}, []stock.Step{
			{Range: base.Span{Start: at(0), End: at(3)}, Value: 0},
			{Range: base.Span{Start: at(3), End: at(10)}, Value: 1}}},
		"one ends as the other begins": {[]booking{{0, 2, 5}, {1, 5, 6}}, []stock.Step{
			{Range: base.Span{Start: at(0), End: at(5)}, Value: 0},
			{Range: base.Span{Start: at(5), End: at(6)}, Value: 1},
			{Range: base.Span{Start: at(6), End: at(10)}, Value: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			other := s.do(stock.CreateLocation{
				LocationFields: stock.LocationFields{Name: "Porto", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
			places := []base.ID{s.loc, other}
			var each []stock.InitialQuantity
			for _, l := range places {
				each = append(each, stock.InitialQuantity{Location: l, Count: 1})
			}
			article := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit"},
				Quantities: each}).(*stock.Article).ID
			for _, b := range c.bookings {
				o := s.rental(order.OrderOpen, base.Item{Article: article}, at(b.from), at(b.to), 1)
				o.Pickup, o.AllowOverbooked = places[b.place], true
				s.do(o)
			}
			window := base.Span{Start: at(0), End: at(10)}
			var x stock.ArticleStock
			read := func(location base.ID, w base.Span) []stock.Step {
				require.NoError(t, stock.FillArticleStock(s.view(), &x, article, location, w, s.now))
				return x.ToSell
			}
			require.Equal(t, c.want, read(base.ID{}, window))
			for h := range int64(10) {
				sum := 0.0
				for _, l := range places {
					sum += read(l, base.Span{Start: at(h), End: at(h)})[0].Value
				}
				all := read(base.ID{}, base.Span{Start: at(h), End: at(h)})
				require.Len(t, all, 1)
				require.True(t, all[0].Range.Holds(at(h)))
				require.Equal(t, sum, all[0].Value, "the sum of both, %d hours on", h)
			}
		})
	}
}

// The steps of an article at an instant are those of the whole time: of three years of holds by day, with a time
// without any, of few units and of many.
func TestInstantBehindYearsOfHolds(t *testing.T) {
	long(t)
	for _, units := range []int{20, 50} {
		s := newShop(t)
		const years = 3
		first := noon - years*365*day
		other := s.do(stock.CreateLocation{
			LocationFields: stock.LocationFields{Name: "Porto", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
		later := first + 100*day
		article := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Chairs"},
			Quantities: []stock.InitialQuantity{{Location: s.loc, Count: units, From: &first},
				{Location: other, Count: 2, From: &later}}}).(*stock.Article).ID
		var lines []hold.HoldLineInput
		book := func(at base.ID, from, to int64, n int) {
			lines = append(lines, hold.HoldLineInput{Item: base.Item{Article: article}, Location: at, Quantity: n,
				Window: base.Span{Start: from, End: to}})
		}
		for d := range int64(years * 365) {
			if at := first + d*day; d%400 < 300 {
				book(s.loc, at, at+day, units/3)
				book(s.loc, at, at+12*hour, int(1+d%5))
			}
		}
		book(s.loc, noon-hour, noon+3*hour, 4)
		book(s.loc, noon+2*hour, noon+5*day, 2)
		book(other, noon-90*day, noon+20*day, 1)
		for some := range slices.Chunk(lines, 1000) {
			s.do(hold.PlaceHold{AllowPast: true, Lines: some})
		}
		var x, whole stock.ArticleStock
		read := func(x *stock.ArticleStock, at base.ID, w base.Span) {
			require.NoError(t, stock.FillArticleStock(s.view(), x, article, at, w, s.now))
		}
		for _, place := range []base.ID{{}, s.loc, other} {
			read(&whole, place, base.Span{Start: 0, End: base.MaxInstant})
			for _, at := range []int64{noon, noon + 4*hour, noon + 100*day, noon - 13*hour, noon - 150*day,
				noon - 400*day, first, first + day, later, first - day} {
				read(&x, place, base.Span{Start: at, End: at})
				for i, series := range [...][2][]stock.Step{{x.Balance, whole.Balance}, {x.Committed, whole.Committed},
					{x.ToSell, whole.ToSell}, {x.Utilisation, whole.Utilisation}} {
					holds := func(s stock.Step) bool { return s.Range.Holds(at) }
					got := series[0][0]
					got.Range = got.Range.Clip(base.Span{Start: 0, End: base.MaxInstant})
					require.Equal(t, series[1][slices.IndexFunc(series[1], holds)], got,
						"series %d, %d hours from noon", i, (at-noon)/hour)
				}
			}
		}
	}
}

// An event whose end is taken from it has none, and the room that it reserves neither.
func TestAnEventLosesItsEnd(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	e := s.do(stock.CreateScheduledEvent{Article: article, Location: s.loc,
		ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "n"},
		Window:               base.Span{Start: noon + day, End: noon + 2*day}}).(*stock.ScheduledEvent)
	require.Equal(t, 1, s.available(base.Item{SKU: sku}, noon+2*day, noon+3*day))
	e = s.do(stock.PatchScheduledEvent{Article: article, ID: e.ID, To: base.Null[int64]()}).(*stock.ScheduledEvent)
	require.Equal(t, base.Span{Start: noon + day, End: base.Forever}, e.Window)
	require.Equal(t, 0, s.available(base.Item{SKU: sku}, noon+2*day, noon+3*day))
	s.reopen()
}

// Events are by start, whatever the order in which they were made.
func TestEventsOfAnArticleAreByStart(t *testing.T) {
	s := newShop(t)
	article := s.article(s.sku(), 1)
	for _, at := range []int64{20, 10, 15, 10} {
		s.do(stock.CreateScheduledEvent{Article: article, Location: s.loc,
			ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventNote, Name: "n"},
			Window:               base.Span{Start: noon + at*hour, End: noon + 30*hour}})
	}
	var x stock.ArticleStock
	require.NoError(t, stock.FillArticleStock(s.view(), &x, article, base.ID{},
		base.Span{Start: noon, End: noon + day}, s.now))
	var starts []int64
	for _, e := range x.Events {
		starts = append(starts, (e.Window.Start-noon)/hour)
	}
	require.Equal(t, []int64{10, 10, 15, 20}, starts)
	require.Negative(t, x.Events[0].ID.Compare(x.Events[1].ID))
}
