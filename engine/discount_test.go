package engine

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of discount codes as records.

func summer(code string) CreateDiscountCode {
	return CreateDiscountCode{DiscountTerms{Code: code, ValueType: DiscountPercentage, Value: 10}}
}

func pointersAndCodes(e *Error) (list []string) {
	for _, f := range e.Faults {
		list = append(list, f.Pointer+" "+f.Code)
	}
	return list
}

func TestDiscountCodeKeepsItsTermsOverARestart(t *testing.T) {
	s := newShop(t)
	item := s.do(CreateCatalogItem{Name: "Bike"}).(*CatalogItem).ID
	d := s.do(summer("Summer")).(*DiscountCode)
	require.Equal(t, DiscountTerms{
		Code: "Summer", ValueType: DiscountPercentage, Value: 10, Purchases: []PurchaseType{PurchaseBooking, PurchaseSale, PurchaseSubscription}, Duration: DiscountOnce,
	}, d.DiscountTerms)
	full := s.do(CreateDiscountCode{DiscountTerms{
		Code: "Club", ValueType: DiscountPerItem, Value: 250, Purchases: []PurchaseType{PurchaseSubscription}, UsageLimit: ptr[int64](3), StartsAt: ptr(noon), EndsAt: ptr(noon + day),
		CatalogItems: []ID{item}, Duration: DiscountRepeating, Cycles: ptr[int64](6),
	}}).(*DiscountCode)
	s.now += hour
	n := s.do(PatchDiscountCode{
		ID: d.ID, IfMatch: []uint64{1}, Code: Some("SUMMER-25"), ValueType: Some(DiscountPerOrder), Value: Some[int64](5000), UsageLimit: Some[int64](7), EndsAt: Some(noon + 9*day),
	}).(*DiscountCode)
	require.Equal(t, DiscountCode{
		ID: d.ID, Currency: "EUR", UpdatedAt: s.now, Revision: 2, DiscountTerms: DiscountTerms{
			Code: "SUMMER-25", ValueType: DiscountPerOrder, Value: 5000, Purchases: d.Purchases, UsageLimit: ptr[int64](7), EndsAt: ptr(noon + 9*day), Duration: DiscountOnce,
		},
	}, *n)
	s.reopen()
	require.Equal(t, n, s.view().DiscountCode(d.ID))
	require.Equal(t, full, s.view().DiscountCode(full.ID))
	cleared := s.do(PatchDiscountCode{
		ID: full.ID, Purchases: Null[[]PurchaseType](), UsageLimit: Null[int64](), StartsAt: Null[int64](), EndsAt: Null[int64](), CatalogItems: Null[[]ID](),
		Duration: Null[DiscountDuration](), Cycles: Null[int64](),
	}).(*DiscountCode)
	require.Equal(t, DiscountTerms{Code: "Club", ValueType: DiscountPerItem, Value: 250, Purchases: d.Purchases, Duration: DiscountOnce}, cleared.DiscountTerms)

	s.refused(CodePrecondition, PatchDiscountCode{ID: d.ID, IfMatch: []uint64{1}})
	s.refused(CodePrecondition, DeleteDiscountCode{ID: d.ID, IfMatch: []uint64{1}})
	s.refused(CodeNotFound, PatchDiscountCode{ID: s.loc})
	s.do(DeleteDiscountCode{ID: d.ID})
	require.Nil(t, s.view().DiscountCode(d.ID))
	s.refused(CodeNotFound, DeleteDiscountCode{ID: d.ID})
	s.do(summer("summer-25")) // free again
}

