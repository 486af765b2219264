package model

import (
	"maps"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/timeline"
)

// This file owns the stock of orders: lines are requests like those of holds, judged as those are. Where overbooking is
// allowed, what is short becomes a conflict.

// want asks for stock for some of a line's item.
type want struct{ line, n int }

func (l *OrderLine) input(o *Order, n int) hold.HoldLineInput {
	return hold.HoldLineInput{Item: l.Item, Location: o.Pickup, Return: o.Return, Window: l.Window, Quantity: n,
		Purchase: l.Purchase}
}

func (u Unit) ordered() bool { return u.Flags.Blocker() == timeline.BlockerOrder }

// free takes the stock of a unit back.
func (s *step) free(u *OrderUnit) {
	if u.Hold != (ID{}) && s.a.unit(u.Hold) != nil {
		s.take(u.Hold)
	}
	u.Hold = ID{}
}

// endSlot lets a slot end.
func (s *step) endSlot(no uint32, end int64) {
	i := slices.IndexFunc(s.a.Slots, func(x Slot) bool { return x.No == no })
	if s.a.Slots[i].Span.End = end; s.a.Slots[i].Span.Empty() {
		s.a.Slots = slices.Delete(s.a.Slots, i, i+1)
	}
}

// allow judges requests for stock: granted, or refused for what is short. Where overbooking is allowed, a request for
// an article or a SKU that has never been at its place waits there for an article that could come; where there is none,
// it is refused.
func (s *step) allow(requests []request, overbook bool, err error) (ok bool, from [][]int, fault error) {
	if !overbook && anyLeaves(requests) {
		return s.grantLeaving(requests, err)
	}
	if !overbook {
		return s.grant(requests, err)
	}
	may := certain
	coming := map[int]*Article{} // of requests without a pool
	for i, q := range requests {
		if len(q.pools) == 0 && !q.stays {
			if coming[i] = s.couldCome(q); coming[i] == nil {
				may = impossible
			}
		}
	}
	if ok, fault = judged(err, may); !ok {
		return ok, nil, fault
	}
	if fault := s.come(requests, coming); fault != nil {
		return false, nil, fault
	}
	return ok, make([][]int, len(requests)), nil
}

// come lets requests for stock that has never been at their place wait there, each in its turn: for the article that
// could come, or, where a SKU is asked for, for an article that came in for the requests before it.
func (s *step) come(requests []request, coming map[int]*Article) error {
	came := map[int]*Article{} // by request, the article that came in for it
	turns := slices.Sorted(maps.Keys(coming))
	slices.SortStableFunc(turns, func(i, j int) int { return requests[i].turn() - requests[j].turn() })
	for _, i := range turns {
		if q := requests[i]; q.named == 2 && slices.ContainsFunc(turns, func(j int) bool {
			r := came[j]
			return r != nil && requests[j].place == q.place && r.SKU != nil && *r.SKU == q.item.SKU &&
				s.a.meetsAll(r, q.asks, s.now)
		}) {
			continue
		}
		r, q := coming[i], requests[i]
		no := s.a.lotAmong(s.obs.Lots, r.ID, q.place)
		if no == 0 {
			return wrong("article %x has no lot at %x, where it is waited for", r.ID, q.place)
		}
		s.knowLots(no)
		came[i] = r
		s.a.Seen.Ahead++
	}
	turns = slices.DeleteFunc(turns, func(i int) bool { return came[i] == nil })
	for _, i := range turns {
		q, r := &requests[i], came[i]
		p := s.a.poolOf(s.a.lotAt(r.ID, q.place))
		if q.named < 2 {
			p = s.a.lotPool(s.a.lotAt(r.ID, q.place))
		}
		q.pools, q.hulls = []Pool{p}, []Span{p.hull(q.body, s.now)}
	}
	for _, i := range turns {
		r, place := came[i], requests[i].place
		for j := range requests { // a request for any of the SKU may wait there, too
			if came[j] == nil && r.SKU != nil {
				s.alsoIn(&requests[j], r, s.a.poolOf(s.a.lotAt(r.ID, place)), place)
			}
		}
	}
	return nil
}

