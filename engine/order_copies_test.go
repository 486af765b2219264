package engine

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
)

// This file owns the tests of what orders keep copies of.

func (s *shop) customer(name, email string) base.ID {
	return s.do(commerce.CreateCustomer{
		Contact: base.Changed(commerce.Contact{FirstName: new(name), Email: new(email)})}).(*commerce.Customer).ID
}

// uncopied leaves an order as a program wrote it that kept no copies.
type uncopied struct {
	base.Answers[any]
	ID     base.ID
	Status order.OrderStatus // that it had it in; zero: as it is
}

func (o uncopied) PlanOn(t *base.Tx) (any, error) {
	was := order.OrderTable(t.Acc).Get(o.ID)
	n := was.Clone()
	n.OrderCopies, n.Status = order.OrderCopies{}, cmp.Or(o.Status, n.Status)
	base.Record(t, order.OrderKind, was, n)
	return nil, nil
}

func TestAnOrderKeepsWhatItWasOpenedWith(t *testing.T) {
	s := newShop(t)
	bike := base.Item{SKU: s.sku()}
	s.article(bike.SKU, 3)
	ann := s.customer("Ann", "ann@example.com")
	made := func(status order.OrderStatus) *order.OrderRecord {
		in := s.rental(status, bike, s.now+day, s.now+2*day, 1)
		in.Customer = &ann
		return s.do(in).(*order.OrderRecord)
	}
	open, draft, closed := made(order.OrderOpen), made(order.OrderDraft), made(order.OrderOpen)
	s.do(order.CancelOrder{ID: closed.ID})
	s.do(commerce.PatchCustomer{ID: ann, Contact: base.Changed(commerce.Contact{FirstName: new("Anna")})})
	s.do(stock.PatchLocation{ID: s.loc,
		Fields: base.Changed(stock.LocationFields{Name: "Harbour", Timezone: "Europe/Berlin"})})
	says := func(id base.ID, name, place string, revision uint64) {
		t.Helper()
		r := order.OrderByID(s.view(), id)
		require.Equal(t, name, r.Contact.Name())
		require.Equal(t, [2]string{place, place}, [2]string{r.PickupAt.Name, r.ReturnAt.Name})
		require.Equal(t, revision, r.Revision)
	}
	for range 2 {
		says(open.ID, "Ann", "Lisbon", 1)
		says(draft.ID, "Ann", "Lisbon", 1)
		says(closed.ID, "Ann", "Lisbon", 2)
		s.reopen()
	}
	require.Equal(t, "Europe/Lisbon", order.OrderByID(s.view(), open.ID).PickupAt.Timezone)

	// Opened, it is what they are by then; a PATCH of the same ids takes copies anew.
	s.do(order.ConfirmOrder{ID: draft.ID})
	says(draft.ID, "Anna", "Harbour", 2)
	s.do(order.PatchOrder{ID: open.ID, Fields: base.Changed(order.OrderInput{Customer: &ann})})
	says(open.ID, "Anna", "Lisbon", 2)
	s.do(order.PatchOrder{ID: open.ID, Fields: base.Changed(order.OrderInput{Return: &s.loc})})
	says(open.ID, "Anna", "Harbour", 3)

	// A customer who goes leaves the orders that are over as they were.
	s.inUse("order", 2, commerce.DeleteCustomer{ID: ann})
	s.do(order.CancelOrder{ID: open.ID})
	s.do(order.CancelOrder{ID: draft.ID})
	s.do(commerce.DeleteCustomer{ID: ann})
	for range 2 {
		says(closed.ID, "Ann", "Lisbon", 2)
		says(open.ID, "Anna", "Harbour", 4)
		require.Equal(t, ann, order.OrderByID(s.view(), open.ID).Customer)
		s.reopen()
	}
	page, total := order.ListOrders(s.view(), &order.OrderQuery{Search: "anna", Active: true, Limit: 10})
	require.Equal(t, 2, total)
	require.Len(t, page, 2)
}

// whose is the contact that an order is given.
func whose(c commerce.Contact) *order.MainContact {
	return &order.MainContact{Changes: base.Changed(c)}
}

