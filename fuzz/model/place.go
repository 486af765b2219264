package model

import (
	"cmp"
	"errors"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/timeline"
)

// This file owns taking stock: lines of a command judged together, those that name a slot first, then an article, then
// a SKU, each in line order.

// request is a line, resolved, or a part of a line of kits.
type request struct {
	line     int
	asked    int  // of what the line names
	kit      bool // the line names kits
	sku      ID   // zero: an article
	item     base.Item
	place    ID
	pools    []Pool
	body     Span
	hulls    []Span // by pool
	slot     uint32
	named    int // 0: a slot, 1: an article, 2: a SKU
	quantity int
	picky    bool // it requires something of articles
	asks     []order.Requirement
	past     bool // of a unit that is there: what is past of it needs no room
	was      Unit // that one
	stays    bool // it is a conflict and is given other dates alone, so it may stay one
	pushed   bool // others may have made room for it
	leaves   bool // its units go elsewhere when they end
}

// need is the room that a unit of the line takes in its i-th pool.
func (q request) need(i int, now int64) Span {
	if x := q.hulls[i]; q.past && x.Start < now && now < x.End {
		return Span{Start: now, End: x.End}
	}
	return q.hulls[i]
}

// short is what a refusal must say of a line.
type short struct{ line, requested, available int }

// resolve finds the pools of a line.
func (s *step) resolve(i base.Item, location ID) (q request, refusal base.Code) {
	if s.a.location(location) == nil {
		return q, base.CodeNotFound
	}
	q.named, q.item, q.place = 2, i, location
	if i.Article != (ID{}) {
		q.named = 1
		switch r := s.a.article(i.Article); {
		case r == nil:
			return q, base.CodeNotFound
		case !r.Takes:
			return q, base.CodeStateNotAllowed
		}
	} else if s.a.sku(i.SKU) == nil {
		return q, base.CodeNotFound
	}
	q.pools = s.a.pools(i, location)
	return q, ""
}

// judge says whether the lines can be had, all of them, and of those that cannot how many could. Lines are counted one
// after the other; the counts do not depend on who sits where. from has the units per pool of each line. Where it is
// open whether a line of kits can be had, it either leaves its parts to the lines after it or takes them: then it is
// not said which lines are short.
func (s *step) judge(requests []request) (may chance, shorts []short, from [][]int) {
	may, from = certain, make([][]int, len(requests))
	v, loose := s.a.clone(), false
	var before, somewhere []request
	for turn := range 8 { // those that have a place, then those that wait for one
		for i, q := range requests {
			if q.turn() != turn%4 || q.stays != (turn >= 4) ||
				q.kit && slices.ContainsFunc(shorts, func(x short) bool { return x.line == q.line }) {
				continue
			}
			meets := func(o request) bool { return s.a.touches(q, o) }
			alone := !slices.ContainsFunc(before, meets)
			c, available, taken := s.line(v, q, alone && may == certain)
			kept := false
			if q.past && q.slot == 0 {
				c, taken, kept = s.anew(v, q, alone && may == certain)
			}
			if q.stays && q.slot != 0 && c != certain { // what waits for its slot may go on to wait
				if !alone {
					c, taken = open, nil
				} else if s.mayTake(v, q.pools[0], q.need(0, s.now)) {
					c, taken, kept = certain, []int{1}, c == impossible
				}
			}
			if c == impossible && s.pushes(v, q) {
				c, taken, q.pushed = open, nil, true
			}
			if c != certain && s.a.names(q) {
				q.pushed = true // which lines it meets is asked of all of the pool
				switch x := v.named(q.pools[0], q.need(0, s.now), q.quantity, s.now); {
				case x == certain && may == certain && !slices.ContainsFunc(before, meets):
					c, taken = certain, []int{q.quantity}
					s.a.Seen.NamedLines++
				case x != impossible || slices.ContainsFunc(before, meets):
					c, taken = open, nil
				default:
					q.pushed = c != impossible
				}
			}
			if slices.ContainsFunc(before, func(o request) bool { return meets(o) && (s.narrow(q) || s.narrow(o)) }) {
				if c == certain {
					c, taken = open, nil // where the line before it sits, and whether it makes room, is for a search
				}
				loose = true
			}
			if c == certain && (may == open || slices.ContainsFunc(somewhere, meets)) {
				c, taken = open, nil // it is not known where the lines before it sit
			}
			if c == certain && (taken == nil && !kept || q.pushed) {
				somewhere = append(somewhere, q) // in one of its pools
			}
			loose = loose || q.kit && c == open
			if c == impossible {
				shorts = append(shorts, short{q.line, q.asked, available * q.asked / q.quantity})
				if q.kit { // whole or not at all
					v.Units = slices.DeleteFunc(v.Units,
						func(u Unit) bool { return u.ID == (ID{}) && int(u.Line) == q.line })
				}
			}
			may, from[i] = min(may, c), taken
			for p, n := range taken {
				for range n {
					u := seated(v, q, p, s.now)
					if kept {
						u.Slot = 0
					}
					v.Units = append(v.Units, u)
				}
			}
			before = append(before, q)
		}
	}
	if loose {
		return may, nil, from
	}
	slices.SortFunc(shorts, func(x, y short) int { return x.line - y.line })
	return may, shorts, from
}

