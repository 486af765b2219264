package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns changes of an article's quantity on the wire: the preview and the writes.

type planQuantity struct {
	article, location base.ID
	amount            int
	at                *int64
	plan              *string
	page              page
}

var planQuantityQuery = wire.ShapeOf("PlanQuantityChange",
	wire.Required("serviceLocationId", wire.UUID, func(o *planQuantity) *base.ID { return &o.location }).
		Says("The location that units would go from."),
	wire.Required("amount", count, func(o *planQuantity) *int { return &o.amount }).Says("How many units would go."),
	wire.Optional("effectiveFrom", wire.Instant, func(o *planQuantity) **int64 { return &o.at }).
		Says("From when on the quantity changes. Default: now."),
	wire.Optional("plan", wire.Text(1, 64), func(o *planQuantity) **string { return &o.plan }).
		Says("The digest of the plan whose page is asked for: refused with PLAN_CHANGED if the plan has changed "+
			"since."),
	wire.Defaulted("page", wire.Integer[int](1, maxPage), 1, func(o *planQuantity) *int { return &o.page.number }).
		Says("Which page of each of the plan's lists."),
	wire.Defaulted("pageSize", wire.Integer[int](1, base.MaxListed), base.MaxListed,
		func(o *planQuantity) *int { return &o.page.size }).
		Says("How many entries of each list a page has. Default: 1000."))

// quantityFields are what all changes of a quantity take.
func quantityFields[In any](location func(*In) *base.ID, amount func(*In) *int, at func(*In) **int64) []wire.Field[In] {
	return []wire.Field[In]{
		wire.Required("serviceLocationId", wire.UUID, location).Says("The location."),
		wire.Required("amount", count, amount).Says("How many units."),
		wire.Optional("effectiveFrom", wire.Instant, at).Says("From when on the quantity changes. Default: now."),
	}
}

var increaseShape = wire.ShapeOf("IncreaseQuantity", quantityFields(
	func(o *stock.IncreaseQuantity) *base.ID { return &o.Location },
	func(o *stock.IncreaseQuantity) *int { return &o.Amount },
	func(o *stock.IncreaseQuantity) **int64 { return &o.From })...)

var decreaseShape = wire.ShapeOf("DecreaseQuantity", slices.Concat(quantityFields(
	func(o *stock.DecreaseQuantity) *base.ID { return &o.Location },
	func(o *stock.DecreaseQuantity) *int { return &o.Amount },
	func(o *stock.DecreaseQuantity) **int64 { return &o.From }), []wire.Field[stock.DecreaseQuantity]{
	wire.Optional("expectedPlan", wire.Text(1, 64), func(o *stock.DecreaseQuantity) **string { return &o.Expected }).
		Says("The digest of a preview: any other plan is refused."),
	wire.Flag("force", func(o *stock.DecreaseQuantity) *bool { return &o.Force }).
		Says("What cannot be kept becomes a conflict."),
})...)

var transferShape = wire.ShapeOf("TransferQuantity",
	wire.Required("fromServiceLocationId", wire.UUID, func(o *stock.TransferQuantity) *base.ID { return &o.From }).
		Says("The location that the units leave."),
	wire.Required("toServiceLocationId", wire.UUID, func(o *stock.TransferQuantity) *base.ID { return &o.To }).
		Says("The location that they go to."),
	wire.Required("amount", count, func(o *stock.TransferQuantity) *int { return &o.Amount }).Says("How many units."),
	wire.Optional("effectiveFrom", wire.Instant, func(o *stock.TransferQuantity) **int64 {
		return &o.At
	}).Says("From when on the quantity changes. Default: now."))

var (
	planReasons = wire.EnumSchema("not_enough_stock", "holds_exceed_remaining_stock", "pinned_holds_in_the_way")
	planSchema  = describe("QuantityPlan", (*scribe).writePlan).Uncut().
			Says("Each list of a plan has its first 1,000 entries, or those of the page asked for.")
)

// first cuts a list that a plan has as a whole, as that of a command done by an older version may have.
func first[T any](list []T) []T { return wire.UpTo(list, base.MaxListed) }

