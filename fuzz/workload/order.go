package workload

import (
	"fmt"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
	"holdfast/fuzz/model"
	"holdfast/timeline"
)

// This file owns random commands on orders: mostly of few orders, so that each goes a good part of its way.

const (
	maxOrders = 8 // of an account, before some are deleted
	maxCodes  = 6
	maxMoney  = 1<<53 - 1
)

// Command draws a command for an account as it is.
func Command(d Dice, a *model.Account, now int64) base.Op {
	if len(a.Attributes) > 0 && odds(d, "of attributes", 6) {
		return attributeCommand(d, a)
	}
	if len(a.Tables) > 0 && odds(d, "of pricing", 5) {
		return pricingCommand(d, a)
	}
	if odds(d, "of orders", 40) {
		return orderCommand(d, a, now)
	}
	return stockCommand(d, a, now)
}

func orderCommand(d Dice, a *model.Account, now int64) base.Op {
	kind := d.N("order command", 100)
	switch {
	case kind < 20 || len(a.Orders) == 0:
		if len(a.Orders) < maxOrders {
			return createOrder(d, a, now)
		}
		return order.DeleteOrder{ID: pick(d, "order", a.Orders).ID}
	case kind < 24:
		if h := anyHold(d, a); h != nil {
			o := order.OrderHold{Holds: []ID{h.ID}}
			if odds(d, "terms", 70) {
				o.Subscription = terms(d)
			}
			o.Return = back(d, a)
			return o
		}
	case kind < 28:
		return discountCommand(d, a, now)
	}
	o := likely(d, a, kind)
	switch {
	case kind < 32:
		return order.AddOrderLines{Order: o.ID, Lines: lines(d, a, now, o), AllowOverbooked: odds(d, "overbook", 30)}
	case kind < 44:
		if len(o.Lines) > 0 {
			return patchLine(d, a, now, o)
		}
	case kind < 46:
		if len(o.Lines) > 0 {
			return order.DeleteOrderLine{Order: o.ID, ID: line(d, a, o), IfMatch: revision(d, a, o)}
		}
	case kind < 50:
		return order.ConfirmOrder{ID: o.ID, AllowOverbooked: odds(d, "overbook", 40)}
	case kind < 53:
		return order.CancelOrder{ID: o.ID}
	case kind < 55:
		return order.ArchiveOrder{ID: o.ID, Archive: odds(d, "archive", 70)}
	case kind < 57:
		return order.DeleteOrder{ID: o.ID, IfMatch: revision(d, a, o)}
	case kind < 59:
		return order.PrepareOrder{ID: o.ID, Units: some(d, o)}
	case kind < 75:
		return order.FulfillOrder{ID: o.ID, Units: some(d, o), At: past(d, now)}
	case kind < 88:
		return order.ReturnOrder{ID: o.ID, Units: some(d, o), At: past(d, now)}
	case kind < 93:
		if u := unitOf(d, o); u != nil {
			return order.AssignUnit{Order: o.ID, Unit: u.ID, Article: pick(d, "article", a.Articles).ID,
				Substitute: len(a.Units)%4 > 0}
		}
	case kind < 95:
		if u := unitOf(d, o); u != nil {
			return order.UnassignUnit{Order: o.ID, Unit: u.ID}
		}
	case kind < 97:
		for _, l := range o.Lines {
			if l.Subscribe != nil {
				return order.CancelSubscription{ID: l.Subscribe.ID, AtEnd: odds(d, "at the end", 60)}
			}
		}
	case kind < 98:
		p := order.AddPayment{Order: o.ID, Kind: pick(d, "payment", order.PaymentKinds),
			Amount: 1 + int64(d.N("amount", 1000))}
		if len(a.Tables) > 0 && len(o.Lines) > 0 && odds(d, "of a line", 60) {
			id := line(d, a, o)
			p.Line = &id
		}
		if len(a.Tables) > 0 && odds(d, "all there is", 10) {
			p.Amount = maxMoney - int64(d.N("less", 2000))
		}
		return p
	case kind < 99:
		return patchOrder(d, a, o)
	}
	return createOrder(d, a, now)
}

