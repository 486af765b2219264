package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

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
// that is due. What lies only on disk follows later, outside the writer (forgetter). Comments and notes are people's
// own words: they are listed, not changed. The kept log has the rows before, until it is cut.

// What one command erases: so many orders, and no further one once those before it come to so much.
const (
	eraseAtOnce = 100
	eraseBytes  = 4 << 20 // by weight
)

// EraseCustomer clears all that is known of a customer as a person, everywhere, where all their orders are closed. To
// erase one again changes nothing.
type EraseCustomer struct {
	base.Answers[*commerce.Customer]
	ID base.ID

	again bool // it was done, and a restore has taken it back: also where orders are not closed
}

// Size is that of the first of the customer's orders.
func (o EraseCustomer) Size(a *base.AccountState) (n int) {
	orders := 0
	for x := range order.OrdersOf(a, o.ID) {
		if orders++; orders > eraseAtOnce {
			break
		}
		n += itemsOff + x.Size()
	}
	return n
}

func (o EraseCustomer) PlanOn(t *base.Tx) (any, error) {
	m, err := base.Found(t, commerce.CustomerKind, o.ID, nil)
	if err != nil || m.ErasedAt != 0 {
		return m, err
	}
	if !o.again {
		if err := t.Acc.Unreferred(m.ID, t.Now); err != nil {
			return nil, err
		}
	}
	n := commerce.Customer{
		ID: m.ID, Contact: commerce.Contact{CustomerType: commerce.Individual}, Stamp: m.Stamp,
		Labels: label.Labels{Tags: m.Tags}, ErasedAt: t.Now, Traces: true,
	}
	n.Touch(t.Now)
	eraseOrders(t, &n)
	base.Record(t, commerce.CustomerKind, m, &n)
	return &n, nil
}

func init() {
	commerce.CustomerKind.WhenDue.Long = true
	commerce.CustomerKind.WhenDue.Do = func(t *base.Tx, id base.ID) {
		m := commerce.CustomerTable(t.Acc).Get(id)
		n := *m
		eraseOrders(t, &n)
		base.Record(t, commerce.CustomerKind, m, &n)
	}
}

