package engine

import (
	"slices"

	"holdfast/engine/table"
)

// This file owns orders as a whole: how one is made of lines, and what of it is changed as given.

// OrderInput is what orders are made of, but for their lines.
type OrderInput struct {
	Status          OrderStatus // draft or open
	Customer        *ID
	Contact         *ContactPatch // makes a new customer
	Pickup          ID
	Return          *ID // nil: the pickup location
	Reference       *string
	Note            *string
	Channel         string // default api
	Customers       []OrderCustomerInput
	Fields          []CheckoutField
	Consents        []Consent       // without ids
	Documents       []OrderDocument // without ids
	Assigned        *UserRef
	Method          PaymentMethod
	Tags            []ID
	External        ExternalPatch
	Discounts       []string // the texts of discount codes, put on it in this order
	AllowOverbooked bool
}

// OrderCustomerInput is somebody whom an order is for.
type OrderCustomerInput struct {
	Customer *ID
	Contact  ContactPatch
	Fields   []CheckoutField
}

// Channels are the ways in which an order comes in.
var Channels = []string{"admin", "api", "online"}

const defaultChannel = "api"

func (in *OrderInput) check(c *checker) {
	if in.Status != OrderDraft && in.Status != OrderOpen {
		c.fault("/status", "enum", "must be one of draft, open")
	}
	if in.Customer != nil && in.Contact != nil {
		c.fault("/mainContact", "exclusive", "has a customerId or a mainContact, not both")
	}
	if in.Contact != nil {
		var of checker
		in.Contact.check(&of)
		of.named(in.Contact.merged(Contact{}))
		c.within("/mainContact", of.faults)
	}
	c.optional("/reference", in.Reference, 0, maxName)
	c.optional("/note", in.Note, 0, maxNote)
	c.oneOf("/channel", orDefault(in.Channel, defaultChannel), Channels...)
	for at, x := range each(c, "/customers", in.Customers, 0, maxParts) {
		var of checker
		x.Contact.check(&of)
		of.checkoutFields("/checkoutFields", x.Fields)
		c.within(at, of.faults)
	}
	c.checkoutFields("/checkoutFields", in.Fields)
	c.consents("/consentAcceptances", in.Consents)
	c.orderDocuments("/documents", in.Documents)
	c.user("/assignedTo", in.Assigned)
	in.Method.check(c)
	if len(in.Tags) > maxTags {
		c.fault("/tags", "length", "must have at most 100 entries")
	}
	in.External.check(c)
	for at, text := range each(c, "/discountCodes", in.Discounts, 0, maxParts) {
		c.text(at, *text, 1, maxCode)
	}
}

func (in *OrderInput) checkOn(c *checker, a *account) {
	a.checkTags(c, OrderLabels, in.Tags, func(i int) Fault { return Fault{Pointer: "/tags/" + itoa(i)} })
}

// newOrder makes an order without lines.
func (t *tx) newOrder(in *OrderInput) (*Order, error) {
	o := &Order{ID: t.newID(), Channel: newWord(orDefault(in.Channel, defaultChannel)), Pickup: in.Pickup, Return: in.Pickup}
	t.used++ // MainCustomer's
	if in.Return != nil {
		o.Return = *in.Return
	}
	if t.acc.locations().Get(o.Pickup) == nil || t.acc.locations().Get(o.Return) == nil {
		return nil, notFound("location")
	}
	var err error
	if err = t.isFor(o, in.Customer, in.Contact); err != nil {
		return nil, err
	}
	o.Currency = newWord(t.acc.row.Currency)
	t.copyPlaces(o)
	if o.Tags, err = t.acc.linked(nil, in.Tags); err != nil {
		return nil, err
	}
	if o.External, err = t.orderExternal(&in.External, o); err != nil {
		return nil, err
	}
	m := OrderMore{Fields: in.Fields, Assigned: in.Assigned, Method: in.Method}
	if in.Reference != nil {
		m.Reference = *in.Reference
	}
	if in.Note != nil {
		m.Note = *in.Note
	}
	if m.Customers, err = t.orderCustomers(in.Customers); err != nil {
		return nil, err
	}
	if m.Consents, err = t.agreed(in.Consents); err != nil {
		return nil, err
	}
	m.Documents = withIDs(t, in.Documents)
	if !m.empty() {
		o.More = &m
	}
	t.ledger.Order++
	o.Number = t.ledger.Order
	t.add(o)
	return o, nil
}

// orderExternal gives what a patch makes of what other systems keep on an order.
func (t *tx) orderExternal(p *ExternalPatch, o *Order) (*External, error) {
	return p.merged(o.External, o.ID, OrderLabels.name(), OrderLabels.with(t.acc))
}

func (m *OrderMore) empty() bool {
	return m.Reference == "" && m.Note == "" && m.Assigned == nil && m.Customers == nil && m.Fields == nil && m.Consents == nil && m.Documents == nil &&
		m.Comments == nil && m.Method == (PaymentMethod{})
}

