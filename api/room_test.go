package api

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns the test that what a long answer took is given back.

// A buffer that has grown long is left to the collector, and so is the room to read stock into.
func TestLongBuffersAreNotKept(t *testing.T) {
	for buffers.Get() != nil { // those of other tests
	}
	for _, n := range []int{keptBuffer, keptBuffer + 1, 8 << 20} {
		s := &sent{room: new(room), account: base.ID{1}, n: int64(n), body: make([]byte, n)}
		require.True(t, s.room.take(s.account, s.n, true))
		require.NoError(t, s.Close())
		require.NoError(t, s.Close(), "once")
		require.Zero(t, s.room.taken())
	}
	for b, ok := buffers.Get().(*[]byte); ok; b, ok = buffers.Get().(*[]byte) {
		require.LessOrEqual(t, cap(*b), keptBuffer)
	}
	q := newRequest() // it goes to the pool that the other tests' servers take from
	q.stock.Window, q.stock.Units = base.Span{End: 1}, make([]stock.Unavailability, 0, keptStock+1)
	q.release()
	require.Zero(t, cap(q.stock.Units))
}

// A short answer that was written into the buffer of a long one leaves it to the next long one.
func TestShortAnswersLeaveLongBuffers(t *testing.T) {
	// what one goroutine puts into a pool another finds on the same processor
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := newShop(t)
	kept := 0
	for range 50 { // the collector empties the pool now and then, and the race detector does not keep all
		for buffers.Get() != nil { // those of others
		}
		keep(make([]byte, 0, 2*countedFrom))
		require.Contains(t, string(s.call("GET", "/v1/admin/account", "").body), `"id"`)
		for b, ok := buffers.Get().(*[]byte); ok; b, ok = buffers.Get().(*[]byte) {
			require.Empty(t, *b)
			kept++
		}
	}
	require.Positive(t, kept)
}

// A buffer that was filled and then compressed is used again, with its room: it is empty, and holds nobody's answer.
func TestBuffersThatWereCompressedAreUsedAgain(t *testing.T) {
	// what one goroutine puts into a pool another finds on the same processor
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s, _, _, _, _ := stocked(t)
	for i := range 20 {
		s.ok("POST", "/v1/admin/articles", fmt.Sprintf(`{"name":"Pump %d"}`, i))
	}
	kept := map[coding]int{}
	for range 50 { // the collector empties the pool now and then, and the race detector does not keep all
		for _, c := range []coding{gzipped, zstandard} {
			for buffers.Get() != nil { // those of others
			}
			a := s.call("GET", "/v1/admin/articles/bars", "", "Accept-Encoding", c.String())
			require.Equal(t, c.String(), a.header["Content-Encoding"])
			for b, ok := buffers.Get().(*[]byte); ok; b, ok = buffers.Get().(*[]byte) {
				require.Empty(t, *b)
				kept[c]++
			}
		}
	}
	require.Positive(t, kept[gzipped])
	require.Positive(t, kept[zstandard])
}
