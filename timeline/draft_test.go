package timeline

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// twoSlots is a lot with two slots and a hold on the first.
func twoSlots() *Stock {
	s := New()
	s.AddLot(1, 1, 1)
	s.PutSlot(Slot{testID(1), 1, 1, Span{0, Forever}})
	s.PutSlot(Slot{testID(2), 2, 1, Span{0, 100}})
	s.Put(NewHold(testID(10), Span{10, 20}, 0, 0), Place{1, 1})
	return s
}

func TestDraftRemembersWhatChanged(t *testing.T) {
	s := twoSlots()
	before := s.Fork()
	h := NewHold(testID(11), Span{12, 15}, 1, 1)

	d := s.Draft(0)
	require.Empty(t, d.Changes())

	// One seat in a plain gap makes no copy, and is found all the same.
	at, why := d.Seat(LotRef(1), h, Exact)
	require.Equal(t, Granted, why)
	require.Equal(t, Place{1, 2}, at)
	require.Nil(t, d.work)
	want := HoldChange{After: Placed{h, at}, Has: true}
	require.Equal(t, Changes{Holds: []HoldChange{want}}, d.Changes())
	got, where, ok := d.Find(h.ID)
	require.True(t, ok)
	require.Equal(t, h, got)
	require.Equal(t, at, where)

	// Asked for more, it is the stock with that hold.
	require.Equal(t, 0, d.Stock().Available(LotRef(1), Span{12, 13}, d.now).Available)
	require.Equal(t, Changes{Holds: []HoldChange{want}}, d.Changes())

	// What is put and taken again is nothing.
	d.Take(h.ID)
	require.Empty(t, d.Changes())
	d.Take(testID(10))
	old, _, _ := s.Find(testID(10))
	d.Keep(old, 1)
	require.Equal(t, []HoldChange{{Placed{old, Place{1, 1}}, Placed{old, Place{Lot: 1}}, true, true}},
		d.Changes().Holds)
	d.Take(old.ID)
	_, why = d.SeatOn(LotRef(1), 1, old)
	require.Equal(t, Granted, why)
	require.Empty(t, d.Changes())

	// Slots, too: ended later, ended where they begin, made.
	d.EndSlot(2, 200)
	d.AddSlot(Slot{testID(3), 3, 1, Span{5, Forever}})
	d.AddSlot(Slot{testID(4), 4, 1, Span{5, Forever}})
	d.EndSlot(4, 5)
	slot, _ := s.Slot(2)
	longer := slot
	longer.Span.End = 200
	require.Equal(t, []SlotChange{{slot, longer, true, true},
		{After: Slot{testID(3), 3, 1, Span{5, Forever}}, Has: true}}, d.Changes().Slots)
	d.EndSlot(2, 100)
	require.Len(t, d.Changes().Slots, 1)
	d.EndSlot(2, 0)
	require.Equal(t, SlotChange{Before: slot, Had: true}, d.Changes().Slots[0])
	require.NoError(t, d.Stock().Check())

	// The stock is as it was.
	require.NoError(t, s.Check())
	require.Equal(t, before.Available(LotRef(1), Span{0, 50}, 0), s.Available(LotRef(1), Span{0, 50}, 0))
	require.Equal(t, 2, s.SlotCount(LotRef(1)))
}

func TestDraftForks(t *testing.T) {
	d := twoSlots().Draft(0)
	a, b := NewHold(testID(11), Span{30, 40}, 0, 0), NewHold(testID(12), Span{30, 40}, 0, 0)
	_, why := d.Seat(LotRef(1), a, Exact)
	require.Equal(t, Granted, why)
	f := d.Fork()
	_, why = f.Seat(LotRef(1), b, Exact)
	require.Equal(t, Granted, why)
	require.Len(t, d.Changes().Holds, 1)
	require.Len(t, f.Changes().Holds, 2)
	f2 := d.Fork()
	f2.Take(a.ID)
	require.Empty(t, f2.Changes())
	d.Adopt(f)
	require.Len(t, d.Changes().Holds, 2)
	require.NoError(t, d.Stock().Check())
}

func TestHotPathsAllocateNothing(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for _, slots := range []int{2, 20, 200} {
		x := randomPool(rnd, poolKind{slots: slots, lots: 3, holds: 60, line: 200})
		d := Draft{}
		i := int64(0)
		hold := func() Hold {
			i++
			return NewHold(testID(1_000_000+int(i)), Span{300 + i%50, 310 + i%50}, 0, 0)
		}
		require.Zero(t, testing.AllocsPerRun(100, func() {
			d = Draft{base: x.s}
			if _, why := d.Seat(SKURef(1), hold(), Exact); why != Granted {
				t.Fatal(why)
			}
		}), "seat, %d slots", slots)
		require.Zero(t, testing.AllocsPerRun(100, func() { x.s.Available(SKURef(1), hold().Span, 0) }),
			"available, %d slots", slots)
		require.Zero(t, testing.AllocsPerRun(100, func() { x.s.Available(LotRef(1), hold().Span, 0) }),
			"available of a lot, %d slots", slots)
	}
}

// Bookings and cancellations as they come, on one lot or on lots of one unit: nothing is refused while a unit is free
// at every instant, and the same stock and the same booking give the same changes. Taking the first gap and moving
// nothing refuses what there is room for.
func TestNoRoomIsLost(t *testing.T) {
	rnd := seeded(t)
	wrong, moves := 0, 0
	for i := range 12 {
		slots := 2 + rnd.Intn(40)
		exact, first := New(), New()
		for _, s := range []*Stock{exact, first} {
			lots := []int{1, slots}[i%2]
			for l := 1; l <= lots; l++ {
				s.AddLot(LotNo(l), uint32(l), 1)
				s.SetPool(LotNo(l), 1)
			}
			for n := 1; n <= slots; n++ {
				s.PutSlot(Slot{testID(n), SlotNo(n), LotNo(1 + n%lots), Span{0, Forever}})
			}
		}
		now := int64(0)
		for n := range 150 * slots {
			now += int64(rnd.Intn(2) * rnd.Intn(2))
			if n%9 == 0 {
				id := testID(1 + rnd.Intn(n+1))
				for _, s := range []*Stock{exact, first} {
					if _, _, ok := s.Find(id); ok {
						s.Remove(id)
					}
				}
				continue
			}
			start := now + rnd.Int63n(40)
			w := Span{start, start + 1 + rnd.Int63n(14)}
			h := NewHold(testID(n+1), w, 0, 0)
			free, _, _, _ := exact.MinFree(SKURef(1), w)
			d := exact.Draft(now)
			_, why := d.Seat(SKURef(1), h, Exact)
			require.Equal(t, free > 0, why == Granted)
			if why == Granted {
				again := exact.Draft(now)
				again.Seat(SKURef(1), h, Exact)
				c := d.Changes()
				require.Equal(t, c, again.Changes())
				moves += len(c.Holds) - 1
				for _, x := range c.Holds {
					if x.Had {
						exact.Remove(x.ID())
					}
				}
				for _, x := range c.Holds {
					exact.Put(x.After.Hold, x.After.Place)
				}
			}
			free, _, _, _ = first.MinFree(SKURef(1), w)
			if at, why := first.Draft(now).Seat(SKURef(1), h, FirstFit); why == Granted {
				first.Put(h, at)
			} else if free > 0 {
				wrong++
			}
		}
		require.NoError(t, exact.Check())
	}
	t.Logf("%d moves; first fit refuses %d that there is room for", moves, wrong)
	require.NotZero(t, moves)
	require.NotZero(t, wrong)
}
