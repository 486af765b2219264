package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of whom holds are for.

func TestAHoldIsForACustomer(t *testing.T) {
	s := newShop(t)
	bike := Item{SKU: s.sku()}
	s.article(bike.SKU, 9)
	customer := func(name string) ID {
		return s.do(CreateCustomer{Contact: ContactPatch{FirstName: Some(name)}}).(*Customer).ID
	}
	ann, ben := customer("Ann"), customer("Ben")
	cart := func(of *ID) *Hold {
		return s.do(PlaceHold{Lines: []HoldLineInput{{Item: bike, Location: s.loc, Window: Span{Start: s.now + day, End: s.now + 2*day}, Quantity: 1}}, Customer: of}).(*Hold)
	}
	listed := func(of ID) (ids []ID) {
		page, total := s.view().ListHolds(&HoldQuery{Customer: &of, Part: Part{Limit: 10}})
		for _, h := range page {
			require.Equal(t, of, h.Customer)
			ids = append(ids, h.ID)
		}
		require.Len(t, page, total)
		return ids
	}
	s.refused(CodeNotFound, PlaceHold{Lines: []HoldLineInput{{Item: bike, Location: s.loc, Window: Span{Start: s.now + day, End: s.now + 2*day}, Quantity: 1}}, Customer: &bike.SKU})
	first, second, third := cart(&ann), cart(&ben), cart(nil)
	require.Equal(t, []ID{ann, {}}, []ID{first.Customer, third.Customer})
	require.Equal(t, []ID{first.ID}, listed(ann))

	// It is given to another, and to nobody; its lines stay.
	c := s.do(ChangeHold{ID: third.ID, Customer: Some(ann)}).(*Hold)
	require.Equal(t, third.Lines, c.Lines)
	require.NotEqual(t, third.Revision, c.Revision)
	require.Equal(t, []ID{first.ID, third.ID}, listed(ann))
	s.reopen()
	s.refused(CodeNotFound, ChangeHold{ID: third.ID, Customer: Some(bike.SKU)})
	c = s.do(ChangeHold{ID: third.ID, Customer: Null[ID]()}).(*Hold)
	require.Equal(t, []any{ID{}, third.Revision}, []any{c.Customer, c.Revision})
	require.Nil(t, s.view().acc.holds().more.Get(third.ID), "it is as small as it was")
	require.Equal(t, []ID{first.ID}, listed(ann))
	s.do(ChangeHold{ID: third.ID, Customer: Some(ann), Change: []HoldLineChange{{Line: 0, Quantity: ptr(2)}}})

	// It keeps its customer, with the count, until it has ended.
	require.Equal(t, InUseDetails{"hold", 2}, s.refused(CodeInUse, DeleteCustomer{ID: ann}).Details)
	require.Equal(t, InUseDetails{"hold", 2}, s.refused(CodeInUse, EraseCustomer{ID: ann}).Details)

	// The order of it is for its customer, unless another is named. Of holds for several one has to be named.
	require.Equal(t, []string{"/customerId"}, pointers(s.refused(CodeInvalid, OrderHold{Holds: []ID{first.ID, second.ID, third.ID}})))
	o := s.do(OrderHold{Holds: []ID{first.ID, cart(nil).ID}}).(*OrderRecord)
	require.Equal(t, []any{ann, "Ann"}, []any{o.Customer, *o.Contact.FirstName})
	o = s.do(OrderHold{Holds: []ID{second.ID, third.ID}, OrderInput: OrderInput{Customer: &ben}}).(*OrderRecord)
	require.Equal(t, ben, o.Customer)
	require.Equal(t, InUseDetails{"order", 1}, s.refused(CodeInUse, EraseCustomer{ID: ann}).Details)
	require.Equal(t, []ID{first.ID, third.ID}, listed(ann), "those that have ended answer for a day")
	s.reopen()
	s.tick(s.now + 2*day)
	require.Empty(t, listed(ann))
	require.Zero(t, s.view().acc.holds().more.Len())
}

// What is over is in nobody's way, and an order of it is for its customer only while there is one.
func TestAHoldThatIsOverLetsItsCustomerGo(t *testing.T) {
	s := newShop(t)
	bike := Item{SKU: s.sku()}
	s.article(bike.SKU, 2)
	var holds []ID
	var people []ID
	for range 2 {
		m := s.do(CreateCustomer{Contact: ContactPatch{FirstName: Some("Ann")}}).(*Customer).ID
		h := s.do(PlaceHold{Lines: []HoldLineInput{{Item: bike, Location: s.loc, Window: Span{Start: s.now + hour, End: s.now + day}, Quantity: 1}}, Customer: &m}).(*Hold)
		holds, people = append(holds, h.ID), append(people, m)
		s.refused(CodeInUse, DeleteCustomer{ID: m})
	}
	s.tick(s.now + 2*day)
	s.do(DeleteCustomer{ID: people[0]})
	s.do(EraseCustomer{ID: people[1]})
	for _, id := range holds {
		require.Zero(t, s.do(OrderHold{Holds: []ID{id}}).(*OrderRecord).Customer)
	}
}

// An archive whose records get other ids has the holds be for the same people.
func TestAHoldIsForTheSameOneUnderOtherIDs(t *testing.T) {
	r := &holdRecord{id: makeID(1, Base{lo: 1}), customer: makeID(1, Base{lo: 2}), status: Confirmed, lines: []holdLine{{denseLine: denseLine{to: 1, item: 1, location: 1, quantity: 1, units: 1}}}}
	shift := shiftOf(Base{lo: 1}, Base{lo: 9}, []byte("seed"))
	x, err := holdKind.moved(ID{}, image{tagHold, r.id, encodeHold(nil, r)}, shift)
	require.NoError(t, err)
	n, err := decodeHold(ID{}, x.id, x.value)
	require.NoError(t, err)
	require.Equal(t, []ID{shift.Of(r.id), shift.Of(r.customer)}, []ID{n.id, n.customer})
}
