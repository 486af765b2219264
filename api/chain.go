package api

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"holdfast/api/auth"
	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file owns the chain that every request goes through, and which refusal wins where several apply:
//
//	framing, 404 and 405 of the route, 429 of the address, 401, version, 429 of account and key, 403,
//	429 of bytes under way, 415 and 413, all 400 together, 403 of denied members,
//	then the operation's own (404, 412, 409, 422).
//
// The guards stand in that order in admit, one refusal each. They look only at what is known before the body is read,
// so a request whose body is refused for its size passes the same guards.

// Version is the only version of the interface.
const Version = "2025-06"

// serve answers a request.
func (s *Server) serve(ctx *fasthttp.RequestCtx) {
	start := ctx.Time() // when it was read
	if start.IsZero() {
		start = time.Now() // it was made, not read
	}
	q := s.acquire(ctx, start)
	defer q.release()
	defer q.endBody()
	defer q.recover()
	s.bodies.arrived(&ctx.Request.Header)
	err := q.admit()
	if err == nil && len(ctx.Request.Body()) > q.op.limit {
		err = q.tooLarge()
	}
	if err == nil {
		if err := q.op.run(q); err != nil {
			q.refuse(asRefusal(err), err)
			return
		}
		if q.crowded {
			err := q.tooManyBytes()
			q.refuse(err, err)
			return
		}
		q.answer()
		return
	}
	q.refuse(err, err)
}

// expect decides on the headers alone whether a client that asks first may send its body.
func (s *Server) expect(ctx *fasthttp.RequestCtx) int {
	q := s.acquire(ctx, time.Now())
	defer q.release()
	defer q.recover()
	err := q.admit()
	if err == nil && ctx.Request.Header.ContentLength() > q.op.limit {
		err = q.tooLarge()
	}
	if err == nil {
		ctx.SetUserValue(paidValue, q.charge)
		return fasthttp.StatusContinue
	}
	q.endBody()
	q.refuse(err, err)
	return ctx.Response.StatusCode()
}

// unreadable answers bytes that could not be read as a request. The connection is closed after the answer.
func (s *Server) unreadable(ctx *fasthttp.RequestCtx, cause error) {
	q := s.acquire(ctx, time.Now())
	defer q.release()
	defer q.recover()
	err := q.admitUnread(cause)
	q.refuse(err, err)
}

// admit is the column of guards in front of every operation.
func (q *request) admit() *base.Error {
	fault, is := framing(&q.ctx.Request.Header)
	q.identify(is.id || fault != "")
	if fault != "" {
		q.ctx.SetConnectionClose()
		return refuse(base.CodeInvalid, fault)
	}
	q.locate(is.passed)
	if err := q.match(); err != nil {
		return q.recognise(err)
	}
	if q.ctx.Request.MayContinue() {
		q.charge, q.paid = q.ctx.UserValue(paidValue).(charge)
	}
	if err := q.chargeAddress(); err != nil {
		return err
	}
	if err := q.enter(); err != nil {
		return err
	}
	if q.op.access == noKey {
		return nil
	}
	if q.eng == nil {
		return refuse(base.CodeNotReady, "the state is being loaded")
	}
	if err := q.authenticate(); err != nil {
		return err
	}
	if !q.speaks(is.version) {
		return refuse(base.CodeVersion, "the only version is "+Version)
	}
	if err := q.chargeKey(); err != nil {
		return err
	}
	if err := q.authorise(); err != nil {
		return err
	}
	if q.server.room.full(q.view.Account().ID) {
		return q.tooManyBytes()
	}
	return q.mediaType()
}

// identify gives the request its id: the caller's own, if there may be one and it has the form, else one of ours.
func (q *request) identify(told bool) {
	if told {
		q.id = q.ctx.Request.Header.Peek("X-Request-Id")
	}
	if !goodRequestID(q.id) {
		q.id = q.server.requestID(q.idBuf[:0])
	}
}

