package main

// This file owns the program's clock: that of the machine, except that it never goes back. Where the machine's clock is
// put back, this one goes on from where it was, by the time that passes, so that carts expire and deliveries are tried
// again. The log says so.

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// clock is the present in milliseconds since the epoch.
func clock() int64 { return steady.now() }

var steady = newSteadyClock(time.Now)

// steadyClock follows a clock that may jump, except where that jumps back.
type steadyClock struct {
	read   func() time.Time // with a monotonic reading
	anchor atomic.Pointer[anchor]
}

// anchor is an instant, and the reading at which it was.
type anchor struct {
	at time.Duration // since the epoch
	by time.Time
}

func newSteadyClock(read func() time.Time) *steadyClock {
	c := &steadyClock{read: read}
	by := read()
	c.anchor.Store(&anchor{time.Duration(by.UnixNano()), by})
	return c
}

// jitter is by how much two readings may disagree before one of the clocks counts as put forward.
const jitter = time.Millisecond

func (c *steadyClock) now() int64 {
	at, _ := c.reading()
	return at.Milliseconds()
}

// reading is the present, and by how much the machine's clock is behind it.
func (c *steadyClock) reading() (at, behind time.Duration) {
	for {
		a, by := c.anchor.Load(), c.read()
		at, wall := a.at+by.Sub(a.by), time.Duration(by.UnixNano())
		if wall <= at+jitter {
			return max(at, wall), max(0, at-wall)
		}
		c.anchor.CompareAndSwap(a, &anchor{wall, by}) // put forward
	}
}

// behind is by how much the machine's clock is behind clock.
func behind() time.Duration {
	_, behind := steady.reading()
	return behind
}

// notBefore makes the clock continue from an instant, in milliseconds, where the clock is behind it.
func (c *steadyClock) notBefore(ms int64) {
	for {
		a, by := c.anchor.Load(), c.read()
		if at := time.Duration(ms) * time.Millisecond; a.at+by.Sub(a.by) >= at ||
			c.anchor.CompareAndSwap(a, &anchor{at, by}) {
			return
		}
	}
}

// watch says when the machine's clock was put back, and when it has caught up.
func (c *steadyClock) watch(ctx context.Context, every <-chan time.Time, log *slog.Logger) {
	for said := false; ; {
		_, behind := c.reading()
		switch late := behind > clockMayDiffer; {
		case late && !said:
			log.Warn("the machine's clock was put back: time goes on from where it was, by what passes since",
				"seconds", int64(behind.Seconds()))
			said = true
		case !late && said:
			log.Info("the machine's clock has caught up")
			said = false
		}
		select {
		case <-every:
		case <-ctx.Done():
			return
		}
	}
}

// clockMayDiffer is by how much clocks of one machine differ before that is said.
const clockMayDiffer = time.Second
