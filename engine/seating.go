package engine

import "holdfast/timeline"

// This file owns what a plan makes of stock: its scratch copy of the timelines, and what is noted beside it until the write set is
// complete.

// seating is what a plan makes of stock.
type seating struct {
	fork     *timeline.Stock // the timelines with lots and slots that the plan added, nil while it added none
	stock    *timeline.Draft
	placed   int                      // rows of slots and units that are recorded of it
	lots     map[lotOf]timeline.LotNo // lots that the plan makes
	article  *Article                 // that the plan makes or changes, as far as conflicts have to know
	sku      *SKU                     // that it changes, likewise
	short    []ID                     // units that were made conflicts, as overbooking is allowed
	way      *inTheWay                // what stands in the way, where a refusal says it
	room     []timeline.Freed         // what the command freed
	due      []ID                     // conflicts that time may have made room for
	tried    []ID                     // conflicts that were tried in vain, or are due
	tries    int                      // of conflicts that the command may make; 0: maxTries
	gathers  bool                     // conflicts are not tried yet: more is to come free
	openings *timeline.Openings       // of the conflicts that it leaves, once it has changed the last of them
	choosy   bool                     // it may make holds with requirements

	departing departing
}

var seatingPlace = registerPlace[seating]()

func (t *tx) seating() *seating { return seatingPlace.on(&t.shelf) }

// lotOf names a lot by the numbers of its article and location.
type lotOf struct{ article, location uint32 }

// timelines is what the plan's draft starts from.
func (t *tx) timelines() *timeline.Stock {
	if t.seating().fork != nil {
		return t.seating().fork
	}
	return t.acc.stock
}

// draft is the plan's scratch copy of the account's timelines.
func (t *tx) draft() *timeline.Draft {
	if t.seating().stock == nil {
		s := t.timelines()
		if !t.seating().choosy && s.ChoosyLen() == 0 {
			t.seating().stock = s.Draft(t.now)
		} else {
			t.seating().stock = s.DraftFor(chooserOf(t.acc, t), t.now)
		}
	}
	return t.seating().stock
}
