package timeline

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// dataset is a merchant's stock: 100,000 articles of 2,000 SKUs at 10 locations, each at one of them, one unit of 90 %
// and ten of 10 %; and 1,000,000 holds of an hour to 14 days over 24 months, Zipf over SKUs: what a popular one cannot
// take goes to the next. BENCH_SCALE=10 in the environment is ten times that.
type dataset struct {
	lots  []Lot
	slots []Slot
	holds []Placed
}

const (
	benchStart = int64(1_735_689_600_000) // 2025-01-01
	benchDay   = 24 * 3_600_000
	benchDays  = 730
)

func benchID(ms int64, i int) (id ID) {
	binary.BigEndian.PutUint64(id[:8], uint64(ms)<<16|0x7000)
	binary.BigEndian.PutUint64(id[8:], 1<<63|uint64(i))
	return id
}

var bench = sync.OnceValue(func() *dataset {
	if os.Getenv("BENCH_SCALE") == "10" {
		return newDataset(20_000)
	}
	return newDataset(2000)
})

var smallDataset = sync.OnceValue(func() *dataset { return newDataset(40) })

// newDataset has 50 articles and 500 holds for each SKU.
func newDataset(skus int) *dataset {
	rnd := rand.New(rand.NewPCG(1, 2))
	d := &dataset{}
	type pool struct{ slots []int32 }
	pools := make([]pool, skus*10)
	for i := range 50 * skus {
		sku, location := rnd.IntN(skus), rnd.IntN(10)
		p := sku*10 + location
		lot := Lot{LotNo(i + 1), uint32(i + 1), uint32(location + 1), PoolNo(p + 1)}
		d.lots = append(d.lots, lot)
		n := 1
		if i%10 == 7 {
			n = 10
		}
		for range n {
			no := SlotNo(len(d.slots) + 1)
			d.slots = append(d.slots,
				Slot{benchID(benchStart, int(no)), no, lot.No, Span{benchStart - 30*benchDay, Forever}})
			pools[p].slots = append(pools[p].slots, int32(no))
		}
	}
	busy := make([][][2]int32, len(d.slots)+1) // minutes, unsorted
	zipf := rand.NewZipf(rnd, 1.1, 1, uint64(skus-1))
	for len(d.holds) < 500*skus {
		sku := int(zipf.Uint64())
		minutes := int32(60 + rnd.IntN(14*24*60-60))
		from := int32(rnd.IntN(benchDays*24*60 - int(minutes)))
		location := rnd.IntN(10)
	place:
		for try := 0; try < 40; try++ {
			slots := pools[(sku+try/2)%skus*10+location].slots
			if len(slots) == 0 {
				continue
			}
			no := slots[rnd.IntN(len(slots))]
			if len(busy[no]) > 90 {
				continue
			}
			for _, b := range busy[no] {
				if from < b[1] && b[0] < from+minutes {
					continue place
				}
			}
			busy[no] = append(busy[no], [2]int32{from, from + minutes})
			slot := d.slots[no-1]
			start := benchStart + int64(from)*60_000
			h := NewHold(benchID(benchStart, len(d.holds)), Span{start, start + int64(minutes)*60_000}, 0, 0)
			h.Kind, h.Owner = Booking, uint64(len(d.holds))
			d.holds = append(d.holds, Placed{h, Place{slot.Lot, slot.No}})
			break
		}
	}
	return d
}

// load is the data set as start-up makes it.
func (d *dataset) load() *Stock {
	l := NewLoader()
	for _, lot := range d.lots {
		l.AddLot(lot)
	}
	for _, slot := range d.slots {
		l.AddSlot(slot)
	}
	for chunk := range slices.Chunk(d.holds, 1000) {
		l.AddHolds(chunk)
	}
	s, err := l.Finish()
	if err != nil {
		panic(err)
	}
	return s
}

