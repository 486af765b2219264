package engine

import (
	"iter"
	"slices"

	"holdfast/timeline"
)

// This file owns holds without an order: carts, phone quotes, bookings of other systems. Placing one is the main job.

// Hold is a hold's record as it is answered.
type Hold struct {
	ID        ID
	Status    HoldStatus
	ExpiresAt *int64 // of a held one
	CreatedAt int64
	Customer  ID // whom it is for; zero: nobody is named
	Note      string
	Lines     []HoldLine
	Revision  uint64 // tells states of the record itself apart; which units it has is no part of it
}

// HoldLine is one line of a hold with the units it has; an ended hold has none.
type HoldLine struct {
	Item
	Location ID
	Return   ID   // where its units go to when they end, Location where they stay
	Window   Span // as asked for, without buffers
	Quantity int
	Purchase PurchaseType
	Units    []HeldUnit // the first of them
	Taken    int        `json:",omitzero"` // how many there are
}

// HeldUnit is a unit of a hold.
type HeldUnit struct {
	Unavailability
	Ordered Item // what it was asked for as: a SKU or an article, of a kit that of its component; neither where nobody can say
}

// HoldLineInput asks for units of one item at one location over a window.
type HoldLineInput struct {
	Item
	Location ID
	Return   ID   // where its units go to when they end; zero: they stay. Of a sale they never come back
	Window   Span // End is Forever where it is open
	Quantity int
	Purchase PurchaseType // default booking
}

// PlaceHold takes stock: all lines or nothing. It answers with the *Hold.
type PlaceHold struct {
	Lines     []HoldLineInput
	ExpiresIn *int64 // seconds; nil: a firm hold
	Customer  *ID    // whom it is for
	Note      string
	AllowPast bool          // takes lines that are over
	Rule      timeline.Rule // how units are found; the zero value is exact, the others are for comparison
}

// The bounds of a cart's time to live, in seconds.
const (
	minExpiry = 30
	maxExpiry = 7200
)

func (o PlaceHold) Check() []Fault {
	var c checker
	if len(o.Lines) == 0 || len(o.Lines) > maxLines {
		c.fault("/lines", "length", "must have between 1 and 1000 entries")
		return c.faults
	}
	units := 0
	for i := range o.Lines {
		l := &o.Lines[i]
		if l.One() && (l.Purchase == "" || l.Purchase == PurchaseBooking) && l.Quantity >= 1 && l.Quantity <= maxCount &&
			l.Window.Start >= minInstant && l.Window.End > l.Window.Start && l.Window.End <= maxInstant {
			units += l.Quantity
			continue // the usual line: no pointers are made
		}
		at := "/lines/" + itoa(i)
		c.item(at, l.Item)
		c.number(at+"/quantity", l.Quantity, 1, maxCount)
		c.window(at+"/from", at+"/to", l.Window)
		if !l.Purchase.valid() {
			c.fault(at+"/purchaseType", "enum", "must be one of booking, sale, subscription")
		} else if l.Purchase == PurchaseSale && l.Window.End != Forever {
			c.fault(at+"/to", "forbidden", "a sale has no end")
		}
		units += l.Quantity
	}
	if units > maxUnits {
		c.fault("/lines", "range", "must ask for at most 10000 units in all")
	}
	c.expiry("/expiresInSeconds", o.ExpiresIn)
	c.text("/note", o.Note, 0, maxNote)
	return c.faults
}

func (c *checker) expiry(pointer string, seconds *int64) {
	if seconds != nil && (*seconds < minExpiry || *seconds > maxExpiry) {
		c.fault(pointer, "range", "must be between 30 and 7200")
	}
}

