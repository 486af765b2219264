package engine

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns what becomes of events while a webhook is disabled, and what can be sent to it then.

// failing is a webhook that three events in a row have disabled.
func (s *shop) failing(types ...HookEvent) *Webhook {
	w := s.do(CreateWebhook{EventTypes: append([]HookEvent{OrderCreated}, types...), URL: "https://example.com/hooks", APIVersion: "2025-06", Secret: secretOf(1)}).(*Webhook)
	for range failuresAll {
		s.failed(s.emitted(OrderCreated, w))
	}
	w = s.view().Webhook(w.ID)
	require.False(s.T, w.Enabled)
	return w
}

func TestEventsAreKeptForAWebhookThatFailed(t *testing.T) {
	s := newShop(t)
	w := s.failing()
	s.now += 1000
	since := s.now
	s.do(emitting{typ: OrderCreated, order: ID{7}, times: 3})
	require.Empty(t, s.log(w, DeliveryPending))
	kept := s.log(w, DeliveryFailed)[:3]
	for _, d := range kept {
		require.Equal(t, [4]any{true, 0, since, ID{7}}, [4]any{d.Kept, d.Attempts, d.Ended, d.Resource})
	}
	s.reopen()
	s.do(EnableWebhook{ID: w.ID})
	require.Empty(t, s.log(w, DeliveryPending), "recover alone sends them")
	require.Equal(t, &Recovered{Queued: 3}, s.do(RecoverDeliveries{Webhook: w.ID, Since: since}))
	for i, d := range s.log(w, DeliveryPending) {
		require.Equal(t, kept[i].ID, d.ID)
		require.False(t, d.Kept)
	}
	require.Zero(t, s.view().Webhook(w.ID).MissedEvents)
	s.reopen()
}

func TestEventsThatAreNotKeptAreCounted(t *testing.T) {
	s := newShop(t)
	w := s.hook(OrderCreated)
	s.do(DisableWebhook{ID: w.ID})
	was := s.view().Webhook(w.ID)
	s.now += 1000
	first := s.now
	s.do(emitting{typ: OrderCreated, order: ID{7}, times: 2})
	s.now += 1000
	s.do(emitting{typ: OrderCreated, order: ID{7}})
	s.do(emitting{typ: OrderUpdated, order: ID{7}}) // not of its types
	require.Empty(t, s.log(w, 0))
	is := s.view().Webhook(w.ID)
	require.Equal(t, [4]any{3, first, was.Revision + 1, first}, [4]any{is.MissedEvents, is.MissedSince, is.Revision, is.UpdatedAt}, "the first is a change that is told")
	s.reopen()
	s.do(EnableWebhook{ID: w.ID})
	s.emitted(OrderCreated, w)
	require.Equal(t, 3, s.view().Webhook(w.ID).MissedEvents, "it stays to be seen")
	s.do(DisableWebhook{ID: w.ID})
	require.Zero(t, s.view().Webhook(w.ID).MissedEvents, "until it is disabled again")
	s.reopen()
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	long(t)
	s := newShop(t)
	w := s.failing()
	for range MaxKept / 1000 {
		s.do(emitting{typ: OrderCreated, times: 1000})
	}
	require.Zero(t, s.view().Webhook(w.ID).MissedEvents)
	s.now += 1000
	s.do(emitting{typ: OrderCreated, times: 5})
	is := s.view().Webhook(w.ID)
	require.Equal(t, [2]any{5, s.now}, [2]any{is.MissedEvents, is.MissedSince})

	// One that goes for its age was never sent: it is missed as well.
	oldest := CreatedAt(s.log(w, DeliveryFailed)[0].ID)
	s.now += logFor
	for s.view().acc.calls().of(w.ID).kept > 0 {
		require.NoError(t, s.TrimDeliveries(t.Context()))
	}
	is = s.view().Webhook(w.ID)
	require.Equal(t, [2]any{MaxKept + 5, oldest}, [2]any{is.MissedEvents, is.MissedSince})
	s.reopen()
}

