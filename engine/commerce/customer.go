package commerce

import (
	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/table"
)

// This file owns customers.

// Customer is a customer's record.
type Customer struct {
	ID base.ID
	Contact
	base.Stamp
	label.Labels
	ErasedAt int64   `json:",omitempty"` // when their personal data was removed; 0: it was not
	Erasing  int64   `json:",omitempty"` // when more of their orders are erased; 0: all are
	ErasedTo base.ID `json:",omitzero"`  // the last of their orders that was
	Traces   bool    `json:",omitempty"` // what is on disk alone may name them
}

const (
	customerByTag = iota
	customerByExternal
	customerByEmail
	CustomerByTraces
	customerByWords
)

// words are those of the customer's names, company, email and phone.
func (m *Customer) words() []string {
	return base.WordKeys(append(m.Names(), m.CompanyName, m.Email, m.Phone)...)
}

// CustomerDirectory finds customers.
var CustomerDirectory = &base.Directory[Customer]{Of: CustomerTable, ByExternal: customerByExternal,
	ByCode: customerByEmail, ByWords: customerByWords}

var CustomerKind = func() *base.Kind[Customer] {
	k := base.RowsOf(base.TagCustomer, "customer", func(m *Customer) base.ID { return m.ID },
		table.By((*Customer).TagKeys),
		table.By((*Customer).ExternalKeys),
		table.By(func(m *Customer) []string { return base.CodeKeys(m.Email) }),
		table.By(func(m *Customer) []string {
			if !m.Traces {
				return nil
			}
			return []string{""}
		}),
		table.By((*Customer).words))
	k.Told = base.ToldByRevision
	k.Kept = customerInUse
	k.DueAt(func(m *Customer) int64 { return m.Erasing })
	return k
}()

// CustomerLabels is customers as what labels hang on.
var CustomerLabels label.Labelled = &label.LabelledKind[Customer, *Customer]{Kind: CustomerKind,
	Scope: label.TagCustomers, ByTag: customerByTag, ByExternal: customerByExternal}

// CustomerTable are all customers of an account.
func CustomerTable(a *base.AccountState) *table.Table[Customer] {
	return base.TableOf[Customer](a, base.TagCustomer)
}

// BeingErased says that their erasure is not complete. What is left to do is found by the record, which stays until
// then.
func (m *Customer) BeingErased() bool { return m.Erasing != 0 || m.Traces }

// erased refuses what cannot be done with a customer that was erased, or is being erased.
func (m *Customer) erased() error {
	if m.BeingErased() {
		return base.NotAllowed("the erasure of the customer is not complete", "erasing")
	}
	return base.NotAllowed("the customer was erased", "erased", "delete")
}

// MayBeFor refuses a record that names a customer that does not exist or was erased.
func MayBeFor(t *base.Tx, customer base.ID) error {
	switch m := CustomerTable(t.Acc).Get(customer); {
	case m == nil:
		return base.NotFound("customer")
	case m.ErasedAt != 0:
		return m.erased()
	}
	return nil
}

// CustomerOf is the oldest customer with an email address, which compares without case; nil: there is none.
func CustomerOf(a *base.AccountState, email *string) *Customer {
	if email == nil {
		return nil
	}
	return CustomerTable(a).First(customerByEmail, base.FoldCode(*email))
}

// CreateCustomer makes a customer.
type CreateCustomer struct {
	base.Answers[*Customer]
	base.Adds
	Contact base.Changes[Contact]
	Labels  label.LabelsPatch
}

func (o CreateCustomer) Check(c *base.Checker) {
	o.Contact.Check(c, "")
	CheckNamed(c, o.Contact.Of(Contact{}))
	o.Labels.Check(c)
}

func (o CreateCustomer) CheckOn(c *base.Checker, a *base.AccountState) {
	o.Labels.CheckOn(c, a, CustomerLabels)
}

func (o CreateCustomer) PlanOn(t *base.Tx) (any, error) {
	labels, err := o.Labels.Merged(t.Acc, CustomerLabels, base.ID{}, label.Labels{})
	if err != nil {
		return nil, err
	}
	if err := Born(t, "", &o.Contact); err != nil {
		return nil, err
	}
	m := &Customer{ID: t.NewID(), Contact: o.Contact.Of(Contact{}), Stamp: t.Stamp(), Labels: labels}
	base.Record(t, CustomerKind, nil, m)
	return m, nil
}

// PatchCustomer changes a customer.
type PatchCustomer struct {
	base.Answers[*Customer]
	base.IfMatch
	ID      base.ID
	Contact base.Changes[Contact]
	Labels  label.LabelsPatch
}

func (o PatchCustomer) Check(c *base.Checker) {
	o.Contact.Check(c, "")
	o.Labels.Check(c)
}

func (o PatchCustomer) CheckOn(c *base.Checker, a *base.AccountState) {
	if m := CustomerTable(a).Get(o.ID); m != nil && m.ErasedAt == 0 {
		CheckNamed(c, o.Contact.Of(m.Contact))
	}
	o.Labels.CheckOn(c, a, CustomerLabels)
}

func (o PatchCustomer) PlanOn(t *base.Tx) (any, error) {
	m, err := base.Found(t, CustomerKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	labels, err := o.Labels.Merged(t.Acc, CustomerLabels, m.ID, m.Labels)
	if err != nil {
		return nil, err
	}
	if m.ErasedAt != 0 {
		return nil, m.erased()
	}
	if err := Born(t, "", &o.Contact); err != nil {
		return nil, err
	}
	n := *m
	n.Contact, n.Labels = o.Contact.Of(m.Contact), labels
	return base.Revise(t, CustomerKind, m, n), nil
}

// DeleteCustomer removes a customer. No hold that is not over, and no order that is not closed, may refer to the
// customer; those that do keep the id. One who is being erased stays until that is complete. It answers with nil.
type DeleteCustomer = base.Delete[Customer, *Customer]

func customerInUse(t *base.Tx, m *Customer) error {
	if err := t.Acc.Unreferred(m.ID, t.Now); err != nil {
		return err
	}
	if m.BeingErased() {
		return m.erased()
	}
	return nil
}

// CustomerByID returns a customer, or nil.
func CustomerByID(v base.View, id base.ID) *Customer { return CustomerTable(v.Acc).Get(id) }

// Customers lists the account's customers in order of creation.
func Customers(v base.View) *table.Table[Customer] { return CustomerTable(v.Acc) }

func (o CreateCustomer) Distinct() []base.DistinctValue { return o.Labels.External.Distinct() }
