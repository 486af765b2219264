package timeline

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// This file owns the test of amounts against a plain map.

func TestAmountsAgainstAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			amounts *Amounts
			want    map[uint32]int64
		}
		now := version{NewAmounts(), map[uint32]int64{}}
		versions := []version{}
		for range rapid.IntRange(0, 60).Draw(t, "changes") {
			base := rapid.SampledFrom([]uint32{0, 6, 220, 14330, 20000}).Draw(t, "base")
			no := base + rapid.Uint32Range(0, 9).Draw(t, "no")
			n := rapid.Int64Range(-2, 2).Draw(t, "n")
			now.amounts.Add(no, n)
			if now.want[no] += n; now.want[no] == 0 {
				delete(now.want, no)
			}
			if rapid.Bool().Draw(t, "publish") {
				versions = append(versions, version{now.amounts.Publish(), maps.Clone(now.want)})
			}
		}
		for _, v := range append(versions, now) {
			require.Equal(t, v.want, maps.Collect(v.amounts.All()))
			last := -1
			for no, n := range v.amounts.All() {
				require.Greater(t, int(no), last)
				last = int(no)
				require.Equal(t, n, v.amounts.Of(no))
			}
			require.Zero(t, v.amounts.Of(1<<31))
		}
	})
}
