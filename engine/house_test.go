package engine

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
	"holdfast/persist"
)

// This file owns the tests of what is done in all accounts beside the clock: one of them keeps it from no other.

// dead leaves an account a delivery of a webhook that is gone.
func (s *shop) dead(account base.ID) {
	s.T.Helper()
	do := func(op base.Op) any {
		res, err := s.Do(Command{Account: account, Actor: "test", Op: op})
		require.NoError(s.T, err)
		return res.Record
	}
	w := do(outbox.CreateWebhook{EventTypes: []base.HookEvent{base.OrderCreated}, APIVersion: "2025-06",
		Secret: secretOf(1), WebhookFields: outbox.WebhookFields{URL: "https://example.com/"}}).(*outbox.Webhook)
	do(outbox.TestWebhook{ID: w.ID})
	do(outbox.DeleteWebhook{ID: w.ID})
}

// deliveries is how many an account has.
func (s *shop) deliveries(account base.ID) int {
	v, ok := s.View(account)
	require.True(s.T, ok)
	return outbox.DeliveryTable(v.Acc).Len()
}

// crowded has an account have no room for another command, until it is over.
func (s *shop) crowded(account base.ID) (over func()) {
	s.T.Helper()
	_, over = s.large(account, place("First"))
	for range s.queued - 1 {
		s.submit(account, nudge{})
	}
	require.Eventually(s.T, func() bool { return int(s.stats.parked.Load()) == s.queued }, 20*time.Second,
		time.Millisecond)
	return over
}

// crowd is a shop with a small queue, and another account, which comes behind the shop's.
func crowd(t *testing.T) (s *shop, other base.ID) {
	s = newShop(t)
	s.queued = 4
	s.reopen()
	return s, s.tenants(1)[0]
}

func TestDeliveriesAreDroppedBesideACrowdedAccount(t *testing.T) {
	s, other := crowd(t)
	s.dead(s.acc)
	s.dead(other)
	over := s.crowded(s.acc)
	err := s.TrimDeliveries(t.Context())
	require.ErrorIs(t, err, &base.Error{Code: base.CodeOverloaded})
	require.ErrorContains(t, err, s.acc.String())
	require.Zero(t, s.deliveries(other))
	require.Equal(t, 1, s.deliveries(s.acc))
	over()
	require.Eventually(t, func() bool { return s.TrimDeliveries(t.Context()) == nil }, 20*time.Second,
		time.Millisecond)
	require.Zero(t, s.deliveries(s.acc))
}

// An account in which it takes long is not waited for: not in this round, nor in the next.
func TestDeliveriesAreDroppedBesideABusyAccount(t *testing.T) {
	defer func(was time.Duration) { patience = was }(patience)
	patience = 10 * time.Millisecond
	s := newShop(t)
	other := s.tenants(1)[0]
	s.dead(s.acc)
	s.dead(other)
	_, over := s.large(s.acc, place("First"))
	dropped := func() bool {
		return s.inEach(t.Context(), s.trims.beside(s.Engine, s.trim(t.Context()))) == nil && s.deliveries(other) == 0
	}
	require.Eventually(t, dropped, 20*time.Second, time.Millisecond)
	s.dead(other)
	require.Eventually(t, dropped, 20*time.Second, time.Millisecond)
	require.Equal(t, 1, s.deliveries(s.acc))
	over()
	require.Eventually(t, func() bool { return s.deliveries(s.acc) == 0 }, 20*time.Second, time.Millisecond)
}

