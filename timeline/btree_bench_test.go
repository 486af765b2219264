package timeline

// This file owns the comparison of ids, classes and conflicts, which need no sums, with the same rows in trees of tidwall/btree. doc.go has the figures.

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/btree"
)

// form is one structure in one kind of tree. A version that publish gave never changes; fork goes on from a version.
type form[E any] interface {
	put(e E)
	del(e E) bool
	get(e E) bool
	scan(from E) int // reads on from a row as the engine does, and counts what it sees
	publish() form[E]
	fork() form[E]
	load(ordered []E)
}

// idRow is where the hold of an id is.
type idRow struct {
	id    key
	where uint32
}

// conflictRow is a conflict of a lot.
type conflictRow struct {
	hold Hold
	lot  LotNo
}

// seatRow is a seat on its slot: the key of the classes, and the end.
type seatRow struct {
	at  key
	end int64
}

func (r seatRow) seat() Span   { return Span{r.at.time(), r.end} }
func (r seatRow) place() Place { return Place{LotNo(r.at.lower()), SlotNo(r.at.upper())} }

// pageRows is how many ids a page of a list reads.
const pageRows = 50

// whole is a tree that was built of rows in order.
func whole[K sorter[K], V any](t tree[K, V], ok bool) tree[K, V] {
	if !ok {
		panic("rows out of order")
	}
	return t
}

type treeIDs struct {
	edit *token
	rows tree[key, uint32]
}

func (f *treeIDs) put(e idRow)      { f.rows.set(f.edit, e.id, e.where) }
func (f *treeIDs) del(e idRow) bool { _, ok := f.rows.del(f.edit, e.id); return ok }
func (f *treeIDs) get(e idRow) bool { _, ok := f.rows.get(e.id); return ok }

func (f *treeIDs) scan(from idRow) (n int) {
	f.rows.scan(from.id, func(keys []key, _ []uint32) bool {
		n += len(keys)
		return n < pageRows
	})
	return min(n, pageRows)
}

func (f *treeIDs) publish() form[idRow] {
	p := &treeIDs{newToken(), f.rows}
	f.edit = f.edit.next()
	return p
}

func (f *treeIDs) fork() form[idRow] { return &treeIDs{newToken(), f.rows} }

func (f *treeIDs) load(ordered []idRow) {
	b := treeBuilder[key, uint32, struct{}, none[key, uint32]]{edit: f.edit}
	for _, e := range ordered {
		b.add(e.id, e.where)
	}
	f.rows = whole(b.tree())
}

type treeClasses struct {
	edit *token
	rows *classes
}

func (f *treeClasses) put(e seatRow) {
	f.rows = f.rows.own(f.edit)
	f.rows.put(f.edit, e.seat(), e.place())
}

func (f *treeClasses) del(e seatRow) bool {
	f.rows = f.rows.own(f.edit)
	_, ok := f.rows.of[lengthClass(e.seat())].del(f.edit, e.at)
	return ok
}

func (f *treeClasses) get(e seatRow) bool {
	_, ok := f.rows.of[lengthClass(e.seat())].get(e.at)
	return ok
}

func (f *treeClasses) scan(from seatRow) (n int) {
	f.rows.overlapping(dayOf(from), func(Span, Place) bool {
		n++
		return true
	})
	return n
}

// dayOf is the day that begins with a seat.
func dayOf(e seatRow) Span { return Span{e.at.time(), e.at.time() + benchDay} }

func (f *treeClasses) publish() form[seatRow] {
	p := &treeClasses{newToken(), f.rows}
	f.edit = f.edit.next()
	return p
}

func (f *treeClasses) fork() form[seatRow] { return &treeClasses{newToken(), f.rows} }

func (f *treeClasses) load(ordered []seatRow) {
	f.rows = &classes{edit: f.edit}
	var of [classCount]treeBuilder[key, int64, struct{}, none[key, int64]]
	for _, e := range ordered {
		of[lengthClass(e.seat())].add(e.at, e.end)
	}
	for c := range of {
		f.rows.of[c] = whole(of[c].tree())
	}
}

type treeConflicts struct {
	edit *token
	rows tree[idKey, Hold]
}

func (e *conflictRow) key() idKey { return idKey{e.lot, e.hold.ID} }

func (f *treeConflicts) put(e conflictRow)      { f.rows.set(f.edit, e.key(), e.hold) }
func (f *treeConflicts) del(e conflictRow) bool { _, ok := f.rows.del(f.edit, e.key()); return ok }
func (f *treeConflicts) get(e conflictRow) bool { _, ok := f.rows.get(e.key()); return ok }

