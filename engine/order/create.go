package order

import (
	"cmp"
	"reflect"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/stock"
	"holdfast/engine/table"
)

// This file owns orders as a whole: how one is made of lines, and what of it is changed as given.

// OrderInput is what orders are made of, except for their lines.
type OrderInput struct {
	Status    OrderStatus // draft or open
	Contact   *MainContact
	Pickup    base.ID
	Channel   Channel              `field:"channel word fixed" default:"api" about:"Where the order came from."`
	Customer  *base.ID             `field:"customerId id" made:"The customer, in place of a mainContact. Default: nobody." changed:"The customer, who becomes the main contact. Null clears it."`
	Return    *base.ID             `field:"returnLocationId id" made:"Where its units come back to. Default: the pickup location." changed:"Where its units come back to; null: the pickup location. At another one than that they stay for good: what counts on them at the pickup location refuses it."`
	Reference *string              `field:"reference text 0..255" about:"The merchant's or the shop's own name for the order."`
	Note      *string              `field:"note text 0..10000" about:"A text for those who read it."`
	Assigned  *UserRef             `field:"assignedTo own" about:"The user who looks after it."`
	Customers []OrderCustomerInput `field:"customers own" made:"The people whom the order is for. Default: the main contact." changed:"The people whom the order is for, replaced as a whole."`
	Fields    []CheckoutField      `field:"checkoutFields own" made:"What the main contact was asked." changed:"What the main contact was asked, replaced as a whole."`
	// without ids
	Consents  []Consent       `field:"consentAcceptances list 0..100 object ConsentAcceptanceInput ConsentAcceptance" made:"What the customers have agreed to. Default: nothing." changed:"What the customers have agreed to, replaced as a whole."`
	Documents []OrderDocument `field:"documents list 0..100 object OrderDocumentInput OrderDocument" made:"The documents of the order. Default: none." changed:"The documents of the order, replaced as a whole."`
	// the texts of discount codes, put on it in this order
	Discounts       []string `field:"discountCodes list 0..100 text 1..64 fixed" made:"Discount codes that are put on it, one after the other; one that cannot be refuses all." example:"null"`
	Tags            []base.ID
	External        label.ExternalPatch
	AllowOverbooked bool
}

// MainContact is a contact that an order is given, over that of its customer.
type MainContact struct {
	Customer *base.ID // nil: the oldest customer with the email, else a new one
	base.Changes[commerce.Contact]
}

// OrderCustomerInput is a customer that an order is for.
type OrderCustomerInput struct {
	ID       *base.ID // of a customer that the order is already for, and that keeps its id
	Customer *base.ID
	Contact  base.Changes[commerce.Contact]
	Fields   []CheckoutField
}

// Channel is the way in which an order comes in.
type Channel string

// The channels.
const (
	ChannelAdmin  Channel = "admin"
	ChannelAPI    Channel = "api"
	ChannelOnline Channel = "online"
)

// Words lists the channels.
func (Channel) Words() []string {
	return []string{string(ChannelAdmin), string(ChannelAPI), string(ChannelOnline)}
}

func (in *OrderInput) check(c *base.Checker) {
	if in.Status != OrderDraft && in.Status != OrderOpen {
		c.Fault("/status", "enum", "must be one of draft, open")
	}
	if in.Customer != nil && in.Contact != nil {
		c.Fault("/mainContact", "exclusive", "has a customerId or a mainContact, not both")
	}
	if in.Contact != nil {
		var of base.Checker
		in.Contact.Check(&of, "")
		if in.Contact.Customer == nil {
			commerce.CheckNamed(&of, in.Contact.Of(commerce.Contact{}))
		}
		c.Within("/mainContact", of.Faults)
	}
	base.CheckFields(c, "", in)
	ids := map[base.ID]bool{}
	for at, x := range base.Each(c, "/customers", in.Customers, MaxParts) {
		var of base.Checker
		if x.ID != nil && ids[*x.ID] {
			of.Fault("/id", "duplicate", "is the id of an earlier one")
		}
		ids[base.ValueOf(x.ID)] = true
		x.Contact.Check(&of, "")
		checkoutFields(&of, x.Fields)
		c.Within(at, of.Faults)
	}
	checkoutFields(c, in.Fields)
	base.CheckFields(c, "/assignedTo", in.Assigned)
	if len(in.Tags) > label.MaxTags {
		c.Fault("/tags", "length", "must have at most 100 entries")
	}
	in.External.Check(c)
}

