package engine

import (
	"cmp"
	"slices"

	"holdfast/timeline"
)

// This file owns how a command takes stock: the lines of one command are seated together, those that name a slot first,
// then an article, then a SKU with requirements, then a SKU, each in line order; then what came free is given to conflicts.

// request asks for units of one item at one location: a line, resolved, or a part of one.
type request struct {
	line     int
	bundle   bundle // nil: the line names an article or a SKU
	location *Location
	item     uint32 // number of the article or SKU
	article  *Article
	sku      *SKU
	slot     timeline.SlotNo // pinned to it, where not 0
	body     Span
	quantity int
	proto    timeline.Hold  // what all its units have in common; of a moved unit the unit itself
	first    uint64         // the units' ids are after(owner, first), and so on; 0: the unit has its id already
	keepHull bool           // a moved unit whose dates stay keeps its hull
	was      timeline.Place // of a moved unit
	stays    bool           // a conflict that is given other dates alone: where there is no room for it, it stays one
	rule     timeline.Rule
	overbook bool // units that are short become conflicts

	to      *Location // where its units go to when they end; nil: they stay
	endless bool      // it is seated as if its units had no end, which they leave at
}

// bundle is what makes several requests of one line, which are seated together or not at all.
type bundle interface {
	// short completes the shortage of the request's line, of which nothing is seated in the draft.
	short(t *tx, s *Shortage, q *request)
}

// request resolves an item at a location.
func (t *tx) request(i Item, location ID) (request, error) {
	q := request{location: t.acc.locations().Get(location)}
	if q.location == nil {
		return q, notFound("location")
	}
	if i.Article != (ID{}) {
		if q.article = t.acc.articles().Get(i.Article); q.article == nil {
			return q, notFound("article")
		}
		if r := q.article; !r.Takes() {
			return q, takesNone("article", string(r.Status), r.ArchivedAt)
		}
		q.item, q.proto.Flags = q.article.No, timeline.PinnedArticle
		return q, nil
	}
	if q.sku = t.acc.skus().Get(i.SKU); q.sku == nil {
		return q, notFound("SKU")
	}
	q.item = q.sku.No
	return q, nil
}

// takesNone is the refusal of a hold on what takes none.
func takesNone(what, state string, archived *int64) *Error {
	way := "update"
	if archived != nil {
		state, way = "archived", "unarchive"
	}
	return &Error{Code: CodeStateNotAllowed, Detail: "the " + what + " is " + state + "; only an active, unarchived one takes new holds",
		Details: StateDetails{State: state, Allowed: []string{way}}}
}

// setLine gives the requests of a line what they have in common, and their units' ids from first on. It returns how many
// units there are.
func setLine(requests []request, line int, body Span, kind timeline.Kind, first uint64) (units int) {
	for i := range requests {
		q := &requests[i]
		q.line, q.body, q.first = line, body, first+uint64(units)
		q.proto.Line, q.proto.Kind = uint16(line), kind
		units += q.quantity
	}
	return units
}

// seatAll seats the requests of one command, all or none. The refusal has every short line.
func (t *tx) seatAll(owner ID, requests []request) error {
	t.seating().short = t.seating().short[:0]
	shortages := t.seatLines(owner, requests)
	if len(shortages) == 0 {
		if len(t.seating().short) > 0 {
			t.draft().SeatThose(t.seating().short) // what was counted as short may have a unit that nobody else can have
		}
		return nil
	}
	for i := range shortages {
		if q := ofLine(requests, shortages[i].Line); q.bundle != nil {
			q.bundle.short(t, &shortages[i], q)
		}
	}
	if len(requests) > 1 {
		for i := range requests {
			t.takeNew(owner, &requests[i])
		}
	}
	slices.SortFunc(shortages, func(a, b Shortage) int { return a.Line - b.Line })
	return insufficient(shortages)
}

