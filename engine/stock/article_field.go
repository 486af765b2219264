package stock

import (
	"math/bits"
	"slices"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/table"
)

// This file owns the fields of articles that lists filter and sort by: where the value of each is, and how a pass over
// all articles reads it.
//
// A pass goes block by block, 64 articles each. What it needs of a field is a column, made of a block's rows when first
// asked for and kept with them until one of the rows changes. So a pass over 100,000 articles reads some megabytes that
// lie side by side, not 100,000 records.

// ArticleField is a field that filters name.
type ArticleField string

// The fields of filters.
const (
	FieldName            ArticleField = "name"
	FieldCodes           ArticleField = "codes"
	FieldStatus          ArticleField = "status"
	FieldCondition       ArticleField = "condition"
	FieldDescription     ArticleField = "description"
	FieldTags            ArticleField = "tags"
	FieldSKU             ArticleField = "skuId"
	FieldSKUName         ArticleField = "skuName"
	FieldSKUCode         ArticleField = "skuCode"
	FieldServiceLocation ArticleField = "serviceLocationId"
	FieldPurchasePrice   ArticleField = "purchasePrice"
	FieldItemCosts       ArticleField = "itemCosts"
	FieldItemIncome      ArticleField = "itemIncome"
	FieldProfitability   ArticleField = "profitability"
	FieldQuantity        ArticleField = "quantity"
	FieldCreatedAt       ArticleField = "createdAt"
)

// articleField is a field's format and where its value is: in the article, and where that has none in its SKU. One that
// is in neither is counted over the window, brought in by orders, or reckoned from others.
type articleField struct {
	Name   ArticleField
	Format label.AttributeFormat
	own    func(r *Article) label.Fact
	sku    func(s *SKU) label.Fact
}

// FilteredFields are those fields.
var FilteredFields = []articleField{
	{FieldName, label.FormatText, func(r *Article) label.Fact { return label.TextFact(r.Name) }, nil},
	{FieldCodes, label.FormatText, func(r *Article) label.Fact { return label.TextFact(r.Codes...) }, nil},
	{FieldStatus, label.FormatWord, func(r *Article) label.Fact { return label.TextFact(string(r.Status)) }, nil},
	{FieldCondition, label.FormatText, func(r *Article) label.Fact { return label.OptionalTextFact(r.Condition) }, nil},
	{FieldDescription, label.FormatText, func(r *Article) label.Fact { return label.OptionalTextFact(r.Description) },
		func(s *SKU) label.Fact { return label.OptionalTextFact(s.Description) }},
	{FieldTags, label.FormatMultiselect, func(r *Article) label.Fact { return label.IdsFact(r.Tags...) }, nil},
	{FieldSKU, label.FormatID, nil, func(s *SKU) label.Fact { return label.IdsFact(s.ID) }},
	{FieldSKUName, label.FormatText, nil, func(s *SKU) label.Fact { return label.TextFact(s.Name) }},
	{FieldSKUCode, label.FormatText, nil, func(s *SKU) label.Fact { return label.OptionalTextFact(s.Code) }},
	{FieldServiceLocation, label.FormatID, nil, nil},
	{FieldPurchasePrice, label.FormatNumber, func(r *Article) label.Fact { return label.MoneyFact(r.PurchasePrice) },
		func(s *SKU) label.Fact { return label.MoneyFact(s.PurchasePrice) }},
	{FieldItemCosts, label.FormatNumber, func(r *Article) label.Fact { return label.MoneyFact(r.ItemCosts) }, nil},
	{FieldItemIncome, label.FormatNumber, nil, nil},
	{FieldProfitability, label.FormatNumber, nil, nil},
	{FieldQuantity, label.FormatNumber, nil, nil},
	{FieldCreatedAt, label.FormatDatetime,
		func(r *Article) label.Fact { return label.NumberFact(float64(base.CreatedAt(r.ID))) }, nil},
}

// FilterFields are the fields that filters can name.
var FilterFields = func() (names []ArticleField) {
	for _, f := range FilteredFields {
		names = append(names, f.Name)
	}
	return names
}()

func (n ArticleField) field() *articleField {
	i := slices.IndexFunc(FilteredFields, func(f articleField) bool { return f.Name == n })
	if i < 0 {
		return nil
	}
	return &FilteredFields[i]
}

// Format is how values of the field are compared.
func (n ArticleField) Format() label.AttributeFormat {
	if f := n.field(); f != nil {
		return f.Format
	}
	return ""
}

