package model

import (
	"bytes"
	"reflect"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns revisions: how often a record has become another. A command that leaves all of it as it was makes no
// new one, and what is counted of a record elsewhere (its holds, its uses) is no part of it.

// revise counts on what a step has changed. An order can become another several times in it, where it was time that did
// it: the log says how often.
func (s *step) revise(commands []command) {
	for i, o := range s.a.Orders {
		times := 0
		for _, c := range commands {
			for _, x := range c.changes {
				if x.Table == tagOrder && ID(x.Key[16:]) == o.ID && !bytes.Equal(x.Before, x.After) {
					times++
				}
			}
		}
		n := *o
		was := s.was.order(o.ID)
		n.Revision = revised(was.shown(), *n.shown(), func(o *Order) *uint64 { return &o.Revision }, max(1, times))
		if was != nil && n.Revision == was.Revision && s.assigned(was, &n) {
			n.Revision++
			s.a.Seen.Reassigned++
		}
		s.a.Orders[i] = &n
	}
	count(s.a.Articles, func(r *Article) *Article {
		return find(s.was.Articles, func(x *Article) bool { return x.ID == r.ID })
	}, func(r *Article) *uint64 { return &r.Revision })
	count(s.a.SKUs, func(k *SKU) *SKU {
		return find(s.was.SKUs, func(x *SKU) bool { return x.ID == k.ID })
	}, func(k *SKU) *uint64 { return &k.Revision })
	count(s.a.Kits, func(k *Kit) *Kit { return s.was.kit(k.ID) }, func(k *Kit) *uint64 { return &k.Revision })
	count(s.a.Attributes, func(d *Attribute) *Attribute {
		return s.was.attribute(d.ID)
	}, func(d *Attribute) *uint64 { return &d.Revision })
	count(s.a.Events, func(e *Event) *Event { return s.was.event(e.ID) }, func(e *Event) *uint64 { return &e.Revision })
	count(s.a.Tables, func(t *Table) *Table { return s.was.table(t.ID) }, func(t *Table) *uint64 { return &t.Revision })
}

// assigned says that a command about which article a unit of an order is of has put the unit on another, or that it has
// a unit of stock by it, or none any more.
func (s *step) assigned(was, is *Order) bool {
	of := func(a *Account, o *Order) (at ID) {
		for i := range o.Lines {
			for j := range o.Lines[i].Units {
				if x := &o.Lines[i].Units[j]; x.Hold == s.named {
					at = a.place(x).Article
				}
			}
		}
		return at
	}
	return s.named != (ID{}) && of(s.was, was) != of(s.a, is)
}

// shown is an order without what it does not show: the SKU that each of its units was made for, and of the row that a
// line is sold by all but its price and what that is for.
func (o *Order) shown() *Order {
	if o == nil {
		return nil
	}
	n := *o
	n.Lines = slices.Clone(o.Lines)
	for i := range n.Lines {
		n.Lines[i].Sold = commerce.PricingRow{PricingRowFields: commerce.PricingRowFields{Price: o.Lines[i].Sold.Price},
			Duration: o.Lines[i].Sold.Duration}
		n.Lines[i].Units = slices.Clone(n.Lines[i].Units)
		for j := range n.Lines[i].Units {
			n.Lines[i].Units[j].Made = ID{}
		}
	}
	return &n
}

// count puts records in place that know their revisions; was finds each as it was before the step.
func count[R any](list []*R, was func(*R) *R, revision func(*R) *uint64) {
	for i, r := range list {
		n := *r
		*revision(&n) = revised(was(r), n, revision, 1)
		list[i] = &n
	}
}

// revised is the revision of a record that was one thing, nil where it is made, and is another.
func revised[R any](was *R, is R, revision func(*R) *uint64, times int) uint64 {
	if was == nil {
		return 1
	}
	n := *revision(was)
	if *revision(&is) = n; !reflect.DeepEqual(*was, is) {
		n += uint64(times)
	}
	return n
}

// revisions judges those of all records.
func (a *Account) revisions(v base.View) error {
	check := func(what string, id ID, have, want uint64) error {
		if have != want {
			return wrong("%s %x is in its revision %d, the twin says %d", what, id, have, want)
		}
		return nil
	}
	var faults []error
	for _, o := range a.Orders {
		faults = append(faults, check("order", o.ID, order.OrderByID(v, o.ID).Revision, o.Revision))
	}
	for _, r := range a.Articles {
		if !r.Gone {
			faults = append(faults, check("article", r.ID, stock.ArticleByID(v, r.ID).Revision, r.Revision))
		}
	}
	for _, k := range a.SKUs {
		if !k.Gone {
			faults = append(faults, check("SKU", k.ID, stock.SKUByID(v, k.ID).Revision, k.Revision))
		}
	}
	for _, k := range a.Kits {
		faults = append(faults, check("catalog item", k.ID, commerce.CatalogItemByID(v, k.ID).Revision, k.Revision))
	}
	for _, d := range a.Attributes {
		faults = append(faults, check("attribute", d.ID, label.AttributeByID(v, d.ID).Revision, d.Revision))
	}
	for _, e := range a.Events {
		faults = append(faults, check("event", e.ID, stock.ScheduledEventByID(v, e.ID).Revision, e.Revision))
	}
	for _, t := range a.Tables {
		x := commerce.PricingTableByID(v, t.ID)
		faults = append(faults, check("pricing table", t.ID, x.Revision, t.Revision))
		for i, r := range t.Rows {
			faults = append(faults, check("pricing row", r.ID, x.Rows[i].Revision, r.Revision))
		}
	}
	for _, d := range a.Codes { // uses are no part of it
		faults = append(faults, check("discount code", d.ID, commerce.DiscountCodeByID(v, d.ID).Revision, 1))
	}
	for _, fault := range faults {
		if fault != nil {
			return fault
		}
	}
	return nil
}
