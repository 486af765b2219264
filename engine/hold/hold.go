package hold

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns holds without an order: carts, phone quotes, bookings of other systems. Placing one is the main job.

// Hold is a hold's record as it is answered.
type Hold struct {
	ID        base.ID
	Status    HoldStatus
	ExpiresAt *int64 // of a held one
	CreatedAt int64
	Customer  base.ID // the customer that it is for; zero: none is named
	Note      string
	Lines     []HoldLine
	Revision  uint64 // changes with the record itself; which units it has is no part of that
}

// HoldLine is one line of a hold with the units it has; an ended hold has none.
type HoldLine struct {
	base.Item
	Location base.ID
	Return   base.ID   // where its units go to when they end, Location where they stay
	Window   base.Span // as asked for, without buffers
	Quantity int
	Purchase base.PurchaseType
	Units    []HeldUnit // the first of them
	Taken    int        `json:",omitzero"` // how many there are
}

// HeldUnit is a unit of a hold.
type HeldUnit struct {
	stock.Unavailability
	// what it was asked for as: a SKU or an article, of a kit that of its component; neither if that is not known
	Ordered base.Item
}

// HoldLineInput asks for units of one item at one location over a window.
type HoldLineInput struct {
	base.Item
	Location base.ID
	Return   base.ID   // where its units go to when they end; zero: they stay. Of a sale they never come back
	Window   base.Span // End is Forever where it is open
	Quantity int
	Purchase base.PurchaseType // default booking
}

// PlaceHold takes stock: all lines or nothing.
type PlaceHold struct {
	base.Answers[*Hold]
	base.Adds
	Lines     []HoldLineInput
	ExpiresIn *int64   // seconds; nil: a firm hold
	Customer  *base.ID // the customer that it is for
	Note      string
	AllowPast bool          // takes lines that are over
	Rule      timeline.Rule // how units are found; the zero value is exact, the others are for comparison
}

// The bounds of a cart's time to live, in seconds.
const (
	MinExpiry = 30
	MaxExpiry = 7200
)

func (o PlaceHold) Check(c *base.Checker) {
	if len(o.Lines) == 0 || len(o.Lines) > base.MaxLines {
		c.Fault("/lines", "length", "must have between 1 and 1000 entries")
		return
	}
	units := 0
	for i := range o.Lines {
		l := &o.Lines[i]
		if l.One() && (l.Purchase == "" || l.Purchase == base.PurchaseBooking) && l.Quantity >= 1 &&
			l.Quantity <= base.MaxCount &&
			l.Window.Start >= base.MinInstant && l.Window.End > l.Window.Start && l.Window.End <= base.MaxInstant {
			units += l.Quantity
			continue // the usual line: no pointers are made
		}
		at := "/lines/" + base.Itoa(i)
		c.Item(at, l.Item)
		c.Number(at+"/quantity", l.Quantity, 1, base.MaxCount)
		c.Window(at+"/from", at+"/to", l.Window)
		if !l.Purchase.Valid() {
			c.Fault(at+"/purchaseType", "enum", "must be one of booking, sale, subscription")
		} else if l.Purchase == base.PurchaseSale && l.Window.End != base.Forever {
			c.Fault(at+"/to", "forbidden", "a sale has no end")
		}
		units += l.Quantity
	}
	if units > base.MaxUnits {
		c.Fault("/lines", "range", "must ask for at most 10000 units in all")
	}
	expiry(c, o.ExpiresIn)
	c.Text("/note", o.Note, 0, base.MaxNote)
}

func expiry(c *base.Checker, seconds *int64) {
	if seconds != nil {
		c.Number("/expiresInSeconds", int(*seconds), MinExpiry, MaxExpiry)
	}
}

// Size counts the units that are asked for.
func (o PlaceHold) Size(a *base.AccountState) int { return asked(a, o.Lines) }