func (o PlaceHold) plan(t *tx) (any, error) {
	if faults := o.past(t.now); len(faults) > 0 {
		return nil, invalid(faults)
	}
	rec := &holdRecord{status: Confirmed, note: o.Note, lines: make([]holdLine, len(o.Lines))}
	if o.Customer != nil {
		if err := t.mayBeFor(*o.Customer); err != nil {
			return nil, err
		}
		rec.customer = *o.Customer
	}
	rec.id = t.newID()
	if o.ExpiresIn != nil {
		rec.status, rec.due = Held, t.now+*o.ExpiresIn*1000
	}
	requests := make([]request, 0, len(o.Lines))
	units := 0
	for i := range o.Lines {
		from := len(requests)
		var err error
		if requests, err = t.askHeld(requests, &rec.lines[i], i, &o.Lines[i], uint64(units+1)); err != nil {
			return nil, err
		}
		for j := range requests[from:] {
			requests[from+j].rule = o.Rule
		}
		if units += int(rec.lines[i].units); units > maxUnits {
			return nil, tooManyHeld()
		}
	}
	if err := t.seatAll(rec.id, requests); err != nil {
		return nil, err
	}
	t.used += uint64(units)
	// From here on nothing can refuse.
	record(t, holdKind, nil, rec)
	return t.hold(rec), nil
}

func tooManyHeld() error {
	return invalid([]Fault{{Pointer: "/lines", Code: "range", Message: "must ask for at most 10000 units in all"}})
}

// askHeld adds the requests of a line of a hold, whose units get ids from first on, and makes the line of them; what it was made of, it keeps.
func (t *tx) askHeld(requests []request, made *holdLine, no int, l *HoldLineInput, first uint64) ([]request, error) {
	from := len(requests)
	requests, err := t.askAgain(requests, made, l)
	if err != nil {
		return nil, err
	}
	line := requests[from:]
	to, err := t.returns(l)
	if err != nil {
		return nil, err
	}
	for j := range line {
		if q := &line[j]; to != nil && to != q.location {
			q.to, q.proto.Flags = to, q.proto.Flags|timeline.OneWay
		}
	}
	n := setLine(line, no, l.Window, l.Purchase.kind(), first)
	q := &line[0]
	made.denseLine = denseLine{
		from: l.Window.Start, to: l.Window.End, item: q.item, location: q.location.No, quantity: uint16(l.Quantity), units: uint16(n),
		named: l.Item.kind(), purchase: purchaseOf(l.Purchase),
	}
	if q.to != nil {
		made.back = q.to.No
	}
	if l.CatalogItem != (ID{}) {
		made.item = t.acc.catalog().Get(l.CatalogItem).No
	}
	return requests, nil
}

// returns is where units of a line go to when they end, nil where they stay or are sold.
func (t *tx) returns(l *HoldLineInput) (*Location, error) {
	if l.Return == (ID{}) {
		return nil, nil
	}
	to := t.acc.locations().Get(l.Return)
	if to == nil {
		return nil, notFound("location")
	}
	if l.Purchase == PurchaseSale {
		return nil, nil
	}
	return to, nil
}

// past names the lines that are over and may not be.
func (o *PlaceHold) past(now int64) []Fault {
	var c checker
	for i := range o.Lines {
		if o.Lines[i].Window.End <= now && !o.AllowPast {
			c.fault("/lines/"+itoa(i)+"/to", "past", "is in the past; a hold that is over is taken with allowPast")
		}
	}
	return c.faults
}

func (PlaceHold) result() any { return new(Hold) }

// end takes a hold's units out and gives its record its last status; what came free is given to conflicts.
func (t *tx) end(rec *holdRecord, status HoldStatus) *holdRecord {
	n := *rec
	n.status, n.due = status, t.now+endedKept
	d := t.draft()
	for _, id := range rec.each() {
		if h, at, ok := d.Take(id); ok {
			t.freed(h.Span, at)
		}
	}
	record(t, holdKind, rec, &n)
	return &n
}