// turn is when a request is judged: first what names a slot, then an article, then a SKU with requirements, then a SKU.
func (q request) turn() int {
	if q.named == 2 && !q.picky {
		return 3
	}
	return q.named
}

// suited says which slots have what a request requires.
func (s *step) suited(q request) func(Slot) bool {
	return func(x Slot) bool { return s.a.suits(x.Lot, q.asks, s.now) }
}

// most is how many units, at most n, of a pool can be seated over a window on what a request asks for; known is false
// where the pool is too large to say: then it is no more than that many.
func (s *step) most(v *Account, q request, p Pool, need Span, n int) (most int, known bool) {
	for ; n > 0; n-- {
		if ok, known := v.fits(p, need, n, s.suited(q), s.now); !known {
			return n, false
		} else if ok {
			return n, true
		}
	}
	return 0, true
}

// line judges one line on the account with the lines before it. sure: the lines before it are certain to sit.
func (s *step) line(v *Account, q request, sure bool) (may chance, available int, taken []int) {
	if q.slot != 0 {
		return s.onSlot(v, q)
	}
	may = certain
	rooms := make([]int, len(q.pools))
	for i, p := range q.pools {
		need := q.need(i, s.now)
		free, _, _, _ := v.least(p, need)
		if v.roams(p) { // it names an article, and takes of the pool
			all, _, _, _ := v.least(v.poolOf(p.Lots[0]), need)
			free = min(free, all)
		}
		rooms[i] = max(0, free)
		if q.picky && v.partly(p, q.asks, s.now) {
			known := false
			if sure {
				if rooms[i], known = s.most(v, q, p, need, rooms[i]); known {
					s.a.Seen.Fitted++
				}
			}
			if available += rooms[i]; !known {
				may = open
			}
			continue
		}
		available += rooms[i]
		if rooms[i] > 0 && !v.easy(p, need, s.now) && (!sure || v.freeThroughout(p, need) < rooms[i]) {
			may = open
		}
		if need.Start < s.now && !sure {
			may = open // what moved for a line before it may have left the past
		}
	}
	switch {
	case available < q.quantity && may == open && !sure && len(q.pools) > 0 && q.hulls[0].Start < s.now:
		return open, available, nil
	case available < q.quantity && available > 0 && q.leaves && v.waitsPinned(q.pools):
		return open, available, nil
	case available < q.quantity:
		return impossible, available, nil
	case may == open:
		return open, available, nil
	}
	taken = make([]int, len(q.pools))
	for range q.quantity { // from the pool with most available, of equal ones the first
		best := 0
		for i := range rooms {
			if rooms[i] > rooms[best] {
				best = i
			}
		}
		rooms[best]--
		taken[best]++
	}
	return certain, available, taken
}

// waitsPinned says that a unit that is pinned to an article waits in one of some pools. A unit that leaves for good may
// sit on the stock that the first one waits for: then the waiting one is not counted any more, and there is more for
// the next.
func (a *Account) waitsPinned(pools []Pool) bool {
	return slices.ContainsFunc(pools, func(p Pool) bool {
		return slices.ContainsFunc(a.unitsOf(p), func(u Unit) bool { return u.Slot == 0 && u.articlePinned() })
	})
}

// onSlot judges a line that names a slot: the count is not looked at.
func (s *step) onSlot(v *Account, q request) (may chance, available int, taken []int) {
	slot, need := v.slot(q.slot), q.need(0, s.now)
	taken = []int{1}
	blocked := slices.ContainsFunc(v.Units, func(u Unit) bool { return u.Slot == q.slot && u.Takes().Overlaps(need) })
	if slot.Span.Covers(need) && !blocked {
		return certain, 1, taken
	}
	if ok, known := v.fits(q.pools[0], need, 1, only(q.slot), s.now); known && !ok {
		return impossible, 0, nil
	}
	return open, 0, nil
}

