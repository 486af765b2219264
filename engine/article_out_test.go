package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of articles that are taken out while bookings are to come.

// TestTakingAnArticleOutAsksFirst takes articles out whose bookings find no other place: it is refused with who stands in the way, unless
// it is forced. Where all of them find one, it is done.
func TestTakingAnArticleOutAsksFirst(t *testing.T) {
	for name, out := range map[string]func(article ID, force bool) Op{
		"archived": func(id ID, force bool) Op { return ArchiveArticle{ID: id, Archived: true, Force: force} },
		"inactive": func(id ID, force bool) Op {
			return PatchArticle{ID: id, Status: Some(ArticleInactive), Force: force}
		},
		"of no SKU": func(id ID, force bool) Op { return PatchArticle{ID: id, SKU: Null[ID](), Force: force} },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			sku := s.sku()
			a, b := s.article(sku, 1), s.article(sku, 1)
			s.book(Item{SKU: sku}, noon, noon+hour, 2) // over by then
			s.now += 2 * hour
			free := s.book(Item{SKU: sku}, noon+day, noon+2*day, 1).Lines[0].Units[0]
			both := s.book(Item{SKU: sku}, noon+3*day, noon+4*day, 2).Lines[0].Units
			e := s.refused(CodeQuantityBlocked, out(a, false))
			plan := e.Details.(QuantityDetails).Plan
			require.False(t, plan.OK)
			require.Equal(t, "holds_exceed_remaining_stock", plan.Reason)
			require.Len(t, plan.Blockers, 1)
			blocker := plan.Blockers[0]
			require.Contains(t, []ID{both[0].ID, both[1].ID}, blocker.ID)
			require.Equal(t, a, blocker.Article)
			if free.Article == a {
				require.Len(t, plan.Moves, 1)
				require.Equal(t, free.ID, plan.Moves[0].Unavailability)
			}
			s.do(out(a, true))
			u, _ := s.view().Unavailability(blocker.ID)
			require.True(t, u.Conflict())
			u, _ = s.view().Unavailability(free.ID)
			require.Equal(t, b, u.Article)
		})
	}
	t.Run("with room elsewhere", func(t *testing.T) {
		s := newShop(t)
		sku := s.sku()
		a, b := s.article(sku, 1), s.article(sku, 1)
		u := s.book(Item{SKU: sku}, noon+day, noon+2*day, 1).Lines[0].Units[0]
		s.do(ArchiveArticle{ID: u.Article, Archived: true})
		moved, _ := s.view().Unavailability(u.ID)
		require.Equal(t, map[ID]ID{a: b, b: a}[u.Article], moved.Article)
	})
	t.Run("named", func(t *testing.T) {
		s := newShop(t)
		sku := s.sku()
		a := s.article(sku, 1)
		s.article(sku, 1)
		u := s.book(Item{Article: a}, noon+day, noon+2*day, 1).Lines[0].Units[0]
		e := s.refused(CodeQuantityBlocked, ArchiveArticle{ID: a, Archived: true})
		plan := e.Details.(QuantityDetails).Plan
		require.Equal(t, "pinned_holds_in_the_way", plan.Reason)
		require.Equal(t, u.ID, plan.Blockers[0].ID)
	})
}
