package order

import (
	"holdfast/engine/base"
	"holdfast/engine/commerce"
)

// This file owns by which pricing row a line is sold: which row may be named for it, which is taken where none is, and
// the terms of it that the line keeps.
//
// A line of a catalog item with a pricing table is sold by a row of that table, or for a price of its own. If no row is
// named, it is sold by the fitting row with the least total for its window; if several ask the same, by the first of
// these in the table. A booking by a table that combines rows is sold by all fitting rows together: for each window it
// costs what the cheapest combination of them asks, or what one of them alone asks if no combination asks less. A row
// fits if it is for the line's way of taking the item, is in the order's currency and is not retired. For a
// subscription, the rows are plans to choose from: if there are several, the line must name its row.

// RowTerms are what a line keeps of the row that it was sold by: the line is still priced by them, whatever becomes of
// the row.
type RowTerms struct {
	Price    int64
	Duration *commerce.Period `json:",omitempty"`
}

// price is what the terms ask for one unit over a window.
func (r *RowTerms) price(window base.Span, o *Order) (price int64, ok bool) {
	return commerce.UnitPrice(&commerce.PricingRow{PricingRowFields: commerce.PricingRowFields{Price: r.Price},
		Duration: r.Duration}, window, o.PickupAt.Zone())
}

// SoldRow is a row of which a line keeps the terms to be sold by it together with others, with how many of its
// durations make the price.
type SoldRow struct {
	ID    base.ID
	Units int64 `json:",omitempty"`
	RowTerms
}

// sellByNone makes a line one that is sold by no row.
func (l *OrderLine) sellByNone() {
	l.PricingRow, l.Terms = base.ID{}, nil
	if l.Rest().Combined == nil {
		return
	}
	m := Own(&l.More)
	if m.Combined = nil; m.Empty() {
		l.More = nil
	}
}

// sellBy has a line sold by a row.
func (l *OrderLine) sellBy(row *commerce.PricingRow) {
	l.sellByNone()
	l.PricingRow, l.OwnPrice, l.Terms = row.ID, false, &RowTerms{row.Price, row.Duration}
}

// sellByNamed has a line sold by the row that is named for it, and gives that row. The one that it was sold by may be
// named also where no other line is sold by it any more: then the line keeps the terms that it had, and none is given.
func (l *OrderLine) sellByNamed(a *base.AccountState, o *Order, id base.ID, was *OrderLine) (*commerce.PricingRow,
	error) {
	row := commerce.PricingRowByID(a, id)
	if row == nil {
		return nil, base.NotFound("pricing row")
	}
	code, message := misnamed(a, l.Item(), l.Purchase.Type(), row)
	switch {
	case code != "" && id == was.PricingRow && was.Terms != nil:
		l.PricingRow, l.OwnPrice, l.Terms = id, false, was.Terms
		return nil, nil
	case code != "":
		return nil, base.InvalidAt("/pricingRowId", code, message)
	}
	if err := o.paidIn(row); err != nil {
		return nil, err
	}
	l.sellBy(row)
	return row, nil
}

// priceCombined has a line cost what its rows ask together, and notes how many of each do.
func (l *OrderLine) priceCombined(o *Order, looks *commerce.Looked) error {
	var rows []*commerce.PricingRow
	for _, r := range l.Rest().Combined {
		rows = append(rows, &commerce.PricingRow{ID: r.ID, PricingRowFields: commerce.PricingRowFields{Price: r.Price},
			Duration: r.Duration})
	}
	c := commerce.LeastOf(rows, l.Span(), o.PickupAt.Zone(), looks)
	if c == nil {
		return tooDear()
	}
	kept := make([]SoldRow, len(rows))
	for i, r := range commerce.ByLength(rows, l.From, o.PickupAt.Zone()) {
		kept[i] = SoldRow{r.ID, c.Units(r.ID), RowTerms{r.Price, r.Duration}}
	}
	l.UnitPrice, Own(&l.More).Combined = c.Total, kept
	return nil
}

// PricedBy is the row that the line's price is of; zero: it is of none. One by which the line was sold before a price
// was given is kept, to be sold by again when that is taken away.
func (l *OrderLine) PricedBy() base.ID {
	if l.OwnPrice {
		return base.ID{}
	}
	return l.PricingRow
}

