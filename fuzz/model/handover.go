package model

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the way of a unit to the customer and back, and what time does to one that is late.

// overdueStep is by how much a unit that is late is kept longer, in milliseconds: the engine's default.
const overdueStep = 15 * 60 * 1000

// picked is a unit with its line.
type picked struct {
	line *OrderLine
	unit *OrderUnit
}

// named are the units that an operation is about: those named, or all that can.
func (o *Order) named(ids []ID, can func(*OrderLine, *OrderUnit) bool) (list []picked, refusal base.Code) {
	if ids == nil {
		o.each(func(l *OrderLine, u *OrderUnit) {
			if can(l, u) {
				list = append(list, picked{l, u})
			}
		})
		return list, ""
	}
	for _, id := range ids {
		var x picked
		o.each(func(l *OrderLine, u *OrderUnit) {
			if u.ID == id {
				x = picked{l, u}
			}
		})
		if x.unit == nil {
			return nil, base.CodeNotFound
		}
		if !can(x.line, x.unit) {
			return nil, base.CodeStateNotAllowed
		}
		list = append(list, x)
	}
	return list, ""
}

// handed is a unit that is out with another body: what follows it is the buffer of its article as it is now.
func (s *step) handed(u Unit, body Span) Unit {
	l := s.a.lot(u.Lot)
	hull, old := Span{Start: u.Hull.Start, End: body.End}, u.After
	if body.Start != u.Body().Start {
		hull.Start = body.Start
	}
	if body.End != Forever {
		hull.End += old
		if r := s.a.of(l); !r.Gone {
			_, after := s.a.buffers(r)
			hull.End = Hull(body, stock.Buffer{}, after, s.a.Locations[l.Location].Zone, s.now).End
		}
	}
	return u.over(body, hull)
}

// more are the stretches of a hull that a unit takes in addition to those that it had.
func more(had, has Span) (list []Span) {
	for _, x := range []Span{{Start: has.Start, End: min(has.End, had.Start)},
		{Start: max(has.Start, had.End), End: has.End}} {
		if !x.Empty() {
			list = append(list, x)
		}
	}
	return list
}

// stretches says whether a unit that is out can have another hull on its slot.
func (s *step) stretches(h, n Unit) chance {
	v := s.a.clone()
	v.Slots = append(v.Slots, s.added...) // what the command has given back
	pool := v.poolOf(h.Lot)
	// one that is not out after all begins later
	need := Span{Start: max(h.Takes().Start, n.Hull.Start), End: n.Hull.End}
	extra := more(h.Takes(), need)
	for _, x := range extra {
		if free, _, _, _ := v.least(pool, x); free < 1 {
			return impossible
		}
	}
	if slot := s.a.slot(h.Slot); slot != nil && n.Hull.End <= slot.Span.Start {
		// its slot began after its planned time: none of the slot is for it
		return open
	}
	if n.Hull.End <= h.Takes().Start && slices.ContainsFunc(v.Units, func(u Unit) bool {
		return u.ID != h.ID && u.Slot == h.Slot && u.Takes().Overlaps(Span{Start: n.Hull.End - 1, End: n.Hull.End})
	}) {
		return open // its planned time was over before it came to its slot, and another unit had the slot then
	}
	if len(extra) == 0 {
		return certain
	}
	v.Units = slices.DeleteFunc(v.Units, func(u Unit) bool { return u.ID == h.ID })
	clear := !slices.ContainsFunc(v.Units, func(u Unit) bool { return u.Slot == h.Slot && u.Takes().Overlaps(need) })
	if clear && v.slot(h.Slot).Span.Covers(need) {
		return certain
	}
	if ok, known := v.fits(pool, need, 1, only(h.Slot), s.now); known && !ok {
		return impossible
	}
	return open
}

// putOut puts a unit that is out back on the slot that it is on.
func (s *step) putOut(n Unit, slot uint32) error {
	s.fixed[n.ID] = slot
	return s.put(n, s.a.lotPool(n.Lot))
}

