package table

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// This file owns the test of Table against plain maps: what a published copy says never changes.

type row struct {
	id   ID
	no   uint32
	tags []string
}

func idOf(n uint32) (id ID) {
	binary.BigEndian.PutUint32(id[:], n)
	return id
}

// number is how many tags a row has: a key that each row has one of.
func number(r *row) string { return strconv.Itoa(len(r.tags)) }

type twin map[ID]*row

func (w twin) by(tag string) (ids []ID) {
	for id, r := range w {
		if slices.Contains(r.tags, tag) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b ID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

func check(t require.TestingT, tab *Table[row], w twin) {
	require.Equal(t, len(w), tab.Len())
	i := 0
	var last ID
	for r := range tab.All() {
		require.Same(t, w[r.id], r)
		require.Same(t, r, tab.Get(r.id))
		require.Same(t, r, tab.No(r.no))
		require.Same(t, r, tab.At(i))
		require.True(t, i == 0 || slices.Compare(last[:], r.id[:]) < 0)
		last, i = r.id, i+1
	}
	for _, tag := range []string{"a", "b", ""} {
		var ids []ID
		for r := range tab.By(0, tag) {
			ids = append(ids, r.id)
		}
		require.Equal(t, w.by(tag), ids)
	}
	for _, prefix := range []string{"a", "ab", ""} {
		var ids, want []ID
		for r := range tab.All() {
			for _, tag := range []string{"a", "b"} {
				if slices.Contains(r.tags, tag) && strings.HasPrefix(tag, prefix) {
					want = append(want, r.id)
				}
			}
		}
		for id := range tab.Prefix(0, prefix) {
			ids = append(ids, id)
		}
		require.ElementsMatch(t, want, ids)
		require.Equal(t, len(want), tab.CountPrefix(0, prefix))
	}
	for _, keys := range [][]string{{"0"}, {"2", "1"}, {"0", "1", "2", "none"}, {"none"}, {}} {
		var all []*row
		for r := range tab.All() {
			if slices.Contains(keys, number(r)) {
				all = append(all, r)
			}
		}
		for _, desc := range []bool{false, true} {
			for _, offset := range []int{0, 1, len(all) / 2, len(all) - 1, len(all), len(all) + 1} {
				page, total := tab.Page(1, keys, max(offset, 0), 3, desc)
				require.Equal(t, len(all), total)
				from := min(max(offset, 0), len(all))
				require.Equal(t, append([]*row{}, all[from:min(from+3, len(all))]...), append([]*row{}, page...))
			}
			slices.Reverse(all)
		}
	}
}

func TestTableAgainstMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := New(func(r *row) ID {
			return r.id
		}, By(func(r *row) []string { return r.tags }), By(func(r *row) []string { return []string{number(r)} }),
			Numbered(func(r *row) uint32 { return r.no }))
		now := twin{}
		type version struct {
			tab *Table[row]
			w   twin
		}
		var versions []version
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			n := rapid.Uint32Range(1, 300).Draw(t, "row")
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				tab.Delete(idOf(n))
				delete(now, idOf(n))
				require.Nil(t, tab.Get(idOf(n)))
			case 1:
				w := twin{}
				for id, r := range now {
					w[id] = r
				}
				versions = append(versions, version{tab.Publish(), w})
			default:
				r := &row{idOf(n), n * 50_000,
					rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b"}), 0, 2, rapid.ID).Draw(t, "tags")}
				require.Same(t, now[r.id], tab.Put(r))
				now[r.id] = r
			}
			check(t, tab, now)
		}
		for _, v := range versions {
			check(t, v.tab, v.w)
		}
	})
}

func TestScratchWritesNothingToItsTable(t *testing.T) {
	tab := New(func(r *row) ID {
		return r.id
	}, By(func(r *row) []string { return r.tags }), Numbered(func(r *row) uint32 { return r.no }))
	for no := uint32(1); no < 200; no++ {
		tab.Put(&row{idOf(no), no, []string{"a"}})
	}
	published := tab.Publish()
	was := published.Get(idOf(70))
	one, other := published.Scratch(), published.Scratch()
	mine := &row{idOf(70), 70, []string{"a"}}
	require.Same(t, was, one.Put(mine))
	again := &row{idOf(70), 70, []string{"a"}}
	require.Same(t, mine, one.Put(again))
	require.Same(t, again, one.Get(idOf(70)))
	require.Same(t, again, one.No(70))
	require.Contains(t, slices.Collect(one.By(0, "a")), again)
	require.Same(t, published.No(71), one.No(71))
	for _, same := range []*Table[row]{tab, published, other} {
		require.Same(t, was, same.Get(idOf(70)))
		require.Same(t, was, same.No(70))
	}
}

func TestAnOldVersionKeepsWhatIsGoneWhenTheTableGrows(t *testing.T) {
	tab := New(func(r *row) ID { return r.id }, Numbered(func(r *row) uint32 { return r.no }))
	tab.Put(&row{id: idOf(1), no: 1})
	old := tab.Publish()
	tab.Delete(idOf(1))
	for no := uint32(2); no < 200; no++ {
		tab.Put(&row{id: idOf(no), no: no})
	}
	require.NotNil(t, old.Get(idOf(1)))
	require.Nil(t, tab.Get(idOf(1)))
}

