package holdfast

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// This file owns the server that tests speak to: a list of answers, without a network, so that
// a test's clock can be its own.

const testKey = "hf_client00_ssssssssssssssssssssssssssssssss"

// script gives one answer after the other, and keeps what it was asked.
type script struct {
	answers []answer
	asked   []asked
}

type answer struct {
	status int
	body   string
	header http.Header
	err    error
}

type asked struct {
	method, path, query, body string
	header                    http.Header
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	s.asked = append(s.asked, asked{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header})
	if len(s.asked) > len(s.answers) {
		return nil, &lasting{errors.New("the script has no more answers")}
	}
	a := s.answers[len(s.asked)-1]
	if a.err != nil {
		return nil, a.err
	}
	if a.header == nil {
		a.header = http.Header{}
	}
	if a.status >= 400 && a.header.Get("Content-Type") == "" {
		a.header.Set("Content-Type", "application/problem+json")
	}
	text := io.NopCloser(strings.NewReader(a.body))
	return &http.Response{StatusCode: a.status, Header: a.header, Body: text, Request: r}, nil
}

// client makes a client that is given these answers.
func client(t *testing.T, answers []answer, options ...Option) (*Client, *script) {
	t.Helper()
	s := &script{answers: answers}
	c, err := New("https://rent.example.com", testKey,
		append([]Option{WithHTTPClient(&http.Client{Transport: s})}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// says wants an error with a text in it.
func says(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Fatalf("got the error %v, want one that says %q", err, text)
	}
}
