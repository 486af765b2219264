package timeline

// This file owns the comparison of the sets that need no sums, in trees of tree.go and in those of tidwall/btree.
// doc.go has the figures.

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

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
	return w.add("form=own", func() form[idRow] { return &treeIDs{edit: newToken()} }).
		add("form=tidwall", newLibraryIDs)
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
	return w.add("form=own", func() form[seatRow] {
		edit := newToken()
		return &treeClasses{edit, &classes{edit: edit}}
	}).add("form=tidwall", newLibraryClasses)
}

// conflictWorkload has about ten conflicts a lot.
func conflictWorkload(size int) *workload[Placed] {
	w := &workload[Placed]{size: size}
	w.row = func(i int) Placed {
		start := benchStart + int64(scrambled(i, benchDays))*benchDay
		hold := NewHold(benchID(benchStart, i), Span{start, start + benchDay}, 0, 0)
		return Placed{hold, Place{Lot: LotNo(scrambled(i+1<<40, size/10) + 1)}}
	}
	w.order = func(a, b Placed) int {
		if conflictBefore(a, b) {
			return -1
		}
		return 1
	}
	return w.add("form=own", func() form[Placed] { return &treeConflicts{edit: newToken()} }).
		add("form=tidwall", newLibraryConflicts)
}

// TestFormsAgree drives both forms of each structure through the same changes: they have the same rows, and versions
// stay as they were.
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
//	fill     rows are put one by one from none on, a version every 25; B/row is what they weigh, thinned-B/row
//	         what each weighs once half of them were removed at random
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
				b.Run("grow/publish="+strconv.Itoa(every),
					func(b *testing.B) { w.change(b, base.fork(), every, false) })
				b.Run("churn/publish="+strconv.Itoa(every),
					func(b *testing.B) { w.change(b, base.fork(), every, true) })
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
