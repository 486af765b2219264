package engine

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// emitting is what changes an order: it makes events of it.
type emitting struct {
	typ   HookEvent
	order ID
	times int
}

func (emitting) Check() []Fault { return nil }
func (emitting) result() any    { return new(any) }

func (o emitting) plan(t *tx) (any, error) {
	data := func() eventData {
		return eventData{about: 23, write: func(version string) []byte { return []byte(`{"version":"` + version + `"}`) }}
	}
	if o.typ == OrderDeleted {
		data = nil
	}
	for range max(o.times, 1) {
		t.emit(o.typ, o.order, data)
	}
	return nil, nil
}

func secretOf(n byte) string {
	return SecretPrefix + base64.StdEncoding.EncodeToString(append(make([]byte, SecretBytes-1), n))
}

func (s *shop) hook(typ HookEvent) *Webhook {
	s.T.Helper()
	return s.do(CreateWebhook{EventType: typ, URL: "https://example.com/hooks", APIVersion: "2025-06", Secret: secretOf(1)}).(*Webhook)
}

// log is a webhook's log, the newest first.
func (s *shop) log(w *Webhook, state DeliveryState) []*Delivery {
	list, _ := s.view().Deliveries(w.ID, state, 0, 1000)
	return list
}

// attempt records an attempt that is made now and takes no time.
func (s *shop) attempt(d *Delivery, status int, jitter int64) *Delivery {
	s.T.Helper()
	s.do(RecordAttempts{[]Outcome{{Delivery: d.ID, Jitter: jitter, Attempt: Attempt{
		Number: s.view().Delivery(d.ID).Attempts + 1, At: s.now, Status: status, Answer: []byte("ok"),
	}}}})
	return s.view().Delivery(d.ID)
}

// failed has a delivery fail all its attempts.
func (s *shop) failed(d *Delivery) *Delivery {
	s.T.Helper()
	for range tryAtMost {
		require.Equal(s.T, DeliveryPending, d.State)
		s.now = max(s.now, d.Next)
		d = s.attempt(d, 500, 0)
	}
	require.Equal(s.T, DeliveryFailed, d.State)
	return d
}

func (s *shop) emitted(typ HookEvent, to *Webhook) *Delivery {
	s.T.Helper()
	s.do(emitting{typ: typ, order: ID{1}})
	return s.log(to, 0)[0]
}

func TestEventsAreWrittenWithTheirChange(t *testing.T) {
	s := newShop(t)
	before := s.view().Sequence()
	s.do(emitting{typ: OrderCreated, order: ID{9}})
	require.Equal(t, before, s.view().Sequence(), "nobody is told, so nothing is done")
	a, b := s.hook(OrderCreated), s.hook(OrderCreated)
	other := s.hook(OrderUpdated)
	old := s.do(CreateWebhook{EventType: OrderCreated, URL: "https://example.com/", APIVersion: "2024-01", Secret: secretOf(2)}).(*Webhook)
	order := ID{9, 6: 0x70, 8: 0x80}
	s.now += 5
	s.do(emitting{typ: OrderCreated, order: order})
	require.Empty(t, s.log(other, 0))
	for _, w := range []*Webhook{a, b, old} {
		require.Len(t, s.log(w, 0), 1)
		d := s.log(w, DeliveryPending)[0]
		require.Equal(t, &Delivery{
			ID: d.ID, Webhook: w.ID, Event: s.log(a, 0)[0].Event, Body: d.Body, Resource: order, Type: OrderCreated, State: DeliveryPending, Next: s.now, Size: d.Size, Revision: 1,
		}, d)
		body, attempts, err := s.DeliveryDetails(s.view(), d)
		require.NoError(t, err)
		require.Empty(t, attempts)
		require.InDelta(t, len(body), d.Size, 64)
		s.do(RecordAttempts{[]Outcome{{Delivery: d.ID, Sent: len(body), Attempt: Attempt{Number: 1, At: s.now, Status: 200, Answer: []byte("ok")}}}})
		require.Equal(t, len(body)+2+rowSize, int(s.view().Delivery(d.ID).Size), "known when it was sent")
		require.Equal(t, fmt.Sprintf(
			`{"eventId":"%s","eventType":"order.created","eventTime":"2025-10-09T09:00:00.005Z","resource":"order","resourceId":"%s","apiVersion":%q,"data":{"version":%[3]q}}`,
			d.Event, order, w.APIVersion), string(body))
	}
	require.Equal(t, s.log(a, 0)[0].Body, s.log(b, 0)[0].Body, "the bytes are made once for each version")
	require.NotEqual(t, s.log(a, 0)[0].Body, s.log(old, 0)[0].Body)
	s.reopen()

	gone := s.hook(OrderDeleted)
	d := s.emitted(OrderDeleted, gone)
	body, _, err := s.DeliveryDetails(s.view(), d)
	require.NoError(t, err)
	require.True(t, json.Valid(body))
	require.Contains(t, string(body), `"data":null}`)
	s.do(DisableWebhook{ID: gone.ID})
	s.do(emitting{typ: OrderDeleted, order: order})
	require.Len(t, s.log(gone, 0), 1, "a disabled webhook is told of nothing")
	require.Equal(t, DeliveryFailed, s.log(gone, 0)[0].State)
	s.reopen()
	list, err := s.feed(s.acc, 0, 100)
	require.NoError(t, err)
	seen := map[string]int{}
	for _, c := range list {
		seen[c.Resource+" "+string(c.Kind)]++
	}
	require.Equal(t, 5, seen["webhook created"])
	require.Equal(t, 2, seen["webhook updated"], "it was disabled, and missed an event; that events were queued is not told")
}

