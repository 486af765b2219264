package engine

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
)

// This file owns what becomes of events while a webhook is disabled, and what can be sent to it then.

// failing is a webhook that three events in a row have disabled.
func (s *shop) failing(types ...base.HookEvent) *outbox.Webhook {
	w := s.hook(append([]base.HookEvent{base.OrderCreated}, types...)...)
	for range outbox.FailuresAll {
		s.failed(s.emitted(base.OrderCreated, w))
	}
	w = outbox.WebhookByID(s.view(), w.ID)
	require.False(s.T, w.Enabled)
	return w
}

func TestEventsAreKeptForAWebhookThatFailed(t *testing.T) {
	s := newShop(t)
	w := s.failing()
	s.now += 1000
	since := s.now
	s.do(emitting{typ: base.OrderCreated, order: base.ID{7}, times: 3})
	require.Empty(t, s.log(w, outbox.DeliveryPending))
	kept := s.log(w, outbox.DeliveryFailed)[:3]
	for _, d := range kept {
		require.Equal(t, [4]any{true, 0, since, base.ID{7}}, [4]any{d.Kept, d.Attempts, d.Ended, d.Resource})
	}
	s.reopen()
	s.do(outbox.EnableWebhook{ID: w.ID})
	require.Empty(t, s.log(w, outbox.DeliveryPending), "recover alone sends them")
	require.Equal(t, &outbox.Recovered{Queued: 3}, s.do(outbox.RecoverDeliveries{Webhook: w.ID, Since: since}))
	for i, d := range s.log(w, outbox.DeliveryPending) {
		require.Equal(t, kept[i].ID, d.ID)
		require.False(t, d.Kept)
	}
	require.Zero(t, outbox.WebhookByID(s.view(), w.ID).MissedEvents)
	s.reopen()
}

func TestEventsThatAreNotKeptAreCounted(t *testing.T) {
	s := newShop(t)
	w := s.hook(base.OrderCreated)
	s.do(outbox.DisableWebhook{ID: w.ID})
	was := outbox.WebhookByID(s.view(), w.ID)
	s.now += 1000
	first := s.now
	s.do(emitting{typ: base.OrderCreated, order: base.ID{7}, times: 2})
	s.now += 1000
	s.do(emitting{typ: base.OrderCreated, order: base.ID{7}})
	s.do(emitting{typ: base.OrderUpdated, order: base.ID{7}}) // not of its types
	require.Empty(t, s.log(w, 0))
	is := outbox.WebhookByID(s.view(), w.ID)
	require.Equal(t, [4]any{3, first, was.Revision + 1, first},
		[4]any{is.MissedEvents, is.MissedSince, is.Revision, is.UpdatedAt}, "the first is a change that is told")
	s.reopen()
	s.do(outbox.EnableWebhook{ID: w.ID})
	s.emitted(base.OrderCreated, w)
	require.Equal(t, 3, outbox.WebhookByID(s.view(), w.ID).MissedEvents, "it stays to be seen")
	s.do(outbox.DisableWebhook{ID: w.ID})
	require.Zero(t, outbox.WebhookByID(s.view(), w.ID).MissedEvents, "until it is disabled again")
	s.reopen()
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	long(t)
	s := newShop(t)
	w := s.failing()
	for range outbox.MaxKept / 1000 {
		s.do(emitting{typ: base.OrderCreated, times: 1000})
	}
	require.Zero(t, outbox.WebhookByID(s.view(), w.ID).MissedEvents)
	s.now += 1000
	s.do(emitting{typ: base.OrderCreated, times: 5})
	is := outbox.WebhookByID(s.view(), w.ID)
	require.Equal(t, [2]any{5, s.now}, [2]any{is.MissedEvents, is.MissedSince})

	// One that goes for its age was never sent: it is missed as well.
	oldest := base.CreatedAt(s.log(w, outbox.DeliveryFailed)[0].ID)
	s.now += outbox.LogFor
	for outbox.Calls(s.view().Acc).Of(w.ID).Kept > 0 {
		require.NoError(t, s.TrimDeliveries(t.Context()))
	}
	is = outbox.WebhookByID(s.view(), w.ID)
	require.Equal(t, [2]any{outbox.MaxKept + 5, oldest}, [2]any{is.MissedEvents, is.MissedSince})
	s.reopen()
}

