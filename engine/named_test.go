package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the tests of lines that name an article: what they push out of it, and what is said of that.

// numbers are what is answered of an item: its own units, those with moves, and whether one more is sure to be refused.
func (s *shop) numbers(i base.Item, from, to int64) (own, moves int, exact bool) {
	s.T.Helper()
	a, err := hold.Available(s.view(),
		hold.Query{Item: i, Location: s.loc, Window: base.Span{Start: from, End: to}, Moves: true}, s.now)
	require.NoError(s.T, err)
	return a.Available, a.WithMoves, a.Exact
}

func (s *shop) requireNumbers(i base.Item, from, to int64, own, moves int) {
	s.T.Helper()
	o, m, exact := s.numbers(i, from, to)
	require.Equal(s.T, [2]int{own, moves}, [2]int{o, m})
	require.True(s.T, exact)
}

// A line that names an article pushes what may move to other articles, and no further than there is room.
func TestALineOfAnArticlePushesWhatMayMove(t *testing.T) {
	from, to := noon+10*hour, noon+20*hour
	for _, kit := range []bool{false, true} {
		s := newShop(t)
		sku := base.Item{SKU: s.sku()}
		s.article(sku.SKU, 1)
		s.article(sku.SKU, 1)
		roams := s.book(sku, from, to, 1).Lines[0].Units[0].ID
		on := base.Item{Article: s.unit(roams).Article}
		item := on
		if kit {
			item = s.kit(commerce.Component{Item: on, Quantity: 1})
			s.requireNumbers(item, from, to, 1, 1)
			buckets, err := hold.Calendar(s.view(), hold.Query{Item: item, Location: s.loc,
				Window: base.Span{Start: from, End: to}}, stock.BucketChange, s.now, nil)
			require.NoError(t, err)
			require.Equal(t,
				[]stock.Bucket{{Range: base.Span{Start: from, End: to}, MinFree: 0, MaxFree: 0, Available: 1,
					Exact: true}}, buckets)
		} else {
			s.requireNumbers(item, from, to, 0, 1)
		}
		require.Zero(t, s.available(on, from, to), "its own units are what a plain question counts")
		s.refused(base.CodeInsufficient, s.booking(item, from, to, 2))
		h := s.book(item, from, to, 1)
		require.Equal(t, on.Article, s.unit(h.Lines[0].Units[0].ID).Article)
		require.NotEqual(t, on.Article, s.unit(roams).Article)
		s.requireNumbers(item, from, to, 0, 0)
		s.refused(base.CodeInsufficient, s.booking(item, from, to, 1))
		s.reopen()
	}
}

// Two parts of a kit that name articles of one pool push into the same room.
func TestPartsOfAKitPushTogether(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	from, to := noon+10*hour, noon+20*hour
	var articles []base.ID
	for range 3 {
		articles = append(articles, s.article(sku.SKU, 1))
	}
	s.book(sku, from, to, 2)
	kit := s.kit(commerce.Component{Item: base.Item{Article: articles[0]}, Quantity: 1},
		commerce.Component{Item: base.Item{Article: articles[1]}, Quantity: 1})
	own, moves, _ := s.numbers(kit, from, to)
	require.Zero(t, own+moves)
	s.refused(base.CodeInsufficient, s.booking(kit, from, to, 1))
	s.article(sku.SKU, 1)
	s.requireNumbers(kit, from, to, 1, 1)
	s.book(kit, from, to, 1)
	s.requireNumbers(kit, from, to, 0, 0)
}

// What waits for the article, pinned to it, is not overtaken by a new line that names it.
func TestALineOfAnArticleLeavesWhatIsWaitedFor(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	on := base.Item{Article: s.article(sku.SKU, 1)}
	s.article(sku.SKU, 1)
	s.book(on, noon+10*hour, noon+20*hour, 1)
	waits := s.order(on, base.PurchaseBooking, noon+15*hour, ptr(noon+25*hour), 1, true)
	require.True(t, waits.Conflict())
	s.requireNumbers(on, noon+20*hour, noon+25*hour, 0, 0)
	s.refused(base.CodeInsufficient, s.booking(on, noon+20*hour, noon+25*hour, 1))
	s.requireNumbers(on, noon+25*hour, noon+30*hour, 1, 1)
}

