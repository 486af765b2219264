package engine

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// emitting is what changes an order: it makes events of it.
type emitting struct {
	base.Answers[any]
	typ   base.HookEvent
	order base.ID
	times int
	data  string // empty: the version
}

func (o emitting) PlanOn(t *base.Tx) (any, error) {
	data := func() base.EventData {
		return base.EventData{About: 23,
			Write: func(version string) []byte { return []byte(cmp.Or(o.data, `{"version":"`+version+`"}`)) }}
	}
	if o.typ == base.OrderDeleted {
		data = nil
	}
	for range max(o.times, 1) {
		outbox.Emit(t, o.typ, o.order, data)
	}
	return nil, nil
}

func secretOf(n byte) string {
	return outbox.SecretPrefix + base64.StdEncoding.EncodeToString(append(make([]byte, outbox.SecretBytes-1), n))
}

func (s *shop) hook(types ...base.HookEvent) *outbox.Webhook {
	s.T.Helper()
	return s.do(outbox.CreateWebhook{EventTypes: types, APIVersion: "2025-06", Secret: secretOf(1),
		WebhookFields: outbox.WebhookFields{URL: "https://example.com/hooks"}}).(*outbox.Webhook)
}

// log is a webhook's log, the newest first.
func (s *shop) log(w *outbox.Webhook, state outbox.DeliveryState) []*outbox.Delivery {
	list, _ := outbox.Deliveries(s.view(), w.ID, state, 0, 1000)
	return list
}

// attempt records an attempt that is made now and takes no time.
func (s *shop) attempt(d *outbox.Delivery, status int, jitter int64) *outbox.Delivery {
	s.T.Helper()
	s.do(outbox.RecordAttempts{Outcomes: []outbox.Outcome{
		{Delivery: d.ID, Jitter: jitter, Body: d.Body, Attempt: outbox.Attempt{
			Number: outbox.DeliveryByID(s.view(), d.ID).Attempts + 1, At: s.now, Status: status, Answer: []byte("ok"),
		}}}})
	return outbox.DeliveryByID(s.view(), d.ID)
}

// failed has a delivery fail all its attempts.
func (s *shop) failed(d *outbox.Delivery) *outbox.Delivery {
	s.T.Helper()
	for range outbox.TryAtMost {
		require.Equal(s.T, outbox.DeliveryPending, d.State)
		s.now = max(s.now, d.Next)
		d = s.attempt(d, 500, 0)
	}
	require.Equal(s.T, outbox.DeliveryFailed, d.State)
	return d
}

func (s *shop) emitted(typ base.HookEvent, to *outbox.Webhook) *outbox.Delivery {
	s.T.Helper()
	s.do(emitting{typ: typ, order: base.ID{1}})
	return s.log(to, 0)[0]
}

