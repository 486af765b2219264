package api

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api/auth"
	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/stock"
)

const keysPath = "/v1/admin/api-keys"

func TestKeysAreMadeAndRevoked(t *testing.T) {
	s := newShop(t)
	made := s.ok("POST", keysPath,
		`{"label":"Storefront","scopes":["inventory.read","locations.read"],"expiresAt":"2025-07-01T00:00:00Z"}`)
	text := made["key"].(string)
	require.Regexp(t, `^hf_[0-9A-Za-z]{12}_[0-9A-Za-z]{40}$`, text)
	require.Equal(t, text[:len("hf_")+12], made["prefix"])
	require.Equal(t, []any{"inventory.read", "locations.read"}, made["scopes"])
	require.Equal(t, Version, made["apiVersion"])
	require.Equal(t, when(noon), made["createdAt"])
	require.Nil(t, made["revokedAt"])

	// It works at once, within its scopes and its account, and is shown no more.
	a := s.call("GET", "/v1/admin/locations", "", "X-API-KEY", text)
	require.Equal(t, 200, a.status)
	require.Equal(t, "2025-07-01T00:00:00.000Z", a.header["X-Api-Key-Expires-At"])
	s.call("POST", "/v1/admin/locations", `{"name":"x","timezone":"UTC"}`, "X-API-KEY", text).
		isRefusal(403, base.CodeMissingScope)
	list := s.call("GET", keysPath, "")
	require.NotContains(t, string(list.body), text[len("hf_")+13:])
	require.Equal(t, 2.0, at(list.object(), "pagination", "total"))
	require.Equal(t, made["id"], at(list.object(), "data", 1, "id"))
	require.Nil(t, at(list.object(), "data", 0, "scopes"), "full access")
	require.Equal(t, 1.0, at(s.ok("GET", keysPath, "", "X-API-KEY", s.other), "pagination", "total"))

	// Revoked: the next request is refused, whatever it asks, and says until when the key would have been good.
	path := keysPath + "/" + made["id"].(string)
	s.call("DELETE", path, "", "X-API-KEY", s.other).isRefusal(404, base.CodeNotFound)
	s.call("DELETE", path, "", "If-Match", `"2"`).isRefusal(412, base.CodePrecondition)
	r := s.ok("DELETE", path, "", "If-Match", `"1"`)
	require.Equal(t, [3]any{made["id"], when(noon), []any{}}, [3]any{r["id"], r["revokedAt"], r["webhooks"]})
	a = s.call("GET", "/v1/admin/locations", "", "X-API-KEY", text)
	a.isRefusal(401, base.CodeKeyRevoked)
	require.Equal(t, "2025-07-01T00:00:00.000Z", a.header["X-Api-Key-Expires-At"])
	require.Equal(t, "revoked",
		at(s.refused(409, base.CodeStateNotAllowed, "DELETE", path, "").object(), "details", "state"))
	require.Equal(t, when(noon), at(s.ok("GET", keysPath, ""), "data", 1, "revokedAt"))

	// A key may revoke itself.
	own := s.ok("POST", keysPath, `{"label":"own","scopes":null,"expiresAt":null}`)
	require.Equal(t, 200,
		s.call("DELETE", keysPath+"/"+own["id"].(string), "", "X-API-KEY", own["key"].(string)).status)
	s.call("GET", keysPath, "", "X-API-KEY", own["key"].(string)).isRefusal(401, base.CodeKeyRevoked)
	require.NoError(t, s.eng.Check())
}

