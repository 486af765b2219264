package engine

// This file owns by which pricing row a line is sold: which row may be named for it, which is taken where none is, and the terms of
// it that the line keeps.
//
// A line of a catalog item with a pricing table is sold by a row of that table, or for a price of its own. Where no row is named it
// is sold by the fitting one with the least total for its window, the first of the table where several ask the same. A row fits that
// is for the line's way of taking the item, is in the order's currency and is not retired. What is sold so that several rows are plans to choose from, a
// subscription, names its row where there are several.

// RowTerms are what a line keeps of the row that it was sold by: it goes on to be priced by them, whatever becomes of the row.
type RowTerms struct {
	Price    int64
	Duration *Period `json:",omitempty"`
}

// price is what the terms ask for one unit over a window.
func (r *RowTerms) price(window Span, o *Order) (price int64, ok bool) {
	return UnitPrice(&PricingRow{Price: r.Price, Duration: r.Duration}, window, o.PickupAt.Zone())
}

// sellBy has a line sold by a row.
func (l *OrderLine) sellBy(row *PricingRow) {
	l.PricingRow, l.OwnPrice, l.Terms = row.ID, false, &RowTerms{row.Price, row.Duration}
}

// paidIn refuses a row that is named for a line of an order in another currency.
func (o *Order) paidIn(row *PricingRow) error {
	if row.Currency == o.Currency.String() {
		return nil
	}
	return invalid([]Fault{{Pointer: "/pricingRowId", Code: "currency", Message: "is a row in " + row.Currency + ", the order is in " + o.Currency.String()}})
}

// Priced says that the line's price was given or is of a row: it does not cost nothing because nobody said what it costs.
func (l *OrderLine) Priced() bool { return l.OwnPrice || l.PricingRow != (ID{}) }

// tableOf is the pricing table of an item, or nil.
func (a *account) tableOf(i Item) *PricingTable {
	c := a.catalog().Get(i.CatalogItem)
	if c == nil || c.PricingTable == nil {
		return nil
	}
	return pricingTableKind.in(a).Get(*c.PricingTable)
}

// HasPricingTable says whether an item has a pricing table: its lines are sold by rows of that alone.
func (v View) HasPricingTable(i Item) bool { return v.acc.tableOf(i) != nil }

// misnamed says what is wrong with a row that is named for an item taken in a way; empty: nothing.
func (a *account) misnamed(i Item, p PurchaseType, row *PricingRow) (code, message string) {
	table := a.tableOf(i)
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

// chosen is the row that a line is sold by where none is named: nil where its item has no table.
func (a *account) chosen(o *Order, l *OrderLine) (*PricingRow, error) {
	table := a.tableOf(l.Item())
	if table == nil {
		return nil, nil
	}
	var best *PricingRow
	var least int64
	fits := 0
	for i := range table.Rows {
		row := &table.Rows[i]
		if row.Purchase != l.Purchase.Type() || row.RetiredAt != 0 || row.Currency != o.Currency.String() {
			continue
		}
		fits++
		if total, ok := (&RowTerms{row.Price, row.Duration}).price(l.span(), o); ok && (best == nil || total < least) {
			best, least = row, total
		}
	}
	switch {
	case best == nil:
		return nil, unpriced("is missing: no row of the item's pricing table fits the line, which needs a unitPrice then")
	case fits > 1 && l.Purchase.Type() == PurchaseSubscription:
		return nil, unpriced("is missing: the item's pricing table has several rows for a subscription")
	}
	return best, nil
}

func unpriced(message string) error {
	return invalid([]Fault{{Pointer: "/pricingRowId", Code: "required", Message: message}})
}