// patchOrder is a change of an order's own fields.
func patchOrder(d Dice, a *model.Account, o *model.Order) order.PatchOrder {
	p := order.PatchOrder{ID: o.ID, IfMatch: revision(d, a, o)}
	if odds(d, "from elsewhere", 50) {
		p.Pickup = base.Some(location(d, a))
	}
	var to order.OrderInput
	var null []string
	if odds(d, "back elsewhere", 40) {
		if to.Return = new(location(d, a)); odds(d, "back to where it came from", 40) {
			to.Return, null = nil, []string{"returnLocationId"}
		}
	}
	if odds(d, "note", 30) {
		to.Note = new(pick(d, "note", []string{"", "ring twice"}))
	}
	p.Fields = base.Changed(to, null...)
	return p
}

// line is a line of an order, of an account with tables seldom none.
func line(d Dice, a *model.Account, o *model.Order) ID {
	if len(a.Tables) > 0 && odds(d, "no line", 5) {
		return nobody
	}
	return pick(d, "line", o.Lines).ID
}

// revision is what a command on an order says that it is about: mostly nothing, else the revision that there is, or one
// that is past.
func revision(d Dice, a *model.Account, o *model.Order) []uint64 {
	if len(a.Tables) == 0 || !odds(d, "if match", 15) {
		return nil
	}
	return []uint64{o.Revision - uint64(d.N("past", 2))}
}

// likely picks an order, mostly one in a state that allows what is drawn.
func likely(d Dice, a *model.Account, kind int) *model.Order {
	fits := slices.DeleteFunc(slices.Clone(a.Orders), func(o *model.Order) bool {
		switch {
		case kind < 46:
			return o.Status == order.OrderClosed || kind < 36 && o.Status == order.OrderActive
		case kind < 50:
			return o.Status != order.OrderDraft
		case kind < 53:
			return o.Status != order.OrderOpen && o.Status != order.OrderDraft
		case kind < 57:
			return o.Status != order.OrderClosed
		case kind < 75:
			return o.Status != order.OrderOpen && o.Status != order.OrderActive
		case kind < 88:
			return o.Status != order.OrderActive
		case kind < 95:
			return o.Status != order.OrderOpen
		case kind == 98:
			return o.Status != order.OrderDraft
		}
		return false
	})
	if len(fits) == 0 || odds(d, "any order", 6) {
		fits = a.Orders
	}
	return pick(d, "order", fits)
}

func unitOf(d Dice, o *model.Order) *model.OrderUnit {
	if len(o.Lines) == 0 {
		return nil
	}
	l := pick(d, "line", o.Lines)
	if len(l.Units) == 0 {
		return nil
	}
	return &l.Units[d.N("unit", len(l.Units))]
}

