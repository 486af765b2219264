package api

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

// This file owns the list of articles: its filters, sorts and fields, which a GET reads from its query and a POST from
// its body by the same shape.

const (
	maxFilters = 32
	maxOperand = 1000 // characters of one operand
	maxListIDs = 250
)

// withBuffers is the member that asks for what can be booked.
const withBuffers = "withBuffers"

// sortDirection is which way a list is ordered.
type sortDirection string

const (
	ascending  sortDirection = "asc"
	descending sortDirection = "desc"
)

type listArticles struct {
	stock.ArticleQuery
	window    *window
	archive   archiveFilter
	direction sortDirection
	booking   bool
	fields    fieldSet
	page      page
}

// operands are the values of a filter: one, or a list. In a query they are texts, in a body what their format is.
var operands = wire.Kind[stock.Filter]{
	Schema: &wire.Schema{About: "One value or a list of them: strings, numbers, true or false, as the format of " +
		"what is compared wants it. " +
		"Several are or-ed; of a negated operator none may match. between and notBetween take two, isEmpty, " +
		"isNotEmpty, isToday, isBeforeToday and isAfterToday none."},
	JSON: func(r *wire.Reader, dst *stock.Filter) {
		if r.Space() != '[' {
			dst.Values = []label.Value{readOperand(r)}
			return
		}
		r.Enter('[', "an array")
		n := 0
		for ; r.Element(n); n++ {
			if n >= maxListIDs {
				r.Skip()
				continue
			}
			dst.Values = append(dst.Values, readOperand(r))
		}
		if n > maxListIDs {
			r.Fault(wire.FaultLength, "must have at most "+strconv.Itoa(maxListIDs)+" elements")
		}
	},
	Query: func(a *wire.Args, name string, dst *stock.Filter) (present bool) {
		for p := a.Next(name); p != nil; p = a.Next(name) {
			v := label.Value{Kind: label.TextValue}
			if w := operandText.Text(p.Value, &v.Text); w.Code != "" {
				a.Fault(name, w.Code, w.Message)
			}
			dst.Values, present = append(dst.Values, v), true
		}
		dst.Written = true
		return present
	},
}

var operandText = wire.Text(0, maxOperand)

func readOperand(r *wire.Reader) (v label.Value) {
	if !readScalar(r, operandText, &v) {
		r.WrongType("a string, a number, true or false")
	}
	return v
}

var (
	articleSorts  = wire.Enum(stock.ArticleSorts...)
	filterFormats = wire.Enum(label.FilterFormats...)
)

var filterShape = wire.ShapeOf("ArticleFilter",
	wire.Defaulted("field", wire.Enum(stock.FilterFields...), "",
		func(f *stock.Filter) *stock.ArticleField { return &f.Field }).
		Says("What is compared: a field, or an attribute by attributeId and format. Several codes, tags or "+
			"locations match where one of them does."),
	wire.Defaulted("attributeId", wire.UUID, base.ID{}, func(f *stock.Filter) *base.ID { return &f.Attribute }).
		Says("The attribute whose value is looked at, where field is not given."),
	wire.Defaulted("format", filterFormats, "", func(f *stock.Filter) *label.AttributeFormat { return &f.Format }).
		Says("The format of the attribute's values. A formula or smart field is asked in the format of what is "+
			"stored in it."),
	wire.Required("operator", wire.Enum(label.Operators...),
		func(f *stock.Filter) *label.Operator { return &f.Operator }).
		Says("Text compares without case. contains and doesNotContain look for a part of a text, but for a whole "+
			"tag or option. What has no value passes isEmpty and the negated operators alone. Today is in the "+
			"account's zone."),
	wire.Kept("value", operands, func(f *stock.Filter) *stock.Filter { return f }).
		Says("With what it is compared: text, a number, true or false, or a list of them."))

// orOne is said of a list that is read by wire.OrOne.
const orOne = "A body may give one as itself, without a list."

