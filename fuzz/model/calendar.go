package model

import (
	"archive/zip"
	"io"
	"sync"
	"time"

	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns calendar steps, the slow way: the instant of a wall clock is found by looking at every quarter of an
// hour. Right for zones whose clocks change at quarters, which all do today.

const (
	quarter = 15 * 60 * 1000
	dayMs   = 24 * 60 * 60 * 1000
)

// zoneArchive is the archive that the timeline embeds, seen from a package two folders below the root.
const zoneArchive = "../../timeline/zonedata/zoneinfo.zip"

var zones sync.Map

func zone(name string) *time.Location {
	if l, ok := zones.Load(name); ok {
		return l.(*time.Location)
	}
	l := must(readZone(name))
	zones.Store(name, l)
	return l
}

func readZone(name string) (*time.Location, error) {
	z, err := zip.OpenReader(zoneArchive)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	f, err := z.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(name, data)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// wall is what the zone's clock shows at t, as milliseconds since 1970-01-01 00:00 of that clock.
func wall(z string, t int64) int64 {
	_, offset := time.UnixMilli(t).In(zone(z)).Zone()
	return t + int64(offset)*1000
}

// instant is the first instant at which the clock shows w; where it never does, as much later as the gap is long.
func instant(z string, w int64) int64 {
	from := (w/quarter - 27*4) * quarter
	for t := from; t < from+54*4*quarter; t += quarter {
		if shown := wall(z, t); shown <= w && w < shown+quarter {
			return t + w - shown
		}
	}
	for t := from; ; t += quarter {
		if wall(z, t) > w {
			_, offset := time.UnixMilli(t - 1).In(zone(z)).Zone()
			return w - int64(offset)*1000
		}
	}
}

// addSteps is t and n units, forwards or back.
func addSteps(z string, t, n int64, unit timeline.Unit) int64 {
	if n == 0 || t == Forever {
		return t
	}
	switch unit {
	case timeline.Seconds:
		return t + n*1000
	case timeline.Minutes:
		return t + n*60*1000
	case timeline.Hours:
		return t + n*60*60*1000
	}
	w := time.UnixMilli(wall(z, t)).UTC()
	switch unit {
	case timeline.Days:
		w = w.AddDate(0, 0, int(n))
	case timeline.Weeks:
		w = w.AddDate(0, 0, 7*int(n))
	case timeline.Months:
		w = addMonths(w, int(n))
	case timeline.Years:
		w = addMonths(w, 12*int(n))
	}
	return instant(z, w.UnixMilli())
}

// addMonths keeps the day of the month where the month has it, else takes its last.
func addMonths(w time.Time, n int) time.Time {
	m := time.Date(w.Year(), w.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	day := min(w.Day(), m.AddDate(0, 1, -1).Day())
	return m.AddDate(0, 0, day-1).
		Add(time.Duration(w.UnixMilli()-w.Truncate(24*time.Hour).UnixMilli()) * time.Millisecond)
}

// Hull is the range that a booking takes with its buffers: the one before is cut to the instant of the command.
func Hull(body Span, before, after stock.Buffer, z string, now int64) Span {
	start := addSteps(z, body.Start, -before.Amount, before.Unit)
	start = max(start, min(body.Start, now))
	return Span{Start: min(start, body.Start), End: max(addSteps(z, body.End, after.Amount, after.Unit), body.End)}
}

// dayEdges cuts a window at the first instant of every local date.
func dayEdges(z string, w Span) []int64 {
	edges := []int64{w.Start}
	date := func(t int64) int64 { return floorDay(wall(z, t)) }
	latest := date(w.Start)
	for t := (w.Start/quarter + 1) * quarter; t < w.End; t += quarter {
		if d := date(t); d > latest {
			latest, edges = d, append(edges, t)
		}
	}
	return append(edges, w.End)
}

func floorDay(w int64) int64 {
	if w < 0 {
		return (w - dayMs + 1) / dayMs
	}
	return w / dayMs
}

// hourEdges cuts a window at every full hour of the local clock, and where that clock is changed.
func hourEdges(z string, w Span) []int64 {
	edges := []int64{w.Start}
	for t := (w.Start/quarter + 1) * quarter; t < w.End; t += quarter {
		if wall(z, t)%(4*quarter) == 0 || wall(z, t)-wall(z, t-1) != 1 {
			edges = append(edges, t)
		}
	}
	return append(edges, w.End)
}