func TestEventsAreWrittenWithTheirChange(t *testing.T) {
	s := newShop(t)
	before := s.view().Sequence()
	s.do(emitting{typ: base.OrderCreated, order: base.ID{9}})
	require.Equal(t, before, s.view().Sequence(), "nobody is told, so nothing is done")
	a, b := s.hook(base.OrderCreated), s.hook(base.OrderCreated)
	other := s.hook(base.OrderUpdated)
	old := s.do(outbox.CreateWebhook{EventType: base.OrderCreated, APIVersion: "2024-01", Secret: secretOf(2),
		WebhookFields: outbox.WebhookFields{URL: "https://example.com/"}}).(*outbox.Webhook)
	order := base.ID{9, 6: 0x70, 8: 0x80}
	s.now += 5
	s.do(emitting{typ: base.OrderCreated, order: order})
	require.Empty(t, s.log(other, 0))
	for _, w := range []*outbox.Webhook{a, b, old} {
		require.Len(t, s.log(w, 0), 1)
		d := s.log(w, outbox.DeliveryPending)[0]
		require.Equal(t, &outbox.Delivery{
			ID: d.ID, Webhook: w.ID, Event: s.log(a, 0)[0].Event, Body: d.Body, Resource: order,
			Type: base.OrderCreated, State: outbox.DeliveryPending, Next: s.now, Size: d.Size, Revision: 1,
		}, d)
		body, attempts, err := s.DeliveryDetails(s.view(), d)
		require.NoError(t, err)
		require.Empty(t, attempts)
		require.InDelta(t, len(body), d.Size, 64)
		s.do(outbox.RecordAttempts{
			Outcomes: []outbox.Outcome{{Delivery: d.ID, Sent: len(body), Body: d.Body,
				Attempt: outbox.Attempt{Number: 1, At: s.now, Status: 200, Answer: []byte("ok")}}}})
		require.Equal(t, len(body)+2+outbox.RowSize, int(outbox.DeliveryByID(s.view(), d.ID).Size),
			"known when it was sent")
		require.Equal(t, fmt.Sprintf(
			`{"eventId":"%s","eventType":"order.created","eventTime":"2025-10-09T09:00:00.005Z","resource":"order","resourceId":"%s","apiVersion":%q,"data":{"version":%[3]q}}`,
			d.Event, order, w.APIVersion), string(body))
	}
	require.Equal(t, s.log(a, 0)[0].Body, s.log(b, 0)[0].Body, "the bytes are made once for each version")
	require.NotEqual(t, s.log(a, 0)[0].Body, s.log(old, 0)[0].Body)
	s.reopen()

	gone := s.hook(base.OrderDeleted)
	d := s.emitted(base.OrderDeleted, gone)
	body, _, err := s.DeliveryDetails(s.view(), d)
	require.NoError(t, err)
	require.True(t, json.Valid(body))
	require.Contains(t, string(body), `"data":null}`)
	s.do(outbox.DisableWebhook{ID: gone.ID})
	s.do(emitting{typ: base.OrderDeleted, order: order})
	require.Len(t, s.log(gone, 0), 1, "a disabled webhook is told of nothing")
	require.Equal(t, outbox.DeliveryFailed, s.log(gone, 0)[0].State)
	s.reopen()
	list, err := s.feed(s.acc, 0, 100)
	require.NoError(t, err)
	seen := map[string]int{}
	for _, c := range list {
		seen[c.Resource+" "+string(c.Kind)]++
	}
	require.Equal(t, 5, seen["webhook created"])
	require.Equal(t, 2, seen["webhook updated"],
		"it was disabled, and missed an event; that events were queued is not told")
}

func TestScheduleOfADelivery(t *testing.T) {
	s := newShop(t)
	w := s.hook(base.OrderCreated)
	d := s.emitted(base.OrderCreated, w)
	first := s.now
	for i, pause := range []int64{10_000, 22_000, 41_000} {
		d = s.attempt(d, 503, []int64{0, 1000, 250}[i])
		require.Equal(t, s.now+pause, d.Next)
		require.Equal(t, first, d.First)
		require.Equal(t, outbox.DeliveryPending, d.State)
		s.now = d.Next
		s.reopen()
	}
	d = s.attempt(d, 404, 0)
	require.Equal(t, [3]any{outbox.DeliveryFailed, 4, s.now}, [3]any{d.State, d.Attempts, d.Ended})
	_, attempts, err := s.DeliveryDetails(s.view(), d)
	require.NoError(t, err)
	require.Len(t, attempts, 4)
	require.Equal(t, outbox.Attempt{Number: 4, At: s.now, Status: 404, Answer: []byte("ok")}, attempts[3])

	// What is known already is left out, what comes for a delivery that is over is taken: the endpoint has it.
	s.do(outbox.RecordAttempts{
		Outcomes: []outbox.Outcome{{Delivery: d.ID, Attempt: outbox.Attempt{Number: 4, At: s.now, Status: 200}},
			{Delivery: base.ID{5}, Attempt: outbox.Attempt{Number: 1, Status: 200}}}})
	require.Equal(t, outbox.DeliveryFailed, outbox.DeliveryByID(s.view(), d.ID).State)
	late := s.attempt(d, 204, 0)
	require.Equal(t, outbox.DeliveryDone, late.State)

	// A success at any attempt ends it; other statuses and errors do not.
	d = s.emitted(base.OrderCreated, w)
	for _, status := range []int{301, 199} {
		d = s.attempt(d, status, 0)
		require.Equal(t, outbox.DeliveryPending, d.State, status)
	}
	s.do(outbox.RecordAttempts{Outcomes: []outbox.Outcome{
		{Delivery: d.ID, Attempt: outbox.Attempt{Number: 3, At: s.now, Status: 200, Error: "time-out"}}}})
	require.Equal(t, outbox.DeliveryPending, outbox.DeliveryByID(s.view(), d.ID).State)
	require.Equal(t, outbox.DeliveryDone, s.attempt(d, 299, 0).State)

	// Given up ten minutes after the first attempt, also where there were fewer than four.
	d = s.attempt(s.emitted(base.OrderCreated, w), 500, 0)
	s.now += outbox.GiveUp - 1
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, outbox.DeliveryPending, outbox.DeliveryByID(s.view(), d.ID).State)
	s.now++
	require.NoError(t, s.Tick(t.Context()))
	d = outbox.DeliveryByID(s.view(), d.ID)
	require.Equal(t, [2]any{outbox.DeliveryFailed, 1}, [2]any{d.State, d.Attempts})
	// One whose next attempt would lie behind that is given up at once.
	d = s.emitted(base.OrderCreated, w)
	s.do(outbox.RecordAttempts{
		Outcomes: []outbox.Outcome{{Delivery: d.ID,
			Attempt: outbox.Attempt{Number: 1, At: s.now, Took: outbox.GiveUp - outbox.Backoff + 1, Status: 500}}}})
	require.Equal(t, outbox.DeliveryFailed, outbox.DeliveryByID(s.view(), d.ID).State)
	require.True(t, outbox.WebhookByID(s.view(), w.ID).Enabled, "that were two in a row")
	// One that has not begun waits as long as it takes.
	d = s.emitted(base.OrderCreated, w)
	s.now += 2 * outbox.GiveUp
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, outbox.DeliveryPending, outbox.DeliveryByID(s.view(), d.ID).State)
	s.reopen()
	for _, bad := range []outbox.Outcome{{Jitter: -1}, {Jitter: outbox.MaxJitter + 1},
		{Attempt: outbox.Attempt{Took: -1}}, {Attempt: outbox.Attempt{At: -1}},
		{Attempt: outbox.Attempt{Answer: make([]byte, outbox.KeptAnswer+1)}},
		{Attempt: outbox.Attempt{Error: strings.Repeat("x", 256)}}} {
		s.refused(base.CodeInvalid, outbox.RecordAttempts{Outcomes: []outbox.Outcome{bad}})
	}
}

