package api

import (
	"encoding/json"

	"holdfast/engine"
)

// This file owns what a refusal tells beside its code: always an object.

func (q *request) appendDetails(b []byte, details any) []byte {
	switch d := details.(type) {
	case engine.ShortageDetails:
		b = appendList(append(b, `{"lines":`...), d.Lines, q.appendShortage)
		return append(b, '}')
	case engine.QuantityDetails:
		return appendPlan(q, b, d.Plan)
	case engine.StateDetails:
		b = appendText(append(b, `{"state":`...), d.State)
		return append(appendList(append(b, `,"allowed":`...), d.Allowed, appendText), '}')
	case engine.InUseDetails:
		b = appendText(append(b, `{"resource":`...), d.Resource)
		return append(appendInt(append(b, `,"count":`...), d.Count), '}')
	case engine.UnknownOutcomeDetails:
		return append(b, `{"outcome":"unknown"}`...)
	case map[string]any:
		if text, err := json.Marshal(d); err == nil {
			return append(b, text...)
		}
	}
	return append(b, "{}"...)
}

// appendShortage appends why a line was short. The holds in its way are written as they are now: a hold that has gone since
// is left out.
func (q *request) appendShortage(b []byte, s engine.Shortage) []byte {
	b = appendInt(append(b, `{"line":`...), s.Line)
	b = appendInt(append(b, `,"requested":`...), s.Requested)
	b = appendInt(append(b, `,"available":`...), s.Available)
	b = appendText(append(b, `,"reason":`...), s.Reason)
	view, ok := q.eng.View(q.view.Account().ID)
	var blockers []engine.Unavailability
	for _, id := range s.Blockers {
		if u, found := view.Unavailability(id); ok && found {
			blockers = append(blockers, u)
		}
	}
	b = q.appendUnavailabilities(append(b, `,"blockingUnavailabilities":`...), blockers)
	b = appendInt(append(b, `,"blockingTotal":`...), s.Blocking)
	if s.Next == nil {
		return append(b, `,"next":null}`...)
	}
	b = appendInstant(append(b, `,"next":{"from":`...), s.Next.Start)
	return append(appendInstant(append(b, `,"to":`...), s.Next.End), '}', '}')
}
