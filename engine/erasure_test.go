package engine

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/persist"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of erasures.

// rowsWith counts the stored rows that have a text, as of the end of the log.
func (s *shop) rowsWith(text string) (n int) {
	s.T.Helper()
	require.NoError(s.T, s.store.ScanTables(1, 0, 255, func(_ int, tag byte, key, value []byte) error {
		latest, ok, err := s.store.Row(tag, key)
		if err != nil || !ok {
			return err
		}
		if tag == base.TagBody {
			b, err := outbox.BodyKind.Decode(base.ID{}, base.ID(key[16:]), latest)
			if err != nil {
				return err
			}
			if latest, err = b.Text(); err != nil {
				return err
			}
		}
		if strings.Contains(string(latest), text) {
			n++
		}
		return nil
	}))
	return n
}

// erasureOver waits until the erasure of a customer is over: what is on disk alone follows when the rows there are as
// far.
func (s *shop) erasureOver(customer base.ID) {
	s.T.Helper()
	seen, tags := map[base.ID]uint64{}, 0
	require.Eventually(s.T, func() bool {
		tags++
		s.tag("x"+base.Itoa(tags), label.TagOrders) // the fold goes on
		require.NoError(s.T, s.forgetErased(context.Background(), seen))
		return !commerce.CustomerByID(s.view(), customer).Traces
	}, 10*time.Second, 10*time.Millisecond)
}

// erasedAgain says that the start after a restore would erase a customer.
func (s *shop) erasedAgain(customer base.ID) (found bool) {
	s.T.Helper()
	require.NoError(s.T, s.store.ScanUnlogged(func(key, _ []byte) error {
		found = found || bytes.Equal(key, erasedKey(s.acc, customer))
		return nil
	}))
	return found
}

// A customer who is being erased stays until nothing names them: what is left to do is found by their record.
func TestWhoIsBeingErasedIsNotDeleted(t *testing.T) {
	s := newShop(t)
	s.shut()
	s.payload = func(_ string, r any) []byte { return base.MustJSON(r) }
	s.open()
	s.hook(base.OrderCreated)
	sku := s.sku()
	const secret = "Annabella"
	ann := s.customer(secret, "ann@example.com")
	for i := range eraseAtOnce + 1 {
		in := s.rental(order.OrderDraft, base.Item{SKU: sku}, s.now+day, s.now+2*day, 1)
		in.Customer = &ann
		key := Idempotency{Key: base.MakeID(s.now, base.Base{Lo: 1000 + uint64(i)})}
		res, err := s.Do(Command{Account: s.acc, Actor: "test", Op: in, Idem: &key})
		require.NoError(t, err)
		s.do(order.CancelOrder{ID: res.Record.(*order.OrderRecord).ID})
	}
	s.now++
	s.do(EraseCustomer{ID: ann})
	require.NotZero(t, commerce.CustomerByID(s.view(), ann).Erasing)
	s.do(nudge{})
	require.Zero(t, commerce.CustomerByID(s.view(), ann).Erasing)
	e := s.refused(base.CodeStateNotAllowed, commerce.DeleteCustomer{ID: ann})
	require.Equal(t, base.StateDetails{State: "erasing", Allowed: []string{}}, e.Details)
	require.False(t, s.erasedAgain(ann))
	s.erasureOver(ann)
	s.do(commerce.DeleteCustomer{ID: ann})
	require.Zero(t, s.rowsWith(secret))
	require.True(t, s.erasedAgain(ann), "also where a restore brings the record back")
	s.reopen()
}

