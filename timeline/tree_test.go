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

// TestTreeAgainstMap drives trees and maps side by side, in bursts that split and join nodes, and checks versions taken
// on the way. Forks of versions go on beside what they came from.
func TestTreeAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			tree testTree
			want map[instant]int
		}
		type owner struct {
			version
			edit *token
		}
		owners := []*owner{{version{want: map[instant]int{}}, newToken()}}
		var kept []version
		x := owners[0]
		put := func(k instant, v int) {
			_, had := x.want[k]
			require.Equal(t, !had, x.tree.set(x.edit, k, v))
			x.want[k] = v
		}
		drop := func(k instant) {
			was, had := x.want[k]
			v, ok := x.tree.del(x.edit, k)
			require.Equal(t, had, ok)
			require.Equal(t, was, v)
			delete(x.want, k)
		}
		for range rapid.IntRange(1, 30).Draw(t, "bursts") {
			from := instant(rapid.IntRange(0, 9000).Draw(t, "from"))
			n := rapid.SampledFrom([]int{1, 2, 31, 128, 129, 700, 5000}).Draw(t, "n")
			switch rapid.SampledFrom([]string{"up", "on", "down", "mixed", "drop", "thin", "drop up", "version", "fork",
				"other"}).Draw(t, "burst") {
			case "up":
				for i := range n {
					put(from+instant(i), i)
				}
			case "on": // behind all others, a version in between
				for i := range min(n, 200) {
					put(20_000+instant(len(x.want)), i)
					if i%7 == 0 {
						kept, x.edit = append(kept, version{x.tree, cloneMap(x.want)}), x.edit.next()
					}
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
				kept, x.edit = append(kept, version{x.tree, cloneMap(x.want)}), x.edit.next()
			case "fork":
				if len(kept) > 0 {
					v := kept[int(from+9000)%len(kept)]
					x = &owner{version{v.tree, cloneMap(v.want)}, newToken()}
					owners = append(owners, x)
				}
			case "other":
				x = owners[int(from+9000)%len(owners)]
			}
		}
		for _, x := range owners {
			kept = append(kept, x.version)
		}
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
			for f, n := v.tree.finger(), 0; n < 200; n++ { // a stretch in order, then elsewhere
				if from += instant(n % 3); n%40 == 39 {
					from = (from*7919 + 1) % 9001
				}
				want, had := v.want[from]
				got, ok := f.get(from)
				if had != ok || had && want != got {
					t.Fatalf("value %d, %t at %d, want %d, %t", got, ok, from, want, had)
				}
			}
		}
	})
}

// TestValuesChangedInPlace changes values of an owner between versions, none of which sees it.
func TestValuesChangedInPlace(t *testing.T) {
	rnd := seeded(t)
	var x tree[instant, int]
	edit, want := newToken(), map[instant]int{}
	type version struct {
		tree tree[instant, int]
		want map[instant]int
	}
	var kept []version
	for i := range 20_000 {
		switch k := instant(rnd.Intn(8000)); rnd.Intn(4) {
		case 0:
			x.set(edit, k, i)
			want[k] = i
		case 1:
			x.set(edit, 8000+instant(i), i) // behind all others, where versions share arrays
			want[8000+instant(i)] = i
		default:
			_, had := want[k]
			at := owned(&x, edit, k)
			require.Equal(t, had, at != nil)
			if had {
				*at, want[k] = -i, -i
			}
		}
		if i%1000 == 0 {
			kept, edit = append(kept, version{x, cloneMap(want)}), edit.next()
		}
	}
	for _, v := range append(kept, version{x, want}) {
		require.NoError(t, v.tree.verify())
		require.Equal(t, len(v.want), v.tree.len())
		v.tree.all(func(keys []instant, vals []int) bool {
			for i, k := range keys {
				require.Equal(t, v.want[k], vals[i])
			}
			return true
		})
	}
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
	edit := newToken()
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
		edit := newToken()
		want := map[int]int{}
		var kept []version
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			i := rapid.SampledFrom([]int{0, 1, 15, 16, 17, 223, 224, 225, 14335, 14336, 70000}).Draw(t, "i")
			if rapid.Bool().Draw(t, "near") {
				i += rapid.IntRange(0, 40).Draw(t, "by")
			}
			if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
				kept = append(kept, version{v, cloneMap(want)})
				edit = newToken()
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
