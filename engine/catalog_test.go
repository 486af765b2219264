package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of catalog items as records; kit_test.go has those of their stock.

func TestCatalogItemKeepsWhatItIsMadeOf(t *testing.T) {
	s := newShop(t)
	sku, table := s.sku(), s.do(CreatePricingTable{Name: "Bikes"}).(*PricingTable)
	article := s.article(ID{}, 1)
	i := s.do(CreateCatalogItem{
		Name: "Bike with helmet", Components: []Component{{Item{SKU: sku}, 1}, {Item{Article: article}, 2}}, PricingTable: &table.ID,
		Variants: []Variant{{Label: "Size", Values: []VariantValue{{Label: "S"}, {Label: "M"}}}},
	}).(*CatalogItem)
	require.Equal(t, CatalogActive, i.Status)
	require.Equal(t, []PurchaseType{PurchaseBooking, PurchaseSale, PurchaseSubscription}, i.Purchases)
	e := s.refused(CodeInUse, DeletePricingTable{ID: table.ID})
	require.Equal(t, InUseDetails{"catalogItem", 1}, e.Details)

	// Variants keep their ids where they are named, and nobody else's can be.
	size := i.Variants[0]
	n := s.do(PatchCatalogItem{ID: i.ID, Variants: Some([]Variant{
		{Label: "Colour", Values: []VariantValue{{Label: "Red"}}},
		{ID: size.ID, Label: "Frame", Values: []VariantValue{{Label: "XL"}, {ID: size.Values[0].ID, Label: "Small"}}},
	})}).(*CatalogItem)
	require.Equal(t, size.ID, n.Variants[1].ID)
	require.Equal(t, size.Values[0].ID, n.Variants[1].Values[1].ID)
	require.Equal(t, "S", s.view().CatalogItem(i.ID).Variants[1].Values[1].Label[:1])
	require.Equal(t, "Size", i.Variants[0].Label, "what was answered does not change")
	e = s.refused(CodeInvalid, PatchCatalogItem{ID: i.ID, Variants: Some([]Variant{
		{ID: sku, Label: "x", Values: []VariantValue{{ID: size.Values[0].ID, Label: "y"}}},
		{ID: size.ID, Label: "x", Values: []VariantValue{{Label: "y"}}}, {ID: size.ID, Label: "x", Values: []VariantValue{{Label: "y"}}},
	})})
	require.Equal(t, []string{"/variants/0/id", "/variants/0/values/0/id", "/variants/2/id"}, []string{e.Faults[0].Pointer, e.Faults[1].Pointer, e.Faults[2].Pointer})

	n = s.do(PatchCatalogItem{ID: i.ID, IfMatch: []uint64{2}, PricingTable: Null[ID](), Purchases: Some([]PurchaseType{PurchaseSale}), Components: Null[[]Component]()}).(*CatalogItem)
	require.Nil(t, n.PricingTable)
	s.do(DeletePricingTable{ID: table.ID})
	s.reopen()
	require.Equal(t, n.Variants, s.view().CatalogItem(i.ID).Variants)
	require.Empty(t, s.view().CatalogItem(i.ID).Components)
	require.Len(t, s.do(PatchCatalogItem{ID: i.ID, Purchases: Null[[]PurchaseType]()}).(*CatalogItem).Purchases, 3)

	s.refused(CodeNotFound, CreateCatalogItem{Name: "x", PricingTable: &table.ID})
	s.refused(CodeNotFound, CreateCatalogItem{Name: "x", Components: []Component{{Item{SKU: article}, 1}}})
	s.refused(CodeNotFound, PatchCatalogItem{ID: i.ID, Components: Some([]Component{{Item{Article: sku}, 1}})})
	s.refused(CodePrecondition, DeleteCatalogItem{ID: i.ID, IfMatch: []uint64{1}})
	s.do(DeleteCatalogItem{ID: i.ID})
	s.refused(CodeNotFound, ArchiveCatalogItem{ID: i.ID})
}

func TestTagsOfCatalogItems(t *testing.T) {
	s := newShop(t)
	tag := s.do(CreateTag{Value: "summer", Scope: TagCatalog}).(*Tag)
	i := s.do(CreateCatalogItem{Name: "Bike", Labels: LabelsPatch{Tags: Some([]ID{tag.ID})}}).(*CatalogItem)
	s.reopen()
	require.Equal(t, []ID{tag.ID}, s.view().CatalogItem(i.ID).Tags)
	s.do(DeleteTag{ID: tag.ID})
	require.Empty(t, s.view().CatalogItem(i.ID).Tags)
	require.Equal(t, uint64(2), s.view().CatalogItem(i.ID).Revision)
	s.refused(CodeNotFound, LinkTags{To: CatalogLabels, ID: i.ID, Tags: []ID{tag.ID}})
}

func TestCatalogItemsAreFound(t *testing.T) {
	s := newShop(t)
	internal := "ebike-CITY"
	names := map[ID]string{}
	for _, o := range []CreateCatalogItem{
		{Name: "Écluse bike"}, {Name: "Cargo", InternalName: &internal}, {Name: "Helmet", Status: CatalogDraft}, {Name: "Old bike", Status: CatalogInactive},
	} {
		i := s.do(o).(*CatalogItem)
		names[i.ID] = o.Name
		if o.Name == "Old bike" {
			archived := s.do(ArchiveCatalogItem{ID: i.ID, Archived: true}).(*CatalogItem)
			require.Equal(t, s.now, *archived.ArchivedAt)
			require.Equal(t, archived, s.do(ArchiveCatalogItem{ID: i.ID, Archived: true}), "archived already")
		}
	}
	list := func(f CatalogFilter, offset, limit int) (found []string) {
		page, total := s.view().Catalog(f, offset, limit)
		for _, i := range page {
			found = append(found, names[i.ID])
		}
		return append(found, itoa(total))
	}
	active, all := CatalogFilter{Active: true}, CatalogFilter{Active: true, Archived: true}
	require.Equal(t, []string{"Écluse bike", "Cargo", "Helmet", "3"}, list(active, 0, 10))
	require.Equal(t, []string{"Old bike", "1"}, list(CatalogFilter{Archived: true}, 0, 10))
	require.Equal(t, []string{"Cargo", "Helmet", "4"}, list(all, 1, 2))
	all.Search = "BIKE"
	require.Equal(t, []string{"Écluse bike", "Cargo", "Old bike", "3"}, list(all, 0, 10))
	all.Search = "écL"
	require.Equal(t, []string{"Écluse bike", "1"}, list(all, 0, 10))
	active.Status = []CatalogStatus{CatalogDraft, CatalogInactive}
	require.Equal(t, []string{"Helmet", "1"}, list(active, 0, 10))
}

func TestNumbersOfCatalogItemsAreTheirOwn(t *testing.T) {
	s := newShop(t)
	first := s.do(CreateCatalogItem{Name: "a"}).(*CatalogItem)
	second := s.do(CreateCatalogItem{Name: "b"}).(*CatalogItem)
	older := s.view()
	s.do(DeleteCatalogItem{ID: second.ID})
	third := s.do(CreateCatalogItem{Name: "c"}).(*CatalogItem)
	require.Equal(t, second.No+1, third.No, "old holds may go by the number")
	require.NotEqual(t, first.No, third.No)
	require.Equal(t, "b", older.CatalogItem(second.ID).Name, "an older version has it yet")
	require.Nil(t, older.CatalogItem(third.ID))
	require.Nil(t, s.view().CatalogItem(second.ID))
	s.reopen()
	require.Equal(t, third, s.view().CatalogItem(third.ID))
}
