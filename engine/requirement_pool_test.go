package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns where units with requirements may go: to every article of their pool that meets them, and who moves
// for them.

// sized makes a SKU with an article of one unit for each size, none where that is empty, and gives what a line asks
// for that requires one.
func (s *shop) sized(sizes ...string) (sku base.ID, articles []base.ID,
	requires func(size string) []order.Requirement) {
	size := s.do(label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "Size", Key: "size",
		Format: label.FormatSelect}, Options: []string{"S", "M", "L"}}).(*label.Attribute).ID
	sku = s.sku()
	for _, x := range sizes {
		id := s.article(sku, 1)
		if x != "" {
			s.size(id, x)
		}
		articles = append(articles, id)
	}
	return sku, articles, func(x string) []order.Requirement {
		return []order.Requirement{
			{Key: order.RequirementAttribute, Operator: label.Equal, Values: []string{x}, Attribute: size}}
	}
}

func (s *shop) size(article base.ID, size string) {
	s.T.Helper()
	s.do(stock.PatchArticle{ID: article,
		Labels: label.LabelsPatch{
			Attributes: base.Some(
				[]label.AttributeInput{{Key: "size", Value: label.Value{Kind: label.TextValue, Text: size}}})}})
}

func (s *shop) line(i base.Item, from, to int64, requires []order.Requirement) order.OrderLineInput {
	return order.OrderLineInput{Item: i, Purchase: base.PurchaseBooking, Quantity: 1, From: &from, To: &to,
		Requirements: requires}
}

func (s *shop) requiring(lines ...order.OrderLineInput) order.CreateOrder {
	return order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc}, Lines: lines}
}

// TestUnitsWithRequirementsMoveLikeOthersWhereAllMeetThem has two bookings end to end on two articles: room for a third
// is there, as without requirements.
func TestUnitsWithRequirementsMoveLikeOthersWhereAllMeetThem(t *testing.T) {
	s := newShop(t)
	sku, of, size := s.sized("L", "L")
	at := func(h int64) int64 { return s.now + 100*hour + h*hour }
	first := s.book(base.Item{Article: of[1]}, at(10), at(15), 1)
	second := s.book(base.Item{Article: of[0]}, at(15), at(20), 1)
	r := s.do(s.requiring(s.line(base.Item{SKU: sku}, at(10), at(15), size("L")),
		s.line(base.Item{SKU: sku}, at(15), at(20), size("L")))).(*order.OrderRecord)
	require.Equal(t, []base.ID{of[0], of[1]}, []base.ID{r.Units[0].Article, r.Units[1].Article})
	s.do(hold.ReleaseHold{ID: first.ID})
	s.do(hold.ReleaseHold{ID: second.ID})
	for range 2 {
		a, err := hold.Available(s.view(), hold.Query{Item: base.Item{SKU: sku}, Location: s.loc,
			Window: base.Span{Start: at(12), End: at(18)}}, s.now)
		require.NoError(t, err)
		require.Equal(t, stock.Availability{Available: 1, Stock: 2, Committed: 1, Exact: true}, a)
		s.reopen()
	}
	s.book(base.Item{SKU: sku}, at(12), at(18), 1)
	s.reopen()
}

// TestALineWithRequirementsPushesWhatMayMove books the article that meets them for who asks for nothing, and then asks
// for it.
func TestALineWithRequirementsPushesWhatMayMove(t *testing.T) {
	s := newShop(t)
	sku, of, size := s.sized("L", "M")
	at := func(h int64) int64 { return s.now + 100*hour + h*hour }
	plain := s.do(s.requiring(s.line(base.Item{SKU: sku}, at(10), at(20), nil))).(*order.OrderRecord)
	require.Equal(t, of[0], plain.Units[0].Article)
	r := s.do(s.requiring(s.line(base.Item{SKU: sku}, at(10), at(20), size("L")))).(*order.OrderRecord)
	require.Equal(t, of[0], r.Units[0].Article)
	require.Equal(t, of[1], order.OrderByID(s.view(), plain.ID).Units[0].Article)
	short := s.refused(base.CodeInsufficient, s.requiring(s.line(base.Item{SKU: sku}, at(10), at(20), size("L")))).
		Details.(base.ShortageDetails).Lines[0]
	next := base.Span{Start: at(20), End: at(30)}
	require.Equal(t, &next, short.Next)
	require.Equal(t, "not_enough_stock", short.Reason)
	require.Equal(t, 0, s.available(base.Item{SKU: sku}, at(10), at(20)))
	s.reopen()
}

