package stock

import (
	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns what the timelines ask about holds: the slot that a conflict was made for, and what a hold with
// requirements wants.

// chooser is a timeline.Chooser.
type chooser struct {
	account *base.AccountState
	plan    *base.Tx // nil: it answers of the account as it is
}

func init() {
	base.ChooserOf = func(a *base.AccountState, t *base.Tx) timeline.Chooser { return chooser{a, t} }
}

// Pin is the slot that a conflict was made for: the one that it lost, and of a conflict that a command makes the one
// that it is on until then.
func (c chooser) Pin(id base.ID) timeline.SlotNo { return pin(c.account, id) }

// Version distinguishes states of a plan.
func (c chooser) Version() int {
	if c.plan == nil {
		return 0
	}
	return len(c.plan.Set)
}

// Wish is what a hold asks of its lot: what it asks of the lot's article.
func (c chooser) Wish(h *timeline.Hold, now int64) (key string, meets func(timeline.LotNo) bool) {
	key, has := WishOf(c.account, c.plan, h, now)
	return key, func(no timeline.LotNo) bool { return has(c.lot(no).Article) }
}

// lot is a lot of the account, or one that the plan makes.
func (c chooser) lot(no timeline.LotNo) timeline.Lot {
	if lot := c.account.Stock.Lot(no); lot.No != 0 || c.plan == nil {
		return lot
	}
	return Draft(c.plan).Stock().Lot(no)
}