// fulfill judges a hand-over.
func (s *step) fulfill(o *Order, op order.FulfillOrder, rec *order.OrderRecord, err error) error {
	at := s.instant(op.At)
	if at > s.now {
		return refused(err, base.CodeInvalid)
	}
	list, refusal := o.named(op.Units,
		func(_ *OrderLine, u *OrderUnit) bool { return u.State == order.Pending || u.State == order.Prepared })
	switch {
	case refusal != "":
		return refused(err, refusal)
	case len(list) == 0:
		return refused(err, base.CodeConflict)
	}
	may := certain
	for _, x := range list {
		h := s.a.unit(x.unit.Hold)
		if h.Body().End <= s.now {
			return refused(err, base.CodeStateNotAllowed)
		}
	}
	early := 0
	for i, x := range list {
		h := *s.a.unit(x.unit.Hold)
		if op.Ready && at < h.Body().Start && h.Slot != 0 {
			if err := s.clear(h.Slot, err); err != nil {
				return err
			}
		}
		fixes := i > 0 // the units before are out, and may not move any more
		home := s.a.home(h)
		if h.oneWay() {
			may = min(may, open)
		}
		body := h.Body()
		narrow := !h.articlePinned() && s.a.partly(home, s.a.required(h), s.now)
		before := early // what moved for the units before may have left the lot that this one is pinned to
		full := func(need Span) chance {
			if fixes && h.oneWay() { // those before leave for good: units after them may have none
				return open
			}
			return s.clears(h, need, before > 0)
		}
		if h.Slot == 0 {
			early++
			need, own := rest(h, s.now), s.a.Pins[h.ID]
			if !s.a.holds(own, h, s.now) {
				own = 0
			}
			switch {
			case home.Closed && !h.event():
				may = impossible // an article that is out gives no unit
			case own != 0:
				if slices.ContainsFunc(s.a.Units,
					func(v Unit) bool { return v.Slot == own && v.Takes().Overlaps(need) }) || early > 1 {
					h.Slot = own
					may = min(may, full(need))
					h.Slot = 0
				}
			case s.a.full(home, need):
				may = min(may, full(need))
			case !s.a.easy(home, need, s.now) || early > 1 || narrow || fixes:
				may = min(may, open)
			}
		}
		n := h
		if at < body.Start {
			early++
			s.a.Seen.Early++
			n = s.handed(h, Span{Start: at, End: body.End})
			had := h.Takes()
			if h.Slot == 0 {
				had.Start = max(had.Start, s.now)
			}
			has := Span{Start: min(had.Start, max(at, s.now)), End: n.Hull.End}
			c := certain
			for _, w := range more(had, has) {
				if s.a.full(home, w) { // conflicts have no unit that could be in the way
					c = min(c, full(has))
				}
			}
			if c == certain && len(more(had, has)) > 0 {
				v := s.a.clone()
				v.Units = slices.DeleteFunc(v.Units, func(u Unit) bool { return u.ID == h.ID })
				// none, too, where a unit that was sold before this one took it along: this one moved away
				on := v.slot(h.Slot)
				clear := on != nil && on.Span.Covers(has) &&
					!slices.ContainsFunc(v.Units,
						func(u Unit) bool { return u.Slot == h.Slot && u.Takes().Overlaps(has) })
				if h.slotPinned() && !clear || !h.slotPinned() && !clear &&
					(narrow || fixes || !v.easy(home, has, s.now)) || early > 1 {
					c = open
				}
			}
			may = min(may, c)
		}
		if err != nil {
			continue
		}
		s.take(h.ID)
		s.freed = untaken(s.freed, h.Slot)
		x.unit.WasReady = x.unit.State == order.Prepared
		x.unit.State, x.unit.Handed = order.Fulfilled, at
		if n.Kind == timeline.SalesReservation {
			if err := s.sell(x, h, home, at, before > 0, rec); err != nil {
				return err
			}
			continue
		}
		n.Flags |= timeline.Out
		if err := s.put(n, home); err != nil {
			return err
		}
	}
	_, fault := judged(err, may)
	return fault
}

// ready judges a unit that came back and is ready: its buffer ends now.
func (s *step) ready(o *Order, op order.ReadyUnit, err error) error {
	list, refusal := o.named([]ID{op.Unit}, func(_ *OrderLine, u *OrderUnit) bool { return u.State == order.Returned })
	if refusal != "" {
		return refused(err, refusal)
	}
	u := s.a.unit(list[0].unit.Hold)
	switch {
	case u == nil || !s.buffered(*u):
		return refused(err, "")
	case o.Return != o.Pickup:
		return refused(err, base.CodeConflict)
	}
	if err := refused(err, ""); err != nil {
		return err
	}
	s.a.Seen.Ready++
	return s.endBuffer(*u)
}

// buffered says that a unit has come back, and lies in its buffer.
func (s *step) buffered(u Unit) bool {
	return u.Flags.Has(timeline.Back) && u.Body().End <= s.now && u.Takes().Start < s.now && s.now < u.Hull.End
}

