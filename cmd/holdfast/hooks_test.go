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
	endpoint := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		came <- event{r.Header, body}
		w.WriteHeader(http.StatusNoContent)
	}))
	endpoint.Config.ErrorLog = log.New(io.Discard, "", 0)
	endpoint.StartTLS()
	t.Cleanup(endpoint.Close)
	authority := filepath.Join(t.TempDir(), "authority.pem")
	require.NoError(t, os.WriteFile(authority,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: endpoint.Certificate().Raw}), 0o600))

	key := "hf_hookstestkey_" + strings.Repeat("0123456789", 4)
	t.Setenv(bootstrapVariable, key)
	address := freeAddress(t)
	var out, errs bytes.Buffer
	code := make(chan int)
	go func() {
		code <- run([]string{
			"serve", "--listen", address, "--data", t.TempDir(), "--webhook-allow", "127.0.0.0/8", "--webhook-ca",
			authority,
		}, nil, &out, &errs)
	}()
	require.NoError(t, awaitReady(address))
	call := func(method, path, body string) []byte {
		t.Helper()
		request, err := http.NewRequest(method, "http://"+address+"/v1/admin/"+path, strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("X-API-KEY", key)
		if body != "" {
			request.Header.Set("Content-Type", "application/json")
		}
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.StatusCode, string(text))
		return text
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
	inner, err := http.NewRequest("POST", "http://"+address+"/v1/admin/webhooks",
		strings.NewReader(`{"eventType":"order.created","url":"https://10.0.0.1/"}`))
	require.NoError(t, err)
	inner.Header.Set("X-API-KEY", key)
	inner.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(inner)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusBadRequest, answer.StatusCode, "of a network that --webhook-allow does not name")
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

	require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGTERM))
	require.Zero(t, <-code, errs.String())
	require.Empty(t, came, "each once")
}
