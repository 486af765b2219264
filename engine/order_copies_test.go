package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of what orders keep copies of.

func (s *shop) customer(name, email string) ID {
	return s.do(CreateCustomer{Contact: ContactPatch{FirstName: Some(name), Email: Some(email)}}).(*Customer).ID
}

// uncopied leaves an order as a program wrote it that kept no copies.
type uncopied struct{ ID ID }

func (uncopied) Check() []Fault { return nil }
func (uncopied) result() any    { return new(any) }

func (o uncopied) plan(t *tx) (any, error) {
	was := t.acc.orders().Get(o.ID)
	n := was.clone()
	n.OrderCopies = OrderCopies{}
	record(t, orderKind, was, n)
	return nil, nil
}

func TestAnOrderKeepsWhatItWasOpenedWith(t *testing.T) {
	s := newShop(t)
	bike := Item{SKU: s.sku()}
	s.article(bike.SKU, 3)
	ann := s.customer("Ann", "ann@example.com")
	order := func(status OrderStatus) *OrderRecord {
		in := s.rental(status, bike, s.now+day, s.now+2*day, 1)
		in.Customer = &ann
		return s.do(in).(*OrderRecord)
	}
	open, draft, closed := order(OrderOpen), order(OrderDraft), order(OrderOpen)
	s.do(CancelOrder{ID: closed.ID})
	s.do(PatchCustomer{ID: ann, Contact: ContactPatch{FirstName: Some("Anna")}})
	s.do(PatchLocation{ID: s.loc, Name: Some("Harbour"), Timezone: Some("Europe/Berlin")})
	says := func(id ID, name, place string, revision uint64) {
		t.Helper()
		r := s.view().Order(id)
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
	require.Equal(t, "Europe/Lisbon", s.view().Order(open.ID).PickupAt.Timezone)

	// Opened, it is what they are by then; a PATCH of the same ids takes copies anew.
	s.do(ConfirmOrder{ID: draft.ID})
	says(draft.ID, "Anna", "Harbour", 2)
	s.do(PatchOrder{ID: open.ID, Customer: Some(ann)})
	says(open.ID, "Anna", "Lisbon", 2)
	s.do(PatchOrder{ID: open.ID, Return: Some(s.loc)})
	says(open.ID, "Anna", "Harbour", 3)

	// A customer who goes leaves the orders that are over as they were.
	s.inUse("order", 2, DeleteCustomer{ID: ann})
	s.do(CancelOrder{ID: open.ID})
	s.do(CancelOrder{ID: draft.ID})
	s.do(DeleteCustomer{ID: ann})
	for range 2 {
		says(closed.ID, "Ann", "Lisbon", 2)
		says(open.ID, "Anna", "Harbour", 4)
		require.Equal(t, ann, s.view().Order(open.ID).Customer)
		s.reopen()
	}
	page, total := s.view().ListOrders(&OrderQuery{Search: "anna", Active: true, Limit: 10})
	require.Equal(t, 2, total)
	require.Len(t, page, 2)
}

func TestAContactWithTheEmailOfACustomerIsThatCustomer(t *testing.T) {
	s := newShop(t)
	oldest := s.customer("Ann", "Ann@Example.com")
	s.customer("Other", "ann@example.com")
	in := s.rental(OrderDraft, Item{SKU: s.sku()}, s.now+day, s.now+2*day, 1)
	in.Contact = &ContactPatch{Email: Some("ann@example.com"), Phone: Some("1")}
	before := s.view().Customer(oldest)
	r := s.do(in).(*OrderRecord)
	require.Equal(t, oldest, r.Customer)
	require.Equal(t, before, s.view().Customer(oldest))
	require.Equal(t, [2]string{"Ann", "1"}, [2]string{r.Contact.Name(), *r.Contact.Phone}, "what was given stays on the order")
	s.article(s.view().Order(r.ID).Lines[0].Of, 1)
	require.Equal(t, "1", *s.do(ConfirmOrder{ID: r.ID}).(*OrderRecord).Contact.Phone)
	require.Equal(t, 2, s.view().Customers().Len())
	in.Contact = &ContactPatch{Email: Some("ben@example.com")}
	s.do(in)
	require.Equal(t, 3, s.view().Customers().Len())
	s.reopen()
}

func TestOrdersOfAnOlderProgramGetTheirCopiesAtTheStart(t *testing.T) {
	s := newShop(t)
	bike := Item{SKU: s.sku()}
	s.article(bike.SKU, 2)
	ann := s.customer("Ann", "ann@example.com")
	in := s.rental(OrderOpen, bike, s.now+day, s.now+2*day, 1)
	in.Customer = &ann
	r := s.do(in).(*OrderRecord)
	hook := s.hook(OrderUpdated)
	s.do(uncopied{r.ID})
	told := s.told([]*Webhook{hook})
	require.Zero(t, s.view().Order(r.ID).OrderCopies)
	s.do(nudge{})
	require.Equal(t, r, s.view().Order(r.ID))
	require.Equal(t, told, s.told([]*Webhook{hook}), "nothing about it has changed")
	s.reopen()
}

func TestAnotherCurrencyRelabelsNothing(t *testing.T) {
	s := newShop(t)
	bike := Item{SKU: s.sku()}
	s.article(bike.SKU, 2)
	table, rows := s.tariff(1000)
	o := s.rent(bike, s.now+day, s.now+2*day, 1)
	code := s.do(CreateDiscountCode{DiscountTerms{Code: "TEN", ValueType: DiscountPerOrder, Value: 10}}).(*DiscountCode)
	s.do(CreateDiscountCode{DiscountTerms{Code: "PERCENT", ValueType: DiscountPercentage, Value: 10}})
	yen := PatchAccount{Currency: Some("JPY")}
	e := s.refused(CodeInUse, yen)
	require.Equal(t, InUseDetails{"discountCode", 1}, e.Details)
	require.Contains(t, e.Detail, "discountCode: 1, order: 1, pricingRow: 1")
	s.do(PatchAccount{Currency: Some("EUR"), Name: Some("Other")})
	s.do(PatchDiscountCode{ID: code.ID, EndsAt: Some(s.now)})
	s.inUse("order", 1, yen)
	s.do(CancelOrder{ID: o.ID})
	s.inUse("pricingRow", 1, yen)
	s.do(DeletePricingRow{Table: table, ID: rows[0]})
	percent := s.do(CreateDiscountCode{DiscountTerms{Code: "HALF", ValueType: DiscountPercentage, Value: 50}}).(*DiscountCode)
	s.do(yen)
	s.reopen()
	require.Equal(t, "EUR", s.view().Order(o.ID).Currency.String())
	require.Equal(t, "JPY", s.rentNow(bike))
	s.reopen()

	// A code of an amount stays in the currency that it was given in, until it is given another amount. A percentage is of any.
	other := s.rent(bike, s.now+day, s.now+2*day, 1)
	s.do(PatchDiscountCode{ID: code.ID, EndsAt: Null[int64]()})
	e = s.refused(CodeDiscountNotApplicable, ApplyDiscount{Order: other.ID, Code: "TEN"})
	require.Contains(t, e.Detail, "EUR")
	trial, err := s.view().TryDiscount(other.ID, "TEN", s.now)
	require.NoError(t, err)
	require.Equal(t, CodeDiscountNotApplicable, trial.Reason)
	require.Equal(t, "JPY", s.do(PatchDiscountCode{ID: code.ID, Value: Some[int64](20)}).(*DiscountCode).Currency)
	require.EqualValues(t, 20, s.do(ApplyDiscount{Order: other.ID, Code: "TEN"}).(*Discounted).Applied)
	require.EqualValues(t, "", percent.Currency)
	s.do(ApplyDiscount{Order: other.ID, Code: "HALF"})
	require.Empty(t, s.do(PatchDiscountCode{ID: code.ID, ValueType: Some(DiscountPercentage), Value: Some[int64](5)}).(*DiscountCode).Currency)
	row := s.do(CreatePricingRow{Table: table, Label: "Day", Purchase: PurchaseBooking, Price: 7}).(*PricingRow)
	require.Equal(t, "JPY", row.Currency)
	s.reopen()
}

// No command leaves such a row.
func TestNothingIsSoldByARowOfAnotherCurrency(t *testing.T) {
	s := newShop(t)
	table, rows := s.tariff(1000)
	item, _ := s.item(table)
	s.do(relabelled{table, "JPY"})
	in := s.unpricedRental(OrderOpen, item, s.now+day, s.now+2*day, 1)
	e := s.refused(CodeInvalid, in)
	require.Equal(t, "required", e.Faults[0].Code, "no row fits")
	in.Lines[0].PricingRow = &rows[0]
	e = s.refused(CodeInvalid, in)
	require.Equal(t, Fault{Pointer: "/lineItems/0/pricingRowId", Code: "currency", Message: "is a row in JPY, the order is in EUR"}, e.Faults[0])
	in.Lines[0].PricingRow, in.Lines[0].UnitPrice = nil, ptr(int64(5))
	o := s.do(in).(*OrderRecord)
	s.refused(CodeInvalid, PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, PricingRow: Some(rows[0])})
}

