package timeline

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// count is a summary to test with: how many items, their sum, and the greatest value.
type count struct{ n, sum, max int }

type counter struct{}

func (counter) leaf(_ []instant, vals []int) (c count) {
	for _, v := range vals {
		c = count{c.n + 1, c.sum + v, max(c.max, v)}
	}
	return c
}

func (counter) join(sums []count) (c count) {
	for _, s := range sums {
		c = count{c.n + s.n, c.sum + s.sum, max(c.max, s.max)}
	}
	return c
}

type testTree = sumTree[instant, int, count, counter]

// TestTreeAgainstMap drives a tree and a map side by side, in bursts that split and join nodes, and checks versions taken on the way.
func TestTreeAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			tree testTree
			want map[instant]int
		}
		var tree testTree
		edit := new(token)
		want := map[instant]int{}
		var kept []version
		put := func(k instant, v int) {
			_, had := want[k]
			require.Equal(t, !had, tree.set(edit, k, v))
			want[k] = v
		}
		drop := func(k instant) {
			was, had := want[k]
			v, ok := tree.del(edit, k)
			require.Equal(t, had, ok)
			require.Equal(t, was, v)
			delete(want, k)
		}
		for range rapid.IntRange(1, 30).Draw(t, "bursts") {
			from := instant(rapid.IntRange(0, 9000).Draw(t, "from"))
			n := rapid.SampledFrom([]int{1, 2, 31, 128, 129, 700, 5000}).Draw(t, "n")
			switch rapid.SampledFrom([]string{"up", "down", "mixed", "drop", "thin", "drop up", "version"}).Draw(t, "burst") {
			case "up":
				for i := range n {
					put(from+instant(i), i)
				}
			case "down":
				for i := range n {
					put(from-instant(i), i)
				}
			case "mixed":
				for i := range n {
					put((from+instant(i)*7919)%9001, i)
				}
			case "drop":
				for i := range n {
					drop(from + instant(i))
				}
			case "thin":
				for i := range n {
					drop((from + instant(i)*7919) % 9001)
				}
			case "drop up":
				for i := range n {
					drop(from - instant(i))
				}
			case "version":
				kept = append(kept, version{tree, cloneMap(want)})
				edit = new(token)
			}
		}
		kept = append(kept, version{tree, want})
		for _, v := range kept {
			require.NoError(t, v.tree.verify())
			require.Equal(t, len(v.want), v.tree.len())
			keys := make([]instant, 0, len(v.want))
			for k := range v.want {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			var got []instant
			v.tree.all(func(ks []instant, vals []int) bool {
				for i, k := range ks {
					if v.want[k] != vals[i] {
						t.Fatalf("value %d at %d, want %d", vals[i], k, v.want[k])
					}
				}
				got = append(got, ks...)
				return true
			})
			require.True(t, slices.Equal(keys, got))
			from := instant(rapid.IntRange(-1, 9001).Draw(t, "scan"))
			i, _ := slices.BinarySearch(keys, from)
			got = got[:0]
			v.tree.scan(from, func(ks []instant, _ []int) bool {
				got = append(got, ks...)
				return true
			})
			require.True(t, slices.Equal(keys[i:], got))
			_, had := v.want[from]
			_, ok := v.tree.get(from)
			require.Equal(t, had, ok)
		}
	})
}

func cloneMap[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

// TestTreeAppendsFill holds that ids, which only grow, leave full leaves behind.
func TestTreeAppendsFill(t *testing.T) {
	var tree testTree
	edit := new(token)
	for i := range 100 * leafMax {
		tree.set(edit, instant(i), i)
	}
	leaves := 0
	tree.all(func(keys []instant, _ []int) bool {
		leaves++
		require.Len(t, keys, leafMax)
		return true
	})
	require.Equal(t, 100, leaves)
}

// TestVec drives a vector and a map side by side, with versions.
func TestVec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			vec  vec[int]
			want map[int]int
		}
		var v vec[int]
		edit := new(token)
		want := map[int]int{}
		var kept []version
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			i := rapid.SampledFrom([]int{0, 1, 15, 16, 17, 223, 224, 225, 14335, 14336, 70000}).Draw(t, "i")
			if rapid.Bool().Draw(t, "near") {
				i += rapid.IntRange(0, 40).Draw(t, "by")
			}
			if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
				kept = append(kept, version{v, cloneMap(want)})
				edit = new(token)
			}
			want[i]++
			*v.own(edit, i)++
		}
		kept = append(kept, version{v, want})
		for _, k := range kept {
			for i := range 70100 {
				got := 0
				if p := k.vec.at(i); p != nil {
					got = *p
				}
				if got != k.want[i] {
					t.Fatalf("%d at %d, want %d", got, i, k.want[i])
				}
			}
			require.Nil(t, k.vec.at(-1))
			require.Nil(t, k.vec.at(1<<31))
		}
	})
}
