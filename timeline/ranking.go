package timeline

// This file owns the list of articles by units free over a window.

import (
	"cmp"
	"math/bits"
	"slices"
)

// Ranked is an article and its free units: the sum over its lots of the units free over the whole window, none below 0.
type Ranked struct {
	Article uint32
	Free    int32
}

// RankQuery asks for a page of the articles by units free over a window, ties by article number in both directions.
type RankQuery struct {
	Window   Span // not empty
	Articles int  // articles 1 to Articles may take part
	// Select says of the articles 64*i to 64*i+63 which take part and which of them have none free whatever their lots
	// have, a bit each; nil: all take part, with what their lots have. Bits of articles beyond Articles do not count.
	Select   func(i int) (among, closed uint64)
	Location uint32 // only lots there count; 0: all
	Desc     bool   // the most units free first
	Offset   int
	Limit    int // so many take part after Offset, or more
}

// chosen is the last answer of Select, for callers that go through articles by number.
type chosen struct {
	q             *RankQuery
	i             int
	among, closed uint64
}

func (q *RankQuery) chosen() chosen { return chosen{q: q, i: -1} }

// of says whether an article takes part, and whether it has none free whatever its lots have.
func (c *chosen) of(article uint32) (among, closed bool) {
	if c.q.Select == nil {
		return article > 0 && int(article) <= c.q.Articles, false
	}
	if i := int(article / 64); i != c.i {
		c.i = i
		c.among, c.closed = c.q.words(i)
	}
	return c.among>>(article%64)&1 != 0, c.closed>>(article%64)&1 != 0
}

// words is what Select says, without articles that there are not.
func (q *RankQuery) words(i int) (among, closed uint64) {
	among = ^uint64(0)
	if q.Select != nil {
		among, closed = q.Select(i)
	}
	if i == 0 {
		among &^= 1
	}
	switch beyond := i*64 + 63 - q.Articles; {
	case beyond >= 64:
		among = 0
	case beyond > 0:
		among &= ^uint64(0) >> beyond
	}
	return among, closed
}

// Ranking is the room that FreeRanking works in: about 12 bytes an article and 24 a hold in the window. The zero value
// is ready; it serves one call at a time, of any Stock, and gets as large as the largest.
type Ranking struct {
	best   []Ranked
	among  []uint64
	head   []int32 // by lot: its last item, 0 none
	items  []rankItem
	free   []int32 // by article
	most   int32   // the most in free
	counts []int32 // by units free
	starts []int64
	ends   []int64
}

// rankItem is a seat or a conflict's hull in the window, in a chain with the others of its lot.
type rankItem struct {
	span Span
	next int32
}

// FreeRanking appends a page of the list to dst. It allocates only where dst or r are too small.
//
// Free units lie between none and the article's slots. So the first pages come from looking at articles one by one in
// the order of that bound: by number, until enough have none free; or by slots, the most first, until enough have more
// free than any further one has slots. That takes 20 to 100 articles for the first page of 100,000. Where too many
// would have to be looked at, all that overlaps the window is fetched from the time classes, 19,000 seats of a million
// in a week, and counted by lot: 0.7 ms, against 10 ms for asking every article. Day tiles of 64 articles took 3 to 4
// times as long, and 75 bytes a hold.
func (s *Stock) FreeRanking(r *Ranking, q RankQuery, dst []Ranked) []Ranked {
	if q.Limit <= 0 {
		return dst
	}
	if q.Offset+q.Limit <= rankWalk {
		ok := false
		if q.Desc {
			dst, ok = s.rankDesc(r, &q, dst)
		} else {
			dst, ok = s.rankAsc(&q, dst)
		}
		if ok {
			return dst
		}
	}
	s.rankAll(r, &q)
	return r.page(&q, dst)
}

// articleFree is the free units of an article.
func (s *Stock) articleFree(article uint32, q *RankQuery) (free int32) {
	a := s.articles.at(int(article))
	if a == nil {
		return 0
	}
	for no := a.first; no != 0; no = s.lot(no).next {
		if q.Location != 0 {
			if b, i := s.block(no); b.location[i] != q.Location {
				continue
			}
		}
		n, _, _, _ := s.MinFree(LotRef(no), q.Window)
		free += int32(max(0, n))
	}
	return free
}

