package timeline

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the twin of batches: the same changes, each made at once.

// TestManyChangesAreAsEachAlone makes the same changes on two drafts, of which one is looked at behind each of them.
func TestManyChangesAreAsEachAlone(t *testing.T) {
	for seed := range int64(60) {
		rnd := rand.New(rand.NewSource(seed))
		s, ids := New(), 0
		lots := LotNo(1 + rnd.Intn(2))
		for lot := LotNo(1); lot <= lots; lot++ {
			s.AddLot(lot, uint32(lot), 1)
			s.SetPool(lot, 1)
		}
		slots := 40 + rnd.Intn(400)
		for no := 1; no <= slots; no++ {
			ids++
			s.PutSlot(Slot{testID(ids), SlotNo(no), 1 + LotNo(no)%lots, Span{0, Forever}})
		}
		var live []ID
		for round := range 12 {
			many, each := s.Draft(1), s.Draft(1)
			both := func(do func(d *Draft) any) any {
				got := do(many)
				want := do(each)
				each.Stock()
				require.Equal(t, want, got, "seed %d, round %d", seed, round)
				return got
			}
			for range 1 + rnd.Intn(3) {
				from, n := int64(100*rnd.Intn(6)), 1+rnd.Intn(slots)
				switch rnd.Intn(6) {
				case 0, 1:
					h := NewHold(ID{}, Span{from, from + 1 + int64(rnd.Intn(300))}, 0, 0)
					if rnd.Intn(3) == 0 {
						h.Flags |= []Flags{Out, PinnedSlot, PinnedArticle}[rnd.Intn(3)]
					}
					first := ids
					ids += n
					p := SKURef(1)
					if h.Flags.Has(PinnedArticle) {
						p = LotRef(1)
					}
					nth := func(i int) Hold { x := h; x.ID = testID(first + 1 + i); return x }
					seated := many.SeatLike(p, n, nth, Exact)
					for i := range seated {
						at, why := each.Seat(p, nth(i), Exact)
						require.Equal(t, Granted, why)
						_, got, _ := many.Find(nth(i).ID)
						require.Equal(t, at, got, "seed %d, round %d", seed, round)
						live = append(live, nth(i).ID)
					}
					if _, more := each.Stock().TightGap(p, h.Seat()); more && n > 1 && each.Stock().large(p) != nil {
						require.Equal(t, n, seated, "seed %d, round %d", seed, round)
					}
				case 2:
					for range min(n, len(live)) {
						i := rnd.Intn(len(live))
						id := live[i]
						live[i] = live[len(live)-1]
						live = live[:len(live)-1]
						both(func(d *Draft) any { h, at, ok := d.Take(id); return fmt.Sprint(h, at, ok) })
					}
				case 3:
					for range min(n, len(live)) {
						id, flags, by := live[rnd.Intn(len(live))], Flags(0), int64(rnd.Intn(200))
						if rnd.Intn(2) == 0 {
							flags = Out
						}
						both(func(d *Draft) any {
							h, _, _ := d.Find(id)
							h.Flags = h.Flags&^Out | flags
							if by < 50 {
								return d.Replace(h)
							}
							h.Span.End = max(h.Seat().Start+1, h.Span.End+by-100)
							return d.Stretch(h)
						})
					}
				case 4: // some that go come back, with other dates, and what is found meanwhile is as it is
					out := slices.Clone(live)
					rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
					out = out[:min(n, len(out))]
					for _, id := range out {
						both(func(d *Draft) any { h, at, ok := d.Take(id); return fmt.Sprint(h, at, ok) })
						both(func(d *Draft) any { h, at, ok := d.Find(id); return fmt.Sprint(h, at, ok) })
						both(func(d *Draft) any { _, _, ok := d.Take(id); return ok })
					}
					h := NewHold(ID{}, Span{from, from + 1 + int64(rnd.Intn(300))}, 0, 0)
					nth := func(i int) Hold { x := h; x.ID = out[i]; return x }
					seated := 0
					if len(out) > 0 {
						seated = many.SeatLike(SKURef(1), len(out), nth, Exact)
					}
					for i := range seated {
						at, why := each.Seat(SKURef(1), nth(i), Exact)
						require.Equal(t, Granted, why)
						_, got, _ := many.Find(out[i])
						require.Equal(t, at, got, "seed %d, round %d", seed, round)
					}
					for _, id := range out[seated:] {
						live = slices.DeleteFunc(live, func(x ID) bool { return x == id })
					}
				default:
					for range n {
						no, at := SlotNo(1+rnd.Intn(slots)), int64(10_000+rnd.Intn(5))
						both(func(d *Draft) any { d.EndSlot(no, at); return nil })
					}
				}
			}
			require.Equal(t, each.Changes(), many.Changes(), "seed %d, round %d", seed, round)
			require.NoError(t, each.Stock().Check())
			s = many.own()
			require.NoError(t, s.Check(), "seed %d, round %d", seed, round)
			s.Publish()
		}
	}
}

// TestThoseInOrder holds runs that are merged against a sort.
func TestThoseInOrder(t *testing.T) {
	rnd := seeded(t)
	for range 300 {
		var ids []ID
		for n := rnd.Intn(200); len(ids) < n; {
			for i, no := 0, rnd.Intn(100); i < 1+rnd.Intn(30); i++ {
				no += rnd.Intn(3)
				ids = append(ids, testID(no))
			}
		}
		want := slices.Clone(ids)
		slices.SortFunc(want, ID.Compare)
		require.Equal(t, want, inOrder(ids))
	}
}

// TestFewestGaps holds the gaps that cover a window, and the first slots of them by length class, against all gaps one
// by one.
func TestFewestGaps(t *testing.T) {
	rnd := seeded(t)
	for range 200 {
		var g gapIndex
		edit, slots, starts := newToken(), 1+rnd.Intn(3000), 1+rnd.Intn(100)
		var want [classCount][]SlotNo
		need := Span{int64(rnd.Intn(starts + 2)), 0}
		need.End = need.Start + 1 + int64(rnd.Intn(30))
		for no := SlotNo(1); int(no) <= slots; no++ {
			start := int64(rnd.Intn(starts))
			gap := Span{start, start + 1 + int64(rnd.Intn(60))}
			g.put(edit, gap, no)
			if gap.Start <= need.Start && need.End <= gap.End {
				want[lengthClass(gap)] = append(want[lengthClass(gap)], no)
			}
		}
		all := slices.Concat(want[:]...)
		var met []SlotNo
		g.eachCovering(need, func(no SlotNo) bool {
			met = append(met, no)
			return true
		})
		require.ElementsMatch(t, all, met)
		require.Equal(t, len(all), g.covering(need))
		n := 1 + rnd.Intn(2*slots)
		require.Equal(t, append([]SlotNo{}, all[:min(n, len(all))]...), append([]SlotNo{}, g.tightest(need, n)...))
	}
}
