package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the stories of bookings without end: made, held first, given an end or none, out, back, and what they
// cost.

// A booking without end keeps its unit for ever, with the buffer before it and none behind it, until it comes back.
func TestBookingWithoutEnd(t *testing.T) {
	s := newShop(t)
	sku := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}, Before: &fourHours,
		After: &fourHours}).(*stock.SKU).ID
	article := s.article(sku, 2)
	bike := base.Item{SKU: sku}
	from := s.now + day
	o := s.order(bike, base.PurchaseBooking, from, nil, 1, false)
	require.Equal(t, base.Span{Start: from - 4*hour, End: base.Forever}, o.Units[0].Range)
	require.Equal(t, base.Span{Start: from, End: base.Forever}, o.Lines[0].Span())
	require.Equal(t, 1, s.available(bike, from, base.Forever))
	require.Equal(t, 1, s.available(bike, from+999*day, from+1000*day))
	require.Equal(t, 2, s.available(bike, s.now, from-8*hour))
	toSell := func() []stock.Step {
		var x stock.ArticleStock
		require.NoError(t,
			stock.FillArticleStock(s.view(), &x, article, base.ID{}, base.Span{Start: s.now, End: from + 9*day}, s.now))
		return x.ToSell
	}
	whole := base.Span{Start: s.now, End: from + 9*day}
	require.Equal(t, []stock.Step{{Range: whole, Value: 1}}, toSell(), "of two units one can be sold for good")
	s.reopen()

	// What has no end is in the way of all that is later; overbooked it is a conflict, which has its turn as the first
	// comes back.
	s.order(bike, base.PurchaseBooking, from+10*day, nil, 1, false)
	require.Equal(t, []stock.Step{{Range: whole, Value: 0}}, toSell())
	s.refused(base.CodeInsufficient, s.rental(order.OrderOpen, bike, from+20*day, from+21*day, 1))
	short := s.order(bike, base.PurchaseBooking, from+20*day, nil, 1, true)
	require.True(t, short.Conflict())

	// It is handed over before its time, and nobody waits for it ever after.
	out := s.do(order.FulfillOrder{ID: o.ID}).(*order.OrderRecord)
	require.Equal(t, base.Span{Start: out.Lines[0].Units[0].Handed, End: base.Forever}, out.Units[0].Range)
	require.Less(t, out.Units[0].Range.Start, from-4*hour)
	s.tick(from + 5*day)
	require.Equal(t, out.Units, s.orderNow(o).Units)
	s.reopen()

	// A return ends it as it does any other: its buffer begins there, and the rest is free.
	r := s.do(order.ReturnOrder{ID: o.ID}).(*order.OrderRecord)
	require.Equal(t, order.OrderClosed, r.Status)
	require.Equal(t, s.now+4*hour, r.Units[0].Range.End)
	require.Equal(t, s.now, r.Lines[0].ReturnedAt())
	require.Equal(t, base.Forever, r.Lines[0].To)
	require.False(t, s.orderNow(short).Conflict())
	s.reopen()
	s.do(order.CancelOrder{ID: short.ID})
	require.Equal(t, 1, s.available(bike, from+20*day, base.Forever))
	s.reopen()
}

// Of a draft, and of a kit, too.
func TestDraftOfABookingWithoutEnd(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 1)
	kit := s.kit(commerce.Component{Item: base.Item{Article: s.article(base.ID{}, 2)}, Quantity: 2},
		commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1})
	line := order.OrderLineInput{Item: kit, Purchase: base.PurchaseBooking, Quantity: 1, From: &s.now}
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc},
		Lines: []order.OrderLineInput{line}}).(*order.OrderRecord)
	require.Equal(t, 1, s.available(kit, s.now, base.Forever))
	o = s.do(order.ConfirmOrder{ID: o.ID}).(*order.OrderRecord)
	require.Len(t, o.Units, 3)
	require.Zero(t, s.available(kit, s.now+99*day, s.now+100*day))
	s.reopen()
	s.do(order.DeleteOrder{ID: o.ID})
	require.Equal(t, 1, s.available(kit, s.now, base.Forever))
}

