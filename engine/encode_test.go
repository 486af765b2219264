package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/persist"
)

// This file owns the test that what is written of a command is written beside the writer, and how much that is.

// besideWriter is a function for what is written of a command: it has another account's command judged meanwhile, which the
// writer would never do while it writes.
func (s *shop) besideWriter(written *bool) func() {
	other := makeID(noon, Base{lo: 2})
	_, err := s.Do(Command{Account: other, Op: CreateAccount{Name: "Other"}})
	require.NoError(s.T, err)
	return func() {
		judged := make(chan struct{})
		f := s.Submit(Command{Account: other, Op: CreateSKU{Name: "Bike"}})
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

type answerSlowly struct{ slowResult }

func (answerSlowly) Check() []Fault            { return nil }
func (answerSlowly) result() any               { return new(slowResult) }
func (o answerSlowly) plan(t *tx) (any, error) { return o.slowResult, nil }

func TestResultsAreWrittenBesideTheWriter(t *testing.T) {
	s := newShop(t)
	var written bool
	op := answerSlowly{slowResult{s.besideWriter(&written)}}
	cmd := Command{Account: s.acc, Op: op, Idem: &Idempotency{Key: ID{1}}}
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
	s.hook(OrderCreated)
	s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc}})
	require.True(t, written)
}

// What cannot be written of a command's result or event stops nobody, and the command is done.
func TestAResultAndAnEventThatCannotBeWritten(t *testing.T) {
	s := newShop(t)
	s.shut()
	s.payload = func(string, any) []byte { panic("planted") }
	s.open()
	w := s.hook(OrderCreated)
	s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc}})
	body, _, err := s.DeliveryDetails(s.view(), s.log(w, 0)[0])
	require.NoError(t, err)
	require.Contains(t, string(body), `"data":null}`)

	cmd := Command{Account: s.acc, Op: answerSlowly{slowResult{func() { panic("planted") }}}, Idem: &Idempotency{Key: ID{1}}}
	_, err = s.Do(cmd)
	require.NoError(t, err)
	s.do(CreateSKU{Name: "Bike"})
	for range 2 {
		_, err = s.Do(Command{Account: s.acc, Op: DisableWebhook{ID: w.ID}, Idem: &Idempotency{Key: ID{1}}})
		require.Equal(t, CodeInternal, err.(*Error).Code, "it is known that it was done, not what came of it")
		require.True(t, s.view().Webhook(w.ID).Enabled)
		s.reopen()
	}
	require.NoError(t, s.Check())
}

// A row that cannot be written ends writing as a failed disk does, and says that it is none.
func TestARowThatCannotBeWritten(t *testing.T) {
	s := newShop(t)
	encode := skuKind.encode
	defer func() { skuKind.encode = encode }()
	skuKind.encode = func([]byte, *SKU) []byte { panic("planted") }
	_, err := s.Do(Command{Account: s.acc, Op: CreateSKU{Name: "Bike"}})
	require.Equal(t, CodeStorageFailed, err.(*Error).Code)
	_, err = s.Do(Command{Account: s.acc, Op: CreateLocation{Name: "There", Timezone: "UTC"}})
	require.ErrorContains(t, err, "by a fault of the program")
	require.NotNil(t, s.view(), "reads go on")
	skuKind.encode = encode
	require.Error(t, s.Engine.Close())
	require.NoError(t, s.store.Close())
	s.open()
	require.NoError(t, s.Check())
	s.do(CreateSKU{Name: "Bike"})
}

// last is the log record of the last command, and how many rows of units of orders it has.
func (s *shop) last() (r persist.Record, units int) {
	seq, _ := s.State()
	r, err := s.store.Record(seq)
	require.NoError(s.T, err)
	for c := range r.Changes() {
		if c.Table == tagOrderUnits {
			units++
		}
	}
	return r, units
}