// only is the slot of a number.
func only(no uint32) func(Slot) bool { return func(x Slot) bool { return x.No == no } }

// pushes says that a unit that moves onto an article, or a slot of it, may find room there because the units there go
// to other articles of the pool. Units for which conflicts are counted there stay theirs.
func (s *step) pushes(v *Account, q request) bool {
	if !q.past || q.named == 2 || len(q.pools) == 0 || q.pools[0].Closed {
		return false
	}
	lot, need := q.pools[0].Lots[0], q.need(0, s.now)
	wide := v.poolOf(lot)
	if len(wide.Lots) == 1 || v.full(wide, need) {
		return false
	}
	if !s.mayTake(v, wide, need) {
		return false
	}
	ok, known := v.fits(wide, need, 1, func(x Slot) bool { return x.Lot == lot && (q.slot == 0 || x.No == q.slot) },
		s.now)
	return ok || !known
}

// seated is a unit of a line as later lines of a command see it: where exactly it sits makes no difference to counts.
func seated(a *Account, q request, p int, now int64) Unit {
	u := Unit{Hull: q.need(p, now), Lot: q.pools[p].Lots[0], Line: uint16(q.line)}
	if q.named < 2 {
		u.Flags = timeline.PinnedArticle
	}
	if u.Slot = q.slot; q.slot != 0 {
		u.Flags |= timeline.PinnedSlot
		return u
	}
	for _, s := range a.slotsOf(q.pools[p]) {
		if s.Span.Overlaps(u.Hull) {
			u.Lot, u.Slot = s.Lot, s.No
		}
	}
	return u
}

// grant holds the outcome of a command that takes stock against the judgement, and a refusal's numbers, too.
func (s *step) grant(requests []request, err error) (ok bool, from [][]int, fault error) {
	may, shorts, from := s.judge(requests)
	ok, fault = judged(err, may)
	if fault == errRefused {
		if why := s.explained(requests, may, shorts, err); why != nil {
			return false, nil, why
		}
	}
	return ok, from, fault
}

// explained checks the details of a refusal.
func (s *step) explained(requests []request, may chance, shorts []short, err error) error {
	var e *base.Error
	errors.As(err, &e)
	d, ok := e.Details.(base.ShortageDetails)
	if !ok || len(d.Lines) == 0 {
		return wrong("a refusal without lines: %v", err)
	}
	left := cmp.Or(s.a.NamedAll, 1000)
	for _, l := range d.Lines {
		i := slices.IndexFunc(requests, func(q request) bool { return q.line == l.Line })
		if i < 0 || l.Requested != requests[i].asked || l.Available >= l.Requested || l.Available < 0 {
			return wrong("a shortage of %+v", l)
		}
		if l.Reason != "not_enough_stock" && l.Reason != "fragmented_by_pinned_holds" {
			return wrong("a shortage for the reason %q", l.Reason)
		}
		if why := s.inTheWay(requests, l, &left); why != nil {
			return why
		}
		for _, b := range l.Blockers {
			u := s.was.unit(b)
			if u == nil || !slices.ContainsFunc(requests, func(q request) bool {
				return q.line == l.Line && slices.ContainsFunc(q.pools, func(p Pool) bool {
					return p.has(u.Lot) || q.named < 2 && s.a.poolOf(p.Lots[0]).has(u.Lot)
				})
			}) {
				return wrong("%x stands in the way of line %d, but is not in its pools", b, l.Line)
			}
		}
	}
	if len(requests) == 1 && requests[0].slot == 0 && !requests[0].past && !s.narrow(requests[0]) &&
		!s.a.names(requests[0]) {
		total := 0
		for i, p := range requests[0].pools {
			free, _, _, _ := s.a.least(p, requests[0].hulls[i])
			total += max(0, free)
		}
		enough := total >= requests[0].quantity
		if pinned := d.Lines[0].Reason == "fragmented_by_pinned_holds"; enough != pinned &&
			(enough || s.sure(requests)) {
			return wrong("refused for %s with %d of %d units free", d.Lines[0].Reason, total, requests[0].quantity)
		}
	}
	if q := requests[0]; len(requests) == 1 && !q.kit && s.a.names(q) {
		l, need := d.Lines[0], q.need(0, s.now)
		if l.Available > 0 && s.a.byName(q.pools[0], need, l.Available, s.now) == impossible {
			return wrong("refused with %d of %d units, but so many cannot be had", l.Available, q.quantity)
		}
	}
	if fault := s.nextOf(requests, d.Lines[0].Next); fault != nil {
		return fault
	}
	if may != impossible || len(d.Lines) != len(shorts) {
		if may == impossible && len(shorts) > len(d.Lines) {
			return wrong("%d lines are short, the twin has %v", len(d.Lines), shorts)
		}
		return nil // a bounded search refused lines of its own
	}
	for i, l := range d.Lines {
		// Counts alone name the lines. Where pools are not easy, a line that the counts let in may find no seat after
		// the lines before it, and a line after it gets the room.
		w := shorts[i]
		if l.Line > w.line || l.Line < w.line && s.plain(requests) || l.Available != w.available && s.sure(requests) {
			return wrong("line %d is short with %d of %d, the twin says %+v", l.Line, l.Available, l.Requested, w)
		}
	}
	return nil
}