func TestScheduleOfADelivery(t *testing.T) {
	s := newShop(t)
	w := s.hook(OrderCreated)
	d := s.emitted(OrderCreated, w)
	first := s.now
	for i, pause := range []int64{10_000, 22_000, 41_000} {
		d = s.attempt(d, 503, []int64{0, 1000, 250}[i])
		require.Equal(t, s.now+pause, d.Next)
		require.Equal(t, first, d.First)
		require.Equal(t, DeliveryPending, d.State)
		s.now = d.Next
		s.reopen()
	}
	d = s.attempt(d, 404, 0)
	require.Equal(t, [3]any{DeliveryFailed, 4, s.now}, [3]any{d.State, d.Attempts, d.Ended})
	_, attempts, err := s.DeliveryDetails(s.view(), d)
	require.NoError(t, err)
	require.Len(t, attempts, 4)
	require.Equal(t, Attempt{Number: 4, At: s.now, Status: 404, Answer: []byte("ok")}, attempts[3])

	// What is known already is left out, what comes for a delivery that is over is taken: the endpoint has it.
	s.do(RecordAttempts{[]Outcome{{Delivery: d.ID, Attempt: Attempt{Number: 4, At: s.now, Status: 200}}, {Delivery: ID{5}, Attempt: Attempt{Number: 1, Status: 200}}}})
	require.Equal(t, DeliveryFailed, s.view().Delivery(d.ID).State)
	late := s.attempt(d, 204, 0)
	require.Equal(t, DeliveryDone, late.State)

	// A success at any attempt ends it; other statuses and errors do not.
	d = s.emitted(OrderCreated, w)
	for _, status := range []int{301, 199} {
		d = s.attempt(d, status, 0)
		require.Equal(t, DeliveryPending, d.State, status)
	}
	s.do(RecordAttempts{[]Outcome{{Delivery: d.ID, Attempt: Attempt{Number: 3, At: s.now, Status: 200, Error: "time-out"}}}})
	require.Equal(t, DeliveryPending, s.view().Delivery(d.ID).State)
	require.Equal(t, DeliveryDone, s.attempt(d, 299, 0).State)

	// Given up ten minutes after the first attempt, also where there were fewer than four.
	d = s.attempt(s.emitted(OrderCreated, w), 500, 0)
	s.now += giveUp - 1
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, DeliveryPending, s.view().Delivery(d.ID).State)
	s.now++
	require.NoError(t, s.Tick(t.Context()))
	d = s.view().Delivery(d.ID)
	require.Equal(t, [2]any{DeliveryFailed, 1}, [2]any{d.State, d.Attempts})
	// One whose next attempt would lie behind that is given up at once.
	d = s.emitted(OrderCreated, w)
	s.do(RecordAttempts{[]Outcome{{Delivery: d.ID, Attempt: Attempt{Number: 1, At: s.now, Took: giveUp - backoff + 1, Status: 500}}}})
	require.Equal(t, DeliveryFailed, s.view().Delivery(d.ID).State)
	require.True(t, s.view().Webhook(w.ID).Enabled, "that were two in a row")
	// One that has not begun waits as long as it takes.
	d = s.emitted(OrderCreated, w)
	s.now += 2 * giveUp
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, DeliveryPending, s.view().Delivery(d.ID).State)
	s.reopen()
	for _, bad := range []Outcome{{Jitter: -1}, {Jitter: MaxJitter + 1}, {Attempt: Attempt{Took: -1}}, {Attempt: Attempt{At: -1}}, {Attempt: Attempt{Answer: make([]byte, KeptAnswer+1)}}, {Attempt: Attempt{Error: strings.Repeat("x", 256)}}} {
		s.refused(CodeInvalid, RecordAttempts{[]Outcome{bad}})
	}
}

