package timeline

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// wideLot is a lot of so many slots without holds, all of them alive from 0 on.
func wideLot(slots int) *Stock {
	s := New()
	s.AddLot(1, 1, 1)
	s.SetPool(1, 1)
	for no := SlotNo(1); int(no) <= slots; no++ {
		s.PutSlot(Slot{testID(int(no)), no, 1, Span{0, Forever}})
	}
	return s
}

// What a lot weighs is noted without going through its slots, whichever of them change and how: those that bound the
// stretch over which all are alive, too.
func TestNotingASlotWalksNoLot(t *testing.T) {
	const slots = 2000
	for name, span := range map[string]func(i int) Span{
		"all end at once":          func(int) Span { return Span{0, 50} },
		"each ends earlier":        func(i int) Span { return Span{0, int64(2*slots - i)} },
		"each ends later":          func(i int) Span { return Span{0, int64(slots + i)} },
		"they share no instant":    func(i int) Span { return Span{int64(i), int64(i + 1)} },
		"each begins later":        func(i int) Span { return Span{int64(i), Forever} },
		"each begins earlier":      func(i int) Span { return Span{int64(slots - i), Forever} },
		"some are gone, some stay": func(i int) Span { return Span{0, []int64{Forever, 9}[i%2]} },
	} {
		s := wideLot(slots)
		s.visited = 0
		for round := range 2 { // there and back
			for i := range slots {
				no := SlotNo(i + 1)
				is := span(i)
				if round == 1 {
					is = Span{0, Forever}
				}
				s.PutSlot(Slot{testID(int(no)), no, 1, is})
			}
			require.NoError(t, s.Check(), name)
		}
		for i := range slots - 1 {
			s.PutSlot(Slot{testID(i + 1), SlotNo(i + 1), 1, span(i)})
			s.RemoveSlot(SlotNo(i + 1))
		}
		require.NoError(t, s.Check(), name)
		require.LessOrEqual(t, s.visited, walkMax*walkMax, name)
	}
}

// A lot's own note is that of a walk, for lots small and large, while slots come, go and change.
func TestAliveTogether(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for _, most := range []int{4, 60} {
		s := New()
		s.AddLot(1, 1, 1)
		for range 3000 {
			no := SlotNo(1 + rnd.Intn(most))
			start := rnd.Int63n(8)
			span := Span{start, start + 6 + rnd.Int63n(12)}
			if rnd.Intn(2) == 0 {
				span.End = Forever
			}
			if rnd.Intn(4) == 0 && s.slots.n > int(no) && s.slot(no) != nil {
				s.RemoveSlot(no)
			} else {
				s.PutSlot(Slot{testID(int(no)), no, 1, span})
			}
			require.NoError(t, s.Check())
		}
	}
}

// The slots of an article that have not ended are counted as a walk counts them, in lots small and large, while slots
// come, go and change.
func TestUnended(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	s := New()
	require.Zero(t, s.Unended(1, 0))
	for lot, article := range []uint32{1, 2, 1, 1} {
		s.AddLot(LotNo(1+lot), article, uint32(1+lot))
	}
	most := []int{4, 60, 60, 5} // slots of each lot
	for range 3000 {
		lot := rnd.Intn(len(most))
		no := SlotNo(1 + 100*lot + rnd.Intn(most[lot]))
		start := rnd.Int63n(20)
		span := Span{start, start + 1 + rnd.Int63n(12)}
		if rnd.Intn(3) == 0 {
			span.End = Forever
		}
		if rnd.Intn(4) == 0 && s.slot(no) != nil {
			s.RemoveSlot(no)
		} else {
			s.PutSlot(Slot{testID(int(no)), no, LotNo(1 + lot), span})
		}
		for article := range uint32(4) {
			now := rnd.Int63n(35)
			all, left := 0, 0
			for i := range most {
				if s.Lot(LotNo(1+i)).Article != article {
					continue
				}
				for _, no := range s.Slots(LotNo(1 + i)) {
					if all++; s.slot(no).span.End > now {
						left++
					}
				}
			}
			require.Equal(t, all, s.SlotsOf(article))
			require.Equal(t, left, s.Unended(article, now), "article %d at %d", article, now)
		}
	}
}

// BenchmarkReduceMany takes 10,000 units of an article that has many: planned ahead, and then what is left for who has
// to go on, which is to take over the plan, to carry it out on a draft, and to make the changes that the draft tells.
func BenchmarkReduceMany(b *testing.B) {
	const amount = 10_000
	for _, slots := range []int{90_000, 100_000} {
		s := wideLot(slots).Publish()
		b.Run(fmt.Sprintf("%d/ahead", slots), func(b *testing.B) {
			for b.Loop() {
				s.SearchReduction(1, amount, 50, 0)
			}
		})
		ahead := s.SearchReduction(1, amount, 50, 0)
		b.Run(fmt.Sprintf("%d/then", slots), func(b *testing.B) {
			for b.Loop() {
				r, ok := s.ReduceAs(ahead, 1, amount, 50, 0)
				if !ok {
					b.Fatal("planned in vain")
				}
				d := s.Draft(0)
				d.ApplyReduction(r)
				f := s.Fork()
				for _, c := range d.Changes().Slots {
					f.PutSlot(c.After)
				}
			}
		})
	}
}
