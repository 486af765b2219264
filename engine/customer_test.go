package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
)

// This file holds customers.

func TestCustomers(t *testing.T) {
	s := newShop(t)
	vip, other := s.tag("VIP", label.TagCustomers), s.tag("x", label.TagInventory)
	s.attribute("note", label.FormatText)
	address := commerce.ContactAddress{Address: base.Address{Address: "Main Street 1", ZipCode: "1000", City: "Lisboa",
		Country: "PT", State: "LX", Details: "2nd floor"}, DeliveryNotes: "ring twice"}
	full := base.Changed(commerce.Contact{FirstName: new("Ann"), LastName: new("Lee"), Email: new("ann@example.com"),
		Phone: new("+351 1"), MarketingConsent: true, DateOfBirth: new("1980-02-29"), BillingAddress: &address,
		ShippingAddress: &commerce.ContactAddress{}, CustomerType: commerce.Business, CompanyName: new("Lee Ltd"),
		TaxID: new("PT1"), Language: new("pt-PT")})
	labels := values("note", text("n"))
	labels.Tags = base.Some([]base.ID{vip})
	m := s.do(commerce.CreateCustomer{Contact: full, Labels: labels}).(*commerce.Customer)
	require.Equal(t, "Ann Lee", m.Name())
	require.Equal(t, address, *m.BillingAddress)
	require.Equal(t, commerce.ContactAddress{}, *m.ShippingAddress)
	require.Equal(t, []base.ID{vip}, m.Tags)
	s.reopen()
	require.Equal(t, m, commerce.CustomerByID(s.view(), m.ID))

	s.now += hour
	n := s.do(commerce.PatchCustomer{ID: m.ID, IfMatch: []uint64{1},
		Contact: base.Changed(commerce.Contact{}, "lastName", "customerType", "marketingConsent",
			"billingAddress")}).(*commerce.Customer)
	require.Equal(t, "Ann", n.Name())
	require.Equal(t, commerce.Individual, n.CustomerType)
	require.False(t, n.MarketingConsent)
	require.Nil(t, n.BillingAddress)
	require.Equal(t, m.ShippingAddress, n.ShippingAddress)
	require.Equal(t, m.Labels, n.Labels)
	require.Equal(t, [2]uint64{2, uint64(noon + hour)}, [2]uint64{n.Revision, uint64(n.UpdatedAt)})
	require.Equal(t, "Dr Ann",
		s.do(commerce.PatchCustomer{ID: m.ID,
			Contact: base.Changed(commerce.Contact{FullName: new("Dr Ann")})}).(*commerce.Customer).Name())

	s.refused(base.CodePrecondition, commerce.PatchCustomer{ID: m.ID, IfMatch: []uint64{1}})
	s.refused(base.CodePrecondition, commerce.DeleteCustomer{ID: m.ID, IfMatch: []uint64{1}})
	s.refused(base.CodeNotFound, commerce.PatchCustomer{ID: vip})
	s.refused(base.CodeInvalid, label.LinkTags{To: commerce.CustomerLabels, ID: m.ID, Tags: []base.ID{other}})
	require.Equal(t, []string{""},
		pointers(s.refused(base.CodeInvalid,
			commerce.CreateCustomer{Contact: base.Changed(commerce.Contact{TaxID: new("x")}, "firstName")})))
	nobody := base.Changed(commerce.Contact{}, "firstName", "lastName", "fullName", "email", "phone", "companyName")
	require.Equal(t, []string{""},
		pointers(s.refused(base.CodeInvalid, commerce.PatchCustomer{ID: m.ID, Contact: nobody})))
	nobody.To.Phone = new("1")
	require.Empty(t, s.do(commerce.PatchCustomer{ID: m.ID, Contact: nobody}).(*commerce.Customer).Name())

	s.do(label.DeleteTag{ID: vip})
	require.Empty(t, commerce.CustomerByID(s.view(), m.ID).Tags)
	require.Nil(t, s.do(commerce.DeleteCustomer{ID: m.ID}))
	s.refused(base.CodeNotFound, commerce.DeleteCustomer{ID: m.ID})
	require.Zero(t, commerce.Customers(s.view()).Len())
	s.reopen()
}