func TestErasureReachesAllThatIsKept(t *testing.T) {
	s := newShop(t)
	s.shut()
	s.payload = func(_ string, r any) []byte { return base.MustJSON(r) }
	s.open()
	hook := s.hook(base.OrderCreated)
	bike := base.Item{SKU: s.sku()}
	s.article(bike.SKU, 2)
	const secret = "Annabella"
	ann := s.customer(secret, "ann@example.com")
	in := s.rental(order.OrderOpen, bike, s.now+day, s.now+2*day, 1)
	in.Customer = &ann
	in.Fields = []order.CheckoutField{{Name: "Size", Value: &order.CheckoutValue{Text: secret}}}
	in.Consents = []order.Consent{{Label: ptr("Terms"), IPAddress: ptr(secret), UserAgent: ptr(secret)}}
	in.Documents = []order.OrderDocument{{Type: "id", Name: secret}}
	in.Customers = []order.OrderCustomerInput{{Customer: &ann},
		{Contact: base.Changed(commerce.Contact{FirstName: new("Ben")})}}
	in.Lines[0].Fields = []order.CheckoutField{{Name: "Height", Value: &order.CheckoutValue{Text: secret}}}
	key := Idempotency{Key: base.MakeID(s.now, base.Base{Lo: 77})}
	res, err := s.Do(Command{Account: s.acc, Actor: "test", Op: in, Idem: &key})
	require.NoError(t, err)
	o := res.Record.(*order.OrderRecord)
	s.inUse("order", 1, EraseCustomer{ID: ann})
	price, _ := o.Price()
	s.do(order.CancelOrder{ID: o.ID})
	s.now += day

	m := s.do(EraseCustomer{ID: ann}).(*commerce.Customer)
	require.Equal(t, s.now, m.ErasedAt)
	require.True(t, m.Contact.Anonymous())
	r := order.OrderByID(s.view(), o.ID)
	require.Equal(t, o.Revision+2, r.Revision)
	require.Equal(t, s.now, r.UpdatedAt)
	require.Equal(t, ann, r.Customer)
	require.Equal(t, "Ben", r.Rest().Customers[1].Name())
	require.Len(t, r.Rest().Consents, 1)
	after, _ := r.Price()
	require.Equal(t, price, after)
	s.refused(base.CodeStateNotAllowed,
		commerce.PatchCustomer{ID: ann, Contact: base.Changed(commerce.Contact{FirstName: new("x")})})
	s.refused(base.CodeStateNotAllowed, in)
	require.Equal(t, m, s.do(EraseCustomer{ID: ann}))

	s.erasureOver(ann)
	require.Zero(t, s.rowsWith(secret))
	list, _ := outbox.Deliveries(s.view(), hook.ID, 0, 0, 10)
	body, _, err := s.DeliveryDetails(s.view(), list[0])
	require.NoError(t, err)
	require.Contains(t, string(body), `"data":null}`)
	_, err = s.Do(Command{Account: s.acc, Actor: "test", Op: in, Idem: &Idempotency{Key: key.Key}})
	require.Equal(t, base.CodeIdempotencyReused, err.(*base.Error).Code)
	s.reopen()
}

func TestManyOrdersAreErasedInParts(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	ann := s.customer("Annabella", "ann@example.com")
	for range eraseAtOnce + 5 {
		in := s.rental(order.OrderDraft, base.Item{SKU: sku}, s.now+day, s.now+2*day, 1)
		in.Customer = &ann
		s.do(order.CancelOrder{ID: s.do(in).(*order.OrderRecord).ID})
	}
	s.do(EraseCustomer{ID: ann})
	left := func() (n int) {
		for o := range order.Orders(s.view()).All() {
			if !o.Contact.Anonymous() {
				n++
			}
		}
		return n
	}
	require.Equal(t, 5, left())
	s.do(nudge{})
	require.Zero(t, left())
	require.Zero(t, commerce.CustomerByID(s.view(), ann).Erasing)
	s.reopen()
}

// A restore to a point before an erasure keeps what lies beside the log: the start does the erasure again.
func TestAnErasureThatWasTakenBackIsDoneAgain(t *testing.T) {
	s := newShop(t)
	ann := s.customer("Annabella", "ann@example.com")
	require.NoError(t, s.store.SetUnlogged([]persist.Pair{{Key: erasedKey(s.acc, ann), Value: []byte{1}}}))
	s.shut()
	s.open()
	require.NotZero(t, commerce.CustomerByID(s.view(), ann).ErasedAt)
	s.reopen()
}
