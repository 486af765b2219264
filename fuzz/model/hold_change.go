package model

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/hold"
)

// This file owns the change of a hold: of its lines, and of the customer that it is for.

// changeHold judges lines of a hold that are added, changed and taken out: lines that are taken out leave their room,
// lines that are changed or added are asked for together as one hold, and all else stays as it is.
func (s *step) changeHold(o hold.ChangeHold, res any, err error) error {
	h := s.a.hold(o.ID)
	unknown := func(line int) bool { return h != nil && line >= len(h.Lines) }
	if slices.ContainsFunc(o.Remove, unknown) ||
		slices.ContainsFunc(o.Change, func(c hold.HoldLineChange) bool { return unknown(c.Line) }) {
		return refused(err, base.CodeInvalid)
	}
	if slices.ContainsFunc(o.Change,
		func(c hold.HoldLineChange) bool { return c.From != nil && c.To != nil && *c.From >= *c.To }) {
		return refused(err, base.CodeInvalid)
	}
	if want := h.over(); want != "" {
		return refused(err, want)
	}
	n, wants, wrongly := s.recast(h, &o)
	if wrongly || len(n.Lines) == 0 {
		return refused(err, base.CodeInvalid)
	}
	if o.Customer.Set {
		if n.Customer = o.Customer.Value; !o.Customer.Null && !s.a.knows(n.Customer) {
			return refused(err, base.CodeNotFound)
		}
	}
	kept := make([]int, len(h.Lines))
	for i := range h.Lines {
		kept[i] = slices.IndexFunc(n.Lines,
			func(l Line) bool { return l.Base == h.Lines[i].Base && l.First == h.Lines[i].First })
	}
	blocked := s.callOff(h, kept, o.Remove)
	for i := range h.Lines {
		if kept[i] < 0 {
			s.takeLine(h, i)
			continue
		}
		for k := range h.Lines[i].Made {
			s.a.unit(h.Lines[i].unit(k)).Line = uint16(kept[i])
		}
	}
	var requests []request
	for i, l := range n.Lines {
		if wants[i] == nil {
			continue
		}
		list, refusal := s.askHeld(i, l, *wants[i])
		switch {
		case refusal != "":
			return refused(err, refusal)
		case s.a.location(l.Return) == nil:
			return refused(err, base.CodeNotFound)
		}
		requests = append(requests, list...)
	}
	if len(requests) == 0 {
		s.setHold(n)
		return refused(err, "")
	}
	if code(err) == base.CodeQuantityBlocked {
		if blocked == impossible {
			return wrong("refused for what counts on units that a hold brings, and nothing does: %v", err)
		}
		s.a.Seen.StaysHere++
		return errRefused
	}
	ok, from, fault := s.grant(endless(requests), err)
	if !ok {
		return fault
	}
	if blocked == certain {
		return wrong("a hold was given other dates, and brings a unit that is promised no more")
	}
	s.a.Seen.Recast++
	first := res.(*hold.Hold).Lines[requests[0].line].Units[0].ID
	if fault := s.seatHeld(n, follows(first, ^uint64(0)), requests, from); fault != nil {
		return fault
	}
	s.setHold(n)
	return nil
}

// askHeld makes the requests of a line of a hold that is new or asked for anew: a line of kits is of the components
// that it was made of.
func (s *step) askHeld(i int, l Line, want hold.HoldLineInput) ([]request, base.Code) {
	k := s.a.kit(l.CatalogItem)
	switch {
	case l.Booked == nil || k == nil:
		return s.ask(i, want)
	case !k.Takes:
		return nil, base.CodeStateNotAllowed
	case !slices.Equal(l.Booked, k.parts()):
		s.a.Seen.Reheld++
	}
	return s.askParts(i, want, l.Booked)
}

