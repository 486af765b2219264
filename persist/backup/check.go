package backup

// This file owns reading the segments of a line back.

import (
	"bytes"
	"context"
	"fmt"

	"holdfast/persist"
)

// Checked is what was read of a line's segments.
type Checked struct {
	Segments    int
	First, Last uint64 // records
	Bytes       int64  // at the target
}

// CheckSegments reads every segment of a line: each record by its hash, and the chain through all of them, which begins
// at the latest behind the first verified archive. It ends with the first fault, and says what was in order before.
func CheckSegments(ctx context.Context, t Target, l Line) (c Checked, err error) {
	if _, ok := l.good(); ok && len(l.Pieces) > 0 {
		if first, from := l.Pieces[0], l.firstGood().Seq+1; first.First > from {
			return c, fmt.Errorf("%s: %w: the records %d to %d are missing before it, behind the first archive",
				first.Name, persist.ErrCorrupt, from, first.First-1)
		}
	}
	var end persist.Position
	for _, p := range l.Pieces {
		b, err := readAll(ctx, t, p.Name, p.Size)
		if err != nil {
			return c, err
		}
		seg, prev, err := persist.CheckSegment(bytes.NewReader(b))
		switch {
		case err != nil:
			return c, fmt.Errorf("%s: %w", p.Name, err)
		case seg.First != p.First || seg.End.Seq != p.Last:
			return c, fmt.Errorf("%s: %w: it has the records %d to %d", p.Name, persist.ErrCorrupt, seg.First,
				seg.End.Seq)
		case c.Segments > 0 && p.First != end.Seq+1:
			return c, fmt.Errorf("%s: %w: the segment before it ends with record %d", p.Name, persist.ErrCorrupt,
				end.Seq)
		case c.Segments > 0 && prev != end.Hash:
			return c, fmt.Errorf("%s: %w: it does not follow record %d, where the segment before it ends",
				p.Name, persist.ErrCorrupt, end.Seq)
		}
		if c.Segments == 0 {
			c.First = p.First
		}
		end = seg.End
		c.Segments, c.Last, c.Bytes = c.Segments+1, p.Last, c.Bytes+p.Size
	}
	return c, nil
}
