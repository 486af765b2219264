package model

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/hold"
)

// This file owns the change of a hold: of its lines, and of whom it is for.

// changeHold judges lines of a hold that are added, changed and taken out: what goes leaves its room, what is changed
// or added is asked for as one hold would, and all else stays as it is.
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
	for i := range h.Lines {
		if kept := slices.IndexFunc(n.Lines,
			func(l Line) bool { return l.Base == h.Lines[i].Base && l.First == h.Lines[i].First }); kept < 0 {
			s.takeLine(h, i)
		} else {
			for k := range h.Lines[i].Made {
				s.a.unit(h.Lines[i].unit(k)).Line = uint16(kept)
			}
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
	ok, from, fault := s.grant(endless(requests), err)
	if !ok {
		return fault
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
