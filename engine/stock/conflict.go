package stock

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns conflicts: holds without a unit, kept and listed until stock comes free for them.

// SeatConflicts is the follow-up of a command that freed room for more conflicts than it was allowed to try.
type SeatConflicts struct {
	base.Answers[any]
	timeline.Waiting
	Tries int
}

func (o SeatConflicts) PlanOn(t *base.Tx) (any, error) {
	t.Waiting, _ = tryConflicts(t, o.Waiting, o.Tries)
	return nil, nil
}

// Least says that it tries one.
func (o SeatConflicts) Least() bool { return o.Tries <= 1 }

// untried is room that came free and conflicts that have not had their turn at it: due from the instant it is made.
type untried struct {
	ID base.ID
	At int64
	timeline.Waiting
}

var UntriedKind = func() *base.Kind[untried] {
	k := base.RowsOf(base.TagUntried, "room for conflicts", func(u *untried) base.ID { return u.ID })
	k.Resource = "" // what becomes of conflicts, their units tell
	k.DueAt(func(u *untried) int64 { return u.At })
	return k
}()

func init() {
	UntriedKind.WhenDue.Do = func(t *base.Tx, id base.ID) {
		u := UntriedKind.In(t.Acc).Get(id)
		var n *untried
		if left, _ := tryConflicts(t, u.Waiting, t.Tries); left != nil {
			n = &untried{id, u.At, *left}
		}
		base.Record(t, UntriedKind, u, n)
	}
}

// PostponeConflicts keeps room that conflicts are to be tried for, as work that is due.
type PostponeConflicts struct {
	base.Answers[any]
	timeline.Waiting
}

func (o PostponeConflicts) PlanOn(t *base.Tx) (any, error) {
	o.Room = slices.Compact(slices.Clone(o.Room)) // the units of a hold leave the same room
	base.Record(t, UntriedKind, nil, &untried{t.NewID(), t.Now, o.Waiting})
	return nil, nil
}

// Least says that it can be refused for its size.
func (PostponeConflicts) Least() bool { return false }

// tryConflicts seats the conflicts that can be seated. It returns those that are left to try, nil for none, and how
// many tries are left. For those that were tried in vain it notes when time may make room for them. If a conflict gets
// a unit that leaves, its departure is planned before the next conflict is tried. Conflicts of an article that takes no
// holds are not tried, except for scheduled events.
func tryConflicts(t *base.Tx, w timeline.Waiting, tries int) (left *timeline.Waiting, more int) {
	w.Due = slices.DeleteFunc(slices.Clone(w.Due), func(id base.ID) bool {
		h, at, ok := Draft(t).Find(id)
		return ok && closed(t, h, at.Lot)
	})
	out := func(h *timeline.Hold, on timeline.LotNo) bool {
		r := latest(t, articleOf(t, Draft(t).Lot(on)))
		return r != nil && shuts(r, h)
	}
	for {
		r := Draft(t).SeatConflicts(w, tries, out)
		Seating(t).tried = append(Seating(t).tried, r.Short...)
		tries -= r.Tries
		switch {
		case !r.More:
			return nil, tries
		case !r.Leaves:
			return &r.Next, tries
		}
		settleDepartures(t)
		w = r.Next
	}
}

// closed says that a conflict that waits on a lot gets no unit, as the article takes no holds. Only a scheduled event,
// such as a repair, gets a unit of such an article.
func closed(t *base.Tx, h timeline.Hold, on timeline.LotNo) bool {
	r := latest(t, articleOf(t, Draft(t).Stock().Lot(on)))
	return r == nil || shuts(r, &h)
}

// shuts says that an article takes no holds, and gives a hold no unit.
func shuts(r *Article, h *timeline.Hold) bool {
	return !r.Takes() && h.Flags.Blocker() != timeline.BlockerScheduledEvent
}

// SeatConflict seats a conflict where it can be.
func SeatConflict(t *base.Tx, id base.ID) (at timeline.Place, ok bool) {
	d := Draft(t)
	h, at, ok := d.Find(id)
	if !ok {
		return at, false
	}
	if closed(t, h, at.Lot) {
		return at, false
	}
	return d.SeatConflict(id)
}

// pin is the slot that a conflict was made for: the one that it lost, and of a conflict that a command makes the one
// that it is on until then.
func pin(a *base.AccountState, id base.ID) timeline.SlotNo {
	if _, at, ok := a.Stock.Find(id); ok && at.Seated() {
		return at.Slot
	}
	if u := UnseatedKind.In(a).Get(id); u != nil {
		return u.Slot
	}
	return 0
}

