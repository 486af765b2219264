package holdfast_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	holdfast "holdfast/api/client/go"
)

// This file owns the examples of the documentation.

// shop stands for a server: it has two bikes, of which the first hold takes one.
func shop() *httptest.Server {
	answers := map[string]string{
		"GET /v1/admin/availability": `{"available": 2}`,
		"POST /v1/admin/holds":       `{"id": "0198c0de-0000-7000-8000-000000000001", "status": "held"}`,
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.Method+" "+r.URL.Path]
		if !ok {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusConflict)
			answer = `{"code": "INSUFFICIENT_AVAILABILITY", "detail": "the stock cannot carry the request",
				"details": {"lines": [{"line": 0, "requested": 3, "available": 1}]}}`
		}
		fmt.Fprint(w, answer)
	}))
}

func Example() {
	server := shop()
	defer server.Close()
	ctx := context.Background()

	hf, err := holdfast.New(server.URL, "hf_example0_00000000000000000000000000000000")
	if err != nil {
		fmt.Println(err)
		return
	}
	sku, place := "0198c0de-0000-7000-8000-000000000002", "0198c0de-0000-7000-8000-000000000003"
	from := time.Date(2031, 6, 2, 9, 0, 0, 0, time.UTC)
	to := from.Add(48 * time.Hour)

	window := holdfast.AvailabilityGetQuery{SKUID: sku, ServiceLocationID: place, From: from, To: to}
	free, err := hf.Availability.Get(ctx, window)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("free:", free.Available)

	hold, err := hf.Holds.Create(ctx, holdfast.PlaceHold{
		ExpiresInSeconds: holdfast.Set[int64](600),
		Lines: []holdfast.HoldLineInput{
			{SKUID: holdfast.Set(sku), ServiceLocationID: place, From: from, To: holdfast.Set(to)},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("hold:", hold.Status)

	_, err = hf.Holds.Extend(ctx, hold.ID, holdfast.ExtendHold{})
	var p *holdfast.Problem
	if errors.As(err, &p) {
		if short, ok := p.InsufficientAvailability(); ok {
			fmt.Println("short of:", short.Lines[0].Requested-short.Lines[0].Available)
		}
	}
	// Output:
	// free: 2
	// hold: held
	// short of: 2
}

func ExampleVerifyWebhook() {
	secret := "whsec_aGVsZCBmYXN0IGhlbGQgZmFzdA=="
	http.HandleFunc("POST /holdfast", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 8<<20))
		if err != nil {
			return
		}
		event, err := holdfast.VerifyWebhook(secret, r.Header, body)
		if err != nil {
			http.Error(w, "not verified", http.StatusBadRequest)
			return
		}
		fmt.Println(event.EventType, event.ResourceID) // answer first, and do what takes longer afterwards
	})
}
