package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

// Of what has no units the least is from where a booking's hull begins, as it is of what has too few.
func TestExplainBeginsWithTheBuffer(t *testing.T) {
	s := newShop(t)
	long := Buffer{Amount: 5, Unit: timeline.Hours}
	sku := s.do(CreateSKU{Name: "Bike", Before: &long}).(*SKU).ID
	bare, own := s.article(sku, 0), s.do(CreateArticle{Name: "Unit", Before: &fourHours}).(*Article).ID
	w := Span{Start: noon + day, End: noon + 2*day}
	for _, c := range []struct {
		item Item
		want int64
	}{
		{Item{SKU: sku}, 5}, {Item{Article: bare}, 5}, {Item{Article: own}, 4},
		{s.kit(Component{Item{Article: s.article(ID{}, 1)}, 1}, Component{Item{Article: own}, 2}), 4},
	} {
		for _, location := range []ID{s.loc, {}} {
			x, err := s.view().Explain(Query{Item: c.item, Location: location, Window: w}, 1, s.now)
			require.NoError(t, err)
			require.Zero(t, x.Available)
			require.Equal(t, c.want, (w.Start-x.At)/hour)
		}
	}
	x, err := s.view().Explain(Query{Item: Item{SKU: sku}, Location: s.loc, Window: Span{Start: noon + hour, End: noon + day}}, 1, s.now)
	require.NoError(t, err)
	require.Equal(t, s.now, x.At) // a buffer does not begin before the command
}

// What a calendar has available is what can be held for the whole bucket, not the least that is free in it.
func TestCalendarHasWhatCanBeHeld(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	one, two := s.article(sku, 1), s.article(sku, 1)
	s.book(Item{Article: one}, noon+10*hour, noon+15*hour, 1)
	s.book(Item{Article: two}, noon+15*hour, noon+20*hour, 1)
	kit := s.kit(Component{Item{SKU: sku}, 1})
	for _, i := range []Item{{SKU: sku}, kit} {
		for _, c := range []struct {
			w    Span
			want int
		}{{Span{Start: noon + 12*hour, End: noon + 18*hour}, 0}, {Span{Start: noon + 12*hour, End: noon + 15*hour}, 1}} {
			buckets, err := s.view().Calendar(Query{Item: i, Location: s.loc, Window: c.w}, BucketChange, s.now, nil)
			require.NoError(t, err)
			require.Equal(t, []Bucket{{c.w, 1, 1, c.want, true}}, buckets)
			require.Equal(t, c.want, s.available(i, c.w.Start, c.w.End))
		}
	}
}
