package model

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/klauspost/compress/s2"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/outbox"
	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns events: which ones each command owes, which webhooks they go to, and what they say. An event is made
// exactly when the change that it reports is committed.

const (
	tagHook     = 42
	tagOrder    = 40
	tagBody     = 43
	tagDelivery = 44
)

// Hook is a webhook.
type Hook struct {
	ID      ID
	Types   []base.HookEvent // in the order of their list
	Version string
	Enabled bool
	Reason  string // why the engine disabled it
	Failed  int    // events in a row that failed for good
	Missed  int    // events since it was last disabled that were not kept
	Since   int64  // the first of those
}

// command is what the log says of one command of the engine.
type command struct {
	actor   string
	changes []persist.Change
}

// commands cuts an account's changes where a change of the ledger begins the next command.
func commands(changes []persist.Change) (list []command) {
	for _, c := range changes {
		if c.Table == tagLedger {
			list = append(list, command{actor: actorOf(c)})
			continue
		}
		last := &list[len(list)-1]
		last.changes = append(last.changes, c)
	}
	return list
}

// told is what an event reports: that something happened to an order, a unit, a hold or a webhook.
type told struct {
	kind base.HookEvent
	of   ID
}

// owed are the events of a command: each order's row that it made, changed or removed, and each order of which a unit
// came to another article, lost its own, or got one; each unit that became a conflict or ceased to be one, and that is
// kept beyond an end of its line and was not before; each hold that lapsed; each webhook that was disabled for
// failures.
func (s *step) owed(c command) (list []told) {
	tell := func(kind base.HookEvent, order ID) {
		if !slices.Contains(list, told{kind, order}) &&
			!slices.ContainsFunc(list, func(t told) bool { return t.of == order && resources[kind] == "order" }) {
			list = append(list, told{kind, order})
		}
	}
	for _, x := range c.changes {
		switch id := ID(x.Key[16:]); {
		case x.Table != tagOrder || bytes.Equal(x.Before, x.After):
		case x.Before == nil:
			tell(base.OrderCreated, id)
		case x.After == nil:
			tell(base.OrderDeleted, id)
		default:
			tell(base.OrderUpdated, id)
		}
	}
	for _, x := range c.changes {
		if x.Table != tagUnit || x.Before == nil || x.After == nil {
			continue
		}
		u, was := readUnit(ID(x.Key[16:]), x.After), readUnit(ID(x.Key[16:]), x.Before)
		if u.Flags.Blocker() == timeline.BlockerOrder && s.articleOf(u) != s.articleOf(was) {
			tell(base.OrderUpdated, s.a.Owner(u))
		}
	}
	for _, x := range c.changes {
		id := ID(x.Key[16:])
		switch x.Table {
		case tagUnit:
			s.unitOwes(id, x, tell)
		case tagHold:
			if x.After != nil && x.Before != nil && holdStatus(x.After) == hold.Expired &&
				holdStatus(x.Before) != hold.Expired {
				tell(base.HoldExpired, id)
			}
		case tagHook:
			if x.After != nil && x.Before != nil && disabledFor(x.After) != nil && disabledFor(x.Before) == nil {
				tell(base.WebhookDisabled, id)
			}
		}
	}
	s.late(c, tell)
	return list
}

// disabledFor is why a webhook is disabled, by its row; nil: it is not, or was by hand.
func disabledFor(row []byte) *string {
	var w struct{ DisabledReason *string }
	if err := json.Unmarshal(row[1:], &w); err != nil {
		panic(err)
	}
	return w.DisabledReason
}

// unitOwes tells the events of a unit.
func (s *step) unitOwes(id ID, x persist.Change, tell func(base.HookEvent, ID)) {
	var was, is Unit
	waits := func(row []byte, u *Unit) bool {
		if row != nil {
			*u = readUnit(id, row)
		}
		return row != nil && u.Slot == 0
	}
	switch waited, waits := waits(x.Before, &was), waits(x.After, &is); {
	case waits && !waited:
		tell(base.ConflictCreated, id)
	case waited && !waits:
		tell(base.ConflictResolved, id)
	}
}

