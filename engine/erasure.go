package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/persist"
)

// This file owns the erasure of a customer: personal data goes from the customer, from all orders and from what is kept
// of requests and events. Numbers and amounts stay. The customer record stays, emptied, to show that it was erased.
//
// The customer is erased at once. The orders are erased in parts: the first part with the customer, the others as work
// that is due. What lies only on disk follows later, outside the writer (forgetErased). Comments and notes are people's
// own words: they are listed, not changed. The kept log has the rows before, until it is cut.

// eraseAtOnce is how many orders one command erases.
const eraseAtOnce = 100

// EraseCustomer clears all that is known of a customer as a person, everywhere, where all their orders are closed. To
// erase one again changes nothing.
type EraseCustomer struct {
	base.Answers[*commerce.Customer]
	ID      base.ID
	IfMatch []uint64

	again bool // it was done, and a restore has taken it back: also where orders are not closed
}

func (o EraseCustomer) PlanOn(t *base.Tx) (any, error) {
	m, err := base.Found(t, commerce.CustomerKind, o.ID, o.IfMatch)
	if err != nil || m.ErasedAt != 0 {
		return m, err
	}
	if !o.again {
		if err := t.Acc.Unreferred(m.ID, t.Now); err != nil {
			return nil, err
		}
	}
	n := commerce.Customer{
		ID: m.ID, Contact: commerce.Contact{CustomerType: commerce.Individual}, UpdatedAt: t.Now,
		Revision: m.Revision + 1, Labels: label.Labels{Tags: m.Tags},
		ErasedAt: t.Now, Traces: true,
	}
	eraseOrders(t, &n)
	base.Record(t, commerce.CustomerKind, m, &n)
	return &n, nil
}

func init() {
	commerce.CustomerKind.WhenDue = func(t *base.Tx, id base.ID) {
		m := commerce.CustomerTable(t.Acc).Get(id)
		n := *m
		eraseOrders(t, &n)
		base.Record(t, commerce.CustomerKind, m, &n)
	}
}

// eraseOrders erases a customer from some of their orders: those after the last one that was done. If there are more,
// they are due.
func eraseOrders(t *base.Tx, m *commerce.Customer) {
	n := 0
	for o := range order.OrdersOf(t.Acc, m.ID) {
		if o.ID.Compare(m.ErasedTo) <= 0 {
			continue
		}
		if n == eraseAtOnce {
			m.Erasing = t.Now
			return
		}
		n++
		m.ErasedTo = o.ID
		if edited, err := order.Edit(t, o.ID); err == nil {
			eraseCustomer(edited, m.ID)
		}
	}
	m.Erasing, m.ErasedTo = 0, base.ID{}
}

// isMain says that what an order keeps of one person alone is of a customer: consents, fields, documents, the way to
// pay.
func isMain(o *order.Order, id base.ID) bool {
	return o.Customer == id || o.Customer == (base.ID{}) && len(o.Rest().Customers) == 1
}

// eraseCustomer takes what an order says of a customer as a person out of it.
func eraseCustomer(o *order.Order, id base.ID) {
	nobody := commerce.Contact{CustomerType: commerce.Individual}
	of := map[base.ID]bool{} // ids by which lines name them
	if o.Customer == id {
		o.Contact, o.Given = &nobody, false
		of[o.MainCustomer()] = true
	}
	main := isMain(o, id)
	if o.More != nil {
		m := order.Own(&o.More)
		m.Customers = append([]order.OrderCustomer(nil), m.Customers...)
		for i := range m.Customers {
			if c := &m.Customers[i]; c.Customer == id {
				c.Contact, c.Fields, of[c.ID] = nobody, nil, true
			}
		}
		if main {
			m.Fields, m.Documents, m.Method.Card, m.Method.HasSaved = nil, nil, nil, false
			m.Consents = append([]order.Consent(nil), m.Consents...)
			for i := range m.Consents {
				m.Consents[i].IPAddress, m.Consents[i].UserAgent = nil, nil
			}
		}
		if m.Empty() {
			o.More = nil
		}
	}
	for i := range o.Lines {
		l := &o.Lines[i]
		if l.More == nil || l.More.Fields == nil || !of[l.More.OrderCustomer] &&
			(l.More.OrderCustomer != base.ID{} || !main) {
			continue
		}
		m := order.Own(&l.More)
		if m.Fields = nil; m.Empty() {
			l.More = nil
		}
	}
}

