package bench

import (
	"encoding/binary"
	"fmt"
	"time"

	"holdfast/engine"
	"holdfast/timeline"
)

// This file owns the commands that are as heavy as the interface allows, and what another account waits for its bookings while
// one account sends them.

// Heavy is an account that sends heavy commands, and another that books beside it.
type Heavy struct {
	engine        *engine.Engine
	now           func() int64
	account       engine.ID
	location, sku engine.ID
	hook          engine.ID // told of orders while it is enabled
	beside        engine.ID // the other account
	besideSKU     engine.ID
	besideAt      engine.ID
	key           uint64 // idempotency keys so far
	booked        int64
}

const (
	heavyUnits = 10_000 // the most that a command takes
	heavyLines = 1_000
	heavyRows  = 100_000 // the most that a batch makes
	heavyTags  = 10_000  // customers under one tag
)

// HeavyCommand is one of them. Before is what leads up to it and After what takes it back; neither is measured.
type HeavyCommand struct {
	Name   string
	Before func() error
	Do     func() error
	After  func() error
	Once   bool // it leaves much behind, and is done one time
}

// NewHeavy makes both accounts in an engine.
func NewHeavy(e *engine.Engine, now func() int64) (*Heavy, error) {
	h := &Heavy{engine: e, now: now}
	for n, id := range [...]*engine.ID{&h.account, &h.beside} {
		binary.BigEndian.PutUint64(id[:], uint64(now())<<16|0x7000)
		id[8], id[15] = 0x80, byte(n)+1
		if _, err := h.do(*id, engine.CreateAccount{Name: "Heavy"}); err != nil {
			return nil, err
		}
		at, err := h.do(*id, engine.CreateLocation{Name: "Here", Timezone: "UTC"})
		if err != nil {
			return nil, err
		}
		sku, err := h.do(*id, engine.CreateSKU{Name: "Chair"})
		if err != nil {
			return nil, err
		}
		location, chair, from := at.(*engine.Location).ID, sku.(*engine.SKU).ID, now()
		if _, err := h.do(*id, engine.CreateArticle{
			Name: "Chair", SKU: &chair, Quantities: []engine.InitialQuantity{{Location: location, Count: heavyUnits, From: &from}},
		}); err != nil {
			return nil, err
		}
		if n == 0 {
			h.location, h.sku = location, chair
		} else {
			h.besideAt, h.besideSKU = location, chair
		}
	}
	w, err := h.do(h.account, engine.CreateWebhook{EventType: engine.OrderUpdated, URL: "https://example.com/", APIVersion: "2025-06", Secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="})
	if err != nil {
		return nil, err
	}
	h.hook = w.(*engine.Webhook).ID
	_, err = h.do(h.account, engine.DisableWebhook{ID: h.hook})
	return h, err
}

func (h *Heavy) do(account engine.ID, op engine.Op) (any, error) {
	r, err := h.engine.Do(engine.Command{Account: account, Actor: "bench", Op: op})
	return r.Record, err
}

func (h *Heavy) window(days int64) timeline.Span {
	from := h.now() + days*24*timeline.Hour
	return timeline.Span{Start: from, End: from + 24*timeline.Hour}
}

func (h *Heavy) hold(lines int) engine.PlaceHold {
	o := engine.PlaceHold{}
	for range lines {
		o.Lines = append(o.Lines, engine.HoldLineInput{Item: engine.Item{SKU: h.sku}, Location: h.location, Window: h.window(7), Quantity: heavyUnits / lines})
	}
	return o
}

func (h *Heavy) order(status engine.OrderStatus) engine.CreateOrder {
	w, price := h.window(7), int64(100)
	return engine.CreateOrder{OrderInput: engine.OrderInput{Status: status, Pickup: h.location}, Lines: []engine.OrderLineInput{{
		Item: engine.Item{SKU: h.sku}, Purchase: engine.PurchaseBooking, Quantity: heavyUnits, From: &w.Start, To: &w.End, UnitPrice: &price,
	}}}
}

// Commands are all of them.
func (h *Heavy) Commands() []HeavyCommand {
	var id engine.ID // of the record that is there now
	keep := func(r any, err error) error {
		switch r := r.(type) {
		case *engine.Hold:
			id = r.ID
		case *engine.OrderRecord:
			id = r.ID
		}
		return err
	}
	op := func(make func() engine.Op) func() error {
		return func() error { return keep(h.do(h.account, make())) }
	}
	keyed := func(make func() engine.Op) func() error {
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
		_, err := h.engine.Do(engine.Command{Account: h.account, Actor: "bench", Op: h.order(engine.OrderOpen), Idem: k})
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
	hold := func() engine.Op { return h.hold(1) }
	lines := func() engine.Op { return h.hold(heavyLines) }
	order := func() engine.Op { return h.order(engine.OrderOpen) }
	draft := func() engine.Op { return h.order(engine.OrderDraft) }
	overbooked := func() engine.Op {
		o := h.order(engine.OrderOpen)
		o.AllowOverbooked = true
		return o
	}
	confirm := func() engine.Op { return engine.ConfirmOrder{ID: id} }
	release := op(func() engine.Op { return engine.ReleaseHold{ID: id} })
	comment := op(func() engine.Op { return engine.AddComment{Order: id, Content: "ready"} })
	cancel := op(func() engine.Op { return engine.CancelOrder{ID: id} })
	hooked := op(func() engine.Op { return engine.EnableWebhook{ID: h.hook} })
	unhooked := op(func() engine.Op { return engine.DisableWebhook{ID: h.hook} })
	var first engine.ID
	return []HeavyCommand{
		{Name: "nothing", Do: func() error { time.Sleep(50 * time.Millisecond); return nil }},
		{Name: "hold of 10,000", Do: op(hold), After: release},
		{Name: "hold of 10,000, keyed", Do: keyed(hold), After: release},
		{Name: "hold of 1,000 lines", Do: op(lines), After: release},
		{Name: "release of 10,000", Before: op(hold), Do: release},
		{Name: "order of 10,000", Do: op(order), After: cancel},
		{Name: "order of 10,000, keyed", Do: keyed(order), After: cancel},
		{Name: "repeat of it", Before: keyed(order), Do: again, After: cancel},
		{Name: "order of 10,000 confirmed, webhook", Before: both(op(draft), hooked), Do: op(confirm), After: both(unhooked, cancel)},
		{Name: "comment on it", Before: op(order), Do: comment, After: cancel},
		{Name: "comment on it, webhook", Before: both(op(order), hooked), Do: comment, After: both(unhooked, cancel)},
		{Name: "order of 10,000 cancelled", Before: op(order), Do: cancel},
		{Name: "order of 10,000, overbooked", Before: func() error { err := op(hold)(); first = id; return err }, Do: op(overbooked), After: func() error {
			if err := cancel(); err != nil {
				return err
			}
			id = first
			return release()
		}},
		{Name: "import of 100,000 SKUs", Once: true, Do: func() error {
			var b engine.Batch
			for i := range heavyRows {
				b.Rows = append(b.Rows, engine.CreateSKU{Name: fmt.Sprint("SKU ", i)})
			}
			_, err := h.do(h.account, b)
			return err
		}},
		{Name: "tag of 10,000 customers deleted", Once: true, Before: func() error {
			r, err := h.do(h.account, engine.CreateTag{Value: "all", Scope: engine.TagCustomers})
			if err != nil {
				return err
			}
			id = r.(*engine.Tag).ID
			var b engine.Batch
			for i := range heavyTags {
				b.Rows = append(b.Rows, engine.CreateCustomer{
					Contact: engine.ContactPatch{FirstName: engine.Some(fmt.Sprint("Customer ", i))}, Labels: engine.LabelsPatch{Tags: engine.Some([]engine.ID{id})},
				})
			}
			_, err = h.do(h.account, b)
			return err
		}, Do: op(func() engine.Op { return engine.DeleteTag{ID: id} })},
	}
}

// Beside does a command again and again, and says how long each booking of the other account took while it was done.
func (h *Heavy) Beside(c HeavyCommand, times int) (waits []time.Duration, err error) {
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
				_, err := h.do(h.beside, engine.PlaceHold{Lines: []engine.HoldLineInput{{
					Item: engine.Item{SKU: h.besideSKU}, Location: h.besideAt, Window: w, Quantity: 1,
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
