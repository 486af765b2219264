package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the stories of the calendar of rentals.

var oneDay = commerce.Period{Amount: 1, Unit: timeline.Days}

func utc(text string) int64 {
	t, err := time.Parse("2006-01-02T15:04Z", text)
	if err != nil {
		panic(err)
	}
	return t.UnixMilli()
}

func (s *shop) starts(q hold.StartQuery) []hold.Start {
	s.Helper()
	list, err := hold.Starts(s.view(), q, s.now, nil)
	require.NoError(s, err)
	return list
}

// startsFrom are the instants of starts.
func startsFrom(list []hold.Start) (at []int64) {
	for _, x := range list {
		at = append(at, x.Window.Start)
	}
	return at
}

// A day that the plain calendar counts a unit on is none on which a rental can begin, where its buffer reaches into the
// next one.
func TestStartsHaveTheirBuffers(t *testing.T) {
	s := newShop(t)
	sku := s.sku(stock.Buffer{Amount: 1, Unit: timeline.Days})
	s.article(sku, 1)
	s.book(base.Item{SKU: sku}, noon+5*day, noon+6*day, 1)
	q := hold.StartQuery{Query: hold.Query{Item: base.Item{SKU: sku}, Location: s.loc,
		Window: base.Span{Start: noon, End: noon + 9*day}}, Length: oneDay}
	var got []int
	for _, x := range s.starts(q) {
		require.True(t, x.Exact)
		require.Equal(t, int64(day), x.Window.Length())
		got = append(got, x.Available)
		if op := s.booking(q.Item, x.Window.Start, x.Window.End, 1); x.Available == 0 {
			s.refused(base.CodeInsufficient, op)
		} else {
			_, err := s.Preview(Command{Account: s.acc, Op: op})
			require.NoError(t, err)
		}
	}
	require.Equal(t, []int{1, 1, 1, 1, 0, 0, 0, 1, 1}, got)
	buckets, err := hold.Calendar(s.view(), q.Query, stock.BucketDay, s.now, nil)
	require.NoError(t, err)
	require.Equal(t, 1, buckets[4].Available, "the plain count")

	q.Length = commerce.Period{Amount: 4 * 3600, Unit: timeline.Seconds}
	s.now += 2*day + 3*hour
	list := s.starts(q)
	require.Equal(t, []int{0, 0, 1}, []int{list[0].Available, list[1].Available, list[2].Available},
		"two are over, one has begun")
	s.refused(base.CodeInvalid,
		hold.PlaceHold{Lines: s.booking(q.Item, list[1].Window.Start, list[1].Window.End, 1).Lines})
}

// A rental begins at the same time of day on each day, whatever the clock does between.
func TestStartsKeepTheLocalClock(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 1)
	at := func(from, to string, length commerce.Period, times ...int64) []hold.Start {
		return s.starts(hold.StartQuery{
			Query: hold.Query{Item: base.Item{SKU: sku}, Location: s.loc,
				Window: base.Span{Start: utc(from), End: utc(to)}},
			Length: length, Times: times,
		})
	}
	autumn := at("2025-10-24T09:00Z", "2025-10-28T09:00Z", oneDay)
	require.Equal(t, []int64{utc("2025-10-24T09:00Z"), utc("2025-10-25T09:00Z"), utc("2025-10-26T10:00Z"),
		utc("2025-10-27T10:00Z")}, startsFrom(autumn))
	require.Equal(t, int64(25*hour), autumn[1].Window.Length(), "a day of 25 hours")
	require.Equal(t, timeline.Date{Year: 2025, Month: 10, Day: 26}, autumn[2].Date)
	require.Equal(t, int64(24*hour), at("2025-10-25T09:00Z", "2025-10-26T09:00Z",
		commerce.Period{Amount: 24, Unit: timeline.Hours})[0].Window.Length())

	half := int64(90 * 60 * 1000) // 01:30, which the clock shows twice on 26 October 2025 and never on 29 March 2026
	require.Equal(t, []int64{utc("2025-10-26T00:30Z")},
		startsFrom(at("2025-10-25T23:00Z", "2025-10-26T23:00Z", oneDay, half)), "the first of the two")
	require.Equal(t, []int64{utc("2025-10-26T01:30Z"), utc("2025-10-27T01:30Z")},
		startsFrom(at("2025-10-26T01:30Z", "2025-10-27T23:00Z", oneDay)), "the one that was said")
	require.Equal(t, []int64{utc("2026-03-29T01:00Z"), utc("2026-03-29T01:30Z")},
		startsFrom(at("2026-03-29T00:00Z", "2026-03-29T23:00Z", oneDay, 2*hour, half)), "later by the gap")
	require.Equal(t, []int64{utc("2026-03-29T01:30Z")},
		startsFrom(at("2026-03-29T00:00Z", "2026-03-29T23:00Z", oneDay, half, half+hour)), "both are one instant")

	_, err := hold.Starts(s.view(), hold.StartQuery{
		Query:  hold.Query{Item: base.Item{SKU: sku}, Window: base.Span{Start: noon, End: noon + 400*day}},
		Length: oneDay, Times: make([]int64, 48),
	}, s.now, nil)
	require.Equal(t, base.CodeInvalid, err.(*base.Error).Code, "too many")
}

// A rental that goes elsewhere needs a unit that all later ones can do without.
func TestStartsOfUnitsThatLeave(t *testing.T) {
	s := newOneWay(t, 2)
	s.book(s.bike, noon+5*day, noon+6*day, 2)
	s.book(s.bike, noon+8*day, noon+9*day, 1)
	q := hold.StartQuery{Query: hold.Query{Item: s.bike, Location: s.loc, Return: s.there,
		Window: base.Span{Start: noon, End: noon + 10*day}}, Length: oneDay}
	var got []int
	for _, x := range s.starts(q) {
		got = append(got, x.Available)
	}
	require.Equal(t, []int{0, 0, 0, 0, 0, 0, 1, 1, 1, 2}, got)
	q.Return = s.loc
	require.Equal(t, 2, s.starts(q)[0].Available)
}

// What takes no rentals has none: an article that is out, and a catalog item that is only sold. What is on an article
// may make room.
func TestStartsOfArticlesAndKits(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	one, two := s.article(sku, 1), s.article(sku, 1)
	s.book(base.Item{SKU: sku}, noon+hour, noon+day, 1)
	all := func(i base.Item) int {
		list := s.starts(hold.StartQuery{Query: hold.Query{Item: i, Location: s.loc,
			Window: base.Span{Start: noon, End: noon + hour}}, Length: oneDay})
		require.Len(t, list, 1)
		require.True(t, list[0].Exact)
		return list[0].Available
	}
	require.Equal(t, []int{1, 1, 1}, []int{all(base.Item{SKU: sku}), all(base.Item{Article: one}),
		all(base.Item{Article: two})}, "the booking goes to the other")
	pair := s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1},
		commerce.Component{Item: base.Item{Article: one}, Quantity: 1})
	require.Equal(t, 0, all(pair))
	single := s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1})
	require.Equal(t, 1, all(single))
	s.do(commerce.PatchCatalogItem{ID: single.CatalogItem,
		Offer: base.Changed(commerce.CatalogOffer{Purchases: []base.PurchaseType{base.PurchaseSale}})})
	require.Equal(t, 0, all(single))
	s.refused(base.CodeStateNotAllowed, s.booking(single, noon, noon+day, 1))
	s.do(stock.PatchArticle{ID: two, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
		Force: true})
	require.Equal(t, 0, all(base.Item{Article: two}))
}