// asked counts the units that lines ask for.
func asked(a *base.AccountState, lines []HoldLineInput) (n int) {
	for i := range lines {
		n += commerce.UnitsTaken(a, lines[i].Item, lines[i].Quantity)
	}
	return n
}

// UnitsOf counts the units of a hold, if there is one.
func UnitsOf(a *base.AccountState, id base.ID) (n int) {
	if rec := Holds(a).Get(id); rec != nil {
		for i := range rec.Lines {
			n += int(rec.Lines[i].Units)
		}
	}
	return n
}

func (o PlaceHold) PlanOn(t *base.Tx) (any, error) {
	if faults := o.past(t.Now); len(faults) > 0 {
		return nil, base.Invalid(faults)
	}
	rec := &HoldRecord{Status: Confirmed, Note: o.Note, Lines: make([]LineRow, len(o.Lines))}
	if o.Customer != nil {
		if err := commerce.MayBeFor(t, *o.Customer); err != nil {
			return nil, err
		}
		rec.Customer = *o.Customer
	}
	rec.ID = t.NewID()
	if o.ExpiresIn != nil {
		rec.Status, rec.Due = Held, t.Now+*o.ExpiresIn*1000
	}
	requests := make([]stock.Request, 0, len(o.Lines))
	units := 0
	for i := range o.Lines {
		from := len(requests)
		var err error
		if requests, err = askHeld(t, requests, &rec.Lines[i], i, &o.Lines[i], uint64(units+1)); err != nil {
			return nil, err
		}
		for j := range requests[from:] {
			requests[from+j].Rule = o.Rule
		}
		if units += int(rec.Lines[i].Units); units > base.MaxUnits {
			return nil, tooManyHeld()
		}
	}
	if err := stock.SeatAll(t, rec.ID, requests); err != nil {
		return nil, err
	}
	if err := stock.Crowded(t); err != nil {
		return nil, err
	}
	t.Used += uint64(units)
	// From here on nothing can refuse.
	base.Record(t, HoldKind, nil, rec)
	return HoldIn(t, rec), nil
}

// Wanted is a hash of the items and places of all lines.
func (o PlaceHold) Wanted() (hash uint64) {
	for i := range o.Lines {
		l := &o.Lines[i]
		for _, id := range [...]*base.ID{&l.SKU, &l.Article, &l.CatalogItem, &l.Location} {
			for _, half := range [...]uint64{binary.LittleEndian.Uint64(id[:8]), binary.LittleEndian.Uint64(id[8:])} {
				hash = bits.RotateLeft64(hash^half, 29) * 0x9e3779b97f4a7c15
			}
		}
	}
	return hash
}

// Exceeds says that by the counts a line asks for more units than there are.
func (o PlaceHold) Exceeds(v base.View, now int64) bool {
	for i := range o.Lines {
		l := &o.Lines[i]
		if l.CatalogItem != (base.ID{}) {
			continue // components are shared: to count kits costs as much as the plan
		}
		q := Query{Item: l.Item, Location: l.Location, Return: l.Return, Window: l.Window,
			// conflicts of its SKU may be counted for units of an article that are free
			Moves: l.Item.Article != (base.ID{}) && v.Acc.Stock.ConflictLen() > 0}
		a, err := Available(v, q, now)
		if err == nil && (a.Available < l.Quantity || q.Moves && a.WithMoves < l.Quantity) {
			return true
		}
	}
	return false
}

func tooManyHeld() error {
	return base.InvalidAt("/lines", "range", "must ask for at most 10000 units in all")
}