func ofLine(requests []request, line int) *request {
	return &requests[slices.IndexFunc(requests, func(q request) bool { return q.line == line })]
}

// seatLines seats the lines that can be, and returns the shortages of the others. Of bundles it does not say more than
// which they are.
func (t *tx) seatLines(owner ID, requests []request) (shortages []Shortage) {
	if len(requests) == 1 {
		if short := t.seat(owner, &requests[0]); short != nil {
			shortages = append(shortages, *short)
		}
		return shortages
	}
	t.seatTogether(func() { shortages = t.seatInTurn(owner, requests) })
	return shortages
}

// seatInTurn is seatLines of several.
func (t *tx) seatInTurn(owner ID, requests []request) (shortages []Shortage) {
	for turn := range turns {
		for i := 0; i < len(requests); i++ {
			q := &requests[i]
			if q.turn() == turn {
				if n := t.seatMoved(requests[i:]); n > 0 {
					i += n - 1
					continue
				}
			}
			if q.turn() != turn || q.bundle != nil && slices.ContainsFunc(shortages, func(s Shortage) bool { return s.Line == q.line }) {
				continue
			}
			short := t.seat(owner, q)
			if short == nil {
				continue
			}
			if shortages = append(shortages, *short); q.bundle != nil {
				t.takeLine(owner, requests, q.line)
			}
		}
	}
	return shortages
}

// turns is how many turns there are.
const turns = 8

// turn is when a request has its turn: first what names a slot, then an article, then a SKU with requirements, then a SKU; and behind all of those in the same order
// the units that wait, which would take the places of units that have one.
func (q *request) turn() (n int) {
	switch {
	case q.slot != 0:
	case q.article != nil:
		n = 1
	case q.asks() != nil:
		n = 2
	default:
		n = 3
	}
	if q.stays {
		n += turns / 2
	}
	return n
}

// takeLine takes out what is seated of a line of new units: a bundle is held whole or not at all.
func (t *tx) takeLine(owner ID, requests []request, line int) {
	for i := range requests {
		if q := &requests[i]; q.line == line {
			t.takeNew(owner, q)
		}
	}
}

// takeNew takes out what is seated of a request for new units.
func (t *tx) takeNew(owner ID, q *request) {
	if q.first == 0 {
		return
	}
	for n := range q.quantity {
		t.draft().Take(after(owner, q.first+uint64(n)))
	}
}

func insufficient(lines []Shortage) error {
	return &Error{Code: CodeInsufficient, Detail: "the stock cannot carry the request; details says which lines and why", Details: ShortageDetails{lines}}
}

// seat seats the units of one request in the draft. Where not all can be, none stays and the shortage is returned.
func (t *tx) seat(owner ID, q *request) *Shortage {
	if q.leaves() || q.proto.Flags.Has(timeline.OneWay) { // also where it has no end yet: until all have a unit each may have another
		return t.seatLeaving(owner, q)
	}
	return t.seatHere(owner, q)
}

// seatHere seats the units of one request that need no more than their window.
func (t *tx) seatHere(owner ID, q *request) *Shortage {
	var few [2]source
	sources := t.sourcesOf(few[:0], q)
	if asks := q.asks(); asks != nil {
		sources = meeting(t.draft().Stock(), sources, asks, t.now)
	}
	d := t.draft()
	pushes := len(sources) == 1 && sources[0].named && t.acc.around(sources[0].pool) != sources[0].pool
	if pushes { // what moved out of the article for the first of the units is back where not all of them find room
		t.seating().stock = d.Fork()
	}
	n, reason := t.seatUnits(owner, q, sources)
	if pushes && n == q.quantity {
		d.Adopt(t.seating().stock)
	}
	t.seating().stock = d
	switch {
	case n == q.quantity:
		return nil
	case !pushes:
		for i := range n {
			d.Take(after(owner, q.first+uint64(i)))
		}
	}
	if q.bundle != nil {
		return &Shortage{Line: q.line}
	}
	return t.shortage(q, sources, reason)
}

