package api

import (
	"slices"

	"holdfast/api/wire"
)

// This file owns headers in the document. Those that any request or answer may have are named once, for the document as
// a whole, and an answer names its own next to its description. Written as parameters and headers of each operation and
// each status, they would make up two thirds of every generated client.

// headerAbout is what the document says of a header of answers.
type headerAbout struct {
	name, about string
	kind        string // of its value
	always      bool   // it is there wherever it is named
	any         bool   // every answer may have it
}

var answerHeaders = []headerAbout{
	{"X-Request-Id", "The request's id, for questions about it.", "string", true, true},
	{"X-Api-Version", "The version of the interface.", "string", true, true},
	{"X-Api-Key-Expires-At", "When the key expires, where it does.", "string", false, true},
	{"X-RateLimit-Limit", "Requests of the tightest limit's window; no X-RateLimit header where the account " +
		"has no limit.", "integer", false, true},
	{"X-RateLimit-Remaining", "Requests left in it.", "integer", false, true},
	{"X-RateLimit-Reset", "When it resets, in seconds since 1970.", "integer", false, true},
	{"X-RateLimit-Warning", "Warns that the month's requests are nearly used up.", "string", false, true},
	{headerNameRetryAfter, "Seconds to wait, in a refusal with 429 or 503.", "integer", false, false},
	{headerNameETag, "The strong entity tag of the record's own fields.", "string", true, false},
	{headerNameReplayed, "true where the answer is that of an earlier request under the same Idempotency-Key.",
		"string", false, false},
	{headerNameSequence, "The account's sequence that a read is about: answers with the same one are of one state.",
		"integer", true, false},
	{headerNameLink, "The same list's first, prev, next and last page.", "string", true, false},
}

const (
	headerNameETag       = "ETag"
	headerNameReplayed   = "Idempotent-Replayed"
	headerNameLink       = "Link"
	headerNameRetryAfter = "Retry-After"
	headerNameSequence   = "X-Sequence"
)

// requestHeaders are those that any request may have.
var requestHeaders = []headerAbout{
	{name: "X-Request-Id", about: "An id of the caller's own, which comes back: 1 to 128 letters, digits, points, " +
		"hyphens and underscores. One of another form is replaced."},
	{name: "X-Api-Version",
		about: "The version of the interface, " + Version + ". Default: the one pinned on the key."},
}

// headersAbout describes the headers of requests and answers in the text of the document.
func headersAbout() string {
	text := "Any request may have these headers:\n"
	for _, h := range requestHeaders {
		text += "\n- `" + h.name + "`: " + h.about
	}
	text += "\n\nThese are the headers of answers. The first seven may be in any; the others are where `x-headers` " +
		"of the answer names them:\n"
	for _, h := range answerHeaders {
		text += "\n- `" + h.name + "`: " + h.about
	}
	return text
}

// headersOfAnswers is the same for programs.
func headersOfAnswers() (o ordered) {
	for _, h := range answerHeaders {
		o = o.with(h.name, ordered{
			{"description", h.about}, {"required", h.always}, {"x-any", h.any}, {"schema", ordered{{"type", h.kind}}},
		})
	}
	return o
}

// headersOf are the headers of its own that an answer of an operation may have.
func headersOf(op *operation) (names []string) {
	if op.answer.Type == "object" &&
		slices.ContainsFunc(op.answer.Members, func(m wire.Member) bool { return m.Name == "id" }) {
		names = append(names, headerNameETag)
	}
	if op.write {
		names = append(names, headerNameReplayed)
	}
	if op.takesAsOf() {
		names = append(names, headerNameSequence)
	}
	if slices.ContainsFunc(op.queryParams, func(m wire.Member) bool { return m.Name == "page" }) {
		names = append(names, headerNameLink)
	}
	return names
}

// headerParameters are the headers that some operations take.
func headerParameters() ordered {
	header := func(name, about string, schema ordered) ordered {
		return ordered{{"name", name}, {"in", "header"}, {"required", false}, {"description", about},
			{"schema", schema}}
	}
	text := ordered{{"type", "string"}}
	return ordered{
		{"IdempotencyKey", header("Idempotency-Key", "Makes the request repeatable for 24 hours: its answer is "+
			"replayed, another body under the same key is refused.",
			ordered{{"type", "string"}, {"minLength", 1}, {"maxLength", 255}, {"pattern", "^[!-~]+$"}})},
		{"IfMatch", header("If-Match",
			"An entity tag of the record, or several, or *: the request is refused with 412 if the record has "+
				"another one now.", text)},
		{"IfNoneMatch", header("If-None-Match",
			"An entity tag of the record: answered with 304 and no body if the record still has it.", text)},
	}
}
