package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
)

// This file owns the tests of whom holds are for.

func TestAHoldIsForACustomer(t *testing.T) {
	s := newShop(t)
	bike := base.Item{SKU: s.sku()}
	s.article(bike.SKU, 9)
	customer := func(name string) base.ID {
		return s.do(commerce.CreateCustomer{
			Contact: base.Changed(commerce.Contact{FirstName: new(name)})}).(*commerce.Customer).ID
	}
	ann, ben := customer("Ann"), customer("Ben")
	cart := func(of *base.ID) *hold.Hold {
		return s.do(hold.PlaceHold{
			Lines: []hold.HoldLineInput{{Item: bike, Location: s.loc,
				Window: base.Span{Start: s.now + day, End: s.now + 2*day}, Quantity: 1}}, Customer: of}).(*hold.Hold)
	}
	listed := func(of base.ID) (ids []base.ID) {
		page, total := hold.ListHolds(s.view(), &hold.HoldQuery{Customer: &of, Part: base.Part{Limit: 10}})
		for _, h := range page {
			require.Equal(t, of, h.Customer)
			ids = append(ids, h.ID)
		}
		require.Len(t, page, total)
		return ids
	}
	s.refused(base.CodeNotFound,
		hold.PlaceHold{Lines: []hold.HoldLineInput{{Item: bike, Location: s.loc,
			Window: base.Span{Start: s.now + day, End: s.now + 2*day}, Quantity: 1}}, Customer: &bike.SKU})
	first, second, third := cart(&ann), cart(&ben), cart(nil)
	require.Equal(t, []base.ID{ann, {}}, []base.ID{first.Customer, third.Customer})
	require.Equal(t, []base.ID{first.ID}, listed(ann))

	// It is given to another, and to nobody; its lines stay.
	c := s.do(hold.ChangeHold{ID: third.ID, Customer: base.Some(ann)}).(*hold.Hold)
	require.Equal(t, third.Lines, c.Lines)
	require.NotEqual(t, third.Revision, c.Revision)
	require.Equal(t, []base.ID{first.ID, third.ID}, listed(ann))
	s.reopen()
	s.refused(base.CodeNotFound, hold.ChangeHold{ID: third.ID, Customer: base.Some(bike.SKU)})
	c = s.do(hold.ChangeHold{ID: third.ID, Customer: base.Null[base.ID]()}).(*hold.Hold)
	require.Equal(t, []any{base.ID{}, third.Revision}, []any{c.Customer, c.Revision})
	require.Nil(t, hold.Holds(s.view().Acc).More.Get(third.ID), "it is as small as it was")
	require.Equal(t, []base.ID{first.ID}, listed(ann))
	s.do(hold.ChangeHold{ID: third.ID, Customer: base.Some(ann),
		Change: []hold.HoldLineChange{{Line: 0, Quantity: ptr(2)}}})

	// It keeps its customer, with the count, until it has ended.
	require.Equal(t, base.InUseDetails{Resource: "hold", Count: 2},
		s.refused(base.CodeInUse, commerce.DeleteCustomer{ID: ann}).Details)
	require.Equal(t, base.InUseDetails{Resource: "hold", Count: 2},
		s.refused(base.CodeInUse, EraseCustomer{ID: ann}).Details)

	// The order of it is for its customer, unless another is named. Of holds for several one has to be named.
	require.Equal(t, []string{"/customerId"},
		pointers(s.refused(base.CodeInvalid, order.OrderHold{Holds: []base.ID{first.ID, second.ID, third.ID}})))
	o := s.do(order.OrderHold{Holds: []base.ID{first.ID, cart(nil).ID}}).(*order.OrderRecord)
	require.Equal(t, []any{ann, "Ann"}, []any{o.Customer, *o.Contact.FirstName})
	o = s.do(order.OrderHold{Holds: []base.ID{second.ID, third.ID},
		OrderInput: order.OrderInput{Customer: &ben}}).(*order.OrderRecord)
	require.Equal(t, ben, o.Customer)
	require.Equal(t, base.InUseDetails{Resource: "order", Count: 1},
		s.refused(base.CodeInUse, EraseCustomer{ID: ann}).Details)
	require.Equal(t, []base.ID{first.ID, third.ID}, listed(ann), "those that have ended answer for a day")
	s.reopen()
	s.tick(s.now + 2*day)
	require.Empty(t, listed(ann))
	require.Zero(t, hold.Holds(s.view().Acc).More.Len())
}

// What is over is in nobody's way, and an order of it is for its customer only while there is one.
func TestAHoldThatIsOverLetsItsCustomerGo(t *testing.T) {
	s := newShop(t)
	bike := base.Item{SKU: s.sku()}
	s.article(bike.SKU, 2)
	var holds []base.ID
	var people []base.ID
	for range 2 {
		m := s.do(commerce.CreateCustomer{
			Contact: base.Changed(commerce.Contact{FirstName: new("Ann")})}).(*commerce.Customer).ID
		h := s.do(hold.PlaceHold{
			Lines: []hold.HoldLineInput{{Item: bike, Location: s.loc,
				Window: base.Span{Start: s.now + hour, End: s.now + day}, Quantity: 1}}, Customer: &m}).(*hold.Hold)
		holds, people = append(holds, h.ID), append(people, m)
		s.refused(base.CodeInUse, commerce.DeleteCustomer{ID: m})
	}
	s.tick(s.now + 2*day)
	s.do(commerce.DeleteCustomer{ID: people[0]})
	s.do(EraseCustomer{ID: people[1]})
	for _, id := range holds {
		require.Zero(t, s.do(order.OrderHold{Holds: []base.ID{id}}).(*order.OrderRecord).Customer)
	}
}

// An archive whose records get other ids has the holds be for the same people.
func TestAHoldIsForTheSameOneUnderOtherIDs(t *testing.T) {
	r := &hold.HoldRecord{ID: base.MakeID(1, base.Base{Lo: 1}), Customer: base.MakeID(1, base.Base{Lo: 2}),
		Status: hold.Confirmed,
		Lines:  []hold.LineRow{{DenseLine: hold.DenseLine{To: 1, Item: 1, Location: 1, Quantity: 1, Units: 1}}}}
	shift := base.ShiftOf(base.Base{Lo: 1}, base.Base{Lo: 9}, []byte("seed"))
	x, err := hold.HoldKind.Moved(base.ID{}, base.Image{Tag: base.TagHold, ID: r.ID, Value: hold.EncodeHold(nil, r)},
		shift)
	require.NoError(t, err)
	n, err := hold.DecodeHold(base.ID{}, x.ID, x.Value)
	require.NoError(t, err)
	require.Equal(t, []base.ID{shift.Of(r.ID), shift.Of(r.Customer)}, []base.ID{n.ID, n.Customer})
}
