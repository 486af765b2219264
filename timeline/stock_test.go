package timeline

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// walked is the same stock without what is kept for large pools: every read of its walks the slots.
func (s *Stock) walked() *Stock {
	w := s.Fork()
	for i := range w.lots.n {
		if w.lot(LotNo(i)) != nil {
			w.lots.own(w.edit, i).large = nil
		}
	}
	for i := range w.pools.n {
		q := w.pools.own(w.edit, i)
		q.large, q.few = nil, nil
		for _, lot := range q.lots {
			q.few = append(q.few, w.lot(lot).slots...)
		}
	}
	return w
}

type answers struct {
	free, stock, committed int
	at                     int64
	tight                  SlotNo
	found                  bool
	throughout             int
	slots                  string
	steps                  int
	sum                    int64 // of the steps, in a way that their order matters
	count                  Count
}

func ask(s *Stock, p PoolRef, w Span) (a answers) {
	a.free, a.stock, a.committed, a.at = s.MinFree(p, w)
	a.tight, a.found = s.TightGap(p, w)
	a.throughout = s.FreeThroughout(p, w)
	a.slots = fmt.Sprint(freeSlots(s, p, w))
	a.count = s.CountAt(p, w.Start)
	s.Sweep(p, w, func(over Span, c Count) bool {
		a.steps++
		a.sum = a.sum*31 + over.Start + 7*over.End + int64(1009*c.Stock+c.Committed)
		return over.End < w.Start+(w.End-w.Start)/2
	})
	return a
}

// TestLargeAgainstWalk asks a pool of 700 slots, whose trees have inner nodes, and itself with the slots walked, which
// TestStockAgainstNaive holds to be right.
func TestLargeAgainstWalk(t *testing.T) {
	for seed := range uint64(4) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		s := New()
		horizon := []int64{200, 3000, 100_000, 100_000}[seed]
		longest := []int64{20, 40, 30_000, 300}[seed]
		var slots []Slot
		for lot := LotNo(1); lot <= 4; lot++ {
			s.AddLot(lot, uint32(lot), 1)
			s.SetPool(lot, 1)
			for range []int{0, 600, 60, 30, 10}[lot] {
				slot := Slot{testID(len(slots)), SlotNo(len(slots) + 1), lot, Span{rnd.Int64N(20), Forever}}
				if rnd.IntN(10) == 0 {
					slot.Span.End = horizon/2 + rnd.Int64N(horizon)
				}
				s.PutSlot(slot)
				slots = append(slots, slot)
			}
		}
		var ids []ID
		for round := range 3 {
			for i := range 6000 {
				slot := slots[rnd.IntN(len(slots))]
				span := Span{rnd.Int64N(horizon), 0}
				span.End = span.Start + 1 + rnd.Int64N(longest)
				if rnd.IntN(60) == 0 {
					span.End = Forever
				}
				h := NewHold(testID(round*6000+i), span, 0, 0)
				at := Place{slot.Lot, slot.No}
				if rnd.IntN(200) == 0 {
					at.Slot = 0
				} else if gap, ok := s.FreeAround(slot.No, span.Start); !ok || !gap.Covers(span) {
					continue
				}
				s.Put(h, at)
				ids = append(ids, h.ID)
			}
			if round == 2 {
				s.SetPool(1, 0) // the rest of the pool is still large
			}
			for _, lots := range [][]LotNo{{2}, {3, 4}, {2, 3, 4}} { // there and back, also all of those that are there
				s.MoveLots(lots, 1, 2)
				require.NoError(t, s.Check())
				s.MoveLots(lots, 2, 1)
				require.NoError(t, s.Check())
			}
			require.NoError(t, s.Check())
			slow := s.walked()
			require.NotNil(t, s.large(SKURef(1)))
			require.Nil(t, slow.large(SKURef(1)))
			for range 40 {
				w := Span{rnd.Int64N(horizon), 0}
				w.End = w.Start + 1 + rnd.Int64N([]int64{3, longest, horizon}[rnd.IntN(3)])
				if rnd.IntN(20) == 0 {
					w.End = Forever
				}
				for _, p := range []PoolRef{SKURef(1), LotRef(1), LotRef(2), LotRef(3)} {
					require.Equal(t, ask(slow, p, w), ask(s, p, w), "seed %d, %v over %v", seed, p, w)
				}
			}
			rnd.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
			for _, id := range ids[len(ids)/3:] {
				s.Remove(id)
			}
			ids = ids[:len(ids)/3]
		}
	}
}

