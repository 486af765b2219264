package base

import (
	"iter"
	"slices"
	"strings"

	"holdfast/engine/table"
)

// This file owns how records are found by words, by their code and by the id of another system, from indexes of their
// tables. Orders are found by much more (order/index.go).

// RecordQuery says which records of a kind are asked for. A member that is not set asks nothing.
type RecordQuery struct {
	External *string
	Code     *string // a SKU's code or a customer's email, without case
	Search   string  // words, without case and accents, each the beginning of one that the record has
}

// Directory is how records of a kind are found: by the indexes with these numbers of its table. A kind that has none of
// a sort is not asked for that.
type Directory[R any] struct {
	Of                          func(a *AccountState) *table.Table[R]
	ByExternal, ByCode, ByWords int
}

// WordKeys are the words of texts as keys of an index: each once. A text may be nil.
func WordKeys(texts ...*string) []string {
	var words []string
	for _, t := range texts {
		if t != nil {
			words = append(words, WordsOf(*t)...)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// CodeKeys are a code as a key.
func CodeKeys(code *string) []string {
	if code == nil {
		return nil
	}
	return []string{FoldCode(*code)}
}

// Find gives a part of the records that are asked for, of those that fit, in order of creation, and how many there are;
// fits nil: all do.
func (d *Directory[R]) Find(v View, q *RecordQuery, fits func(*R) bool, p Part) (page []*R, total int) {
	t, words := d.Of(v.Acc), WordsOf(q.Search)
	if words == nil && strings.TrimSpace(q.Search) != "" {
		return nil, 0 // what has no word is found nowhere
	}
	if q.External == nil && q.Code == nil && words == nil && fits == nil {
		for i := p.Offset; i < min(p.Offset+p.Limit, t.Len()); i++ {
			page = append(page, t.At(i))
		}
		return page, t.Len()
	}
	return PageOf(d.candidates(t, q, words), func(r *R) bool {
		if q.External != nil && !slices.Contains(t.Keys(d.ByExternal, r), *q.External) ||
			q.Code != nil && !slices.Contains(t.Keys(d.ByCode, r), FoldCode(*q.Code)) {
			return false
		}
		if len(words) > 0 {
			if has := t.Keys(d.ByWords, r); slices.ContainsFunc(words, func(w string) bool { return !begins(has, w) }) {
				return false
			}
		}
		return fits == nil || fits(r)
	}, p.Offset, p.Limit)
}

// begins says that one of some words, which are in their order, begins so.
func begins(words []string, with string) bool {
	i, _ := slices.BinarySearch(words, with)
	return i < len(words) && strings.HasPrefix(words[i], with)
}

// candidates are records among which all are that are asked for, in order of creation: the fewest that an index gives.
func (d *Directory[R]) candidates(t *table.Table[R], q *RecordQuery, words []string) iter.Seq[*R] {
	switch {
	case q.External != nil:
		return t.By(d.ByExternal, *q.External)
	case q.Code != nil:
		return t.By(d.ByCode, FoldCode(*q.Code))
	case len(words) == 0:
		return t.All()
	}
	rarest := slices.MinFunc(words,
		func(v, w string) int { return t.CountPrefix(d.ByWords, v) - t.CountPrefix(d.ByWords, w) })
	ids := slices.SortedFunc(t.Prefix(d.ByWords, rarest), func(a, b table.ID) int { return ID(a).Compare(ID(b)) })
	return func(yield func(*R) bool) {
		for _, id := range slices.Compact(ids) {
			if !yield(t.Get(id)) {
				return
			}
		}
	}
}
