package timeline

import (
	"math/rand/v2"
	"testing"
	"time"
)

// skuPools lists the pools of a SKU of the data set, one a location.
func skuPools(s *Stock, sku int) (pools []PoolRef) {
	for location := range 10 {
		if p := SKURef(PoolNo(sku*10 + location + 1)); len(s.Lots(p)) > 0 {
			pools = append(pools, p)
		}
	}
	return pools
}

func BenchmarkAvailableLot(b *testing.B) {
	s, w := benchStock(), windows(1000, 7)
	n := uint32(len(bench().lots))
	b.ReportAllocs()
	i := uint32(0)
	for b.Loop() {
		s.Available(LotRef(LotNo(i*2654435761%n+1)), w[i%1000], benchStart)
		i++
	}
}

// BenchmarkAvailableSKU asks a SKU over all ten locations.
func BenchmarkAvailableSKU(b *testing.B) {
	s, w := benchStock(), windows(1000, 7)
	var pools [2000][]PoolRef
	for sku := range pools {
		pools[sku] = skuPools(s, sku)
	}
	b.ReportAllocs()
	i := uint32(0)
	for b.Loop() {
		for _, p := range pools[i*2654435761%2000] {
			s.Available(p, w[i%1000], benchStart)
		}
		i++
	}
}

// BenchmarkCalendar is 90 days of a SKU: of ten pools together, and of 20 pools of five slots each.
func BenchmarkCalendar(b *testing.B) {
	s := benchStock()
	edges := make([]int64, 91)
	out := make([]Bucket, 0, 90)
	b.Run("sku", func(b *testing.B) {
		b.ReportAllocs()
		i := uint32(0)
		for b.Loop() {
			for d := range edges {
				edges[d] = benchStart + int64(i%500+uint32(d))*benchDay
			}
			out = s.Calendar(skuPools(s, int(i*2654435761%2000)), edges, benchStart, out[:0])
			i++
		}
	})
	b.Run("twenty", func(b *testing.B) {
		s, pools := crowd(20, 5, 40)
		for d := range edges {
			edges[d] = int64(d) * benchDay
		}
		b.ReportAllocs()
		for b.Loop() {
			out = s.Calendar(pools, edges, 0, out[:0])
		}
	})
}

// crowd is pools of one lot each with slots that have so many holds of up to three days over 120 days.
func crowd(pools, slots, holds int) (s *Stock, refs []PoolRef) {
	rnd := rand.New(rand.NewPCG(5, 6))
	s = New()
	no, id := 0, 0
	for p := 1; p <= pools; p++ {
		s.AddLot(LotNo(p), uint32(p), 1)
		s.SetPool(LotNo(p), PoolNo(p))
		refs = append(refs, SKURef(PoolNo(p)))
		for range slots {
			no++
			s.PutSlot(Slot{testID(no), SlotNo(no), LotNo(p), Span{0, Forever}})
			at := int64(0)
			for range holds {
				at += rnd.Int64N(2 * benchDay)
				end := at + 3_600_000 + rnd.Int64N(3*benchDay)
				id++
				s.Put(NewHold(testID(id), Span{at, end}, 0, 0), Place{LotNo(p), SlotNo(no)})
				at = end
			}
		}
	}
	return s, refs
}

// namedCrowd is a pool of four lots of so many slots each, and holds that name one of the lots: 100 times a hundredth
// of a lot, spread over twelve months.
func namedCrowd(slots int) (*Stock, PoolRef) {
	const month = 30 * benchDay
	s := New()
	no := SlotNo(0)
	for lot := LotNo(1); lot <= 4; lot++ {
		s.AddLot(lot, uint32(lot), 1)
		s.SetPool(lot, 1)
		for range slots {
			no++
			s.PutSlot(Slot{testID(int(no)), no, lot, Span{0, Forever}})
		}
	}
	d := s.Draft(0)
	n := 0
	for k := range 100 {
		from := int64(k%12+1) * month
		for range max(1, slots/100) {
			n++
			h := NewHold(testID(n), Span{from, from + 19*benchDay}, 0, 0)
			h.Flags = PinnedArticle
			if _, why := d.SeatNamed(LotNo(k%4+1), 0, h, Exact); why != Granted {
				panic(why.String())
			}
		}
	}
	return d.Outcome(), SKURef(1)
}

