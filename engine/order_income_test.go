package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns the stories of what articles bring in.

// earned is what articles bring in, in their order.
func (s *shop) earned(articles ...base.ID) (list []int64) {
	s.T.Helper()
	v := s.view()
	require.NoError(s.T, s.Engine.Check())
	for _, id := range articles {
		income, _ := stock.Earnings(v, stock.ArticleByID(v, id))
		list = append(list, income)
	}
	return list
}

func TestIncomeOfArticles(t *testing.T) {
	s := newShop(t)
	sku := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike", PurchasePrice: ptr(int64(50))}}).(*stock.SKU).
		ID
	a, b, c := s.article(sku, 1), s.article(sku, 1), s.article(base.ID{}, 0)
	s.do(stock.PatchArticle{ID: a, Details: stock.DetailsPatch{ItemCosts: base.Some(int64(200))}})
	bike, from, to := base.Item{SKU: sku}, noon+day, noon+2*day
	op := s.rental(order.OrderDraft, bike, from, to, 2)
	op.Lines[0].UnitPrice = ptr(int64(1001))
	r := s.do(op).(*order.OrderRecord)
	require.Equal(t, []int64{0, 0, 0}, s.earned(a, b, c), "a draft brings nothing in")
	r = s.do(order.ConfirmOrder{ID: r.ID}).(*order.OrderRecord)
	line, first, second := r.Lines[0].ID, r.Units[0].Article, r.Units[1].Article
	require.ElementsMatch(t, []base.ID{a, b}, []base.ID{first, second})
	require.Equal(t, []int64{1001, 1001, 0}, s.earned(first, second, c))

	// What is taken off, the tax, and the part that is the merchant's.
	s.do(commerce.CreateDiscountCode{
		DiscountTerms: commerce.DiscountTerms{Code: "one", ValueType: commerce.DiscountPerOrder, Value: 1}})
	s.do(order.ApplyDiscount{Order: r.ID, Code: "one"})
	require.Equal(t, []int64{1001, 1000}, s.earned(first, second), "the first unit has what does not divide")
	s.do(order.PatchOrderLine{Order: r.ID, ID: line, Fields: base.Changed(order.OrderLineInput{TaxRate: new(1000)})})
	require.Equal(t, []int64{1101, 1100}, s.earned(first, second))
	s.do(order.PatchOrderLine{Order: r.ID, ID: line,
		Fields: base.Changed(order.OrderLineInput{RevenueSplit: new(int64(order.WholeSplit / 2))})})
	require.Equal(t, []int64{551, 550}, s.earned(first, second), "half up")
	s.reopen()
	require.Equal(t, []int64{551, 550, 0}, s.earned(first, second, c))
	v := s.view()
	income, profit := stock.Earnings(v, stock.ArticleByID(v, a))
	require.Equal(t, income-200-50, profit)
	list := func(q stock.ArticleQuery) (ids []base.ID) {
		q.Window, q.Active, q.Limit = base.Span{Start: noon, End: noon}, true, 10
		page, _, err := stock.ListArticles(s.view(), &q, nil)
		require.NoError(t, err)
		for _, r := range page {
			ids = append(ids, r.ID)
		}
		return ids
	}
	require.Equal(t, []base.ID{first, second, c}, list(stock.ArticleQuery{Sort: stock.ByItemIncome, Desc: true}))
	require.Equal(t, []base.ID{second},
		list(stock.ArticleQuery{Filters: []stock.Filter{
			{Field: stock.FieldItemIncome, Operator: label.Equal, Values: []label.Value{numeric(550)}}}}))

	// Handing over and taking back change nothing; being another article's does.
	s.now = from
	s.do(order.FulfillOrder{ID: r.ID})
	s.now += hour
	s.do(order.ReturnOrder{ID: r.ID})
	require.Equal(t, []int64{551, 550}, s.earned(first, second))
	s.do(stock.PatchArticle{ID: c, Fields: base.Changed(stock.ArticleFields{SKU: new(sku)}), Force: true})
	s.do(stock.IncreaseQuantity{Article: c, Location: s.loc, Amount: 1})
	sale := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc},
		Lines: []order.OrderLineInput{
			{Item: base.Item{Article: a}, Purchase: base.PurchaseSale, Quantity: 1, UnitPrice: ptr(int64(7))},
			{Item: bike, Purchase: base.PurchaseBooking, Quantity: 1, From: ptr(noon + 9*day), To: ptr(noon + 10*day),
				UnitPrice: ptr(int64(10_000))},
		}}).(*order.OrderRecord)
	s.do(order.AssignUnit{Order: sale.ID, Unit: sale.Lines[1].Units[0].ID, Article: c})
	require.Equal(t, int64(10_000), s.earned(c)[0])
	s.do(order.AssignUnit{Order: sale.ID, Unit: sale.Lines[1].Units[0].ID, Article: b})
	s.reopen()
	require.Equal(t, []int64{0, 10_000 + 551 + 550 + 7}, []int64{s.earned(c)[0], s.earned(a)[0] + s.earned(b)[0]})
	s.do(order.DeleteOrderLine{Order: sale.ID, ID: sale.Lines[1].ID})
	s.do(order.FulfillOrder{ID: sale.ID})
	require.Equal(t, int64(551+550+7), s.earned(a)[0]+s.earned(b)[0])
	s.do(order.DeleteOrder{ID: sale.ID})
	require.Equal(t, []int64{551, 550}, s.earned(first, second))
	s.do(order.DeleteOrder{ID: r.ID})
	require.Equal(t, []int64{0, 0, 0}, s.earned(a, b, c))
	require.NoError(t, stock.Income(s.view().Acc).Check(new(stock.Incomes)), "nothing is left")
	s.reopen()
}

