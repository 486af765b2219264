package engine

import (
	"context"
	"fmt"
	"runtime"
	"runtime/pprof"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
)

// This file owns what heavy commands keep the writer for: its plan and its apply, without the disk and without anything
// beside it.

// desk is a writer that nothing runs: each command is planned and applied on the goroutine of the test.
type desk struct {
	testing.TB
	writer  *writer
	account base.ID
	loc     base.ID
	seed    uint64

	// of the last command
	set      []base.RowChange
	off, own time.Duration // how long its plan took off the writer, if it was made there, and the writer itself
	cpu      time.Duration // of both
	offCPU   time.Duration // of the former
}

func newDesk(tb testing.TB, payload func(version string, record any) []byte) *desk {
	d := &desk{TB: tb, account: base.MakeID(noon, base.Base{Lo: 1})}
	e := &Engine{
		now: func() int64 {
			return noon
		}, random: func() (b [10]byte) { d.seed++; b[6], b[7] = byte(d.seed>>8), byte(d.seed); return b },
		bounds: base.Bounds{}.WithDefaults(), queue: newQueue(16), step: defaultStep.Milliseconds(), payload: payload,
		called: newCalled(),
	}
	d.writer = newWriter(e, base.NewState())
	d.writer.state.At = noon
	e.current.Store(d.writer.state.Publish())
	d.do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental"}})
	d.loc = d.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Lisbon", Timezone: "UTC"}}).(*stock.Location).ID
	return d
}

// threadTime is the CPU time that the thread has used: what others do on the machine counts little in it.
func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if syscall.Getrusage(thread, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// try does a command as the writer does, and publishes what it has made, as each group does.
func (d *desk) try(op base.Op) (any, error) {
	require.Empty(d, base.FaultsIn(op), "%T", op)
	w := d.writer
	w.state.At++
	cmd := &Command{Account: d.account, Actor: "bench", Op: op,
		Idem: &Idempotency{Key: base.MakeID(w.state.At, base.Base{})}}
	if w.state.Accounts[d.account] != nil {
		cmd.searched = w.engine.foresee(cmd)
	}
	cpu := threadTime()
	began := time.Now()
	t, res, err := d.plan(cmd)
	if err != nil {
		return nil, err
	}
	w.apply(w.state.Account(cmd.Account), t)
	d.own, d.cpu = time.Since(began)-d.off, threadTime()-cpu
	d.set = t.Set
	w.open = new(group)
	d.writer.engine.current.Store(w.state.Publish())
	return res, nil
}

// plan has a command planned where the writer does.
func (d *desk) plan(cmd *Command) (t *base.Tx, res any, err error) {
	w := d.writer
	d.off, d.offCPU = 0, 0
	if a := w.state.Accounts[cmd.Account]; w.offloads(a, cmd) {
		t = w.begun(cmd, a.Publish())
		began, cpu := time.Now(), threadTime()
		res, err = w.engine.complete(t, cmd)
		d.off, d.offCPU = time.Since(began), threadTime()-cpu
		return t, res, err
	}
	return w.plan(cmd)
}

func (d *desk) do(op base.Op) any {
	d.Helper()
	res, err := d.try(op)
	require.NoError(d, err, "%T", op)
	return res
}

// chairs makes an article with units, and gives its SKU.
func (d *desk) chairs(units int) (sku, article base.ID) {
	sku = d.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Chair"}}).(*stock.SKU).ID
	from := noon - 1000*day
	return sku, d.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Chair", SKU: &sku},
		Quantities: []stock.InitialQuantity{{Location: d.loc, Count: units, From: &from}}}).(*stock.Article).ID
}

func (d *desk) order(status order.OrderStatus, sku base.ID, from, to int64, n int) order.CreateOrder {
	price := int64(100)
	return order.CreateOrder{OrderInput: order.OrderInput{Status: status, Pickup: d.loc},
		Lines: []order.OrderLineInput{{
			Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: n, From: &from, To: &to,
			UnitPrice: &price,
		}}}
}

