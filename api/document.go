package api

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"holdfast/engine"
)

// This file owns the document: OpenAPI 3.1, made of the operations that serve, so that the two cannot differ. openapi.json
// beside it is the same, for readers and for generators of clients; a test says when it has to be written again.

// document is the text of the document, rendered once.
var document = sync.OnceValue(func() []byte { return renderDocument(operations) })

func renderDocument(list []operation) []byte {
	c := &components{schemas: map[string]ordered{}, examples: map[string]ordered{}}
	var paths ordered
	at := map[string]int{}
	for i := range list {
		op := &list[i]
		j, known := at[op.path]
		if !known {
			j = len(paths)
			at[op.path] = j
			paths = paths.with(op.path, ordered{})
		}
		paths[j].value = paths[j].value.(ordered).with(strings.ToLower(op.method), c.operation(op))
	}
	problem := c.schema(problemSchema, false)
	o := ordered{
		{"openapi", "3.1.0"},
		{"info", ordered{
			{"title", "Holdfast"}, {"version", Version}, {"summary", "Availability of rental stock, and what a merchant keeps around it."},
			{"description", documentAbout},
			{"license", ordered{{"name", "Proprietary"}, {"identifier", "LicenseRef-Proprietary"}}},
		}},
		{"x-stability", "alpha"},
		{"servers", []any{ordered{{"url", "/"}, {"description", "The service that this document comes from."}}}},
		{"security", []any{ordered{{"ApiKey", []any{}}}}},
		{"paths", paths},
		{"components", ordered{
			{"securitySchemes", ordered{{"ApiKey", ordered{
				{"type", "apiKey"}, {"in", "header"}, {"name", "X-API-KEY"}, {"description", "A key of the account: hf_<id>_<secret>."},
			}}}},
			{"parameters", headerParameters()},
			{"headers", answerHeaders()},
			{"responses", problemResponses(problem)},
			{"schemas", inOrder(c.schemas)},
			{"examples", inOrder(c.examples)},
		}},
	}
	return append(appendOrdered(nil, o, 0), '\n')
}

const documentAbout = "JSON in and out. Every operation takes the account's key in the header X-API-KEY, but those marked `no-key`.\n\n" +
	"`x-access` says who may ask: a key with any one of the `x-scopes` (`scoped`), one with full access (`full-access`), every key (`any-key`), " +
	"or anybody (`no-key`). `write` includes `read`, and an area covers what is below it. A member with `x-scopes` of its own takes one of them beside the operation's.\n\n" +
	"Refusals are problem documents of RFC 9457 and change nothing. A 400 names all faults at once, each with its pointer. " +
	"So are 405, 408, 414 and 431, which are of no operation, and what is answered where there is nothing at a path. " +
	"Objects of requests have no other members than the declared ones; answers may come to have more.\n\n" +
	"No page of a list leaves a row out, and no answer is without a bound. A row of a list has at most 31 KiB: where it would have more, " +
	"its lists have fewer entries and its long texts fewer characters, and end in `…`. Beside what was cut stands how long it is as a whole, " +
	"under its name and `Total`. A record of its own has the first 1,000 entries of each list, within 4 MiB; what a webhook is sent is cut like it. " +
	"All of the lists that can be longer have pages: `orders/{id}/stock-items`, `holds/{id}/unavailabilities`, `articles/{id}/unavailabilities`, " +
	"and a plan of a quantity, which is asked for by its digest. A refusal names at most 20 blockers of a line and 1,000 in all. " +
	"`changes` ends early and goes on from `next`.\n\n" +
	"An instant is a date-time of RFC 3339 with `Z` or an offset, of the years 1970 to 9999. It may have up to nine digits of a second's fraction, " +
	"of which what is below a millisecond is cut off; answers have three and `Z`. The `+` of an offset in a query is written `%2B`.\n\n" +
	"A query's objects stand in brackets, `dateRange[from]=...&dateRange[to]=...`; a list is its name repeated, with or without `[]`."

