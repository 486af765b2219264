package commerce

import (
	"slices"

	"holdfast/engine/base"
)

// This file owns external pricing rows: buttons on a listing that send the customer elsewhere to buy or book.

// ExternalPricingRow is an external pricing row's record. Listings show it while its table has external pricing on.
type ExternalPricingRow struct {
	ID    base.ID
	Table base.ID
	ExternalPricingFields
	Revision uint64
}

// ExternalPricingFields are the fields of an external row that callers give.
type ExternalPricingFields struct {
	Label           string  `field:"label text 1..255 required" about:"What people call the price."`
	TranslatedLabel *string `field:"translatedLabel text 1..255 later" about:"The label in the customer's language."`
	URL             string  `field:"url link required" about:"Where it can be found: absolute, http or https." made:"Absolute, http or https."`
}

// CreateExternalPricingRow adds an external row to a pricing table.
type CreateExternalPricingRow struct {
	base.Answers[*ExternalPricingRow]
	base.Adds
	Table base.ID
	ExternalPricingFields
}

func (o CreateExternalPricingRow) Check(c *base.Checker) {
	base.CheckFields(c, "", &o.ExternalPricingFields)
}

func (o CreateExternalPricingRow) PlanOn(t *base.Tx) (any, error) {
	p, err := base.Found(t, PricingTableKind, o.Table, nil)
	if err != nil {
		return nil, err
	}
	if len(p.Externals) == MaxPricingRows {
		return nil, fullTable()
	}
	r := &ExternalPricingRow{ID: t.NewID(), Table: p.ID, ExternalPricingFields: o.ExternalPricingFields, Revision: 1}
	changePricing(t, p, func(n *PricingTable) { n.Externals = append(n.Externals, *r) })
	return r, nil
}

// PatchExternalPricingRow changes an external row.
type PatchExternalPricingRow struct {
	base.Answers[*ExternalPricingRow]
	base.IfMatch
	Table  base.ID
	ID     base.ID
	Fields base.Changes[ExternalPricingFields]
}

func (o PatchExternalPricingRow) Check(c *base.Checker) { o.Fields.Check(c, "") }

func (o PatchExternalPricingRow) PlanOn(t *base.Tx) (any, error) {
	p, i, err := externalRow(t, o.Table, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := p.Externals[i]
	n.ExternalPricingFields = o.Fields.Of(n.ExternalPricingFields)
	if base.Alike(base.EncodeCold[ExternalPricingRow], &p.Externals[i], &n) {
		return &n, nil
	}
	n.Revision++
	changePricing(t, p, func(p *PricingTable) { p.Externals[i] = n })
	return &n, nil
}

// DeleteExternalPricingRow takes an external row out of a pricing table.
type DeleteExternalPricingRow struct {
	base.Answers[any]
	base.IfMatch
	Table base.ID
	ID    base.ID
}

func (o DeleteExternalPricingRow) PlanOn(t *base.Tx) (any, error) {
	p, i, err := externalRow(t, o.Table, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	changePricing(t, p, func(p *PricingTable) { p.Externals = slices.Delete(p.Externals, i, i+1) })
	return nil, nil
}

// externalRow finds an external row of a table in a revision that the caller accepts.
func externalRow(t *base.Tx, table, id base.ID, ifMatch base.IfMatch) (p *PricingTable, i int, err error) {
	if p, err = base.Found(t, PricingTableKind, table, nil); err != nil {
		return nil, 0, err
	}
	i = slices.IndexFunc(p.Externals, func(r ExternalPricingRow) bool { return r.ID == id })
	if i < 0 {
		return nil, 0, base.NotFound("external pricing row of this table")
	}
	return p, i, ifMatch.Match(p.Externals[i].Revision)
}