func TestABlockForgetsWhatWasDerivedOfItWhenARowChanges(t *testing.T) {
	tab := New(func(r *row) ID { return r.id }, Numbered(func(r *row) uint32 { return r.no }))
	for no := uint32(1); no <= 200; no++ {
		tab.Put(&row{id: idOf(no), no: no})
	}
	old := tab.Publish()
	for i := range 4 {
		old.Block(i).Memo.Store("derived", i)
	}
	changed := &row{id: idOf(70), no: 70}
	tab.Put(changed)
	require.Same(t, changed, tab.Block(1).Rows[70%64])
	require.NotSame(t, changed, old.Block(1).Rows[70%64])
	for i := range 4 {
		require.Equal(t, i != 1, tab.Block(i).Memo.Load("derived") == i)
		require.Equal(t, i, old.Block(i).Memo.Load("derived"))
	}
	require.Nil(t, tab.Block(4).Rows)
	tab.Block(1).Memo.Store("derived", 1)
	tab.Delete(idOf(71)) // the writer's own block, changed in place
	require.Nil(t, tab.Block(1).Memo.Load("derived"))
}

// The sum of what blocks have is that of all rows, in each version, whatever was asked for before; and a stretch has
// what is made of each of its blocks.
func TestSumAgainstRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := New(func(r *row) ID { return r.id }, Numbered(func(r *row) uint32 { return r.no }))
		numbers := rapid.SampledFrom([]uint32{1, 2, 63, 64, 65, 4095, 4096, 8191, 262_143, 262_144, 300_000})
		check := func(tab *Table[row]) {
			want := 0
			for r := range tab.All() {
				want += len(r.tags)
			}
			got := Sum(tab, "sum", func(b Block[row]) (n int) {
				for _, r := range b.Rows {
					if r != nil {
						n += len(r.tags)
					}
				}
				return n
			}, func(a, b int) int { return a + b })
			require.Equal(t, want, got)
			for i := range 300_000/4096 + 2 {
				rows := Stretch(tab, i, "rows", func(blocks *[64]Block[row]) (rows [64]*[64]*row) {
					for k, b := range blocks {
						if b.Rows != nil {
							rows[k] = new(*b.Rows)
						}
					}
					return rows
				})
				for k := range 64 {
					if b := tab.Block(64*i + k); b.Rows == nil {
						require.Nil(t, rows[k])
					} else {
						require.Equal(t, *b.Rows, *rows[k])
					}
				}
			}
		}
		versions := []*Table[row]{tab}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			no := numbers.Draw(t, "no")
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0, 1:
				tab.Put(&row{id: idOf(no), no: no, tags: make([]string, rapid.IntRange(1, 9).Draw(t, "tags"))})
			case 2:
				tab.Delete(idOf(no))
			case 3:
				versions = append(versions, tab.Publish())
			case 4:
				check(rapid.SampledFrom(versions).Draw(t, "version"))
			}
		}
		for _, v := range versions {
			check(v)
		}
	})
}

func TestTablesWithoutRowsShareWhatTheyHave(t *testing.T) {
	none := New(func(r *row) ID { return r.id }, Numbered(func(r *row) uint32 { return r.no }))
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { none.Like().Publish() }), 2.0)

	one, other := none.Like(), none.Like()
	published := one.Publish()
	one.Put(&row{id: idOf(1), no: 1})
	filled := one.Publish().Like()
	published.Publish().Put(&row{id: idOf(2), no: 2}) // a copy of an account is written to where it is thrown away
	for _, x := range []*Table[row]{none, other, published, filled} {
		require.Zero(t, x.Len())
		require.Nil(t, x.Get(idOf(1)))
		require.Nil(t, x.No(2))
		require.Nil(t, x.Delete(idOf(2)))
	}
	require.Equal(t, uint32(1), one.Get(idOf(1)).no)
}

func TestMemoWithManyGoroutines(t *testing.T) {
	m := new(Memo)
	var workers sync.WaitGroup
	for i := range 8 {
		workers.Go(func() {
			for n := range 50 {
				if m.Load(n) == nil {
					m.Store(n, n)
				}
				m.Store([2]int{i, n}, i*n)
			}
		})
	}
	workers.Wait()
	for i := range 8 {
		for n := range 50 {
			require.Equal(t, n, m.Load(n))
			require.Equal(t, i*n, m.Load([2]int{i, n}))
		}
	}
	require.Nil(t, m.Load(50))
}

func TestReadersOfOldVersionsWhileTheWriterGoesOn(t *testing.T) {
	tab := New(func(r *row) ID { return r.id }, Numbered(func(r *row) uint32 { return r.no }))
	const most = 20_000
	done := make(chan bool)
	versions := make(chan *Table[row], 64)
	go func() {
		defer close(done)
		for v := range versions {
			n := uint32(v.Len())
			for _, no := range []uint32{1, n / 2, n, n + 1} {
				if got := v.Get(idOf(no)); (got != nil) != (no >= 1 && no <= n) || got != nil && got.no != no {
					t.Errorf("row %d of a version of %d: %v", no, n, got)
				}
			}
		}
	}()
	for no := uint32(1); no <= most; no++ {
		tab.Put(&row{id: idOf(no), no: no})
		if no%97 == 0 {
			versions <- tab.Publish()
		}
	}
	close(versions)
	<-done
}
