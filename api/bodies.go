package api

import (
	"sync"
	"sync/atomic"

	"github.com/valyala/fasthttp"

	"holdfast/api/auth"
	"holdfast/engine/base"
)

// This file owns the memory of bodies: how many bytes of longer ones are under way, from when their length is known
// until the request is answered. The HTTP library takes the room for a whole body before it reads any of it, so what a
// request may send is decided by its headers.

// shortBody is the length in bytes of bodies that are not counted. A request without a valid key can send no longer
// body.
const shortBody = 32 << 10

// bodies counts the longer bodies under way.
type bodies struct {
	room room
	some atomic.Int64 // how many are in by
	mu   sync.Mutex
	by   map[*fasthttp.RequestHeader]longBody // a connection has one header, which it uses again and again
}

// longBody is one that is being read, or is answered; of n 0 there was no room for it.
type longBody struct {
	account base.ID
	n       int64
}

// bodyBound is how long the body after a header may be, in bytes. A request with a longer body is refused for its other
// faults first, and only where it has none for the length of its body.
func (s *Server) bodyBound(h *fasthttp.RequestHeader) int {
	s.bodies.end(h) // for a body before this one that the library dropped without a word
	n := int64(h.ContentLength())
	if n == chunked {
		n = bulkBodyLimit
	}
	if n <= shortBody || n > bulkBodyLimit {
		return bulkBodyLimit
	}
	account, ok := s.accountOf(h)
	if !ok {
		return shortBody
	}
	if !s.bodies.begin(h, longBody{account, n}) {
		return shortBody
	}
	return bulkBodyLimit
}

// accountOf is the account of a header's key. Whether the key may do what is asked for is seen later.
func (s *Server) accountOf(h *fasthttp.RequestHeader) (account base.ID, ok bool) {
	e := s.engine.Load()
	if e == nil {
		return account, false
	}
	id, secret, ok := auth.Parse(h.Peek("X-Api-Key"))
	if !ok {
		return account, false
	}
	k, view, ok := e.Key(id)
	if !ok || !k.Matches(secret) {
		return account, false
	}
	return view.Account().ID, true
}

// begin notes a body; it says whether there is room for it.
func (b *bodies) begin(h *fasthttp.RequestHeader, x longBody) bool {
	ok := b.room.take(x.account, x.n, false)
	if !ok {
		x.n = 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.by == nil {
		b.by = map[*fasthttp.RequestHeader]longBody{}
	}
	b.by[h] = x
	b.some.Add(1)
	return ok
}

// end gives back what a header's body has taken. It says whether there was no room for it.
func (b *bodies) end(h *fasthttp.RequestHeader) (refused bool) {
	if b.some.Load() == 0 {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	x, ok := b.by[h]
	if !ok {
		return false
	}
	delete(b.by, h)
	b.some.Add(-1)
	if x.n > 0 {
		b.room.give(x.account, x.n)
	}
	return x.n == 0
}

// endBody gives back the room of the request's body, which is not read any more. A long one is not kept for the
// connection's next request.
func (q *request) endBody() (refused bool) {
	if cap(q.ctx.Request.Body()) > shortBody {
		q.ctx.Request.SwapBody(nil)
	}
	return q.server.bodies.end(&q.ctx.Request.Header)
}

// tooManyBodies is the refusal where bodies of the account, or of all, have too many bytes under way.
func (q *request) tooManyBodies() *base.Error {
	return q.later(base.CodeRateLimited, layerBytes, 1000, "too many bytes of requests are under way")
}
