package engine

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns the shop that the tests of the package play in: an engine on a file system in memory, with a clock and
// chance of its own.

const (
	day  = 24 * hour
	hour = 60 * 60 * 1000
	noon = int64(1_760_000_400_000) // some instant in October 2025
)

type shop struct {
	*testing.T
	*Engine
	store *persist.Store
	fs    vfs.FS
	now   int64
	seed  atomic.Uint64
	acc   base.ID
	loc   base.ID

	bounds  base.Bounds
	full    func() bool                             // whether memory is short; nil: it never is
	queued  int                                     // most commands in the queue, 0: as usual
	onNow   func()                                  // called whenever the engine asks for the time
	payload func(version string, record any) []byte // of the events of orders

	stopwatch func() time.Duration // of the writer's own time; nil: it stands still
}

func newShop(t *testing.T) *shop {
	s := &shop{T: t, fs: vfs.NewMem(), now: noon, acc: base.MakeID(noon, base.Base{Lo: 1})}
	s.open()
	t.Cleanup(func() { s.shut() })
	s.do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental", Timezone: "Europe/Lisbon"}})
	s.loc = s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Lisbon", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
	return s
}

// long leaves out, where the race detector runs, what is long work of one goroutine.
func long(t *testing.T) {
	if testing.Short() {
		t.Skip("long work of one goroutine")
	}
}

func (s *shop) open() {
	store, err := persist.Open(persist.Options{Dir: "data", FS: s.fs, KeepLog: persist.Keep{All: true},
		FoldBytes: 1 << 10})
	require.NoError(s.T, err)
	s.store = store
	s.Engine, err = Open(context.Background(), Options{
		Store: store, Now: s.clock, Manual: true, Checks: true, Payload: s.payload, Bounds: s.bounds, Queue: s.queued,
		Full: s.full, Stopwatch: s.stopwatch,
		Random: func() (b [10]byte) {
			binary.BigEndian.PutUint64(b[2:], s.seed.Add(1)<<20)
			return b
		},
	})
	require.NoError(s.T, err)
}

func (s *shop) clock() int64 {
	if s.onNow != nil {
		s.onNow()
	}
	return s.now
}

// bounded restarts the engine with bounds of the test's own.
func (s *shop) bounded(b base.Bounds) {
	s.bounds = b
	s.reopen()
}

func (s *shop) shut() {
	require.NoError(s.T, s.Engine.Close())
	require.NoError(s.T, s.Engine.Check())
	require.NoError(s.T, s.store.Close())
}

// reopen restarts the engine on what is stored, and demands the same state.
func (s *shop) reopen() {
	s.shut()
	seq, hash := s.State() // behind what was still under way
	s.open()
	gotSeq, gotHash := s.State()
	require.Equal(s.T, seq, gotSeq)
	require.Equal(s.T, hash, gotHash)
	require.NoError(s.T, s.Engine.Check())
}

func (s *shop) try(op base.Op) (any, error) {
	res, err := s.Do(Command{Account: s.acc, Actor: "test", Op: op})
	return res.Record, err
}

func (s *shop) do(op base.Op) any {
	s.T.Helper()
	res, err := s.try(op)
	require.NoError(s.T, err)
	zero, err := op.ReadResult([]byte("null"))
	require.NoError(s.T, err)
	if zero != nil {
		require.IsType(s.T, zero, res, "%T answers with what it says", op)
	}
	return res
}

// refused demands a refusal with a code that leaves state, log and counters as they were.
func (s *shop) refused(code base.Code, op base.Op) *base.Error {
	s.T.Helper()
	seq, hash := s.State()
	res, err := s.try(op)
	require.Error(s.T, err)
	require.Nil(s.T, res)
	e := err.(*base.Error)
	require.Equal(s.T, code, e.Code, "%v", err)
	gotSeq, gotHash := s.State()
	require.Equal(s.T, seq, gotSeq)
	require.Equal(s.T, hash, gotHash)
	return e
}

func (s *shop) view() base.View {
	v, ok := s.View(s.acc)
	require.True(s.T, ok)
	return v
}

func (s *shop) sku(after ...stock.Buffer) base.ID {
	o := stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}}
	if len(after) > 0 {
		o.After = &after[0]
	}
	return s.do(o).(*stock.SKU).ID
}

// article makes an article with units at the shop's location.
func (s *shop) article(sku base.ID, units int) base.ID {
	o := stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit"}}
	if sku != (base.ID{}) {
		o.SKU = &sku
	}
	if units > 0 {
		o.Quantities = []stock.InitialQuantity{{Location: s.loc, Count: units}}
	}
	return s.do(o).(*stock.Article).ID
}

func (s *shop) book(i base.Item, from, to int64, n int) *hold.Hold {
	s.T.Helper()
	return s.do(s.booking(i, from, to, n)).(*hold.Hold)
}

func (s *shop) booking(i base.Item, from, to int64, n int) hold.PlaceHold {
	return hold.PlaceHold{AllowPast: true,
		Lines: []hold.HoldLineInput{{Item: i, Location: s.loc, Window: base.Span{Start: from, End: to}, Quantity: n}}}
}

func (s *shop) available(i base.Item, from, to int64) int {
	s.T.Helper()
	a, err := hold.Available(s.view(), hold.Query{Item: i, Location: s.loc, Window: base.Span{Start: from, End: to}},
		s.now)
	require.NoError(s.T, err)
	return a.Available
}

var fourHours = stock.Buffer{Amount: 4, Unit: timeline.Hours}
