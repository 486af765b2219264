package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
)

// This file owns the tests of catalog items as records; kit_test.go has those of their stock.

func TestCatalogItemKeepsWhatItIsMadeOf(t *testing.T) {
	s := newShop(t)
	sku, table := s.sku(),
		s.do(commerce.CreatePricingTable{
			PricingTableFields: commerce.PricingTableFields{Name: "Bikes"}}).(*commerce.PricingTable)
	article := s.article(base.ID{}, 1)
	i := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "Bike with helmet",
		Components: []commerce.Component{{Item: base.Item{SKU: sku}, Quantity: 1},
			{Item: base.Item{Article: article}, Quantity: 2}}}, CatalogOffer: commerce.CatalogOffer{
		PricingTable: &table.ID, Variants: []commerce.Variant{
			{Label: "Size", Values: []commerce.VariantValue{{Label: "S"}, {Label: "M"}}}}}}).(*commerce.CatalogItem)
	require.Equal(t, commerce.CatalogActive, i.Status)
	require.Equal(t, []base.PurchaseType{base.PurchaseBooking, base.PurchaseSale, base.PurchaseSubscription},
		i.Purchases)
	e := s.refused(base.CodeInUse, commerce.DeletePricingTable{ID: table.ID})
	require.Equal(t, base.InUseDetails{Resource: "catalogItem", Count: 1}, e.Details)

	// Variants keep their ids where they are named, and nobody else's can be.
	size := i.Variants[0]
	n := s.do(commerce.PatchCatalogItem{ID: i.ID,
		Offer: base.Changed(commerce.CatalogOffer{Variants: []commerce.Variant{
			{Label: "Colour", Values: []commerce.VariantValue{{Label: "Red"}}},
			{ID: size.ID, Label: "Frame",
				Values: []commerce.VariantValue{{Label: "XL"}, {ID: size.Values[0].ID, Label: "Small"}}},
		}})}).(*commerce.CatalogItem)
	require.Equal(t, size.ID, n.Variants[1].ID)
	require.Equal(t, size.Values[0].ID, n.Variants[1].Values[1].ID)
	require.Equal(t, "S", commerce.CatalogItemByID(s.view(), i.ID).Variants[1].Values[1].Label[:1])
	require.Equal(t, "Size", i.Variants[0].Label, "what was answered does not change")
	e = s.refused(base.CodeInvalid,
		commerce.PatchCatalogItem{ID: i.ID, Offer: base.Changed(commerce.CatalogOffer{Variants: []commerce.Variant{
			{ID: sku, Label: "x", Values: []commerce.VariantValue{{ID: size.Values[0].ID, Label: "y"}}},
			{ID: size.ID, Label: "x", Values: []commerce.VariantValue{{Label: "y"}}},
			{ID: size.ID, Label: "x", Values: []commerce.VariantValue{{Label: "y"}}},
		}})})
	require.Equal(t, []string{"/variants/0/id", "/variants/0/values/0/id", "/variants/2/id"},
		[]string{e.Faults[0].Pointer, e.Faults[1].Pointer, e.Faults[2].Pointer})

	n = s.do(commerce.PatchCatalogItem{ID: i.ID, IfMatch: []uint64{2},
		Offer: base.Changed(commerce.CatalogOffer{Purchases: []base.PurchaseType{base.PurchaseSale}},
			"pricingTableId"),
		Fields: base.Changed(commerce.CatalogFields{}, "components")}).(*commerce.CatalogItem)
	require.Nil(t, n.PricingTable)
	s.do(commerce.DeletePricingTable{ID: table.ID})
	s.reopen()
	require.Equal(t, n.Variants, commerce.CatalogItemByID(s.view(), i.ID).Variants)
	require.Empty(t, commerce.CatalogItemByID(s.view(), i.ID).Components)
	require.Len(t, s.do(commerce.PatchCatalogItem{ID: i.ID,
		Offer: base.Changed(commerce.CatalogOffer{}, "purchaseTypes")}).(*commerce.CatalogItem).Purchases, 3)

	s.refused(base.CodeNotFound, commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "x"},
		CatalogOffer: commerce.CatalogOffer{PricingTable: &table.ID}})
	s.refused(base.CodeNotFound, commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "x",
		Components: []commerce.Component{{Item: base.Item{SKU: article}, Quantity: 1}}}})
	s.refused(base.CodeNotFound, takes(i.ID, commerce.Component{Item: base.Item{Article: sku}, Quantity: 1}))
	s.refused(base.CodePrecondition, commerce.DeleteCatalogItem{ID: i.ID, IfMatch: []uint64{1}})
	s.do(commerce.DeleteCatalogItem{ID: i.ID})
	s.refused(base.CodeNotFound, commerce.ArchiveCatalogItem{ID: i.ID})
}

