package workload

import (
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/fuzz/model"
)

// This file owns random commands of a shop's cart: holds that become an order for a price, items that are sold by their
// tables, codes that an order begins with.

// stockShop gives an account with a pricing table an item that is sold by it.
func (w *World) stockShop(d Dice, tenant int) error {
	a := w.Tenants[tenant].Twin
	if _, _, fault := w.Do(tenant, commerce.CreateCatalogItem{
		CatalogFields: commerce.CatalogFields{Name: "kit", Components: components(d, a)},
		CatalogOffer:  commerce.CatalogOffer{PricingTable: &a.Tables[0].ID}}); fault != nil {
		return fault
	}
	_, _, fault := w.Do(tenant, commerce.PatchPricingTable{ID: a.Tables[0].ID,
		Fields: base.Changed(commerce.PricingTableFields{Combine: odds(d, "rows together", 60)})})
	return fault
}

// quote asks what a cart would cost.
func (w *World) quote(d Dice, tenant int) error {
	a := w.Tenants[tenant].Twin
	return a.Quote(w.View(tenant), cart(d, a, w.Now()), w.Now())
}

// cartCommand draws one.
func cartCommand(d Dice, a *model.Account, now int64) base.Op {
	switch d.N("cart command", 17) {
	case 0, 1, 2:
		if h := anyHold(d, a); h != nil {
			return cartOrder(d, a, h)
		}
	case 3:
		if len(a.Tables) < maxTables && odds(d, "a table without rows", 40) {
			return commerce.CreatePricingTable{PricingTableFields: commerce.PricingTableFields{Name: "more"}}
		}
		if len(a.Tables) > 0 && odds(d, "rows together", 30) {
			t := pick(d, "table", a.Tables)
			return commerce.PatchPricingTable{ID: t.ID,
				Fields: base.Changed(commerce.PricingTableFields{Combine: !t.Combine}, "combineRows")}
		}
		if len(a.Kits) > 0 && len(a.Tables) > 0 {
			p := commerce.PatchCatalogItem{ID: pick(d, "kit", a.Kits).ID,
				Offer: base.Changed(commerce.CatalogOffer{PricingTable: new(pick(d, "table", a.Tables).ID)})}
			if odds(d, "no table", 20) {
				p.Offer = base.Changed(commerce.CatalogOffer{}, "pricingTableId")
			}
			return p
		}
	case 4:
		if len(a.Orders) > 0 {
			return discountCommand(d, a, now)
		}
	case 5, 6:
		return shopOrder(d, a, now)
	case 7, 8:
		if h := anyHold(d, a); h != nil {
			return changeHold(d, a, now, h)
		}
	case 11, 12, 13:
		if op := heldKits(d, a); op != nil && odds(d, "of a hold", 60) {
			return op
		}
		if op := otherKits(d, a); op != nil {
			return op
		}
	case 14:
		if len(a.Customers) == 0 || len(a.Customers) < 3 && odds(d, "another customer", 60) {
			return commerce.CreateCustomer{Contact: base.Changed(commerce.Contact{FirstName: new("Somebody")})}
		}
		return commerce.DeleteCustomer{ID: pick(d, "customer", a.Customers)}
	case 15:
		if h := anyHold(d, a); h != nil {
			o := hold.ChangeHold{ID: h.ID, Customer: base.Null[ID]()}
			if id := somebody(d, a); id != nil {
				o.Customer = base.Some(*id)
			}
			return o
		}
	}
	o := placeHold(d, a, now)
	o.Customer, o.Note = somebody(d, a), pick(d, "note", holdNotes)
	if len(a.Kits) > 0 && odds(d, "of a kit", 30) {
		o.Lines[0].Item = base.Item{CatalogItem: pick(d, "kit", a.Kits).ID}
	}
	return o
}

// holdNotes are what is written of a hold.
var holdNotes = []string{"", "", "Call Ann", "Ann Lee, called twice", "blue"}

// heldList asks for a page of the holds that pass some filters.
func (w *World) heldList(d Dice, tenant int) error {
	a := w.Tenants[tenant].Twin
	var q hold.HoldQuery
	for range max(0, d.N("states", 5)-2) {
		q.Status = append(q.Status,
			pick(d, "status", []hold.HoldStatus{hold.Held, hold.Confirmed, hold.Expired, hold.Released, hold.Ordered}))
	}
	if odds(d, "of an item", 30) {
		q.Items = append(q.Items, asked(d, a))
	}
	if len(a.Kits) > 0 && odds(d, "of a kit", 10) {
		q.Items = append(q.Items, base.Item{CatalogItem: pick(d, "kit", a.Kits).ID})
	}
	if id := location(d, a); odds(d, "of a place", 30) {
		q.Location = &id
	}
	if over := Window(d, a, w.Now()); odds(d, "over a window", 30) {
		q.Window = &over
	}
	if odds(d, "of somebody", 30) {
		q.Customer = somebody(d, a)
	}
	if odds(d, "of words", 30) {
		q.Search = pick(d, "words", []string{"ann", "CALL", "an ca", "lee call", "blue ann", "?", "twice a"})
	}
	q.Desc, q.Units = odds(d, "the youngest first", 50), base.MaxListed
	q.Part = base.Part{Offset: d.N("offset", 6), Limit: 1 + d.N("limit", 6)}
	return a.HeldList(w.View(tenant), &q)
}

// somebody is a customer, seldom one that does not exist; nil: no customer.
func somebody(d Dice, a *model.Account) *ID {
	switch {
	case odds(d, "not there", 2):
		return &nobody
	case len(a.Customers) == 0 || odds(d, "for nobody", 20):
		return nil
	}
	id := pick(d, "customer", a.Customers)
	return &id
}