// askHeld adds the requests of a line of a hold, whose units get ids from first on, and makes the line of them; what it
// was made of, it keeps.
func askHeld(t *base.Tx, requests []stock.Request, made *LineRow, no int, l *HoldLineInput,
	first uint64) ([]stock.Request, error) {
	from := len(requests)
	requests, err := askAgain(t, requests, made, l)
	if err != nil {
		return nil, err
	}
	line := requests[from:]
	to, err := returns(t, l)
	if err != nil {
		return nil, err
	}
	for j := range line {
		if q := &line[j]; to != nil && to != q.Location {
			q.To, q.Proto.Flags = to, q.Proto.Flags|timeline.OneWay
		}
	}
	n := stock.SetLine(line, no, l.Window, l.Purchase.Kind(), first)
	q := &line[0]
	made.DenseLine = DenseLine{
		From: l.Window.Start, To: l.Window.End, Item: q.Item, Location: q.Location.No, Quantity: uint16(l.Quantity),
		Units: uint16(n), Named: l.Item.Kind(), Purchase: base.PurchaseOf(l.Purchase),
	}
	if q.To != nil {
		made.back = q.To.No
	}
	if l.CatalogItem != (base.ID{}) {
		made.Item = commerce.CatalogTable(t.Acc).Get(l.CatalogItem).No
	}
	return requests, nil
}

// returns is where units of a line go to when they end, nil where they stay or are sold.
func returns(t *base.Tx, l *HoldLineInput) (*stock.Location, error) {
	if l.Return == (base.ID{}) {
		return nil, nil
	}
	to := stock.LocationTable(t.Acc).Get(l.Return)
	if to == nil {
		return nil, base.NotFound("location")
	}
	if l.Purchase == base.PurchaseSale {
		return nil, nil
	}
	return to, nil
}

// past names the lines that are over and may not be.
func (o *PlaceHold) past(now int64) []base.Fault {
	var c base.Checker
	for i := range o.Lines {
		if o.Lines[i].Window.End <= now && !o.AllowPast {
			c.Fault("/lines/"+base.Itoa(i)+"/to", "past", "is in the past; a hold that is over is taken with allowPast")
		}
	}
	return c.Faults
}

// end takes a hold's units out and gives its record its last status; what came free is given to conflicts.
func end(t *base.Tx, rec *HoldRecord, status HoldStatus) {
	n := *rec
	n.Status, n.Due = status, t.Now+EndedKept
	d := stock.Draft(t)
	for _, id := range rec.each() {
		if h, at, ok := d.Take(id); ok {
			stock.Freed(t, h.Span, at)
		}
	}
	base.Record(t, HoldKind, rec, &n)
}

// lapse lets a hold expire, or forgets one that has ended.
func lapse(t *base.Tx, id base.ID) {
	if rec := Holds(t.Acc).Get(id); rec.Status.Ended() {
		base.Record(t, HoldKind, rec, nil)
	} else {
		end(t, rec, Expired)
	}
}

// EndedKept is how long an ended hold still answers, in milliseconds.
const EndedKept = 24 * 60 * 60 * 1000

// LiveHold finds a hold that is still active, or refuses.
func LiveHold(t *base.Tx, id base.ID) (*HoldRecord, error) {
	rec := Holds(t.Acc).Get(id)
	switch {
	case rec == nil:
		return nil, base.NotFound("hold")
	case rec.Status == Expired:
		return nil, &base.Error{Code: base.CodeHoldExpired, Detail: "the hold has expired",
			Details: base.HoldDetails{ID: id}}
	case rec.Status.Ended():
		return nil, base.NotAllowed("the hold is "+rec.Status.String()+" and cannot be changed", rec.Status.String())
	}
	return rec, nil
}

// ReleaseHold gives a hold's stock back. A hold that has ended is not found.
type ReleaseHold struct {
	base.Answers[any]
	base.IfMatch
	ID base.ID
}

// Size counts the units of the hold.
func (o ReleaseHold) Size(a *base.AccountState) int { return UnitsOf(a, o.ID) }

func (o ReleaseHold) PlanOn(t *base.Tx) (any, error) {
	rec := Holds(t.Acc).Get(o.ID)
	if rec == nil || rec.Status.Ended() {
		return nil, base.NotFound("hold")
	}
	if err := o.IfMatch.Match(rec.revision()); err != nil {
		return nil, err
	}
	end(t, rec, Released)
	stock.SeatFreed(t)
	return nil, nil
}

