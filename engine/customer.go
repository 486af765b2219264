package engine

import "holdfast/engine/table"

// This file owns customers.

// Customer is a customer's record.
type Customer struct {
	ID ID
	Contact
	UpdatedAt int64
	Revision  uint64
	Labels
	ErasedAt int64 `json:",omitempty"` // when all that says who they are was taken away; 0: it was not
	Erasing  int64 `json:",omitempty"` // when more of their orders are erased; 0: all are
	ErasedTo ID    `json:",omitzero"`  // the last of their orders that was
	Traces   bool  `json:",omitempty"` // what is on disk alone may name them
}

const (
	customerByTag = iota
	customerByExternal
	customerByEmail
	customerByTraces
	customerByWords
)

// words are those of the customer's name, company, email and phone.
func (m *Customer) words() []string {
	name := m.Name()
	return wordKeys(&name, m.CompanyName, m.Email, m.Phone)
}

var customerDirectory = directory[Customer]{
	of:       (*account).customers,
	external: func(m *Customer) []string { return m.externalKeys() }, code: func(m *Customer) []string { return codeKeys(m.Email) }, words: (*Customer).words,
	byExternal: customerByExternal, byCode: customerByEmail, byWords: customerByWords,
}

var customerKind = func() *kind[Customer] {
	k := rowsOf(tagCustomer, "customer", func(m *Customer) ID { return m.ID },
		table.By(func(m *Customer) []string { return m.tagKeys() }),
		table.By(func(m *Customer) []string { return m.externalKeys() }),
		table.By(func(m *Customer) []string { return codeKeys(m.Email) }),
		table.By(func(m *Customer) []string {
			if !m.Traces {
				return nil
			}
			return []string{""}
		}),
		table.By((*Customer).words))
	k.quiet = func(before, after *Customer) bool { return before.Revision == after.Revision }
	k.dueAt(func(m *Customer) int64 { return m.Erasing })
	return k
}()

// CustomerLabels is customers as what labels hang on.
var CustomerLabels Labelled = &labelledKind[Customer, *Customer]{kind: customerKind, scope: TagCustomers, byTag: customerByTag, byExternal: customerByExternal}

func (m *Customer) revision() uint64 { return m.Revision }
func (m *Customer) touch(now int64)  { m.UpdatedAt, m.Revision = now, m.Revision+1 }

func (a *account) customers() *table.Table[Customer] { return tableOf[Customer](a, tagCustomer) }

// erased refuses what cannot be done with a customer who was erased.
func erased() error {
	return &Error{Code: CodeStateNotAllowed, Detail: "the customer was erased", Details: StateDetails{State: "erased", Allowed: []string{"delete"}}}
}

// mayBeFor refuses what is to be for a customer who is not there or was erased.
func (t *tx) mayBeFor(customer ID) error {
	switch m := t.acc.customers().Get(customer); {
	case m == nil:
		return notFound("customer")
	case m.ErasedAt != 0:
		return erased()
	}
	return nil
}

// customerOf is the oldest customer with an email address, which compares without case; nil: there is none.
func (a *account) customerOf(email *string) *Customer {
	if email == nil {
		return nil
	}
	return a.customers().First(customerByEmail, foldCode(*email))
}

// CreateCustomer makes a customer. It answers with the *Customer.
type CreateCustomer struct {
	Contact ContactPatch
	Labels  LabelsPatch
}

func (o CreateCustomer) Check() []Fault {
	var c checker
	o.Contact.check(&c)
	c.named(o.Contact.merged(Contact{}))
	o.Labels.check(&c)
	return c.faults
}

func (o CreateCustomer) checkOn(a *account) []Fault { return o.Labels.checkOn(a, CustomerLabels) }

func (o CreateCustomer) plan(t *tx) (any, error) {
	labels, err := o.Labels.merged(t.acc, CustomerLabels, ID{}, Labels{})
	if err != nil {
		return nil, err
	}
	if err := t.born("", &o.Contact); err != nil {
		return nil, err
	}
	m := &Customer{ID: t.newID(), Contact: o.Contact.merged(Contact{}), UpdatedAt: t.now, Revision: 1, Labels: labels}
	record(t, customerKind, nil, m)
	return m, nil
}

func (CreateCustomer) result() any { return new(Customer) }

// PatchCustomer changes a customer. It answers with the *Customer.
type PatchCustomer struct {
	ID      ID
	IfMatch []uint64
	Contact ContactPatch
	Labels  LabelsPatch
}

func (o PatchCustomer) Check() []Fault {
	var c checker
	o.Contact.check(&c)
	o.Labels.check(&c)
	return c.faults
}

func (o PatchCustomer) checkOn(a *account) []Fault {
	var c checker
	if m := a.customers().Get(o.ID); m != nil && m.ErasedAt == 0 {
		c.named(o.Contact.merged(m.Contact))
	}
	return append(c.faults, o.Labels.checkOn(a, CustomerLabels)...)
}

func (o PatchCustomer) plan(t *tx) (any, error) {
	m, err := found(t, customerKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	labels, err := o.Labels.merged(t.acc, CustomerLabels, m.ID, m.Labels)
	if err != nil {
		return nil, err
	}
	if m.ErasedAt != 0 {
		return nil, erased()
	}
	if err := t.born("", &o.Contact); err != nil {
		return nil, err
	}
	n := *m
	n.Contact, n.Labels = o.Contact.merged(m.Contact), labels
	return revise(t, customerKind, m, n), nil
}

func (PatchCustomer) result() any { return new(Customer) }

// DeleteCustomer removes a customer whom neither a hold that is not over nor an order that is not closed refers to; closed ones are for nobody from then on. It
// answers with nil.
type DeleteCustomer struct {
	ID      ID
	IfMatch []uint64
}

func (DeleteCustomer) Check() []Fault { return nil }

func (o DeleteCustomer) plan(t *tx) (any, error) {
	m, err := found(t, customerKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if err := t.acc.unreferred(m.ID, t.now); err != nil {
		return nil, err
	}
	record(t, customerKind, m, nil)
	return nil, nil
}

func (DeleteCustomer) result() any { return new(any) }

// Customer returns a customer, or nil.
func (v View) Customer(id ID) *Customer { return v.acc.customers().Get(id) }

// FindCustomers gives a part of the customers that are asked for, in order of creation, and how many there are.
func (v View) FindCustomers(q *RecordQuery, p Part) (page []*Customer, total int) {
	return customerDirectory.find(v.acc, q, nil, p)
}

// Customers lists the account's customers in order of creation.
func (v View) Customers() *table.Table[Customer] { return v.acc.customers() }

func (o CreateCustomer) distinct() []distinctValue { return o.Labels.External.distinct() }