// lapse lets a hold expire, or forgets one that has ended.
func (t *tx) lapse(id ID) {
	if rec := t.acc.holds().get(id); rec.status.Ended() {
		record(t, holdKind, rec, nil)
	} else {
		t.end(rec, Expired)
	}
}

// endedKept is how long an ended hold still answers, in milliseconds.
const endedKept = 24 * 60 * 60 * 1000

func (t *tx) liveHold(id ID) (*holdRecord, error) {
	rec := t.acc.holds().get(id)
	switch {
	case rec == nil:
		return nil, notFound("hold")
	case rec.status == Expired:
		return nil, &Error{Code: CodeHoldExpired, Detail: "the hold has expired", Details: HoldDetails{id}}
	case rec.status.Ended():
		return nil, &Error{Code: CodeStateNotAllowed, Detail: "the hold is " + rec.status.String() + " and cannot be changed", Details: StateDetails{State: rec.status.String()}}
	}
	return rec, nil
}

// ReleaseHold gives a hold's stock back. It answers with nil. A hold that has ended is not found.
type ReleaseHold struct {
	ID      ID
	IfMatch []uint64
}

func (ReleaseHold) Check() []Fault { return nil }

func (o ReleaseHold) plan(t *tx) (any, error) {
	rec := t.acc.holds().get(o.ID)
	if rec == nil || rec.status.Ended() {
		return nil, notFound("hold")
	}
	if err := match(o.IfMatch, rec.revision()); err != nil {
		return nil, err
	}
	t.end(rec, Released)
	t.seatFreed()
	return nil, nil
}

func (ReleaseHold) result() any { return new(any) }

// ExtendHold gives a held hold a new expiry, counted from now. It answers with the *Hold.
type ExtendHold struct {
	ID        ID
	ExpiresIn int64 // seconds
}

func (o ExtendHold) Check() []Fault {
	var c checker
	c.expiry("/expiresInSeconds", &o.ExpiresIn)
	return c.faults
}

func (o ExtendHold) plan(t *tx) (any, error) {
	rec, err := t.liveHold(o.ID)
	if err != nil {
		return nil, err
	}
	if rec.status != Held {
		return nil, &Error{Code: CodeStateNotAllowed, Detail: "a confirmed hold has no expiry to extend", Details: StateDetails{State: rec.status.String(), Allowed: []string{"move", "order", "delete"}}}
	}
	n := *rec
	n.due = t.now + o.ExpiresIn*1000
	record(t, holdKind, rec, &n)
	return t.hold(&n), nil
}

func (ExtendHold) result() any { return new(Hold) }

// ConfirmHold makes a held hold firm. Confirming a firm one changes nothing. It answers with the *Hold.
type ConfirmHold struct{ ID ID }

func (ConfirmHold) Check() []Fault { return nil }

func (o ConfirmHold) plan(t *tx) (any, error) {
	rec, err := t.liveHold(o.ID)
	if err != nil {
		return nil, err
	}
	if rec.status == Confirmed {
		return t.hold(rec), nil
	}
	n := *rec
	n.status, n.due = Confirmed, 0
	record(t, holdKind, rec, &n)
	return t.hold(&n), nil
}

func (ConfirmHold) result() any { return new(Hold) }

// MoveLine changes one unit of a hold: other dates, another article, or a slot. What is nil stays.
type MoveLine struct {
	Unavailability ID
	From, To       *int64
	Article        *ID // pins it to the article
	Slot           *ID // pins it to the slot
}

// idle says that the line leaves a unit as it is: the dates that it names are those that the unit has.
func (l *MoveLine) idle(h timeline.Hold) bool {
	return l.Article == nil && l.Slot == nil && l.body(h) == h.Body()
}

// body is the window that the line gives to a unit.
func (l *MoveLine) body(h timeline.Hold) Span {
	body := h.Body()
	if l.From != nil {
		body.Start = *l.From
	}
	if l.To != nil {
		body.End = *l.To
	}
	return body
}