func TestAChangeOfAnOrderWritesTheUnitsThatItChanges(t *testing.T) {
	long(t)
	s := newShop(t)
	sku := s.sku()
	const n = maxUnits
	s.article(sku, n)
	from, to := s.now+day, s.now+2*day
	line := OrderLineInput{Item: Item{SKU: sku}, Purchase: PurchaseBooking, Quantity: n - 1, From: &from, To: &to}
	one := line
	one.Quantity = 1
	o := s.do(CreateOrder{OrderInput: OrderInput{Status: OrderOpen, Pickup: s.loc}, Lines: []OrderLineInput{line, one}}).(*OrderRecord)
	_, units := s.last()
	require.Equal(t, (n+unitsPerRow-1)/unitsPerRow, units)

	o = s.do(AddComment{Order: o.ID, Content: "ready"}).(*OrderRecord)
	r, units := s.last()
	require.Zero(t, units)
	require.Less(t, r.Size(), 4<<10)

	o = s.do(PrepareOrder{ID: o.ID, Units: []ID{o.Lines[0].Units[unitsPerRow].ID, o.Lines[1].Units[0].ID}}).(*OrderRecord)
	r, units = s.last()
	require.Equal(t, 2, units)
	require.Less(t, r.Size(), 20<<10)
	for _, u := range []OrderUnit{o.Lines[0].Units[unitsPerRow], o.Lines[1].Units[0]} {
		require.Equal(t, []any{Prepared, s.now}, []any{u.State, u.UpdatedAt})
	}
	want := s.view().Order(o.ID)
	s.reopen()
	require.Equal(t, want.Lines, s.view().Order(o.ID).Lines)

	s.do(PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, Quantity: Some(n - 2)})
	want = s.view().Order(o.ID)
	require.Equal(t, n-1, want.units())
	s.reopen()
	require.Equal(t, want.Lines, s.view().Order(o.ID).Lines)
	s.do(CancelOrder{ID: o.ID})
	s.do(DeleteOrder{ID: o.ID})
	s.reopen()
	for range orderUnitsKind.all(s.view().acc) {
		t.Fatal("units of an order that is gone")
	}
}

func TestUnitsOfAnOrderAsTheyAreWritten(t *testing.T) {
	r := &orderUnits{order: 7, part: 3, units: []OrderUnit{
		{ID: ID{1}}, {ID: ID{2}, Hold: ID{3}, Handed: 4, Returned: 5, UpdatedAt: 6, State: Returned, ByHand: true, Part: 7}, {ID: ID{8}, Part: 9, State: Cancelled},
	}}
	b := orderUnitsKind.encode(nil, r)
	got, err := orderUnitsKind.decode(ID{}, orderUnitsKind.key(r), b)
	require.NoError(t, err)
	require.Equal(t, r.units, got.units)
	require.Equal(t, []uint32{7, 3}, []uint32{got.order, got.part})
	for _, bad := range [][]byte{{}, {9}, b[:len(b)-1], append([]byte{hotVersion, byte(len(Fulfillments)), 0}, make([]byte, 16)...)} {
		_, err := orderUnitsKind.decode(ID{}, ID{}, bad)
		require.Error(t, err)
	}
}

// A large group is several records, each of whole commands, with the right hash behind each.
func TestALargeGroupIsSeveralRecords(t *testing.T) {
	fs := vfs.NewMem()
	store, err := persist.Open(persist.Options{Dir: "data", FS: fs, KeepLog: persist.Keep{All: true}})
	require.NoError(t, err)
	s := newState()
	c := newEncoder(store, s.publish())
	c.limit = 1 << 10
	g := &group{}
	for i := range 3 {
		s.at = noon + int64(i)
		a := makeID(s.at, Base{lo: uint64(i)})
		set := []rowChange{
			&change[ledger]{kind: ledgerKind, after: &ledger{Sequence: 1, At: s.at, account: a}},
			&change[Account]{kind: accountKind, after: &Account{ID: a, Name: strings.Repeat("x", 2000)}},
			&change[idemRow]{kind: idempotencyKind, after: &idemRow{Key: ID{1}}},
		}
		g.entries = append(g.entries, entry{a, s.at, set})
		s.apply(a, set, nil)
	}
	g.snapshot = s.publish()
	require.NoError(t, c.write(g))
	require.Len(t, g.records, 3)
	for _, p := range g.records {
		require.NoError(t, p.Wait())
	}
	require.NoError(t, g.snapshot.check())
	require.Equal(t, uint64(3), g.snapshot.seq)
	require.NoError(t, store.Close())
	store, err = persist.Open(persist.Options{Dir: "data", FS: fs})
	require.NoError(t, err)
	require.NoError(t, Verify(t.Context(), store, 0))
	require.Equal(t, g.snapshot.hash, store.End().StateHash)
	require.NoError(t, store.Close())
}
