package holdfast

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// This file holds which requests are sent again, with what, and when. The clock is the test's own.

func refusal(code ProblemCode, status int) answer {
	return answer{status: status, body: `{"code": "` + string(code) + `", "detail": "no"}`}
}

func after(a answer, retryAfter string) answer {
	a.header = http.Header{"Retry-After": {retryAfter}}
	return a
}

var done = answer{status: 200, body: `{"id": "1", "status": "held"}`}

func TestRetriesUntilAnswered(t *testing.T) {
	for name, first := range map[string]answer{
		"408":              refusal(CodeRequestTimeout, 408),
		"429":              refusal(CodeRateLimited, 429),
		"500":              refusal(CodeInternal, 500),
		"502 of a proxy":   {status: 502, body: "<html>", header: http.Header{"Content-Type": {"text/html"}}},
		"503":              refusal(CodeOverloaded, 503),
		"504":              {status: 504},
		"still being done": refusal(CodeIdempotencyKeyInUse, 409),
		"no connection":    {err: io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := client(t, []answer{first, first, first, done, done})
				hold, err := c.Holds.Create(t.Context(), PlaceHold{Note: Set("one")})
				if err != nil {
					t.Fatal(err)
				}
				equal(t, "id", hold.ID, "1")
				equal(t, "attempts", len(s.asked), 4)
				key := s.asked[0].header.Get("Idempotency-Key")
				if len(key) < 20 {
					t.Fatalf("the key %q is too short to be one's own", key)
				}
				for _, a := range s.asked {
					equal(t, "key", a.header.Get("Idempotency-Key"), key)
					equal(t, "body", a.body, s.asked[0].body)
				}
				if _, err := c.Holds.Create(t.Context(), PlaceHold{Note: Set("one")}); err != nil {
					t.Fatal(err)
				}
				if s.asked[4].header.Get("Idempotency-Key") == key {
					t.Fatal("another request has the same key")
				}
			})
		})
	}
}

func TestRetriesEnd(t *testing.T) {
	busy := refusal(CodeOverloaded, 503)
	for name, test := range map[string]struct {
		answers  []answer
		options  []Option
		attempts int
		code     ProblemCode
	}{
		"after three":           {[]answer{busy, busy, busy, busy, done}, nil, 4, CodeOverloaded},
		"at once where told":    {[]answer{busy, done}, []Option{WithRetries(0)}, 1, CodeOverloaded},
		"a conflict stays":      {[]answer{refusal(CodeConflict, 409), done}, nil, 1, CodeConflict},
		"a fault stays":         {[]answer{refusal(CodeInvalidArguments, 400), done}, nil, 1, CodeInvalidArguments},
		"no key, no access":     {[]answer{refusal(CodeUnauthenticated, 401), done}, nil, 1, CodeUnauthenticated},
		"another after a retry": {[]answer{busy, refusal(CodeNotFound, 404), done}, nil, 2, CodeNotFound},
		"a month is too long": {[]answer{after(refusal(CodeMonthlyCap, 429), "86400"), done}, nil, 1,
			CodeMonthlyCap},
		"longer than is allowed": {[]answer{after(busy, "3"), done}, []Option{WithMaxWait(2e9)}, 1, CodeOverloaded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := client(t, test.answers, test.options...)
				_, err := c.Holds.Get(t.Context(), "1")
				if !errors.Is(err, test.code) {
					t.Fatalf("got %v, want %s", err, test.code)
				}
				equal(t, "attempts", len(s.asked), test.attempts)
			})
		})
	}
}

// Only what changes something has a key; a read by POST has none.
func TestKeysOnlyForChanges(t *testing.T) {
	c, s := client(t, []answer{done, done, done, done})
	_, _ = c.Holds.Get(t.Context(), "1")
	_, _ = c.Availability.Query(t.Context(), AvailabilityQuery{})
	_ = c.Holds.Delete(t.Context(), "1")
	_, _ = c.Holds.Confirm(t.Context(), "1", IdempotencyKey("cart-1-confirm"))
	for i, want := range []bool{false, false, true, true} {
		equal(t, s.asked[i].method+" has a key", s.asked[i].header.Get("Idempotency-Key") != "", want)
	}
	equal(t, "own key", s.asked[3].header.Get("Idempotency-Key"), "cart-1-confirm")
}

