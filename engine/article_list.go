package engine

import (
	"math/bits"
	"slices"
	"strings"
	"sync"

	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns the list of articles: which of them a query selects. article_sort.go puts them in order.
//
// A list is a pass over the columns of the fields that the query names (article_field.go), into one bit an article, and then
// a selection of the page. Timelines are asked for counts alone, by passes over what is packed side by side (timeline's
// Ranking and Tallies). So the price of a page of 100,000 articles is: 0.1 ms for the bits; 0.1 to 1 ms for each filter;
// nothing for the order of creation, 0.1 to 1 ms for units free or units, and 1 to 3 ms for any other order. Nothing is
// sorted but the page.

// ArticleQuery says which articles a list has, over which window, and in which order.
type ArticleQuery struct {
	Window           Span // an instant has Start == End
	Now              int64
	Status           []ArticleStatus // none: all
	Active, Archived bool            // which of the two
	IDs              []ID            // nil: all
	External         *string
	SKU              *ID
	Location         *ID // only articles with units there in the window, and all counts are of it alone
	Search           string
	Filters          []Filter
	Sort             ArticleSort
	Desc             bool
	Offset, Limit    int
}

// CheckArticles names every fault of a query's filters, by pointers such as /filters/0/operator.
func (v View) CheckArticles(q *ArticleQuery) []Fault {
	var c checker
	n := 0
	for i := range q.Filters {
		f := &q.Filters[i]
		at := "/filters/" + itoa(i)
		f.read(&c, at)
		n += len(f.Values)
		if d := v.acc.attributes().Get(f.Attribute); d != nil && f.Field == "" && f.Format != "" && !d.askedAs(f.Format) {
			c.fault(at+"/format", "enum", "is not the attribute's, which is "+string(d.Format))
		}
	}
	if n > maxFilterValues {
		c.fault("/filters", "length", "must have at most "+itoa(maxFilterValues)+" values together")
	}
	return c.faults
}

// askedAs says whether an attribute's values can be seen in a format.
func (d *Attribute) askedAs(format AttributeFormat) bool {
	if d.Format == FormatFormula || d.Format == FormatSmartField {
		return !format.Chosen()
	}
	return d.Format == format
}

// condition is a filter made ready for an account.
type condition struct {
	from   factSource
	judge  judge
	sku    []verdict               // of what stands in, by number of the SKU; nil: nothing does
	number func(no uint32) float64 // in place of from: of an article by its number; asked in ascending order
	words  []uint64                // in place of a judge: a bit an article, and
	flip   uint64                  // what to xor it with
}

// listing is a list being made.
type listing struct {
	*ArticleQuery
	a        *account
	window   Span // not empty
	location uint32
	blocks   int
	found    []uint64
	closed   []uint64
	all      []condition
	search   []condition // one of them is enough

	ranking timeline.Ranking
	page    []timeline.Ranked
	tallies []timeline.Tally
	picker  picker
}

var listings = sync.Pool{New: func() any { return new(listing) }}

// ListArticles appends a page of the articles that a query selects to dst, and says how many it selects. The query was
// checked.
func (v View) ListArticles(q *ArticleQuery, dst []*Article) (page []*Article, total int, err error) {
	l := listings.Get().(*listing)
	defer l.release()
	l.ArticleQuery, l.a, l.window = q, v.acc, instantOr(q.Window)
	l.blocks = int(v.acc.ledger.Article)/blockRows + 1
	if err := l.prepare(); err != nil {
		return dst, 0, err
	}
	total = l.selectAll()
	return l.order(total, dst), total, nil
}

func (l *listing) release() {
	clear(l.all)
	clear(l.search)
	*l = listing{
		found: l.found, closed: l.closed, all: l.all[:0], search: l.search[:0], ranking: l.ranking, page: l.page, tallies: l.tallies[:0],
		picker: picker{list: l.picker.list[:0]},
	}
	listings.Put(l)
}

// prepare looks up what the query names, and makes its conditions.
func (l *listing) prepare() error {
	if l.Location != nil {
		at := l.a.locations().Get(*l.Location)
		if at == nil {
			return errNoLocation
		}
		l.location = at.No
		l.all = append(l.all, condition{words: l.stocked(func(no uint32) bool { return no == at.No })})
	}
	if l.SKU != nil {
		s := l.a.skus().Get(*l.SKU)
		if s == nil {
			return notFound("SKU")
		}
		c := condition{sku: make([]verdict, l.a.ledger.SKU+1)}
		c.sku[s.No] = passed
		l.all = append(l.all, c)
	}
	if l.IDs != nil {
		words := make([]uint64, l.blocks)
		for _, id := range l.IDs {
			if r := l.a.articles().Get(id); r != nil {
				words[r.No/blockRows] |= 1 << (r.No % blockRows)
			}
		}
		l.all = append(l.all, condition{words: words})
	}
	if l.External != nil {
		words := make([]uint64, l.blocks)
		if r := l.a.articles().First(articleByExternal, *l.External); r != nil {
			words[r.No/blockRows] |= 1 << (r.No % blockRows)
		}
		l.all = append(l.all, condition{words: words})
	}
	if l.Search != "" {
		j := newJudge(FormatText, Contains, []operand{{text: strings.ToLower(l.Search)}}, timeline.Date{}, nil, nil)
		for _, n := range [...]ArticleField{FieldName, FieldCodes, FieldSKUName, FieldSKUCode} {
			if c := l.condition(fieldSource(n), j); c.from.own != nil || slices.Contains(c.sku, passed) {
				l.search = append(l.search, c)
			}
		}
	}
	for i := range l.Filters {
		c, err := l.filter(&l.Filters[i])
		if err != nil {
			return err
		}
		l.all = append(l.all, c)
	}
	return nil
}

// stocked is the articles with a unit in the window at a location that is one of those wanted.
func (l *listing) stocked(wanted func(location uint32) bool) []uint64 {
	words := make([]uint64, l.blocks)
	l.a.stock.Stocked(l.window, func(article, location uint32) {
		if wanted(location) {
			words[article/blockRows] |= 1 << (article % blockRows)
		}
	})
	return words
}

// condition asks a source's facts, and judges what SKUs have for all of their articles at once.
func (l *listing) condition(from factSource, j judge) condition {
	c := condition{from: from, judge: j}
	if from.sku != nil {
		c.sku = make([]verdict, l.a.ledger.SKU+1)
		from.skuColumns(l.a, func(first int, column *column) {
			pass, fail := column.judged(&c.judge, ^uint64(0))
			for i := range blockRows {
				switch {
				case pass>>i&1 != 0:
					c.sku[first+i] = passed
				case fail>>i&1 != 0:
					c.sku[first+i] = failed
				}
			}
		})
	}
	return c
}

// filter makes a filter ready.
func (l *listing) filter(f *Filter) (c condition, err error) {
	var faults checker
	format, operands := f.read(&faults, "")
	if len(faults.faults) > 0 {
		return c, invalid(faults.faults)
	}
	zone := mustZone(l.a.row.Timezone)
	judge := func(chosen func(operand) []ID) judge {
		return newJudge(format, f.Operator, operands, timeline.DateOf(zone, l.Now), zone, chosen)
	}
	itself := func(x operand) []ID { return []ID{x.id} }
	switch f.Field {
	case "":
		d := l.a.attributes().Get(f.Attribute)
		if d == nil {
			return c, notFound("attribute")
		}
		j := judge(d.chosen)
		if d.Format.Chosen() {
			j.alive = func(id ID) bool { return d.option(id) != nil }
		}
		return l.condition(attributeSource(d, format), j), nil
	case FieldTags:
		j := judge(func(x operand) []ID { return l.a.tagsNamed(x) })
		j.alive = func(id ID) bool { return l.a.tags().Get(id) != nil }
		return l.condition(fieldSource(f.Field), j), nil
	case FieldQuantity:
		j := judge(nil)
		if len(l.tallies) == 0 {
			l.tallies = l.a.stock.Tallies(&l.ranking, l.window, l.location, int(l.a.ledger.Article), false, l.tallies)
		}
		return condition{judge: j, number: func(no uint32) float64 { return float64(l.tallies[no].Units) }}, nil
	case FieldItemIncome:
		return condition{judge: judge(nil), number: l.a.incomes()}, nil
	case FieldProfitability:
		return condition{judge: judge(nil), number: l.a.profits()}, nil
	case FieldServiceLocation:
		wanted := func(no uint32) bool { return true }
		if f.Operator != IsEmpty && f.Operator != IsNotEmpty {
			wanted = func(no uint32) bool {
				at := l.a.locations().No(no)
				return slices.ContainsFunc(operands, func(x operand) bool { return x.id == at.ID })
			}
		}
		c.words = l.stocked(wanted)
		if f.Operator.negated() || f.Operator == IsEmpty {
			c.flip = ^uint64(0)
		}
		return c, nil
	}
	return l.condition(fieldSource(f.Field), judge(itself)), nil
}

// tagsNamed is the tags that a text names, by value or id.
func (a *account) tagsNamed(x operand) (ids []ID) {
	for g := range a.tags().All() {
		if strings.ToLower(g.Value) == x.text || g.ID == x.id {
			ids = append(ids, g.ID)
		}
	}
	return ids
}

// selectAll fills found with a bit for each article that the query selects, and counts them.
func (l *listing) selectAll() (total int) {
	l.found = slices.Grow(l.found[:0], l.blocks)[:l.blocks]
	l.closed = slices.Grow(l.closed[:0], l.blocks)[:l.blocks]
	var status [len(articleStatuses)]bool
	for i, s := range articleStatuses {
		status[i] = len(l.Status) == 0 || slices.Contains(l.Status, s)
	}
	for i := range l.blocks {
		l.found[i], l.closed[i] = 0, 0
		b := l.a.articles().Block(i)
		if b.Rows == nil {
			continue
		}
		facts := l.a.blockFacts(b)
		among := uint64(0)
		for s, wanted := range status {
			if wanted {
				among |= facts.status[s]
			}
		}
		if !l.Archived {
			among &^= facts.archived
		}
		if !l.Active {
			among &= facts.archived
		}
		among = l.selectFrom(i, b, facts, among)
		l.found[i], l.closed[i] = among, among&(facts.archived|^facts.status[0])
		total += bits.OnesCount64(among)
	}
	return total
}

// selectFrom is the articles of a block that meet the conditions.
func (l *listing) selectFrom(i int, b table.Block[Article], facts *blockFacts, among uint64) uint64 {
	for k := range l.all {
		if among == 0 {
			return 0
		}
		among = l.all[k].in(i, b, facts, among)
	}
	if l.Search == "" {
		return among
	}
	found := uint64(0)
	for k := range l.search {
		found |= l.search[k].in(i, b, facts, among&^found)
	}
	return found
}

// in is the articles of a block that meet a condition.
func (c *condition) in(i int, b table.Block[Article], facts *blockFacts, among uint64) (met uint64) {
	switch {
	case c.words != nil:
		return among & (c.words[i] ^ c.flip)
	case c.number != nil:
		for rest := among; rest != 0; rest &= rest - 1 {
			bit := bits.TrailingZeros64(rest)
			f := numberFact(c.number(uint32(i*blockRows + bit)))
			if c.judge.of(&f) == passed {
				met |= 1 << bit
			}
		}
		return met
	}
	rest := among // of these SKUs decide
	if column := c.from.articles(b); column != nil {
		pass, fail := column.judged(&c.judge, among)
		met, rest = pass, among&^(pass|fail)
	}
	without := c.judge.without()
	if c.sku == nil {
		if without {
			met |= rest
		}
		return met
	}
	for ; rest != 0; rest &= rest - 1 {
		bit := bits.TrailingZeros64(rest)
		if v := c.sku[facts.sku[bit]]; v == passed || v != failed && without {
			met |= 1 << bit
		}
	}
	return met
}
