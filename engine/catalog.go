package engine

import (
	"slices"

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

// CatalogItem is a catalog item's record.
type CatalogItem struct {
	ID           ID
	No           uint32 // dense number in the account; one that is gone gives its number to a later one
	Name         string
	InternalName *string // nil: the name
	Status       CatalogStatus
	Category     *string // of a taxonomy, as given
	Description  *string
	Components   []Component
	Purchases    []PurchaseType // the ways in which it is offered
	PricingTable *ID
	Variants     []Variant
	ArchivedAt   *int64
	UpdatedAt    int64
	Revision     uint64
	Labels
}

// Component is what one unit of a catalog item takes of a SKU or an article.
type Component struct {
	Item
	Quantity int
}

// key is the id that an item names.
func (i Item) key() string {
	if i.Article != (ID{}) {
		return string(i.Article[:])
	}
	return string(i.SKU[:])
}

// Variant is something that a customer chooses among values, such as a size. It takes no stock.
type Variant struct {
	ID     ID
	Label  string
	Values []VariantValue
}

// VariantValue is one of the values of a variant.
type VariantValue struct {
	ID    ID
	Label string
}

// Takes says whether the catalog item takes new holds.
func (i *CatalogItem) Takes() bool { return i.Status == CatalogActive && i.ArchivedAt == nil }

const (
	catalogByReference = iota
	catalogByTag
	catalogByExternal
)

// catalogKind has one index of all that items refer to: ids are unique over resources.
var catalogKind = rowsOf(tagCatalogItem, "catalog item", func(i *CatalogItem) ID { return i.ID },
	table.By(func(i *CatalogItem) (keys []string) {
		if i.PricingTable != nil {
			keys = append(keys, string(i.PricingTable[:]))
		}
		for _, c := range i.Components {
			keys = append(keys, c.Item.key())
		}
		return keys
	}),
	table.By(func(i *CatalogItem) []string { return i.tagKeys() }),
	table.By(func(i *CatalogItem) []string { return i.externalKeys() }),
	table.Numbered(func(i *CatalogItem) uint32 { return i.No }))

// CatalogLabels is catalog items as what labels hang on.
var CatalogLabels Labelled = &labelledKind[CatalogItem, *CatalogItem]{kind: catalogKind, scope: TagCatalog, byTag: catalogByTag, byExternal: catalogByExternal}

func (i *CatalogItem) revision() uint64 { return i.Revision }
func (i *CatalogItem) touch(now int64)  { i.UpdatedAt, i.Revision = now, i.Revision+1 }

func (a *account) catalog() *table.Table[CatalogItem] { return tableOf[CatalogItem](a, tagCatalogItem) }

func init() { registerReferrers(referrer{"catalogItem", catalogItemsNaming}) }

// catalogItemsNaming counts the catalog items that refer to something: a pricing table, or a component.
func catalogItemsNaming(a *account, id ID, _ int64) (n int) {
	for range a.catalog().By(catalogByReference, string(id[:])) {
		n++
	}
	return n
}

const (
	maxComponents  = 100
	maxVariants    = 20
	maxFieldValues = 100
)

func (c *checker) catalogStatus(pointer string, s CatalogStatus) {
	c.oneOf(pointer, string(s), string(CatalogActive), string(CatalogInactive), string(CatalogDraft))
}

func (c *checker) components(pointer string, list []Component) {
	for at, x := range each(c, pointer, list, 0, maxComponents) {
		switch {
		case x.CatalogItem != (ID{}):
			c.fault(at+"/catalogItemId", "forbidden", "a component is a SKU or an article")
		case x.Item == (Item{}):
			c.fault(at, "required", "must name a skuId or an articleId")
		case !x.One():
			c.fault(at, "exclusive", "must name one of skuId and articleId")
		}
		c.number(at+"/quantity", x.Quantity, 1, maxCount)
	}
}

func (c *checker) purchases(pointer string, list []PurchaseType) {
	if !c.count(pointer, len(list), 1, 3) {
		return
	}
	for i, p := range list {
		at := pointer + "/" + itoa(i)
		c.purchase(at, p)
		if slices.Contains(list[:i], p) {
			c.fault(at, "duplicate", "is named more than once")
		}
	}
}

func (c *checker) variants(pointer string, list []Variant) {
	for at, v := range each(c, pointer, list, 0, maxVariants) {
		c.text(at+"/label", v.Label, 1, maxName)
		for at, x := range each(c, at+"/values", v.Values, 1, maxFieldValues) {
			c.text(at+"/label", x.Label, 1, maxName)
		}
	}
}

// CreateCatalogItem makes a catalog item. It answers with the *CatalogItem.
type CreateCatalogItem struct {
	Name         string
	InternalName *string
	Status       CatalogStatus // default active
	Category     *string
	Description  *string
	Components   []Component
	Purchases    []PurchaseType // nil: all
	PricingTable *ID
	Variants     []Variant // without ids
	Labels       LabelsPatch
}

func (o CreateCatalogItem) Check() []Fault {
	var c checker
	c.text("/name", o.Name, 1, maxName)
	c.optional("/internalName", o.InternalName, 1, maxName)
	c.catalogStatus("/status", CatalogStatus(orDefault(string(o.Status), string(CatalogActive))))
	c.optional("/taxonomyCategoryId", o.Category, 1, maxName)
	c.optional("/description", o.Description, 0, maxNote)
	c.components("/components", o.Components)
	if o.Purchases != nil {
		c.purchases("/purchaseTypes", o.Purchases)
	}
	c.variants("/variants", o.Variants)
	c.variantIDs("/variants", nil, o.Variants)
	o.Labels.check(&c)
	return c.faults
}

func (o CreateCatalogItem) checkOn(a *account) []Fault { return o.Labels.checkOn(a, CatalogLabels) }

func (o CreateCatalogItem) plan(t *tx) (any, error) {
	i := &CatalogItem{
		ID: t.newID(), No: t.acc.nextCatalogNo(), Name: o.Name, InternalName: o.InternalName, Status: o.Status, Category: o.Category,
		Description: o.Description, Components: o.Components, Purchases: o.Purchases, PricingTable: o.PricingTable, UpdatedAt: t.now, Revision: 1,
	}
	if i.Status == "" {
		i.Status = CatalogActive
	}
	i.offerAll()
	i.Variants = t.variants(o.Variants)
	if err := t.refers(i); err != nil {
		return nil, err
	}
	var err error
	if i.Labels, err = o.Labels.merged(t.acc, CatalogLabels, ID{}, Labels{}); err != nil {
		return nil, err
	}
	record(t, catalogKind, nil, i)
	return i, nil
}

// offerAll makes an item for which no ways are named offered in all.
func (i *CatalogItem) offerAll() {
	if len(i.Purchases) == 0 {
		i.Purchases = []PurchaseType{PurchaseBooking, PurchaseSale, PurchaseSubscription}
	}
}

func (CreateCatalogItem) result() any { return new(CatalogItem) }

// nextCatalogNo is the number of the next item: one behind the youngest's, past those that were removed since: old holds go by them.
func (a *account) nextCatalogNo() uint32 {
	no := uint32(1)
	if n := a.catalog().Len(); n > 0 {
		no = a.catalog().At(n-1).No + 1
	}
	for a.formerID(tagCatalogItem, no) != (ID{}) {
		no++
	}
	return no
}

// catalogID is the id of an item's number, also of one that is gone.
func (a *account) catalogID(no uint32) ID {
	if i := a.catalog().No(no); i != nil {
		return i.ID
	}
	return a.formerID(tagCatalogItem, no)
}

// refers demands that what an item names is there.
func (t *tx) refers(i *CatalogItem) error {
	if i.PricingTable != nil {
		if _, err := found(t, pricingTableKind, *i.PricingTable, nil); err != nil {
			return err
		}
	}
	for _, c := range i.Components {
		if c.Article != (ID{}) && t.acc.articles().Get(c.Article) == nil {
			return notFound("article")
		}
		if c.SKU != (ID{}) && t.acc.skus().Get(c.SKU) == nil {
			return notFound("SKU")
		}
	}
	return nil
}

// variantIDs names the ids of variants and values that are not those of an item, or named twice.
func (c *checker) variantIDs(pointer string, of []Variant, list []Variant) {
	know := func(pointer string, id ID, known []ID) []ID {
		at := slices.Index(known, id)
		switch {
		case id == (ID{}):
		case at < 0:
			c.fault(pointer+"/id", "reference", "is not one of the item's own, or named twice; leave it out for what is new")
		default:
			known = slices.Delete(known, at, at+1)
		}
		return known
	}
	var ids []ID
	for _, v := range of {
		ids = append(ids, v.ID)
	}
	for n, v := range list {
		at := pointer + "/" + itoa(n)
		var values []ID
		if i := slices.IndexFunc(of, func(x Variant) bool { return x.ID == v.ID }); i >= 0 {
			for _, x := range of[i].Values {
				values = append(values, x.ID)
			}
		}
		ids = know(at, v.ID, ids)
		for m, x := range v.Values {
			values = know(at+"/values/"+itoa(m), x.ID, values)
		}
	}
}

// variants gives ids to those variants and values that are new.
func (t *tx) variants(list []Variant) []Variant {
	list = slices.Clone(list)
	for n := range list {
		v := &list[n]
		if v.ID == (ID{}) {
			v.ID = t.newID()
		}
		v.Values = slices.Clone(v.Values)
		for m := range v.Values {
			if x := &v.Values[m]; x.ID == (ID{}) {
				x.ID = t.newID()
			}
		}
	}
	return list
}

// PatchCatalogItem changes a catalog item; lists are replaced as a whole. Holds that were made of other components keep
// what they have. It answers with the *CatalogItem.
type PatchCatalogItem struct {
	ID           ID
	IfMatch      []uint64
	Name         Opt[string]
	InternalName Opt[string]
	Status       Opt[CatalogStatus]
	Category     Opt[string]
	Description  Opt[string]
	Components   Opt[[]Component]
	Purchases    Opt[[]PurchaseType]
	PricingTable Opt[ID]
	Variants     Opt[[]Variant]
	Labels       LabelsPatch
}

func (o PatchCatalogItem) Check() []Fault {
	var c checker
	c.patchName("/name", o.Name)
	c.patchText("/internalName", o.InternalName, 1, maxName)
	if o.Status.Set {
		c.catalogStatus("/status", o.Status.Value)
	}
	c.patchText("/taxonomyCategoryId", o.Category, 1, maxName)
	c.patchText("/description", o.Description, 0, maxNote)
	c.components("/components", o.Components.Value)
	if o.Purchases.Set && !o.Purchases.Null {
		c.purchases("/purchaseTypes", o.Purchases.Value)
	}
	c.variants("/variants", o.Variants.Value)
	o.Labels.check(&c)
	return c.faults
}

func (o PatchCatalogItem) checkOn(a *account) []Fault {
	var c checker
	if i := a.catalog().Get(o.ID); i != nil {
		c.variantIDs("/variants", i.Variants, o.Variants.Value)
	}
	return append(c.faults, o.Labels.checkOn(a, CatalogLabels)...)
}

func (o PatchCatalogItem) plan(t *tx) (any, error) {
	i, err := found(t, catalogKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *i
	if o.Name.Set {
		n.Name = o.Name.Value
	}
	o.InternalName.merge(&n.InternalName)
	if o.Status.Set {
		n.Status = o.Status.Value
	}
	o.Category.merge(&n.Category)
	o.Description.merge(&n.Description)
	replace(o.Components, &n.Components)
	if o.Purchases.Set {
		n.Purchases = o.Purchases.Value
		n.offerAll()
	}
	o.PricingTable.merge(&n.PricingTable)
	if o.Variants.Set {
		o.Variants.Value = t.variants(o.Variants.Value)
		replace(o.Variants, &n.Variants)
	}
	if err := t.refers(&n); err != nil {
		return nil, err
	}
	if n.Labels, err = o.Labels.merged(t.acc, CatalogLabels, i.ID, i.Labels); err != nil {
		return nil, err
	}
	return revise(t, catalogKind, i, n), nil
}

func (PatchCatalogItem) result() any { return new(CatalogItem) }

// ArchiveCatalogItem takes a catalog item out of the offer, or back into it. An item that is there already stays as it is.
// It answers with the *CatalogItem.
type ArchiveCatalogItem struct {
	ID       ID
	Archived bool
}

func (ArchiveCatalogItem) Check() []Fault { return nil }

func (o ArchiveCatalogItem) plan(t *tx) (any, error) {
	i, err := found(t, catalogKind, o.ID, nil)
	if err != nil || o.Archived == (i.ArchivedAt != nil) {
		return i, err
	}
	n := *i
	if n.ArchivedAt = nil; o.Archived {
		n.ArchivedAt = &t.now
	}
	return revise(t, catalogKind, i, n), nil
}

func (ArchiveCatalogItem) result() any { return new(CatalogItem) }

// DeleteCatalogItem removes a catalog item that no hold names, none that still answers though it has ended either. It answers
// with nil.
type DeleteCatalogItem struct {
	ID      ID
	IfMatch []uint64
}

func (DeleteCatalogItem) Check() []Fault { return nil }

func (o DeleteCatalogItem) plan(t *tx) (any, error) {
	i, err := found(t, catalogKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if err := t.acc.unreferred(i.ID, t.now); err != nil {
		return nil, err
	}
	record(t, catalogKind, i, nil)
	t.bury(tagCatalogItem, i.ID, i.No)
	return nil, nil
}

func (DeleteCatalogItem) result() any { return new(any) }

// CatalogItem returns a catalog item, or nil.
func (v View) CatalogItem(id ID) *CatalogItem { return v.acc.catalog().Get(id) }
