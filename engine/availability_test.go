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