// TestLinesWithRequirementsAreJudgedFirst gives one order both, in either order.
func TestLinesWithRequirementsAreJudgedFirst(t *testing.T) {
	for _, turned := range []bool{false, true} {
		s := newShop(t)
		sku, of, size := s.sized("L", "M")
		at := func(h int64) int64 { return s.now + 100*hour + h*hour }
		lines := []order.OrderLineInput{s.line(base.Item{SKU: sku}, at(10), at(20), nil),
			s.line(base.Item{SKU: sku}, at(10), at(20), size("L"))}
		want := []base.ID{of[1], of[0]}
		if turned {
			lines[0], lines[1] = lines[1], lines[0]
			want[0], want[1] = want[1], want[0]
		}
		r := s.do(s.requiring(lines...)).(*order.OrderRecord)
		require.Equal(t, want, []base.ID{r.Units[0].Article, r.Units[1].Article})
		s.reopen()
	}
}

// TestAChangeOfAttributesPinsWhatItMust takes from articles what bookings on them require.
func TestAChangeOfAttributesPinsWhatItMust(t *testing.T) {
	s := newShop(t)
	sku, of, size := s.sized("L", "L", "M")
	at := func(h int64) int64 { return s.now + 100*hour + h*hour }
	r := s.do(s.requiring(s.line(base.Item{SKU: sku}, at(10), at(20), size("L")))).(*order.OrderRecord)
	unit := func() order.UnitRecord { return order.OrderByID(s.view(), r.ID).Units[0] }
	hold := r.Lines[0].Units[0].Hold
	require.Equal(t, of[0], unit().Article)

	s.size(of[0], "M")
	require.Equal(t, of[1], unit().Article, "it moved to the other that has it")
	require.False(t, unit().Unmet)
	s.size(of[1], "S")
	require.Equal(t, of[1], unit().Article, "nothing has it: it stays")
	require.True(t, unit().Unmet)
	u, _ := stock.UnavailabilityByID(s.view(), hold)
	require.True(t, u.Unmet)
	require.False(t, u.Conflict())
	_, conflicts := stock.Conflicts(s.view(), stock.ConflictFilter{}, 0, 10, s.now)
	require.Zero(t, conflicts)
	s.reopen()
	require.True(t, unit().Unmet)

	// Fixed, it does not make room for others.
	s.book(base.Item{Article: of[0]}, at(20), at(30), 1)
	s.book(base.Item{Article: of[2]}, at(20), at(30), 1)
	s.book(base.Item{Article: of[0]}, at(0), at(15), 1)
	s.refused(base.CodeInsufficient, s.booking(base.Item{Article: of[1]}, at(10), at(20), 1))

	s.size(of[1], "L")
	require.False(t, unit().Unmet)
	d := label.Attributes(s.view()).At(0)
	s.do(label.PatchAttribute{ID: d.ID, Options: base.Some([]label.AttributeOption{{Name: "S"}, {Name: "M"}}),
		Force: true})
	require.True(t, unit().Unmet, "the option is gone")
	s.do(label.DeleteAttribute{ID: d.ID, Force: true})
	require.True(t, unit().Unmet)
	s.reopen()
}

// TestValuesOfTheSKUMoveUnits changes what the SKU says for an article that says nothing itself.
func TestValuesOfTheSKUMoveUnits(t *testing.T) {
	s := newShop(t)
	sku, of, size := s.sized("L", "L")
	at := func(h int64) int64 { return s.now + 100*hour + h*hour }
	s.do(stock.PatchArticle{ID: of[0],
		Labels: label.LabelsPatch{Attributes: base.Some([]label.AttributeInput{{Key: "size", Value: label.Value{}}})}})
	s.do(stock.PatchSKU{ID: sku,
		Labels: label.LabelsPatch{
			Attributes: base.Some(
				[]label.AttributeInput{{Key: "size", Value: label.Value{Kind: label.TextValue, Text: "L"}}})}})
	r := s.do(s.requiring(s.line(base.Item{SKU: sku}, at(10), at(20), size("L")))).(*order.OrderRecord)
	require.Equal(t, of[0], r.Units[0].Article)
	s.do(stock.PatchSKU{ID: sku,
		Labels: label.LabelsPatch{
			Attributes: base.Some(
				[]label.AttributeInput{{Key: "size", Value: label.Value{Kind: label.TextValue, Text: "M"}}})}})
	require.Equal(t, of[1], order.OrderByID(s.view(), r.ID).Units[0].Article)
	s.reopen()
}

