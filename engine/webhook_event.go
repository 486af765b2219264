package engine

import (
	"cmp"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"github.com/klauspost/compress/s2"

	"holdfast/timeline"
)

// This file owns events: their bytes, which are made once, and the deliveries that an event makes.

// eventBody is what is sent of an event: the same bytes to all of one version, and on every attempt. They are packed, once: as
// JSON repeats itself, a fifth of them goes to the log and through the compactions of rows.
type eventBody struct {
	ID     ID
	packed []byte        // the row's value, with its version
	make   func() []byte // what makes it when the row is written, beside the writer
	about  int           // how long that is, about
}

// Versions of an event body's row.
const (
	bodyPlain  = 1
	bodyPacked = 2 // by S2
)

func pack(text []byte) []byte {
	b := make([]byte, 1+s2.MaxEncodedLen(len(text)))
	b[0] = bodyPacked
	return b[:1+len(s2.Encode(b[1:], text))]
}

var bodyKind = storedRows(&kind[eventBody]{
	tag:  tagBody,
	name: "event body",
	key:  func(b *eventBody) ID { return b.ID },
	encode: func(dst []byte, b *eventBody) []byte {
		if b.packed == nil && b.make != nil {
			b.packed, b.make = pack(b.make()), nil
		}
		return append(dst, b.packed...)
	},
	decode: func(_, key ID, b []byte) (*eventBody, error) {
		if len(b) == 0 || b[0] != bodyPlain && b[0] != bodyPacked {
			return nil, fmt.Errorf("event body: unknown row version")
		}
		return &eventBody{ID: key, packed: slices.Clone(b)}, nil
	},
	weigh: func(b *eventBody) int { return len(b.packed) + b.about/2 }, // packed it is less than that
})

// text is the bytes that are sent.
func (b *eventBody) text() ([]byte, error) {
	if b.packed[0] == bodyPlain {
		return b.packed[1:], nil
	}
	return s2.Decode(nil, b.packed[1:])
}

// MaxQueued is the most deliveries of a webhook that wait. Those of events beyond it are in the log as failed, from where they
// can be recovered.
const MaxQueued = 100_000

// What is kept of events that happen while a webhook is disabled as too many failed: no more than both.
const (
	MaxKept   = 10_000
	keptBytes = 64 << 20
)

// deliverEvents makes the deliveries of what the plan has recorded, where there is somebody to tell.
func (t *tx) deliverEvents() {
	if t.acc.webhooks().Len() == 0 {
		return
	}
	emit := func(typ HookEvent, resource ID, data func() eventData) { t.emit(typ, resource, data) }
	for _, find := range eventSources {
		find(t, emit)
	}
}

func init() { registerEvents("webhook", disabledEvents, WebhookDisabled) }

// disabledEvents finds the webhooks that are disabled as too many events failed.
func disabledEvents(t *tx, emit func(typ HookEvent, webhook ID, data func() eventData)) {
	for _, x := range slices.Clone(t.hooks().list) {
		if x.before.Enabled && !x.after.Enabled {
			const about = 512
			emit(WebhookDisabled, x.before.ID, func() eventData { return t.written(&x.after.Webhook, about) })
		}
	}
}

// emit makes the deliveries of an event; nil data: there is nothing to show. Webhooks are told that were enabled before the command. For one that
// was disabled as too many failed it is kept, for one that was disabled by hand it is counted.
func (t *tx) emit(typ HookEvent, resource ID, data func() eventData) {
	hooks := t.acc.webhooks()
	var e event
	for w := range hooks.By(webhookByType, string(typ)) {
		kept := !w.Enabled
		if kept && (w.DisabledReason == nil || !t.hooks().keeps(t, w.ID)) {
			t.hooks().of(t, w.ID).missed(t.now, t.now)
			continue
		}
		if e.id == (ID{}) {
			e = event{id: t.newID(), typ: typ, resource: resource}
			if data != nil {
				e.data = data()
			}
		}
		d := t.delivery(&e, w)
		if kept {
			d.State, d.Next, d.Ended, d.Kept = DeliveryFailed, 0, t.now, true
			t.hooks().keep(d)
		}
		record(t, deliveryKind, nil, d)
	}
}

