package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file owns lists of records that are found by words, by their code and by the id of another system.

// foundPage is a page of records, or of those that are asked for.
type foundPage struct {
	base.RecordQuery
	page page
}

// searchedWords begins what is said of a search by words.
const searchedWords = "Words, without case and accents, each the beginning of a word of "

// foundQuery is the query of such a list; code is the name of the parameter that is the record's code, empty: it has
// none.
func foundQuery(record, words, code string) *wire.Shape[foundPage] {
	fields := append(pageFields(func(p *foundPage) *page {
		return &p.page
	}), externalIDFilter(func(p *foundPage) **string { return &p.External }, record),
		searchFilter(words, func(p *foundPage) *string { return &p.Search }))
	if code != "" {
		fields = append(fields, wire.Optional(code, wire.Text(1, base.MaxName),
			func(p *foundPage) **string { return &p.Code }).Says("Only "+record+" with this "+code+", without case."))
	}
	return wire.ShapeOf("List", fields...)
}

func searchFilter[In any](words string, at func(*In) *string) wire.Field[In] {
	return wire.Defaulted("search", wire.Text(0, base.MaxName), "", at).Says(searchedWords + words + ".")
}

// found makes the operation that lists the records that a directory finds.
func found[R any](o operation, query *wire.Shape[foundPage], in *base.Directory[R],
	record func(w *scribe, r *R)) operation {
	return read(o, input[foundPage]{query: query}, func(q *request, p *foundPage) error {
		rows, total := in.Find(q.view, &p.RecordQuery, nil, p.page.part())
		appendRows(q, p.page, rows, total, record)
		return nil
	})
}
