package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns what a line with requirements gets, and what it is refused with: both count the articles that have
// what is required, and no others.

// coloured makes a SKU with three articles of one unit each, of which the second is red.
func (s *shop) coloured() (sku, red base.ID, isRed []order.Requirement) {
	colour := s.do(label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "Colour", Key: "colour",
		Format: label.FormatText}}).(*label.Attribute).ID
	sku = s.sku()
	s.article(sku, 1)
	red = s.article(sku, 1)
	s.article(sku, 1)
	s.do(stock.PatchArticle{ID: red,
		Labels: label.LabelsPatch{
			Attributes: base.Some(
				[]label.AttributeInput{{Key: "colour", Value: label.Value{Kind: label.TextValue, Text: "red"}}})}})
	return sku, red, []order.Requirement{
		{Key: order.RequirementAttribute, Operator: label.Equal, Values: []string{"red"}, Attribute: colour}}
}

// shortLine is what an order of one line of an item with requirements is refused with.
func (s *shop) shortLine(i base.Item, n int, requires []order.Requirement) base.Shortage {
	s.T.Helper()
	e := s.refused(base.CodeInsufficient,
		order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc},
			Lines: []order.OrderLineInput{
				{Item: i, Purchase: base.PurchaseBooking, Quantity: n, From: ptr(s.now + hour), To: ptr(s.now + 2*hour),
					Requirements: requires},
			}})
	require.Len(s.T, e.Details.(base.ShortageDetails).Lines, 1)
	return e.Details.(base.ShortageDetails).Lines[0]
}

// One article that has it is enough, wherever it is among those that have not.
func TestARequirementThatOneArticleMeets(t *testing.T) {
	s := newShop(t)
	sku, red, isRed := s.coloured()
	r := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc},
		Lines: []order.OrderLineInput{
			{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1, From: ptr(s.now + hour),
				To: ptr(s.now + 2*hour), Requirements: isRed},
		}}).(*order.OrderRecord)
	require.Equal(t, red, r.Units[0].Article)
}

func TestShortageOfARequirement(t *testing.T) {
	s := newShop(t)
	sku, red, isRed := s.coloured()
	held := s.book(base.Item{Article: red}, s.now, s.now+3*hour, 1)
	taken := held.Lines[0].Units[0].ID
	next := base.Span{Start: s.now + 3*hour, End: s.now + 4*hour}
	want := base.Shortage{Requested: 1, Reason: "not_enough_stock", Blockers: []base.ID{taken}, Blocking: 1,
		Next: &next}
	require.Equal(t, want, s.shortLine(base.Item{SKU: sku}, 1, isRed))

	isBlue := []order.Requirement{isRed[0]}
	isBlue[0].Values = []string{"blue"}
	require.Equal(t, base.Shortage{Requested: 1, Reason: "not_enough_stock"},
		s.shortLine(base.Item{SKU: sku}, 1, isBlue))

	// A kit of one has what its part has.
	kit := s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1})
	require.Equal(t, want, s.shortLine(kit, 1, isRed))
	require.Equal(t, base.Shortage{Requested: 1, Reason: "not_enough_stock"}, s.shortLine(kit, 1, isBlue))
}

// Of a kit that takes an article and one more of its SKU there are as many as the article that has what is required has
// units.
func TestShortageOfKitsThatMeetInAnArticle(t *testing.T) {
	s := newShop(t)
	sku, red, isRed := s.coloured()
	s.do(stock.IncreaseQuantity{Article: red, Location: s.loc, Amount: 2})
	kit := s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1},
		commerce.Component{Item: base.Item{Article: red}, Quantity: 1})
	short := s.shortLine(kit, 2, isRed)
	require.Equal(t, base.Shortage{Requested: 2, Available: 1, Reason: "not_enough_stock"}, short)
}