// nextOf judges the window in which a refused line is said to succeed: it can, and where it requires something of its
// articles, it could not for sure before.
func (s *step) nextOf(requests []request, w *Span) error {
	if slices.ContainsFunc(requests, func(q request) bool {
		return q.line != requests[0].line || q.slot != 0 || q.past || len(requests) > 1 && !q.kit
	}) {
		return nil
	}
	body := requests[0].body
	over := func(w Span) chance {
		list := slices.Clone(requests)
		for i := range list {
			list[i].hulls = nil
			for _, p := range list[i].pools {
				list[i].hulls = append(list[i].hulls, p.hull(w, s.now))
			}
		}
		list = endless(list)
		may, _, _ := s.judge(list)
		return may
	}
	end := int64(Forever)
	if w != nil {
		if end = w.Start; w.End-w.Start != body.End-body.Start || w.Start < body.Start || over(*w) == impossible {
			return wrong("refused over %+v at %d, the next window is %+v", body, s.now, *w)
		}
	}
	if !requests[0].picky || body.End == Forever {
		return nil
	}
	for _, q := range requests {
		for _, p := range q.pools {
			for _, t := range s.a.instants([]Pool{p}, Span{Start: body.Start, End: end}) {
				t = addSteps(p.Location.Zone, t, p.Before.Amount, p.Before.Unit)
				if x := (Span{Start: t, End: t + body.End - body.Start}); t >= body.Start &&
					t < min(end, body.Start+366*dayMs) && over(x) == certain {
					return wrong("refused over %+v at %d, the next window is %+v, and it can be had over %+v", body,
						s.now, w, x)
				}
			}
		}
	}
	return nil
}

// sure says that there is one line, in easy pools, so that every number of a refusal is determined.
func (s *step) sure(requests []request) bool { return len(requests) == 1 && s.plain(requests) }

// plain says that all pools of all lines are easy: what counts let in has a seat.
func (s *step) plain(requests []request) bool {
	for _, q := range requests {
		for i, p := range q.pools {
			if q.slot != 0 || q.past || s.narrow(q) || s.a.names(q) || q.hulls[i].Start < s.now ||
				!s.a.easy(p, q.hulls[i], s.now) {
				return false
			}
		}
	}
	return true
}

func kindOf(p base.PurchaseType) timeline.Kind {
	if p == base.PurchaseSale {
		return timeline.SalesReservation
	}
	return timeline.Booking
}

func (s *step) place(o hold.PlaceHold, res any, err error) error {
	for _, l := range o.Lines {
		if l.Window.End <= s.now && !o.AllowPast {
			return refused(err, base.CodeInvalid)
		}
	}
	if o.Customer != nil && !s.a.knows(*o.Customer) {
		return refused(err, base.CodeNotFound)
	}
	var requests []request
	for i, l := range o.Lines {
		list, refusal := s.ask(i, l)
		if refusal != "" {
			return refused(err, refusal)
		}
		requests = append(requests, list...)
	}
	for _, l := range o.Lines {
		if l.Return != (ID{}) && s.a.location(l.Return) == nil {
			return refused(err, base.CodeNotFound)
		}
	}
	ok, from, fault := s.grant(endless(requests), err)
	if !ok {
		if fault == errRefused && len(o.Lines) == 1 && requests[0].kit && !requests[0].leaves {
			return s.shortKits(o.Lines[0], err)
		}
		return fault
	}
	r := res.(*hold.Hold)
	h := &Hold{ID: r.ID, Status: hold.Confirmed, Note: o.Note}
	if o.ExpiresIn != nil {
		h.Status, h.Due = hold.Held, s.now+*o.ExpiresIn*1000
	}
	if o.Customer != nil {
		h.Customer = *o.Customer
	}
	for _, l := range o.Lines {
		h.Lines = append(h.Lines, asked(l))
	}
	if fault := s.seatHeld(h, h.ID, requests, from); fault != nil {
		return fault
	}
	s.a.Holds = append(s.a.Holds, h)
	return nil
}

