package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns what a line with requirements gets, and what it is refused with: both count the articles that have what is
// required, and no others.

// coloured makes a SKU with three articles of one unit each, of which the second is red.
func (s *shop) coloured() (sku, red ID, isRed []Requirement) {
	colour := s.do(CreateAttribute{Name: "Colour", Key: "colour", Format: FormatText}).(*Attribute).ID
	sku = s.sku()
	s.article(sku, 1)
	red = s.article(sku, 1)
	s.article(sku, 1)
	s.do(PatchArticle{ID: red, Labels: LabelsPatch{Attributes: Some([]AttributeInput{{"colour", Value{Kind: TextValue, Text: "red"}}})}})
	return sku, red, []Requirement{{Key: RequirementAttribute, Operator: Equal, Values: []string{"red"}, Attribute: colour}}
}

// shortLine is what an order of one line of an item with requirements is refused with.
func (s *shop) shortLine(i Item, n int, requires []Requirement) Shortage {
	s.T.Helper()
	e := s.refused(CodeInsufficient, CreateOrder{OrderInput: OrderInput{Status: OrderOpen, Pickup: s.loc}, Lines: []OrderLineInput{
		{Item: i, Purchase: PurchaseBooking, Quantity: n, From: ptr(s.now + hour), To: ptr(s.now + 2*hour), Requirements: requires},
	}})
	require.Len(s.T, e.Details.(ShortageDetails).Lines, 1)
	return e.Details.(ShortageDetails).Lines[0]
}

// One article that has it is enough, wherever it is among those that have not.
func TestARequirementThatOneArticleMeets(t *testing.T) {
	s := newShop(t)
	sku, red, isRed := s.coloured()
	r := s.do(CreateOrder{OrderInput: OrderInput{Status: OrderOpen, Pickup: s.loc}, Lines: []OrderLineInput{
		{Item: Item{SKU: sku}, Purchase: PurchaseBooking, Quantity: 1, From: ptr(s.now + hour), To: ptr(s.now + 2*hour), Requirements: isRed},
	}}).(*OrderRecord)
	require.Equal(t, red, r.Units[0].Article)
}

func TestShortageOfARequirement(t *testing.T) {
	s := newShop(t)
	sku, red, isRed := s.coloured()
	held := s.book(Item{Article: red}, s.now, s.now+3*hour, 1)
	taken := held.Lines[0].Units[0].ID
	next := Span{Start: s.now + 3*hour, End: s.now + 4*hour}
	want := Shortage{Requested: 1, Reason: "not_enough_stock", Blockers: []ID{taken}, Blocking: 1, Next: &next}
	require.Equal(t, want, s.shortLine(Item{SKU: sku}, 1, isRed))

	isBlue := []Requirement{isRed[0]}
	isBlue[0].Values = []string{"blue"}
	require.Equal(t, Shortage{Requested: 1, Reason: "not_enough_stock"}, s.shortLine(Item{SKU: sku}, 1, isBlue))

	// A kit of one has what its part has.
	kit := Item{CatalogItem: s.do(CreateCatalogItem{Name: "Kit", Components: []Component{{Item: Item{SKU: sku}, Quantity: 1}}}).(*CatalogItem).ID}
	require.Equal(t, want, s.shortLine(kit, 1, isRed))
	require.Equal(t, Shortage{Requested: 1, Reason: "not_enough_stock"}, s.shortLine(kit, 1, isBlue))
}

// Of a kit that takes an article and one more of its SKU there are as many as the article that has what is required has units.
func TestShortageOfKitsThatMeetInAnArticle(t *testing.T) {
	s := newShop(t)
	sku, red, isRed := s.coloured()
	s.do(IncreaseQuantity{Article: red, Location: s.loc, Amount: 2})
	kit := Item{CatalogItem: s.do(CreateCatalogItem{Name: "Kit", Components: []Component{
		{Item: Item{SKU: sku}, Quantity: 1}, {Item: Item{Article: red}, Quantity: 1},
	}}).(*CatalogItem).ID}
	short := s.shortLine(kit, 2, isRed)
	require.Equal(t, Shortage{Requested: 2, Available: 1, Reason: "not_enough_stock"}, short)
}

