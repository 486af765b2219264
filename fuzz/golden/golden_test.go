package golden

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/api"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
	"holdfast/fuzz/workload"
	"holdfast/persist"
)

// This file owns the tests that open what earlier programs wrote.

// shop is an engine of today on a directory of another day.
type shop struct {
	*testing.T
	fs     vfs.FS
	dir    string
	now    int64
	draws  uint64
	store  *persist.Store
	engine *engine.Engine
}

func (s *shop) open() {
	s.Helper()
	var err error
	s.store, err = persist.Open(persist.Options{Dir: s.dir, FS: s.fs, KeepLog: persist.Keep{All: true},
		FoldBytes: 4 << 10})
	require.NoError(s, err)
	s.now = max(s.now, s.store.End().At+1)
	s.engine, err = engine.Open(context.Background(), engine.Options{
		Store: s.store, Manual: true, Checks: true, Payload: api.EventPayload, Now: func() int64 { return s.now },
		Random: func() (b [10]byte) {
			s.draws++
			r := rand.New(rand.NewPCG(s.draws, uint64(s.now)))
			for i := range b[1:] {
				b[1+i] = byte(r.Uint32())
			}
			return b
		},
	})
	require.NoError(s, err)
	require.NoError(s, s.engine.Check())
}

func (s *shop) shut() { require.NoError(s, errors.Join(s.engine.Close(), s.store.Close())) }

// do submits a command, which may be refused.
func (s *shop) do(account base.ID, op base.Op) {
	_, err := s.engine.Do(engine.Command{Account: account, Actor: "today", Op: op})
	var refusal *base.Error
	require.True(s, err == nil || errors.As(err, &refusal) && refusal.Code != base.CodeInternal &&
		refusal.Code != base.CodeStorageFailed, "%T: %v", op, err)
}

// verified demands that the closed directory is in order, and that to look changes nothing.
func (s *shop) verified() {
	s.Helper()
	before := s.bytes()
	_, err := persist.Verify(s.dir, persist.VerifyOptions{FS: s.fs,
		Check: func(store *persist.Store) error { return engine.Verify(s.Context(), store, s.now) }})
	require.NoError(s, err)
	require.Equal(s, before, s.bytes())
}

// bytes are the files of the directory.
func (s *shop) bytes() map[string][]byte {
	files := map[string][]byte{}
	names, err := s.fs.List(s.dir)
	require.NoError(s, err)
	for _, n := range names {
		f, err := s.fs.Open(s.fs.PathJoin(s.dir, n))
		require.NoError(s, err)
		var b bytes.Buffer
		_, err = b.ReadFrom(f)
		require.NoError(s, errors.Join(err, f.Close()))
		files[n] = b.Bytes()
	}
	return files
}

// rows are the stored rows of a closed directory as they are behind the whole log.
func (s *shop) rows() map[string]string {
	store, err := persist.Open(persist.Options{Dir: s.dir, FS: s.fs, ReadOnly: true})
	require.NoError(s, err)
	defer store.Close()
	rows := map[string]string{}
	require.NoError(s, store.ScanRows(1, func(_ int, table byte, key, value []byte) error {
		rows[string(append([]byte{table}, key...))] = string(value)
		return nil
	}))
	require.NoError(s, store.Tail(func(r persist.Record) error {
		for c := range r.Changes() {
			row := string(append([]byte{c.Table}, c.Key...))
			if rows[row] = string(c.After); c.After == nil {
				delete(rows, row)
			}
		}
		return nil
	}))
	return rows
}

