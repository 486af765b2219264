package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds customers.

func TestCustomers(t *testing.T) {
	s := newShop(t)
	vip, other := s.tag("VIP", TagCustomers), s.tag("x", TagInventory)
	s.attribute("note", FormatText)
	address := ContactAddress{Address: Address{Address: "Main Street 1", ZipCode: "1000", City: "Lisboa", Country: "PT", State: "LX", Details: "2nd floor"}, DeliveryNotes: "ring twice"}
	full := ContactPatch{
		FirstName: Some("Ann"), LastName: Some("Lee"), Email: Some("ann@example.com"), Phone: Some("+351 1"), MarketingConsent: Some(true), DateOfBirth: Some("1980-02-29"),
		BillingAddress: Some(address.Patch()), ShippingAddress: Some(ContactAddressPatch{}), CustomerType: Some(Business), CompanyName: Some("Lee Ltd"), TaxID: Some("PT1"), Language: Some("pt-PT"),
	}
	labels := values("note", text("n"))
	labels.Tags = Some([]ID{vip})
	m := s.do(CreateCustomer{Contact: full, Labels: labels}).(*Customer)
	require.Equal(t, "Ann Lee", m.Name())
	require.Equal(t, address, *m.BillingAddress)
	require.Equal(t, ContactAddress{}, *m.ShippingAddress)
	require.Equal(t, []ID{vip}, m.Tags)
	s.reopen()
	require.Equal(t, m, s.view().Customer(m.ID))

	s.now += hour
	n := s.do(PatchCustomer{ID: m.ID, IfMatch: []uint64{1}, Contact: ContactPatch{LastName: Null[string](), CustomerType: Null[CustomerType](), MarketingConsent: Null[bool](), BillingAddress: Null[ContactAddressPatch]()}}).(*Customer)
	require.Equal(t, "Ann", n.Name())
	require.Equal(t, Individual, n.CustomerType)
	require.False(t, n.MarketingConsent)
	require.Nil(t, n.BillingAddress)
	require.Equal(t, m.ShippingAddress, n.ShippingAddress)
	require.Equal(t, m.Labels, n.Labels)
	require.Equal(t, [2]uint64{2, uint64(noon + hour)}, [2]uint64{n.Revision, uint64(n.UpdatedAt)})
	require.Equal(t, "Dr Ann", s.do(PatchCustomer{ID: m.ID, Contact: ContactPatch{FullName: Some("Dr Ann")}}).(*Customer).Name())

	s.refused(CodePrecondition, PatchCustomer{ID: m.ID, IfMatch: []uint64{1}})
	s.refused(CodePrecondition, DeleteCustomer{ID: m.ID, IfMatch: []uint64{1}})
	s.refused(CodeNotFound, PatchCustomer{ID: vip})
	s.refused(CodeInvalid, LinkTags{To: CustomerLabels, ID: m.ID, Tags: []ID{other}})
	require.Equal(t, []string{""}, pointers(s.refused(CodeInvalid, CreateCustomer{Contact: ContactPatch{TaxID: Some("x"), FirstName: Null[string]()}})))
	nobody := ContactPatch{FirstName: Null[string](), LastName: Null[string](), FullName: Null[string](), Email: Null[string](), Phone: Null[string](), CompanyName: Null[string]()}
	require.Equal(t, []string{""}, pointers(s.refused(CodeInvalid, PatchCustomer{ID: m.ID, Contact: nobody})))
	nobody.Phone = Some("1")
	require.Empty(t, s.do(PatchCustomer{ID: m.ID, Contact: nobody}).(*Customer).Name())

	s.do(DeleteTag{ID: vip})
	require.Empty(t, s.view().Customer(m.ID).Tags)
	require.Nil(t, s.do(DeleteCustomer{ID: m.ID}))
	s.refused(CodeNotFound, DeleteCustomer{ID: m.ID})
	require.Zero(t, s.view().Customers().Len())
	s.reopen()
}

