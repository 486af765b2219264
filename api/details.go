package api

import (
	"encoding/json"

	"holdfast/api/ratelimit"
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns what a refusal says in addition to its code: always an object.

// detailed are the codes whose refusals have details, under the name that they have in the document.
var detailed = []struct {
	name    string
	codes   []base.Code
	details *wire.Schema
}{
	{"InsufficientAvailability", []base.Code{base.CodeInsufficient},
		describe("InsufficientAvailabilityDetails", (*scribe).writeShortages).
			Uncut().Says("Stock is short: which lines, by how much, and when there is enough.")},
	{"QuantityRefused", []base.Code{base.CodePlanChanged, base.CodeQuantityBlocked},
		planSchema.Says(
			"The units cannot go as asked, or not by the plan that was expected: details is the plan as it is now.")},
	{"SubstituteNeeded", []base.Code{base.CodeSubstitute},
		describe("SubstituteNeededDetails", (*scribe).writeSubstitute).
			Uncut().Says("The article is not what was ordered.")},
	{"StateNotAllowed", []base.Code{base.CodeStateNotAllowed}, describe("StateNotAllowedDetails", (*scribe).writeState).
		Uncut().Says("The record's state does not allow it.")},
	{"HoldExpired", []base.Code{base.CodeHoldExpired}, describe("HoldExpiredDetails", (*scribe).writeExpired).
		Uncut().Says("The hold has expired.")},
	{"RecordInUse", []base.Code{base.CodeInUse}, describe("RecordInUseDetails", (*scribe).writeInUse).
		Uncut().Says("The record stays, as others refer to it.")},
	{"MissingScope", []base.Code{base.CodeMissingScope}, wire.RecordSchema("MissingScopeDetails",
		wire.Has("requiredScopes", wire.ListSchema(wire.TextSchema).Says("The scopes of which any one is enough; "+
			"none if the operation needs a key with full access.")),
	).Uncut().Says("The key lacks a scope for the operation.")},
	{"DeniedFields", []base.Code{base.CodeDeniedFields}, wire.RecordSchema("DeniedFieldsDetails",
		wire.Has("deniedFields", wire.ListSchema(wire.RecordSchema("DeniedFieldsOfScope",
			wire.Has("fields", wire.ListSchema(wire.TextSchema).Says("Members of the body, those inside others with "+
				"a point between.")),
			wire.Has("requiredScopes", wire.ListSchema(wire.TextSchema).Says("The scopes that they take.")),
		)).Says("The members that the key may not give, by the scope that it lacks.")),
	).Uncut().Says("The key lacks a scope for a part of the body.")},
	{"LimitReached", []base.Code{base.CodeMonthlyCap, base.CodeRateLimited}, wire.RecordSchema("LimitReachedDetails",
		wire.Has("layer", wire.EnumSchema(string(ratelimit.Address), string(ratelimit.Account), string(ratelimit.Key),
			string(layerCost), string(layerBytes)).
			Says("Which limit it is: that of the address, the account or the key, of expensive reads that are "+
				"running (cost), or of long answers that are on their way (bytes).")),
	).Uncut().Says("A limit is reached: ask again after the seconds in Retry-After.")},
	{"StorageFailed", []base.Code{base.CodeStorageFailed}, wire.RecordSchema("StorageFailedDetails",
		wire.May("outcome", wire.EnumSchema("unknown").Says("unknown: only after a restart it is clear whether the "+
			"command was done.")),
	).Uncut().Says("The log cannot be written: reads go on, writes are refused until a restart.")},
}

// appendDetails appends the details of a refusal.
func (q *request) appendDetails(details any) {
	switch d := details.(type) {
	case base.ShortageDetails:
		if v, ok := q.eng.View(q.view.Account().ID); ok {
			q.view = v // the holds in the way are written as they are now
		}
		appendRecord(&q.scribe, &d, (*scribe).writeShortages)
	case stock.QuantityDetails:
		appendRecord(&q.scribe, d.Plan, (*scribe).writePlan)
	case *order.SubstituteDetails:
		appendRecord(&q.scribe, d, (*scribe).writeSubstitute)
	case base.StateDetails:
		appendRecord(&q.scribe, &d, (*scribe).writeState)
	case base.HoldDetails:
		appendRecord(&q.scribe, &d, (*scribe).writeExpired)
	case base.InUseDetails:
		appendRecord(&q.scribe, &d, (*scribe).writeInUse)
	case base.UnknownOutcomeDetails:
		q.Out = append(q.Out, `{"outcome":"unknown"}`...)
	case map[string]any:
		text, _ := json.Marshal(d) // of texts and numbers alone
		q.Out = append(q.Out, text...)
	default:
		q.Out = append(q.Out, "{}"...)
	}
}

func (w *scribe) writeState(d *base.StateDetails) {
	w.Text("state", d.State, "The state that the record is in.")
	w.Texts("allowed", d.Allowed, "The operations that it allows, by the last part of their ids; of a way to take a "+
		"catalog item the ways in which it is offered.")
}

func (w *scribe) writeExpired(d *base.HoldDetails) {
	w.ID("holdId", d.ID, "The hold that has expired: of several the first.")
}

func (w *scribe) writeSubstitute(d *order.SubstituteDetails) {
	w.GivenID("skuId", d.Ordered.SKU, "The SKU that was ordered; null where an article was.")
	w.GivenID("articleId", d.Ordered.Article, "The article that was ordered; null where a SKU was.")
	w.IDs("articleIds", d.Articles, "The first 1,000 articles that are possible, with what the line requires.")
	w.Count("articlesTotal", d.Total, "How many are possible.")
}

func (w *scribe) writeInUse(d *base.InUseDetails) {
	w.Text("resource", d.Resource, "What kind of record refers to this one, such as hold or article.")
	w.Count("count", d.Count, "How many records of that kind refer to it.")
}

// writeShortages writes why lines were short. A hold in the way that has gone since is left out.
func (w *scribe) writeShortages(d *base.ShortageDetails) {
	wire.List(&w.Writer, "lines", "Shortage", d.Lines, "The lines that are short.", func(s *base.Shortage) {
		w.Count("line", s.Line, "Which line of the request is short, counted from 0.")
		w.Count("requested", s.Requested, "How many units the line asks for.")
		w.Count("available", s.Available, "How many units it could have had, given the lines before it.")
		w.As(shortageReasons, "reason", s.Reason,
			"Whether units are missing at some instant, or pinned holds leave no unit free for the whole window.")
		blockers := make([]stock.Unavailability, 0, len(s.Blockers))
		for _, id := range s.Blockers {
			if u, found := stock.UnavailabilityByID(w.view, id); found {
				blockers = append(blockers, u)
			}
		}
		w.units("blockingUnavailabilities", blockers, 0,
			"The holds over the instant with the fewest units free, of several pools those of each over its own: the "+
				"first 20 by start, then id; 1,000 of all lines. At other instants of the window other holds may "+
				"stand in the way as well.")
		w.Count("blockingTotal", s.Blocking, "How many holds are over that instant.")
		wire.Nullable(&w.Writer, "next", "NextWindow", s.Next,
			"The next window of the same length in which the line would succeed; null if none was found, and for "+
				"lines after the first 50.", func(n *base.Span) {
				w.Instant("from", n.Start, "First instant of the window.")
				w.Instant("to", n.End, "First instant after the window.")
			})
	})
	w.Bool("explained", d.Explained, "Whether the blocking holds and the next windows were searched for. They are "+
		"not if too many lists and searches of the account are running, or if room came free meanwhile: then no "+
		"holds are named, and next is null.")
}