// Conflict is a hold without a unit, and why it has none.
type Conflict struct {
	Unavailability
	Reason string // not_enough_stock | fragmented_by_pinned_holds
	Since  int64  // instant at which it lost its unit
}

// unseated is a second row of a conflict: the instant at which it lost its unit, the one at which it is tried again,
// and where it belongs: the slot of one that is pinned to a slot, the SKU of one that is auto-assigned.
type unseated struct {
	ID    base.ID
	Since int64
	// when time may make room for it; 0: from before this was kept, so at once; Forever: never
	Again int64 `json:",omitempty"`
	// nil: pinned, or from before this was kept, when it was that of its article; zero: its article had none
	SKU *base.ID `json:",omitempty"`

	Slot timeline.SlotNo `json:",omitzero"` // that it was made for, where it is pinned to one
}

var UnseatedKind = func() *base.Kind[unseated] {
	k := base.RowsOf(base.TagUnseated, "loss of a unit", func(u *unseated) base.ID { return u.ID })
	k.Resource = "" // a change of its unit reports its change
	k.DueAt(func(u *unseated) int64 {
		if u.Again == base.Forever {
			return 0
		}
		return max(1, u.Again)
	})
	return k
}()

func init() {
	UnseatedKind.WhenDue.Do = func(t *base.Tx, id base.ID) {
		if h, at, ok := Draft(t).Find(id); ok && !closed(t, h, at.Lot) {
			Seating(t).due = append(Seating(t).due, id)
		}
		Seating(t).tried = append(Seating(t).tried, id)
	}
}

// opens is when time may make room for a conflict that the command leaves, or may make articles meet what it requires.
// It is Forever for a conflict that waits on an article that takes no holds (closed).
func opens(t *base.Tx, h timeline.Hold, at timeline.Place) int64 {
	if closed(t, h, at.Lot) {
		return base.Forever
	}
	if Seating(t).openings == nil {
		Seating(t).openings = Draft(t).Stock().Openings(t.Now)
	}
	opens := Seating(t).openings.Of(h, at.Lot)
	if h.Flags.Has(timeline.Choosy) && OfTheDay(t, &h) {
		if next := nextDay(t); next < h.Span.End {
			opens = min(opens, next)
		}
	}
	return opens
}

// OfTheDay is registered by the package that has holds with requirements (timeline.Choosy). It says that what a hold
// requires depends on which day it is.
var OfTheDay func(t *base.Tx, h *timeline.Hold) bool

// nextDay is the instant at which the account's day ends.
func nextDay(t *base.Tx) int64 {
	zone := MustZone(t.Acc.Row.Timezone)
	for d := timeline.DateOf(zone, t.Now).AddDays(1); ; d = d.AddDays(1) {
		if at, _ := timeline.DayStart(zone, d); at > t.Now {
			return at
		}
	}
}

// noteTried records when the conflicts that the command tried in vain are tried again, if the command has not changed
// them in another way.
func noteTried(t *base.Tx, changed []timeline.HoldChange) {
	tried := Seating(t).tried
	slices.SortFunc(tried, base.ID.Compare)
	for _, id := range slices.Compact(tried) {
		h, at, ok := Draft(t).Find(id)
		if !ok || at.Seated() ||
			slices.ContainsFunc(changed, func(c timeline.HoldChange) bool { return c.ID() == id }) {
			continue
		}
		u := UnseatedKind.In(t.Acc).Get(id)
		n := unseated{ID: id, Since: base.CreatedAt(id)}
		if u != nil {
			n = *u
		}
		if n.Again = opens(t, h, at); u == nil || n.Again != u.Again {
			base.Record(t, UnseatedKind, u, &n)
		}
	}
}

