package engine

import (
	"slices"
)

// This file owns external pricing rows: buttons on a listing that send the customer elsewhere to buy or book.

// ExternalPricingRow is an external pricing row's record. Listings show it while its table has external pricing on.
type ExternalPricingRow struct {
	ID              ID
	Table           ID
	Label           string
	TranslatedLabel *string
	URL             string // absolute, http or https
	Revision        uint64
}

// CreateExternalPricingRow adds an external row to a pricing table. It answers with the *ExternalPricingRow.
type CreateExternalPricingRow struct {
	Table ID
	Label string
	URL   string
}

func (o CreateExternalPricingRow) Check() []Fault {
	var c checker
	c.text("/label", o.Label, 1, maxName)
	c.link("/url", o.URL)
	return c.faults
}

func (o CreateExternalPricingRow) plan(t *tx) (any, error) {
	p, err := found(t, pricingTableKind, o.Table, nil)
	if err != nil {
		return nil, err
	}
	if len(p.Externals) == maxPricingRows {
		return nil, fullTable()
	}
	r := &ExternalPricingRow{ID: t.newID(), Table: p.ID, Label: o.Label, URL: o.URL, Revision: 1}
	t.changePricing(p, func(n *PricingTable) { n.Externals = append(n.Externals, *r) })
	return r, nil
}

func (CreateExternalPricingRow) result() any { return new(ExternalPricingRow) }

// PatchExternalPricingRow changes an external row. It answers with the *ExternalPricingRow.
type PatchExternalPricingRow struct {
	Table           ID
	ID              ID
	IfMatch         []uint64
	Label           Opt[string]
	TranslatedLabel Opt[string]
	URL             Opt[string]
}

func (o PatchExternalPricingRow) Check() []Fault {
	var c checker
	c.patchText("/label", o.Label, 1, maxName)
	c.patchText("/translatedLabel", o.TranslatedLabel, 1, maxName)
	if o.URL.Set {
		c.link("/url", o.URL.Value)
	}
	return c.faults
}

func (o PatchExternalPricingRow) plan(t *tx) (any, error) {
	p, i, err := t.externalRow(o.Table, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := p.Externals[i]
	if o.Label.Set {
		n.Label = o.Label.Value
	}
	o.TranslatedLabel.merge(&n.TranslatedLabel)
	if o.URL.Set {
		n.URL = o.URL.Value
	}
	if alike(encodeCold[ExternalPricingRow], &p.Externals[i], &n) {
		return &n, nil
	}
	n.Revision++
	t.changePricing(p, func(p *PricingTable) { p.Externals[i] = n })
	return &n, nil
}

func (PatchExternalPricingRow) result() any { return new(ExternalPricingRow) }

// DeleteExternalPricingRow takes an external row out of a pricing table. It answers with nil.
type DeleteExternalPricingRow struct {
	Table   ID
	ID      ID
	IfMatch []uint64
}

func (DeleteExternalPricingRow) Check() []Fault { return nil }

func (o DeleteExternalPricingRow) plan(t *tx) (any, error) {
	p, i, err := t.externalRow(o.Table, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	t.changePricing(p, func(p *PricingTable) { p.Externals = slices.Delete(p.Externals, i, i+1) })
	return nil, nil
}

func (DeleteExternalPricingRow) result() any { return new(any) }

// externalRow finds an external row of a table in a revision that the caller accepts.
func (t *tx) externalRow(table, id ID, ifMatch []uint64) (p *PricingTable, i int, err error) {
	if p, err = found(t, pricingTableKind, table, nil); err != nil {
		return nil, 0, err
	}
	i = slices.IndexFunc(p.Externals, func(r ExternalPricingRow) bool { return r.ID == id })
	if i < 0 {
		return nil, 0, notFound("external pricing row of this table")
	}
	return p, i, match(ifMatch, p.Externals[i].Revision)
}