// seatUnits seats the units of one request one after the other, and says how many it could, and why it could not seat the next.
func (t *tx) seatUnits(owner ID, q *request, sources []source) (n int, reason timeline.Refusal) {
	flags, d := q.proto.Flags, t.draft()
	room := make([]int, 0, 2)
	if len(sources) > 1 { // units are taken from the pool with most available
		for _, s := range sources {
			room = append(room, s.available(d.Stock(), q.room(s.hull, t.now), t.now).Available)
		}
	}
	reason = timeline.NotEnoughStock
	none := false // one found no room, so those behind it, which are like it, find none
	var lots []timeline.LotNo
	for n = t.seatLike(owner, q, sources); n < q.quantity; n++ {
		id := q.proto.ID
		if q.first != 0 {
			id = after(owner, q.first+uint64(n))
		}
		best := 0
		for i := range room {
			if room[i] > room[best] {
				best = i
			}
		}
		ok := false
		if len(sources) > 0 {
			s := sources[best]
			h := q.hold(id, s, flags, t.now)
			if q.first != 0 {
				h = q.nth(owner, n, h)
			}
			if !none {
				ok, reason = t.seatIn(q, s, h)
			}
			if own := q.own(t.acc, sources); !ok && own >= 0 && own != best { // where it has room already
				s = sources[own]
				h = q.hold(id, s, flags, t.now)
				ok, reason = t.seatIn(q, s, h)
			}
			if !ok && q.overbook && !s.closed {
				if !none {
					lots, none = t.acc.stock.Lots(s.pools(d.Stock(), t.now)[0]), len(sources) == 1
				}
				if len(lots) > 0 {
					d.Keep(h, lots[0])
					t.seating().short, ok = append(t.seating().short, id), true
				}
			}
		}
		if !ok && q.stays {
			ok = t.stay(q, sources, flags)
		}
		if !ok {
			return n, reason
		}
		if len(room) > 0 {
			room[best]--
		}
	}
	return n, reason
}

// sourcesOf lists the pools of a request with the hulls that it has there.
func (t *tx) sourcesOf(dst []source, q *request) []source {
	body := q.body
	if q.endless {
		body = needed(body, q.location, q.to)
	}
	sources := t.acc.sources(dst, q.article, q.sku, q.location, body, t.now)
	if q.keepHull {
		for i := range sources {
			if sources[i].hull = q.proto.Span; q.endless {
				sources[i].hull.End = Forever
			}
		}
	}
	return sources
}

// seatLike seats the first of a request's new units in one go, and says how many: units are alike, and in one pool they take one gap after the other.
func (t *tx) seatLike(owner ID, q *request, sources []source) int {
	if q.first == 0 || q.slot != 0 || len(sources) != 1 || sources[0].closed {
		return 0
	}
	like := q.hold(ID{}, sources[0], q.proto.Flags, t.now)
	return t.draft().SeatLike(sources[0].pool, q.quantity, func(n int) timeline.Hold { return q.nth(owner, n, like) }, q.rule)
}

// seatMoved seats the first of some requests in one go where they are of moved units that are alike, as seatLike does, and says how many.
func (t *tx) seatMoved(requests []request) int {
	q, n := &requests[0], 1
	if q.first != 0 || q.slot != 0 || q.stays || q.leaves() || q.asks() != nil {
		return 0
	}
	for n < len(requests) && q.like(&requests[n]) {
		n++
	}
	if n == 1 {
		return 0
	}
	var few [2]source
	sources := t.sourcesOf(few[:0], q)
	if len(sources) != 1 || sources[0].closed {
		return 0
	}
	return t.draft().SeatLike(sources[0].pool, n, func(i int) timeline.Hold {
		x := &requests[i]
		return x.hold(x.proto.ID, sources[0], x.proto.Flags, t.now)
	}, q.rule)
}

