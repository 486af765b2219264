package stock

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns how a command takes stock: the lines of one command are seated together, those that name a slot first,
// then an article, then a SKU with requirements, then a SKU, each in line order; then what came free is given to
// conflicts.

// Request asks for units of one item at one location: a line, resolved, or a part of one.
type Request struct {
	Line     int
	Bundle   bundle // nil: the line names an article or a SKU
	Location *Location
	Item     uint32 // number of the article or SKU
	Article  *Article
	SKU      *SKU
	Slot     timeline.SlotNo // pinned to it, where not 0
	Body     base.Span
	Quantity int
	Proto    timeline.Hold  // what all its units have in common; of a moved unit the unit itself
	first    uint64         // the units' ids are after(owner, first), and so on; 0: the unit has its id already
	KeepHull bool           // a moved unit whose dates stay keeps its hull
	Was      timeline.Place // of a moved unit
	Stays    bool           // a conflict that is given other dates alone: where there is no room for it, it stays one
	Rule     timeline.Rule
	Overbook bool // units that are short become conflicts

	To      *Location // where its units go to when they end; nil: they stay
	endless bool      // it is seated as if its units had no end, which they leave at
}

// bundle is what makes several requests of one line, which are seated together or not at all.
type bundle interface {
	// Short completes the shortage of the request's line, of which nothing is seated in the draft.
	Short(t *base.Tx, s *base.Shortage, q *Request)
}

// NewRequest resolves an item at a location.
func NewRequest(t *base.Tx, i base.Item, location base.ID) (Request, error) {
	q := Request{Location: LocationTable(t.Acc).Get(location)}
	if q.Location == nil {
		return q, base.NotFound("location")
	}
	if i.Article != (base.ID{}) {
		if q.Article = ArticleTable(t.Acc).Get(i.Article); q.Article == nil {
			return q, base.NotFound("article")
		}
		if r := q.Article; !r.Takes() {
			return q, TakesNone("article", string(r.Status), r.ArchivedAt)
		}
		q.Item, q.Proto.Flags = q.Article.No, timeline.PinnedArticle
		return q, nil
	}
	if q.SKU = SKUTable(t.Acc).Get(i.SKU); q.SKU == nil {
		return q, base.NotFound("SKU")
	}
	q.Item = q.SKU.No
	return q, nil
}

// TakesNone is the refusal of a hold on what takes none.
func TakesNone(what, state string, archived *int64) *base.Error {
	way := "update"
	if archived != nil {
		state, way = "archived", "unarchive"
	}
	return base.NotAllowed("the "+what+" is "+state+"; only an active, unarchived one takes new holds",
		state, way)
}

// SetLine gives the requests of a line what they have in common, and their units' ids from first on. It returns how
// many units there are.
func SetLine(requests []Request, line int, body base.Span, kind timeline.Kind, first uint64) (units int) {
	for i := range requests {
		q := &requests[i]
		q.Line, q.Body, q.first = line, body, first+uint64(units)
		q.Proto.Line, q.Proto.Kind = uint16(line), kind
		units += q.Quantity
	}
	return units
}

// SeatAll seats the requests of one command, all or none. The refusal has every short line.
func SeatAll(t *base.Tx, owner base.ID, requests []Request) error {
	Seating(t).short = Seating(t).short[:0]
	shortages := SeatLines(t, owner, requests)
	if len(shortages) == 0 {
		if len(Seating(t).short) > 0 {
			Draft(t).SeatThose(Seating(t).short) // one counted as short may still get a unit that suits no other
		}
		return nil
	}
	for i := range shortages {
		if q := ofLine(requests, shortages[i].Line); q.Bundle != nil {
			q.Bundle.Short(t, &shortages[i], q)
		}
	}
	if len(requests) > 1 {
		for i := range requests {
			takeNew(t, owner, &requests[i])
		}
	}
	slices.SortFunc(shortages, func(a, b base.Shortage) int { return a.Line - b.Line })
	return Insufficient(t, shortages)
}

