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

// This file owns the tests of articles that are taken out while bookings are to come.

// TestTakingAnArticleOutAsksFirst takes articles out whose bookings find no other place: it is refused with who stands
// in the way, unless it is forced. Where all of them find one, it is done.
func TestTakingAnArticleOutAsksFirst(t *testing.T) {
	for name, out := range map[string]func(article base.ID, force bool) base.Op{
		"archived": func(id base.ID, force bool) base.Op {
			return stock.ArchiveArticle{ID: id, Archived: true, Force: force}
		},
		"inactive": func(id base.ID, force bool) base.Op {
			return stock.PatchArticle{ID: id, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
				Force: force}
		},
		"of no SKU": func(id base.ID, force bool) base.Op {
			return stock.PatchArticle{ID: id, Fields: base.Changed(stock.ArticleFields{}, "skuId"), Force: force}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			sku := s.sku()
			a, b := s.article(sku, 1), s.article(sku, 1)
			s.book(base.Item{SKU: sku}, noon, noon+hour, 2) // over by then
			s.now += 2 * hour
			free := s.book(base.Item{SKU: sku}, noon+day, noon+2*day, 1).Lines[0].Units[0]
			both := s.book(base.Item{SKU: sku}, noon+3*day, noon+4*day, 2).Lines[0].Units
			e := s.refused(base.CodeQuantityBlocked, out(a, false))
			plan := e.Details.(stock.QuantityDetails).Plan
			require.False(t, plan.OK)
			require.Equal(t, "holds_exceed_remaining_stock", plan.Reason)
			require.Len(t, plan.Blockers, 1)
			blocker := plan.Blockers[0]
			require.Contains(t, []base.ID{both[0].ID, both[1].ID}, blocker.ID)
			require.Equal(t, a, blocker.Article)
			if free.Article == a {
				require.Len(t, plan.Moves, 1)
				require.Equal(t, free.ID, plan.Moves[0].Unavailability)
			}
			s.now++
			again := s.refused(base.CodeQuantityBlocked, out(a, false)).Details.(stock.QuantityDetails).Plan
			require.Equal(t, plan.Digest, again.Digest, "the digest is not of the instant")
			more := s.book(base.Item{SKU: sku}, noon+5*day, noon+6*day, 2)
			again = s.refused(base.CodeQuantityBlocked, out(a, false)).Details.(stock.QuantityDetails).Plan
			require.NotEqual(t, plan.Digest, again.Digest, "the digest is of the blockers")
			s.do(hold.ReleaseHold{ID: more.ID})
			s.do(out(a, true))
			u, _ := stock.UnavailabilityByID(s.view(), blocker.ID)
			require.True(t, u.Conflict())
			u, _ = stock.UnavailabilityByID(s.view(), free.ID)
			require.Equal(t, b, u.Article)
		})
	}
	t.Run("with room elsewhere", func(t *testing.T) {
		s := newShop(t)
		sku := s.sku()
		a, b := s.article(sku, 1), s.article(sku, 1)
		u := s.book(base.Item{SKU: sku}, noon+day, noon+2*day, 1).Lines[0].Units[0]
		s.do(stock.ArchiveArticle{ID: u.Article, Archived: true})
		moved, _ := stock.UnavailabilityByID(s.view(), u.ID)
		require.Equal(t, map[base.ID]base.ID{a: b, b: a}[u.Article], moved.Article)
	})
	t.Run("named", func(t *testing.T) {
		s := newShop(t)
		sku := s.sku()
		a := s.article(sku, 1)
		s.article(sku, 1)
		u := s.book(base.Item{Article: a}, noon+day, noon+2*day, 1).Lines[0].Units[0]
		e := s.refused(base.CodeQuantityBlocked, stock.ArchiveArticle{ID: a, Archived: true})
		plan := e.Details.(stock.QuantityDetails).Plan
		require.Equal(t, "pinned_holds_in_the_way", plan.Reason)
		require.Equal(t, u.ID, plan.Blockers[0].ID)
	})
}

