package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the test of patches that change nothing.

func TestAPatchThatChangesNothingIsNoChange(t *testing.T) {
	s := newShop(t)
	text := base.Some("x")
	tag := s.do(label.CreateTag{TagFields: label.TagFields{Value: "new", Scope: label.TagInventory}}).(*label.Tag).ID
	attribute := s.do(label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "Size", Key: "size",
		Format: label.FormatSelect}, Options: []string{"S"}}).(*label.Attribute)
	location := s.do(stock.CreateLocation{LocationFields: stock.LocationFields{Name: "x", Timezone: "Europe/Lisbon",
		Address: &base.Address{City: "x"}}}).(*stock.Location).ID
	day := stock.Buffer{Amount: 1, Unit: timeline.Days}
	labels := label.LabelsPatch{Tags: base.Some([]base.ID{tag}),
		Attributes: base.Some(
			[]label.AttributeInput{{Key: "size", Value: label.Value{Kind: label.TextValue, Text: "S"}}})}
	sku := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "x"}, Before: &day, Labels: labels}).(*stock.SKU).ID
	files := stock.DetailsPatch{
		Media: base.Some([]stock.FilePatch{{Info: &stock.FileInfo{URL: "https://example.com/1"}}})}
	article := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "x", SKU: &sku}, Labels: labels,
		Details: files, Quantities: []stock.InitialQuantity{{Location: location, Count: 1}}}).(*stock.Article)
	media := article.Details.Media[0]
	kept := base.Some([]stock.FilePatch{{ID: &media.ID, Info: &media.FileInfo, Comment: base.Null[string]()}})
	item := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "x"}}).(*commerce.CatalogItem).
		ID
	customer := s.do(commerce.CreateCustomer{
		Contact: base.Changed(commerce.Contact{FirstName: &text.Value})}).(*commerce.Customer).ID
	table := s.do(commerce.CreatePricingTable{
		PricingTableFields: commerce.PricingTableFields{Name: "x"}}).(*commerce.PricingTable).ID
	row := s.do(commerce.CreatePricingRow{Table: table, PricingRowFields: commerce.PricingRowFields{Label: "x",
		Purchase: base.PurchaseSubscription}, Subscription: monthly}).(*commerce.PricingRow).ID
	external := s.do(commerce.CreateExternalPricingRow{Table: table,
		ExternalPricingFields: commerce.ExternalPricingFields{Label: "x",
			URL: "https://example.com"}}).(*commerce.ExternalPricingRow).ID
	made := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: location, Note: ptr("x")},
		Lines: []order.OrderLineInput{
			{Item: base.Item{Article: article.ID}, Purchase: base.PurchaseBooking, Quantity: 1,
				From: ptr(noon + day.Amount*hour), To: ptr(noon + 2*day.Amount*hour), UnitPrice: ptr(int64(5))},
		}}).(*order.OrderRecord)
	line := made.Lines[0].ID
	event := s.do(stock.CreateScheduledEvent{Article: article.ID, Location: location,
		ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "x"},
		Window:               base.Span{Start: noon, End: noon + day.Amount*hour}}).(*stock.ScheduledEvent).ID

	for _, c := range []struct{ same, other base.Op }{
		{base.PatchAccount{Fields: base.Changed(base.AccountFields{Name: "Rental", Timezone: "Europe/Lisbon"})},
			base.PatchAccount{Fields: base.Changed(base.AccountFields{Name: text.Value})}},
		{label.PatchTag{ID: tag, Fields: base.Changed(label.TagFields{Value: "new"})},
			label.PatchTag{ID: tag, Fields: base.Changed(label.TagFields{Value: text.Value})}},
		{label.PatchAttribute{ID: attribute.ID, Fields: base.Changed(label.AttributeFields{Name: "Size"}),
			Options: base.Some([]label.AttributeOption{{Name: "S"}}), Group: base.Null[string]()}, label.PatchAttribute{
			ID: attribute.ID, Fields: base.Changed(label.AttributeFields{Name: text.Value})}},
		{stock.PatchLocation{ID: location,
			Fields: base.Changed(stock.LocationFields{Name: text.Value, Address: &base.Address{City: "x"}})},
			stock.PatchLocation{ID: location, Fields: base.Changed(stock.LocationFields{}, "address")}},
		{stock.PatchSKU{ID: sku, Before: stock.BufferPatch{Amount: base.Some[int64](1)}, Labels: labels},
			stock.PatchSKU{ID: sku, Labels: label.LabelsPatch{Tags: base.Null[[]base.ID]()}}},
		{
			stock.PatchArticle{ID: article.ID,
				Fields: base.Changed(stock.ArticleFields{SKU: new(sku), Status: stock.ArticleActive,
					Codes: []string{}}), Labels: labels, Details: stock.DetailsPatch{Media: kept}},
			stock.PatchArticle{ID: article.ID,
				Details: stock.DetailsPatch{Media: base.Some([]stock.FilePatch{{ID: &media.ID, Comment: text}})}},
		},
		{commerce.PatchCatalogItem{ID: item, Fields: base.Changed(commerce.CatalogFields{Name: text.Value,
			Components: []commerce.Component{}}),
			Offer: base.Changed(commerce.CatalogOffer{Variants: []commerce.Variant{}}, "purchaseTypes")},
			commerce.PatchCatalogItem{ID: item,
				Fields: base.Changed(commerce.CatalogFields{Description: new(text.Value)})}},
		{commerce.PatchCustomer{ID: customer, Contact: base.Changed(commerce.Contact{FirstName: &text.Value},
			"lastName")}, commerce.PatchCustomer{ID: customer,
			Contact: base.Changed(commerce.Contact{LastName: &text.Value})}},
		{commerce.PatchPricingTable{ID: table, Fields: base.Changed(commerce.PricingTableFields{Name: text.Value},
			"externalPricingEnabled")}, commerce.PatchPricingTable{ID: table,
			Fields: base.Changed(commerce.PricingTableFields{External: true})}},
		{
			commerce.PatchPricingRow{Table: table, ID: row, Fields: base.Changed(commerce.PricingRowFields{}, "price"),
				Subscription: base.Some(
					commerce.SubscriptionPatch{Fields: base.Changed(commerce.SubscriptionTerms{}, "renewalType")})},
			commerce.PatchPricingRow{Table: table, ID: row,
				Subscription: base.Some(commerce.SubscriptionPatch{
					Fields: base.Changed(commerce.SubscriptionTerms{RenewalPrice: new(int64(1))})})},
		},
		{commerce.PatchExternalPricingRow{Table: table, ID: external,
			Fields: base.Changed(commerce.ExternalPricingFields{Label: text.Value})},
			commerce.PatchExternalPricingRow{Table: table, ID: external,
				Fields: base.Changed(commerce.ExternalPricingFields{TranslatedLabel: &text.Value})}},
		{order.PatchOrder{ID: made.ID, Pickup: base.Some(location),
			Fields: base.Changed(order.OrderInput{Note: &text.Value}, "reference")},
			order.PatchOrder{ID: made.ID, Fields: base.Changed(order.OrderInput{}, "note")}},
		{
			order.PatchOrderLine{Order: made.ID, ID: line,
				Fields: base.Changed(order.OrderLineInput{Quantity: 1, UnitPrice: new(int64(5))}, "note")},
			order.PatchOrderLine{Order: made.ID, ID: line,
				Fields: base.Changed(order.OrderLineInput{Note: &text.Value})},
		},
		{
			stock.PatchScheduledEvent{Article: article.ID, ID: event, Location: base.Some(location),
				Fields: base.Changed(stock.ScheduledEventFields{Name: text.Value}), From: base.Some(noon)},
			stock.PatchScheduledEvent{Article: article.ID, ID: event, From: base.Some(noon + 1)},
		},
	} {
		s.now += hour
		seq, hash := s.State()
		before := s.do(c.same)
		gotSeq, gotHash := s.State()
		require.Equal(t, []any{seq, hash}, []any{gotSeq, gotHash}, "%T", c.same)
		require.NotEqual(t, before, s.do(c.other), "%T", c.other)
		require.NotEqual(t, before, s.do(c.same), "%T: a change, and back", c.same)
	}

	// Under a key even that is kept: repeated after a change, it would be one.
	cmd := Command{Account: s.acc, Op: label.PatchTag{ID: tag, Fields: base.Changed(label.TagFields{Value: "new"})},
		Idem: &Idempotency{Key: base.ID{1}, Fingerprint: base.ID{2}}}
	_, err := s.Do(cmd)
	require.NoError(t, err)
	s.do(label.PatchTag{ID: tag, Fields: base.Changed(label.TagFields{Value: "newer"})})
	again, err := s.Do(cmd)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, "newer", label.TagByID(s.view(), tag).Value)
}