func TestResultsAreDroppedBesideACrowdedAccount(t *testing.T) {
	s, other := crowd(t)
	s.under(s.acc, 1, place("First"))
	s.under(other, 1, place("First"))
	s.now += idemKept + 1 // behind the instant that the log ended at
	seq, _ := s.State()
	require.Eventually(t, func() bool { return s.store.Marker().Seq >= seq }, 20*time.Second, time.Millisecond)
	over := s.crowded(s.acc)
	require.ErrorIs(t, s.Sweep(t.Context()), &base.Error{Code: base.CodeOverloaded})
	require.Nil(t, s.keptUnder(other, 1))
	require.NotNil(t, s.keptUnder(s.acc, 1))
	over()
	require.Eventually(t, func() bool { return s.Sweep(t.Context()) == nil }, 20*time.Second, time.Millisecond)
	require.Nil(t, s.keptUnder(s.acc, 1))
}

// What is dropped of an account may wait for a plan that is made there. Holds of others expire meanwhile.
func TestTheClockDoesNotWaitForWhatIsDropped(t *testing.T) {
	every := trimEvery
	defer func() { trimEvery = every }()
	trimEvery = time.Millisecond
	var now atomic.Int64
	now.Store(noon)
	store, err := persist.Open(persist.Options{Dir: "data", FS: vfs.NewMem()})
	require.NoError(t, err)
	var seed atomic.Uint64
	e, err := Open(t.Context(), Options{Store: store, Now: now.Load, Random: func() (b [10]byte) {
		binary.BigEndian.PutUint64(b[2:], seed.Add(1)<<20)
		return b
	}})
	require.NoError(t, err)
	s := &shop{T: t, Engine: e, store: store, acc: base.MakeID(noon, base.Base{Lo: 1})}
	busy := s.acc
	s.do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Busy", Timezone: "UTC"}})
	w := s.hook(base.OrderCreated)
	d := s.do(outbox.TestWebhook{ID: w.ID}).(*outbox.Delivery)
	s.now = noon
	s.attempt(d, 200, 0)

	s.acc = s.tenants(1)[0]
	s.loc = s.do(place("Here")).(*stock.Location).ID
	item := base.Item{Article: s.article(base.ID{}, 1)}
	_, over := s.large(busy, place("First"))
	now.Add(outbox.LogFor + 1) // the delivery is to be dropped
	require.Eventually(t, func() bool { return s.Stats().Waiting == 2 }, 20*time.Second, time.Millisecond)
	cart := s.booking(item, noon+30*day, noon+31*day, 1)
	cart.ExpiresIn = new(int64(30))
	h := s.do(cart).(*hold.Hold)
	now.Add(31_000)
	require.Eventually(t, func() bool {
		x, ok := hold.HoldByID(s.view(), h.ID)
		return ok && x.Status == hold.Expired
	}, 20*time.Second, time.Millisecond)
	require.Equal(t, 1, s.deliveries(busy))
	over()
	require.Eventually(t, func() bool { return s.deliveries(busy) == 0 }, 20*time.Second, time.Millisecond)
	s.shut()
}

// A restore into the middle of an import finds marks of customers who were erased behind it: they are erased when the
// import is over.
func TestAnErasureThatWasTakenBackWaitsForAnImport(t *testing.T) {
	s := filled(t)
	s.customer("Annabella", "ann@example.com")
	_, a := s.archive()
	s.bounded(base.Bounds{Group: 5})
	into := ImportArchive{Account: base.MakeID(noon, base.Base{Lo: 9}), Name: "Other", Secret: zeroSecret}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var ids []base.ID
	for len(ids) == 0 {
		_, err := s.Import(ctx, a, into)
		require.ErrorIs(t, err, context.Canceled, "the import is over")
		v, _ := s.View(into.Account)
		for m := range commerce.CustomerTable(v.Acc).All() {
			ids = append(ids, m.ID)
			require.NoError(t,
				s.store.SetUnlogged([]persist.Pair{erasedMark(into.Account, m.ID)}))
		}
	}
	s.reopen()
	left, err := s.eraseAgain()
	require.NoError(t, err)
	require.True(t, left)
	_, err = s.Import(t.Context(), a, into)
	require.NoError(t, err)
	left, err = s.eraseAgain()
	require.NoError(t, err)
	require.False(t, left)
	v, _ := s.View(into.Account)
	for _, id := range ids {
		require.NotZero(t, commerce.CustomerByID(v, id).ErasedAt)
	}
	s.reopen()
}

