package engine

import (
	"bytes"
	"context"
	"errors"

	"holdfast/persist"
)

// This file owns the erasure of a customer: personal data goes from the customer, from all orders and from what is kept of requests
// and events; figures stay. The customer stays, too, as the trace of it.
//
// The customer is erased at once, their orders in parts, the first with the customer, the others as what is due. What lies on disk
// alone follows beside the writer (forgetErased). Comments and notes are people's own words: they are listed, not changed. The kept
// log has the rows before, until it is cut.

// eraseAtOnce is how many orders one command erases.
const eraseAtOnce = 100

// EraseCustomer clears all that is known of a customer as a person, everywhere, where all their orders are closed. To erase one
// again changes nothing. It answers with the *Customer.
type EraseCustomer struct {
	ID      ID
	IfMatch []uint64

	again bool // it was done, and a restore has taken it back: also where orders are not closed
}

func (EraseCustomer) Check() []Fault { return nil }

func (o EraseCustomer) plan(t *tx) (any, error) {
	m, err := found(t, customerKind, o.ID, o.IfMatch)
	if err != nil || m.ErasedAt != 0 {
		return m, err
	}
	if !o.again {
		if err := t.acc.unreferred(m.ID, t.now); err != nil {
			return nil, err
		}
	}
	n := Customer{
		ID: m.ID, Contact: Contact{CustomerType: Individual}, UpdatedAt: t.now, Revision: m.Revision + 1, Labels: Labels{Tags: m.Tags},
		ErasedAt: t.now, Traces: true,
	}
	t.eraseOrders(&n)
	record(t, customerKind, m, &n)
	return &n, nil
}

func (EraseCustomer) result() any { return new(Customer) }

func init() {
	customerKind.fall = func(t *tx, id ID) {
		m := t.acc.customers().Get(id)
		n := *m
		t.eraseOrders(&n)
		record(t, customerKind, m, &n)
	}
}

// eraseOrders erases a customer from some of their orders: those behind the last that was. Where there are more they are due.
func (t *tx) eraseOrders(m *Customer) {
	n := 0
	for o := range t.acc.ordersOf(m.ID) {
		if o.ID.Compare(m.ErasedTo) <= 0 {
			continue
		}
		if n == eraseAtOnce {
			m.Erasing = t.now
			return
		}
		n++
		m.ErasedTo = o.ID
		if edited, err := t.edit(o.ID); err == nil {
			edited.forget(m.ID)
		}
	}
	m.Erasing, m.ErasedTo = 0, ID{}
}

// isMain says that what an order keeps of one person alone is of a customer: consents, fields, documents, the way to pay.
func (o *Order) isMain(id ID) bool {
	return o.Customer == id || o.Customer == (ID{}) && len(o.Rest().Customers) == 1
}

// forget takes what an order says of a customer as a person out of it.
func (o *Order) forget(id ID) {
	nobody := Contact{CustomerType: Individual}
	of := map[ID]bool{} // ids by which lines name them
	if o.Customer == id {
		o.Contact, o.Given = &nobody, false
		of[o.MainCustomer()] = true
	}
	main := o.isMain(id)
	if o.More != nil {
		m := own(&o.More)
		m.Customers = append([]OrderCustomer(nil), m.Customers...)
		for i := range m.Customers {
			if c := &m.Customers[i]; c.Customer == id {
				c.Contact, c.Fields, of[c.ID] = nobody, nil, true
			}
		}
		if main {
			m.Fields, m.Documents, m.Method.Card, m.Method.HasSaved = nil, nil, nil, false
			m.Consents = append([]Consent(nil), m.Consents...)
			for i := range m.Consents {
				m.Consents[i].IPAddress, m.Consents[i].UserAgent = nil, nil
			}
		}
		if m.empty() {
			o.More = nil
		}
	}
	for i := range o.Lines {
		l := &o.Lines[i]
		if l.More == nil || l.More.Fields == nil || !of[l.More.OrderCustomer] && (l.More.OrderCustomer != ID{} || !main) {
			continue
		}
		m := own(&l.More)
		if m.Fields = nil; m.empty() {
			l.More = nil
		}
	}
}

// Remarks are what an erasure leaves as it is: people's own words on an order.
type Remarks struct {
	Order    ID
	Comments int
	Notes    int // of the order and its lines
}

// Remarks says which orders of a customer have comments or notes: the first of them, and how many there are.
func (v View) Remarks(customer ID, most int) (list []Remarks, total int) {
	for o := range v.acc.ordersOf(customer) {
		r := o.remarks()
		if r.Comments+r.Notes == 0 {
			continue
		}
		if total++; total <= most {
			list = append(list, r)
		}
	}
	return list, total
}