// alsoIn notes that a request for a SKU may have units of a pool that an article is in at a place.
func (s *step) alsoIn(q *request, r *Article, p Pool, place ID) {
	if q.named < 2 || q.place != place || q.item.SKU != *r.SKU || !s.a.meetsAll(r, q.asks, s.now) {
		return
	}
	j := slices.IndexFunc(q.pools, func(x Pool) bool { return p.has(x.Lots[0]) })
	if j < 0 {
		q.pools, q.hulls = append(q.pools, p), append(q.hulls, p.hull(q.body, s.now))
		return
	}
	q.pools[j] = p
}

// couldCome is the article that a request that may be overbooked waits for, where no article that it asks for has ever
// been: the one that is named, or the first of the SKU. It takes holds and has what is required.
func (s *step) couldCome(q request) *Article {
	return find(s.a.Articles, func(r *Article) bool {
		return !r.Gone && r.Takes && s.a.meetsAll(r, q.asks, s.now) &&
			(r.ID == q.item.Article || q.item.SKU != ID{} && r.SKU != nil && *r.SKU == q.item.SKU)
	})
}

// takeStock judges units for lines of an order, all or none. Units that wait for stock get it first.
func (s *step) takeStock(o *Order, wants []want, overbook bool, rec *order.OrderRecord, err error) error {
	var requests []request
	for _, w := range wants {
		list, refusal := s.askLine(o, w.line, w.n)
		if refusal != "" {
			return refused(err, refusal)
		}
		requests = append(requests, s.requiring(list, o.Lines[w.line].Requires)...)
	}
	ok, from, fault := s.allow(requests, overbook, err)
	if !ok || fault != nil {
		return fault
	}
	parts := map[int]int{} // of each line, how many of its requests had their turn
	var made []seat
	for i, q := range requests {
		l := &o.Lines[q.line]
		taken := make([]int, len(q.pools))
		for range q.quantity {
			j := slices.IndexFunc(l.Units,
				func(u OrderUnit) bool { return u.Hold == (ID{}) && u.State != order.Cancelled })
			if j < 0 {
				j = len(l.Units)
				l.Units = append(l.Units, OrderUnit{})
			}
			if q.line >= len(rec.Lines) || j >= len(rec.Lines[q.line].Units) {
				return wrong("unit %d of line %d is missing", j, q.line)
			}
			u := &l.Units[j]
			u.Hold, u.Part, u.Made, u.ByHand = rec.Lines[q.line].Units[j].Hold, parts[q.line], q.sku,
				l.Item.Article != ID{}
			x := Unit{ID: u.Hold, Nth: uint64(o.No), Line: l.No, Kind: kindOf(l.Purchase),
				Flags: timeline.Flags(0).WithBlocker(timeline.BlockerOrder)}
			if q.named == 1 {
				x.Flags |= timeline.PinnedArticle
			}
			if q.picky {
				x.Flags |= timeline.Choosy
			}
			if o.Return != o.Pickup && l.Purchase != base.PurchaseSale {
				x.Flags |= timeline.OneWay
			}
			p := s.pooled(x.ID, q.pools)
			if seen := s.obs.unit(x.ID); p < 0 && seen != nil && seen.Slot == 0 && q.named == 2 && len(q.pools) > 0 {
				p = 0 // without a unit it waits where those of its SKU belong
			}
			if p < 0 {
				return wrong("unit %d of line %d is outside of its pools", j, q.line)
			}
			taken[p]++
			if err := s.put(x.over(l.Window, q.hulls[p]), q.pools[p]); err != nil {
				return err
			}
			s.a.Seen.Endless += l.endless()
			made = append(made, seat{x.ID, q, p})
		}
		parts[q.line]++
		if from[i] != nil && !slices.Equal(taken, from[i]) {
			return wrong("line %d has %v units from its pools, the twin says %v", q.line, taken, from[i])
		}
	}
	for _, w := range wants { // a kit may take fewer by now than its draft said
		o.Lines[w.line].Units = slices.DeleteFunc(o.Lines[w.line].Units,
			func(u OrderUnit) bool { return u.Hold == (ID{}) && u.State != order.Cancelled })
	}
	if overbook {
		s.overbooked(made)
	}
	return o.ids(rec)
}

