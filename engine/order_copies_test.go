package engine

import (
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
	s.do(yen)
	s.reopen()
	require.Equal(t, "EUR", s.view().Order(o.ID).Currency.String())
	require.Equal(t, "JPY", s.rentNow(bike))
	s.reopen()
}

// rentNow makes an order and says its currency.
func (s *shop) rentNow(i Item) string {
	return s.rent(i, s.now+day, s.now+2*day, 1).Currency.String()
}
