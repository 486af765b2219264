package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns the commands on records: what each does, and when each is refused. Those that take stock are in
// place.go, those that change it in quantity.go.

const (
	endedKept = 24 * 60 * 60 * 1000 // how long an ended hold is kept, ms
)

// Step holds one submission against the twin: the command, the instant at which the engine took it, what it answered
// and what it logged. It returns the account as it is then, or what is wrong.
func (a *Account) Step(account ID, op base.Op, now int64, res any, err error, log []persist.Record) (*Account, error) {
	a.Seen.Commands++
	if err != nil {
		a.Seen.Refused++
	}
	due, own := parts(account, log)
	if len(due) > 0 { // as commands of their own: the submission meets what they left
		var fault error
		if a, fault = a.step(Tick{}, now, nil, nil, due); fault != nil {
			return nil, fmt.Errorf("what was due: %w", fault)
		}
	}
	return a.step(op, now, res, err, own)
}

func (a *Account) step(op base.Op, now int64, res any, err error, log []persist.Change) (*Account, error) {
	obs, fault := a.read(log)
	if fault != nil {
		return nil, fault
	}
	s := &step{op: op, now: now, was: a, a: a.clone(), obs: obs, homes: map[ID]Pool{}, evict: map[ID]bool{},
		sent: map[ID]uint32{}}
	s.short, s.pushed, s.fixed = map[ID]bool{}, map[ID]bool{}, map[ID]uint32{}
	s.departs, s.left, s.arrivals = map[ID]*departure{}, map[ID]*departure{}, map[ID]*departure{}
	if _, tick := op.(Tick); !tick && len(base.FaultsIn(op)) > 0 {
		// the engine did not begin it, so that nothing that was due before it was done either
		if fault = s.do(op, res, err); fault == errRefused && len(log) == 0 {
			fault = nil
		}
		return a, fault
	}
	if fault := s.due(); fault != nil {
		return nil, fault
	}
	if len(log) > 0 {
		s.a.At = now
	}
	s.limbo()
	kept := *s
	kept.a, kept.departs, kept.left = s.a.clone(), maps.Clone(s.departs), maps.Clone(s.left)
	kept.arrivals = maps.Clone(s.arrivals)
	if fault = s.do(op, res, err); err != nil && (fault == nil || fault == errRefused) {
		s, fault = &kept, nil // nothing of a refused command happened
	}
	if fault == nil {
		s.limbo()
		fault = s.settle()
	}
	for _, judge := range s.later {
		if fault == nil {
			fault = judge()
		}
	}
	if fault == nil {
		fault = s.refit()
	}
	if fault == nil {
		fault = s.conflicts()
	}
	if fault == nil {
		fault = s.calls(op, res, err, log)
	}
	s.revise(commands(log))
	if p, ok := op.(order.PatchOrderLine); ok && err == nil && s.a.order(p.Order).Revision == a.order(p.Order).
		Revision {
		s.a.Seen.Idle++
	}
	return s.a, fault
}

// due lets holds expire and forgets ended ones, keeps what is late, and does what is due of subscriptions.
func (s *step) due() error {
	for again := true; again; {
		again = false
		for _, h := range s.a.Holds {
			if h.Due == 0 || h.Due > s.now {
				continue
			}
			if again = true; h.Status.Ended() {
				s.a.Holds = slices.DeleteFunc(slices.Clone(s.a.Holds), func(x *Hold) bool { return x == h })
			} else {
				s.end(h, hold.Expired)
			}
			break
		}
	}
	s.renew()
	return s.overdue()
}

func (s *step) end(h *Hold, status hold.HoldStatus) {
	for i := range h.Lines {
		s.takeLine(h, i)
	}
	n := *h
	n.Status, n.Due = status, s.now+endedKept
	s.setHold(&n)
}

// takeLine takes the units of a hold's line out.
func (s *step) takeLine(h *Hold, line int) {
	for n := range h.Lines[line].Made {
		if id := h.Lines[line].unit(n); s.a.unit(id) != nil {
			s.take(id)
		}
	}
}