// relabelled leaves the rows of a table in some currency, or in none, as an older program wrote them.
type relabelled struct {
	ID       ID
	Currency string
}

func (relabelled) Check() []Fault { return nil }
func (relabelled) result() any    { return new(any) }

func (o relabelled) plan(t *tx) (any, error) {
	was := pricingTableKind.in(t.acc).Get(o.ID)
	n := *was
	n.Rows = slices.Clone(was.Rows)
	for i := range n.Rows {
		n.Rows[i].Currency = o.Currency
	}
	record(t, pricingTableKind, was, &n)
	for d := range t.acc.discounts().All() {
		n := *d
		n.Currency = ""
		record(t, discountKind, d, &n)
	}
	return nil, nil
}

func TestRowsAndCodesOfAnOlderProgramGetTheirCurrencyAtTheStart(t *testing.T) {
	s := newShop(t)
	table, _ := s.tariff(1000)
	code := s.do(CreateDiscountCode{DiscountTerms{Code: "TEN", ValueType: DiscountPerOrder, Value: 10}}).(*DiscountCode)
	percent := s.do(CreateDiscountCode{DiscountTerms{Code: "HALF", ValueType: DiscountPercentage, Value: 50}}).(*DiscountCode)
	was := s.view().PricingTable(table)
	s.do(relabelled{ID: table})
	require.Empty(t, s.view().PricingTable(table).Rows[0].Currency)
	s.do(nudge{})
	require.Equal(t, was, s.view().PricingTable(table))
	require.Equal(t, "EUR", s.view().DiscountCode(code.ID).Currency)
	require.Empty(t, s.view().DiscountCode(percent.ID).Currency)
	s.reopen()
}

func TestIncomeIsOfTheAccountsCurrency(t *testing.T) {
	s := newShop(t)
	bike := Item{SKU: s.sku()}
	a := s.article(bike.SKU, 1)
	earns := func(currency string, price, wanted int64) {
		t.Helper()
		s.do(PatchAccount{Currency: Some(currency)})
		op := s.rental(OrderOpen, bike, s.now+hour, s.now+2*hour, 1)
		op.Lines[0].UnitPrice = &price
		o := s.do(op).(*OrderRecord)
		s.now += hour
		s.do(FulfillOrder{ID: o.ID})
		s.now += hour / 2
		s.do(ReturnOrder{ID: o.ID})
		s.now += day
		require.Equal(t, []int64{wanted}, s.earned(a))
		q := ArticleQuery{Window: Span{Start: s.now, End: s.now}, Active: true, Limit: 10, Filters: []Filter{{Field: FieldItemIncome, Operator: Equal, Values: []Value{numeric(float64(wanted))}}}}
		page, _, err := s.view().ListArticles(&q, nil)
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
func (s *shop) rentNow(i Item) string {
	return s.rent(i, s.now+day, s.now+2*day, 1).Currency.String()
}