func (w *scribe) writePlan(p *stock.QuantityPlan) {
	w.Bool("ok", p.OK, "Whether all holds can be kept.")
	wire.List(&w.Writer, "moves", "SlotMove", first(p.Moves), "The holds that go to another slot.",
		func(m *stock.SlotMove) {
			w.ID("unavailabilityId", m.Unavailability, "The unit that is taken.")
			w.ID("fromSlotId", m.From, "The slot that it leaves.")
			w.ID("toSlotId", m.To, "The slot that it goes to.")
		})
	w.Count("movesTotal", max(p.MovesTotal, len(p.Moves)), "How many moves the whole plan has.")
	w.IDs("removedSlotIds", first(p.Removed), "The slots that end.")
	w.Count("removedSlotIdsTotal", max(p.RemovedTotal, len(p.Removed)), "How many slots the whole plan ends.")
	reason := &p.Reason
	if p.OK || p.Reason == "" {
		reason = nil
	}
	w.AsOrNull(planReasons, "reason", reason, "Why not all holds can be kept; null where they can.")
	w.InstantOrNull("possibleFrom", p.PossibleFrom,
		"With not_enough_stock: the earliest instant from which enough units exist at every later instant; null if "+
			"there is none. Holds may stand in the way even then.")
	w.units("blockingUnavailabilities", first(p.Blockers), 0,
		"The holds in the way, by start, then id. Where too many units are with customers, all that are with one past "+
			"the instant.")
	w.Count("blockingTotal", max(p.BlockersTotal, len(p.Blockers)), "How many stand in the way of the whole plan.")
	w.Bool("minimal", p.Minimal, "Whether it is known that no plan has fewer moves.")
	w.Count("lowerBound", p.LowerBound, "No plan that keeps the same holds has fewer moves than this.")
	w.Text("plan", p.Digest, "The digest of the whole plan.")
}

func answerPlan(q *request, p *stock.QuantityPlan) error {
	appendRecord(&q.scribe, p, (*scribe).writePlan)
	return nil
}

var quantityOperations = []operation{
	read(operation{
		id: "admin.articles.planQuantityChange", method: "GET", path: "/v1/admin/articles/{id}/plan-quantity-change",
		scopes: stockRead, answer: planSchema,
		summary: "Says how units of an article could be taken away, and what prevents it. The quantity would be " +
			"lower at every instant from the effective one on, in addition to all planned changes. If there are too " +
			"few units at one of these instants, the reason is not_enough_stock, and possibleFrom says from when on " +
			"there are enough. Changes nothing.",
	}, input[planQuantity]{path: byID(func(o *planQuantity) *base.ID { return &o.article }), query: planQuantityQuery},
		func(q *request, o *planQuantity) error {
			p, err := stock.PlanQuantityPart(q.view, o.article, o.location, o.amount, o.at, o.plan, o.page.part(),
				q.now)
			if err != nil {
				return err
			}
			q.link(o.page, o.page.pages(max(p.MovesTotal, p.RemovedTotal, p.BlockersTotal)))
			return answerPlan(q, p)
		}),
	write(operation{
		id: "admin.articles.decreaseQuantity", method: "POST", path: "/v1/admin/articles/{id}/decrease-quantity",
		scopes: stockWrite, answer: planSchema,
		summary: "Takes units away: plans on the present state and answers with the plan that was applied. The " +
			"quantity is lower at every instant from the effective one on, in addition to all planned changes. If no " +
			"more holds have to move for it, planned arrivals of units at that instant are cancelled first. Slots of " +
			"the article at the location may exchange their planned ends.",
	}, input[stock.DecreaseQuantity]{path: byID(func(o *stock.DecreaseQuantity) *base.ID { return &o.Article }),
		body: decreaseShape},
		asIs, answerPlan),
	write(operation{
		id: "admin.articles.increaseQuantity", method: "POST", path: "/v1/admin/articles/{id}/increase-quantity",
		scopes: stockWrite, answer: articleSchema,
		summary: "Adds units, from the effective instant on. If a decrease is planned at the same instant, it is " +
			"cancelled before new units are made.",
	}, input[stock.IncreaseQuantity]{path: byID(func(o *stock.IncreaseQuantity) *base.ID { return &o.Article }),
		body: increaseShape},
		asIs, answerArticle),
	write(operation{
		id: "admin.articles.transferQuantity", method: "POST", path: "/v1/admin/articles/{id}/transfer-quantity",
		scopes: stockWrite, answer: planSchema,
		summary: "Moves units to another location: a decrease at the one and an increase at the other, at one " +
			"instant. Answers with the plan of the location that they leave. A transfer back at the same instant " +
			"cancels a planned one.",
	}, input[stock.TransferQuantity]{path: byID(func(o *stock.TransferQuantity) *base.ID { return &o.Article }),
		body: transferShape},
		asIs, answerPlan),
}