func TestAContactWithTheEmailOfACustomerIsThatCustomer(t *testing.T) {
	s := newShop(t)
	oldest := s.customer("Ann", "Ann@Example.com")
	s.customer("Other", "ann@example.com")
	in := s.rental(order.OrderDraft, base.Item{SKU: s.sku()}, s.now+day, s.now+2*day, 1)
	in.Contact = whose(commerce.Contact{Email: new("ann@example.com"), Phone: new("1")})
	before := commerce.CustomerByID(s.view(), oldest)
	r := s.do(in).(*order.OrderRecord)
	require.Equal(t, oldest, r.Customer)
	require.Equal(t, before, commerce.CustomerByID(s.view(), oldest))
	require.Equal(t, [2]string{"Ann", "1"}, [2]string{r.Contact.Name(), *r.Contact.Phone},
		"what was given stays on the order")
	s.article(order.OrderByID(s.view(), r.ID).Lines[0].Of, 1)
	require.Equal(t, "1", *s.do(order.ConfirmOrder{ID: r.ID}).(*order.OrderRecord).Contact.Phone)
	require.Equal(t, 2, commerce.Customers(s.view()).Len())
	in.Contact = whose(commerce.Contact{Email: new("ben@example.com")})
	s.do(in)
	require.Equal(t, 3, commerce.Customers(s.view()).Len())
	s.reopen()
}

func TestOrdersOfAnOlderProgramGetTheirCopiesAtTheStart(t *testing.T) {
	s := newShop(t)
	bike := base.Item{SKU: s.sku()}
	s.article(bike.SKU, 2)
	ann := s.customer("Ann", "ann@example.com")
	in := s.rental(order.OrderOpen, bike, s.now+day, s.now+2*day, 1)
	in.Customer = &ann
	r := s.do(in).(*order.OrderRecord)
	hook := s.hook(base.OrderUpdated)
	s.do(uncopied{ID: r.ID})
	told := s.told([]*outbox.Webhook{hook})
	require.Zero(t, order.OrderByID(s.view(), r.ID).OrderCopies)
	s.do(nudge{})
	require.Equal(t, r, order.OrderByID(s.view(), r.ID))
	require.Equal(t, told, s.told([]*outbox.Webhook{hook}), "nothing about it has changed")

	s.do(uncopied{ID: r.ID, Status: order.OrderActive})
	s.do(nudge{})
	again := order.OrderByID(s.view(), r.ID)
	require.Equal(t, order.OrderOpen, again.Status)
	require.Equal(t, r.Revision+1, again.Revision, "what it says has changed")
	s.reopen()
}

func TestAnotherCurrencyRelabelsNothing(t *testing.T) {
	s := newShop(t)
	bike := base.Item{SKU: s.sku()}
	s.article(bike.SKU, 2)
	table, rows := s.tariff(1000)
	o := s.rent(bike, s.now+day, s.now+2*day, 1)
	code := s.do(commerce.CreateDiscountCode{DiscountTerms: commerce.DiscountTerms{Code: "TEN",
		ValueType: commerce.DiscountPerOrder, Value: 10}}).(*commerce.DiscountCode)
	s.do(commerce.CreateDiscountCode{
		DiscountTerms: commerce.DiscountTerms{Code: "PERCENT", ValueType: commerce.DiscountPercentage, Value: 10}})
	yen := base.PatchAccount{Fields: base.Changed(base.AccountFields{Currency: "JPY"})}
	e := s.refused(base.CodeInUse, yen)
	require.Equal(t, base.InUseDetails{Resource: "discountCode", Count: 1}, e.Details)
	require.Contains(t, e.Detail, "discountCode: 1, order: 1, pricingRow: 1")
	s.do(base.PatchAccount{Fields: base.Changed(base.AccountFields{Currency: "EUR", Name: "Other"})})
	s.do(commerce.PatchDiscountCode{ID: code.ID, Fields: base.Changed(commerce.DiscountTerms{EndsAt: new(s.now)})})
	s.inUse("order", 1, yen)
	s.do(order.CancelOrder{ID: o.ID})
	s.inUse("pricingRow", 1, yen)
	s.do(commerce.DeletePricingRow{Table: table, ID: rows[0]})
	percent := s.do(commerce.CreateDiscountCode{DiscountTerms: commerce.DiscountTerms{Code: "HALF",
		ValueType: commerce.DiscountPercentage, Value: 50}}).(*commerce.DiscountCode)
	s.do(yen)
	s.reopen()
	require.Equal(t, "EUR", order.OrderByID(s.view(), o.ID).Currency.String())
	require.Equal(t, "JPY", s.rentNow(bike))
	s.reopen()

	// A code of an amount stays in the currency that it was given in, until it is given another amount. A percentage is
	// of any.
	other := s.rent(bike, s.now+day, s.now+2*day, 1)
	s.do(commerce.PatchDiscountCode{ID: code.ID, Fields: base.Changed(commerce.DiscountTerms{}, "endsAt")})
	e = s.refused(base.CodeDiscountNotApplicable, order.ApplyDiscount{Order: other.ID, Code: "TEN"})
	require.Contains(t, e.Detail, "EUR")
	trial, err := order.TryDiscount(s.view(), other.ID, "TEN", s.now)
	require.NoError(t, err)
	require.Equal(t, base.CodeDiscountNotApplicable, trial.Reason)
	require.Equal(t, "JPY",
		s.do(commerce.PatchDiscountCode{ID: code.ID,
			Fields: base.Changed(commerce.DiscountTerms{Value: 20})}).(*commerce.DiscountCode).Currency)
	require.EqualValues(t, 20, s.do(order.ApplyDiscount{Order: other.ID, Code: "TEN"}).(*order.Discounted).Applied)
	require.EqualValues(t, "", percent.Currency)
	s.do(order.ApplyDiscount{Order: other.ID, Code: "HALF"})
	require.Empty(t,
		s.do(commerce.PatchDiscountCode{ID: code.ID,
			Fields: base.Changed(commerce.DiscountTerms{ValueType: commerce.DiscountPercentage,
				Value: 5})}).(*commerce.DiscountCode).Currency)
	row := s.do(commerce.CreatePricingRow{Table: table, PricingRowFields: commerce.PricingRowFields{Label: "Day",
		Purchase: base.PurchaseBooking, Price: 7}}).(*commerce.PricingRow)
	require.Equal(t, "JPY", row.Currency)
	s.reopen()
}

