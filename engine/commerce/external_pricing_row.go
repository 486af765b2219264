package commerce

import (
	"slices"

	"holdfast/engine/base"
)

// This file owns external pricing rows: buttons on a listing that send the customer elsewhere to buy or book.

// ExternalPricingRow is an external pricing row's record. Listings show it while its table has external pricing on.
type ExternalPricingRow struct {
	ID              base.ID
	Table           base.ID
	Label           string
	TranslatedLabel *string
	URL             string // absolute, http or https
	Revision        uint64
}

// CreateExternalPricingRow adds an external row to a pricing table.
type CreateExternalPricingRow struct {
	base.Answers[*ExternalPricingRow]
	base.Adds
	Table base.ID
	Label string
	URL   string
}

func (o CreateExternalPricingRow) Check() []base.Fault {
	var c base.Checker
	c.Text("/label", o.Label, 1, base.MaxName)
	c.Link("/url", o.URL)
	return c.Faults
}

func (o CreateExternalPricingRow) PlanOn(t *base.Tx) (any, error) {
	p, err := base.Found(t, PricingTableKind, o.Table, nil)
	if err != nil {
		return nil, err
	}
	if len(p.Externals) == MaxPricingRows {
		return nil, fullTable()
	}
	r := &ExternalPricingRow{ID: t.NewID(), Table: p.ID, Label: o.Label, URL: o.URL, Revision: 1}
	changePricing(t, p, func(n *PricingTable) { n.Externals = append(n.Externals, *r) })
	return r, nil
}

// PatchExternalPricingRow changes an external row.
type PatchExternalPricingRow struct {
	base.Answers[*ExternalPricingRow]
	Table           base.ID
	ID              base.ID
	IfMatch         []uint64
	Label           base.Opt[string]
	TranslatedLabel base.Opt[string]
	URL             base.Opt[string]
}

func (o PatchExternalPricingRow) Check() []base.Fault {
	var c base.Checker
	c.PatchText("/label", o.Label, 1, base.MaxName)
	c.PatchText("/translatedLabel", o.TranslatedLabel, 1, base.MaxName)
	if o.URL.Set {
		c.Link("/url", o.URL.Value)
	}
	return c.Faults
}

func (o PatchExternalPricingRow) PlanOn(t *base.Tx) (any, error) {
	p, i, err := externalRow(t, o.Table, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := p.Externals[i]
	if o.Label.Set {
		n.Label = o.Label.Value
	}
	o.TranslatedLabel.Merge(&n.TranslatedLabel)
	if o.URL.Set {
		n.URL = o.URL.Value
	}
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
	Table   base.ID
	ID      base.ID
	IfMatch []uint64
}

func (DeleteExternalPricingRow) Check() []base.Fault { return nil }

func (o DeleteExternalPricingRow) PlanOn(t *base.Tx) (any, error) {
	p, i, err := externalRow(t, o.Table, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	changePricing(t, p, func(p *PricingTable) { p.Externals = slices.Delete(p.Externals, i, i+1) })
	return nil, nil
}

// externalRow finds an external row of a table in a revision that the caller accepts.
func externalRow(t *base.Tx, table, id base.ID, ifMatch []uint64) (p *PricingTable, i int, err error) {
	if p, err = base.Found(t, PricingTableKind, table, nil); err != nil {
		return nil, 0, err
	}
	i = slices.IndexFunc(p.Externals, func(r ExternalPricingRow) bool { return r.ID == id })
	if i < 0 {
		return nil, 0, base.NotFound("external pricing row of this table")
	}
	return p, i, base.Match(ifMatch, p.Externals[i].Revision)
}