func TestIncomeFollowsUnits(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a := s.article(sku, 1)
	rent := func(from, to int64) *order.OrderRecord {
		op := s.rental(order.OrderOpen, base.Item{SKU: sku}, from, to, 1)
		op.AllowOverbooked, op.Lines[0].UnitPrice = true, ptr(int64(100))
		return s.do(op).(*order.OrderRecord)
	}
	r := rent(noon+day, noon+2*day)
	waits := rent(noon+day, noon+2*day)
	require.True(t, waits.Conflict())
	require.Equal(t, []int64{100}, s.earned(a), "a conflict is of no article")

	// The order that waits gets a unit without a change of its own.
	b := s.article(sku, 0)
	s.do(stock.IncreaseQuantity{Article: b, Location: s.loc, Amount: 1})
	require.Equal(t, waits.Revision, s.orderNow(waits).Revision)
	require.False(t, s.orderNow(waits).Conflict())
	require.Equal(t, []int64{100, 100}, s.earned(a, b))
	s.reopen()
	require.Equal(t, []int64{100, 100}, s.earned(a, b))
	revision := s.orderNow(r).Revision
	s.do(stock.DecreaseQuantity{Article: a, Location: s.loc, Amount: 1, Force: true})
	require.Equal(t, revision, s.orderNow(r).Revision)
	require.Equal(t, []int64{0, 100}, s.earned(a, b))
	s.do(order.CancelOrder{ID: waits.ID})
	require.False(t, s.orderNow(r).Conflict())
	require.Equal(t, []int64{0, 100}, s.earned(a, b))

	// Back in the instant of the hand-over: no time has gone by, and the unit takes no stock; it was of the article.
	s.now = noon + day
	s.do(order.FulfillOrder{ID: r.ID})
	s.do(order.ReturnOrder{ID: r.ID})
	require.Zero(t, s.orderNow(r).Lines[0].Units[0].Hold)
	require.Equal(t, []int64{0, 100}, s.earned(a, b))
	s.reopen()

	// Of a line, those that are cancelled have no share.
	l := order.OrderLine{Units: []order.OrderUnit{{}, {State: order.Cancelled}, {}, {}}}
	var shares []int64
	l.Earn(11, func(_ *order.OrderUnit, n int64) { shares = append(shares, n) })
	require.Equal(t, []int64{4, 4, 3}, shares)
}

// A unit that came back at the instant at which it was handed over has been of its article: that brings in what the
// unit does, and is shown, also when it is deleted by now.
func TestIncomeOfWhatCameBackAtOnce(t *testing.T) {
	s := newShop(t)
	article := s.article(s.sku(), 1)
	r := s.rent(base.Item{Article: article}, s.now+day, s.now+2*day, 1)
	s.do(order.FulfillOrder{ID: r.ID})
	s.do(order.ReturnOrder{ID: r.ID})
	returned := func(want base.ID, name string) {
		t.Helper()
		x := s.orderNow(r)
		require.Zero(t, x.Lines[0].Units[0].Hold)
		require.Equal(t, []any{want, name, base.Span{}, false},
			[]any{x.Units[0].Article, x.Units[0].Name, x.Units[0].Range, x.Conflict()})
	}
	returned(article, "Unit")
	require.Equal(t, []int64{999}, s.earned(article))
	s.reopen()
	require.Equal(t, []int64{999}, s.earned(article))

	unit := []base.ID{r.Lines[0].Units[0].ID}
	s.do(order.UndoOrder{ID: r.ID, Units: unit})
	require.Equal(t, []int64{999}, s.earned(article))
	s.do(order.UndoOrder{ID: r.ID, Units: unit})
	s.do(order.CancelUnit{Order: r.ID, Unit: unit[0]})
	require.Equal(t, []int64{0}, s.earned(article))
	require.Zero(t, s.orderNow(r).Units[0].Article)

	r = s.rent(base.Item{Article: article}, s.now+day, s.now+2*day, 1)
	s.do(order.FulfillOrder{ID: r.ID})
	s.do(order.ReturnOrder{ID: r.ID})
	s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1})
	s.do(stock.DeleteArticle{ID: article})
	require.NoError(t, s.Engine.Check())
	returned(article, "")
}

