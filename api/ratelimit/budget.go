package ratelimit

// This file owns the arithmetic of the three kinds of budgets.

import "time"

// Layer names what a limit is for, an address, an account or a key, as refusals do.
type Layer string

// The layers, in the order in which they are asked.
const (
	Address Layer = "ip"
	Account Layer = "account"
	Key     Layer = "key"
)

// State is how a limit stands. The zero State is of no limit.
type State struct {
	Layer     Layer
	Limit     int64 // requests that it allows in all
	Remaining int64
	Reset     int64 // when all of them are there again
}

// Tighter is the one of two states that leaves less; of as much, the one that lasts longer. b is of a limit.
func Tighter(a, b State) State {
	if a.Limit == 0 || b.Remaining < a.Remaining || b.Remaining == a.Remaining && b.Reset > a.Reset {
		return b
	}
	return a
}

const minute = 60_000

// Window is a budget a minute. The zero Window is over.
type Window struct{ start, used int64 }

// at is the window as of now: a new one where it is over. A clock that went back by a little is in the same one.
func (w Window) at(now int64) Window {
	if d := now - w.start; d >= minute || d <= -minute {
		return Window{start: now}
	}
	return w
}

// take charges a request, if the limit allows it.
func (w Window) take(now, limit, cost int64) (Window, bool) {
	if w = w.at(now); w.used+cost > limit {
		return w, false
	}
	w.used += cost
	return w, true
}

func (w Window) state(layer Layer, limit int64) State {
	return State{layer, limit, max(0, limit-w.used), w.start + minute}
}

// Bucket is a budget a second with a burst. The zero Bucket is full.
type Bucket struct {
	full int64 // microseconds since the epoch: when it is full again
	each int64 // microseconds until one more is there, under the plan of that
}

const second = 1_000_000 // microseconds

// take charges a request, if the bucket has one left. wait is, where it has not, how long until it has.
func (b Bucket) take(now, perSecond, burst int64) (_ Bucket, ok bool, wait int64) {
	now *= 1000
	each := second / perSecond
	if b.each != each {
		b = Bucket{full: now + b.missing(now)*each, each: each} // what is missing counts under another plan
	}
	// Never further from full than empty is: whatever the clock or the plan was when it was charged.
	b.full = min(max(b.full, now), now+burst*each)
	if over := b.full + each - now - burst*each; over > 0 {
		return b, false, (over + 999) / 1000
	}
	b.full += each
	return b, true, 0
}

// missing is how many requests are used, at an instant in microseconds.
func (b Bucket) missing(now int64) int64 {
	if b.full <= now {
		return 0
	}
	return (b.full - now + b.each - 1) / b.each
}

func (b Bucket) state(now, burst int64) State {
	return State{Key, burst, burst - b.missing(now*1000), max(now, (b.full+999)/1000)}
}

// Month is a count in a calendar month. The zero Month is over.
type Month struct {
	start, end int64
	used       int64
}

// monthOf is the number of an instant's month, counted from the year 0.
func monthOf(now int64) int32 {
	t := time.UnixMilli(now).UTC()
	return int32(t.Year())*12 + int32(t.Month()) - 1
}

func newMonth(number int32, used int64) Month {
	first := func(n int32) int64 {
		return time.Date(int(n/12), time.Month(n%12+1), 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	}
	return Month{first(number), first(number + 1), used}
}

// at is the month as of now: a new one once it is over. One that is about to begin stays: the clock went back by a
// little.
func (m Month) at(now int64) Month {
	if now < m.end && now >= m.start-24*60*minute {
		return m
	}
	return newMonth(monthOf(now), 0)
}

func (m Month) state(limit int64) State {
	return State{Key, limit, max(0, limit-m.used), m.end}
}
