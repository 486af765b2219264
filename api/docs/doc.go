// Package docs is the documentation as the service shows it: pages written in Markdown, and a reference that a vendored
// renderer makes of the OpenAPI document.
//
//	*.md          a page each; README.md is the first one, and lists the others
//	pages.go      turns the pages into HTML, once
//	frame.html    what stands around a page; style.css and icon.svg belong to it
//	reference/    the renderer of the reference, packed, with its licence and what starts it
//	examples/     programs that the pages show; the tests and `make test-docs` run them
//
// A page reads well as a file, too: links between pages name files, and become addresses when a page is rendered.
//
// # Invariants
//
//  1. Every page is in the list of pages.go and in README.md, and every link and anchor in them leads somewhere.
//  2. A page has no script and no style of its own. The reference has no script of its own either, and loads nothing
//     from any other service than this one.
//  3. A block of a page that names a file is a part of that file, which runs.
//  4. Each code of a refusal has one heading in errors.md, and there is no other heading of that level there.
package docs
