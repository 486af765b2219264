package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns the tests of how much a command may write.

func TestWeightIsNoLessThanTheBytes(t *testing.T) {
	for _, k := range schema {
		row, weight := k.Example(true)
		bytes := len(row)
		require.GreaterOrEqual(t, weight, bytes, k.TableName())
		require.Less(t, weight, 4*bytes+400, k.TableName())
	}
	for _, s := range []string{"", "Bike", strings.Repeat("<", 9), "\x00\"\\\u2028é"} {
		require.GreaterOrEqual(t, base.JSONWeight(&s), len(base.MustJSON(s)), "%q", s)
	}
}

// A command that would write too much is refused, and nobody else is stopped.
func TestACommandThatWritesTooMuch(t *testing.T) {
	s := newShop(t)
	s.bounded(base.Bounds{Bytes: 64 << 10})
	long := strings.Repeat("<", 1000) // six times as long as JSON
	many := func(n int) Batch {
		var b Batch
		for range n {
			b.Rows = append(b.Rows, stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike", Description: &long}})
		}
		return b
	}
	seq, hash := s.State()
	s.refused(base.CodeInvalid, many(20))
	again, same := s.State()
	require.Equal(t, [2]uint64{seq, hash}, [2]uint64{again, same})
	s.do(many(8))
	_, err := s.Do(Command{Account: s.acc, Actor: "test", Op: many(8),
		Idem: &Idempotency{Key: base.ID{1}, Fingerprint: base.ID{1}}})
	require.Equal(t, base.CodeInvalid, err.(*base.Error).Code, "its result is kept, too")
	s.do(many(8))
	require.NoError(t, s.Check())
}

// A record that many requests add to has a bound. One that is longer, by an earlier program, may change, but not grow.
func TestARecordMayNotBecomeTooLong(t *testing.T) {
	s := newShop(t)
	from, to, long := s.now+day, s.now+2*day, strings.Repeat("x", 1000)
	line := order.OrderLineInput{Item: base.Item{Article: s.article(base.ID{}, 1)}, Purchase: base.PurchaseBooking,
		Quantity: 1, From: &from, To: &to, Note: &long}
	made := order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderDraft, Pickup: s.loc}}
	o := s.do(made).(*order.OrderRecord)
	add := order.AddOrderLines{Order: o.ID, Lines: []order.OrderLineInput{line}}
	s.bounded(base.Bounds{RowBytes: 16 << 10})
	var err error
	n := 0
	for ; n < 100; n++ {
		if _, err = s.try(add); err != nil {
			break
		}
	}
	require.Equal(t, base.CodeInvalid, err.(*base.Error).Code)
	require.Contains(t, err.Error(), "a record of more than 16384 bytes")
	require.Greater(t, n, 2)
	o = order.OrderByID(s.view(), o.ID)
	require.Len(t, o.Lines, n)
	s.bounded(base.Bounds{RowBytes: 8 << 10})
	short := "x"
	s.do(order.DeleteOrderLine{Order: o.ID, ID: o.Lines[0].ID})
	s.refused(base.CodeInvalid, order.PatchOrder{ID: o.ID, Fields: base.Changed(order.OrderInput{Note: &short})})
}

// What is due is done in parts that are small enough, however long its rows are.
func TestWhatIsDueIsDoneInPartsByBytes(t *testing.T) {
	s := newShop(t)
	item := base.Item{Article: s.article(base.ID{}, 1)}
	long, expires := strings.Repeat("n", 1000), int64(30)
	var ids []base.ID
	for i := range int64(100) {
		o := s.booking(item, noon+(i+1)*day, noon+(i+2)*day, 1)
		o.ExpiresIn, o.Note = &expires, long
		ids = append(ids, s.do(o).(*hold.Hold).ID)
	}
	s.bounded(base.Bounds{Bytes: 64 << 10})
	before := s.Stats().Commands
	s.now += 60_000
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, 100, s.expired(ids))
	require.Greater(t, s.Stats().Commands, before+2)
	require.Empty(t, s.SetAside())
	require.NoError(t, s.Check())
}
