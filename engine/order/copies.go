package order

import (
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
)

// This file owns the copies that an order keeps in addition to the terms of its lines: its main contact, its two
// places, its currency. A copy is taken when the order is made or gets another contact or place, and again when it is
// opened. From then on a change of the record leaves the order as it was.

// OrderCopies are what an order says of other records, as they were.
type OrderCopies struct {
	Contact  *commerce.Contact `json:",omitempty"` // of its main contact; nil: it has none
	Given    bool              `json:",omitempty"` // the contact was given with the order; it is no copy
	PickupAt *stock.PlaceCopy  `json:",omitempty"` // nil: the location was gone before orders kept copies
	ReturnAt *stock.PlaceCopy  `json:",omitempty"` // of an order that comes back where it was picked up the same
	// ISO 4217, of all its amounts; zero: an older program made the order, and it has no copies yet
	Currency base.Word `json:",omitzero"`
}

// copied says whether an order has its copies.
func (o *OrderCopies) copied() bool { return o.Currency != (base.Word{}) }

// copyPlaces makes an order keep its two places as they are now.
func copyPlaces(t *base.Tx, o *Order) {
	o.PickupAt, o.ReturnAt = stock.Place(t.Acc, o.Pickup), stock.Place(t.Acc, o.Return)
}

// copyContact makes an order keep the contact of its customer as it is now.
func copyContact(t *base.Tx, o *Order) {
	o.Contact, o.Given = nil, false
	if m := commerce.CustomerTable(t.Acc).Get(o.Customer); m != nil {
		o.Contact = &m.Contact
	}
}

// copyAtOpening takes the copies that an order is opened with. A contact that was given with the order stays as it was
// given. Where the place has another time zone by now, a day begins at another time, and the lines are priced anew.
func copyAtOpening(t *base.Tx, o *Order) error {
	was := o.PickupAt.Zone()
	copyPlaces(t, o)
	if !o.Given {
		copyContact(t, o)
	}
	if o.PickupAt.Zone() == was {
		return nil
	}
	return priceLines(t, o)
}

// copyOlder makes an order of an older program keep its copies. The order still says what it said.
func copyOlder(t *base.Tx, id base.ID) {
	n, err := Edit(t, id)
	if err != nil {
		return
	}
	editOf(t, id).kept = true
	copyPlaces(t, n)
	copyContact(t, n)
	n.Currency = base.NewWord(t.Acc.Row.Currency)
	for i := range n.Lines {
		l := &n.Lines[i]
		if row := commerce.PricingRowByID(t.Acc, l.PricingRow); row != nil && !l.OwnPrice &&
			row.Purchase == l.Purchase.Type() {
			l.sellBy(row)
		}
	}
}

// share makes a stored order refer to what its records have in memory already, where that is the same.
func (o *Order) share(a *base.AccountState) {
	if p := stock.Place(a, o.Pickup); p.Same(o.PickupAt) {
		o.PickupAt = p
	}
	if p := stock.Place(a, o.Return); p.Same(o.ReturnAt) {
		o.ReturnAt = p
	}
	if m := commerce.CustomerTable(a).Get(o.Customer); m != nil && o.Contact != nil && m.Contact.Same(o.Contact) {
		o.Contact = &m.Contact
	}
}