// endBuffer ends the buffer of a unit that is back now: what is left of it is free.
func (s *step) endBuffer(u Unit) error {
	n := u
	n.Hull.End, n.After = s.now, s.now-u.Body().End
	s.take(u.ID)
	return s.putOut(n, u.Slot)
}

// clear ends the buffer of what lies on a slot now.
func (s *step) clear(slot uint32, err error) error {
	for _, u := range s.a.Units {
		o := find(s.a.Orders, func(o *Order) bool { return uint64(o.No) == u.Nth })
		if u.Slot != slot || !u.ordered() || !s.buffered(u) || o.Return != o.Pickup {
			continue
		}
		if err == nil {
			s.a.Seen.Ready++
			return s.endBuffer(u)
		}
		i := slices.IndexFunc(s.a.Units, func(x Unit) bool { return x.ID == u.ID })
		s.a.Units[i].Hull.End, s.a.Units[i].After = s.now, s.now-u.Body().End
		return nil
	}
	return nil
}

// sell takes a unit out of the stock for good: from the hand-over on there is one less where it was, and from the
// beginning of what it took of its slot where that is later, as what lies before that is another's. One that gets
// another slot on the way, for itself or, moved, for one that was handed over before it, is of the article that the
// answer names, as of that a slot goes that was there first.
func (s *step) sell(x picked, h Unit, home Pool, at int64, moved bool, rec *order.OrderRecord) error {
	s.a.Seen.Sold++
	slot, from := h.Slot, max(at, min(h.Takes().Start, s.now))
	x.unit.Lot = h.Lot
	if h.Slot == 0 { // what is past of it needs no room
		from = max(at, s.now)
	}
	if h.Slot == 0 || moved || at < h.Body().Start {
		said := said(rec, x.unit.ID)
		for _, no := range home.Lots {
			if s.a.of(s.a.lot(no)).ID == said {
				x.unit.Lot, slot = no, 0
			}
		}
		for _, y := range s.a.Slots {
			if y.Lot != x.unit.Lot || y.Span.End != Forever || y.Span.Start > from {
				continue
			}
			if y.No == h.Slot && s.went(y, from) { // it went with its slot: the older one is for the next sale
				slot = y.No
				break
			}
			if slot == 0 || y.Span.Start < s.a.slot(slot).Span.Start {
				slot = y.No
			}
		}
	}
	more := func(at int64) bool { return s.obs.endings(x.unit.Lot, at) > s.a.endings(x.unit.Lot, at) }
	if moved && !more(from) && more(max(at, s.now)) {
		from = max(at, s.now) // what is past of it stayed where it was
	}
	if slot == 0 && s.a.fewest(x.unit.Lot, from) > 0 { // it goes until one comes that takes over its end
		s.one(x.unit.Lot, from, -1)
		return nil
	}
	if slot == 0 {
		return wrong("unit %+v was sold, and no unit of an article of its pool is there to go", h)
	}
	s.endSlot(slot, from)
	return nil
}

// went says whether a slot that had no end has one at an instant now, or is no more as it began then.
func (s *step) went(y Slot, at int64) bool {
	now := s.obs.slot(y.No)
	return now == nil && y.Span.Start == at || now != nil && now.Span.End == at
}

// endings counts the slots of a lot that end at an instant, less those that begin then: one that ends where it begins
// is no more.
func (a *Account) endings(lot uint32, at int64) (n int) {
	for _, x := range a.Slots {
		switch {
		case x.Lot != lot:
		case x.Span.End == at:
			n++
		case x.Span.Start == at:
			n--
		}
	}
	return n
}

// said is the article that an answer says a unit of an order is of.
func said(rec *order.OrderRecord, unit ID) (article ID) {
	n := 0
	for i := range rec.Lines {
		for j := range rec.Lines[i].Units {
			if rec.Lines[i].Units[j].ID == unit && n < len(rec.Units) {
				article = rec.Units[n].Article
			}
			n++
		}
	}
	return article
}

