package docs

import (
	"bytes"
	"embed"
	"fmt"
	"html"
	"path"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// This file owns the pages: which there are and in which order, how they become HTML, and what is served in addition to
// them.

//go:embed *.md *.svg style.css frame.html reference/index.html reference/start.js reference/scalar.js.gz
var files embed.FS

// Policies of content security. No page may run a script; the reference runs the two that are served here, and sets
// styles as it draws.
const (
	PagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'none'"
	ReferencePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' " +
		"data:; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// Media types of what is served.
const (
	HTML   = "text/html; charset=utf-8"
	css    = "text/css; charset=utf-8"
	script = "text/javascript; charset=utf-8"
	svg    = "image/svg+xml"
)

// First is the name of the first page, which is served at the address of them all.
const First = "README"

// Reference is the name of the reference, which is a page under a policy of its own.
const Reference = "reference"

// Names are the pages in the order in which they are to be read.
var Names = []string{"start", "shop", "webhooks", "time", "errors", "idempotency", "limits", "operating", "upgrading",
	"figures", "design"}

// File is what is served under a name.
type File struct {
	Type string
	Body []byte
	Gzip bool // Body is packed
}

// Find returns what is served under a name.
func Find(name string) (File, bool) {
	f, ok := served()[name]
	return f, ok
}

// page is one page in its frame.
type page struct{ name, title, body string }

// in puts a page into the frame, with links to all. This is no template of the standard library: one that is linked has
// the linker keep every exported method of the program, which made it a fifth larger.
func (p *page) in(frame string, all []*page) []byte {
	var links strings.Builder
	for _, other := range all {
		current := ""
		if other.name == p.name {
			current = ` aria-current="page"`
		}
		fmt.Fprintf(&links, "<a href=\"/docs/%s\"%s>%s</a>\n", other.name, current, html.EscapeString(other.title))
	}
	return []byte(strings.NewReplacer("{{title}}", html.EscapeString(p.title), "{{pages}}", links.String(), "{{body}}",
		p.body).Replace(frame))
}

var served = sync.OnceValue(func() map[string]File {
	all := map[string]File{
		"style.css":          {Type: css, Body: read("style.css")},
		Reference:            {Type: HTML, Body: read("reference/index.html")},
		"reference-start.js": {Type: script, Body: read("reference/start.js")},
		"reference.js":       {Type: script, Body: read("reference/scalar.js.gz"), Gzip: true},
	}
	entries, err := files.ReadDir(".")
	must(err)
	for _, e := range entries {
		if path.Ext(e.Name()) == ".svg" {
			all[e.Name()] = File{Type: svg, Body: read(e.Name())}
		}
	}
	frame := string(read("frame.html"))
	first, pages := render(First), make([]*page, len(Names))
	for i, name := range Names {
		pages[i] = render(name)
	}
	for _, p := range append(pages[:len(pages):len(pages)], first) {
		all[p.name] = File{Type: HTML, Body: p.in(frame, pages)}
	}
	return all
})

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// render turns a page into HTML. Its title is its first heading.
func render(name string) *page {
	p, source := &page{name: name}, read(name+".md")
	document := markdown.Parser().
		Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))))
	must(ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = address(n.Destination)
		case *ast.Image:
			n.Destination = address(n.Destination)
		case *ast.Heading:
			if n.Level == 1 {
				p.title = string(n.Lines().Value(source))
			}
		}
		return ast.WalkContinue, nil
	}))
	var b bytes.Buffer
	must(markdown.Renderer().Render(&b, source, document))
	p.body = b.String()
	return p
}

// anchors are the ids of a page's headings, made as code hosts make them, so that a link to one leads there in both
// places.
type anchors map[string]bool

func (a anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	base := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(string(heading)))
	id := base
	for n := 1; a[id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	a[id] = true
	return []byte(id)
}

func (a anchors) Put(id []byte) { a[string(id)] = true }

// address is where the file that a link names is served. A link to elsewhere, or within its page, stays as it is.
func address(link []byte) []byte {
	name, anchor, _ := strings.Cut(string(link), "#")
	switch {
	case name == "" || strings.Contains(name, ":"):
		return link
	case name == "../openapi.json":
		name = "/docs/" + Reference
	case name == First+".md":
		name = "/docs"
	default:
		name = "/docs/" + strings.TrimSuffix(name, ".md")
	}
	if anchor != "" {
		name += "#" + anchor
	}
	return []byte(name)
}

func read(name string) []byte {
	b, err := files.ReadFile(name)
	must(err)
	return b
}

// must panics: the tests render the embedded pages, so this cannot fail where they passed.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("docs: %v", err))
	}
}
