package engine

import (
	"sync"

	"holdfast/timeline"
)

// This file owns the list of articles by units free.

// ArticleFree is an article and the units of it that can be held over a window, without buffers.
type ArticleFree struct {
	Article *Article
	Free    int
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
	q := timeline.RankQuery{Window: instantOr(w), Articles: int(a.ledger.Article), Desc: descending, Offset: offset, Limit: limit}
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
