package api

import (
	"encoding/json"
	"slices"
	"strings"

	"holdfast/api/wire"
)

// This file owns the document: OpenAPI 3.1, made of the operations that serve, so that the two cannot differ. The file
// openapi.json in this directory is the same, for readers and for generators of clients; a test says when it has to be
// written again.

// renderDocument writes the document of some operations.
func renderDocument(list []operation) []byte {
	c := &components{schemas: map[string]ordered{}, examples: map[string]ordered{}}
	var paths ordered
	at := map[string]int{}
	for i := range list {
		op := &list[i]
		if op.apart {
			continue
		}
		j, known := at[op.path]
		if !known {
			j = len(paths)
			at[op.path] = j
			paths = paths.with(op.path, ordered{})
		}
		paths[j].value = paths[j].value.(ordered).with(strings.ToLower(op.method), c.operation(op))
	}
	c.addProblem()
	o := ordered{
		{"openapi", "3.1.0"},
		{"info", ordered{
			{"title", "Holdfast"}, {"version", Version},
			{"summary", "Availability of rental stock, and what a merchant keeps around it."},
			{"description", documentAbout + headersAbout()},
			{"contact", ordered{{"name", "Whoever runs this service"}}},
			{"license", ordered{{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}},
		}},
		{"x-stability", "alpha"},
		{"x-answer-headers", headersOfAnswers()},
		{"servers", []any{ordered{{"url", "/"}, {"description", "The service that this document comes from."}}}},
		{"security", []any{ordered{{"ApiKey", []any{}}}}},
		{"tags", declaredTags()},
		{"paths", paths},
		{"webhooks", c.webhooks()},
		{"components", ordered{
			{"securitySchemes", ordered{{"ApiKey", ordered{
				{"type", "apiKey"}, {"in", "header"}, {"name", "X-API-KEY"},
				{"description", "A key of the account: hf_<id>_<secret>."},
			}}}},
			{"parameters", headerParameters()},
			{"schemas", inOrder(c.schemas)},
			{"examples", inOrder(c.examples)},
		}},
	}
	return append(appendOrdered(nil, o, 0), '\n')
}

const documentAbout = "JSON in and out. Every operation takes the account's key in the header X-API-KEY, except " +
	"those marked `no-key`.\n\n" +
	"`x-access` says who may ask: a key with any one of the `x-scopes` (`scoped`), one with full access " +
	"(`full-access`), every key (`any-key`), or anybody (`no-key`). `write` includes `read`, and an area covers what " +
	"is below it. A member with `x-scopes` of its own needs one of these in addition to the operation's.\n\n" +
	"Refusals are problem documents of RFC 9457 and change nothing. A 400 names all faults at once, each with its " +
	"pointer. `x-codes` lists, by status, the codes that an operation can give; `details` has the form of its code. " +
	"405, 408, 414 and 431, and answers for unknown paths, have the same form but belong to no operation. Objects of " +
	"requests have no other members than the declared ones; objects of answers may get more in later versions.\n\n" +
	"Beside the interface, without a key, are `/healthz` (the process lives), `/readyz` (the state is loaded and the " +
	"log can be written), `/openapi.json` (this document), `/docs` (pages for people) and `/docs/reference` (this " +
	"document for people).\n\n" +
	"What is sent to a webhook, and how it has to answer, is described under `webhooks`.\n\n" +
	"A page of a list shows the state of the moment when it is read: if an earlier row was removed since the page " +
	"before was read, one row is missed. All pages with the `asOf` of one snapshot show one state, and miss no row. " +
	"Every answer has a limit. A row of a list has at most 31 KiB: where it would have more, its lists have fewer " +
	"entries and its texts fewer characters. Next to a list that was cut, a member with its name and `Total` says " +
	"how many entries it has as a whole; a text that was cut ends in `…`. A record that is answered by itself has " +
	"the first 1,000 entries of each list, within 4 MiB; what is sent to a webhook is cut like it. Lists that can be " +
	"longer have pages: `orders/{id}/stock-items`, `holds/{id}/unavailabilities`, `articles/{id}/unavailabilities`, " +
	"and a plan of a quantity, which is asked for by its digest. A refusal names at most 20 blockers of a line and " +
	"1,000 in all. `changes` ends early and goes on from `next`.\n\n" +
	"An instant is a date-time of RFC 3339 with `Z` or an offset, of the years 1970 to 9999. Seconds may be left " +
	"out. Their fraction has up to nine digits, and those after the third are cut off; answers have three digits and " +
	"`Z`. The `+` of an offset in a query is written `%2B`.\n\n" +
	"In a query, the members of an object are written in brackets, `dateRange[from]=...&dateRange[to]=...`; a list " +
	"is its name repeated, with or without `[]`.\n\n"

// operation describes one operation.
func (c *components) operation(op *operation) ordered {
	o := ordered{{"operationId", op.id}, {"tags", []string{area(op)}}, {"summary", op.summary},
		{"description", op.summary}, {"x-access", op.access.String()}}
	if op.access == scoped {
		o = o.with("x-scopes", op.scopes)
	}
	if op.access == noKey {
		o = o.with("security", []any{})
	}
	if parameters := c.parameters(op); len(parameters) > 0 {
		o = o.with("parameters", parameters)
	}
	if op.body != nil {
		required := op.method == "PATCH" ||
			slices.ContainsFunc(op.body.Members, func(m wire.Member) bool { return m.Required })
		o = o.with("requestBody", ordered{{"required", required}, {"content", ordered{{"application/json", ordered{
			{"schema", c.schema(op.body, true)}, {"example", requestExample(op)},
		}}}}})
	}
	return o.with("responses", c.responses(op))
}

func (c *components) parameters(op *operation) (all []any) {
	for _, m := range op.pathParams {
		s := *m.Schema
		s.About = ""
		o := about(ordered{{"name", m.Name}, {"in", "path"}, {"required", true}}, m.Schema)
		example := json.RawMessage(appendExample(nil, &s, place{recordOfPath(op.path, m.Name), "id"}, true))
		all = append(all, o.with("example", example).with("schema", c.schema(&s, true)))
	}
	for _, m := range op.queryParams {
		all = append(all, c.queryParameter(m))
	}
	ref := func(name string) { all = append(all, ordered{{"$ref", "#/components/parameters/" + name}}) }
	if op.write {
		ref("IdempotencyKey")
	}
	if op.guarded {
		ref("IfMatch")
	}
	if op.cached {
		ref("IfNoneMatch")
	}
	return all
}

// queryParameter describes a parameter of a query. A parameter that is absent is not null there.
func (c *components) queryParameter(m wire.Member) ordered {
	s := *m.Schema
	s.Nullable, s.About = false, ""
	o := ordered{{"name", m.Name}, {"in", "query"}, {"required", m.Required}}
	o = about(o, m.Schema)
	if s.Type != "array" || s.Items.Type != "object" {
		o = o.with("example", json.RawMessage(appendExample(nil, &s, place{"", m.Name}, true)))
	}
	switch {
	case s.Type == "object":
		return o.with("style", "deepObject").with("explode", true).with("schema", c.schema(&s, true))
	case s.Type == "array" && s.Items.Type == "object":
		// Numbered from 0, as in filters[0][field]: an object whose members are called by their numbers.
		return o.with("style", "deepObject").with("explode", true).with("schema", ordered{
			{"type", "object"}, {"additionalProperties", c.schema(s.Items, true)},
		})
	case s.Type == "array":
		o = o.with("style", "form").with("explode", true)
	}
	return o.with("schema", c.schema(&s, true))
}

func (c *components) responses(op *operation) ordered {
	done := ordered{{"description", "Done."}}
	if op.answer == wire.NullSchema {
		done = ordered{{"description", "Done; the body is null."}}
	} else {
		done = done.with("content", ordered{{string(mediaJSON), c.answer(op.answer)}})
	}
	if names := headersOf(op); names != nil {
		done = done.with("x-headers", names)
	}
	o := ordered{{"200", done}}
	if op.cached {
		names := []string{headerNameETag}
		if op.takesAsOf() {
			names = append(names, headerNameSequence)
		}
		o = o.with("304", ordered{{"description", "The caller has this revision already."}, {"x-headers", names}})
	}
	return o.with("default", c.refusal(op))
}
