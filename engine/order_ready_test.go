package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
)

// This file owns the tests of units that are ready before their buffer ends.

// lateBike is a SKU of one unit with a buffer of four hours, that comes back two hours late while somebody waits for
// it.
func lateBike(t *testing.T) (s *shop, sku base.ID, anna, dora *order.OrderRecord) {
	s = newShop(t)
	sku = s.sku(fourHours)
	s.article(sku, 1)
	anna = s.order(base.Item{SKU: sku}, base.PurchaseBooking, s.now, ptr(s.now+4*hour), 1, false)
	dora = s.order(base.Item{SKU: sku}, base.PurchaseBooking, s.now+8*hour, ptr(s.now+20*hour), 1, false)
	s.do(order.FulfillOrder{ID: anna.ID})
	s.now += 6 * hour
	require.NoError(t, s.Tick(t.Context()))
	s.do(order.ReturnOrder{ID: anna.ID})
	return s, sku, anna, dora
}

// TestReadyEndsTheBuffer seats whoever waits for a unit as soon as it is ready.
func TestReadyEndsTheBuffer(t *testing.T) {
	s, sku, anna, dora := lateBike(t)
	require.True(t, s.orderNow(dora).Conflict())
	s.refused(base.CodeStateNotAllowed, order.ReadyUnit{Order: dora.ID, Unit: dora.Lines[0].Units[0].ID})
	s.now += hour
	back := anna.Lines[0].Units[0]
	s.refused(base.CodeNotFound, order.ReadyUnit{Order: anna.ID, Unit: anna.ID})
	r := s.do(order.ReadyUnit{Order: anna.ID, Unit: back.ID}).(*order.OrderRecord)
	require.Equal(t, s.now, r.Units[0].Range.End)
	require.False(t, s.orderNow(dora).Conflict(), "the freed time is seen at once")
	require.Equal(t, 0, s.available(base.Item{SKU: sku}, s.now, s.now+day))
	seq, _ := s.State()
	s.now += hour
	s.do(order.ReadyUnit{Order: anna.ID, Unit: back.ID})
	again, _ := s.State()
	require.Equal(t, seq, again, "what is ready is ready")
	s.do(order.FulfillOrder{ID: dora.ID})
	s.reopen()
}

// TestFulfillWhatIsReady hands a unit over whose buffer would have lasted, where the hand-over says that it is ready.
func TestFulfillWhatIsReady(t *testing.T) {
	s := newShop(t)
	sku := s.sku(fourHours)
	s.article(sku, 1)
	anna := s.order(base.Item{SKU: sku}, base.PurchaseBooking, s.now, ptr(s.now+4*hour), 1, false)
	dora := s.order(base.Item{SKU: sku}, base.PurchaseBooking, s.now+8*hour, ptr(s.now+20*hour), 1, false)
	s.do(order.FulfillOrder{ID: anna.ID})
	s.now += 4 * hour
	s.do(order.ReturnOrder{ID: anna.ID})
	s.now += hour
	s.refused(base.CodeInsufficient, order.FulfillOrder{ID: dora.ID})
	r := s.do(order.FulfillOrder{ID: dora.ID, Ready: true}).(*order.OrderRecord)
	require.Equal(t, s.now, r.Units[0].Range.Start)
	require.Equal(t, s.now, s.orderNow(anna).Units[0].Range.End)
	s.reopen()
}

// All units of a hand-over may be ready before their buffers end.
func TestFulfillSeveralThatAreReady(t *testing.T) {
	s := newShop(t)
	sku := s.sku(fourHours)
	s.article(sku, 2)
	anna := s.order(base.Item{SKU: sku}, base.PurchaseBooking, s.now, ptr(s.now+4*hour), 2, false)
	dora := s.order(base.Item{SKU: sku}, base.PurchaseBooking, s.now+8*hour, ptr(s.now+20*hour), 2, false)
	s.do(order.FulfillOrder{ID: anna.ID})
	s.now += 4 * hour
	s.do(order.ReturnOrder{ID: anna.ID})
	s.now += hour
	s.do(order.FulfillOrder{ID: dora.ID, Ready: true})
	for i := range 2 {
		require.Equal(t, s.now, s.orderNow(anna).Units[i].Range.End)
		require.Equal(t, s.now, s.orderNow(dora).Units[i].Range.Start)
	}
	s.reopen()
}

// Units that are handed over together may change units with each other and with others. What is ready is what they were
// on.
func TestFulfillWhatIsReadyIsWhatLiesThere(t *testing.T) {
	s := newShop(t)
	sku := s.sku(fourHours)
	s.article(sku, 3)
	begin := s.now
	held := func(from, to int64) *hold.Hold {
		return s.do(hold.PlaceHold{
			Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sku}, Location: s.loc,
				Window: base.Span{Start: begin + from*hour, End: begin + to*hour}, Quantity: 1}}}).(*hold.Hold)
	}
	anna := s.order(base.Item{SKU: sku}, base.PurchaseBooking, begin, ptr(begin+4*hour), 1, false)
	beside := held(9, 41) // keeps the others off Anna's unit
	other := held(10, 14)
	team := s.order(base.Item{SKU: sku}, base.PurchaseBooking, begin+20*hour, ptr(begin+40*hour), 2, false)
	s.do(hold.ReleaseHold{ID: beside.ID})
	slot := func(id base.ID) base.ID { return s.unit(id).Slot }
	require.Equal(t, slot(other.Lines[0].Units[0].ID), slot(team.Lines[0].Units[0].Hold), "it has to move")
	require.NotEqual(t, slot(anna.Lines[0].Units[0].Hold), slot(team.Lines[0].Units[1].Hold))
	s.do(order.FulfillOrder{ID: anna.ID})
	s.now = begin + 4*hour
	s.do(order.ReturnOrder{ID: anna.ID})
	s.now = begin + 5*hour
	s.do(order.FulfillOrder{ID: team.ID, Ready: true})
	require.Equal(t, begin+8*hour, s.orderNow(anna).Units[0].Range.End, "nobody said that Anna's bicycle is ready")
	s.reopen()
}