func (o *Order) remarks() Remarks {
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

// blankTraces takes bodies of events and results of requests that name an erased customer out of what is kept. What they are is an
// input: a plan reads no disk.
type blankTraces struct {
	bodies  []kept // each with a delivery of its own
	results []*idemRow
	done    ID // nothing else of this customer is kept
}

func (blankTraces) Check() []Fault { return nil }
func (blankTraces) result() any    { return new(any) }

func (o blankTraces) plan(t *tx) (any, error) {
	for _, k := range o.bodies {
		if d := t.acc.deliveries().Get(k.id); d != nil && d.Body == k.body.ID {
			blank, err := k.body.blank()
			if err != nil {
				return nil, refuse(CodeInternal, "the body of an event cannot be read")
			}
			record(t, bodyKind, k.body, blank)
		}
	}
	for _, r := range o.results {
		if last, is := t.idempotent().recent.rows[recentKey{t.acc.id, r.Key}]; is && (last.row == nil || last.row.Until != r.Until) {
			continue // used anew, or forgotten already, since it was read
		}
		n := &idemRow{Key: r.Key, Fingerprint: r.Fingerprint, Until: r.Until, Erased: true}
		record(t, idempotencyKind, r, n)
		t.idempotent().keyed = append(t.idempotent().keyed, keyedRow{r.Key, n})
	}
	if m := t.acc.customers().Get(o.done); m != nil && m.Traces {
		n := *m
		n.Traces = false
		record(t, customerKind, m, &n)
	}
	return nil, nil
}

// blank is the body of an event without its record.
func (b *eventBody) blank() (*eventBody, error) {
	text, err := b.text()
	if err != nil {
		return nil, err
	}
	const data = `,"data":`
	i := bytes.Index(text, []byte(data))
	if i < 0 {
		return nil, errors.New("an event without data")
	}
	return &eventBody{ID: b.ID, packed: pack(append(bytes.Clone(text[:i+len(data)]), "null}"...))}, nil
}

// forgetErased takes erased customers out of what is on disk alone, once the rows there are as far as the erasure. seen are
// sequences at which an erasure was met first.
func (e *Engine) forgetErased(ctx context.Context, seen map[ID]uint64) error {
	for _, id := range e.Accounts() {
		v, _ := e.View(id)
		if v.acc.importing() {
			continue
		}
		for m := range v.acc.customers().By(customerByTraces, "") {
			if seen[m.ID] == 0 {
				seen[m.ID] = v.seq
			}
			if e.store.Marker().Seq < seen[m.ID] {
				continue
			}
			if err := e.forgetTraces(ctx, v, m); err != nil {
				return err
			}
			delete(seen, m.ID)
		}
	}
	return nil
}

// forgetTraces does it for one customer, in commands of bounded size.
func (e *Engine) forgetTraces(ctx context.Context, v View, m *Customer) error {
	var o blankTraces
	size := 0
	flush := func(more int) error {
		if size += more; size < trimBytes && more != 0 || ctx.Err() != nil {
			return ctx.Err()
		}
		_, err := e.Do(Command{Account: v.acc.id, Actor: "clock", Op: o})
		o, size = blankTraces{}, 0
		return err
	}
	name, bodies := []byte(m.ID.String()), map[ID]bool{}
	for d := range v.acc.deliveries().All() {
		if CreatedAt(d.Event) > m.ErasedAt {
			break // its order was erased by then, or says so by an event of its own
		}
		if bodies[d.Body] {
			continue
		}
		bodies[d.Body] = true
		body, err := readStored(e.store, bodyKind, v.acc.id, d.Body)
		if err != nil || body == nil {
			continue // dropped since
		}
		text, err := body.text()
		if err != nil || !bytes.Contains(text, name) {
			continue
		}
		o.bodies = append(o.bodies, kept{id: d.ID, body: body})
		if err := flush(len(text)); err != nil {
			return err
		}
	}
	err := e.store.ScanTables(1, tagIdempotency, tagIdempotency, func(_ int, _ byte, key, value []byte) error {
		account, id, err := splitKey(key)
		if err != nil || account != v.acc.id || !bytes.Contains(value, name) {
			return err
		}
		r, err := idempotencyKind.decode(account, id, value)
		if err != nil || r.Until-idemKept > m.ErasedAt {
			return err
		}
		if latest, ok, err := e.store.Row(tagIdempotency, key); err != nil || !ok || !bytes.Equal(latest, value) {
			return err // the log is ahead of the rows here
		}
		o.results = append(o.results, r)
		return flush(len(value))
	})
	if err != nil {
		return err
	}
	if err := e.store.SetBeside([]persist.Pair{{Key: erasedKey(v.acc.id, m.ID), Value: []byte{1}}}); err != nil {
		return err
	}
	o.done = m.ID
	return flush(0)
}

// erasedName is in front of the keys of erasures beside the log, which a restore to a point before them does not take back.
const erasedName = "erased"

func erasedKey(account, customer ID) []byte {
	return append(append([]byte(erasedName), account[:]...), customer[:]...)
}

// eraseAgain erases those whose erasure a restore has taken back.
func (e *Engine) eraseAgain() error {
	var list []Command
	err := e.store.Beside(func(key, _ []byte) error {
		if !bytes.HasPrefix(key, []byte(erasedName)) || len(key) != len(erasedName)+2*len(ID{}) {
			return nil
		}
		ids := key[len(erasedName):]
		account, customer := ID(ids[:16]), ID(ids[16:])
		if v, ok := e.View(account); ok && v.Customer(customer) != nil && v.Customer(customer).ErasedAt == 0 {
			list = append(list, Command{Account: account, Actor: "restore", Op: EraseCustomer{ID: customer, again: true}})
		}
		return nil
	})
	for _, c := range list {
		if err == nil {
			_, err = e.Do(c)
		}
	}
	return err
}

func init() { registerFollower(follower{check: checkErasures}) }

// checkErasures counts the customers of whom orders are to be erased yet.
func checkErasures(a *account) (due int, err error) {
	for m := range a.customers().All() {
		if m.Erasing != 0 {
			due++
		}
	}
	return due, nil
}