// Where no other article of the SKU is at the location, all that would be stranded stands in the way, pinned or not,
// and just that becomes conflicts if it is forced. So it is where other articles of the SKU are elsewhere only.
func TestAnArticleWithoutOthersLeavesAllOfItsHolds(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a := s.article(sku, 3)
	there := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Porto", Timezone: "UTC"}}).(*stock.Location).ID
	s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Chair", SKU: &sku},
		Quantities: []stock.InitialQuantity{{Location: there, Count: 3}}})
	var ids []base.ID
	for i := range int64(30) {
		item := base.Item{SKU: sku}
		if i == 7 {
			item = base.Item{Article: a}
		}
		from := noon + (40-i)*day
		ids = append(ids, s.book(item, from, from+hour, 1).Lines[0].Units[0].ID)
	}
	slices.Reverse(ids) // by start
	for _, o := range []base.Op{stock.ArchiveArticle{ID: a, Archived: true},
		stock.PatchArticle{ID: a, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive})},
	} {
		plan := s.refused(base.CodeQuantityBlocked, o).Details.(stock.QuantityDetails).Plan
		require.Equal(t, "pinned_holds_in_the_way", plan.Reason)
		require.Equal(t, len(ids), plan.BlockersTotal)
		require.Empty(t, plan.Moves)
		require.Len(t, plan.Blockers, min(len(ids), base.MaxListed))
		for i, u := range plan.Blockers {
			require.Equal(t, ids[i], u.ID)
			require.False(t, u.Conflict())
		}
	}
	plan := s.refused(base.CodeQuantityBlocked, stock.PatchArticle{ID: a,
		Fields: base.Changed(stock.ArticleFields{}, "skuId")}).Details.(stock.QuantityDetails).Plan
	require.Equal(t, "holds_exceed_remaining_stock", plan.Reason)
	require.Equal(t, len(ids)-1, plan.BlockersTotal, "who named it keeps it")
	s.do(stock.ArchiveArticle{ID: a, Archived: true, Force: true})
	for _, id := range ids {
		u, _ := stock.UnavailabilityByID(s.view(), id)
		require.True(t, u.Conflict())
	}
}

// An article that comes into a SKU has units for whoever waits there, at each of its locations, and takes them along
// when it leaves.
func TestAnArticleChangesItsSKUAtEachLocation(t *testing.T) {
	s := newStocked(t)
	places := []base.ID{s.loc, s.there}
	sku, other := s.sku(), s.sku()
	var articles []base.ID
	for _, of := range []base.ID{sku, other} {
		a := s.article(of, 1)
		s.do(stock.IncreaseQuantity{Article: a, Location: s.there, Amount: 1})
		articles = append(articles, a)
	}
	var orders []*order.OrderRecord
	for _, place := range places {
		o := s.rental(order.OrderOpen, base.Item{SKU: sku}, noon+day, noon+2*day, 2)
		o.Pickup, o.AllowOverbooked = place, true
		orders = append(orders, s.do(o).(*order.OrderRecord))
	}
	for _, of := range []base.ID{other, sku, other} {
		s.do(stock.PatchArticle{ID: articles[1], Force: true, Fields: base.Changed(stock.ArticleFields{SKU: &of})})
		for i, place := range places {
			require.Equal(t, of == other, s.orderNow(orders[i]).Conflict(), "location %d", i)
			free := func(sku base.ID) int {
				a, err := hold.Available(s.view(), hold.Query{Item: base.Item{SKU: sku}, Location: place,
					Window: base.Span{Start: noon + 3*day, End: noon + 4*day}}, s.now)
				require.NoError(t, err)
				return a.Available
			}
			want := []int{1, 1}
			if of == sku {
				want = []int{2, 0}
			}
			require.Equal(t, want, []int{free(sku), free(other)}, "location %d", i)
		}
	}
	s.reopen()
}
