package engine

import (
	"bytes"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
	"holdfast/persist"
)

// This file owns the test that what is written of a command is written beside the writer, and how much that is.

// besideWriter is a function for what is written of a command: it has another account's command judged meanwhile, which
// the writer would never do while it writes.
func (s *shop) besideWriter(written *bool) func() {
	other := base.MakeID(noon, base.Base{Lo: 2})
	_, err := s.Do(Command{Account: other, Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "Other"}}})
	require.NoError(s.T, err)
	return func() {
		judged := make(chan struct{})
		f := s.Submit(Command{Account: other, Op: stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}}})
		go func() {
			_, _ = f.Planned()
			close(judged)
		}()
		select {
		case <-judged:
			*written = true
		case <-time.After(20 * time.Second):
		}
	}
}

// slowResult is an answer that is written while another account's command is judged.
type slowResult struct{ write func() }

func (r slowResult) MarshalJSON() ([]byte, error) {
	if r.write != nil {
		r.write()
	}
	return []byte(`{"said":1}`), nil
}

func (*slowResult) UnmarshalJSON([]byte) error { return nil }

type answerSlowly struct {
	base.Answers[*slowResult]
	slowResult
}

func (o answerSlowly) PlanOn(t *base.Tx) (any, error) { return o.slowResult, nil }

func TestResultsAreWrittenBesideTheWriter(t *testing.T) {
	s := newShop(t)
	var written bool
	op := answerSlowly{slowResult: slowResult{s.besideWriter(&written)}}
	cmd := Command{Account: s.acc, Op: op, Idem: &Idempotency{Key: base.ID{1}}}
	_, err := s.Do(cmd)
	require.NoError(t, err)
	require.True(t, written)
	again, err := s.Do(cmd)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.IsType(t, &slowResult{}, again.Record)
	s.reopen()
	again, err = s.Do(cmd)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.IsType(t, &slowResult{}, again.Record)
}

func TestEventsAreWrittenBesideTheWriter(t *testing.T) {
	s := newShop(t)
	s.shut()
	var written bool
	var write func()
	s.payload = func(string, any) []byte {
		write()
		return []byte("{}")
	}
	s.open()
	write = s.besideWriter(&written)
	s.hook(base.OrderCreated)
	s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc}})
	require.True(t, written)
}

// A booking alone is written by the writer itself, which is sooner. One with an answer to keep, one of many rows and an
// order are written beside it.
func TestWhatIsBriefIsWrittenByTheWriter(t *testing.T) {
	encode := base.LedgerKind.Encode
	defer func() { base.LedgerKind.Encode = encode }()
	var byWriter, beside bool // the ledger of its account goes with each command
	base.LedgerKind.Encode = func(dst []byte, l *base.Ledger) []byte {
		if stack := debug.Stack(); bytes.Contains(stack, []byte("(*encoder).write(")) {
			here := bytes.Contains(stack, []byte("(*writer).seal("))
			byWriter, beside = byWriter || here, beside || !here
		}
		return encode(dst, l)
	}
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 2*briefRows)
	written := func(op base.Op, key *Idempotency) bool {
		byWriter, beside = false, false
		_, err := s.Do(Command{Account: s.acc, Op: op, Idem: key})
		require.NoError(t, err)
		require.NotEqual(t, byWriter, beside)
		return byWriter
	}
	item, from, to := base.Item{SKU: sku}, s.now+day, s.now+2*day
	require.True(t, written(s.booking(item, from, to, 1), nil))
	require.False(t, written(s.booking(item, from, to, 1), &Idempotency{Key: base.ID{1}}))
	require.False(t, written(s.booking(item, from, to, briefRows), nil))
	require.False(t, written(s.rental(order.OrderOpen, item, from, to, 1), nil))
	require.NoError(t, s.Check())
}