func goodRequestID(id []byte) bool {
	for _, c := range id {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return len(id) >= 1 && len(id) <= 128
}

// requestID makes an id that no other request of this or another run has: a random part per run, and a count.
func (s *Server) requestID(b []byte) []byte {
	b = append(append(b, s.run...), '-')
	return strconv.AppendUint(b, s.count.Add(1), 16)
}

// speaks says whether the request is of our version: the one that it asks for, or else the one of its key.
func (q *request) speaks(asked bool) bool {
	if asked {
		return string(q.ctx.Request.Header.Peek("X-Api-Version")) == Version
	}
	return pinned(q.key) == Version
}

// match finds the operation of the path and method. A trailing slash makes no difference, and HEAD is GET without the
// body.
func (q *request) match() *base.Error {
	q.route = q.ctx.URI().PathOriginal()
	if n := len(q.route); n > 1 && q.route[n-1] == '/' {
		q.route = q.route[:n-1]
	}
	method := q.ctx.Method()
	if q.ctx.IsHead() {
		method = methodGet
	}
	if q.op = q.server.routes.find(q.ctx, method, q.route); q.op != nil {
		return nil
	}
	if allow := q.server.routes.allowed(string(q.route)); allow != "" {
		q.ctx.Response.Header.Set("Allow", allow)
		return refuse(base.CodeMethodNotAllowed, "allowed here: "+allow)
	}
	return refuse(base.CodeNotFound, "there is nothing at this path")
}

// authenticate finds the key and with it the account: both of one snapshot.
func (q *request) authenticate() *base.Error {
	raw := q.ctx.Request.Header.Peek("X-Api-Key")
	if len(raw) == 0 {
		return refuse(base.CodeUnauthenticated, "the header X-API-KEY is missing")
	}
	id, secret, ok := auth.Parse(raw)
	if !ok {
		return refuse(base.CodeUnauthenticated, "X-API-KEY is not of the form hf_<id>_<secret>")
	}
	k, view, ok := q.eng.Key(id)
	if !ok || !k.Matches(secret) {
		q.chargeWrongKey()
		return refuse(base.CodeUnauthenticated, "there is no such key")
	}
	q.key, q.view, q.now = k, view, view.Now(q.clock)
	return opens(k, view, q.now)
}

// opens says why a key does not open its account now, nil where it does.
func opens(k *base.Key, view base.View, now int64) *base.Error {
	switch {
	case k.RevokedAt != nil:
		return refuse(base.CodeKeyRevoked, "the key was revoked")
	case k.ExpiresAt != nil && *k.ExpiresAt <= now:
		return refuse(base.CodeKeyExpired, "the key has expired")
	}
	return view.Ready()
}

// recognise finds the key of a request for no operation, so that the refusal says when it expires. It is charged to the
// address as elsewhere, because keys could be guessed here otherwise.
func (q *request) recognise(nothing *base.Error) *base.Error {
	if q.eng == nil || len(q.ctx.Request.Header.Peek("X-Api-Key")) == 0 {
		return nothing
	}
	if err := q.chargeAddress(); err != nil {
		return err
	}
	_ = q.authenticate() // whatever is wrong with the key: there is nothing here
	return nothing
}

// authorise compares the key's scopes with the operation's. A key without scopes may do everything.
func (q *request) authorise() *base.Error {
	switch {
	case q.op.access == anyKey, len(q.key.Scopes) == 0:
		return nil
	case q.op.access == scoped && auth.Allows(q.key.Scopes, q.op.scopes):
		return nil
	}
	needed, detail := q.op.scopes, "the key has none of the scopes that suffice for "+q.op.id
	if needed == nil {
		needed, detail = []string{}, q.op.id+" takes a key with full access: no scope suffices"
	}
	return &base.Error{
		Code: base.CodeMissingScope, Detail: detail,
		Details: map[string]any{"requiredScopes": needed},
	}
}

// mediaType refuses bodies that are not plain JSON.
func (q *request) mediaType() *base.Error {
	h := &q.ctx.Request.Header
	if h.ContentLength() == 0 && q.op.method != fasthttp.MethodPatch {
		return nil
	}
	if h.ContentLength() < -1 {
		return nil // neither a length nor chunks: no body
	}
	if e := h.ContentEncoding(); len(e) > 0 && !bytes.EqualFold(e, []byte("identity")) {
		return refuse(base.CodeMediaType, "a body with Content-Encoding is not taken")
	}
	kind, parameters, _ := bytes.Cut(h.ContentType(), []byte{';'})
	if !bytes.EqualFold(bytes.TrimSpace(kind), []byte("application/json")) {
		return refuse(base.CodeMediaType, "Content-Type has to be application/json")
	}
	if name, value, ok := bytes.Cut(parameters, []byte{'='}); ok &&
		bytes.EqualFold(bytes.TrimSpace(name), []byte("charset")) &&
		!bytes.EqualFold(bytes.Trim(value, ` "`), []byte("utf-8")) {
		return refuse(base.CodeMediaType, "JSON is UTF-8")
	}
	return nil
}

func (q *request) tooLarge() *base.Error {
	limit := bodyLimit
	if q.op != nil {
		limit = q.op.limit
	}
	return refuse(base.CodeBodyTooLarge, fmt.Sprintf("the body may have at most %d bytes", limit))
}

// recover turns a panic into an answer that says nothing about it.
func (q *request) recover() {
	cause := recover()
	if cause == nil {
		return
	}
	q.server.log.Error("panic", "request", string(q.id), "operation", q.opID(), "cause", cause, "stack",
		string(debug.Stack()))
	q.refuse(refuse(base.CodeInternal, "the request met an internal error"), nil)
}

func (q *request) opID() string {
	if q.op == nil {
		return ""
	}
	return q.op.id
}

// answer sends what the handler appended to q.Out.
func (q *request) answer() {
	h := &q.ctx.Response.Header
	if q.ctx.Response.StatusCode() != fasthttp.StatusNotModified {
		h.SetContentTypeBytes(mediaJSON)
		if q.media != "" {
			h.SetContentType(q.media)
		}
	}
	c := q.held
	if q.ctx.Response.StatusCode() == fasthttp.StatusNotModified {
		h.SetCanonical(headerVary, valueAcceptEncoding) // as the answer that it stands for, if that is long
	} else {
		c = q.compress()
	}
	q.send()
	if q.tag != 0 {
		q.tagBuf = appendEntityTag(q.tagBuf[:0], q.tag, c)
		h.SetCanonical(headerETag, q.tagBuf)
	}
	if q.replayed {
		h.SetCanonical(headerReplayed, valueTrue)
	}
	if len(q.links) > 0 {
		h.SetCanonical(headerLink, q.links)
	}
	q.finish()
}

// compress puts the answer into the coding that the caller asks for, where it is long enough.
func (q *request) compress() coding {
	h := &q.ctx.Response.Header
	if len(q.Out) < compressFrom || len(h.ContentEncoding()) > 0 {
		return plain
	}
	h.SetCanonical(headerVary, valueAcceptEncoding)
	c := accepted(q.ctx.Request.Header.Peek("Accept-Encoding"))
	if c != plain {
		whole := q.Out
		q.Out = compress(c, whole, buffer())
		keep(whole)
		h.SetContentEncoding(c.String())
	}
	return c
}

// refuse sends a problem document. cause is what the log gets to see of it.
func (q *request) refuse(e *base.Error, cause error) {
	s, ok := statuses[e.Code]
	if !ok {
		e = refuse(base.CodeInternal, "the request met an internal error")
		s = statuses[e.Code]
	}
	q.server.metrics.refusals[e.Code].Inc()
	probed := q.op != nil && q.op.probe
	if s.number >= 500 && e.Code != base.CodeOverloaded && !probed {
		// there may be many of these: what is short, or not ready, is said once
		q.server.log.Error("request failed", "request", string(q.id), "operation", q.opID(), "code", string(e.Code),
			"cause", cause)
	}
	here := *e
	here.Faults = q.placed(e.Faults)
	q.Out = appendProblem(q.Out[:0], &here, q.id, q.faults.More, func(b []byte) []byte {
		q.Out = b
		q.server.details(q, e.Details)
		return q.Out
	})
	q.send()
	q.ctx.Response.SetStatusCode(s.number)
	q.ctx.Response.Header.SetContentTypeBytes(mediaProblem)
	if s.number == fasthttp.StatusServiceUnavailable {
		q.ctx.Response.Header.Set("Retry-After", "1")
	}
	q.finish()
}

// finish sets the headers of every answer and counts it.
func (q *request) finish() {
	h := &q.ctx.Response.Header
	h.SetCanonical(headerRequestID, q.id)
	for _, kv := range everyAnswer {
		h.SetCanonical(kv[0], kv[1])
	}
	if q.op != nil && q.op.policy != "" {
		h.Set("Content-Security-Policy", q.op.policy)
		h.Set("Referrer-Policy", "no-referrer")
	}
	if q.key != nil && q.key.ExpiresAt != nil {
		h.SetCanonical(headerKeyExpires, trimQuotes(wire.AppendInstant(nil, *q.key.ExpiresAt)))
	}
	if q.op != nil && q.op.takesAsOf() && q.ctx.Response.StatusCode() < fasthttp.StatusBadRequest {
		var digits [20]byte
		h.SetCanonical(headerSequence, strconv.AppendUint(digits[:0], q.view.Sequence(), 10))
	}
	q.charge.say(q)
	q.server.observe(q, time.Since(q.start)-q.idle)
}

func trimQuotes(b []byte) []byte { return b[1 : len(b)-1] }

// Headers in the form in which they are sent.
var (
	headerETag       = []byte("Etag")
	headerReplayed   = []byte("Idempotent-Replayed")
	headerLink       = []byte("Link")
	headerRequestID  = []byte("X-Request-Id")
	headerKeyExpires = []byte("X-Api-Key-Expires-At")
	headerVary       = []byte("Vary")
	valueTrue        = []byte("true")

	valueAcceptEncoding = []byte("Accept-Encoding")

	methodGet = []byte(fasthttp.MethodGet)

	mediaJSON    = []byte("application/json")
	mediaProblem = []byte("application/problem+json")

	// everyAnswer is what each answer carries: its version, and what keeps a browser from making anything else of it.
	everyAnswer = [][2][]byte{
		{[]byte("X-Api-Version"), []byte(Version)},
		{[]byte("X-Content-Type-Options"), []byte("nosniff")},
		{[]byte("Cache-Control"), []byte("private, no-cache")},
		{[]byte("Content-Security-Policy"), []byte("default-src 'none'; frame-ancestors 'none'")},
	}
)

// pinned is the version that a key asks for where a request names none.
func pinned(k *base.Key) string {
	if k.Version == "" {
		return Version
	}
	return k.Version
}
