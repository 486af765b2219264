package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
	"holdfast/persist/power"
)

// verified recomputes both schemes as a receiver does, and returns of how many secrets the standard header has a
// signature.
func verified(t testing.TB, r received, secrets ...string) {
	t.Helper()
	sum := hmac.New(sha256.New, []byte(secrets[0]))
	sum.Write(r.body)
	require.Equal(t, "sha256="+hex.EncodeToString(sum.Sum(nil)), r.header.Get("X-Service-Signature"))
	var want []string
	for _, s := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s, "whsec_"))
		require.NoError(t, err)
		sum := hmac.New(sha256.New, key)
		fmt.Fprintf(sum, "%s.%s.%s", r.header.Get("webhook-id"), r.header.Get("webhook-timestamp"), r.body)
		want = append(want, "v1,"+base64.StdEncoding.EncodeToString(sum.Sum(nil)))
	}
	require.Equal(t, strings.Join(want, " "), r.header.Get("webhook-signature"))
	var envelope struct{ EventID string }
	require.NoError(t, json.Unmarshal(r.body, &envelope))
	require.Equal(t, envelope.EventID, r.header.Get("X-Service-Event-Id"))
	require.Equal(t, envelope.EventID, r.header.Get("webhook-id"))
}

func TestDeliversSigned(t *testing.T) {
	s := newShop(t)
	r := s.receive(func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 5000)) })
	h := s.hook(r.URL + "/hooks?a=1")
	id := h.event()
	d := s.after(id, 1)
	require.Equal(t, outbox.DeliveryDone, d.State)
	got := r.requests()[0]
	require.Equal(t, "/hooks?a=1", got.path)
	require.Equal(t, "application/json", got.header.Get("Content-Type"))
	require.Equal(t, fmt.Sprint(noon/1000), got.header.Get("webhook-timestamp"))
	verified(t, got, h.secret)
	v, _ := s.eng.View(s.account)
	body, attempts, err := s.eng.DeliveryDetails(v, d)
	require.NoError(t, err)
	require.Equal(t, string(body), string(got.body), "the exact bytes")
	require.Equal(t, outbox.Attempt{Number: 1, At: noon, Status: 200,
		Answer: []byte(strings.Repeat("x", outbox.KeptAnswer))}, attempts[0])

	// During an overlap the standard header has both signatures, and ours is of the old secret, unless it is to be of
	// the new one.
	second := drawSecret()
	s.do(outbox.RotateSecret{ID: h.id, Secret: second, Overlap: 60})
	s.after(h.event(), 1)
	verified(t, r.requests()[1], h.secret, second)
	s.move(60_000)
	s.after(h.event(), 1)
	verified(t, r.requests()[2], second)
	third := drawSecret()
	s.do(outbox.RotateSecret{ID: h.id, Secret: third, Overlap: 60, SignWith: outbox.SignNew})
	s.after(h.event(), 1)
	verified(t, r.requests()[3], third, second)
}

// Each attempt is made when it is due and not before, with the same bytes; each outcome is durable before that.
func TestSchedule(t *testing.T) {
	s := newShop(t)
	r := s.receive(status(500, 302, 404, 503))
	h := s.hook(r.URL)
	id := h.event()
	for i, jitter := range []int64{0, 500, 1000} {
		s.jitter.Store(jitter)
		if i > 0 {
			s.move(1)
		}
		d := s.after(id, i+1)
		s.awaitTimer(d.Next)
		s.move(d.Next - s.Now() - 1)
		require.Len(t, r.requests(), i+1)
	}
	s.move(1)
	require.Equal(t, outbox.DeliveryFailed, s.after(id, 4).State)
	attempts := s.attempts(id)
	var at, statuses []int64
	for _, a := range attempts {
		at, statuses = append(at, a.At-noon), append(statuses, int64(a.Status))
	}
	require.Equal(t, []int64{0, 10_000, 30_000 + 1000, 75_000}, at)
	require.Equal(t, []int64{500, 302, 404, 503}, statuses)
	require.Equal(t, "a redirect is not followed", attempts[1].Error)
	for _, got := range r.requests() {
		require.Equal(t, r.requests()[0].body, got.body)
		verified(t, got, h.secret)
	}
	require.NotEqual(t, r.requests()[0].header.Get("webhook-timestamp"),
		r.requests()[1].header.Get("webhook-timestamp"))
	require.Equal(t, [2]float64{0, 4}, [2]float64{s.metric("holdfast_webhook_attempts_total", "delivered"),
		s.metric("holdfast_webhook_attempts_total", "failed")})
}