func TestThreeFailedEventsDisable(t *testing.T) {
	s := newShop(t)
	w, other := s.hook(base.OrderCreated), s.hook(base.OrderUpdated)
	state := func() *outbox.Webhook { return outbox.WebhookByID(s.view(), w.ID) }
	s.failed(s.emitted(base.OrderCreated, w))
	s.failed(s.emitted(base.OrderCreated, w))
	s.attempt(s.emitted(base.OrderCreated, w), 200, 0) // a success resets
	s.failed(s.emitted(base.OrderCreated, w))
	s.failed(s.emitted(base.OrderCreated, w))
	test := s.do(outbox.TestWebhook{ID: w.ID}).(*outbox.Delivery)
	require.True(t, test.Test)
	s.failed(test)
	s.do(outbox.RedeliverDelivery{Webhook: w.ID, ID: test.ID})
	s.failed(outbox.DeliveryByID(s.view(), test.ID))
	s.attempt(s.do(outbox.TestWebhook{ID: w.ID}).(*outbox.Delivery), 200, 0) // nor does it reset
	require.True(t, state().Enabled, "what a person asked for does not count")
	s.reopen()
	queued := s.emitted(base.OrderCreated, w)
	under := s.emitted(base.OrderCreated, w)
	feed := s.view().Sequence()
	s.failed(s.emitted(base.OrderCreated, w))
	require.False(t, state().Enabled)
	require.Equal(t, outbox.TooManyFailures, *state().DisabledReason)
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, outbox.DeliveryFailed, outbox.DeliveryByID(s.view(), queued.ID).State)
	require.Empty(t, s.log(w, outbox.DeliveryPending))
	changes, err := s.feed(s.acc, feed, 100)
	require.NoError(t, err)
	require.Len(t, changes, 1)
	require.Equal(t, [3]any{"webhook", w.ID, base.Updated}, [3]any{changes[0].Resource, changes[0].ID, changes[0].Kind})
	require.Equal(t, outbox.DeliveryDone, s.attempt(under, 200, 0).State, "one that was under way")
	require.True(t, outbox.WebhookByID(s.view(), other.ID).Enabled)
	s.reopen()

	for _, op := range []base.Op{outbox.RecoverDeliveries{Webhook: w.ID}, outbox.DisableWebhook{ID: w.ID}} {
		require.Equal(t, base.StateDetails{State: "disabled", Allowed: []string{"enable"}},
			s.refused(base.CodeStateNotAllowed, op).Details)
	}
	s.now += 1000
	on := s.do(outbox.EnableWebhook{ID: w.ID}).(*outbox.Webhook)
	require.Equal(t, [2]any{true, (*string)(nil)}, [2]any{on.Enabled, on.DisabledReason})
	s.refused(base.CodeStateNotAllowed, outbox.EnableWebhook{ID: w.ID})
	require.Equal(t, &outbox.Recovered{}, s.do(outbox.RecoverDeliveries{Webhook: w.ID, Since: s.now}))
	require.Equal(t, &outbox.Recovered{Queued: 2}, s.do(outbox.RecoverDeliveries{Webhook: w.ID, Since: s.now - 1000}),
		"those that ended since")
	require.Len(t, s.log(w, outbox.DeliveryPending), 2)
	for _, d := range s.log(w, outbox.DeliveryPending) {
		require.Equal(t, [3]any{s.now, int64(0), 0}, [3]any{d.Next, d.First, d.Tries})
		s.attempt(d, 200, 0)
	}
	require.Equal(t, 4, s.do(outbox.RecoverDeliveries{Webhook: w.ID}).(*outbox.Recovered).Queued,
		"all that failed since ever, but for the test")
	s.reopen()
	for range 3 {
		s.failed(s.log(w, outbox.DeliveryPending)[0])
	}
	require.False(t, state().Enabled, "enabling has reset the count; what is recovered counts")
}

