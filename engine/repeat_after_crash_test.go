package engine_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/persist"
	"holdfast/persist/power"
)

// This file owns the repeat of a keyed command after a crash: its record may still be in the log alone.

func TestRepeatAfterCrash(t *testing.T) {
	const now = int64(1_760_000_400_000)
	open := func(fs vfs.FS) (*persist.Store, *engine.Engine) {
		store, err := persist.Open(persist.Options{Dir: "/data", FS: fs, FoldDelay: time.Hour})
		require.NoError(t, err)
		e, err := engine.Open(context.Background(), engine.Options{
			Store: store, Now: func() int64 { return now }, Manual: true, Logger: slog.New(slog.DiscardHandler),
			Random: func() (b [10]byte) { rand.Read(b[:]); return b },
		})
		require.NoError(t, err)
		return store, e
	}
	mem := power.NewDisk()
	store, e := open(mem)
	account := base.ID{0: 1, 6: 0x70, 8: 0x80, 15: 1}
	do := func(op base.Op) any {
		res, err := e.Do(engine.Command{Account: account, Op: op})
		require.NoError(t, err)
		return res.Record
	}
	do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental"}})
	where := do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Harbour", Timezone: "UTC"}}).(*stock.Location).ID
	item := base.Item{
		Article: do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Bike"},
			Quantities: []stock.InitialQuantity{{Location: where, Count: 2}}}).(*stock.Article).ID}
	window := base.Span{Start: now + 1000, End: now + 2000}
	book := engine.Command{
		Account: account, Idem: &engine.Idempotency{Key: base.ID{0: 7}, Fingerprint: base.ID{0: 8}},
		Op: hold.PlaceHold{Lines: []hold.HoldLineInput{{Item: item, Location: where, Window: window, Quantity: 1}}},
	}
	first, err := e.Do(book)
	require.NoError(t, err)
	after := mem.CrashClone(vfs.CrashCloneCfg{}) // the power fails behind the acknowledgement
	require.NoError(t, e.Close())
	require.NoError(t, store.Close())

	store, e = open(after)
	again, err := e.Do(book)
	require.NoError(t, err)
	v, _ := e.View(account)
	free, err := hold.Available(v, hold.Query{Item: item, Location: where, Window: window}, now)
	require.NoError(t, err)
	require.NoError(t, e.Close())
	require.NoError(t, store.Close())
	require.Equal(t, 1, free.Available, "booked once")
	require.True(t, again.Replayed)
	require.Equal(t, first.Record.(*hold.Hold).ID, again.Record.(*hold.Hold).ID)
}
