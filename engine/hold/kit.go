package hold

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
)

// This file owns what lines of kits of a hold were made of, which they keep: what the kit takes by now is for new lines
// alone.

// BookedKit is what one kit took as a line was made, no two components of the same article or SKU.
type BookedKit struct{ Components []commerce.Component }

// askAgain appends the requests that a line of a hold makes for all its units: of a kit those of the components that it
// was made of, else as it is now, which it keeps from then on.
func askAgain(t *base.Tx, dst []stock.Request, made *LineRow, l *HoldLineInput) ([]stock.Request, error) {
	bought := base.PurchaseType(cmp.Or(l.Purchase, base.PurchaseBooking))
	if l.CatalogItem == (base.ID{}) {
		return commerce.Ask(t, dst, l.Item, l.Location, l.Quantity, bought)
	}
	k, err := HeldKit(t.Acc, l.CatalogItem, made.Booked)
	if err != nil {
		return dst, err
	}
	if made.Booked == nil {
		made.Booked = &BookedKit{k.Components()}
	}
	return commerce.AskKits(t, dst, k, l.Location, l.Quantity, bought)
}

// HeldKit is a catalog item that takes what a line was made of; nil: what it takes now.
func HeldKit(a *base.AccountState, id base.ID, booked *BookedKit) (*commerce.Kit, error) {
	if i := commerce.CatalogTable(a).Get(id); i != nil && booked != nil {
		return commerce.KitOf(a, i, booked.Components)
	}
	return commerce.KitByID(a, id)
}

// componentsOf are the components that a line of kits was made of; its units are in their order. nil: an older program
// made the line, and the components are not known. The ids of its units follow base.
func componentsOf(a *base.AccountState, l *LineRow, proto base.ID) []commerce.Component {
	switch {
	case l.Named != base.NamesCatalogItem:
		return nil
	case l.Booked != nil:
		return l.Booked.Components
	}
	k := commerce.KitSince(a, commerce.CatalogKind.IDOf(a, l.Item), proto)
	if k == nil || int(l.Units) != int(l.Quantity)*k.Units() {
		return nil
	}
	return k.Components()
}

// heldAs is what the n-th unit of a line was asked for as: what the line names, or of kits that of its component.
func heldAs(a *base.AccountState, l *LineRow, of []commerce.Component, n int) base.Item {
	switch l.Named {
	case base.NamesSKU:
		return base.Item{SKU: stock.SKUKind.IDOf(a, l.Item)}
	case base.NamesArticle:
		return base.Item{Article: stock.ArticleKind.IDOf(a, l.Item)}
	}
	for _, c := range of {
		if n -= int(l.Quantity) * c.Quantity; n < 0 {
			return c.Item
		}
	}
	return base.Item{}
}

// CalledAs is what a SKU or an article is called, and the code of a SKU.
func CalledAs(v base.View, i base.Item) (name string, code *string) {
	if s := stock.SKUByID(v, i.SKU); s != nil {
		return s.Name, s.Code
	}
	if r := stock.ArticleByID(v, i.Article); r != nil {
		return r.Name, nil
	}
	return "", nil
}

// takes says that a line of kits was made of something.
func (l *LineRow) takes(i base.Item) bool {
	return l.Booked != nil &&
		slices.ContainsFunc(l.Booked.Components, func(c commerce.Component) bool { return c.Item == i })
}