// heavyStep is one command of the round that heavy commands make, with what leads up to it left out of the measure.
type heavyStep struct {
	name string
	op   func() base.Op
	keep func(any)
}

// heavyRound is every heavy command, each on what those before it have left; the last take back what the first made.
func (d *desk) heavyRound(units int) []heavyStep {
	sku, _ := d.chairs(units)
	_, many := d.chairs(units)
	for range 8 {
		d.do(stock.IncreaseQuantity{Article: many, Location: d.loc, Amount: units, From: new(noon - 1000*day)})
	}
	var id, line base.ID
	var all []base.ID
	of := func(r any) {
		switch r := r.(type) {
		case *hold.Hold:
			id = r.ID
		case *order.OrderRecord:
			id, all = r.ID, nil
			for i := range r.Lines {
				line = r.Lines[i].ID
				for _, u := range r.Lines[i].Units {
					all = append(all, u.ID)
				}
			}
		}
	}
	from, to := noon-day, noon+5*day // it is out for some days when it is handed over
	made := func() base.Op {
		return hold.PlaceHold{
			Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sku}, Location: d.loc,
				Window: base.Span{Start: noon + 7*day, End: noon + 8*day}, Quantity: units}}}
	}
	later := to + day
	content := "ready"
	at := noon + 100*day // an increase then calls the decrease off
	return []heavyStep{
		{"hold", made, of},
		{"its release", func() base.Op { return hold.ReleaseHold{ID: id} }, nil},
		{"order", func() base.Op { return d.order(order.OrderOpen, sku, from, to, units) }, of},
		{"comment", func() base.Op { return order.AddComment{Order: id, Content: content} }, nil},
		{"note", func() base.Op {
			content += "."
			return order.PatchOrder{ID: id, Fields: base.Changed(order.OrderInput{Note: &content})}
		}, nil},
		{"line's dates", func() base.Op {
			return order.PatchOrderLine{Order: id, ID: line,
				Fields: base.Changed(order.OrderLineInput{To: new(later), UnitPrice: new(int64(100))})}
		}, nil},
		{"prepare, named", func() base.Op { return order.PrepareOrder{ID: id, Units: all} }, nil},
		{"fulfill", func() base.Op { return order.FulfillOrder{ID: id} }, nil},
		{"return", func() base.Op { return order.ReturnOrder{ID: id} }, nil},
		{"deletion", func() base.Op { return order.DeleteOrder{ID: id} }, nil},
		{"order again", func() base.Op { return d.order(order.OrderOpen, sku, from, to, units) }, of},
		{"fulfill, named", func() base.Op { return order.FulfillOrder{ID: id, Units: all} }, nil},
		{"return, named", func() base.Op { return order.ReturnOrder{ID: id, Units: all} }, nil},
		{"deletion again", func() base.Op { return order.DeleteOrder{ID: id} }, nil},
		{"draft", func() base.Op { return d.order(order.OrderDraft, sku, from, to, units) }, of},
		{"its confirmation", func() base.Op { return order.ConfirmOrder{ID: id} }, nil},
		{"cancellation", func() base.Op { return order.CancelOrder{ID: id} }, nil},
		{"deletion of that", func() base.Op { return order.DeleteOrder{ID: id} }, nil},
		{"decrease", func() base.Op {
			return stock.DecreaseQuantity{Article: many, Location: d.loc, Amount: units, From: &at}
		}, nil},
		{"increase", func() base.Op {
			return stock.IncreaseQuantity{Article: many, Location: d.loc, Amount: units, From: &at}
		}, nil},
	}
}

