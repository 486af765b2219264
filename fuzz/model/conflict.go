package model

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/order"
)

// This file owns conflicts: which must be seated when stock comes free.

// home is where a conflict may be seated.
func (a *Account) home(u Unit) Pool {
	if u.articlePinned() {
		return a.lotPool(u.Lot)
	}
	return a.poolOf(u.Lot)
}

// rest is the part of a hull that needs room: what is past of it needs none.
func rest(u Unit, now int64) Span { return Span{Start: max(u.Hull.Start, now), End: u.Hull.End} }

// awaits is what a conflict needs: its hull, without end where its unit leaves then.
func awaits(u Unit, hull Span) Span {
	if u.oneWay() {
		hull.End = Forever
	}
	return hull
}

// wants says that what came free may be what a conflict waits for. A hold that moved to another lot of the pool leaves
// room only for a unit that is pinned to an article of the lot that it left.
func (s *step) wants(u Unit) bool {
	return slices.ContainsFunc(s.freed, func(f freed) bool {
		return f.span.Overlaps(awaits(u, u.Hull)) && s.a.home(u).has(f.lot) && (!f.moved || u.articlePinned())
	})
}

// meant is the SKU that an auto-assigned unit was made for, as its record says it: the one that its line names, or, on
// a line of kits, that of the component that it is. There is none where the line names an article, and none where it is
// not known which component the unit is: the line does not keep what it was booked with, and the kit has become another
// since, or was not whole.
func (a *Account) meant(u Unit) ID {
	switch {
	case u.articlePinned(), u.event():
		return ID{}
	case !u.ordered():
		h, nth := a.held(u)
		if h == nil {
			return ID{}
		}
		return h.Lines[u.Line].Made[nth] // its line keeps what a kit was held with, whatever the kit has become
	}
	x := a.orderUnit(u.ID)
	o := find(a.Orders, func(o *Order) bool { return uint64(o.No) == u.Nth })
	if x == nil || o == nil {
		return ID{}
	}
	l := at(o.Lines, func(l *OrderLine) bool { return l.No == u.Line })
	if l.Item.CatalogItem == (ID{}) {
		return l.Item.SKU
	}
	if l.Booked != nil {
		return l.Booked[x.Part].SKU
	}
	k := a.kit(l.Item.CatalogItem)
	if k == nil || k.Changed >= base.CreatedAt(u.ID) || x.Part >= len(k.parts()) {
		return ID{}
	}
	n := 0
	for _, y := range l.Units {
		if y.Part == x.Part {
			n++
		}
	}
	p := k.parts()[x.Part]
	if n != l.Quantity*p.Quantity {
		return ID{}
	}
	return p.SKU
}

// remade notes that a unit is of a SKU from now on, or of none, where it is not known what the unit was made for.
func (s *step) remade(u Unit, sku *ID) {
	var made ID
	if sku != nil {
		made = *sku
	}
	if x := s.a.orderUnit(u.ID); x != nil {
		x.Made = made
		return
	}
	h, nth := s.a.held(u)
	if h == nil {
		return
	}
	n := *h
	n.Lines = slices.Clone(h.Lines)
	l := &n.Lines[u.Line]
	l.Made = slices.Clone(l.Made)
	l.Made[nth] = made
	s.setHold(&n)
}

// made is the SKU that an auto-assigned unit belongs to: the one that it was made for, or, where that is not known, the
// one that its article had when the unit was made or got other dates. It is zero where the article had none, or the
// line names an article.
func (a *Account) made(u Unit) ID {
	if sku := a.meant(u); sku != (ID{}) {
		return sku
	}
	if o := a.orderUnit(u.ID); o != nil {
		return o.Made
	}
	h, nth := a.held(u)
	if h == nil {
		return ID{}
	}
	return h.Lines[u.Line].Made[nth]
}

// own notes of an auto-assigned unit that loses its place and was made for no SKU, as its article had none then, that
// it is of the one that its article had by now.
func (s *step) own(u Unit) {
	r := s.was.of(s.was.lot(u.Lot))
	if u.articlePinned() || s.a.made(u) != (ID{}) || r.SKU == nil {
		return
	}
	for _, o := range s.a.Orders {
		if o.No == uint32(u.Nth) && u.ordered() {
			s.edit(o.ID)
			s.a.orderUnit(u.ID).Made = *r.SKU
			return
		}
	}
}

// isOf says that the article of a lot is of a SKU.
func (a *Account) isOf(lot uint32, sku ID) bool {
	r := a.of(a.lot(lot))
	return r.SKU != nil && *r.SKU == sku
}