// No command leaves such a row.
func TestNothingIsSoldByARowOfAnotherCurrency(t *testing.T) {
	s := newShop(t)
	table, rows := s.tariff(1000)
	item, _ := s.item(table)
	s.do(relabelled{ID: table, Currency: "JPY"})
	in := s.unpricedRental(order.OrderOpen, item, s.now+day, s.now+2*day, 1)
	e := s.refused(base.CodeInvalid, in)
	require.Equal(t, "required", e.Faults[0].Code, "no row fits")
	in.Lines[0].PricingRow = &rows[0]
	e = s.refused(base.CodeInvalid, in)
	require.Equal(t, base.Fault{Pointer: "/lineItems/0/pricingRowId", Code: "currency",
		Message: "is a row in JPY, the order is in EUR"}, e.Faults[0])
	in.Lines[0].PricingRow, in.Lines[0].UnitPrice = nil, ptr(int64(5))
	o := s.do(in).(*order.OrderRecord)
	s.refused(base.CodeInvalid, order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{PricingRow: new(rows[0])})})
}

// relabelled leaves the rows of a table in some currency, or in none, as an older program wrote them.
type relabelled struct {
	base.Answers[any]
	ID       base.ID
	Currency string
}

func (o relabelled) PlanOn(t *base.Tx) (any, error) {
	was := commerce.PricingTableKind.In(t.Acc).Get(o.ID)
	n := *was
	n.Rows = slices.Clone(was.Rows)
	for i := range n.Rows {
		n.Rows[i].Currency = o.Currency
	}
	base.Record(t, commerce.PricingTableKind, was, &n)
	for d := range commerce.DiscountTable(t.Acc).All() {
		n := *d
		n.Currency = ""
		base.Record(t, commerce.DiscountKind, d, &n)
	}
	return nil, nil
}

func TestRowsAndCodesOfAnOlderProgramGetTheirCurrencyAtTheStart(t *testing.T) {
	s := newShop(t)
	table, _ := s.tariff(1000)
	code := s.do(commerce.CreateDiscountCode{DiscountTerms: commerce.DiscountTerms{Code: "TEN",
		ValueType: commerce.DiscountPerOrder, Value: 10}}).(*commerce.DiscountCode)
	percent := s.do(commerce.CreateDiscountCode{DiscountTerms: commerce.DiscountTerms{Code: "HALF",
		ValueType: commerce.DiscountPercentage, Value: 50}}).(*commerce.DiscountCode)
	was := commerce.PricingTableByID(s.view(), table)
	s.do(relabelled{ID: table})
	require.Empty(t, commerce.PricingTableByID(s.view(), table).Rows[0].Currency)
	s.do(nudge{})
	require.Equal(t, was, commerce.PricingTableByID(s.view(), table))
	require.Equal(t, "EUR", commerce.DiscountCodeByID(s.view(), code.ID).Currency)
	require.Empty(t, commerce.DiscountCodeByID(s.view(), percent.ID).Currency)
	s.reopen()
}