func TestRedelivery(t *testing.T) {
	s := newShop(t)
	w := s.hook(base.OrderCreated)
	d := s.emitted(base.OrderCreated, w)
	s.refused(base.CodeStateNotAllowed, outbox.RedeliverDelivery{Webhook: w.ID, ID: d.ID})
	s.attempt(d, 200, 0)
	again := s.do(outbox.RedeliverDelivery{Webhook: w.ID, ID: d.ID}).(*outbox.Delivery)
	require.Equal(t, [4]any{outbox.DeliveryPending, true, 1, s.now},
		[4]any{again.State, again.ByHand, again.Attempts, again.Next})
	s.failed(again)
	_, attempts, err := s.DeliveryDetails(s.view(), outbox.DeliveryByID(s.view(), d.ID))
	require.NoError(t, err)
	require.Len(t, attempts, 5)
	s.refused(base.CodeNotFound, outbox.RedeliverDelivery{Webhook: w.ID, ID: base.ID{7}})
	s.refused(base.CodeNotFound, outbox.RedeliverDelivery{Webhook: s.hook(base.OrderCreated).ID, ID: d.ID})
	for outbox.DeliveryByID(s.view(), d.ID).Attempts+outbox.TryAtMost <= outbox.MaxAttempts {
		s.failed(s.do(outbox.RedeliverDelivery{Webhook: w.ID, ID: d.ID}).(*outbox.Delivery))
	}
	s.refused(base.CodeStateNotAllowed, outbox.RedeliverDelivery{Webhook: w.ID, ID: d.ID})
	require.Equal(t, &outbox.Recovered{}, s.do(outbox.RecoverDeliveries{Webhook: w.ID}))
	s.reopen()
}

func TestQueueIsBounded(t *testing.T) {
	long(t)
	s := newShop(t)
	const queued = 2 * outbox.MaxRecover
	s.bounded(base.Bounds{Queued: queued})
	s.now++ // a start is never at the instant of the last change
	w := s.hook(base.OrderCreated)
	for outbox.Calls(s.view().Acc).Waiting(w.ID) < queued {
		s.do(emitting{typ: base.OrderCreated, times: outbox.MaxRecover})
	}
	d := s.emitted(base.OrderCreated, w)
	require.Equal(t, outbox.DeliveryFailed, d.State)
	require.Equal(t, &outbox.Recovered{Left: 1}, s.do(outbox.RecoverDeliveries{Webhook: w.ID}))
	n, oldest := outbox.Waiting(s.view())
	require.Equal(t, [2]any{queued, s.now}, [2]any{n, oldest})
	s.do(outbox.DisableWebhook{ID: w.ID})
	require.NoError(t, s.Tick(t.Context()), "in parts, before anything else is done")
	require.Empty(t, s.log(w, outbox.DeliveryPending))
	s.do(outbox.EnableWebhook{ID: w.ID})
	require.Equal(t, &outbox.Recovered{Queued: outbox.MaxRecover, Left: queued + 1 - outbox.MaxRecover},
		s.do(outbox.RecoverDeliveries{Webhook: w.ID}))
}

