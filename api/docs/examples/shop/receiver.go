package main

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"time"

	"holdfast/api/docs/examples/webhooks"
)

// This file owns the receiver of webhooks: it verifies an event, answers at once, and looks at it afterwards.

// event is the part of an event that the story needs.
type event struct {
	EventID, EventType string
	Data               order
}

type receiver struct {
	server *httptest.Server // over TLS, with a certificate for tests
	events chan event
	mu     sync.Mutex
	secret string
	taken  map[string]bool // ids of events: one may come more than once
}

func newReceiver() *receiver {
	r := &receiver{events: make(chan event, 100), taken: map[string]bool{}}
	r.server = httptest.NewUnstartedServer(r)
	r.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	r.server.StartTLS()
	return r
}

func (r *receiver) setSecret(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = secret
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(io.LimitReader(q.Body, 8<<20))
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || !webhooks.Verify(r.secret, q.Header, body, time.Now()) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var e event
	if json.Unmarshal(body, &e) == nil && !r.taken[e.EventID] {
		r.taken[e.EventID] = true
		r.events <- e
	}
	w.WriteHeader(http.StatusNoContent)
}

// await waits for an event that is as asked.
func (r *receiver) await(is func(event) bool) (event, error) {
	timeout := time.After(30 * time.Second)
	for {
		select {
		case e := <-r.events:
			if is(e) {
				return e, nil
			}
		case <-timeout:
			return event{}, errors.New("no such event came within 30 seconds")
		}
	}
}

// writeAuthority writes the certificate that the server has to trust.
func (r *receiver) writeAuthority(name string) error {
	return os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw}),
		0o600)
}
