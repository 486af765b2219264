package model

import (
	"math"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns changes of stock: units that come, go and change places, and articles taken out of their pools.

// addSlots makes units of an article at a location, and the lot where they are the first.
func (s *step) addSlots(article, location ID, n int, from int64) {
	no := s.a.lotAt(article, location)
	if no == 0 {
		no = uint32(len(s.a.Lots) + 1)
		r := slices.IndexFunc(s.a.Articles, func(x *Article) bool { return x.ID == article })
		l := slices.IndexFunc(s.a.Locations, func(x *Location) bool { return x.ID == location })
		s.a.Lots = append(s.a.Lots, Lot{no, r, l})
	}
	for range n {
		s.added = append(s.added, Slot{Lot: no, Span: Span{Start: from, End: Forever}})
	}
	s.frees(no, Span{Start: from, End: Forever})
}

// raise makes the quantity of an article at a location higher from an instant on: units that were to go just then stay,
// and the others are new.
func (s *step) raise(article, location ID, n int, from int64) {
	no := s.a.lotAt(article, location)
	for i := range s.a.Slots {
		if x := &s.a.Slots[i]; n > 0 && no != 0 && x.Lot == no && x.Span.End == from {
			x.Span.End = Forever
			n--
			s.a.Seen.CalledOff++
		}
	}
	if r := s.a.article(article); no != 0 && !r.Takes &&
		slices.ContainsFunc(s.a.Units, func(u Unit) bool { return u.Lot == no && u.Slot == 0 && u.Hull.End > s.now }) {
		s.a.Seen.RaisedOut++
	}
	s.addSlots(article, location, n, from)
}

func (s *step) instant(at *int64) int64 {
	if at != nil {
		return *at
	}
	return s.now
}

func (s *step) increase(o stock.IncreaseQuantity, err error) error {
	if s.a.article(o.Article) == nil || s.a.location(o.Location) == nil {
		return refused(err, base.CodeNotFound)
	}
	s.raise(o.Article, o.Location, o.Amount, s.instant(o.From))
	return refused(err, "")
}

func (s *step) decrease(o stock.DecreaseQuantity, res any, err error) error {
	if s.a.article(o.Article) == nil || s.a.location(o.Location) == nil {
		return refused(err, base.CodeNotFound)
	}
	return s.reduce(o.Article, o.Location, o.Amount, s.instant(o.From), o.Expected, o.Force, res, err)
}

func (s *step) transfer(o stock.TransferQuantity, res any, err error) error {
	if s.a.article(o.Article) == nil || s.a.location(o.From) == nil || s.a.location(o.To) == nil {
		return refused(err, base.CodeNotFound)
	}
	s.raise(o.Article, o.To, o.Amount, s.instant(o.At)) // units that wait there may take them
	return s.reduce(o.Article, o.From, o.Amount, s.instant(o.At), nil, false, res, err)
}

// reduce judges a reduction that was applied or refused.
func (s *step) reduce(article, location ID, amount int, at int64, expected *string, force bool, res any,
	err error) error {
	plan, _ := res.(*stock.QuantityPlan)
	if c := code(err); c != "" {
		d, _ := as[stock.QuantityDetails](err)
		if plan = d.Plan; plan == nil {
			return wrong("a refusal without a plan: %v", err)
		}
	}
	if fault := s.a.Plan(plan, article, location, amount, at, s.now); fault != nil {
		return fault
	}
	switch {
	case expected != nil && *expected != plan.Digest:
		return refused(err, base.CodePlanChanged)
	case !plan.OK && (!force || len(plan.Removed) < amount):
		return refused(err, base.CodeQuantityBlocked)
	case err != nil:
		return wrong("refused with a plan that does: %v", err)
	}
	waits := slices.ContainsFunc(plan.Blockers, func(b stock.Unavailability) bool {
		o := s.obs.unit(b.ID)
		return o != nil && o.Slot == 0
	}) || slices.ContainsFunc(s.was.Units, func(u Unit) bool { return u.Slot == 0 && u.Hull.End > s.now })
	// A unit that leaves for good and was moved to another article leaves from that one: it takes nothing from the
	// units after it here.
	waits = waits || slices.ContainsFunc(s.was.Units, func(u Unit) bool {
		o := s.obs.unit(u.ID)
		return u.oneWay() && o != nil && o.Lot != u.Lot
	})
	for _, b := range plan.Blockers {
		s.evict[b.ID] = true
		if u := s.a.unit(b.ID); u.Slot != 0 {
			s.frees(u.Lot, u.Hull) // until then
		}
		// A plan as of a past instant looks at all that comes after it. A unit that is seated again needs no room for
		// its past. And units that wait are tried by seats, where a plan leaves to other conflicts what they are
		// counted for: one of several that wait may have the room of another.
		u, o := s.a.unit(b.ID), s.obs.unit(b.ID)
		// A unit that leaves for good keeps its lot while it is seated; without a seat it may get one on another lot.
		// And a unit that was pinned to a slot that goes away waits for any unit of its article.
		elsewhere := u.oneWay() || u.slotPinned()
		if !u.articlePinned() { // it belongs to its SKU, and sits where those of other buffers are if those are its own
			home := s.a.poolOf(u.Lot)
			for _, p := range s.a.belongs(*u, s.now) {
				elsewhere = elsewhere || o != nil && p.has(o.Lot) && !home.has(o.Lot)
				home.Lots = append(slices.Clone(home.Lots), p.Lots...)
			}
			s.homes[u.ID] = home
		}
		if o == nil || o.Slot != 0 && at >= s.now && !waits && !elsewhere {
			return wrong("blocker %x did not become a conflict", b.ID)
		}

	}
	again := slices.ContainsFunc(s.a.Units, func(u Unit) bool {
		// a unit that moved may have moved again for a conflict, or for a unit that lost its slot and has another
		o := s.obs.unit(u.ID)
		return o != nil && o.Slot != 0 && (u.Slot == 0 ||
			slices.ContainsFunc(plan.Blockers, func(b stock.Unavailability) bool { return b.ID == u.ID }))
	})
	for _, m := range plan.Moves {
		if o := s.obs.unit(m.Unavailability); o == nil || o.Slot == 0 || !again && s.obs.slot(o.Slot).ID != m.To {
			return wrong("the plan moves %x to %x, the log says %+v", m.Unavailability, m.To, o)
		}
	}
	if err := s.departures(); err != nil {
		// a blocker that was to leave does not, and the lot keeps the unit that it would have taken
		return err
	}
	return s.lower(s.a.lotAt(article, location), amount, at, plan, again)
}

// lower judges the slots that a reduction has left: the quantity of the lot is as it was up to the instant, and lower
// by the amount at every instant from it on. Which slot has which end is the engine's choice, so the twin takes the
// slots as they are now. Those that the plan names end at the instant; a conflict that was seated again may have
// exchanged the ends.
func (s *step) lower(lot uint32, amount int, at int64, plan *stock.QuantityPlan, again bool) error {
	for _, t := range append(s.a.edges(lot, math.MinInt64), append(s.obs.edges(lot, math.MinInt64), at)...) {
		want := s.a.unitsAt(lot, t)
		if t >= at {
			want -= amount
		}
		if got := s.obs.unitsAt(lot, t); got != want {
			return wrong("lot %d was to have %d units at %d and has %d", lot, want, t, got)
		}
	}
	kept := s.a.Slots[:0:0]
	for _, x := range s.a.Slots {
		if x.Lot != lot {
			kept = append(kept, x)
			continue
		}
		if x.No >= 1<<31 {
			continue // the twin's own, of a departure that was called off: another's end, or a slot of the engine's
		}
		o := s.obs.slot(x.No)
		if o != nil && (o.ID != x.ID || o.Lot != x.Lot || o.Span.Start != x.Span.Start) {
			return wrong("slot %+v became %+v", x, o)
		}
		if o == nil && x.Span.Start == at {
			s.a.Seen.CalledOff++
		}
		ended := o == nil && x.Span.Start == at || o != nil && o.Span.End == at
		if slices.Contains(plan.Removed, x.ID) && !ended && !again {
			return wrong("slot %+v was to end at %d and is %+v", x, at, o)
		}
	}
	for _, o := range s.obs.Slots {
		if o.Lot == lot {
			kept = append(kept, o)
		}
	}
	s.a.Slots = kept
	return nil
}

func (s *step) patchArticle(o stock.PatchArticle, err error) error {
	r := s.a.article(o.ID)
	if r == nil || o.Fields.To.SKU != nil && s.a.sku(*o.Fields.To.SKU) == nil {
		return refused(err, base.CodeNotFound)
	}
	n := *r
	if o.Fields.Has("status") {
		n.Active = o.Fields.To.Status == stock.ArticleActive
	}
	if o.Fields.Has("skuId") {
		n.SKU = o.Fields.To.SKU
	}
	n.Before, n.After = patched(o.Before, n.Before), patched(o.After, n.After)
	n.Has = s.a.given(n.Has, o.Labels)
	return s.reassign(r, n, o.Force, err)
}

func (s *step) archiveArticle(o stock.ArchiveArticle, err error) error {
	r := s.a.article(o.ID)
	if r == nil {
		return refused(err, base.CodeNotFound)
	}
	if r.Archived == o.Archived {
		return refused(err, "")
	}
	n := *r
	n.Archived = o.Archived
	return s.reassign(r, n, o.Force, err)
}

// reassign judges what a changed article does to its holds. It is refused where one of them would become a conflict,
// unless it is forced.
func (s *step) reassign(r *Article, n Article, force bool, err error) error {
	n.Takes = n.Active && !n.Archived
	moved := (r.SKU == nil) != (n.SKU == nil) || r.SKU != nil && *r.SKU != *n.SKU
	if code(err) == base.CodeQuantityBlocked && !force && r.Takes && (!n.Takes || moved) {
		return s.blocked(r, n, err)
	}
	if err := refused(err, ""); err != nil {
		return err
	}
	old := map[uint32]Pool{}
	for _, l := range s.a.Lots {
		if s.a.of(l) == r {
			p := s.a.poolOf(l.No)
			p.Lots = slices.DeleteFunc(slices.Clone(p.Lots), func(no uint32) bool { return no == l.No })
			old[l.No] = p
			if n.Takes && (!r.Takes || moved) {
				s.freed = append(s.freed, freed{l.No, Span{Start: 0, End: Forever}, false})
			}
		}
	}
	was := s.a.clone()
	s.a.Articles[slices.Index(s.a.Articles, r)] = &n
	s.joined(was)
	if !r.Takes || n.Takes && !moved {
		return nil
	}
	for _, l := range s.a.Lots {
		if s.a.of(l) == &n {
			if err := s.leave(l.No, old[l.No], n.Takes, force); err != nil {
				return err
			}
		}
	}
	return nil
}

// joined frees the lots that share a pool with other lots than before: units may wait there.
func (s *step) joined(was *Account) {
	for _, l := range s.a.Lots {
		if l.Article < 0 {
			continue
		}
		before, now := was.poolOf(l.No), s.a.poolOf(l.No)
		if !now.Closed && slices.ContainsFunc(now.Lots, func(no uint32) bool { return !before.has(no) }) {
			s.freed = append(s.freed, freed{l.No, Span{Start: 0, End: Forever}, false})
		}
		if slices.ContainsFunc(before.Lots, func(no uint32) bool { return s.a.apart(l.No, no) }) {
			for _, u := range s.a.Units {
				if u.Slot == 0 && u.Lot == l.No && !u.articlePinned() && u.Hull.End > s.now {
					s.a.Seen.Parted++
				}
			}
		}
	}
}

// leave judges what becomes of the holds of a lot that was taken out of its pool: those that were assigned by the
// engine belong to their SKU, and sit on another lot of their pool, or of the one that they belong to from now on,
// where they fit; the rest become conflicts. A hold that was made for another SKU than that of the article that it was
// assigned to goes to its own SKU. A hold that was made for the article, or for the SKU that the article gets, stays
// while the article takes holds; so do all where the article had no SKU.
func (s *step) leave(lot uint32, pool Pool, stays, force bool) error {
	for _, u := range slices.Clone(s.a.Units) {
		if !s.leaves(u, lot, stays) {
			continue
		}
		if o := s.obs.unit(u.ID); !force && o != nil && o.Slot == 0 {
			return wrong("unit %+v became a conflict as its article was taken out, and nobody forced that", u)
		}
		made := s.a.meant(u)
		s.own(u)
		o := s.obs.unit(u.ID)
		if o == nil || o.Slot != 0 && (o.Lot == lot || u.articlePinned()) {
			return wrong("unit %+v left its lot and is %+v", u, o)
		}
		home := Pool{Lots: []uint32{lot}}
		if made == (ID{}) || s.was.isOf(lot, made) {
			home.Lots = append(home.Lots, pool.Lots...)
		}
		for _, p := range s.a.belongs(u, s.now) {
			home.Lots = append(home.Lots, p.Lots...)
		}
		s.homes[u.ID], s.evict[u.ID], s.pushed[u.ID] = home, true, true
		s.frees(lot, u.Hull)
		i := slices.IndexFunc(s.a.Units, func(x Unit) bool { return x.ID == u.ID })
		s.a.Units[i].Lot, s.a.Units[i].Slot, s.a.Units[i].Cut = o.Lot, o.Slot, o.Cut
	}
	return nil
}

// leaves says that a unit is to leave the lot of an article that is taken out of its pool.
func (s *step) leaves(u Unit, lot uint32, stays bool) bool {
	if u.Lot != lot || u.Slot == 0 || u.Hull.End <= s.now || u.out() || u.event() ||
		stays && (u.articlePinned() || s.was.of(s.was.lot(lot)).SKU == nil) {
		return false
	}
	made := s.a.meant(u)
	return !stays || made == (ID{}) || !s.a.isOf(lot, made)
}

// blocked judges a refusal to take an article out. A unit that stands in the way would have to leave the article. Where
// no other unit would, it must not be certain that it has a place to go to.
func (s *step) blocked(r *Article, n Article, err error) error {
	d, _ := as[stock.QuantityDetails](err)
	if d.Plan == nil || d.Plan.OK || len(d.Plan.Blockers) == 0 {
		return wrong("a refusal without a plan: %v", err)
	}
	s.a.Articles[slices.Index(s.a.Articles, r)] = &n
	var leaving []Unit
	for _, u := range s.a.Units {
		if s.a.of(s.a.lot(u.Lot)) == &n && s.leaves(u, u.Lot, n.Takes) {
			leaving = append(leaving, u)
		}
	}
	for _, b := range d.Plan.Blockers {
		if !slices.ContainsFunc(leaving, func(u Unit) bool { return u.ID == b.ID }) {
			return wrong("%x is said to stand in the way and does not leave its article", b.ID)
		}
	}
	s.a.Seen.Withheld++
	if u := leaving[0]; len(leaving) == 1 && !u.articlePinned() && s.was.isOf(u.Lot, s.a.meant(u)) {
		home := s.was.poolOf(u.Lot)
		home.Lots = slices.DeleteFunc(slices.Clone(home.Lots), func(no uint32) bool { return no == u.Lot })
		asks := s.a.required(u)
		need := awaits(u, rest(u, s.now))
		if len(home.Lots) > 0 && !s.a.partly(home, asks, s.now) && !s.a.full(home, need) &&
			s.a.easy(home, need, s.now) {
			return wrong("unit %+v was said to have no place where one is free", u)
		}
	}
	return errRefused
}