func TestThreeFailedEventsDisable(t *testing.T) {
	s := newShop(t)
	w, other := s.hook(OrderCreated), s.hook(OrderUpdated)
	state := func() *Webhook { return s.view().Webhook(w.ID) }
	s.failed(s.emitted(OrderCreated, w))
	s.failed(s.emitted(OrderCreated, w))
	s.attempt(s.emitted(OrderCreated, w), 200, 0) // a success resets
	s.failed(s.emitted(OrderCreated, w))
	s.failed(s.emitted(OrderCreated, w))
	test := s.do(TestWebhook{ID: w.ID}).(*Delivery)
	require.True(t, test.Test)
	s.failed(test)
	s.do(RedeliverDelivery{Webhook: w.ID, ID: test.ID})
	s.failed(s.view().Delivery(test.ID))
	require.True(t, state().Enabled, "what a person asked for does not count")
	s.reopen()
	queued := s.emitted(OrderCreated, w)
	under := s.emitted(OrderCreated, w)
	feed := s.view().Sequence()
	s.failed(s.emitted(OrderCreated, w))
	require.False(t, state().Enabled)
	require.Equal(t, TooManyFailures, *state().DisabledReason)
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, DeliveryFailed, s.view().Delivery(queued.ID).State)
	require.Empty(t, s.log(w, DeliveryPending))
	changes, err := s.feed(s.acc, feed, 100)
	require.NoError(t, err)
	require.Len(t, changes, 1)
	require.Equal(t, [3]any{"webhook", w.ID, Updated}, [3]any{changes[0].Resource, changes[0].ID, changes[0].Kind})
	require.Equal(t, DeliveryDone, s.attempt(under, 200, 0).State, "one that was under way")
	require.True(t, s.view().Webhook(other.ID).Enabled)
	s.reopen()

	for _, op := range []Op{RecoverDeliveries{Webhook: w.ID}, DisableWebhook{ID: w.ID}} {
		require.Equal(t, StateDetails{"disabled", []string{"enable"}}, s.refused(CodeStateNotAllowed, op).Details)
	}
	s.now += 1000
	on := s.do(EnableWebhook{ID: w.ID}).(*Webhook)
	require.Equal(t, [2]any{true, (*string)(nil)}, [2]any{on.Enabled, on.DisabledReason})
	s.refused(CodeStateNotAllowed, EnableWebhook{ID: w.ID})
	require.Equal(t, &Recovered{}, s.do(RecoverDeliveries{Webhook: w.ID, Since: s.now}))
	require.Equal(t, &Recovered{Queued: 2}, s.do(RecoverDeliveries{Webhook: w.ID, Since: s.now - 1000}), "those that ended since")
	require.Len(t, s.log(w, DeliveryPending), 2)
	for _, d := range s.log(w, DeliveryPending) {
		require.Equal(t, [3]any{s.now, int64(0), 0}, [3]any{d.Next, d.First, d.Tries})
		s.attempt(d, 200, 0)
	}
	require.Equal(t, 4, s.do(RecoverDeliveries{Webhook: w.ID}).(*Recovered).Queued, "all that failed since ever, but for the test")
	s.reopen()
	for range 3 {
		s.failed(s.log(w, DeliveryPending)[0])
	}
	require.False(t, state().Enabled, "enabling has reset the count; what is recovered counts")
}