// ExtendHold gives a held hold a new expiry, counted from now.
type ExtendHold struct {
	base.Answers[*Hold]
	ID        base.ID
	ExpiresIn int64 // seconds
}

func (o ExtendHold) Check(c *base.Checker) { expiry(c, &o.ExpiresIn) }

func (o ExtendHold) PlanOn(t *base.Tx) (any, error) {
	rec, err := LiveHold(t, o.ID)
	if err != nil {
		return nil, err
	}
	if rec.Status != Held {
		return nil, base.NotAllowed("a confirmed hold has no expiry to extend", rec.Status.String(), "move", "order",
			"delete")
	}
	n := *rec
	n.Due = t.Now + o.ExpiresIn*1000
	base.Record(t, HoldKind, rec, &n)
	return HoldIn(t, &n), nil
}

// ConfirmHold makes a held hold firm. Confirming a firm one changes nothing.
type ConfirmHold struct {
	base.Answers[*Hold]
	ID base.ID
}

// Size counts the units of the hold.
func (o ConfirmHold) Size(a *base.AccountState) int { return UnitsOf(a, o.ID) }

func (o ConfirmHold) PlanOn(t *base.Tx) (any, error) {
	rec, err := LiveHold(t, o.ID)
	if err != nil {
		return nil, err
	}
	if rec.Status == Confirmed {
		return HoldIn(t, rec), nil
	}
	n := *rec
	n.Status, n.Due = Confirmed, 0
	base.Record(t, HoldKind, rec, &n)
	return HoldIn(t, &n), nil
}

// MoveLine changes one unit of a hold: other dates, another article, or a slot. What is nil stays.
type MoveLine struct {
	Unavailability base.ID
	From, To       *int64
	Article        *base.ID // pins it to the article
	Slot           *base.ID // pins it to the slot
}

// Idle says that the line leaves a unit as it is: the dates that it names are those that the unit has.
func (l *MoveLine) Idle(h timeline.Hold) bool {
	return l.Article == nil && l.Slot == nil && l.body(h) == h.Body()
}

// body is the window that the line gives to a unit.
func (l *MoveLine) body(h timeline.Hold) base.Span {
	body := h.Body()
	if l.From != nil {
		body.Start = *l.From
	}
	if l.To != nil {
		body.End = *l.To
	}
	return body
}

// MoveHold changes units of a hold together: all or nothing. A unit gets its buffers anew where its dates change, or
// where it goes to an article whose effective buffers are of other values than those of the article that it leaves, or
// from one that is gone; else its hull stays as it is. Where an article's own slots have no room for a unit that is
// pinned to it, what is auto-assigned there goes to other articles of the pool.
type MoveHold struct {
	base.Answers[*Hold]
	ID    base.ID
	Lines []MoveLine
}

// Size counts the units of the hold.
func (o MoveHold) Size(a *base.AccountState) int { return UnitsOf(a, o.ID) }

func (o MoveHold) Check(c *base.Checker) {
	if len(o.Lines) == 0 || len(o.Lines) > base.MaxLines {
		c.Fault("/lines", "length", "must have between 1 and 1000 entries")
		return
	}
	seen := map[base.ID]bool{}
	for i, l := range o.Lines {
		at := "/lines/" + base.Itoa(i)
		if seen[l.Unavailability] {
			c.Fault(at+"/unavailabilityId", "duplicate", "is named by an earlier line")
		}
		seen[l.Unavailability] = true
		checkWindow(c, at, l.From, l.To)
		if l.Article != nil && l.Slot != nil {
			c.Fault(at, "exclusive", "must name an articleId or a slotId, not both")
		}
		if l.From == nil && l.To == nil && l.Article == nil && l.Slot == nil {
			c.Fault(at, "required", "must change from, to, articleId or slotId")
		}
	}
}