// isFor has an order be for a customer, or for the one whom a contact is of: the oldest customer with its email, of whom nothing
// changes, else a new one.
func (t *tx) isFor(o *Order, id *ID, contact *ContactPatch) error {
	switch {
	case id != nil:
		if err := t.mayBeFor(*id); err != nil {
			return err
		}
		o.Customer = *id
		t.copyContact(o)
	case contact == nil:
		o.Customer = ID{}
		t.copyContact(o)
	default:
		if err := t.born("/mainContact", contact); err != nil {
			return err
		}
		given := contact.merged(Contact{})
		m := t.acc.customerOf(given.Email)
		if m == nil {
			m = &Customer{ID: t.newID(), Contact: given, UpdatedAt: t.now, Revision: 1}
			record(t, customerKind, nil, m)
		} else {
			given = contact.merged(m.Contact)
		}
		o.Customer, o.Contact, o.Given = m.ID, &given, true
	}
	return nil
}

func (t *tx) orderCustomers(list []OrderCustomerInput) (out []OrderCustomer, err error) {
	for i := range list {
		x := &list[i]
		if err := t.born("/customers/"+itoa(i), &x.Contact); err != nil {
			return nil, err
		}
		n := OrderCustomer{ID: t.newID(), Contact: x.Contact.merged(Contact{}), Fields: x.Fields, UpdatedAt: t.now}
		if x.Customer != nil {
			if err := t.mayBeFor(*x.Customer); err != nil {
				return nil, err
			}
			n.Customer, n.Contact = *x.Customer, x.Contact.merged(t.acc.customers().Get(*x.Customer).Contact)
		}
		out = append(out, n)
	}
	return out, nil
}

func (c *Consent) id() *ID       { return &c.ID }
func (d *OrderDocument) id() *ID { return &d.ID }

// withIDs is a copy of parts that were given without ids, each with one.
func withIDs[T any, P interface {
	*T
	id() *ID
}](t *tx, list []T) []T {
	list = slices.Clone(list)
	for i := range list {
		*P(&list[i]).id() = t.newID()
	}
	return list
}

// agreed gives consents their ids, and refuses those that somebody is still to give.
func (t *tx) agreed(list []Consent) ([]Consent, error) {
	var c checker
	for i := range list {
		if at := list[i].AcceptedAt; at != nil && *at > t.now {
			c.fault("/consentAcceptances/"+itoa(i)+"/acceptedAt", "range", "must not lie ahead")
		}
	}
	if len(c.faults) > 0 {
		return nil, invalid(c.faults)
	}
	return withIDs(t, list), nil
}

// hasCustomer says whether an id names one of those whom an order is for: those given, else the one whom its main contact is of.
func (o *Order) hasCustomer(id ID) bool {
	list := o.Rest().Customers
	if len(list) == 0 {
		return o.Customer != (ID{}) && id == o.MainCustomer()
	}
	return slices.ContainsFunc(list, func(c OrderCustomer) bool { return c.ID == id })
}

// MainCustomer is the id of the order's own record of the one whom it is for, where none was given.
func (o *Order) MainCustomer() ID { return after(o.ID, 1) }

// CreateOrder makes an order. One that is to be open takes its stock, for all lines or not at all. It answers with the
// *OrderRecord.
type CreateOrder struct {
	OrderInput
	Lines []OrderLineInput
}

func (o CreateOrder) Check() []Fault {
	var c checker
	o.check(&c)
	checkLines(&c, o.Lines)
	if o.Status == OrderOpen && len(o.Lines) == 0 {
		c.fault("/lineItems", "length", "an open order has at least one line")
	}
	return c.faults
}

func (o CreateOrder) checkOn(a *account) []Fault {
	var c checker
	o.OrderInput.checkOn(&c, a)
	checkLinesOn(&c, a, o.Lines)
	return c.faults
}

func (o CreateOrder) plan(t *tx) (any, error) {
	n, err := t.newOrder(&o.OrderInput)
	if err != nil {
		return nil, err
	}
	n.Status = o.Status
	if err := t.addLines(n, o.Lines, o.AllowOverbooked); err != nil {
		return nil, err
	}
	if err := t.applyCodes(n, o.Discounts); err != nil {
		return nil, err
	}
	return t.answer(n), nil
}

func (CreateOrder) result() any { return new(OrderRecord) }

// PatchOrder changes what an order has as given. Its pickup location changes only in a draft. It answers with the
// *OrderRecord.
type PatchOrder struct {
	ID        ID
	IfMatch   []uint64
	Customer  Opt[ID]
	Contact   *ContactPatch // makes a new customer
	Pickup    Opt[ID]
	Return    Opt[ID] // null: the pickup location
	Reference Opt[string]
	Note      Opt[string]
	Assigned  Opt[UserRef]
	Customers Opt[[]OrderCustomerInput]
	Fields    Opt[[]CheckoutField]
	Consents  Opt[[]Consent]
	Documents Opt[[]OrderDocument]
	Key       Opt[string]
	HasSaved  Opt[bool]
	Card      Opt[SavedCard]
	Custom    Opt[CustomMethod]
	External  ExternalPatch

	AllowOverbooked bool // what stands in the way of units that come back elsewhere becomes a conflict
}

