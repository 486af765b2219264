package bench

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the commands that are as heavy as the interface allows, and what another account waits for its
// bookings while one account sends them.

// heavy is an account that sends heavy commands, and another that books beside it.
type heavy struct {
	engine        *engine.Engine
	now           func() int64
	account       base.ID
	location, sku base.ID
	hook          base.ID // told of orders while it is enabled
	beside        base.ID // the other account
	besideSKU     base.ID
	besideAt      base.ID
	key           uint64 // idempotency keys so far
	booked        int64
}

const (
	heavyUnits = 10_000 // the most that a command takes
	heavyLines = 1_000
	heavyRows  = 100_000 // the most that a batch makes
	heavyTags  = 10_000  // customers under one tag
)

// heavyCommand is one of them. Before is what leads up to it and After what takes it back; neither is measured.
type heavyCommand struct {
	Name   string
	Before func() error
	Do     func() error
	After  func() error
	Once   bool // it leaves much behind, and is done one time
}

// newHeavy makes both accounts in an engine.
func newHeavy(e *engine.Engine, now func() int64) (*heavy, error) {
	h := &heavy{engine: e, now: now}
	for n, id := range [...]*base.ID{&h.account, &h.beside} {
		binary.BigEndian.PutUint64(id[:], uint64(now())<<16|0x7000)
		id[8], id[15] = 0x80, byte(n)+1
		if _, err := h.do(*id, base.CreateAccount{AccountFields: base.AccountFields{Name: "Heavy"}}); err != nil {
			return nil, err
		}
		at, err := h.do(*id, stock.CreateLocation{LocationFields: stock.LocationFields{Name: "Here", Timezone: "UTC"}})
		if err != nil {
			return nil, err
		}
		sku, err := h.do(*id, stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Chair"}})
		if err != nil {
			return nil, err
		}
		location, chair, from := at.(*stock.Location).ID, sku.(*stock.SKU).ID, now()
		if _, err := h.do(*id, stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Chair", SKU: &chair},
			Quantities: []stock.InitialQuantity{{Location: location, Count: heavyUnits, From: &from}}}); err != nil {
			return nil, err
		}
		if n == 0 {
			h.location, h.sku = location, chair
		} else {
			h.besideAt, h.besideSKU = location, chair
		}
	}
	w, err := h.do(h.account, outbox.CreateWebhook{EventType: base.OrderUpdated, APIVersion: "2025-06",
		WebhookFields: outbox.WebhookFields{URL: "https://example.com/"},
		Secret:        "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="})
	if err != nil {
		return nil, err
	}
	h.hook = w.(*outbox.Webhook).ID
	_, err = h.do(h.account, outbox.DisableWebhook{ID: h.hook})
	return h, err
}

func (h *heavy) do(account base.ID, op base.Op) (any, error) {
	r, err := h.engine.Do(engine.Command{Account: account, Actor: "bench", Op: op})
	return r.Record, err
}

func (h *heavy) window(days int64) timeline.Span {
	from := h.now() + days*24*timeline.Hour
	return timeline.Span{Start: from, End: from + 24*timeline.Hour}
}

func (h *heavy) hold(lines int) hold.PlaceHold {
	o := hold.PlaceHold{}
	for range lines {
		o.Lines = append(o.Lines, hold.HoldLineInput{Item: base.Item{SKU: h.sku}, Location: h.location,
			Window: h.window(7), Quantity: heavyUnits / lines})
	}
	return o
}

func (h *heavy) order(status order.OrderStatus) order.CreateOrder {
	w, price := h.window(7), int64(100)
	return order.CreateOrder{OrderInput: order.OrderInput{Status: status, Pickup: h.location},
		Lines: []order.OrderLineInput{{
			Item: base.Item{SKU: h.sku}, Purchase: base.PurchaseBooking, Quantity: heavyUnits, From: &w.Start,
			To:        &w.End,
			UnitPrice: &price,
		}}}
}

