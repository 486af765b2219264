package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns conflicts: holds without a unit, kept and listed until stock comes free for them.

// seatConflicts is the follow-up of a command that freed room for more conflicts than it was allowed to try.
type seatConflicts struct {
	timeline.Waiting
	tries int
}

func (seatConflicts) Check() []Fault { return nil }
func (seatConflicts) result() any    { return new(any) }

func (o seatConflicts) plan(t *tx) (any, error) {
	t.waiting = t.tryConflicts(o.Waiting, o.tries)
	return nil, nil
}

// tryConflicts seats conflicts where that can be done, and says which are left to try, nil for none. Of those that were tried in vain it is noted
// when time may make room for them. Where a unit leaves, its departure is planned before the next conflict is tried.
func (t *tx) tryConflicts(w timeline.Waiting, tries int) (left *timeline.Waiting) {
	for {
		r := t.draft().SeatConflicts(w, tries)
		t.seating().tried = append(t.seating().tried, r.Short...)
		switch {
		case !r.More:
			return nil
		case !r.Leaves:
			return &r.Next
		}
		t.settleDepartures()
		w, tries = r.Next, tries-r.Tries
	}
}

// closed says that a conflict that waits on a lot gets no unit: of an article that is out, nobody does but a scheduled event, a repair, say.
func (t *tx) closed(h timeline.Hold, on timeline.LotNo) bool {
	r := t.latest(t.articleOf(t.draft().Stock().Lot(on)))
	return (r == nil || !r.Takes()) && h.Flags.Blocker() != timeline.BlockerScheduledEvent
}

// seatConflict seats a conflict where it can be.
func (t *tx) seatConflict(id ID) (at timeline.Place, ok bool) {
	d := t.draft()
	h, at, ok := d.Find(id)
	if !ok {
		return at, false
	}
	if t.closed(h, at.Lot) {
		return at, false
	}
	return d.SeatConflict(id)
}