func TestRedelivery(t *testing.T) {
	s := newShop(t)
	w := s.hook(OrderCreated)
	d := s.emitted(OrderCreated, w)
	s.refused(CodeStateNotAllowed, RedeliverDelivery{Webhook: w.ID, ID: d.ID})
	s.attempt(d, 200, 0)
	again := s.do(RedeliverDelivery{Webhook: w.ID, ID: d.ID}).(*Delivery)
	require.Equal(t, [4]any{DeliveryPending, true, 1, s.now}, [4]any{again.State, again.ByHand, again.Attempts, again.Next})
	s.failed(again)
	_, attempts, err := s.DeliveryDetails(s.view(), s.view().Delivery(d.ID))
	require.NoError(t, err)
	require.Len(t, attempts, 5)
	s.refused(CodeNotFound, RedeliverDelivery{Webhook: w.ID, ID: ID{7}})
	s.refused(CodeNotFound, RedeliverDelivery{Webhook: s.hook(OrderCreated).ID, ID: d.ID})
	for s.view().Delivery(d.ID).Attempts+tryAtMost <= maxAttempts {
		s.failed(s.do(RedeliverDelivery{Webhook: w.ID, ID: d.ID}).(*Delivery))
	}
	s.refused(CodeStateNotAllowed, RedeliverDelivery{Webhook: w.ID, ID: d.ID})
	require.Equal(t, &Recovered{}, s.do(RecoverDeliveries{Webhook: w.ID}))
	s.reopen()
}

func TestQueueIsBounded(t *testing.T) {
	long(t)
	s := newShop(t)
	w := s.hook(OrderCreated)
	for s.view().acc.calls().waiting(w.ID) < MaxQueued {
		s.do(emitting{typ: OrderCreated, times: maxRecover})
	}
	d := s.emitted(OrderCreated, w)
	require.Equal(t, DeliveryFailed, d.State)
	require.Equal(t, &Recovered{Left: 1}, s.do(RecoverDeliveries{Webhook: w.ID}))
	n, oldest := s.view().Waiting()
	require.Equal(t, [2]any{MaxQueued, s.now}, [2]any{n, oldest})
	s.do(DisableWebhook{ID: w.ID})
	require.NoError(t, s.Tick(t.Context()), "in parts, before anything else is done")
	require.Empty(t, s.log(w, DeliveryPending))
	s.do(EnableWebhook{ID: w.ID})
	require.Equal(t, &Recovered{Queued: maxRecover, Left: MaxQueued + 1 - maxRecover}, s.do(RecoverDeliveries{Webhook: w.ID}))
}

func TestLogIsTrimmed(t *testing.T) {
	s := newShop(t)
	a, b := s.hook(OrderCreated), s.hook(OrderCreated)
	s.do(emitting{typ: OrderCreated, order: ID{1}, times: 3})
	list := s.log(a, 0)
	stored := func(d *Delivery) (body bool, attempts int) {
		k, err := keptOf(s.Engine.store, s.acc, d)
		require.NoError(t, err)
		return k.body != nil, len(k.attempts)
	}
	for _, d := range list {
		s.attempt(d, 200, 0)
	}
	list = s.log(a, 0)
	s.now += logFor - 1
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
	s.do(DeleteWebhook{ID: b.ID})
	orphans := s.log(b, 0)
	require.NoError(t, s.TrimDeliveries(t.Context()))
	require.Empty(t, s.log(b, 0), "the log of a webhook that is gone goes")
	for _, d := range orphans {
		body, _ := stored(d)
		require.False(t, body)
	}
	require.Zero(t, s.view().acc.calls().bytes)
	require.Zero(t, s.view().acc.kept[tagBody])
	require.Zero(t, s.view().acc.kept[tagAttempt])
	require.Nil(t, formerKind.in(s.view().acc).First(0, formerKey(tagWebhook, 0)))
	s.reopen()

	// By size: the oldest go.
	s.do(emitting{typ: OrderCreated, times: 5})
	for _, d := range s.log(a, 0) {
		s.attempt(d, 200, 0)
	}
	newest := s.log(a, 0)[:2]
	s.logBytes = s.view().acc.calls().bytes * 2 / 5
	require.NoError(t, s.TrimDeliveries(t.Context()))
	require.Equal(t, newest, s.log(a, 0))
	require.NoError(t, s.TrimDeliveries(t.Context()))
	require.Equal(t, newest, s.log(a, 0))
}