// checkWindow looks at the part of a window that is given.
func checkWindow(c *base.Checker, at string, from, to *int64) {
	switch {
	case from != nil && to != nil:
		c.Window(at+"/from", at+"/to", base.Span{Start: *from, End: *to})
	case from != nil:
		c.Instant(at+"/from", *from)
	case to != nil && *to != base.Forever:
		c.Instant(at+"/to", *to)
	}
}

func (o MoveHold) PlanOn(t *base.Tx) (any, error) {
	rec, err := LiveHold(t, o.ID)
	if err != nil {
		return nil, err
	}
	requests := make([]stock.Request, 0, len(o.Lines))
	d := stock.Draft(t)
	for i, l := range o.Lines {
		h, at, ok := t.Acc.Stock.Find(l.Unavailability)
		if !ok || stock.OwnerOf(t.Acc, h) != rec.ID {
			return nil, base.NotFound("unavailability of this hold")
		}
		if l.Idle(h) {
			continue
		}
		q, err := MoveRequest(t, i, l, h, at)
		if err != nil {
			return nil, err
		}
		requests = append(requests, q)
	}
	d.Claim()
	stock.LetGo(t, requests)
	if err := stock.SeatAsked(t, rec.ID, requests); err != nil {
		return nil, err
	}
	n := *rec
	n.Lines = slices.Clone(rec.Lines)
	for i := range n.Lines {
		retime(t, &n, i)
	}
	if !slices.Equal(n.Lines, rec.Lines) {
		base.Record(t, HoldKind, rec, &n)
	}
	stock.SeatFreed(t)
	return HoldIn(t, &n), nil
}

// MoveRequest is the request that a moved unit makes: its own id and kind, what is given anew, and the pins it has. One
// that is auto-assigned asks for the SKU that it was made for, whatever its article is of by now.
func MoveRequest(t *base.Tx, line int, l MoveLine, h timeline.Hold, at timeline.Place) (stock.Request, error) {
	lot, body := t.Acc.Stock.Lot(at.Lot), l.body(h)
	if body.Empty() {
		return stock.Request{},
			base.InvalidAt("/lines/"+base.Itoa(line)+"/to", "order", "must be later than from")
	}
	if l.To != nil && h.Kind == timeline.SalesReservation {
		return stock.Request{},
			base.InvalidAt("/lines/"+base.Itoa(line)+"/to", "forbidden", "a sale has no end")
	}
	leaves := stock.ArticleTable(t.Acc).No(lot.Article)
	flags, item := h.Flags, leaves
	var slot timeline.SlotNo
	switch {
	case l.Article != nil:
		r := stock.ArticleTable(t.Acc).Get(*l.Article)
		if r == nil {
			return stock.Request{}, base.NotFound("article")
		}
		item, flags = r, flags&^timeline.PinnedSlot|timeline.PinnedArticle
	case l.Slot != nil:
		s, ok := stock.SlotByID(t.Acc, *l.Slot)
		if !ok {
			return stock.Request{}, base.NotFound("slot")
		}
		lot = t.Acc.Stock.Lot(s.Lot)
		slot, flags = s.No, flags|timeline.PinnedSlot|timeline.PinnedArticle
		item = stock.ArticleTable(t.Acc).No(lot.Article)
	case at.Seated() && flags.Has(timeline.PinnedSlot):
		slot = at.Slot
	case flags.Has(timeline.PinnedSlot): // it waits for its slot, as long as that is there for all of the time
		if slot = stock.Draft(t).Stock().PinOf(h.WithBuffers(0, 0).WithSpan(body), at.Lot, t.Now); slot == 0 {
			flags &^= timeline.PinnedSlot
		}
	}
	made := h
	made.Flags = flags
	sku := stock.MadeFor(t.Acc, made, item)
	where := stock.LocationTable(t.Acc).No(lot.Location)
	switch {
	case item == nil && sku == (base.ID{}):
		return stock.Request{}, base.NotFound("article")
	case where == nil:
		return stock.Request{}, base.NotFound("location")
	}
	var q stock.Request
	var err error
	stays := !at.Seated() && l.Article == nil && l.Slot == nil
	switch {
	case sku != (base.ID{}):
		q, err = stock.NewRequest(t, base.Item{SKU: sku}, where.ID)
	case stays && !item.Takes(): // it waits, and may go on to wait for less
		q = stock.Request{Location: where, Item: item.No, Article: item}
	case flags.Has(timeline.PinnedArticle) || item.SKU == nil || !item.Takes():
		q, err = stock.NewRequest(t, base.Item{Article: item.ID}, where.ID)
	default:
		q, err = stock.NewRequest(t, base.Item{SKU: *item.SKU}, where.ID)
	}
	if err != nil {
		return q, err
	}
	q.Was, q.Stays = at, stays
	q.Line, q.Body, q.Quantity, q.Proto, q.Slot, q.To = line, body, 1, h, slot, stock.GoesInPlan(t, h)
	q.Proto.Flags = flags
	q.KeepHull = body == h.Body() && sameBuffers(t.Acc, leaves, item)
	return q, nil
}