// Remarks are what an erasure leaves as it is: people's own words on an order.
type Remarks struct {
	Order    base.ID
	Comments int
	Notes    int // of the order and its lines
}

// RemarksOf says which orders of a customer have comments or notes: the first of them, and how many there are.
func RemarksOf(v base.View, customer base.ID, most int) (list []Remarks, total int) {
	for o := range order.OrdersOf(v.Acc, customer) {
		r := remarks(o)
		if r.Comments+r.Notes == 0 {
			continue
		}
		if total++; total <= most {
			list = append(list, r)
		}
	}
	return list, total
}

func remarks(o *order.Order) Remarks {
	r := Remarks{Order: o.ID, Comments: len(o.Rest().Comments)}
	if o.Rest().Note != "" {
		r.Notes++
	}
	for i := range o.Lines {
		if o.Lines[i].Rest().Note != "" {
			r.Notes++
		}
	}
	return r
}

// LogKept says how much of the log is kept, in which an erased customer is until it is cut.
func (e *Engine) LogKept() persist.Keep { return e.store.LogKept() }

// blankTraces removes kept bodies of events and results of requests that name an erased customer. The caller finds
// them, as a plan reads no disk.
type blankTraces struct {
	base.Answers[any]
	bodies  []outbox.Kept // each with a delivery of its own
	results keptRows
	done    base.ID // nothing else of this customer is kept
}

func (o blankTraces) PlanOn(t *base.Tx) (any, error) {
	for _, k := range o.bodies {
		if d := outbox.DeliveryTable(t.Acc).Get(k.ID); d != nil && d.Body == k.Body.ID {
			blank, err := blank(k.Body)
			if err != nil {
				return nil, base.Refuse(base.CodeInternal, "the body of an event cannot be read")
			}
			base.Record(t, outbox.BodyKind, k.Body, blank)
		}
	}
	all := o.results.change(t, func(r *idemRow) *idemRow {
		return &idemRow{Key: r.Key, Fingerprint: r.Fingerprint, Until: r.Until, Erased: true}
	})
	if !all {
		return nil, base.Refuse(base.CodeOverloaded, "too much was done since the results were read")
	}
	if m := commerce.CustomerTable(t.Acc).Get(o.done); m != nil && m.Traces {
		n := *m
		n.Traces = false
		base.Record(t, commerce.CustomerKind, m, &n)
	}
	return nil, nil
}

// blank is the body of an event without its record.
func blank(b *outbox.EventBody) (*outbox.EventBody, error) {
	text, err := b.Text()
	if err != nil {
		return nil, err
	}
	const data = `,"data":`
	i := bytes.Index(text, []byte(data))
	if i < 0 {
		return nil, errors.New("an event without data")
	}
	return &outbox.EventBody{ID: b.ID, Packed: outbox.Pack(append(bytes.Clone(text[:i+len(data)]), "null}"...))}, nil
}

// forgetErased takes erased customers out of what is on disk alone, once the rows there are as far as the erasure. seen
// are sequences at which an erasure was met first.
func (e *Engine) forgetErased(ctx context.Context, seen map[base.ID]uint64) error {
	return e.inEach(ctx, func(v base.View) error {
		var failed []error
		for m := range commerce.CustomerTable(v.Acc).By(commerce.CustomerByTraces, "") {
			if seen[m.ID] == 0 {
				seen[m.ID] = v.Seq
			}
			if e.store.Marker().Seq < seen[m.ID] {
				continue
			}
			if err := e.forgetTraces(ctx, v, m); err != nil {
				failed = append(failed, err)
				continue
			}
			delete(seen, m.ID)
		}
		return errors.Join(failed...)
	})
}

