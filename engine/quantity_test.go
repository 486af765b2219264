package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns planned changes of quantity: that they add up, and how they are called off.

// stocked is a shop with a second location.
type stocked struct {
	*shop
	there base.ID
}

func newStocked(t *testing.T) stocked {
	s := newShop(t)
	return stocked{s,
		s.do(stock.CreateLocation{
			LocationFields: stock.LocationFields{Name: "There", Timezone: "Europe/Helsinki"}}).(*stock.Location).ID}
}

// units is how many units an article has at a location at some instants.
func (s stocked) units(article, location base.ID, at ...int64) (list []int) {
	a := s.view().Acc
	for _, t := range at {
		lot, n := stock.ArticleTable(a).Get(article).LotAt(stock.LocationTable(a).Get(location).No), 0
		if lot != nil {
			n = a.Stock.CountAt(timeline.LotRef(lot.No), t).Stock
		}
		list = append(list, n)
	}
	return list
}

// A unit that is planned to go somewhere is not brought forward by another transfer: it would come twice and leave
// once.
func TestPlannedTransfersTakeNoUnitTwice(t *testing.T) {
	s := newStocked(t)
	article := s.article(base.ID{}, 1)
	move := func(from, to base.ID, at int64) stock.TransferQuantity {
		return stock.TransferQuantity{Article: article, From: from, To: to, Amount: 1, At: &at}
	}
	s.do(move(s.loc, s.there, noon+20*day))
	e := s.refused(base.CodeQuantityBlocked, move(s.loc, s.there, noon+15*day))
	plan := e.Details.(stock.QuantityDetails).Plan
	require.Equal(t, "not_enough_stock", plan.Reason)
	require.Nil(t, plan.PossibleFrom)
	require.Equal(t, []int{0, 1, 1}, s.units(article, s.there, noon+19*day, noon+20*day, noon+26*day))

	s.do(move(s.there, s.loc, noon+20*day)) // calls it off
	require.Equal(t, []int{1, 1}, s.units(article, s.loc, noon, noon+25*day))
	require.Equal(t, []int{0, 0}, s.units(article, s.there, noon, noon+25*day))
	require.Len(t, s.view().Acc.Stock.Slots(stock.ArticleTable(s.view().Acc).Get(article).LotAt(1).No), 1,
		"the unit is the one it was")
	s.book(base.Item{Article: article}, noon+19*day, noon+21*day, 1)
	s.refused(base.CodeQuantityBlocked, move(s.loc, s.there, noon+15*day))
	s.do(move(s.loc, s.there, noon+21*day))
	require.Equal(t, []int{1, 0}, s.units(article, s.loc, noon, noon+21*day))
	s.reopen()
}

// Two planned decreases are two, in whichever order they are entered.
func TestPlannedDecreasesAddUp(t *testing.T) {
	s := newStocked(t)
	for _, days := range [][]int64{{10, 20}, {20, 10}, {10, 10}, {0, 10}, {10, 0}} {
		article := s.article(base.ID{}, 3)
		want := []int{3, 3, 3}
		for _, d := range days {
			at := noon + d*day
			s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, From: &at})
			for i, seen := range []int64{5, 15, 25} {
				if d <= seen {
					want[i]--
				}
			}
		}
		require.Equal(t, want, s.units(article, s.loc, noon+5*day, noon+15*day, noon+25*day), days)
	}
}

// What comes later does not stand in for what is to go before: the refusal says from when on it does, and from then on
// it does.
func TestDecreaseSaysFromWhenOnItIsPossible(t *testing.T) {
	s := newStocked(t)
	article := s.article(base.ID{}, 1)
	comes := noon + 10*day
	s.do(stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: 2, From: &comes})
	two := stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 2, Force: true}
	plan := s.refused(base.CodeQuantityBlocked, two).Details.(stock.QuantityDetails).Plan
	require.Equal(t, "not_enough_stock", plan.Reason)
	require.Equal(t, &comes, plan.PossibleFrom)
	require.Empty(t, plan.Removed)
	preview, err := stock.PlanQuantity(s.view(), article, s.loc, 2, nil, s.now)
	require.NoError(t, err)
	require.Equal(t, plan, preview)
	two.From = plan.PossibleFrom
	s.do(two) // and calls off what was to come
	require.Equal(t, []int{1, 1, 1}, s.units(article, s.loc, noon, comes, comes+day))
	require.Len(t, s.view().Acc.Stock.Slots(stock.ArticleTable(s.view().Acc).Get(article).LotAt(1).No), 1)
}

