package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the way of an event from a request to an endpoint.

// TestEventIsTheRecord has an endpoint told of an order as it is made, changed and deleted: its bytes are signed, and
// what they tell is the record as a GET shows it then, byte for byte.
func TestEventIsTheRecord(t *testing.T) {
	type event struct {
		header http.Header
		body   []byte
	}
	came := make(chan event, 10)
	endpoint, authority := newEndpoint(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		came <- event{r.Header, body}
		w.WriteHeader(http.StatusNoContent)
	})
	key := "hf_hookstestkey_" + strings.Repeat("0123456789", 4)
	t.Setenv(bootstrapVariable, key)
	address, stop := serveWithHooks(t, t.TempDir(), authority)
	call := func(method, path, body string) []byte {
		t.Helper()
		return callWithKey(t, key, method, "http://"+address+"/v1/admin/"+path, body)
	}
	create := func(path, body string) (made struct{ ID, Secret string }) {
		t.Helper()
		require.NoError(t, json.Unmarshal(call("POST", path, body), &made))
		return made
	}
	location := create("locations", `{"name":"Harbour","timezone":"Europe/Lisbon"}`).ID
	sku := create("skus", `{"name":"Mountain bike"}`).ID
	create("articles", `{"name":"Bike","skuId":"`+sku+`","quantities":[{"serviceLocationId":"`+location+
		`","count":3,"from":"2020-01-01T00:00:00Z"}]}`)
	secrets := map[string]string{}
	for _, typ := range []string{"order.created", "order.updated", "order.deleted"} {
		secrets[typ] = create("webhooks", `{"eventType":"`+typ+`","url":"`+endpoint.URL+`/hooks"}`).Secret
	}
	status, _ := requestWithKey(t, key, "POST", "http://"+address+"/v1/admin/webhooks",
		`{"eventType":"order.created","url":"https://10.0.0.1/"}`)
	require.Equal(t, http.StatusBadRequest, status, "of a network that --webhook-allow does not name")
	told := func(typ, order string, record []byte) {
		t.Helper()
		e := <-came
		var envelope struct {
			EventID, EventType, EventTime, Resource, ResourceID, APIVersion string
			Data                                                            json.RawMessage
		}
		require.NoError(t, json.Unmarshal(e.body, &envelope))
		require.Equal(t, [3]string{typ, "order", order},
			[3]string{envelope.EventType, envelope.Resource, envelope.ResourceID})
		require.Equal(t, string(record), string(envelope.Data))

		sum := hmac.New(sha256.New, []byte(secrets[typ]))
		sum.Write(e.body)
		require.Equal(t, "sha256="+hex.EncodeToString(sum.Sum(nil)), e.header.Get("X-Service-Signature"))
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secrets[typ], "whsec_"))
		require.NoError(t, err)
		sum = hmac.New(sha256.New, raw)
		io.WriteString(sum, envelope.EventID+"."+e.header.Get("Webhook-Timestamp")+".")
		sum.Write(e.body)
		require.Equal(t, "v1,"+base64.StdEncoding.EncodeToString(sum.Sum(nil)), e.header.Get("Webhook-Signature"))
		require.Equal(t, envelope.EventID, e.header.Get("Webhook-Id"))
	}
	order := create("orders", `{"status":"open","pickupLocationId":"`+location+`","lineItems":[{"skuId":"`+sku+
		`","purchaseType":"booking","quantity":2,"startDate":"2998-06-01T08:00:00Z","endDate":"2998-06-03T08:00:00Z","unitPrice":4500}]}`).ID
	told("order.created", order, call("GET", "orders/"+order, ""))
	call("PATCH", "orders/"+order, `{"note":"Saddles \u003chigh\u003e"}`)
	told("order.updated", order, call("GET", "orders/"+order, ""))
	call("DELETE", "orders/"+order, "")
	told("order.deleted", order, []byte("null"))

	stop()
	require.Empty(t, came, "each once")
}

// TestStopWaitsForNoEndpoint stops a server while an endpoint keeps it waiting: the attempt is cut off before it fails,
// and is made again after the next start.
func TestStopWaitsForNoEndpoint(t *testing.T) {
	came, hold := make(chan string, 10), make(chan bool)
	endpoint, authority := newEndpoint(t, func(_ http.ResponseWriter, r *http.Request) {
		came <- r.Header.Get("Webhook-Id")
		<-hold
	})
	t.Cleanup(func() { close(hold) })
	key := "hf_hookstestkey_" + strings.Repeat("0123456789", 4)
	t.Setenv(bootstrapVariable, key)
	data := t.TempDir()
	address, stop := serveWithHooks(t, data, authority)
	hook := "http://" + address + "/v1/admin/webhooks"
	var made struct{ ID string }
	require.NoError(t, json.Unmarshal(callWithKey(t, key, "POST", hook, `{"eventType":"order.created","url":"`+
		endpoint.URL+`/hooks"}`), &made))
	callWithKey(t, key, "POST", hook+"/"+made.ID+"/test", "")
	first := <-came
	stop()
	address, stop = serveWithHooks(t, data, authority)
	require.Equal(t, first, <-came)
	var list struct{ Data []struct{ AttemptCount *int } }
	require.NoError(t, json.Unmarshal(callWithKey(t, key, "GET", "http://"+address+"/v1/admin/webhooks/"+made.ID+
		"/deliveries", ""), &list))
	require.Zero(t, *list.Data[0].AttemptCount, "the one that was cut off was none")
	stop()
}

// newEndpoint serves webhooks over TLS on loopback, by the authority in the file.
func newEndpoint(t *testing.T, handle http.HandlerFunc) (endpoint *httptest.Server, authority string) {
	endpoint = httptest.NewUnstartedServer(handle)
	endpoint.Config.ErrorLog = log.New(io.Discard, "", 0)
	endpoint.StartTLS()
	t.Cleanup(endpoint.Close)
	authority = filepath.Join(t.TempDir(), "authority.pem")
	require.NoError(t, os.WriteFile(authority,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: endpoint.Certificate().Raw}), 0o600))
	return endpoint, authority
}

// serveWithHooks runs a server whose webhooks may go to loopback; stop ends it as SIGTERM does.
func serveWithHooks(t *testing.T, data, authority string) (address string, stop func()) {
	address = freeAddress(t)
	var out, errs bytes.Buffer
	code := make(chan int)
	go func() {
		code <- run([]string{
			"serve", "--listen", address, "--data", data, "--webhook-allow", "127.0.0.0/8", "--webhook-ca", authority,
			"--grace", "1h",
		}, nil, &out, &errs)
	}()
	require.NoError(t, awaitReady(address))
	return address, func() {
		require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGTERM))
		require.Zero(t, <-code, errs.String())
	}
}

// callWithKey makes a request that must be answered with 200.
func callWithKey(t *testing.T, key, method, url, body string) []byte {
	t.Helper()
	status, text := requestWithKey(t, key, method, url, body)
	require.Equal(t, http.StatusOK, status, string(text))
	return text
}

// requestWithKey makes a request, with JSON if there is a body, and gives what was answered.
func requestWithKey(t testing.TB, key, method, url, body string) (status int, text []byte) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("X-API-KEY", key)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, text
}
