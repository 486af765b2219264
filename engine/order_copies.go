package engine

// This file owns what an order keeps a copy of beside the terms of its lines: whom it is for, its two places, its currency. A copy is taken when the order is
// made or given another of them, and anew when it is opened. From then on a change of the record leaves the order as it was.

// OrderCopies are what an order says of other records, as they were.
type OrderCopies struct {
	Contact  *Contact   `json:",omitempty"` // of the one whom it is for; nil: nobody is named
	Given    bool       `json:",omitempty"` // the contact was given with the order; it is no copy
	PickupAt *PlaceCopy `json:",omitempty"` // nil: the location was gone before orders kept copies
	ReturnAt *PlaceCopy `json:",omitempty"` // of an order that comes back where it was picked up the same
	Currency word       `json:",omitzero"`  // ISO 4217, of all its amounts; zero: an older program made the order, and it has no copies yet
}

// copied says whether an order has its copies.
func (o *OrderCopies) copied() bool { return o.Currency != (word{}) }

// copyPlaces has an order keep its two places as they are now.
func (t *tx) copyPlaces(o *Order) {
	o.PickupAt, o.ReturnAt = t.acc.place(o.Pickup), t.acc.place(o.Return)
}

// copyContact has an order keep the contact of the one whom it is for as it is now.
func (t *tx) copyContact(o *Order) {
	o.Contact, o.Given = nil, false
	if m := t.acc.customers().Get(o.Customer); m != nil {
		o.Contact = &m.Contact
	}
}

// copyAtOpening takes the copies that an order is opened with. What was given with it stays as it was given.
func (t *tx) copyAtOpening(o *Order) {
	t.copyPlaces(o)
	if !o.Given {
		t.copyContact(o)
	}
}

// copyOlder has an order that an older program made keep its copies. What the order says stays what it was.
func (t *tx) copyOlder(id ID) {
	n, err := t.edit(id)
	if err != nil {
		return
	}
	t.editOf(id).kept = true
	t.copyPlaces(n)
	t.copyContact(n)
	n.Currency = newWord(t.acc.row.Currency)
	for i := range n.Lines {
		l := &n.Lines[i]
		if _, row := t.acc.pricingRowByID(l.PricingRow); row != nil && !l.OwnPrice && row.Purchase == l.Purchase.Type() {
			l.sellBy(row)
		}
	}
}

// share has a stored order refer to what its records have in memory already, where that is the same.
func (o *Order) share(a *account) {
	if p := a.place(o.Pickup); p.same(o.PickupAt) {
		o.PickupAt = p
	}
	if p := a.place(o.Return); p.same(o.ReturnAt) {
		o.ReturnAt = p
	}
	if m := a.customers().Get(o.Customer); m != nil && o.Contact != nil && m.Contact.same(o.Contact) {
		o.Contact = &m.Contact
	}
}