// walk is how many articles are looked at one by one.
func (q *RankQuery) walk() int { return max(rankWalk, q.Articles/rankShare) }

// rankAsc looks for articles without a free unit, which come first, by number.
func (s *Stock) rankAsc(q *RankQuery, dst []Ranked) ([]Ranked, bool) {
	n, skip, left, chosen := len(dst), q.Offset, q.walk(), q.chosen()
	for a := uint32(1); int(a) <= q.Articles && left > 0; a++ {
		among, closed := chosen.of(a)
		if !among {
			continue
		}
		left--
		if !closed && s.articleFree(a, q) > 0 {
			continue
		}
		if skip--; skip < 0 {
			dst = append(dst, Ranked{a, 0})
			if len(dst) == n+q.Limit {
				return dst, true
			}
		}
	}
	return dst[:n], false
}

// rankDesc looks at articles by slots, the most first, until enough of those found come before all others.
func (s *Stock) rankDesc(r *Ranking, q *RankQuery, dst []Ranked) (page []Ranked, ok bool) {
	r.best = r.best[:0]
	want, left, chosen := q.Offset+q.Limit, q.walk(), q.chosen()
	passes := 20 * left
	s.byUnits.all(func(keys []key, _ []struct{}) bool {
		for _, k := range keys {
			a := uint32(k.lo)
			full := len(r.best) == want
			// What comes from here on has at most as many units free as this one has slots, and a greater number where
			// it has as many slots.
			if full && moreFree(r.best[want-1], Ranked{a, int32(^k.hi)}) < 0 {
				ok = true
				return false
			}
			among, closed := chosen.of(a)
			if !among {
				if passes--; passes == 0 {
					return false
				}
				continue
			}
			if left--; left < 0 {
				return false
			}
			found := Ranked{Article: a}
			if !closed {
				found.Free = s.articleFree(a, q)
			}
			if full {
				if moreFree(r.best[want-1], found) < 0 {
					continue
				}
				r.best = r.best[:want-1]
			}
			at, _ := slices.BinarySearchFunc(r.best, found, moreFree)
			r.best = slices.Insert(r.best, at, found)
		}
		return true
	})
	if !ok {
		return dst, false
	}
	return append(dst, r.best[q.Offset:]...), true
}

// moreFree orders by free units, the most first, then by number.
func moreFree(a, b Ranked) int {
	if a.Free != b.Free {
		return cmp.Compare(b.Free, a.Free)
	}
	return cmp.Compare(a.Article, b.Article)
}

// rankAll counts the free units of every article.
func (s *Stock) rankAll(r *Ranking, q *RankQuery) {
	r.head, r.free = zeros(r.head, s.blocks.n*blockLots), zeros(r.free, q.Articles+1)
	r.items = append(r.items[:0], rankItem{}) // item 0 is the end of a chain
	s.rankItems(r, q.Window)
	free, most := r.free, int32(0)
	for i := range s.blocks.n {
		b := *s.blocks.at(i)
		if b == nil {
			continue
		}
		steady := b.all.Covers(q.Window)
		heads := (*[blockLots]int32)(r.head[i*blockLots:])
		for j, n := range b.units {
			article := b.article[j]
			if int(article) >= len(free) || q.Location != 0 && b.location[j] != q.Location {
				continue
			}
			// One unit less where there is any and something takes it, without a branch, as it could not be predicted;
			// lots of several units are one in ten.
			head := heads[j]
			several := head &^ ((n - 2) >> 31)
			n -= min(n, int32(uint32(-head)>>31))
			switch {
			case !steady && !(Span{b.from[j], b.until[j]}).Covers(q.Window):
				n = s.unsteady(LotNo(i*blockLots+j), q.Window)
			case several != 0:
				n = max(b.units[j]-r.atOnce(head, q.Window), 0)
			}
			n += free[article]
			free[article], most = n, max(most, n)
		}
	}
	r.most, r.among = most, r.among[:0]
	for i := range q.Articles/64 + 1 {
		among, closed := q.words(i)
		r.among = append(r.among, among)
		for closed &= among; closed != 0; closed &= closed - 1 {
			free[i*64+bits.TrailingZeros64(closed)] = 0
		}
	}
}

