package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns where units with requirements may go: to every article of their pool that meets them, and who moves for them.

// sized makes a SKU with an article of one unit for each size, and gives what a line asks for that requires one.
func (s *shop) sized(sizes ...string) (sku ID, articles []ID, requires func(size string) []Requirement) {
	size := s.do(CreateAttribute{Name: "Size", Key: "size", Format: FormatSelect, Options: []string{"S", "M", "L"}}).(*Attribute).ID
	sku = s.sku()
	for _, x := range sizes {
		id := s.article(sku, 1)
		s.size(id, x)
		articles = append(articles, id)
	}
	return sku, articles, func(x string) []Requirement {
		return []Requirement{{Key: RequirementAttribute, Operator: Equal, Values: []string{x}, Attribute: size}}
	}
}

func (s *shop) size(article ID, size string) {
	s.T.Helper()
	s.do(PatchArticle{ID: article, Labels: LabelsPatch{Attributes: Some([]AttributeInput{{"size", Value{Kind: TextValue, Text: size}}})}})
}

func (s *shop) line(i Item, from, to int64, requires []Requirement) OrderLineInput {
	return OrderLineInput{Item: i, Purchase: PurchaseBooking, Quantity: 1, From: &from, To: &to, Requirements: requires}
}

func (s *shop) requiring(lines ...OrderLineInput) CreateOrder {
	return CreateOrder{OrderInput: OrderInput{Status: OrderOpen, Pickup: s.loc}, Lines: lines}
}

// TestUnitsWithRequirementsMoveLikeOthersWhereAllMeetThem has two bookings end to end on two articles: room for a third is there, as
// without requirements.
func TestUnitsWithRequirementsMoveLikeOthersWhereAllMeetThem(t *testing.T) {
	s := newShop(t)
	sku, of, size := s.sized("L", "L")
	at := func(h int64) int64 { return s.now + 100*hour + h*hour }
	first := s.book(Item{Article: of[1]}, at(10), at(15), 1)
	second := s.book(Item{Article: of[0]}, at(15), at(20), 1)
	r := s.do(s.requiring(s.line(Item{SKU: sku}, at(10), at(15), size("L")), s.line(Item{SKU: sku}, at(15), at(20), size("L")))).(*OrderRecord)
	require.Equal(t, []ID{of[0], of[1]}, []ID{r.Units[0].Article, r.Units[1].Article})
	s.do(ReleaseHold{ID: first.ID})
	s.do(ReleaseHold{ID: second.ID})
	for range 2 {
		a, err := s.view().Available(Query{Item: Item{SKU: sku}, Location: s.loc, Window: Span{Start: at(12), End: at(18)}}, s.now)
		require.NoError(t, err)
		require.Equal(t, Availability{Available: 1, Stock: 2, Committed: 1, Exact: true}, a)
		s.reopen()
	}
	s.book(Item{SKU: sku}, at(12), at(18), 1)
	s.reopen()
}

// TestALineWithRequirementsPushesWhatMayMove books the article that meets them for who asks for nothing, and then asks for it.
func TestALineWithRequirementsPushesWhatMayMove(t *testing.T) {
	s := newShop(t)
	sku, of, size := s.sized("L", "M")
	at := func(h int64) int64 { return s.now + 100*hour + h*hour }
	plain := s.do(s.requiring(s.line(Item{SKU: sku}, at(10), at(20), nil))).(*OrderRecord)
	require.Equal(t, of[0], plain.Units[0].Article)
	r := s.do(s.requiring(s.line(Item{SKU: sku}, at(10), at(20), size("L")))).(*OrderRecord)
	require.Equal(t, of[0], r.Units[0].Article)
	require.Equal(t, of[1], s.view().Order(plain.ID).Units[0].Article)
	short := s.refused(CodeInsufficient, s.requiring(s.line(Item{SKU: sku}, at(10), at(20), size("L")))).Details.(ShortageDetails).Lines[0]
	next := Span{Start: at(20), End: at(30)}
	require.Equal(t, &next, short.Next)
	require.Equal(t, "not_enough_stock", short.Reason)
	require.Equal(t, 0, s.available(Item{SKU: sku}, at(10), at(20)))
	s.reopen()
}