// BenchmarkAvailableBesideNamed asks a pool that is not easy over ten months.
func BenchmarkAvailableBesideNamed(b *testing.B) {
	for _, slots := range []int{20, 100, 250, 10_000} {
		b.Run("slots="+itoa(4*slots), func(b *testing.B) {
			s, p := namedCrowd(slots)
			b.ReportAllocs()
			for b.Loop() {
				s.Available(p, Span{35 * benchDay, 330 * benchDay}, 0)
			}
		})
	}
}

// tangle is a pool of four lots of so many slots each, full of holds of up to four months, of which each fourth names
// one of the lots.
func tangle(slots int) *Stock {
	rnd := rand.New(rand.NewPCG(7, 8))
	s := New()
	no := SlotNo(0)
	for lot := LotNo(1); lot <= 4; lot++ {
		s.AddLot(lot, uint32(lot), 1)
		s.SetPool(lot, 1)
		for range slots {
			no++
			s.PutSlot(Slot{testID(int(no)), no, lot, Span{0, Forever}})
		}
	}
	for n := range 48 * slots {
		from := rnd.Int64N(1000)
		h := NewHold(testID(n), Span{from, from + 1 + rnd.Int64N(120)}, 0, 0)
		p := SKURef(1)
		if rnd.IntN(4) == 0 {
			h.Flags = PinnedArticle
			p = LotRef(LotNo(1 + rnd.IntN(4)))
		}
		if at, ok := s.TightGap(p, h.Span); ok {
			s.Put(h, Place{s.slot(at).lot, at})
		}
	}
	return s
}

// BenchmarkAvailableInATangle asks a pool, and one of its lots with what others could leave it, over windows of ten to
// 160 days: what no count answers, and a search seldom.
func BenchmarkAvailableInATangle(b *testing.B) {
	for _, slots := range []int{15, 100, 1000, 3000} {
		s := tangle(slots)
		ask := func(name string, of func(lot LotNo, w Span)) {
			b.Run(name+"/slots="+itoa(4*slots), func(b *testing.B) {
				rnd := rand.New(rand.NewPCG(9, 10))
				var most time.Duration
				for b.Loop() {
					from := rnd.Int64N(900)
					began := time.Now()
					of(LotNo(1+rnd.IntN(4)), Span{from, from + 10 + rnd.Int64N(150)})
					most = max(most, time.Since(began))
				}
				b.ReportMetric(float64(most.Milliseconds()), "ms-at-most")
			})
		}
		ask("pool", func(_ LotNo, w Span) { s.Available(SKURef(1), w, 0) })
		ask("named", func(lot LotNo, w Span) { s.AvailableNamed(lot, w, 0, s.Available(LotRef(lot), w, 0)) })
	}
}

// BenchmarkAvailableInAShop asks a pool of 100 articles of one unit, of which each has two holds that name it, and all
// have 391 that may move, over a week: a shop whose staff choose the bike.
func BenchmarkAvailableInAShop(b *testing.B) {
	const hour = 3_600_000
	rnd := rand.New(rand.NewPCG(11, 12))
	s := New()
	n := 0
	put := func(p PoolRef, flags Flags, from, hours int64) {
		h := NewHold(testID(n), Span{from * hour, (from + hours) * hour}, 0, 0)
		h.Flags = flags
		if at, ok := s.TightGap(p, h.Span); ok {
			s.Put(h, Place{s.slot(at).lot, at})
			n++
		}
	}
	for lot := LotNo(1); lot <= 100; lot++ {
		s.AddLot(lot, uint32(lot), 1)
		s.SetPool(lot, 1)
		s.PutSlot(Slot{testID(1000 + int(lot)), SlotNo(lot), lot, Span{0, Forever}})
		at := 1 + rnd.Int64N(200)
		for range 2 {
			hours := 4 + rnd.Int64N(237)
			put(LotRef(lot), PinnedArticle, at, hours)
			at += hours + 1 + rnd.Int64N(480)
		}
	}
	for n < 591 {
		put(SKURef(1), 0, 1+rnd.Int64N(1440), 4+rnd.Int64N(237))
	}
	for b.Loop() {
		from := (1 + rnd.Int64N(1440)) * hour
		s.Available(SKURef(1), Span{from, from + 168*hour}, 0)
	}
}