func TestKeyInputs(t *testing.T) {
	s := newShop(t)
	bad := func(body string, faults ...string) {
		t.Helper()
		s.refused(400, base.CodeInvalid, "POST", keysPath, body, faults...)
	}
	bad(`{}`, "body /label required")
	bad(`{"label":"x","scopes":[]}`, "body /scopes length")
	bad(`{"label":"x","expiresAt":"2025-06-01T12:00:00Z"}`, "body /expiresAt range")
	bad(`{"label":"","secret":"s","expiresAt":"2025-06-01"}`, "body /label length", "body /secret unknown",
		"body /expiresAt format")
	bad(`{"label":"x","scopes":["reports.write","account.write","settings.emails.read","reports.read","inventory","orders.admin","", 1]}`,
		"body /scopes/0 enum", "body /scopes/1 enum", "body /scopes/2 enum", "body /scopes/4 enum",
		"body /scopes/5 enum", "body /scopes/6 enum", "body /scopes/7 type")
	s.refused(400, base.CodeInvalid, "DELETE", keysPath+"/x", "", "path id format")
	s.refused(404, base.CodeNotFound, "DELETE", keysPath+"/0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e", "")
	require.Equal(t, 1.0, at(s.ok("GET", keysPath, ""), "pagination", "total"))
	all := s.ok("POST", keysPath, `{"label":"all","scopes":["`+strings.Join(auth.Scopes, `","`)+`"]}`)
	require.Len(t, all["scopes"], len(auth.Scopes))
}

// A repeat has the same record, and null in place of the text: it is kept nowhere.
func TestKeyIsShownOnce(t *testing.T) {
	s := newShop(t)
	first := s.call("POST", keysPath, `{"label":"x"}`, "Idempotency-Key", "k")
	again := s.call("POST", keysPath, `{"label":"x"}`, "Idempotency-Key", "k")
	require.Equal(t, "true", again.header["Idempotent-Replayed"])
	want, got := first.object(), again.object()
	require.NotNil(t, want["key"])
	require.Nil(t, got["key"])
	delete(want, "key")
	delete(got, "key")
	require.Equal(t, want, got)
	require.Equal(t, 2.0, at(s.ok("GET", keysPath, ""), "pagination", "total"))
}

// Every operation is tried with every scope, and with none of the right ones is answered with those that suffice.
func TestEveryScopeOnEveryOperation(t *testing.T) {
	long(t)
	s := newShop(t)
	for _, held := range auth.Scopes {
		key := s.ok("POST", keysPath, `{"label":"x","scopes":["`+held+`"]}`)["key"].(string)
		for _, op := range operations {
			path := strings.NewReplacer("{id}", "0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e", "{eventId}",
				"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e").Replace(op.path)
			a := s.call(op.method, path+"?no=parameter", `{"no":"member"}`, "X-API-KEY", key)
			may := op.access == anyKey || op.access == noKey
			for _, need := range op.scopes {
				area, mode := need[:strings.LastIndexByte(need, '.')], need[strings.LastIndexByte(need, '.'):]
				for part := area; part != "" &&
					op.access == scoped; part = part[:max(0, strings.LastIndexByte(part, '.'))] {
					may = may || held == part+mode || held == part+".write"
				}
			}
			if may {
				require.Equal(t, 400, a.status, "%s with %s: %s", op.id, held, a.body)
				continue
			}
			a.isRefusal(403, base.CodeMissingScope)
			var needed []any
			for _, need := range op.scopes {
				needed = append(needed, need)
			}
			require.ElementsMatch(t, needed, at(a.object(), "details", "requiredScopes"), op.id)
		}
	}
}