// MoveHold changes units of a hold together: all or nothing. A unit gets its buffers anew where its dates change, or where it goes to an
// article whose effective buffers are of other values than those of the article that it leaves, or from one that is gone; else its hull stays as it is. Where an article's own slots have no room for a unit that is pinned to it,
// what is auto-assigned there goes to other articles of the pool. It answers with the *Hold.
type MoveHold struct {
	ID    ID
	Lines []MoveLine
}

func (o MoveHold) Check() []Fault {
	var c checker
	if len(o.Lines) == 0 || len(o.Lines) > maxLines {
		c.fault("/lines", "length", "must have between 1 and 1000 entries")
		return c.faults
	}
	seen := map[ID]bool{}
	for i, l := range o.Lines {
		at := "/lines/" + itoa(i)
		if seen[l.Unavailability] {
			c.fault(at+"/unavailabilityId", "duplicate", "is named by an earlier line")
		}
		seen[l.Unavailability] = true
		switch {
		case l.From != nil && l.To != nil:
			c.window(at+"/from", at+"/to", Span{Start: *l.From, End: *l.To})
		case l.From != nil:
			c.instant(at+"/from", *l.From)
		case l.To != nil && *l.To != Forever:
			c.instant(at+"/to", *l.To)
		}
		if l.Article != nil && l.Slot != nil {
			c.fault(at, "exclusive", "must name an articleId or a slotId, not both")
		}
		if l.From == nil && l.To == nil && l.Article == nil && l.Slot == nil {
			c.fault(at, "required", "must change from, to, articleId or slotId")
		}
	}
	return c.faults
}

func (o MoveHold) plan(t *tx) (any, error) {
	rec, err := t.liveHold(o.ID)
	if err != nil {
		return nil, err
	}
	requests := make([]request, 0, len(o.Lines))
	d := t.draft()
	for i, l := range o.Lines {
		h, at, ok := t.acc.stock.Find(l.Unavailability)
		if !ok || t.acc.ownerOf(h) != rec.id {
			return nil, notFound("unavailability of this hold")
		}
		if l.idle(h) {
			continue
		}
		q, err := t.moveRequest(i, l, h, at)
		if err != nil {
			return nil, err
		}
		requests = append(requests, q)
	}
	d.Claim()
	t.letGo(requests)
	if err := t.seatAsked(rec.id, requests); err != nil {
		return nil, err
	}
	n := *rec
	n.lines = slices.Clone(rec.lines)
	for i := range n.lines {
		t.retime(&n, i)
	}
	if !slices.Equal(n.lines, rec.lines) {
		record(t, holdKind, rec, &n)
	}
	t.seatFreed()
	return t.hold(&n), nil
}