// TestLargeComesAndGoes walks a pool over its limits in both directions, by slots and by conflicts. It holds the limits
// of invariant 6.
func TestLargeComesAndGoes(t *testing.T) {
	s := New()
	for lot := LotNo(1); lot <= 2; lot++ {
		s.AddLot(lot, uint32(lot), 1)
	}
	s.SetPool(1, 1)
	var no SlotNo
	slot := func(lot LotNo) {
		no++
		s.PutSlot(Slot{testID(int(no)), no, lot, Span{0, Forever}})
		s.Put(NewHold(testID(int(no)), Span{int64(no), int64(no) + 5}, 0, 0), Place{lot, no})
		require.NoError(t, s.Check())
	}
	is := func(lot, pool bool) {
		require.Equal(t, lot, s.lot(1).large != nil)
		require.Equal(t, pool, s.pools.at(1).large != nil)
		require.NoError(t, s.Check())
	}
	for range walkMax {
		slot(1)
	}
	is(false, false)
	slot(1)
	is(true, false) // the pool has this lot alone, and asks it
	require.Equal(t, s.large(LotRef(1)), s.large(SKURef(1)))
	s.SetPool(2, 1)
	is(true, true)
	s.SetPool(2, 0)
	is(true, false)
	s.SetPool(2, 1)

	for ; no > walkMin+1; no-- {
		s.Remove(testID(int(no)))
		s.RemoveSlot(no)
		is(true, true)
	}
	s.Remove(testID(int(no)))
	s.RemoveSlot(no)
	no--
	is(false, false)
	for i := range walkMax - walkMin {
		s.Put(NewHold(testID(100+i), Span{3, 9}, 0, 0), Place{Lot: 2})
		is(false, false)
	}
	s.Put(NewHold(testID(200), Span{3, 9}, 0, 0), Place{Lot: 2})
	is(false, true)
	free, stock, committed, at := s.MinFree(SKURef(1), Span{0, 30})
	require.Equal(t, []any{walkMin - 9 - 5, walkMin, 9 + 5, int64(5)}, []any{free, stock, committed, at})
	for i := range walkMax - walkMin {
		s.Remove(testID(100 + i))
	}
	is(false, true)
	s.Remove(testID(200))
	is(false, false)
}

// TestForksAtOnce forks one published version on many goroutines while its writer goes on. It is for the race detector.
func TestForksAtOnce(t *testing.T) {
	w := newWorld(1000)
	for range 3 {
		w.addLot(1)
	}
	for i := range 120 {
		w.addSlot(LotNo(i%3+1), Span{0, Forever})
	}
	for i := range int64(500) {
		slot := w.n.slots[i%120]
		w.put(Place{slot.Lot, slot.No}, Span{i, i + 10}, 0)
	}
	for range 100 {
		w.put(Place{Lot: 1}, Span{3000, 3010}, 0)
	}
	want := w.n.clone()
	published := w.s.Publish()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 20 {
				f := published.Fork()
				f.Remove(want.holds[g*20+i].ID)
				f.Put(NewHold(testID(10_000+g), Span{5000, 5001}, 0, 0), Place{1, 1})
				f.Remove(want.holds[500+g*20+i].ID)
				conflict := NewHold(testID(20_000+g), Span{3000, 3001}, 0, 0)
				conflict.Flags = Choosy
				f.Put(conflict, Place{Lot: 2})
				f.PutSlot(Slot{testID(5000), 5000, 2, Span{0, 10}})
				f.SetPool(LotNo(1+i%3), 2)
				inner := f.Publish().Fork()
				inner.Remove(testID(10_000 + g))
				free, _, _, _ := inner.MinFree(SKURef(1), Span{0, 2000})
				_ = free
				if _, _, ok := f.Find(testID(10_000 + g)); !ok {
					panic("a fork of a fork changed it")
				}
			}
		})
	}
	wg.Go(func() {
		for i := range int64(200) {
			slot := w.n.slots[i%120]
			w.put(Place{slot.Lot, slot.No}, Span{2000 + i*20, 2000 + i*20 + 10}, 0)
			w.put(Place{Lot: 3}, Span{2000, 2010}, 0)
			if i%10 == 0 {
				w.s.Publish()
			}
		}
	})
	wg.Wait()
	want.compareAll(t, published, Span{0, 50})
	want.compare(t, published, SKURef(1), Span{0, 5000})
	w.n.compareAll(t, w.s, Span{0, 50})
}