// In another window a unit may be of another article that has what is required, but not where it was assigned by hand.
func TestOtherDatesForALineWithRequirements(t *testing.T) {
	s := newShop(t)
	sku, red, isRed := s.coloured()
	also := s.article(sku, 1)
	s.do(stock.PatchArticle{ID: also,
		Labels: label.LabelsPatch{
			Attributes: base.Some(
				[]label.AttributeInput{{Key: "colour", Value: label.Value{Kind: label.TextValue, Text: "red"}}})}})
	kit := s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1})
	for _, i := range []base.Item{{SKU: sku}, kit} {
		r := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc},
			Lines: []order.OrderLineInput{
				{Item: i, Purchase: base.PurchaseBooking, Quantity: 1, From: ptr(s.now + hour), To: ptr(s.now + 2*hour),
					Requirements: isRed},
			}}).(*order.OrderRecord)
		was, other := r.Units[0].Article, red
		if was == red {
			other = also
		}
		h := s.book(base.Item{Article: was}, s.now+5*hour, s.now+6*hour, 1)
		later := order.PatchOrderLine{Order: r.ID, ID: r.Lines[0].ID,
			Fields: base.Changed(order.OrderLineInput{From: new(s.now + 5*hour), To: new(s.now + 6*hour)})}
		s.do(order.AssignUnit{Order: r.ID, Unit: r.Lines[0].Units[0].ID, Article: was})
		s.refused(base.CodeInsufficient, later)
		s.do(order.UnassignUnit{Order: r.ID, Unit: r.Lines[0].Units[0].ID})
		r = s.do(later).(*order.OrderRecord)
		require.Equal(t, other, r.Units[0].Article)
		s.do(hold.ReleaseHold{ID: h.ID})
		s.do(order.DeleteOrder{ID: r.ID})
	}
	s.reopen()
}

// What an article has for an attribute hides what its SKU has, also from one who asks in another format: for lines with
// requirements and for filters of lists alike.
func TestAValueOfAnotherFormatHidesTheSKUs(t *testing.T) {
	s := newShop(t)
	trait := s.do(label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "Trait", Key: "trait",
		Format: label.FormatFormula}}).(*label.Attribute).ID
	sku := s.sku()
	numbered, plain := s.article(sku, 1), s.article(sku, 1)
	has := func(v label.Value) label.LabelsPatch {
		return label.LabelsPatch{Attributes: base.Some([]label.AttributeInput{{Key: "trait", Value: v}})}
	}
	red := label.Value{Kind: label.TextValue, Text: "red"}
	s.do(stock.PatchSKU{ID: sku, Labels: has(red)})
	s.do(stock.PatchArticle{ID: numbered, Labels: has(label.Value{Kind: label.NumberValue, Number: 2.5})})
	r := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc},
		Lines: []order.OrderLineInput{{
			Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1, From: ptr(s.now + hour),
			To: ptr(s.now + 2*hour),
			Requirements: []order.Requirement{
				{Key: order.RequirementAttribute, Operator: label.Equal, Values: []string{"red"}, Attribute: trait}},
		}}}).(*order.OrderRecord)
	require.Equal(t, plain, r.Units[0].Article)
	for operator, want := range map[label.Operator]base.ID{label.Equal: plain, label.NotEqual: numbered,
		label.IsEmpty: numbered, label.IsNotEmpty: plain} {
		f := stock.Filter{Attribute: trait, Format: label.FormatText, Operator: operator}
		if operator == label.Equal || operator == label.NotEqual {
			f.Values = []label.Value{red}
		}
		page, _, err := stock.ListArticles(s.view(), &stock.ArticleQuery{Window: base.Span{Start: s.now, End: s.now},
			Now: s.now, Active: true, Filters: []stock.Filter{f}, Limit: 10}, nil)
		require.NoError(t, err)
		require.Len(t, page, 1, operator)
		require.Equal(t, want, page[0].ID, operator)
	}
}

// A conflict without end waits in a pool that has what it requires, also where that keeps a buffer before it which is
// past, and another keeps none.
func TestAConflictWithoutEndWaitsForWhatItRequires(t *testing.T) {
	s := newShop(t)
	sku, red, isRed := s.coloured()
	s.do(stock.PatchArticle{ID: red,
		Before: stock.BufferPatch{Amount: base.Some[int64](24), Unit: base.Some(timeline.Hours)}})
	was := s.book(base.Item{Article: red}, s.now, s.now+10*day, 1)
	s.now += day
	o := s.do(order.CreateOrder{
		OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc, AllowOverbooked: true},
		Lines: []order.OrderLineInput{{Item: base.Item{SKU: sku}, Purchase: base.PurchaseSubscription, Quantity: 1,
			From: ptr(s.now - hour), To: ptr(s.now + day), Requirements: isRed,
			Subscription: &commerce.SubscriptionTerms{Cycle: commerce.Period{Amount: 1, Unit: timeline.Days},
				RenewalType: commerce.DefaultRenewalType, InitialCharge: commerce.DefaultInitialCharge}}},
	}).(*order.OrderRecord)
	s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, AllowOverbooked: true,
		Fields: base.Changed(order.OrderLineInput{}, "endDate")})
	u := s.unit(o.Lines[0].Units[0].Hold)
	require.Equal(t, []any{true, red}, []any{u.Conflict(), u.Article})
	s.do(hold.ReleaseHold{ID: was.ID})
	u = s.unit(o.Lines[0].Units[0].Hold)
	require.Equal(t, []any{false, red}, []any{u.Conflict(), u.Article})
	s.reopen()
}
