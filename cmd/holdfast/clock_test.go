package main

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// machineClock is a clock that can be put: what has passed, as the monotonic clock says, is apart from what the wall
// clock says.
type machineClock struct {
	base   time.Time
	passed time.Duration
}

// A time.Time has both readings only as time.Now gives it: to put the wall clock back by d is to let the monotonic
// clock be ahead by d.
func (m *machineClock) put(d time.Duration) *steadyClock {
	c := newSteadyClock(func() time.Time { return m.base.Add(m.passed) })
	a := c.anchor.Load()
	c.anchor.Store(&anchor{a.at - d, a.by})
	return c
}

func TestTimeGoesOnWhereTheClockWasPutBack(t *testing.T) {
	m := &machineClock{base: time.Now()}
	c := m.put(-time.Hour) // the wall clock says an hour less than is gone by
	was := c.now()
	require.Equal(t, m.base.Add(time.Hour).UnixMilli(), was)
	m.passed = time.Minute
	require.Equal(t, was+60_000, c.now(), "time goes on by what passes")
	_, behind := c.reading()
	require.Equal(t, time.Hour, behind)
}

func TestTheClockFollowsOneThatIsPutForward(t *testing.T) {
	m := &machineClock{base: time.Now()}
	c := m.put(time.Hour)
	require.Equal(t, m.base.UnixMilli(), c.now())
	_, behind := c.reading()
	require.Zero(t, behind)
}

func TestTheClockGoesOnFromTheEndOfTheLog(t *testing.T) {
	m := &machineClock{base: time.Now()}
	c := m.put(0)
	end := m.base.Add(time.Hour).UnixMilli()
	c.notBefore(end)
	m.passed = time.Second
	require.Equal(t, end+1000, c.now())
	c.notBefore(end)
	require.Equal(t, end+1000, c.now())
}

func TestAClockThatWasPutBackIsSaid(t *testing.T) {
	m := &machineClock{base: time.Now()}
	c := m.put(0)
	var said bytes.Buffer
	every, done := make(chan time.Time), make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		c.watch(ctx, every, slog.New(slog.NewTextHandler(&said, nil)))
		close(done)
	}()
	every <- time.Time{}
	c.notBefore(m.base.Add(time.Hour).UnixMilli())
	every <- time.Time{}
	every <- time.Time{}
	c.anchor.Store(&anchor{time.Duration(m.base.UnixNano()), m.base})
	every <- time.Time{}
	every <- time.Time{}
	stop()
	<-done
	require.Equal(t, 1, bytes.Count(said.Bytes(), []byte("put back")), said.String())
	require.Equal(t, 1, bytes.Count(said.Bytes(), []byte("caught up")), said.String())
}