// commands are all of them.
func (h *heavy) commands() []heavyCommand {
	var id base.ID // of the record that is there now
	keep := func(r any, err error) error {
		switch r := r.(type) {
		case *hold.Hold:
			id = r.ID
		case *order.OrderRecord:
			id = r.ID
		}
		return err
	}
	op := func(make func() base.Op) func() error {
		return func() error { return keep(h.do(h.account, make())) }
	}
	keyed := func(make func() base.Op) func() error {
		return func() error {
			h.key++
			k := &engine.Idempotency{}
			binary.BigEndian.PutUint64(k.Key[:], h.key)
			r, err := h.engine.Do(engine.Command{Account: h.account, Actor: "bench", Op: make(), Idem: k})
			return keep(r.Record, err)
		}
	}
	again := func() error {
		k := &engine.Idempotency{}
		binary.BigEndian.PutUint64(k.Key[:], h.key)
		_, err := h.engine.Do(engine.Command{Account: h.account, Actor: "bench", Op: h.order(order.OrderOpen), Idem: k})
		return err
	}
	both := func(list ...func() error) func() error {
		return func() error {
			for _, f := range list {
				if err := f(); err != nil {
					return err
				}
			}
			return nil
		}
	}
	made := func() base.Op { return h.hold(1) }
	lines := func() base.Op { return h.hold(heavyLines) }
	placed := func() base.Op { return h.order(order.OrderOpen) }
	draft := func() base.Op { return h.order(order.OrderDraft) }
	overbooked := func() base.Op {
		o := h.order(order.OrderOpen)
		o.AllowOverbooked = true
		return o
	}
	confirm := func() base.Op { return order.ConfirmOrder{ID: id} }
	release := op(func() base.Op { return hold.ReleaseHold{ID: id} })
	comment := op(func() base.Op { return order.AddComment{Order: id, Content: "ready"} })
	cancel := op(func() base.Op { return order.CancelOrder{ID: id} })
	hooked := op(func() base.Op { return outbox.EnableWebhook{ID: h.hook} })
	unhooked := op(func() base.Op { return outbox.DisableWebhook{ID: h.hook} })
	var first base.ID
	return []heavyCommand{
		{Name: "nothing", Do: func() error { time.Sleep(50 * time.Millisecond); return nil }},
		{Name: "hold of 10,000", Do: op(made), After: release},
		{Name: "hold of 10,000, keyed", Do: keyed(made), After: release},
		{Name: "hold of 1,000 lines", Do: op(lines), After: release},
		{Name: "release of 10,000", Before: op(made), Do: release},
		{Name: "order of 10,000", Do: op(placed), After: cancel},
		{Name: "order of 10,000, keyed", Do: keyed(placed), After: cancel},
		{Name: "repeat of it", Before: keyed(placed), Do: again, After: cancel},
		{Name: "order of 10,000 confirmed, webhook", Before: both(op(draft), hooked), Do: op(confirm),
			After: both(unhooked, cancel)},
		{Name: "comment on it", Before: op(placed), Do: comment, After: cancel},
		{Name: "comment on it, webhook", Before: both(op(placed), hooked), Do: comment, After: both(unhooked, cancel)},
		{Name: "order of 10,000 cancelled", Before: op(placed), Do: cancel},
		{Name: "order of 10,000, overbooked", Before: func() error {
			err := op(made)()
			first = id
			return err
		}, Do: op(overbooked), After: func() error {
			if err := cancel(); err != nil {
				return err
			}
			id = first
			return release()
		}},
		{Name: "import of 100,000 SKUs", Once: true, Do: func() error {
			var b engine.Batch
			for i := range heavyRows {
				b.Rows = append(b.Rows, stock.CreateSKU{SKUFields: stock.SKUFields{Name: fmt.Sprint("SKU ", i)}})
			}
			_, err := h.do(h.account, b)
			return err
		}},
		{Name: "tag of 10,000 customers deleted", Once: true, Before: func() error {
			r, err := h.do(h.account,
				label.CreateTag{TagFields: label.TagFields{Value: "all", Scope: label.TagCustomers}})
			if err != nil {
				return err
			}
			id = r.(*label.Tag).ID
			var b engine.Batch
			for i := range heavyTags {
				b.Rows = append(b.Rows, commerce.CreateCustomer{
					Contact: base.Changed(commerce.Contact{FirstName: new(fmt.Sprint("Customer ", i))}),
					Labels:  label.LabelsPatch{Tags: base.Some([]base.ID{id})},
				})
			}
			_, err = h.do(h.account, b)
			return err
		}, Do: op(func() base.Op { return label.DeleteTag{ID: id} })},
	}
}

// waits does a command again and again, and says how long each booking of the other account took while it was done.
func (h *heavy) waits(c heavyCommand, times int) (waits []time.Duration, err error) {
	if c.Once {
		times = 1
	}
	for range times {
		if c.Before != nil {
			if err := c.Before(); err != nil {
				return nil, err
			}
		}
		time.Sleep(20 * time.Millisecond) // what came before is synced and folded meanwhile
		stop, done := make(chan struct{}), make(chan error)
		go func() {
			for {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				w := h.window(h.booked % 300)
				h.booked++
				start := time.Now()
				_, err := h.do(h.beside, hold.PlaceHold{Lines: []hold.HoldLineInput{{
					Item: base.Item{SKU: h.besideSKU}, Location: h.besideAt, Window: w, Quantity: 1,
				}}})
				if err != nil {
					done <- err
					return
				}
				waits = append(waits, time.Since(start))
				time.Sleep(time.Millisecond)
			}
		}()
		err := c.Do()
		time.Sleep(5 * time.Millisecond)
		close(stop)
		if other := <-done; err == nil {
			err = other
		}
		if err == nil && c.After != nil {
			err = c.After()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return waits, nil
}

// BenchmarkHeavy prints what another account's bookings wait under each heavy command, in ms.
func BenchmarkHeavy(b *testing.B) {
	w, err := empty(0.001)
	require.NoError(b, err)
	defer func() { require.NoError(b, w.Close()) }()
	h, err := newHeavy(w.Engine, w.Now)
	require.NoError(b, err)
	for _, c := range h.commands() {
		b.Run(c.Name, func(b *testing.B) {
			var waits []time.Duration
			for b.Loop() {
				more, err := h.waits(c, 1)
				require.NoError(b, err)
				waits = append(waits, more...)
				w.Settle()
			}
			slices.Sort(waits)
			b.ReportMetric(float64(waits[len(waits)*99/100])/1e6, "p99-ms")
			b.ReportMetric(float64(waits[len(waits)-1])/1e6, "max-ms")
			b.ReportMetric(float64(waits[len(waits)/2])/1e6, "p50-ms")
		})
	}
}
