package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// Of what has no units the least is from where a booking's hull begins, as it is of what has too few.
func TestExplainBeginsWithTheBuffer(t *testing.T) {
	s := newShop(t)
	long := stock.Buffer{Amount: 5, Unit: timeline.Hours}
	sku := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}, Before: &long}).(*stock.SKU).ID
	bare, own := s.article(sku, 0),
		s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit"},
			Before: &fourHours}).(*stock.Article).ID
	w := base.Span{Start: noon + day, End: noon + 2*day}
	for _, c := range []struct {
		item base.Item
		want int64
	}{
		{base.Item{SKU: sku}, 5}, {base.Item{Article: bare}, 5}, {base.Item{Article: own}, 4},
		{s.kit(commerce.Component{Item: base.Item{Article: s.article(base.ID{}, 1)}, Quantity: 1},
			commerce.Component{Item: base.Item{Article: own}, Quantity: 2}), 4},
	} {
		for _, location := range []base.ID{s.loc, {}} {
			x, err := hold.Explain(s.view(), hold.Query{Item: c.item, Location: location, Window: w}, 1, s.now)
			require.NoError(t, err)
			require.Zero(t, x.Available)
			require.Equal(t, c.want, (w.Start-x.At)/hour)
		}
	}
	x, err := hold.Explain(s.view(), hold.Query{Item: base.Item{SKU: sku}, Location: s.loc,
		Window: base.Span{Start: noon + hour, End: noon + day}}, 1, s.now)
	require.NoError(t, err)
	require.Equal(t, s.now, x.At) // a buffer does not begin before the command
}

// What a calendar has available is what can be held for the whole bucket, not the least that is free in it.
func TestCalendarHasWhatCanBeHeld(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	one, two := s.article(sku, 1), s.article(sku, 1)
	s.book(base.Item{Article: one}, noon+10*hour, noon+15*hour, 1)
	s.book(base.Item{Article: two}, noon+15*hour, noon+20*hour, 1)
	kit := s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1})
	for _, i := range []base.Item{{SKU: sku}, kit} {
		for _, c := range []struct {
			w    base.Span
			want int
		}{{base.Span{Start: noon + 12*hour, End: noon + 18*hour}, 0},
			{base.Span{Start: noon + 12*hour, End: noon + 15*hour}, 1}} {
			buckets, err := hold.Calendar(s.view(), hold.Query{Item: i, Location: s.loc, Window: c.w},
				stock.BucketChange, s.now, nil)
			require.NoError(t, err)
			require.Equal(t, []stock.Bucket{{Range: c.w, MinFree: 1, MaxFree: 1, Available: c.want, Exact: true}},
				buckets)
			require.Equal(t, c.want, s.available(i, c.w.Start, c.w.End))
		}
	}
}

// Where an article is taken, the others of its SKU that have the window are named: none that takes no holds, and not
// itself.
func TestExplainNamesOtherArticles(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	taken, out, free := s.article(sku, 1), s.article(sku, 1), s.article(sku, 1)
	s.article(s.sku(), 1)
	w := base.Span{Start: noon + hour, End: noon + 3*hour}
	s.do(stock.PatchArticle{ID: out, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive})})
	others := func() (list []base.ID) {
		q := hold.Query{Item: base.Item{Article: taken}, Location: s.loc, Window: w}
		x, err := hold.Explain(s.view(), q, 1, s.now)
		require.NoError(t, err)
		for _, a := range x.Alternatives {
			if a.Kind == "article" {
				require.Equal(t, w, a.Window)
				list = append(list, a.Article)
			}
		}
		return list
	}
	s.book(base.Item{Article: taken}, w.Start, w.Start+hour, 1)
	require.Equal(t, []base.ID{free}, others())
	s.book(base.Item{Article: free}, w.Start, w.Start+hour, 1)
	require.Empty(t, others())
}

// apart is an article, its SKU and a kit of it with a unit at each of two locations: that at the first is taken in the
// fourth hour from noon on, that at the other in the second.
func (s *shop) apart() (other base.ID, items []base.Item, bookings [2]*hold.Hold) {
	other = s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Porto", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
	sku := s.sku()
	article := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &sku},
		Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 1},
			{Location: other, Count: 1}}}).(*stock.Article).ID
	items = []base.Item{{SKU: sku}, {Article: article},
		s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1})}
	bookings[0] = s.book(base.Item{SKU: sku}, noon+3*hour, noon+4*hour, 1)
	there := s.booking(base.Item{SKU: sku}, noon+hour, noon+2*hour, 1)
	there.Lines[0].Location = other
	bookings[1] = s.do(there).(*hold.Hold)
	return other, items, bookings
}

// The numbers of a calendar of all locations are the sums of the locations' own: each has none free at some instant of
// the day, and though one is free somewhere at every instant, nobody can have one all day.
func TestCalendarOfAllLocationsIsTheSum(t *testing.T) {
	s := newShop(t)
	other, items, _ := s.apart()
	w := base.Span{Start: noon, End: noon + 6*hour}
	for _, i := range items {
		for _, size := range []stock.BucketSize{stock.BucketDay, stock.BucketHour, stock.BucketChange} {
			read := func(location base.ID) []stock.Bucket {
				q := hold.Query{Item: i, Location: location, Window: w}
				list, err := hold.Calendar(s.view(), q, size, s.now, nil)
				require.NoError(t, err)
				return list
			}
			all := read(base.ID{})
			switch size {
			case stock.BucketDay:
				require.Equal(t, []stock.Bucket{{Range: w, MinFree: 0, MaxFree: 2, Available: 0, Exact: true}}, all)
			case stock.BucketHour:
				here, there := read(s.loc), read(other)
				require.Len(t, all, 6)
				for n, b := range all {
					require.Equal(t, stock.Bucket{Range: here[n].Range, MinFree: here[n].MinFree + there[n].MinFree,
						MaxFree:   here[n].MaxFree + there[n].MaxFree,
						Available: here[n].Available + there[n].Available, Exact: true}, b)
				}
			case stock.BucketChange:
				require.Len(t, all, 5)
				require.Equal(t, 1, all[1].MinFree)
				require.Equal(t, 2, all[2].MinFree)
			}
		}
	}
}

// Over all locations each has its own instant with the fewest units free. What is explained is the earliest of those
// with as few, and the holds of each that are over its own.
func TestExplainAtAllLocations(t *testing.T) {
	s := newShop(t)
	other, items, bookings := s.apart()
	explained := func(at int64, units int) {
		t.Helper()
		for _, i := range items {
			x, err := hold.Explain(s.view(), hold.Query{Item: i, Window: base.Span{Start: noon, End: noon + 6*hour}}, 9,
				s.now)
			require.NoError(t, err)
			require.Equal(t, []any{units - 2, units}, []any{x.Available, x.Stock})
			require.Equal(t, at, (x.At-noon)/hour)
			require.Equal(t, 2, x.Blocking)
			require.Equal(t, []base.ID{bookings[1].ID, bookings[0].ID},
				[]base.ID{x.Blockers[0].Owner, x.Blockers[1].Owner})
		}
	}
	explained(1, 2)
	// The other has more free at its own instant now, though that is the earlier one.
	s.do(stock.IncreaseQuantity{Article: items[1].Article, Location: other, Amount: 2})
	explained(3, 4)
}
