package engine

import "holdfast/timeline"

// This file owns what the timelines ask about holds: the slot that a conflict was made for, and what a hold with requirements wants.

// chooser is a timeline.Chooser.
type chooser struct {
	account *account
	plan    *tx // nil: it answers of the account as it is
}

func init() {
	chooserOf = func(a *account, t *tx) timeline.Chooser { return chooser{a, t} }
}

// Pin is the slot that a conflict was made for: the one that it lost, and of a conflict that a command makes the one that it is on
// until then.
func (c chooser) Pin(id ID) timeline.SlotNo { return c.account.pin(id) }

// Version tells states of a plan apart.
func (c chooser) Version() int {
	if c.plan == nil {
		return 0
	}
	return len(c.plan.set)
}

// wishOf is registered by who has holds with requirements (timeline.Choosy).
var wishOf func(a *account, t *tx, h *timeline.Hold, now int64) (key string, meets func(timeline.LotNo) bool)

// Wish is what a hold asks of its lot.
func (c chooser) Wish(h *timeline.Hold, now int64) (key string, meets func(timeline.LotNo) bool) {
	return wishOf(c.account, c.plan, h, now)
}
