package holdfast

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// This file owns how a client is made, and what can be chosen for it and for one request.

// New makes a client for the server at an address such as https://rent.example.com, with a key such as hf_….
func New(address, key string, options ...Option) (*Client, error) {
	base, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("holdfast: the address: %w", err)
	case base.Scheme != "https" && base.Scheme != "http", base.Host == "":
		return nil, fmt.Errorf("holdfast: the address %q is not of the form https://host", address)
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("holdfast: the address has more than a scheme, a host and a path")
	case key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		// without the key itself
		return nil, errors.New("holdfast: the key is empty, or has characters that no key has")
	}
	t := &transport{
		base: strings.TrimRight(base.String(), "/"), key: key, agent: "holdfast-go/" + Version,
		http: &http.Client{Timeout: 75 * time.Second}, retries: 3, maxWait: 30 * time.Second,
	}
	for _, o := range options {
		o(t)
	}
	// The key is in a header of its own, which a redirect to another host would take along.
	client := *t.http
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.http = &client
	return bound(t), nil
}

// Option is what can be chosen for a client.
type Option func(*transport)

// WithHTTPClient makes a client of your own send the requests, with its transport and time limit. Redirects are not
// followed by it either. The default has a limit of 75 seconds for each attempt.
func WithHTTPClient(c *http.Client) Option {
	return func(t *transport) { t.http = cmp.Or(c, t.http) }
}

// WithRetries says how often a request is sent again at most; 0: never. The default is 3.
func WithRetries(n int) Option { return func(t *transport) { t.retries = max(n, 0) } }

// WithMaxWait says how long one pause before the next attempt is at most. A server that wants a longer one, by
// Retry-After, is not asked again: its refusal is returned. The default is 30 seconds.
func WithMaxWait(d time.Duration) Option { return func(t *transport) { t.maxWait = d } }

// WithUserAgent puts the name of your program before that of this client.
func WithUserAgent(name string) Option {
	return func(t *transport) { t.agent = name + " " + t.agent }
}

// RequestOption is what can be chosen for one request.
type RequestOption func(*call)

// IdempotencyKey sends a key of your own, such as the cart's id with the step's name, in place of one that the client
// makes. Keep it before you send the request, and the same request can be sent again after your program has ended,
// for 24 hours.
func IdempotencyKey(key string) RequestOption {
	return func(c *call) { c.header("Idempotency-Key", key) }
}

// IfMatch makes a change happen only if the record still has this ETag. Otherwise the error is CodePreconditionFailed.
func IfMatch(etag string) RequestOption { return func(c *call) { c.header("If-Match", etag) } }

// IfNoneMatch gives ErrNotModified where the record still has this ETag.
func IfNoneMatch(etag string) RequestOption {
	return func(c *call) { c.header("If-None-Match", etag) }
}

// AsOf reads the state that Snapshots.Create has pinned, by its sequence, in place of the present one.
func AsOf(sequence int64) RequestOption {
	return func(c *call) {
		if c.query.values == nil {
			c.query.values = url.Values{}
		}
		addNumber(&c.query, "asOf", sequence)
	}
}

// ResponseHeader keeps the headers of the last answer, such as ETag, Idempotent-Replayed and X-Request-Id.
func ResponseHeader(to *http.Header) RequestOption {
	return func(c *call) { c.answered = append(c.answered, to) }
}