// noteConflict records for a changed unit since when it has been a conflict, and where it belongs.
func noteConflict(t *base.Tx, c *timeline.HoldChange) {
	was, is := c.Had && !c.Before.Place.Seated(), c.Has && !c.After.Place.Seated()
	if !was && !is {
		return
	}
	u := UnseatedKind.In(t.Acc).Get(c.ID())
	n := &unseated{ID: c.ID(), Since: t.Now}
	if is {
		n.Again = opens(t, c.After.Hold, c.After.Place)
	}
	switch {
	case is && c.After.Flags.Has(timeline.PinnedSlot):
		n.Slot = pin(t.Acc, c.ID())
	case is && !c.After.Flags.Has(timeline.PinnedArticle):
		owner := ownerSKU(t, c.After)
		n.SKU = &owner
	}
	switch {
	case is && !was:
		base.Record(t, UnseatedKind, nil, n)
	case was && !is && u != nil: // of a conflict from before such rows nothing is kept
		base.Record(t, UnseatedKind, u, nil)
	case u != nil && (!same(n.SKU, u.SKU) || n.Slot != u.Slot || n.Again != u.Again):
		n.Since = u.Since
		base.Record(t, UnseatedKind, u, n)
	}
}

// since is the instant at which a conflict lost its unit, or, where that was not kept, at which it was made.
func since(a *base.AccountState, id base.ID) int64 {
	if u := UnseatedKind.In(a).Get(id); u != nil {
		return u.Since
	}
	return base.CreatedAt(id)
}

// ConflictFilter narrows a list of conflicts; zero members do not.
type ConflictFilter struct {
	Location, SKU, Article base.ID
	Window                 *base.Span // conflicts that overlap it
}

// Conflicts lists conflicts in order of creation: those from offset on, at most limit, and how many there are.
func Conflicts(v base.View, f ConflictFilter, offset, limit int, now int64) (page []Conflict, total int) {
	a := v.Acc
	if a.Stock.ConflictLen() == 0 {
		return nil, 0
	}
	type row struct {
		h  timeline.Hold
		at timeline.Place
	}
	var rows []row
	for no := uint32(1); no <= a.Ledger.Lot; no++ {
		lot := a.Stock.Lot(timeline.LotNo(no))
		if a.Stock.ConflictCount(timeline.LotRef(lot.No)) == 0 || !f.admits(a, lot) {
			continue
		}
		for h := range a.Stock.Conflicts(lot.No) {
			if (f.Window == nil || overlaps(*f.Window, h.Span)) &&
				(f.SKU == base.ID{} || f.SKU == ConflictSKU(a, h, lot)) {
				rows = append(rows, row{h, timeline.Place{Lot: lot.No}})
			}
		}
	}
	slices.SortFunc(rows, func(x, y row) int { return x.h.ID.Compare(y.h.ID) })
	for _, r := range rows[min(offset, len(rows)):min(offset+limit, len(rows))] {
		page = append(page, Conflict{Unavailability: UnavailabilityAt(a, r.h, r.at),
			Reason: whyUnseated(a.Stock, timeline.Placed{Hold: r.h, Place: r.at}, now), Since: since(a, r.h.ID)})
	}
	return page, len(rows)
}

func (f ConflictFilter) admits(a *base.AccountState, lot timeline.Lot) bool {
	return (f.Article == (base.ID{}) || f.Article == ArticleKind.IDOf(a, lot.Article)) &&
		(f.Location == (base.ID{}) || LocationKind.IDOf(a, lot.Location) == f.Location)
}

// ConflictSKU is the SKU that a conflict belongs to: of one that is pinned, or was made for no SKU and whose article
// had none, that of its article.
func ConflictSKU(a *base.AccountState, h timeline.Hold, lot timeline.Lot) base.ID {
	r := ArticleTable(a).No(lot.Article)
	if sku := MadeFor(a, h, r); sku != (base.ID{}) {
		return sku
	}
	if u := UnseatedKind.In(a).Get(h.ID); u != nil && u.SKU != nil && *u.SKU != (base.ID{}) {
		return *u.SKU
	}
	if r != nil && r.SKU != nil {
		return *r.SKU
	}
	return base.ID{}
}

// overlaps says that a window, which may be an instant, meets a range.
func overlaps(w, s base.Span) bool {
	if w.Start == w.End {
		return s.Holds(w.Start)
	}
	return w.Overlaps(s)
}

// whyUnseated says what stands in the way of a conflict: too few units for all seated holds and it, or pins.
func whyUnseated(s *timeline.Stock, c timeline.Placed, now int64) string {
	room := base.Span{Start: max(c.Span.Start, now), End: c.Span.End} // what is past needs none
	if !room.Empty() && s.Full(s.Home(&c.Hold, c.Place.Lot), room) {
		return timeline.NotEnoughStock.String()
	}
	return timeline.FragmentedByPinnedHolds.String()
}