func TestWebhookFields(t *testing.T) {
	s := newShop(t)
	good := CreateWebhook{EventType: OrderCreated, URL: "https://example.com/hooks?x=1", APIVersion: "2025-06", Secret: secretOf(1)}
	for _, spoil := range []func(o *CreateWebhook){
		func(o *CreateWebhook) { o.EventType = "order.lost" },
		func(o *CreateWebhook) { o.APIVersion = "latest" },
		func(o *CreateWebhook) { o.Secret = "whsec_short" },
		func(o *CreateWebhook) { o.Secret = o.Secret[len(SecretPrefix):] },
		func(o *CreateWebhook) { empty := ""; o.Label = &empty },
	} {
		o := good
		spoil(&o)
		require.Len(t, s.refused(CodeInvalid, o).Faults, 1)
	}
	for _, address := range []string{
		"http://example.com/", "HTTP://example.com", "ftp://example.com", "example.com", "//example.com", "https:example.com", "https://", "https:///x", "https://?x",
		"https://user@example.com/", "https://user:pass@example.com/", "https://@example.com/", "https://example.com/#part", "https://example.com/#", "https://exa mple.com/",
		"https://example.com/\n", "https://example.com\\@10.0.0.1/", "https://example.com:/", "https://example.com:99999999/", "https://example.com:port/",
		"https://2130706433/", "https://0x7f000001/", "https://0x7f.0.0.1/", "https://127.1/", "https://0177.0.0.1/", "https://127.0.0.01/", "https://1.2.3.4.5/", "https://example.0x10/",
		"https://[::1%25eth0]/", "https://[fe80::1%25lo]/", "https://[127.0.0.1]/", "https://[example.com]/", "https://exämple.com/", "https://..example.com/", "https://example..com/", "https://.",
		"https://" + strings.Repeat("a", 64) + ".com", "https://" + strings.Repeat("a.", 127) + "com", "https://example.com/" + strings.Repeat("x", 2048), "https://exa%6dple.com%2f/",
	} {
		o := good
		o.URL = address
		require.Len(t, o.Check(), 1, address)
		s.refused(CodeInvalid, PatchWebhook{URL: Some(address)})
	}
	for _, address := range []string{"https://example.com", "HTTPS://EXAMPLE.com:8443/a%20b", "https://example.com./", "https://10.0.0.1/", "https://[::1]:443/", "https://my_host/", "https://xn--exmple-cua.com/"} {
		o := good
		o.URL = address
		s.do(DeleteWebhook{ID: s.do(o).(*Webhook).ID})
	}

	w := s.hook(OrderCreated)
	require.Equal(t, &Webhook{ID: w.ID, EventType: OrderCreated, URL: "https://example.com/hooks", APIVersion: "2025-06", Enabled: true, UpdatedAt: s.now, Revision: 1}, w)
	s.now++
	p := s.do(PatchWebhook{ID: w.ID, IfMatch: []uint64{1}, URL: Some("https://example.org/"), Label: Some("Books"), EventType: Some(OrderUpdated)}).(*Webhook)
	require.Equal(t, [5]any{"https://example.org/", "Books", OrderUpdated, s.now, uint64(2)}, [5]any{p.URL, *p.Label, p.EventType, p.UpdatedAt, p.Revision})
	require.Nil(t, s.do(PatchWebhook{ID: w.ID, Label: Null[string]()}).(*Webhook).Label)
	s.refused(CodePrecondition, PatchWebhook{ID: w.ID, IfMatch: []uint64{1}})
	s.refused(CodeInvalid, PatchWebhook{ID: w.ID, Label: Some(""), EventType: Some(HookEvent("x"))})
	require.Equal(t, "2025-12", s.do(UpgradeWebhook{ID: w.ID, APIVersion: "2025-12"}).(*Webhook).APIVersion)
	same := s.view().Sequence()
	s.do(UpgradeWebhook{ID: w.ID, APIVersion: "2025-12"})
	require.Equal(t, same, s.view().Sequence())
	s.refused(CodeInvalid, UpgradeWebhook{ID: w.ID, APIVersion: "x"})
	for _, op := range []Op{PatchWebhook{ID: ID{1}}, DeleteWebhook{ID: ID{1}}, EnableWebhook{ID: ID{1}}, DisableWebhook{ID: ID{1}}, UpgradeWebhook{ID: ID{1}, APIVersion: "2025-06"},
		RotateSecret{ID: ID{1}, Secret: secretOf(1)}, TestWebhook{ID: ID{1}}, RecoverDeliveries{Webhook: ID{1}}, RedeliverDelivery{Webhook: ID{1}}} {
		s.refused(CodeNotFound, op)
	}
	for s.view().acc.webhooks().Len() < maxWebhooks {
		s.hook(OrderCreated)
	}
	s.refused(CodeConflict, good)
	s.reopen()
	s.do(DeleteWebhook{ID: w.ID})
	require.Nil(t, s.view().Webhook(w.ID))
}