// ofSKU says that a conflict belongs to a SKU: the one that it was made for, or that of the article that it waits for.
func (a *Account) ofSKU(u Unit, sku ID) bool {
	if made := a.made(u); made != (ID{}) && !u.articlePinned() {
		return made == sku
	}
	r := a.of(a.lot(u.Lot))
	return r.SKU != nil && *r.SKU == sku
}

// belongs are the pools of which one has to have an auto-assigned conflict. They are the pools of its SKU at its
// location whose buffers are those on its hull, at whatever instant since it was made the buffers were put there; else
// the pool with the smallest article. An open end has no buffer after it, so that the hull may be right for several
// pools: then the conflict is in one of those that have an article with what its line requires, if there are any.
func (a *Account) belongs(u Unit, now int64) (pools []Pool) {
	all := a.skuPools(a.made(u), a.Locations[a.lot(u.Lot).Location].ID)
	for _, p := range all {
		first, last := p.hull(u.Body(), base.CreatedAt(u.ID)), p.hull(u.Body(), now)
		if first.End == u.Hull.End && first.Start <= u.Hull.Start && u.Hull.Start <= last.Start {
			pools = append(pools, p)
		}
	}
	least := func(p Pool) int {
		n := len(a.Articles)
		for _, l := range p.Lots {
			n = min(n, a.lot(l).Article)
		}
		return n
	}
	switch {
	case len(all) == 0:
		return nil
	case len(pools) == 0:
		return []Pool{slices.MinFunc(all, func(x, y Pool) int { return least(x) - least(y) })}
	case u.Hull.End != Forever:
		return pools
	}
	asks := a.required(u)
	meets := func(p Pool) bool {
		return slices.ContainsFunc(p.Lots, func(lot uint32) bool { return a.suits(lot, asks, now) })
	}
	if slices.ContainsFunc(pools, meets) {
		pools = slices.DeleteFunc(pools, func(p Pool) bool { return !meets(p) })
	}
	return pools
}

// limbo takes over lots of no article from the log: conflicts wait there whose SKU has none left.
func (s *step) limbo() {
	for n := len(s.a.Lots); n < len(s.obs.Lots) && s.obs.Lots[n].Article < 0; n++ {
		s.a.Lots = append(s.a.Lots, s.obs.Lots[n])
	}
}

// housed judges where conflicts are: an auto-assigned one counts where it belongs, and where no article is left for it
// nowhere.
func (s *step) housed() error {
	for _, u := range s.a.Units {
		if u.Slot != 0 || u.articlePinned() || u.Hull.End <= s.now || s.a.made(u) == (ID{}) {
			continue
		}
		pools := s.a.belongs(u, s.now)
		if then := s.a.belongs(u, s.a.Homed[u.ID]); slices.ContainsFunc(then,
			func(p Pool) bool { return p.has(u.Lot) }) {
			continue // as it was when it came there: that time passes moves nothing
		}
		switch {
		case len(pools) == 0 && s.a.of(s.a.lot(u.Lot)).Takes:
			return wrong("conflict %+v is counted where its SKU has no article", u)
		case len(pools) > 0 && !slices.ContainsFunc(pools, func(p Pool) bool { return p.has(u.Lot) }):
			return wrong("conflict %+v is not in its pool, one of %+v", u, pools)
		case len(pools) == 0:
			s.a.Seen.Homeless++
		}
	}
	return nil
}

// reseated judges a conflict that got a slot.
func (s *step) reseated(was, o Unit) error {
	if !s.a.home(was).has(o.Lot) && (was.articlePinned() ||
		!slices.ContainsFunc(s.a.belongs(was, s.now), func(p Pool) bool { return p.has(o.Lot) })) {
		return wrong("conflict %+v was seated on lot %d, outside of its pool", was, o.Lot)
	}
	if r := s.a.of(s.a.lot(o.Lot)); !r.Takes && !o.event() {
		return wrong("conflict %+v was seated on lot %d of an article that is out", was, o.Lot)
	}
	if made := s.a.made(was); made != (ID{}) && !was.articlePinned() && !s.a.isOf(o.Lot, made) {
		return wrong("conflict %+v was seated on lot %d, of another SKU than the one that it was made for", was, o.Lot)
	}
	if want := max(0, s.now-was.Hull.Start); o.Cut != want {
		return wrong("conflict %+v was seated with a cut of %d, want %d", was, o.Cut, want)
	}
	if s.a.home(was).Closed {
		s.a.Seen.Repaired++
	}
	switch {
	case s.wants(was):
	case s.gains(was):
		s.a.Seen.Gained++
	default:
		s.a.Seen.Opened++
	}
	if int(o.Lot) <= len(s.was.Lots) && s.was.apart(was.Lot, o.Lot) && s.a.poolOf(was.Lot).has(o.Lot) {
		s.a.Seen.Joined++
	}
	return nil
}