// listArticlesFields are the members of a query, whichever of an article is answered.
var listArticlesFields = slices.Concat([]wire.Field[listArticles]{
	wire.Optional("dateRange", dateRange, func(o *listArticles) **window {
		return &o.window
	}).Says("The window that is looked at. Default: the present instant."),
	wire.Defaulted("status", wire.OrOne(wire.ListOf(articleStatus, 0, 3), articleStatus), nil,
		func(o *listArticles) *[]stock.ArticleStatus { return &o.Status }).
		Says("Only articles in one of these states. " + orOne + " Default: all."),
	wire.Defaulted("archive", wire.Enum(archiveActive, archiveArchived, archiveAll), archiveActive,
		func(o *listArticles) *archiveFilter { return &o.archive }).
		Says("Filter: active, archived or all articles. Default: active."),
	wire.Defaulted("ids", wire.OrOne(wire.ListOf(wire.UUID, 1, maxListIDs), wire.UUID), nil,
		func(o *listArticles) *[]base.ID { return &o.IDs }).Says("Only articles with these ids. " + orOne),
	externalIDFilter(func(o *listArticles) **string { return &o.External }, "the article"),
	wire.Optional("skuId", wire.UUID, func(o *listArticles) **base.ID { return &o.SKU }).
		Says("Only articles of this SKU."),
	wire.Optional("serviceLocationId", wire.UUID, func(o *listArticles) **base.ID { return &o.Location }).
		Says("Only articles with units there in the window; all numbers and series count that location alone."),
	wire.Defaulted("search", wire.Text(0, base.MaxName), "", func(o *listArticles) *string {
		return &o.Search
	}).Says("A part of the name, a code, or the SKU's name or code."),
	wire.Defaulted("filters", wire.ListOf(wire.Object(filterShape), 0, maxFilters), nil,
		func(o *listArticles) *[]stock.Filter { return &o.Filters }).
		Says("Conditions, all of which must be met. At most 200 values together.").
		Shows(`[{"field":"name","operator":"startsWith","value":"Canoe"}]`),
	wire.Defaulted("sort", articleSorts, stock.ByCreatedAt,
		func(o *listArticles) *stock.ArticleSort { return &o.Sort }).
		Says("What the list is sorted by. Equal records are sorted by id; records without a value come last in both " +
			"directions."),
	wire.Defaulted("direction", wire.Enum(ascending, descending), ascending,
		func(o *listArticles) *sortDirection { return &o.direction }).
		Says("Whether the least or the greatest value comes first. Default: asc."),
	wire.Defaulted(withBuffers, wire.Boolean, false, func(o *listArticles) *bool { return &o.booking }).
		Says("Whether availability tells what can be booked over the window, with the buffers that a booking " +
			"brings, as the operation on availability does. " +
			"The order by availability stays that of units free without buffers. Default: false."),
	wire.Defaulted("fields", articleFields, nil, func(o *listArticles) *fieldSet { return &o.fields }).
		Says("Which members of each article are answered, by their names: in a query as a list with commas. " +
			orOne + " Default: all."),
}, pageFields(func(o *listArticles) *page { return &o.page }))

var listArticlesShape = wire.ShapeOf("ListArticles", listArticlesFields...)

// fieldSet is the members of a record that are asked for, by their place in its schema; nil: all.
type fieldSet []bool

var articleMembers = func() map[string]int {
	places := map[string]int{}
	for i, m := range articleSchema.Members {
		places[m.Name] = i
	}
	return places
}()

// timed are the members of an article that its stock over the window is read for.
var timed = []string{"unavailability", "scheduledEvents", "articleLocations", "conflicts", "quantity", "availability",
	"temporalStock"}

func (s fieldSet) timed() bool {
	return s == nil || slices.ContainsFunc(timed, func(name string) bool { return s[articleMembers[name]] })
}

var articleFields = func() wire.Kind[fieldSet] {
	s := &wire.Schema{Type: "array", Items: &wire.Schema{Type: "string"}, Example: `["id","name"]`}
	var names []string
	for _, m := range articleSchema.Members {
		names = append(names, m.Name)
	}
	message := "must be one of " + strings.Join(names, ", ")
	add := func(name []byte, dst *fieldSet) wire.Wrong {
		i, ok := articleMembers[string(name)]
		if !ok {
			return wire.Wrong{Code: wire.FaultEnum, Message: message}
		}
		if *dst == nil {
			*dst = make(fieldSet, len(articleSchema.Members))
		}
		(*dst)[i] = true
		return wire.Wrong{}
	}
	return wire.Kind[fieldSet]{
		Schema: s,
		JSON: func(r *wire.Reader, dst *fieldSet) {
			one := func() {
				if name, ok := r.Token(wire.JSONString); ok {
					if w := add(name, dst); w.Code != "" {
						r.Fault(w.Code, w.Message)
					}
				}
			}
			if r.Space() != '[' {
				one()
				return
			}
			r.Enter('[', "an array")
			for n := 0; r.Element(n); n++ {
				one()
			}
		},
		Query: func(a *wire.Args, name string, dst *fieldSet) (present bool) {
			for p := a.Next(name); p != nil; p = a.Next(name) {
				present = true
				for one := range bytes.SplitSeq(p.Value, []byte{','}) {
					if w := add(one, dst); w.Code != "" {
						a.Fault(name, w.Code, w.Message)
						break
					}
				}
			}
			return present
		},
	}
}()

