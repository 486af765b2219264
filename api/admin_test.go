package api

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/api/admin"
	"holdfast/engine/base"
)

// The operator's calls on a running server, and what they answer to what is wrong. The command line has the rest.
func TestAdmin(t *testing.T) {
	s := newShop(t)
	ops := httptest.NewServer(
		admin.New(admin.Options{Metrics: prometheus.NewRegistry(), Calls: s.server.Admin()}).Handler)
	defer ops.Close()
	call := func(method, path, body string, headers ...string) (int, map[string]any) {
		t.Helper()
		r, err := http.NewRequest(method, ops.URL+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		var o map[string]any
		if answer.StatusCode != 403 && answer.StatusCode != 405 {
			require.NoError(t, json.NewDecoder(bytes.NewReader(text)).Decode(&o), "%s", text)
		}
		return answer.StatusCode, o
	}
	refused := func(status int, code base.Code, method, path, body string, headers ...string) {
		t.Helper()
		seq, hash := s.eng.State()
		got, o := call(method, path, body, headers...)
		require.Equal(t, status, got, "%v", o)
		require.Equal(t, string(code), o["code"])
		gotSeq, gotHash := s.eng.State()
		require.Equal(t, [2]uint64{seq, hash}, [2]uint64{gotSeq, gotHash})
	}
	_, list := call("GET", "/accounts", "")
	require.Len(t, list["accounts"], 2)
	_, made := call("POST", "/accounts", `{"name":"Third","plan":"scale","currency":"CHF"}`)
	require.Equal(t, "scale", made["plan"])
	require.Equal(t, when(noon), made["createdAt"])
	id := made["id"].(string)
	_, key := call("POST", "/keys", `{"label":"k","account":"`+id+`"}`)
	require.Equal(t, id, key["account"])
	require.Equal(t, "Third", s.ok("GET", "/v1/admin/account", "", "X-API-KEY", key["key"].(string))["name"])
	_, list = call("GET", "/keys?account="+id, "")
	require.Len(t, list["keys"], 1)
	require.Equal(t, when(noon), at(list, "keys", 0, "lastUsedAt"))
	require.NotContains(t, at(list, "keys", 0), "key")
	_, list = call("GET", "/keys", "")
	require.Len(t, list["keys"], 3)
	seq, _ := s.eng.State()
	status, _ := call("PUT", "/accounts/"+id+"/plan", `{"plan":"scale"}`)
	require.Equal(t, 200, status)
	same, _ := s.eng.State()
	require.Equal(t, seq, same, "the same plan is no change")
	status, gone := call("DELETE", "/keys/"+key["id"].(string), "")
	require.Equal(t, 200, status)
	require.NotNil(t, gone["revokedAt"])
	s.call("GET", "/v1/admin/account", "", "X-API-KEY", key["key"].(string)).isRefusal(401, base.CodeKeyRevoked)

	refused(400, base.CodeInvalid, "POST", "/accounts", `{"name":"","plan":"gold","owner":"x"}`)
	refused(400, base.CodeInvalid, "POST", "/accounts", `{"name":"x","timezone":"Mars"}`)
	refused(400, base.CodeMalformed, "POST", "/accounts", ``)
	refused(400, base.CodeInvalid, "POST", "/keys", `{"label":"x"}`)
	refused(400, base.CodeInvalid, "POST", "/keys", `{"label":"x","account":"`+id+`","scopes":["account.write"]}`)
	refused(404, base.CodeNotFound, "POST", "/keys", `{"label":"x","account":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e"}`)
	refused(404, base.CodeNotFound, "PUT", "/accounts/x/plan", `{"plan":"scale"}`)
	refused(400, base.CodeInvalid, "PUT", "/accounts/"+id+"/plan", `{}`)
	refused(404, base.CodeNotFound, "GET", "/keys?account=x", "")
	refused(404, base.CodeNotFound, "DELETE", "/keys/hf_", "")
	refused(404, base.CodeNotFound, "DELETE", "/keys/"+id, "")
	refused(409, base.CodeStateNotAllowed, "DELETE", "/keys/"+key["id"].(string), "")
	refused(415, base.CodeMediaType, "POST", "/accounts", `{"name":"x"}`, "Content-Type", "text/plain")
	refused(413, base.CodeBodyTooLarge, "POST", "/accounts", `{"name":"`+strings.Repeat("x", bodyLimit)+`"}`)
	status, _ = call("POST", "/accounts", `{"name":"x"}`, "Origin", "http://localhost")
	require.Equal(t, 403, status)
	s.server.engine.Store(nil)
	refused(503, base.CodeNotReady, "GET", "/accounts", "")
}