// An end is given and taken away, while the unit waits and while it is out.
func TestEndOfABookingGivenAndTaken(t *testing.T) {
	s := newShop(t)
	sku := s.sku(fourHours)
	s.article(sku, 1)
	bike := base.Item{SKU: sku}
	o := s.order(bike, base.PurchaseBooking, s.now, nil, 1, false)
	patch := func(to base.Changes[order.OrderLineInput]) order.PatchOrderLine {
		return order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, Fields: to}
	}
	at := func(end int64) base.Changes[order.OrderLineInput] {
		return base.Changed(order.OrderLineInput{To: &end})
	}
	open := base.Changed(order.OrderLineInput{}, "endDate")
	end := func(to base.Changes[order.OrderLineInput]) int64 {
		return s.do(patch(to)).(*order.OrderRecord).Units[0].Range.End
	}
	for _, step := range []func(){func() {}, func() { s.do(order.FulfillOrder{ID: o.ID}) }} {
		step()
		require.Equal(t, s.now+day+4*hour, end(at(s.now+day)))
		next := s.order(bike, base.PurchaseBooking, s.now+2*day, ptr(s.now+3*day), 1, false)
		s.refused(base.CodeInsufficient, patch(open))
		s.do(order.CancelOrder{ID: next.ID})
		require.Equal(t, base.Forever, end(open))
		s.reopen()
	}

	// An end that is past while the unit is out is one that it is late for.
	s.tick(s.now + day)
	require.Equal(t, s.now+15*60_000+4*hour, end(at(s.now)))
	s.tick(s.now + hour)
	require.Equal(t, s.now+15*60_000+4*hour, s.orderNow(o).Units[0].Range.End)
	s.reopen()
}

// What was held without end is ordered as it is held, also where units were moved apart.
func TestOrderOfAHoldWithoutEnd(t *testing.T) {
	s := newShop(t)
	item := base.Item{Article: s.article(base.ID{}, 2)}
	h := s.book(item, s.now+day, base.Forever, 2)
	s.do(hold.MoveHold{ID: h.ID,
		Lines: []hold.MoveLine{{Unavailability: h.Lines[0].Units[0].ID, To: ptr(s.now + 2*day)}}})
	o := s.do(order.OrderHold{Holds: []base.ID{h.ID}}).(*order.OrderRecord)
	require.Len(t, o.Lines, 2)
	for i, want := range []base.Span{{Start: s.now + day, End: s.now + 2*day},
		{Start: s.now + day, End: base.Forever}} {
		require.Equal(t, want, o.Lines[i].Span())
		require.Equal(t, want, o.Units[i].Range)
	}
	s.reopen()
	require.Equal(t, s.now+3*day,
		s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[1].ID,
			Fields: base.Changed(order.OrderLineInput{To: new(s.now + 3*day)})}).(*order.OrderRecord).
			Units[1].Range.End)
	s.reopen()
}

// A row that is for a length of time asks for one of them until there is an end, and for all that the line takes from
// then on.
func TestPriceOfABookingWithoutEnd(t *testing.T) {
	s := newShop(t)
	table := s.do(commerce.CreatePricingTable{
		PricingTableFields: commerce.PricingTableFields{Name: "Prices"}}).(*commerce.PricingTable).ID
	row := func(duration *commerce.Period) *base.ID {
		return &s.do(commerce.CreatePricingRow{Table: table,
			PricingRowFields: commerce.PricingRowFields{Label: "x", Purchase: base.PurchaseBooking, Price: 100},
			Duration:         duration}).(*commerce.PricingRow).ID
	}
	own := int64(7)
	for name, c := range map[string]struct {
		row        *base.ID
		own        *int64
		open, ends int64 // price without end, and of three days and an hour
	}{
		"by the day":    {row(&commerce.Period{Amount: 1, Unit: timeline.Days}), nil, 100, 400},
		"as a whole":    {row(nil), nil, 100, 100},
		"its own price": {nil, &own, 7, 7},
		"neither":       {nil, nil, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, status := range []order.OrderStatus{order.OrderDraft, order.OrderOpen} {
				o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc, Status: status},
					Lines: []order.OrderLineInput{
						{Item: base.Item{Article: s.article(base.ID{}, 2)}, Purchase: base.PurchaseBooking, Quantity: 2,
							From: &s.now, PricingRow: c.row, UnitPrice: c.own},
					}}).(*order.OrderRecord)
				price := func(o *order.OrderRecord) []int64 {
					total, ok := o.Price()
					require.True(t, ok)
					return []int64{o.Lines[0].UnitPrice, total.Total}
				}
				require.Equal(t, []int64{c.open, 2 * c.open}, price(o))
				patch := order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
					Fields: base.Changed(order.OrderLineInput{To: new(s.now + 3*day + hour)})}
				if c.own != nil {
					patch.Fields = base.Changed(order.OrderLineInput{To: patch.Fields.To.To, UnitPrice: &own})
				}
				require.Equal(t, []int64{c.ends, 2 * c.ends}, price(s.do(patch).(*order.OrderRecord)))
				patch.Fields = base.Changed(order.OrderLineInput{UnitPrice: patch.Fields.To.UnitPrice}, "endDate")
				require.Equal(t, []int64{c.open, 2 * c.open}, price(s.do(patch).(*order.OrderRecord)))
				if status == order.OrderOpen { // a return changes no price
					s.do(order.FulfillOrder{ID: o.ID})
					require.Equal(t, []int64{c.open, 2 * c.open},
						price(s.do(order.ReturnOrder{ID: o.ID}).(*order.OrderRecord)))
				}
			}
		})
	}
	s.reopen()
}