func ofLine(requests []Request, line int) *Request {
	return &requests[slices.IndexFunc(requests, func(q Request) bool { return q.Line == line })]
}

// SeatLines seats the lines that can be, and returns the shortages of the others. For bundles it only says which ones
// they are.
func SeatLines(t *base.Tx, owner base.ID, requests []Request) (shortages []base.Shortage) {
	if len(requests) == 1 {
		if short := seat(t, owner, &requests[0]); short != nil {
			shortages = append(shortages, *short)
		}
		return shortages
	}
	seatTogether(t, func() { shortages = seatInTurn(t, owner, requests) })
	return shortages
}

// seatInTurn is SeatLines of several requests.
func seatInTurn(t *base.Tx, owner base.ID, requests []Request) (shortages []base.Shortage) {
	for turn := range maxTurns {
		for i := 0; i < len(requests); i++ {
			q := &requests[i]
			if q.turn() == turn {
				if n := seatMoved(t, requests[i:]); n > 0 {
					i += n - 1
					continue
				}
			}
			if q.turn() != turn || q.Bundle != nil &&
				slices.ContainsFunc(shortages, func(s base.Shortage) bool { return s.Line == q.Line }) {
				continue
			}
			short := seat(t, owner, q)
			if short == nil {
				continue
			}
			if shortages = append(shortages, *short); q.Bundle != nil {
				takeLine(t, owner, requests, q.Line)
			}
		}
	}
	return shortages
}

// maxTurns is how many turns there are.
const maxTurns = 8

// turn is when a request has its turn: first one that names a slot, then an article, then a SKU with requirements, then
// a SKU; and after all of those, in the same order, the units that wait, which would otherwise take the places of units
// that have one.
func (q *Request) turn() (n int) {
	switch {
	case q.Slot != 0:
	case q.Article != nil:
		n = 1
	case q.Asks() != nil:
		n = 2
	default:
		n = 3
	}
	if q.Stays {
		n += maxTurns / 2
	}
	return n
}

// takeLine takes out what is seated of a line of new units: a bundle is held whole or not at all.
func takeLine(t *base.Tx, owner base.ID, requests []Request, line int) {
	for i := range requests {
		if q := &requests[i]; q.Line == line {
			takeNew(t, owner, q)
		}
	}
}

// takeNew takes out what is seated of a request for new units.
func takeNew(t *base.Tx, owner base.ID, q *Request) {
	if q.first == 0 {
		return
	}
	for n := range q.Quantity {
		Draft(t).Take(base.After(owner, q.first+uint64(n)))
	}
}

// Insufficient refuses lines that the stock cannot carry.
func Insufficient(t *base.Tx, lines []base.Shortage) error {
	return &base.Error{Code: base.CodeInsufficient, Detail: "the stock cannot carry the request; details says which " +
		"lines and why", Details: base.ShortageDetails{Lines: lines, Explained: t.Explain}}
}

// seat seats the units of one request in the draft. Where not all can be, none stays and the shortage is returned.
func seat(t *base.Tx, owner base.ID, q *Request) *base.Shortage {
	if q.Leaves() || q.Proto.Flags.Has(timeline.OneWay) {
		// also where it has no end yet: until all have a unit each may have another
		return seatLeaving(t, owner, q)
	}
	return seatHere(t, owner, q)
}

