package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns pools of articles whose buffers keep the same time free and were entered in other words.

func TestEqualBuffersInOtherWordsAreOnePool(t *testing.T) {
	type pair struct {
		a, b  *stock.Buffer
		alike bool
	}
	of := func(n int64, u timeline.Unit) *stock.Buffer { return &stock.Buffer{Amount: n, Unit: u} }
	for _, x := range []pair{
		{of(0, timeline.Hours), nil, true},
		{of(0, timeline.Months), of(0, timeline.Seconds), true},
		{of(60, timeline.Minutes), of(1, timeline.Hours), true},
		{of(7200, timeline.Seconds), of(2, timeline.Hours), true},
		{of(7, timeline.Days), of(1, timeline.Weeks), true},
		{of(12, timeline.Months), of(1, timeline.Years), true},
		{of(24, timeline.Hours), of(1, timeline.Days), false},
		{of(30, timeline.Days), of(1, timeline.Months), false},
	} {
		s := newShop(t)
		sku := s.sku()
		unit := func(b *stock.Buffer) base.ID {
			return s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &sku}, After: b,
				Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 1}}}).(*stock.Article).ID
		}
		a, b := unit(x.a), unit(x.b)
		at := func(d int64) int64 { return s.now + d*1000*day }
		// Two bookings that the SKU's shopper made, one on each, steered there by two that are gone again.
		first := s.book(base.Item{Article: b}, at(1), at(2), 1)
		s.book(base.Item{SKU: sku}, at(1), at(2), 1)
		second := s.book(base.Item{Article: a}, at(3), at(4), 1)
		s.book(base.Item{SKU: sku}, at(3), at(4), 1)
		s.do(hold.ReleaseHold{ID: first.ID})
		s.do(hold.ReleaseHold{ID: second.ID})
		want := 0
		if x.alike {
			want = 1
		}
		for range 2 {
			require.Equal(t, want, s.available(base.Item{SKU: sku}, at(1), at(4)), "%v and %v", x.a, x.b)
			s.reopen()
		}
		before := stock.ArticleByID(s.view(), a)
		require.Equal(t, x.a, before.After, "the record shows what was entered")
		if !x.alike {
			continue
		}
		// The same setting in other words moves nothing to another pool.
		s.do(stock.PatchSKU{ID: sku,
			After: stock.BufferPatch{Amount: base.Some(int64(0)), Unit: base.Some(timeline.Days)}})
		s.book(base.Item{SKU: sku}, at(1), at(4), 1)
		s.reopen()
	}
}
