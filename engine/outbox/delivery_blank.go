package outbox

import (
	"bytes"

	"holdfast/engine/base"
	"holdfast/persist"
)

// This file owns how the record of an event is taken out of all that is kept of its deliveries.

// Shown is what shows the record of an event: a body, and what endpoints answered to it, as an answer may repeat it.
type Shown struct {
	Size       int // in bytes
	body       *EventBody
	blank      []byte // the body without the record; nil: nothing is left of one that cannot be read
	deliveries []Kept // all with that body
}

// ShownOf reads what endpoints answered to a body.
func ShownOf(store *persist.Store, account base.ID, body *EventBody, text []byte, list []*Delivery) (s Shown,
	err error) {
	const data = `,"data":`
	s = Shown{Size: len(body.Packed) + len(text), body: body}
	if i := bytes.Index(text, []byte(data)); i >= 0 {
		s.blank = append(bytes.Clone(text[:i+len(data)]), "null}"...)
	}
	for _, d := range list {
		if d.Body != body.ID {
			continue
		}
		attempts, size, err := AttemptsOf(store, account, d)
		if err != nil {
			return s, err
		}
		s.Size += size
		s.deliveries = append(s.deliveries, Kept{ID: d.ID, Attempts: attempts, known: d.Attempts})
	}
	return s, nil
}

// Blank takes the record out. The body gets another id: the answer of an attempt that is under way is to the one
// before. It returns false if there was an attempt since the answers were read.
func (s *Shown) Blank(t *base.Tx) bool {
	var row *EventBody
	for i := range s.deliveries {
		k := &s.deliveries[i]
		d := DeliveryTable(t.Acc).Get(k.ID)
		if d == nil || d.Body != s.body.ID {
			continue // dropped, or blank already
		}
		if d.Attempts != k.known {
			return false
		}
		if row == nil {
			row = &EventBody{ID: t.NewID()}
			base.Record(t, BodyKind, s.body, nil)
			if s.blank != nil {
				row.Packed = Pack(s.blank)
				base.Record(t, BodyKind, nil, row)
			}
		}
		n := d.changed()
		n.Body, n.Size = row.ID, uint32(len(s.blank)+d.Attempts*RowSize)
		base.Record(t, DeliveryKind, d, &n)
		for _, a := range k.Attempts {
			if len(a.Answer) > 0 {
				b := *a
				b.Answer = nil
				base.Record(t, AttemptKind, a, &b)
			}
		}
	}
	return true
}
