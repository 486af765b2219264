package timeline

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// This file owns the tests of the sections of a ByID and of what readers note of them.

type numberedRow struct{ id, v uint64 }

func idNumbered(n uint64) (id ID) { binary.BigEndian.PutUint64(id[8:], n); return id }

func numberOfID(id ID) uint64 { return binary.BigEndian.Uint64(id[8:]) }

// readSections goes through all sections, forward or backward, demands that what is noted of one is what is in it,
// notes it, and returns all rows in the order of their ids, and how many sections had a note.
func readSections(t require.TestingT, m *ByID[uint64], backward bool) (all []numberedRow, noted int) {
	var sections [][]numberedRow
	for s := range m.Sections(backward) {
		var rows []numberedRow
		for id, v := range s.All() {
			rows = append(rows, numberedRow{numberOfID(id), *v})
		}
		if memo := s.Memo(); memo != nil {
			noted++
			if !slices.Equal(rows, memo.([]numberedRow)) {
				require.Equal(t, rows, memo)
			}
		}
		s.Note(rows)
		if s.Len() != len(rows) {
			require.Len(t, rows, s.Len())
		}
		for i := 0; i < len(rows); i += 37 {
			id, v := s.At(i)
			require.Equal(t, rows[i], numberedRow{numberOfID(id), *v})
		}
		sections = append(sections, rows)
	}
	if backward {
		slices.Reverse(sections)
	}
	return slices.Concat(sections...), noted
}

func TestWhatIsNotedOfRowsIsOfJustThese(t *testing.T) {
	noted := 0
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			rows *ByID[uint64]
			want map[uint64]uint64
		}
		m, want, next := NewByID[uint64](), map[uint64]uint64{}, uint64(0)
		put := func(n uint64) {
			next++
			m.Put(idNumbered(n), next)
			want[n] = next
		}
		var kept []version
		for range rapid.IntRange(1, 25).Draw(t, "bursts") {
			from := rapid.Uint64Range(0, 9000).Draw(t, "from")
			n := rapid.SampledFrom([]uint64{1, 2, 64, 65, 700, 5000}).Draw(t, "n")
			bursts := []string{"up", "behind", "mixed", "drop", "thin", "publish", "read", "read"}
			switch rapid.SampledFrom(bursts).Draw(t, "burst") {
			case "up":
				for i := range n {
					put(from + i)
				}
			case "behind":
				for range min(n, 100) {
					put(20_000 + next)
				}
			case "mixed":
				for i := range n {
					put((from + i*7919) % 9001)
				}
			case "drop":
				for i := range n {
					m.Delete(idNumbered(from + i))
					delete(want, from+i)
				}
			case "thin":
				for i := range n {
					m.Delete(idNumbered((from + i*7919) % 9001))
					delete(want, (from+i*7919)%9001)
				}
			case "publish":
				kept = append(kept, version{m.Publish(), cloneMap(want)})
			case "read": // the owner's, too, which it goes on changing
				readSections(t, m, false)
				if len(kept) > 0 {
					readSections(t, kept[int(from)%len(kept)].rows, true)
				}
			}
		}
		kept = append(kept, version{m, want})
		for i, v := range kept {
			all, n := readSections(t, v.rows, i%2 == 0)
			noted += n
			require.Len(t, all, len(v.want))
			require.True(t, slices.IsSortedFunc(all, func(a, b numberedRow) int { return int(a.id) - int(b.id) }))
			for _, r := range all {
				if v.want[r.id] != r.v {
					t.Fatalf("%d at %d, want %d", r.v, r.id, v.want[r.id])
				}
			}
		}
	})
	if !testing.Short() { // a fifth of the runs may read fewer
		require.Greater(t, noted, 50, "notes were read")
	}
}

// TestNotesBesideTheWriter has readers note what they read of versions while the owner goes on; the race detector
// looks on.
func TestNotesBesideTheWriter(t *testing.T) {
	m := NewByID[uint64]()
	var work sync.WaitGroup
	versions := make(chan *ByID[uint64], 8)
	for i := range 3 {
		work.Go(func() {
			for v := range versions {
				readSections(t, v, i == 0)
			}
		})
	}
	dice := rand.New(rand.NewPCG(1, 2))
	for next := uint64(0); next < 12_000; next++ {
		switch dice.IntN(3) {
		case 0:
			m.Put(idNumbered(uint64(dice.IntN(int(next)+1))), next)
		case 1:
			m.Delete(idNumbered(uint64(dice.IntN(int(next) + 1))))
		}
		m.Put(idNumbered(next), next)
		if next%100 == 0 {
			v := m.Publish()
			versions <- v
			versions <- v
		}
	}
	close(versions)
	work.Wait()
}
