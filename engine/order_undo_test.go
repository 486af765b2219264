package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the tests of units that nobody fetched, and of steps that are taken back.

// TestFinishAPartlyFetchedOrder cancels the unit that nobody fetched: the order closes with what came back, and costs
// that much less.
func TestFinishAPartlyFetchedOrder(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 2)
	from, to, price := s.now, s.now+day, int64(700)
	r := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc},
		Lines: []order.OrderLineInput{
			{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 2, From: &from, To: &to,
				UnitPrice: &price},
		}}).(*order.OrderRecord)
	one, two := r.Lines[0].Units[0].ID, r.Lines[0].Units[1].ID
	s.do(order.FulfillOrder{ID: r.ID, Units: []base.ID{one}})
	s.now += hour
	s.refused(base.CodeStateNotAllowed, order.CancelUnit{Order: r.ID, Unit: one})
	r = s.do(order.CancelUnit{Order: r.ID, Unit: two}).(*order.OrderRecord)
	total, _ := r.Price()
	require.EqualValues(t, 700, total.Total)
	require.Equal(t, 1, s.available(base.Item{SKU: sku}, s.now, to))
	s.now += hour
	r = s.do(order.ReturnOrder{ID: r.ID}).(*order.OrderRecord)
	require.Equal(t, order.OrderClosed, r.Status)
	require.Equal(t, order.Returned, r.Fulfillment())
	s.reopen()
}

// TestUnitsOfAKitSayWhatTheyAre names the component of each unit: in a draft, with stock and without.
func TestUnitsOfAKitSayWhatTheyAre(t *testing.T) {
	s := newShop(t)
	body, lone := s.sku(), s.article(base.ID{}, 1)
	s.article(body, 1)
	kit := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "Film kit",
		Components: []commerce.Component{{Item: base.Item{SKU: body}, Quantity: 1},
			{Item: base.Item{Article: lone}, Quantity: 1}}}}).(*commerce.CatalogItem).ID
	s.now += hour
	l := order.OrderLineInput{Item: base.Item{CatalogItem: kit}, Purchase: base.PurchaseBooking, Quantity: 1,
		From: ptr(s.now + hour), To: ptr(s.now + day)}
	told := func(r *order.OrderRecord) {
		require.Equal(t, []any{base.Item{SKU: body}, "Bike", base.Item{Article: lone}, "Unit"},
			[]any{r.Units[0].Ordered, r.Units[0].OrderedName, r.Units[1].Ordered, r.Units[1].OrderedName})
	}
	draft := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc},
		Lines: []order.OrderLineInput{l}}).(*order.OrderRecord)
	told(draft)
	told(s.do(order.ConfirmOrder{ID: draft.ID}).(*order.OrderRecord))
	s.now += hour / 2
	short := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc,
		AllowOverbooked: true}, Lines: []order.OrderLineInput{l}}).(*order.OrderRecord)
	require.True(t, short.Conflict())
	told(short)
}

// TestCancelAKitsUnits charges for as few kits as what is left of each component is of.
func TestCancelAKitsUnits(t *testing.T) {
	l := order.OrderLine{Quantity: 3}
	for range 3 {
		l.Units = append(l.Units, order.OrderUnit{Part: 0}, order.OrderUnit{Part: 1}, order.OrderUnit{Part: 1})
	}
	charged := func(cancelled ...int) int {
		for i := range l.Units {
			l.Units[i].State = order.Pending
		}
		for _, i := range cancelled {
			l.Units[i].State = order.Cancelled
		}
		l.Waive()
		return l.Charged()
	}
	require.Equal(t, 3, charged())
	require.Equal(t, 3, charged(0), "the other component is of three kits still")
	require.Equal(t, 3, charged(0, 1))
	require.Equal(t, 2, charged(0, 1, 2))
	require.Equal(t, 0, charged(0, 1, 2, 3, 4, 5, 6, 7, 8))
}