// requiring notes in requests what is required of their articles. Pools in which no article has it are not theirs.
func (s *step) requiring(requests []request, requires []order.Requirement) []request {
	if len(requires) == 0 {
		return requests
	}
	for i := range requests {
		q := &requests[i]
		q.picky, q.asks = true, requires
		pools, hulls := q.pools, q.hulls
		q.pools, q.hulls = nil, nil
		for j, p := range pools {
			if slices.ContainsFunc(p.Lots, func(no uint32) bool { return s.a.suits(no, requires, s.now) }) {
				q.pools, q.hulls = append(q.pools, p), append(q.hulls, hulls[j])
			}
		}
		s.a.Seen.Required++
		switch {
		case len(q.pools) == 0:
			s.a.Seen.Unmet++
		case s.narrow(*q):
			s.a.Seen.Narrow++
		}
	}
	return requests
}

// narrow says that some article of the request's pools does not have what is required.
func (s *step) narrow(q request) bool {
	return slices.ContainsFunc(q.pools, func(p Pool) bool { return s.a.partly(p, q.asks, s.now) })
}

// seat is a unit that a request was given.
type seat struct {
	id ID
	q  request
	p  int // pool
}

// overbooked notes units of which some may be conflicts. After the command it faults the engine for those that could
// have been seated together with the units before them.
func (s *step) overbooked(made []seat) {
	turn := func(q request) int { // what has a place, then what waits
		if q.stays {
			return q.turn() + 4
		}
		return q.turn()
	}
	slices.SortStableFunc(made, func(x, y seat) int { return turn(x.q) - turn(y.q) })
	before := maps.Clone(s.short) // the same command asked for those first
	for _, x := range made {      // units that are short are tried once more, by seats
		s.short[x.id], s.pushed[x.id] = true, true
	}
	s.later = append(s.later, func() error {
		for i, x := range made {
			u := s.a.unit(x.id)
			if u == nil {
				return wrong("unit %x is gone", x.id)
			}
			if u.Slot == 0 {
				s.a.Seen.Overbooked++
			}
			need := x.q.need(x.p, s.now)
			if x.q.leaves || (x.q.named != 2 || s.narrow(x.q)) && len(made) > 1 || need.Start < s.now ||
				len(x.q.pools) > 1 {
				continue
			}
			v := s.a.clone()
			v.Units = slices.DeleteFunc(v.Units, func(u Unit) bool {
				j := slices.IndexFunc(made, func(y seat) bool { return y.id == u.ID })
				// which unit of a line it is makes no difference
				return s.short[u.ID] && !before[u.ID] && (j < 0 || j >= i && made[j].q.line != x.q.line)
			})
			free, _, _, _ := v.least(x.q.pools[x.p], need)
			if s.narrow(x.q) {
				if ok, known := v.fits(x.q.pools[x.p], need, 1, s.suited(x.q), s.now); u.Slot == 0 && free >= 1 && ok &&
					known {
					return wrong("unit %+v was overbooked where it could be seated", *u)
				}
				continue
			}
			if u.Slot == 0 && free >= 1 && v.easy(x.q.pools[x.p], need, s.now) {
				return wrong("unit %+v was overbooked where %d units are free", *u, free)
			}
		}
		return nil
	})
}

// loose says that a unit is on its article for what its line requires alone.
func (s *step) loose(l *OrderLine, u *OrderUnit, h Unit) bool {
	h.Flags &^= timeline.PinnedArticle // no line named it
	switch k := s.a.kit(l.Item.CatalogItem); {
	case len(l.Requires) == 0, u.ByHand, h.slotPinned():
		return false
	case k == nil:
		return true
	case l.Booked != nil:
		return l.Booked[u.Part].SKU != ID{}
	default:
		return u.Part < len(k.parts()) && k.parts()[u.Part].SKU != (ID{}) && s.was.canBe(h, k.parts()[u.Part])
	}
}

