package stock

import (
	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns what a plan makes of stock: its scratch copy of the timelines, and what is noted with it until the
// write set is complete.

// seating is what a plan makes of stock.
type seating struct {
	Stock    *timeline.Draft
	draft    timeline.Draft           // that Stock is at first
	placed   int                      // rows of slots and units that are recorded of it
	lots     map[lotOf]timeline.LotNo // lots that the plan makes
	article  *Article                 // that the plan makes or changes, as far as conflicts have to know
	sku      *SKU                     // that it changes, likewise
	short    []base.ID                // units that were made conflicts, as overbooking is allowed
	Way      *InTheWay                // what stands in the way, where a refusal says it
	room     []timeline.Freed         // what the command freed
	due      []base.ID                // conflicts that time may have made room for, or that need less by now
	tried    []base.ID                // conflicts that were tried in vain, or are due
	Gathers  bool                     // conflicts are not tried yet: more is to come free
	openings *timeline.Openings       // of the conflicts that it leaves, once it has changed the last of them
	Choosy   bool                     // it may make holds with requirements
}

var seatingPlace = base.RegisterPlace[seating]()

// Seating is what a plan knows of its seating.
func Seating(t *base.Tx) *seating { return seatingPlace.On(&t.Shelf) }

// WishOf is registered by the package that has holds with requirements (timeline.Choosy). It says which articles, by
// number, have what a hold asks for.
var WishOf func(a *base.AccountState, t *base.Tx, h *timeline.Hold, now int64) (key string,
	meets func(article uint32) bool)

// lotOf names a lot by the numbers of its article and location.
type lotOf struct{ article, location uint32 }

// Draft is the plan's scratch copy of the account's timelines.
func Draft(t *base.Tx) *timeline.Draft {
	x := Seating(t)
	if x.Stock == nil {
		if s := t.Acc.Stock; !x.Choosy && s.ChoosyLen() == 0 {
			x.draft = *s.Draft(t.Now)
		} else {
			x.draft = *s.DraftFor(base.ChooserOf(t.Acc, t), t.Now)
		}
		x.draft.Yield = func() {
			if t.Yield != nil {
				t.Yield()
			}
		}
		x.Stock = &x.draft
	}
	return x.Stock
}