// unit is the id of a line's unit, from 0.
func (l *Line) unit(n int) ID { return follows(l.Base, l.First+uint64(n)) }

// held is the hold that a unit belongs to, and which of the units of its line it is; nil where it belongs to none.
func (a *Account) held(u Unit) (h *Hold, nth int) {
	if u.ordered() || u.event() {
		return nil, 0
	}
	for _, h := range a.Holds {
		for i := range h.Lines {
			if l := &h.Lines[i]; l.Base == u.Owner() && u.Nth >= l.First && u.Nth < l.First+uint64(len(l.Made)) {
				return h, int(u.Nth - l.First)
			}
		}
	}
	return nil, 0
}

// follows is the id n places after another.
func follows(id ID, n uint64) ID {
	binary.BigEndian.PutUint64(id[8:], binary.BigEndian.Uint64(id[8:])+n)
	return id
}

// Owner is the id that a unit's follows: of the hold, the change of one or the event that made it; of a unit of an
// order it is none.
func (u Unit) Owner() ID {
	if u.ordered() {
		return ID{}
	}
	return follows(u.ID, -u.Nth)
}

func (s *step) setHold(h *Hold) {
	for i := range s.a.Holds {
		if s.a.Holds[i].ID == h.ID {
			s.a.Holds[i] = h
		}
	}
}

// code is the code of a refusal, empty for none.
func code(err error) base.Code {
	var e *base.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	}
	return base.CodeInternal
}

// refused holds a refusal against the one that is due.
func refused(err error, want base.Code) error {
	if code(err) != want {
		return wrong("answered %q (%v), the twin says %q", code(err), err, want)
	}
	return nil
}

// rightly is refused, where more of the command would have to be judged had it not been.
func rightly(err error, want base.Code) error {
	if fault := refused(err, want); fault != nil {
		return fault
	}
	return errRefused
}

// Tick is the command that does what is due and nothing else.
type Tick struct{ base.Op }

// do judges one command.
func (s *step) do(op base.Op, res any, err error) error {
	switch o := op.(type) {
	case Tick:
		return refused(err, "")
	case stock.CreateLocation:
		s.a.Locations = append(s.a.Locations, &Location{ID: res.(*stock.Location).ID, Zone: o.Timezone})
		return refused(err, "")
	case stock.CreateSKU:
		s.a.SKUs = append(s.a.SKUs,
			&SKU{ID: res.(*stock.SKU).ID, Before: o.Before, After: o.After, Has: s.a.given(nil, o.Labels)})
		return refused(err, "")
	case stock.PatchSKU:
		return s.patchSKU(o, err)
	case commerce.CreateCatalogItem, commerce.PatchCatalogItem, commerce.DeleteCatalogItem:
		return s.catalog(o, res, err)
	case label.CreateAttribute, label.PatchAttribute, label.DeleteAttribute:
		return s.attributes(o, res, err)
	case base.PatchAccount:
		return s.currency(o, err)
	case commerce.CreatePricingTable, commerce.PatchPricingTable, commerce.DeletePricingTable,
		commerce.CreatePricingRow, commerce.PatchPricingRow, commerce.DeletePricingRow:
		return s.pricing(o, res, err)
	case stock.CreateArticle:
		return s.createArticle(o, res, err)
	case stock.PatchArticle:
		return s.patchArticle(o, err)
	case stock.ArchiveArticle:
		return s.archiveArticle(o, err)
	case commerce.CreateCustomer:
		s.a.Customers = append(s.a.Customers, res.(*commerce.Customer).ID)
		return refused(err, "")
	case commerce.DeleteCustomer:
		return s.deleteCustomer(o, err)
	case stock.DeleteLocation:
		return s.deleteLocation(o, err)
	case stock.DeleteSKU:
		return s.deleteSKU(o, err)
	case stock.DeleteArticle:
		return s.deleteArticle(o, err)
	case stock.IncreaseQuantity:
		return s.increase(o, err)
	case stock.DecreaseQuantity:
		return s.decrease(o, res, err)
	case stock.TransferQuantity:
		return s.transfer(o, res, err)
	case stock.CreateScheduledEvent:
		return s.createEvent(o, res, err)
	case stock.PatchScheduledEvent:
		return s.patchEvent(o, err)
	case stock.DeleteScheduledEvent:
		return s.deleteEvent(o, err)
	case hold.ChangeHold:
		return s.changeHold(o, res, err)
	case hold.PlaceHold:
		return s.place(o, res, err)
	case hold.MoveHold:
		return s.move(o, err)
	case hold.ReleaseHold:
		h := s.a.hold(o.ID)
		if h == nil || h.Status.Ended() {
			return refused(err, base.CodeNotFound)
		}
		s.end(h, hold.Released)
		return refused(err, "")
	case hold.ExtendHold:
		return s.live(o.ID, err, func(h *Hold) base.Code {
			if h.Status != hold.Held {
				return base.CodeStateNotAllowed
			}
			h.Due = s.now + o.ExpiresIn*1000
			return ""
		})
	case hold.ConfirmHold:
		return s.live(o.ID, err, func(h *Hold) base.Code {
			h.Status, h.Due = hold.Confirmed, 0
			return ""
		})
	}
	if hooking(op) {
		return nil
	}
	return s.orders(op, res, err)
}

