package timeline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawn reads a span off a line: from the first | to the last one, or for ever where a > ends it.
func drawn(line string) Span {
	s := Span{int64(strings.IndexByte(line, '|')), int64(strings.LastIndexByte(line, '|'))}
	if strings.HasSuffix(line, ">") {
		s.End = Forever
	}
	return s
}

func TestSpanRelations(t *testing.T) {
	for _, c := range []struct {
		a, b             string
		overlaps, covers bool
		clip, join       string
	}{
		{
			"  |----|  ",
			"     |---|", true, false,
			"     |-|  ",
			"  |------|",
		},
		{
			"  |--|    ",
			"     |---|", false, false,
			"     |    ",
			"  |------|",
		},
		{
			"  |-|     ",
			"     |---|", false, false,
			"",
			"  |------|",
		},
		{
			" |------->",
			"   |--|   ", true, true,
			"   |--|   ",
			" |------->",
		},
		{
			" |------->",
			" |------->", true, true,
			" |------->",
			" |------->",
		},
		{
			"     |--|",
			" |---|   ", false, false,
			"     |   ",
			" |------|",
		},
	} {
		a, b := drawn(c.a), drawn(c.b)
		require.Equal(t, c.overlaps, a.Overlaps(b), "%q %q", c.a, c.b)
		require.Equal(t, c.overlaps, b.Overlaps(a))
		require.Equal(t, c.overlaps, !a.Clip(b).Empty())
		require.Equal(t, c.covers, a.Covers(b))
		if c.clip != "" {
			require.Equal(t, drawn(c.clip), a.Clip(b))
		}
		require.Equal(t, drawn(c.join), a.join(b))
	}
}

func TestSpanInstants(t *testing.T) {
	s := Span{3, 5}
	require.False(t, s.Holds(2))
	require.True(t, s.Holds(3))
	require.True(t, s.Holds(4))
	require.False(t, s.Holds(5), "the end is not in it")
	require.EqualValues(t, 2, s.Length())
	require.Zero(t, Span{5, 3}.Length())
	require.Equal(t, Forever, Span{5, Forever}.Length())
	require.True(t, Span{5, Forever}.Open())
	require.False(t, Span{5, Forever}.Holds(Forever), "the open end is no instant")
}
