package stock

import (
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns SKUs: groups of interchangeable articles, and the buffers an article falls back to.

// Buffer is a time kept free before or after a booking.
type Buffer = timeline.Buffer

// SKU is a SKU's record.
type SKU struct {
	ID base.ID
	No uint32
	SKUFields
	Before, After *Buffer
	base.Stamp
	label.Labels

	pools    []skuPool // where its articles are; derived, as is the next
	articles Aggregate
}

// SKUFields are the fields of a SKU that callers give, in addition to its buffers and labels.
type SKUFields struct {
	Name          string  `field:"name text 1..255 required" about:"What the SKU is called."`
	Code          *string `field:"code text 1..255" about:"The code that people read, unique in the account."`
	Description   *string `field:"description text 0..10000" about:"What is told of its articles to customers."`
	PurchasePrice *int64  `field:"purchasePrice money" about:"What one of its articles is bought for, in minor units of the account's currency."`
}

// skuPool is one pool of a SKU: the lots of its articles at one location that have the same effective buffers.
type skuPool struct {
	location      uint32
	before, after Buffer // as values, see Buffer.Value
	no            timeline.PoolNo
}

const (
	skuByCode = iota
	skuByTag
	skuByExternal
	skuByWords
	skuByFoldedCode
)

// words are those of the SKU's name and code.
func (s *SKU) words() []string { return base.WordKeys(&s.Name, s.Code) }

// SKUDirectory finds SKUs.
var SKUDirectory = &base.Directory[SKU]{Of: SKUTable, ByExternal: skuByExternal, ByCode: skuByFoldedCode,
	ByWords: skuByWords}

var SKUKind = func() *base.Kind[SKU] {
	k := base.RowsOf(base.TagSKU, "SKU", func(s *SKU) base.ID { return s.ID },
		table.By(func(s *SKU) []string {
			if s.Code == nil {
				return nil
			}
			return []string{*s.Code}
		}),
		table.By((*SKU).TagKeys),
		table.By((*SKU).ExternalKeys),
		table.By((*SKU).words),
		table.By(func(s *SKU) []string { return base.CodeKeys(s.Code) }),
		table.Numbered(func(s *SKU) uint32 { return s.No }))
	k.Put = func(_ *base.State, a *base.AccountState, before, after *SKU) {
		switch {
		case after == nil:
			k.In(a).Delete(before.ID)
			return
		case before == nil:
			k.In(a).Put(after)
			return
		}
		n := *after
		was := k.In(a).Get(after.ID)
		n.pools, n.articles = was.pools, was.articles
		k.In(a).Put(&n)
		if !same(before.Before, after.Before) || !same(before.After, after.After) {
			repool(a, after.ID)
		}
	}
	k.Kept = skuInUse
	return k
}()

// SKULabels is SKUs as what labels hang on.
var SKULabels label.Labelled = &label.LabelledKind[SKU, *SKU]{Kind: SKUKind, Scope: label.TagInventory, ByTag: skuByTag,
	ByExternal: skuByExternal}

// SKUTable are all SKUs of an account.
func SKUTable(a *base.AccountState) *table.Table[SKU] { return base.TableOf[SKU](a, base.TagSKU) }

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// CreateSKU makes a SKU.
type CreateSKU struct {
	base.Answers[*SKU]
	base.Adds
	SKUFields
	Before, After *Buffer
	Labels        label.LabelsPatch
}

func (o CreateSKU) Check(c *base.Checker) {
	base.CheckFields(c, "", &o.SKUFields)
	buffer(c, "/bufferTimeAmountBefore", o.Before)
	buffer(c, "/bufferTimeAmountAfter", o.After)
	o.Labels.Check(c)
}

func (o CreateSKU) CheckOn(c *base.Checker, a *base.AccountState) { o.Labels.CheckOn(c, a, SKULabels) }

func buffer(c *base.Checker, pointer string, b *Buffer) {
	if b != nil && !b.Valid() {
		c.Fault(pointer, "range", "must be at least 0 and at most 10 years")
	}
}

func (o CreateSKU) PlanOn(t *base.Tx) (any, error) {
	if o.Code != nil && SKUTable(t.Acc).First(skuByCode, *o.Code) != nil {
		return nil, base.Refuse(base.CodeConflict, "another SKU has the code %q", *o.Code)
	}
	labels, err := o.Labels.Merged(t.Acc, SKULabels, base.ID{}, label.Labels{})
	if err != nil {
		return nil, err
	}
	t.Ledger.SKU++
	s := &SKU{
		ID: t.NewID(), No: t.Ledger.SKU, SKUFields: o.SKUFields,
		Before: o.Before, After: o.After, Stamp: t.Stamp(), Labels: labels,
	}
	base.Record(t, SKUKind, nil, s)
	return s, nil
}

// PatchSKU changes a SKU. Changed buffers move no hold: they make other pools, and are for holds made from then on. It
// answers with the *SKU.
type PatchSKU struct {
	base.Answers[*SKU]
	base.IfMatch
	ID            base.ID
	Fields        base.Changes[SKUFields]
	Before, After BufferPatch
	Labels        label.LabelsPatch
}

// Size counts the units that there are of the SKU, or were, as far as they make the change a large one.
func (o PatchSKU) Size(a *base.AccountState) (n int) {
	for r := range ArticleTable(a).By(ArticleBySKU, string(o.ID[:])) {
		if n += 1 + unitsOf(a, r); n >= base.MaxUnits {
			break
		}
	}
	return n
}

func (o PatchSKU) CheckOn(c *base.Checker, a *base.AccountState) { o.Labels.CheckOn(c, a, SKULabels) }

func (o PatchSKU) Check(c *base.Checker) {
	o.Fields.Check(c, "")
	o.Before.check(c, "/bufferTimeAmountBefore")
	o.After.check(c, "/bufferTimeAmountAfter")
	o.Labels.Check(c)
}

// BufferPatch changes a buffer in its two fields: a given one replaces the field, null in either clears the buffer.
type BufferPatch struct {
	Amount base.Opt[int64]
	Unit   base.Opt[timeline.Unit]
}

// Merged gives the buffer as a patch leaves it. An amount needs a unit, given or already there, and the other way
// round.
func (p BufferPatch) Merged(c *base.Checker, pointer string, b *Buffer) *Buffer {
	if !p.Amount.Set && !p.Unit.Set {
		return b
	}
	if p.Amount.Null || p.Unit.Null {
		return nil
	}
	var n Buffer
	if b != nil {
		n = *b
	}
	if p.Amount.Set {
		n.Amount = p.Amount.Value
	}
	if p.Unit.Set {
		n.Unit = p.Unit.Value
	}
	switch {
	case n.Unit == 0 && p.Unit.Set:
		c.Fault(UnitOf(pointer), "required", "is missing")
	case n.Unit == 0:
		c.Fault(pointer, "required", "needs a unit beside the amount")
	case b == nil && !p.Amount.Set:
		c.Fault(pointer, "required", "needs an amount beside the unit")
	default:
		buffer(c, pointer, &n)
	}
	return &n
}

// UnitOf is the member of the unit that belongs to an amount's.
func UnitOf(amount string) string { return strings.Replace(amount, "Amount", "Unit", 1) }

func (p BufferPatch) check(c *base.Checker, pointer string) {
	if p.Amount.Set && !p.Amount.Null {
		buffer(c, pointer, &Buffer{Amount: p.Amount.Value, Unit: OrUnit(p.Unit)})
	}
}

// OrUnit is the unit to judge an amount by where it came without one, or with one that could not be read: the most
// permissive.
func OrUnit(u base.Opt[timeline.Unit]) timeline.Unit {
	if u.Set && !u.Null && u.Value != 0 {
		return u.Value
	}
	return timeline.Seconds
}

func (o PatchSKU) PlanOn(t *base.Tx) (any, error) {
	s, err := base.Found(t, SKUKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if code := o.Fields.To.Code; code != nil {
		if other := SKUTable(t.Acc).First(skuByCode, *code); other != nil && other.ID != s.ID {
			return nil, base.Refuse(base.CodeConflict, "another SKU has the code %q", *code)
		}
	}
	labels, err := o.Labels.Merged(t.Acc, SKULabels, s.ID, s.Labels)
	if err != nil {
		return nil, err
	}
	n := *s
	n.SKUFields, n.Labels = o.Fields.Of(n.SKUFields), labels
	var c base.Checker
	n.Before = o.Before.Merged(&c, "/bufferTimeAmountBefore", n.Before)
	n.After = o.After.Merged(&c, "/bufferTimeAmountAfter", n.After)
	if len(c.Faults) > 0 {
		return nil, base.Invalid(c.Faults)
	}
	if !same(n.Before, s.Before) || !same(n.After, s.After) {
		Seating(t).sku = &n
		rehouse(t, &s.ID, ArticleTable(t.Acc).By(ArticleBySKU, string(s.ID[:])))
	}
	return base.Revise(t, SKUKind, s, n), nil
}

// SKUByID returns a SKU, or nil.
func SKUByID(v base.View, id base.ID) *SKU { return SKUTable(v.Acc).Get(id) }

// SKUs lists the account's SKUs in order of creation.
func SKUs(v base.View) *table.Table[SKU] { return SKUTable(v.Acc) }

// DeleteSKU removes a SKU that has no article, and for which no hold is that is not over.
type DeleteSKU = base.Delete[SKU, *SKU]

func skuInUse(t *base.Tx, s *SKU) error {
	articles := 0
	for range ArticleTable(t.Acc).By(ArticleBySKU, string(s.ID[:])) {
		articles++
	}
	if err := base.InUse("article", articles); err != nil {
		return err
	}
	return t.Acc.Unreferred(s.ID, t.Now)
}

func (o CreateSKU) Distinct() []base.DistinctValue {
	all := o.Labels.External.Distinct()
	if o.Code != nil {
		all = append(all, base.DistinctValue{Pointer: "/code", Value: *o.Code})
	}
	return all
}