// sameBuffers says that two articles have effective buffers of the same values.
func sameBuffers(a *base.AccountState, r, other *stock.Article) bool {
	if r == other || r == nil {
		return r == other
	}
	return stock.PoolKey(a, r, 0).Is(stock.PoolKey(a, other, 0))
}

// retime gives a line the window that its units have, where they all have one.
func retime(t *base.Tx, rec *HoldRecord, line int) {
	l := &rec.Lines[line]
	proto, first := l.Begin(rec.ID, rec.first(line))
	var body base.Span
	for i := range uint64(l.Units) {
		h, _, ok := stock.Draft(t).Find(base.After(proto, first+i))
		if !ok || i > 0 && h.Body() != body {
			return
		}
		body = h.Body()
	}
	l.From, l.To = body.Start, body.End
}

// HoldIn renders a record as the plan leaves it.
func HoldIn(t *base.Tx, rec *HoldRecord) *Hold {
	if stock.Seating(t).Stock == nil {
		return HoldFrom(t.Acc, rec, t.Acc.Stock.Find, base.MaxListed)
	}
	return HoldFrom(t.Acc, rec, stock.Seating(t).Stock.Find, base.MaxListed)
}

// HoldFrom renders a record with the first of its units, at most so many, found through find.
func HoldFrom(a *base.AccountState, rec *HoldRecord, find func(base.ID) (timeline.Hold, timeline.Place, bool),
	most int) *Hold {
	h := &Hold{ID: rec.ID, Status: rec.Status, CreatedAt: base.CreatedAt(rec.ID), Customer: rec.Customer,
		Note: rec.Note, Lines: make([]HoldLine, len(rec.Lines)), Revision: rec.revision()}
	if rec.Status == Held {
		h.ExpiresAt = &rec.Due
	}
	next := uint64(1)
	for i, l := range rec.Lines {
		proto, n := l.Begin(rec.ID, next)
		next = n + uint64(l.Units)
		out := HoldLine{Location: stock.LocationKind.IDOf(a, l.Location), Return: stock.LocationKind.IDOf(a, l.Goes()),
			Window: base.Span{Start: l.From, End: l.To}, Quantity: int(l.Quantity), Purchase: l.Purchase.Type()}
		switch l.Named {
		case base.NamesSKU:
			out.SKU = stock.SKUKind.IDOf(a, l.Item)
		case base.NamesArticle:
			out.Article = stock.ArticleKind.IDOf(a, l.Item)
		case base.NamesCatalogItem:
			out.CatalogItem = commerce.CatalogKind.IDOf(a, l.Item)
		}
		if !rec.Status.Ended() {
			shown := min(int(l.Units), most)
			most -= shown
			of := componentsOf(a, &l, proto)
			out.Taken, out.Units = int(l.Units), make([]HeldUnit, 0, shown)
			for k := range uint64(shown) {
				if u, at, ok := find(base.After(proto, n+k)); ok {
					x := stock.UnavailabilityAt(a, u, at)
					x.Owner = rec.ID // also where the plan that renders it makes it this record's
					out.Units = append(out.Units, HeldUnit{Unavailability: x, Ordered: heldAs(a, &l, of, int(k))})
				}
			}
		}
		h.Lines[i] = out
	}
	return h
}