// over says why nothing can be done with a hold any more: empty where it can.
func (h *Hold) over() base.Code {
	switch {
	case h == nil:
		return base.CodeNotFound
	case h.Status == hold.Expired:
		return base.CodeHoldExpired
	case h.Status.Ended():
		return base.CodeStateNotAllowed
	}
	return ""
}

// live finds a hold that has not ended, and changes it.
func (s *step) live(id ID, err error, change func(*Hold) base.Code) error {
	h := s.a.hold(id)
	if want := h.over(); want != "" {
		return refused(err, want)
	}
	n := *h
	want := change(&n)
	if want == "" {
		s.setHold(&n)
	}
	return refused(err, want)
}

func (s *step) patchSKU(o stock.PatchSKU, err error) error {
	for i, k := range s.a.SKUs {
		if k.ID == o.ID && !k.Gone {
			n := *k
			n.Before, n.After = patched(o.Before, n.Before), patched(o.After, n.After)
			n.Has = s.a.given(n.Has, o.Labels)
			was := s.a.clone()
			s.a.SKUs[i] = &n
			if err == nil {
				s.joined(was)
			}
			return refused(err, "")
		}
	}
	return refused(err, base.CodeNotFound)
}

// patched is a buffer after a patch that gives both its fields, or clears it.
func patched(p stock.BufferPatch, b *stock.Buffer) *stock.Buffer {
	switch {
	case !p.Amount.Set && !p.Unit.Set:
		return b
	case p.Amount.Null || p.Unit.Null:
		return nil
	}
	return &stock.Buffer{Amount: p.Amount.Value, Unit: p.Unit.Value}
}

func (s *step) createArticle(o stock.CreateArticle, res any, err error) error {
	for _, q := range o.Quantities {
		if s.a.location(q.Location) == nil {
			return refused(err, base.CodeNotFound)
		}
	}
	if o.SKU != nil && s.a.sku(*o.SKU) == nil {
		return refused(err, base.CodeNotFound)
	}
	if err := refused(err, ""); err != nil {
		return err
	}
	active := o.Status == "" || o.Status == stock.ArticleActive
	s.a.Articles = append(s.a.Articles, &Article{ID: res.(*stock.Article).ID, SKU: o.SKU, Active: active, Takes: active,
		Before: o.Before, After: o.After, Has: s.a.given(nil, o.Labels)})
	for _, q := range o.Quantities {
		from := s.now
		if q.From != nil {
			from = *q.From
		}
		s.addSlots(res.(*stock.Article).ID, q.Location, q.Count, from)
	}
	return nil
}