// moveRequest is the request that a moved unit makes: its own id and kind, what is given anew, and the pins it has. One that is auto-assigned asks for the SKU that
// it was made for, whatever its article is of by now.
func (t *tx) moveRequest(line int, l MoveLine, h timeline.Hold, at timeline.Place) (request, error) {
	lot, body := t.acc.stock.Lot(at.Lot), l.body(h)
	if body.Empty() {
		return request{}, invalid([]Fault{{Pointer: "/lines/" + itoa(line) + "/to", Code: "order", Message: "must be later than from"}})
	}
	if l.To != nil && h.Kind == timeline.SalesReservation {
		return request{}, invalid([]Fault{{Pointer: "/lines/" + itoa(line) + "/to", Code: "forbidden", Message: "a sale has no end"}})
	}
	leaves := t.acc.articles().No(lot.Article)
	flags, item := h.Flags, leaves
	var slot timeline.SlotNo
	switch {
	case l.Article != nil:
		r := t.acc.articles().Get(*l.Article)
		if r == nil {
			return request{}, notFound("article")
		}
		item, flags = r, flags&^timeline.PinnedSlot|timeline.PinnedArticle
	case l.Slot != nil:
		s, ok := t.acc.slotByID(*l.Slot)
		if !ok {
			return request{}, notFound("slot")
		}
		lot = t.acc.stock.Lot(s.Lot)
		slot, flags = s.No, flags|timeline.PinnedSlot|timeline.PinnedArticle
		item = t.acc.articles().No(lot.Article)
	case at.Seated() && flags.Has(timeline.PinnedSlot):
		slot = at.Slot
	case flags.Has(timeline.PinnedSlot): // it waits for its slot, as long as that is there for all of the time
		if slot = t.draft().Stock().PinOf(h.WithBuffers(0, 0).WithSpan(body), at.Lot, t.now); slot == 0 {
			flags &^= timeline.PinnedSlot
		}
	}
	made := h
	made.Flags = flags
	sku := t.acc.madeFor(made, item)
	where := t.acc.locations().No(lot.Location)
	switch {
	case item == nil && sku == (ID{}):
		return request{}, notFound("article")
	case where == nil:
		return request{}, notFound("location")
	}
	var q request
	var err error
	stays := !at.Seated() && l.Article == nil && l.Slot == nil
	switch {
	case sku != (ID{}):
		q, err = t.request(Item{SKU: sku}, where.ID)
	case stays && !item.Takes(): // it waits, and may go on to wait for less
		q = request{location: where, item: item.No, article: item}
	case flags.Has(timeline.PinnedArticle) || item.SKU == nil || !item.Takes():
		q, err = t.request(Item{Article: item.ID}, where.ID)
	default:
		q, err = t.request(Item{SKU: *item.SKU}, where.ID)
	}
	if err != nil {
		return q, err
	}
	q.was, q.stays = at, stays
	q.line, q.body, q.quantity, q.proto, q.slot, q.to = line, body, 1, h, slot, t.goes(h)
	q.proto.Flags = flags
	q.keepHull = body == h.Body() && t.acc.sameBuffers(leaves, item)
	return q, nil
}

// sameBuffers says that two articles have effective buffers of the same values.
func (a *account) sameBuffers(r, other *Article) bool {
	if r == other || r == nil {
		return r == other
	}
	return a.poolKey(r, 0).is(a.poolKey(other, 0))
}

// retime gives a line the window that its units have, where they all have one.
func (t *tx) retime(rec *holdRecord, line int) {
	l := &rec.lines[line]
	base, first := l.begin(rec.id, rec.first(line))
	var body Span
	for i := range uint64(l.units) {
		h, _, ok := t.draft().Find(after(base, first+i))
		if !ok || i > 0 && h.Body() != body {
			return
		}
		body = h.Body()
	}
	l.from, l.to = body.Start, body.End
}

func (MoveHold) result() any { return new(Hold) }

// hold renders a record as the plan leaves it.
func (t *tx) hold(rec *holdRecord) *Hold {
	if t.seating().stock == nil {
		return t.acc.hold(rec, t.acc.stock.Find, MaxListed)
	}
	return t.acc.hold(rec, t.seating().stock.Find, MaxListed)
}

