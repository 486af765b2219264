package golden

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

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

// This file owns the world of which a golden directory is made. It knows of the engine only what every format's has.

var update = flag.Bool("update", false, "make the golden directory of the present format again")

const hour = 60 * 60 * 1000

// kindsOf are the kinds of rows, by their tables, that the golden directory of a format has: all there are.
func kindsOf(format int) []byte {
	kinds := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 20, 21, 30, 31, 32, 33, 40, 41, 42, 43, 44, 45}
	if format >= 2 {
		kinds = append(kinds, 46) // units of orders
	}
	return kinds
}

// commands is how many random commands there are in each of the two parts of a world: of the rows, and of the log
// behind them.
const commands = 220

// play makes a world and gives its file system as a kill leaves it. It is the same each time it is played with a seed.
// Where the twin, which the commands are drawn by, parts from the engine, the world is of no use.
func play(t *testing.T, seed uint64) (*vfs.MemFS, error) {
	fs := vfs.NewCrashableMem()
	w, err := workload.New(fs, 2)
	require.NoError(t, err)
	d := workload.Seeded{Rand: rand.New(rand.NewPCG(12, seed))}
	for tenant := range w.Tenants {
		require.NoError(t, w.Furnish(d, tenant, tenant == 1))
		require.NoError(t, w.Hook(tenant))
		require.NoError(t, w.Describe(d, tenant))
		require.NoError(t, w.Price(d, tenant))
	}
	random := func(n int) error {
		for range n {
			if d.N("time passes", 4) == 0 {
				w.Clock += int64(d.N("by", 8)) * hour / 2
			}
			tenant := d.N("tenant", 8) / 7
			_, _, fault := w.Do(tenant, workload.Command(d, w.Tenants[tenant].Twin, w.Now()))
			if fault != nil {
				return fault
			}
		}
		return nil
	}
	if err := random(commands); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	require.NoError(t, w.Close()) // all of it is rows now
	o := workload.StoreOptions(fs)
	o.NoFold = true
	w.Store, err = persist.Open(o)
	require.NoError(t, err)
	require.NoError(t, w.OpenEngine())
	seq, _ := w.Engine.State()
	if err := errors.Join(w.Resume(seq), random(commands)); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	for _, tenant := range w.Tenants {
		further(t, w, tenant.ID)
	}
	killed := fs.CrashClone(vfs.CrashCloneCfg{})
	return killed, w.Close()
}

// missing are the kinds of which a world has no row.
func missing(t *testing.T, fs vfs.FS) (list []byte) {
	store, err := persist.Open(persist.Options{Dir: workload.Dir, FS: fs, ReadOnly: true})
	require.NoError(t, err)
	have := map[byte]bool{}
	require.NoError(t, store.ScanRows(1, func(_ int, table byte, _, _ []byte) error {
		have[table] = true
		return nil
	}))
	require.NoError(t, store.Tail(func(r persist.Record) error {
		for c := range r.Changes() {
			have[c.Table] = have[c.Table] || c.After != nil
		}
		return nil
	}))
	require.NoError(t, store.Close())
	for _, k := range kindsOf(persist.Format) {
		if !have[k] {
			list = append(list, k)
		}
	}
	return list
}

