package holdfast

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// This file owns one request: what is sent, and what comes back.

// maxAnswer is the most that is read of an answer.
const maxAnswer = 64 << 20

// ErrNotModified says that the record still has the ETag that IfNoneMatch gave.
var ErrNotModified = errors.New("holdfast: not modified")

type transport struct {
	base, key, agent string
	http             *http.Client
	retries          int
	maxWait          time.Duration
}

// call is a request as an operation makes it and its options change it.
type call struct {
	method, path string
	values       []string // of the path, in their order
	query        query
	body         any
	keyed        bool // it changes something, and takes an Idempotency-Key; others change nothing
	headers      http.Header
	answered     []*http.Header
}

func (c *call) header(name, value string) {
	if c.headers == nil {
		c.headers = http.Header{}
	}
	c.headers.Set(name, value)
}

// do sends a request until it is answered for good, and reads the answer.
func do[T any](ctx context.Context, t *transport, c call, options []RequestOption) (*T, error) {
	for _, o := range options {
		o(&c)
	}
	// One key for all attempts: what an attempt without an answer has done is not done again.
	if c.keyed && c.headers.Get("Idempotency-Key") == "" {
		c.header("Idempotency-Key", rand.Text())
	}
	text, err := t.answer(ctx, &c)
	if err != nil {
		return nil, err
	}
	answer := new(T)
	if err := json.Unmarshal(text, answer); err != nil {
		return nil, fmt.Errorf("holdfast: %s %s: the answer: %w", c.method, c.path, err)
	}
	return answer, nil
}

// request makes the request of one attempt.
func (t *transport) request(ctx context.Context, c *call) (*http.Request, error) {
	path, err := filled(c.path, c.values)
	if err != nil {
		return nil, err
	}
	if c.query.err != nil {
		return nil, fmt.Errorf("holdfast: %s %s: the query: %w", c.method, c.path, c.query.err)
	}
	address := t.base + path
	if len(c.query.values) > 0 {
		address += "?" + c.query.values.Encode()
	}
	var body io.Reader
	if c.body != nil {
		text, err := json.Marshal(c.body)
		if err != nil {
			return nil, fmt.Errorf("holdfast: %s %s: %w", c.method, c.path, err)
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, c.method, address, body)
	if err != nil {
		return nil, fmt.Errorf("holdfast: %w", err)
	}
	for name, values := range c.headers {
		r.Header[name] = values
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("X-API-KEY", t.key)
	r.Header.Set("X-Api-Version", Version)
	r.Header.Set("User-Agent", t.agent)
	return r, nil
}

// filled puts values into a path. One that is empty or made of dots would make another path of it.
func filled(path string, values []string) (string, error) {
	var b strings.Builder
	for _, v := range values {
		before, after, _ := strings.Cut(path, "{")
		name, rest, _ := strings.Cut(after, "}")
		if v == "" || v == "." || v == ".." {
			return "", fmt.Errorf("holdfast: %q cannot be the %s of a path", v, name)
		}
		b.WriteString(before + url.PathEscape(v))
		path = rest
	}
	return b.String() + path, nil
}

// attempt sends a request once. The error is a *Problem where the server has answered.
func (t *transport) attempt(ctx context.Context, c *call) (text []byte, header http.Header, err error) {
	r, err := t.request(ctx, c)
	if err != nil {
		return nil, nil, &lasting{err}
	}
	a, err := t.http.Do(r)
	if err != nil {
		return nil, nil, fmt.Errorf("holdfast: %w", err)
	}
	defer a.Body.Close()
	for _, to := range c.answered {
		*to = a.Header
	}
	text, err = io.ReadAll(io.LimitReader(a.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, a.Header, fmt.Errorf("holdfast: %s %s: the answer ended early: %w", c.method, c.path, err)
	case len(text) > maxAnswer:
		err = fmt.Errorf("holdfast: %s %s: the answer has more than %d bytes", c.method, c.path, maxAnswer)
		return nil, a.Header, &lasting{err}
	case a.StatusCode == http.StatusNotModified:
		return nil, a.Header, &lasting{ErrNotModified}
	case a.StatusCode != http.StatusOK:
		return nil, a.Header, readProblem(a, text)
	}
	return text, a.Header, nil
}