// seatHere seats the units of one request that need no more than their window.
func seatHere(t *base.Tx, owner base.ID, q *Request) *base.Shortage {
	var few [2]Source
	sources := meetingOf(t, few[:0], q)
	if len(sources) == 0 && q.Overbook && !q.Stays {
		sources = firstSource(t, sources, q)
	}
	d := Draft(t)
	pushes := len(sources) == 1 && sources[0].Named && Around(t.Acc, sources[0].Pool) != sources[0].Pool
	if pushes { // what moved out of the article for the first of the units is back where not all of them find room
		Seating(t).Stock = d.Fork()
	}
	n, reason := 0, timeline.NotEnoughStock
	if !q.hopeless(t, sources) {
		n, reason = seatUnits(t, owner, q, sources)
	}
	if pushes && n == q.Quantity {
		d.Adopt(Seating(t).Stock)
	}
	Seating(t).Stock = d
	switch {
	case n == q.Quantity:
		return nil
	case !pushes:
		for i := range n {
			d.Take(base.After(owner, q.first+uint64(i)))
		}
	}
	if q.Bundle != nil { // it completes it
		return &base.Shortage{Line: q.Line, Reason: q.why(t, sources).String()}
	}
	return Shortage(t, q, sources, reason)
}

// hopeless says that for several new units there are too few by count: then none is seated, as others would be moved
// for the first ones in vain.
func (q *Request) hopeless(t *base.Tx, sources []Source) bool {
	return q.Quantity > 1 && q.first != 0 && q.Slot == 0 && !q.Overbook && !q.Stays &&
		q.why(t, sources) == timeline.NotEnoughStock
}