func TestLogIsTrimmed(t *testing.T) {
	s := newShop(t)
	a, b := s.hook(base.OrderCreated), s.hook(base.OrderCreated)
	s.do(emitting{typ: base.OrderCreated, order: base.ID{1}, times: 3})
	list := s.log(a, 0)
	stored := func(d *outbox.Delivery) (body bool, attempts int) {
		k, err := outbox.KeptOf(s.Engine.store, s.acc, d)
		require.NoError(t, err)
		return k.Body != nil, len(k.Attempts)
	}
	for _, d := range list {
		s.attempt(d, 200, 0)
	}
	list = s.log(a, 0)
	s.now += outbox.LogFor - 1
	require.NoError(t, s.TrimDeliveries(t.Context()))
	require.Len(t, s.log(a, 0), 3)
	s.now++
	require.NoError(t, s.TrimDeliveries(t.Context()))
	require.Empty(t, s.log(a, 0), "after fourteen days")
	require.Len(t, s.log(b, 0), 3, "what waits is not forgotten")
	for _, d := range list {
		body, attempts := stored(d)
		require.True(t, body, "others are sent it")
		require.Zero(t, attempts)
	}
	s.reopen()
	s.do(outbox.DeleteWebhook{ID: b.ID})
	require.Equal(t, outbox.DeliveryFailed, s.attempt(s.log(b, 0)[0], 500, 0).State, "one that was under way")
	orphans := s.log(b, 0)
	require.NoError(t, s.TrimDeliveries(t.Context()))
	require.Empty(t, s.log(b, 0), "the log of a webhook that is gone goes")
	for _, d := range orphans {
		body, _ := stored(d)
		require.False(t, body)
	}
	require.Zero(t, outbox.Calls(s.view().Acc).Bytes)
	require.Zero(t, s.view().Acc.Kept[base.TagBody])
	require.Zero(t, s.view().Acc.Kept[base.TagAttempt])
	require.Nil(t, base.TombstoneKind.In(s.view().Acc).First(0, base.TombstoneKey(base.TagWebhook, 0)))
	s.reopen()

	// By size: the oldest go.
	s.do(emitting{typ: base.OrderCreated, times: 5})
	for _, d := range s.log(a, 0) {
		s.attempt(d, 200, 0)
	}
	newest := s.log(a, 0)[:2]
	s.logBytes = outbox.Calls(s.view().Acc).Bytes * 2 / 5
	require.NoError(t, s.TrimDeliveries(t.Context()))
	require.Equal(t, newest, s.log(a, 0))
	require.NoError(t, s.TrimDeliveries(t.Context()))
	require.Equal(t, newest, s.log(a, 0))
	require.Zero(t, outbox.WebhookByID(s.view(), a.ID).MissedEvents, "what went was sent")
}