// Combination is what the rows that make the line's price ask together, those that take longest first; nil: it is not
// sold by several.
func (l *OrderLine) Combination() *commerce.Combination {
	if l.Rest().Combined == nil || l.OwnPrice {
		return nil
	}
	c := &commerce.Combination{Total: l.UnitPrice}
	for _, r := range l.Rest().Combined {
		if r.Units > 0 {
			c.Rows = append(c.Rows, commerce.RowUnits{Row: r.ID, Units: r.Units})
		}
	}
	return c
}

// paidIn refuses a row that is named for a line of an order in another currency.
func (o *Order) paidIn(row *commerce.PricingRow) error {
	if row.Currency == o.Currency.String() {
		return nil
	}
	return base.InvalidAt("/pricingRowId", "currency",
		"is a row in "+row.Currency+", the order is in "+o.Currency.String())
}

// Priced says that the line's price was given or is of a row. If the line then costs nothing, it is not because a price
// is missing.
func (l *OrderLine) Priced() bool {
	return l.OwnPrice || l.PricingRow != (base.ID{}) || l.Rest().Combined != nil
}

// tableOf is the pricing table of an item, or nil.
func tableOf(a *base.AccountState, i base.Item) *commerce.PricingTable {
	c := commerce.CatalogTable(a).Get(i.CatalogItem)
	if c == nil || c.PricingTable == nil {
		return nil
	}
	return commerce.PricingTableKind.In(a).Get(*c.PricingTable)
}

// HasPricingTable says whether an item has a pricing table: its lines are sold by rows of that alone.
func HasPricingTable(v base.View, i base.Item) bool { return tableOf(v.Acc, i) != nil }

// misnamed says what is wrong with a row that is named for an item taken in a way; empty: nothing.
func misnamed(a *base.AccountState, i base.Item, p base.PurchaseType, row *commerce.PricingRow) (code, message string) {
	table := tableOf(a, i)
	switch {
	case row.Purchase != p:
		return "purchase", "is a row for a " + string(row.Purchase) + ", the line is a " + string(p)
	case row.RetiredAt != 0:
		return "retired", "is retired: lines that were sold by it go on to be, others are not"
	case table != nil && row.Table != table.ID:
		return "table", "is a row of another pricing table than the item's"
	}
	return "", ""
}

// fitting returns the rows of a table for one way of taking the item, in one currency, without retired rows.
func fitting(p *commerce.PricingTable, currency string, taken base.PurchaseType) (list []*commerce.PricingRow) {
	for i := range p.Rows {
		if r := &p.Rows[i]; r.Purchase == taken && r.RetiredAt == 0 && r.Currency == currency {
			list = append(list, r)
		}
	}
	return list
}

// unchosen says why none of the rows that fit a line is chosen where none is named; empty: one is.
func unchosen(fit []*commerce.PricingRow, taken base.PurchaseType) (message string) {
	switch {
	case len(fit) == 0:
		return "is missing: no row of the item's pricing table fits the line, which needs a unitPrice then"
	case len(fit) > 1 && taken == base.PurchaseSubscription:
		return "is missing: the item's pricing table has several rows for a subscription"
	}
	return ""
}

// sellByTable has a line sold by the table of its item where no row is named, and gives the one row by which it is, if
// one is. Where its item has no table it is sold by none.
func sellByTable(a *base.AccountState, o *Order, l *OrderLine) (*commerce.PricingRow, error) {
	table := tableOf(a, l.Item())
	if table == nil {
		return nil, nil
	}
	fit := fitting(table, o.Currency.String(), l.Purchase.Type())
	if message := unchosen(fit, l.Purchase.Type()); message != "" {
		return nil, base.InvalidAt("/pricingRowId", "required", message)
	}
	if !table.Combine || l.Purchase.Type() != base.PurchaseBooking {
		best := commerce.Cheapest(fit, l.Span(), o.PickupAt.Zone())
		if best == nil {
			return nil, tooDear()
		}
		l.sellBy(best)
		return best, nil
	}
	sold := make([]SoldRow, len(fit))
	for i, r := range fit {
		sold[i] = SoldRow{ID: r.ID, RowTerms: RowTerms{r.Price, r.Duration}}
	}
	Own(&l.More).Combined = sold
	return nil, nil
}