// An increase at the instant of a planned decrease calls it off: the unit goes on, and what is held across the instant
// fits on it.
func TestIncreaseCallsOffADecrease(t *testing.T) {
	s := newStocked(t)
	article := s.article(base.ID{}, 1)
	goes := noon + 10*day
	s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, From: &goes})
	s.refused(base.CodeInsufficient, s.booking(base.Item{Article: article}, goes-day, goes+day, 1))
	s.do(stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: 2, From: &goes})
	require.Equal(t, []int{1, 2, 2}, s.units(article, s.loc, noon, goes, goes+day))
	require.Equal(t, 1, s.available(base.Item{Article: article}, goes-day, goes+day))
	s.book(base.Item{Article: article}, goes-day, goes+day, 1)
	s.reopen()
}

// An article that is out gives none of its conflicts a unit, whatever comes to it or comes free there.
func TestWhatIsOutSeatsNoConflict(t *testing.T) {
	for name, out := range map[string]func(base.ID) base.Op{
		"inactive": func(id base.ID) base.Op {
			return stock.PatchArticle{ID: id, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
				Force: true}
		},
		"archived": func(id base.ID) base.Op { return stock.ArchiveArticle{ID: id, Archived: true, Force: true} },
	} {
		s := newStocked(t)
		article := s.article(base.ID{}, 2)
		s.do(stock.IncreaseQuantity{Article: article, Location: s.there, Amount: 1})
		h := s.book(base.Item{Article: article}, noon+day, noon+2*day, 1)
		repair := s.do(stock.CreateScheduledEvent{Article: article, Location: s.loc,
			ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "repair"},
			Window:               base.Span{Start: noon + day, End: noon + 3*day}}).(*stock.ScheduledEvent)
		s.do(out(article))
		conflict := func() bool {
			u, ok := stock.UnavailabilityByID(s.view(), h.Lines[0].Units[0].ID)
			require.True(t, ok)
			return u.Conflict()
		}
		require.True(t, conflict(), name)
		s.do(stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: 1})
		require.True(t, conflict(), name)
		s.do(stock.TransferQuantity{Article: article, From: s.there, To: s.loc, Amount: 1})
		require.True(t, conflict(), name)
		s.do(stock.DeleteScheduledEvent{Article: article, ID: repair.ID})
		require.True(t, conflict(), name)
		if name == "inactive" {
			s.do(stock.PatchArticle{ID: article,
				Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleActive})})
		} else {
			s.do(stock.ArchiveArticle{ID: article})
		}
		require.False(t, conflict(), "in again, it has units for them")
		s.reopen()
	}
}

// Nor does it give one to a unit of an order that is released from it.
func TestWhatIsOutSeatsNoUnassignedUnit(t *testing.T) {
	s := newShop(t)
	article := s.article(s.sku(), 2)
	o := s.order(base.Item{Article: article}, base.PurchaseBooking, noon+day, ptr(noon+2*day), 1, false)
	u := o.Lines[0].Units[0]
	s.do(order.AssignUnit{Order: o.ID, Unit: u.ID, Article: article})
	s.do(stock.PatchArticle{ID: article, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
		Force: true})
	s.do(order.UnassignUnit{Order: o.ID, Unit: u.ID})
	h, ok := stock.UnavailabilityByID(s.view(), u.Hold)
	require.True(t, ok)
	require.True(t, h.Conflict())
}

// Nor to one of a subscription that is given an end.
func TestWhatIsOutSeatsNoCancelledSubscription(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	o := s.order(base.Item{SKU: sku}, base.PurchaseSubscription, noon+day, nil, 1, false)
	s.do(stock.PatchArticle{ID: article, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
		Force: true})
	s.do(order.CancelSubscription{ID: o.Lines[0].Subscription.ID, AtEnd: true})
	h, ok := stock.UnavailabilityByID(s.view(), o.Lines[0].Units[0].Hold)
	require.True(t, ok)
	require.True(t, h.Conflict())
}
