package engine

import (
	"iter"
	"slices"
	"strings"

	"holdfast/engine/table"
)

// This file owns how records are found by words, by their code and by the id of another system, from indexes of their tables. Orders are
// found by much more (order_index.go).

// RecordQuery says which records of a kind are asked for. What is not set asks nothing.
type RecordQuery struct {
	External *string
	Code     *string // a SKU's code or a customer's email, without case
	Search   string  // words, without case and accents, each the beginning of one that the record has
}

// directory is how records of a kind are found. Each function gives the keys of a record in an index of its table, which has a number.
type directory[R any] struct {
	of                          func(a *account) *table.Table[R]
	external, code, words       func(*R) []string // nil: there are none
	byExternal, byCode, byWords int
}

// wordKeys are the words of texts as keys of an index: each once. A text may be nil.
func wordKeys(texts ...*string) []string {
	var words []string
	for _, t := range texts {
		if t != nil {
			words = append(words, wordsOf(*t)...)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// codeKeys are a code as a key.
func codeKeys(code *string) []string {
	if code == nil {
		return nil
	}
	return []string{foldCode(*code)}
}

// find gives a part of the records that are asked for, of those that fit, in order of creation, and how many there are; fits nil: all do.
func (d *directory[R]) find(a *account, q *RecordQuery, fits func(*R) bool, p Part) (page []*R, total int) {
	t, words := d.of(a), wordsOf(q.Search)
	if words == nil && strings.TrimSpace(q.Search) != "" {
		return nil, 0 // what has no word is found nowhere
	}
	if q.External == nil && q.Code == nil && words == nil && fits == nil {
		for i := p.Offset; i < min(p.Offset+p.Limit, t.Len()); i++ {
			page = append(page, t.At(i))
		}
		return page, t.Len()
	}
	return pageOf(d.candidates(t, q, words), func(r *R) bool {
		if q.External != nil && !slices.Contains(d.external(r), *q.External) || q.Code != nil && !slices.Contains(d.code(r), foldCode(*q.Code)) {
			return false
		}
		if len(words) > 0 {
			if has := d.words(r); slices.ContainsFunc(words, func(w string) bool { return !begins(has, w) }) {
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
func (d *directory[R]) candidates(t *table.Table[R], q *RecordQuery, words []string) iter.Seq[*R] {
	switch {
	case q.External != nil:
		return t.By(d.byExternal, *q.External)
	case q.Code != nil:
		return t.By(d.byCode, foldCode(*q.Code))
	case len(words) == 0:
		return t.All()
	}
	rarest := slices.MinFunc(words, func(v, w string) int { return t.CountPrefix(d.byWords, v) - t.CountPrefix(d.byWords, w) })
	ids := slices.SortedFunc(t.Prefix(d.byWords, rarest), func(a, b table.ID) int { return ID(a).Compare(ID(b)) })
	return func(yield func(*R) bool) {
		for _, id := range slices.Compact(ids) {
			if !yield(t.Get(id)) {
				return
			}
		}
	}
}