func (f *treeConflicts) scan(from conflictRow) (n int) {
	f.rows.scan(idKey{lot: from.lot}, func(keys []idKey, _ []Hold) bool {
		for _, k := range keys {
			if k.lot != from.lot {
				return false
			}
			n++
		}
		return true
	})
	return n
}

func (f *treeConflicts) publish() form[conflictRow] {
	p := &treeConflicts{newToken(), f.rows}
	f.edit = f.edit.next()
	return p
}

func (f *treeConflicts) fork() form[conflictRow] { return &treeConflicts{newToken(), f.rows} }

func (f *treeConflicts) load(ordered []conflictRow) {
	f.rows = whole(build[idKey, Hold, struct{}, none[idKey, Hold]](f.edit, len(ordered), func(i int) (idKey, Hold) {
		return ordered[i].key(), ordered[i].hold
	}))
}

// libraryRows is one tree of the library.
type libraryRows[E any] struct{ *btree.BTreeG[E] }

func newLibraryRows[E any](less func(a, b E) bool) libraryRows[E] {
	return libraryRows[E]{btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}
}

func (f libraryRows[E]) put(e E)      { f.Set(e) }
func (f libraryRows[E]) del(e E) bool { _, ok := f.Delete(e); return ok }
func (f libraryRows[E]) get(e E) bool { _, ok := f.Get(e); return ok }

func (f libraryRows[E]) load(ordered []E) {
	for _, e := range ordered {
		f.Load(e)
	}
}

type libraryIDs struct{ libraryRows[idRow] }

func newLibraryIDs() form[idRow] {
	return libraryIDs{newLibraryRows(func(a, b idRow) bool { return a.id.before(b.id) })}
}

func (f libraryIDs) scan(from idRow) (n int) {
	f.Ascend(from, func(idRow) bool {
		n++
		return n < pageRows
	})
	return n
}

func (f libraryIDs) publish() form[idRow] { return libraryIDs{libraryRows[idRow]{f.Copy()}} }
func (f libraryIDs) fork() form[idRow]    { return f.publish() }

type libraryConflicts struct{ libraryRows[conflictRow] }

func newLibraryConflicts() form[conflictRow] {
	return libraryConflicts{newLibraryRows(func(a, b conflictRow) bool { return a.key().before(b.key()) })}
}

func (f libraryConflicts) scan(from conflictRow) (n int) {
	f.Ascend(conflictRow{lot: from.lot}, func(e conflictRow) bool {
		if e.lot != from.lot {
			return false
		}
		n++
		return true
	})
	return n
}

func (f libraryConflicts) publish() form[conflictRow] {
	return libraryConflicts{libraryRows[conflictRow]{f.Copy()}}
}

func (f libraryConflicts) fork() form[conflictRow] { return f.publish() }

// libraryClasses has a tree of the library for each length class. Only those that changed since are copied for a version.
type libraryClasses struct {
	of      [classCount]libraryRows[seatRow]
	version [classCount]libraryRows[seatRow]
	changed uint64 // a bit a class
}

func newLibraryClasses() form[seatRow] {
	f := new(libraryClasses)
	for c := range f.of {
		f.of[c] = newLibraryRows(func(a, b seatRow) bool { return a.at.before(b.at) })
	}
	f.version = f.of
	return f
}

func (f *libraryClasses) own(e seatRow) libraryRows[seatRow] {
	c := lengthClass(e.seat())
	f.changed |= 1 << c
	return f.of[c]
}

func (f *libraryClasses) put(e seatRow)      { f.own(e).put(e) }
func (f *libraryClasses) del(e seatRow) bool { return f.own(e).del(e) }
func (f *libraryClasses) get(e seatRow) bool { return f.of[lengthClass(e.seat())].get(e) }

func (f *libraryClasses) scan(from seatRow) (n int) {
	w := dayOf(from)
	end := timeKey(w.End, 0, 0)
	for c, t := range f.of {
		if t.Len() == 0 {
			continue
		}
		t.Ascend(seatRow{at: timeKey(reach(c, w.Start), 0, 0)}, func(e seatRow) bool {
			if !e.at.before(end) {
				return false
			}
			if e.end > w.Start {
				n++
			}
			return true
		})
	}
	return n
}

func (f *libraryClasses) publish() form[seatRow] {
	for c := range f.of {
		if f.changed&(1<<c) != 0 {
			f.version[c].BTreeG = f.of[c].Copy()
		}
	}
	f.changed = 0
	return &libraryClasses{of: f.version}
}

