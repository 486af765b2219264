package stock

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/table"
)

// This file owns the fields of articles that lists filter and sort by: where the value of each is, and how a pass over
// all articles reads it.
//
// A pass goes by stretches of 64 blocks, 64 articles each. It reads a field from columns (package label). A column is
// made of a block's rows when it is first asked for, and kept with them until one of the rows changes. So a pass over
// 100,000 articles reads some megabytes that lie side by side, not 100,000 records.

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
	blockRows = label.ColumnRows
	stretch   = label.ColumnRows
)

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
	type stretchFacts = [stretch]*blockFacts
	return table.Stretch(ArticleTable(a), i, blockKey{}, func(blocks *[stretch]table.Block[Article]) *stretchFacts {
		made := new(stretchFacts)
		for k, b := range blocks {
			if b.Rows != nil {
				made[k] = factsOfBlock(a, b)
			}
		}
		return made
	})
}

// factSource is a field or an attribute as a pass reads it. The columns of the blocks are kept under its keys, so there
// are few keys: the fields, and the ways in which an attribute can be asked for.
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

// columnsFrom is what get reads of the i-th stretch of blocks of a table. The key says what that is.
func columnsFrom[R any](t *table.Table[R], i int, key any, get func(*R) label.Fact) *label.Columns {
	return table.Stretch(t, i, key, func(blocks *[stretch]table.Block[R]) *label.Columns {
		return label.MakeColumns(func(k int) *label.Column { return columnOf(blocks[k], key, get) })
	})
}

// columnOf finds a column among what is kept of a block, or makes it; nil: there is no block.
func columnOf[R any](b table.Block[R], key any, get func(*R) label.Fact) *label.Column {
	if b.Rows == nil {
		return nil
	}
	if c, ok := b.Memo.Load(key).(*label.Column); ok {
		return c
	}
	c := label.MakeColumn(func(row int) (f label.Fact) {
		if r := b.Rows[row]; r != nil {
			f = get(r)
		}
		return f
	})
	b.Memo.Store(key, c)
	return c
}

// columns is the source's columns of the i-th stretch of blocks of articles, nil where the articles themselves have
// nothing.
func (s *factSource) columns(a *base.AccountState, i int) *label.Columns {
	if s.Own == nil {
		return nil
	}
	return columnsFrom(ArticleTable(a), i, s.key, s.Own)
}

// skuColumns visits the source's columns of all SKUs, a stretch of blocks at a time; the first one's rows have the
// numbers from first on.
func (s *factSource) skuColumns(a *base.AccountState, visit func(first int, columns *label.Columns)) {
	if s.SKU == nil {
		return
	}
	for i := 0; i*stretch*blockRows <= int(a.Ledger.SKU); i++ {
		visit(i*stretch*blockRows, columnsFrom(SKUTable(a), i, s.key, s.SKU))
	}
}