func (in *OrderInput) checkOn(c *base.Checker, a *base.AccountState) {
	label.CheckTags(a, c, OrderLabels, in.Tags,
		func(i int) base.Fault { return base.Fault{Pointer: "/tags/" + base.Itoa(i)} })
}

// newOrder makes an order without lines.
func newOrder(t *base.Tx, in *OrderInput) (*Order, error) {
	o := &Order{ID: t.NewID(), Channel: base.NewWord(string(cmp.Or(in.Channel, ChannelAPI))), Pickup: in.Pickup,
		Return: in.Pickup}
	t.Used++ // MainCustomer's
	if in.Return != nil {
		o.Return = *in.Return
	}
	if stock.LocationTable(t.Acc).Get(o.Pickup) == nil || stock.LocationTable(t.Acc).Get(o.Return) == nil {
		return nil, base.NotFound("location")
	}
	var err error
	if err = isFor(t, o, in.Customer, in.Contact); err != nil {
		return nil, err
	}
	o.Currency = base.NewWord(t.Acc.Row.Currency)
	copyPlaces(t, o)
	if o.Tags, err = label.Linked(t.Acc, nil, in.Tags); err != nil {
		return nil, err
	}
	if o.External, err = orderExternal(t, &in.External, o); err != nil {
		return nil, err
	}
	var m OrderMore
	if err = m.fill(t, o, in, func(string) bool { return true }); err != nil {
		return nil, err
	}
	if !m.Empty() {
		o.More = &m
	}
	t.Ledger.Order++
	o.Number = t.Ledger.Order
	add(t, o)
	return o, nil
}

// fill puts what is given in place of what few orders have, which m is of o.
func (m *OrderMore) fill(t *base.Tx, o *Order, in *OrderInput, given func(field string) bool) (err error) {
	assign(given("reference"), &m.Reference, base.ValueOf(in.Reference))
	assign(given("note"), &m.Note, base.ValueOf(in.Note))
	assign(given("assignedTo"), &m.Assigned, in.Assigned)
	assign(given("checkoutFields"), &m.Fields, in.Fields)
	if given("customers") {
		if m.Customers, err = orderCustomers(t, o, in.Customers); err != nil {
			return err
		}
	}
	if given("consentAcceptances") {
		if m.Consents, err = agreed(t, in.Consents); err != nil {
			return err
		}
	}
	if given("documents") {
		m.Documents = withIDs(t, in.Documents)
	}
	return nil
}

// orderExternal gives what a patch makes of what other systems keep on an order.
func orderExternal(t *base.Tx, p *label.ExternalPatch, o *Order) (*label.External, error) {
	return p.Merged(o.External, o.ID, OrderLabels.Name(), OrderLabels.With(t.Acc))
}

// Empty says that there is nothing in it.
func (m *OrderMore) Empty() bool {
	return m.Reference == "" && m.Note == "" && m.Assigned == nil && m.Customers == nil && m.Fields == nil &&
		m.Consents == nil && m.Documents == nil &&
		m.Comments == nil && m.Method == (PaymentMethod{})
}

// isFor makes an order be for a customer, or for the customer that a contact belongs to. That is the one that it names,
// or the oldest customer with its email, whose record does not change, else a new one. The customer that the order is
// for already may be named also where it is deleted or erased: so a contact that was read can be given back.
func isFor(t *base.Tx, o *Order, id *base.ID, contact *MainContact) error {
	switch {
	case id != nil:
		if err := commerce.MayBeFor(t, *id); err != nil {
			return err
		}
		o.Customer = *id
		copyContact(t, o)
	case contact == nil:
		o.Customer = base.ID{}
		copyContact(t, o)
	default:
		if err := commerce.Born(t, "/mainContact", &contact.Changes); err != nil {
			return err
		}
		if contact.Customer != nil {
			return isForNamed(t, o, *contact.Customer, contact.Of)
		}
		given := contact.Of(commerce.Contact{})
		m := commerce.CustomerOf(t.Acc, given.Email)
		if m == nil {
			m = &commerce.Customer{ID: t.NewID(), Contact: given, Stamp: t.Stamp()}
			base.Record(t, commerce.CustomerKind, nil, m)
		} else {
			given = contact.Of(m.Contact)
		}
		o.Customer, o.Contact, o.Given = m.ID, &given, true
	}
	return nil
}

