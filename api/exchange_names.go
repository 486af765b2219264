package api

import (
	"math"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

// This file owns names in place of ids: the names by which a row of an import may refer to records, and by which an
// export does.

// The members that refer to locations.
const (
	locationMember = "serviceLocationId"
	returnMember   = "returnServiceLocationId"
)

// nameBook knows an account's records by name. A name stands for a record where it is the name of one alone; codes come
// before names.
type nameBook struct {
	of     *exchanged
	view   base.View
	tables map[string]*nameTable // by the member that refers, each made when it is first wanted
}

// nameTable is the names of the records of one kind.
type nameTable struct {
	what, by string // for messages
	has      func(base.View, base.ID) bool
	ids      map[string]base.ID // the nil id: the name of several
}

func newNameBook(of *exchanged, v base.View) *nameBook {
	return &nameBook{of: of, view: v, tables: map[string]*nameTable{}}
}

// add gives a record its names of one rank; those that an earlier rank has taken are no names of it.
func (t *nameTable) add(taken map[string]bool, id base.ID, texts ...string) {
	for _, text := range texts {
		if taken[text] || text == "" {
			continue
		}
		if other, twice := t.ids[text]; twice && other != id {
			t.ids[text] = base.ID{}
			continue
		}
		t.ids[text] = id
	}
}

// rank is what is taken by the ranks before.
func (t *nameTable) rank() map[string]bool {
	taken := make(map[string]bool, len(t.ids))
	for text := range t.ids {
		taken[text] = true
	}
	return taken
}

func (n *nameBook) table(member string) *nameTable {
	t := n.tables[member]
	if t != nil {
		return t
	}
	v := n.view
	t = &nameTable{ids: map[string]base.ID{}}
	switch member {
	case locationMember, returnMember:
		t.what, t.by, t.has = "location", "name", has(stock.LocationByID)
		for l := range stock.Locations(v).All() {
			t.add(nil, l.ID, l.Name)
		}
	case "skuId":
		t.what, t.by, t.has = "SKU", "code or name", has(stock.SKUByID)
		for s := range stock.SKUs(v).All() {
			if s.Code != nil {
				t.add(nil, s.ID, *s.Code)
			}
		}
		codes := t.rank()
		for s := range stock.SKUs(v).All() {
			t.add(codes, s.ID, s.Name)
		}
	case "articleId":
		t.what, t.by, t.has = "article", "code or name", has(stock.ArticleByID)
		for r := range stock.Articles(v).All() {
			t.add(nil, r.ID, r.Codes...)
		}
		codes := t.rank()
		for r := range stock.Articles(v).All() {
			t.add(codes, r.ID, r.Name)
		}
	case "catalogItemId":
		t.what, t.by, t.has = "catalog item", "name", has(commerce.CatalogItemByID)
		items, _ := commerce.Catalog(v, commerce.CatalogFilter{Active: true, Archived: true}, 0, math.MaxInt)
		for _, i := range items {
			t.add(nil, i.ID, i.Name)
		}
	case "customerId":
		t.what, t.by, t.has = "customer", "email or name", has(commerce.CustomerByID)
		for m := range commerce.Customers(v).All() {
			if m.Email != nil {
				t.add(nil, m.ID, *m.Email)
			}
		}
		emails := t.rank()
		for m := range commerce.Customers(v).All() {
			t.add(emails, m.ID, m.Name())
		}
	case "tags":
		scope := n.of.tags
		t.what, t.by, t.has = "tag of scope "+string(scope), "value", func(v base.View, id base.ID) bool {
			g := label.TagByID(v, id)
			return g != nil && g.Scope == scope
		}
		for g := range label.Tags(v).All() {
			if g.Scope == scope {
				t.add(nil, g.ID, g.Value)
			}
		}
	}
	n.tables[member] = t
	return t
}

// refer is a referrer.
func (n *nameBook) refer(member string, raw []byte, dst *base.ID) wire.Wrong {
	id, isID := wire.ParseID(raw)
	if member == "id" {
		if isID && n.of.own(n.view, id) {
			return wire.Wrong{Code: wire.FaultDuplicate,
				Message: "is a record of this account: an import makes new ones"}
		}
		return wire.Wrong{}
	}
	t := n.table(member)
	for i := range dst {
		dst[i] = 0xff // the id of nothing, but an id: what is found wrong with it is said once
	}
	if isID {
		if !t.has(n.view, id) {
			return wire.Wrong{Code: wire.FaultReference, Message: "no " + t.what + " has this id"}
		}
		*dst = id
		return wire.Wrong{}
	}
	id, known := t.ids[string(raw)]
	switch {
	case !known:
		return wire.Wrong{Code: wire.FaultReference,
			Message: "no " + t.what + " has this " + t.by + ", and it is no id"}
	case id == base.ID{}:
		return wire.Wrong{Code: wire.FaultReference,
			Message: "more than one " + t.what + " has this " + t.by + ": name it by its id"}
	}
	*dst = id
	return wire.Wrong{}
}

// append appends what a record is called: the first of its names that stands for it alone, else its id.
func (n *nameBook) append(b []byte, member string, id base.ID, texts ...string) (_ []byte, named bool) {
	t := n.table(member)
	for _, text := range texts {
		if _, looks := wire.ParseID([]byte(text)); !looks && t.ids[text] == id {
			return wire.AppendText(b, text), true
		}
	}
	return wire.AppendID(b, id), false
}
