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
	f, tags := newForgetter(s.Engine), 0
	require.Eventually(s.T, func() bool {
		tags++
		s.tag("x"+base.Itoa(tags), label.TagOrders) // the fold goes on
		_, err := f.forget(context.Background())
		require.NoError(s.T, err)
		return !commerce.CustomerByID(s.view(), customer).Traces
	}, 10*time.Second, 10*time.Millisecond)
}

// erasedAgain says that the start after a restore would erase a customer.
func (s *shop) erasedAgain(customer base.ID) (found bool) {
	s.T.Helper()
	require.NoError(s.T, s.store.ScanUnlogged(func(key, _ []byte) error {
		found = found || bytes.Equal(key, erasedMark(s.acc, customer).Key)
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
	require.True(t, s.erasedAgain(ann), "from its answer on")
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
	for _, to := range []string{"Terms", "Privacy"} {
		in.Consents = append(in.Consents, order.Consent{Label: ptr(to), IPAddress: ptr(secret), UserAgent: ptr(secret)})
	}
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

	erase := Command{Account: s.acc, Actor: "test", Op: EraseCustomer{ID: ann},
		Idem: &Idempotency{Key: base.MakeID(s.now, base.Base{Lo: 78})}}
	res, err = s.Do(erase)
	require.NoError(t, err)
	m := res.Record.(*commerce.Customer)
	require.Equal(t, s.now, m.ErasedAt)
	require.True(t, m.Contact.Anonymous())
	r := order.OrderByID(s.view(), o.ID)
	require.Equal(t, o.Revision+2, r.Revision)
	require.Equal(t, s.now, r.UpdatedAt)
	require.Equal(t, ann, r.Customer)
	require.Equal(t, "Ben", r.Rest().Customers[1].Name())
	require.Len(t, r.Rest().Consents, 2)
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
	res, err = s.Do(erase)
	require.NoError(t, err)
	require.True(t, res.Replayed)
	require.Equal(t, m, res.Record)
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

// So are large ones, of which one command could not write as many. The plan of the first part is made off the writer.
func TestLargeOrdersAreErasedInParts(t *testing.T) {
	long(t)
	s := newShop(t)
	s.bounded(base.Bounds{Bytes: 24 << 20})
	ann := s.customer("Annabella", "ann@example.com")
	in := s.rental(order.OrderDraft, base.Item{SKU: s.sku()}, s.now+day, s.now+2*day, 1)
	in.Customer, in.Lines[0].Note = &ann, ptr(strings.Repeat("a", 10_000))
	for len(in.Lines) < 100 {
		in.Lines = append(in.Lines, in.Lines[0])
	}
	for range 10 {
		s.do(order.CancelOrder{ID: s.do(in).(*order.OrderRecord).ID})
	}
	erasure := EraseCustomer{ID: ann}
	require.Greater(t, erasure.Size(s.view().Acc), base.Bounds{}.WithDefaults().Offload)
	s.do(erasure)
	require.NotZero(t, commerce.CustomerByID(s.view(), ann).Erasing)
	s.do(nudge{})
	require.Zero(t, commerce.CustomerByID(s.view(), ann).Erasing)
	for o := range order.Orders(s.view()).All() {
		require.True(t, o.Contact.Anonymous())
	}
	s.reopen()
}

// folded waits until the rows on disk are as far as the log.
func (s *shop) folded() {
	s.T.Helper()
	seq, _ := s.State()
	require.Eventually(s.T, func() bool { return s.store.Marker().Seq >= seq }, 20*time.Second, time.Millisecond)
}

// answered records that an endpoint repeats a body in its answer.
func (s *shop) answered(d *outbox.Delivery, body base.ID, text []byte, status int) *outbox.Delivery {
	s.T.Helper()
	n := outbox.DeliveryByID(s.view(), d.ID).Attempts + 1
	s.do(outbox.RecordAttempts{Outcomes: []outbox.Outcome{{Delivery: d.ID, Body: body, Sent: len(text),
		Attempt: outbox.Attempt{Number: n, At: s.now, Status: status, Answer: text}}}})
	return outbox.DeliveryByID(s.view(), d.ID)
}

// details are the bytes of a delivery as it is now, and what was answered to each attempt.
func (s *shop) details(d *outbox.Delivery) (body string, answers []string) {
	s.T.Helper()
	b, attempts, err := s.DeliveryDetails(s.view(), outbox.DeliveryByID(s.view(), d.ID))
	require.NoError(s.T, err)
	for _, a := range attempts {
		answers = append(answers, string(a.Answer))
	}
	return string(b), answers
}

// An endpoint may answer with what it was sent. What was answered to a body that is blanked goes with it, for all its
// deliveries, also where the attempt was under way.
func TestAnErasureReachesAnswersOfEndpoints(t *testing.T) {
	s := newShop(t)
	a, b := s.hook(base.OrderCreated), s.hook(base.OrderCreated)
	ann := s.customer("Annabella", "ann@example.com")
	s.do(emitting{typ: base.OrderCreated, order: base.ID{1}})
	s.do(emitting{typ: base.OrderCreated, order: base.ID{1}, data: `{"id":"` + ann.String() + `","is":"Annabella"}`})
	other, first, second := s.log(a, 0)[1], s.log(a, 0)[0], s.log(b, 0)[0]
	require.Equal(t, first.Body, second.Body)
	text, _ := s.details(first)
	s.answered(other, other.Body, []byte("other"), 200)
	s.answered(first, first.Body, []byte(text), 500)
	s.answered(first, first.Body, []byte(text), 200)
	before := s.view()
	s.now++
	s.do(EraseCustomer{ID: ann})
	s.erasureOver(ann)
	blank, answers := s.details(first)
	require.Contains(t, blank, `"data":null}`)
	require.Equal(t, []string{"", ""}, answers)
	is := outbox.DeliveryByID(s.view(), first.ID)
	require.Equal(t, len(blank)+2*outbox.RowSize, int(is.Size))
	require.Equal(t, [2]any{outbox.DeliveryDone, 200}, [2]any{is.State, is.Status})
	was, _, err := s.DeliveryDetails(before, second)
	require.NoError(t, err)
	require.Equal(t, blank, string(was), "also for who had looked before")
	call, err := s.Call(before, second, s.now)
	require.NoError(t, err)
	require.Equal(t, blank, string(call.Body))
	_, answers = s.details(other)
	require.Equal(t, []string{"other"}, answers)

	late := s.answered(second, second.Body, []byte(text), 500) // begun before
	_, answers = s.details(second)
	require.Equal(t, []string{""}, answers)
	require.Less(t, int(late.Size), len(text)+outbox.RowSize)
	s.answered(second, call.Of, []byte("fine"), 200)
	_, answers = s.details(second)
	require.Equal(t, []string{"", "fine"}, answers)
	s.reopen()
	s.now += outbox.LogFor + 1
	require.NoError(t, s.TrimDeliveries(t.Context()))
	require.Empty(t, s.log(a, 0))
	s.reopen()
}

// An attempt may be recorded between the reading of answers and the command that empties them.
func TestAnAnswerThatComesMeanwhileIsNotPassedOver(t *testing.T) {
	s := newShop(t)
	w := s.hook(base.OrderCreated)
	d := s.emitted(base.OrderCreated, w)
	shown := func() outbox.Shown {
		body, err := base.ReadStored(s.store, outbox.BodyKind, s.acc, d.Body)
		require.NoError(t, err)
		text, err := body.Text()
		require.NoError(t, err)
		read, err := outbox.ShownOf(s.store, s.acc, body, text, []*outbox.Delivery{outbox.DeliveryByID(s.view(), d.ID)})
		require.NoError(t, err)
		return read
	}
	o := blankTraces{events: []outbox.Shown{shown()}}
	s.attempt(d, 500, 0)
	s.refused(base.CodeOverloaded, o)
	o = blankTraces{events: []outbox.Shown{shown()}}
	s.do(o)
	_, answers := s.details(d)
	require.Equal(t, []string{""}, answers)
	s.do(o) // again: nothing is left of it
	s.reopen()
}

// An account's log is looked through once for all who are erased, in parts between which it is the turn of others.
func TestErasuresGoThroughTheLogTogether(t *testing.T) {
	atOnce := forgetAtOnce
	defer func() { forgetAtOnce = atOnce }()
	s := newShop(t)
	other := s.tenants(1)[0]
	one := func(account base.ID, op base.Op) any {
		res, err := s.Do(Command{Account: account, Actor: "test", Op: op})
		require.NoError(t, err)
		return res.Record
	}
	w := s.hook(base.OrderCreated)
	const customers, events = 20, 300
	late := s.customer("Annabella", "late@example.com")
	s.do(emitting{typ: base.OrderCreated, order: base.ID{1}, data: `{"id":"` + late.String() + `"}`})
	var erased []base.ID
	for i := range customers {
		erased = append(erased, s.customer("Annabella", "ann"+base.Itoa(i)+"@example.com"))
		s.do(emitting{typ: base.OrderCreated, order: base.ID{1}, data: `{"id":"` + erased[i].String() + `"}`})
	}
	s.do(emitting{typ: base.OrderCreated, order: base.ID{1}, times: events})
	for _, m := range erased {
		s.do(emitting{typ: base.OrderCreated, order: base.ID{1}, data: `{"id":"` + m.String() + `"}`})
	}
	s.now++
	for _, m := range erased {
		s.do(EraseCustomer{ID: m})
	}
	ben := one(other, commerce.CreateCustomer{
		Contact: base.Changed(commerce.Contact{FirstName: new("Ben")})}).(*commerce.Customer).ID
	one(other, EraseCustomer{ID: ben})
	s.folded()
	left := func(account base.ID) int {
		v, _ := s.View(account)
		n := 0
		for range commerce.CustomerTable(v.Acc).By(commerce.CustomerByTraces, "") {
			n++
		}
		return n
	}
	f := newForgetter(s.Engine)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	p, err := f.begin(s.view(), f.of(s.acc))
	require.NoError(t, err)
	require.ErrorIs(t, f.forgetEvents(ctx, s.view(), p), context.Canceled, "no delivery is waited for")
	require.Equal(t, customers, left(s.acc))
	const parts = 10
	forgetAtOnce = int(outbox.Calls(s.view().Acc).Bytes) / parts
	more, err := f.forget(t.Context())
	require.NoError(t, err)
	require.True(t, more)
	s.do(EraseCustomer{ID: late})
	for i := 1; more; i++ {
		require.LessOrEqual(t, i, parts)
		require.Equal(t, customers+1, left(s.acc))
		s.folded()
		more, err = f.forget(t.Context())
		require.NoError(t, err)
		require.Zero(t, left(other), "it does not wait for the large account")
	}
	require.Equal(t, 1, left(s.acc), "who was erased meanwhile is left to the next time")
	s.folded()
	for more = true; more; {
		more, err = f.forget(t.Context())
		require.NoError(t, err)
	}
	require.Zero(t, left(s.acc))
	require.Zero(t, s.rowsWith("Annabella"))
	for _, d := range s.log(w, 0) {
		text, _ := s.details(d)
		require.Contains(t, text, `"data":`)
		require.NotContains(t, text, `{"id":`)
	}
	s.reopen()
}

// A restore to a point before an erasure keeps what lies beside the log: the start does the erasure again.
func TestAnErasureThatWasTakenBackIsDoneAgain(t *testing.T) {
	s := newShop(t)
	ann := s.customer("Annabella", "ann@example.com")
	require.NoError(t, s.store.SetUnlogged([]persist.Pair{erasedMark(s.acc, ann)}))
	s.shut()
	s.open()
	require.NotZero(t, commerce.CustomerByID(s.view(), ann).ErasedAt)
	s.reopen()
}

// unmarked is an erasure whose process ends before its mark is stored.
type unmarked struct{ EraseCustomer }

func (unmarked) mark(*Engine, base.ID) error { return nil }

// The mark of an erasure that a crash has kept from being stored is stored by the first pass; a restore finds it in the
// log behind its point.
func TestAnErasureIsMarkedFromTheLog(t *testing.T) {
	s := newShop(t)
	ann, ben := s.customer("Annabella", "ann@example.com"), s.customer("Ben", "ben@example.com")
	before, _ := s.State()
	s.do(unmarked{EraseCustomer{ID: ann}})
	s.do(commerce.PatchCustomer{ID: ben, Contact: base.Changed(commerce.Contact{FirstName: new("Benedict")})})
	require.False(t, s.erasedAgain(ann))
	s.shut()
	s.back(before)
	s.open()
	require.True(t, s.erasedAgain(ann))
	require.False(t, s.erasedAgain(ben))
	require.NotZero(t, commerce.CustomerByID(s.view(), ann).ErasedAt)

	s.do(unmarked{EraseCustomer{ID: ben}})
	require.False(t, s.erasedAgain(ben))
	_, err := newForgetter(s.Engine).forget(t.Context())
	require.NoError(t, err)
	require.True(t, s.erasedAgain(ben))
	s.reopen()
}
