package workload

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/fuzz/model"
)

// This file owns random commands on units that leave their place for another: plans that count on their arrival there,
// and arrivals that come at another instant after that, or not at all.

// leaveCommand draws a command that makes a unit leave, counts on its arrival, or changes when and whether it leaves.
func leaveCommand(d Dice, a *model.Account, now int64) base.Op {
	leaving := slices.DeleteFunc(slices.Clone(a.Orders), func(o *model.Order) bool {
		return o.Return == o.Pickup || len(o.Lines) == 0 || o.Status == order.OrderClosed ||
			o.Lines[0].Window.End == base.Forever
	})
	kind := d.N("leaving command", 22)
	if kind >= 20 {
		return leavingHold(d, a, now)
	}
	if len(leaving) == 0 || kind < 5 && len(a.Orders) < maxOrders {
		o := createOrder(d, a, now)
		o.Status, o.Return = order.OrderOpen, new(pick(d, "away", locations(a)).ID)
		from := now/hour*hour + int64(d.N("soon", 6))*hour/2
		to := from + int64(1+d.N("hours", 4))*hour
		l := &o.Lines[0]
		l.Purchase, l.From, l.To, l.Subscription = base.PurchaseBooking, &from, &to, nil
		return o
	}
	o := pick(d, "leaving order", leaving)
	l, article := &o.Lines[0], favourite(d, "article", a.Articles).ID
	behind := l.Window.End + int64(d.N("half hours behind", 12))*hour/2
	switch {
	case kind < 7:
		return stock.DecreaseQuantity{Article: article, Location: o.Return, Amount: 1, From: &behind,
			Force: odds(d, "force", 30)}
	case kind < 9:
		return stock.TransferQuantity{Article: article, From: o.Return, To: o.Pickup, Amount: 1, At: &behind}
	case kind < 11 && len(a.Orders) < maxOrders:
		to := behind + int64(1+d.N("hours", 4))*hour
		next := createOrder(d, a, now)
		next.Status, next.Pickup, next.Return = order.OrderOpen, o.Return, &o.Pickup
		line := &next.Lines[0]
		line.Item, line.Purchase, line.From, line.To, line.Subscription = l.Item, base.PurchaseBooking, &behind, &to,
			nil
		return next
	case kind < 16:
		price := int64(100)
		end := max(l.Window.Start, l.Window.End+int64(d.N("half hours", 12)-5)*hour/2)
		return order.PatchOrderLine{Order: o.ID, ID: l.ID, AllowOverbooked: odds(d, "overbook", 25),
			Fields: base.Changed(order.OrderLineInput{To: &end, UnitPrice: &price})}
	case kind < 17:
		followed := slices.DeleteFunc(slices.Clone(leaving), func(o *model.Order) bool {
			return !slices.ContainsFunc(leaving, func(n *model.Order) bool {
				return n.Pickup == o.Return && n.Lines[0].Window.Start >= o.Lines[0].Window.End
			})
		})
		if len(followed) > 0 { // what it brings another one may take on
			o = pick(d, "followed order", followed)
		}
		if odds(d, "delete", 50) {
			return order.DeleteOrder{ID: o.ID}
		}
		return order.CancelOrder{ID: o.ID}
	case kind < 18:
		return order.FulfillOrder{ID: o.ID}
	case kind < 19:
		return order.ReturnOrder{ID: o.ID}
	}
	return patchOrder(d, a, o)
}

// leavingHold draws a hold of which a line leaves for another place, or other dates or another quantity of one.
func leavingHold(d Dice, a *model.Account, now int64) base.Op {
	var leaving []*model.Hold
	for _, h := range a.Holds {
		if h.Status == hold.Held &&
			slices.ContainsFunc(h.Lines, func(l model.Line) bool { return l.Return != l.Location }) {
			leaving = append(leaving, h)
		}
	}
	if len(leaving) == 0 || odds(d, "another hold", 40) {
		o := placeHold(d, a, now)
		l := &o.Lines[0]
		from := now/hour*hour + int64(d.N("soon", 6))*hour/2
		l.Window, l.Purchase = base.Span{Start: from, End: from + int64(1+d.N("hours", 4))*hour}, base.PurchaseBooking
		l.Return = pick(d, "away", locations(a)).ID
		return o
	}
	h := pick(d, "leaving hold", leaving)
	if odds(d, "any change", 30) {
		return changeHold(d, a, now, h)
	}
	i := slices.IndexFunc(h.Lines, func(l model.Line) bool { return l.Return != l.Location })
	x := hold.HoldLineChange{Line: i}
	if end := h.Lines[i].Window.End + int64(d.N("half hours", 12)-5)*hour/2; odds(d, "other end", 70) {
		x.To = &end
	} else {
		x.Quantity = new(h.Lines[i].Quantity + 1)
	}
	return hold.ChangeHold{ID: h.ID, Change: []hold.HoldLineChange{x}, AllowPast: true}
}
