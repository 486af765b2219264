package commerce

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
	"holdfast/engine/table"
)

// This file owns catalog items: what customers book or buy. kit.go has how one takes stock.

// CatalogStatus says whether a catalog item is offered.
type CatalogStatus string

// Only an active, unarchived catalog item takes new holds.
const (
	CatalogActive   CatalogStatus = "active"
	CatalogInactive CatalogStatus = "inactive"
	CatalogDraft    CatalogStatus = "draft"
)

// Words are those that a status can be.
func (CatalogStatus) Words() []string {
	return []string{string(CatalogActive), string(CatalogInactive), string(CatalogDraft)}
}

// CatalogItem is a catalog item's record.
type CatalogItem struct {
	ID base.ID
	No uint32 // dense number in the account; one that is gone gives its number to a later one
	CatalogFields
	CatalogOffer
	ArchivedAt *int64
	base.Stamp
	label.Labels
}

// CatalogFields are what callers say a catalog item is.
type CatalogFields struct {
	Name         string        `field:"name text 1..255 required" about:"What customers call it."`
	InternalName *string       `field:"internalName text 1..255" about:"What the merchant calls it; without one it is the name." made:"What the merchant calls it. Default: the name."`
	Status       CatalogStatus `field:"status word required" default:"active" about:"Whether it is offered: only an active one takes holds."`
	Category     *string       `field:"taxonomyCategoryId text 1..255" about:"The id of the category in a taxonomy that is kept elsewhere."`
	Description  *string       `field:"description text 0..10000" about:"What is told of it to customers."`
	Components   []Component   `field:"components own" made:"What one of it takes, all or nothing: one component is the usual case, several are a kit." changed:"What each unit of it takes, replaced as a whole."`
}

// CatalogOffer is how callers say that a catalog item is offered. New variants and values have no ids yet.
type CatalogOffer struct {
	Purchases    []base.PurchaseType `field:"purchaseTypes list 1..3 distinct word" default:"all" about:"The ways in which it can be taken." changed:"The ways in which it can be taken; null: all."`
	PricingTable *base.ID            `field:"pricingTableId id" about:"The pricing table whose rows are its prices."`
	Variants     []Variant           `field:"variants list 0..20 object CatalogVariantInput CatalogVariant" about:"What customers can choose." made:"What customers can choose. Default: nothing." changed:"What customers can choose, replaced as a whole."`
}

// Component is what one unit of a catalog item takes of a SKU or an article.
type Component struct {
	base.Item
	Quantity int
}

// key is the id that an item names.
func key(i base.Item) string {
	if i.Article != (base.ID{}) {
		return string(i.Article[:])
	}
	return string(i.SKU[:])
}

// Variant is something that a customer chooses among values, such as a size. It takes no stock.
type Variant struct {
	ID     base.ID        `field:"id id required" default:"new" about:"The variant's id." given:"The id of a variant that is there; a new one has none."`
	Label  string         `field:"label text 1..255 required" about:"What can be chosen, such as size."`
	Values []VariantValue `field:"values list 1..100 object CatalogVariantValueInput CatalogVariantValue required" about:"The choices, in their order."`
}

// VariantValue is one of the values of a variant.
type VariantValue struct {
	ID    base.ID `field:"id id required" default:"new" about:"The choice's id." given:"The id of a choice that is there; a new one has none."`
	Label string  `field:"label text 1..255 required" about:"What people call the choice."`
}

// Takes says whether the catalog item takes new holds.
func (i *CatalogItem) Takes() bool { return i.Status == CatalogActive && i.ArchivedAt == nil }

const (
	catalogByReference = iota
	catalogByTag
	catalogByExternal
)

// CatalogKind has one index of all that items refer to: ids are unique over resources.
var CatalogKind = base.RowsOf(base.TagCatalogItem, "catalog item", func(i *CatalogItem) base.ID { return i.ID },
	table.By(func(i *CatalogItem) (keys []string) {
		if i.PricingTable != nil {
			keys = append(keys, string(i.PricingTable[:]))
		}
		for _, c := range i.Components {
			keys = append(keys, key(c.Item))
		}
		return keys
	}),
	table.By((*CatalogItem).TagKeys),
	table.By((*CatalogItem).ExternalKeys),
	table.Numbered(func(i *CatalogItem) uint32 { return i.No }))

