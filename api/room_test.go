package api

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
)

// This file owns the test that what a long answer took is given back.

// A buffer that has grown long is left to the collector, and so is the room to read stock into.
func TestLongBuffersAreNotKept(t *testing.T) {
	for buffers.Get() != nil { // those of other tests
	}
	for _, n := range []int{keptBuffer, keptBuffer + 1, 8 << 20} {
		s := &sent{room: new(room), account: engine.ID{1}, n: int64(n), body: make([]byte, n)}
		require.True(t, s.room.take(s.account, s.n, true))
		require.NoError(t, s.Close())
		require.NoError(t, s.Close(), "once")
		require.Zero(t, s.room.taken())
	}
	for b, ok := buffers.Get().(*[]byte); ok; b, ok = buffers.Get().(*[]byte) {
		require.LessOrEqual(t, cap(*b), keptBuffer)
	}
	q := newRequest() // it goes to the pool that the other tests' servers take from
	q.stock.Units = make([]engine.Unavailability, 0, keptStock+1)
	q.release()
	require.Zero(t, cap(q.stock.Units))
}