// What cannot be written of a command's result or event stops nobody, and the command is done.
func TestAResultAndAnEventThatCannotBeWritten(t *testing.T) {
	s := newShop(t)
	s.shut()
	s.payload = func(string, any) []byte { panic("planted") }
	s.open()
	w := s.hook(base.OrderCreated)
	s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc}})
	body, _, err := s.DeliveryDetails(s.view(), s.log(w, 0)[0])
	require.NoError(t, err)
	require.Contains(t, string(body), `"data":null}`)

	cmd := Command{Account: s.acc, Op: answerSlowly{slowResult: slowResult{func() { panic("planted") }}},
		Idem: &Idempotency{Key: base.ID{1}}}
	_, err = s.Do(cmd)
	require.NoError(t, err)
	s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}})
	for range 2 {
		_, err = s.Do(Command{Account: s.acc, Op: outbox.DisableWebhook{ID: w.ID}, Idem: &Idempotency{Key: base.ID{1}}})
		require.Equal(t, base.CodeInternal, err.(*base.Error).Code, "it is known that it was done, not what came of it")
		require.True(t, outbox.WebhookByID(s.view(), w.ID).Enabled)
		s.reopen()
	}
	require.NoError(t, s.Check())
}

// A row that cannot be written ends writing as a failed disk does, and says that it is none.
func TestARowThatCannotBeWritten(t *testing.T) {
	s := newShop(t)
	encode := stock.SKUKind.Encode
	defer func() { stock.SKUKind.Encode = encode }()
	stock.SKUKind.Encode = func([]byte, *stock.SKU) []byte { panic("planted") }
	_, err := s.Do(Command{Account: s.acc, Op: stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}}})
	require.Equal(t, base.CodeStorageFailed, err.(*base.Error).Code)
	_, err = s.Do(Command{Account: s.acc,
		Op: stock.CreateLocation{LocationFields: stock.LocationFields{Name: "There", Timezone: "UTC"}}})
	require.ErrorContains(t, err, "by a fault of the program")
	require.NotNil(t, s.view(), "reads go on")
	stock.SKUKind.Encode = encode
	require.Error(t, s.Engine.Close())
	require.NoError(t, s.store.Close())
	s.open()
	require.NoError(t, s.Check())
	s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}})
}

// last is the log record of the last command, and how many rows of units of orders it has.
func (s *shop) last() (r persist.Record, units int) {
	seq, _ := s.State()
	r, err := s.store.Record(seq)
	require.NoError(s.T, err)
	for c := range r.Changes() {
		if c.Table == base.TagOrderUnits {
			units++
		}
	}
	return r, units
}

func TestAChangeOfAnOrderWritesTheUnitsThatItChanges(t *testing.T) {
	long(t)
	s := newShop(t)
	sku := s.sku()
	const n = base.MaxUnits
	s.article(sku, n)
	from, to := s.now+day, s.now+2*day
	line := order.OrderLineInput{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: n - 1,
		From: &from, To: &to}
	one := line
	one.Quantity = 1
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc},
		Lines: []order.OrderLineInput{line, one}}).(*order.OrderRecord)
	_, units := s.last()
	require.Equal(t, (n+order.UnitsPerRow-1)/order.UnitsPerRow, units)

	o = s.do(order.AddComment{Order: o.ID, Content: "ready"}).(*order.OrderRecord)
	r, units := s.last()
	require.Zero(t, units)
	require.Less(t, r.Size(), 4<<10)

	o = s.do(order.PrepareOrder{ID: o.ID,
		Units: []base.ID{o.Lines[0].Units[order.UnitsPerRow].ID, o.Lines[1].Units[0].ID}}).(*order.OrderRecord)
	r, units = s.last()
	require.Equal(t, 2, units)
	require.Less(t, r.Size(), 20<<10)
	for _, u := range []order.OrderUnit{o.Lines[0].Units[order.UnitsPerRow], o.Lines[1].Units[0]} {
		require.Equal(t, []any{order.Prepared, s.now}, []any{u.State, u.UpdatedAt})
	}
	want := order.OrderByID(s.view(), o.ID)
	s.reopen()
	require.Equal(t, want.Lines, order.OrderByID(s.view(), o.ID).Lines)

	s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{Quantity: n - 2})})
	want = order.OrderByID(s.view(), o.ID)
	require.Equal(t, n-1, want.UnitCount())
	s.reopen()
	require.Equal(t, want.Lines, order.OrderByID(s.view(), o.ID).Lines)
	s.do(order.CancelOrder{ID: o.ID})
	s.do(order.DeleteOrder{ID: o.ID})
	s.reopen()
	for range order.OrderUnitsKind.All(s.view().Acc) {
		t.Fatal("units of an order that is gone")
	}
}