// CatalogLabels is catalog items as what labels hang on.
var CatalogLabels label.Labelled = &label.LabelledKind[CatalogItem, *CatalogItem]{Kind: CatalogKind,
	Scope: label.TagCatalog, ByTag: catalogByTag, ByExternal: catalogByExternal}

// CatalogTable are all catalog items of an account.
func CatalogTable(a *base.AccountState) *table.Table[CatalogItem] {
	return base.TableOf[CatalogItem](a, base.TagCatalogItem)
}

func init() {
	CatalogKind.Kept = func(t *base.Tx, i *CatalogItem) error { return t.Acc.Unreferred(i.ID, t.Now) }
	base.RegisterReferrers(base.Referrer{Resource: "catalogItem", Count: catalogItemsNaming})
}

// catalogItemsNaming counts the catalog items that refer to something: a pricing table, or a component.
func catalogItemsNaming(a *base.AccountState, id base.ID, _ int64) (n int) {
	for range CatalogTable(a).By(catalogByReference, string(id[:])) {
		n++
	}
	return n
}

const maxComponents = 100

func components(c *base.Checker, list []Component) {
	for at, x := range base.Each(c, "/components", list, maxComponents) {
		switch {
		case x.CatalogItem != (base.ID{}):
			c.Fault(at+"/catalogItemId", "forbidden", "a component is a SKU or an article")
		case x.Item == (base.Item{}):
			c.Fault(at, "required", "must name a skuId or an articleId")
		case !x.One():
			c.Fault(at, "exclusive", "must name one of skuId and articleId")
		}
		c.Number(at+"/quantity", x.Quantity, 1, base.MaxCount)
	}
}

// CreateCatalogItem makes a catalog item.
type CreateCatalogItem struct {
	base.Answers[*CatalogItem]
	base.Adds
	CatalogFields
	CatalogOffer
	Labels label.LabelsPatch
}

func (o CreateCatalogItem) Check(c *base.Checker) {
	base.CheckFields(c, "", &o.CatalogFields)
	components(c, o.Components)
	base.CheckFields(c, "", &o.CatalogOffer)
	variantIDs(c, nil, o.Variants)
	o.Labels.Check(c)
}

func (o CreateCatalogItem) CheckOn(c *base.Checker, a *base.AccountState) {
	o.Labels.CheckOn(c, a, CatalogLabels)
}

func (o CreateCatalogItem) PlanOn(t *base.Tx) (any, error) {
	i := &CatalogItem{
		ID: t.NewID(), No: nextCatalogNo(t.Acc), CatalogFields: base.Completed(o.CatalogFields),
		CatalogOffer: base.Completed(o.CatalogOffer), Stamp: t.Stamp(),
	}
	i.Variants = newVariants(t, o.Variants)
	if err := refers(t, i); err != nil {
		return nil, err
	}
	var err error
	if i.Labels, err = o.Labels.Merged(t.Acc, CatalogLabels, base.ID{}, label.Labels{}); err != nil {
		return nil, err
	}
	base.Record(t, CatalogKind, nil, i)
	return i, nil
}

// nextCatalogNo is the number of the next item: one after the newest item's, and past those that were removed since, as
// old holds still have these numbers.
func nextCatalogNo(a *base.AccountState) uint32 {
	no := uint32(1)
	if n := CatalogTable(a).Len(); n > 0 {
		no = CatalogTable(a).At(n-1).No + 1
	}
	for a.TombstoneID(base.TagCatalogItem, no) != (base.ID{}) {
		no++
	}
	return no
}

// refers demands that what an item names is there.
func refers(t *base.Tx, i *CatalogItem) error {
	if i.PricingTable != nil {
		if _, err := base.Found(t, PricingTableKind, *i.PricingTable, nil); err != nil {
			return err
		}
	}
	for _, c := range i.Components {
		if c.Article != (base.ID{}) && stock.ArticleTable(t.Acc).Get(c.Article) == nil {
			return base.NotFound("article")
		}
		if c.SKU != (base.ID{}) && stock.SKUTable(t.Acc).Get(c.SKU) == nil {
			return base.NotFound("SKU")
		}
	}
	return nil
}