func (f *libraryClasses) fork() form[seatRow] {
	n := &libraryClasses{version: f.of}
	for c := range f.of {
		n.of[c].BTreeG = f.of[c].Copy()
	}
	return n
}

func (f *libraryClasses) load(ordered []seatRow) {
	for _, e := range ordered {
		f.own(e).Load(e)
	}
}

// workload is the rows of a structure: row i is made i-th, and order is that of the tree.
type workload[E any] struct {
	size  int
	row   func(i int) E
	order func(a, b E) int
	forms []struct {
		name string
		make func() form[E]
	}
}

func (w *workload[E]) add(name string, make func() form[E]) *workload[E] {
	w.forms = append(w.forms, struct {
		name string
		make func() form[E]
	}{name, make})
	return w
}

// scrambled is a number below n that depends on i alone and looks like chance.
func scrambled(i, n int) int {
	x := uint64(i+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((x ^ x>>31) % uint64(n))
}

func idWorkload(size int) *workload[idRow] {
	w := &workload[idRow]{size: size}
	w.row = func(i int) idRow { return idRow{benchID(benchStart, i).key(), uint32(i)} }
	w.order = func(a, b idRow) int { return a.id.compare(b.id) }
	return w.add("form=timeline", func() form[idRow] { return &treeIDs{edit: newToken()} }).add("form=tidwall", newLibraryIDs)
}

// classWorkload has seats of an hour to 14 days over two years on 191,000 slots, as the data set has.
func classWorkload(size int) *workload[seatRow] {
	w := &workload[seatRow]{size: size}
	w.row = func(i int) seatRow {
		start := benchStart + int64(scrambled(i, benchDays*benchDay))
		slot := uint32(scrambled(i+1<<40, 191_000) + 1)
		return seatRow{timeKey(start, slot, slot/2+1), start + int64(60+scrambled(i+1<<41, 14*24*60-60))*60_000}
	}
	w.order = func(a, b seatRow) int { return a.at.compare(b.at) }
	return w.add("form=timeline", func() form[seatRow] {
		edit := newToken()
		return &treeClasses{edit, &classes{edit: edit}}
	}).add("form=tidwall", newLibraryClasses)
}

// conflictWorkload has about ten conflicts a lot.
func conflictWorkload(size int) *workload[conflictRow] {
	w := &workload[conflictRow]{size: size}
	w.row = func(i int) conflictRow {
		start := benchStart + int64(scrambled(i, benchDays))*benchDay
		return conflictRow{NewHold(benchID(benchStart, i), Span{start, start + benchDay}, 0, 0), LotNo(scrambled(i, size/10) + 1)}
	}
	w.order = func(a, b conflictRow) int {
		if a.key().before(b.key()) {
			return -1
		}
		return 1
	}
	return w.add("form=timeline", func() form[conflictRow] { return &treeConflicts{edit: newToken()} }).
		add("form=tidwall", newLibraryConflicts)
}

// TestFormsAgree drives both forms of each structure through the same changes: they have the same rows, and versions stay as they were.
func TestFormsAgree(t *testing.T) {
	t.Run("ids", func(t *testing.T) { agree(t, idWorkload(3000)) })
	t.Run("classes", func(t *testing.T) { agree(t, classWorkload(3000)) })
	t.Run("conflicts", func(t *testing.T) { agree(t, conflictWorkload(3000)) })
}

func agree[E any](t *testing.T, w *workload[E]) {
	var forms, early []form[E]
	for _, f := range w.forms {
		forms = append(forms, f.make())
	}
	seen := func(forms []form[E]) (list [][]int) {
		for _, f := range forms {
			var counts []int
			for i := range w.size {
				if counts = append(counts, f.scan(w.row(i))); f.get(w.row(i)) {
					counts = append(counts, -1)
				}
			}
			list = append(list, counts)
		}
		return list
	}
	for _, f := range forms {
		for i := range w.size {
			f.put(w.row(i))
		}
		early = append(early, f.publish())
	}
	before := seen(early)
	require.Equal(t, before[0], before[1])
	for i := 0; i < w.size; i += 3 {
		for _, f := range forms {
			require.True(t, f.del(w.row(i)))
		}
	}
	after := seen(forms)
	require.Equal(t, after[0], after[1])
	require.NotEqual(t, before[0], after[0])
	require.Equal(t, before, seen(early))
	for _, f := range w.forms {
		loaded := f.make()
		loaded.load(w.ordered())
		require.Equal(t, before[0], seen([]form[E]{loaded})[0])
	}
}

// ordered is all rows in the order of the tree.
func (w *workload[E]) ordered() []E {
	rows := make([]E, w.size)
	for i := range rows {
		rows[i] = w.row(i)
	}
	slices.SortFunc(rows, w.order)
	return rows
}

// versionsHeld is how many older versions somebody still reads.
const versionsHeld = 16

// BenchmarkForms compares the structures of a million rows, conflicts of 20,000, in both forms.
//
//	fill     rows are put one by one from none on, a version every 25; B/row is what they weigh, thinned-B/row once half of them are gone at random
//	load     all rows at once, in order
//	grow     one more row, a version every so many; 16 older versions are held
//	churn    one row more and a random one less, likewise
//	get      a row by its key
//	scan     a page of ids, the seats that share a day, the conflicts of a lot
func BenchmarkForms(b *testing.B) {
	b.Run("ids", func(b *testing.B) { compare(b, idWorkload(1_000_000)) })
	b.Run("classes", func(b *testing.B) { compare(b, classWorkload(1_000_000)) })
	b.Run("conflicts", func(b *testing.B) { compare(b, conflictWorkload(20_000)) })
}

func compare[E any](b *testing.B, w *workload[E]) {
	for _, f := range w.forms {
		b.Run(f.name, func(b *testing.B) {
			var base form[E]
			b.Run("fill", func(b *testing.B) { base = w.fill(b, f.make) })
			b.Run("load", func(b *testing.B) { w.bulk(b, f.make) })
			if base == nil {
				base = w.filled(f.make())
			}
			for _, every := range []int{1, 100} {
				b.Run("grow/publish="+strconv.Itoa(every), func(b *testing.B) { w.change(b, base.fork(), every, false) })
				b.Run("churn/publish="+strconv.Itoa(every), func(b *testing.B) { w.change(b, base.fork(), every, true) })
			}
			b.Run("get", func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					base.get(w.row(scrambled(i, w.size)))
				}
			})
			b.Run("scan", func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					base.scan(w.row(scrambled(i, w.size)))
				}
			})
		})
	}
}