func TestDiscountCodesCompareWithoutCase(t *testing.T) {
	s := newShop(t)
	for _, c := range []struct{ code, same string }{
		{"Summer", "sUMMER"}, {"ÜBER", "über"}, {"Σίσυφος", "ΣΊΣΥΦΟΣ"}, {"Kelvin", "\u212aELVIN"}, {"ſale", "SALE"}, {"\U00010400", "\U00010428"},
	} {
		d := s.do(summer(c.code)).(*DiscountCode)
		require.True(t, strings.EqualFold(c.code, c.same))
		require.Equal(t, d, s.view().acc.discountByCode(c.same), c.same)
		s.refused(CodeConflict, summer(c.same))
		s.do(PatchDiscountCode{ID: d.ID, Code: Some(c.same)}) // its own
	}
	other := s.do(summer("Winter")).(*DiscountCode)
	s.refused(CodeConflict, PatchDiscountCode{ID: other.ID, Code: Some("SuMMeR")})
	for _, code := range []string{"Summer ", "Sum", "UBER", "strasse"} {
		require.Nil(t, s.view().acc.discountByCode(code), code)
	}
	list := func(search string, offset, limit int) (codes []string, total int) {
		page, total := s.view().DiscountCodes(search, offset, limit)
		for _, d := range page {
			codes = append(codes, d.Code)
		}
		return codes, total
	}
	codes, total := list("", 1, 2)
	require.Equal(t, []string{"über", "ΣΊΣΥΦΟΣ"}, codes)
	require.Equal(t, 7, total)
	codes, total = list("ER", 0, 9)
	require.Equal(t, []string{"sUMMER", "über", "Winter"}, codes)
	require.Equal(t, 3, total)
	codes, total = list("er", 3, 9)
	require.Empty(t, codes)
	require.Equal(t, 3, total)
}

func TestDiscountCodesAreCheckedAsAWhole(t *testing.T) {
	s := newShop(t)
	faults := func(op Op, want ...string) {
		t.Helper()
		require.Equal(t, want, pointersAndCodes(s.refused(CodeInvalid, op)))
	}
	faults(CreateDiscountCode{}, "/code required", "/valueType enum", "/value range")
	faults(CreateDiscountCode{DiscountTerms{
		Code: strings.Repeat("x", 65), ValueType: "free", Value: maxSafe + 1, Purchases: []PurchaseType{PurchaseSale, PurchaseSale, "gift"}, UsageLimit: ptr[int64](0),
		StartsAt: ptr(noon), EndsAt: ptr(noon), CatalogItems: []ID{{1}, {1}}, Duration: "twice", Cycles: ptr[int64](0),
	}}, "/code length", "/valueType enum", "/value range", "/applicablePurchaseTypes/1 duplicate", "/applicablePurchaseTypes/2 enum", "/usageLimit range", "/endsAt order",
		"/catalogItemIds/1 duplicate", "/subscriptionDuration enum", "/subscriptionDurationCycles range", "/subscriptionDurationCycles forbidden")
	faults(CreateDiscountCode{DiscountTerms{Code: "x", ValueType: DiscountPercentage, Value: 101, StartsAt: ptr[int64](-1), EndsAt: ptr[int64](maxInstant + 1), Purchases: []PurchaseType{},
		CatalogItems: []ID{}, Duration: DiscountRepeating}},
		"/value range", "/applicablePurchaseTypes length", "/startsAt range", "/endsAt range", "/catalogItemIds length", "/subscriptionDurationCycles required")
	o := summer("x")
	o.CatalogItems = []ID{s.loc}
	s.refused(CodeNotFound, o)
	o.CatalogItems = slices.Repeat([]ID{s.loc}, maxDiscountItems+1)
	faults(o, "/catalogItemIds length")

	d := s.do(summer("x")).(*DiscountCode)
	at := PatchDiscountCode{ID: d.ID}
	more := at
	more.Value = Some[int64](101)
	faults(more, "/value range")
	more.ValueType = Some(DiscountPerItem)
	s.do(more)
	back := at
	back.ValueType = Some(DiscountPercentage)
	faults(back, "/value range")
	cycles := at
	cycles.Cycles = Some[int64](3)
	faults(cycles, "/subscriptionDurationCycles forbidden")
	cycles.Duration = Some(DiscountRepeating)
	s.do(cycles)
	forever := at
	forever.Duration = Some(DiscountForever)
	faults(forever, "/subscriptionDurationCycles forbidden")
	faults(PatchDiscountCode{
		ID: d.ID, Code: Some(""), ValueType: Some[DiscountType](""), Value: Some[int64](0), Purchases: Some([]PurchaseType{}), UsageLimit: Some[int64](-1),
		StartsAt: Some[int64](-1), EndsAt: Some[int64](-1), CatalogItems: Some([]ID{}), Duration: Some[DiscountDuration](""), Cycles: Some[int64](maxCount + 1),
	}, "/code required", "/valueType enum", "/value range", "/applicablePurchaseTypes length", "/usageLimit range", "/startsAt range", "/endsAt range", "/catalogItemIds length",
		"/subscriptionDuration enum", "/subscriptionDurationCycles range")
}