func TestSuccessEndsASchedule(t *testing.T) {
	s := newShop(t)
	r := s.receive(status(500, 200))
	id := s.hook(r.URL).event()
	s.awaitTimer(s.after(id, 1).Next)
	s.move(4_000)
	require.Equal(t, [2]float64{1, 4}, [2]float64{s.metric("holdfast_webhook_deliveries_queued", ""),
		s.metric("holdfast_webhook_oldest_delivery_seconds", "")})
	s.move(6_000)
	require.Equal(t, outbox.DeliveryDone, s.after(id, 2).State)
	require.Len(t, r.requests(), 2)
}

// A webhook whose recorded scopes do not cover its events is sent none of them, whoever has them queued.
func TestSendsByTheScopesOfTheMaker(t *testing.T) {
	s := newShop(t)
	r := s.receive(status(200))
	made := func(scopes ...string) *hook {
		h := &hook{shop: s, secret: drawSecret()}
		h.id = s.do(outbox.CreateWebhook{EventType: base.OrderCreated, APIVersion: "2025-06",
			WebhookFields: outbox.WebhookFields{URL: r.URL},
			Secret:        h.secret, Maker: &outbox.Maker{Key: base.ID{1}, Scopes: scopes}}).(*outbox.Webhook).ID
		return h
	}
	id := made("settings.webhooks.write").event()
	s.after(id, 1)
	a := s.attempts(id)[0]
	require.Equal(t, [2]any{0, "the key that made the webhook could not read this"}, [2]any{a.Status, a.Error})
	require.Empty(t, r.requests())
	for i, h := range []*hook{made("settings.webhooks.write", "orders.read"), made(), s.hook(r.URL)} {
		require.Equal(t, outbox.DeliveryDone, s.after(h.event(), 1).State)
		require.Len(t, r.requests(), i+1)
	}
}

// Ten minutes after the first attempt a delivery is given up, though it was not tried four times: the server was down.
func TestGivenUpAfterTenMinutes(t *testing.T) {
	s := newShop(t)
	r := s.receive(status(500))
	id := s.hook(r.URL).event()
	s.awaitTimer(s.after(id, 1).Next)
	s.close()
	s.move(10 * 60 * 1000)
	s.open()
	s.await(func(v base.View) bool { return outbox.DeliveryByID(v, id).State == outbox.DeliveryFailed })
	require.Len(t, r.requests(), 1)
	require.Len(t, s.attempts(id), 1)
}

// Retries are made when they are due, in whatever order the webhooks and accounts they are of came to wait.
func TestRetriesOfManyAreMadeWhenTheyAreDue(t *testing.T) {
	s := newShop(t)
	r := s.receive(status(500))
	first, second := s.hook(r.URL), s.hook(r.URL)
	one, id := s.account, first.event()
	step := func(id base.ID, attempts int, at int64) {
		t.Helper()
		s.awaitTimer(noon + at)
		s.move(noon + at - s.Now())
		require.Equal(t, noon+at, s.attempts(s.after(id, attempts).ID)[attempts-1].At)
	}
	s.after(id, 1)
	step(id, 2, 10_000)
	s.move(2_000)
	id2 := second.event()
	s.after(id2, 1)
	other := s.account
	other[15]++
	s.account = other
	s.do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Other"}})
	s.move(1_000)
	id3 := s.hook(r.URL).event()
	s.after(id3, 1)
	s.account = one
	step(id2, 2, 22_000)
	s.account = other
	step(id3, 2, 23_000)
	s.account = one
	step(id, 3, 30_000)
	step(id2, 3, 42_000)
	s.account = other
	step(id3, 3, 43_000)
}

