package api

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
)

// This file owns the document as the service gives it out: the text, and a page that shows it to people. The page is one
// file, which asks this service for the document and nobody for anything.

//go:embed docs/page.html
var docsPage string

// docsPolicy lets the page's own script and style run, by their digests, and the page ask its own origin.
var docsPolicy = "default-src 'none'; script-src " + digestOf("script") + "; style-src " + digestOf("style") +
	"; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// digestOf is the source of a content security policy that allows the page's one element of a name.
func digestOf(element string) string {
	_, rest, _ := strings.Cut(docsPage, "<"+element+">")
	text, _, _ := strings.Cut(rest, "</"+element+">")
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

var docsOperations = []operation{
	read(operation{
		id: "service.document", method: "GET", path: "/openapi.json", access: noKey, apart: true,
		summary: "Returns this document.", answer: &Schema{Type: "object", Extra: &Schema{}, Example: `{"openapi":"3.1.0"}`},
	}, input[none]{}, func(q *request, _ *none) error {
		q.out = append(q.out, q.server.document()...)
		return nil
	}),
	read(operation{
		id: "service.front", method: "GET", path: "/", access: noKey, apart: true, media: "text/html; charset=utf-8", policy: docsPolicy,
		summary: "Shows this document to people who have no more than the address.", answer: &Schema{Type: "string", Example: `"<!doctype html>"`},
	}, input[none]{}, func(q *request, _ *none) error {
		q.out = append(q.out, docsPage...)
		return nil
	}),
	read(operation{
		id: "service.docs", method: "GET", path: "/docs", access: noKey, apart: true, media: "text/html; charset=utf-8", policy: docsPolicy,
		summary: "Shows this document to people.", answer: &Schema{Type: "string", Example: `"<!doctype html>"`},
	}, input[none]{}, func(q *request, _ *none) error {
		q.out = append(q.out, docsPage...)
		return nil
	}),
}