// What a person sends goes out, also while the webhook is disabled, and counts for nothing.
func TestSentByHandWhileDisabled(t *testing.T) {
	s := newShop(t)
	w := s.failing()
	d := s.do(RedeliverDelivery{Webhook: w.ID, ID: s.log(w, DeliveryFailed)[0].ID}).(*Delivery)
	test := s.do(TestWebhook{ID: w.ID}).(*Delivery)
	require.NoError(t, s.Tick(t.Context()))
	for _, x := range []*Delivery{d, test} {
		call, err := s.Call(s.view(), x, s.now)
		require.NoError(t, err)
		require.NotNil(t, call)
		require.Equal(t, x == test, call.Test)
	}
	s.failed(d)
	require.Equal(t, DeliveryDone, s.attempt(test, 204, 0).State)
	require.Equal(t, TooManyFailures, *s.view().Webhook(w.ID).DisabledReason)
	s.reopen()
	s.do(EnableWebhook{ID: w.ID})
	for range failuresAll {
		s.failed(s.do(TestWebhook{ID: w.ID}).(*Delivery))
	}
	require.True(t, s.view().Webhook(w.ID).Enabled)
	s.do(DisableWebhook{ID: w.ID})
	waits := s.do(TestWebhook{ID: w.ID}).(*Delivery)
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, DeliveryPending, s.view().Delivery(waits.ID).State)
	s.refused(CodeInvalid, TestWebhook{ID: w.ID, EventType: HoldExpired}) // none of its types
	s.refused(CodeInvalid, TestWebhook{ID: w.ID, EventType: "x"})
	s.reopen()
}

// Others are told when a webhook is disabled for failures, each type once.
func TestAWebhookThatIsDisabledIsAnEvent(t *testing.T) {
	s := newShop(t)
	told := s.hook(WebhookDisabled)
	w := s.failing(WebhookDisabled)
	list := s.log(told, 0)
	require.Len(t, list, 1)
	require.Equal(t, [2]any{WebhookDisabled, w.ID}, [2]any{list[0].Type, list[0].Resource})
	s.do(EnableWebhook{ID: w.ID})
	s.do(DisableWebhook{ID: w.ID})
	require.Len(t, s.log(told, 0), 1, "who does it by hand knows")
	s.reopen()
}

func TestWebhookOfSeveralTypes(t *testing.T) {
	s := newShop(t)
	w := s.do(CreateWebhook{EventTypes: []HookEvent{HoldExpired, OrderUpdated, OrderCreated}, URL: "https://example.com/hooks", APIVersion: "2025-06", Secret: secretOf(1)}).(*Webhook)
	require.Equal(t, []HookEvent{OrderCreated, OrderUpdated, HoldExpired}, w.EventTypes())
	for i, typ := range HookEvents {
		s.do(emitting{typ: typ, order: ID{1, 15: byte(i)}})
	}
	var types []HookEvent
	for _, d := range s.log(w, 0) {
		types = append(types, d.Type)
	}
	require.Equal(t, []HookEvent{HoldExpired, OrderUpdated, OrderCreated}, types)
	require.Equal(t, w, s.do(PatchWebhook{ID: w.ID, EventTypes: Some([]HookEvent{OrderUpdated, HoldExpired, OrderCreated})}), "the same types")
	require.Equal(t, []HookEvent{UnitOverdue}, s.do(PatchWebhook{ID: w.ID, EventType: Some(UnitOverdue)}).(*Webhook).EventTypes())
	require.Equal(t, []HookEvent{OrderDeleted, ConflictCreated}, s.do(PatchWebhook{ID: w.ID, EventTypes: Some([]HookEvent{ConflictCreated, OrderDeleted})}).(*Webhook).EventTypes())
	both := PatchWebhook{ID: w.ID, EventType: Some(OrderDeleted), EventTypes: Some([]HookEvent{ConflictCreated, OrderDeleted})}
	require.Len(t, s.do(both).(*Webhook).EventTypes(), 2, "as a record is sent back")
	bad := func(single HookEvent, several ...HookEvent) {
		t.Helper()
		s.refused(CodeInvalid, CreateWebhook{EventType: single, EventTypes: several, URL: "https://example.com/hooks", APIVersion: "2025-06", Secret: secretOf(1)})
	}
	bad("")
	bad("", "order.lost")
	bad("", OrderCreated, OrderCreated)
	bad(OrderCreated, OrderUpdated)
	s.refused(CodeInvalid, PatchWebhook{ID: w.ID, EventTypes: Some([]HookEvent{})})
	s.refused(CodeInvalid, PatchWebhook{ID: w.ID, EventType: Some(OrderCreated), EventTypes: Some([]HookEvent{OrderDeleted})})
	s.reopen()
}

