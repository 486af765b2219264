package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns how a unit that is taken is written, wherever it stands.

var (
	intervalTypes        = wire.EnumSchema("sale", "sales-reservation", "buffer", "booking")
	blockerTypes         = wire.EnumSchema("order", "hold", "scheduled-event")
	unavailabilitySchema = describe("Unavailability", (*scribe).writeUnavailability)
)

func (w *scribe) writeUnavailability(u *stock.Unavailability) {
	w.ID("id", u.ID, "The id of the taken unit.")
	w.Range("range", u.Range, "From when until when it is taken, buffers included.")
	w.tenant()
	w.GivenID("articleId", u.Article, "The article that it is a unit of; null while it has none.")
	w.ID("serviceLocationId", u.Location, "The location that it is at.")
	w.GivenID("orderId", ownerOf(u, timeline.BlockerOrder), "The order that takes it; null where something else does.")
	w.GivenID("holdId", ownerOf(u, timeline.BlockerHold), "The hold that takes it; null where something else does.")
	w.As(blockerTypes, "blockerType", blockerType(u.Blocker), "What takes it.")
	w.GivenID("orderStockItemId", u.Item, "The unit of that order; null where something else takes it.")
	w.GivenID("slotId", u.Slot,
		"The slot that it lies in; null for a conflict, and for a unit that is sold and handed over.")
	w.GivenID("scheduledEventId", ownerOf(u, timeline.BlockerScheduledEvent),
		"The event that takes it; null where something else does.")
	w.Created(u.ID)
	w.Bool("requirementsUnmet", u.Unmet,
		"Whether the article has lost what the order's line requires: the unit stays there.")
	w.intervals(u)
}

// ownerOf is the id of what the unit is taken for, if that is of the kind.
func ownerOf(u *stock.Unavailability, is timeline.Blocker) (id base.ID) {
	if u.Blocker == is {
		id = u.Owner
	}
	return id
}

func blockerType(b timeline.Blocker) string {
	switch b {
	case timeline.BlockerOrder:
		return "order"
	case timeline.BlockerScheduledEvent:
		return "scheduled-event"
	}
	return "hold"
}

func bodyType(k timeline.Kind) string {
	switch k {
	case timeline.Sale:
		return "sale"
	case timeline.SalesReservation:
		return "sales-reservation"
	}
	return "booking"
}

var intervalList = wire.ListSchema(describe("UnavailabilityInterval",
	func(w *scribe, u *stock.Unavailability) { w.interval(u, "", u.Body) }))

// interval writes a piece of the time that a unit is taken for.
func (w *scribe) interval(u *stock.Unavailability, kind string, s base.Span) {
	w.As(intervalTypes, "type", kind,
		"What the time is: the booking or sale itself, a reservation for a sale, or a buffer.")
	w.Range("range", s, "From when until when.")
	w.ID("unavailabilityId", u.ID, "The unit that is taken.")
	w.tenant()
}

// intervals writes the pieces: the body, and the buffers that there are.
func (w *scribe) intervals(u *stock.Unavailability) {
	w.Key("intervals", intervalList, "The time in pieces: buffers, and what is between.")
	if !w.Writes() {
		return
	}
	piece := func(kind string, s base.Span) {
		if s.Start < s.End || kind != "buffer" {
			w.Next()
			w.Braces(func() { w.interval(u, kind, s) })
		}
	}
	w.Out = append(w.Out, '[')
	piece("buffer", base.Span{Start: u.Range.Start, End: u.Body.Start})
	piece(bodyType(u.Kind), u.Body)
	piece("buffer", base.Span{Start: u.Body.End, End: u.Range.End})
	w.Out = append(w.Out, ']')
}

// listUnits asks for what is taken of or for a record.
type listUnits struct {
	of     base.ID
	window *window
	page   page
}

func listedUnit(w *scribe, u stock.Unavailability) { w.writeUnavailability(&u) }

// units writes the first of the units that are taken, of which there are total.
func (w *scribe) units(name string, list []stock.Unavailability, total int, about string) {
	wire.First(&w.Writer, name, "Unavailability", list, total, about, w.writeUnavailability)
}