// variantIDs names the ids of variants and values that are not those of an item, or named twice.
func variantIDs(c *base.Checker, of, list []Variant) {
	know := func(pointer string, id base.ID, known []base.ID) []base.ID {
		at := slices.Index(known, id)
		switch {
		case id == (base.ID{}):
		case at < 0:
			c.Fault(pointer+"/id", "reference",
				"is not one of the item's own, or named twice; leave it out for what is new")
		default:
			known = slices.Delete(known, at, at+1)
		}
		return known
	}
	var ids []base.ID
	for _, v := range of {
		ids = append(ids, v.ID)
	}
	for n, v := range list {
		at := "/variants/" + base.Itoa(n)
		var values []base.ID
		if i := slices.IndexFunc(of, func(x Variant) bool { return x.ID == v.ID }); i >= 0 {
			for _, x := range of[i].Values {
				values = append(values, x.ID)
			}
		}
		ids = know(at, v.ID, ids)
		for m, x := range v.Values {
			values = know(at+"/values/"+base.Itoa(m), x.ID, values)
		}
	}
}

// newVariants gives ids to those variants and values that are new.
func newVariants(t *base.Tx, list []Variant) []Variant {
	list = slices.Clone(list)
	for n := range list {
		v := &list[n]
		if v.ID == (base.ID{}) {
			v.ID = t.NewID()
		}
		v.Values = slices.Clone(v.Values)
		for m := range v.Values {
			if x := &v.Values[m]; x.ID == (base.ID{}) {
				x.ID = t.NewID()
			}
		}
	}
	return list
}

// PatchCatalogItem changes a catalog item; lists are replaced as a whole. Holds that were made of other components keep
// what they have.
type PatchCatalogItem struct {
	base.Answers[*CatalogItem]
	base.IfMatch
	ID     base.ID
	Fields base.Changes[CatalogFields]
	Offer  base.Changes[CatalogOffer]
	Labels label.LabelsPatch
}

func (o PatchCatalogItem) Check(c *base.Checker) {
	o.Fields.Check(c, "")
	components(c, o.Fields.To.Components)
	o.Offer.Check(c, "")
	o.Labels.Check(c)
}

func (o PatchCatalogItem) CheckOn(c *base.Checker, a *base.AccountState) {
	if i := CatalogTable(a).Get(o.ID); i != nil {
		variantIDs(c, i.Variants, o.Offer.To.Variants)
	}
	o.Labels.CheckOn(c, a, CatalogLabels)
}

func (o PatchCatalogItem) PlanOn(t *base.Tx) (any, error) {
	i, err := base.Found(t, CatalogKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *i
	n.CatalogFields, n.CatalogOffer = o.Fields.Of(i.CatalogFields), o.Offer.Of(i.CatalogOffer)
	n.Variants = newVariants(t, n.Variants)
	if err := refers(t, &n); err != nil {
		return nil, err
	}
	if n.Labels, err = o.Labels.Merged(t.Acc, CatalogLabels, i.ID, i.Labels); err != nil {
		return nil, err
	}
	return base.Revise(t, CatalogKind, i, n), nil
}

// ArchiveCatalogItem takes a catalog item out of the offer, or back into it. An item that is there already stays as it
// is.
type ArchiveCatalogItem struct {
	base.Answers[*CatalogItem]
	ID       base.ID
	Archived bool
}

func (o ArchiveCatalogItem) PlanOn(t *base.Tx) (any, error) {
	i, err := base.Found(t, CatalogKind, o.ID, nil)
	if err != nil || o.Archived == (i.ArchivedAt != nil) {
		return i, err
	}
	n := *i
	if n.ArchivedAt = nil; o.Archived {
		now := t.Now
		n.ArchivedAt = &now
	}
	return base.Revise(t, CatalogKind, i, n), nil
}

// DeleteCatalogItem removes a catalog item that no hold names, none that still answers though it has ended either.
type DeleteCatalogItem = base.Delete[CatalogItem, *CatalogItem]

// CatalogItemByID returns a catalog item, or nil.
func CatalogItemByID(v base.View, id base.ID) *CatalogItem { return CatalogTable(v.Acc).Get(id) }
