package api

import (
	"holdfast/api/console"
	"holdfast/api/docs"
	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file owns what the service gives to browsers: the document itself, the pages, the reference that is drawn from
// the document, and the console. They load all that they need from this service, and nothing from any other.

// The files that have been asked for, of the documentation and of the console.
var pageFiles, consoleFiles sharedFiles

// readsDocs declares an operation that answers with one file of the documentation.
func readsDocs[In any](o operation, in input[In], name func(*In) string) operation {
	o.method, o.access, o.apart, o.answer = "GET", noKey, true,
		&wire.Schema{Type: "string", Example: `"<!doctype html>"`}
	return read(o, in, func(q *request, v *In) error {
		f, ok := docs.Find(name(v))
		if !ok {
			return refuse(base.CodeNotFound, "there is no page of this name: /docs lists them")
		}
		return q.answerShared(pageFiles.of(name(v), f.Type, f.Body, f.Gzip))
	})
}

// docsFile is the name of a file that stands in a path.
type docsFile struct{ name string }

var docsOperations = []operation{
	read(operation{
		id: "service.document", method: "GET", path: "/openapi.json", access: noKey, apart: true,
		summary: "Returns this document.",
		answer:  &wire.Schema{Type: "object", Extra: &wire.Schema{}, Example: `{"openapi":"3.1.0"}`},
	}, input[none]{}, func(q *request, _ *none) error {
		return q.answerShared(q.server.document)
	}),
	readsDocs(operation{
		id: "service.docs", path: "/docs", policy: docs.PagePolicy, summary: "Shows the list of the pages.",
	}, input[none]{}, func(*none) string { return docs.First }),
	readsDocs(operation{
		id: "service.docs.reference", path: "/docs/" + docs.Reference, policy: docs.ReferencePolicy,
		summary: "Shows the document to people.",
	}, input[none]{}, func(*none) string { return docs.Reference }),
	readsDocs(operation{
		id: "service.docs.file", path: "/docs/{file}", policy: docs.PagePolicy,
		summary: "Shows a page, or what belongs to one.",
	}, input[docsFile]{
		path: wire.ShapeOf("DocsFile", wire.Required("file", wire.Text(1, 64),
			func(n *docsFile) *string { return &n.name }).Says("The name of the page."))},
		func(n *docsFile) string { return n.name }),
}

// readsConsole declares an operation that answers with one file of the page. It asks for no key: the page asks its
// reader for one.
func readsConsole[In any](o operation, in input[In], name func(*In) string) operation {
	o.method, o.access, o.apart, o.policy = "GET", noKey, true, console.Policy
	o.answer = &wire.Schema{Type: "string", Example: `"<!doctype html>"`}
	return read(o, in, func(q *request, v *In) error {
		f, ok := console.Find(name(v))
		if !ok {
			return refuse(base.CodeNotFound, "there is no file of this name")
		}
		return q.answerShared(consoleFiles.of(name(v), f.Type, f.Body, false))
	})
}

// consoleFile is the name of a file that stands in a path.
type consoleFile struct{ name string }

var consoleOperations = []operation{
	readsConsole(operation{id: "service.front", path: "/", summary: "Shows the console to people who have a key."},
		input[none]{}, func(*none) string { return console.Index }),
	readsConsole(operation{id: "service.console.file", path: "/console/{file}",
		summary: "Gives a file that the console is made of."},
		input[consoleFile]{path: wire.ShapeOf("ConsoleFile", wire.Required("file", wire.Text(1, 64),
			func(n *consoleFile) *string { return &n.name }).Says("The name of the file."))},
		func(n *consoleFile) string { return n.name }),
}
