package api

import (
	"encoding/json"

	"holdfast/api/ratelimit"
	"holdfast/engine"
)

// This file owns what a refusal tells beside its code: always an object.

// detailed are the codes whose refusals have details, under the name that they have in the document.
var detailed = []struct {
	name    string
	codes   []engine.Code
	details *Schema
}{
	{"InsufficientAvailability", []engine.Code{engine.CodeInsufficient}, recordSchema("InsufficientAvailabilityDetails",
		has("lines", listSchema(recordSchema("Shortage",
			has("line", integerSchema.says("Which line of the request is short, counted from 0.")),
			has("requested", integerSchema.says("How many units the line asks for.")),
			has("available", integerSchema.says("How many units it could have had, given the lines before it.")),
			has("reason", enumSchema("not_enough_stock", "fragmented_by_pinned_holds").
				says("Whether units are missing at some instant, or pinned holds leave no unit free for the whole window.")),
			has("blockingUnavailabilities", listSchema(unavailabilitySchema).says("The first 20 holds in the way by start, then id; 1,000 of all lines.")),
			has("blockingTotal", integerSchema.says("How many holds stand in the way.")),
			has("next", recordSchema("NextWindow",
				has("from", instantSchema.says("First instant of the window.")),
				has("to", instantSchema.says("First instant behind the window."))).orNull().
				says("The next window of the same length in which the line would succeed; null where none was found, and behind the first 50 lines.")),
		)).says("The lines that are short.")),
	).whole().says("Stock is short: which lines, by how much, and when there is enough.")},
	{"QuantityRefused", []engine.Code{engine.CodePlanChanged, engine.CodeQuantityBlocked},
		planSchema.says("The units cannot go as asked, or not by the plan that was expected: details is the plan as it is now.")},
	{"StateNotAllowed", []engine.Code{engine.CodeStateNotAllowed}, recordSchema("StateNotAllowedDetails",
		has("state", textSchema.says("The state that the record is in.")),
		has("allowed", listSchema(textSchema).says("What the record allows in that state, or the states in which it would allow this.")),
	).whole().says("The record's state does not allow it.")},
	{"RecordInUse", []engine.Code{engine.CodeInUse}, recordSchema("RecordInUseDetails",
		has("resource", textSchema.says("What kind of record refers to this one, such as hold or article.")),
		has("count", integerSchema.says("How many of them do.")),
	).whole().says("The record stays, as others refer to it.")},
	{"MissingScope", []engine.Code{engine.CodeMissingScope}, recordSchema("MissingScopeDetails",
		has("requiredScopes", listSchema(textSchema).says("The scopes any one of which would do; none where it takes a key with full access.")),
	).whole().says("The key lacks a scope for the operation.")},
	{"DeniedFields", []engine.Code{engine.CodeDeniedFields}, recordSchema("DeniedFieldsDetails",
		has("deniedFields", listSchema(recordSchema("DeniedFieldsOfScope",
			has("fields", listSchema(textSchema).says("Members of the body, those inside others with a point between.")),
			has("requiredScopes", listSchema(textSchema).says("The scopes that they take.")),
		)).says("The members that the key may not give, by the scope that it lacks.")),
	).whole().says("The key lacks a scope for a part of the body.")},
	{"LimitReached", []engine.Code{engine.CodeMonthlyCap, engine.CodeRateLimited}, recordSchema("LimitReachedDetails",
		has("layer", enumSchema(string(ratelimit.Address), string(ratelimit.Account), string(ratelimit.Key), string(layerCost), string(layerBytes)).
			says("Whose limit it is: of the address, the account or the key; cost and bytes are of dear reads and long answers under way.")),
	).whole().says("A limit is reached: ask again after the seconds in Retry-After.")},
	{"StorageFailed", []engine.Code{engine.CodeStorageFailed}, recordSchema("StorageFailedDetails",
		may("outcome", enumSchema("unknown").says("unknown: the command may or may not be found done after a restart.")),
	).whole().says("The log cannot be written: reads go on, writes are refused until a restart.")},
}

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