// What came of attempts of several accounts at once is recorded for each.
func TestOutcomesOfSeveralAccounts(t *testing.T) {
	s := newShop(t)
	s.sender.Close(t.Context())
	var list []result
	for range 2 {
		s.account[15]++
		s.do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Other"}})
		list = append(list, result{account: s.account, outcome: outbox.Outcome{
			Delivery: s.hook("https://example.com/").event(),
			Attempt:  outbox.Attempt{Number: 1, At: noon, Status: 200}}})
	}
	s.sender.submit(list)
	for _, r := range list {
		v, _ := s.eng.View(r.account)
		require.Equal(t, outbox.DeliveryDone, outbox.DeliveryByID(v, r.outcome.Delivery).State)
	}
	s.send()
}

// An attempt during which the clock was set back took no time, and is recorded.
func TestClockGoesBackDuringAnAttempt(t *testing.T) {
	s := newShop(t)
	r := s.receive(func(int, http.ResponseWriter, *http.Request) { s.move(-1000) })
	id := s.hook(r.URL).event()
	s.after(id, 1)
	require.Zero(t, s.attempts(id)[0].Took)
}

// A clock that was set back delays no event, and ends no schedule: the engine's present does not go back.
func TestClockGoesBack(t *testing.T) {
	s := newShop(t)
	r := s.receive(status(500, 200))
	h := s.hook(r.URL)
	s.move(-60 * 60 * 1000)
	d := s.after(h.event(), 1)
	require.Equal(t, [2]any{outbox.DeliveryPending, noon + 10_000}, [2]any{d.State, d.Next})
	require.Equal(t, fmt.Sprint(s.Now()/1000), r.requests()[0].header.Get("webhook-timestamp"),
		"what a receiver compares with its own clock")
	s.awaitTimer(d.Next)
	s.move(60*60*1000 + 10_000)
	require.Equal(t, outbox.DeliveryDone, s.after(d.ID, 2).State)
	require.Equal(t, noon, s.attempts(d.ID)[0].At)
}

// A receiver judges an attempt by its own clock: it is told the machine's time, however far the service's is ahead.
func TestAttemptHasTheTimeOfTheMachine(t *testing.T) {
	s := newShop(t)
	r := s.receive(nil)
	s.behind.Store(49 * 60 * 1000)
	h := s.hook(r.URL)
	id := h.event()
	s.after(id, 1)
	got := r.requests()[0]
	require.Equal(t, fmt.Sprint(s.Now()/1000-49*60), got.header.Get("webhook-timestamp"))
	verified(t, got, h.secret)
	require.Equal(t, noon, s.attempts(id)[0].At, "what is recorded goes by the service's")
}

// What is on disk after a power cut in the middle of a schedule goes on from there.
func TestGoesOnAfterAPowerCut(t *testing.T) {
	s := newShop(t)
	r := s.receive(status(500, 500, 200))
	h := s.hook(r.URL)
	id := h.event()
	for i := range 2 {
		d := s.after(id, i+1)
		s.awaitTimer(d.Next)
		after := s.fs.(*power.Disk).CrashClone(vfs.CrashCloneCfg{})
		s.close()
		s.fs = after
		s.open()
		s.awaitTimer(d.Next)
		require.Len(t, r.requests(), i+1)
		require.Len(t, s.attempts(id), i+1)
		s.move(d.Next - s.Now())
	}
	require.Equal(t, outbox.DeliveryDone, s.after(id, 3).State)
	require.Equal(t, r.requests()[0].body, r.requests()[2].body)
	verified(t, r.requests()[2], h.secret)
}