// An item that is gone stays where it was named, but is not taken anew.
func TestDiscountCodeOfACatalogItemThatIsGone(t *testing.T) {
	s := newShop(t)
	var items []ID
	for i := range 3 {
		items = append(items, s.do(CreateCatalogItem{Name: strconv.Itoa(i)}).(*CatalogItem).ID)
	}
	o := summer("x")
	o.CatalogItems = items[:2]
	d := s.do(o).(*DiscountCode)
	s.do(DeleteCatalogItem{ID: items[0]})
	s.do(DeleteCatalogItem{ID: items[2]})
	require.Equal(t, items[:1], s.do(PatchDiscountCode{ID: d.ID, CatalogItems: Some(items[:1])}).(*DiscountCode).CatalogItems)
	s.refused(CodeNotFound, PatchDiscountCode{ID: d.ID, CatalogItems: Some(items[1:])})
	s.refused(CodeInvalid, PatchDiscountCode{ID: d.ID, CatalogItems: Some([]ID{items[0], items[0]})})
}

// useTwice counts uses of a code in one command, beside a change of its terms.
type useTwice struct {
	ID   ID
	By   []int
	Code string
}

func (useTwice) Check() []Fault { return nil }

func (o useTwice) plan(t *tx) (any, error) {
	d := t.acc.discounts().Get(o.ID)
	if o.Code != "" {
		if _, err := (PatchDiscountCode{ID: o.ID, Code: Some(o.Code)}).plan(t); err != nil {
			return nil, err
		}
	}
	last := d
	for _, n := range o.By {
		last = t.useDiscount(d, n)
	}
	return last, nil
}

func (useTwice) result() any { return new(DiscountCode) }

func TestUsesOfACommandAddUp(t *testing.T) {
	s := newShop(t)
	d, other := s.do(summer("a")).(*DiscountCode), s.do(summer("b")).(*DiscountCode)
	s.now += hour
	require.Equal(t, int64(5), s.do(useTwice{ID: d.ID, By: []int{2, -1, 4}}).(*DiscountCode).Used)
	n := s.view().DiscountCode(d.ID)
	require.Equal(t, []any{int64(5), d.UpdatedAt, d.Revision}, []any{n.Used, n.UpdatedAt, n.Revision})
	s.do(useTwice{ID: d.ID, By: []int{-1, -1}, Code: "c"})
	n = s.view().DiscountCode(d.ID)
	require.Equal(t, []any{int64(3), "c", uint64(2)}, []any{n.Used, n.Code, n.Revision})
	require.Zero(t, s.view().DiscountCode(other.ID).Used)
	require.Equal(t, int64(3), s.do(PatchDiscountCode{ID: d.ID, IfMatch: []uint64{2}, Value: Some[int64](20)}).(*DiscountCode).Used)
	s.do(useTwice{ID: d.ID, By: []int{-3}}) // no order carries it
	s.reopen()
	require.Zero(t, s.view().DiscountCode(d.ID).Used)
}