func (w *workload[E]) filled(f form[E]) form[E] {
	for i := range w.size {
		if f.put(w.row(i)); i%25 == 0 {
			f.publish()
		}
	}
	return f.publish()
}

func (w *workload[E]) fill(b *testing.B, make func() form[E]) (base form[E]) {
	b.ReportAllocs()
	weight := 0.0
	for b.Loop() {
		base = nil
		b.StopTimer()
		before := heap()
		b.StartTimer()
		base = w.filled(make())
		b.StopTimer()
		weight = float64(heap()-before) / float64(w.size)
		b.StartTimer()
	}
	b.ReportMetric(weight, "B/row")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*w.size), "ns/row")
	before := heap()
	thin := base.fork()
	for i, n := range rand.New(rand.NewPCG(1, 2)).Perm(w.size)[:w.size/2] {
		if thin.del(w.row(n)); i%25 == 0 {
			thin.publish()
		}
	}
	base = nil
	// What is left of the whole is gone: the difference is against the weight that it had.
	b.ReportMetric((weight*float64(w.size)+float64(heap())-float64(before))/float64(w.size-w.size/2), "thinned-B/row")
	runtime.KeepAlive(thin)
	return w.filled(make())
}

func (w *workload[E]) bulk(b *testing.B, make func() form[E]) {
	rows := w.ordered()
	b.ReportAllocs()
	var f form[E]
	weight := 0.0
	for b.Loop() {
		f = nil
		b.StopTimer()
		before := heap()
		b.StartTimer()
		f = make()
		f.load(rows)
		b.StopTimer()
		weight = float64(heap()-before) / float64(w.size)
		b.StartTimer()
	}
	b.ReportMetric(weight, "B/row")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*w.size), "ns/row")
	runtime.KeepAlive(f)
	runtime.KeepAlive(rows)
}

// change puts rows, and with churn takes as many out, and makes a version every so many changes.
func (w *workload[E]) change(b *testing.B, f form[E], every int, churn bool) {
	live := make([]int32, w.size)
	for i := range live {
		live[i] = int32(i)
	}
	var held [versionsHeld]form[E]
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		n := w.size + i
		f.put(w.row(n))
		if churn {
			j := scrambled(i, w.size)
			f.del(w.row(int(live[j])))
			live[j] = int32(n)
		}
		if i%every == 0 {
			held[i/every%versionsHeld] = f.publish()
		}
	}
	runtime.KeepAlive(held)
}