// TestAConflictGetsTheArticleThatComesToMeetIt has a unit wait for an article with a size, which another one gets.
func TestAConflictGetsTheArticleThatComesToMeetIt(t *testing.T) {
	large := label.LabelsPatch{Attributes: base.Some(
		[]label.AttributeInput{{Key: "size", Value: label.Value{Kind: label.TextValue, Text: "L"}}})}
	for name, change := range map[string]func(s *shop, sku, article base.ID){
		"article": func(s *shop, _, article base.ID) { s.do(stock.PatchArticle{ID: article, Labels: large}) },
		"SKU":     func(s *shop, sku, _ base.ID) { s.do(stock.PatchSKU{ID: sku, Labels: large}) },
		"buffers, too": func(s *shop, _, article base.ID) {
			s.do(stock.PatchArticle{ID: article, Labels: large, After: stock.BufferPatch{Amount: base.Some[int64](60),
				Unit: base.Some(timeline.Minutes)}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			sku, of, size := s.sized("", "L")
			s.do(stock.PatchSKU{ID: sku,
				After: stock.BufferPatch{Amount: base.Some[int64](1), Unit: base.Some(timeline.Hours)}})
			at := func(h int64) int64 { return s.now + h*hour }
			o := s.requiring(s.line(base.Item{SKU: sku}, at(1), at(4), size("L")))
			o.Lines[0].Quantity, o.AllowOverbooked = 2, true
			r := s.do(o).(*order.OrderRecord)
			require.True(t, r.Conflict())
			change(s, sku, of[0])
			require.False(t, order.OrderByID(s.view(), r.ID).Conflict())
			s.refused(base.CodeInsufficient, s.booking(base.Item{Article: of[0]}, at(1), at(4), 1))
			s.reopen()
		})
	}
}

// TestAConflictGetsWhatAnotherLeavesForAnArticleThatComesToMeetIt has who asks for nothing wait for the room of one
// that may go to another article only once that has what it requires.
func TestAConflictGetsWhatAnotherLeavesForAnArticleThatComesToMeetIt(t *testing.T) {
	s := newShop(t)
	sku, of, size := s.sized("M", "L")
	at := func(h int64) int64 { return s.now + h*hour }
	s.book(base.Item{Article: of[0]}, at(1), at(2), 1)
	s.do(s.requiring(s.line(base.Item{SKU: sku}, at(2), at(4), size("L"))))
	waits := s.order(base.Item{SKU: sku}, base.PurchaseBooking, at(1), ptr(at(4)), 1, true)
	require.True(t, waits.Conflict())
	s.size(of[0], "L")
	u := order.OrderByID(s.view(), waits.ID).Units[0]
	require.False(t, u.Conflict)
	require.Equal(t, of[1], u.Article)
	s.reopen()
}

// TestAConflictGetsNoArticleThatComesBackWithoutWhatItRequires takes the only article out of its pool, and brings it
// back as another size, with a buffer: it is seen alone before a pool of that buffer is made.
func TestAConflictGetsNoArticleThatComesBackWithoutWhatItRequires(t *testing.T) {
	s := newShop(t)
	sku, of, size := s.sized("L")
	at := func(h int64) int64 { return s.now + h*hour }
	r := s.do(s.requiring(s.line(base.Item{SKU: sku}, at(1), at(4), size("L")))).(*order.OrderRecord)
	status := func(x stock.ArticleStatus) {
		s.do(stock.PatchArticle{ID: of[0], Fields: base.Changed(stock.ArticleFields{Status: x}), Force: true})
	}
	waits := func() bool { return order.OrderByID(s.view(), r.ID).Conflict() }
	status(stock.ArticleInactive)
	require.True(t, waits())
	s.size(of[0], "M")
	s.do(stock.PatchArticle{ID: of[0],
		After: stock.BufferPatch{Amount: base.Some[int64](1), Unit: base.Some(timeline.Hours)}})
	status(stock.ArticleActive)
	require.True(t, waits())
	s.reopen()
	s.size(of[0], "L")
	require.False(t, waits())
	s.reopen()
}

// TestAConflictWithoutEndWaitsWhereAnArticleHasWhatItRequires has a hull that may be one of two pools: that of the
// smaller article has not what is required, until it does.
func TestAConflictWithoutEndWaitsWhereAnArticleHasWhatItRequires(t *testing.T) {
	s := newShop(t)
	sku, of, size := s.sized("M", "L")
	s.do(stock.PatchArticle{ID: of[1],
		After: stock.BufferPatch{Amount: base.Some[int64](1), Unit: base.Some(timeline.Hours)}})
	at := func(h int64) int64 { return s.now + h*hour }
	for _, article := range of {
		s.book(base.Item{Article: article}, at(2), at(3), 1)
	}
	o := s.requiring(s.line(base.Item{SKU: sku}, at(1), 0, size("L")))
	o.Lines[0].To, o.AllowOverbooked = nil, true
	r := s.do(o).(*order.OrderRecord)
	require.True(t, r.Conflict())
	on := func() base.ID { return s.unit(r.Lines[0].Units[0].Hold).Article }
	require.Equal(t, of[1], on())
	s.size(of[0], "L")
	require.Equal(t, of[1], on(), "it stays")
	s.size(of[1], "M")
	require.Equal(t, of[0], on())
	s.size(of[1], "L")
	s.size(of[0], "M")
	require.Equal(t, of[1], on())
	require.True(t, order.OrderByID(s.view(), r.ID).Conflict())
	s.reopen()
}

// A conflict whose requirement another day has an article meet is tried as that day begins where the account is.
func TestAConflictWaitsForTheDayItsRequirementNames(t *testing.T) {
	s := newShop(t)
	serviced := s.do(label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "Serviced", Key: "serviced",
		Format: label.FormatDate}}).(*label.Attribute).ID
	sku := s.sku()
	article := func(day string) base.ID {
		id := s.article(sku, 1)
		s.do(stock.PatchArticle{ID: id, Labels: label.LabelsPatch{Attributes: base.Some([]label.AttributeInput{
			{Key: "serviced", Value: label.Value{Kind: label.TextValue, Text: day}}})}})
		return id
	}
	article("2025-10-01")
	today := article("2025-10-09")
	requires := []order.Requirement{
		{Key: order.RequirementAttribute, Operator: label.IsBeforeToday, Attribute: serviced}}
	o := s.requiring(s.line(base.Item{SKU: sku}, s.now+3*day, s.now+4*day, requires))
	o.Lines[0].Quantity, o.AllowOverbooked = 2, true
	waits := s.do(o).(*order.OrderRecord).Lines[0].Units[1].Hold
	require.True(t, s.unit(waits).Conflict())
	s.reopen()

	midnight := noon + 14*hour // in Lisbon, in summer
	s.tick(midnight - 1)
	require.True(t, s.unit(waits).Conflict())
	s.tick(midnight)
	require.False(t, s.unit(waits).Conflict())
	require.Equal(t, today, s.unit(waits).Article)
	s.reopen()
}