// TestInconsistent does what no caller may do.
func TestInconsistent(t *testing.T) {
	fresh := func() *Stock {
		s := New()
		s.AddLot(1, 1, 1)
		s.AddLot(2, 2, 1)
		s.PutSlot(Slot{testID(1), 1, 1, Span{10, 100}})
		s.Put(NewHold(testID(1), Span{20, 30}, 0, 0), Place{1, 1})
		return s
	}
	for name, do := range map[string]func(s *Stock){
		"lot twice":            func(s *Stock) { s.AddLot(1, 1, 1) },
		"lot 0":                func(s *Stock) { s.AddLot(0, 1, 1) },
		"pool of no lot":       func(s *Stock) { s.SetPool(3, 1) },
		"slot of no lot":       func(s *Stock) { s.PutSlot(Slot{testID(2), 2, 3, Span{0, 1}}) },
		"slot changes lots":    func(s *Stock) { s.PutSlot(Slot{testID(1), 1, 2, Span{10, 100}}) },
		"slot without a range": func(s *Stock) { s.PutSlot(Slot{testID(2), 2, 1, Span{5, 5}}) },
		"slot leaves its hold": func(s *Stock) { s.PutSlot(Slot{testID(1), 1, 1, Span{21, 100}}) },
		"slot with holds goes": func(s *Stock) { s.RemoveSlot(1) },
		"no slot goes":         func(s *Stock) { s.RemoveSlot(2) },
		"id twice":             func(s *Stock) { s.Put(NewHold(testID(1), Span{40, 50}, 0, 0), Place{1, 1}) },
		"meets the one before": func(s *Stock) { s.Put(NewHold(testID(2), Span{29, 50}, 0, 0), Place{1, 1}) },
		"meets the one after":  func(s *Stock) { s.Put(NewHold(testID(2), Span{15, 21}, 0, 0), Place{1, 1}) },
		"before the slot":      func(s *Stock) { s.Put(NewHold(testID(2), Span{9, 15}, 0, 0), Place{1, 1}) },
		"behind the slot":      func(s *Stock) { s.Put(NewHold(testID(2), Span{90, 101}, 0, 0), Place{1, 1}) },
		"another lot":          func(s *Stock) { s.Put(NewHold(testID(2), Span{40, 50}, 0, 0), Place{2, 1}) },
		"no range":             func(s *Stock) { s.Put(NewHold(testID(2), Span{40, 40}, 0, 0), Place{1, 1}) },
		"nothing but cut": func(s *Stock) {
			s.Put(NewHold(testID(2), Span{40, 50}, 0, 0).WithCut(10), Place{1, 1})
		},
		"conflict of no lot": func(s *Stock) { s.Put(NewHold(testID(2), Span{40, 50}, 0, 0), Place{Lot: 9}) },
		"no hold goes":       func(s *Stock) { s.Remove(testID(2)) },
	} {
		t.Run(name, func(t *testing.T) { require.Panics(t, func() { do(fresh()) }) })
	}
	s := fresh() // and next to it what is allowed
	s.Put(NewHold(testID(2), Span{30, 100}, 0, 0), Place{1, 1})
	s.Put(NewHold(testID(3), Span{5, 20}, 0, 0).WithCut(5), Place{1, 1})
	s.PutSlot(Slot{testID(1), 1, 1, Span{10, 100}})
	require.NoError(t, s.Check())
}

