package stock

import (
	"math/bits"
	"slices"
	"sync"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns the list of articles: which of them a query selects. article_sort.go puts them in order.
//
// A list is a pass over the columns of the fields that the query names (article_field.go), into one bit an article, and
// then a selection of the page. Timelines are asked for counts alone, by passes over what is packed side by side
// (timeline's Ranking and Tallies). So the price of a page of 100,000 articles is: 0.1 ms for the bits; 0.1 to 1 ms for
// each filter; nothing for the order of creation, 0.1 to 1 ms for units free or units, and 1 to 3 ms for any other
// order. Nothing is sorted but the page. Where a query has no conditions but status and archive, how many there are is
// a sum that is kept, and the first pages in the order of creation and of units free look at few articles: there is no
// pass over all.

// ArticleQuery says which articles a list has, over which window, and in which order.
type ArticleQuery struct {
	Window           base.Span // an instant has Start == End
	Now              int64
	Status           []ArticleStatus // none: all
	Active, Archived bool            // which of the two
	IDs              []base.ID       // nil: all
	External         *string
	SKU              *base.ID
	Location         *base.ID // only articles with units there in the window, and all counts are of it alone
	Search           string
	Filters          []Filter
	Sort             ArticleSort
	Desc             bool
	Offset, Limit    int
}

// CheckArticles names every fault of a query's filters, by pointers such as /filters/0/operator.
func CheckArticles(v base.View, q *ArticleQuery) []base.Fault {
	var c base.Checker
	n := 0
	for i := range q.Filters {
		f := &q.Filters[i]
		at := "/filters/" + base.Itoa(i)
		f.Read(&c, at)
		n += len(f.Values)
		if d := label.AttributeTable(v.Acc).Get(f.Attribute); d != nil && f.Field == "" && f.Format != "" &&
			!askedAs(d, f.Format) {
			c.Fault(at+"/format", "enum", "is not the attribute's, which is "+string(d.Format))
		}
	}
	if n > maxFilterValues {
		c.Fault("/filters", "length", "must have at most "+base.Itoa(maxFilterValues)+" values together")
	}
	return c.Faults
}

// askedAs says whether an attribute's values can be seen in a format.
func askedAs(d *label.Attribute, format label.AttributeFormat) bool {
	if d.Format == label.FormatFormula || d.Format == label.FormatSmartField {
		return !format.Chosen()
	}
	return d.Format == format
}

// condition is a filter made ready for an account.
type condition struct {
	from   factSource
	judge  label.Judge
	sku    []label.Verdict         // of what stands in, by number of the SKU; nil: nothing does
	number func(no uint32) float64 // in place of from: of an article by its number; asked in ascending order
	words  []uint64                // in place of a judge: a bit an article, and
	flip   uint64                  // what to xor it with
}

// listing is a list being made.
type listing struct {
	*ArticleQuery
	a        *base.AccountState
	window   base.Span // not empty
	location uint32
	blocks   int
	status   [len(articleStatuses)]bool // which are listed
	found    []uint64                   // of select, where it was asked of all blocks; else there is none
	closed   []uint64
	all      []condition
	search   []condition // one of them is enough

	ranking timeline.Ranking
	page    []timeline.Ranked
	tallies []timeline.Tally
	picker  Picker
}

var listings = sync.Pool{New: func() any { return new(listing) }}

// ListArticles appends a page of the articles that a query selects to dst, and says how many it selects. The query was
// checked.
func ListArticles(v base.View, q *ArticleQuery, dst []*Article) (page []*Article, total int, err error) {
	l := listings.Get().(*listing)
	defer l.release()
	l.ArticleQuery, l.a, l.window = q, v.Acc, InstantOr(q.Window)
	l.blocks = int(v.Acc.Ledger.Article)/blockRows + 1
	if err := l.prepare(); err != nil {
		return dst, 0, err
	}
	for i, s := range articleStatuses {
		l.status[i] = len(q.Status) == 0 || slices.Contains(q.Status, s)
	}
	if len(l.all) == 0 && l.Search == "" {
		total = l.count()
	} else {
		total = l.selectAll()
	}
	return l.order(total, dst), total, nil
}

func (l *listing) release() {
	clear(l.all)
	clear(l.search)
	*l = listing{
		found: l.found[:0], closed: l.closed[:0], all: l.all[:0], search: l.search[:0], ranking: l.ranking,
		page: l.page, tallies: l.tallies[:0],
		picker: Picker{list: l.picker.list[:0]},
	}
	listings.Put(l)
}

// prepare looks up what the query names, and makes its conditions.
func (l *listing) prepare() error {
	if l.Location != nil {
		at := LocationTable(l.a).Get(*l.Location)
		if at == nil {
			return errNoLocation
		}
		l.location = at.No
		l.all = append(l.all, condition{words: l.stocked(func(no uint32) bool { return no == at.No })})
	}
	if l.SKU != nil {
		s := SKUTable(l.a).Get(*l.SKU)
		if s == nil {
			return base.NotFound("SKU")
		}
		c := condition{sku: make([]label.Verdict, l.a.Ledger.SKU+1)}
		c.sku[s.No] = label.Passed
		l.all = append(l.all, c)
	}
	if l.IDs != nil {
		words := make([]uint64, l.blocks)
		for _, id := range l.IDs {
			if r := ArticleTable(l.a).Get(id); r != nil {
				words[r.No/blockRows] |= 1 << (r.No % blockRows)
			}
		}
		l.all = append(l.all, condition{words: words})
	}
	if l.External != nil {
		words := make([]uint64, l.blocks)
		if r := ArticleTable(l.a).First(articleByExternal, *l.External); r != nil {
			words[r.No/blockRows] |= 1 << (r.No % blockRows)
		}
		l.all = append(l.all, condition{words: words})
	}
	if l.Search != "" {
		j := label.NewJudge(label.FormatText, label.Contains, []label.Operand{{Text: base.Uncased(l.Search)}},
			timeline.Date{}, nil, nil)
		for _, n := range [...]ArticleField{FieldName, FieldCodes, FieldSKUName, FieldSKUCode} {
			if c := l.condition(fieldSource(n), j); c.from.Own != nil || slices.Contains(c.sku, label.Passed) {
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
	l.a.Stock.Stocked(l.window, func(article, location uint32) {
		if wanted(location) {
			words[article/blockRows] |= 1 << (article % blockRows)
		}
	})
	return words
}

// condition asks a source's facts, and judges what SKUs have for all of their articles at once.
func (l *listing) condition(from factSource, j label.Judge) condition {
	c := condition{from: from, judge: j}
	if from.SKU != nil {
		c.sku = make([]label.Verdict, l.a.Ledger.SKU+1)
		from.skuColumns(l.a, func(first int, columns *label.Columns) {
			pass, fail := c.judge.Columns(columns, &everyRow)
			for i := range stretch {
				verdicts := c.sku[min(first+i*blockRows, len(c.sku)):]
				for rows := pass[i]; rows != 0; rows &= rows - 1 {
					verdicts[bits.TrailingZeros64(rows)] = label.Passed
				}
				for rows := fail[i]; rows != 0; rows &= rows - 1 {
					verdicts[bits.TrailingZeros64(rows)] = label.Failed
				}
			}
		})
	}
	return c
}

var everyRow = func() (all label.Rows) {
	for i := range all {
		all[i] = ^uint64(0)
	}
	return all
}()

// filter makes a filter ready.
func (l *listing) filter(f *Filter) (c condition, err error) {
	var faults base.Checker
	format, operands := f.Read(&faults, "")
	if len(faults.Faults) > 0 {
		return c, base.Invalid(faults.Faults)
	}
	zone := MustZone(l.a.Row.Timezone)
	judge := func(chosen func(label.Operand) []base.ID) label.Judge {
		return label.NewJudge(format, f.Operator, operands, timeline.DateOf(zone, l.Now), zone, chosen)
	}
	itself := func(x label.Operand) []base.ID { return []base.ID{x.ID} }
	switch f.Field {
	case "":
		d := label.AttributeTable(l.a).Get(f.Attribute)
		if d == nil {
			return c, base.NotFound("attribute")
		}
		j := judge(d.Chosen)
		if d.Format.Chosen() {
			j.Alive = func(id base.ID) bool { return d.Option(id) != nil }
		}
		return l.condition(AttributeSource(d, format), j), nil
	case FieldTags:
		j := judge(func(x label.Operand) []base.ID { return tagsNamed(l.a, x) })
		j.Alive = func(id base.ID) bool { return label.TagTable(l.a).Get(id) != nil }
		return l.condition(fieldSource(f.Field), j), nil
	case FieldQuantity:
		j := judge(nil)
		if len(l.tallies) == 0 {
			l.tallies = l.a.Stock.Tallies(&l.ranking, l.window, l.location, int(l.a.Ledger.Article), false, l.tallies)
		}
		return condition{judge: j, number: func(no uint32) float64 { return float64(l.tallies[no].Units) }}, nil
	case FieldItemIncome:
		return condition{judge: judge(nil), number: incomes(l.a)}, nil
	case FieldProfitability:
		return condition{judge: judge(nil), number: profits(l.a)}, nil
	case FieldServiceLocation:
		wanted := func(no uint32) bool { return true }
		if f.Operator != label.IsEmpty && f.Operator != label.IsNotEmpty {
			var numbers []uint32
			for _, x := range operands {
				numbers = append(numbers, LocationKind.NoOf(l.a, x.ID))
			}
			wanted = func(no uint32) bool { return slices.Contains(numbers, no) }
		}
		c.words = l.stocked(wanted)
		if f.Operator.Negated() || f.Operator == label.IsEmpty {
			c.flip = ^uint64(0)
		}
		return c, nil
	}
	return l.condition(fieldSource(f.Field), judge(itself)), nil
}

// tagsNamed is the tags that a text names, by value or id.
func tagsNamed(a *base.AccountState, x label.Operand) (ids []base.ID) {
	for g := range label.TagTable(a).All() {
		if base.Uncased(g.Value) == x.Text || g.ID == x.ID {
			ids = append(ids, g.ID)
		}
	}
	return ids
}

// articleCounts is how many articles there are of each status, those that are not archived and those that are.
type articleCounts [len(articleStatuses)][2]int32

// countKey is the key under which the table of articles keeps its articleCounts.
type countKey struct{}

// count counts the articles that a query without conditions selects, of which no look at each is needed.
func (l *listing) count() (total int) {
	counts := table.Sum(ArticleTable(l.a), countKey{}, func(b table.Block[Article]) (n articleCounts) {
		facts := factsOfBlock(l.a, b)
		for i, of := range facts.status {
			n[i] = [2]int32{int32(bits.OnesCount64(of &^ facts.archived)), int32(bits.OnesCount64(of & facts.archived))}
		}
		return n
	}, func(n, m articleCounts) articleCounts {
		for i := range n {
			n[i][0] += m[i][0]
			n[i][1] += m[i][1]
		}
		return n
	})
	for i, n := range counts {
		if l.status[i] && l.Active {
			total += int(n[0])
		}
		if l.status[i] && l.Archived {
			total += int(n[1])
		}
	}
	return total
}

// selectAll fills found with a bit for each article that the query selects, and counts them.
func (l *listing) selectAll() (total int) {
	l.found = slices.Grow(l.found[:0], l.blocks)
	l.closed = slices.Grow(l.closed[:0], l.blocks)
	for s := 0; s*stretch < l.blocks; s++ {
		facts := factsFrom(l.a, s)
		var found, closed label.Rows
		for i, f := range facts {
			found[i], closed[i] = l.among(f)
		}
		found = l.selectFrom(s, facts, found)
		for i := range found[:min(stretch, l.blocks-s*stretch)] {
			l.found, l.closed = append(l.found, found[i]), append(l.closed, closed[i]&found[i])
			total += bits.OnesCount64(found[i])
		}
	}
	return total
}

// in is the articles of a block that the query selects, and those of them that take no new holds. Where it was not
// asked of all blocks, the query has no conditions.
func (l *listing) in(i int) (found, closed uint64) {
	if len(l.found) > 0 {
		return l.found[i], l.closed[i]
	}
	if b := ArticleTable(l.a).Block(i); b.Rows != nil {
		return l.among(factsOfBlock(l.a, b))
	}
	return 0, 0
}

// among is the articles of a block that have a status that is listed, and are archived or not as the query says. It
// returns none of a block that is not there, whose facts are nil.
func (l *listing) among(facts *blockFacts) (found, closed uint64) {
	if facts == nil {
		return 0, 0
	}
	for s, wanted := range l.status {
		if wanted {
			found |= facts.status[s]
		}
	}
	if !l.Archived {
		found &^= facts.archived
	}
	if !l.Active {
		found &= facts.archived
	}
	return found, found & (facts.archived | ^facts.status[0])
}

// selectFrom is the articles of the s-th stretch of blocks that meet the conditions.
func (l *listing) selectFrom(s int, facts *[stretch]*blockFacts, among label.Rows) label.Rows {
	for k := range l.all {
		among = l.all[k].in(l.a, s, facts, among)
	}
	if l.Search == "" {
		return among
	}
	var found label.Rows
	for k := range l.search {
		rest := among
		for i := range rest {
			rest[i] &^= found[i]
		}
		for i, met := range l.search[k].in(l.a, s, facts, rest) {
			found[i] |= met
		}
	}
	return found
}

// in is the articles of the s-th stretch of blocks that meet a condition.
func (c *condition) in(a *base.AccountState, s int, facts *[stretch]*blockFacts, among label.Rows) (met label.Rows) {
	switch {
	case c.words != nil:
		for i, word := range c.words[s*stretch : min((s+1)*stretch, len(c.words))] {
			met[i] = among[i] & (word ^ c.flip)
		}
		return met
	case c.number != nil:
		for i, rest := range among {
			for ; rest != 0; rest &= rest - 1 {
				bit := bits.TrailingZeros64(rest)
				f := label.NumberFact(c.number(uint32((s*stretch+i)*blockRows + bit)))
				if c.judge.Of(&f) == label.Passed {
					met[i] |= 1 << bit
				}
			}
		}
		return met
	}
	if columns := c.from.columns(a, s); columns != nil {
		pass, fail := c.judge.Columns(columns, &among)
		for i := range met { // of the rest SKUs decide
			met[i], among[i] = pass[i], among[i]&^(pass[i]|fail[i])
		}
	}
	without := c.judge.Without()
	for i, rest := range among {
		if c.sku == nil {
			if without {
				met[i] |= rest
			}
			continue
		}
		for ; rest != 0; rest &= rest - 1 {
			bit := bits.TrailingZeros64(rest)
			if v := c.sku[facts[i].sku[bit]]; v == label.Passed || v != label.Failed && without {
				met[i] |= 1 << bit
			}
		}
	}
	return met
}