// An attempt that the end of the server cuts off is made again.
func TestCutOffAttemptIsMadeAgain(t *testing.T) {
	s := newShop(t)
	came := make(chan bool, 2)
	r := s.receive(func(n int, w http.ResponseWriter, r *http.Request) {
		came <- true
		if n == 1 {
			never(r)
		}
	})
	id := s.hook(r.URL).event()
	<-came
	now, stop := context.WithCancel(t.Context())
	stop()
	s.sender.Close(now)
	require.NoError(t, s.eng.Close())
	require.NoError(t, s.store.Close())
	s.open()
	<-came
	d := s.after(id, 1)
	require.Equal(t, [2]any{outbox.DeliveryDone, 1}, [2]any{d.State, d.Attempts})
}

// Endpoints that do not answer keep neither others from theirs, nor more than their share of the room.
func TestSlowEndpointsDelayNoOther(t *testing.T) {
	s := newShop(t)
	hold, under := make(chan bool), make(chan bool, 1000)
	slow := s.receive(func(_ int, w http.ResponseWriter, r *http.Request) {
		under <- true
		select {
		case <-hold:
		case <-r.Context().Done():
			never(r)
		}
	})
	fast := s.receive(nil)
	var slows []*hook
	for range 20 {
		h := s.hook(slow.URL)
		for range 3 * perWebhook {
			h.event()
		}
		slows = append(slows, h)
	}
	for range MaxAttempts / accounts * 3 / 4 { // they have come about as far as they do
		<-under
	}
	h := s.hook(fast.URL)
	for range 50 {
		require.Equal(t, outbox.DeliveryDone, s.after(h.event(), 1).State)
	}
	close(hold)
	for _, h := range slows {
		s.await(func(v base.View) bool {
			n, _ := outbox.Deliveries(v, h.id, outbox.DeliveryDone, 0, 1000)
			return len(n) == 3*perWebhook
		})
	}
}

// An account has its part of the room, spread evenly over its endpoints, so that the slow ones of another have theirs.
func TestAccountsShareTheRoom(t *testing.T) {
	s := newShop(t)
	s.sender.Close(t.Context()) // until all that follows is queued
	hold, came := make(chan bool), make(chan string, 100)
	slow := s.receive(func(_ int, w http.ResponseWriter, r *http.Request) {
		came <- r.URL.Path
		<-hold
	})
	defer close(hold)
	const part = 12
	s.room = accounts * part
	queue := func(webhooks, each int) {
		for i := range webhooks {
			h := s.hook(fmt.Sprintf("%s/%d", slow.URL, i))
			for range each {
				h.event()
			}
		}
	}
	queue(4, part)
	s.account[15]++
	s.do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Other"}})
	queue(1, part)
	s.send()
	got := map[string]int{}
	for range 2 * part {
		got[<-came]++
	}
	require.Equal(t, map[string]int{"/0": part/4 + part, "/1": part / 4, "/2": part / 4, "/3": part / 4}, got)
	require.Equal(t, float64(2*part), s.metric("holdfast_webhook_attempts_under_way", ""))
}

// Many endpoints of some accounts that do not answer leave room for another account's first attempt, and what they give
// back goes to those that wait.
func TestSlowAccountsLeaveRoomForOthers(t *testing.T) {
	s := newShop(t)
	s.sender.Close(t.Context())
	over, came := make(chan bool), make(chan string, 100)
	slow := s.receive(func(_ int, w http.ResponseWriter, r *http.Request) {
		came <- r.URL.Path
		<-over
	})
	defer close(over)
	s.room = 8
	queue := func(name string, webhooks int) {
		for i := range webhooks {
			h := s.hook(fmt.Sprintf("%s/%s%d", slow.URL, name, i))
			h.event()
			h.event()
		}
	}
	most := s.room * 3 / 4
	queue("many", most)
	s.send()
	for range most {
		require.Contains(t, <-came, "many")
	}
	s.account[15]++
	s.do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Other"}})
	queue("other", 2)
	require.Contains(t, <-came, "other")
	require.Equal(t, float64(most+1), s.metric("holdfast_webhook_attempts_under_way", ""), "only its first")
	over <- true
	over <- true
	require.Contains(t, <-came, "other")
}

