package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the stories of units that are out: early, late, longer than planned, and elsewhere.

// rental asks for an order of a booking, at a price, so that what articles bring in is checked with it.
func (s *shop) rental(status order.OrderStatus, i base.Item, from, to int64, n int) order.CreateOrder {
	return order.CreateOrder{OrderInput: order.OrderInput{Status: status, Pickup: s.loc},
		Lines: []order.OrderLineInput{
			{Item: i, Purchase: base.PurchaseBooking, Quantity: n, From: &from, To: &to, UnitPrice: ptr(int64(999))}}}
}

func (s *shop) rent(i base.Item, from, to int64, n int) *order.OrderRecord {
	s.T.Helper()
	return s.do(s.rental(order.OrderOpen, i, from, to, n)).(*order.OrderRecord)
}

func (s *shop) orderNow(r *order.OrderRecord) *order.OrderRecord {
	s.T.Helper()
	n := order.OrderByID(s.view(), r.ID)
	require.NotNil(s.T, n)
	return n
}

func (s *shop) tick(to int64) {
	s.T.Helper()
	s.now = to
	require.NoError(s.T, s.Tick(s.T.Context()))
}

func TestLateReturn(t *testing.T) {
	s := newShop(t)
	sku := s.sku(fourHours)
	s.article(sku, 1)
	s.article(sku, 1)
	bike := base.Item{SKU: sku}
	end := noon + day
	out := s.rent(bike, noon, end, 1)
	s.do(order.FulfillOrder{ID: out.ID})
	next := s.rent(bike, end+5*hour, end+10*hour, 2) // behind the buffer of the first
	require.False(t, next.Conflict())

	// While it is away its time grows step by step; what it does not meet hears nothing.
	revision := s.orderNow(next).Revision
	s.tick(end + 20*60_000)
	late := s.orderNow(out)
	require.Equal(t, base.Span{Start: noon, End: end + 30*60_000 + 4*hour}, late.Units[0].Range,
		"to the end of the step that runs, and the buffer")
	require.False(t, s.orderNow(next).Conflict())
	require.Equal(t, revision, s.orderNow(next).Revision)
	require.Equal(t, 1, s.available(bike, end, end+30*60_000))

	// Then it meets the next one, which has no other unit.
	s.tick(end + 3*hour)
	require.True(t, s.orderNow(next).Conflict())
	s.reopen()

	// Coming back, it has its buffer, and the next one its unit again where that ends in time.
	s.do(order.ReturnOrder{ID: out.ID, At: ptr(end + 30*60_000)})
	require.False(t, s.orderNow(next).Conflict())
	require.Equal(t, order.OrderClosed, s.orderNow(out).Status)
	require.Equal(t, end+30*60_000+4*hour, s.orderNow(out).Units[0].Range.End)
	s.reopen()
}

// A unit that is handed over early has the buffer behind it that its article has by now. Where that is shorter, who
// waits gets the rest.
func TestHandOverLeavesRoomBehind(t *testing.T) {
	s := newShop(t)
	sku := s.sku(fourHours)
	article := s.article(sku, 1)
	bike := base.Item{SKU: sku}
	first := s.rent(bike, noon+day, noon+2*day, 1)
	none := stock.BufferPatch{Amount: base.Some(int64(0)), Unit: base.Some(timeline.Days)}
	s.do(stock.PatchArticle{ID: article, After: none})
	next := s.rental(order.OrderOpen, bike, noon+2*day, noon+3*day, 1)
	next.AllowOverbooked = true
	waits := s.do(next).(*order.OrderRecord)
	require.True(t, waits.Conflict())
	s.do(order.FulfillOrder{ID: first.ID})
	require.Equal(t, noon+2*day, s.orderNow(first).Units[0].Range.End)
	require.False(t, s.orderNow(waits).Conflict())
	s.reopen()
}

