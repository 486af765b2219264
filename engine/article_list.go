package engine

import (
	"slices"
	"sync"

	"holdfast/timeline"
)

// This file owns the list of articles by units free.

// ArticleFree is an article and the units of it that can be held over a window, without buffers.
type ArticleFree struct {
	Article *Article
	Free    int
}

// numberSet has a bit for each number in it. A published copy never changes.
type numberSet struct {
	bits   []uint64
	shared bool // with a published copy
}

// set puts a number in, or takes it out. Writer only.
func (s *numberSet) set(no uint32, in bool) {
	word, bit := int(no/64), uint64(1)<<(no%64)
	if word < len(s.bits) && (s.bits[word]&bit != 0) == in {
		return
	}
	if s.shared {
		s.bits, s.shared = slices.Clone(s.bits), false
	}
	for word >= len(s.bits) {
		s.bits = append(s.bits, 0)
	}
	s.bits[word] ^= bit
}

func (s *numberSet) publish() numberSet {
	s.shared = true
	return numberSet{bits: s.bits}
}

// among are the numbers of articles that are there, nil where none was ever deleted.
func (a *account) among() []uint64 {
	if uint32(a.articles().Len()) == a.ledger.Article {
		return nil
	}
	return a.present.bits
}

// listScratch is what one list query works in, kept for the next one.
type listScratch struct {
	ranking timeline.Ranking
	page    []timeline.Ranked
}

var listScratches = sync.Pool{New: func() any { return new(listScratch) }}

// ArticlesByFree appends a page of the articles by units free over a window, ties by age, at one location or, where it is
// zero, at all; and says how many articles there are. An article that takes no holds has none free.
func (v View) ArticlesByFree(w Span, location ID, descending bool, offset, limit int, dst []ArticleFree) (page []ArticleFree, total int, err error) {
	a := v.acc
	q := timeline.RankQuery{Window: instantOr(w), Articles: int(a.ledger.Article), Among: a.among(), Desc: descending, Offset: offset, Limit: limit}
	if location != (ID{}) {
		l := a.locations().Get(location)
		if l == nil {
			return dst, 0, errNoLocation
		}
		q.Location = l.No
	}
	s := listScratches.Get().(*listScratch)
	s.page, total = a.stock.FreeRanking(&s.ranking, q, s.page[:0])
	for _, r := range s.page {
		dst = append(dst, ArticleFree{a.articles().No(r.Article), int(r.Free)})
	}
	listScratches.Put(s)
	return dst, total, nil
}
