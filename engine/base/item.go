package base

// This file owns items: what a hold, an order or a question names to be taken.

// Item names what is asked for: one SKU, article or catalog item; the others are the zero ID.
type Item struct{ SKU, Article, CatalogItem ID }

// One says that just one is named.
func (i Item) One() bool {
	n := 0
	for _, id := range [...]ID{i.SKU, i.Article, i.CatalogItem} {
		if id != (ID{}) {
			n++
		}
	}
	return n == 1
}

// ItemKind says what an Item names.
type ItemKind uint8

const (
	NamesSKU ItemKind = iota
	NamesArticle
	NamesCatalogItem
)

// Kind says what an item names.
func (i Item) Kind() ItemKind {
	switch {
	case i.CatalogItem != (ID{}):
		return NamesCatalogItem
	case i.Article != (ID{}):
		return NamesArticle
	}
	return NamesSKU
}

// Item demands that exactly one thing is named.
func (c *Checker) Item(pointer string, i Item) {
	switch {
	case i == (Item{}):
		c.Fault(pointer, "required", "must name a skuId, an articleId or a catalogItemId")
	case !i.One():
		c.Fault(pointer, "exclusive", "must name one of skuId, articleId and catalogItemId")
	}
}