// heavyLines is what else is heavy: many lines, overbooking, units that leave with holds on them, and many records at
// once.
func (d *desk) heavyLines(units int) []heavyStep {
	sku, _ := d.chairs(units)
	there := d.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Porto", Timezone: "UTC"}}).(*stock.Location).ID
	pooled, leaving := d.chairs(units)
	imported, _ := d.chairs(units) // its holds stay: some 300 of a round meet at an instant
	begun := noon - 1000*day
	d.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Stool", SKU: &pooled},
		Quantities: []stock.InitialQuantity{{Location: d.loc, Count: units, From: &begun}}})
	tag := d.do(label.CreateTag{TagFields: label.TagFields{Value: "all", Scope: label.TagCustomers}}).(*label.Tag).ID
	const lines = 1000
	week := base.Span{Start: noon + 7*day, End: noon + 8*day}
	var first, id, full base.ID
	of := func(to *base.ID) func(any) {
		return func(r any) {
			switch r := r.(type) {
			case *hold.Hold:
				*to = r.ID
			case *order.OrderRecord:
				*to = r.ID
			}
		}
	}
	made := func(sku base.ID, lines, each int) hold.PlaceHold {
		o := hold.PlaceHold{}
		for range lines {
			o.Lines = append(o.Lines,
				hold.HoldLineInput{Item: base.Item{SKU: sku}, Location: d.loc, Window: week, Quantity: each})
		}
		return o
	}
	placed := func(lines, each int) order.CreateOrder {
		o := d.order(order.OrderOpen, sku, week.Start, week.End, each)
		for range lines - 1 {
			o.Lines = append(o.Lines, o.Lines[0])
		}
		return o
	}
	free := func(at *base.ID) func() base.Op { return func() base.Op { return hold.ReleaseHold{ID: *at} } }
	return []heavyStep{
		{"hold, 1,000 lines", func() base.Op { return made(sku, lines, units/lines) }, of(&id)},
		{"release of that", free(&id), nil},
		{"order, 1,000 lines", func() base.Op { return placed(lines, units/lines) }, of(&id)},
		{"payment, lines", func() base.Op {
			return order.AddPayment{Order: id, Kind: order.Capture, Amount: 1}
		}, nil},
		{"note, lines", func() base.Op {
			return order.PatchOrder{ID: id, Fields: base.Changed(order.OrderInput{Note: ptr("a note")})}
		}, nil},
		{"fulfill, lines", func() base.Op { return order.FulfillOrder{ID: id} }, nil},
		{"return, lines", func() base.Op { return order.ReturnOrder{ID: id} }, nil},
		{"deletion, lines", func() base.Op { return order.DeleteOrder{ID: id} }, nil},
		{"hold of all", func() base.Op { return made(sku, 1, units) }, of(&full)},
		{"order, overbooked", func() base.Op { o := placed(1, units); o.AllowOverbooked = true; return o }, of(&id)},
		{"its cancellation", func() base.Op { return order.CancelOrder{ID: id} }, nil},
		{"order, overbooked 2", func() base.Op { o := placed(1, units); o.AllowOverbooked = true; return o },
			of(&first)},
		{"release beside it", free(&full), nil},
		{"deletion of the rest", func() base.Op { return order.DeleteOrder{ID: first} }, nil},
		{"hold that will move", func() base.Op { return made(pooled, 1, units) }, of(&id)},
		{"decrease with moves", func() base.Op {
			return stock.DecreaseQuantity{Article: leaving, Location: d.loc, Amount: units, From: &week.Start}
		}, nil},
		{"increase again", func() base.Op {
			return stock.IncreaseQuantity{Article: leaving, Location: d.loc, Amount: units, From: &week.Start}
		}, nil},
		{"release of moved", free(&id), nil},
		{"transfer", func() base.Op {
			return stock.TransferQuantity{Article: leaving, From: d.loc, To: there, Amount: units, At: &week.Start}
		}, nil},
		{"transfer back", func() base.Op {
			return stock.TransferQuantity{Article: leaving, From: there, To: d.loc, Amount: units, At: &week.Start}
		}, nil},
		{"import of customers", func() base.Op {
			var b Batch
			for range MaxBatch {
				b.Rows = append(b.Rows,
					commerce.CreateCustomer{Contact: base.Changed(commerce.Contact{FirstName: new("Ann")}),
						Labels: label.LabelsPatch{Tags: base.Some([]base.ID{tag})}})
			}
			return b
		}, nil},
		{"import of more", func() base.Op {
			var b Batch
			for range MaxBatch {
				b.Rows = append(b.Rows,
					commerce.CreateCustomer{Contact: base.Changed(commerce.Contact{FirstName: new("Ann")}),
						Labels: label.LabelsPatch{Tags: base.Some([]base.ID{tag})}})
			}
			return b
		}, nil},
		{"deletion of their tag", func() base.Op { return label.DeleteTag{ID: tag} }, func(any) {
			tag = d.do(label.CreateTag{
				TagFields: label.TagFields{Value: "all", Scope: label.TagCustomers}}).(*label.Tag).ID
		}},
		{"import of SKUs", func() base.Op {
			var b Batch
			for range MaxBatch {
				b.Rows = append(b.Rows, stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Chair"}})
			}
			return b
		}, nil},
		{"import of holds", func() base.Op {
			var b Batch
			for i := range MaxBatch {
				b.Rows = append(b.Rows, hold.PlaceHold{Lines: []hold.HoldLineInput{{
					Item: base.Item{SKU: imported}, Location: d.loc, Quantity: 1,
					Window: base.Span{Start: noon + int64(i)*day/100, End: noon + int64(i+300)*day/100},
				}}})
			}
			return b
		}, nil},
	}
}