// What waits without a name is counted for its SKU, whichever article it is kept on: who names one of them does not
// take the unit that it may have.
func TestALineOfAnArticleLeavesWhatItsSKUWaitsFor(t *testing.T) {
	for _, kept := range []bool{false, true} { // what is named is the article that the conflict is kept on
		for _, kit := range []bool{false, true} {
			s := newShop(t)
			sku := base.Item{SKU: s.sku()}
			on := []base.Item{{Article: s.article(sku.SKU, 1)}, {Article: s.article(sku.SKU, 1)}}
			if kept {
				slices.Reverse(on)
			}
			late := s.book(on[1], noon+9*hour, noon+12*hour, 1)
			early := s.book(on[0], noon, noon+12*hour, 1)
			waits := s.order(sku, base.PurchaseBooking, noon+5*hour, ptr(noon+10*hour), 1, true)
			require.True(t, waits.Conflict())
			from, to := noon+7*hour, noon+9*hour
			item := on[1]
			if kit {
				item = s.kit(commerce.Component{Item: on[1], Quantity: 1})
				s.requireNumbers(item, from, to, 0, 0)
				buckets, err := hold.Calendar(s.view(), hold.Query{Item: item, Location: s.loc,
					Window: base.Span{Start: from, End: to}}, stock.BucketChange, s.now, nil)
				require.NoError(t, err)
				require.Zero(t, buckets[0].Available)
			} else {
				own := 1 // its own units are counted as they are
				if kept {
					own = 0
				}
				s.requireNumbers(on[1], from, to, own, 0)
			}
			s.refused(base.CodeInsufficient, s.booking(sku, from, to, 1))
			lines, _ := s.explained(s.booking(item, from, to, 1))
			require.Zero(t, lines[0].Available)
			require.Equal(t, timeline.NotEnoughStock.String(), lines[0].Reason)
			require.Equal(t, &base.Span{Start: noon + 12*hour, End: noon + 14*hour}, lines[0].Next)
			if !kit {
				s.refused(base.CodeInsufficient, stock.CreateScheduledEvent{Article: on[1].Article,
					Location: s.loc, Window: base.Span{Start: from, End: to},
					ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "Repair"}})
			}
			// What a hold has, it has: the one that stays inside what it had is not asked.
			s.do(hold.MoveHold{ID: early.ID, Lines: []hold.MoveLine{{Unavailability: early.Lines[0].Units[0].ID,
				To: ptr(noon + 11*hour)}}})
			s.refused(base.CodeInsufficient, hold.MoveHold{ID: late.ID, Lines: []hold.MoveLine{
				{Unavailability: late.Lines[0].Units[0].ID, From: ptr(noon + 8*hour)}}})
			s.book(item, noon+3*hour, noon+5*hour, 1)
			s.do(hold.ReleaseHold{ID: late.ID})
			require.False(t, s.orderNow(waits).Conflict(), "the unit is there for whom it was kept")
			s.reopen()
		}
	}
}

// The next window of a line that names an article is the first in which it is granted, with what it pushes.
func TestNextOfALineOfAnArticleCountsMoves(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	s.article(sku.SKU, 1)
	s.article(sku.SKU, 1)
	roams := s.book(sku, noon+10*hour, noon+30*hour, 1).Lines[0].Units[0].ID
	on := base.Item{Article: s.unit(roams).Article}
	s.book(sku, noon+10*hour, noon+20*hour, 1)
	want := base.Span{Start: noon + 20*hour, End: noon + 25*hour}
	lines, _ := s.explained(s.booking(on, noon+15*hour, noon+20*hour, 1))
	require.Equal(t, &want, lines[0].Next)
	next, ok, err := hold.Next(s.view(), hold.NextQuery{Item: on, Location: s.loc, NotBefore: noon + 15*hour,
		Length: 5 * hour, Quantity: 1, Until: noon + 60*hour}, s.now)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, want, next)
	s.book(on, want.Start, want.End, 1)
}

// Where not all units of a line find room, what made room for the first of them is where it was: the refusal speaks of
// the stock as it is.
func TestARefusedLineOfAnArticleMovesNothing(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	s.article(sku.SKU, 1)
	s.article(sku.SKU, 1)
	from, to := noon+10*hour, noon+20*hour
	roams := s.book(sku, from, to, 1).Lines[0].Units[0].ID
	on := base.Item{Article: s.unit(roams).Article}
	lines, _ := s.explained(s.booking(on, from, to, 2))
	require.Equal(t, 1, lines[0].Available)
	require.Equal(t, []base.ID{roams}, lines[0].Blockers)
	require.Equal(t, 1, lines[0].Blocking)
}