// HoldByID returns a hold's record with all its units; ok is false where there is none, or none any more.
func HoldByID(v base.View, id base.ID) (*Hold, bool) { return HoldWith(v, id, base.MaxUnits) }

// HoldWith is Hold with the first of the units, at most so many.
func HoldWith(v base.View, id base.ID, units int) (*Hold, bool) {
	rec := Holds(v.Acc).Get(id)
	if rec == nil {
		return nil, false
	}
	return HoldFrom(v.Acc, rec, v.Acc.Stock.Find, units), true
}

// EachHold yields all hold records in order of creation.
func EachHold(v base.View) iter.Seq[*Hold] {
	return func(yield func(*Hold) bool) {
		for id, row := range Holds(v.Acc).Rows.From(base.ID{}) {
			if !yield(HoldFrom(v.Acc, Holds(v.Acc).full(id, row), v.Acc.Stock.Find, base.MaxUnits)) {
				return
			}
		}
	}
}

// HoldUnits reads units of a hold in the order of its lines, and how many it has; ok is false where there is no such
// hold.
func HoldUnits(v base.View, id base.ID, p base.Part) (list []HeldUnit, total int, ok bool) {
	rec := Holds(v.Acc).Get(id)
	if rec == nil {
		return nil, 0, false
	}
	if rec.Status.Ended() {
		return nil, 0, true
	}
	n, line, of := 0, -1, []commerce.Component(nil)
	for i, id := range rec.each() {
		if n++; n <= p.Offset {
			continue
		}
		if n > p.Offset+p.Limit {
			break
		}
		u, at, ok := v.Acc.Stock.Find(id)
		if !ok {
			continue
		}
		if l := &rec.Lines[i]; i != line {
			base, _ := l.Begin(rec.ID, 0)
			line, of = i, componentsOf(v.Acc, l, base)
		}
		list = append(list, HeldUnit{Unavailability: stock.UnavailabilityAt(v.Acc, u, at),
			Ordered: heldAs(v.Acc, &rec.Lines[i], of, int(u.Owner-rec.first(i)))})
	}
	return list, rec.units(), true
}

func init() {
	stock.RegisterOwnership(timeline.BlockerHold, stock.Ownership{
		Record: holding,
		Kept: func(a *base.AccountState, record base.ID) bool {
			_, ok := Holds(a).Rows.Get(record)
			return ok
		},
		Made: func(a *base.AccountState, h timeline.Hold, _ *stock.Article) base.ID {
			if rec := Holds(a).Get(holding(a, h)); rec != nil {
				return madeForHeld(a, rec, h)
			}
			return base.ID{}
		},
		Goes: func(a *base.AccountState, h timeline.Hold) base.ID {
			if rec := Holds(a).Get(holding(a, h)); rec != nil {
				if i, _ := rec.lineOf(h); i >= 0 {
					return stock.LocationKind.IDOf(a, rec.Lines[i].Goes())
				}
			}
			return base.ID{}
		},
	})
}

// madeForHeld is that of a unit of a hold: the units of a line are in the order of the kit's components.
func madeForHeld(a *base.AccountState, rec *HoldRecord, h timeline.Hold) base.ID {
	i, first := rec.lineOf(h)
	if i < 0 {
		return base.ID{}
	}
	l := &rec.Lines[i]
	base, _ := l.Begin(rec.ID, first)
	return heldAs(a, l, componentsOf(a, l, base), int(h.Owner)-int(first)).SKU
}

func (PlaceHold) Distinct() []base.DistinctValue { return nil }