// redate judges another window of a line: units that are out get its end, the others are seated anew, all or none.
func (s *step) redate(o *Order, line int, overbook bool, err error) error {
	l := &o.Lines[line]
	may := certain
	s.rerouted = s.rerouted || overbook
	for j := range l.Units {
		u := &l.Units[j]
		if u.Handed == 0 || u.Returned != 0 {
			continue
		}
		h := *s.a.unit(u.Hold)
		if h.oneWay() {
			may = min(may, open)
			if code(err) == base.CodeQuantityBlocked {
				s.a.Seen.StaysHere++
				return errRefused
			}
		}
		body := Span{Start: h.Body().Start, End: s.notOver(l.Window.End)}
		if h.oneWay() && s.handed(h, body).Hull.End != h.Hull.End {
			s.loosen(h.ID)
			h = *s.a.unit(u.Hold)
		}
		if l.Window.End <= body.Start {
			return rightly(err, base.CodeInvalid)
		}
		n := s.handed(h, body)
		if overbook {
			if err == nil {
				if err := s.stay(h, n, false); err != nil {
					return err
				}
			}
			continue
		}
		c := s.stretches(h, n)
		if may != certain && c == certain && !h.Hull.Covers(n.Hull) {
			c = open
		}
		if may = min(may, c); err != nil { // refused: the units before this one did not move, but their time counts
			s.a.Units[slices.IndexFunc(s.a.Units, func(x Unit) bool { return x.ID == h.ID })] = n
		} else {
			if may == impossible {
				break
			}
			s.take(h.ID)
			if err := s.putOut(n, h.Slot); err != nil {
				return err
			}
		}
	}
	for _, u := range l.Units { // those that are out leave before the others are seated anew
		if err == nil && u.Handed != 0 {
			s.departNow([]ID{u.Hold})
		}
	}
	var requests []request
	var units []Unit
	for j := range l.Units {
		u := &l.Units[j]
		h := s.a.unit(u.Hold)
		if h == nil || u.Handed != 0 || h.Body() == l.Window {
			continue
		}
		w, x := l.Window, *h
		loose := s.loose(l, u, x)
		if loose {
			x.Flags = x.Flags&^timeline.PinnedArticle | timeline.Choosy
		}
		q, n, refusal := s.moved(line, hold.MoveLine{From: &w.Start, To: &w.End}, x)
		if refusal != "" {
			if may == certain {
				return rightly(err, refusal)
			}
			if c := code(err); c == refusal || c == base.CodeInsufficient {
				return errRefused
			}
			return rightly(err, refusal)
		}
		for _, p := range q.pools {
			q.hulls = append(q.hulls, p.hull(w, s.now))
		}
		if q.past = true; !x.articlePinned() {
			q = s.requiring([]request{q}, l.Requires)[0]
		}
		requests, units = append(requests, q), append(units, n)
	}
	if may != certain || len(units) == 0 {
		if ok, fault := judged(err, may); !ok || len(units) == 0 {
			return fault
		}
	}
	s.held = s.a.clone()
	for i, u := range units {
		requests[i].leaves = s.departing(u, l.Window, o.Pickup)
	}
	ok, _, fault := s.regrant(requests, units, err,
		func() (bool, [][]int, error) { return s.allow(requests, overbook, err) })
	if !ok {
		return fault
	}
	var made []seat
	var leave []ID
	for i, u := range units {
		q := requests[i]
		p := s.pooled(u.ID, q.pools)
		if !overbook || len(q.pools) == 0 {
			if done, err := s.waits(q, u, l.Window, p); done || err != nil {
				if err != nil {
					return err
				}
				continue
			}
		}
		if p < 0 || q.slot != 0 && !overbook && s.obs.unit(u.ID).Slot != q.slot {
			return wrong("unit %x was moved outside of where it was to go", u.ID)
		}
		if err := s.put(u.over(l.Window, q.hulls[p]), q.pools[p]); err != nil {
			return err
		}
		made, leave = append(made, seat{u.ID, q, p}), append(leave, u.ID)
	}
	if overbook {
		s.overbooked(made)
	}
	s.departNow(leave)
	s.held = nil // units that the line gets in addition to them are new
	return nil
}

// departNow plans the departures of units before others are seated, where they can leave by then, in whatever order
// that can be.
func (s *step) departNow(ids []ID) {
	ids = slices.DeleteFunc(ids, func(id ID) bool { return s.wanted(id) == nil || s.plannedFor(id) != nil })
	for _, id := range s.setOff(ids) {
		if x := s.wanted(id); s.a.canGo(x.lot, x.at, s.now) {
			s.depart(id, x)
		}
	}
}
