package timeline

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// bulkLot is a lot of 500 slots with 8,000 holds of 1 to 20 units of up to a day over 200 days: more than 80,000 in
// all, and at the worst instant more than half of the slots are taken.
func bulkLot() *Stock {
	rnd := rand.New(rand.NewPCG(5, 6))
	s := New()
	s.AddLot(1, 1, 1)
	s.SetPool(1, 1)
	for i := range 500 {
		s.PutSlot(Slot{testID(i), SlotNo(i + 1), 1, Span{0, Forever}})
	}
	n := 0
	for range 8000 {
		from := rnd.Int64N(200*24) * 3_600_000
		need := Span{from, from + 3_600_000*(1+rnd.Int64N(23))}
		for range 1 + rnd.IntN(20) {
			n++
			if no, ok := s.TightGap(LotRef(1), need); ok {
				s.Put(NewHold(testID(1000+n), need, 0, 0), Place{1, no})
			}
		}
	}
	return s.Publish()
}

// BenchmarkReduceBulk plans taking many slots from a lot that cannot do without as many: most of what is on them goes
// to others, and the rest is named.
func BenchmarkReduceBulk(b *testing.B) {
	s := bulkLot()
	for _, amount := range []int{250, 300, 500} {
		b.Run(fmt.Sprintf("amount=%d", amount), func(b *testing.B) {
			var r Reduction
			for b.Loop() {
				r = s.Reduce(1, amount, 0, 0)
			}
			b.ReportMetric(float64(len(r.Moves)), "moves")
			b.ReportMetric(float64(len(r.Blockers)), "blockers")
		})
	}
}
