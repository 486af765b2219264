package model

import "slices"

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

// wants says that what came free may be what a conflict waits for. A hold that moved to another lot of the pool leaves
// room only for who is pinned to the lot it left.
func (s *step) wants(u Unit) bool {
	return !s.a.astray(u) && slices.ContainsFunc(s.freed, func(f freed) bool {
		return f.span.Overlaps(u.Hull) && s.a.home(u).has(f.lot) && (!f.moved || u.articlePinned())
	})
}

// astray says that a conflict was made for a SKU that its article is not of any more.
func (a *Account) astray(u Unit) bool {
	r := a.Articles[a.lot(u.Lot).Article]
	if o := a.orderUnit(u.ID); o != nil && !u.articlePinned() {
		return r.SKU == nil || *r.SKU != o.Made
	}
	h := a.hold(u.Owner())
	if u.articlePinned() || h == nil {
		return false
	}
	nth := int(u.Nth) - 1
	for _, l := range h.Lines[:u.Line] {
		nth -= len(l.Made)
	}
	return r.SKU == nil || *r.SKU != h.Lines[u.Line].Made[nth]
}

// reseated judges a conflict that got a slot.
func (s *step) reseated(was, o Unit) error {
	if !s.a.home(was).has(o.Lot) {
		return wrong("conflict %+v was seated on lot %d, outside of its pool", was, o.Lot)
	}
	if r := s.a.Articles[s.a.lot(o.Lot).Article]; !r.Takes {
		return wrong("conflict %+v was seated on lot %d of an article that is out", was, o.Lot)
	}
	if want := max(0, s.now-was.Hull.Start); o.Cut != want {
		return wrong("conflict %+v was seated with a cut of %d, want %d", was, o.Cut, want)
	}
	return nil
}

// conflicts judges the conflicts that are left: none of them wanted what came free and could have had it, with what
// younger ones were given, too.
func (s *step) conflicts() error {
	for _, u := range s.a.Units {
		pushed := s.pushed[u.ID] && (!u.articlePinned() || len(s.a.poolOf(u.Lot).Lots) == 1)
		if u.Slot != 0 || u.slotPinned() || u.Hull.End <= s.now || !pushed && (s.evict[u.ID] || !s.wants(u)) {
			continue
		}
		home, need := s.a.home(u), rest(u, s.now)
		if home.Closed {
			continue // its article is out, and seats nobody
		}
		if asks := s.a.required(u); !u.articlePinned() && s.a.partly(home, asks, s.now) {
			continue // whom a search finds room for, and what may move for it, is judged where it is asked for
		}
		if !s.a.full(home, need) && s.a.easy(home, need, s.now) {
			return wrong("conflict %+v could be seated and was not", u)
		}
		if u.articlePinned() {
			continue // what is seated elsewhere in the meantime may have freed its lot
		}
		older := s.a.clone()
		older.Units = slices.DeleteFunc(older.Units, func(v Unit) bool {
			was := s.was.unit(v.ID)
			_, asked := s.homes[v.ID] // the command itself moved that one: it comes before what it leaves free for others
			return v.Slot != 0 && was != nil && was.Slot == 0 && !asked && u.ID.Before(v.ID)
		})
		if !older.full(home, need) && older.easy(home, need, s.now) {
			return wrong("conflict %+v was passed over for a younger one", u)
		}
	}
	return nil
}