// asked is a line of a hold that has no units yet.
func asked(l hold.HoldLineInput) Line {
	return Line{Item: l.Item, Location: l.Location, Return: cmp.Or(l.Return, l.Location), Window: l.Window,
		Quantity: l.Quantity, Purchase: cmp.Or(l.Purchase, base.PurchaseBooking)}
}

// seatHeld gives lines of a hold the units that were granted, whose ids follow one.
func (s *step) seatHeld(h *Hold, proto ID, requests []request, from [][]int) error {
	n := uint64(1)
	for i, q := range requests {
		line := &h.Lines[q.line]
		taken := make([]int, len(q.pools))
		if len(line.Made) == 0 {
			line.Base, line.First = proto, n
		}
		if line.CatalogItem != (ID{}) && line.Booked == nil {
			line.Booked = s.a.kit(line.CatalogItem).parts()
		}
		for range q.quantity {
			u := Unit{ID: follows(proto, n), Nth: n, Line: uint16(q.line), Kind: kindOf(line.Purchase)}
			if q.named == 1 {
				u.Flags = timeline.PinnedArticle
			}
			if line.Return != line.Location && line.Purchase != base.PurchaseSale {
				u.Flags |= timeline.OneWay
			}
			p := s.pooled(u.ID, q.pools)
			if p < 0 {
				return wrong("unit %d of line %d is outside of its pools", n, q.line)
			}
			taken[p]++
			if err := s.put(u.over(line.Window, q.hulls[p]), q.pools[p]); err != nil {
				return err
			}
			line.Made = append(line.Made, q.sku)
			n++
		}
		if from[i] != nil && !slices.Equal(taken, from[i]) {
			return wrong("line %d has %v units from its pools, the twin says %v", q.line, taken, from[i])
		}
	}
	return nil
}

// over gives a unit its range.
func (u Unit) over(body, hull Span) Unit {
	u.Hull, u.Before, u.After = hull, body.Start-hull.Start, 0
	if hull.End != Forever {
		u.After = hull.End - body.End
	}
	return u
}

// pooled is which of some pools the engine has put a unit into.
func (s *step) pooled(id ID, pools []Pool) int {
	o := s.obs.unit(id)
	return slices.IndexFunc(pools, func(p Pool) bool { return o != nil && p.has(o.Lot) })
}

func (s *step) move(o hold.MoveHold, err error) error {
	h := s.a.hold(o.ID)
	if want := h.over(); want != "" {
		return refused(err, want)
	}
	var requests []request
	var units []Unit
	var bodies []Span
	for i, l := range o.Lines {
		u := s.a.unit(l.Unavailability)
		if u == nil || s.a.Owner(*u) != h.ID || u.event() {
			return refused(err, base.CodeNotFound)
		}
		body := u.Body()
		if l.From != nil {
			body.Start = *l.From
		}
		if l.To != nil {
			body.End = *l.To
		}
		if body == u.Body() && l.Article == nil && l.Slot == nil {
			s.a.Seen.Still++
			continue // nothing is to be another than it is
		}
		q, n, refusal := s.moved(i, l, *u)
		if refusal != "" {
			return refused(err, refusal)
		}
		for _, p := range q.pools {
			q.hulls = append(q.hulls, s.moves(*u, p, body))
		}
		q.past = true
		requests, units, bodies = append(requests, q), append(units, n), append(bodies, body)
	}
	s.held = s.a.clone()
	for i, u := range units {
		requests[i].leaves = s.departing(u, bodies[i], s.a.Locations[s.a.lot(u.Lot).Location].ID)
	}
	ok, _, fault := s.regrant(requests, units, err, func() (bool, [][]int, error) { return s.grant(requests, err) })
	if !ok {
		return fault
	}
	for i, u := range units {
		p := s.pooled(u.ID, requests[i].pools)
		if done, err := s.waits(requests[i], u, bodies[i], p); done || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if p < 0 || requests[i].slot != 0 && s.obs.unit(u.ID).Slot != requests[i].slot {
			return wrong("unit %x was moved outside of where it was to go", u.ID)
		}
		if o.Lines[requests[i].line].Slot != nil {
			s.sent[u.ID] = requests[i].slot
		}
		if err := s.put(u.over(bodies[i], requests[i].hulls[p]), requests[i].pools[p]); err != nil {
			return err
		}
	}
	s.retime(s.a.hold(o.ID))
	return nil
}

