package engine

import (
	"sync"
	"sync/atomic"

	"holdfast/engine/base"
)

// This file owns the queue of commands that wait for the writer. It is bounded, and gives them out by accounts in turn:
// where more wait than a group takes, one account's many do not keep those of the others from theirs. Commands of one
// account keep their order.

type queue struct {
	n      atomic.Int64  // that wait
	filled chan struct{} // signalled when the first command enters an empty queue
	size   int

	mu          sync.Mutex
	lanes       map[base.ID]*lane // of accounts of which commands wait, or are blocked
	first, last *lane             // those of which some wait, in turns
	free        *lane             // for accounts to come
	blocked     []*blocked        // in the order in which they came
}

// lane is the commands of one account.
type lane struct {
	account base.ID
	list    []*Future
	head    int   // where in list the first is
	outside int   // blocked ones
	next    *lane // after it in turn
}

func (l *lane) waiting() int { return len(l.list) - l.head }

// blocked is a command for which the queue has no room yet.
type blocked struct {
	f  *Future
	in chan struct{} // closed when it has
}

func newQueue(size int) *queue {
	return &queue{filled: make(chan struct{}, 1), size: size, lanes: map[base.ID]*lane{}}
}

func (q *queue) len() int { return int(q.n.Load()) }

// share is how many commands of one account the queue takes.
func (q *queue) share() int { return max(1, q.size/2) }

// put adds a command to the queue. It blocks while the queue is full. Where the account has its share in it, it blocks
// as well, or, if the command is not patient, says that it is not taken.
func (q *queue) put(f *Future) (taken bool) {
	q.mu.Lock()
	l := q.lane(f.cmd.Account)
	full := l.waiting()+l.outside >= q.share()
	switch {
	case full && !f.patient:
		q.leave(l)
		q.mu.Unlock()
		return false
	case full || q.len() >= q.size:
		b := &blocked{f, make(chan struct{})}
		q.blocked = append(q.blocked, b)
		l.outside++
		q.mu.Unlock()
		<-b.in
		return true
	}
	q.add(l, f)
	q.mu.Unlock()
	return true
}

// add lets a command in.
func (q *queue) add(l *lane, f *Future) {
	if l.waiting() == 0 {
		q.line(l)
	}
	l.list = append(l.list, f)
	if q.n.Add(1) == 1 {
		select {
		case q.filled <- struct{}{}:
		default: // it was not heard yet
		}
	}
}

// line puts an account's turn after those of the others.
func (q *queue) line(l *lane) {
	if l.next = nil; q.last == nil {
		q.first = l
	} else {
		q.last.next = l
	}
	q.last = l
}

// take is the first command of the account whose turn it is, nil where none waits.
func (q *queue) take() *Future {
	if q.len() == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.first
	if q.first = l.next; q.first == nil {
		q.last = nil
	}
	f := l.list[l.head]
	l.list[l.head] = nil
	l.head++
	if l.waiting() > 0 {
		q.line(l)
	} else {
		l.list, l.head = l.list[:0], 0
	}
	q.n.Add(-1)
	q.admit()
	q.leave(l)
	return f
}

// admit lets in the first blocked command that there is room for.
func (q *queue) admit() {
	for i, b := range q.blocked {
		if l := q.lanes[b.f.cmd.Account]; l.waiting() < q.share() {
			q.blocked = append(q.blocked[:i], q.blocked[i+1:]...)
			l.outside--
			q.add(l, b.f)
			close(b.in)
			return
		}
	}
}

// heard returns a channel that can be received from when a command may be waiting.
func (q *queue) heard() <-chan struct{} {
	if q.len() > 0 {
		return turn
	}
	return q.filled
}

func (q *queue) lane(account base.ID) *lane {
	if l := q.lanes[account]; l != nil {
		return l
	}
	l := q.free
	if l == nil {
		l = new(lane)
	} else {
		q.free = l.next
	}
	l.account, l.next = account, nil
	q.lanes[account] = l
	return l
}

// leave forgets an account of which nothing waits any more.
func (q *queue) leave(l *lane) {
	if l.waiting() > 0 || l.outside > 0 {
		return
	}
	delete(q.lanes, l.account)
	if cap(l.list) > keptLane {
		l.list = nil
	}
	l.next, q.free = q.free, l
}

// keptLane is how many places of a lane that is empty are kept.
const keptLane = 256
