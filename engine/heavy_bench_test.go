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
)

// This file owns what heavy commands keep the writer for: its plan and its apply, without the disk and without anything beside it.

// desk is a writer that nothing runs: each command is planned and applied on the goroutine of the test.
type desk struct {
	testing.TB
	writer  *writer
	account ID
	loc     ID
	seed    uint64

	set           []rowChange // of the last command
	planned, done time.Duration
	cpu           time.Duration
}

func newDesk(tb testing.TB, payload func(version string, record any) []byte) *desk {
	d := &desk{TB: tb, account: makeID(noon, Base{lo: 1})}
	e := &Engine{
		now: func() int64 { return noon }, random: func() (b [10]byte) { d.seed++; b[6], b[7] = byte(d.seed>>8), byte(d.seed); return b },
		bounds: Bounds{}.withDefaults(), queue: newQueue(16), step: defaultStep.Milliseconds(), payload: payload, called: newCalled(),
	}
	d.writer = newWriter(e, newState())
	d.writer.state.at = noon
	e.current.Store(d.writer.state.publish())
	d.do(CreateAccount{Name: "Rental"})
	d.loc = d.do(CreateLocation{Name: "Lisbon", Timezone: "UTC"}).(*Location).ID
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
func (d *desk) try(op Op) (any, error) {
	require.Empty(d, op.Check(), "%T", op)
	w := d.writer
	w.state.at++
	cmd := &Command{Account: d.account, Actor: "bench", Op: op, Idem: &Idempotency{Key: makeID(w.state.at, Base{})}}
	if w.state.accounts[d.account] != nil {
		cmd.ahead = w.engine.foresee(cmd)
	}
	cpu := threadTime()
	began := time.Now()
	t, res, err := w.plan(cmd)
	d.planned, d.done = time.Since(began), 0
	if err != nil {
		return nil, err
	}
	began = time.Now()
	w.apply(w.state.account(cmd.Account), t)
	d.done, d.cpu = time.Since(began), threadTime()-cpu
	d.set = t.set
	w.open = new(group)
	d.writer.engine.current.Store(w.state.publish())
	return res, nil
}

func (d *desk) do(op Op) any {
	d.Helper()
	res, err := d.try(op)
	require.NoError(d, err, "%T", op)
	return res
}

// chairs makes an article with units, and gives its SKU.
func (d *desk) chairs(units int) (sku, article ID) {
	sku = d.do(CreateSKU{Name: "Chair"}).(*SKU).ID
	from := noon - 1000*day
	return sku, d.do(CreateArticle{Name: "Chair", SKU: &sku, Quantities: []InitialQuantity{{Location: d.loc, Count: units, From: &from}}}).(*Article).ID
}

func (d *desk) order(status OrderStatus, sku ID, from, to int64, n int) CreateOrder {
	price := int64(100)
	return CreateOrder{OrderInput: OrderInput{Status: status, Pickup: d.loc}, Lines: []OrderLineInput{{
		Item: Item{SKU: sku}, Purchase: PurchaseBooking, Quantity: n, From: &from, To: &to, UnitPrice: &price,
	}}}
}

// heavyStep is one command of the round that heavy commands make, with what leads up to it left out of the measure.
type heavyStep struct {
	name string
	op   func() Op
	keep func(any)
}

// heavyRound is every heavy command, each on what those before it have left; the last take back what the first made.
func (d *desk) heavyRound(units int) []heavyStep {
	sku, _ := d.chairs(units)
	_, many := d.chairs(units)
	for range 8 {
		d.do(IncreaseQuantity{Article: many, Location: d.loc, Amount: units, From: new(noon - 1000*day)})
	}
	var id, line ID
	var all []ID
	of := func(r any) {
		switch r := r.(type) {
		case *Hold:
			id = r.ID
		case *OrderRecord:
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
	hold := func() Op {
		return PlaceHold{Lines: []HoldLineInput{{Item: Item{SKU: sku}, Location: d.loc, Window: Span{Start: noon + 7*day, End: noon + 8*day}, Quantity: units}}}
	}
	later := to + day
	content := "ready"
	at := noon + 100*day // an increase then calls the decrease off
	return []heavyStep{
		{"hold", hold, of},
		{"its release", func() Op { return ReleaseHold{ID: id} }, nil},
		{"order", func() Op { return d.order(OrderOpen, sku, from, to, units) }, of},
		{"comment", func() Op { return AddComment{Order: id, Content: content} }, nil},
		{"note", func() Op { content += "."; return PatchOrder{ID: id, Note: Some(content)} }, nil},
		{"line's dates", func() Op { return PatchOrderLine{Order: id, ID: line, To: Some(later), UnitPrice: Some(int64(100))} }, nil},
		{"prepare, named", func() Op { return PrepareOrder{ID: id, Units: all} }, nil},
		{"fulfill", func() Op { return FulfillOrder{ID: id} }, nil},
		{"return", func() Op { return ReturnOrder{ID: id} }, nil},
		{"deletion", func() Op { return DeleteOrder{ID: id} }, nil},
		{"order again", func() Op { return d.order(OrderOpen, sku, from, to, units) }, of},
		{"fulfill, named", func() Op { return FulfillOrder{ID: id, Units: all} }, nil},
		{"return, named", func() Op { return ReturnOrder{ID: id, Units: all} }, nil},
		{"deletion again", func() Op { return DeleteOrder{ID: id} }, nil},
		{"draft", func() Op { return d.order(OrderDraft, sku, from, to, units) }, of},
		{"its confirmation", func() Op { return ConfirmOrder{ID: id} }, nil},
		{"cancellation", func() Op { return CancelOrder{ID: id} }, nil},
		{"deletion of that", func() Op { return DeleteOrder{ID: id} }, nil},
		{"decrease", func() Op { return DecreaseQuantity{Article: many, Location: d.loc, Amount: units, From: &at} }, nil},
		{"increase", func() Op { return IncreaseQuantity{Article: many, Location: d.loc, Amount: units, From: &at} }, nil},
	}
}

// heavyLines is what else is heavy: many lines, overbooking, units that leave with holds on them, and many records at once.
func (d *desk) heavyLines(units int) []heavyStep {
	sku, _ := d.chairs(units)
	there := d.do(CreateLocation{Name: "Porto", Timezone: "UTC"}).(*Location).ID
	pooled, leaving := d.chairs(units)
	imported, _ := d.chairs(units) // its holds stay: some 300 of a round meet at an instant
	begun := noon - 1000*day
	d.do(CreateArticle{Name: "Stool", SKU: &pooled, Quantities: []InitialQuantity{{Location: d.loc, Count: units, From: &begun}}})
	tag := d.do(CreateTag{Value: "all", Scope: TagCustomers}).(*Tag).ID
	const lines = 1000
	week := Span{Start: noon + 7*day, End: noon + 8*day}
	var first, id, full ID
	of := func(to *ID) func(any) {
		return func(r any) {
			switch r := r.(type) {
			case *Hold:
				*to = r.ID
			case *OrderRecord:
				*to = r.ID
			}
		}
	}
	hold := func(sku ID, lines, each int) PlaceHold {
		o := PlaceHold{}
		for range lines {
			o.Lines = append(o.Lines, HoldLineInput{Item: Item{SKU: sku}, Location: d.loc, Window: week, Quantity: each})
		}
		return o
	}
	order := func(lines, each int) CreateOrder {
		o := d.order(OrderOpen, sku, week.Start, week.End, each)
		for range lines - 1 {
			o.Lines = append(o.Lines, o.Lines[0])
		}
		return o
	}
	free := func(at *ID) func() Op { return func() Op { return ReleaseHold{ID: *at} } }
	return []heavyStep{
		{"hold, 1,000 lines", func() Op { return hold(sku, lines, units/lines) }, of(&id)},
		{"release of that", free(&id), nil},
		{"order, 1,000 lines", func() Op { return order(lines, units/lines) }, of(&id)},
		{"fulfill, lines", func() Op { return FulfillOrder{ID: id} }, nil},
		{"return, lines", func() Op { return ReturnOrder{ID: id} }, nil},
		{"deletion, lines", func() Op { return DeleteOrder{ID: id} }, nil},
		{"hold of all", func() Op { return hold(sku, 1, units) }, of(&full)},
		{"order, overbooked", func() Op { o := order(1, units); o.AllowOverbooked = true; return o }, of(&id)},
		{"its cancellation", func() Op { return CancelOrder{ID: id} }, nil},
		{"order, overbooked 2", func() Op { o := order(1, units); o.AllowOverbooked = true; return o }, of(&first)},
		{"release beside it", free(&full), nil},
		{"deletion of the rest", func() Op { return DeleteOrder{ID: first} }, nil},
		{"hold that will move", func() Op { return hold(pooled, 1, units) }, of(&id)},
		{"decrease with moves", func() Op {
			return DecreaseQuantity{Article: leaving, Location: d.loc, Amount: units, From: &week.Start}
		}, nil},
		{"increase again", func() Op {
			return IncreaseQuantity{Article: leaving, Location: d.loc, Amount: units, From: &week.Start}
		}, nil},
		{"release of moved", free(&id), nil},
		{"transfer", func() Op {
			return TransferQuantity{Article: leaving, From: d.loc, To: there, Amount: units, At: &week.Start}
		}, nil},
		{"transfer back", func() Op {
			return TransferQuantity{Article: leaving, From: there, To: d.loc, Amount: units, At: &week.Start}
		}, nil},
		{"import of customers", func() Op {
			var b Batch
			for range MaxBatch {
				b.Rows = append(b.Rows, CreateCustomer{Contact: ContactPatch{FirstName: Some("Ann")}, Labels: LabelsPatch{Tags: Some([]ID{tag})}})
			}
			return b
		}, nil},
		{"import of more", func() Op {
			var b Batch
			for range MaxBatch {
				b.Rows = append(b.Rows, CreateCustomer{Contact: ContactPatch{FirstName: Some("Ann")}, Labels: LabelsPatch{Tags: Some([]ID{tag})}})
			}
			return b
		}, nil},
		{"deletion of their tag", func() Op { return DeleteTag{ID: tag} }, func(any) { tag = d.do(CreateTag{Value: "all", Scope: TagCustomers}).(*Tag).ID }},
		{"import of SKUs", func() Op {
			var b Batch
			for range MaxBatch {
				b.Rows = append(b.Rows, CreateSKU{Name: "Chair"})
			}
			return b
		}, nil},
		{"import of holds", func() Op {
			var b Batch
			for i := range MaxBatch {
				b.Rows = append(b.Rows, PlaceHold{Lines: []HoldLineInput{{
					Item: Item{SKU: imported}, Location: d.loc, Quantity: 1, Window: Span{Start: noon + int64(i)*day/100, End: noon + int64(i+300)*day/100},
				}}})
			}
			return b
		}, nil},
	}
}

// BenchmarkWriter prints for each heavy command how long its plan and its apply are together, in ms: best and middle of the rounds, and the CPU time of the middle one. A CPU
// profile has the command under the label step.
func BenchmarkWriter(b *testing.B) {
	runtime.LockOSThread() // so that its CPU time is known
	defer runtime.UnlockOSThread()
	d := newDesk(b, func(string, any) []byte { return []byte("null") })
	took, cpu := map[string][]time.Duration{}, map[string][]time.Duration{}
	steps := append(d.heavyRound(maxUnits), d.heavyLines(maxUnits)...)
	for b.Loop() {
		for _, s := range steps {
			op, res := s.op(), any(nil)
			pprof.Do(b.Context(), pprof.Labels("step", s.name), func(context.Context) { res = d.do(op) })
			took[s.name], cpu[s.name] = append(took[s.name], d.planned+d.done), append(cpu[s.name], d.cpu)
			if s.keep != nil {
				s.keep(res)
			}
		}
	}
	for _, s := range steps {
		t, c := took[s.name], cpu[s.name]
		slices.Sort(t)
		slices.Sort(c)
		fmt.Printf("%-22s best %6.1f ms, middle %6.1f ms, CPU %6.1f ms\n", s.name, t[0].Seconds()*1000, t[len(t)/2].Seconds()*1000, c[len(c)/2].Seconds()*1000)
	}
}