// said is what a webhook was told, the oldest first: the type and what the record says.
func (s *shop) said(w *Webhook) (list []string) {
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
		if x, is := r.(OfAccount); is {
			require.Equal(t, s.acc, x.Account)
			r = x.Record
		}
		switch x := r.(type) {
		case *Conflict:
			text = fmt.Sprintf("%s %s %t %s", x.Owner, x.Item, x.Conflict(), x.Reason)
		case *Hold:
			text = fmt.Sprintf("%s %s %d", x.ID, x.Status, len(x.Lines))
		case *Unavailability:
			text = fmt.Sprintf("%s %s", x.Owner, x.Item)
		}
		b, _ := json.Marshal(text)
		return b
	}
	s.open()
	w := s.do(CreateWebhook{EventTypes: HookEvents[3:], URL: "https://example.com/hooks", APIVersion: "2025-06", Secret: secretOf(1)}).(*Webhook)
	sku := Item{SKU: s.sku()}
	s.article(sku.SKU, 1)
	at := func(hours int64) int64 { return noon + hours*hour }
	has := s.order(sku, PurchaseBooking, at(1), ptr(at(30)), 1, false)
	expires := int64(60)
	cart := s.do(PlaceHold{ExpiresIn: &expires, Lines: []HoldLineInput{{Item: sku, Location: s.loc, Window: Span{Start: at(50), End: at(60)}, Quantity: 1}}}).(*Hold)
	require.Empty(t, s.said(w))
	s.tick(noon + 61_000)
	expired := fmt.Sprintf("hold.expired hold %s expired 1", cart.ID)
	require.Equal(t, []string{expired}, s.said(w))

	lacks := s.order(sku, PurchaseBooking, at(20), ptr(at(40)), 1, true)
	created := fmt.Sprintf("conflict.created conflict %s %s true not_enough_stock", lacks.ID, lacks.Lines[0].Units[0].ID)
	require.Equal(t, []string{expired, created}, s.said(w))
	s.tick(at(1))
	s.do(FulfillOrder{ID: has.ID})
	s.tick(at(30) + 1)
	late := fmt.Sprintf("unit.overdue unavailability %s %s", has.ID, has.Lines[0].Units[0].ID)
	require.Equal(t, []string{expired, created, late}, s.said(w))
	s.tick(at(33))
	require.Equal(t, []string{expired, created, late}, s.said(w), "once")
	s.do(ReturnOrder{ID: has.ID})
	seated := fmt.Sprintf("conflict.resolved conflict %s %s false not_enough_stock", lacks.ID, lacks.Lines[0].Units[0].ID)
	require.Equal(t, []string{expired, created, late, seated}, s.said(w))

	// One that is over with its order is resolved, too: it has no unit, and there is none of it any more.
	more := s.order(sku, PurchaseBooking, at(35), ptr(at(39)), 1, true)
	s.do(CancelOrder{ID: more.ID})
	list := s.said(w)
	require.Equal(t, []string{
		fmt.Sprintf("conflict.created conflict %s %s true not_enough_stock", more.ID, more.Lines[0].Units[0].ID),
		fmt.Sprintf("conflict.resolved conflict %s %s true not_enough_stock", more.ID, more.Lines[0].Units[0].ID),
	}, list[4:])
	s.reopen()
}