// clears says whether a unit of a named article or slot, all of which are taken, may have one as what is there goes to
// other units of the pool.
func (s *step) clears(h Unit, need Span, moved bool) chance {
	wide := s.a.poolOf(h.Lot)
	if !h.articlePinned() || len(wide.Lots) == 1 && !h.slotPinned() {
		return impossible
	}
	v := s.a.clone()
	v.Units = slices.DeleteFunc(v.Units, func(u Unit) bool { return u.ID == h.ID })
	on := func(x Slot) bool { return x.Lot == h.Lot && (!h.slotPinned() || x.No == h.Slot) }
	if ok, known := v.fits(wide, need, 1, on, s.now); known && !ok && !moved {
		return impossible
	}
	return open
}

// untaken takes back what take noted of a seated unit: it stays.
func untaken(list []freed, slot uint32) []freed {
	if slot == 0 {
		return list
	}
	return list[:len(list)-1]
}

// giveBack judges units that come back.
func (s *step) giveBack(o *Order, op order.ReturnOrder, err error) error {
	at := s.instant(op.At)
	if at > s.now {
		return refused(err, base.CodeInvalid)
	}
	list, refusal := o.named(op.Units, func(l *OrderLine, u *OrderUnit) bool {
		return u.State == order.Fulfilled && l.Purchase != base.PurchaseSale
	})
	switch {
	case refusal != "":
		return refused(err, refusal)
	case len(list) == 0:
		return refused(err, base.CodeConflict)
	}
	for _, x := range list {
		if at < x.unit.Handed {
			return refused(err, base.CodeInvalid)
		}
	}
	if err := refused(err, ""); err != nil {
		return err
	}
	for _, x := range list {
		u := *s.a.unit(x.unit.Hold)
		x.unit.State, x.unit.Returned = order.Returned, at
		s.a.Seen.Ended += x.line.endless()
		begins := max(at, s.now)
		body := u.Body()
		n := s.handed(u, Span{Start: body.Start, End: at})
		here := s.a.Locations[s.a.lot(u.Lot).Location].ID
		elsewhere := o.Return != o.Pickup && o.Return != here && s.a.location(o.Return) != nil
		if at <= body.Start || n.Hull.End <= u.Takes().Start {
			if elsewhere {
				s.loosen(u.ID)
			}
			s.free(x.unit)
			x.unit.Was = u.Lot
		} else {
			s.loosen(u.ID)
			u = *s.a.unit(u.ID)
			n.Flags = n.Flags&^timeline.OneWay | timeline.Back
			if err := s.stay(u, n, false); err != nil {
				return err
			}
			begins = n.Hull.End
		}
		if elsewhere {
			s.left[u.ID] = &departure{u.Lot, begins, o.Return}
			// before the next one comes back: what others planned on its arrival may have this one
			s.depart(u.ID, s.left[u.ID])
			s.a.Seen.Elsewhere++
		}
		x.line.emptied(at)
	}
	return nil
}

// stay judges a unit that keeps its slot over another hull, whatever is in its way. One that is late and cannot leave
// then waits for what others bring that are late as well.
func (s *step) stay(u, n Unit, late bool) error {
	if n.Hull.End != u.Hull.End { // one that leaves does so at another instant
		s.loosen(u.ID)
	}
	n.Flags &^= u.Flags &^ s.a.unit(u.ID).Flags & timeline.OneWay
	for _, x := range s.a.Units {
		if x.ID != u.ID && x.Slot == u.Slot && x.Takes().Overlaps(Span{Start: u.Takes().Start, End: n.Hull.End}) {
			s.push(x.ID)
		}
	}
	s.take(u.ID)
	s.stayed = append(s.stayed, n)
	if err := s.putOut(n, u.Slot); err != nil {
		return err
	}
	// before the next one: what others planned on its arrival may have this one
	switch x := s.wanted(u.ID); {
	case x == nil || s.plannedFor(u.ID) != nil:
	case late:
		s.setOff([]ID{u.ID})
	default:
		s.depart(u.ID, x)
	}
	return nil
}

// push lets a unit become a conflict, if it cannot be seated elsewhere.
func (s *step) push(id ID) { s.evict[id], s.pushed[id] = true, true }