// heavyTrips is every heavy command on units that come back elsewhere, each a transfer of its own, while others are
// booked on their arrivals. Each round has an article of its own, as each trip leaves a slot to history.
func (d *desk) heavyTrips(units int) []heavyStep {
	var sku base.ID
	there := d.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Porto", Timezone: "UTC"}}).(*stock.Location).ID
	from, to := noon+7*day, noon+8*day
	var trip, booked, line base.ID
	of := func(to *base.ID) func(any) {
		return func(r any) { *to, line = r.(*order.OrderRecord).ID, r.(*order.OrderRecord).Lines[0].ID }
	}
	goes := func() base.Op {
		o := d.order(order.OrderOpen, sku, from, to, units)
		o.Return = &there
		return o
	}
	behind := func() base.Op {
		o := d.order(order.OrderOpen, sku, to+2*day, to+3*day, units)
		o.Pickup = there
		return o
	}
	until := func(end int64) func() base.Op {
		return func() base.Op {
			return order.PatchOrderLine{Order: trip, ID: line,
				Fields: base.Changed(order.OrderLineInput{To: &end, UnitPrice: new(int64(100))})}
		}
	}
	out := func() base.Op { return order.FulfillOrder{ID: trip} }
	return []heavyStep{
		{"SKU of trips", func() base.Op { return stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Chair"}} },
			func(r any) { sku = r.(*stock.SKU).ID }},
		{"article of trips", func() base.Op {
			return stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Chair", SKU: &sku},
				Quantities: []stock.InitialQuantity{{Location: d.loc, Count: units}}}
		}, nil},
		{"trip", goes, of(&trip)},
		{"trip, other dates", until(to + day), nil},
		{"cancellation of it", func() base.Op { return order.CancelOrder{ID: trip} }, nil},
		{"trip again", goes, of(&trip)},
		{"bookings behind it", behind, func(r any) { booked = r.(*order.OrderRecord).ID }},
		{"trip, dates, booked", until(to + day), nil},
		{"cancellation, booked", func() base.Op { return order.CancelOrder{ID: trip} }, nil},
		{"deletion of bookings", func() base.Op { return order.DeleteOrder{ID: booked} }, nil},
		{"trip to be made", goes, of(&trip)},
		{"hand-over of a trip", out, nil},
		{"return elsewhere", func() base.Op { return order.ReturnOrder{ID: trip} }, nil},
	}
}

// heavyHooks is the recovery of as many deliveries as one command queues, which failed as their webhook was disabled.
func (d *desk) heavyHooks() []heavyStep {
	made := d.do(outbox.CreateWebhook{EventTypes: []base.HookEvent{base.UnitOverdue}, APIVersion: "2025-06",
		Secret: secretOf(1), WebhookFields: outbox.WebhookFields{URL: "https://example.com/hooks"}})
	hook := made.(*outbox.Webhook).ID
	d.do(emitting{typ: base.UnitOverdue, times: outbox.MaxRecover})
	return []heavyStep{{"recovery", func() base.Op {
		d.do(outbox.DisableWebhook{ID: hook})
		for outbox.Calls(d.writer.state.Account(d.account)).Waiting(hook) > 0 {
			d.do(runDue{items: base.DueAtOnce, rows: base.DueAtOnce, tries: base.MaxTries})
		}
		d.do(outbox.EnableWebhook{ID: hook})
		return outbox.RecoverDeliveries{Webhook: hook}
	}, func(r any) { require.Equal(d, &outbox.Recovered{Queued: outbox.MaxRecover}, r) }}}
}