// pin is the slot that a conflict was made for: the one that it lost, and of a conflict that a command makes the one that it is on until
// then.
func (a *account) pin(id ID) timeline.SlotNo {
	if _, at, ok := a.stock.Find(id); ok && at.Seated() {
		return at.Slot
	}
	if u := unseatedKind.in(a).Get(id); u != nil {
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

// unseated is kept of a conflict beside its row: the instant at which it lost its unit, the one at which it is tried again, and whose it is: the slot of one that
// is pinned to a slot, the SKU of one that is auto-assigned.
type unseated struct {
	ID    ID
	Since int64
	Again int64 `json:",omitempty"` // when time may make room for it; 0: from before this was kept, so at once; Forever: never
	SKU   *ID   `json:",omitempty"` // nil: pinned, or from before this was kept, when it was that of its article; zero: its article had none

	Slot timeline.SlotNo `json:",omitzero"` // that it was made for, where it is pinned to one
}

var unseatedKind = func() *kind[unseated] {
	k := rowsOf(tagUnseated, "loss of a unit", func(u *unseated) ID { return u.ID })
	k.resource = "" // that it is changed, its unit tells
	k.dueAt(func(u *unseated) int64 {
		if u.Again == Forever {
			return 0
		}
		return max(1, u.Again)
	})
	return k
}()

func init() {
	unseatedKind.fall = func(t *tx, id ID) {
		if h, at, ok := t.draft().Find(id); ok && !t.closed(h, at.Lot) {
			t.seating().due = append(t.seating().due, id)
		}
		t.seating().tried = append(t.seating().tried, id)
	}
	registerFollower(follower{check: func(a *account) (due int, err error) {
		for u := range unseatedKind.in(a).All() {
			if u.Again != Forever {
				due++
			}
		}
		return due, nil
	}})
}

// opens is when time may make room for a conflict that the command leaves: of an article that is out, nobody has any.
func (t *tx) opens(h timeline.Hold, at timeline.Place) int64 {
	if t.closed(h, at.Lot) {
		return Forever
	}
	if t.seating().openings == nil {
		t.seating().openings = t.draft().Stock().Openings(t.now)
	}
	return t.seating().openings.Of(h, at.Lot)
}

// noteTried keeps of conflicts that the command tried in vain when they are tried again, where it has not changed them else.
func (t *tx) noteTried(changed []timeline.HoldChange) {
	tried := t.seating().tried
	slices.SortFunc(tried, ID.Compare)
	for _, id := range slices.Compact(tried) {
		h, at, ok := t.draft().Find(id)
		if !ok || at.Seated() || slices.ContainsFunc(changed, func(c timeline.HoldChange) bool { return c.ID() == id }) {
			continue
		}
		u := unseatedKind.in(t.acc).Get(id)
		n := unseated{ID: id, Since: CreatedAt(id)}
		if u != nil {
			n = *u
		}
		if n.Again = t.opens(h, at); u == nil || n.Again != u.Again {
			record(t, unseatedKind, u, &n)
		}
	}
}

// noteConflict keeps with a changed unit since when it has been a conflict, and whose.
func (t *tx) noteConflict(c *timeline.HoldChange) {
	was, is := c.Had && !c.Before.Place.Seated(), c.Has && !c.After.Place.Seated()
	if !was && !is {
		return
	}
	u := unseatedKind.in(t.acc).Get(c.ID())
	n := &unseated{ID: c.ID(), Since: t.now}
	if is {
		n.Again = t.opens(c.After.Hold, c.After.Place)
	}
	switch {
	case is && c.After.Flags.Has(timeline.PinnedSlot):
		n.Slot = t.acc.pin(c.ID())
	case is && !c.After.Flags.Has(timeline.PinnedArticle):
		owner := t.ownerSKU(c.After)
		n.SKU = &owner
	}
	switch {
	case is && !was:
		record(t, unseatedKind, nil, n)
	case was && !is && u != nil: // of a conflict from before such rows nothing is kept
		record(t, unseatedKind, u, nil)
	case was && is && u != nil && (!same(n.SKU, u.SKU) || n.Slot != u.Slot || n.Again != u.Again):
		n.Since = u.Since
		record(t, unseatedKind, u, n)
	}
}

// since is the instant at which a conflict lost its unit, or, where that was not kept, at which it was made.
func (a *account) since(id ID) int64 {
	if u := unseatedKind.in(a).Get(id); u != nil {
		return u.Since
	}
	return CreatedAt(id)
}

// ConflictFilter narrows a list of conflicts; zero members do not.
type ConflictFilter struct {
	Location, SKU, Article ID
	Window                 *Span // conflicts that overlap it
}

// Conflicts lists conflicts in order of creation: those from offset on, at most limit, and how many there are.
func (v View) Conflicts(f ConflictFilter, offset, limit int, now int64) (page []Conflict, total int) {
	a := v.acc
	if a.stock.ConflictLen() == 0 {
		return nil, 0
	}
	type row struct {
		h  timeline.Hold
		at timeline.Place
	}
	var rows []row
	for no := uint32(1); no <= a.ledger.Lot; no++ {
		lot := a.stock.Lot(timeline.LotNo(no))
		if a.stock.ConflictCount(timeline.LotRef(lot.No)) == 0 || !f.admits(a, lot) {
			continue
		}
		for h := range a.stock.Conflicts(lot.No) {
			if (f.Window == nil || overlaps(*f.Window, h.Span)) && (f.SKU == ID{} || f.SKU == a.conflictSKU(h, lot)) {
				rows = append(rows, row{h, timeline.Place{Lot: lot.No}})
			}
		}
	}
	slices.SortFunc(rows, func(x, y row) int { return x.h.ID.Compare(y.h.ID) })
	for _, r := range rows[min(offset, len(rows)):min(offset+limit, len(rows))] {
		page = append(page, Conflict{Unavailability: a.unavailability(r.h, r.at), Reason: whyUnseated(a.stock, timeline.Placed{Hold: r.h, Place: r.at}, now), Since: a.since(r.h.ID)})
	}
	return page, len(rows)
}

func (f ConflictFilter) admits(a *account, lot timeline.Lot) bool {
	return (f.Article == (ID{}) || f.Article == a.articleID(lot.Article)) &&
		(f.Location == (ID{}) || a.locationID(lot.Location) == f.Location)
}

// conflictSKU is the SKU that a conflict belongs to: of one that is pinned, or was made for no SKU and whose article had none, that of its article.
func (a *account) conflictSKU(h timeline.Hold, lot timeline.Lot) ID {
	r := a.articles().No(lot.Article)
	if sku := a.madeFor(h, r); sku != (ID{}) {
		return sku
	}
	if u := unseatedKind.in(a).Get(h.ID); u != nil && u.SKU != nil && *u.SKU != (ID{}) {
		return *u.SKU
	}
	if r != nil && r.SKU != nil {
		return *r.SKU
	}
	return ID{}
}

// overlaps says that a window, which may be an instant, meets a range.
func overlaps(w, s Span) bool {
	if w.Start == w.End {
		return s.Holds(w.Start)
	}
	return w.Overlaps(s)
}

// whyUnseated says what stands in the way of a conflict: too few units for all seated holds and it, or pins.
func whyUnseated(s *timeline.Stock, c timeline.Placed, now int64) string {
	pool := timeline.LotRef(c.Place.Lot)
	if lot := s.Lot(c.Place.Lot); lot.Pool != 0 && !c.Flags.Any(timeline.PinnedArticle|timeline.PinnedSlot) {
		pool = timeline.SKURef(lot.Pool)
	}
	room := Span{Start: max(c.Span.Start, now), End: c.Span.End} // what is past needs none
	if !room.Empty() && s.Full(pool, room) {
		return timeline.NotEnoughStock.String()
	}
	return timeline.FragmentedByPinnedHolds.String()
}