// What a person sends goes out, also while the webhook is disabled, and counts for nothing.
func TestSentByHandWhileDisabled(t *testing.T) {
	s := newShop(t)
	w := s.failing()
	d := s.do(outbox.RedeliverDelivery{Webhook: w.ID, ID: s.log(w, outbox.DeliveryFailed)[0].ID}).(*outbox.Delivery)
	test := s.do(outbox.TestWebhook{ID: w.ID}).(*outbox.Delivery)
	require.NoError(t, s.Tick(t.Context()))
	for _, x := range []*outbox.Delivery{d, test} {
		call, err := s.Call(s.view(), x, s.now)
		require.NoError(t, err)
		require.NotNil(t, call)
		require.Equal(t, x == test, call.Test)
	}
	s.failed(d)
	require.Equal(t, outbox.DeliveryDone, s.attempt(test, 204, 0).State)
	require.Equal(t, outbox.TooManyFailures, *outbox.WebhookByID(s.view(), w.ID).DisabledReason)
	s.reopen()
	s.do(outbox.EnableWebhook{ID: w.ID})
	for range outbox.FailuresAll {
		s.failed(s.do(outbox.TestWebhook{ID: w.ID}).(*outbox.Delivery))
	}
	require.True(t, outbox.WebhookByID(s.view(), w.ID).Enabled)
	before := s.do(outbox.TestWebhook{ID: w.ID}).(*outbox.Delivery)
	s.do(outbox.DisableWebhook{ID: w.ID})
	after := s.do(outbox.TestWebhook{ID: w.ID}).(*outbox.Delivery)
	require.NoError(t, s.Tick(t.Context()))
	for _, waits := range []*outbox.Delivery{before, after} {
		require.Equal(t, outbox.DeliveryPending, outbox.DeliveryByID(s.view(), waits.ID).State)
	}
	s.refused(base.CodeInvalid, outbox.TestWebhook{ID: w.ID, EventType: base.HoldExpired}) // none of its types
	s.refused(base.CodeInvalid, outbox.TestWebhook{ID: w.ID, EventType: "x"})
	s.reopen()
}

// Others are told when a webhook is disabled for failures, each type once.
func TestAWebhookThatIsDisabledIsAnEvent(t *testing.T) {
	s := newShop(t)
	told := s.hook(base.WebhookDisabled)
	w := s.failing(base.WebhookDisabled)
	list := s.log(told, 0)
	require.Len(t, list, 1)
	require.Equal(t, [2]any{base.WebhookDisabled, w.ID}, [2]any{list[0].Type, list[0].Resource})
	s.do(outbox.EnableWebhook{ID: w.ID})
	s.do(outbox.DisableWebhook{ID: w.ID})
	require.Len(t, s.log(told, 0), 1, "who does it by hand knows")
	s.reopen()
}

func TestWebhookOfSeveralTypes(t *testing.T) {
	s := newShop(t)
	w := s.hook(base.HoldExpired, base.OrderUpdated, base.OrderCreated)
	require.Equal(t, []base.HookEvent{base.OrderCreated, base.OrderUpdated, base.HoldExpired}, w.EventTypes())
	for i, typ := range base.HookEvents {
		s.do(emitting{typ: typ, order: base.ID{1, 15: byte(i)}})
	}
	var types []base.HookEvent
	for _, d := range s.log(w, 0) {
		types = append(types, d.Type)
	}
	require.Equal(t, []base.HookEvent{base.HoldExpired, base.OrderUpdated, base.OrderCreated}, types)
	require.Equal(t, w,
		s.do(outbox.PatchWebhook{ID: w.ID,
			EventTypes: base.Some([]base.HookEvent{base.OrderUpdated, base.HoldExpired, base.OrderCreated})}),
		"the same types")
	require.Equal(t, []base.HookEvent{base.UnitOverdue},
		s.do(outbox.PatchWebhook{ID: w.ID, EventType: base.Some(base.UnitOverdue)}).(*outbox.Webhook).EventTypes())
	require.Equal(t, []base.HookEvent{base.OrderDeleted, base.ConflictCreated},
		s.do(outbox.PatchWebhook{ID: w.ID,
			EventTypes: base.Some([]base.HookEvent{base.ConflictCreated,
				base.OrderDeleted})}).(*outbox.Webhook).EventTypes())
	both := outbox.PatchWebhook{ID: w.ID, EventType: base.Some(base.OrderDeleted),
		EventTypes: base.Some([]base.HookEvent{base.ConflictCreated, base.OrderDeleted})}
	require.Len(t, s.do(both).(*outbox.Webhook).EventTypes(), 2, "as a record is sent back")
	bad := func(single base.HookEvent, several ...base.HookEvent) {
		t.Helper()
		s.refused(base.CodeInvalid, outbox.CreateWebhook{EventType: single, EventTypes: several, APIVersion: "2025-06",
			Secret: secretOf(1), WebhookFields: outbox.WebhookFields{URL: "https://example.com/hooks"}})
	}
	bad("")
	bad("", "order.lost")
	bad("", base.OrderCreated, base.OrderCreated)
	bad(base.OrderCreated, base.OrderUpdated)
	s.refused(base.CodeInvalid, outbox.PatchWebhook{ID: w.ID, EventTypes: base.Some([]base.HookEvent{})})
	s.refused(base.CodeInvalid, outbox.PatchWebhook{ID: w.ID, EventType: base.Some(base.OrderCreated),
		EventTypes: base.Some([]base.HookEvent{base.OrderDeleted})})
	s.reopen()
}

// said is what a webhook was told, the oldest first: the type and what the record says.
func (s *shop) said(w *outbox.Webhook) (list []string) {
	all := s.log(w, 0)
	for i := range all {
		body, _, err := s.DeliveryDetails(s.view(), all[len(all)-1-i])
		require.NoError(s.T, err)
		var e struct{ EventType, Resource, ResourceID, Data string }
		require.NoError(s.T, json.Unmarshal(body, &e))
		require.Equal(s.T, all[len(all)-1-i].Resource.String(), e.ResourceID)
		list = append(list, e.EventType+" "+e.Resource+" "+e.Data)
	}
	return list
}

