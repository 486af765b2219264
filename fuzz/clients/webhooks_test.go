//go:build clients

package clients

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds what the program sends against the verifier of the Standard Webhooks project.

type sent struct {
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Good    []int             `json:"good"` // the secrets that it is signed with
}

func TestWebhooks(t *testing.T) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is missing: standardwebhooks is not run", tool)
		}
	}
	came := make(chan sent, 10)
	receiver := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s := sent{Headers: map[string]string{}, Body: string(body)}
		for name := range r.Header {
			s.Headers[strings.ToLower(name)] = r.Header.Get(name)
		}
		came <- s
	}))
	receiver.Config.ErrorLog = log.New(io.Discard, "", 0)
	receiver.StartTLS()
	t.Cleanup(receiver.Close)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("webhooks")))
	authority := filepath.Join(dir, "authority.pem")
	require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: receiver.Certificate().Raw}), 0o600))
	address, _ := strings.CutPrefix(serve(t, "--webhook-allow", "127.0.0.0/8", "--webhook-ca", authority)[0], "HOLDFAST_URL=")
	post := func(path, body string) (answer struct{ ID, Secret string }) {
		t.Helper()
		r, err := http.NewRequest("POST", address+"/v1/admin/webhooks"+path, bytes.NewReader([]byte(body)))
		require.NoError(t, err)
		r.Header.Set("X-API-KEY", key)
		r.Header.Set("Content-Type", "application/json")
		a, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		require.NoError(t, err)
		require.Equal(t, 200, a.StatusCode, string(text))
		require.NoError(t, json.Unmarshal(text, &answer))
		return answer
	}
	var all struct {
		Secrets    []string `json:"secrets"`
		Deliveries []sent   `json:"deliveries"`
	}
	hook := post("", `{"eventType":"order.created","url":"`+receiver.URL+`"}`)
	all.Secrets = append(all.Secrets, hook.Secret)
	send := func(good ...int) {
		post("/"+hook.ID+"/test", "{}")
		s := <-came
		s.Good = good
		all.Deliveries = append(all.Deliveries, s)
	}
	send(0)
	all.Secrets = append(all.Secrets, post("/"+hook.ID+"/rotate-secret", "{}").Secret)
	send(0, 1)
	all.Secrets = append(all.Secrets, post("/"+hook.ID+"/rotate-secret", `{"overlapSeconds":0}`).Secret)
	send(2)
	for _, d := range all.Deliveries {
		for _, name := range documentedHeaders(t) {
			require.NotEmpty(t, d.Headers[strings.ToLower(name)], "the document has the header %s", name)
		}
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "deliveries.json"), text, 0o600))
	run(t, dir, nil, "npm", "ci", "--no-audit", "--no-fund", "--prefer-offline")
	run(t, dir, nil, "node", "verify.js")
}

// documentedHeaders are the headers that the document has of an event.
func documentedHeaders(t *testing.T) (names []string) {
	t.Helper()
	var document struct {
		Webhooks map[string]struct {
			Post struct{ Parameters []struct{ Name string } }
		}
	}
	text, err := os.ReadFile("../../api/openapi.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &document))
	for _, p := range document.Webhooks["order.created"].Post.Parameters {
		names = append(names, p.Name)
	}
	require.Contains(t, names, "webhook-signature")
	return names
}
