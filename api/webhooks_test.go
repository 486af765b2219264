package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

const hooksPath = "/v1/admin/webhooks"

// hook makes a webhook and returns the answer with its secret.
func (s *shop) hook(label string) map[string]any {
	s.Helper()
	return s.ok("POST", hooksPath,
		fmt.Sprintf(`{"eventType":"order.created","url":"https://example.com/hooks","label":%q}`, label))
}

// attempted records an attempt at a delivery, as the sender does.
func (s *shop) attempted(id string, a outbox.Attempt) {
	s.Helper()
	v, _ := s.eng.View(s.account)
	key, _ := base.ParseID(id)
	d := outbox.DeliveryByID(v, key)
	_, err := s.eng.Do(engine.Command{Account: s.account, Actor: "webhooks",
		Op: outbox.RecordAttempts{Outcomes: []outbox.Outcome{{Delivery: d.ID, Body: d.Body, Attempt: a}}}})
	require.NoError(s, err)
}

func TestWebhooks(t *testing.T) {
	s := newShop(t)
	w := s.hook("Books")
	require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=$`, w["secret"])
	path := hooksPath + "/" + w["id"].(string)
	secret := w["secret"]
	delete(w, "secret")
	require.Equal(t, map[string]any{
		"id": w["id"], "eventType": "order.created", "eventTypes": []any{"order.created"}, "missedEvents": 0.0,
		"missedSince": nil, "url": "https://example.com/hooks", "label": "Books", "apiVersion": Version,
		"enabled": true, "disabledReason": nil,
		"createdAt": when(noon), "updatedAt": when(noon), "apiKeyId": at(s.ok("GET", keysPath, ""), "data", 0, "id"),
	}, w)
	require.Equal(t, w, s.ok("GET", path, ""))
	require.Equal(t, []any{w}, s.ok("GET", hooksPath, "")["data"])
	s.clock.Add(1000)
	p := s.call("PATCH", path, `{"url":"https://example.org:8443/x","label":null,"eventType":"order.deleted"}`,
		"If-Match", `"1"`)
	require.Equal(t, `"2"`, p.header["Etag"])
	require.Equal(t, [4]any{"https://example.org:8443/x", nil, "order.deleted", when(noon + 1000)},
		[4]any{p.object()["url"], p.object()["label"], p.object()["eventType"], p.object()["updatedAt"]})
	s.refused(400, base.CodeInvalid, "POST", hooksPath,
		`{"eventType":"order.lost","url":"http://example.com/","secret":"x"}`,
		"body /eventType enum", "body /secret unknown", "body /url format")
	s.refused(400, base.CodeInvalid, "PATCH", path, `{"url":"https://user:pass@example.com/"}`, "body /url format")

	s.refused(409, base.CodeStateNotAllowed, "POST", path+"/enable", "")
	require.Equal(t, false, s.ok("POST", path+"/disable", "")["enabled"])
	a := s.refused(409, base.CodeStateNotAllowed, "POST", path+"/disable", "")
	require.Equal(t, map[string]any{"state": "disabled", "allowed": []any{"enable"}}, at(a.object(), "details"))
	require.Equal(t, "order.deleted", s.ok("POST", path+"/test", "")["eventType"])
	s.refused(409, base.CodeStateNotAllowed, "POST", path+"/recover", `{"since":"2025-01-01T00:00:00Z"}`)
	require.Equal(t, true, s.ok("POST", path+"/enable", "")["enabled"])
	require.Equal(t, Version, s.ok("POST", path+"/upgrade-version", "")["apiVersion"])

	r := s.ok("POST", path+"/rotate-secret", "")
	require.NotEqual(t, secret, r["secret"])
	require.Regexp(t, `^whsec_`, r["secret"])
	require.Regexp(t, `^whsec_`, s.ok("POST", path+"/rotate-secret", `{"overlapSeconds":0}`)["secret"])
	require.Regexp(t, `^whsec_`, s.ok("POST", path+"/rotate-secret", `{"signWith":"new"}`)["secret"])
	s.refused(400, base.CodeInvalid, "POST", path+"/rotate-secret", `{"overlapSeconds":-1,"signWith":"both"}`,
		"body /overlapSeconds range", "body /signWith enum")
	require.Equal(t, "null", string(s.call("DELETE", path, "").body))
	s.refused(404, base.CodeNotFound, "GET", path, "")
	s.refused(404, base.CodeNotFound, "GET", path+"/deliveries", "")

	// Who has the scope for it may, of the own account.
	reader := s.newKey(s.account, engine.CreateKey{PublicID: "hookread", Scopes: []string{"settings.webhooks.read"}})
	s.ok("GET", hooksPath, "", "X-API-KEY", reader)
	s.call("POST", hooksPath, `{}`, "X-API-KEY", reader).isRefusal(403, base.CodeMissingScope)
	mine := hooksPath + "/" + s.hook("x")["id"].(string)
	s.call("GET", mine, "", "X-API-KEY", s.other).isRefusal(404, base.CodeNotFound)
}

func TestDeliveries(t *testing.T) {
	s := newShop(t)
	path := hooksPath + "/" + s.hook("Books")["id"].(string)
	var ids []string
	for range 3 {
		s.clock.Add(1000)
		d := s.ok("POST", path+"/test", "")
		require.Equal(t,
			[6]any{"pending", true, "order", "00000000-0000-0000-0000-000000000000", 0.0, when(s.clock.Load())},
			[6]any{d["state"], d["test"], d["resource"], d["resourceId"], d["attemptCount"], d["nextAttemptAt"]})
		ids = append(ids, d["id"].(string))
	}
	s.attempted(ids[0],
		outbox.Attempt{Number: 1, At: s.clock.Load(), Took: 12, Status: 500, Answer: []byte("no\x00\xff")})
	s.attempted(ids[0], outbox.Attempt{Number: 2, At: s.clock.Load(), Took: 10_000, Error: "timed out"})
	s.attempted(ids[1], outbox.Attempt{Number: 1, At: s.clock.Load(), Status: 204})
	list := func(query string) (got []string) {
		for _, d := range s.ok("GET", path+"/deliveries"+query, "")["data"].([]any) {
			got = append(got, d.(map[string]any)["id"].(string))
		}
		return got
	}
	require.Equal(t, []string{ids[2], ids[1], ids[0]}, list(""))
	require.Equal(t, []string{ids[1]}, list("?page=2&pageSize=1"))
	require.Empty(t, list("?page=4&pageSize=1"))
	require.Equal(t, []string{ids[2], ids[0]}, list("?state=pending"))
	require.Equal(t, []string{ids[1]}, list("?state=delivered"))
	require.Empty(t, list("?state=failed"))
	s.refused(400, base.CodeInvalid, "GET", path+"/deliveries?state=lost", "", "query state enum")

	one := s.ok("GET", path+"/deliveries/"+ids[0], "")
	body := one["body"].(string)
	require.True(t, strings.HasPrefix(body,
		fmt.Sprintf(`{"eventId":"%s","eventType":"order.created","eventTime":"%s","resource":"order","resourceId":"%s","apiVersion":%q,"data":{"id":"%[3]s",`,
			one["eventId"], one["createdAt"], one["resourceId"], Version)), body)
	require.Equal(t, []any{
		map[string]any{"number": 1.0, "at": when(s.clock.Load()), "durationMs": 12.0, "status": 500.0, "error": nil,
			"answer": "no\x00�"},
		map[string]any{"number": 2.0, "at": when(s.clock.Load()), "durationMs": 10000.0, "status": nil,
			"error": "timed out", "answer": ""},
	}, one["attempts"])
	require.Equal(t, when(s.clock.Load()+30_000), one["nextAttemptAt"])
	seen := s.call("GET", path+"/deliveries/"+ids[0], "")
	require.Equal(t, 304, s.call("GET", path+"/deliveries/"+ids[0], "", "If-None-Match", seen.header["Etag"]).status)

	s.refused(409, base.CodeStateNotAllowed, "POST", path+"/deliveries/"+ids[0]+"/redeliver", "")
	require.Equal(t, "pending", s.ok("POST", path+"/deliveries/"+ids[1]+"/redeliver", "")["state"])
	other := hooksPath + "/" + s.hook("Other")["id"].(string)
	s.refused(404, base.CodeNotFound, "GET", other+"/deliveries/"+ids[0], "")
	s.refused(404, base.CodeNotFound, "POST", other+"/deliveries/"+ids[1]+"/redeliver", "")
	s.ok("POST", path+"/disable", "")
	s.ok("POST", path+"/enable", "")
	require.Len(t, list("?state=pending"), 3, "what was queued by hand is sent all the same")
	require.Equal(t, map[string]any{"queued": 0.0, "left": 0.0},
		s.ok("POST", path+"/recover", `{"since":"2025-01-01T00:00:00Z"}`))
	s.refused(400, base.CodeInvalid, "POST", path+"/recover", `{}`, "body /since required")
}

// A secret is in the one answer that makes it, and nowhere else.
func TestSecretsAreShownOnce(t *testing.T) {
	s := newShop(t)
	var secrets []string
	once := func(path, body string) (id string) {
		first := s.call("POST", path, body, "Idempotency-Key", "once")
		again := s.call("POST", path, body, "Idempotency-Key", "once")
		require.Equal(t, "true", again.header["Idempotent-Replayed"])
		want, got := first.object(), again.object()
		require.Nil(t, got["secret"])
		secrets = append(secrets, want["secret"].(string))
		delete(want, "secret")
		delete(got, "secret")
		require.Equal(t, want, got)
		return want["id"].(string)
	}
	path := hooksPath + "/" + once(hooksPath, `{"eventType":"order.updated","url":"https://example.com/"}`)
	once(path+"/rotate-secret", "{}")
	d := s.ok("POST", path+"/test", "")["id"].(string)
	require.Equal(t, 2, len(secrets))
	for _, read := range []string{hooksPath, path, path + "/deliveries", path + "/deliveries/" + d, "/v1/admin/changes",
		"/v1/admin/snapshots", "/v1/admin/api-keys"} {
		a := s.poll(read, s.key)
		for _, secret := range secrets {
			require.NotContains(t, string(a.body), secret[len(outbox.SecretPrefix):], read)
		}
	}
	require.Contains(t, string(s.poll("/v1/admin/changes", s.key).body), `"resource":"webhook"`)
	for _, action := range []string{"disable", "enable", "upgrade-version"} {
		require.NotContains(t, s.ok("POST", path+"/"+action, ""), "secret")
	}
	require.NotContains(t, s.ok("PATCH", path, `{}`), "secret")
	require.False(t, strings.Contains(s.log.String(), outbox.SecretPrefix))
}

// What a webhook is sent is what its key could read: whoever makes one, changes it, has it send or reads what was sent
// needs the scope for that, and so does each send by what is recorded with it.
func TestWebhooksTakeTheScopeOfWhatTheyAreSent(t *testing.T) {
	s := newShop(t)
	full := s.hook("by full access")
	path := hooksPath + "/" + full["id"].(string)
	sent := s.ok("POST", path+"/test", "")["id"].(string)
	s.attempted(sent, outbox.Attempt{Number: 1, At: noon, Status: 200})
	hooks := s.newKey(s.account, engine.CreateKey{PublicID: "onlyhooks", Scopes: []string{"settings.webhooks.write"}})
	lacks := func(method, path, body string) {
		t.Helper()
		a := s.call(method, path, body, "X-API-KEY", hooks)
		a.isRefusal(403, base.CodeMissingScope)
		require.Equal(t, []any{"orders.details.read"}, at(a.object(), "details", "requiredScopes"))
	}
	const mine = `{"eventType":"order.updated","url":"https://example.net/"}`
	lacks("POST", hooksPath, mine)
	lacks("PATCH", path, `{"url":"https://example.net/"}`)
	lacks("PATCH", path, `{"eventType":"order.deleted"}`)
	lacks("POST", path+"/upgrade-version", "")
	lacks("POST", path+"/rotate-secret", "")
	lacks("POST", path+"/test", "")
	lacks("POST", path+"/recover", `{"since":"2025-01-01T00:00:00Z"}`)
	lacks("POST", path+"/deliveries/"+sent+"/redeliver", "")
	lacks("GET", path+"/deliveries/"+sent, "")
	require.Equal(t, full["url"], s.ok("GET", path, "")["url"])
	require.Equal(t, 1.0, at(s.ok("GET", hooksPath, ""), "pagination", "total"))
	s.call("POST", hooksPath, `{"eventTypes":["webhook.disabled","unit.overdue"],"url":"https://example.net/"}`,
		"X-API-KEY", hooks).isRefusal(403, base.CodeMissingScope)
	s.ok("POST", hooksPath, `{"eventType":"webhook.disabled","url":"https://example.net/"}`, "X-API-KEY", hooks)
	// Faults of the input and what is not there come first, and what tells nobody anything takes no more than its own
	// scope.
	s.call("POST", hooksPath, `{"eventType":"x","url":"https://example.net/"}`, "X-API-KEY", hooks).
		isRefusal(400, base.CodeInvalid, "body /eventType enum")
	s.call("POST", hooksPath+"/"+sent+"/test", "", "X-API-KEY", hooks).isRefusal(404, base.CodeNotFound)
	s.ok("GET", path+"/deliveries", "", "X-API-KEY", hooks)
	s.ok("POST", path+"/disable", "", "X-API-KEY", hooks)
	lacks("POST", path+"/enable", "")
	s.ok("POST", path+"/enable", "")

	both := s.newKey(s.account,
		engine.CreateKey{PublicID: "hooksandorders", Scopes: []string{"settings.webhooks.write", "orders.read"}})
	own := s.ok("POST", hooksPath, mine, "X-API-KEY", both)
	s.ok("POST", hooksPath+"/"+own["id"].(string)+"/test", "", "X-API-KEY", both)
	scopes := func(id any) []string {
		v, _ := s.eng.View(s.account)
		w, _ := base.ParseID(id.(string))
		return outbox.WebhookByID(v, w).Scopes()
	}
	require.Empty(t, scopes(full["id"]), "all")
	require.Equal(t, []string{"settings.webhooks.write", "orders.read"}, scopes(own["id"]))
	// Who says where it sends has made it, who gives it another name has not.
	s.ok("PATCH", path, `{"label":"Ledger"}`, "X-API-KEY", both)
	require.Empty(t, scopes(full["id"]))
	s.ok("PATCH", path, `{"url":"https://example.net/"}`, "X-API-KEY", both)
	require.Equal(t, scopes(own["id"]), scopes(full["id"]))

	// Who revokes the key is told of what goes on.
	k, _, _ := s.eng.Key([]byte("hooksandorders"))
	gone := keysPath + "/" + k.ID.String()
	r := s.ok("DELETE", gone, "", "Idempotency-Key", "gone")
	require.Equal(t, []any{full["id"], own["id"]}, []any{at(r, "webhooks", 0, "id"), at(r, "webhooks", 1, "id")})
	require.Equal(t, k.ID.String(), at(r, "webhooks", 0, "apiKeyId"))
	s.ok("DELETE", path, "")
	require.Len(t, s.ok("DELETE", gone, "", "Idempotency-Key", "gone")["webhooks"], 1,
		"a repeat: those that there still are")
}

// A test of each type of event has an example of its record, as the document says it, with the nil id.
func TestATestShowsAnExample(t *testing.T) {
	s := newShop(t)
	w := s.ok("POST", hooksPath,
		`{"eventTypes":["order.created","order.updated","order.deleted","conflict.created","conflict.resolved","hold.expired","unit.overdue","webhook.disabled"],"url":"https://example.com/"}`)
	require.Equal(t, "order.created", w["eventType"])
	require.Len(t, w["eventTypes"], len(base.HookEvents))
	path := hooksPath + "/" + w["id"].(string)
	const none = "00000000-0000-0000-0000-000000000000"
	for _, typ := range base.HookEvents {
		d := s.ok("POST", path+"/test?eventType="+string(typ), "")
		require.Equal(t, [4]any{string(typ), typ.Resource(), none, true},
			[4]any{d["eventType"], d["resource"], d["resourceId"], d["test"]})
		var e map[string]any
		require.NoError(t,
			json.Unmarshal([]byte(s.ok("GET", path+"/deliveries/"+d["id"].(string), "")["body"].(string)), &e))
		data := e["data"].(map[string]any)
		if inner, is := data["unavailability"]; is {
			data = inner.(map[string]any)
		}
		require.Equal(t, none, data["id"], typ)
	}
	s.refused(400, base.CodeInvalid, "POST", path+"/test?eventType=order.lost", "", "query eventType enum")
	s.refused(400, base.CodeInvalid, "POST", hooksPath, `{"url":"https://example.com/"}`, "body /eventType required")
	s.refused(400, base.CodeInvalid, "POST", hooksPath,
		`{"eventType":"order.created","eventTypes":["hold.expired"],"url":"https://example.com/"}`,
		"body /eventType conflict")
}

// An endpoint that would be refused when it is dialled is refused when it is set, once there is nothing else wrong with
// the request.
func TestEndpointsThatWillNotBeCalledAreRefused(t *testing.T) {
	s := newShop(t)
	asked := 0
	s.server.endpoint = func(address string) string {
		if asked++; strings.Contains(address, "10.0.0.1") {
			return "must lead elsewhere"
		}
		return ""
	}
	inner := `{"eventType":"order.created","url":"https://10.0.0.1/"}`
	a := s.refused(400, base.CodeInvalid, "POST", hooksPath, inner, "body /url address")
	require.Equal(t, "must lead elsewhere", at(a.object(), "errors", 0, "message"))
	path := hooksPath + "/" + s.hook("x")["id"].(string)
	s.refused(400, base.CodeInvalid, "PATCH", path, `{"url":"https://10.0.0.1/"}`, "body /url address")
	s.ok("PATCH", path, `{"label":"y"}`)
	require.Equal(t, 3, asked)
	s.refused(400, base.CodeInvalid, "POST", hooksPath, `{"eventType":"order.lost","url":"https://10.0.0.1/"}`,
		"body /eventType enum")
	require.Equal(t, 3, asked)
}