// further does what random commands leave out.
func further(t *testing.T, w *workload.World, account base.ID) {
	do := func(op base.Op, key byte) any {
		c := engine.Command{Account: account, Actor: "golden", Op: op}
		if key > 0 {
			c.Idem = &engine.Idempotency{Key: base.ID{6: 0x70, 8: 0x80, 15: key}, Fingerprint: base.ID{0: key}}
		}
		res, err := w.Engine.Do(c)
		require.NoError(t, err)
		return res.Record
	}
	for i := range 2 {
		key := do(engine.CreateKey{PublicID: fmt.Sprintf("golden%d%x", i, account[15]), Label: "till",
			Scopes: []string{"*"}, Version: "2025-06"}, 0).(*base.Key)
		if i == 1 {
			do(engine.RevokeKey{ID: key.ID}, 0)
		}
	}
	tag := do(label.CreateTag{TagFields: label.TagFields{Value: "regular", Scope: label.TagCustomers}}, 1).(*label.Tag)
	labels := label.LabelsPatch{Tags: base.Some([]base.ID{tag.ID})}
	labels.External = label.ExternalPatch{ID: base.Some("crm-1"),
		Metadata: base.Some([]label.MetadataInput{{Key: "since", Value: new("2019")}})}
	ada := do(commerce.CreateCustomer{
		Contact: base.Changed(commerce.Contact{FirstName: new("Ada"), Email: new("ada@example.com")}), Labels: labels},
		2).(*commerce.Customer)
	sku := do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Kayak"}}, 3).(*stock.SKU)
	v, _ := w.Engine.View(account)
	for l := range stock.Locations(v).All() {
		article := do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Kayak", SKU: &sku.ID},
			Quantities: []stock.InitialQuantity{{Location: l.ID, Count: 9}}}, 0).(*stock.Article)
		from, to := w.Now()+24*hour, w.Now()+48*hour
		do(stock.CreateScheduledEvent{Article: article.ID, Location: l.ID,
			ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "Repair"},
			Window:               base.Span{Start: from, End: to}}, 0)
		do(hold.PlaceHold{
			Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sku.ID}, Location: l.ID,
				Window: base.Span{Start: from, End: to}, Quantity: 1}}, Customer: &ada.ID}, 4)
		line := order.OrderLineInput{Item: base.Item{SKU: sku.ID}, Purchase: base.PurchaseBooking, Quantity: 2,
			From: &from, To: &to}
		for stage := range 6 {
			in := order.OrderInput{Status: order.OrderOpen, Pickup: l.ID}
			if stage == 0 {
				in.Status = order.OrderDraft
			}
			line := line
			line.Quantity = 1
			made := do(order.CreateOrder{OrderInput: in, Lines: []order.OrderLineInput{line}}, 0).(*order.OrderRecord)
			do(order.AddComment{Order: made.ID, Content: "as agreed"}, 0)
			do(order.AddPayment{Order: made.ID, Kind: order.Capture, Amount: 500, Reference: new("pi_1"),
				Method: new("card")}, 0)
			switch stage {
			case 2:
				do(order.PrepareOrder{ID: made.ID}, 0)
			case 3, 4:
				w.Engine.Do(engine.Command{Account: account, Actor: "golden", Op: order.FulfillOrder{ID: made.ID}})
				if stage == 4 {
					w.Engine.Do(engine.Command{Account: account, Actor: "golden", Op: order.ReturnOrder{ID: made.ID}})
				}
			case 5:
				do(order.CancelOrder{ID: made.ID}, 0)
				do(order.ArchiveOrder{ID: made.ID, Archive: true}, 0)
			}
		}
		sled := do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Sled"}}, 0).(*stock.SKU)
		article = do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Sled", SKU: &sled.ID},
			Quantities: []stock.InitialQuantity{{Location: l.ID, Count: 1}}}, 0).(*stock.Article)
		h := do(hold.PlaceHold{
			Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sled.ID}, Location: l.ID,
				Window: base.Span{Start: from, End: to}, Quantity: 1}}}, 5).(*hold.Hold)
		do(hold.ReleaseHold{ID: h.ID}, 6)
		do(stock.DeleteArticle{ID: article.ID}, 0)
		do(stock.DeleteSKU{ID: sled.ID}, 0) // its hold is kept a day, and says what it was of
		break
	}
	do(commerce.CreateDiscountCode{
		DiscountTerms: commerce.DiscountTerms{Code: "SPRING", ValueType: commerce.DiscountPercentage, Value: 10}}, 0)
	for i, hook := range outbox.Webhooks(v) {
		list, _ := outbox.Deliveries(v, hook.ID, outbox.DeliveryPending, 0, 2)
		for _, d := range list {
			status := 500
			if i%2 == 0 {
				status = 200
			}
			do(outbox.RecordAttempts{
				Outcomes: []outbox.Outcome{
					{Delivery: d.ID, Body: d.Body, Attempt: outbox.Attempt{Number: d.Attempts + 1, At: w.Now(), Took: 5,
						Status: status, Answer: []byte("so")}}}}, 0)
		}
	}
}

