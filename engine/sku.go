package engine

import (
	"slices"

	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns SKUs: groups of interchangeable articles, and the buffers an article falls back to.

// Buffer is a time kept free before or after a booking.
type Buffer = timeline.Buffer

// SKU is a SKU's record.
type SKU struct {
	ID            ID
	No            uint32
	Name          string
	Code          *string // unique in the account
	Description   *string
	PurchasePrice *int64 // minor units
	Before, After *Buffer
	UpdatedAt     int64
	Revision      uint64
	Labels

	pools    []skuPool // where its articles are; derived, as is the next
	articles Aggregate
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
func (s *SKU) words() []string { return wordKeys(&s.Name, s.Code) }

var skuDirectory = directory[SKU]{
	of:       (*account).skus,
	external: func(s *SKU) []string { return s.externalKeys() }, code: func(s *SKU) []string { return codeKeys(s.Code) }, words: (*SKU).words,
	byExternal: skuByExternal, byCode: skuByFoldedCode, byWords: skuByWords,
}

var skuKind = func() *kind[SKU] {
	k := rowsOf(tagSKU, "SKU", func(s *SKU) ID { return s.ID },
		table.By(func(s *SKU) []string {
			if s.Code == nil {
				return nil
			}
			return []string{*s.Code}
		}),
		table.By(func(s *SKU) []string { return s.tagKeys() }),
		table.By(func(s *SKU) []string { return s.externalKeys() }),
		table.By((*SKU).words),
		table.By(func(s *SKU) []string { return codeKeys(s.Code) }),
		table.Numbered(func(s *SKU) uint32 { return s.No }))
	k.put = func(_ *state, a *account, before, after *SKU) {
		switch {
		case after == nil:
			k.in(a).Delete(before.ID)
			return
		case before == nil:
			k.in(a).Put(after)
			return
		}
		n := *after
		was := k.in(a).Get(after.ID)
		n.pools, n.articles = was.pools, was.articles
		k.in(a).Put(&n)
		if !same(before.Before, after.Before) || !same(before.After, after.After) {
			for _, r := range slices.Collect(a.articles().By(articleBySKU, string(after.ID[:]))) {
				n := *r
				a.derive(&n, r.lots)
				a.articles().Put(&n)
				a.assignPools(&n)
			}
		}
	}
	return k
}()

// SKULabels is SKUs as what labels hang on.
var SKULabels Labelled = &labelledKind[SKU, *SKU]{kind: skuKind, scope: TagInventory, byTag: skuByTag, byExternal: skuByExternal}

func (s *SKU) revision() uint64 { return s.Revision }
func (s *SKU) touch(now int64)  { s.UpdatedAt, s.Revision = now, s.Revision+1 }

func (a *account) skus() *table.Table[SKU] { return tableOf[SKU](a, tagSKU) }

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// CreateSKU makes a SKU. It answers with the *SKU.
type CreateSKU struct {
	Name          string
	Code          *string
	Description   *string
	PurchasePrice *int64
	Before, After *Buffer
	Labels        LabelsPatch
}

func (o CreateSKU) Check() []Fault {
	var c checker
	c.text("/name", o.Name, 1, maxName)
	c.optional("/code", o.Code, 1, maxName)
	c.optional("/description", o.Description, 0, maxNote)
	c.money("/purchasePrice", o.PurchasePrice)
	c.buffer("/bufferTimeAmountBefore", o.Before)
	c.buffer("/bufferTimeAmountAfter", o.After)
	o.Labels.check(&c)
	return c.faults
}

func (o CreateSKU) checkOn(a *account) []Fault { return o.Labels.checkOn(a, SKULabels) }

func (c *checker) buffer(pointer string, b *Buffer) {
	if b != nil && !b.Valid() {
		c.fault(pointer, "range", "must be at least 0 and at most 10 years")
	}
}

func (o CreateSKU) plan(t *tx) (any, error) {
	if o.Code != nil && t.acc.skus().First(skuByCode, *o.Code) != nil {
		return nil, refuse(CodeConflict, "another SKU has the code %q", *o.Code)
	}
	labels, err := o.Labels.merged(t.acc, SKULabels, ID{}, Labels{})
	if err != nil {
		return nil, err
	}
	t.ledger.SKU++
	s := &SKU{
		ID: t.newID(), No: t.ledger.SKU, Name: o.Name, Code: o.Code, Description: o.Description, PurchasePrice: o.PurchasePrice,
		Before: o.Before, After: o.After, UpdatedAt: t.now, Revision: 1, Labels: labels,
	}
	record(t, skuKind, nil, s)
	return s, nil
}

func (CreateSKU) result() any { return new(SKU) }

// PatchSKU changes a SKU. Changed buffers move no hold: they make other pools, and are for holds made from then on. It
// answers with the *SKU.
type PatchSKU struct {
	ID            ID
	IfMatch       []uint64
	Name          Opt[string]
	Code          Opt[string]
	Description   Opt[string]
	PurchasePrice Opt[int64]
	Before, After BufferPatch
	Labels        LabelsPatch
}

func (o PatchSKU) checkOn(a *account) []Fault { return o.Labels.checkOn(a, SKULabels) }

func (o PatchSKU) Check() []Fault {
	var c checker
	c.patchName("/name", o.Name)
	c.patchText("/code", o.Code, 1, maxName)
	c.patchText("/description", o.Description, 0, maxNote)
	c.patchMoney("/purchasePrice", o.PurchasePrice)
	o.Before.check(&c, "/bufferTimeAmountBefore")
	o.After.check(&c, "/bufferTimeAmountAfter")
	o.Labels.check(&c)
	return c.faults
}

// BufferPatch changes a buffer in its two fields: a given one replaces the field, null in either clears the buffer.
type BufferPatch struct {
	Amount Opt[int64]
	Unit   Opt[timeline.Unit]
}

// merged gives the buffer as a patch leaves it. An amount needs a unit, given or already there, and the other way round.
func (p BufferPatch) merged(c *checker, pointer string, b *Buffer) *Buffer {
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
	case n.Unit == 0:
		c.fault(pointer, "required", "needs a unit beside the amount")
	case b == nil && !p.Amount.Set:
		c.fault(pointer, "required", "needs an amount beside the unit")
	default:
		c.buffer(pointer, &n)
	}
	return &n
}

func (p BufferPatch) check(c *checker, pointer string) {
	if p.Amount.Set && !p.Amount.Null {
		c.buffer(pointer, &Buffer{Amount: p.Amount.Value, Unit: orUnit(p.Unit)})
	}
}

// orUnit is the unit to judge an amount by where it came without one, or with one that could not be read: the most permissive.
func orUnit(u Opt[timeline.Unit]) timeline.Unit {
	if u.Set && !u.Null && u.Value != 0 {
		return u.Value
	}
	return timeline.Seconds
}

func (o PatchSKU) plan(t *tx) (any, error) {
	s, err := found(t, skuKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if o.Code.Set && !o.Code.Null {
		if other := t.acc.skus().First(skuByCode, o.Code.Value); other != nil && other.ID != s.ID {
			return nil, refuse(CodeConflict, "another SKU has the code %q", o.Code.Value)
		}
	}
	labels, err := o.Labels.merged(t.acc, SKULabels, s.ID, s.Labels)
	if err != nil {
		return nil, err
	}
	n := *s
	n.Labels = labels
	if o.Name.Set {
		n.Name = o.Name.Value
	}
	o.Code.merge(&n.Code)
	o.Description.merge(&n.Description)
	o.PurchasePrice.merge(&n.PurchasePrice)
	var c checker
	n.Before = o.Before.merged(&c, "/bufferTimeAmountBefore", n.Before)
	n.After = o.After.merged(&c, "/bufferTimeAmountAfter", n.After)
	if len(c.faults) > 0 {
		return nil, invalid(c.faults)
	}
	if !same(n.Before, s.Before) || !same(n.After, s.After) {
		t.seating().sku = &n
		t.rehouse(&s.ID, t.acc.articles().By(articleBySKU, string(s.ID[:])))
	}
	return revise(t, skuKind, s, n), nil
}

func (PatchSKU) result() any { return new(SKU) }

// SKU returns a SKU, or nil.
func (v View) SKU(id ID) *SKU { return v.acc.skus().Get(id) }

// FindSKUs gives a part of the SKUs that are asked for, in order of creation, and how many there are.
func (v View) FindSKUs(q *RecordQuery, p Part) (page []*SKU, total int) {
	return skuDirectory.find(v.acc, q, nil, p)
}

// SKUs lists the account's SKUs in order of creation.
func (v View) SKUs() *table.Table[SKU] { return v.acc.skus() }

func (a *account) skuID(no uint32) ID {
	if s := a.skus().No(no); s != nil {
		return s.ID
	}
	return a.formerID(tagSKU, no)
}

// DeleteSKU removes a SKU that has no article, and for which no hold is that is not over. It answers with nil.
type DeleteSKU struct {
	ID      ID
	IfMatch []uint64
}

func (DeleteSKU) Check() []Fault { return nil }

func (o DeleteSKU) plan(t *tx) (any, error) {
	s, err := found(t, skuKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	articles := 0
	for range t.acc.articles().By(articleBySKU, string(s.ID[:])) {
		articles++
	}
	if err := inUse("article", articles); err != nil {
		return nil, err
	}
	if err := t.acc.unreferred(s.ID, t.now); err != nil {
		return nil, err
	}
	record(t, skuKind, s, nil)
	t.bury(tagSKU, s.ID, s.No)
	return nil, nil
}

func (DeleteSKU) result() any { return new(any) }

func (o CreateSKU) distinct() []distinctValue {
	all := o.Labels.External.distinct()
	if o.Code != nil {
		all = append(all, distinctValue{"/code", *o.Code})
	}
	return all
}
