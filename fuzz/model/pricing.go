package model

import (
	"cmp"
	"reflect"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
)

// This file owns pricing tables: their rows, and what a row asks for a line; and the currency that all that is in.

// Table is a pricing table. Like the other records it is a value.
type Table struct {
	ID       ID
	Name     string
	Combine  bool // bookings are sold by its rows together
	Rows     []commerce.PricingRow
	Revision uint64
}

func (a *Account) table(id ID) *Table {
	return find(a.Tables, func(t *Table) bool { return t.ID == id })
}

func (t *Table) row(id ID) *commerce.PricingRow {
	return at(t.Rows, func(r *commerce.PricingRow) bool { return r.ID == id })
}

// row finds a row in whatever table it is.
func (a *Account) row(id ID) *commerce.PricingRow {
	for _, t := range a.Tables {
		if r := t.row(id); r != nil {
			return r
		}
	}
	return nil
}

// tableOf is the table that says what an item costs, or nil.
func (a *Account) tableOf(i base.Item) *Table {
	if k := a.kit(i.CatalogItem); k != nil && k.Table != (ID{}) {
		return a.table(k.Table)
	}
	return nil
}

// misfit says that a row, if it is one, may not be named for an item that is taken in a way: it is for another way, or
// retired, or of another table than the item's.
func (a *Account) misfit(row ID, i base.Item, p base.PurchaseType) bool {
	r, t := a.row(row), a.tableOf(i)
	return r != nil && (r.Purchase != p || r.RetiredAt != 0 || t != nil && t.row(row) == nil)
}

// lacksTerms says that a subscription has no terms: none of its own, and no row that has.
func (a *Account) lacksTerms(in *order.OrderLineInput) bool {
	return in.Purchase == base.PurchaseSubscription && in.Subscription == nil && in.PricingRow == nil &&
		(in.UnitPrice != nil || a.tableOf(in.Item) == nil)
}

// choose is the row that a line is sold by where none is named: of the rows of its item's table that are for its way of
// taking it the one with the least total, the first of several; where none is, or several subscriptions are, it is
// refused. Without a table there is none, and the line is for nothing. A booking by a table that combines rows is sold
// by all that fit together.
func (s *step) choose(o *Order, l *OrderLine) (best *commerce.PricingRow, refusal base.Code) {
	t := s.a.tableOf(l.Item)
	if t == nil {
		return nil, ""
	}
	var fit []commerce.PricingRow
	for _, r := range t.Rows {
		if r.Purchase == l.Purchase && r.RetiredAt == 0 {
			fit = append(fit, r)
		}
	}
	if len(fit) == 0 || len(fit) > 1 && l.Purchase == base.PurchaseSubscription {
		s.a.Seen.Unpriced++
		return nil, base.CodeInvalid
	}
	total := func(r commerce.PricingRow) int64 { return r.Price * UnitsOf(r, l.Window, s.a.location(o.Pickup).Zone) }
	s.a.Seen.Chosen++
	if t.Combine && l.Purchase == base.PurchaseBooking {
		l.Together = fit
		return nil, ""
	}
	return &slices.SortedStableFunc(slices.Values(fit),
		func(x, y commerce.PricingRow) int { return cmp.Compare(total(x), total(y)) })[0], ""
}

// pricing judges the commands on pricing tables.
func (s *step) pricing(op base.Op, res any, err error) error {
	switch o := op.(type) {
	case commerce.CreatePricingTable:
		if err := refused(err, ""); err != nil {
			return err
		}
		s.a.Tables = append(s.a.Tables, &Table{ID: res.(*commerce.PricingTable).ID, Name: o.Name, Combine: o.Combine})
		return nil
	case commerce.PatchPricingTable:
		return s.retable(o.ID, err, func(t *Table) base.Code {
			if o.Fields.Has("name") {
				t.Name = o.Fields.To.Name
			}
			if o.Fields.Has("combineRows") {
				t.Combine = o.Fields.To.Combine
			}
			return ""
		})
	case commerce.DeletePricingTable:
		t := s.a.table(o.ID)
		switch {
		case t == nil:
			return refused(err, base.CodeNotFound)
		case s.ordered(func(n *Order) bool {
			return slices.ContainsFunc(n.Lines, func(l OrderLine) bool {
				return t.row(l.Row) != nil ||
					slices.ContainsFunc(l.Together, func(r commerce.PricingRow) bool { return t.row(r.ID) != nil })
			})
		}), slices.ContainsFunc(s.a.Kits, func(k *Kit) bool { return k.Table == t.ID }):
			return refused(err, base.CodeInUse)
		}
		s.a.Tables = slices.DeleteFunc(s.a.Tables, func(x *Table) bool { return x == t })
		return refused(err, "")
	case commerce.CreatePricingRow:
		return s.retable(o.Table, err, func(t *Table) base.Code {
			if r, ok := res.(*commerce.PricingRow); ok {
				t.Rows = slices.DeleteFunc(t.Rows,
					func(r commerce.PricingRow) bool { return r.RetiredAt != 0 && !s.sells(r.ID) })
				t.Rows = append(t.Rows,
					commerce.PricingRow{ID: r.ID, Table: t.ID,
						PricingRowFields: commerce.PricingRowFields{Label: o.Label, Purchase: o.Purchase,
							Price: o.Price}, Currency: s.a.Currency, Duration: o.Duration, Subscription: o.Subscription,
						Stamp: base.Stamp{Revision: 1}})
			}
			return ""
		})
	case commerce.PatchPricingRow:
		return s.retable(o.Table, err, func(t *Table) base.Code {
			r := t.row(o.ID)
			if r == nil {
				return base.CodeNotFound
			}
			if r.RetiredAt != 0 {
				return base.CodeStateNotAllowed
			}
			was := *r
			if o.Fields.Has("price") {
				r.Price = o.Fields.To.Price
			}
			if o.Fields.Has("label") {
				r.Label = o.Fields.To.Label
			}
			if o.Fields.Has("purchaseType") {
				r.Purchase = o.Fields.To.Purchase
			}
			if r.Duration = patched(o.Duration, r.Duration); !reflect.DeepEqual(*r, was) {
				r.Revision++
			}
			return ""
		})
	case commerce.DeletePricingRow:
		return s.retable(o.Table, err, func(t *Table) base.Code {
			r := t.row(o.ID)
			if r == nil {
				return base.CodeNotFound
			}
			if s.sells(o.ID) {
				if r.RetiredAt == 0 {
					r.RetiredAt = s.now
					r.Revision++
				}
				return ""
			}
			t.Rows = slices.DeleteFunc(t.Rows, func(r commerce.PricingRow) bool { return r.ID == o.ID })
			return ""
		})
	}
	return wrong("the twin does not know %T", op)
}