// TestLinesWithRequirementsAreJudgedFirst gives one order both, in either order.
func TestLinesWithRequirementsAreJudgedFirst(t *testing.T) {
	for _, turned := range []bool{false, true} {
		s := newShop(t)
		sku, of, size := s.sized("L", "M")
		at := func(h int64) int64 { return s.now + 100*hour + h*hour }
		lines := []OrderLineInput{s.line(Item{SKU: sku}, at(10), at(20), nil), s.line(Item{SKU: sku}, at(10), at(20), size("L"))}
		want := []ID{of[1], of[0]}
		if turned {
			lines[0], lines[1] = lines[1], lines[0]
			want[0], want[1] = want[1], want[0]
		}
		r := s.do(s.requiring(lines...)).(*OrderRecord)
		require.Equal(t, want, []ID{r.Units[0].Article, r.Units[1].Article})
		s.reopen()
	}
}

// TestAChangeOfAttributesPinsWhatItMust takes from articles what bookings on them require.
func TestAChangeOfAttributesPinsWhatItMust(t *testing.T) {
	s := newShop(t)
	sku, of, size := s.sized("L", "L", "M")
	at := func(h int64) int64 { return s.now + 100*hour + h*hour }
	r := s.do(s.requiring(s.line(Item{SKU: sku}, at(10), at(20), size("L")))).(*OrderRecord)
	unit := func() UnitRecord { return s.view().Order(r.ID).Units[0] }
	hold := r.Lines[0].Units[0].Hold
	require.Equal(t, of[0], unit().Article)

	s.size(of[0], "M")
	require.Equal(t, of[1], unit().Article, "it moved to the other that has it")
	require.False(t, unit().Unmet)
	s.size(of[1], "S")
	require.Equal(t, of[1], unit().Article, "nothing has it: it stays")
	require.True(t, unit().Unmet)
	u, _ := s.view().Unavailability(hold)
	require.True(t, u.Unmet)
	require.False(t, u.Conflict())
	_, conflicts := s.view().Conflicts(ConflictFilter{}, 0, 10, s.now)
	require.Zero(t, conflicts)
	s.reopen()
	require.True(t, unit().Unmet)

	// Fixed, it does not make room for others.
	s.book(Item{Article: of[0]}, at(20), at(30), 1)
	s.book(Item{Article: of[2]}, at(20), at(30), 1)
	s.book(Item{Article: of[0]}, at(0), at(15), 1)
	s.refused(CodeInsufficient, s.booking(Item{Article: of[1]}, at(10), at(20), 1))

	s.size(of[1], "L")
	require.False(t, unit().Unmet)
	d := s.view().Attributes().At(0)
	s.do(PatchAttribute{ID: d.ID, Options: Some([]OptionPatch{{Name: "S"}, {Name: "M"}}), Force: true})
	require.True(t, unit().Unmet, "the option is gone")
	s.do(DeleteAttribute{ID: d.ID, Force: true})
	require.True(t, unit().Unmet)
	s.reopen()
}

// TestValuesOfTheSKUMoveUnits changes what the SKU says for an article that says nothing itself.
func TestValuesOfTheSKUMoveUnits(t *testing.T) {
	s := newShop(t)
	sku, of, size := s.sized("L", "L")
	at := func(h int64) int64 { return s.now + 100*hour + h*hour }
	s.do(PatchArticle{ID: of[0], Labels: LabelsPatch{Attributes: Some([]AttributeInput{{"size", Value{}}})}})
	s.do(PatchSKU{ID: sku, Labels: LabelsPatch{Attributes: Some([]AttributeInput{{"size", Value{Kind: TextValue, Text: "L"}}})}})
	r := s.do(s.requiring(s.line(Item{SKU: sku}, at(10), at(20), size("L")))).(*OrderRecord)
	require.Equal(t, of[0], r.Units[0].Article)
	s.do(PatchSKU{ID: sku, Labels: LabelsPatch{Attributes: Some([]AttributeInput{{"size", Value{Kind: TextValue, Text: "M"}}})}})
	require.Equal(t, of[1], s.view().Order(r.ID).Units[0].Article)
	s.reopen()
}