// keep takes from an article that was appended at start the members that are not asked for.
func (s fieldSet) keep(b []byte, start int) []byte {
	out := start + 1
	for i := start + 1; b[i] != '}'; {
		name := i + 1
		end := name + bytes.IndexByte(b[name:], '"') // names have no escapes
		next := wire.EndOfValue(b, end+2)
		if s[articleMembers[wire.OfTotal(string(b[name:end]))]] {
			if out > start+1 {
				b[out] = ','
				out++
			}
			out += copy(b[out:], b[i:next])
		}
		if i = next; b[i] == ',' {
			i++
		}
	}
	b[out] = '}'
	return b[:out+1]
}

// listedArticleSchema is an article in a list, which has the members asked for.
var listedArticleSchema = func() *wire.Schema {
	s := *articleSchema
	s.Name, s.Members = "ListedArticle", slices.Clone(s.Members)
	for i := range s.Members {
		s.Members[i].Required = false
	}
	return &s
}()

var articleListSchema = describe("ArticleList", func(w *scribe, p *page) {
	p.size = 1
	w.Key("articles", wire.ListSchema(listedArticleSchema), "The articles of the page.")
	w.articlePage(*p, 0)
}).Uncut()

// articlePage writes the members that come after the articles of a page.
func (w *scribe) articlePage(p page, total int) {
	w.Count("totalCount", total, "How many articles there are on all pages.")
	w.pagination(p, total)
}

// listOfArticles completes one of the two operations that list articles.
func listOfArticles(o operation, in input[listArticles]) operation {
	o.scopes, o.answer = stockRead, articleListSchema
	return readChecked(o, in, (*request).checkListArticles, (*request).listArticles)
}

func (q *request) checkListArticles(o *listArticles) {
	q.checkWindow(o.window)
	for _, f := range stock.CheckArticles(q.view, &o.ArticleQuery) {
		at := q.place(f.Pointer)
		if at.Code, at.Message = f.Code, f.Message; !q.faults.At(at.Pointer) {
			// what could not be read is reported already
			q.faults.Add(at)
		}
	}
}

// selectArticles finds the page that is asked for, and the only location whose stock is shown; zero: all locations.
func (q *request) selectArticles(o *listArticles) (articles []*stock.Article, total int, location base.ID, err error) {
	o.Now = q.now
	o.Active, o.Archived = o.archive != archiveArchived, o.archive != archiveActive
	o.Desc, o.Offset, o.Limit = o.direction == descending, o.page.offset(), o.page.size
	if o.Location != nil {
		location = *o.Location
	}
	articles, total, err = stock.ListArticles(q.view, &o.ArticleQuery, make([]*stock.Article, 0, o.page.size))
	return articles, total, location, err
}

func (q *request) listArticles(o *listArticles) error {
	if o.page.size > longPage { // where a body asks for the page, its size was not known before
		if err := q.dear(longPageCost); err != nil {
			return err
		}
	}
	o.Window = q.span(o.window)
	articles, total, location, err := q.selectArticles(o)
	if err != nil {
		return err
	}
	q.stock.Most, q.stock.Bookable = wire.RowEntries, o.booking
	q.stock.Reset(o.Window)
	q.Out = append(q.Out, `{"articles":[`...)
	for _, r := range articles {
		q.Next()
		if o.fields.timed() {
			if err := stock.FillArticleStock(q.view, &q.stock, r.ID, location, o.Window, q.now); err != nil {
				return err
			}
		}
		start := len(q.Out)
		q.Braces(func() { q.writeArticle(r, &q.stock, wire.RowEntries, wire.RowSteps) })
		if o.fields != nil {
			q.Out = o.fields.keep(q.Out, start)
		}
		if q.Out = wire.Bounded(q.Out, start, wire.MaxRow); !q.grown(len(q.Out)) {
			return nil
		}
	}
	q.Out = append(q.Out, ']')
	q.articlePage(o.page, total)
	q.Out = append(q.Out, '}')

	if q.op.body == nil {
		q.link(o.page, o.page.pages(total))
	}
	return nil
}
