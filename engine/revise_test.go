package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

// This file owns the test of patches that change nothing.

func TestAPatchThatChangesNothingIsNoChange(t *testing.T) {
	s := newShop(t)
	text := Some("x")
	tag := s.do(CreateTag{Value: "new", Scope: TagInventory}).(*Tag).ID
	attribute := s.do(CreateAttribute{Name: "Size", Key: "size", Format: FormatSelect, Options: []string{"S"}}).(*Attribute)
	location := s.do(CreateLocation{Name: "x", Timezone: "Europe/Lisbon", Address: &Address{City: "x"}}).(*Location).ID
	day := Buffer{Amount: 1, Unit: timeline.Days}
	labels := LabelsPatch{Tags: Some([]ID{tag}), Attributes: Some([]AttributeInput{{"size", Value{Kind: TextValue, Text: "S"}}})}
	sku := s.do(CreateSKU{Name: "x", Before: &day, Labels: labels}).(*SKU).ID
	files := DetailsPatch{Media: Some([]FilePatch{{Info: &FileInfo{URL: "https://example.com/1"}}})}
	article := s.do(CreateArticle{Name: "x", SKU: &sku, Labels: labels, Details: files, Quantities: []InitialQuantity{{Location: location, Count: 1}}}).(*Article)
	media := article.Details.Media[0]
	kept := Some([]FilePatch{{ID: &media.ID, Info: &media.FileInfo, Comment: Null[string]()}})
	item := s.do(CreateCatalogItem{Name: "x"}).(*CatalogItem).ID
	customer := s.do(CreateCustomer{Contact: ContactPatch{FirstName: text}}).(*Customer).ID
	table := s.do(CreatePricingTable{Name: "x"}).(*PricingTable).ID
	row := s.do(CreatePricingRow{Table: table, Label: "x", Purchase: PurchaseSubscription, Subscription: monthly}).(*PricingRow).ID
	external := s.do(CreateExternalPricingRow{Table: table, Label: "x", URL: "https://example.com"}).(*ExternalPricingRow).ID
	order := s.do(CreateOrder{OrderInput: OrderInput{Pickup: location, Note: ptr("x")}, Lines: []OrderLineInput{
		{Item: Item{Article: article.ID}, Purchase: PurchaseBooking, Quantity: 1, From: ptr(noon + day.Amount*hour), To: ptr(noon + 2*day.Amount*hour), UnitPrice: ptr(int64(5))},
	}}).(*OrderRecord)
	line := order.Lines[0].ID
	event := s.do(CreateScheduledEvent{Article: article.ID, Location: location, Type: EventReservation, Name: "x", Window: Span{Start: noon, End: noon + day.Amount*hour}}).(*ScheduledEvent).ID

	for _, c := range []struct{ same, other Op }{
		{PatchAccount{Name: Some("Rental"), Timezone: Some("Europe/Lisbon")}, PatchAccount{Name: text}},
		{PatchTag{ID: tag, Value: Some("new")}, PatchTag{ID: tag, Value: text}},
		{PatchAttribute{ID: attribute.ID, Name: Some("Size"), Options: Some([]OptionPatch{{Name: "S"}}), Group: Null[string]()}, PatchAttribute{ID: attribute.ID, Name: text}},
		{PatchLocation{ID: location, Name: text, Address: Some(AddressPatch{City: Some("x")})}, PatchLocation{ID: location, Address: Null[AddressPatch]()}},
		{PatchSKU{ID: sku, Before: BufferPatch{Amount: Some[int64](1)}, Labels: labels}, PatchSKU{ID: sku, Labels: LabelsPatch{Tags: Null[[]ID]()}}},
		{
			PatchArticle{ID: article.ID, SKU: Some(sku), Status: Some(ArticleActive), Codes: Some([]string{}), Labels: labels, Details: DetailsPatch{Media: kept}},
			PatchArticle{ID: article.ID, Details: DetailsPatch{Media: Some([]FilePatch{{ID: &media.ID, Comment: text}})}},
		},
		{PatchCatalogItem{ID: item, Name: text, Components: Some([]Component{}), Purchases: Null[[]PurchaseType](), Variants: Some([]Variant{})}, PatchCatalogItem{ID: item, Description: text}},
		{PatchCustomer{ID: customer, Contact: ContactPatch{FirstName: text, LastName: Null[string]()}}, PatchCustomer{ID: customer, Contact: ContactPatch{LastName: text}}},
		{PatchPricingTable{ID: table, Name: text, External: Some(false)}, PatchPricingTable{ID: table, External: Some(true)}},
		{
			PatchPricingRow{Table: table, ID: row, Price: Some[int64](0), Subscription: Some(SubscriptionPatch{RenewalType: Null[string]()})},
			PatchPricingRow{Table: table, ID: row, Subscription: Some(SubscriptionPatch{RenewalPrice: Some[int64](1)})},
		},
		{PatchExternalPricingRow{Table: table, ID: external, Label: text}, PatchExternalPricingRow{Table: table, ID: external, TranslatedLabel: text}},
		{PatchOrder{ID: order.ID, Pickup: Some(location), Note: text, Reference: Null[string]()}, PatchOrder{ID: order.ID, Note: Null[string]()}},
		{
			PatchOrderLine{Order: order.ID, ID: line, Quantity: Some(1), UnitPrice: Some(int64(5)), Note: Null[string]()},
			PatchOrderLine{Order: order.ID, ID: line, Note: text},
		},
		{
			PatchScheduledEvent{Article: article.ID, ID: event, Name: text, Location: Some(location), From: Some(noon)},
			PatchScheduledEvent{Article: article.ID, ID: event, From: Some(noon + 1)},
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
	cmd := Command{Account: s.acc, Op: PatchTag{ID: tag, Value: Some("new")}, Idem: &Idempotency{Key: ID{1}, Fingerprint: ID{2}}}
	_, err := s.Do(cmd)
	require.NoError(t, err)
	s.do(PatchTag{ID: tag, Value: Some("newer")})
	again, err := s.Do(cmd)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, "newer", s.view().Tag(tag).Value)
}