// words are what a field of the format word can be.
func (n ArticleField) words() []string {
	return ArticleStatus("").Words()
}

// blockRows is how many rows a block has, and stretch how many blocks a pass over all reads together.
const (
	blockRows = 64
	stretch   = 64
)

// column is one field of the rows of a block.
type column struct {
	some  uint64           // rows with a fact
	of    [blockRows]uint8 // by row: the number of its fact in facts
	facts []label.Fact     // those that several rows have stand there once, where that is cheap
	rows  []uint64         // by fact: the rows that have it, a bit each
	// by two bytes in a row, as pairOf has them: the rows whose texts have such; nil: there are no texts
	pairs *[256]uint64
	ids   []idRows // those of the facts
}

// idRows is an id and the rows that have it.
type idRows struct {
	id   base.ID
	rows uint64
}

// columnOf finds a column among what is kept of a block, or makes it. The key says what get reads.
func columnOf[R any](b table.Block[R], key any, get func(*R) label.Fact) *column {
	if c, ok := b.Memo.Load(key).(*column); ok {
		return c
	}
	c := new(column)
	for i, r := range b.Rows {
		if r == nil {
			continue
		}
		f := get(r)
		if !f.Has && !f.Void {
			continue
		}
		at := slices.IndexFunc(c.facts[:min(len(c.facts), 16)], func(g label.Fact) bool { return g.Equal(&f) })
		if at < 0 {
			at = len(c.facts)
			c.facts, c.rows = append(c.facts, f), append(c.rows, 0)
		}
		c.of[i] = uint8(at)
		c.rows[at] |= 1 << i
		c.some |= 1 << i
	}
	c.facts, c.rows = slices.Clip(c.facts), slices.Clip(c.rows)
	c.pack()
	b.Memo.Store(key, c)
	return c
}

// pack puts the texts and the ids side by side, as a pass looks at one after the other, and notes which rows have each
// id, and which pairs of bytes are in the texts.
func (c *column) pack() {
	var all strings.Builder
	var texts []string
	var ids []base.ID
	for _, f := range c.facts {
		texts, ids = append(texts, f.Texts...), append(ids, f.Ids...)
		for _, s := range f.Texts {
			all.WriteString(s)
		}
	}
	texts, ids = slices.Clip(texts), slices.Clip(ids)
	for n := range c.facts {
		for _, id := range c.facts[n].Ids {
			at := slices.IndexFunc(c.ids[:min(len(c.ids), 16)], func(x idRows) bool { return x.id == id })
			if at < 0 {
				at = len(c.ids)
				c.ids = append(c.ids, idRows{id: id})
			}
			c.ids[at].rows |= c.rows[n]
		}
	}
	c.ids = slices.Clip(c.ids)
	if len(texts) > 0 {
		c.pairs = new([256]uint64)
	}
	rest := all.String()
	for n := range c.facts {
		f := &c.facts[n]
		f.Texts, texts = texts[:len(f.Texts)], texts[len(f.Texts):]
		f.Ids, ids = ids[:len(f.Ids)], ids[len(f.Ids):]
		for i, s := range f.Texts {
			f.Texts[i], rest = rest[:len(s)], rest[len(s):]
			for j := 1; j < len(s); j++ {
				c.pairs[pairOf(s, j)] |= c.rows[n]
			}
		}
	}
}

// row is the fact of a row, nil if it has none.
func (c *column) row(i int) *label.Fact {
	if c.some>>i&1 == 0 {
		return nil
	}
	return &c.facts[c.of[i]]
}

// pairOf is the place of the bytes at i-1 and i among those of a column.
func pairOf(s string, i int) uint8 { return s[i-1]*37 ^ s[i] }

// having is the rows that may have one of some texts in theirs, and few others: an exact look at them takes longer.
func (c *column) having(texts []string, among uint64) (found uint64) {
	if c.pairs == nil {
		return 0
	}
	for _, s := range texts {
		may := among &^ found
		for i := 1; i < len(s) && may != 0; i++ {
			may &= c.pairs[pairOf(s, i)]
		}
		found |= may
	}
	return found
}

// blockFacts is what every pass asks of a block of articles.
type blockFacts struct {
	there, archived uint64
	status          [3]uint64 // by articleStatuses
	sku             [blockRows]uint32
}

var articleStatuses = [...]ArticleStatus{ArticleActive, ArticleInactive, ArticleDraft}

// blockKey is the key under which a block keeps its blockFacts.
type blockKey struct{}

