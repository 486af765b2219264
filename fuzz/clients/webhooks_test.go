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
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the webhooks that the program sends, and holds them against the verifier of the Standard Webhooks
// project.

type sent struct {
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Good    []int             `json:"good"` // the secrets that it is signed with
	// The secret that its header of one signature over the body alone is signed with.
	BodyAlone int `json:"bodyAlone"`
}

// sentFile is what the server has sent in all: the secrets of a webhook, and an event signed with one, with two
// (the header of one signature by the old one, then by the new one), and with one of them.
type sentFile struct {
	Secrets    []string `json:"secrets"`
	Deliveries []sent   `json:"deliveries"`
}

func TestWebhooks(t *testing.T) {
	dir := packages(t, "webhooks")
	file, _ := deliveries(t)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "deliveries.json"), text, 0o600))
	run(t, dir, nil, "node", "verify.js")
}

// live starts the program, has it send webhooks, puts the proxy in front of it, and returns what tells a client of
// all that.
func live(t *testing.T) []string {
	t.Helper()
	file, server := deliveries(t)
	return []string{"HOLDFAST_URL=" + unreliable(t, server), "HOLDFAST_KEY=" + key, "HOLDFAST_DELIVERIES=" + file}
}

// deliveries starts the program, has it send an event before, while and after a secret is rotated, and returns a file
// of what came, and the program's address.
func deliveries(t *testing.T) (file, server string) {
	t.Helper()
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
	authority := filepath.Join(dir, "authority.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: receiver.Certificate().Raw})
	require.NoError(t, os.WriteFile(authority, certificate, 0o600))
	server = serve(t, "--webhook-allow", "127.0.0.0/8", "--webhook-ca", authority)
	post := func(path, body string) (answer struct{ ID, Secret string }) {
		t.Helper()
		r, err := http.NewRequest("POST", server+"/v1/admin/webhooks"+path, bytes.NewReader([]byte(body)))
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
	var all sentFile
	hook := post("", `{"eventType":"order.created","url":"`+receiver.URL+`"}`)
	all.Secrets = append(all.Secrets, hook.Secret)
	send := func(bodyAlone int, good ...int) {
		post("/"+hook.ID+"/test", "{}")
		s := <-came
		s.Good, s.BodyAlone = good, bodyAlone
		all.Deliveries = append(all.Deliveries, s)
	}
	send(0, 0)
	all.Secrets = append(all.Secrets, post("/"+hook.ID+"/rotate-secret", "{}").Secret)
	send(0, 0, 1) // the old one goes on signing in the header of one signature
	all.Secrets = append(all.Secrets, post("/"+hook.ID+"/rotate-secret", `{"signWith":"new"}`).Secret)
	send(2, 1, 2)
	all.Secrets = append(all.Secrets, post("/"+hook.ID+"/rotate-secret", `{"overlapSeconds":0}`).Secret)
	send(3, 3)
	for _, d := range all.Deliveries {
		for _, name := range documentedHeaders(t) {
			require.NotEmpty(t, d.Headers[strings.ToLower(name)], "the document has the header %s", name)
		}
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	file = filepath.Join(dir, "deliveries.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file, server
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