// recast is a hold with the lines that it is to have, and for each that is new or changed what it asks for; wrongly
// says that one cannot be.
func (s *step) recast(h *Hold, o *hold.ChangeHold) (n *Hold, wants []*hold.HoldLineInput, wrongly bool) {
	c := *h
	n, c.Lines = &c, nil
	add := func(l Line, to ID) {
		l.Made, l.Base, l.First = nil, ID{}, 0
		wrongly = wrongly || l.Window.Empty() || l.Purchase == base.PurchaseSale && l.Window.End != Forever ||
			l.Window.End <= s.now && !o.AllowPast
		n.Lines = append(n.Lines, l)
		wants = append(wants, &hold.HoldLineInput{Item: l.Item, Location: l.Location, Return: to, Window: l.Window,
			Quantity: l.Quantity, Purchase: l.Purchase})
	}
	for i, l := range h.Lines {
		if slices.Contains(o.Remove, i) {
			continue
		}
		was := l
		if x := at(o.Change, func(x *hold.HoldLineChange) bool { return x.Line == i }); x != nil {
			if x.Quantity != nil {
				l.Quantity = *x.Quantity
			}
			if x.From != nil {
				l.Window.Start = *x.From
			}
			if x.To != nil {
				l.Window.End = *x.To
			}
			wrongly = wrongly || l.Window.Empty() || l.Purchase == base.PurchaseSale && l.Window.End != Forever
		}
		if l.Window != was.Window || l.Quantity != was.Quantity {
			add(l, l.Return)
			continue
		}
		n.Lines, wants = append(n.Lines, l), append(wants, nil)
	}
	for _, x := range o.Add {
		add(asked(x), x.Return)
	}
	return n, wants, wrongly
}

// callOff calls off the departures of units of a hold that are taken out, and of units that are asked for anew. Where
// others count on the arrival of the latter, there has to be a unit for them all the same: it says whether the change
// may be refused for want of one.
func (s *step) callOff(h *Hold, kept, removed []int) (blocked chance) {
	each := func(anew bool, do func(id ID, x *departure)) {
		for i := range h.Lines {
			for k := range h.Lines[i].Made {
				id := h.Lines[i].unit(k)
				if x := s.plannedFor(id); x != nil && kept[i] < 0 && slices.Contains(removed, i) != anew {
					do(id, x)
				}
			}
		}
	}
	promised := true
	each(false, func(id ID, _ *departure) {
		promised = false
		if s.mayLift(id) {
			s.lift(id)
		}
	})
	idle := map[uint32]int{}
	count := func(id ID, x *departure) {
		to, at := s.arrival(id, x)
		if _, is := idle[to]; !is {
			idle[to] = s.a.freeThroughout(s.a.lotPool(to), Span{Start: at, End: Forever})
		}
		if idle[to]--; idle[to] < 0 {
			blocked = max(blocked, open)
		}
		s.promised = s.promised || promised
	}
	for again := true; again; { // one that is called off may let another be
		again = false
		each(true, func(id ID, x *departure) {
			if s.mayLift(id) {
				count(id, x)
				again = s.lift(id)
			}
		})
	}
	each(true, func(id ID, x *departure) {
		count(id, x)
		switch {
		case !s.loosen(id) && s.arrivals[id] == nil:
			blocked = certain
		case s.arrivals[id] != nil:
			s.replaced = append(s.replaced, id)
		}
	})
	return blocked
}

// arriveAnew takes away the arrivals that others count on of units that a hold asked for anew: they have another unit
// by now, those that come in their place with them. Nobody loses one for it.
func (s *step) arriveAnew() error {
	for _, id := range s.replaced {
		x := s.arrivals[id]
		delete(s.arrivals, id)
		to := s.a.lotAt(s.a.of(s.a.lot(x.lot)).ID, x.to)
		if !s.a.canGo(to, x.at, s.now) {
			return wrong("unit %x was asked for anew, and others count on when it was to arrive", id)
		}
		s.a.Seen.Shifted++
		s.displaced(to, x.at)
		s.one(to, x.at, -1)
	}
	for _, u := range s.was.Units {
		if o := s.obs.unit(u.ID); s.promised && u.Slot != 0 && o != nil && o.Slot == 0 {
			return wrong("unit %+v lost its place to other dates of a hold", u)
		}
	}
	return nil
}
