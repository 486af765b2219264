package api

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"

	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file owns refusals on the wire: the one table from code to status, and the problem document of RFC 9457.

// The codes that only a listener can give.
const (
	codeTimeout base.Code = "REQUEST_TIMEOUT"
)

// status is how a code stands on the wire.
type status struct {
	number int
	title  string
}

var statuses = map[base.Code]status{
	base.CodeInvalid:           {400, "The request has faults"},
	base.CodeMalformed:         {400, "The body is not JSON"},
	base.CodeVersion:           {400, "No such API version"},
	base.CodeUnauthenticated:   {401, "A valid API key is needed"},
	base.CodeKeyExpired:        {401, "The API key has expired"},
	base.CodeKeyRevoked:        {401, "The API key was revoked"},
	base.CodeMissingScope:      {403, "The API key lacks a scope"},
	base.CodeDeniedFields:      {403, "The API key lacks a scope for a part of the body"},
	base.CodeNotFound:          {404, "Not found"},
	base.CodeMethodNotAllowed:  {405, "The path has no such method"},
	codeTimeout:                {408, "The request took too long to arrive"},
	base.CodeConflict:          {409, "Not possible in the present state"},
	base.CodeInsufficient:      {409, "Not enough is available"},
	base.CodeQuantityBlocked:   {409, "Holds stand in the way"},
	base.CodePlanChanged:       {409, "The plan has changed"},
	base.CodeSubstitute:        {409, "The article is not what was ordered"},
	base.CodeHoldExpired:       {409, "The hold has expired"},
	base.CodeIdempotencyInUse:  {409, "The first request with this key is still running"},
	base.CodeStateNotAllowed:   {409, "Not in this state"},
	base.CodeInUse:             {409, "Something refers to it"},
	base.CodeCursorGone:        {410, "The changes after this cursor are no longer stored"},
	base.CodeSnapshotGone:      {410, "The snapshot is no longer kept"},
	base.CodePrecondition:      {412, "The record was changed"},
	base.CodeBodyTooLarge:      {413, "The body is too large"},
	base.CodeURITooLong:        {414, "The address is too long"},
	base.CodeMediaType:         {415, "The body has to be plain JSON"},
	base.CodeIdempotencyReused: {422, "The key was used for another request"},
	base.CodeRateLimited:       {429, "Too many requests"},
	base.CodeMonthlyCap:        {429, "The requests of the month are used"},
	base.CodeHeadersTooLarge:   {431, "The headers are too large"},
	base.CodeInternal:          {500, "Internal server error"},
	base.CodeNotReady:          {503, "Not ready yet"},
	base.CodeOverloaded:        {503, "The server is full"},
	base.CodeStorageFailed:     {503, "The storage has failed"},

	base.CodeDiscountNotFound:      {422, "No such discount code"},
	base.CodeDiscountExpired:       {422, "The discount code has expired"},
	base.CodeDiscountNotStarted:    {422, "The discount code is not valid yet"},
	base.CodeDiscountUsageLimit:    {422, "The discount code is used up"},
	base.CodeDiscountNotApplicable: {422, "The discount code is for something else"},
	base.CodeDiscountApplied:       {422, "The order has the discount code already"},
	base.CodeDiscountNoEffect:      {422, "The discount code would change nothing"},
}

func refuse(code base.Code, detail string) *base.Error {
	return &base.Error{Code: code, Detail: detail}
}

func notFound(kind string) *base.Error {
	return refuse(base.CodeNotFound, "no "+kind+" with this id")
}

// asRefusal makes a refusal of whatever an operation returned: an error that is not in the catalogue is an internal
// one, and its text is for the log, not for the caller.
func asRefusal(err error) *base.Error {
	if e := (*base.Error)(nil); errors.As(err, &e) {
		return e
	}
	return refuse(base.CodeInternal, "the request could not be processed; see the server's log")
}

