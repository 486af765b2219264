package model

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns what is called off at the counter: units that were not fetched, and steps that are taken back.

// cancelUnit judges a unit that was not fetched: its stock is free, and its line costs less by that unit. A kit costs
// nothing where none of its units is left; the units of a component that are left belong to as few kits as possible.
func (s *step) cancelUnit(o *Order, op order.CancelUnit, err error) error {
	list, refusal := o.named([]ID{op.Unit},
		func(_ *OrderLine, u *OrderUnit) bool { return u.State == order.Pending || u.State == order.Prepared })
	if err := refused(err, refusal); err != nil || refusal != "" {
		return err
	}
	l, u := list[0].line, list[0].unit
	s.free(u)
	u.State = order.Cancelled
	s.a.Seen.Unfetched++
	for l.Waived = l.Quantity; !l.carries(l.Quantity - l.Waived); l.Waived-- {
	}
	if l.emptied(s.now) && l.state() == order.Returned {
		s.a.Seen.Leftover++
	}
	o.reprice()
	return nil
}

// carries says that so many of a line's items have all units of it that are left.
func (l *OrderLine) carries(items int) bool {
	all, left := map[int]int{}, map[int]int{}
	for _, u := range l.Units {
		if all[u.Part]++; u.State != order.Cancelled {
			left[u.Part]++
		}
	}
	for part, n := range left {
		if n*l.Quantity > all[part]*items {
			return false
		}
	}
	return true
}

// undo judges steps that are taken back: a unit waits, is out or lies ready as it did before, over the dates of its
// line. Units that may move make room, and nothing becomes a conflict.
func (s *step) undo(o *Order, op order.UndoOrder, rec *order.OrderRecord, err error) error {
	if o.Archived {
		return refused(err, base.CodeStateNotAllowed)
	}
	list, refusal := o.named(op.Units, func(_ *OrderLine, _ *OrderUnit) bool { return true })
	if refusal != "" {
		return refused(err, refusal)
	}
	may := certain
	for i, x := range list {
		c, refusal, fault := s.undoOne(o, x, i > 0, rec, err)
		switch {
		case fault != nil:
			return fault
		case refusal != "" && code(err) == base.CodeQuantityBlocked: // of several, any may be answered
			return wrong("blocked, but unit %x is refused with %s", x.unit.ID, refusal)
		case refusal != "":
			return rightly(err, refusal)
		}
		may = min(may, c)
	}
	switch c := code(err); {
	case c == "" && may != impossible:
	case c == base.CodeQuantityBlocked && may != certain:
		s.a.Seen.GoneOn++
		return errRefused
	default:
		return wrong("answered %q (%v), but the twin says %d", c, err, may)
	}
	s.a.Seen.Undone++
	if o.Status == order.OrderClosed {
		o.Status = order.OrderActive
	}
	return nil
}

// undoOne judges the last step of one unit.
func (s *step) undoOne(o *Order, x picked, more bool, rec *order.OrderRecord, err error) (may chance, refusal base.Code,
	fault error) {
	l, u := x.line, x.unit
	switch {
	case u.State == order.Prepared:
		u.State = order.Pending
		return certain, "", nil
	case u.State == order.Fulfilled && u.Lot != 0:
		return s.unsell(o, l, u, err)
	case u.State == order.Fulfilled:
		if b := l.Subscribe; b != nil && b.CancelledAt != 0 { // nothing is left that it could wait for
			s.a.Seen.StaysOut++
			return certain, base.CodeStateNotAllowed, nil
		}
		h := *s.a.unit(u.Hold)
		if r := s.a.of(s.a.lot(h.Lot)); !r.Takes {
			return certain, base.CodeStateNotAllowed, nil
		}
		n, leaves := s.overLine(h, l), h.oneWay()
		if leaves = leaves && n.Hull.End != h.Hull.End; leaves {
			// at another instant, as its article has other buffers by now
			s.loosen(h.ID)
			h = *s.a.unit(u.Hold)
			n = s.overLine(h, l)
		}
		n.Flags &^= timeline.Out
		if may = s.stretches(h, n); leaves {
			may = min(may, open)
		}
		if more && may == certain && !h.Hull.Covers(n.Hull) {
			may = open
		}
		if err == nil {
			s.take(h.ID)
			fault = s.put(n, s.a.home(n))
		}
		s.unhand(u)
		return may, "", fault
	case u.State == order.Returned && o.Return != o.Pickup:
		return certain, base.CodeConflict, nil
	case u.State == order.Returned:
		may, refusal, fault = s.outAgain(o, l, u, more, rec, err)
		if refusal == "" {
			s.refilled(o, l, u)
		}
		u.State, u.Returned, u.Was = order.Fulfilled, 0, 0
		s.a.Seen.OutAgain++
		return may, refusal, fault
	}
	return certain, base.CodeStateNotAllowed, nil
}

