package engine

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
)

// This file owns the tests of discount codes as records.

func summer(code string) commerce.CreateDiscountCode {
	return commerce.CreateDiscountCode{
		DiscountTerms: commerce.DiscountTerms{Code: code, ValueType: commerce.DiscountPercentage, Value: 10}}
}

func pointersAndCodes(e *base.Error) (list []string) {
	for _, f := range e.Faults {
		list = append(list, f.Pointer+" "+f.Code)
	}
	return list
}

func TestDiscountCodeKeepsItsTermsOverARestart(t *testing.T) {
	s := newShop(t)
	item := s.do(commerce.CreateCatalogItem{
		CatalogFields: commerce.CatalogFields{Name: "Bike"}}).(*commerce.CatalogItem).ID
	d := s.do(summer("Summer")).(*commerce.DiscountCode)
	require.Equal(t, commerce.DiscountTerms{
		Code: "Summer", ValueType: commerce.DiscountPercentage, Value: 10,
		Purchases: []base.PurchaseType{base.PurchaseBooking, base.PurchaseSale, base.PurchaseSubscription},
		Duration:  commerce.DiscountOnce,
	}, d.DiscountTerms)
	full := s.do(commerce.CreateDiscountCode{DiscountTerms: commerce.DiscountTerms{
		Code: "Club", ValueType: commerce.DiscountPerItem, Value: 250,
		Purchases: []base.PurchaseType{base.PurchaseSubscription}, UsageLimit: ptr[int64](3), StartsAt: ptr(noon),
		EndsAt:       ptr(noon + day),
		CatalogItems: []base.ID{item}, Duration: commerce.DiscountRepeating, Cycles: ptr[int64](6),
	}}).(*commerce.DiscountCode)
	s.now += hour
	n := s.do(commerce.PatchDiscountCode{ID: d.ID, IfMatch: []uint64{1},
		Fields: base.Changed(commerce.DiscountTerms{Code: "SUMMER-25", ValueType: commerce.DiscountPerOrder,
			Value: 5000, UsageLimit: new(int64(7)), EndsAt: new(noon + 9*day)})}).(*commerce.DiscountCode)
	require.Equal(t, commerce.DiscountCode{
		ID: d.ID, Currency: "EUR", Stamp: base.Stamp{UpdatedAt: s.now, Revision: 2},
		DiscountTerms: commerce.DiscountTerms{
			Code: "SUMMER-25", ValueType: commerce.DiscountPerOrder, Value: 5000, Purchases: d.Purchases,
			UsageLimit: ptr[int64](7), EndsAt: ptr(noon + 9*day), Duration: commerce.DiscountOnce,
		},
	}, *n)
	s.reopen()
	require.Equal(t, n, commerce.DiscountCodeByID(s.view(), d.ID))
	require.Equal(t, full, commerce.DiscountCodeByID(s.view(), full.ID))
	cleared := s.do(commerce.PatchDiscountCode{ID: full.ID,
		Fields: base.Changed(commerce.DiscountTerms{}, "applicablePurchaseTypes", "usageLimit", "startsAt", "endsAt",
			"catalogItemIds", "subscriptionDuration", "subscriptionDurationCycles")}).(*commerce.DiscountCode)
	require.Equal(t, commerce.DiscountTerms{Code: "Club", ValueType: commerce.DiscountPerItem, Value: 250,
		Purchases: d.Purchases, Duration: commerce.DiscountOnce}, cleared.DiscountTerms)

	percent := s.do(summer("percent")).(*commerce.DiscountCode)
	for _, c := range []struct {
		of       commerce.DiscountType
		currency string
	}{{commerce.DiscountPerItem, "EUR"}, {commerce.DiscountPercentage, ""}} { // its value may be either
		n := s.do(commerce.PatchDiscountCode{ID: percent.ID,
			Fields: base.Changed(commerce.DiscountTerms{ValueType: c.of})}).(*commerce.DiscountCode)
		require.Equal(t, c.currency, n.Currency)
	}

	s.refused(base.CodePrecondition, commerce.PatchDiscountCode{ID: d.ID, IfMatch: []uint64{1}})
	s.refused(base.CodePrecondition, commerce.DeleteDiscountCode{ID: d.ID, IfMatch: []uint64{1}})
	s.refused(base.CodeNotFound, commerce.PatchDiscountCode{ID: s.loc})
	s.do(commerce.DeleteDiscountCode{ID: d.ID})
	require.Nil(t, commerce.DiscountCodeByID(s.view(), d.ID))
	s.refused(base.CodeNotFound, commerce.DeleteDiscountCode{ID: d.ID})
	s.do(summer("summer-25")) // free again
}

