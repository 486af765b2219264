package bench

import (
	"fmt"
	"strconv"
	"time"

	"holdfast/bench/dataset"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns what orders cost in memory.

var orderHeapTarget = AtMost(1024, "B")

// heapPerOrder gives the live heap of an engine that was opened from disk with orders of one line and one unit, each of
// one of a thousand customers, in a directory of their own: a million at scale 1. They are drafts, so that holds are
// apart: those take as much as any. An engine without the orders is taken off.
func heapPerOrder(scale float64) (r Result, err error) {
	w, err := empty(scale)
	if err != nil {
		return r, err
	}
	defer w.Close()
	w.Set = nil // the engine's is measured
	shop, err := newOrderShop(w)
	if err != nil {
		return r, err
	}
	bare, err := w.heap()
	if err != nil {
		return r, err
	}
	n := max(1_000, int(1_000_000*scale))
	p := dataset.NewPipeline(w.Engine, shop.account)
	for i := range n {
		p.Submit(shop.draft(i))
	}
	if err := p.Flush(); err != nil {
		return r, err
	}
	used, err := w.heap()
	if err != nil {
		return r, err
	}
	r = Judge(float64(used-bare)/float64(n), orderHeapTarget)
	page := func(q order.OrderQuery) time.Duration {
		v, _ := w.Engine.View(shop.account)
		q.Active, q.Limit = true, 50
		start := time.Now()
		const calls = 100
		for range calls {
			order.ListOrders(v, &q)
		}
		return time.Since(start) / calls
	}
	r.Note = fmt.Sprintf(
		"%d orders, opened from disk, holds apart; a page of the list of all in %v, one from the middle in %v",
		n, page(order.OrderQuery{}).Round(time.Microsecond), page(order.OrderQuery{Offset: n / 2}).
			Round(time.Microsecond))
	return r, nil
}

// orderShop is a merchant with one article, for orders in a row.
type orderShop struct {
	account, location, sku base.ID
	customers              []base.ID
}

func newOrderShop(w *World) (*orderShop, error) {
	s := &orderShop{account: base.NewID(dataset.Epoch, base.BaseOf([10]byte{1}))}
	do := func(op base.Op) (any, error) {
		r, err := w.Engine.Do(engine.Command{Account: s.account, Actor: "bench", Op: op})
		return r.Record, err
	}
	if _, err := do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Orders"}}); err != nil {
		return nil, err
	}
	location, err :=
		do(stock.CreateLocation{LocationFields: stock.LocationFields{Name: "Lisbon", Timezone: "Europe/Lisbon"}})
	if err != nil {
		return nil, err
	}
	sku, err := do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Mountain bike"}})
	if err != nil {
		return nil, err
	}
	s.location, s.sku = location.(*stock.Location).ID, sku.(*stock.SKU).ID
	for i := range 1_000 {
		c, err := do(commerce.CreateCustomer{
			Contact: base.Changed(commerce.Contact{FullName: new("Customer " + strconv.Itoa(i))})})
		if err != nil {
			return nil, err
		}
		s.customers = append(s.customers, c.(*commerce.Customer).ID)
	}
	return s, nil
}

func (s *orderShop) draft(i int) order.CreateOrder {
	from := dataset.Epoch + int64(i%10_000)*60_000
	to, price := from+86_400_000, int64(4_500)
	return order.CreateOrder{
		OrderInput: order.OrderInput{Pickup: s.location, Customer: &s.customers[i%len(s.customers)]},
		Lines: []order.OrderLineInput{{
			Item: base.Item{SKU: s.sku}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from, To: &to,
			UnitPrice: &price,
		}},
	}
}