// TestCheckFinds breaks one thing at a time behind the Stock's back.
func TestCheckFinds(t *testing.T) {
	for name, spoil := range map[string]func(s *Stock){
		"row without an id":   func(s *Stock) { s.ids.del(s.edit, testID(5).key()) },
		"id of no row":        func(s *Stock) { s.ids.set(s.edit, testID(5000).key(), 1) },
		"seat not in classes": func(s *Stock) { s.classes.del(s.edit, Span{50, 60}, Place{1, 6}) },
		"rail out of order":   func(s *Stock) { s.slots.own(s.edit, 1).rail.rows()[0].Span.End += 2000 },
		"seat outside":        func(s *Stock) { s.slots.own(s.edit, 1).span.Start = 5 },
		"count of conflicts":  func(s *Stock) { s.lots.own(s.edit, 1).conflicts++ },
		"slot not in its lot": func(s *Stock) { e := s.lots.own(s.edit, 1); e.slots = e.slots[1:] },
		"lot not in its pool": func(s *Stock) { e := s.pools.own(s.edit, 1); e.lots = e.lots[1:] },
		"free units":          func(s *Stock) { l := s.lots.own(s.edit, 1).large; l.net.step(s.edit, 77, 1) },
		"stock":               func(s *Stock) { l := s.pools.own(s.edit, 1).large; l.stock.step(s.edit, 77, 1) },
		"gap":                 func(s *Stock) { l := s.lots.own(s.edit, 1).large; l.gaps.put(s.edit, Span{7, 9}, 1) },
		"pinned seat": func(s *Stock) {
			l := s.lots.own(s.edit, 1).large
			l.pinned.put(s.edit, Out, 1, Span{7, 9})
		},
		"slot's pins":      func(s *Stock) { s.slots.own(s.edit, 1).pins ^= Out },
		"large missing":    func(s *Stock) { s.lots.own(s.edit, 1).large = nil },
		"packed units":     func(s *Stock) { b, i := s.ownBlock(1); b.units[i]++ },
		"slots to walk":    func(s *Stock) { s.pools.own(s.edit, 1).few = []SlotNo{1} },
		"single slot":      func(s *Stock) { s.setSingle(1, 9) },
		"order by units":   func(s *Stock) { s.byUnits.set(s.edit, unitsKey(3, 3), struct{}{}) },
		"number of slots":  func(s *Stock) { s.slotCount++ },
		"missing conflict": func(s *Stock) { s.conflicts.del(s.edit, conflict(2, testID(181))) },
		"not choosy":       func(s *Stock) { s.choosy.set(s.edit, idKey{2, testID(181)}) },
		"summary": func(s *Stock) {
			n := s.classes.of[4].root
			n.in.sums[1] = n.in.sums[0]
			n.keys[1].lo--
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(1000)
			w.addLot(1)
			w.addLot(1)
			for i := range 60 {
				w.addSlot(1, Span{0, Forever})
				for j := range int64(3) {
					w.put(Place{1, SlotNo(i + 1)}, Span{int64(i)*10 + 1000*j, int64(i)*10 + 10 + 1000*j}, 0)
				}
			}
			w.put(Place{Lot: 2}, Span{1, 2}, 0)
			require.NoError(t, w.s.Check())
			spoil(w.s)
			require.Error(t, w.s.Check())
		})
	}
}

// TestReadsDoNotAllocate holds for the reads that requests are made of, once their scratch has grown.
func TestReadsDoNotAllocate(t *testing.T) {
	s := smallDataset().load()
	w := windows(50, 7)
	lots := len(smallDataset().lots)
	var r Ranking
	dst := make([]Ranked, 0, 50)
	slots := make([]SlotNo, 0, 1000)
	for name, read := range map[string]func(i int){
		"MinFree of a lot":  func(i int) { s.MinFree(LotRef(LotNo(i%lots+1)), w[i%50]) },
		"MinFree of a pool": func(i int) { s.MinFree(SKURef(PoolNo(i%400+1)), w[i%50]) },
		"TightGap":          func(i int) { s.TightGap(SKURef(PoolNo(i%400+1)), w[i%50]) },
		"FreeThroughout":    func(i int) { s.FreeThroughout(SKURef(PoolNo(i%400+1)), w[i%50]) },
		"EachFree": func(i int) {
			slots = slots[:0]
			s.EachFree(SKURef(PoolNo(i%400+1)), w[i%50], func(no SlotNo) bool {
				slots = append(slots, no)
				return true
			})
		},
		"Find": func(i int) { s.Find(smallDataset().holds[i].ID) },
		"Sweep": func(i int) {
			s.Sweep(SKURef(PoolNo(i%400+1)), w[i%50], func(Span, Count) bool { return true })
		},
		"FreeRanking": func(i int) {
			s.FreeRanking(&r, RankQuery{Window: w[i%50], Articles: lots, Offset: i * 10, Limit: 50}, dst)
		},
	} {
		i := 0
		run := func() {
			read(i)
			i = (i + 1) % 180
		}
		for range 180 {
			run()
		}
		// A collection may empty the pool of scratches in between, so a few may allocate again.
		require.Less(t, testing.AllocsPerRun(1000, run), 0.5, name)
	}
}
