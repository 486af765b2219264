package api

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"holdfast/api/docs"
	"holdfast/engine/base"
)

// This file holds what is served of the documentation: under which policy, in which coding, and that the page of errors
// is of this catalogue.

func TestDocsAreServed(t *testing.T) {
	s := newShop(t)
	s.key = ""
	for path, name := range map[string]string{"/docs": docs.First, "/docs/": docs.First, "/docs/start": "start",
		"/docs/errors/": "errors", "/docs/style.css": "style.css"} {
		f, ok := docs.Find(name)
		require.True(t, ok)
		a := s.call("GET", path, "", "X-API-KEY", "")
		require.Equal(t, 200, a.status, path)
		require.Equal(t, f.Type, a.header["Content-Type"], path)
		require.True(t, bytes.Equal(f.Body, a.body), path)
		require.Equal(t, docs.PagePolicy, a.header["Content-Security-Policy"], path)
		require.Equal(t, "nosniff", a.header["X-Content-Type-Options"])
		require.Equal(t, "no-referrer", a.header["Referrer-Policy"])
	}
	reference := s.call("GET", "/docs/reference", "", "X-API-KEY", "")
	require.Equal(t, docs.HTML, reference.header["Content-Type"])
	require.Equal(t, docs.ReferencePolicy, reference.header["Content-Security-Policy"])
	require.Equal(t, "default-src 'none'; frame-ancestors 'none'",
		s.call("GET", "/openapi.json", "", "X-API-KEY", "").header["Content-Security-Policy"])
	for _, path := range []string{"/docs/nothing", "/docs/start.md", "/docs/%2e%2e",
		"/docs/" + strings.Repeat("x", 64)} {
		a := s.call("GET", path, "", "X-API-KEY", "")
		require.Equal(t, 404, a.status, path)
		require.Contains(t, string(a.body), "/docs lists them")
	}
}

// The packed script goes out as it lies where the caller takes that, and is unpacked for any other.
func TestPackedFileIsServed(t *testing.T) {
	s := newShop(t)
	f, ok := docs.Find("reference.js")
	require.True(t, ok)
	var all [2][]byte
	for i, coding := range []string{"zstd, gzip", "zstd;q=1, gzip;q=0"} {
		a := s.call("GET", "/docs/reference.js", "", "X-API-KEY", "", "Accept-Encoding", coding)
		require.Equal(t, 200, a.status)
		require.Equal(t, "text/javascript; charset=utf-8", a.header["Content-Type"])
		require.Equal(t, "Accept-Encoding", a.header["Vary"])
		require.Equal(t, [...]string{"gzip", "zstd"}[i], a.header["Content-Encoding"])
		all[i] = a.body
	}
	require.True(t, bytes.Equal(all[0], all[1]))
	require.Greater(t, len(all[0]), len(f.Body))
	bare := s.call("GET", "/docs/reference.js", "", "X-API-KEY", "")
	require.NotContains(t, bare.header, "Content-Encoding")
	require.True(t, bytes.Equal(all[0], bare.body))
	packed, err := gzip.NewReader(bytes.NewReader(f.Body))
	require.NoError(t, err)
	unpacked, err := io.ReadAll(packed)
	require.NoError(t, err)
	require.True(t, bytes.Equal(all[0], unpacked))
}

// What is the same for every caller is held once in each coding, however many are reading it.
func TestWhatIsGivenToAllIsHeldOnce(t *testing.T) {
	s := newShop(t)
	for _, path := range []string{"/openapi.json", "/docs/reference.js", "/docs/start", "/console/main.js"} {
		for _, coding := range []string{"", "gzip", "zstd"} {
			var first []byte
			for range 2 {
				var ctx fasthttp.RequestCtx
				ctx.Init(new(fasthttp.Request), nil, nil)
				ctx.Request.SetRequestURI(path)
				ctx.Request.Header.Set("Accept-Encoding", coding)
				s.server.serve(&ctx)
				body := ctx.Response.Body()
				require.Equal(t, 200, ctx.Response.StatusCode(), path)
				require.Equal(t, coding, string(ctx.Response.Header.ContentEncoding()), path)
				if first == nil {
					first = body
				}
				require.Same(t, &first[0], &body[0], "%s %s", path, coding)
			}
		}
	}
}

// Every code has its heading, with its meaning, its cause and what to do, and there is no other heading of its level.
// What a refusal holds as its type is the address of that heading.
func TestEveryCodeIsExplained(t *testing.T) {
	source, err := os.ReadFile("docs/errors.md")
	require.NoError(t, err)
	sections := strings.Split(string(source), "\n### ")[1:]
	explained := map[string]string{}
	for _, section := range sections {
		code, text, _ := strings.Cut(section, "\n")
		require.NotContains(t, explained, code)
		explained[code] = text
	}
	require.Len(t, explained, len(statuses))
	page, ok := docs.Find("errors")
	require.True(t, ok)
	for code, s := range statuses {
		text, ok := explained[string(code)]
		require.True(t, ok, "%s is not explained", code)
		form := fmt.Sprintf(
			`(?s)^\n\*\*Meaning\.\*\* %d: %s\.\n\n\*\*Cause\.\*\* \S.{20,}\.\n\n\*\*What to do\.\*\* \S.{10,}\.\n`,
			s.number, regexp.QuoteMeta(s.title))
		require.Regexp(t, form, text, code)
		kind := string(appendProblemType(nil, code))
		anchor, ok := strings.CutPrefix(kind, "/docs/errors#")
		require.True(t, ok, kind)
		require.True(t, strings.Contains(string(page.Body), fmt.Sprintf(`<h3 id="%s">%s</h3>`, anchor, code)),
			"%s has no anchor", code)
	}
	s := newShop(t)
	refused := s.refused(404, base.CodeNotFound, "GET", "/v1/admin/skus/"+s.account.String(), "")
	require.Equal(t, "/docs/errors#not_found", refused.object()["type"])
}