// A hand-over before the planned start that is put down later takes the unit from when it was, where the unit was free
// then. So it counts in what is told of the past, also behind a return that is put down later.
func TestEarlyHandOverPutDownLater(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 1)
	bike := base.Item{Article: article}
	s.tick(noon + 10*hour)
	o := s.rent(bike, noon+2*day, noon+3*day, 1)
	s.do(order.FulfillOrder{ID: o.ID, At: ptr(noon + 4*hour)})
	require.Equal(t, 1, s.available(bike, noon+3*hour, noon+4*hour))
	require.Equal(t, 0, s.available(bike, noon+4*hour, noon+5*hour))
	s.reopen()
	s.do(order.ReturnOrder{ID: o.ID, At: ptr(noon + 6*hour)})
	require.Equal(t, 0, s.available(bike, noon+5*hour, noon+6*hour))
	require.Equal(t, 1, s.available(bike, noon+6*hour, noon+day))

	// Where another was out with the unit, it has no room then.
	other := s.rent(bike, noon+10*hour, noon+12*hour, 1)
	s.do(order.FulfillOrder{ID: other.ID})
	s.tick(noon + 11*hour)
	s.do(order.ReturnOrder{ID: other.ID})
	next := s.rent(bike, noon+2*day, noon+3*day, 1)
	s.do(order.FulfillOrder{ID: next.ID, At: ptr(noon + 5*hour)})
	require.Equal(t, 0, s.available(bike, noon+11*hour, noon+2*day))
	s.reopen()
}

// A late unit that is found out recently, as after a stop, may lie over what is past by then and moves no more. Its
// slot's planned end goes to another one all the same, where that is idle.
func TestLateUnitGivesItsSlotsEndAway(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 2)
	bike := base.Item{Article: article}
	end := noon + 3*hour
	out := s.rent(bike, noon, noon+2*hour, 1)
	s.do(order.FulfillOrder{ID: out.ID})
	slot := func(h base.ID) base.ID {
		u, _ := stock.UnavailabilityByID(s.view(), h)
		return u.Slot
	}
	mine := slot(out.Lines[0].Units[0].Hold)
	other := s.book(bike, noon+2*hour, noon+9*hour, 1)
	behind := s.book(bike, noon+2*hour, end, 1)
	if u := behind.Lines[0].Units[0].ID; slot(u) != mine {
		s.do(hold.MoveHold{ID: behind.ID, Lines: []hold.MoveLine{{Unavailability: u, Slot: &mine}}})
	}
	s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, From: &end})
	ends := func() map[base.ID]int64 {
		by := map[base.ID]int64{}
		for _, no := range []timeline.SlotNo{1, 2} {
			x, _ := s.view().Acc.Stock.Slot(no)
			by[x.ID] = x.Span.End
		}
		return by
	}
	require.Equal(t, end, ends()[mine])
	s.do(hold.ReleaseHold{ID: other.ID})

	s.tick(end + 10*60_000)
	late := s.orderNow(out).Units[0]
	require.Equal(t, end+15*60_000, late.Range.End)
	require.Equal(t, mine, slot(out.Lines[0].Units[0].Hold))
	require.Equal(t, base.Forever, ends()[mine])
	require.Equal(t, 0, s.available(bike, s.now, s.now+hour), "one unit is left, and it is out")
	s.reopen()
}

func TestLateUnitsPushOthersElsewhere(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 2)
	bike := base.Item{SKU: sku}
	out := s.rent(bike, noon, noon+day, 1)
	s.do(order.FulfillOrder{ID: out.ID})
	next := s.rent(bike, noon+day, noon+2*day, 1)
	s.do(order.AssignUnit{Order: next.ID, Unit: next.Lines[0].Units[0].ID, Article: s.orderNow(out).Units[0].Article})
	s.do(order.UnassignUnit{Order: next.ID, Unit: next.Lines[0].Units[0].ID})
	s.tick(noon + day + hour)
	require.False(t, s.orderNow(next).Conflict(), "there is another unit")
	require.Equal(t, 0, s.available(bike, noon+day, noon+day+hour))
	s.do(order.ReturnOrder{ID: out.ID})
	require.Equal(t, 1, s.available(bike, noon+day+hour, noon+2*day))
	s.reopen()
}