// like says that another request asks for a moved unit that may have whatever place this one may.
func (q *request) like(o *request) bool {
	return o.first == 0 && o.slot == 0 && !o.stays && !o.leaves() && q.article == o.article && q.sku == o.sku && q.location == o.location && q.body == o.body &&
		q.keepHull == o.keepHull && q.proto.Span == o.proto.Span && q.proto.Flags == o.proto.Flags && q.rule == o.rule
}

// nth is unit n of the request's new units.
func (q *request) nth(owner ID, n int, h timeline.Hold) timeline.Hold {
	h.ID = after(owner, q.first+uint64(n))
	if h.Flags.Blocker() == timeline.BlockerHold {
		h.Owner = q.first + uint64(n)
	}
	return h
}

// hold is a unit of the request over the hull of a source.
func (q *request) hold(id ID, s source, flags timeline.Flags, now int64) timeline.Hold {
	h := timeline.NewHold(id, s.hull, q.body.Start-s.hull.Start, trail(q.body, s.hull))
	h.Owner, h.Line, h.Kind, h.Flags = q.proto.Owner, q.proto.Line, q.proto.Kind, flags
	if q.first == 0 {
		h = begun(h, now)
	}
	return h
}

// own is the source that a moved unit has its place in, -1 where there is none.
func (q *request) own(a *account, sources []source) int {
	if q.first != 0 {
		return -1
	}
	return slices.IndexFunc(sources, func(s source) bool { return slices.Contains(a.stock.Lots(s.pool), q.was.Lot) })
}

// seatIn seats a unit of the request in one of its sources.
func (t *tx) seatIn(q *request, s source, h timeline.Hold) (ok bool, reason timeline.Refusal) {
	switch {
	case s.closed: // only what is there already asks it, and only to stay what it is
		return false, timeline.NotEnoughStock
	case s.named:
		_, reason = t.draft().SeatNamed(s.lot(), q.slot, h, q.rule)
	case q.slot != 0:
		_, reason = t.draft().SeatOn(s.pool, q.slot, h)
	default:
		_, reason = t.draft().Seat(s.pool, h, q.rule)
	}
	return reason == timeline.Granted, reason
}

// stay keeps a conflict that is given other dates as the conflict it is. It has its claim as a seated hold has its unit: the count has to have room only for
// what it asks for beside that. One that nothing counts may be made no longer, unless overbooking is allowed.
func (t *tx) stay(q *request, sources []source, flags timeline.Flags) bool {
	own := q.own(t.acc, sources)
	if own < 0 || sources[own].closed { // nothing counts it, and nothing is there to be asked for
		hull := Span{Start: q.body.Start - q.proto.Before(), End: q.body.End}
		if hull.End != Forever {
			hull.End += q.proto.After()
		}
		if !q.overbook && !q.proto.Span.Covers(hull) {
			return false
		}
		t.draft().Keep(q.hold(q.proto.ID, source{hull: hull}, flags, t.now), q.was.Lot)
		return true
	}
	s := sources[own]
	if !t.draft().MayTake(s.pool, q.room(s.hull, t.now)) {
		return false
	}
	t.draft().Keep(q.hold(q.proto.ID, s, flags, t.now), q.was.Lot)
	return true
}

// room is what a unit of the request takes of its hull: of one that is there already what is past needs none.
func (q *request) room(hull Span, now int64) Span {
	if q.first == 0 && runs(hull, now) {
		hull.Start = now
	}
	return hull
}

func runs(hull Span, now int64) bool { return hull.Start < now && now < hull.End }

// begun is a hold that changes its dates or its slot: the part of it that is past needs no room.
func begun(h timeline.Hold, now int64) timeline.Hold {
	if runs(h.Span, now) {
		return h.WithCut(now - h.Span.Start)
	}
	return h
}