// isForNamed makes an order be for a customer, with what is given of the contact.
func isForNamed(t *base.Tx, o *Order, id base.ID, of func(commerce.Contact) commerce.Contact) error {
	own := o.Contact
	if id != o.Customer {
		if err := commerce.MayBeFor(t, id); err != nil {
			return err
		}
		own = &commerce.CustomerTable(t.Acc).Get(id).Contact
	}
	given := of(base.ValueOf(own))
	o.Customer, o.Contact, o.Given = id, &given, true
	return nil
}

func orderCustomers(t *base.Tx, o *Order, list []OrderCustomerInput) (out []OrderCustomer, err error) {
	for i := range list {
		x := &list[i]
		if err := commerce.Born(t, "/customers/"+base.Itoa(i), &x.Contact); err != nil {
			return nil, err
		}
		n := OrderCustomer{Contact: x.Contact.Of(commerce.Contact{}), Fields: x.Fields, UpdatedAt: t.Now}
		switch {
		case x.ID == nil:
			n.ID = t.NewID()
		case o.hasCustomer(*x.ID):
			n.ID = *x.ID
		default:
			return nil, base.NotFound("customer of this order")
		}
		if x.Customer != nil {
			if err := commerce.MayBeFor(t, *x.Customer); err != nil {
				return nil, err
			}
			n.Customer, n.Contact = *x.Customer, x.Contact.Of(commerce.CustomerTable(t.Acc).Get(*x.Customer).Contact)
		}
		for _, was := range o.Rest().Customers {
			if at := was.UpdatedAt; was.ID == n.ID {
				if was.UpdatedAt = n.UpdatedAt; reflect.DeepEqual(was, n) {
					n.UpdatedAt = at
				}
			}
		}
		out = append(out, n)
	}
	return out, nil
}

func (c *Consent) id() *base.ID       { return &c.ID }
func (d *OrderDocument) id() *base.ID { return &d.ID }

// withIDs is a copy of parts that were given without ids, each with one.
func withIDs[T any, P interface {
	*T
	id() *base.ID
}](t *base.Tx, list []T) []T {
	list = slices.Clone(list)
	for i := range list {
		*P(&list[i]).id() = t.NewID()
	}
	return list
}

// agreed gives consents their ids, and refuses those with an instant in the future.
func agreed(t *base.Tx, list []Consent) ([]Consent, error) {
	var c base.Checker
	for i := range list {
		if at := list[i].AcceptedAt; at != nil && *at > t.Now {
			c.Fault("/consentAcceptances/"+base.Itoa(i)+"/acceptedAt", "range", "must not lie ahead")
		}
	}
	if len(c.Faults) > 0 {
		return nil, base.Invalid(c.Faults)
	}
	return withIDs(t, list), nil
}

// hasCustomer says whether an id names one of the customers that an order is for: those that were given, else the
// customer of its main contact.
func (o *Order) hasCustomer(id base.ID) bool {
	list := o.Rest().Customers
	if len(list) == 0 {
		return o.Customer != (base.ID{}) && id == o.MainCustomer()
	}
	return slices.ContainsFunc(list, func(c OrderCustomer) bool { return c.ID == id })
}

// MainCustomer is the id of the order's own record of the customer that it is for, if no list of customers was given.
func (o *Order) MainCustomer() base.ID { return base.After(o.ID, 1) }

// CreateOrder makes an order. One that is to be open takes its stock, for all lines or not at all.
type CreateOrder struct {
	base.Answers[*OrderRecord]
	base.Adds
	OrderInput
	Lines []OrderLineInput
}

func (o CreateOrder) Check(c *base.Checker) {
	o.check(c)
	checkLines(c, o.Lines)
	if o.Status == OrderOpen && len(o.Lines) == 0 {
		c.Fault("/lineItems", "length", "an open order has at least one line")
	}
}

func (o CreateOrder) CheckOn(c *base.Checker, a *base.AccountState) {
	o.OrderInput.checkOn(c, a)
	checkLinesOn(c, a, o.Lines, a.Row.Currency)
}

func (o CreateOrder) PlanOn(t *base.Tx) (any, error) {
	n, err := newOrder(t, &o.OrderInput)
	if err != nil {
		return nil, err
	}
	n.Status = o.Status
	if err := addLines(t, n, o.Lines, o.AllowOverbooked); err != nil {
		return nil, err
	}
	if err := applyCodes(t, n, o.Discounts); err != nil {
		return nil, err
	}
	return answer(t, n), nil
}