// hold renders a record with the first of its units, at most so many, found through find.
func (a *account) hold(rec *holdRecord, find func(ID) (timeline.Hold, timeline.Place, bool), most int) *Hold {
	h := &Hold{ID: rec.id, Status: rec.status, CreatedAt: CreatedAt(rec.id), Customer: rec.customer, Note: rec.note, Lines: make([]HoldLine, len(rec.lines)), Revision: rec.revision()}
	if rec.status == Held {
		h.ExpiresAt = &rec.due
	}
	next := uint64(1)
	for i, l := range rec.lines {
		base, n := l.begin(rec.id, next)
		next = n + uint64(l.units)
		out := HoldLine{Location: a.locationID(l.location), Return: a.locationID(l.goes()), Window: Span{Start: l.from, End: l.to}, Quantity: int(l.quantity), Purchase: l.purchase.Type()}
		switch l.named {
		case namesSKU:
			out.SKU = a.skuID(l.item)
		case namesArticle:
			out.Article = a.articleID(l.item)
		case namesCatalogItem:
			out.CatalogItem = a.catalogID(l.item)
		}
		if !rec.status.Ended() {
			shown := min(int(l.units), most)
			most -= shown
			of := a.componentsOf(&l, base)
			out.Taken, out.Units = int(l.units), make([]HeldUnit, 0, shown)
			for k := range uint64(shown) {
				if u, at, ok := find(after(base, n+k)); ok {
					x := a.unavailability(u, at)
					x.Owner = rec.id // also where the plan that renders it makes it this record's
					out.Units = append(out.Units, HeldUnit{x, a.heldAs(&l, of, int(k))})
				}
			}
		}
		h.Lines[i] = out
	}
	return h
}

// Hold returns a hold's record with all its units; ok is false where there is none, or none any more.
func (v View) Hold(id ID) (*Hold, bool) { return v.HoldWith(id, maxUnits) }

// HoldWith is Hold with the first of the units, at most so many.
func (v View) HoldWith(id ID, units int) (*Hold, bool) {
	rec := v.acc.holds().get(id)
	if rec == nil {
		return nil, false
	}
	return v.acc.hold(rec, v.acc.stock.Find, units), true
}

// EachHold yields all hold records in order of creation.
func (v View) EachHold() iter.Seq[*Hold] {
	return func(yield func(*Hold) bool) {
		for id, row := range v.acc.holds().rows.From(ID{}) {
			if !yield(v.acc.hold(v.acc.holds().full(id, row), v.acc.stock.Find, maxUnits)) {
				return
			}
		}
	}
}

// HoldUnits reads units of a hold in the order of its lines, and how many it has; ok is false where there is no such hold.
func (v View) HoldUnits(id ID, p Part) (list []HeldUnit, total int, ok bool) {
	rec := v.acc.holds().get(id)
	if rec == nil {
		return nil, 0, false
	}
	if rec.status.Ended() {
		return nil, 0, true
	}
	n, line, of := 0, -1, []Component(nil)
	for i, id := range rec.each() {
		if n++; n <= p.Offset {
			continue
		}
		if n > p.Offset+p.Limit {
			break
		}
		u, at, ok := v.acc.stock.Find(id)
		if !ok {
			continue
		}
		if l := &rec.lines[i]; i != line {
			base, _ := l.begin(rec.id, 0)
			line, of = i, v.acc.componentsOf(l, base)
		}
		list = append(list, HeldUnit{v.acc.unavailability(u, at), v.acc.heldAs(&rec.lines[i], of, int(u.Owner-rec.first(i)))})
	}
	return list, rec.units(), true
}

func init() {
	registerOwnership(timeline.BlockerHold, ownership{
		record: (*account).holding,
		made: func(a *account, h timeline.Hold, _ *Article) ID {
			if rec := a.holds().get(a.holding(h)); rec != nil {
				return a.madeForHeld(rec, h)
			}
			return ID{}
		},
		goes: func(a *account, h timeline.Hold) ID {
			if rec := a.holds().get(a.holding(h)); rec != nil {
				if i, _ := rec.lineOf(h); i >= 0 {
					return a.locationID(rec.lines[i].goes())
				}
			}
			return ID{}
		},
	})
}

// madeForHeld is that of a unit of a hold: the units of a line are in the order of the kit's components.
func (a *account) madeForHeld(rec *holdRecord, h timeline.Hold) ID {
	i, first := rec.lineOf(h)
	if i < 0 {
		return ID{}
	}
	l := &rec.lines[i]
	base, _ := l.begin(rec.id, first)
	return a.heldAs(l, a.componentsOf(l, base), int(h.Owner)-int(first)).SKU
}

func (PlaceHold) distinct() []distinctValue { return nil }