func TestSecrets(t *testing.T) {
	s := newShop(t)
	cmd := Command{Account: s.acc, Actor: "test", Idem: &Idempotency{Key: ID{1}, Fingerprint: ID{2}},
		Op: CreateWebhook{EventType: OrderCreated, URL: "https://example.com/", APIVersion: "2025-06", Secret: secretOf(1)}}
	res, err := s.Do(cmd)
	require.NoError(t, err)
	again, err := s.Do(cmd)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, res.Record, again.Record)
	kept, err := readStored(s.Engine.store, idempotencyKind, s.acc, ID{1})
	require.NoError(t, err)
	require.NotContains(t, string(kept.Result), SecretPrefix)
	w := res.Record.(*Webhook)
	d := s.emitted(OrderCreated, w)
	secrets := func() []string {
		c, err := s.Call(s.view(), d, s.now)
		require.NoError(t, err)
		return c.Secrets
	}
	require.Equal(t, []string{secretOf(1)}, secrets())
	s.do(RotateSecret{ID: w.ID, Secret: secretOf(2), Overlap: 60})
	s.reopen()
	s.now += 10 // behind the instant that the log ended at
	require.Equal(t, []string{secretOf(1), secretOf(2)}, secrets(), "receivers that know the old one alone go on")
	s.do(RotateSecret{ID: w.ID, Secret: secretOf(3), Overlap: 60, SignWith: SignOld})
	require.Equal(t, []string{secretOf(2), secretOf(3)}, secrets())
	s.do(RotateSecret{ID: w.ID, Secret: secretOf(2), Overlap: 60})
	s.do(RotateSecret{ID: w.ID, Secret: secretOf(3), Overlap: 60, SignWith: SignNew})
	require.Equal(t, []string{secretOf(3), secretOf(2)}, secrets())
	s.now += 59_999
	require.Len(t, secrets(), 2)
	s.now++
	require.Equal(t, []string{secretOf(3)}, secrets())
	s.do(RotateSecret{ID: w.ID, Secret: secretOf(4), Overlap: 0})
	require.Equal(t, []string{secretOf(4)}, secrets())
	for _, seconds := range []int64{-1, MaxOverlap + 1} {
		s.refused(CodeInvalid, RotateSecret{ID: w.ID, Secret: secretOf(5), Overlap: seconds})
	}
	s.refused(CodeInvalid, RotateSecret{ID: w.ID, Secret: "x"})
	s.refused(CodeInvalid, RotateSecret{ID: w.ID, Secret: secretOf(5), SignWith: "both"})
	s.do(DisableWebhook{ID: w.ID})
	c, err := s.Call(s.view(), d, s.now)
	require.NoError(t, err)
	require.Nil(t, c)
	d = s.do(TestWebhook{ID: w.ID}).(*Delivery)
	s.do(RotateSecret{ID: w.ID, Secret: secretOf(5), Overlap: 60})
	c, err = s.Call(s.view(), d, s.now)
	require.NoError(t, err)
	require.Equal(t, []string{secretOf(4), secretOf(5)}, c.Secrets, "what is sent by hand goes out, by both secrets")
	require.True(t, c.Test)
}

func TestAccountsWithCalls(t *testing.T) {
	s := newShop(t)
	s.TakeCalled()
	s.article(ID{}, 1)
	require.Empty(t, s.TakeCalled())
	w := s.hook(OrderCreated)
	s.do(emitting{typ: OrderCreated, times: 2})
	<-s.Called()
	require.Equal(t, []ID{s.acc}, s.TakeCalled())
	require.Empty(t, s.TakeCalled())
	s.reopen()
	<-s.Called()
	require.Equal(t, []ID{s.acc}, s.TakeCalled(), "after a start")
	var due []int64
	s.attempt(s.log(w, 0)[0], 500, 0)
	for d := range s.view().Queue(w.ID) {
		due = append(due, d.Next)
	}
	require.Equal(t, []int64{s.now, s.now + backoff}, due)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.Error(t, s.TrimDeliveries(ctx))
}
