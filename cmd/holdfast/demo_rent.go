package main

// This file owns what happens at the demo merchant: bookings, carts, repairs, notes, and a unit that is gone.

import (
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// demoHolds is how many bookings the demo has.
const demoHolds = 2000

// rent places bookings from four weeks ago to eight weeks ahead, a few carts that expire, and what keeps units off the
// counter.
func (d *demo) rent() {
	if d.err != nil {
		return
	}
	d.lose()
	for placed, round := 0, 0; placed < demoHolds && round < 5; round++ {
		var wanted []base.Op
		for range demoHolds - placed {
			wanted = append(wanted, d.booking())
		}
		placed += d.try(wanted)
	}
	var events []base.Op
	for i := 0; i < len(d.articles); i += 17 {
		if a := d.articles[i]; a.takes {
			from := d.today + int64(2+d.rnd.IntN(40))*demoDay + 9*timeline.Hour
			events = append(events, stock.CreateScheduledEvent{
				Article: a.id, Location: a.location,
				ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "Repair"},
				Window:               timeline.Span{Start: from, End: from + demoDay},
			})
		}
	}
	for i := 5; i < len(d.articles); i += 31 {
		a := d.articles[i]
		from := d.today + int64(d.rnd.IntN(20))*demoDay + 8*timeline.Hour
		events = append(events, stock.CreateScheduledEvent{
			Article: a.id, Location: a.location,
			ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventNote, Name: "Photographs for the listing",
				Comment: ptr("Any hour of the day will do")},
			Window: timeline.Span{Start: from, End: from + 10*timeline.Hour},
		})
	}
	d.try(events)
}

// booking draws one: of a kit now and then, else of a SKU.
func (d *demo) booking() base.Op {
	if d.rnd.IntN(20) == 0 {
		i := d.rnd.IntN(len(d.kits))
		return d.hold(base.Item{CatalogItem: d.kits[i]}, demoKits[i].shortest, demoKits[i].longest, 1)
	}
	total := 0
	for _, s := range demoSKUs {
		total += s.weight
	}
	pick, i := d.rnd.IntN(total), 0
	for ; pick >= demoSKUs[i].weight; i++ {
		pick -= demoSKUs[i].weight
	}
	s := demoSKUs[i]
	return d.hold(base.Item{SKU: d.skus[s.code]}, s.shortest, s.longest, 1+d.rnd.IntN(min(s.lot, 3)))
}

func (d *demo) hold(item base.Item, shortest, longest, quantity int) hold.PlaceHold {
	from := d.today + int64(d.rnd.IntN(84)-28)*demoDay + int64(7+d.rnd.IntN(12))*timeline.Hour
	length := int64(shortest+d.rnd.IntN(longest-shortest+1)) * timeline.Hour
	op := hold.PlaceHold{
		Lines: []hold.HoldLineInput{{Item: item, Location: draw(d, d.locations),
			Window: timeline.Span{Start: from, End: from + length}, Quantity: quantity}},
		Note: draw(d, d.customers),

		AllowPast: true, // the last four weeks are in it
	}
	if from > d.today+demoDay && d.rnd.IntN(50) == 0 {
		op.ExpiresIn, op.Note = ptr(int64(7200)), "a cart"
	}
	return op
}

// lose takes away a unit that is promised by name: the booking is a conflict from then on.
func (d *demo) lose() {
	a := d.articles[len(d.articles)-len(d.locations)-1] // the last light kit
	from := d.today + 80*demoDay + 9*timeline.Hour
	made[hold.Hold](d, hold.PlaceHold{
		Lines: []hold.HoldLineInput{{Item: base.Item{Article: a.id}, Location: a.location,
			Window: timeline.Span{Start: from, End: from + 2*demoDay}, Quantity: 1}},
		Note: draw(d, d.customers),
	})
	made[stock.QuantityPlan](d, stock.DecreaseQuantity{Article: a.id, Location: a.location, Amount: 1, Force: true})
}
