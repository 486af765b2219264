package timeline

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestHoldRanges(t *testing.T) {
	h := NewHold(testID(1), Span{100, 200}, 10, 30)
	require.Equal(t, Span{110, 170}, h.Body())
	require.Equal(t, h.Span, h.Seat())
	late := h.WithCut(25)
	require.Equal(t, Span{125, 200}, late.Seat())
	require.Equal(t, h.Span, late.Span)
	require.Equal(t, h.Body(), late.Body())
	require.Equal(t, []int64{10, 30, 25}, []int64{late.Before(), late.After(), late.Cut()})
	require.Equal(t, h, late.WithCut(0), "holds are compared as values")

	open := NewHold(testID(1), Span{100, Forever}, 10, 0)
	require.Equal(t, Span{110, Forever}, open.Body(), "no buffer follows what has no end")
	require.Equal(t, Span{100, Forever}, open.Seat())

	long := NewHold(testID(1), Span{0, 1 << 48}, 0, 1<<48-1)
	require.Equal(t, Span{0, 1}, long.Body())
	require.Panics(t, func() { h.WithCut(-1) })
	require.Panics(t, func() { h.WithBuffers(0, 1<<48) })
	require.Equal(t, Span{1, 2}, h.WithSpan(Span{1, 2}).Span)
}

func TestHoldSize(t *testing.T) {
	require.EqualValues(t, 64, unsafe.Sizeof(Hold{}))
	require.EqualValues(t, 64, unsafe.Sizeof(slotEntry{}), "a slot fills a cache line")
}

func TestFlags(t *testing.T) {
	f := PinnedArticle | Out
	require.True(t, f.Has(Out))
	require.False(t, f.Has(Out|PinnedSlot))
	require.True(t, f.Any(Pinned))
	require.Equal(t, BlockerHold, f.Blocker())
	for _, b := range []Blocker{BlockerOrder, BlockerScheduledEvent, BlockerHold} {
		f = f.WithBlocker(b)
		require.Equal(t, b, f.Blocker())
		require.True(t, f.Has(PinnedArticle|Out))
	}
}

func TestIDOrder(t *testing.T) {
	a, b := ID{0, 1}, ID{15: 1}
	require.True(t, b.Before(a))
	require.False(t, a.Before(a))
	require.Equal(t, []int{1, -1, 0}, []int{a.Compare(b), b.Compare(a), a.Compare(a)})
	require.Equal(t, a, a.key().id())
}

func TestPoolRef(t *testing.T) {
	lot, ok := LotRef(7).Lot()
	require.True(t, ok)
	require.EqualValues(t, 7, lot)
	_, ok = SKURef(7).Lot()
	require.False(t, ok)
	require.NotEqual(t, LotRef(7), SKURef(7))
}
