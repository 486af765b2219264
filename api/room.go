package api

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"

	"holdfast/api/ratelimit"
	"holdfast/engine/base"
)

// This file owns the room for bytes under way, and the memory of answers: how many bytes of them are under way, from
// the first that is written until the last has gone out or the connection has ended, and what becomes of their buffers
// then. Short answers are not counted.

// Bytes bound the bytes under way of answers, and as many of longer bodies of requests. Where the bytes for answers are
// used up, a request is refused before it has done anything; a read that was under way already is refused at its end.
//
// An account has at most PerAccount, and at most as much as is left of InAll: however many accounts take as much as
// they can, the next one can still have as much as each of them. This is the dynamic threshold of Choudhury and Hahne,
// "Dynamic queue length thresholds for shared-memory packet switches", 1998, with a factor of one.
type Bytes struct {
	PerAccount int64 // default 64 MiB
	InAll      int64 // default 256 MiB
}

const (
	countedFrom  = 32 << 10  // shorter answers are not counted
	countedSteps = 256 << 10 // by which an answer that grows takes more
	// longer buffers are given back to the collector; bars of 60 articles over a season take half of it
	keptBuffer = 512 << 10
	keptStock  = 16 << 10 // entries of a list of stock that a request keeps room for

	layerBytes ratelimit.Layer = "bytes"
)

// room counts the bytes under way.
type room struct {
	bound Bytes
	all   atomic.Int64 // written under mu: each request looks, and most see that there is room for any account
	mu    sync.Mutex
	by    map[base.ID]int64
}

// full says that there is no room for more bytes of an account.
func (r *room) full(account base.ID) bool {
	if r.all.Load() < min(r.bound.InAll/2, r.bound.PerAccount) { // no account has more than all have
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.by[account] >= r.most()
}

// most is how much an account may have.
func (r *room) most() int64 { return min(r.bound.PerAccount, r.bound.InAll-r.all.Load()) }

// left is how much more an account may take.
func (r *room) left(account base.ID) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.most() - r.by[account]
}

// take takes room for n bytes; forced, also where there is none.
func (r *room) take(account base.ID, n int64, forced bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !forced && r.by[account]+n > r.most() {
		return false
	}
	if r.by == nil {
		r.by = map[base.ID]int64{}
	}
	r.all.Add(n)
	r.by[account] += n
	return true
}

func (r *room) give(account base.ID, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Add(-n)
	if r.by[account] -= n; r.by[account] == 0 {
		delete(r.by, account)
	}
}

// taken is all that is under way.
func (r *room) taken() int64 { return r.all.Load() }

// grown takes room for the answer, which now has n bytes. Where there is no room, it says so, and the answer must not
// grow any more. A request that has changed the state is answered in any case.
func (q *request) grown(n int) bool {
	if q.crowded || n <= countedFrom || int64(n) <= q.taken || q.key == nil {
		return !q.crowded
	}
	more := (int64(n) - q.taken + countedSteps - 1) / countedSteps * countedSteps
	if !q.server.room.take(q.view.Account().ID, more, q.op.write) {
		q.crowded = true
		return false
	}
	q.taken += more
	return true
}

// tooManyBytes is the refusal where answers of the account, or of all, have too many bytes under way.
func (q *request) tooManyBytes() *base.Error {
	return q.later(base.CodeRateLimited, layerBytes, 1000, "too many bytes of answers are under way to readers")
}

// buffers are those of counted answers that have gone out. A short answer may be written into one as well.
var buffers sync.Pool

// buffer is an empty one that may have room already.
func buffer() []byte {
	if b, ok := buffers.Get().(*[]byte); ok {
		return *b
	}
	return nil
}

// keep makes a buffer available for use again. Its bytes must not be read any more.
func keep(b []byte) {
	if cap(b) <= keptBuffer {
		b = b[:0]
		buffers.Put(&b)
	}
}

// send hands the answer over to the connection. One that is counted is given back when it has gone out.
func (q *request) send() {
	if q.same != nil {
		if c, is := q.ctx.Conn().(*patientConn); is && len(q.same) > writeBuffer && !q.ctx.IsHead() {
			c.inOne()
		}
		q.ctx.Response.SwapBody(q.Out)
		q.ctx.Response.SetBodyRaw(q.same)
		q.Out = nil
		return
	}
	if len(q.Out) <= countedFrom || q.key == nil {
		q.giveBack()
		if cap(q.Out) > countedFrom {
			// with a connection it would be lost to the next long answer, which would have to grow one anew
			long := q.Out
			q.Out = append(q.ctx.Response.SwapBody(nil)[:0], long...)
			keep(long)
		}
		if c, is := q.ctx.Conn().(*patientConn); is && len(q.Out) > writeBuffer && !q.ctx.IsHead() {
			c.inOne()
		}
		q.ctx.Response.SwapBody(q.Out)
		q.Out = nil
		return
	}
	b := &sent{room: &q.server.room, account: q.view.Account().ID, n: int64(len(q.Out)), body: q.Out}
	b.room.take(b.account, b.n, true)
	b.Reset(q.Out)
	q.giveBack()
	q.ctx.Response.SetBodyStream(b, len(q.Out))
	q.Out = nil
}

// giveBack gives back what the request has taken itself.
func (q *request) giveBack() {
	if q.taken > 0 {
		q.server.room.give(q.view.Account().ID, q.taken)
		q.taken = 0
	}
}

// sent is an answer on its way.
type sent struct {
	bytes.Reader
	room    *room
	account base.ID
	n       int64
	body    []byte
	once    sync.Once
}

var _ io.Closer = (*sent)(nil)

// Close is called when the answer has gone out, or cannot any more.
func (s *sent) Close() error {
	s.once.Do(func() {
		s.room.give(s.account, s.n)
		keep(s.body)
		s.Reset(nil)
		s.body = nil
	})
	return nil
}