func factsOfBlock(a *base.AccountState, b table.Block[Article]) *blockFacts {
	if f, ok := b.Memo.Load(blockKey{}).(*blockFacts); ok {
		return f
	}
	f := new(blockFacts)
	for i, r := range b.Rows {
		if r == nil {
			continue
		}
		bit := uint64(1) << i
		f.there |= bit
		if r.ArchivedAt != nil {
			f.archived |= bit
		}
		f.status[slices.Index(articleStatuses[:], r.Status)] |= bit
		if r.SKU != nil {
			f.sku[i] = SKUTable(a).Get(*r.SKU).No // a SKU with articles stays, and so does its number
		}
	}
	b.Memo.Store(blockKey{}, f)
	return f
}

// factsFrom is the facts of the i-th stretch of blocks, nil where there is no block.
func factsFrom(a *base.AccountState, i int) *[stretch]*blockFacts {
	return table.Stretch(ArticleTable(a), i, blockKey{},
		func(b table.Block[Article]) *blockFacts { return factsOfBlock(a, b) })
}

// factSource is a field or an attribute as a pass reads it. Of its keys the blocks' columns are kept under, so they are
// few: the fields, and what an attribute can be asked as.
type factSource struct {
	key any
	Own func(r *Article) label.Fact
	SKU func(s *SKU) label.Fact
}

// attributeKey is the key of an attribute's column.
type attributeKey struct {
	attribute base.ID
	format    label.AttributeFormat
}

func fieldSource(n ArticleField) factSource {
	f := n.field()
	return factSource{key: n, Own: f.own, SKU: f.sku}
}

// AttributeSource reads an attribute of articles as facts.
func AttributeSource(d *label.Attribute, format label.AttributeFormat) factSource {
	get := func(l *label.Labels) label.Fact {
		i, ok := slices.BinarySearchFunc(l.Attributes, d.ID, label.CompareAttribute)
		if !ok {
			return label.Fact{}
		}
		return label.ValueFact(l.Attributes[i], format)
	}
	return factSource{
		key: any(attributeKey{d.ID, format}),
		Own: func(r *Article) label.Fact { return get(&r.Labels) },
		SKU: func(s *SKU) label.Fact { return get(&s.Labels) },
	}
}

// articles is the source's column of a block of articles, nil where the articles themselves have nothing.
func (s *factSource) articles(b table.Block[Article]) *column {
	if s.Own == nil {
		return nil
	}
	return columnOf(b, s.key, s.Own)
}

// columns is the source's columns of the i-th stretch of blocks of articles, nil where the articles themselves have
// nothing.
func (s *factSource) columns(a *base.AccountState, i int) *[stretch]*column {
	if s.Own == nil {
		return nil
	}
	return table.Stretch(ArticleTable(a), i, s.key, s.articles)
}

// skuColumns visits the source's columns of all SKUs; the first one's rows have the numbers from first on.
func (s *factSource) skuColumns(a *base.AccountState, visit func(first int, c *column)) {
	if s.SKU == nil {
		return
	}
	for i := 0; i*blockRows <= int(a.Ledger.SKU); i++ {
		if b := SKUTable(a).Block(i); b.Rows != nil {
			visit(i*blockRows, columnOf(b, s.key, s.SKU))
		}
	}
}

// judged judges the facts of some rows of a column: those that pass, and those that fail. The others have no value.
func (c *column) judged(j *label.Judge, among uint64) (pass, fail uint64) {
	among &= c.some
	if j.Wants != nil {
		return c.chosen(j, among)
	}
	if j.Needles != nil {
		may := c.having(j.Needles, among)
		if missed := among &^ may; j.Negated {
			pass = missed
		} else {
			fail = missed
		}
		among = may
	}
	for among != 0 {
		n := c.of[bits.TrailingZeros64(among)]
		rows := c.rows[n] & among
		among &^= rows
		switch j.Of(&c.facts[n]) {
		case label.Passed:
			pass |= rows
		case label.Failed:
			fail |= rows
		}
	}
	return pass, fail
}

// chosen is judged where ids are asked for. They lie side by side, and the facts, which are large, need not be read.
func (c *column) chosen(j *label.Judge, among uint64) (pass, fail uint64) {
	held, alive := uint64(0), uint64(0)
	for i := range c.ids {
		x := &c.ids[i]
		switch rows := x.rows & among; {
		case rows == 0:
		case j.Wants(x.id):
			held |= rows
		case j.Alive == nil || j.Alive(x.id):
			alive |= rows
		}
	}
	if alive &^= held; j.Negated {
		return alive, held
	}
	return held, alive
}