// What an account's attempts send at once is bounded in bytes; one attempt is always made.
func TestBodiesUnderWayAreBounded(t *testing.T) {
	for _, most := range []int{1, 2} {
		s := newShop(t)
		s.sender.Close(t.Context())
		over, came := make(chan bool), make(chan bool, 10)
		slow := s.receive(func(_ int, w http.ResponseWriter, _ *http.Request) {
			came <- true
			<-over
		})
		var id base.ID
		for range 3 * most {
			id = s.hook(slow.URL).event()
		}
		v, _ := s.eng.View(s.account)
		s.bytes = 1 + int64(most-1)*2*bytesOf(outbox.DeliveryByID(v, id))
		s.send()
		for range 3 {
			for range most {
				<-came
			}
			require.Equal(t, float64(most), s.metric("holdfast_webhook_attempts_under_way", ""))
			require.Empty(t, came)
			for range most {
				over <- true
			}
		}
	}
}

// However many accounts have something to send, no more is under way than there is room for, and each has its turn.
func TestAttemptsUnderWayAreBounded(t *testing.T) {
	s := newShop(t)
	s.sender.Close(t.Context())
	over, came := make(chan bool), make(chan bool, 100)
	slow := s.receive(func(_ int, w http.ResponseWriter, _ *http.Request) {
		came <- true
		<-over
	})
	s.room = 4
	for range 2 * s.room {
		s.account[15]++
		s.do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Other"}})
		s.hook(slow.URL).event()
	}
	s.send()
	for range s.room {
		<-came
	}
	require.Equal(t, float64(s.room), s.metric("holdfast_webhook_attempts_under_way", ""))
	require.Empty(t, came)
	close(over)
	for range s.room {
		<-came
	}
}

func TestOneEndpointHasABoundedShare(t *testing.T) {
	s := newShop(t)
	var mu sync.Mutex
	now, most := 0, 0
	r := s.receive(func(_ int, w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		now--
		mu.Unlock()
	})
	h := s.hook(r.URL)
	for range 200 {
		h.event()
	}
	s.await(func(v base.View) bool {
		n, _ := outbox.Deliveries(v, h.id, outbox.DeliveryDone, 0, 1000)
		return len(n) == 200
	})
	require.LessOrEqual(t, most, perWebhook)
	require.Len(t, r.requests(), 200, "each once")
}

// While commands wait, and a little longer, few attempts are begun; then all that are due.
func TestDeliveriesGiveWay(t *testing.T) {
	s := newShop(t)
	r := s.receive(nil)
	h := s.hook(r.URL)
	delivered := func(n int) {
		t.Helper()
		s.await(func(v base.View) bool {
			list, _ := outbox.Deliveries(v, h.id, outbox.DeliveryDone, 0, 1000)
			return len(list) >= n
		})
		require.Len(t, r.requests(), n)
	}
	s.waiting.Store(busyQueue)
	for range 10 * busyStarts {
		h.event()
	}
	for i := range 3 {
		delivered((i + 1) * busyStarts)
		s.awaitTimer(noon + int64(i+1)*busyPause)
		if i < 2 {
			s.move(busyPause)
		}
	}
	s.waiting.Store(busyQueue - 1)
	for i := range busyFor/busyPause - 1 {
		s.move(busyPause)
		delivered((i + 4) * busyStarts)
		s.awaitTimer(noon + int64(i+4)*busyPause)
	}
	s.move(busyPause)
	delivered(10 * busyStarts)
}