// moves is the hull of a unit that goes to a pool: made anew where its dates change, or where bookings of the article
// that it goes to bring other buffers than those of the article that it leaves, or that is gone: it was deleted, or
// none was left where the unit waited.
func (s *step) moves(u Unit, p Pool, body Span) Span {
	leaves, goes := s.a.of(s.a.lot(u.Lot)), s.a.of(s.a.lot(p.Lots[0]))
	if body == u.Body() && leaves.ID != (ID{}) && !leaves.Gone && s.a.sameSetting(leaves, goes) {
		return u.Hull
	}
	if body == u.Body() {
		s.a.Seen.Restamped++
	}
	return p.hull(body, s.now)
}

// moved resolves where a unit is to go, and gives it the pins that it is to have.
func (s *step) moved(line int, l hold.MoveLine, u Unit) (q request, n Unit, refusal base.Code) {
	lot := s.a.lot(u.Lot)
	body := u.Body()
	if l.From != nil {
		body.Start = *l.From
	}
	if l.To != nil {
		body.End = *l.To
	}
	if body.Empty() || l.To != nil && u.Kind == timeline.SalesReservation {
		return q, u, base.CodeInvalid
	}
	article, location, slot := s.a.of(lot), s.a.Locations[lot.Location], uint32(0)
	switch {
	case l.Article != nil:
		if article = s.a.article(*l.Article); article == nil {
			return q, u, base.CodeNotFound
		}
		u.Flags = u.Flags&^timeline.PinnedSlot | timeline.PinnedArticle
	case l.Slot != nil:
		x := at(s.a.Slots, func(x *Slot) bool { return x.ID == *l.Slot })
		if x == nil {
			return q, u, base.CodeNotFound
		}
		slot, lot = x.No, s.a.lot(x.Lot)
		article, location = s.a.of(lot), s.a.Locations[lot.Location]
		u.Flags |= timeline.PinnedSlot | timeline.PinnedArticle
	case u.slotPinned() && u.Slot != 0:
		slot = u.Slot
	case u.slotPinned(): // it waits for its slot, as long as that is there
		if slot = s.was.Pins[u.ID]; !s.was.holds(slot, u.over(body, body), s.now) {
			slot, u.Flags = 0, u.Flags&^timeline.PinnedSlot
		}
	}
	made := s.was.meant(u)
	if article.Gone && made == (ID{}) {
		return q, u, base.CodeNotFound
	}
	item := base.Item{Article: article.ID}
	if made != (ID{}) { // what its article is of by now makes no difference
		if !s.a.isOf(u.Lot, made) {
			s.a.Seen.Strayed++
		}
		item = base.Item{SKU: made}
	} else if !u.articlePinned() && article.SKU != nil && article.Takes {
		item = base.Item{SKU: *article.SKU}
	}
	stays := u.Slot == 0 && l.Article == nil && l.Slot == nil
	if made == (ID{}) && !u.articlePinned() && !stays {
		s.remade(u, article.SKU)
	}
	if stays && made == (ID{}) && !article.Takes { // it waits, and may go on to wait for less
		q.named, slot = 1, 0
	} else {
		q, refusal = s.resolve(item, location.ID)
	}
	q.was, q.stays = u, stays
	q.line, q.body, q.asked, q.quantity, q.slot = line, body, 1, 1, slot
	if slot != 0 {
		q.named = 0
	}
	return q, u, refusal
}

// retime gives each line of a hold the window that its units have, where they all have one.
func (s *step) retime(h *Hold) {
	n := *h
	n.Lines = slices.Clone(h.Lines)
	for i := range n.Lines {
		var bodies []Span
		for k := range n.Lines[i].Made {
			if u := s.a.unit(n.Lines[i].unit(k)); u != nil {
				bodies = append(bodies, u.Body())
			}
		}
		if len(bodies) == len(n.Lines[i].Made) && len(slices.Compact(bodies)) == 1 {
			n.Lines[i].Window = bodies[0]
		}
	}
	s.setHold(&n)
}