// What a body may hold under a scope of its own is told from what it may not, behind all other faults of the request
// and in front of every effect.
func TestDeniedFields(t *testing.T) {
	type line struct{ note, price *string }
	type order struct {
		stock.CreateLocation
		code  base.Opt[string]
		lines []line
	}
	text := wire.Text(1, 20)
	shape := wire.ShapeOf("DeniedFields",
		wire.Required("name", text, func(o *order) *string { return &o.Name }),
		wire.Defaulted("timezone", text, "UTC", func(o *order) *string { return &o.Timezone }).
			Needs("settings.account.write"),
		wire.Merged("code", text, true, func(o *order) *base.Opt[string] { return &o.code }).
			Needs("orders.payments.write"),
		wire.Defaulted("lines", wire.ListOf(wire.Object(wire.ShapeOf("DeniedLine",
			wire.Optional("note", text, func(l *line) **string { return &l.note }),
			wire.Optional("price", text, func(l *line) **string { return &l.price }).Needs("orders.payments.write"))),
			0, 9), nil,
			func(o *order) *[]line { return &o.lines }))
	make := write(operation{id: "test.denied", method: "POST", path: "/denied",
		scopes: []string{"orders.details.write"}, answer: locationSchema},
		input[order]{body: shape}, func(_ *request, o *order) base.OpOf[*stock.Location] {
			return o.CreateLocation
		}, answerLocation)
	require.Equal(t, "settings.account.write", make.body.Members[1].Scope)

	s := newShop(t)
	list := []operation{make}
	list[0].metrics = s.server.metrics.unrouted
	s.server.routes = newRoutes(list)
	details := s.newKey(s.account, engine.CreateKey{PublicID: "details11", Scopes: []string{"orders.details.write"}})
	orders := s.newKey(s.account, engine.CreateKey{PublicID: "orders111", Scopes: []string{"orders.write"}})
	call := func(key, body string) *answer { return s.call("POST", "/denied", body, "X-API-KEY", key) }
	denied := func(a *answer, entries ...any) {
		t.Helper()
		a.isRefusal(403, base.CodeDeniedFields)
		require.Equal(t, map[string]any{"deniedFields": entries}, at(a.object(), "details"))
	}
	entry := func(scope string, fields ...any) any {
		return map[string]any{"fields": fields, "requiredScopes": []any{scope}}
	}
	require.Equal(t, 200, call(details, `{"name":"x"}`).status)
	require.Equal(t, 200, call(details, `{"name":"x","timezone":null,"lines":[{"price":null}]}`).status,
		"null is absent here")
	require.Equal(t, 200, call(s.key, `{"name":"x","timezone":"UTC","code":"c","lines":[{"price":"p"}]}`).status)
	require.Equal(t, 200, call(orders, `{"name":"x","code":null,"lines":[{"price":"p"}]}`).status,
		"an area covers what is below")
	denied(call(details, `{"name":"x","timezone":"UTC"}`), entry("settings.account.write", "timezone"))
	denied(call(details, `{"name":"x","code":null}`), entry("orders.payments.write", "code"))
	denied(call(details, `{"lines":[{"note":"n"},{"price":"p"},{"price":"q"}],"timezone":"UTC","code":"c","name":"x"}`),
		entry("orders.payments.write", "lines.price", "code"), entry("settings.account.write", "timezone"))
	denied(call(orders, `{"name":"x","timezone":"UTC","code":"c"}`), entry("settings.account.write", "timezone"))

	// All faults come first: those that are seen while reading, and those that only the command sees.
	call(details, `{"name":"x","timezone":"UTC","y":1}`).isRefusal(400, base.CodeInvalid, "body /y unknown")
	call(details, `{"name":"x","timezone":"Mars"}`).isRefusal(400, base.CodeInvalid, "body /timezone zone")
	call(details, `{"name":"x","code":null`).isRefusal(400, base.CodeMalformed, "body /code malformed")
	// Nothing of it is left for the next request.
	require.Equal(t, 200, call(details, `{"name":"x"}`).status)
}

// A key that was pinned to a version that this server does not speak has to name one that it does.
func TestPinnedVersion(t *testing.T) {
	s := newShop(t)
	secret := strings.Repeat("s", 32)
	for id, version := range map[string]string{"pinned111": "2020-01", "unpinned1": ""} {
		_, err := s.eng.Do(engine.Command{Account: s.account, Actor: "test", Op: engine.CreateKey{
			PublicID: id, Hash: sha256.Sum256([]byte(secret)), Label: "old", Version: version,
		}})
		require.NoError(t, err)
	}
	for _, c := range []struct {
		key, version string
		status       int
	}{
		{s.key, "", 200}, {s.key, Version, 200}, {s.key, "2025-07", 400}, {s.key, "v1", 400},
		{"hf_pinned111_" + secret, "", 400}, {"hf_pinned111_" + secret, Version, 200},
		{"hf_unpinned1_" + secret, "", 200},
	} {
		a := s.call("GET", keysPath, "", "X-API-KEY", c.key, "X-Api-Version", c.version)
		require.Equal(t, c.status, a.status, "%v", c)
		if c.status == 400 {
			a.isRefusal(400, base.CodeVersion)
		}
	}
}
