package persist

// This file owns taking a restored store further than its archive goes, by segments of the log after it.

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"
)

// SegmentFile is a segment that Restore may read. Its name is for errors.
type SegmentFile struct {
	Name string
	Open func(context.Context) (io.ReadCloser, error)
}

// Past says whether a place in the log lies after the point.
func (p Point) Past(r Position) bool {
	switch p.kind {
	case 's':
		return r.Seq > p.seq
	case 'i':
		return r.At > p.at
	}
	return false
}

// further appends the records of segments up to the point to the log of a
// restored store and folds them. Each is checked on its own and as the one that
// follows. It returns how far the log goes then, and the form that it has there.
type further struct {
	db   *pebble.DB
	at   Point
	m    Marker
	end  Position
	fold fold
	size int
	// How many bytes of log are appended and folded in one batch, at least.
	batch int
}

const furtherBatch = 8 << 20

func goFurther(ctx context.Context, db *pebble.DB, x extent, in form, o RestoreOptions) (extent, form, error) {
	g := further{db: db, at: o.At, m: x.marker, end: x.marker.Position, batch: o.batch}
	if g.batch == 0 {
		g.batch = furtherBatch
	}
	// Between marker and end, records are in the log and not in the rows yet.
	_, err := walkLog(db, x.marker.Position, x.last, decodeRecord, true, func(r Record) error { return g.add(r) })
	if err != nil {
		return x, in, err
	}
	for i := 0; err == nil && i < len(o.Segments); i++ {
		if err = ctx.Err(); err == nil {
			in, err = g.file(ctx, o.Segments[i], in)
		}
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err == nil {
		err = g.flush()
	}
	return extent{marker: g.m, last: g.end.Seq}, in, err
}

// file appends the records of one segment.
func (g *further) file(ctx context.Context, s SegmentFile, in form) (form, error) {
	r, err := s.Open(ctx)
	if err != nil {
		return in, fmt.Errorf("%s: %w", s.Name, err)
	}
	defer r.Close()
	found, err := readSegment(r, func(r Record) error {
		switch {
		case r.Seq < g.end.Seq:
			return nil
		case r.Seq == g.end.Seq:
			if r.Hash != g.end.Hash {
				return corruptf("its record %d is not the one that the archive or the piece before it has", r.Seq)
			}
			return nil
		case g.at.Past(r.Position):
			return errEnough
		case r.Seq > g.end.Seq+1:
			return corruptf("there is a gap: record %d is missing, the next one is %d", g.end.Seq+1, r.Seq)
		}
		if err := follows(r, g.end); err != nil {
			return err
		}
		return g.add(r)
	})
	if err == nil || errors.Is(err, errEnough) {
		return found, err
	}
	return in, fmt.Errorf("%s: %w (up to record %d, %s, all is in order: --at takes such a point)", s.Name, err,
		g.end.Seq, when(g.end.At))
}

func (g *further) add(r Record) error {
	g.fold.recs = append(g.fold.recs, r)
	g.end = r.Position
	if g.size += r.Size(); g.size < g.batch {
		return nil
	}
	return g.flush()
}

// flush writes the records that were added, the rows that they make and the marker.
func (g *further) flush() error {
	if len(g.fold.recs) == 0 {
		return nil
	}
	g.fold.collect()
	b := g.db.NewBatch()
	defer b.Close()
	for _, r := range g.fold.recs {
		if err := b.Set(logKey(r.Seq), r.raw, nil); err != nil {
			return err
		}
	}
	g.fold.write(b)
	g.m.Position = g.end
	if err := b.Set(markerKey, g.m.encode(), nil); err != nil {
		return err
	}
	if err := g.db.Apply(b, pebble.NoSync); err != nil {
		return err
	}
	g.fold.forget()
	g.size = 0
	return nil
}