// overdue keeps units that are not back in time, those first that were to be back first.
func (s *step) overdue() error {
	var late []Unit
	for _, u := range s.a.Units {
		if u.out() && !u.Flags.Has(timeline.Back) && u.Kind == timeline.Booking && u.Hull.End != Forever &&
			u.Body().End <= s.now {
			late = append(late, u)
		}
	}
	slices.SortStableFunc(late, func(x, y Unit) int { return cmp.Compare(x.Body().End, y.Body().End) })
	for _, u := range late {
		s.a.Seen.Late++
		n := s.handed(u, Span{Start: u.Body().Start, End: s.notOver(u.Body().End)})
		if len(late) > 1 { // what made room for one may be in the way of another
			for _, x := range s.a.Units {
				if x.Slot != 0 && !x.out() && s.a.poolOf(u.Lot).has(x.Lot) && x.Takes().Overlaps(n.Hull) {
					s.push(x.ID)
				}
			}
		}
		if err := s.stay(u, n, true); err != nil {
			return err
		}
	}
	var gone, leave []ID // units of what has expired, and those that are late and have waited
	for _, u := range s.was.Units {
		if s.a.unit(u.ID) == nil {
			gone = append(gone, u.ID)
		}
	}
	s.liftMost(gone)
	for _, u := range late {
		if s.wanted(u.ID) != nil && s.plannedFor(u.ID) == nil {
			leave = append(leave, u.ID)
		}
	}
	for _, id := range s.setOff(leave) {
		s.depart(id, s.wanted(id))
	}
	return nil
}

// notOver is until when a unit is kept that was to be back at an instant.
func (s *step) notOver(end int64) int64 {
	for end <= s.now {
		end += overdueStep
	}
	return end
}

// postpone takes over from the engine which slots end later because units stayed on them longer. The ends that a lot
// gained must be ends of those units, each in the place of an earlier one, and there must be none while another slot
// has such an end to spare. An end at which another slot of the lot begins is gained by no slot: the slot that would
// gain it continues in the place of that other one.
func (s *step) postpone(slots []Slot) error {
	lots := map[uint32][]int64{} // of each lot the ends of its units that stayed
	for _, u := range s.stayed {
		lots[u.Lot] = append(lots[u.Lot], u.Hull.End)
	}
	for lot, stayed := range lots {
		later := func(first, was, end int64) error {
			if x := s.spare(lot, first, end); x != nil {
				return wrong("a slot of lot %d was to end at %d and ends at %d, where slot %+v has nothing behind it",
					lot, was, end, *x)
			}
			at := slices.IndexFunc(slots, func(x Slot) bool { return x.Lot == lot && x.Span.End == was })
			slots[at].Span.End = end
			s.a.Seen.Postponed++
			return nil
		}
		starts, _ := missing(slots, s.obs.Slots, lot, func(x Slot) int64 { return x.Span.Start })
		for _, end := range starts {
			lost, gained := s.ends(slots, lot)
			at := slices.Index(stayed, end)
			if at < 0 || len(lost) <= len(gained) || lost[0] >= end {
				continue
			}
			stayed = slices.Delete(stayed, at, at+1)
			if err := later(lost[0], lost[0], end); err != nil {
				return err
			}
		}
		lost, gained := s.ends(slots, lot)
		if len(lost) != len(gained) {
			continue // what is wrong with them is none of this
		}
		for i, end := range gained {
			at := slices.Index(stayed, end)
			if at < 0 || lost[i] >= end {
				break
			}
			stayed = slices.Delete(stayed, at, at+1)
			if err := later(lost[0], lost[i], end); err != nil {
				return err
			}
		}
	}
	return nil
}

// ends are the ends that slots of a lot had and have no more, and the ends that they have now and did not have. Slots
// that are gone because they got the end at which they begin are left out.
func (s *step) ends(slots []Slot, lot uint32) (lost, gained []int64) {
	starts, _ := missing(slots, s.obs.Slots, lot, func(x Slot) int64 { return x.Span.Start })
	var left []Slot
	for _, x := range slots {
		if i := slices.Index(starts, x.Span.End); x.Lot == lot && i >= 0 {
			starts = slices.Delete(starts, i, i+1)
			continue
		}
		left = append(left, x)
	}
	return missing(left, s.obs.Slots, lot, func(x Slot) int64 { return x.Span.End })
}

// spare is a slot of a lot that is idle from an instant on, both before and after the command, and that ends no earlier
// than another. It may also be a slot that begins by that instant only now, because the unit that was to leave with it
// stays.
func (s *step) spare(lot uint32, from, end int64) *Slot {
	return at(s.obs.Slots, func(o *Slot) bool {
		x := s.a.slot(o.No)
		lies := func(u Unit) bool { return u.Slot == o.No && u.Hull.End > from }
		return o.Lot == lot && o.Span.Start <= from && o.Span.End >= end && (x == nil || x.Span.End >= end) &&
			!slices.ContainsFunc(s.was.Units, lies) && !slices.ContainsFunc(s.obs.Units, lies)
	})
}