// TestUndoSteps takes each step of a unit back, the last one first.
func TestUndoSteps(t *testing.T) {
	s := newShop(t)
	sku := s.sku(fourHours)
	s.article(sku, 1)
	from, to := s.now+6*hour, s.now+day
	r := s.order(base.Item{SKU: sku}, base.PurchaseBooking, from, &to, 1, false)
	unit := []base.ID{r.Lines[0].Units[0].ID}
	planned := r.Units[0]
	s.refused(base.CodeStateNotAllowed, order.UndoOrder{ID: r.ID, Units: unit})
	s.do(order.PrepareOrder{ID: r.ID})
	s.do(order.FulfillOrder{ID: r.ID})
	s.now += hour
	s.do(order.ReturnOrder{ID: r.ID})
	require.Equal(t, order.OrderClosed, s.orderNow(r).Status)
	s.now += hour
	require.Equal(t, 1, s.available(base.Item{SKU: sku}, s.now+4*hour, to))
	o := s.do(order.UndoOrder{ID: r.ID, Units: unit}).(*order.OrderRecord)
	require.Equal(t, []any{order.OrderActive, order.Fulfilled, to + 4*hour},
		[]any{o.Status, o.Lines[0].Units[0].State, o.Units[0].Range.End})
	require.Equal(t, 0, s.available(base.Item{SKU: sku}, s.now+4*hour, to))
	s.reopen()
	o = s.do(order.UndoOrder{ID: r.ID, Units: unit}).(*order.OrderRecord)
	require.Equal(t, []any{order.OrderOpen, order.Prepared, planned},
		[]any{o.Status, o.Lines[0].Units[0].State, o.Units[0]})
	o = s.do(order.UndoOrder{ID: r.ID, Units: unit}).(*order.OrderRecord)
	require.Equal(t, order.Pending, o.Lines[0].Units[0].State)
	s.reopen()
}

// TestUndoWhereTheStockHasGoneOn refuses to take a return back where what may not move has the unit by now.
func TestUndoWhereTheStockHasGoneOn(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 1)
	r := s.order(base.Item{SKU: sku}, base.PurchaseBooking, s.now, ptr(s.now+day), 1, false)
	s.do(order.FulfillOrder{ID: r.ID})
	s.now += hour
	s.do(order.ReturnOrder{ID: r.ID})
	s.now += hour
	next := s.order(base.Item{SKU: sku}, base.PurchaseBooking, s.now, ptr(s.now+hour), 1, false)
	s.do(order.FulfillOrder{ID: next.ID})
	e := s.refused(base.CodeQuantityBlocked, order.UndoOrder{ID: r.ID, Units: []base.ID{r.Lines[0].Units[0].ID}})
	require.Equal(t, next.Lines[0].Units[0].Hold, e.Details.(stock.QuantityDetails).Plan.Blockers[0].ID)
}

// TestUndoWhereSomebodyWaits refuses to take a return back whose room somebody is counted for who waits.
func TestUndoWhereSomebodyWaits(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 1)
	r := s.order(base.Item{SKU: sku}, base.PurchaseBooking, s.now, ptr(s.now+2*day), 1, false)
	s.do(order.FulfillOrder{ID: r.ID})
	s.now += hour
	s.do(order.ReturnOrder{ID: r.ID})
	waits := s.order(base.Item{SKU: sku}, base.PurchaseBooking, s.now+day, ptr(s.now+3*day), 2, true)
	e := s.refused(base.CodeQuantityBlocked, order.UndoOrder{ID: r.ID, Units: []base.ID{r.Lines[0].Units[0].ID}})
	require.NotEmpty(t, e.Details.(stock.QuantityDetails).Plan.Blockers)
	s.do(order.CancelOrder{ID: waits.ID})
	s.do(order.UndoOrder{ID: r.ID, Units: []base.ID{r.Lines[0].Units[0].ID}})
	s.reopen()
}