// trail is the length of the buffer behind a body, 0 behind an open end.
func trail(body, hull Span) int64 {
	if hull.End == Forever {
		return 0
	}
	return hull.End - body.End
}

// shortage explains why a request could not be seated, given what the draft holds already.
func (t *tx) shortage(q *request, sources []source, reason timeline.Refusal) *Shortage {
	short := &Shortage{Line: q.line, Requested: q.quantity}
	d := t.draft()
	free := 0
	var found blockers
	for _, s := range sources {
		if s.closed { // it has nothing for anybody, so nothing is in the way there
			continue
		}
		room := q.room(s.hull, t.now)
		a := s.available(d.Stock(), room, t.now)
		short.Available += a.Available
		free += max(0, s.free(d.Stock(), room, t.now))
		if t.explain {
			t.blockersOf(&found, &s, a.At)
		}
	}
	t.blocked(short, &found)
	short.Available = min(short.Available, q.quantity-1)
	if q.slot == 0 { // the unit that failed saw one pool, after others of the line: the reason is that of the line as a whole
		reason = timeline.NotEnoughStock
		if free >= q.quantity {
			reason = timeline.FragmentedByPinnedHolds
		}
	}
	short.Reason = reason.String()
	if t.explain && q.body.End != Forever && t.inTheWay().mayNext() {
		notBefore := q.body.Start
		if q.keepHull {
			notBefore++ // at other dates its buffers are made anew, at these they stay as they are
		}
		short.Next = t.acc.nextFit(d.Stock(), q.article, q.sku, q.asks(), []*Location{q.location}, q.to, notBefore, q.body.End-q.body.Start, q.quantity, min(q.body.Start+searchAhead, maxInstant), t.now)
	}
	return short
}

// blockersOf notes the holds that stand in the way in a source.
func (t *tx) blockersOf(found *blockers, s *source, at int64) {
	for _, p := range s.pools(t.draft().Stock(), t.now) {
		t.inTheWay().add(found, p, at)
	}
}

// freed notes that room came free at a place: conflicts there may be seated now.
func (t *tx) freed(s Span, at timeline.Place) {
	if at.Seated() {
		t.freedOf(t.acc.articles().No(t.acc.stock.Lot(at.Lot).Article), at.Lot, s)
	}
}

// freedOf notes that a lot of an article has room. Of one that takes no holds, nobody gets any.
func (t *tx) freedOf(r *Article, lot timeline.LotNo, s Span) {
	if r != nil && !t.latest(r).Takes() {
		return
	}
	f := timeline.Freed{Lot: lot, Span: s}
	if n := len(t.seating().room); n == 0 || t.seating().room[n-1] != f { // units of a line leave the same room, one after the other
		t.seating().room = append(t.seating().room, f)
	}
}

// letGo takes the units out that requests are about, and calls off their departures, before the first of them is seated anew: two units may
// change places.
func (t *tx) letGo(requests []request) {
	for i := range requests {
		t.lift(requests[i].proto.ID)
	}
	for i := range requests {
		h, at, _ := t.draft().Take(requests[i].proto.ID)
		t.freed(h.Span, at)
	}
}

// seatAsked is seatAll of units that the command asks for: those that leave are refused where they cannot.
func (t *tx) seatAsked(owner ID, requests []request) error {
	if err := t.seatAll(owner, requests); err != nil {
		return err
	}
	return t.blockedDeparture()
}

// seatFreed tries the conflicts that overlap what the command freed. Who leaves its place goes before them.
func (t *tx) seatFreed() {
	t.settleDepartures()
	defer t.settleDepartures()
	due := t.seating().due
	if len(t.seating().room)+len(due) > 0 && !t.seating().gathers && t.draft().ConflictLen() > 0 { // also those that the command itself made
		if t.waiting != nil {
			t.seating().room, due = append(t.waiting.Room, t.seating().room...), append(t.waiting.Due, due...)
		}
		room := t.seating().room
		t.seating().room, t.seating().due = nil, nil
		t.waiting = t.tryConflicts(timeline.Waiting{Room: room, Due: due}, cmp.Or(t.seating().tries, maxTries))
	}
}