// opened says that a unit was a conflict before as all units were taken at some instant of what it needed then: that
// now one is free throughout, time has done.
func (s *step) opened(was *Unit) bool {
	return was != nil && was.Slot == 0 && was.Hull.End > s.was.At &&
		s.was.full(s.was.home(*was), awaits(*was, rest(*was, s.was.At)))
}

// gains says that an article of a conflict's pool has by now what the conflict requires, as another day has come; or
// that the command gave one what a unit in that pool requires: that unit may be the conflict, or may leave its own
// place to it.
func (s *step) gains(u Unit) bool {
	pool := s.a.home(u)
	come := func(asks []order.Requirement, then int64) bool {
		return len(asks) > 0 && slices.ContainsFunc(pool.Lots, func(lot uint32) bool {
			return int(lot) <= len(s.was.Lots) && !s.was.suits(lot, asks, then) && s.a.suits(lot, asks, s.now)
		})
	}
	if was := s.was.unit(u.ID); was != nil && was.Slot == 0 && s.was.today(s.was.At) != s.a.today(s.now) &&
		come(s.a.required(u), s.was.At) {
		s.a.Seen.Turned++
		return true
	}
	return s.relabels() && slices.ContainsFunc(s.a.Units, func(v Unit) bool {
		return s.a.poolOf(u.Lot).has(v.Lot) && come(s.a.required(v), s.now)
	})
}

// idle says that a unit of an article of a pool that has what is required is free for all of a range.
func (a *Account) idle(p Pool, asks []order.Requirement, need Span, now int64) bool {
	return slices.ContainsFunc(a.slotsOf(p), func(x Slot) bool {
		return a.suits(x.Lot, asks, now) && x.Span.Covers(need) &&
			!slices.ContainsFunc(a.Units, func(v Unit) bool { return v.Slot == x.No && v.Takes().Overlaps(need) })
	})
}

// conflicts judges the conflicts that are left, after any command and any passing of time: none of them wanted what
// came free, or has room by time alone, and could have had it, with what younger ones were given, too.
func (s *step) conflicts() error {
	if err := s.housed(); err != nil {
		return err
	}
	for _, u := range s.a.Units {
		pushed := s.pushed[u.ID] && (!u.articlePinned() || len(s.a.poolOf(u.Lot).Lots) == 1)
		was := s.was.unit(u.ID)
		wanted := s.wants(u) || s.gains(u)
		if u.Slot != 0 || u.Hull.End <= s.now || !pushed && (s.evict[u.ID] || !wanted && !s.opened(was)) {
			continue
		}
		home, need := s.a.home(u), awaits(u, rest(u, s.now))
		if home.Closed && !u.event() {
			continue // its article is out, and seats nothing but its scheduled events
		}
		if no := s.a.Pins[u.ID]; s.a.holds(no, u, s.now) {
			if !slices.ContainsFunc(s.a.Units, func(v Unit) bool { return v.Slot == no && v.Takes().Overlaps(need) }) {
				return wrong("conflict %+v could be seated on its slot %d and was not", u, no)
			}
			s.a.Seen.Pins++
			continue // what is there may move; that is judged where it is asked for
		}
		if asks := s.a.required(u); !u.articlePinned() && s.a.partly(home, asks, s.now) {
			if s.a.idle(home, asks, need, s.now) {
				return wrong("conflict %+v could be seated on a unit that has what it requires, and was not", u)
			}
			continue // whether a search finds room for it, and by which moves, is judged where that is asked for
		}
		if !s.a.full(home, need) && s.a.easy(home, need, s.now) {
			return wrong("conflict %+v could be seated and was not", u)
		}
		if u.articlePinned() || !wanted && !pushed {
			continue // what is seated elsewhere in the meantime may have freed its lot
		}
		if was != nil && was.Slot == 0 && was.Lot != u.Lot {
			continue // it came to this pool as others had their turn: what was free there then is theirs
		}
		older := s.a.clone()
		older.Units = slices.DeleteFunc(older.Units, func(v Unit) bool {
			was := s.was.unit(v.ID)
			// the command itself moved that one: it comes before what it leaves free for others
			_, asked := s.homes[v.ID]
			return v.Slot != 0 && was != nil && was.Slot == 0 && !asked && u.ID.Before(v.ID)
		})
		if !older.full(home, need) && older.easy(home, need, s.now) {
			return wrong("conflict %+v was passed over for a younger one", u)
		}
	}
	return nil
}