// Where a queue is long, events come first: what finds no place in it is not sent by itself.
func TestALongQueueGivesNoWay(t *testing.T) {
	s := newShop(t)
	h := s.hook(s.receive(nil).URL)
	s.waiting.Store(busyQueue)
	for range patience + 2*busyStarts {
		h.event()
	}
	s.await(func(v base.View) bool { return outbox.Queued(v, h.id) < patience })
}

func TestDisabledAfterThreeEvents(t *testing.T) {
	s := newShop(t)
	down := true
	var mu sync.Mutex
	r := s.receive(func(_ int, w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if down {
			w.WriteHeader(500)
		}
	})
	h := s.hook(r.URL)
	for range 5 {
		h.event()
	}
	fail := func() {
		for n := 1; ; n++ {
			var due int64
			s.await(func(v base.View) bool {
				if due = 0; !outbox.WebhookByID(v, h.id).Enabled {
					return true
				}
				for d := range outbox.Queue(v, h.id) {
					if d.Tries < n {
						return false
					}
					due = max(due, d.Next)
				}
				return true
			})
			if due == 0 {
				return
			}
			s.awaitTimer(due)
			s.pass(due - s.Now())
		}
	}
	enabled := func() bool {
		v, _ := s.eng.View(s.account)
		return outbox.WebhookByID(v, h.id).Enabled
	}
	fail()
	require.True(t, enabled(), "test events do not count")
	location := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Lisbon", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
	for range 5 {
		s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: location}})
	}
	var ids []base.ID
	all, _ := s.eng.View(s.account)
	for d := range outbox.Queue(all, h.id) {
		ids = append(ids, d.ID)
	}
	require.Len(t, ids, 5)
	fail()
	require.False(t, enabled())
	for _, id := range ids {
		s.after(id, 4) // also those that were under way
	}
	s.pass(0)
	v, _ := s.eng.View(s.account)
	require.Equal(t, outbox.TooManyFailures, *outbox.WebhookByID(v, h.id).DisabledReason)
	failed, _ := outbox.Deliveries(v, h.id, outbox.DeliveryFailed, 0, 10)
	require.Len(t, failed, 10, "what is queued stays in the log")
	mu.Lock()
	down = false
	mu.Unlock()
	calls := len(r.requests())
	s.do(outbox.EnableWebhook{ID: h.id})
	require.Equal(t, &outbox.Recovered{Queued: 5}, s.do(outbox.RecoverDeliveries{Webhook: h.id}))
	for _, id := range ids {
		s.await(func(v base.View) bool { return outbox.DeliveryByID(v, id).State == outbox.DeliveryDone })
	}
	require.Len(t, r.requests(), calls+5)
	for _, got := range r.requests()[calls:] {
		require.NotContains(t, got.header, "X-Service-Test", "it happened")
	}
	require.True(t, enabled())
}

func TestRedelivery(t *testing.T) {
	s := newShop(t)
	r := s.receive(nil)
	h := s.hook(r.URL)
	id := h.event()
	s.after(id, 1)
	s.do(outbox.RedeliverDelivery{Webhook: h.id, ID: id})
	s.after(id, 2)
	require.Equal(t, r.requests()[0].body, r.requests()[1].body)
	require.Equal(t, r.requests()[0].header.Get("webhook-id"), r.requests()[1].header.Get("webhook-id"))
	require.Equal(t, 2.0, s.metric("holdfast_webhook_attempts_total", "delivered"))
	require.Zero(t, s.metric("holdfast_webhook_oldest_delivery_seconds", ""), "nothing waits")
}