func (s *step) createEvent(o stock.CreateScheduledEvent, res any, err error) error {
	if s.a.article(o.Article) == nil || s.a.location(o.Location) == nil {
		return refused(err, base.CodeNotFound)
	}
	e := &Event{Article: o.Article, Location: o.Location, Type: o.Type, Name: o.Name, Window: o.Window}
	if r, ok := res.(*stock.ScheduledEvent); ok && err == nil {
		e.ID = r.ID
	}
	s.a.Events = append(s.a.Events, e)
	if o.Type == stock.EventNote {
		return refused(err, "")
	}
	return s.seatEvent(e, e.Window, nil, err)
}

// seatEvent judges the unit of a reservation, which may be there already: on its article, without buffers, whatever the
// article's status.
func (s *step) seatEvent(e *Event, need Span, was *Unit, err error) error {
	no := s.a.lotAt(e.Article, e.Location)
	home, may := Pool{}, impossible
	if no != 0 {
		home = s.a.lotPool(no)
		may = s.a.room(home, need, 1, s.now)
		if s.a.roams(home) && !s.a.leaves(no, need, 1) {
			may = impossible
		}
		if was != nil {
			home.Closed = false
			q := request{pools: []Pool{home}, hulls: []Span{e.Window}, body: e.Window, past: true, was: *was,
				stays: was.Slot == 0 && was.Lot == no}
			may, _, _ = s.anew(s.a, q, true)
			if o := s.obs.unit(follows(e.ID, 1)); q.stays && o != nil && o.Slot == 0 {
				s.short[o.ID], s.pushed[o.ID] = true, true
			}
		}
	}
	if ok, fault := judged(err, may); !ok {
		return fault
	}
	return s.put(Unit{
		ID: follows(e.ID, 1), Hull: e.Window, Nth: 1, Kind: timeline.Booking,
		Flags: timeline.PinnedArticle.WithBlocker(timeline.BlockerScheduledEvent),
	}, home)
}

// judged holds the outcome of a request for stock against what the rules say of it. ok: it was granted, and may be.
func judged(err error, may chance) (ok bool, fault error) {
	switch c := code(err); {
	case c == "" && may != impossible:
		return true, nil
	case c == base.CodeInsufficient && may != certain:
		return false, errRefused
	default:
		return false, wrong("answered %q (%v), but the twin says it is %s", c, err,
			[...]string{"impossible", "open", "certain"}[may])
	}
}

// errRefused says that the command was refused and rightly so: nothing of it happened.
var errRefused = errors.New("rightly refused")

func (s *step) patchEvent(o stock.PatchScheduledEvent, err error) error {
	e := s.a.event(o.ID)
	if e == nil || e.Article != o.Article {
		return refused(err, base.CodeNotFound)
	}
	n := *e
	if o.Fields.Has("name") {
		n.Name = o.Fields.To.Name
	}
	if o.Location.Set {
		n.Location = o.Location.Value
	}
	if o.From.Set {
		n.Window.Start = o.From.Value
	}
	if o.To.Set {
		n.Window.End = o.To.Value
		if o.To.Null {
			n.Window.End = Forever
		}
	}
	moved := n.Window != e.Window || n.Location != e.Location
	switch {
	case n.Window.Empty():
		return refused(err, base.CodeInvalid)
	// one that stays may be where no location is any more
	case s.a.location(n.Location) == nil && (moved || o.Location.Set):
		return refused(err, base.CodeNotFound)
	}
	s.a.Events[slices.Index(s.a.Events, e)] = &n
	if n.Type == stock.EventNote || !moved {
		return refused(err, "")
	}
	s.held = s.a.clone()
	was := s.take(follows(n.ID, 1))
	need := n.Window
	if need.Start < s.now && s.now < need.End {
		need.Start = s.now // what is past of it needs no room
	}
	return s.seatEvent(&n, need, &was, err)
}

func (s *step) deleteEvent(o stock.DeleteScheduledEvent, err error) error {
	e := s.a.event(o.ID)
	if e == nil || e.Article != o.Article {
		return refused(err, base.CodeNotFound)
	}
	if e.Type == stock.EventReservation {
		s.take(follows(e.ID, 1))
	}
	s.a.Events = slices.DeleteFunc(s.a.Events, func(x *Event) bool { return x == e })
	return refused(err, "")
}