func TestWebhookFields(t *testing.T) {
	s := newShop(t)
	good := outbox.CreateWebhook{EventType: base.OrderCreated, APIVersion: "2025-06", Secret: secretOf(1),
		WebhookFields: outbox.WebhookFields{URL: "https://example.com/hooks?x=1"}}
	for _, spoil := range []func(o *outbox.CreateWebhook){
		func(o *outbox.CreateWebhook) { o.EventType = "order.lost" },
		func(o *outbox.CreateWebhook) { o.APIVersion = "latest" },
		func(o *outbox.CreateWebhook) { o.Secret = "whsec_short" },
		func(o *outbox.CreateWebhook) { o.Secret = o.Secret[len(outbox.SecretPrefix):] },
		func(o *outbox.CreateWebhook) { empty := ""; o.Label = &empty },
	} {
		o := good
		spoil(&o)
		require.Len(t, s.refused(base.CodeInvalid, o).Faults, 1)
	}
	for _, address := range []string{
		"http://example.com/", "HTTP://example.com", "ftp://example.com", "example.com", "//example.com",
		"https:example.com", "https://", "https:///x", "https://?x",
		"https://user@example.com/", "https://user:pass@example.com/", "https://@example.com/",
		"https://example.com/#part", "https://example.com/#", "https://exa mple.com/",
		"https://example.com/\n", "https://example.com\\@10.0.0.1/", "https://example.com:/",
		"https://example.com:99999999/", "https://example.com:port/",
		"https://2130706433/", "https://0x7f000001/", "https://0x7f.0.0.1/", "https://127.1/", "https://0177.0.0.1/",
		"https://127.0.0.01/", "https://1.2.3.4.5/", "https://example.0x10/",
		"https://[::1%25eth0]/", "https://[fe80::1%25lo]/", "https://[127.0.0.1]/", "https://[example.com]/",
		"https://exämple.com/", "https://..example.com/", "https://example..com/", "https://.",
		"https://" + strings.Repeat("a", 64) + ".com", "https://" + strings.Repeat("a.", 127) + "com",
		"https://example.com/" + strings.Repeat("x", 2048), "https://exa%6dple.com%2f/",
		"https://example.com/{id}", "https://example.com/a|b",
	} {
		o := good
		o.URL = address
		require.Len(t, base.FaultsIn(o), 1, address)
		s.refused(base.CodeInvalid, outbox.PatchWebhook{Fields: base.Changed(outbox.WebhookFields{URL: address})})
	}
	for _, address := range []string{"https://example.com", "HTTPS://EXAMPLE.com:8443/a%20b", "https://example.com./",
		"https://10.0.0.1/", "https://[::1]:443/", "https://my_host/", "https://xn--exmple-cua.com/"} {
		o := good
		o.URL = address
		s.do(outbox.DeleteWebhook{ID: s.do(o).(*outbox.Webhook).ID})
	}

	w := s.hook(base.OrderCreated)
	require.Equal(t, &outbox.Webhook{ID: w.ID, EventType: base.OrderCreated,
		WebhookFields: outbox.WebhookFields{URL: "https://example.com/hooks"},
		APIVersion:    "2025-06", Enabled: true, Stamp: base.Stamp{UpdatedAt: s.now, Revision: 1}}, w)
	s.now++
	p := s.do(outbox.PatchWebhook{ID: w.ID, IfMatch: []uint64{1},
		Fields:    base.Changed(outbox.WebhookFields{URL: "https://example.org/", Label: new("Books")}),
		EventType: base.Some(base.OrderUpdated)}).(*outbox.Webhook)
	require.Equal(t, [5]any{"https://example.org/", "Books", base.OrderUpdated, s.now, uint64(2)},
		[5]any{p.URL, *p.Label, p.EventType, p.UpdatedAt, p.Revision})
	require.Nil(t, s.do(outbox.PatchWebhook{ID: w.ID,
		Fields: base.Changed(outbox.WebhookFields{}, "label")}).(*outbox.Webhook).Label)
	s.refused(base.CodePrecondition, outbox.PatchWebhook{ID: w.ID, IfMatch: []uint64{1}})
	s.refused(base.CodeInvalid,
		outbox.PatchWebhook{ID: w.ID, Fields: base.Changed(outbox.WebhookFields{Label: new("")}),
			EventType: base.Some(base.HookEvent("x"))})
	require.Equal(t, "2025-12",
		s.do(outbox.UpgradeWebhook{ID: w.ID, APIVersion: "2025-12"}).(*outbox.Webhook).APIVersion)
	same := s.view().Sequence()
	s.do(outbox.UpgradeWebhook{ID: w.ID, APIVersion: "2025-12"})
	require.Equal(t, same, s.view().Sequence())
	s.refused(base.CodeInvalid, outbox.UpgradeWebhook{ID: w.ID, APIVersion: "x"})
	for _, op := range []base.Op{outbox.PatchWebhook{ID: base.ID{1}}, outbox.DeleteWebhook{ID: base.ID{1}},
		outbox.EnableWebhook{ID: base.ID{1}}, outbox.DisableWebhook{ID: base.ID{1}},
		outbox.UpgradeWebhook{ID: base.ID{1}, APIVersion: "2025-06"},
		outbox.RotateSecret{ID: base.ID{1}, Secret: secretOf(1)}, outbox.TestWebhook{ID: base.ID{1}},
		outbox.RecoverDeliveries{Webhook: base.ID{1}}, outbox.RedeliverDelivery{Webhook: base.ID{1}}} {
		s.refused(base.CodeNotFound, op)
	}
	for outbox.WebhookTable(s.view().Acc).Len() < outbox.MaxWebhooks {
		s.hook(base.OrderCreated)
	}
	s.refused(base.CodeConflict, good)
	s.reopen()
	s.do(outbox.DeleteWebhook{ID: w.ID})
	require.Nil(t, outbox.WebhookByID(s.view(), w.ID))
}

