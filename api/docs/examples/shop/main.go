package main

import (
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"time"
)

// This file owns the story: each step is one function, and the page shop.md shows it.

type object = map[string]any

// shop is what one step leaves to the next.
type shop struct {
	*client
	hooks                              *receiver
	from, to                           time.Time
	location, sku, item, row, customer string
	hold                               string
	order                              order
}

// order is the part of an order that the story needs.
type order struct {
	ID               string
	Number           int
	Status           string
	FulfillmentState string
	CapturedTotal    int
	Pricing          struct{ Total int }
}

func main() {
	address := flag.String("url", "http://127.0.0.1:8080", "the server")
	key := flag.String("key", os.Getenv("HOLDFAST_KEY"), "a key with full access; default: HOLDFAST_KEY")
	authority := flag.String("authority", "",
		"write the receiver's certificate here, for serve --webhook-ca, and do nothing else")
	flag.Parse()
	hooks := newReceiver()
	defer hooks.server.Close()
	if *authority != "" {
		exitOn(hooks.writeAuthority(*authority))
		return
	}
	now := time.Now()
	tomorrow := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	s := &shop{
		client: &client{url: *address + "/v1/admin", key: *key, run: strconv.FormatInt(now.UnixNano(), 36)},
		hooks:  hooks,
		from:   tomorrow.Add(9 * time.Hour), to: tomorrow.Add(48*time.Hour + 17*time.Hour),
	}
	for _, step := range []func() error{s.stock, s.listen, s.calendar, s.quote, s.cart, s.refusal, s.checkout, s.pay,
		s.handOver, s.takeBack} {
		exitOn(step())
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

// stock: a place, a kind of bike with two hours of cleaning behind each booking, two bikes of it, a price by the day,
// an offer, a customer.
func (s *shop) stock() error {
	var location, sku, table, row, item, customer made
	err := errors.Join(
		s.ask("POST", "/locations", object{"name": "Harbour", "timezone": "Europe/Lisbon"}, &location),
		s.ask("POST", "/skus", object{"name": "Cargo bike", "bufferTimeAmountAfter": 2, "bufferTimeUnitAfter": "hours"},
			&sku),
		s.ask("POST", "/pricing-tables/pricing-table", object{"name": "Cargo bikes"}, &table),
		s.ask("POST", "/customers", object{"firstName": "Ana", "lastName": "Silva", "email": "ana@example.com"},
			&customer))
	for _, name := range []string{"Cargo bike 1", "Cargo bike 2"} {
		err = errors.Join(err, s.ask("POST", "/articles", object{"name": name, "skuId": sku.ID, "quantities": []object{
			{"serviceLocationId": location.ID, "count": 1, "from": "2025-01-01T00:00:00Z"},
		}}, nil))
	}
	err = errors.Join(err,
		s.ask("POST", "/pricing-tables/pricing-table/"+table.ID+"/pricing-row",
			object{"label": "Day", "purchaseType": "booking", "price": 4500, "durationAmount": 1,
				"durationUnit": "days"}, &row),
		s.ask("POST", "/catalog",
			object{"name": "Cargo bike", "status": "active", "pricingTableId": table.ID,
				"components": []object{{"skuId": sku.ID}}}, &item))
	s.location, s.sku, s.row, s.item, s.customer = location.ID, sku.ID, row.ID, item.ID, customer.ID
	return err
}

// listen: have every change of an order told to the receiver. The secret is in this answer alone.
func (s *shop) listen() error {
	var hook struct{ ID, Secret string }
	if err := s.ask("POST", "/webhooks", object{"eventType": "order.updated", "url": s.hooks.server.URL + "/holdfast"},
		&hook); err != nil {
		return err
	}
	s.hooks.setSecret(hook.Secret)
	return nil
}

// calendar: which days have a bike?
func (s *shop) calendar() error {
	var days struct {
		Buckets []struct {
			Range     struct{ Start string }
			Available int
		}
	}
	query := url.Values{"catalogItemId": {s.item}, "serviceLocationId": {s.location}, "bucket": {"day"},
		"from": {s.from.Format(time.RFC3339)}, "to": {s.to.AddDate(0, 0, 4).Format(time.RFC3339)}}
	if err := s.ask("GET", "/availability/calendar?"+query.Encode(), nil, &days); err != nil {
		return err
	}
	fmt.Printf("calendar: %d days, %d bikes on the first\n", len(days.Buckets), days.Buckets[0].Available)

	// The chosen window itself, with the cleaning that a booking brings: this is what can be promised.
	var free struct{ Available int }
	query.Del("bucket")
	query.Set("to", s.to.Format(time.RFC3339))
	if err := s.ask("GET", "/availability?"+query.Encode(), nil, &free); err != nil {
		return err
	}
	fmt.Printf("window: %d bikes\n", free.Available)
	return nil
}

// line is what the customer wants.
func (s *shop) line() object {
	return object{"catalogItemId": s.item, "purchaseType": "booking", "quantity": 2, "pricingRowId": s.row,
		"startDate": s.from, "endDate": s.to}
}

// quote: the server prices the cart and stores nothing.
func (s *shop) quote() error {
	var quote struct{ Pricing struct{ Total int } }
	err := s.ask("POST", "/quotes", object{"pickupLocationId": s.location, "lineItems": []object{s.line()}}, &quote)
	fmt.Printf("quote: %d cents\n", quote.Pricing.Total)
	return err
}

// cart: two bikes are this customer's for ten minutes.
func (s *shop) cart() error {
	var hold struct{ ID, ExpiresAt string }
	err := s.ask("POST", "/holds", object{"expiresInSeconds": 600, "lines": []object{
		{"catalogItemId": s.item, "serviceLocationId": s.location, "quantity": 2, "from": s.from, "to": s.to},
	}}, &hold)
	s.hold = hold.ID
	fmt.Println("cart: held")
	return err
}

// refusal: another customer asks for one more, and learns when there is one.
func (s *shop) refusal() error {
	err := s.ask("POST", "/holds", object{"lines": []object{
		{"catalogItemId": s.item, "serviceLocationId": s.location, "from": s.from, "to": s.to},
	}}, nil)
	var p *problem
	if !errors.As(err, &p) || p.Code != "INSUFFICIENT_AVAILABILITY" || p.Details.Lines[0].Next == nil {
		return fmt.Errorf("the hold should have been refused with the next window: %w", err)
	}
	fmt.Printf("refused: %s, %d free, next from %s\n", p.Code, p.Details.Lines[0].Available,
		p.Details.Lines[0].Next.From)
	return nil
}

// checkout: the cart becomes an order without a moment between, for its price.
func (s *shop) checkout() error {
	err := s.ask("POST", "/holds/"+s.hold+"/order", object{
		"customerId": s.customer, "reference": "WEB-1042", "heldLines": []object{{"line": 0, "pricingRowId": s.row}},
	}, &s.order)
	if err != nil {
		return err
	}
	fmt.Printf("order: %s, %d cents\n", s.order.Status, s.order.Pricing.Total)
	return nil
}

// pay: your payment provider charges; Holdfast records what it did.
func (s *shop) pay() error {
	err := s.ask("POST", "/orders/"+s.order.ID+"/payments",
		object{"kind": "capture", "amount": s.order.Pricing.Total, "method": "card", "reference": "pi_1042"}, nil)
	if err != nil {
		return err
	}
	return s.told("paid", func(o order) bool { return o.CapturedTotal == s.order.Pricing.Total })
}

// told waits for the event with the order as it is meant to be.
func (s *shop) told(what string, is func(order) bool) error {
	e, err := s.hooks.await(func(e event) bool { return e.Data.ID == s.order.ID && is(e.Data) })
	if err != nil {
		return err
	}
	fmt.Printf("webhook: %s, verified: the order is %s and %s\n", e.EventType, what, e.Data.Status)
	return nil
}

// handOver: the bikes lie ready, then the customer has them.
func (s *shop) handOver() error {
	if err := s.ask("POST", "/orders/"+s.order.ID+"/prepare", object{}, nil); err != nil {
		return err
	}
	if err := s.ask("POST", "/orders/"+s.order.ID+"/fulfill", object{}, &s.order); err != nil {
		return err
	}
	fmt.Printf("handed over: %s\n", s.order.FulfillmentState)
	return s.told("handed over", func(o order) bool { return o.Status == "active" })
}

// takeBack: the bikes are back early, and free again behind their cleaning.
func (s *shop) takeBack() error {
	if err := s.ask("POST", "/orders/"+s.order.ID+"/return", object{}, &s.order); err != nil {
		return err
	}
	fmt.Printf("returned: %s, %s\n", s.order.FulfillmentState, s.order.Status)
	if err := s.told("back", func(o order) bool { return o.Status == "closed" }); err != nil {
		return err
	}
	var free struct{ Available int }
	query := url.Values{"catalogItemId": {s.item}, "serviceLocationId": {s.location},
		"from": {s.from.Format(time.RFC3339)}, "to": {s.to.Format(time.RFC3339)}}
	if err := s.ask("GET", "/availability?"+query.Encode(), nil, &free); err != nil {
		return err
	}
	fmt.Printf("free again: %d bikes\n", free.Available)
	return nil
}
