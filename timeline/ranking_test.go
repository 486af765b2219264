package timeline

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// ranking is the whole list, the slow way.
func (n *naive) ranking(q RankQuery) (list []Ranked) {
	for a := uint32(1); int(a) <= q.Articles; a++ {
		among, closed := ^uint64(0), uint64(0)
		if q.Select != nil {
			among, closed = q.Select(int(a / 64))
		}
		if among>>(a%64)&1 == 0 {
			continue
		}
		sum := 0
		for _, l := range n.lots {
			if l.Article != a || q.Location != 0 && l.Location != q.Location || closed>>(a%64)&1 != 0 {
				continue
			}
			least := 0
			for i, st := range n.pool(LotRef(l.No)).sweep(q.Window) {
				if i == 0 || st.Free() < least {
					least = st.Free()
				}
			}
			sum += max(0, least)
		}
		list = append(list, Ranked{a, int32(sum)})
	}
	slices.SortFunc(list, func(a, b Ranked) int {
		switch {
		case a.Free == b.Free:
			return int(a.Article) - int(b.Article)
		case q.Desc:
			return int(b.Free - a.Free)
		}
		return int(a.Free - b.Free)
	})
	return list
}

func TestRankingAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(60)
		for range rapid.IntRange(0, 12).Draw(t, "lots") {
			w.addLot(PoolNo(rapid.IntRange(0, 3).Draw(t, "pool")))
		}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			w.step(t)
		}
		var r Ranking
		for range 8 {
			q := RankQuery{
				Window:   drawSpan(t, w.horizon),
				Articles: rapid.IntRange(0, 10).Draw(t, "articles"),
				Location: rapid.SampledFrom([]uint32{0, 0, 1, 2}).Draw(t, "location"),
				Desc:     rapid.Bool().Draw(t, "desc"),
				Offset:   rapid.IntRange(0, 8).Draw(t, "offset"),
				Limit:    rapid.IntRange(0, 8).Draw(t, "limit"),
			}
			if rapid.Bool().Draw(t, "some") {
				among, closed := rapid.Uint64Range(0, 1<<12).Draw(t, "among"), rapid.Uint64Range(0, 1<<12).
					Draw(t, "closed")
				q.Select = func(int) (uint64, uint64) { return among, closed }
			}
			list := w.n.ranking(q)
			want := list[min(q.Offset, len(list)):min(q.Offset+q.Limit, len(list))]
			q.Limit = len(want)
			mark := Ranked{77, 77}
			page := w.s.FreeRanking(&r, q, []Ranked{mark})
			require.Equal(t, slices.Concat([]Ranked{mark}, want), page, "%+v", q)
			if len(want) > 0 { // the long way gives the same
				w.s.rankAll(&r, &q)
				require.Equal(t, want, r.page(&q, nil), "%+v", q)
			}
		}
	})
}

// TestRankingWays asks for pages that are found by walking and pages that are not, of thousands of articles.
func TestRankingWays(t *testing.T) {
	w := newWorld(100)
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		no := LotNo(len(w.n.lots) + 1)
		lot := Lot{no, uint32(no), 1 + uint32(no)%3, 0}
		w.s.AddLot(no, lot.Article, lot.Location)
		w.n.lots = append(w.n.lots, lot)
		for range rnd.IntN(4) * rnd.IntN(4) {
			w.addSlot(no, Span{rnd.Int64N(10), Forever})
		}
	}
	for _, slot := range w.n.slots {
		for from := 10 + rnd.Int64N(100); from < 100 && rnd.IntN(3) > 0; from += rnd.Int64N(50) {
			h := NewHold(testID(w.nextID), Span{from, from + 1 + rnd.Int64N(20)}, 0, 0)
			w.nextID++
			w.s.Put(h, Place{slot.Lot, slot.No})
			w.n.holds = append(w.n.holds, Placed{h, Place{slot.Lot, slot.No}})
			from = h.Span.End
		}
	}
	var r Ranking
	perLot := map[LotNo]*naive{}
	for _, l := range w.n.lots {
		perLot[l.No] = &naive{lots: []Lot{l}}
	}
	for _, slot := range w.n.slots {
		perLot[slot.Lot].slots = append(perLot[slot.Lot].slots, slot)
	}
	for _, h := range w.n.holds {
		perLot[h.Place.Lot].holds = append(perLot[h.Place.Lot].holds, h)
	}
	for _, win := range []Span{{0, 1}, {5, 6}, {30, 37}, {20, 90}, {50, Forever}} {
		for _, desc := range []bool{false, true} {
			var list []Ranked
			for _, l := range w.n.lots { // one by one, as the twin takes everything into account for each
				one := perLot[l.No].ranking(RankQuery{Window: win, Articles: int(l.Article), Select: only(l.Article)})
				list = append(list, one...)
			}
			some := slices.DeleteFunc(slices.Clone(list), func(x Ranked) bool { return x.Article%3 == 0 })
			for i := range some {
				if some[i].Article%5 == 0 {
					some[i].Free = 0
				}
			}
			byFree := func(a, b Ranked) int {
				if desc {
					return int(b.Free - a.Free)
				}
				return int(a.Free - b.Free)
			}
			slices.SortStableFunc(list, byFree)
			slices.SortStableFunc(some, byFree)
			for _, offset := range []int{0, 50, 200, 940, 951, 1700, 1950, 2949, 2960, 2999, 3000} {
				page := func(list []Ranked, choose func(i int) (among, closed uint64)) {
					want := list[min(offset, len(list)):min(offset+50, len(list))]
					q := RankQuery{Window: win, Articles: 3000, Select: choose, Desc: desc, Offset: offset,
						Limit: len(want)}
					require.True(t, slices.Equal(want, w.s.FreeRanking(&r, q, nil)), "%+v", q)
				}
				page(list, nil)
				page(some, func(i int) (among, closed uint64) {
					for bit := range 64 {
						if no := i*64 + bit; no%3 != 0 {
							among |= 1 << bit
						}
						if no := i*64 + bit; no%5 == 0 {
							closed |= 1 << bit
						}
					}
					return among, closed
				})
			}
		}
	}
}

// only selects one article.
func only(a uint32) func(i int) (among, closed uint64) {
	return func(i int) (among, closed uint64) {
		if i == int(a/64) {
			among = 1 << (a % 64)
		}
		return among, 0
	}
}