func TestSecretsAreRotatedWithAnOverlap(t *testing.T) {
	s := newShop(t)
	cmd := Command{Account: s.acc, Actor: "test", Idem: &Idempotency{Key: base.ID{1}, Fingerprint: base.ID{2}},
		Op: outbox.CreateWebhook{EventType: base.OrderCreated, APIVersion: "2025-06", Secret: secretOf(1),
			WebhookFields: outbox.WebhookFields{URL: "https://example.com/"}}}
	res, err := s.Do(cmd)
	require.NoError(t, err)
	again, err := s.Do(cmd)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, res.Record, again.Record)
	kept, err := base.ReadStored(s.Engine.store, idempotencyKind, s.acc, base.ID{1})
	require.NoError(t, err)
	require.NotContains(t, string(kept.Result), outbox.SecretPrefix)
	w := res.Record.(*outbox.Webhook)
	d := s.emitted(base.OrderCreated, w)
	secrets := func() []string {
		c, err := s.Call(s.view(), d, s.now)
		require.NoError(t, err)
		return c.Secrets
	}
	require.Equal(t, []string{secretOf(1)}, secrets())
	s.do(outbox.RotateSecret{ID: w.ID, Secret: secretOf(2), Overlap: 60})
	s.reopen()
	s.now += 10 // behind the instant that the log ended at
	require.Equal(t, []string{secretOf(1), secretOf(2)}, secrets(), "receivers that know the old one alone go on")
	s.do(outbox.RotateSecret{ID: w.ID, Secret: secretOf(3), Overlap: 60, SignWith: outbox.SignOld})
	require.Equal(t, []string{secretOf(2), secretOf(3)}, secrets())
	s.do(outbox.RotateSecret{ID: w.ID, Secret: secretOf(2), Overlap: 60})
	s.do(outbox.RotateSecret{ID: w.ID, Secret: secretOf(3), Overlap: 60, SignWith: outbox.SignNew})
	require.Equal(t, []string{secretOf(3), secretOf(2)}, secrets())
	s.now += 59_999
	require.Len(t, secrets(), 2)
	s.now++
	require.Equal(t, []string{secretOf(3)}, secrets())
	s.do(outbox.RotateSecret{ID: w.ID, Secret: secretOf(4), Overlap: 0})
	require.Equal(t, []string{secretOf(4)}, secrets())
	for _, seconds := range []int64{-1, 30*24*60*60 + 1} {
		s.refused(base.CodeInvalid, outbox.RotateSecret{ID: w.ID, Secret: secretOf(5), Overlap: seconds})
	}
	s.refused(base.CodeInvalid, outbox.RotateSecret{ID: w.ID, Secret: "x"})
	s.refused(base.CodeInvalid, outbox.RotateSecret{ID: w.ID, Secret: secretOf(5), SignWith: "both"})
	s.do(outbox.DisableWebhook{ID: w.ID})
	c, err := s.Call(s.view(), d, s.now)
	require.NoError(t, err)
	require.Nil(t, c)
	d = s.do(outbox.TestWebhook{ID: w.ID}).(*outbox.Delivery)
	s.do(outbox.RotateSecret{ID: w.ID, Secret: secretOf(5), Overlap: 60})
	c, err = s.Call(s.view(), d, s.now)
	require.NoError(t, err)
	require.Equal(t, []string{secretOf(4), secretOf(5)}, c.Secrets, "what is sent by hand goes out, by both secrets")
	require.True(t, c.Test)
}

func TestAccountsWithCalls(t *testing.T) {
	s := newShop(t)
	s.TakeCalled()
	s.article(base.ID{}, 1)
	require.Empty(t, s.TakeCalled())
	w := s.hook(base.OrderCreated)
	s.do(emitting{typ: base.OrderCreated, times: 2})
	<-s.Called()
	require.Equal(t, []base.ID{s.acc}, s.TakeCalled())
	require.Empty(t, s.TakeCalled())
	s.reopen()
	<-s.Called()
	require.Equal(t, []base.ID{s.acc}, s.TakeCalled(), "after a start")
	var due []int64
	s.attempt(s.log(w, 0)[0], 500, 0)
	for d := range outbox.Queue(s.view(), w.ID) {
		due = append(due, d.Next)
	}
	require.Equal(t, []int64{s.now, s.now + outbox.Backoff}, due)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.Error(t, s.TrimDeliveries(ctx))
}