func TestIncomeIsRoundedOnceAndSplitByWhatPartsWereBoughtFor(t *testing.T) {
	shares := func(l order.OrderLine, total int64) (list []int64) {
		l.Earn(total, func(_ *order.OrderUnit, n int64) { list = append(list, n) })
		return list
	}
	half := order.LineMore{RevenueSplit: ptr(int64(order.WholeSplit / 2))}
	require.Equal(t, []int64{167, 167, 166},
		shares(order.OrderLine{Units: make([]order.OrderUnit, 3), More: &half}, 999))
	kit := order.OrderLine{Units: []order.OrderUnit{{}, {Part: 1}, {Part: 1}},
		More: &order.LineMore{PartPrices: []int64{100_000, 5_000}}}
	require.Equal(t, []int64{909, 46, 45}, shares(kit, 1000))
	kit.Units[2].State = order.Cancelled
	require.Equal(t, []int64{952, 48}, shares(kit, 1000))
	kit.More = &order.LineMore{PartPrices: []int64{0, 0}}
	require.Equal(t, []int64{500, 500}, shares(kit, 1000), "evenly")
	kit.More = &order.LineMore{PartPrices: []int64{7}}
	require.Equal(t, []int64{500, 500}, shares(kit, 1000), "the kit has had other parts since")

	// Prices are as the kits were booked.
	s := newShop(t)
	body, helmet := s.do(stock.CreateSKU{
		SKUFields: stock.SKUFields{Name: "Body", PurchasePrice: ptr(int64(3000))}}).(*stock.SKU).ID, s.sku()
	a, b := s.article(body, 1), s.article(helmet, 2)
	item := s.kit(commerce.Component{Item: base.Item{SKU: body}, Quantity: 1},
		commerce.Component{Item: base.Item{SKU: helmet}, Quantity: 2})
	rent := func(from int64) base.ID {
		op := s.rental(order.OrderOpen, item, from, from+day, 1)
		op.Lines[0].UnitPrice = ptr(int64(1000))
		return s.do(op).(*order.OrderRecord).ID
	}
	first := rent(noon + day)
	require.Equal(t, []int64{334, 666}, s.earned(a, b), "what the helmets were bought for is not known")
	s.do(stock.PatchSKU{ID: helmet, Fields: base.Changed(stock.SKUFields{PurchasePrice: new(int64(1000))})})
	require.Equal(t, []int64{334, 666}, s.earned(a, b))
	rent(noon + 3*day)
	require.Equal(t, []int64{334 + 600, 666 + 400}, s.earned(a, b))
	s.do(order.CancelOrder{ID: first})
	s.reopen()
	require.Equal(t, []int64{600, 400}, s.earned(a, b))
}

// A kit that gets other components while an order of it is a draft is booked with those, and its income is split by
// what those were bought for.
func TestIncomeIsSplitByThePartsThatWereBooked(t *testing.T) {
	s := newShop(t)
	part := func(price int64) (commerce.Component, base.ID) {
		sku := s.do(stock.CreateSKU{
			SKUFields: stock.SKUFields{Name: "Part", PurchasePrice: &price}}).(*stock.SKU).ID
		return commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1}, s.article(sku, 1)
	}
	cheap, a := part(100)
	dear, b := part(900)
	third, c := part(500)
	for _, x := range []struct {
		parts []commerce.Component
		want  []int64
	}{
		{[]commerce.Component{cheap, dear}, []int64{100, 900, 0}},
		{[]commerce.Component{dear, cheap}, []int64{100, 900, 0}},
		{[]commerce.Component{third, cheap}, []int64{167, 0, 833}},
		{[]commerce.Component{dear}, []int64{0, 1000, 0}},
		{[]commerce.Component{cheap, dear, third}, []int64{67, 600, 333}},
	} {
		item := s.kit(cheap, dear)
		op := s.rental(order.OrderDraft, item, noon+day, noon+2*day, 1)
		op.Lines[0].UnitPrice = new(int64(1000))
		id := s.do(op).(*order.OrderRecord).ID
		s.do(commerce.PatchCatalogItem{ID: item.CatalogItem,
			Fields: base.Changed(commerce.CatalogFields{Components: x.parts})})
		s.do(order.ConfirmOrder{ID: id})
		require.Equal(t, x.want, s.earned(a, b, c))
		s.reopen()
		require.Equal(t, x.want, s.earned(a, b, c))
		s.do(order.CancelOrder{ID: id})
	}
}