// BenchmarkSeat seats one hold into a plain gap: what a booking costs before it is applied.
func BenchmarkSeat(b *testing.B) {
	for _, size := range []struct {
		name  string
		slots int
	}{{"slots=1", 1}, {"slots=10", 10}, {"slots=50", 50}, {"slots=5000", 5000}} {
		b.Run(size.name, func(b *testing.B) {
			s, pools := crowd(1, size.slots, 20)
			b.ReportAllocs()
			i := int64(0)
			for b.Loop() {
				start := 200*benchDay + i%1000*3_600_000
				s.Draft(0).Seat(pools[0], NewHold(testID(1<<30), Span{start, start + benchDay}, 0, 0), Exact)
				i++
			}
		})
	}
}

// BenchmarkSeatMoving seats holds for which others must move.
func BenchmarkSeatMoving(b *testing.B) {
	for _, slots := range []int{10, 60, 500, 5000} {
		b.Run("slots="+itoa(slots), func(b *testing.B) {
			s, pools := crowd(1, slots, 40)
			var list []Span
			for w := range 5000 {
				start := int64(w) * 1_800_000
				span := Span{start, start + 2*benchDay}
				if free, _, _, _ := s.MinFree(pools[0], span); free > 0 && s.FreeThroughout(pools[0], span) == 0 {
					list = append(list, span)
				}
			}
			for w := range 5000 {
				start := int64(w) * 1_800_000
				span := Span{start, start + 20*benchDay}
				if free, _, _, _ := s.MinFree(pools[0], span); free > 0 && s.FreeThroughout(pools[0], span) == 0 {
					list = append(list, span)
				}
			}
			if len(list) == 0 {
				b.Fatal("nothing to move")
			}
			b.ReportAllocs()
			moves, n := 0, 0
			for i := 0; b.Loop(); i++ {
				d := s.Draft(0)
				if _, why := d.Seat(pools[0], NewHold(testID(1<<30), list[i%len(list)], 0, 0), Exact); why != Granted {
					b.Fatal(why)
				}
				moves += len(d.Changes().Holds) - 1
				n++
			}
			b.ReportMetric(float64(moves)/float64(n), "moves/op")
		})
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// BenchmarkReduce plans taking one slot, and several, from an article with 1,000 holds.
func BenchmarkReduce(b *testing.B) {
	for _, size := range []struct {
		name                 string
		slots, holds, amount int
	}{{"slots=10", 10, 100, 1}, {"slots=50", 50, 20, 1}, {"slots=50/amount=5", 50, 20, 5},
		{"slots=200/amount=20", 200, 5, 20}} {
		b.Run(size.name, func(b *testing.B) {
			s, _ := sparse(size.slots, size.holds)
			b.ReportAllocs()
			for b.Loop() {
				if r := s.Reduce(1, size.amount, 0, 0); !r.OK {
					b.Fatal(r.Reason)
				}
			}
		})
	}
}

// sparse is one lot whose slots are taken for a third of the time.
func sparse(slots, holds int) (s *Stock, p PoolRef) {
	rnd := rand.New(rand.NewPCG(7, 8))
	s = New()
	s.AddLot(1, 1, 1)
	id := 0
	for no := 1; no <= slots; no++ {
		s.PutSlot(Slot{testID(no), SlotNo(no), 1, Span{0, Forever}})
		for i := range holds {
			start := int64(i)*12*benchDay + rnd.Int64N(8*benchDay)
			id++
			s.Put(NewHold(testID(id), Span{start, start + 4*benchDay}, 0, 0), Place{1, SlotNo(no)})
		}
	}
	return s, LotRef(1)
}

func BenchmarkNextFit(b *testing.B) {
	for _, slots := range []int{10, 500} {
		b.Run("slots="+itoa(slots), func(b *testing.B) {
			s, pools := crowd(1, slots, 40)
			shape := []Shape{{Pool: pools[0], Hull: func(from int64) Span { return Span{from, from + 10*benchDay} }}}
			b.ReportAllocs()
			for i := int64(0); b.Loop(); i++ {
				s.NextFit(shape, slots/2, i%40*benchDay, 700*benchDay, 0)
			}
		})
	}
}