// some are units of an order by name, or nil: all that can.
func some(d Dice, o *model.Order) (ids []ID) {
	if odds(d, "all that can", 50) {
		return nil
	}
	for range 1 + d.N("more units", 2) {
		if u := unitOf(d, o); u != nil && !slices.Contains(ids, u.ID) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// past is an instant that is not later than now, mostly now.
func past(d Dice, now int64) *int64 {
	if odds(d, "now", 75) {
		return nil
	}
	t := now - int64(d.N("ago", 12))*hour/4
	if odds(d, "not yet", 3) {
		t = now + 1
	}
	return &t
}

// back is another location to come back to, or nil.
func back(d Dice, a *model.Account) *ID {
	if !odds(d, "back elsewhere", 20) {
		return nil
	}
	id := pick(d, "location", locations(a)).ID
	return &id
}

func createOrder(d Dice, a *model.Account, now int64) order.CreateOrder {
	o := order.CreateOrder{
		OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: location(d, a), Return: back(d, a)}}
	if odds(d, "draft", 25) {
		o.Status = order.OrderDraft
	}
	o.AllowOverbooked = odds(d, "overbook", 25)
	o.Lines = lines(d, a, now, nil)
	return o
}

// lines draws lines, which begin soon.
func lines(d Dice, a *model.Account, now int64, of *model.Order) (list []order.OrderLineInput) {
	for range 1 + d.N("more lines", 5)/3 {
		w := Window(d, a, now)
		if odds(d, "soon", 50) {
			length := w.End - w.Start
			w.Start = now/hour*hour + int64(d.N("soon", 4)-1)*hour
			if w.End != base.Forever {
				w.End = w.Start + min(length, 12*hour)
			}
		}
		price := int64(d.N("price", 5000))
		l := order.OrderLineInput{Item: item(d, a), Purchase: base.PurchaseBooking, Quantity: 1 + d.N("quantity", 6)/4,
			From: &w.Start, UnitPrice: &price}
		if len(a.Attributes) > 0 && odds(d, "requirements", 35) {
			l.Requirements = requirements(d, a)
		}
		if odds(d, "taxed", 30) {
			rate := 1900
			l.TaxRate = &rate
		}
		switch k := d.N("purchase", 10); {
		case k == 0:
			l.Purchase = base.PurchaseSale
			if odds(d, "now", 30) {
				l.From = nil
			}
		case k < 3:
			l.Purchase, l.Subscription = base.PurchaseSubscription, terms(d)
			if w.End != base.Forever {
				l.To = &w.End
			}
		default:
			if w.End != base.Forever && !odds(d, "without end", 8) {
				l.To = &w.End
			}
		}
		if len(a.Tables) > 0 {
			if l.PricingRow = rowFor(d, a, l.Purchase); l.PricingRow != nil {
				if l.UnitPrice = nil; odds(d, "terms of the row", 70) && *l.PricingRow != nobody {
					l.Subscription = nil
				}
			}
		}
		if of != nil && len(of.Lines) > 0 && odds(d, "add-on", 20) {
			id := pick(d, "line", of.Lines).ID
			l.AddonOf = &id
		}
		list = append(list, l)
	}
	return list
}

func terms(d Dice) *commerce.SubscriptionTerms {
	t := &commerce.SubscriptionTerms{
		Cycle: commerce.Period{Amount: 1 + int64(d.N("cycle", 4)),
			Unit: pick(d, "unit", []timeline.Unit{timeline.Hours, timeline.Hours, timeline.Days, timeline.Months})},
		RenewalType: commerce.DefaultRenewalType, InitialCharge: commerce.DefaultInitialCharge,
	}
	if odds(d, "committed", 40) {
		n := int64(1 + d.N("cycles", 3))
		t.CommitmentCycles = &n
	}
	if odds(d, "notice", 30) {
		t.CancellationLead = &commerce.Period{Amount: 1 + int64(d.N("notice", 3)), Unit: timeline.Hours}
	}
	return t
}

func patchLine(d Dice, a *model.Account, now int64, o *model.Order) order.PatchOrderLine {
	l := pick(d, "line", o.Lines)
	p := order.PatchOrderLine{Order: o.ID, ID: l.ID, AllowOverbooked: odds(d, "overbook", 20),
		IfMatch: revision(d, a, o)}
	if len(a.Tables) > 0 && odds(d, "no line", 2) {
		p.ID = nobody
	}
	var to order.OrderLineInput
	var null []string
	end := func() {
		switch {
		case l.Purchase == base.PurchaseSale, odds(d, "open", 15):
			null = []string{"endDate"}
		case l.Window.End != base.Forever && odds(d, "by some hours", 70):
			to.To = new(l.Window.End + int64(d.N("hours", 9)-3)*hour)
		default:
			to.To = new(instant(d, a, now))
		}
	}
	if len(a.Tables) > 0 && odds(d, "nothing new", 15) {
		p.Fields = nothingNew(d, l)
		return p
	}
	if o.Status == order.OrderActive {
		end()
		p.Fields = base.Changed(to, null...)
		return p
	}
	switch d.N("patch", 6) {
	case 0, 1:
		end()
	case 2:
		to.From = new(instant(d, a, now))
		if odds(d, "end, too", 70) && l.Purchase != base.PurchaseSale {
			to.To = new(*to.From + pick(d, "hours", lengths)*hour)
		}
	case 3, 4:
		to.Quantity = 1 + d.N("quantity", 4)
		if odds(d, "end, too", 20) {
			end()
		}
	case 5:
		if len(a.Tables) > 0 && odds(d, "by row", 60) {
			p.Fields = reprice(d, a, &l)
			return p
		}
		to.UnitPrice = new(int64(d.N("price", 5000)))
	}
	p.Fields = base.Changed(to, null...)
	return p
}

// nothingNew is a change of a line that says what is so already, or not much else.
func nothingNew(d Dice, l model.OrderLine) base.Changes[order.OrderLineInput] {
	var to order.OrderLineInput
	switch d.N("as it is", 5) {
	case 0:
		to.Quantity = l.Quantity
	case 1:
		to.From = &l.Window.Start
	case 2:
		if l.Own {
			to.UnitPrice = &l.Price
		}
	case 3:
		to.TaxRate = new(int(l.TaxRate))
	}
	if odds(d, "note", 60) {
		to.Note = new(pick(d, "words", []string{"", "by the door"}))
	}
	return base.Changed(to)
}

func discountCommand(d Dice, a *model.Account, now int64) base.Op {
	if odds(d, "another currency", 3) {
		return base.PatchAccount{
			Fields: base.Changed(base.AccountFields{Currency: pick(d, "currency", []string{"EUR", "JPY"})})}
	}
	if len(a.Codes) == 0 || len(a.Codes) < maxCodes && odds(d, "another code", 30) {
		x := commerce.DiscountTerms{
			Code: fmt.Sprintf("Code%d", len(a.Codes)+1),
			ValueType: pick(d, "type", []commerce.DiscountType{commerce.DiscountPercentage, commerce.DiscountPerOrder,
				commerce.DiscountPerItem}),
			Value: 1 + int64(d.N("off", 100)),
		}
		if x.ValueType != commerce.DiscountPercentage {
			x.Value *= 30
		}
		switch x.Value % 4 {
		case 0:
			x.Duration = commerce.DiscountForever
		case 1, 2:
			n := x.Value % 4
			x.Duration, x.Cycles = commerce.DiscountRepeating, &n
		}
		if odds(d, "bookings alone", 30) {
			x.Purchases = []base.PurchaseType{base.PurchaseBooking}
		}
		if odds(d, "limited", 50) {
			n := int64(1 + d.N("uses", 2))
			x.UsageLimit = &n
		}
		if odds(d, "ends", 20) {
			t := now + int64(d.N("hours", 20))*hour
			x.EndsAt = &t
		}
		return commerce.CreateDiscountCode{DiscountTerms: x}
	}
	o, code := likely(d, a, 52), pick(d, "code", a.Codes).Code
	if odds(d, "other case", 20) {
		code = "c" + code[1:]
	}
	if odds(d, "unknown", 5) {
		code = "none"
	}
	if len(o.Codes) > 0 && odds(d, "off again", 30) {
		x := order.RemoveDiscount{Order: o.ID, Code: pick(d, "code", o.Codes).Terms.Code, IfMatch: revision(d, a, o)}
		if len(a.Tables) > 0 && odds(d, "unknown", 5) {
			x.Code = "none"
		}
		return x
	}
	return order.ApplyDiscount{Order: o.ID, Code: code}
}