// Conflicts, holds and units that are late are told of with their records, whatever made them.
func TestEventsOfStock(t *testing.T) {
	s := newShop(t)
	s.shut()
	s.payload = func(_ string, r any) []byte {
		text := ""
		if x, is := r.(base.OfAccount); is {
			require.Equal(t, s.acc, x.Account)
			r = x.Record
		}
		switch x := r.(type) {
		case *stock.Conflict:
			text = fmt.Sprintf("%s %s %t %s", x.Owner, x.Item, x.Conflict(), x.Reason)
		case *hold.Hold:
			text = fmt.Sprintf("%s %s %d", x.ID, x.Status, len(x.Lines))
		case *stock.Unavailability:
			text = fmt.Sprintf("%s %s", x.Owner, x.Item)
		}
		b, _ := json.Marshal(text)
		return b
	}
	s.open()
	w := s.hook(base.HookEvents[3:]...)
	sku := base.Item{SKU: s.sku()}
	s.article(sku.SKU, 1)
	at := func(hours int64) int64 { return noon + hours*hour }
	has := s.order(sku, base.PurchaseBooking, at(1), ptr(at(30)), 1, false)
	expires := int64(60)
	cart := s.do(hold.PlaceHold{ExpiresIn: &expires,
		Lines: []hold.HoldLineInput{
			{Item: sku, Location: s.loc, Window: base.Span{Start: at(50), End: at(60)}, Quantity: 1}}}).(*hold.Hold)
	require.Empty(t, s.said(w))
	s.tick(noon + 61_000)
	expired := fmt.Sprintf("hold.expired hold %s expired 1", cart.ID)
	require.Equal(t, []string{expired}, s.said(w))

	lacks := s.order(sku, base.PurchaseBooking, at(20), ptr(at(40)), 1, true)
	created := fmt.Sprintf("conflict.created conflict %s %s true not_enough_stock", lacks.ID,
		lacks.Lines[0].Units[0].ID)
	require.Equal(t, []string{expired, created}, s.said(w))
	s.tick(at(1))
	s.do(order.FulfillOrder{ID: has.ID})
	s.tick(at(30) + 1)
	late := fmt.Sprintf("unit.overdue unavailability %s %s", has.ID, has.Lines[0].Units[0].ID)
	require.Equal(t, []string{expired, created, late}, s.said(w))
	s.tick(at(33))
	require.Equal(t, []string{expired, created, late}, s.said(w), "once")
	s.do(order.ReturnOrder{ID: has.ID})
	seated := fmt.Sprintf("conflict.resolved conflict %s %s false not_enough_stock", lacks.ID,
		lacks.Lines[0].Units[0].ID)
	require.Equal(t, []string{expired, created, late, seated}, s.said(w))

	// One that is over with its order is resolved, too: it has no unit, and there is none of it any more.
	more := s.order(sku, base.PurchaseBooking, at(35), ptr(at(39)), 1, true)
	s.do(order.CancelOrder{ID: more.ID})
	list := s.said(w)
	require.Equal(t, []string{
		fmt.Sprintf("conflict.created conflict %s %s true not_enough_stock", more.ID, more.Lines[0].Units[0].ID),
		fmt.Sprintf("conflict.resolved conflict %s %s true not_enough_stock", more.ID, more.Lines[0].Units[0].ID),
	}, list[4:])
	s.reopen()
}

// Where many deliveries have failed, what is to be recovered of them is looked for beside the writer.
func TestManyFailedDeliveriesAreRecoveredOffTheWriter(t *testing.T) {
	s := newShop(t)
	w, other := s.hook(base.OrderCreated), s.hook(base.OrderUpdated)
	s.do(emitting{typ: base.OrderCreated, times: 40})
	s.do(outbox.DisableWebhook{ID: w.ID})
	s.do(outbox.EnableWebhook{ID: w.ID})
	s.bounded(base.Bounds{Offload: 5})
	require.Equal(t, 5, outbox.RecoverDeliveries{Webhook: w.ID}.Size(s.view().Acc))
	require.Zero(t, outbox.RecoverDeliveries{Webhook: other.ID}.Size(s.view().Acc))
	first, over := s.large(s.tenants(1)[0], place("First"))
	f := s.submit(s.acc, outbox.RecoverDeliveries{Webhook: w.ID, Since: noon})
	behind := s.submit(s.acc, nudge{})
	require.Eventually(t, func() bool { return s.Stats().Waiting == 3 }, 20*time.Second, time.Millisecond)
	over()
	res, err := f.Wait()
	require.NoError(t, err)
	require.Equal(t, &outbox.Recovered{Queued: 40}, res.Record)
	for _, f := range []*Future{behind, first} {
		_, err = f.Wait()
		require.NoError(t, err)
	}
	s.reopen()
}