// empty is a Stock with the lots and slots of the data set, and no holds.
func (d *dataset) empty() *Stock {
	s := New()
	for _, l := range d.lots {
		s.AddLot(l.No, l.Article, l.Location)
		s.SetPool(l.No, l.Pool)
	}
	for _, slot := range d.slots {
		s.PutSlot(slot)
	}
	return s
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

var benchStock = sync.OnceValue(func() *Stock {
	s := bench().empty()
	for i, h := range bench().holds {
		s.Put(h.Hold, h.Place)
		if i%25 == 0 {
			s.Publish()
		}
	}
	return s.Publish()
})

// BenchmarkPut seats the data set one by one, publishing every 25, and reports what it weighs.
func BenchmarkPut(b *testing.B) {
	d := bench()
	before := heap()
	var s *Stock
	var m, m2 runtime.MemStats
	for b.Loop() {
		s = d.empty()
		runtime.ReadMemStats(&m)
		start := time.Now()
		for i, h := range d.holds {
			s.Put(h.Hold, h.Place)
			if i%25 == 0 {
				s.Publish()
			}
		}
		n := float64(len(d.holds))
		b.ReportMetric(float64(time.Since(start).Nanoseconds())/n, "ns/hold")
		runtime.ReadMemStats(&m2)
		b.ReportMetric(float64(m2.TotalAlloc-m.TotalAlloc)/n, "allocB/hold")
		b.ReportMetric(float64(m2.Mallocs-m.Mallocs)/n, "allocs/hold")
	}
	b.ReportMetric(float64(heap()-before)/float64(len(d.holds)), "B/hold")
	runtime.KeepAlive(s)
	runtime.KeepAlive(d)
}

// BenchmarkLoad loads the data set, and reports what it weighs.
func BenchmarkLoad(b *testing.B) {
	d := bench()
	before := heap()
	var s *Stock
	for b.Loop() {
		s = d.load()
	}
	b.ReportMetric(float64(heap()-before)/float64(len(d.holds)), "B/hold")
	runtime.KeepAlive(s)
	runtime.KeepAlive(d)
}

func windows(n int, days int64) []Span {
	rnd := rand.New(rand.NewPCG(3, 4))
	list := make([]Span, n)
	for i := range list {
		from := benchStart + rnd.Int64N((benchDays-days)*24)*3_600_000
		list[i] = Span{from, from + days*benchDay}
	}
	return list
}

func BenchmarkMinFreeLot(b *testing.B) {
	s, w := benchStock(), windows(1000, 7)
	n := uint32(len(bench().lots))
	b.ReportAllocs()
	i := uint32(0)
	for b.Loop() {
		s.MinFree(LotRef(LotNo(i*2654435761%n+1)), w[i%1000])
		i++
	}
}

func BenchmarkMinFreePool(b *testing.B) {
	s, w := benchStock(), windows(1000, 7)
	n := uint32(s.pools.n)
	b.ReportAllocs()
	i := uint32(0)
	for b.Loop() {
		s.MinFree(SKURef(PoolNo(i*2654435761%n+1)), w[i%1000])
		i++
	}
}

func BenchmarkFind(b *testing.B) {
	s, d := benchStock(), bench()
	b.ReportAllocs()
	i := uint32(0)
	for b.Loop() {
		s.Find(d.holds[i*2654435761%uint32(len(d.holds))].ID)
		i++
	}
}

func BenchmarkRanking(b *testing.B) {
	s, w := benchStock(), windows(1000, 7)
	var r Ranking
	dst := make([]Ranked, 0, 50)
	for _, page := range []int{0, 4, 20, 400, 1999} {
		for _, desc := range []bool{false, true} {
			b.Run(fmt.Sprintf("page=%d/desc=%v", page, desc), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					s.FreeRanking(&r, RankQuery{Window: w[i%1000], Articles: len(bench().lots), Desc: desc,
						Offset: page * 50, Limit: 50}, dst)
					i++
				}
			})
		}
	}
}

// onePool is a pool of so many slots, of one lot or a lot each, with fifty holds a slot.
func onePool(slots int, lots bool) (*Stock, []Slot) {
	rnd := rand.New(rand.NewPCG(5, 6))
	s := New()
	var list []Slot
	for i := range slots {
		lot := LotNo(1)
		if lots {
			lot = LotNo(i + 1)
		}
		if lots || i == 0 {
			s.AddLot(lot, uint32(lot), 1)
			s.SetPool(lot, 1)
		}
		list = append(list, Slot{benchID(benchStart, i), SlotNo(i + 1), lot, Span{benchStart - benchDay, Forever}})
		s.PutSlot(list[i])
	}
	for i := range 50 * slots {
		from := benchStart + rnd.Int64N(benchDays*24*60)*60_000
		need := Span{from, from + 3_600_000 + rnd.Int64N(14*24*60)*60_000}
		if no, ok := s.TightGap(SKURef(1), need); ok {
			s.Put(NewHold(benchID(benchStart, i), need, 0, 0), Place{list[no-1].Lot, no})
		}
	}
	return s.Publish(), list
}

func BenchmarkLargePool(b *testing.B) {
	for _, slots := range []int{10, 32, 50, 260, 1000, 10_000} {
		s, list := onePool(slots, slots < 10_000)
		w := windows(1000, 7)
		run := func(name string, do func(i int)) {
			b.Run(fmt.Sprintf("%s/slots=%d", name, slots), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					do(i)
					i++
				}
			})
		}
		run("MinFree", func(i int) { s.MinFree(SKURef(1), w[i%1000]) })
		run("TightGap", func(i int) { s.TightGap(SKURef(1), Span{w[i%1000].Start, w[i%1000].Start + 3*benchDay}) })
		run("FreeThroughout", func(i int) { s.FreeThroughout(SKURef(1), w[i%1000]) })
		run("Sweep90", func(i int) {
			from := w[i%1000].Start
			s.Sweep(SKURef(1), Span{from, from + 90*benchDay}, func(Span, Count) bool { return true })
		})
		var least []int
		pools := []PoolRef{SKURef(1)}
		run("MinFrees90", func(i int) {
			edges := make([]int64, 91)
			for day := range edges {
				edges[day] = w[i%1000].Start + int64(day)*benchDay
			}
			least = s.MinFrees(pools, edges, least[:0])
		})
		f := s.Fork()
		n := 50 * slots
		run("PutRemove", func(i int) { // publishing every 25
			if i%25 == 0 {
				f.Publish()
			}
			n++
			need := Span{w[i%1000].Start, w[i%1000].Start + 3*benchDay}
			if no, ok := f.TightGap(SKURef(1), need); ok {
				id := benchID(benchStart, n)
				f.Put(NewHold(id, need, 0, 0), Place{list[no-1].Lot, no})
				f.Remove(id)
			}
		})
	}
}
