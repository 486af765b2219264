package api

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"holdfast/engine"
)

// This file owns the list of articles: its filters, sorts and fields, which a GET reads from its query and a POST from its
// body by the same shape.

const (
	maxFilters = 32
	maxOperand = 1000 // characters of one operand
	maxListIDs = 250
)

// sortDirection is which way a list is ordered.
type sortDirection string

const (
	ascending  sortDirection = "asc"
	descending sortDirection = "desc"
)

type listArticles struct {
	engine.ArticleQuery
	window    *window
	archive   archiveFilter
	direction sortDirection
	fields    fieldSet
	page      page
}

// operands are the values of a filter: one, or a list. In a query they are texts, in a body what their format is.
var operands = kind[engine.Filter]{
	schema: &Schema{About: "One value or a list of them: strings, numbers, true or false, as the format of what is compared wants it. " +
		"Several are or-ed; of a negated operator none may match. between and notBetween take two, isEmpty, isNotEmpty, isToday, isBeforeToday and isAfterToday none."},
	json: func(r *jsonReader, dst *engine.Filter) {
		if r.space() != '[' {
			dst.Values = []engine.Value{readOperand(r)}
			return
		}
		r.enter('[', "an array")
		n := 0
		for ; r.element(n); n++ {
			if n >= maxListIDs {
				r.skip()
				continue
			}
			dst.Values = append(dst.Values, readOperand(r))
		}
		if n > maxListIDs {
			r.fault(faultLength, "must have at most "+strconv.Itoa(maxListIDs)+" elements")
		}
	},
	query: func(a *args, name string, dst *engine.Filter) (present bool) {
		for p := a.next(name); p != nil; p = a.next(name) {
			v := engine.Value{Kind: engine.TextValue}
			if w := operandText.text(p.value, &v.Text); w.code != "" {
				a.fault(name, w.code, w.message)
			}
			dst.Values, present = append(dst.Values, v), true
		}
		dst.Written = true
		return present
	},
}

var operandText = text(0, maxOperand)

func readOperand(r *jsonReader) (v engine.Value) {
	if !readScalar(r, operandText, &v) {
		r.wrongType("a string, a number, true or false")
	}
	return v
}

var (
	articleSorts  = enum(engine.ArticleSorts...)
	filterFormats = enum(engine.FilterFormats...)
)

var filterShape = shapeOf("ArticleFilter",
	defaulted("field", enum(engine.FilterFields...), "", func(f *engine.Filter) *engine.ArticleField { return &f.Field }).
		says("What is compared: a field, or an attribute by attributeId and format. Several codes, tags or locations match where one of them does."),
	defaulted("attributeId", uuid, engine.ID{}, func(f *engine.Filter) *engine.ID { return &f.Attribute }).
		says("The attribute whose value is looked at, where field is not given."),
	defaulted("format", filterFormats, "", func(f *engine.Filter) *engine.AttributeFormat { return &f.Format }).
		says("The format of the attribute's values. A formula or smart field is asked in the format of what is stored in it."),
	required("operator", enum(engine.Operators...), func(f *engine.Filter) *engine.Operator { return &f.Operator }).
		says("Text compares without case. What has no value passes isEmpty and the negated operators alone. Today is in the account's zone."),
	defaultless("value", operands, func(f *engine.Filter) *engine.Filter { return f }).
		says("With what it is compared: text, a number, true or false, or a list of them."))

// defaultless is a member that may be absent or null, which are the same and leave what is there.
func defaultless[T, V any](name string, k kind[V], at func(*T) *V) field[T] {
	f := required(name, k, at)
	read := f.json
	f.required, f.schema = false, k.schema.orNull()
	f.json = func(r *jsonReader, dst *T) {
		if !r.null() {
			read(r, dst)
		}
	}
	return f
}

var listArticlesShape = shapeOf("ListArticles", slices.Concat([]field[listArticles]{
	optional("dateRange", dateRange, func(o *listArticles) **window { return &o.window }).says("The window that is looked at. Default: the present instant."),
	defaulted("status", list(articleStatus, 0, 3), nil, func(o *listArticles) *[]engine.ArticleStatus { return &o.Status }).
		says("Only articles in one of these states. Default: all."),
	defaulted("archive", enum(archiveActive, archiveArchived, archiveAll), archiveActive, func(o *listArticles) *archiveFilter { return &o.archive }).
		says("Which articles by whether they are archived. Default: active."),
	defaulted("ids", list(uuid, 1, maxListIDs), nil, func(o *listArticles) *[]engine.ID { return &o.IDs }).says("Only articles with these ids."),
	externalIDFilter(func(o *listArticles) **string { return &o.External }, "the article"),
	optional("skuId", uuid, func(o *listArticles) **engine.ID { return &o.SKU }).says("Only articles of this SKU."),
	optional("serviceLocationId", uuid, func(o *listArticles) **engine.ID { return &o.Location }).
		says("Only articles with units there in the window; all numbers and series count that location alone."),
	defaulted("search", text(0, 255), "", func(o *listArticles) *string { return &o.Search }).says("A part of the name, a code, or the SKU's name or code."),
	defaulted("filters", list(object(filterShape), 0, maxFilters), nil, func(o *listArticles) *[]engine.Filter { return &o.Filters }).
		says("Conditions, all of which must be met. At most 200 values together.").shows(`[{"field":"name","operator":"startsWith","value":"Canoe"}]`),
	defaulted("sort", articleSorts, engine.ByCreatedAt, func(o *listArticles) *engine.ArticleSort { return &o.Sort }).
		says("What they are ordered by: equal ones by their ids, what has no value last, in both directions."),
	defaulted("direction", enum(ascending, descending), ascending, func(o *listArticles) *sortDirection { return &o.direction }).
		says("Whether the least or the greatest value comes first. Default: asc."),
	defaulted("fields", articleFields, nil, func(o *listArticles) *fieldSet { return &o.fields }).
		says("Which members of each article are answered, by their names: in a query as a list with commas. Default: all."),
}, pageFields(func(o *listArticles) *page { return &o.page }))...)

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
var timed = []string{"unavailability", "scheduledEvents", "articleLocations", "conflicts", "quantity", "availability", "temporalStock"}