// pack writes the files of a directory, head file and all, as they are.
func pack(t *testing.T, fs vfs.FS, dir string) []byte {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	require.NoError(t, err)
	w := tar.NewWriter(z)
	names, err := fs.List(dir)
	require.NoError(t, err)
	slices.Sort(names)
	for _, name := range names {
		f, err := fs.Open(fs.PathJoin(dir, name))
		require.NoError(t, err)
		content, err := io.ReadAll(f)
		require.NoError(t, errors.Join(err, f.Close()))
		require.NoError(t,
			w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(content)),
				ModTime: time.Unix(0, 0)}))
		_, err = w.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, errors.Join(w.Close(), z.Close()))
	return b.Bytes()
}

// unpack makes a directory of what pack wrote.
func unpack(t *testing.T, fs vfs.FS, dir string, packed []byte) {
	z, err := zstd.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	defer z.Close()
	require.NoError(t, fs.MkdirAll(dir, 0o700))
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		f, err := fs.Create(fs.PathJoin(dir, h.Name), vfs.WriteCategoryUnspecified)
		require.NoError(t, err)
		_, err = io.Copy(f, r)
		require.NoError(t, errors.Join(err, f.Sync(), f.Close()))
	}
	d, err := fs.OpenDir(dir)
	require.NoError(t, err)
	require.NoError(t, errors.Join(d.Sync(), d.Close()))
	root, err := fs.OpenDir("/")
	require.NoError(t, err)
	require.NoError(t, errors.Join(root.Sync(), root.Close()))
}

func directoryFile(format int) string { return fmt.Sprintf("testdata/format-%d.tar.zst", format) }
func backupFile(format int) string    { return fmt.Sprintf("testdata/format-%d-backup.tar.zst", format) }

// TestGoldenIsMade makes the golden directory of the present format, if it is told to.
func TestGoldenIsMade(t *testing.T) {
	if !*update {
		t.Skip("make golden")
	}
	var fs *vfs.MemFS
	for seed := uint64(0); fs == nil; seed++ {
		require.Less(t, seed, uint64(200), "no world is of use")
		is, err := play(t, seed)
		if err != nil {
			t.Logf("world %d: %.200s", seed, err)
		} else if list := missing(t, is); len(list) > 0 {
			t.Logf("world %d: no row of the tables %v", seed, list)
		} else {
			fs = is
		}
	}
	require.NoError(t, os.WriteFile(directoryFile(persist.Format), pack(t, fs, workload.Dir), 0o600))
	_, err := persist.Restore(t.Context(), persist.RestoreOptions{FS: fs, From: workload.Dir, To: "/copy"})
	require.NoError(t, err)
	var backup bytes.Buffer
	require.NoError(t, persist.WriteArchive(t.Context(), &backup, fs, "/copy", nil))
	require.NoError(t, os.WriteFile(backupFile(persist.Format), backup.Bytes(), 0o600))

	report, err := persist.Verify(workload.Dir,
		persist.VerifyOptions{FS: fs, Check: func(s *persist.Store) error { return engine.Verify(t.Context(), s, 0) }})
	require.NoError(t, err)
	require.Greater(t, report.End.Seq, report.Marker.Seq+10, "there is log behind the rows")
	t.Logf("%d rows, %d records, %d of them behind the rows", report.Rows, report.Records,
		report.End.Seq-report.Marker.Seq)
}