// unsteady is the free units of a lot whose slots begin or end in the window.
func (s *Stock) unsteady(no LotNo, w Span) int32 {
	if s.lot(no) == nil {
		return 0
	}
	free, _, _, _ := s.MinFree(LotRef(no), w)
	return int32(max(0, free))
}

// zeros is a slice of n zeros, of the given array where it has the room.
func zeros(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// rankItems chains all that overlaps w to its lot.
func (s *Stock) rankItems(r *Ranking, w Span) {
	for c := range s.classes.of {
		t := &s.classes.of[c]
		if t.len() == 0 {
			continue
		}
		end := timeKey(w.End, 0, 0)
		t.scan(timeKey(reach(c, w.Start), 0, 0), func(keys []key, ends []int64) bool {
			n := len(keys)
			if !keys[n-1].before(end) {
				n = end.search(keys)
			}
			for i, until := range ends[:n] {
				if until > w.Start {
					k := keys[i]
					r.chain(LotNo(k.lower()), Span{k.time(), until})
				}
			}
			return n == len(keys)
		})
	}
	s.conflicts.rows.Scan(func(c Placed) bool {
		if c.Span.Overlaps(w) {
			r.chain(c.Place.Lot, c.Span)
		}
		return true
	})
}

func (r *Ranking) chain(no LotNo, span Span) {
	head := &r.head[no]
	r.items = append(r.items, rankItem{span, *head})
	*head = int32(len(r.items) - 1)
}

// atOnce is the most of a chain's spans that share an instant of w. Only what starts or ends inside w needs to be put
// in order: half of it.
func (r *Ranking) atOnce(head int32, w Span) (most int32) {
	now := int32(0)
	r.starts, r.ends = r.starts[:0], r.ends[:0]
	for i := head; i != 0; {
		item := &r.items[i]
		if item.span.Start <= w.Start {
			now++
		} else {
			r.starts = append(r.starts, item.span.Start)
		}
		if item.span.End < w.End {
			r.ends = append(r.ends, item.span.End)
		}
		i = item.next
	}
	if len(r.starts) == 0 {
		return now
	}
	slices.Sort(r.starts)
	slices.Sort(r.ends)
	most, over := now, 0
	for _, t := range r.starts {
		for ; over < len(r.ends) && r.ends[over] <= t; over++ {
			now--
		}
		now++
		most = max(most, now)
	}
	return most
}

// page is the page of the list that the counts of all articles make, by counting sort.
func (r *Ranking) page(q *RankQuery, dst []Ranked) []Ranked {
	// Most articles have the same few numbers free: four counters each, or every count would wait for the one before
	// it.
	n := int(r.most) + 1
	r.counts = zeros(r.counts, 4*n)
	for i, among := range r.among {
		for ; among != 0; among &= among - 1 {
			a := i*64 + bits.TrailingZeros64(among)
			r.counts[4*r.free[a]+int32(a%4)]++
		}
	}
	for f := range n {
		r.counts[f] = r.counts[4*f] + r.counts[4*f+1] + r.counts[4*f+2] + r.counts[4*f+3]
	}
	r.counts = r.counts[:n]
	// From here on counts[f] is the place on the page of the next article with f free units; it may lie before the page
	// or after it.
	place := int32(-q.Offset)
	for i := range r.counts {
		f := i
		if q.Desc {
			f = len(r.counts) - 1 - i
		}
		r.counts[f], place = place, place+r.counts[f]
	}
	n = len(dst)
	dst = slices.Grow(dst, q.Limit)[:n+q.Limit]
	left := q.Limit
	for i := 0; i < len(r.among) && left > 0; i++ {
		for among := r.among[i]; among != 0; among &= among - 1 {
			a := i*64 + bits.TrailingZeros64(among)
			f := r.free[a]
			if i := r.counts[f]; i >= 0 && int(i) < q.Limit {
				dst[n+int(i)] = Ranked{uint32(a), f}
				left--
			}
			r.counts[f]++
		}
	}
	return dst
}