// PatchOrder changes what an order has as given. Its pickup location changes only in a draft.
type PatchOrder struct {
	base.Answers[*OrderRecord]
	base.IfMatch
	ID       base.ID
	Fields   base.Changes[OrderInput] // a return location of null: the pickup location
	Contact  *MainContact
	Pickup   base.Opt[base.ID]
	Method   base.Changes[PaymentMethod]
	External label.ExternalPatch

	AllowOverbooked bool // what stands in the way of units that come back elsewhere becomes a conflict
}

func (o PatchOrder) Check(c *base.Checker) {
	in := o.Fields.To
	in.Contact, in.External = o.Contact, o.External
	in.check(c)
	o.Method.To.check(c)
}

func (o PatchOrder) PlanOn(t *base.Tx) (any, error) {
	n, err := editFor(t, Annotate, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	was := n.Return
	if err := o.places(t, n); err != nil {
		return nil, err
	}
	if n.Return != was && n.Status != OrderDraft {
		if err := rerouteAsked(t, n, o.AllowOverbooked); err != nil {
			return nil, err
		}
		stock.SeatFreed(t)
	}
	isForOther := o.Fields.Has("customerId") || o.Contact != nil
	if isForOther {
		if err := isFor(t, n, o.Fields.To.Customer, o.Contact); err != nil {
			return nil, err
		}
	}
	if n.External, err = orderExternal(t, &o.External, n); err != nil {
		return nil, err
	}
	m := Own(&n.More)
	if err := m.fill(t, n, &o.Fields.To, o.Fields.Has); err != nil {
		return nil, err
	}
	m.Method = o.Method.Of(m.Method)
	if m.Empty() {
		n.More = nil
	}
	if o.Fields.Has("customers") || isForOther {
		n.forNobodyElse()
	}
	return answer(t, n), nil
}

// forNobodyElse clears the customer of each line that is for a customer that the order no longer has.
func (o *Order) forNobodyElse() {
	for i := range o.Lines {
		l := &o.Lines[i]
		if id := l.Rest().OrderCustomer; id == (base.ID{}) || o.hasCustomer(id) {
			continue
		}
		m := Own(&l.More)
		if m.OrderCustomer = (base.ID{}); m.Empty() {
			l.More = nil
		}
	}
}

// places changes where an order's stock is taken and where it comes back.
func (o *PatchOrder) places(t *base.Tx, n *Order) error {
	elsewhere := o.Pickup.Set && o.Pickup.Value != n.Pickup
	if elsewhere {
		if n.Return == n.Pickup {
			n.Return = o.Pickup.Value
		}
		n.Pickup = o.Pickup.Value
	}
	back := o.Fields.Has("returnLocationId")
	if back {
		if n.Return = n.Pickup; o.Fields.To.Return != nil {
			n.Return = *o.Fields.To.Return
		}
	}
	if o.Pickup.Set || back {
		for _, id := range [...]base.ID{n.Pickup, n.Return} { // the order may name one that is gone
			if stock.LocationTable(t.Acc).Get(id) == nil {
				return base.Refuse(base.CodeNotFound, "no location with the id %s", id)
			}
		}
	}
	if elsewhere && n.Status != OrderDraft {
		return base.NotAllowed("the pickup location changes only in a draft", n.Status.String(), n.allowedBut("")...)
	}
	one := n.Return == n.Pickup
	if o.Pickup.Set || back && one {
		n.PickupAt = stock.Place(t.Acc, n.Pickup)
	}
	if back || o.Pickup.Set && one {
		n.ReturnAt = stock.Place(t.Acc, n.Return)
	}
	if !elsewhere {
		return nil
	}
	return priceLines(t, n) // a day begins elsewhere at another time
}

// OrderByID returns an order's record, with the first of its units, or nil.
func OrderByID(v base.View, id base.ID) *OrderRecord {
	if o := OrderTable(v.Acc).Get(id); o != nil {
		return RecordWith(v.Acc, o, v.Acc.Stock, &Edits{}, base.MaxListed)
	}
	return nil
}

// Orders are the account's orders as they are stored, in order of creation.
func Orders(v base.View) *table.Table[Order] { return OrderTable(v.Acc) }

// RecordOf is the answer for an order of this view, with the first of its units, at most so many.
func RecordOf(v base.View, o *Order, units int) *OrderRecord {
	return RecordWith(v.Acc, o, v.Acc.Stock, &Edits{}, units)
}