// An article that other values and other buffers come to at once takes its holds along to another pool: who loses what
// it requires moves to an article there that has it.
func TestValuesAndBuffersChangeTogether(t *testing.T) {
	for _, whole := range []bool{false, true} {
		s := newShop(t)
		sku, of, size := s.sized("L", "L")
		own := stock.BufferPatch{Amount: base.Some[int64](4), Unit: base.Some(timeline.Hours)}
		s.do(stock.PatchArticle{ID: of[1], After: own})
		r := s.do(s.requiring(s.line(base.Item{Article: of[1]}, s.now+day, s.now+2*day, nil),
			s.line(base.Item{SKU: sku}, s.now+3*day, s.now+4*day, size("L")))).(*order.OrderRecord)
		at := s.unit(r.Lines[1].Units[0].Hold)
		require.Equal(t, of[0], at.Article)
		small := label.LabelsPatch{Attributes: base.Some(
			[]label.AttributeInput{{Key: "size", Value: label.Value{Kind: label.TextValue, Text: "S"}}})}
		if whole { // the SKU's value stands in for the article's own
			s.do(stock.PatchArticle{ID: of[0], Labels: label.LabelsPatch{
				Attributes: base.Some([]label.AttributeInput{{Key: "size"}})}})
			require.Equal(t, of[0], s.unit(r.Lines[1].Units[0].Hold).Article)
			s.do(stock.PatchSKU{ID: sku, After: own, Labels: small})
		} else {
			s.do(stock.PatchArticle{ID: of[0], After: own, Labels: small})
		}
		now := s.unit(r.Lines[1].Units[0].Hold)
		require.Equal(t, of[1], now.Article)
		require.Equal(t, at.Range, now.Range)
		s.reopen()
	}
}

// A decrease is planned ahead of its command. Attributes that others change in between count.
func TestADecreasePlannedAheadKeepsRequirements(t *testing.T) {
	s := newShop(t)
	sku, of, size := s.sized("L", "L", "S")
	r := s.do(s.requiring(s.line(base.Item{SKU: sku}, s.now+10*hour, s.now+20*hour, size("L")))).(*order.OrderRecord)
	require.Equal(t, of[0], r.Units[0].Article)
	busy := false
	s.onNow = func() {
		if !busy {
			busy = true
			s.size(of[1], "S")
			s.size(of[2], "L")
		}
	}
	s.do(stock.DecreaseQuantity{Article: of[0], Location: s.loc, Amount: 1})
	s.onNow = nil
	u := s.unit(r.Lines[0].Units[0].Hold)
	require.Equal(t, of[2], u.Article)
	require.False(t, u.Unmet)
}