func TestUnitsOfAnOrderAsTheyAreWritten(t *testing.T) {
	r := &order.OrderUnits{Order: 7, Part: 3, Units: []order.OrderUnit{
		{ID: base.ID{1}}, {ID: base.ID{2}, Hold: base.ID{3}, Handed: 4, Returned: 5, UpdatedAt: 6,
			State: order.Returned, ByHand: true, Part: 7}, {ID: base.ID{8}, Part: 9, State: order.Cancelled},
	}}
	b := order.OrderUnitsKind.Encode(nil, r)
	got, err := order.OrderUnitsKind.Decode(base.ID{}, order.OrderUnitsKind.Key(r), b)
	require.NoError(t, err)
	require.Equal(t, r.Units, got.Units)
	require.Equal(t, []uint32{7, 3}, []uint32{got.Order, got.Part})
	for _, bad := range [][]byte{{}, {9}, b[:len(b)-1],
		append([]byte{base.HotVersion, byte(len(order.Fulfillments)), 0}, make([]byte, 16)...)} {
		_, err := order.OrderUnitsKind.Decode(base.ID{}, base.ID{}, bad)
		require.Error(t, err)
	}
}

// A large group is several records, each of whole commands, with the right hash behind each. What follows a command is
// in the same record, as long as that is not twice as long.
func TestALargeGroupIsSeveralRecords(t *testing.T) {
	fs := vfs.NewMem()
	store, err := persist.Open(persist.Options{Dir: "data", FS: fs, KeepLog: persist.Keep{All: true}})
	require.NoError(t, err)
	s := base.NewState()
	c := newEncoder(store, s.Publish())
	c.limit = 2 << 10
	g := &group{}
	for i := range 6 {
		s.At = noon + int64(i)
		a := base.MakeID(s.At, base.Base{Lo: uint64(i)})
		set := []base.RowChange{
			&base.Change[base.Ledger]{Kind: base.LedgerKind, After: &base.Ledger{Sequence: 1, At: s.At, Account: a}},
			&base.Change[base.Account]{Kind: base.AccountKind,
				After: &base.Account{ID: a, AccountFields: base.AccountFields{Name: strings.Repeat("x", 2000)}}},
			&base.Change[idemRow]{Kind: idempotencyKind, After: &idemRow{Key: base.ID{1}}},
		}
		g.entries = append(g.entries, entry{a, s.At, set, i > 1 && i < 5})
		s.Apply(a, set, nil)
	}
	g.snapshot = s.Publish()
	require.NoError(t, c.write(g))
	require.Len(t, g.records, 4, "the first, the second with what follows up to twice the length, the rest, the last")
	for _, p := range g.records {
		require.NoError(t, p.Wait())
	}
	require.NoError(t, checkAll(g.snapshot))
	require.Equal(t, uint64(4), g.snapshot.Seq)
	require.NoError(t, store.Close())
	store, err = persist.Open(persist.Options{Dir: "data", FS: fs})
	require.NoError(t, err)
	require.NoError(t, Verify(t.Context(), store, 0))
	require.Equal(t, g.snapshot.Hash, store.End().StateHash)
	require.NoError(t, store.Close())
}