// eraseOrders erases a customer from some of their orders: those after the last one that was done. If there are more,
// they are due.
func eraseOrders(t *base.Tx, m *commerce.Customer) {
	n, size := 0, 0
	for o := range order.OrdersOf(t.Acc, m.ID) {
		if o.ID.Compare(m.ErasedTo) <= 0 {
			continue
		}
		if n == eraseAtOnce || size >= eraseBytes {
			m.Erasing = t.Now
			return
		}
		n, size = n+1, size+order.OrderKind.Weigh(o)+base.HotWeight*o.UnitCount()
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

// blankTraces removes kept bodies of events, with what was answered to them, and results of requests that name erased
// customers. The caller finds them, as a plan reads no disk.
type blankTraces struct {
	base.Answers[any]
	events []outbox.Shown
	keptRows
	done []base.ID // customers of whom nothing else is kept
}

func (o blankTraces) PlanOn(t *base.Tx) (any, error) {
	all := o.keptRows.change(t, func(r *idemRow) *idemRow {
		return &idemRow{Key: r.Key, Fingerprint: r.Fingerprint, Until: r.Until, Erased: true}
	})
	for i := range o.events {
		all = all && o.events[i].Blank(t)
	}
	if !all {
		return nil, base.Refuse(base.CodeOverloaded, "too much was done since it was read what names a customer")
	}
	for _, id := range o.done {
		if m := commerce.CustomerTable(t.Acc).Get(id); m != nil && m.Traces {
			n := *m
			n.Traces = false
			base.Record(t, commerce.CustomerKind, m, &n)
		}
	}
	return nil, nil
}

// traces is how far one pass is over what is on disk alone of an account. It takes all customers together: those that
// are erased later are left to the next pass.
type traces struct {
	erased   map[string]int64 // when each was erased, by the text of their id
	last     int64            // of these instants
	next     base.ID          // the delivery to go on at
	through  bool             // no delivery is left
	unread   error            // why the body of an event cannot be read, which may name them
	unreadAt int64            // when the first such event was
}

// names says whether a text names one of the customers that were erased at an instant or later.
func (p *traces) names(text []byte, at int64) bool {
	const dash, rest = 8, 28 // where the first dash of an id is, and what is from there on
	for i := dash; i+rest <= len(text); i++ {
		if text[i] != '-' || text[i+5] != '-' {
			continue
		}
		if erased, ok := p.erased[string(text[i-dash:i+rest])]; ok && erased >= at {
			return true
		}
	}
	return false
}

// forgetter takes erased customers out of what is on disk alone. What it knows is lost with the process: then it begins
// again.
type forgetter struct {
	*Engine
	rounds   rounds
	accounts sync.Map    // *forgetting by the id of the account
	more     atomic.Bool // some account has more to do, which need not wait
}

// forgetting is what is known of one account.
type forgetting struct {
	seen map[base.ID]uint64 // the sequence at which the erasure of a customer was met first
	pass *traces            // the one that is under way
}

func newForgetter(e *Engine) *forgetter { return &forgetter{Engine: e} }

// of is what is known of an account in which somebody was erased. One goroutine at a time has to do with it.
func (f *forgetter) of(account base.ID) *forgetting {
	a, ok := f.accounts.Load(account)
	if !ok {
		a, _ = f.accounts.LoadOrStore(account, &forgetting{seen: map[base.ID]uint64{}})
	}
	return a.(*forgetting)
}

// forgetAtOnce is how many bytes of an account's log of deliveries are looked through before it is the turn of others.
// Tests make it less.
var forgetAtOnce = 32 << 20

// forget does a part of what there is to do in each account. more says that some is left that need not wait.
func (f *forgetter) forget(ctx context.Context) (more bool, err error) {
	return f.round(ctx, func(v base.View) error { return f.part(ctx, v) })
}

// forgetBeside is forget, where an account in which it takes long goes on beside the others.
func (f *forgetter) forgetBeside(ctx context.Context) (more bool, err error) {
	return f.round(ctx, f.rounds.beside(f.Engine, func(v base.View) error { return f.part(ctx, v) }))
}

// round does something in each account that keeps anything of somebody who was erased: in most there is nobody.
func (f *forgetter) round(ctx context.Context, do func(base.View) error) (more bool, err error) {
	err = f.inEach(ctx, func(v base.View) error {
		if commerce.CustomerTable(v.Acc).First(commerce.CustomerByTraces, "") == nil {
			return nil
		}
		return do(v)
	})
	return f.more.Swap(false), err
}

// part does a part of what there is to do in an account: its events first, then what is kept of results.
func (f *forgetter) part(ctx context.Context, v base.View) error {
	a := f.of(v.Acc.ID)
	p, err := f.begin(v, a)
	if p == nil {
		return err
	}
	if err := f.forgetEvents(ctx, v, p); err != nil {
		return err
	}
	if !p.through {
		f.more.Store(true)
		return nil
	}
	err = f.eachKept(ctx, v.Acc.ID, func(_ base.ID, value []byte) (bool, error) {
		return p.names(value, 0), nil
	}, func(keys []base.ID) error { return f.blankResults(v.Acc.ID, p, keys) })
	if err != nil {
		return err
	}
	return f.end(v, a)
}

// begin is the pass of an account, nil where there is nothing to do. It begins once the rows on disk are as far as the
// erasures that it is for. Those that it has not met before are marked: a crash may have come before their marks.
func (f *forgetter) begin(v base.View, a *forgetting) (*traces, error) {
	if a.pass != nil {
		return a.pass, nil
	}
	p := &traces{erased: map[string]int64{}}
	var marks []persist.Pair
	for m := range commerce.CustomerTable(v.Acc).By(commerce.CustomerByTraces, "") {
		if a.seen[m.ID] == 0 {
			marks = append(marks, erasedMark(v.Acc.ID, m.ID))
		}
	}
	if len(marks) > 0 {
		if err := f.store.SetUnlogged(marks); err != nil {
			return nil, err
		}
	}
	for m := range commerce.CustomerTable(v.Acc).By(commerce.CustomerByTraces, "") {
		if a.seen[m.ID] == 0 {
			a.seen[m.ID] = v.Seq
		}
		if f.store.Marker().Seq >= a.seen[m.ID] {
			p.erased[m.ID.String()] = m.ErasedAt
			p.last = max(p.last, m.ErasedAt)
		}
	}
	if len(p.erased) == 0 {
		return nil, nil
	}
	a.pass = p
	return p, nil
}

// forgetEvents blanks the bodies of some events, in commands of bounded size. Where one fails, it is gone on at the
// first event of that command.
func (f *forgetter) forgetEvents(ctx context.Context, v base.View, p *traces) error {
	<-f.store.Wake(v.Seq)
	left, size := forgetAtOnce, 0
	next := p.next
	var o blankTraces
	flush := func() error {
		if len(o.events) > 0 {
			if _, err := f.Do(Command{Account: v.Acc.ID, Actor: "clock", Op: o}); err != nil {
				return err
			}
		}
		p.next, o, size = next, blankTraces{}, 0
		return nil
	}
	for list := range outbox.EventsFrom(v.Acc, p.next) {
		if base.CreatedAt(list[0].Event) > p.last {
			break // its order was erased by then, or says so by an event of its own
		}
		if left <= 0 {
			return flush()
		}
		bodies := map[base.ID]bool{}
		for _, d := range list {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			left -= int(d.Size) + outbox.RowSize
			if bodies[d.Body] {
				continue
			}
			bodies[d.Body] = true
			shown, err := f.naming(v.Acc.ID, p, d, list)
			switch {
			case err != nil && p.unread == nil:
				p.unread = fmt.Errorf("the body of event %s cannot be read: %w", d.Event, err)
				p.unreadAt = base.CreatedAt(d.Event)
			case shown != nil:
				o.events = append(o.events, *shown)
				size += shown.Size
			}
		}
		next = base.After(list[len(list)-1].ID, 1)
		if size >= base.TrimBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	err := flush()
	p.through = err == nil
	return err
}

// naming is what shows the record of an event if its body, that of a delivery, names a customer; nil: it does not. One
// that cannot be unpacked may name each.
func (f *forgetter) naming(account base.ID, p *traces, d *outbox.Delivery, list []*outbox.Delivery) (*outbox.Shown,
	error) {
	body, err := base.ReadStored(f.store, outbox.BodyKind, account, d.Body)
	if err != nil || body == nil {
		return nil, err // dropped since
	}
	text, broken := body.Text()
	if broken == nil && !p.names(text, base.CreatedAt(d.Event)) {
		return nil, nil
	}
	s, err := outbox.ShownOf(f.store, account, body, text, list)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// blankResults blanks results of requests that name an erased customer.
func (f *forgetter) blankResults(account base.ID, p *traces, keys []base.ID) (err error) {
	var o blankTraces
	o.keptRows, err = f.readKept(account, keys, func(r *idemRow) bool {
		return p.names(r.Result, r.Until-idemKept) && !isErasure(r.Result)
	})
	if err == nil {
		_, err = f.Do(Command{Account: account, Actor: "clock", Op: o})
	}
	return err
}

// isErasure says that a result is a customer as they are erased: it names an id, and nothing personal.
func isErasure(result []byte) bool {
	var m commerce.Customer
	return json.Unmarshal(result, &m) == nil && m.ErasedAt != 0
}

// end ends a pass: its customers are done, except for those that a body that cannot be read may name. These are in the
// next pass, too.
func (f *forgetter) end(v base.View, a *forgetting) error {
	p := a.pass
	var list []*commerce.Customer
	for m := range commerce.CustomerTable(v.Acc).By(commerce.CustomerByTraces, "") {
		if _, ok := p.erased[m.ID.String()]; ok {
			list = append(list, m)
		}
	}
	for some := range slices.Chunk(list, base.DueAtOnce) {
		var o blankTraces
		for _, m := range some {
			if p.unread == nil || m.ErasedAt < p.unreadAt {
				o.done = append(o.done, m.ID)
			}
		}
		if _, err := f.Do(Command{Account: v.Acc.ID, Actor: "clock", Op: o}); err != nil {
			return err
		}
		for _, id := range o.done {
			delete(a.seen, id)
		}
	}
	a.pass = nil
	return p.unread
}

// erasedName begins the keys of erasures that are stored outside the log. A restore to an earlier point does not undo
// these, and adds those of the log behind the point.
const erasedName = "erased"

func erasedMark(account, customer base.ID) persist.Pair {
	return persist.Pair{Key: append(append([]byte(erasedName), account[:]...), customer[:]...), Value: []byte{1}}
}

// mark stores outside the log that a customer is erased, before this is answered.
func (o EraseCustomer) mark(e *Engine, account base.ID) error {
	if err := e.store.SetUnlogged([]persist.Pair{erasedMark(account, o.ID)}); err != nil {
		return base.Refuse(base.CodeStorageFailed, "the customer is erased, but it could not be stored that a restore "+
			"keeps to it")
	}
	return nil
}

// Mark says what is stored outside the log for a change in it: it is the persist.Mark of every restore.
func Mark(table byte, key, after []byte) (mark persist.Pair, err error) {
	if table != base.TagCustomer || after == nil {
		return mark, nil
	}
	account, id, err := base.SplitKey(key)
	if err != nil {
		return mark, err
	}
	m, err := commerce.CustomerKind.Decode(account, id, after)
	if err == nil && m.ErasedAt != 0 {
		mark = erasedMark(account, id)
	}
	return mark, err
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
