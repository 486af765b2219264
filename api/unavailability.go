package api

import (
	"holdfast/engine"
	"holdfast/timeline"
)

// This file owns how a unit that is taken is written, wherever it stands.

var (
	intervalTypes  = []string{"sale", "sales-reservation", "buffer", "booking"}
	intervalSchema = recordSchema("UnavailabilityInterval",
		has("type", enumSchema(intervalTypes...).says("What the time is: the booking or sale itself, a reservation for a sale, or a buffer.")),
		has("range", rangeSchema.says("From when until when.")),
		has("unavailabilityId", idSchema.says("The unit that is taken.")),
		has("tenantId", accountIDSchema))
	unavailabilitySchema = recordSchema("Unavailability",
		has("id", idSchema.says("The id of the taken unit.")),
		has("range", rangeSchema.says("From when until when it is taken, buffers included.")),
		has("tenantId", accountIDSchema),
		has("articleId", idSchema.orNull().says("The article that it is a unit of; null while it has none.")),
		has("serviceLocationId", idSchema.says("The location that it is at.")),
		has("orderId", idSchema.orNull().says("The order that takes it; null where something else does.")),
		has("holdId", idSchema.orNull().says("The hold that takes it; null where something else does.")),
		has("blockerType", enumSchema("order", "hold", "scheduled-event").says("What takes it.")),
		has("orderStockItemId", idSchema.orNull().says("The unit of that order; null where something else takes it.")),
		has("slotId", idSchema.orNull().says("The slot that it lies in; null where it has none, which is a conflict.")),
		has("scheduledEventId", idSchema.orNull().says("The event that takes it; null where something else does.")),
		has("createdAt", createdSchema),
		has("requirementsUnmet", booleanSchema.says("Whether the article has lost what the order's line requires: the unit stays there.")),
		has("intervals", listSchema(intervalSchema).says("The time in pieces: buffers, and what is between.")))
)

func appendUnavailability(q *request, b []byte, u *engine.Unavailability) []byte {
	tenant := q.view.Account().ID
	b = appendID(append(b, `{"id":`...), u.ID)
	b = appendRange(append(b, `,"range":`...), u.Range)
	b = appendID(append(b, `,"tenantId":`...), tenant)
	b = appendGivenID(append(b, `,"articleId":`...), u.Article)
	b = appendID(append(b, `,"serviceLocationId":`...), u.Location)
	b = appendOwner(append(b, `,"orderId":`...), u, timeline.BlockerOrder)
	b = appendOwner(append(b, `,"holdId":`...), u, timeline.BlockerHold)
	switch u.Blocker {
	case timeline.BlockerOrder:
		b = append(b, `,"blockerType":"order"`...)
	case timeline.BlockerScheduledEvent:
		b = append(b, `,"blockerType":"scheduled-event"`...)
	default:
		b = append(b, `,"blockerType":"hold"`...)
	}
	b = appendGivenID(append(b, `,"orderStockItemId":`...), u.Item)
	b = append(b, `,"slotId":`...)
	if u.Conflict() {
		b = append(b, "null"...)
	} else {
		b = appendID(b, u.Slot)
	}
	b = appendOwner(append(b, `,"scheduledEventId":`...), u, timeline.BlockerScheduledEvent)
	b = appendInstant(append(b, `,"createdAt":`...), u.CreatedAt())
	b = appendBool(append(b, `,"requirementsUnmet":`...), u.Unmet)
	b = append(b, `,"intervals":[`...)
	if u.Range.Start < u.Body.Start {
		b = appendInterval(b, u, tenant, "buffer", engine.Span{Start: u.Range.Start, End: u.Body.Start})
		b = append(b, ',')
	}
	b = appendInterval(b, u, tenant, bodyType(u.Kind), u.Body)
	if u.Body.End < u.Range.End {
		b = append(b, ',')
		b = appendInterval(b, u, tenant, "buffer", engine.Span{Start: u.Body.End, End: u.Range.End})
	}
	return append(b, "]}"...)
}

// appendOwner appends the id of what the unit is taken for, if that is of the kind, else null.
func appendOwner(b []byte, u *engine.Unavailability, is timeline.Blocker) []byte {
	if u.Blocker != is {
		return append(b, "null"...)
	}
	return appendID(b, u.Owner)
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

func appendInterval(b []byte, u *engine.Unavailability, tenant engine.ID, kind string, s engine.Span) []byte {
	b = append(append(append(b, `{"type":"`...), kind...), '"')
	b = appendRange(append(b, `,"range":`...), s)
	b = appendID(append(b, `,"unavailabilityId":`...), u.ID)
	return append(appendID(append(b, `,"tenantId":`...), tenant), '}')
}

// listUnits asks for what is taken of or for a record.
type listUnits struct {
	of     engine.ID
	window *window
	page   page
}

func listedUnit(q *request, b []byte, u engine.Unavailability) []byte {
	return appendUnavailability(q, b, &u)
}

// appendFirstUnits appends the first of the units that are taken as a member, and how many there are where that is more.
func (q *request) appendFirstUnits(b []byte, name string, list []engine.Unavailability, total int) []byte {
	if b = q.appendUnavailabilities(key(b, name), list); total > len(list) {
		b = appendInt(key(b, name+totalOf), total)
	}
	return b
}

func (q *request) appendUnavailabilities(b []byte, list []engine.Unavailability) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendUnavailability(q, b, &list[i])
	}
	return append(b, ']')
}
