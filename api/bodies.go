package api

import (
	"sync"
	"sync/atomic"
	"time"

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

// lateBody is how much longer than it may take to arrive a body is counted, where the library says nothing of its end.
const lateBody = readTimeout

// bodies counts the longer bodies under way. An account's keys share its room as accounts share that of all: a key has
// no more than what it leaves to the others.
type bodies struct {
	room room
	some atomic.Int64 // how many are in by
	mu   sync.Mutex
	by   map[*fasthttp.RequestHeader]*longBody // a connection has one header, which it uses again and again
	keys map[base.ID]int64                     // bytes under way, by key
}

// longBody is one that is being read, or is answered; of n 0 there was no room for it.
type longBody struct {
	account, key base.ID
	n            int64
	late         *time.Timer // ends one that does not arrive
}

// bodyBound is how long the body after a header may be, in bytes. A request with a longer body is refused for its other
// faults first, and only where it has none for the length of its body.
func (s *Server) bodyBound(h *fasthttp.RequestHeader) int {
	s.bodies.end(h) // for a body before this one that the library dropped without a word
	length := h.ContentLength()
	n := int64(length)
	if n == chunked {
		n = bulkBodyLimit
	}
	if n <= shortBody || n > bulkBodyLimit {
		return bulkBodyLimit
	}
	account, key, ok := s.keyOf(h)
	if !ok {
		return shortBody
	}
	if !s.bodies.begin(h, &longBody{account: account, key: key, n: n}, bodyTime(length)+lateBody) {
		return shortBody
	}
	return bulkBodyLimit
}

// keyOf is the key of a header, if it opens its account. Whether it may do what is asked for is seen later.
func (s *Server) keyOf(h *fasthttp.RequestHeader) (account, key base.ID, ok bool) {
	e := s.engine.Load()
	if e == nil {
		return account, key, false
	}
	id, secret, ok := auth.Parse(h.Peek("X-Api-Key"))
	if !ok {
		return account, key, false
	}
	k, view, ok := e.Key(id)
	if !ok || !k.Matches(secret) || opens(k, view, view.Now(s.now())) != nil {
		return account, key, false
	}
	return view.Account().ID, k.ID, true
}

// begin notes a body that has to arrive within some time; it says whether there is room for it. The library does not
// say of each connection that has broken off that it has: what does not arrive in time is ended here.
func (b *bodies) begin(h *fasthttp.RequestHeader, x *longBody, within time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	ok := b.keys[x.key]+x.n <= b.room.left(x.account) && b.room.take(x.account, x.n, false)
	if !ok {
		x.n = 0
	}
	if b.by == nil {
		b.by, b.keys = map[*fasthttp.RequestHeader]*longBody{}, map[base.ID]int64{}
	}
	b.by[h] = x
	b.keys[x.key] += x.n
	b.some.Add(1)
	x.late = time.AfterFunc(within, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.by[h] == x {
			b.drop(h, x)
		}
	})
	return ok
}

// arrived notes that a header's body is read: from here on it is under way until it is answered.
func (b *bodies) arrived(h *fasthttp.RequestHeader) {
	if b.some.Load() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if x := b.by[h]; x != nil {
		x.late.Stop()
	}
}

// end gives back what a header's body has taken. It says whether there was no room for it.
func (b *bodies) end(h *fasthttp.RequestHeader) (refused bool) {
	if b.some.Load() == 0 {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.by[h]
	if x == nil {
		return false
	}
	x.late.Stop()
	b.drop(h, x)
	return x.n == 0
}

func (b *bodies) drop(h *fasthttp.RequestHeader, x *longBody) {
	delete(b.by, h)
	b.some.Add(-1)
	if x.n > 0 {
		b.room.give(x.account, x.n)
	}
	if b.keys[x.key] -= x.n; b.keys[x.key] == 0 {
		delete(b.keys, x.key)
	}
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