// seatUnits seats the units of one request one after the other, and says how many it could, and why it could not seat
// the next.
func seatUnits(t *base.Tx, owner base.ID, q *Request, sources []Source) (n int, reason timeline.Refusal) {
	flags, d := q.Proto.Flags, Draft(t)
	room := make([]int, 0, 2)
	if len(sources) > 1 { // units are taken from the pool with most available
		for _, s := range sources {
			room = append(room, s.Available(d.Stock(), q.room(s.Hull, t.Now), t.Now).Available)
		}
	}
	reason = timeline.NotEnoughStock
	none := false // one found no room, so later ones, which are like it, find none
	var lots []timeline.LotNo
	for n = seatLike(t, owner, q, sources); n < q.Quantity; n++ {
		id := q.Proto.ID
		if q.first != 0 {
			id = base.After(owner, q.first+uint64(n))
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
			h := q.hold(id, s, flags, t.Now)
			if q.first != 0 {
				h = q.nth(owner, n, h)
			}
			if !none {
				ok, reason = seatIn(t, q, s, h)
			}
			if own := q.own(t.Acc, sources); !ok && own >= 0 && own != best { // where it has room already
				s = sources[own]
				h = q.hold(id, s, flags, t.Now)
				ok, reason = seatIn(t, q, s, h)
			}
			if !ok && q.Overbook && !s.Closed {
				if !none {
					lots, none = d.Stock().Lots(s.pools(d.Stock(), t.Now)[0]), len(sources) == 1
				}
				if len(lots) > 0 {
					d.Keep(h, lots[0])
					Seating(t).short, ok = append(Seating(t).short, id), true
				}
			}
		}
		if !ok && q.Stays {
			ok = stay(t, q, sources, flags)
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

// firstSource makes a lot without units for an item that was never at the location, if the request may overbook. The
// lot is of the requested article. If the request names a SKU, it is of the article with the smallest number that takes
// holds and meets the requirements; articles that this plan has already brought to the location come first. If there is
// no such article, there is nothing to wait for.
func firstSource(t *base.Tx, dst []Source, q *Request) []Source {
	has, asks := func(uint32) bool { return true }, q.Asks()
	if asks != nil {
		_, has = WishOf(t.Acc, t, asks, t.Now)
	}
	r := q.Article
	if r == nil {
		came := false
		for x := range ArticleTable(t.Acc).By(ArticleBySKU, string(q.SKU.ID[:])) {
			_, is := lotFor(t, x, q.Location.No)
			if x.Takes() && has(x.No) && (r == nil || is && !came || is == came && x.No < r.No) {
				r, came = x, is
			}
		}
	}
	if r == nil || !has(r.No) {
		return dst
	}
	lot, made := placeOf(t, r, q.Location.No, true)
	if made {
		house(t, r.SKU)
	}
	s := q.onLot(t, r, lot, q.Body)
	if !s.Named {
		s.asks = asks
	}
	if q.KeepHull {
		s.Hull = q.Proto.Span
	}
	return append(dst, s)
}

// onLot is the source that a lot of an article is which the plan has made.
func (q *Request) onLot(t *base.Tx, r *Article, lot timeline.LotNo, body base.Span) Source {
	before, after := EffectiveBuffers(t.Acc, r)
	return Source{Pool: timeline.LotRef(lot), Hull: timeline.Hull(body, before, after, q.Location.Zone(), t.Now),
		Before: before, After: after, Closed: !r.Takes(), Named: q.Article != nil}
}

// brought adds the lots to which the plan itself brings the first units, and which are in no pool: rows of a batch
// count on units that earlier ones bring.
func (q *Request) brought(t *base.Tx, dst []Source, body base.Span) []Source {
	lots := Seating(t).lots
	if q.Article != nil {
		if lot, is := lots[lotOf{q.Article.No, q.Location.No}]; is && Draft(t).Lot(lot).No != 0 {
			dst = append(dst, q.onLot(t, q.Article, lot, body))
		}
		return dst
	}
	if q.SKU == nil || len(lots) == 0 {
		return dst
	}
	for no := t.Acc.Ledger.Lot + 1; no <= t.Ledger.Lot; no++ {
		lot := Draft(t).Lot(timeline.LotNo(no))
		if lot.No == 0 || lot.Pool != 0 || lot.Location != q.Location.No {
			continue
		}
		if r := ArticleTable(t.Acc).No(lot.Article); r != nil && r.SKU != nil && *r.SKU == q.SKU.ID && r.Takes() {
			dst = append(dst, q.onLot(t, r, lot.No, body))
		}
	}
	return dst
}

// sourcesOf lists the pools of a request with the hulls that it has there.
func sourcesOf(t *base.Tx, dst []Source, q *Request) []Source {
	body := q.Body
	if q.endless {
		body = Needed(body, q.Location, q.To)
	}
	sources := q.brought(t, Sources(t.Acc, dst, q.Article, q.SKU, q.Location, body, t.Now), body)
	if q.KeepHull {
		for i := range sources {
			if sources[i].Hull = q.Proto.Span; q.endless {
				sources[i].Hull.End = base.Forever
			}
		}
	}
	return sources
}

// meetingOf is sourcesOf, limited to pools with an article that meets the request's requirements.
func meetingOf(t *base.Tx, dst []Source, q *Request) []Source {
	sources := sourcesOf(t, dst, q)
	if asks := q.Asks(); asks != nil {
		sources = Meeting(Draft(t).Stock(), sources, asks, t.Now)
	}
	return sources
}

// seatLike seats the first of a request's new units in one go, and says how many: units are alike, and in one pool they
// take one gap after the other.
func seatLike(t *base.Tx, owner base.ID, q *Request, sources []Source) int {
	if q.first == 0 || q.Slot != 0 || len(sources) != 1 || sources[0].Closed {
		return 0
	}
	like := q.hold(base.ID{}, sources[0], q.Proto.Flags, t.Now)
	return Draft(t).
		SeatLike(sources[0].Pool, q.Quantity, func(n int) timeline.Hold { return q.nth(owner, n, like) }, q.Rule)
}

// seatMoved seats the first of some requests in one go, as seatLike does, if they are of moved units that are alike. It
// says how many. Units that leave are seated as if they had no end.
func seatMoved(t *base.Tx, requests []Request) int {
	q, n := &requests[0], 1
	if q.first != 0 || q.Slot != 0 || q.Stays || q.Asks() != nil || q.Leaves() && q.Body.End <= t.Now {
		return 0
	}
	for n < len(requests) && q.like(&requests[n]) {
		n++
	}
	if n == 1 {
		return 0
	}
	var few [2]Source
	leaves, flags := q.Leaves(), q.Proto.Flags
	if leaves {
		flags &^= timeline.OneWay
	}
	q.endless = leaves
	sources := sourcesOf(t, few[:0], q)
	q.endless = false
	if len(sources) != 1 || sources[0].Closed {
		return 0
	}
	n = Draft(t).SeatLike(sources[0].Pool, n, func(i int) timeline.Hold {
		x := &requests[i]
		return x.hold(x.Proto.ID, sources[0], flags, t.Now)
	}, q.Rule)
	for i := range requests[:n] {
		if x := &requests[i]; leaves {
			Send(t, x.Proto.ID, x.To)
			Departing(t).endless = append(Departing(t).endless, endless{base.ID{}, x})
		}
	}
	return n
}

// like says that another request asks for a moved unit that may have whatever place this one may.
func (q *Request) like(o *Request) bool {
	return o.first == 0 && o.Slot == 0 && !o.Stays && q.Leaves() == o.Leaves() && (q.To == o.To || !q.Leaves()) &&
		q.Article == o.Article && q.SKU == o.SKU && q.Location == o.Location && q.Body == o.Body &&
		q.KeepHull == o.KeepHull && q.Proto.Span == o.Proto.Span && q.Proto.Flags == o.Proto.Flags && q.Rule == o.Rule
}

// nth is unit n of the request's new units.
func (q *Request) nth(owner base.ID, n int, h timeline.Hold) timeline.Hold {
	h.ID = base.After(owner, q.first+uint64(n))
	if h.Flags.Blocker() == timeline.BlockerHold {
		h.Owner = q.first + uint64(n)
	}
	return h
}

// hold is a unit of the request over the hull of a source.
func (q *Request) hold(id base.ID, s Source, flags timeline.Flags, now int64) timeline.Hold {
	h := timeline.NewHold(id, s.Hull, q.Body.Start-s.Hull.Start, Trail(q.Body, s.Hull))
	h.Owner, h.Line, h.Kind, h.Flags = q.Proto.Owner, q.Proto.Line, q.Proto.Kind, flags
	if q.first == 0 {
		h = Begun(h, now)
	}
	return h
}

// own is the source that a moved unit has its place in, -1 where there is none.
func (q *Request) own(a *base.AccountState, sources []Source) int {
	if q.first != 0 {
		return -1
	}
	return slices.IndexFunc(sources, func(s Source) bool { return slices.Contains(a.Stock.Lots(s.Pool), q.Was.Lot) })
}

// waitsIn is the source that a conflict is counted in, -1 where there is none: nothing is there to be asked for.
func (q *Request) waitsIn(a *base.AccountState, sources []Source) int {
	own := q.own(a, sources)
	if own >= 0 && sources[own].Closed {
		return -1
	}
	return own
}

// seatIn seats a unit of the request in one of its sources.
func seatIn(t *base.Tx, q *Request, s Source, h timeline.Hold) (ok bool, reason timeline.Refusal) {
	switch {
	case s.Closed: // only what is there already asks it, and only to stay what it is
		return false, timeline.NotEnoughStock
	case s.Named:
		_, reason = Draft(t).SeatNamed(s.lot(), q.Slot, h, q.Rule)
	case q.Slot != 0:
		_, reason = Draft(t).SeatOn(s.Pool, q.Slot, h)
	default:
		_, reason = Draft(t).Seat(s.Pool, h, q.Rule)
	}
	return reason == timeline.Granted, reason
}

// stay keeps a conflict that is given other dates as the conflict it is. It has its claim as a seated hold has its
// unit: the count has to have room only for what it asks for in addition. One that nothing counts must not be made
// longer, unless overbooking is allowed.
func stay(t *base.Tx, q *Request, sources []Source, flags timeline.Flags) bool {
	own := q.waitsIn(t.Acc, sources)
	if own < 0 {
		hull := base.Span{Start: q.Body.Start - q.Proto.Before(), End: q.Body.End}
		if hull.End != base.Forever {
			hull.End += q.Proto.After()
		}
		if !q.Overbook && !q.Proto.Span.Covers(hull) {
			return false
		}
		Draft(t).Keep(q.hold(q.Proto.ID, Source{Hull: hull}, flags, t.Now), q.Was.Lot)
		return true
	}
	s := sources[own]
	room := q.room(s.Hull, t.Now)
	if !Draft(t).MayTake(s.Pool, room) || s.Named && !Draft(t).MayName(s.lot(), room) {
		return false
	}
	Draft(t).Keep(q.hold(q.Proto.ID, s, flags, t.Now), q.Was.Lot)
	return true
}

// room is the part of a hull in which a unit of the request needs room. A unit that already has a place needs no room
// in the past.
func (q *Request) room(hull base.Span, now int64) base.Span {
	if q.first == 0 && runs(hull, now) {
		hull.Start = now
	}
	return hull
}

func runs(hull base.Span, now int64) bool { return hull.Start < now && now < hull.End }

// Begun is a hold that changes its dates or its slot: the part of it that is past needs no room.
func Begun(h timeline.Hold, now int64) timeline.Hold {
	if runs(h.Span, now) {
		return h.WithCut(now - h.Span.Start)
	}
	return h
}

// Trail is the length of the buffer after a body, 0 after an open end.
func Trail(body, hull base.Span) int64 {
	if hull.End == base.Forever {
		return 0
	}
	return hull.End - body.End
}

// Shortage explains why a request could not be seated, given what the draft holds already.
func Shortage(t *base.Tx, q *Request, sources []Source, reason timeline.Refusal) *base.Shortage {
	short := &base.Shortage{Line: q.Line, Requested: q.Quantity}
	d := Draft(t)
	var found Blockers
	for _, s := range sources {
		if s.Closed { // it has nothing for anybody, so nothing is in the way there
			continue
		}
		room := q.room(s.Hull, t.Now)
		a := s.Available(d.Stock(), room, t.Now)
		short.Available += a.Available
		if t.Explain {
			BlockersOf(t, &found, &s, room, q.Quantity, a.At)
		}
	}
	Blocked(t, short, &found)
	short.Available = min(short.Available, q.Quantity-1)
	if q.Slot == 0 {
		// the unit that failed saw one pool, after others of the line: the reason is that of the line as a whole
		reason = q.why(t, sources)
	}
	short.Reason = reason.String()
	if t.Explain && q.Body.End != base.Forever && NotedInTheWay(t).MayNext() {
		notBefore := q.Body.Start
		if q.KeepHull {
			notBefore++ // at other dates its buffers are made anew, at these they stay as they are
		}
		short.Next = NextFit(t.Acc, d.Stock(), q.Article, q.SKU, q.Asks(), []*Location{q.Location}, q.To, notBefore,
			q.Body.End-q.Body.Start, q.Quantity, min(q.Body.Start+SearchSpan, base.MaxInstant), t.Now)
	}
	return short
}

// why is why a request that names no slot finds no units in its sources, as a whole.
func (q *Request) why(t *base.Tx, sources []Source) timeline.Refusal {
	free := 0
	for _, s := range sources {
		if !s.Closed {
			free += max(0, s.Free(Draft(t).Stock(), q.room(s.Hull, t.Now), t.Now))
		}
	}
	if free >= q.Quantity {
		return timeline.FragmentedByPinnedHolds
	}
	return timeline.NotEnoughStock
}

// BlockersOf notes the holds that stand in the way of n units of a source over a range; at is the instant at which the
// source has the fewest free. If all units have what is asked for, conflicts that wait on an article without units
// stand in the way, too. If an article is named, and only its SKU's pool is short, everything in the pool stands in the
// way.
func BlockersOf(t *base.Tx, found *Blockers, s *Source, room base.Span, n int, at int64) {
	stock := Draft(t).Stock()
	pools := s.pools(stock, t.Now)
	switch {
	case s.Named:
		if wide, when, short := stock.ShortNamed(s.lot(), room, n); short {
			pools[0], at = wide, when
		}
	case s.asks != nil && !slices.ContainsFunc(stock.Lots(s.Pool), func(no timeline.LotNo) bool {
		return len(stock.Slots(no)) > 0 && !stock.Meets(*s.asks, no, t.Now)
	}):
		pools = []timeline.PoolRef{s.Pool}
	}
	for _, p := range pools {
		NotedInTheWay(t).Add(found, p, at)
	}
}

// Freed notes that room came free at a place: conflicts there may be seated now.
func Freed(t *base.Tx, s base.Span, at timeline.Place) {
	if at.Seated() {
		FreedOf(t, at.Lot, s)
	}
}

// FreedOf notes that a lot has room. It is for scheduled events alone where its article takes no holds (tryConflicts).
func FreedOf(t *base.Tx, lot timeline.LotNo, s base.Span) {
	f := timeline.Freed{Lot: lot, Span: s}
	if n := len(Seating(t).room); n == 0 || Seating(t).room[n-1] != f {
		// units of a line leave the same room, one after the other
		Seating(t).room = append(Seating(t).room, f)
	}
}

// TryAnew has SeatFreed try a conflict that needs less by now.
func TryAnew(t *base.Tx, id base.ID) { Seating(t).due = append(Seating(t).due, id) }

// LetGo takes the units out that requests are about, and calls off their departures, before the first of them is seated
// anew: two units may change places.
func LetGo(t *base.Tx, requests []Request) {
	ids := make([]base.ID, len(requests))
	for i := range requests {
		ids[i] = requests[i].Proto.ID
	}
	stays := loosenAll(t, ids)
	for i := range requests {
		if q := &requests[i]; stays[q.Proto.ID] { // it leaves as it was planned, and not once more
			q.Proto.Flags, q.To = q.Proto.Flags&^timeline.OneWay, nil
		}
	}
	for i := range requests {
		h, at, _ := Draft(t).Take(requests[i].Proto.ID)
		Freed(t, h.Span, at)
	}
}

// SeatAsked is SeatAll of units that the command asks for: those that leave are refused where they cannot.
func SeatAsked(t *base.Tx, owner base.ID, requests []Request) error {
	if err := SeatAll(t, owner, requests); err != nil {
		return err
	}
	if loose := Departing(t).arrivals; len(loose) > 0 { // units that do not leave any more, as one has no slot, say
		var ids []base.ID
		for i := range requests {
			if id := requests[i].Proto.ID; loose[id] != nil {
				ids = append(ids, id)
			}
		}
		SettleUnits(t, ids...)
	}
	if due := Seating(t).due; len(due) > 0 && t.Waiting == nil { // units that cannot leave where they were seated
		Seating(t).due = nil
		t.Waiting, _ = tryConflicts(t, timeline.Waiting{Due: due}, cmp.Or(t.Tries, base.MaxTries))
	}
	if err := BlockedDeparture(t); err != nil {
		return err
	}
	return Crowded(t)
}

// SeatFreed tries the conflicts that overlap what the command freed. Those that the command made are tried where they
// belong. Departures are settled before that, as conflicts may wait for the units that arrive by them elsewhere.
func SeatFreed(t *base.Tx) {
	settleDepartures(t)
	if Seating(t).Gathers {
		return
	}
	bringHome(t)
	tries, due := cmp.Or(t.Tries, base.MaxTries), Seating(t).due
	for len(Seating(t).room)+len(due) > 0 && Draft(t).ConflictLen() > 0 {
		if t.Waiting != nil {
			Seating(t).room, due = append(t.Waiting.Room, Seating(t).room...), append(t.Waiting.Due, due...)
		}
		w := timeline.Waiting{Room: Seating(t).room, Due: due}
		Seating(t).room, Seating(t).due, due = nil, nil, nil
		t.Waiting, tries = tryConflicts(t, w, tries)
		settleDepartures(t)
	}
}

// LeftRoom wants a follow-up where holds that the command moved to other articles left room that a conflict pinned
// there may wait for.
func LeftRoom(t *base.Tx) {
	if Seating(t).Stock == nil || t.Waiting != nil {
		return
	}
	if left := Seating(t).Stock.Left(); len(left) > 0 && Seating(t).Stock.ConflictLen() > 0 {
		// also those that the command itself made
		t.Waiting = &timeline.Waiting{Room: left}
	}
}

// RecordStock adds what the plan's draft changed to the write set: slots first, then units.
func RecordStock(t *base.Tx) {
	if Seating(t).Stock == nil && len(Seating(t).tried) == 0 {
		return
	}
	c := Draft(t).Changes()
	Seating(t).placed = len(c.Slots) + len(c.Holds)
	for i := range c.Slots {
		x := &c.Slots[i]
		base.Record(t, SlotKind, exists(&x.Before, x.Had), exists(&x.After, x.Has))
	}
	rows := make([]base.Change[timeline.Placed], len(c.Holds))
	t.Room(len(rows))
	for i := range c.Holds {
		x := &c.Holds[i]
		if x.Had && x.Has && x.Before.Place.Seated() && x.Before.Place != x.After.Place {
			t.Moves++
		}
		rows[i] = base.Change[timeline.Placed]{Kind: UnitKind, Before: exists(&x.Before, x.Had),
			After: exists(&x.After, x.Has)}
		t.Set = append(t.Set, &rows[i])
		noteConflict(t, x)
	}
	noteTried(t, c.Holds)
}

// HandOver gives the timelines as the write set leaves them to who applies it, where the plan's draft has them: all
// changes of them were made on it.
func HandOver(t *base.Tx) {
	if Seating(t).Stock == nil {
		return
	}
	n := 0
	for _, c := range t.Set {
		switch c.Of().TableTag() {
		case base.TagSlot, base.TagUnit:
			n++
		case base.TagLot:
			if l := c.(*base.Change[Lot]).After; Draft(t).Lot(l.No).No == 0 { // it was made before there was a draft
				return
			}
		case base.TagArticle: // one that stays may come into a pool that is made only then
			if x := c.(*base.Change[Article]); x.Before != nil && x.After != nil {
				return
			}
		case base.TagSKU: // so may all of its articles
			return
		}
	}
	if n == Seating(t).placed {
		t.Drafted = Seating(t).Stock.Outcome()
	}
}

// Unrecorded is about how many rows RecordStock will add to the write set.
func Unrecorded(t *base.Tx) int {
	if Seating(t).Stock == nil {
		return 0
	}
	return Seating(t).Stock.Touched()
}

func exists[R any](r *R, is bool) *R {
	if !is {
		return nil
	}
	return r
}

// SlotByID finds a slot by its id. Slots are numbered in the order of their ids, so this is a binary search by number.
func SlotByID(a *base.AccountState, id base.ID) (timeline.Slot, bool) {
	lo, hi := uint32(1), a.Ledger.Slot+1
	for lo < hi {
		mid := lo + (hi-lo)/2
		no, s, ok := mid, timeline.Slot{}, false
		for ; no < hi; no++ { // numbers of slots that are gone have nothing to compare
			if s, ok = a.Stock.Slot(timeline.SlotNo(no)); ok {
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

// Asks is a hold that asks what a request asks, nil where that is nothing: one that was put on an article by hand asks
// for nothing else.
func (q *Request) Asks() *timeline.Hold {
	if f := q.Proto.Flags; !f.Has(timeline.Choosy) ||
		q.first == 0 && f.Any(timeline.PinnedArticle|timeline.PinnedSlot) {
		return nil
	}
	return &q.Proto
}

// Ask has a request ask what a hold asks.
func (q *Request) Ask(h *timeline.Hold) {
	if h != nil {
		q.Proto.Owner, q.Proto.Line, q.Proto.Flags = h.Owner, h.Line,
			q.Proto.Flags|timeline.Choosy.WithBlocker(timeline.BlockerOrder)
	}
}
