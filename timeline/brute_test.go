package timeline

// This file owns the slow, obvious twins of placement and planning: exhaustive search over every way to lay holds on
// slots.

import (
	"cmp"
	"fmt"
	"math"
	"math/rand"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// seeded gives a test its random numbers and says how to have them again: HOLDFAST_SEED=n.
func seeded(t testing.TB) *rand.Rand {
	seed := int64(1)
	if v := os.Getenv("HOLDFAST_SEED"); v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			t.Fatalf("HOLDFAST_SEED: %v", err)
		}
		seed = n
	}
	t.Logf("HOLDFAST_SEED=%d", seed)
	return rand.New(rand.NewSource(seed))
}

// piece is an interval of an exhaustive search: on has a bit for every slot it may lie on.
type piece struct {
	span Span
	on   uint
	home int // -1 for none
	cost int // where it is not at home
}

// fits says whether the pieces can be laid on so many slots without overlap.
func fits(slots int, pieces []piece) bool {
	_, ok := cheapest(slots, pieces, math.MaxInt, true)
	return ok
}

// cheapest is the least cost of laying all pieces, below limit; any stops at the first way found.
func cheapest(slots int, pieces []piece, limit int, any bool) (cost int, ok bool) {
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.span.Start, b.span.Start) })
	busy := make([]int64, slots)
	for i := range busy {
		busy[i] = math.MinInt64
	}
	var lay func(i, cost int) bool
	lay = func(i, cost int) bool {
		if cost >= limit {
			return false
		}
		if i == len(pieces) {
			limit, ok = cost, true
			return any
		}
		p := pieces[i]
		for l := range busy {
			if p.on>>l&1 == 0 || busy[l] > p.span.Start {
				continue
			}
			was := busy[l]
			busy[l] = p.span.End
			c := cost
			if p.home != l {
				c += p.cost
			}
			if lay(i+1, c) {
				return true
			}
			busy[l] = was
		}
		return false
	}
	lay(0, 0)
	return limit, ok
}

// pieces lists everything on the slots of p that takes room from the floor on, with where the rules let it be.
func pieces(s *Stock, p PoolRef, floor, now int64) (slots []Slot, list []piece) {
	for slot := range s.PoolSlots(p) {
		if slot.Span.End > floor {
			slots = append(slots, slot)
		}
	}
	lots := len(s.Lots(p))
	all := uint(1)<<len(slots) - 1
	for l, slot := range slots {
		var inLot uint
		for k := range slots {
			if slots[k].Lot == slot.Lot {
				inLot |= 1 << k
			}
		}
		if slot.Span.Start > floor {
			list = append(list, piece{Span{math.MinInt64, slot.Span.Start}, 1 << l, l, 0})
		}
		if !slot.Span.Open() {
			list = append(list, piece{Span{slot.Span.End, Forever}, inLot, l, 0})
		}
		for h := range s.Holds(slot.No, Span{floor, Forever}) {
			x := piece{Span{max(floor, h.Seat().Start), h.Span.End}, all, l, 1}
			switch {
			case h.Flags.Any(Out|PinnedSlot) || h.Span.End <= now:
				x.on = 1 << l
			case h.Flags.Has(PinnedArticle) && lots > 1:
				x.on = inLot
			}
			list = append(list, x)
		}
	}
	return slots, list
}

// bruteMost is the most units, up to limit, that can be seated over room.
func bruteMost(s *Stock, p PoolRef, room Span, now int64, limit int) int {
	slots, list := pieces(s, p, min(now, room.Start), now)
	for n := 1; n <= limit; n++ {
		list = append(list, piece{room, 1<<len(slots) - 1, -1, 0})
		if !fits(len(slots), slices.Clone(list)) {
			return n - 1
		}
	}
	return limit
}

// bruteCount is the count of free units over w, instant by instant.
func bruteCount(s *Stock, p PoolRef, w Span) int {
	least := math.MaxInt
	for t := w.Start; t < min(w.End, 200); t++ {
		n := 0
		for slot := range s.PoolSlots(p) {
			if slot.Span.Holds(t) {
				n++
			}
			if _, ok := held(s.slot(slot.No).rail.at(t)); ok {
				n--
			}
		}
		for range s.ConflictsIn(p, Span{t, t + 1}) {
			n--
		}
		least = min(least, n)
	}
	return least
}

// testPool is a random pool of few slots with everything that can be fixed in it.
type testPool struct {
	s     *Stock
	slots int
	lots  int
	holds int
	now   int64
	line  int64 // holds lie in [0, line)
}