func TestPricingRowByID(t *testing.T) {
	s := newShop(t)
	var tables []*PricingTable
	rows := map[ID]*PricingRow{}
	for i := range 3 {
		p := s.do(CreatePricingTable{Name: strconv.Itoa(i)}).(*PricingTable)
		for range i {
			r := s.do(CreatePricingRow{Table: p.ID, Label: "x", Purchase: PurchaseSale, Price: 1}).(*PricingRow)
			rows[r.ID] = r
		}
		tables = append(tables, p)
	}
	all := func() {
		t.Helper()
		for id, r := range rows {
			p, got := s.view().acc.pricingRowByID(id)
			if r == nil {
				require.Nil(t, p)
				require.Nil(t, got)
				continue
			}
			require.Equal(t, r, got)
			require.Equal(t, s.view().PricingTable(r.Table), p)
		}
	}
	all()
	changed := s.view().PricingTable(tables[2].ID).Rows[1].ID
	rows[changed] = s.do(PatchPricingRow{Table: tables[2].ID, ID: changed, Price: Some[int64](7)}).(*PricingRow)
	gone := s.view().PricingTable(tables[2].ID).Rows[0].ID
	s.do(DeletePricingRow{Table: tables[2].ID, ID: gone})
	rows[gone] = nil
	alone := s.view().PricingTable(tables[1].ID).Rows[0].ID
	s.do(DeletePricingTable{ID: tables[1].ID})
	rows[alone] = nil
	rows[s.loc] = nil
	all()
	s.reopen()
	all()
}

func TestACancelledDraftGivesTheUseOfItsCodesBack(t *testing.T) {
	s := newShop(t)
	s.do(summer("Summer"))
	bike := Item{SKU: s.sku()}
	s.article(bike.SKU, 2)
	order := func(status OrderStatus) ID {
		op := s.rental(status, bike, noon+day, noon+2*day, 1)
		op.Lines[0].UnitPrice = ptr(int64(100))
		id := s.do(op).(*OrderRecord).ID
		s.do(ApplyDiscount{Order: id, Code: "summer"})
		return id
	}
	used := func(n int64) {
		t.Helper()
		require.Equal(t, n, s.view().acc.discountByCode("summer").Used)
	}
	draft, open := order(OrderDraft), order(OrderOpen)
	used(2)
	r := s.do(CancelOrder{ID: draft}).(*OrderRecord)
	used(1)
	require.Len(t, r.Codes, 1, "what it would have cost stays said")
	s.reopen()
	s.do(DeleteOrder{ID: draft})
	used(1)
	s.do(CancelOrder{ID: open})
	used(1)
	s.do(DeleteOrder{ID: open})
	used(0)
	s.reopen()
}

func TestTheSubscriptionOfADraftIsNotActive(t *testing.T) {
	s := newShop(t)
	article := s.article(ID{}, 1)
	o := s.order(Item{Article: article}, PurchaseSubscription, s.now, nil, 1, false)
	require.Equal(t, SubscriptionActive, o.Lines[0].Subscription.Status(o.Order))
	in := s.rental(OrderDraft, Item{Article: article}, s.now, s.now+day, 1)
	in.Lines[0].Purchase, in.Lines[0].To, in.Lines[0].Subscription = PurchaseSubscription, nil, monthly
	draft := s.do(in).(*OrderRecord)
	require.Equal(t, SubscriptionDraft, draft.Lines[0].Subscription.Status(draft.Order))
	e := s.refused(CodeStateNotAllowed, CancelSubscription{ID: draft.Lines[0].Subscription.ID})
	require.Equal(t, StateDetails{State: "draft", Allowed: []string{}}, e.Details)
	draft = s.do(CancelOrder{ID: draft.ID}).(*OrderRecord)
	require.Equal(t, SubscriptionCancelled, draft.Lines[0].Subscription.Status(draft.Order))
}