// currency judges another currency of the account: there is none while something is priced in the one that there is,
// which is a row that is not retired, a code of an amount that has not ended, or an order that is not closed.
func (s *step) currency(o base.PatchAccount, err error) error {
	priced := slices.ContainsFunc(s.a.Tables, func(t *Table) bool {
		return slices.ContainsFunc(t.Rows, func(r commerce.PricingRow) bool { return r.RetiredAt == 0 })
	}) || slices.ContainsFunc(s.a.Codes, func(d *commerce.DiscountCode) bool {
		return d.ValueType != commerce.DiscountPercentage && (d.EndsAt == nil || *d.EndsAt > s.now)
	}) || slices.ContainsFunc(s.a.Orders, func(n *Order) bool { return n.Status != order.OrderClosed })
	switch {
	case o.Fields.To.Currency == s.a.Currency:
	case priced:
		s.a.Seen.Priced++
		return refused(err, base.CodeInUse)
	default:
		s.a.Seen.Relabelled++
		s.a.Currency = o.Fields.To.Currency
	}
	return refused(err, "")
}

// sells says that a line of an order that is not closed is sold by a row: it is retired then, where it would be
// deleted, and is gone when another row comes and it sells none.
func (s *step) sells(row ID) bool {
	return s.ordered(func(n *Order) bool {
		return slices.ContainsFunc(n.Lines, func(l OrderLine) bool {
			return l.Row == row ||
				slices.ContainsFunc(l.Together, func(r commerce.PricingRow) bool { return r.ID == row })
		})
	})
}

// retable judges a change of a table.
func (s *step) retable(id ID, err error, change func(*Table) base.Code) error {
	i := slices.IndexFunc(s.a.Tables, func(t *Table) bool { return t.ID == id })
	if i < 0 {
		return refused(err, base.CodeNotFound)
	}
	n := *s.a.Tables[i]
	n.Rows = slices.Clone(n.Rows)
	want := change(&n)
	s.a.Tables[i] = &n
	return refused(err, want)
}

// quote is what the row of a line asks for one unit, as the row was when the line was sold by it: so much for each of
// its durations that the line's window takes, counted in the calendar of the place where the stock is taken, as it was
// when the order was given it. Its own price stands, and with neither the line is for nothing.
func (s *step) quote(o *Order, l *OrderLine) {
	switch {
	case l.Own:
	case l.Together != nil:
		s.a.Seen.Together++
		l.Price = s.together(o, l)
	case l.Row == ID{}:
		l.Price = 0
	default:
		if r := s.a.row(l.Row); r == nil || r.Price != l.Sold.Price {
			s.a.Seen.Kept++
		}
		s.a.Seen.Quoted++
		l.Price = l.Sold.Price * UnitsOf(l.Sold, l.Window, s.a.location(o.Pickup).Zone)
	}
}

// pricingRecords judges every table.
func (a *Account) pricingRecords(v base.View) error {
	if n := commerce.PricingTables(v).Len(); n != len(a.Tables) {
		return wrong("%d pricing tables, the twin has %d", n, len(a.Tables))
	}
	for _, t := range a.Tables {
		x := commerce.PricingTableByID(v, t.ID)
		if x == nil || x.Name != t.Name || x.Combine != t.Combine || !slices.EqualFunc(x.Rows, t.Rows, sameRow) {
			return wrong("pricing table %+v, the twin says %+v", x, *t)
		}
	}
	return nil
}

func sameRow(x, y commerce.PricingRow) bool {
	same := (x.Duration == nil) == (y.Duration == nil) && (x.Duration == nil || *x.Duration == *y.Duration)
	return same && x.ID == y.ID && x.Table == y.Table && x.Label == y.Label && x.Purchase == y.Purchase &&
		x.Price == y.Price && x.Currency == y.Currency && x.RetiredAt == y.RetiredAt
}