func (s fieldSet) timed() bool {
	return s == nil || slices.ContainsFunc(timed, func(name string) bool { return s[articleMembers[name]] })
}

var articleFields = func() kind[fieldSet] {
	s := &Schema{Type: "array", Items: &Schema{Type: "string"}, Example: `["id","name"]`}
	var names []string
	for _, m := range articleSchema.Members {
		names = append(names, m.Name)
	}
	message := "must be one of " + strings.Join(names, ", ")
	add := func(name []byte, dst *fieldSet) wrong {
		i, ok := articleMembers[string(name)]
		if !ok {
			return wrong{faultEnum, message}
		}
		if *dst == nil {
			*dst = make(fieldSet, len(articleSchema.Members))
		}
		(*dst)[i] = true
		return wrong{}
	}
	return kind[fieldSet]{
		schema: s,
		json: func(r *jsonReader, dst *fieldSet) {
			if !r.enter('[', "an array") {
				return
			}
			for n := 0; r.element(n); n++ {
				if name, ok := r.token(jsonString); ok {
					if w := add(name, dst); w.code != "" {
						r.fault(w.code, w.message)
					}
				}
			}
		},
		query: func(a *args, name string, dst *fieldSet) (present bool) {
			for p := a.next(name); p != nil; p = a.next(name) {
				present = true
				for one := range bytes.SplitSeq(p.value, []byte{','}) {
					if w := add(one, dst); w.code != "" {
						a.fault(name, w.code, w.message)
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
		next := endOfValue(b, end+2)
		if s[articleMembers[ofTotal(string(b[name:end]))]] {
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

// endOfValue is where the JSON value that begins at i ends.
func endOfValue(b []byte, i int) int {
	for depth := 0; ; i++ {
		switch b[i] {
		case '{', '[':
			depth++
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
}

// listedArticleSchema is an article in a list, which has the members asked for.
var listedArticleSchema = func() *Schema {
	s := *articleSchema
	s.Name, s.Members = "ListedArticle", slices.Clone(s.Members)
	for i := range s.Members {
		s.Members[i].Required = false
	}
	return &s
}()

var articleListSchema = describe("ArticleList", func(w *scribe, p *page) {
	p.size = 1
	w.Key("articles", listSchema(listedArticleSchema), "The articles of the page.")
	w.articlePage(*p, 0)
}).whole()

// articlePage writes what stands behind the articles of a page.
func (w *scribe) articlePage(p page, total int) {
	w.Count("totalCount", total, "How many articles there are on all pages.")
	w.pagination(p, total)
}

// listOfArticles completes one of the two operations that list articles.
func listOfArticles(o operation, in input[listArticles]) operation {
	o.scopes, o.answer = articlesRead, articleListSchema
	return readChecked(o, in, (*request).checkListArticles, (*request).listArticles)
}

func (q *request) checkListArticles(o *listArticles) {
	q.checkWindow(o.window)
	for _, f := range q.view.CheckArticles(&o.ArticleQuery) {
		at := q.place(f.Pointer)
		if at.Code, at.Message = f.Code, f.Message; !q.faults.at(at.Pointer) { // what could not be read is reported already
			q.faults.add(at)
		}
	}
}

func (q *request) listArticles(o *listArticles) error {
	o.Window, o.Now = q.span(o.window), q.now
	o.Active, o.Archived = o.archive != archiveArchived, o.archive != archiveActive
	o.Desc, o.Offset, o.Limit = o.direction == descending, o.page.offset(), o.page.size
	articles, total, err := q.view.ListArticles(&o.ArticleQuery, make([]*engine.Article, 0, o.page.size))
	if err != nil {
		return err
	}
	var location engine.ID
	if o.Location != nil {
		location = *o.Location
	}
	q.stock.Most = rowEntries
	q.stock.Reset(o.Window)
	q.Out = append(q.Out, `{"articles":[`...)
	for _, r := range articles {
		q.Next()
		if o.fields.timed() {
			if err := q.view.ArticleStock(&q.stock, r.ID, location, o.Window, q.now); err != nil {
				return err
			}
		}
		start := len(q.Out)
		q.Braces(func() { q.writeArticle(r, &q.stock, rowEntries, rowSteps) })
		if o.fields != nil {
			q.Out = o.fields.keep(q.Out, start)
		}
		if q.Out = bounded(q.Out, start, maxRow); !q.grown(len(q.Out)) {
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