// unhand makes a unit one that was not handed over.
func (s *step) unhand(u *OrderUnit) {
	u.State, u.Handed, u.Lot = order.Pending, 0, 0
	if u.WasReady {
		u.State = order.Prepared
	}
	u.WasReady = false
}

// overLine is a unit over the dates of its line, with the buffers of the article that it is on.
func (s *step) overLine(u Unit, l *OrderLine) Unit {
	at := s.a.lot(u.Lot)
	before, after := s.a.buffers(s.a.of(at))
	return u.over(l.Window, Hull(l.Window, before, after, s.a.Locations[at.Location].Zone, s.now))
}

// unsell judges a sale that is taken back: the unit that went with it is there again.
func (s *step) unsell(o *Order, l *OrderLine, u *OrderUnit, err error) (may chance, refusal base.Code, fault error) {
	at := s.a.lot(u.Lot)
	r := s.a.of(at)
	switch {
	case r.Gone:
		return certain, base.CodeConflict, nil
	case !r.Takes:
		return certain, base.CodeStateNotAllowed, nil
	}
	if i := slices.IndexFunc(s.a.Slots, func(x Slot) bool { return x.Lot == u.Lot && x.Span.End == u.Handed }); i >= 0 {
		s.a.Slots[i].Span.End = Forever
		s.frees(u.Lot, Span{Start: s.now, End: Forever})
	} else {
		s.addSlots(r.ID, s.a.Locations[at.Location].ID, 1, s.now)
	}
	if err == nil {
		h := s.holdOf(o, l, u, u.Hold, u.Lot)
		fault = s.put(s.overLine(h, l), s.a.home(h)) // from its own slot it may have moved on for others
	}
	s.unhand(u)
	s.a.Seen.Unsold++
	return certain, "", fault
}

// holdOf is a unit of an order that has none, with the pins that its line gives it.
func (s *step) holdOf(o *Order, l *OrderLine, u *OrderUnit, id ID, lot uint32) Unit {
	h := Unit{ID: id, Nth: uint64(o.No), Line: l.No, Kind: kindOf(l.Purchase), Lot: lot,
		Flags: timeline.Flags(0).WithBlocker(timeline.BlockerOrder)}
	if x := *u; u.ByHand || s.orderedAs(l, &x, h).Article != (ID{}) {
		h.Flags |= timeline.PinnedArticle
	}
	if len(l.Requires) > 0 {
		h.Flags |= timeline.Choosy
	}
	return h
}

// outAgain judges a return that is taken back: the unit is out, to the end of its line or of the running step.
func (s *step) outAgain(o *Order, l *OrderLine, u *OrderUnit, more bool, rec *order.OrderRecord, err error) (may chance,
	refusal base.Code, fault error) {
	end := s.notOver(l.Window.End)
	if h := s.a.unit(u.Hold); h != nil {
		n := s.handed(*h, Span{Start: h.Body().Start, End: end})
		n.Flags &^= timeline.Back
		if may = s.stretches(*h, n); more && may == certain && !h.Hull.Covers(n.Hull) {
			may = open
		}
		if was := *h; err == nil {
			s.take(was.ID)
			fault = s.putOut(n, was.Slot)
		}
		return may, "", fault
	}
	r := s.a.of(s.a.lot(u.Was))
	if r.Gone {
		return certain, base.CodeConflict, nil
	}
	if err != nil {
		return open, "", nil
	}
	id := ID{}
	for i := range rec.Lines {
		for j := range rec.Lines[i].Units {
			if y := &rec.Lines[i].Units[j]; y.ID == u.ID {
				id = y.Hold
			}
		}
	}
	u.Hold = id
	h := s.holdOf(o, l, u, id, u.Was)
	h.Flags |= timeline.Out
	body := Span{Start: min(l.Window.Start, u.Handed), End: end}
	_, after := s.a.buffers(r)
	hull := Hull(body, stock.Buffer{}, after, s.a.Locations[s.a.lot(u.Was).Location].Zone, s.now)
	return open, "", s.put(h.over(body, hull), s.a.lotPool(u.Was))
}