// Whatever happens at the other end is a failed attempt with a reason, and no secret gets into it.
func TestReasons(t *testing.T) {
	s := newShop(t)
	plain := s.receive(nil)
	stranger := newShop(t).receive(nil) // of an authority that the shop does not know
	cut := s.receive(func(_ int, w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) })
	flood := s.receive(func(_ int, w http.ResponseWriter, _ *http.Request) {
		for range 64 {
			w.Write(make([]byte, 64<<10))
		}
	})
	header := s.receive(func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 2*maxAnswer))
	})
	unfinished := s.receive(func(_ int, w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("so far"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	silent := s.receive(func(_ int, _ http.ResponseWriter, r *http.Request) { never(r) })
	metadata := s.receive(func(_ int, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusTemporaryRedirect)
	})
	s.client.Timeout = 300 * time.Millisecond
	of := func(raw string) outbox.Attempt {
		t.Helper()
		h := s.hook(raw)
		id := h.event()
		s.after(id, 1)
		a := s.attempts(id)[0]
		require.NotContains(t, a.Error, "127.0.0.1")
		require.NotContains(t, a.Error+string(a.Answer), h.secret[len(outbox.SecretPrefix):])
		return a
	}
	for raw, want := range map[string]string{
		stranger.URL:                           "the certificate is not trusted",
		"https://" + refusing(t, plain.URL):    "the connection was refused",
		cut.URL:                                "the connection failed",
		header.URL:                             "the connection failed",
		silent.URL:                             "timed out",
		metadata.URL:                           "a redirect is not followed",
		"https://nobody.invalid/":              "the host has no address that may be called",
		"https://10.0.0.1/":                    "the host has no address that may be called",
		"https://[::ffff:10.0.0.1]/":           "the host has no address that may be called",
		"https://" + host(t, plain.URL, "::1"): "the connection was refused",
	} {
		a := of(raw)
		if strings.Contains(raw, "::1]") && a.Error == "the connection failed" {
			continue // a machine without IPv6
		}
		require.Equal(t, want, a.Error, "%s: %d", raw, a.Status)
	}
	a := of(flood.URL)
	require.Equal(t, [2]any{200, outbox.KeptAnswer}, [2]any{a.Status, len(a.Answer)})
	a = of(unfinished.URL)
	require.Equal(t, [2]any{200, "so far"}, [2]any{a.Status, string(a.Answer)}, "the status is what acknowledges")
	require.Equal(t, "", of(plain.URL).Error)
	require.NotContains(t, s.log.text(), outbox.SecretPrefix)
	families, err := s.registry.Gather()
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprint(families), outbox.SecretPrefix)
	require.Len(t, metadata.requests(), 1)
}

// refusing is an address of this machine at which nobody listens, nor can anybody while the test runs: a port that was
// closed may be given to the next server, so the port is held by the near end of a connection to the server at raw.
func refusing(t testing.TB, raw string) string {
	u, err := url.Parse(raw)
	require.NoError(t, err)
	c, err := net.Dial("tcp", u.Host)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c.LocalAddr().String()
}

// host is an URL's port at another address.
func host(t testing.TB, raw, address string) string {
	u, err := url.Parse(raw)
	require.NoError(t, err)
	return "[" + address + "]:" + u.Port() + "/"
}

// What is sent by hand goes out while the webhook is disabled, by both secrets of a rotation, and a test says that it
// is one.
func TestSentByHandWhileDisabled(t *testing.T) {
	s := newShop(t)
	r := s.receive(nil)
	h := s.hook(r.URL)
	first := h.event()
	s.after(first, 1)
	second := drawSecret()
	s.do(outbox.RotateSecret{ID: h.id, Secret: second, Overlap: 60})
	s.do(outbox.DisableWebhook{ID: h.id})
	s.after(h.event(), 1)
	s.do(outbox.RedeliverDelivery{Webhook: h.id, ID: first})
	require.Equal(t, outbox.DeliveryDone, s.after(first, 2).State)
	require.Len(t, r.requests(), 3)
	for _, got := range r.requests()[1:] {
		verified(t, got, h.secret, second)
		require.Equal(t, "true", got.header.Get("X-Service-Test"))
	}
}