// late are the units that are out beyond the end of their line after a command, and were not before it, or beyond
// another end.
func (s *step) late(c command, tell func(base.HookEvent, ID)) {
	to := s.was // of orders: what time does to them changes no end
	if c.actor != "clock" && c.actor != "conflicts" {
		to = s.a
	}
	beyond := func(a *Account, u Unit) (end int64) {
		o := find(a.Orders, func(o *Order) bool { return uint64(o.No) == u.Nth })
		if !u.ordered() || !u.out() || u.Flags.Has(timeline.Back) || o == nil {
			return 0
		}
		l := at(o.Lines, func(l *OrderLine) bool { return l.No == u.Line })
		if l == nil || l.Window.End > s.now || u.Body().End <= l.Window.End || u.Body().End == Forever {
			return 0
		}
		return l.Window.End
	}
	touched := map[ID]bool{}
	for _, x := range c.changes {
		if id := ID(x.Key[16:]); x.Table == tagUnit {
			touched[id] = true
			if x.After == nil {
				continue
			}
			is, before := beyond(to, readUnit(id, x.After)), int64(0)
			if x.Before != nil {
				before = beyond(s.was, readUnit(id, x.Before))
			}
			if is != 0 && is != before {
				tell(base.UnitOverdue, id)
			}
		}
	}
	if to == s.was {
		return
	}
	for _, u := range s.obs.Units { // other ends may leave them with the time that they have
		if is := beyond(to, u); !touched[u.ID] && is != 0 && is != beyond(s.was, u) {
			s.a.Seen.LateAsItIs++
			tell(base.UnitOverdue, u.ID)
		}
	}
}

// resources are what events are about.
var resources = map[base.HookEvent]string{
	base.OrderCreated: "order", base.OrderUpdated: "order", base.OrderDeleted: "order",
	base.ConflictCreated: "conflict", base.ConflictResolved: "conflict",
	base.HoldExpired: "hold", base.UnitOverdue: "unavailability", base.WebhookDisabled: "webhook",
}

// What is kept of events for a webhook that is disabled for failures.
const mostKept = 10_000

// articleOf is the number of the article that a unit has, from 1; 0: it is a conflict.
func (s *step) articleOf(u Unit) int {
	if u.Slot == 0 {
		return 0
	}
	return s.obs.lot(u.Lot).Article + 1
}

// envelope is what is sent of an event.
type envelope struct {
	EventID    string          `json:"eventId"`
	EventType  string          `json:"eventType"`
	EventTime  string          `json:"eventTime"`
	Resource   string          `json:"resource"`
	ResourceID string          `json:"resourceId"`
	APIVersion string          `json:"apiVersion"`
	Data       json.RawMessage `json:"data"`
}

// tell holds the deliveries that a command made against those that it owes to the webhooks as they were before it, and
// takes them over.
func (s *step) tell(c command, hooks []Hook, list []told) error {
	bodies, sent := map[ID][]byte{}, map[ID]bool{}
	var made []outbox.Delivery
	for _, x := range c.changes {
		switch {
		case x.Table == tagBody && x.After != nil:
			text, err := s2.Decode(nil, x.After[1:])
			if err != nil {
				return wrong("the body %x: %w", x.Key[16:], err)
			}
			bodies[ID(x.Key[16:])] = text
		case x.Table == tagDelivery && x.Before == nil:
			made = append(made, readDelivery(ID(x.Key[16:]), x.After))
		}
	}
	events := map[ID]bool{}
	for _, d := range s.a.Deliveries {
		events[d.Event] = true
	}
	for _, t := range list {
		if resources[t.kind] == "order" && t.of != (ID{}) {
			delete(s.a.Said, t.of)
		}
		event, test := ID{}, t.of == ID{}
		for _, h := range hooks {
			if !slices.Contains(h.Types, t.kind) {
				continue
			}
			keep := !h.Enabled && !test
			if keep && (h.Reason == "" || s.kept(h.ID) >= mostKept) {
				s.missed(h.ID)
				continue
			}
			i := slices.IndexFunc(made,
				func(d outbox.Delivery) bool { return d.Webhook == h.ID && d.Resource == t.of && d.Type == t.kind })
			if i < 0 {
				return wrong("%s of %x is not told to webhook %x", t.kind, t.of, h.ID)
			}
			d := made[i]
			made = slices.Delete(made, i, i+1)
			if event == (ID{}) {
				if event = d.Event; events[event] {
					return wrong("event %x is told twice", event)
				}
				events[event] = true
			}
			want := outbox.Delivery{
				ID: d.ID, Webhook: h.ID, Event: event, Body: d.Body, Resource: t.of, Type: t.kind,
				State: outbox.DeliveryPending, Test: test, ByHand: test, Next: s.now,
			}
			if keep {
				want.State, want.Kept, want.Next, want.Ended = outbox.DeliveryFailed, true, 0, s.now
				s.a.Seen.KeptEvents++
			}
			if d != want {
				return wrong("an event is told by %+v, the twin says %+v", d, want)
			}
			var e envelope
			if err := json.Unmarshal(bodies[d.Body], &e); err != nil {
				return wrong("the body of %+v: %w", d, err)
			}
			whole := envelope{event.String(), string(t.kind), string(timeline.AppendInstant(nil, s.now)),
				resources[t.kind], t.of.String(), h.Version, e.Data}
			if none := string(e.Data) == "null"; none != (t.kind == base.OrderDeleted && !test) || !same(e, whole) {
				return wrong("the body of %+v is %s", d, bodies[d.Body])
			}
			sent[d.Body] = true
			if resources[t.kind] == "order" && t.kind != base.OrderDeleted && !test {
				s.a.Said[t.of] = string(e.Data)
			}
			s.a.Deliveries = append(s.a.Deliveries, d)
			s.a.Seen.Told++
		}
	}
	if len(made) > 0 || len(sent) != len(bodies) {
		return wrong("%d deliveries are of nothing that happened: %+v; %d bodies, %d are sent", len(made), made,
			len(bodies), len(sent))
	}
	return nil
}