// TestUndoOfWhatIsOver takes a hand-over back whose line was to end before the unit had its slot: what is past needs no
// room, whoever was counted for it then.
func TestUndoOfWhatIsOver(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	s.article(sku.SKU, 1)
	start := s.now
	first := s.rent(sku, start, start+9*hour, 1)
	late := s.rental(order.OrderOpen, sku, start, start+8*hour, 1)
	late.AllowOverbooked = true
	r := s.do(late).(*order.OrderRecord)
	s.now = start + 2*hour
	s.do(order.CancelOrder{ID: first.ID})
	s.do(order.FulfillOrder{ID: r.ID})
	s.do(order.PatchOrderLine{Order: r.ID, ID: r.Lines[0].ID, AllowOverbooked: true,
		Fields: base.Changed(order.OrderLineInput{To: new(start + hour), UnitPrice: new(int64(100))})})
	late.Lines[0].To = ptr(start + 7*hour)
	waits := s.do(late).(*order.OrderRecord)
	require.True(t, s.orderNow(waits).Conflict())
	s.do(order.UndoOrder{ID: r.ID, Units: []base.ID{r.Lines[0].Units[0].ID}})
	require.False(t, s.orderNow(waits).Conflict())
	s.reopen()
}

// TestUndoASale gives the slot back that a sale took away, as often as that is wanted.
func TestUndoASale(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 2)
	r := s.order(base.Item{SKU: sku}, base.PurchaseSale, s.now, nil, 1, false)
	unit := []base.ID{r.Lines[0].Units[0].ID}
	for range 2 {
		s.now += hour
		s.do(order.FulfillOrder{ID: r.ID})
		s.now += hour
		o := s.do(order.UndoOrder{ID: r.ID, Units: unit}).(*order.OrderRecord)
		require.Equal(t, order.OrderOpen, o.Status)
		u := s.unit(r.Lines[0].Units[0].Hold)
		require.Equal(t, []any{article, timeline.SalesReservation, false}, []any{u.Article, u.Kind, u.Conflict()})
		require.Equal(t, 1, s.available(base.Item{SKU: sku}, s.now, s.now+day))
		s.reopen()
	}
	s.do(order.CancelOrder{ID: r.ID})
	require.Equal(t, 2, s.available(base.Item{SKU: sku}, s.now, s.now+day))
}

// The unit of a sale that is taken back is free until the sale begins: who waits for it until then gets it.
func TestUndoOfASaleSeatsWhoWaits(t *testing.T) {
	s := newShop(t)
	article := base.Item{Article: s.article(base.ID{}, 1)}
	sale := s.order(article, base.PurchaseSale, s.now+10*hour, nil, 1, false)
	s.now += hour
	s.do(order.FulfillOrder{ID: sale.ID})
	waits := s.order(article, base.PurchaseBooking, s.now+2*hour, ptr(s.now+4*hour), 1, true)
	require.True(t, waits.Conflict())

	s.do(order.UndoOrder{ID: sale.ID, Units: []base.ID{sale.Lines[0].Units[0].ID}})
	require.False(t, s.unit(waits.Lines[0].Units[0].Hold).Conflict())
	s.reopen()
}

// A refusal says all that can be done with the unit or the order instead.
func TestWhatIsAllowedInsteadOfAnUndo(t *testing.T) {
	s := newShop(t)
	o := s.order(base.Item{Article: s.article(base.ID{}, 1)}, base.PurchaseBooking, s.now, ptr(s.now+day), 1, false)
	units := []base.ID{o.Lines[0].Units[0].ID}
	said := func(op base.Op, state string, allowed ...string) {
		t.Helper()
		require.Equal(t, base.StateDetails{State: state, Allowed: allowed},
			s.refused(base.CodeStateNotAllowed, op).Details)
	}
	said(order.UndoOrder{ID: o.ID, Units: units}, "pending", "prepare", "fulfill", "assignStockItem",
		"unassignStockItem", "cancelStockItem")
	s.do(order.PrepareOrder{ID: o.ID})
	s.do(order.UndoOrder{ID: o.ID, Units: units})
	s.do(order.FulfillOrder{ID: o.ID})
	s.do(order.ReturnOrder{ID: o.ID})
	s.do(order.ArchiveOrder{ID: o.ID, Archive: true})
	said(order.UndoOrder{ID: o.ID, Units: units}, "archived", "readyStockItem", "archive", "unarchive", "delete",
		"update")
}