// touch changes what there is of every kind, as an interface would.
func (s *shop) touch() {
	text := base.Some(fmt.Sprint("changed at ", s.now))
	for _, account := range s.engine.Accounts() {
		v, _ := s.engine.View(account)
		s.do(account, base.PatchAccount{Fields: base.Changed(base.AccountFields{Name: text.Value})})
		for k := range engine.Keys(v).All() {
			s.do(account, engine.RevokeKey{ID: k.ID})
		}
		for l := range stock.Locations(v).All() {
			s.do(account, stock.PatchLocation{ID: l.ID, Fields: base.Changed(stock.LocationFields{Name: text.Value})})
		}
		for k := range stock.SKUs(v).All() {
			s.do(account, stock.PatchSKU{ID: k.ID, Fields: base.Changed(stock.SKUFields{Name: text.Value})})
		}
		for r := range stock.Articles(v).All() {
			s.do(account, stock.PatchArticle{ID: r.ID, Fields: base.Changed(stock.ArticleFields{Name: text.Value})})
			for l := range stock.Locations(v).All() {
				s.do(account, stock.IncreaseQuantity{Article: r.ID, Location: l.ID, Amount: 2})
				s.do(account, stock.DecreaseQuantity{Article: r.ID, Location: l.ID, Amount: 1, Force: true})
			}
			for _, e := range stock.ScheduledEvents(v, nil, r.ID, base.ID{}, base.Span{End: base.Forever}) {
				s.do(account, stock.PatchScheduledEvent{Article: r.ID, ID: e.ID,
					Fields: base.Changed(stock.ScheduledEventFields{Name: text.Value})})
			}
		}
		for p := range commerce.PricingTables(v).All() {
			s.do(account, commerce.PatchPricingTable{ID: p.ID,
				Fields: base.Changed(commerce.PricingTableFields{Name: text.Value})})
		}
		items, _ := commerce.Catalog(v, commerce.CatalogFilter{Active: true, Archived: true}, 0, 1000)
		for _, i := range items {
			s.do(account, commerce.PatchCatalogItem{ID: i.ID,
				Fields: base.Changed(commerce.CatalogFields{Name: text.Value})})
		}
		for g := range label.Tags(v).All() {
			s.do(account, label.PatchTag{ID: g.ID, Fields: base.Changed(label.TagFields{Value: text.Value})})
		}
		for d := range label.Attributes(v).All() {
			s.do(account, label.PatchAttribute{ID: d.ID, Fields: base.Changed(label.AttributeFields{Name: text.Value})})
		}
		for m := range commerce.Customers(v).All() {
			s.do(account, commerce.PatchCustomer{ID: m.ID,
				Contact: base.Changed(commerce.Contact{FirstName: &text.Value})})
		}
		for o := range order.Orders(v).All() {
			s.do(account, order.AddComment{Order: o.ID, Content: "changed"})
			s.do(account, order.PatchOrder{ID: o.ID, Fields: base.Changed(order.OrderInput{Note: &text.Value})})
			s.do(account, order.FulfillOrder{ID: o.ID})
			s.do(account, order.ReturnOrder{ID: o.ID})
			s.do(account, order.CancelOrder{ID: o.ID})
		}
		codes, _ := commerce.DiscountCodes(v, "", 0, 1000)
		for _, d := range codes {
			s.do(account, commerce.PatchDiscountCode{ID: d.ID,
				Fields: base.Changed(commerce.DiscountTerms{Value: int64(7)})})
		}
		for _, hook := range outbox.Webhooks(v) {
			list, _ := outbox.Deliveries(v, hook.ID, outbox.DeliveryPending, 0, 3)
			for _, d := range list {
				s.do(account, outbox.RecordAttempts{
					Outcomes: []outbox.Outcome{
						{Delivery: d.ID, Attempt: outbox.Attempt{Number: d.Attempts + 1, At: s.now, Status: 500}}}})
			}
			s.do(account, outbox.PatchWebhook{ID: hook.ID,
				Fields: base.Changed(outbox.WebhookFields{Label: &text.Value})})
		}
		for h := range hold.EachHold(v) {
			s.do(account, hold.ReleaseHold{ID: h.ID})
		}
	}
}

// changed are the tables of which the log changes or deletes a row behind a record, and rewritten how many rows are
// written anew.
func (s *shop) changed(after uint64) (tables map[byte]bool, rewritten int) {
	tables = map[byte]bool{}
	last, _ := s.engine.State()
	for seq := after + 1; seq <= last; seq++ {
		r, err := s.store.Record(seq)
		require.NoError(s, err)
		for c := range r.Changes() {
			if r.Rewrite {
				rewritten++
			} else if c.Before != nil {
				tables[c.Table] = true
			}
		}
	}
	return tables, rewritten
}

// made are the tables whose rows are made once and stay as they are: lots, and what is kept of the numbers of records
// that are gone.
var made = []byte{7, 33}