// A customer whom an order names beside its main contact is one whom it refers to, until it is closed or names another.
func TestOrdersReferToAllWhomTheyName(t *testing.T) {
	s := newShop(t)
	bike := Item{SKU: s.sku()}
	s.article(bike.SKU, 1)
	customer := func(name string) ID {
		return s.do(CreateCustomer{Contact: ContactPatch{FirstName: Some(name)}}).(*Customer).ID
	}
	main, beside, other := customer("Ann"), customer("Ben"), customer("Cleo")
	in := s.rental(OrderOpen, bike, s.now+day, s.now+2*day, 1)
	in.Customer = &main
	in.Customers = []OrderCustomerInput{{Customer: &beside}, {Customer: &main}, {Customer: &beside}, {Contact: ContactPatch{FirstName: Some("Dan")}}}
	o := s.do(in).(*OrderRecord)
	orders := func(id ID) (numbers []uint32) {
		list, total := s.view().ListOrders(&OrderQuery{Customer: &id, Active: true, Limit: 10})
		require.Len(t, list, total)
		for _, o := range list {
			numbers = append(numbers, o.Number)
		}
		return numbers
	}
	for range 2 {
		require.Equal(t, [][]uint32{{1}, {1}, nil}, [][]uint32{orders(main), orders(beside), orders(other)})
		s.refused(CodeInUse, DeleteCustomer{ID: main})
		s.refused(CodeInUse, DeleteCustomer{ID: beside})
		s.reopen()
	}
	s.do(PatchOrder{ID: o.ID, Customers: Some([]OrderCustomerInput{{Customer: &other}})})
	require.Equal(t, [][]uint32{{1}, nil, {1}}, [][]uint32{orders(main), orders(beside), orders(other)})
	s.do(DeleteCustomer{ID: beside})
	s.refused(CodeInUse, DeleteCustomer{ID: other})
	s.do(CancelOrder{ID: o.ID})
	s.do(DeleteCustomer{ID: other})
	s.reopen()
}

func TestFaultsOfContacts(t *testing.T) {
	s := newShop(t)
	long := strings.Repeat("x", 256)
	e := s.refused(CodeInvalid, CreateCustomer{Contact: ContactPatch{
		FirstName: Some(""), LastName: Some(long), Phone: Some(long), CompanyName: Some(long), TaxID: Some(long), Email: Some("ann"), DateOfBirth: Some("1981-02-29"), Language: Some("portuguese!"),
		CustomerType: Some[CustomerType]("firm"), BillingAddress: Some(ContactAddress{Address: Address{City: long}}.Patch()), ShippingAddress: Some(ContactAddress{DeliveryNotes: strings.Repeat("x", maxNote+1)}.Patch()),
	}})
	require.Equal(t, []string{"/firstName", "/lastName", "/phone", "/companyName", "/taxId", "/email", "/dateOfBirth", "/language", "/customerType", "/billingAddress/city", "/shippingAddress/deliveryNotes"}, pointers(e))
	for _, good := range []string{"a@b", "first.last+tag@sub.example.com", "ü@example.com"} {
		require.True(t, isEmail(good), good)
	}
	for _, bad := range []string{"", "a", "@b", "a@", "a b@c.d", "Ann <a@b.c>", " a@b.c", "a@b.c ", "a@b.c, d@e.f", strings.Repeat("a", 251) + "@b.c"} {
		require.False(t, isEmail(bad), bad)
	}
	for _, good := range []string{"en", "pt-BR", "zh-Hant-TW", "sl-rozaj-biske-1994"} {
		require.True(t, isLanguage(good), good)
	}
	for _, bad := range []string{"", "e", "1a", "en-", "-en", "en_US", "english-language-of-thirty-six-letters", "en-toolongpart", "e n"} {
		require.False(t, isLanguage(bad), bad)
	}
}

func TestNobodyIsBornInTheFuture(t *testing.T) {
	s := newShop(t)
	today, tomorrow := "2025-10-09", "2025-10-10"
	born := func(day string) ContactPatch { return ContactPatch{FirstName: Some("Ann"), DateOfBirth: Some(day)} }
	c := s.do(CreateCustomer{Contact: born(today)}).(*Customer)
	for op, pointer := range map[Op]string{
		&CreateCustomer{Contact: born(tomorrow)}: "/dateOfBirth", &PatchCustomer{ID: c.ID, Contact: born(tomorrow)}: "/dateOfBirth",
		&CreateOrder{OrderInput: OrderInput{Pickup: s.loc, Contact: ptr(born(tomorrow))}}:                               "/mainContact/dateOfBirth",
		&CreateOrder{OrderInput: OrderInput{Pickup: s.loc, Customers: []OrderCustomerInput{{Contact: born(tomorrow)}}}}: "/customers/0/dateOfBirth",
	} {
		require.Equal(t, []Fault{{Pointer: pointer, Code: "range", Message: "must not lie ahead"}}, s.refused(CodeInvalid, op).Faults)
	}
}
