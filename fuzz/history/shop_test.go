package history

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/persist"
)

// This file owns the shop that clients race in: an engine over a store on a file system in memory whose syncs take
// time.

const (
	hour  = 60 * 60 * 1000
	today = int64(1_760_000_400_000) // some instant in October 2025
)

// syncTime is about that of a good solid-state disk.
const syncTime = 200 * time.Microsecond

type shop struct {
	*engine.Engine
	t        *testing.T
	fs       vfs.FS
	store    *persist.Store
	account  base.ID
	location base.ID
	draws    atomic.Uint64
}

func newShop(t *testing.T) *shop {
	slow := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData {
			time.Sleep(syncTime)
		}
		return nil
	})
	s := &shop{t: t, fs: errorfs.Wrap(vfs.NewMem(), slow), account: base.ID{0: 1, 6: 0x70, 8: 0x80, 15: 1}}
	s.open()
	t.Cleanup(s.shut)
	s.do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental"}})
	s.location = s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Harbour", Timezone: "Europe/Helsinki"}}).(*stock.Location).ID
	return s
}

func (s *shop) open() {
	store, err := persist.Open(persist.Options{Dir: "data", FS: s.fs, FoldBytes: 4 << 10, FoldDelay: time.Millisecond})
	require.NoError(s.t, err)
	s.store = store
	s.Engine, err = engine.Open(context.Background(), engine.Options{
		Store: store, Now: func() int64 { return today }, Manual: true, Checks: true,
		Random: func() (b [10]byte) {
			binary.BigEndian.PutUint64(b[2:], s.draws.Add(1)<<20)
			return b
		},
	})
	require.NoError(s.t, err)
}

func (s *shop) shut() {
	require.NoError(s.t, s.Engine.Close())
	require.NoError(s.t, s.Engine.Check())
	require.NoError(s.t, s.store.Close())
}

// reopen restarts the engine on what is stored, and demands the same state.
func (s *shop) reopen() {
	seq, hash := s.State()
	s.shut()
	s.open()
	gotSeq, gotHash := s.State()
	require.Equal(s.t, seq, gotSeq)
	require.Equal(s.t, hash, gotHash)
	require.NoError(s.t, s.Engine.Check())
}

func (s *shop) command(op base.Op) engine.Command {
	return engine.Command{Account: s.account, Actor: "client", Op: op}
}

func (s *shop) do(op base.Op) any {
	s.t.Helper()
	res, err := s.Do(s.command(op))
	require.NoError(s.t, err)
	return res.Record
}

// singles makes a SKU of articles with one unit each.
func (s *shop) singles(units int) base.Item {
	sku := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}}).(*stock.SKU).ID
	for range units {
		s.article(&sku, 1)
	}
	return base.Item{SKU: sku}
}

// lot makes one article with all the units.
func (s *shop) lot(units int) base.Item { return base.Item{Article: s.article(nil, units)} }

func (s *shop) article(sku *base.ID, units int) base.ID {
	return s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: sku},
		Quantities: []stock.InitialQuantity{{Location: s.location, Count: units}}}).(*stock.Article).ID
}

func (s *shop) booking(i base.Item, w base.Span, n int) engine.Command {
	return s.command(
		hold.PlaceHold{Lines: []hold.HoldLineInput{{Item: i, Location: s.location, Window: w, Quantity: n}}})
}

// available asks the snapshot of this moment.
func (s *shop) available(i base.Item, w base.Span) int {
	v, ok := s.View(s.account)
	if !ok {
		s.t.Error("the account is gone")
		return -1
	}
	a, err := hold.Available(v, hold.Query{Item: i, Location: s.location, Window: w}, today)
	if err != nil || !a.Exact {
		s.t.Errorf("availability: %+v, %v", a, err)
	}
	return a.Available
}

// together starts n clients at once and waits for all.
func together(n int, client func(i int)) {
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			client(i)
		})
	}
	close(start)
	wg.Wait()
}

func newSeed(t *testing.T) uint64 {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return seed
}