func TestDiscountCodesCompareWithoutCase(t *testing.T) {
	s := newShop(t)
	for _, c := range []struct{ code, same string }{
		{"Summer", "sUMMER"}, {"ÜBER", "über"}, {"Σίσυφος", "ΣΊΣΥΦΟΣ"}, {"Kelvin", "\u212aELVIN"}, {"ſale", "SALE"},
		{"\U00010400", "\U00010428"},
	} {
		d := s.do(summer(c.code)).(*commerce.DiscountCode)
		require.True(t, strings.EqualFold(c.code, c.same))
		require.Equal(t, d, commerce.DiscountByCode(s.view().Acc, c.same), c.same)
		s.refused(base.CodeConflict, summer(c.same))
		// its own
		s.do(commerce.PatchDiscountCode{ID: d.ID, Fields: base.Changed(commerce.DiscountTerms{Code: c.same})})
	}
	other := s.do(summer("Winter")).(*commerce.DiscountCode)
	s.refused(base.CodeConflict,
		commerce.PatchDiscountCode{ID: other.ID, Fields: base.Changed(commerce.DiscountTerms{Code: "SuMMeR"})})
	for _, code := range []string{"Summer ", "Sum", "UBER", "strasse"} {
		require.Nil(t, commerce.DiscountByCode(s.view().Acc, code), code)
	}
	list := func(search string, offset, limit int) (codes []string, total int) {
		page, total := commerce.DiscountCodes(s.view(), search, offset, limit)
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
	faults := func(op base.Op, want ...string) {
		t.Helper()
		require.Equal(t, want, pointersAndCodes(s.refused(base.CodeInvalid, op)))
	}
	faults(commerce.CreateDiscountCode{}, "/code required", "/valueType enum", "/value range")
	faults(commerce.CreateDiscountCode{DiscountTerms: commerce.DiscountTerms{
		Code: strings.Repeat("x", 65), ValueType: "free", Value: base.MaxSafe + 1,
		Purchases: []base.PurchaseType{base.PurchaseSale, base.PurchaseSale, "gift"}, UsageLimit: ptr[int64](0),
		StartsAt: ptr(noon), EndsAt: ptr(noon), CatalogItems: []base.ID{{1}, {1}}, Duration: "twice",
		Cycles: ptr[int64](0),
	}}, "/code length", "/valueType enum", "/value range", "/applicablePurchaseTypes/1 duplicate",
		"/applicablePurchaseTypes/2 enum", "/usageLimit range", "/endsAt order",
		"/catalogItemIds/1 duplicate", "/subscriptionDuration enum", "/subscriptionDurationCycles range",
		"/subscriptionDurationCycles forbidden")
	faults(commerce.CreateDiscountCode{
		DiscountTerms: commerce.DiscountTerms{Code: "x", ValueType: commerce.DiscountPercentage, Value: 101,
			StartsAt: ptr[int64](-1), EndsAt: ptr[int64](base.MaxInstant + 1), Purchases: []base.PurchaseType{},
			CatalogItems: []base.ID{}, Duration: commerce.DiscountRepeating}},
		"/value range", "/applicablePurchaseTypes length", "/startsAt range", "/endsAt range", "/catalogItemIds length",
		"/subscriptionDurationCycles required")
	o := summer("x")
	o.CatalogItems = []base.ID{s.loc}
	s.refused(base.CodeNotFound, o)
	o.CatalogItems = slices.Repeat([]base.ID{s.loc}, 251)
	faults(o, "/catalogItemIds length")

	d := s.do(summer("x")).(*commerce.DiscountCode)
	to := func(terms commerce.DiscountTerms) base.Op {
		return commerce.PatchDiscountCode{ID: d.ID, Fields: base.Changed(terms)}
	}
	faults(to(commerce.DiscountTerms{Value: 101}), "/value range")
	s.do(to(commerce.DiscountTerms{Value: 101, ValueType: commerce.DiscountPerItem}))
	faults(to(commerce.DiscountTerms{ValueType: commerce.DiscountPercentage}), "/value range")
	faults(to(commerce.DiscountTerms{Cycles: ptr[int64](3)}), "/subscriptionDurationCycles forbidden")
	s.do(to(commerce.DiscountTerms{Cycles: ptr[int64](3), Duration: commerce.DiscountRepeating}))
	faults(to(commerce.DiscountTerms{Duration: commerce.DiscountForever}), "/subscriptionDurationCycles forbidden")
	faults(commerce.PatchDiscountCode{ID: d.ID,
		Fields: base.Changed(commerce.DiscountTerms{Duration: "twice", Purchases: []base.PurchaseType{},
			UsageLimit: new(int64(-1)), StartsAt: new(int64(-1)), EndsAt: new(int64(-1)), CatalogItems: []base.ID{},
			Cycles: new(int64(base.MaxCount + 1))}, "code", "valueType", "value")}, "/code required", "/valueType enum",
		"/value range", "/applicablePurchaseTypes length", "/usageLimit range", "/startsAt range", "/endsAt range",
		"/catalogItemIds length",
		"/subscriptionDuration enum", "/subscriptionDurationCycles range")
}

// An item that is gone stays where it was named, but is not taken anew.
func TestDiscountCodeOfACatalogItemThatIsGone(t *testing.T) {
	s := newShop(t)
	var items []base.ID
	for i := range 3 {
		items = append(items,
			s.do(commerce.CreateCatalogItem{
				CatalogFields: commerce.CatalogFields{Name: strconv.Itoa(i)}}).(*commerce.CatalogItem).ID)
	}
	o := summer("x")
	o.CatalogItems = items[:2]
	d := s.do(o).(*commerce.DiscountCode)
	s.do(commerce.DeleteCatalogItem{ID: items[0]})
	s.do(commerce.DeleteCatalogItem{ID: items[2]})
	require.Equal(t, items[:1],
		s.do(commerce.PatchDiscountCode{ID: d.ID,
			Fields: base.Changed(
				commerce.DiscountTerms{CatalogItems: items[:1]})}).(*commerce.DiscountCode).CatalogItems)
	s.refused(base.CodeNotFound,
		commerce.PatchDiscountCode{ID: d.ID, Fields: base.Changed(commerce.DiscountTerms{CatalogItems: items[1:]})})
	s.refused(base.CodeInvalid, commerce.PatchDiscountCode{ID: d.ID,
		Fields: base.Changed(commerce.DiscountTerms{CatalogItems: []base.ID{items[0], items[0]}})})
}

// useTwice counts uses of a code in one command, beside a change of its terms.
type useTwice struct {
	base.Answers[*commerce.DiscountCode]
	ID   base.ID
	By   []int
	Code string
}

func (o useTwice) PlanOn(t *base.Tx) (any, error) {
	d := commerce.DiscountTable(t.Acc).Get(o.ID)
	if o.Code != "" {
		if _, err := (commerce.PatchDiscountCode{ID: o.ID, Fields: base.Changed(commerce.DiscountTerms{Code: o.Code})}).
			PlanOn(t); err != nil {
			return nil, err
		}
	}
	last := d
	for _, n := range o.By {
		last = commerce.UseDiscount(t, d, n)
	}
	return last, nil
}

func TestUsesOfACommandAddUp(t *testing.T) {
	s := newShop(t)
	d, other := s.do(summer("a")).(*commerce.DiscountCode), s.do(summer("b")).(*commerce.DiscountCode)
	s.now += hour
	require.Equal(t, int64(5), s.do(useTwice{ID: d.ID, By: []int{2, -1, 4}}).(*commerce.DiscountCode).Used)
	n := commerce.DiscountCodeByID(s.view(), d.ID)
	require.Equal(t, []any{int64(5), d.UpdatedAt, d.Revision}, []any{n.Used, n.UpdatedAt, n.Revision})
	s.do(useTwice{ID: d.ID, By: []int{-1, -1}, Code: "c"})
	n = commerce.DiscountCodeByID(s.view(), d.ID)
	require.Equal(t, []any{int64(3), "c", uint64(2)}, []any{n.Used, n.Code, n.Revision})
	require.Zero(t, commerce.DiscountCodeByID(s.view(), other.ID).Used)
	require.Equal(t, int64(3),
		s.do(commerce.PatchDiscountCode{ID: d.ID, IfMatch: []uint64{2},
			Fields: base.Changed(commerce.DiscountTerms{Value: 20})}).(*commerce.DiscountCode).Used)
	s.do(useTwice{ID: d.ID, By: []int{-3}}) // no order carries it
	s.reopen()
	require.Zero(t, commerce.DiscountCodeByID(s.view(), d.ID).Used)
}

func TestPricingRowByID(t *testing.T) {
	s := newShop(t)
	var tables []*commerce.PricingTable
	rows := map[base.ID]*commerce.PricingRow{}
	for i := range 3 {
		p := s.do(commerce.CreatePricingTable{
			PricingTableFields: commerce.PricingTableFields{Name: strconv.Itoa(i)}}).(*commerce.PricingTable)
		for range i {
			r := s.do(commerce.CreatePricingRow{Table: p.ID,
				PricingRowFields: commerce.PricingRowFields{Label: "x", Purchase: base.PurchaseSale,
					Price: 1}}).(*commerce.PricingRow)
			rows[r.ID] = r
		}
		tables = append(tables, p)
	}
	all := func() {
		t.Helper()
		for id, r := range rows {
			require.Equal(t, r, commerce.PricingRowByID(s.view().Acc, id))
		}
	}
	all()
	changed := commerce.PricingTableByID(s.view(), tables[2].ID).Rows[1].ID
	rows[changed] = s.do(commerce.PatchPricingRow{Table: tables[2].ID, ID: changed,
		Fields: base.Changed(commerce.PricingRowFields{Price: 7})}).(*commerce.PricingRow)
	gone := commerce.PricingTableByID(s.view(), tables[2].ID).Rows[0].ID
	s.do(commerce.DeletePricingRow{Table: tables[2].ID, ID: gone})
	rows[gone] = nil
	alone := commerce.PricingTableByID(s.view(), tables[1].ID).Rows[0].ID
	s.do(commerce.DeletePricingTable{ID: tables[1].ID})
	rows[alone] = nil
	rows[s.loc] = nil
	all()
	s.reopen()
	all()
}

func TestACancelledDraftGivesTheUseOfItsCodesBack(t *testing.T) {
	s := newShop(t)
	s.do(summer("Summer"))
	bike := base.Item{SKU: s.sku()}
	s.article(bike.SKU, 2)
	made := func(status order.OrderStatus) base.ID {
		op := s.rental(status, bike, noon+day, noon+2*day, 1)
		op.Lines[0].UnitPrice = ptr(int64(100))
		id := s.do(op).(*order.OrderRecord).ID
		s.do(order.ApplyDiscount{Order: id, Code: "summer"})
		return id
	}
	used := func(n int64) {
		t.Helper()
		require.Equal(t, n, commerce.DiscountByCode(s.view().Acc, "summer").Used)
	}
	draft, open := made(order.OrderDraft), made(order.OrderOpen)
	used(2)
	r := s.do(order.CancelOrder{ID: draft}).(*order.OrderRecord)
	used(1)
	require.Len(t, r.Codes, 1, "what it would have cost stays said")
	s.reopen()
	s.do(order.DeleteOrder{ID: draft})
	used(1)
	s.do(order.CancelOrder{ID: open})
	used(1)
	s.do(order.DeleteOrder{ID: open})
	used(0)
	s.reopen()
}

func TestTheSubscriptionOfADraftIsNotActive(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 1)
	o := s.order(base.Item{Article: article}, base.PurchaseSubscription, s.now, nil, 1, false)
	require.Equal(t, order.SubscriptionActive, o.Lines[0].Subscription.Status(o.Order))
	in := s.rental(order.OrderDraft, base.Item{Article: article}, s.now, s.now+day, 1)
	in.Lines[0].Purchase, in.Lines[0].To, in.Lines[0].Subscription = base.PurchaseSubscription, nil, monthly
	draft := s.do(in).(*order.OrderRecord)
	require.Equal(t, order.SubscriptionDraft, draft.Lines[0].Subscription.Status(draft.Order))
	e := s.refused(base.CodeStateNotAllowed, order.CancelSubscription{ID: draft.Lines[0].Subscription.ID})
	require.Equal(t, base.StateDetails{State: "draft", Allowed: []string{}}, e.Details)
	draft = s.do(order.CancelOrder{ID: draft.ID}).(*order.OrderRecord)
	require.Equal(t, order.SubscriptionCancelled, draft.Lines[0].Subscription.Status(draft.Order))
}