func TestPauses(t *testing.T) {
	busy := refusal(CodeRateLimited, 429)
	for name, test := range map[string]struct {
		answers  []answer
		from, to time.Duration
	}{
		"growing":    {[]answer{busy, busy, busy, done}, 875 * time.Millisecond, 1750 * time.Millisecond},
		"as told":    {[]answer{after(busy, "7"), done}, 7 * time.Second, 8 * time.Second},
		"at once":    {[]answer{after(busy, "0"), done}, 0, 250 * time.Millisecond},
		"not a time": {[]answer{after(busy, "-5"), done}, 125 * time.Millisecond, 250 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := client(t, test.answers)
				begin := time.Now()
				if _, err := c.Holds.Get(t.Context(), "1"); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begin); took < test.from || took > test.to {
					t.Fatalf("took %s, want %s to %s", took, test.from, test.to)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		at := time.Now().Add(20 * time.Second).UTC().Format(http.TimeFormat)
		c, _ := client(t, []answer{after(busy, at), done})
		begin := time.Now()
		if _, err := c.Holds.Get(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took < 19*time.Second || took > 23*time.Second {
			t.Fatalf("took %s, want about 20 seconds", took)
		}
	})
}

func TestTheContextBoundsPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := client(t, []answer{after(refusal(CodeRateLimited, 429), "10"), done})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		begin := time.Now()
		_, err := c.Holds.Get(ctx, "1")
		if !errors.Is(err, CodeRateLimited) {
			t.Fatalf("got %v, want the refusal", err)
		}
		equal(t, "tells of the context", errors.Is(err, context.DeadlineExceeded), false)
		equal(t, "waited in vain", time.Since(begin), 0)
		equal(t, "attempts", len(s.asked), 1)
	})
	synctest.Test(t, func(t *testing.T) {
		c, s := client(t, []answer{after(refusal(CodeRateLimited, 429), "10"), done})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begin := time.Now()
		_, err := c.Holds.Get(ctx, "1")
		if !errors.Is(err, CodeRateLimited) {
			t.Fatalf("got %v, want the refusal", err)
		}
		equal(t, "tells of the context", errors.Is(err, context.Canceled), true)
		equal(t, "waited", time.Since(begin), time.Second)
		equal(t, "attempts", len(s.asked), 1)
	})
}

// An answer for good stands, and whoever cancels meanwhile is not asked for another pause.
func TestTheContextEndsBeforeThePause(t *testing.T) {
	for _, c := range []struct {
		first answer
		ended bool
	}{{after(refusal(CodeRateLimited, 429), "0"), true}, {refusal(CodeNotFound, 404), false}} {
		ctx, cancel := context.WithCancel(t.Context())
		s := &script{answers: []answer{c.first, done}}
		cancelling := roundTrip(func(r *http.Request) (*http.Response, error) {
			a, err := s.RoundTrip(r)
			cancel()
			return a, err
		})
		client, err := New("https://rent.example.com", testKey, WithHTTPClient(&http.Client{Transport: cancelling}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Holds.Get(ctx, "1")
		var p *Problem
		equal(t, "is a refusal", errors.As(err, &p), true)
		equal(t, "tells of the context", errors.Is(err, context.Canceled), c.ended)
		equal(t, "attempts", len(s.asked), 1)
	}
}

// An answer that is cut off counts as none.
func TestCutOffAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{done, done}}
		cut := roundTrip(func(r *http.Request) (*http.Response, error) {
			a, err := s.RoundTrip(r)
			if len(s.asked) == 1 {
				a.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"id"`), broken{}))
			}
			return a, err
		})
		c, err := New("https://rent.example.com", testKey, WithHTTPClient(&http.Client{Transport: cut}))
		if err != nil {
			t.Fatal(err)
		}
		hold, err := c.Holds.Confirm(t.Context(), "1")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "id", hold.ID, "1")
		equal(t, "key", s.asked[0].header.Get("Idempotency-Key"), s.asked[1].header.Get("Idempotency-Key"))
	})
}

// Nobody is asked twice whose certificate is not good.
func TestUntrustedServersAreNotAskedAgain(t *testing.T) {
	c, s := client(t, []answer{{err: &tls.CertificateVerificationError{Err: errors.New("unknown authority")}}, done})
	_, err := c.Holds.Get(t.Context(), "1")
	says(t, err, "unknown authority")
	equal(t, "attempts", len(s.asked), 1)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