// maxTries is how many conflicts one command tries to seat; a follow-up command tries the rest.
const maxTries = 1000

// leftRoom wants a follow-up where holds that the command moved to other articles left room that a conflict pinned there may
// wait for.
func (t *tx) leftRoom() {
	if t.seating().stock == nil || t.waiting != nil {
		return
	}
	if left := t.seating().stock.Left(); len(left) > 0 && t.seating().stock.ConflictLen() > 0 { // also those that the command itself made
		t.waiting = &timeline.Waiting{Room: left}
	}
}

// recordStock adds what the plan's draft changed to the write set: slots first, then units.
func (t *tx) recordStock() {
	if t.seating().stock == nil && len(t.seating().tried) == 0 {
		return
	}
	c := t.draft().Changes()
	t.seating().placed = len(c.Slots) + len(c.Holds)
	for i := range c.Slots {
		x := &c.Slots[i]
		record(t, slotKind, exists(&x.Before, x.Had), exists(&x.After, x.Has))
	}
	rows := make([]change[timeline.Placed], len(c.Holds))
	t.set = slices.Grow(t.set, len(rows))
	for i := range c.Holds {
		x := &c.Holds[i]
		if x.Had && x.Has && x.Before.Place.Seated() && x.Before.Place != x.After.Place {
			t.moves++
		}
		rows[i] = change[timeline.Placed]{kind: unitKind, before: exists(&x.Before, x.Had), after: exists(&x.After, x.Has)}
		t.set = append(t.set, &rows[i])
		t.noteConflict(x)
	}
	t.noteTried(c.Holds)
}

// outcome is the account's timelines as the write set leaves them, where the plan's draft has them: all changes of them were made on it. nil: they are
// to be made.
func (t *tx) outcome() *timeline.Stock {
	if t.seating().stock == nil {
		return nil
	}
	n := 0
	for _, c := range t.set {
		switch c.of().tableTag() {
		case tagSlot, tagUnit:
			n++
		case tagLot, tagArticle, tagSKU: // they make lots and pools
			return nil
		}
	}
	if n != t.seating().placed {
		return nil
	}
	return t.seating().stock.Outcome()
}

func exists[R any](r *R, is bool) *R {
	if !is {
		return nil
	}
	return r
}

// slotByID finds a slot by its id. Slots are numbered in the order of their ids, so this is a binary search by number.
func (a *account) slotByID(id ID) (timeline.Slot, bool) {
	lo, hi := uint32(1), a.ledger.Slot+1
	for lo < hi {
		mid := lo + (hi-lo)/2
		no, s, ok := mid, timeline.Slot{}, false
		for ; no < hi; no++ { // numbers of slots that are gone have nothing to compare
			if s, ok = a.stock.Slot(timeline.SlotNo(no)); ok {
				break
			}
		}
		switch {
		case !ok || id.Compare(s.ID) < 0:
			hi = mid
		case s.ID == id:
			return s, true
		default:
			lo = no + 1
		}
	}
	return timeline.Slot{}, false
}

// asks is a hold that asks what a request asks, nil where that is nothing: one that was put on an article by hand asks for nothing else.
func (q *request) asks() *timeline.Hold {
	if f := q.proto.Flags; !f.Has(timeline.Choosy) || q.first == 0 && f.Any(timeline.PinnedArticle|timeline.PinnedSlot) {
		return nil
	}
	return &q.proto
}

// ask has a request ask what a hold asks.
func (q *request) ask(h *timeline.Hold) {
	if h != nil {
		q.proto.Owner, q.proto.Line, q.proto.Flags = h.Owner, h.Line, q.proto.Flags|timeline.Choosy.WithBlocker(timeline.BlockerOrder)
	}
}