// In another window a unit may be of another article that has what is required, but not where it was assigned by hand.
func TestOtherDatesForALineWithRequirements(t *testing.T) {
	s := newShop(t)
	sku, red, isRed := s.coloured()
	also := s.article(sku, 1)
	s.do(PatchArticle{ID: also, Labels: LabelsPatch{Attributes: Some([]AttributeInput{{"colour", Value{Kind: TextValue, Text: "red"}}})}})
	kit := s.kit(Component{Item{SKU: sku}, 1})
	for _, i := range []Item{{SKU: sku}, kit} {
		r := s.do(CreateOrder{OrderInput: OrderInput{Status: OrderOpen, Pickup: s.loc}, Lines: []OrderLineInput{
			{Item: i, Purchase: PurchaseBooking, Quantity: 1, From: ptr(s.now + hour), To: ptr(s.now + 2*hour), Requirements: isRed},
		}}).(*OrderRecord)
		was, other := r.Units[0].Article, red
		if was == red {
			other = also
		}
		h := s.book(Item{Article: was}, s.now+5*hour, s.now+6*hour, 1)
		later := PatchOrderLine{Order: r.ID, ID: r.Lines[0].ID, From: Some(s.now + 5*hour), To: Some(s.now + 6*hour)}
		s.do(AssignUnit{Order: r.ID, Unit: r.Lines[0].Units[0].ID, Article: was})
		s.refused(CodeInsufficient, later)
		s.do(UnassignUnit{Order: r.ID, Unit: r.Lines[0].Units[0].ID})
		r = s.do(later).(*OrderRecord)
		require.Equal(t, other, r.Units[0].Article)
		s.do(ReleaseHold{ID: h.ID})
		s.do(DeleteOrder{ID: r.ID})
	}
	s.reopen()
}

// What an article has for an attribute hides what its SKU has, also from one who asks in another format: for lines with requirements
// and for filters of lists alike.
func TestAValueOfAnotherFormatHidesTheSKUs(t *testing.T) {
	s := newShop(t)
	trait := s.do(CreateAttribute{Name: "Trait", Key: "trait", Format: FormatFormula}).(*Attribute).ID
	sku := s.sku()
	numbered, plain := s.article(sku, 1), s.article(sku, 1)
	has := func(v Value) LabelsPatch { return LabelsPatch{Attributes: Some([]AttributeInput{{"trait", v}})} }
	red := Value{Kind: TextValue, Text: "red"}
	s.do(PatchSKU{ID: sku, Labels: has(red)})
	s.do(PatchArticle{ID: numbered, Labels: has(Value{Kind: NumberValue, Number: 2.5})})
	r := s.do(CreateOrder{OrderInput: OrderInput{Status: OrderOpen, Pickup: s.loc}, Lines: []OrderLineInput{{
		Item: Item{SKU: sku}, Purchase: PurchaseBooking, Quantity: 1, From: ptr(s.now + hour), To: ptr(s.now + 2*hour),
		Requirements: []Requirement{{Key: RequirementAttribute, Operator: Equal, Values: []string{"red"}, Attribute: trait}},
	}}}).(*OrderRecord)
	require.Equal(t, plain, r.Units[0].Article)
	for operator, want := range map[Operator]ID{Equal: plain, NotEqual: numbered, IsEmpty: numbered, IsNotEmpty: plain} {
		f := Filter{Attribute: trait, Format: FormatText, Operator: operator}
		if operator == Equal || operator == NotEqual {
			f.Values = []Value{red}
		}
		page, _, err := s.view().ListArticles(&ArticleQuery{Window: Span{Start: s.now, End: s.now}, Now: s.now, Active: true, Filters: []Filter{f}, Limit: 10}, nil)
		require.NoError(t, err)
		require.Len(t, page, 1, operator)
		require.Equal(t, want, page[0].ID, operator)
	}
}
