package timeline

// This file owns time zones: the embedded archive, the names it knows, and the step from a local wall clock to an
// instant.

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"errors"
	"io"
	"sync"
	"time"
)

//go:embed zonedata/zoneinfo.zip
var zoneArchive []byte

// zoneDataVersion is the release of the time zone database in zonedata/zoneinfo.zip.
const zoneDataVersion = "2025c"

// ZoneDataVersion is the release of the embedded time zone database, like "2025c".
func ZoneDataVersion() string { return zoneDataVersion }

// ErrUnknownZone says that a name is not in the embedded zone archive.
var ErrUnknownZone = errors.New("unknown time zone")

// Zone is a time zone of the embedded archive. It is immutable and safe for concurrent use; one name always gives the
// same pointer.
type Zone struct {
	name string
	loc  *time.Location

	// The eras from MinInstant to tableEnd, neighbours of equal offset joined: ascending starts, and the offset from
	// each on. Later instants ask loc.
	starts  []int64
	offsets []int64
}

// tableEnd is 2100-01-01T00:00:00Z: beyond what most merchants plan, and four kilobytes a zone.
const tableEnd = int64(4102444800000)

// Name is the IANA name the zone was loaded by; an alias stays the alias.
func (z *Zone) Name() string { return z.name }

var zones = struct {
	sync.RWMutex
	loaded map[string]*Zone
}{loaded: map[string]*Zone{}}

// zoneFiles is the archive's directory. A damaged archive is a broken build, hence the panic.
var zoneFiles = sync.OnceValue(func() map[string]*zip.File {
	r, err := zip.NewReader(bytes.NewReader(zoneArchive), int64(len(zoneArchive)))
	if err != nil {
		panic("timeline: embedded zone archive: " + err.Error())
	}
	files := make(map[string]*zip.File, len(r.File))
	for _, f := range r.File {
		files[f.Name] = f
	}
	return files
})

// LoadZone returns the zone of exactly this IANA name, or ErrUnknownZone. Only the embedded archive is asked, by its
// own names: no file of the machine, no "Local", no empty name, no other case. The first use of a name reads about 1
// KiB; later ones are a map look-up. Safe for concurrent use.
func LoadZone(name string) (*Zone, error) {
	zones.RLock()
	z := zones.loaded[name]
	zones.RUnlock()
	if z != nil {
		return z, nil
	}
	f := zoneFiles()[name]
	if f == nil {
		return nil, ErrUnknownZone
	}
	loc, err := readZone(f)
	if err != nil {
		panic("timeline: embedded zone " + name + ": " + err.Error())
	}
	zones.Lock()
	defer zones.Unlock()
	if z = zones.loaded[name]; z == nil {
		z = &Zone{name: name, loc: loc}
		z.tabulate()
		zones.loaded[name] = z
	}
	return z, nil
}

func (z *Zone) tabulate() {
	for t := MinInstant; t < tableEnd; {
		e := z.readEra(t)
		if n := len(z.offsets); n == 0 || z.offsets[n-1] != e.offset {
			z.starts = append(z.starts, t)
			z.offsets = append(z.offsets, e.offset)
		}
		t = e.end
	}
}

func readZone(f *zip.File) (*time.Location, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(f.Name, data)
}

// era is a stretch of a zone with one offset from UTC, in milliseconds: local = instant + offset, up to end.
type era struct{ offset, end int64 }

// era returns the stretch around instant t.
func (z *Zone) era(t int64) era {
	if t < MinInstant || t >= tableEnd {
		return z.readEra(t)
	}
	// The last start that is not after t.
	i, j := 0, len(z.starts)
	for i < j-1 {
		if m := (i + j) / 2; z.starts[m] <= t {
			i = m
		} else {
			j = m
		}
	}
	e := era{offset: z.offsets[i], end: tableEnd}
	if i+1 < len(z.starts) {
		e.end = z.starts[i+1]
	}
	return e
}

// readEra asks the zone's data for the stretch around instant t, as seen from t on. Neighbours may have equal offsets,
// as the archive also records changes of name alone and a rule is followed year by year.
//
// Of what ZoneBounds says only the end is used. Its start can lie before the last change that the archive lists
// (Winamac, March 2007), and its end before t itself, on the last day of a leap year, as a rule's year is taken for 365
// days.
func (z *Zone) readEra(t int64) era {
	at := time.UnixMilli(t).In(z.loc)
	_, offset := at.Zone()
	e := era{offset: int64(offset) * Second, end: Forever}
	if _, end := at.ZoneBounds(); !end.IsZero() {
		e.end = end.UnixMilli()
	}
	if e.end <= t {
		day, _ := floorDiv(t, dayMs)
		e.end = (day + 1) * dayMs
	}
	return e
}

// local is the wall clock at instant t, as milliseconds since 1970-01-01T00:00 of that clock.
func (z *Zone) local(t int64) int64 { return t + z.era(t).offset }

// Spread is how far the offsets of the zone from one instant to another are apart at most.
func (z *Zone) Spread(from, to int64) int64 {
	e := z.era(from)
	least, most := e.offset, e.offset
	for e.end <= to {
		e = z.era(e.end)
		least, most = min(least, e.offset), max(most, e.offset)
	}
	return most - least
}

// maxShift is more than any zone is ever away from UTC, and more than any zone ever jumps.
const maxShift = 27 * Hour

// instant turns a wall clock into the instant at which it is shown. A wall clock shown twice gives its first instant.
// One that is never shown is moved later by the gap it falls into, which is to read it with the offset in force before
// the gap; exists is false then and jump is the instant of the gap.
//
// time.Date is not used: in a gap it goes back in zones west of Greenwich and forward east of it.
func (z *Zone) instant(wall int64) (t int64, exists bool, jump int64) {
	e := z.era(wall - maxShift)
	for {
		t = wall - e.offset
		if t < e.end {
			return t, true, t
		}
		next := z.era(e.end)
		if wall-next.offset < e.end {
			return t, false, e.end
		}
		e = next
	}
}
