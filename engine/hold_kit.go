package engine

import (
	"cmp"
	"slices"
)

// This file owns what lines of kits of a hold were made of, which they keep: what the kit takes by now is for new lines alone.

// bookedKit is what one kit took as a line was made, no two components of the same article or SKU.
type bookedKit struct{ components []Component }

// askAgain appends the requests that a line of a hold makes for all its units: of a kit those of the components that it was made of, else as it is now,
// which it keeps from then on.
func (t *tx) askAgain(dst []request, made *holdLine, l *HoldLineInput) ([]request, error) {
	bought := PurchaseType(cmp.Or(l.Purchase, PurchaseBooking))
	if l.CatalogItem == (ID{}) {
		return t.ask(dst, l.Item, l.Location, l.Quantity, bought)
	}
	k, err := t.acc.heldKit(l.CatalogItem, made.booked)
	if err != nil {
		return dst, err
	}
	if made.booked == nil {
		made.booked = &bookedKit{k.components()}
	}
	return t.askKits(dst, k, l.Location, l.Quantity, bought)
}

// heldKit is a catalog item that takes what a line was made of; nil: what it takes now.
func (a *account) heldKit(id ID, booked *bookedKit) (*kit, error) {
	if i := a.catalog().Get(id); i != nil && booked != nil {
		return a.kitOf(i, booked.components)
	}
	return a.kit(id)
}

// componentsOf are those that a line of kits was made of, whose units are in their order; nil: an older program made it, and nobody can say. The ids of its
// units follow base.
func (a *account) componentsOf(l *holdLine, base ID) []Component {
	switch {
	case l.named != namesCatalogItem:
		return nil
	case l.booked != nil:
		return l.booked.components
	}
	k := a.kitSince(a.catalogID(l.item), base)
	if k == nil || int(l.units) != int(l.quantity)*k.units() {
		return nil
	}
	return k.components()
}

// heldAs is what the n-th unit of a line was asked for as: what the line names, or of kits that of its component.
func (a *account) heldAs(l *holdLine, of []Component, n int) Item {
	switch l.named {
	case namesSKU:
		return Item{SKU: a.skuID(l.item)}
	case namesArticle:
		return Item{Article: a.articleID(l.item)}
	}
	for _, c := range of {
		if n -= int(l.quantity) * c.Quantity; n < 0 {
			return c.Item
		}
	}
	return Item{}
}

// CalledAs is what a SKU or an article is called, and the code of a SKU.
func (v View) CalledAs(i Item) (name string, code *string) {
	if s := v.SKU(i.SKU); s != nil {
		return s.Name, s.Code
	}
	if r := v.Article(i.Article); r != nil {
		return r.Name, nil
	}
	return "", nil
}

// takes says that a line of kits was made of something.
func (l *holdLine) takes(i Item) bool {
	return l.booked != nil && slices.ContainsFunc(l.booked.components, func(c Component) bool { return c.Item == i })
}