// operation describes one operation.
func (c *components) operation(op *operation) ordered {
	o := ordered{{"operationId", op.id}, {"tags", []string{area(op)}}, {"summary", op.summary}, {"x-access", op.access.String()}}
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
		required := op.method == "PATCH" || slices.ContainsFunc(op.body.Members, func(m Member) bool { return m.Required })
		o = o.with("requestBody", ordered{{"required", required}, {"content", ordered{{"application/json", ordered{
			{"schema", c.schema(op.body, true)}, {"example", requestExample(op)},
		}}}}})
	}
	return o.with("responses", c.responses(op))
}

// area is the part of the document that an operation stands in: the middle of its id.
func area(op *operation) string {
	parts := strings.Split(op.id, ".")
	return parts[max(0, len(parts)-2)]
}

func (c *components) parameters(op *operation) (all []any) {
	for _, m := range op.pathParams {
		all = append(all, ordered{{"name", m.Name}, {"in", "path"}, {"required", true}, {"schema", c.schema(m.Schema, true)}})
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
	if op.access != noKey {
		ref("XApiVersion")
	}
	ref("XRequestId")
	return all
}

// queryParameter describes a parameter of a query. What is absent is not null there.
func (c *components) queryParameter(m Member) ordered {
	s := *m.Schema
	s.Nullable, s.About = false, ""
	o := ordered{{"name", m.Name}, {"in", "query"}, {"required", m.Required}}
	o = about(o, m.Schema)
	if s.Type != "array" || s.Items.Type != "object" {
		o = o.with("example", json.RawMessage(appendExample(nil, &s, m.Name, true)))
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

func headerParameters() ordered {
	header := func(name, about string, schema ordered) ordered {
		return ordered{{"name", name}, {"in", "header"}, {"required", false}, {"description", about}, {"schema", schema}}
	}
	text := ordered{{"type", "string"}}
	return ordered{
		{"IdempotencyKey", header("Idempotency-Key", "Makes the request repeatable for 24 hours: its answer is replayed, another body under the same key is refused.",
			ordered{{"type", "string"}, {"minLength", 1}, {"maxLength", 255}, {"pattern", "^[!-~]+$"}})},
		{"IfMatch", header("If-Match", "An entity tag of the record, or several, or *: refused with 412 where it is another by now.", text)},
		{"IfNoneMatch", header("If-None-Match", "An entity tag of the record: answered with 304 and no body where it still is.", text)},
		{"XApiVersion", header("X-Api-Version", "Default: the version pinned on the key.", ordered{{"type", "string"}, {"enum", []any{Version}}})},
		{"XRequestId", header("X-Request-Id", "An id of the caller's own, which comes back. One of another form is replaced.", text)},
	}
}

func answerHeaders() ordered {
	header := func(about, kind string, required bool) ordered {
		return ordered{{"description", about}, {"required", required}, {"schema", ordered{{"type", kind}}}}
	}
	return ordered{
		{"ETag", header("The strong entity tag of the record's own fields.", "string", false)},
		{"IdempotentReplayed", header("true where the answer is that of an earlier request under the same Idempotency-Key.", "string", false)},
		{"Link", header("The same list's first, prev, next and last page.", "string", true)},
		{"RetryAfter", header("Seconds to wait.", "integer", true)},
		{"XApiKeyExpiresAt", header("When the key expires, where it does.", "string", false)},
		{"XApiVersion", header("The version of the interface.", "string", true)},
		{"XRateLimitLimit", header("Requests of the tightest limit's window; no X-RateLimit header where the account has no limit.", "integer", false)},
		{"XRateLimitRemaining", header("Requests left in it.", "integer", false)},
		{"XRateLimitReset", header("When it resets, in seconds since 1970.", "integer", false)},
		{"XRateLimitWarning", header("Says that the month's requests run out.", "string", false)},
		{"XRequestId", header("The request's id, for questions about it.", "string", true)},
	}
}

// headerNames are the headers as they stand on the wire, by the names of their components.
var headerNames = map[string]string{
	"ETag": "ETag", "IdempotentReplayed": "Idempotent-Replayed", "Link": "Link", "RetryAfter": "Retry-After",
	"XApiKeyExpiresAt": "X-Api-Key-Expires-At", "XApiVersion": "X-Api-Version", "XRateLimitLimit": "X-RateLimit-Limit",
	"XRateLimitRemaining": "X-RateLimit-Remaining", "XRateLimitReset": "X-RateLimit-Reset", "XRateLimitWarning": "X-RateLimit-Warning",
	"XRequestId": "X-Request-Id",
}

// everyHeader are those that any answer may have.
var everyHeader = []string{
	"XRequestId", "XApiVersion", "XApiKeyExpiresAt", "XRateLimitLimit", "XRateLimitRemaining", "XRateLimitReset", "XRateLimitWarning",
}

func headersOf(components ...string) (o ordered) {
	for _, name := range slices.Concat(everyHeader, components) {
		o = o.with(headerNames[name], ordered{{"$ref", "#/components/headers/" + name}})
	}
	return o
}

func (c *components) responses(op *operation) ordered {
	var headers []string
	has := func(members []Member, name string) bool {
		return slices.ContainsFunc(members, func(m Member) bool { return m.Name == name })
	}
	if op.answer.Type == "object" && has(op.answer.Members, "id") {
		headers = append(headers, "ETag")
	}
	if op.write {
		headers = append(headers, "IdempotentReplayed")
	}
	if has(op.queryParams, "page") {
		headers = append(headers, "Link")
	}
	media := ordered{{op.mediaType(), c.answer(op.answer)}}
	o := ordered{{"200", ordered{{"description", "Done."}, {"headers", headersOf(headers...)}, {"content", media}}}}
	if op.cached {
		o = o.with("304", ordered{{"description", "The caller has this revision already."}, {"headers", headersOf("ETag")}})
	}
	for _, number := range refusals(op) {
		o = o.with(strconv.Itoa(number), ordered{{"$ref", "#/components/responses/Problem" + strconv.Itoa(number)}})
	}
	return o
}

// ofNoOperation are the statuses of requests with a method that a path has not, and of those that did not arrive.
var ofNoOperation = []int{405, 408, 414, 431}

// refusals are the statuses with which an operation can be refused.
func refusals(op *operation) (all []int) {
	for _, number := range slices.Sorted(maps.Keys(byStatus())) {
		there := false
		switch number {
		case 400, 413, 415, 500, 503:
			there = true
		case 401, 409:
			there = op.access != noKey
		case 403:
			there = op.access == scoped || op.access == fullAccess
		case 404:
			there = op.access != noKey && (len(op.pathParams) > 0 || len(op.queryParams) > 0 || op.body != nil)
		case 410:
			there = op.access != noKey && !op.write
		case 412:
			there = op.guarded
		case 422:
			there = op.write
		case 429:
			there = !op.probe
		}
		if there {
			all = append(all, number)
		}
	}
	return all
}

// byStatus are the codes of refusals by their status.
func byStatus() map[int][]engine.Code {
	all := map[int][]engine.Code{}
	for code, s := range statuses {
		all[s.number] = append(all[s.number], code)
	}
	for _, codes := range all {
		slices.SortFunc(codes, cmp.Compare[engine.Code])
	}
	return all
}

func problemResponses(problem ordered) (o ordered) {
	all := byStatus()
	for _, number := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(ofNoOperation, number) {
			continue
		}
		codes := make([]string, len(all[number]))
		for i, code := range all[number] {
			codes[i] = string(code)
		}
		headers := headersOf()
		if number == 429 || number == 503 {
			headers = headersOf("RetryAfter")
		}
		o = o.with("Problem"+strconv.Itoa(number), ordered{
			{"description", statuses[all[number][0]].title + ": " + strings.Join(codes, ", ") + "."}, {"x-codes", codes}, {"headers", headers},
			{"content", ordered{{"application/problem+json", ordered{{"schema", problem}, {"example", problemExample(all[number][0])}}}}},
		})
	}
	return o
}

// problemExample is a refusal as it is written, with one fault where there are faults.
func problemExample(code engine.Code) ordered {
	s := statuses[code]
	o := ordered{
		{"type", "urn:holdfast:problem:" + string(code)}, {"title", s.title}, {"status", s.number}, {"detail", s.title}, {"code", string(code)},
		{"requestId", "8f3a1c22b7d0-1f"}, {"details", ordered{}},
	}
	if s.number == 400 {
		o = o.with("errors", []any{ordered{{"in", "body"}, {"pointer", "/name"}, {"code", faultRequired}, {"message", "is missing"}}})
	}
	return o
}
