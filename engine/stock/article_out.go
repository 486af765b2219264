package stock

import (
	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns the refusal to take an article out of its pool while holds to come would be left without a unit: the
// plan of it, as of any other reduction.

// stranded refuses a command that has left some of the holds that it took out without a unit, with the plan of what it
// does. It removes no slot; the plan is the one that the command found, and nobody proved that none leaves fewer.
func stranded(t *base.Tx, out []timeline.Placed) error {
	plan := &QuantityPlan{Reason: timeline.HoldsExceedRemainingStock.String()}
	var left []base.ID
	for _, u := range out {
		if _, at, ok := Draft(t).Find(u.ID); !ok || at.Seated() {
			continue
		}
		left = append(left, u.ID)
		if u.Flags.Any(timeline.PinnedArticle | timeline.PinnedSlot) {
			plan.Reason = timeline.PinnedHoldsInTheWay.String()
		}
	}
	if left == nil {
		return nil
	}
	for _, c := range Draft(t).Changes().Holds {
		if c.Had && c.Has && c.Before.Place.Seated() && c.After.Place.Seated() && c.Before.Place != c.After.Place {
			plan.Moves = append(plan.Moves, SlotMove{c.ID(), slotID(t.Acc.Stock, c.Before.Place.Slot),
				slotID(Draft(t).Stock(), c.After.Place.Slot)})
		}
	}
	plan.Digest = plan.Fingerprint(left)
	plan.MovesTotal, plan.BlockersTotal = len(plan.Moves), len(left)
	plan.Moves, plan.Blockers = base.PartOf(plan.Moves, base.First), Standing(t.Acc, t.Acc.Stock, left, base.First)
	return plan.blocks()
}