// kept is how many events wait until they are recovered for a webhook.
func (s *step) kept(hook ID) (n int) {
	for _, d := range s.a.Deliveries {
		if d.Webhook == hook && d.Kept {
			n++
		}
	}
	return n
}

// missed counts an event that is not kept for a webhook that is disabled.
func (s *step) missed(hook ID) {
	h := s.a.hook(hook)
	if h.Missed++; h.Missed == 1 {
		h.Since = s.now
	}
	s.a.Seen.MissedEvents++
}

func same(a, b envelope) bool {
	a.Data, b.Data = nil, nil
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

// readDelivery reads what the log has of a delivery, without its size and revision.
func readDelivery(id ID, b []byte) outbox.Delivery {
	at := func(n int) ID { return ID(b[1+16*n : 17+16*n]) }
	f := b[65:]
	return outbox.Delivery{
		ID: id, Webhook: at(0), Event: at(1), Body: at(2), Resource: at(3),
		Type: base.HookEvents[f[0]], State: outbox.DeliveryState(f[1]), Test: f[2]&1 != 0, ByHand: f[2]&2 != 0,
		Kept: f[2]&4 != 0, Attempts: int(f[3]), Tries: int(f[4]),
		Next: i64(f[5:]), First: i64(f[13:]), Ended: i64(f[21:]),
	}
}

// calls goes through the commands of a submission: what each does to webhooks and deliveries, and the events that it
// owes.
func (s *step) calls(op base.Op, res any, err error, log []persist.Change) error {
	list, done := commands(log), err != nil
	for _, c := range list {
		hooks := slices.Clone(s.a.Hooks)
		var events []told
		switch c.actor {
		case "clock":
			s.round()
		case "conflicts":
		default:
			done = true
			if fault := s.hooks(op, res, err); fault != nil {
				return fault
			}
			if o, ok := op.(outbox.TestWebhook); ok {
				h := s.a.hook(o.ID)
				events, hooks = []told{{h.Types[0], ID{}}}, []Hook{*h}
				if o.EventType != "" {
					events[0].kind = o.EventType
				}
			}
		}
		if fault := s.tell(c, hooks, append(events, s.owed(c)...)); fault != nil {
			return wrong("%s: %w", c.actor, fault)
		}
	}
	if !done || err != nil {
		return s.hooks(op, res, err)
	}
	return nil
}

// holdStatus is the status in a hold's row, whose two highest bits say that its lines were changed and that it is for a
// customer.
func holdStatus(row []byte) hold.HoldStatus { return hold.HoldStatus(row[1] &^ 0xc0) }