// forgetTraces does it for one customer, in commands of bounded size. A body that cannot be read may name them: all
// else is done, and it is tried again.
func (e *Engine) forgetTraces(ctx context.Context, v base.View, m *commerce.Customer) error {
	name := []byte(m.ID.String())
	var o blankTraces
	var keys []base.ID // of the results
	size := 0
	flush := func(more int) (err error) {
		if size += more; size < outbox.TrimBytes && len(keys) < base.DueAtOnce && more != 0 || ctx.Err() != nil {
			return ctx.Err()
		}
		o.results, err = e.readKept(v.Acc.ID, keys, func(r *idemRow) bool {
			return bytes.Contains(r.Result, name) && r.Until-idemKept <= m.ErasedAt
		})
		if err == nil {
			_, err = e.Do(Command{Account: v.Acc.ID, Actor: "clock", Op: o})
		}
		o, keys, size = blankTraces{}, nil, 0
		return err
	}
	var unread error
	bodies := map[base.ID]bool{}
	for d := range outbox.DeliveryTable(v.Acc).All() {
		if base.CreatedAt(d.Event) > m.ErasedAt {
			break // its order was erased by then, or says so by an event of its own
		}
		if bodies[d.Body] {
			continue
		}
		bodies[d.Body] = true
		body, err := base.ReadStored(e.store, outbox.BodyKind, v.Acc.ID, d.Body)
		if err == nil && body == nil {
			continue // dropped since
		}
		var text []byte
		if err == nil {
			text, err = body.Text()
		}
		if err != nil {
			unread = fmt.Errorf("the body of event %s cannot be read: %w", d.Event, err)
			continue
		}
		if !bytes.Contains(text, name) {
			continue
		}
		o.bodies = append(o.bodies, outbox.Kept{ID: d.ID, Body: body})
		if err := flush(len(text)); err != nil {
			return err
		}
	}
	err := e.store.ScanTables(1, base.TagIdempotency, base.TagIdempotency,
		func(_ int, _ byte, key, value []byte) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			account, id, err := base.SplitKey(key)
			if err != nil || account != v.Acc.ID || !bytes.Contains(value, name) {
				return err
			}
			keys = append(keys, id)
			return flush(len(value))
		})
	if err != nil {
		return err
	}
	if err := e.store.SetUnlogged([]persist.Pair{{Key: erasedKey(v.Acc.ID, m.ID), Value: []byte{1}}}); err != nil {
		return err
	}
	if unread == nil {
		o.done = m.ID
	}
	return errors.Join(unread, flush(0))
}

// erasedName begins the keys of erasures that are stored outside the log. A restore to an earlier point does not undo
// these.
const erasedName = "erased"

func erasedKey(account, customer base.ID) []byte {
	return append(append([]byte(erasedName), account[:]...), customer[:]...)
}

// eraseAgain erases those whose erasure a restore has taken back. left says that there are some of accounts that an
// archive is being imported into, which may not have them yet.
func (e *Engine) eraseAgain() (left bool, err error) {
	var list []Command
	err = e.store.ScanUnlogged(func(key, _ []byte) error {
		if !bytes.HasPrefix(key, []byte(erasedName)) || len(key) != len(erasedName)+2*len(base.ID{}) {
			return nil
		}
		ids := key[len(erasedName):]
		account, customer := base.ID(ids[:16]), base.ID(ids[16:])
		v, ok := e.View(account)
		if ok && v.Acc.Importing() {
			left = true
			return nil
		}
		if ok && commerce.CustomerByID(v, customer) != nil && commerce.CustomerByID(v, customer).ErasedAt == 0 {
			list = append(list,
				Command{Account: account, Actor: "restore", Op: EraseCustomer{ID: customer, again: true}})
		}
		return nil
	})
	for _, c := range list {
		if err == nil {
			_, err = e.Do(c)
		}
	}
	return left, err
}

func init() { base.RegisterFollower(base.Follower{Check: checkErasures}) }

// checkErasures counts the customers that still have orders to erase.
func checkErasures(a *base.AccountState) (due int, err error) {
	for m := range commerce.CustomerTable(a).All() {
		if m.Erasing != 0 {
			due++
		}
	}
	return due, nil
}