func TestEveryFormatOpens(t *testing.T) {
	for format := 1; format <= persist.Format; format++ {
		packed, err := os.ReadFile(directoryFile(format))
		require.NoError(t, err, "each format has its golden directory: run make golden, and commit what it makes")
		backup, err := os.ReadFile(backupFile(format))
		require.NoError(t, err)
		t.Run(fmt.Sprint("directory of format ", format), func(t *testing.T) {
			fs := vfs.NewCrashableMem()
			unpack(t, fs, workload.Dir, packed)
			everything(&shop{T: t, fs: fs, dir: workload.Dir}, fs, format)
		})
		t.Run(fmt.Sprint("backup of format ", format), func(t *testing.T) {
			fs := vfs.NewCrashableMem()
			_, err := persist.Restore(t.Context(),
				persist.RestoreOptions{FS: fs, Archive: bytes.NewReader(backup), To: workload.Dir,
					RowHash: base.RowHash})
			require.NoError(t, err)
			everything(&shop{T: t, fs: fs, dir: workload.Dir}, fs, format)
		})
	}
}

// everything takes a directory of a format through all that a merchant and an operator do with it.
func everything(s *shop, fs *vfs.MemFS, format int) {
	s.verified()
	store, err := persist.Open(persist.Options{Dir: s.dir, FS: s.fs, ReadOnly: true})
	require.NoError(s, err)
	old, form := store.End(), store.Form()
	require.NoError(s, store.Close())
	require.EqualValues(s, format, form.Format)
	stored := s.rows()
	have := map[byte]bool{}
	for row := range stored {
		have[row[0]] = true
	}
	for _, k := range kindsOf(format) {
		require.True(s, have[k], "table %d has no row", k)
	}

	s.open()
	require.EqualValues(s, persist.Format, s.store.Form().Format)
	_, rewritten := s.changed(old.Seq)
	if format == persist.Format {
		require.Zero(s, rewritten, "rows of the present format are written in other bytes than they were: "+
			"persist.Format moves with that, and make golden makes its directory")
	}
	s.touch()
	s.now += 2 * 24 * hour
	require.NoError(s, s.engine.Tick(s.Context()))
	require.NoError(s, s.engine.Sweep(s.Context()))
	s.now += 60 * 24 * hour
	require.NoError(s, s.engine.Tick(s.Context()))
	require.NoError(s, s.engine.TrimDeliveries(s.Context()))
	tables, _ := s.changed(old.Seq)
	var same []byte
	for _, k := range kindsOf(persist.Format) {
		if !tables[k] {
			same = append(same, k)
		}
	}
	require.Subset(s, made, same, "the tables of which no row was changed")
	require.NoError(s, s.engine.Check())
	seq, hash := s.engine.State()

	// Killed, started again.
	was := s.engine
	s.fs = fs.CrashClone(vfs.CrashCloneCfg{})
	require.NoError(s, was.Close())
	s.verified()
	s.open()
	gotSeq, gotHash := s.engine.State()
	require.Equal(s, [2]uint64{seq, hash}, [2]uint64{gotSeq, gotHash})
	s.touch()
	seq, hash = s.engine.State()

	// Backed up while it runs, and restored: to the end, and to before today's program came.
	var archive bytes.Buffer
	_, err = s.store.WriteCheckpoint(s.Context(), &archive, nil)
	require.NoError(s, err)
	s.shut()
	s.verified()
	for _, at := range []persist.Point{{}, persist.AtSeq(old.Seq)} {
		r := &shop{T: s.T, fs: s.fs, dir: "/restored"}
		_, err := persist.Restore(s.Context(),
			persist.RestoreOptions{FS: s.fs, Archive: bytes.NewReader(archive.Bytes()), To: r.dir, At: at,
				RowHash: base.RowHash})
		require.NoError(s, err)
		r.verified()
		if at == (persist.Point{}) {
			r.open()
			gotSeq, gotHash := r.engine.State()
			require.Equal(s, [2]uint64{seq, hash}, [2]uint64{gotSeq, gotHash})
		} else {
			require.Equal(s, stored, r.rows(), "the bytes of then")
			r.open()
			r.touch()
		}
		require.NoError(s, r.engine.Check())
		r.shut()
		r.verified()
		require.NoError(s, s.fs.RemoveAll(r.dir))
	}
}
