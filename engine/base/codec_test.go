package base

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The reader of a row is inlined where rows are read: a start has one for each.
func TestReaderOfARowIsNotOnTheHeap(t *testing.T) {
	row := []byte{HotVersion, 7}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if r, err := HotReader("row", row); err != nil || r.U8() != 7 {
			panic("the row is not read")
		}
	}))
	for _, b := range [][]byte{nil, {HotVersion + 1, 7}} {
		_, err := HotReader("row", b)
		require.Error(t, err)
	}
}