// event is what happened.
type event struct {
	id       ID
	typ      HookEvent
	resource ID
	data     eventData
	bodies   []versionBody
}

// withoutPanic makes null of a record that a fault of the program keeps from being written: the event says that it changed.
func withoutPanic(payload func(version string, record any) []byte, log *slog.Logger) func(version string, record any) []byte {
	if payload == nil {
		return nil
	}
	return func(version string, record any) (b []byte) {
		defer func() {
			if p := recover(); p != nil {
				log.Error("an event could not be written, it is sent without its record", "record", fmt.Sprintf("%T", record), "panic", p, "stack", string(debug.Stack()))
				b = []byte("null")
			}
		}()
		return payload(version, record)
	}
}

type versionBody struct {
	version string
	id      ID
	size    int
}

// body gives the event's bytes in a version.
func (e *event) body(t *tx, version string) versionBody {
	for _, b := range e.bodies {
		if b.version == version {
			return b
		}
	}
	const envelope = 256 // about
	row := &eventBody{ID: t.newID(), about: envelope + e.data.about}
	it, now := *e, t.now
	row.make = func() []byte { return it.text(now, version) }
	record(t, bodyKind, nil, row)
	b := versionBody{version, row.ID, row.about}
	e.bodies = append(e.bodies, b)
	return b
}

// text is the envelope with the order in it.
func (e *event) text(now int64, version string) []byte {
	b := e.id.AppendTo([]byte(`{"eventId":"`))
	b = append(append(b, `","eventType":"`...), e.typ...)
	b = timeline.AppendInstant(append(b, `","eventTime":"`...), now)
	b = append(b, `","resource":"`...)
	b = e.resource.AppendTo(append(append(b, resourceOf[e.typ]...), `","resourceId":"`...))
	b = append(append(b, `","apiVersion":"`...), version...)
	b = append(b, `","data":`...)
	if e.data.write == nil {
		return append(b, "null}"...)
	}
	data := e.data.write(version)
	return append(append(slices.Grow(b, len(data)+1), data...), '}')
}

// delivery makes the delivery of an event to a webhook.
func (t *tx) delivery(e *event, w *webhookRow) *Delivery {
	body := e.body(t, w.APIVersion)
	d := &Delivery{
		ID: t.newID(), Webhook: w.ID, Event: e.id, Body: body.id, Type: e.typ, Resource: e.resource, State: DeliveryPending, Next: t.now, Size: uint32(body.size), Revision: 1,
	}
	t.used += maxAttempts // the ids behind it are those of its attempts
	if t.acc.calls().waiting(w.ID) >= MaxQueued {
		d.State, d.Next, d.Ended = DeliveryFailed, 0, t.now
	}
	return d
}

// TestWebhook has a webhook told of an event that did not happen: one of its types, of the record with the nil id, with an example of it.
// How that goes says nothing about the webhook: it does not count, and it may be disabled. It answers with the *Delivery.
type TestWebhook struct {
	ID        ID
	EventType HookEvent // empty: the first of its types
}

func (o TestWebhook) Check() []Fault {
	var c checker
	if o.EventType != "" {
		c.eventType("/eventType", o.EventType)
	}
	return c.faults
}

// Example is the record that a test of a webhook shows: one of those that events of a type are about, with the nil id.
type Example HookEvent

func (o TestWebhook) plan(t *tx) (any, error) {
	w, err := found(t, webhookKind, o.ID, nil)
	if err != nil {
		return nil, err
	}
	typ := cmp.Or(o.EventType, w.EventType)
	if !slices.Contains(w.EventTypes(), typ) {
		return nil, invalid([]Fault{{Pointer: "/eventType", Code: "not_allowed", Message: "is none of the webhook's types"}})
	}
	const about = 4 << 10
	d := t.delivery(&event{id: t.newID(), typ: typ, data: t.written(Example(typ), about)}, w)
	d.Test, d.ByHand = true, true
	record(t, deliveryKind, nil, d)
	return d, nil
}

func (TestWebhook) result() any { return new(Delivery) }