// shopOrder is an order of a cart, or takes one away.
func shopOrder(d Dice, a *model.Account, now int64) base.Op {
	if len(a.Orders) >= maxOrders {
		return order.DeleteOrder{ID: pick(d, "order", a.Orders).ID}
	}
	return cart(d, a, now)
}

// cart is an order of lines of which some say nothing of their price, with codes.
func cart(d Dice, a *model.Account, now int64) order.CreateOrder {
	o := createOrder(d, a, now)
	o.Discounts = codes(d, a)
	for i := range o.Lines {
		l := &o.Lines[i]
		if len(a.Kits) > 0 && odds(d, "a kit", 60) {
			l.Item = base.Item{CatalogItem: pick(d, "kit", a.Kits).ID}
		}
		if odds(d, "nothing said of its price", 70) {
			l.PricingRow, l.UnitPrice = nil, nil
		}
	}
	return o
}

// cartOrder makes an order of a hold, or of several.
func cartOrder(d Dice, a *model.Account, h *model.Hold) order.OrderHold {
	o := order.OrderHold{OrderInput: order.OrderInput{Return: back(d, a), Discounts: codes(d, a)}, Holds: []ID{h.ID}}
	for _, x := range a.Holds {
		if x != h && len(o.Holds) < 3 &&
			(x.Lines[0].Location == h.Lines[0].Location && !x.Status.Ended() || odds(d, "whatever it is", 3)) {
			o.Holds = append(o.Holds, x.ID)
		}
	}
	if odds(d, "terms", 80) {
		o.Subscription = terms(d)
	}
	if odds(d, "for one who is named", 20) {
		o.Customer = somebody(d, a)
	}
	for i, l := range h.Lines {
		if odds(d, "as it comes", 40) {
			continue
		}
		e := order.HeldLineInput{Hold: &h.ID, Line: i}
		if len(o.Holds) == 1 && odds(d, "the only one", 50) {
			e.Hold = nil
		}
		if odds(d, "no line", 2) {
			e.Line = len(h.Lines)
		}
		if len(a.Tables) > 0 {
			e.PricingRow = rowFor(d, a, l.Purchase)
		}
		if price := int64(d.N("price", 5000)); e.PricingRow == nil && odds(d, "own price", 60) {
			e.UnitPrice = &price
		}
		if rate := 700; odds(d, "taxed", 30) {
			e.TaxRate = &rate
		}
		o.Held = append(o.Held, e)
	}
	return o
}

// otherKits changes how many kits a line of an open order has, or what the kit of such a line takes; nil: there is no
// such line.
func otherKits(d Dice, a *model.Account) base.Op {
	var list []order.PatchOrderLine
	var kits []ID
	for _, o := range a.Orders {
		for _, l := range o.Lines {
			if o.Status == order.OrderOpen && l.Item.CatalogItem != (ID{}) {
				list = append(list, order.PatchOrderLine{Order: o.ID, ID: l.ID})
				kits = append(kits, l.Item.CatalogItem)
			}
		}
	}
	switch {
	case len(list) == 0:
		return nil
	case odds(d, "another kit", 30):
		return otherParts(d, a, pick(d, "kit", kits))
	}
	p := pick(d, "line of kits", list)
	p.Fields = base.Changed(order.OrderLineInput{Quantity: 1 + d.N("kits", 4)})
	p.AllowOverbooked = odds(d, "overbook", 60)
	return p
}

// heldKits changes how many kits a line of a hold has, or what the kit of such a line takes; nil: there is no such
// line.
func heldKits(d Dice, a *model.Account) base.Op {
	var list []hold.ChangeHold
	var kits []ID
	for _, h := range a.Holds {
		for i, l := range h.Lines {
			if l.CatalogItem != (ID{}) && !h.Status.Ended() {
				list = append(list,
					hold.ChangeHold{ID: h.ID, Change: []hold.HoldLineChange{{Line: i}}, AllowPast: true})
				kits = append(kits, l.CatalogItem)
			}
		}
	}
	switch {
	case len(list) == 0:
		return nil
	case odds(d, "another kit", 40):
		return otherParts(d, a, pick(d, "kit", kits))
	}
	o, n := pick(d, "line of kits", list), 1+d.N("kits", 3)
	o.Change[0].Quantity = &n
	return o
}

// codes are codes that an order begins with, mostly none.
func codes(d Dice, a *model.Account) (texts []string) {
	for len(a.Codes) > 0 && len(texts) < 2 && odds(d, "with a code", 20) {
		texts = append(texts, pick(d, "code", a.Codes).Code)
	}
	return texts
}

// changeHold changes, takes out and adds lines of a hold.
func changeHold(d Dice, a *model.Account, now int64, h *model.Hold) hold.ChangeHold {
	o := hold.ChangeHold{ID: h.ID, AllowPast: odds(d, "past", 50)}
	for i, l := range h.Lines {
		switch x := (hold.HoldLineChange{Line: i}); d.N("line", 5) {
		case 0:
			o.Remove = append(o.Remove, i)
		case 1, 2:
			if q := 1 + d.N("quantity", 4); odds(d, "another quantity", 60) {
				x.Quantity = &q
			}
			if from := instant(d, a, now); odds(d, "from", 30) {
				x.From = &from
			}
			if to := l.Window.Start + pick(d, "hours", lengths)*hour; odds(d, "until", 40) {
				x.To = &to
			}
			o.Change = append(o.Change, x)
		}
	}
	if odds(d, "no line", 2) {
		o.Remove = append(o.Remove, len(h.Lines))
	}
	if len(h.Lines) < 4 && odds(d, "more", 50) {
		o.Add = placeHold(d, a, now).Lines
	}
	return o
}