// A customer whom an order names beside its main contact is one whom it refers to, until it is closed or names another.
func TestOrdersReferToAllWhomTheyName(t *testing.T) {
	s := newShop(t)
	bike := base.Item{SKU: s.sku()}
	s.article(bike.SKU, 1)
	customer := func(name string) base.ID {
		return s.do(commerce.CreateCustomer{
			Contact: base.Changed(commerce.Contact{FirstName: new(name)})}).(*commerce.Customer).ID
	}
	main, beside, other := customer("Ann"), customer("Ben"), customer("Cleo")
	in := s.rental(order.OrderOpen, bike, s.now+day, s.now+2*day, 1)
	in.Customer = &main
	in.Customers = []order.OrderCustomerInput{{Customer: &beside}, {Customer: &main}, {Customer: &beside},
		{Contact: base.Changed(commerce.Contact{FirstName: new("Dan")})}}
	o := s.do(in).(*order.OrderRecord)
	orders := func(id base.ID) (numbers []uint32) {
		list, total := order.ListOrders(s.view(), &order.OrderQuery{Customer: &id, Active: true, Limit: 10})
		require.Len(t, list, total)
		for _, o := range list {
			numbers = append(numbers, o.Number)
		}
		return numbers
	}
	for range 2 {
		require.Equal(t, [][]uint32{{1}, {1}, nil}, [][]uint32{orders(main), orders(beside), orders(other)})
		s.refused(base.CodeInUse, commerce.DeleteCustomer{ID: main})
		s.refused(base.CodeInUse, commerce.DeleteCustomer{ID: beside})
		s.reopen()
	}
	s.do(order.PatchOrder{ID: o.ID,
		Fields: base.Changed(order.OrderInput{Customers: []order.OrderCustomerInput{{Customer: &other}}})})
	require.Equal(t, [][]uint32{{1}, nil, {1}}, [][]uint32{orders(main), orders(beside), orders(other)})
	s.do(commerce.DeleteCustomer{ID: beside})
	s.refused(base.CodeInUse, commerce.DeleteCustomer{ID: other})
	s.do(order.CancelOrder{ID: o.ID})
	s.do(commerce.DeleteCustomer{ID: other})
	s.reopen()
}

func TestFaultsOfContacts(t *testing.T) {
	s := newShop(t)
	long := strings.Repeat("x", 256)
	e := s.refused(base.CodeInvalid,
		commerce.CreateCustomer{
			Contact: base.Changed(commerce.Contact{FirstName: new(""), LastName: new(long), Phone: new(long),
				CompanyName: new(long), TaxID: new(long), Email: new("ann"), DateOfBirth: new("1981-02-29"),
				Language: new("portuguese!"), CustomerType: commerce.CustomerType("firm"),
				BillingAddress:  &commerce.ContactAddress{Address: base.Address{City: long}},
				ShippingAddress: &commerce.ContactAddress{DeliveryNotes: strings.Repeat("x", base.MaxNote+1)}})})
	require.Equal(t, []string{"/firstName", "/lastName", "/email", "/phone", "/dateOfBirth", "/billingAddress/city",
		"/shippingAddress/deliveryNotes", "/customerType", "/companyName", "/taxId", "/language"}, pointers(e))
	for _, good := range []string{"a@b", "first.last+tag@sub.example.com", "ü@example.com"} {
		require.True(t, base.IsEmail(good), good)
	}
	for _, bad := range []string{"", "a", "@b", "a@", "a b@c.d", "Ann <a@b.c>", " a@b.c", "a@b.c ", "a@b.c, d@e.f",
		strings.Repeat("a", 251) + "@b.c"} {
		require.False(t, base.IsEmail(bad), bad)
	}
	for _, good := range []string{"en", "pt-BR", "zh-Hant-TW", "sl-rozaj-biske-1994"} {
		require.True(t, base.IsLanguage(good), good)
	}
	for _, bad := range []string{"", "e", "1a", "en-", "-en", "en_US", "english-language-of-thirty-six-letters",
		"en-toolongpart", "e n"} {
		require.False(t, base.IsLanguage(bad), bad)
	}
}

// A day is one of the years 1 to 9999, as there was no year 0.
func TestDaysOfAYearThatThereWas(t *testing.T) {
	s := newShop(t)
	born := func(day string) commerce.CreateCustomer {
		return commerce.CreateCustomer{Contact: base.Changed(commerce.Contact{FirstName: new("Ann"),
			DateOfBirth: new(day)})}
	}
	for _, day := range []string{"0000-01-01", "0000-02-29", "0001-02-29", "10000-01-01"} {
		require.Equal(t, []string{"/dateOfBirth"}, pointers(s.refused(base.CodeInvalid, born(day))), day)
	}
	s.do(born("0001-01-01"))
}

func TestNobodyIsBornInTheFuture(t *testing.T) {
	s := newShop(t)
	today, tomorrow := "2025-10-09", "2025-10-10"
	born := func(day string) base.Changes[commerce.Contact] {
		return base.Changed(commerce.Contact{FirstName: new("Ann"), DateOfBirth: new(day)})
	}
	c := s.do(commerce.CreateCustomer{Contact: born(today)}).(*commerce.Customer)
	for op, pointer := range map[base.Op]string{
		&commerce.CreateCustomer{Contact: born(tomorrow)}:          "/dateOfBirth",
		&commerce.PatchCustomer{ID: c.ID, Contact: born(tomorrow)}: "/dateOfBirth",
		&order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc,
			Contact: &order.MainContact{Changes: born(tomorrow)}}}: "/mainContact/dateOfBirth",
		&order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc,
			Customers: []order.OrderCustomerInput{{Contact: born(tomorrow)}}}}: "/customers/0/dateOfBirth",
	} {
		require.Equal(t, []base.Fault{{Pointer: pointer, Code: "range", Message: "must not lie ahead"}},
			s.refused(base.CodeInvalid, op).Faults)
	}
}