// rewritten puts another body in the place of an event's.
type rewritten struct {
	base.Answers[any]
	was, is *outbox.EventBody
}

func (o rewritten) PlanOn(t *base.Tx) (any, error) {
	base.Record(t, outbox.BodyKind, o.was, o.is)
	return nil, nil
}

// An erasure is not over while there is a body of an event that cannot be read from the disk. One that is there and
// cannot be unpacked is dropped: nobody can read it again.
func TestAnErasureIsNotOverWithWhatCannotBeRead(t *testing.T) {
	s := newShop(t)
	w := s.hook(base.OrderCreated)
	first, second := s.emitted(base.OrderCreated, w), s.emitted(base.OrderCreated, w)
	third := s.emitted(base.OrderCreated, w)
	ann := s.customer("Annabella", "ann@example.com")
	rewrite := func(d *outbox.Delivery, packed []byte) {
		was, err := base.ReadStored(s.store, outbox.BodyKind, s.acc, d.Body)
		require.NoError(t, err)
		s.do(rewritten{was: was, is: &outbox.EventBody{ID: d.Body, Packed: packed}})
	}
	named := outbox.Pack([]byte(`{"type":"x","data":{"customer":"` + ann.String() + `"}}`))
	newer := []byte{9}
	rewrite(first, newer)
	rewrite(second, named)
	rewrite(third, []byte{outbox.BodyPacked, 0xff})
	s.now++
	s.do(EraseCustomer{ID: ann})
	seq, _ := s.State()
	require.Eventually(t, func() bool { return s.store.Marker().Seq >= seq }, 20*time.Second, time.Millisecond)
	f := newForgetter(s.Engine)
	_, err := f.forget(t.Context())
	require.ErrorContains(t, err, first.Event.String())
	require.True(t, commerce.CustomerByID(s.view(), ann).Traces)
	blanked := func(d *outbox.Delivery, text string) {
		body, _, err := s.DeliveryDetails(s.view(), outbox.DeliveryByID(s.view(), d.ID))
		require.NoError(t, err)
		require.Equal(t, text, string(body))
	}
	const blank = `{"type":"x","data":null}`
	blanked(second, blank) // what can be is done
	blanked(third, "")
	s.do(rewritten{was: &outbox.EventBody{ID: first.Body, Packed: newer},
		is: &outbox.EventBody{ID: first.Body, Packed: named}})
	_, err = f.forget(t.Context())
	require.NoError(t, err)
	require.False(t, commerce.CustomerByID(s.view(), ann).Traces)
	blanked(first, blank)
	s.reopen()
}

// A busy account keeps no other from the end of its erasures.
func TestErasuresEndBesideABusyAccount(t *testing.T) {
	defer func(was time.Duration) { patience = was }(patience)
	patience = 10 * time.Millisecond
	s := newShop(t)
	other := s.tenants(1)[0]
	erased := func(account base.ID) (left func() bool) {
		s := &shop{T: t, Engine: s.Engine, store: s.store, acc: account, now: s.now}
		id := s.customer("Annabella", "ann@example.com")
		s.do(EraseCustomer{ID: id})
		return func() bool { return commerce.CustomerByID(s.view(), id).Traces }
	}
	busy, free := erased(s.acc), erased(other)
	s.folded()
	_, over := s.large(s.acc, place("First"))
	f := newForgetter(s.Engine)
	require.Eventually(t, func() bool {
		_, err := f.forgetBeside(t.Context())
		require.NoError(t, err)
		return !free()
	}, 20*time.Second, time.Millisecond)
	require.True(t, busy())
	over()
	require.Eventually(t, func() bool { return !busy() }, 20*time.Second, time.Millisecond)
	s.reopen()
}
