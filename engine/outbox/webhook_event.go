package outbox

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/klauspost/compress/s2"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns events: their bytes, which are made once, and the deliveries that an event makes.

// EventBody is what is sent of an event: the same bytes to all of one version, and on every attempt. They are packed,
// once: as JSON repeats itself, a fifth of them goes to the log and through the compactions of rows.
type EventBody struct {
	ID     base.ID
	Packed []byte        // the row's value, with its version
	make   func() []byte // makes it when the row is encoded, not on the writer
	about  int           // how long that is, about
}

// Versions of an event body's row.
const (
	BodyPlain  = 1
	BodyPacked = 2 // by S2
)

// Pack makes a body shorter where that is worth it.
func Pack(text []byte) []byte {
	b := make([]byte, 1+s2.MaxEncodedLen(len(text)))
	b[0] = BodyPacked
	return b[:1+len(s2.Encode(b[1:], text))]
}

var BodyKind = base.StoredRows(&base.Kind[EventBody]{
	Tag:  base.TagBody,
	Name: "event body",
	Key:  func(b *EventBody) base.ID { return b.ID },
	Encode: func(dst []byte, b *EventBody) []byte {
		if b.Packed == nil && b.make != nil {
			b.Packed, b.make = Pack(b.make()), nil
		}
		return append(dst, b.Packed...)
	},
	Decode: func(_, key base.ID, b []byte) (*EventBody, error) {
		if len(b) == 0 || b[0] != BodyPlain && b[0] != BodyPacked {
			return nil, fmt.Errorf("event body: unknown row version")
		}
		return &EventBody{ID: key, Packed: slices.Clone(b)}, nil
	},
	Weigh: func(b *EventBody) int { return len(b.Packed) + b.about/2 }, // packed it is less than that
})

// Text is the bytes that are sent.
func (b *EventBody) Text() ([]byte, error) {
	if b.Packed[0] == BodyPlain {
		return b.Packed[1:], nil
	}
	return s2.Decode(nil, b.Packed[1:])
}

// What is kept of events that happen while a webhook is disabled as too many failed: no more than both.
const (
	MaxKept   = 10_000
	keptBytes = 64 << 20
)

// DeliverEvents makes the deliveries of what the plan has recorded, if there are webhooks.
func DeliverEvents(t *base.Tx) {
	if WebhookTable(t.Acc).Len() == 0 {
		return
	}
	emit := func(typ base.HookEvent, resource base.ID, data func() base.EventData) { Emit(t, typ, resource, data) }
	for _, find := range base.EventSources {
		find(t, emit)
	}
}

func init() { base.RegisterEvents("webhook", disabledEvents, base.WebhookDisabled) }

// disabledEvents finds the webhooks that are disabled as too many events failed.
func disabledEvents(t *base.Tx, emit func(typ base.HookEvent, webhook base.ID, data func() base.EventData)) {
	for _, x := range slices.Clone(hooks(t).list) {
		if x.before.Enabled && !x.after.Enabled {
			const about = 512
			emit(base.WebhookDisabled, x.before.ID, func() base.EventData { return t.Written(&x.after.Webhook, about) })
		}
	}
}

// Emit makes the deliveries of an event; nil data: there is nothing to show. Webhooks that were enabled before the
// command get it. For a webhook that was disabled as too many deliveries failed, the event is kept; for one that was
// disabled by hand, it is counted.
func Emit(t *base.Tx, typ base.HookEvent, resource base.ID, data func() base.EventData) {
	list := WebhookTable(t.Acc)
	var e event
	for w := range list.By(webhookByType, string(typ)) {
		kept := !w.Enabled
		if kept && (w.DisabledReason == nil || !hooks(t).keeps(t, w.ID)) {
			hooks(t).of(t, w.ID).missed(t.Now, t.Now)
			continue
		}
		if e.id == (base.ID{}) {
			e = event{id: t.NewID(), typ: typ, resource: resource}
			if data != nil {
				e.data = data()
			}
		}
		d := delivery(t, &e, w)
		if kept {
			d.State, d.Next, d.Ended, d.Kept = DeliveryFailed, 0, t.Now, true
			hooks(t).keep(d)
		}
		base.Record(t, DeliveryKind, nil, d)
	}
}

// event is what happened.
type event struct {
	id       base.ID
	typ      base.HookEvent
	resource base.ID
	data     base.EventData
	bodies   []versionBody
}

type versionBody struct {
	version string
	id      base.ID
	size    int
}

// body gives the event's bytes in a version.
func (e *event) body(t *base.Tx, version string) versionBody {
	for _, b := range e.bodies {
		if b.version == version {
			return b
		}
	}
	const envelope = 256 // about
	row := &EventBody{ID: t.NewID(), about: envelope + e.data.About}
	it, now := *e, t.Now
	row.make = func() []byte { return it.text(now, version) }
	base.Record(t, BodyKind, nil, row)
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
	b = e.resource.AppendTo(append(append(b, base.ResourceOf[e.typ]...), `","resourceId":"`...))
	b = append(append(b, `","apiVersion":"`...), version...)
	b = append(b, `","data":`...)
	if e.data.Write == nil {
		return append(b, "null}"...)
	}
	data := e.data.Write(version)
	return append(append(slices.Grow(b, len(data)+1), data...), '}')
}

// delivery makes the delivery of an event to a webhook. One beyond those that may wait is in the log as failed, from
// where it can be recovered.
func delivery(t *base.Tx, e *event, w *WebhookRow) *Delivery {
	body := e.body(t, w.APIVersion)
	d := &Delivery{
		ID: t.NewID(), Webhook: w.ID, Event: e.id, Body: body.id, Type: e.typ, Resource: e.resource,
		State: DeliveryPending, Next: t.Now, Size: uint32(body.size), Revision: 1,
	}
	t.Used += MaxAttempts // the ids after it are those of its attempts
	if Calls(t.Acc).Waiting(w.ID) >= t.Bounds.Queued {
		d.State, d.Next, d.Ended = DeliveryFailed, 0, t.Now
	}
	return d
}

// TestWebhook sends a webhook an event that did not happen: one of its types, of the record with the nil id, with an
// example of it. The outcome says nothing about the webhook: it does not count, and the webhook may be disabled.
type TestWebhook struct {
	base.Answers[*Delivery]
	base.Adds
	ID        base.ID
	EventType base.HookEvent // empty: the first of its types
}

func (o TestWebhook) Check(c *base.Checker) {
	if o.EventType != "" {
		eventType(c, "/eventType", o.EventType)
	}
}

// Example is the record that a test of a webhook shows: one of those that events of a type are about, with the nil id.
type Example base.HookEvent

func (o TestWebhook) PlanOn(t *base.Tx) (any, error) {
	w, err := base.Found(t, WebhookKind, o.ID, nil)
	if err != nil {
		return nil, err
	}
	typ := cmp.Or(o.EventType, w.EventType)
	if !slices.Contains(w.EventTypes(), typ) {
		return nil, base.InvalidAt("/eventType", "not_allowed", "is none of the webhook's types")
	}
	const about = 4 << 10
	d := delivery(t, &event{id: t.NewID(), typ: typ, data: t.Written(Example(typ), about)}, w)
	d.Test, d.ByHand = true, true
	base.Record(t, DeliveryKind, nil, d)
	return d, nil
}