func TestEarlyHandOverAndReturn(t *testing.T) {
	s := newShop(t)
	bike := base.Item{Article: s.article(base.ID{}, 1)}
	before := s.rent(bike, noon+2*hour, noon+3*hour, 1)
	o := s.rent(bike, noon+4*hour, noon+day, 1)
	// Before its time it begins now, which what cannot move forbids.
	e := s.refused(base.CodeInsufficient, order.FulfillOrder{ID: o.ID})
	require.Equal(t, []base.ID{before.Lines[0].Units[0].Hold}, e.Details.(base.ShortageDetails).Lines[0].Blockers)
	s.do(order.CancelOrder{ID: before.ID})
	s.do(order.FulfillOrder{ID: o.ID})
	require.Equal(t, noon, s.orderNow(o).Units[0].Range.Start)
	// A return ends it; a hold of no length goes.
	s.now += hour
	s.refused(base.CodeInvalid, order.ReturnOrder{ID: o.ID, At: ptr(noon - 1)})
	s.refused(base.CodeInvalid, order.ReturnOrder{ID: o.ID, At: ptr(s.now + 1)})
	o = s.do(order.ReturnOrder{ID: o.ID, At: ptr(noon)}).(*order.OrderRecord)
	require.Equal(t, []any{order.OrderClosed, order.Returned, base.ID{}},
		[]any{o.Status, o.Fulfillment(), o.Lines[0].Units[0].Hold})
	require.Equal(t, 1, s.available(bike, noon, noon+day))
	s.reopen()
}

func TestExtensions(t *testing.T) {
	s := newShop(t)
	sku := s.sku(fourHours)
	s.article(sku, 2)
	bike := base.Item{SKU: sku}
	o := s.rent(bike, noon, noon+day, 1)
	s.do(order.FulfillOrder{ID: o.ID})
	line := o.Lines[0].ID
	others := s.rent(bike, noon+day+4*hour, noon+2*day, 1)
	full := s.rent(bike, noon+3*day, noon+4*day, 2)

	extended := s.do(order.PatchOrderLine{Order: o.ID, ID: line,
		Fields: base.Changed(order.OrderLineInput{To: new(noon + 2*day), UnitPrice: new(int64(999))}),
	}).(*order.OrderRecord)
	require.Equal(t, noon+2*day, extended.Lines[0].To)
	require.False(t, s.orderNow(others).Conflict(), "what may move makes room")
	e := s.refused(base.CodeInsufficient, order.PatchOrderLine{Order: o.ID, ID: line,
		Fields: base.Changed(order.OrderLineInput{To: new(noon + 3*day + hour), UnitPrice: new(int64(999))})})
	require.Subset(t, []base.ID{full.Lines[0].Units[0].Hold, full.Lines[0].Units[1].Hold},
		e.Details.(base.ShortageDetails).Lines[0].Blockers)
	require.NotEmpty(t, e.Details.(base.ShortageDetails).Lines[0].Blockers)
	require.Equal(t, noon+2*day, s.orderNow(o).Lines[0].To)
	s.refused(base.CodeStateNotAllowed, order.PatchOrderLine{Order: o.ID, ID: line,
		Fields: base.Changed(order.OrderLineInput{From: new(noon + 1)})})
	s.refused(base.CodeStateNotAllowed, order.PatchOrderLine{Order: o.ID, ID: line,
		Fields: base.Changed(order.OrderLineInput{Quantity: 2})})
	s.do(order.PatchOrderLine{Order: o.ID, ID: line,
		Fields: base.Changed(order.OrderLineInput{To: new(noon + day), UnitPrice: new(int64(999))})})
	require.Equal(t, noon+day+4*hour, s.orderNow(o).Units[0].Range.End)
	s.reopen()
}

func TestReturnElsewhere(t *testing.T) {
	s := newShop(t)
	other := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Porto", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
	sku := s.sku(fourHours)
	s.article(sku, 2)
	bike := base.Item{SKU: sku}
	in := s.rental(order.OrderOpen, bike, noon, noon+day, 1)
	in.Return = &other
	o := s.do(in).(*order.OrderRecord)
	s.do(order.FulfillOrder{ID: o.ID})
	s.refused(base.CodeInsufficient, s.rental(order.OrderOpen, bike, noon+2*day, noon+3*day, 2))
	later := s.rent(bike, noon+2*day, noon+3*day, 1)
	s.now = noon + day
	s.do(order.ReturnOrder{ID: o.ID})
	require.False(t, s.orderNow(later).Conflict(), "there is one unit left here")
	there := func(from, to int64) int {
		a, err := hold.Available(s.view(),
			hold.Query{Item: bike, Location: other, Window: base.Span{Start: from, End: to}}, s.now)
		require.NoError(t, err)
		return a.Available
	}
	require.Equal(t, 0, there(noon+day, noon+day+4*hour), "the buffer runs where it is taken")
	require.Equal(t, 1, there(noon+day+4*hour, noon+9*day))
	require.Equal(t, 1, s.available(bike, noon+day, noon+2*day-4*hour))
	s.reopen()
}