func TestTagsOfCatalogItems(t *testing.T) {
	s := newShop(t)
	tag := s.do(label.CreateTag{TagFields: label.TagFields{Value: "summer", Scope: label.TagCatalog}}).(*label.Tag)
	i := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "Bike"},
		Labels: label.LabelsPatch{Tags: base.Some([]base.ID{tag.ID})}}).(*commerce.CatalogItem)
	s.reopen()
	require.Equal(t, []base.ID{tag.ID}, commerce.CatalogItemByID(s.view(), i.ID).Tags)
	rush := s.do(label.CreateTag{TagFields: label.TagFields{Value: "rush", Scope: label.TagOrders}}).(*label.Tag)
	s.refused(base.CodeInvalid,
		commerce.PatchCatalogItem{ID: i.ID, Labels: label.LabelsPatch{Tags: base.Some([]base.ID{rush.ID})}})
	s.do(label.DeleteTag{ID: tag.ID})
	require.Empty(t, commerce.CatalogItemByID(s.view(), i.ID).Tags)
	require.Equal(t, uint64(2), commerce.CatalogItemByID(s.view(), i.ID).Revision)
	s.refused(base.CodeNotFound, label.LinkTags{To: commerce.CatalogLabels, ID: i.ID, Tags: []base.ID{tag.ID}})
}

func TestCatalogItemsAreFound(t *testing.T) {
	s := newShop(t)
	internal := "ebike-CITY"
	names := map[base.ID]string{}
	for _, o := range []commerce.CreateCatalogItem{
		{CatalogFields: commerce.CatalogFields{Name: "Écluse bike"}},
		{CatalogFields: commerce.CatalogFields{Name: "Cargo", InternalName: &internal}},
		{CatalogFields: commerce.CatalogFields{Name: "Helmet", Status: commerce.CatalogDraft}},
		{CatalogFields: commerce.CatalogFields{Name: "Old bike", Status: commerce.CatalogInactive}},
	} {
		i := s.do(o).(*commerce.CatalogItem)
		names[i.ID] = o.Name
		if o.Name == "Old bike" {
			archived := s.do(commerce.ArchiveCatalogItem{ID: i.ID, Archived: true}).(*commerce.CatalogItem)
			require.Equal(t, s.now, *archived.ArchivedAt)
			require.Equal(t, archived, s.do(commerce.ArchiveCatalogItem{ID: i.ID, Archived: true}), "archived already")
		}
	}
	list := func(f commerce.CatalogFilter, offset, limit int) (found []string) {
		page, total := commerce.Catalog(s.view(), f, offset, limit)
		for _, i := range page {
			found = append(found, names[i.ID])
		}
		return append(found, base.Itoa(total))
	}
	active, all := commerce.CatalogFilter{Active: true}, commerce.CatalogFilter{Active: true, Archived: true}
	require.Equal(t, []string{"Écluse bike", "Cargo", "Helmet", "3"}, list(active, 0, 10))
	require.Equal(t, []string{"Old bike", "1"}, list(commerce.CatalogFilter{Archived: true}, 0, 10))
	require.Equal(t, []string{"Cargo", "Helmet", "4"}, list(all, 1, 2))
	all.Search = "BIKE"
	require.Equal(t, []string{"Écluse bike", "Cargo", "Old bike", "3"}, list(all, 0, 10))
	all.Search = "écL"
	require.Equal(t, []string{"Écluse bike", "1"}, list(all, 0, 10))
	active.Status = []commerce.CatalogStatus{commerce.CatalogDraft, commerce.CatalogInactive}
	require.Equal(t, []string{"Helmet", "1"}, list(active, 0, 10))
}

func TestNumbersOfCatalogItemsAreTheirOwn(t *testing.T) {
	s := newShop(t)
	first := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "a"}}).(*commerce.CatalogItem)
	second := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "b"}}).(*commerce.CatalogItem)
	older := s.view()
	s.do(commerce.DeleteCatalogItem{ID: second.ID})
	third := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "c"}}).(*commerce.CatalogItem)
	require.Equal(t, second.No+1, third.No, "old holds may go by the number")
	require.NotEqual(t, first.No, third.No)
	require.Equal(t, "b", commerce.CatalogItemByID(older, second.ID).Name, "an older version has it yet")
	require.Nil(t, commerce.CatalogItemByID(older, third.ID))
	require.Nil(t, commerce.CatalogItemByID(s.view(), second.ID))
	s.reopen()
	require.Equal(t, third, commerce.CatalogItemByID(s.view(), third.ID))

	fourth := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "d"}}).(*commerce.CatalogItem)
	s.do(commerce.DeleteCatalogItem{ID: third.ID})
	s.do(commerce.DeleteCatalogItem{ID: fourth.ID})
	fifth := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "e"}}).(*commerce.CatalogItem)
	require.Equal(t, fourth.No+1, fifth.No, "past all that were removed")
}