func TestIncomeIsOfTheAccountsCurrency(t *testing.T) {
	s := newShop(t)
	bike := base.Item{SKU: s.sku()}
	a := s.article(bike.SKU, 1)
	earns := func(currency string, price, wanted int64) {
		t.Helper()
		s.do(base.PatchAccount{Fields: base.Changed(base.AccountFields{Currency: currency})})
		op := s.rental(order.OrderOpen, bike, s.now+hour, s.now+2*hour, 1)
		op.Lines[0].UnitPrice = &price
		o := s.do(op).(*order.OrderRecord)
		s.now += hour
		s.do(order.FulfillOrder{ID: o.ID})
		s.now += hour / 2
		s.do(order.ReturnOrder{ID: o.ID})
		s.now += day
		require.Equal(t, []int64{wanted}, s.earned(a))
		q := stock.ArticleQuery{Window: base.Span{Start: s.now, End: s.now}, Active: true, Limit: 10,
			Filters: []stock.Filter{
				{Field: stock.FieldItemIncome, Operator: label.Equal, Values: []label.Value{numeric(float64(wanted))}}}}
		page, _, err := stock.ListArticles(s.view(), &q, nil)
		require.NoError(t, err)
		require.Len(t, page, 1)
	}
	earns("JPY", 500, 500)
	earns("EUR", 30, 30)
	earns("CHF", 7, 7)
	earns("EUR", 30, 60)
	s.reopen()
	earns("JPY", 1, 501)
}

// rentNow makes an order and says its currency.
func (s *shop) rentNow(i base.Item) string {
	return s.rent(i, s.now+day, s.now+2*day, 1).Currency.String()
}

// mispriced gives the first line of an order a unit price that is not what its row asks, as a program left it that
// opened orders with another time zone and did not price them anew.
type mispriced struct {
	base.Answers[any]
	ID    base.ID
	Price int64
}

func (o mispriced) PlanOn(t *base.Tx) (any, error) {
	was := order.OrderTable(t.Acc).Get(o.ID)
	n := was.Clone()
	n.Lines[0].UnitPrice = o.Price
	base.Record(t, order.OrderKind, was, n)
	return nil, nil
}

// A draft is opened with the time zone that its place has by then, and costs what its row asks there. From then on only
// another window, row or price prices a line anew.
func TestAnOrderIsPricedInTheTimeZoneThatItIsOpenedWith(t *testing.T) {
	s := newShop(t)
	bike := base.Item{SKU: s.sku()}
	s.article(bike.SKU, 9)
	_, rows := s.tariff(1000)
	from := time.Date(2030, 3, 30, 12, 0, 0, 0, time.UTC).UnixMilli() // one night before clocks are put forward
	op := s.unpricedRental(order.OrderDraft, bike, from, from+day, 1)
	op.Lines[0].PricingRow = &rows[0]
	id := s.do(op).(*order.OrderRecord).ID
	require.EqualValues(t, 2000, s.unitPrice(order.OrderByID(s.view(), id)), "an hour more than a day")
	s.do(stock.PatchLocation{ID: s.loc, Fields: base.Changed(stock.LocationFields{Timezone: "UTC"})})
	require.EqualValues(t, 2000, s.unitPrice(order.OrderByID(s.view(), id)))
	o := s.do(order.ConfirmOrder{ID: id}).(*order.OrderRecord)
	require.Equal(t, "UTC", o.PickupAt.Timezone)
	require.EqualValues(t, 1000, s.unitPrice(o))

	s.do(mispriced{ID: id, Price: 1500})
	patch := func(f order.OrderLineInput) int64 {
		return s.unitPrice(s.do(order.PatchOrderLine{Order: id, ID: o.Lines[0].ID,
			Fields: base.Changed(f)}).(*order.OrderRecord))
	}
	require.EqualValues(t, 1500, patch(order.OrderLineInput{TaxRate: new(1000)}))
	require.EqualValues(t, 1500, patch(order.OrderLineInput{Quantity: 2}))
	require.EqualValues(t, 2000, patch(order.OrderLineInput{To: new(from + 2*day)}))
	s.reopen()
}
