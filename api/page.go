package api

import (
	"bytes"
	"slices"
	"strconv"
)

// This file owns lists: which page is asked for, how it is wrapped, and the links to the others.

// page is what a list is asked for: page number from 1, and records a page.
type page struct{ number, size int }

func (p page) offset() int { return (p.number - 1) * p.size }

// pages is how many pages a list of total records has.
func (p page) pages(total int) int { return (total + p.size - 1) / p.size }

const (
	maxPage     = 1 << 31
	defaultPage = 50
	maxPageSize = 250
)

// pageFields are the parameters of every list.
func pageFields[In any](at func(*In) *page) []field[In] {
	return []field[In]{
		defaulted("page", integer[int](1, maxPage), 1, func(in *In) *int { return &at(in).number }).says("Which page, from 1. Default: 1."),
		defaulted(pageSizeName, integer[int](1, maxPageSize), defaultPage, func(in *In) *int { return &at(in).size }).
			says("How many records a page has. Default: 50."),
	}
}

// listQuery is the query of a list that takes nothing but a page.
var listQuery = shapeOf("List", pageFields(func(p *page) *page { return p })...)

var paginationSchema = recordSchema("Pagination",
	has("page", integerSchema.says("Which page this is, from 1.")),
	has("pageSize", integerSchema.says("How many records a page has.")),
	has("total", integerSchema.says("How many records there are on all pages.")),
	has("totalPages", integerSchema.says("How many pages there are.")))

func pagedSchema(record *Schema) *Schema {
	return &Schema{Name: record.Name + "Page", Type: "object", Whole: true, Members: []Member{
		has("data", listSchema(record).says("The records of the page.")),
		has("pagination", paginationSchema.says("Where the page stands in the list."))}}
}

// appendPage appends one page of a list of total records, of which at gives the i-th, and sets the links.
func appendPage[R any](q *request, p page, total int, at func(i int) R, record func(q *request, b []byte, r R) []byte) {
	b := append(q.out, `{"data":[`...)
	from := min(p.offset(), total)
	for i := from; i < min(from+p.size, total); i++ {
		if i > from {
			b = append(b, ',')
		}
		start := len(b)
		if b = row(record(q, b, at(i)), start); !q.grown(len(b)) {
			break
		}
	}
	q.out = q.closePage(append(b, ']'), p, total)
}

// appendRows appends a page that was cut of a list of total records, and sets the links.
func appendRows[R any](q *request, p page, rows []R, total int, record func(q *request, b []byte, r R) []byte) {
	b := append(q.out, `{"data":[`...)
	for i, r := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		start := len(b)
		if b = row(record(q, b, r), start); !q.grown(len(b)) {
			break
		}
	}
	q.out = q.closePage(append(b, ']'), p, total)
}

// closePage ends a list that was begun with {"data":[…].
func (q *request) closePage(b []byte, p page, total int) []byte {
	q.link(p, p.pages(total))
	return append(appendPagination(b, p, total), '}')
}

// appendPagination appends where a page stands in a list, with a comma before it.
func appendPagination(b []byte, p page, total int) []byte {
	b = appendInt(append(b, `,"pagination":{"page":`...), p.number)
	b = appendInt(append(b, `,"pageSize":`...), p.size)
	b = appendInt(append(b, `,"total":`...), total)
	return append(appendInt(append(b, `,"totalPages":`...), p.pages(total)), '}')
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
	for pair := range bytes.SplitSeq(q.ctx.URI().QueryString(), []byte{'&'}) {
		if name, _, _ := bytes.Cut(pair, []byte{'='}); len(pair) > 0 && string(name) != "page" {
			q.links = append(appendLinkText(q.links, pair), '&')
		}
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