// appendProblem appends the problem document of a refusal. more is the number of faults that were found and not kept.
// Commands, too, may find more faults than an answer has room for.
func appendProblem(b []byte, e *base.Error, requestID []byte, more int, details func(b []byte) []byte) []byte {
	s := statuses[e.Code]
	var faults wire.Faults
	for _, f := range e.Faults {
		faults.Add(f)
	}
	more += faults.More
	b = appendProblemType(append(b, `{"type":"`...), e.Code)
	b = wire.AppendText(append(b, `","title":`...), s.title)
	b = strconv.AppendInt(append(b, `,"status":`...), int64(s.number), 10)
	b = append(b, `,"detail":`...)
	if more > 0 {
		b = wire.AppendText(b, e.Detail+" (and "+strconv.Itoa(more)+" more)")
	} else {
		b = wire.AppendText(b, e.Detail)
	}
	b = wire.AppendText(append(b, `,"code":`...), string(e.Code))
	b = wire.AppendText(append(b, `,"requestId":`...), string(requestID))
	b = details(append(b, `,"details":`...))
	if s.number == 400 {
		b = append(b, `,"errors":[`...)
		for i, f := range faults.ListOf {
			if i > 0 {
				b = append(b, ',')
			}
			in := f.In
			if in == "" {
				in = "body"
			}
			b = wire.AppendText(append(b, `{"in":`...), in)
			b = wire.AppendText(append(b, `,"pointer":`...), f.Pointer)
			b = wire.AppendText(append(b, `,"code":`...), f.Code)
			b = wire.AppendText(append(b, `,"message":`...), f.Message)
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// appendProblemType appends the address of what the documentation says of a code, relative to this service.
func appendProblemType(b []byte, code base.Code) []byte {
	b = append(b, "/docs/errors#"...)
	for i := range len(code) {
		c := code[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		b = append(b, c)
	}
	return b
}

// problemSchema describes what every refusal answers. Its code is an enumeration in the document, and gives the details
// their form.
var problemSchema = wire.RecordSchema("Problem",
	wire.Has("type", (&wire.Schema{Type: "string", Format: "uri-reference"}).Says("Where this service explains "+
		"the code: a page and its anchor.")),
	wire.Has("title", wire.TextSchema.Says("What the code means, in a few words.")),
	wire.Has("status", wire.IntegerSchema.Says("The HTTP status of the code.")),
	wire.Has("detail", wire.TextSchema.Says("What is wrong with this request, for people.")),
	wire.Has("code",
		(&wire.Schema{Name: "ProblemCode", Type: "string", Enum: asTexts(allCodes)}).
			Says("What the refusal is called; a code has one status.")),
	wire.Has("requestId", wire.TextSchema.Says("The request's id, for questions about it.")),
	wire.Has("details", (&wire.Schema{Type: "object", Extra: &wire.Schema{}}).Says("More details; the members "+
		"depend on the code.")),
	wire.May("errors", wire.ListSchema(wire.RecordSchema("Fault",
		wire.Has("in", wire.EnumSchema("body", "query", "path", "header").Says("Where the fault stands.")),
		wire.Has("pointer",
			wire.TextSchema.Says("A JSON pointer into the body, or the name of the parameter or header.")),
		wire.Has("code", wire.TextSchema.Says("What kind of fault it is, such as required, unknown, format or range.")),
		wire.Has("message", wire.TextSchema.Says("What is wrong: a phrase to be read after the field's name.")),
	)).Says("All faults of a request that is refused with 400."))).Uncut().Says("A refusal, as RFC 9457 has it.")

func asTexts(codes []base.Code) []string {
	texts := make([]string, len(codes))
	for i, code := range codes {
		texts[i] = string(code)
	}
	return texts
}

// allCodes are the codes in the order of their status, then of their names.
var allCodes = slices.SortedFunc(maps.Keys(statuses), func(a, b base.Code) int {
	return cmp.Or(statuses[a].number-statuses[b].number, cmp.Compare(a, b))
})