// BenchmarkWriter prints for each heavy command how long it keeps the writer, best and middle of the rounds, and how
// long its plan is off the writer, where it is made there, and the CPU time of the writer and of both, in the middle. A
// CPU profile has the command under the label step.
func BenchmarkWriter(b *testing.B) {
	runtime.LockOSThread() // so that its CPU time is known
	defer runtime.UnlockOSThread()
	d := newDesk(b, func(string, any) []byte { return []byte("null") })
	own, off := map[string][]time.Duration{}, map[string][]time.Duration{}
	cpu, ownCPU := map[string][]time.Duration{}, map[string][]time.Duration{}
	steps := slices.Concat(d.heavyRound(base.MaxUnits), d.heavyLines(base.MaxUnits), d.heavyTrips(base.MaxUnits),
		d.heavyHooks())
	for b.Loop() {
		for _, s := range steps {
			op, res := s.op(), any(nil)
			pprof.Do(b.Context(), pprof.Labels("step", s.name), func(context.Context) { res = d.do(op) })
			own[s.name], off[s.name] = append(own[s.name], d.own), append(off[s.name], d.off)
			cpu[s.name], ownCPU[s.name] = append(cpu[s.name], d.cpu), append(ownCPU[s.name], d.cpu-d.offCPU)
			if s.keep != nil {
				s.keep(res)
			}
		}
	}
	for _, s := range steps {
		middle := func(list []time.Duration) float64 {
			slices.Sort(list)
			return list[len(list)/2].Seconds() * 1000
		}
		fmt.Printf("%-22s writer %5.1f ms, best %5.1f ms, CPU %5.1f ms; off it %6.1f ms; CPU %6.1f ms\n", s.name,
			middle(own[s.name]), own[s.name][0].Seconds()*1000, middle(ownCPU[s.name]), middle(off[s.name]),
			middle(cpu[s.name]))
	}
}

// BenchmarkArchiveBooked asks to archive an article of 5,000 units with 800,000 that are booked, alone in its SKU: it
// is refused, and names a few of what would be stranded.
func BenchmarkArchiveBooked(b *testing.B) {
	d := newDesk(b, func(string, any) []byte { return []byte("null") })
	sku, article := d.chairs(5000)
	for i := range int64(400) {
		from := noon + day + i*7919%200*day
		d.do(hold.PlaceHold{Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sku}, Location: d.loc,
			Window: base.Span{Start: from, End: from + day}, Quantity: 2000}}})
	}
	for b.Loop() {
		_, err := d.try(stock.ArchiveArticle{ID: article, Archived: true})
		require.ErrorContains(b, err, "not every hold can be kept")
	}
}

// BenchmarkRefusedHold asks for all but one of the 5,000 units of an article for 31 hours, in some of which more are
// booked: it is refused.
func BenchmarkRefusedHold(b *testing.B) {
	d := newDesk(b, func(string, any) []byte { return []byte("null") })
	sku, _ := d.chairs(5000)
	for i := range int64(400) {
		from := noon + day + i*7919%4800*hour
		_, _ = d.try(hold.PlaceHold{Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sku}, Location: d.loc,
			Window: base.Span{Start: from, End: from + (1+i%40)*hour}, Quantity: 2000}}})
	}
	from := noon + 100*day
	for b.Loop() {
		_, err := d.try(hold.PlaceHold{Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sku}, Location: d.loc,
			Window: base.Span{Start: from, End: from + 31*hour}, Quantity: 4999}}})
		require.ErrorContains(b, err, "the stock cannot carry")
	}
}