type poolKind struct {
	slots, lots, holds int
	line               int64
	pins               int // of 100 holds
	ends               int // of 100 slots that begin or end
	conflicts          int
}

func randomPool(rnd *rand.Rand, k poolKind) *testPool {
	p := &testPool{s: New(), line: k.line}
	p.lots = 1 + rnd.Intn(k.lots)
	p.slots = max(p.lots, 2+rnd.Intn(k.slots-1))
	p.now = rnd.Int63n(k.line)
	if rnd.Intn(3) == 0 {
		p.now = 0
	}
	for l := 1; l <= p.lots; l++ {
		p.s.AddLot(LotNo(l), uint32(l), 1)
		p.s.SetPool(LotNo(l), 1)
	}
	for n := 1; n <= p.slots; n++ {
		span := Span{0, Forever}
		if rnd.Intn(100) < k.ends {
			span.Start = rnd.Int63n(k.line)
		}
		if rnd.Intn(100) < k.ends {
			span.End = span.Start + 1 + rnd.Int63n(k.line)
		}
		p.s.PutSlot(Slot{testID(n), SlotNo(n), LotNo(1 + (n-1)%p.lots), span})
	}
	for range k.holds/2 + rnd.Intn(k.holds/2+1) {
		p.addHold(rnd, k)
	}
	for range rnd.Intn(k.conflicts + 1) {
		start := rnd.Int63n(k.line)
		p.holds++
		p.s.Put(NewHold(testID(p.holds), Span{start, start + 1 + rnd.Int63n(6)}, 0, 0),
			Place{Lot: LotNo(1 + rnd.Intn(p.lots))})
	}
	return p
}

func (p *testPool) addHold(rnd *rand.Rand, k poolKind) {
	start := rnd.Int63n(k.line)
	span := Span{start, start + 1 + rnd.Int63n(8)}
	if rnd.Intn(25) == 0 {
		span.End = Forever
	}
	h := NewHold(testID(p.holds+1), span, 0, 0)
	if rnd.Intn(100) < k.pins {
		h.Flags |= []Flags{PinnedArticle, PinnedSlot, Out, PinnedArticle | PinnedSlot}[rnd.Intn(4)]
	} else if length := span.Length(); start < p.now && rnd.Intn(4) == 0 {
		h = h.WithCut(min(p.now-start, length-1))
	}
	no := SlotNo(1 + rnd.Intn(p.slots))
	if gap, ok := p.s.FreeAround(no, h.Seat().Start); ok && gap.End >= h.Span.End {
		slot, _ := p.s.Slot(no)
		p.s.Put(h, Place{slot.Lot, no})
		p.holds++
	}
}

// ref is the pool, or sometimes one of its lots.
func (p *testPool) ref(rnd *rand.Rand) PoolRef {
	if rnd.Intn(4) == 0 {
		return LotRef(LotNo(1 + rnd.Intn(p.lots)))
	}
	return SKURef(1)
}

// window is a random window: mostly from now on, sometimes in the past.
func (p *testPool) window(rnd *rand.Rand) Span {
	from := rnd.Int63n(p.line)
	if rnd.Intn(4) != 0 {
		from = max(from, p.now)
	}
	if rnd.Intn(30) == 0 {
		return Span{from, Forever}
	}
	return Span{from, from + 1 + rnd.Int63n(8)}
}

// draw draws a pool, for messages.
func draw(s *Stock, p PoolRef, now int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "now %d\n", now)
	for slot := range s.PoolSlots(p) {
		fmt.Fprintf(&b, "slot %d of lot %d over %s:", slot.No, slot.Lot, short(slot.Span))
		for h := range s.Holds(slot.No, Span{math.MinInt64, Forever}) {
			fmt.Fprintf(&b, " %d%s", h.ID[15], short(h.Span))
			if h.Cut() > 0 {
				fmt.Fprintf(&b, "cut%d", h.Cut())
			}
			for f, name := range map[Flags]string{PinnedArticle: "a", PinnedSlot: "s", Out: "o"} {
				if h.Flags.Has(f) {
					b.WriteString(name)
				}
			}
		}
		b.WriteString("\n")
	}
	for c := range s.ConflictsIn(p, Span{math.MinInt64, Forever}) {
		fmt.Fprintf(&b, "conflict %d%s\n", c.ID[15], short(c.Span))
	}
	return b.String()
}

func short(s Span) string {
	if s.Open() {
		return fmt.Sprintf("[%d,-)", s.Start)
	}
	return fmt.Sprintf("[%d,%d)", s.Start, s.End)
}