func (o PatchOrder) Check() []Fault {
	var c checker
	in := OrderInput{
		Contact: o.Contact, Customers: o.Customers.Value, Fields: o.Fields.Value, Consents: o.Consents.Value, Documents: o.Documents.Value,
		External: o.External,
	}
	if o.Customer.Set && !o.Customer.Null {
		in.Customer = &o.Customer.Value
	}
	if o.Assigned.Set && !o.Assigned.Null {
		in.Assigned = &o.Assigned.Value
	}
	in.Method = o.method(PaymentMethod{})
	in.check(&c)
	c.patchText("/reference", o.Reference, 0, maxName)
	c.patchText("/note", o.Note, 0, maxNote)
	return c.faults
}

func (o *PatchOrder) method(m PaymentMethod) PaymentMethod {
	o.Key.merge(&m.Key)
	o.HasSaved.set(&m.HasSaved)
	o.Card.merge(&m.Card)
	o.Custom.merge(&m.Custom)
	return m
}

func (o PatchOrder) plan(t *tx) (any, error) {
	n, err := t.editFor(Annotate, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	was := n.Return
	if err := o.places(t, n); err != nil {
		return nil, err
	}
	if n.Return != was && n.Status != OrderDraft {
		if err := t.reroute(n, o.AllowOverbooked); err != nil {
			return nil, err
		}
		t.seatFreed()
	}
	if o.Customer.Set || o.Contact != nil {
		var id *ID
		if o.Customer.Set && !o.Customer.Null {
			id = &o.Customer.Value
		}
		if err := t.isFor(n, id, o.Contact); err != nil {
			return nil, err
		}
	}
	if n.External, err = t.orderExternal(&o.External, n); err != nil {
		return nil, err
	}
	m := own(&n.More)
	o.Reference.set(&m.Reference)
	o.Note.set(&m.Note)
	o.Assigned.merge(&m.Assigned)
	o.Fields.set(&m.Fields)
	m.Method = o.method(m.Method)
	if o.Customers.Set {
		if m.Customers, err = t.orderCustomers(o.Customers.Value); err != nil {
			return nil, err
		}
	}
	if o.Consents.Set {
		if m.Consents, err = t.agreed(o.Consents.Value); err != nil {
			return nil, err
		}
	}
	if o.Documents.Set {
		m.Documents = withIDs(t, o.Documents.Value)
	}
	if m.empty() {
		n.More = nil
	}
	if o.Customers.Set || o.Customer.Set || o.Contact != nil {
		t.forNobodyElse(n)
	}
	return t.answer(n), nil
}

// forNobodyElse lets lines that are for somebody whom an order has no more be for nobody in particular.
func (t *tx) forNobodyElse(o *Order) {
	for i := range o.Lines {
		l := &o.Lines[i]
		if id := l.Rest().OrderCustomer; id == (ID{}) || o.hasCustomer(id) {
			continue
		}
		m := own(&l.More)
		if m.OrderCustomer = (ID{}); m.empty() {
			l.More = nil
		}
		l.UpdatedAt = t.now
	}
}

func (PatchOrder) result() any { return new(OrderRecord) }

// places changes where an order's stock is taken and where it comes back.
func (o *PatchOrder) places(t *tx, n *Order) error {
	elsewhere := o.Pickup.Set && o.Pickup.Value != n.Pickup
	if elsewhere {
		if n.Status != OrderDraft {
			return &Error{Code: CodeStateNotAllowed, Detail: "the pickup location changes only in a draft", Details: StateDetails{State: n.Status.String(), Allowed: n.allowedBut("")}}
		}
		if n.Return == n.Pickup {
			n.Return = o.Pickup.Value
		}
		n.Pickup = o.Pickup.Value
	}
	switch {
	case o.Return.Null:
		n.Return = n.Pickup
	case o.Return.Set:
		n.Return = o.Return.Value
	}
	if o.Pickup.Set || o.Return.Set {
		if t.acc.locations().Get(n.Pickup) == nil || t.acc.locations().Get(n.Return) == nil {
			return notFound("location")
		}
	}
	one := n.Return == n.Pickup
	if o.Pickup.Set || o.Return.Set && one {
		n.PickupAt = t.acc.place(n.Pickup)
	}
	if o.Return.Set || o.Pickup.Set && one {
		n.ReturnAt = t.acc.place(n.Return)
	}
	if !elsewhere {
		return nil
	}
	for i := range n.Lines { // a day begins elsewhere at another time
		if err := t.price(n, &n.Lines[i]); err != nil {
			return err
		}
	}
	return t.reprice(n)
}

// Order returns an order's record, with the first of its units, or nil.
func (v View) Order(id ID) *OrderRecord {
	if o := v.acc.orders().Get(id); o != nil {
		return v.acc.orderRecord(o, v.acc.stock, &edits{}, MaxListed)
	}
	return nil
}

// Orders are the account's orders as they are stored, in order of creation.
func (v View) Orders() *table.Table[Order] { return v.acc.orders() }

// OrderRecord is the answer for an order of this view, with the first of its units, at most so many.
func (v View) OrderRecord(o *Order, units int) *OrderRecord {
	return v.acc.orderRecord(o, v.acc.stock, &edits{}, units)
}
