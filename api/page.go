package api

import (
	"bytes"
	"slices"
	"strconv"

	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file owns lists: which page is asked for, how it is wrapped, and the links to the others.

// page is what a list is asked for: page number from 1, and records a page.
type page struct{ number, size int }

func (p page) offset() int { return (p.number - 1) * p.size }

// part is the part of a list that a page is.
func (p page) part() base.Part { return base.Part{Offset: p.offset(), Limit: p.size} }

// pages is how many pages a list of total records has.
func (p page) pages(total int) int { return (total + p.size - 1) / p.size }

const (
	maxPage     = 1 << 31
	defaultPage = 50
	maxPageSize = 250
)

// pageFields are the parameters of every list.
func pageFields[In any](at func(*In) *page) []wire.Field[In] {
	return []wire.Field[In]{
		wire.Defaulted("page", wire.Integer[int](1, maxPage), 1, func(in *In) *int { return &at(in).number }).
			Says("Which page, from 1. Default: 1."),
		wire.Defaulted(pageSizeName, wire.Integer[int](1, maxPageSize), defaultPage,
			func(in *In) *int { return &at(in).size }).
			Says("How many records a page has. Default: 50."),
	}
}

// listQuery is the query of a list that takes nothing but a page.
var listQuery = wire.ShapeOf("List", pageFields(func(p *page) *page { return p })...)

// listParts is a page of what belongs to one record.
type listParts struct {
	of   base.ID
	page page
}

// partsOf makes the operation that lists what belongs to one record; by makes its path, which names the record.
func partsOf(o operation, by func(at func(*listParts) *base.ID) *wire.Shape[listParts],
	handle func(q *request, l *listParts) error) operation {
	return read(o, input[listParts]{
		path: by(func(l *listParts) *base.ID { return &l.of }), query: listPartsQuery,
	}, handle)
}

var listPartsQuery = wire.ShapeOf("ListParts", pageFields(func(l *listParts) *page { return &l.page })...)

// appendPage appends one page of a list of total records, of which at gives the i-th, and sets the links.
func appendPage[R any](q *request, p page, total int, at func(i int) R, record func(w *scribe, r R)) {
	from := min(p.offset(), total)
	q.page(p, total, min(p.size, total-from), func(i int) { appendRecord(&q.scribe, at(from+i), record) })
}

// appendRows appends a page that was cut of a list of total records, and sets the links.
func appendRows[R any](q *request, p page, rows []R, total int, record func(w *scribe, r R)) {
	q.page(p, total, len(rows), func(i int) { appendRecord(&q.scribe, rows[i], record) })
}

// page appends a page of n rows, and sets the links.
func (q *request) page(p page, total, n int, row func(i int)) {
	q.Out = append(q.Out, `{"data":[`...)
	if q.rows(n, row) {
		q.Out = append(q.Out, ']')
		q.pagination(p, total)
		q.Out = append(q.Out, '}')
		q.link(p, p.pages(total))
	}
}

// rows appends rows, each cut to its length; false: there is no room for all. Where the next one may not fit, room is
// made for all that are to come, as long as those before them are: an answer that grows bit by bit is copied again and
// again.
func (q *request) rows(n int, row func(i int)) bool {
	first := len(q.Out)
	for i := range n {
		q.Next()
		start := len(q.Out)
		row(i)
		if q.Out = wire.Bounded(q.Out, start, wire.MaxRow); !q.grown(len(q.Out)) {
			return false
		}
		if each := (len(q.Out) - first) / (i + 1); cap(q.Out)-len(q.Out) < each {
			q.Out = slices.Grow(q.Out, each*(n-i))
		}
	}
	return true
}

// pagedSchema describes a page of records.
func pagedSchema(record *wire.Schema) *wire.Schema {
	var w scribe
	return w.Describe(record.Name+"Page", func() {
		w.Key("data", wire.ListSchema(record), "The records of the page.")
		w.pagination(page{size: 1}, 0)
	}).Uncut()
}

// pagination writes where a page stands in a list.
func (w *scribe) pagination(p page, total int) {
	w.Object("pagination", "Pagination", "Where the page stands in the list.", func() {
		w.Count("page", p.number, "Which page this is, from 1.")
		w.Count("pageSize", p.size, "How many records a page has.")
		w.Count("total", total, "How many records there are on all pages.")
		w.Count("totalPages", p.pages(total), "How many pages there are.")
	})
}

// link sets the Link header: the same request for the other pages.
func (q *request) link(p page, pages int) {
	last := max(pages, 1)
	q.linkTo("first", 1)
	if p.number > 1 {
		q.linkTo("prev", min(p.number-1, last))
	}
	if p.number < last {
		q.linkTo("next", p.number+1)
	}
	q.linkTo("last", last)
}

func (q *request) linkTo(relation string, number int) {
	if len(q.links) > 0 {
		q.links = append(q.links, ", "...)
	}
	q.links = append(appendLinkText(append(q.links, '<'), q.route), '?')
	given := q.query.ListOf // without fault, so that each pair is one of them
	for pair := range bytes.SplitSeq(q.ctx.URI().QueryString(), []byte{'&'}) {
		if len(pair) == 0 {
			continue
		}
		if !given[0].Named("page") {
			q.links = append(appendLinkText(q.links, pair), '&')
		}
		given = given[1:]
	}
	q.links = strconv.AppendInt(append(q.links, "page="...), int64(number), 10)
	q.links = append(append(append(q.links, `>; rel="`...), relation...), '"')
}

// appendLinkText keeps a part of an address from ending the brackets it stands in.
func appendLinkText(b, text []byte) []byte {
	for _, c := range text {
		if c <= ' ' || c >= 0x7f || slices.Contains([]byte(`<>"`), c) {
			b = append(b, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
			continue
		}
		b = append(b, c)
	}
	return b
}
