package engine

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

// itemKind says what an Item names.
type itemKind uint8

const (
	namesSKU itemKind = iota
	namesArticle
	namesCatalogItem
)

func (i Item) kind() itemKind {
	switch {
	case i.CatalogItem != (ID{}):
		return namesCatalogItem
	case i.Article != (ID{}):
		return namesArticle
	}
	return namesSKU
}

func (c *checker) item(pointer string, i Item) {
	switch {
	case i == (Item{}):
		c.fault(pointer, "required", "must name a skuId, an articleId or a catalogItemId")
	case !i.One():
		c.fault(pointer, "exclusive", "must name one of skuId, articleId and catalogItemId")
	}
}
