package timeline

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func zone(t testing.TB, name string) *Zone {
	t.Helper()
	z, err := LoadZone(name)
	require.NoError(t, err, name)
	return z
}

func utc(t testing.TB, s string) int64 {
	t.Helper()
	ms, fault := ParseInstant(s)
	require.Empty(t, fault, s)
	return ms
}

func zoneNames() []string {
	var names []string
	for name := range zoneFiles() {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// distinctZones leaves out the names whose data another name has already.
func distinctZones(t testing.TB) []*Zone {
	t.Helper()
	seen := map[[32]byte]bool{}
	var out []*Zone
	for _, name := range zoneNames() {
		f, err := zoneFiles()[name].OpenRaw()
		require.NoError(t, err)
		data := make([]byte, zoneFiles()[name].UncompressedSize64)
		_, err = f.Read(data)
		require.NoError(t, err)
		if sum := sha256.Sum256(data); !seen[sum] {
			seen[sum] = true
			out = append(out, zone(t, name))
		}
	}
	return out
}

func TestZoneArchiveIsTheStatedVersion(t *testing.T) {
	data, err := os.ReadFile("zonedata/zoneinfo.zip")
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	require.Equal(t, "8f55634d05f8bca1f7bc7c69c5933428c69357e0bdf565e5ba224e3f88ff12e8", hex.EncodeToString(sum[:]),
		"the archive changed: change ZoneDataVersion, its README and this digest with it")
	require.Equal(t, "2025c", ZoneDataVersion())
	readme, err := os.ReadFile("zonedata/README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), "version "+ZoneDataVersion())
}

func TestLoadZoneAcceptsTheArchiveAlone(t *testing.T) {
	names := zoneNames()
	require.Len(t, names, 598)
	for _, name := range names {
		z, err := LoadZone(name)
		require.NoError(t, err, name)
		require.Equal(t, name, z.Name())
	}
	for _, name := range []string{"UTC", "GMT", "Etc/GMT+5", "Etc/GMT-14", "Etc/UTC", "US/Pacific", "Asia/Calcutta",
		"Europe/Kyiv", "Europe/Kiev", "EST5EDT"} {
		require.True(t, slices.Contains(names, name), name)
	}
	for _, name := range []string{
		"", "Local", "local", "localtime", "posixrules", "posix/Europe/Helsinki", "right/UTC", "utc", "europe/helsinki",
		"Europe/helsinki", "EUROPE/HELSINKI",
		"Europe", "Europe/", "/Europe/Helsinki", "./UTC", "../zoneinfo/UTC", "Europe/../UTC", "Europe//Helsinki",
		"/usr/share/zoneinfo/UTC", "UTC ", " UTC",
		"UTC\x00", "Etc/GMT+15", "UTC+1", "+02:00", "Mars/Olympus", strings.Repeat("A", 1<<16),
	} {
		_, err := LoadZone(name)
		require.ErrorIs(t, err, ErrUnknownZone, "%.40q", name)
	}
}

func TestLoadZoneConcurrently(t *testing.T) {
	names := []string{"Europe/Lisbon", "Asia/Tokyo", "America/Bogota", "Africa/Cairo"}
	got := make([][]*Zone, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			for _, name := range names {
				z, err := LoadZone(name)
				if err != nil {
					panic(err)
				}
				got[i] = append(got[i], z)
			}
		})
	}
	wg.Wait()
	for i := range got {
		require.Equal(t, got[0], got[i])
		for j := range names {
			require.Same(t, got[0][j], got[i][j])
		}
	}
}

func TestZoneIgnoresTheMachine(t *testing.T) {
	t.Setenv("ZONEINFO", t.TempDir())
	t.Setenv("TZ", "Asia/Tokyo")
	z := zone(t, "Antarctica/Troll")
	noon := utc(t, "2025-07-01T12:00:00Z")
	require.Equal(t, noon+2*Hour, z.local(noon))
}

// slowZone is the twin of Zone.instant: it looks at the zone's clock at every candidate in turn and never asks for
// transitions. Changes of offset are found by looking twice a day and then halving; no zone changes twice within a day,
// which TestErasAreLong holds.
type slowZone struct {
	z *Zone
	// changes has every instant at which the offset changes, with the offsets before and after, ascending.
	changes []slowChange
}

type slowChange struct{ at, before, after int64 }

func (z *Zone) slowOffset(t int64) int64 {
	_, offset := time.UnixMilli(t).In(z.loc).Zone()
	return int64(offset) * Second
}

func newSlowZone(z *Zone, from, to int64) slowZone {
	const step = 12 * Hour
	s := slowZone{z: z}
	before := z.slowOffset(from)
	for t := from + step; t <= to; t += step {
		after := z.slowOffset(t)
		if after == before {
			continue
		}
		low, high := t-step, t
		for high-low > Second {
			if mid := (low + high) / 2 / Second * Second; z.slowOffset(mid) == before {
				low = mid
			} else {
				high = mid
			}
		}
		s.changes = append(s.changes, slowChange{at: high, before: before, after: after})
		before = after
	}
	return s
}

func (s slowZone) instant(wall int64) int64 {
	offsets := []int64{s.z.slowOffset(wall - maxShift), s.z.slowOffset(wall + maxShift)}
	for _, c := range s.changes {
		if c.at > wall-maxShift && c.at < wall+maxShift {
			offsets = append(offsets, c.before, c.after)
		}
	}
	found, best := false, int64(0)
	for _, offset := range offsets {
		if t := wall - offset; s.z.slowOffset(t) == offset && (!found || t < best) {
			found, best = true, t
		}
	}
	if found {
		return best
	}
	for _, c := range s.changes {
		if gapStart, gapEnd := c.at+c.before, c.at+c.after; gapStart <= wall && wall < gapEnd {
			return wall + (gapEnd - gapStart) - c.after
		}
	}
	panic("a wall clock that is nowhere")
}

func (s slowZone) addMonths(t int64, n int) int64 {
	local := time.UnixMilli(s.z.slowOffset(t) + t).UTC()
	first := time.Date(local.Year(), local.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	day := local.Day()
	for first.AddDate(0, 0, day-1).Month() != first.Month() {
		day--
	}
	wall := time.Date(first.Year(), first.Month(), day, local.Hour(), local.Minute(), local.Second(),
		local.Nanosecond(), time.UTC)
	return s.instant(wall.UnixMilli())
}

func (s slowZone) addDays(t int64, n int) int64 {
	return s.instant(time.UnixMilli(s.z.slowOffset(t)+t).UTC().AddDate(0, 0, n).UnixMilli())
}

// TestZonesAgainstTwin walks every zone of the archive: both edges of every change of its clock, and every month's end,
// from either side.
func TestZonesAgainstTwin(t *testing.T) {
	from, to := utc(t, "1971-03-01T00:00:00Z"), utc(t, "2040-01-01T00:00:00Z")
	if testing.Short() {
		from = utc(t, "2005-01-01T00:00:00Z")
	}
	zones := distinctZones(t)
	require.Greater(t, len(zones), 300)
	var wg sync.WaitGroup
	next := make(chan *Zone)
	var mu sync.Mutex
	faults := 0
	check := func(want, got int64, z *Zone, what string, at int64, n int) {
		if want == got {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if faults++; faults < 20 {
			t.Errorf("%s: %s of %s by %d: got %s, want %s", z.name, what, AppendInstant(nil, at), n,
				AppendInstant(nil, got), AppendInstant(nil, want))
		}
	}
	for range 2 {
		wg.Go(func() {
			for z := range next {
				slow := newSlowZone(z, from-400*dayMs, to+400*dayMs)
				at := []int64{}
				for _, c := range slow.changes {
					if c.at < from || c.at > to {
						continue
					}
					for _, d := range []int64{-25 * Hour, -24 * Hour, -2 * Hour, -Hour, -30 * Minute, -1, 0, 1,
						29 * Minute, Hour, 90 * Minute, 24 * Hour} {
						at = append(at, c.at+d)
						wall := c.at + d + c.before
						check(slow.instant(wall), first(z.instant(wall)), z, "wall clock", wall, 0)
					}
				}
				for _, t := range at {
					for _, n := range []int{-31, -7, -1, 1, 2, 7} {
						check(slow.addDays(t, n), AddSteps(z, t, int64(n), Days), z, "days", t, n)
					}
					check(slow.addDays(t, -14), AddSteps(z, t, -2, Weeks), z, "weeks", t, -2)
					for _, n := range []int{-12, -1, 1, 6} {
						check(slow.addMonths(t, n), AddSteps(z, t, int64(n), Months), z, "months", t, n)
					}
				}
				for year := 1972; year < 2039; year++ {
					if testing.Short() && year < 2006 {
						continue
					}
					for month := time.January; month <= time.December; month++ {
						wall := time.Date(year, month+1, 0, 2, 30, 0, 0, time.UTC).UnixMilli()
						t := slow.instant(wall)
						check(slow.addMonths(t, 1), AddSteps(z, t, 1, Months), z, "months", t, 1)
						check(slow.addMonths(t, -1), AddSteps(z, t, -1, Months), z, "months", t, -1)
						check(slow.addMonths(t, 12), AddSteps(z, t, 1, Years), z, "years", t, 1)
						check(slow.addDays(t, 1), AddSteps(z, t, 1, Days), z, "days", t, 1)
					}
				}
			}
		})
	}
	for _, z := range zones {
		next <- z
	}
	close(next)
	wg.Wait()
	require.Zero(t, faults)
}

// TestErasAreLong holds what the twin relies on, and that no zone jumps further than maxShift.
func TestErasAreLong(t *testing.T) {
	for _, z := range distinctZones(t) {
		since := int64(0)
		for e := z.readEra(0); e.end < utc(t, "2041-01-01T00:00:00Z"); {
			next := z.readEra(e.end)
			require.Equal(t, z.slowOffset(e.end), next.offset)
			require.Equal(t, z.slowOffset(e.end-1), e.offset)
			require.Greater(t, next.end, e.end)
			require.Equal(t, next.offset, z.era(e.end).offset)
			require.Equal(t, e.offset, z.era(e.end-1).offset)
			if next.offset != e.offset {
				require.GreaterOrEqual(t, e.end-since, 24*Hour, "%s at %s", z.name, AppendInstant(nil, e.end))
				require.Less(t, max(next.offset-e.offset, e.offset-next.offset), maxShift)
				since = e.end
			}
			e = next
		}
	}
}

// TestZonesFarAhead looks at what lies behind the table, over a whole cycle of the calendar.
func TestZonesFarAhead(t *testing.T) {
	for _, name := range []string{"Europe/Helsinki", "America/New_York", "Australia/Lord_Howe", "Asia/Gaza",
		"America/Scoresbysund", "Asia/Kathmandu", "Africa/Casablanca"} {
		z := zone(t, name)
		for at := tableEnd - 2*dayMs; at < tableEnd+401*366*dayMs; at += 5*dayMs + 7*Hour {
			if z.local(at) != at+z.slowOffset(at) {
				t.Fatalf("%s: another clock at %s", name, AppendInstant(nil, at))
			}
			if back := first(z.instant(z.local(at))); z.local(back) != z.local(at) || back > at {
				t.Fatalf("%s: %s comes back as %s", name, AppendInstant(nil, at), AppendInstant(nil, back))
			}
		}
	}
	z := zone(t, "Europe/Helsinki") // across the table's end
	require.Equal(t, utc(t, "2100-01-01T10:00:00+02:00"), AddSteps(z, utc(t, "2099-12-31T10:00:00+02:00"), 1, Days))
	require.Equal(t, utc(t, "2099-07-31T10:00:00+03:00"), AddSteps(z, utc(t, "2100-01-31T10:00:00+02:00"), -6, Months))
	require.Equal(t, utc(t, "2400-03-31T10:00:00+03:00"), AddSteps(z, utc(t, "2400-03-25T10:00:00+02:00"), 6, Days))
}

func first(t int64, _ bool, _ int64) int64 { return t }
