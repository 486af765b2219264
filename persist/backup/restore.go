package backup

// This file owns restoring from a target.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"holdfast/persist"
)

// So many segments are read ahead of the one that is being restored, of so many bytes together: a bucket takes a while
// to answer.
const (
	ahead      = 64
	aheadBytes = 64 << 20
)

// MissingError says which records before the point of a restore are not at the target. What is there before them was
// restored, up to the record Last.
type MissingError struct {
	From, To uint64
	Last     persist.Position
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("the records %d to %d are not at the target: those of them that were written before the point "+
		"are missing, and what is restored ends with record %d of %s", e.From, e.To, e.Last.Seq, readable(e.Last.At))
}

// Restored is what came of a restore.
type Restored struct {
	persist.Backup
	Plan Plan // what was read: the plan that was given, or the one that is Before in it
}

// Restore makes a data directory of what a plan names; o says where and to which point. All is checked as
// persist.Restore checks it, and nothing is left where it does not come out, but with a MissingError.
//
// The plan that is Before counts where the log that is kept in the archive does not reach back to the point, or where
// its last record up to the point is older than the last one of the line before it: then the directory was put back to
// a record within that line by other means than a restore, and nothing was written from there to the point.
func Restore(ctx context.Context, t Target, p Plan, o persist.RestoreOptions) (Restored, error) {
	if p.Before == nil {
		return restore(ctx, t, p, o)
	}
	end := p.Before.Line.End()
	first := o
	if !o.At.OfSequence() {
		first.NotBefore = end
	}
	b, err := restore(ctx, t, p, first)
	var kept *persist.BadTargetError
	switch {
	case errors.As(err, &kept) && o.At.OfSequence():
		return b, fmt.Errorf("%w: the records %d to %d are not at the target", err, end.Seq+1, kept.First.Seq-1)
	case kept == nil && !errors.Is(err, persist.ErrEarly):
		return b, err
	}
	b, err = restore(ctx, t, *p.Before, o)
	if err == nil && kept != nil && kept.First.Seq > end.Seq+1 {
		err = &MissingError{From: end.Seq + 1, To: kept.First.Seq - 1, Last: b.End}
	}
	return b, err
}

func restore(ctx context.Context, t Target, p Plan, o persist.RestoreOptions) (Restored, error) {
	archive, err := t.Get(ctx, p.Full.Name)
	if err != nil {
		return Restored{}, err
	}
	defer archive.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o.Archive, o.Segments = archive, segments(ctx, t, p.Pieces, aheadBytes)
	if o.Mark != nil {
		o.Behind = segments(ctx, t, p.Behind, aheadBytes)
	}
	b, err := persist.Restore(ctx, o)
	return Restored{b, p}, err
}

// segments has the pieces read ahead, so many bytes together, once the first one is opened. They are opened in order,
// each once.
func segments(ctx context.Context, t Target, pieces []Piece, most int64) (list []persist.SegmentFile) {
	type read struct {
		b   []byte
		err error
	}
	results := make([]chan read, len(pieces))
	begun, under := 0, int64(0) // what is being read, or waits to be taken
	begin := func(i int) {
		for ; begun < len(pieces) && begun < i+ahead; begun++ {
			p := pieces[begun]
			if begun > i && under+p.Size > most {
				return
			}
			under += p.Size
			result := make(chan read, 1)
			results[begun] = result
			go func() {
				b, err := readAll(ctx, t, p.Name, p.Size)
				result <- read{b, err}
			}()
		}
	}
	for i, p := range pieces {
		list = append(list, persist.SegmentFile{Name: p.Name, Open: func(context.Context) (io.ReadCloser, error) {
			begin(i)
			r := <-results[i]
			under -= p.Size
			begin(i + 1)
			return io.NopCloser(bytes.NewReader(r.b)), r.err
		}})
	}
	return list
}

// mostSegment is the size of the largest segment there may be: of one record that is as large as one may be.
const mostSegment = persist.MaxGroup + 1<<20

// readAll reads an object of a size that was listed; one that is larger is not the one that was listed.
func readAll(ctx context.Context, t Target, name string, size int64) ([]byte, error) {
	if size > mostSegment {
		return nil, fmt.Errorf("%s has %d bytes, a segment has %d at most", name, size, mostSegment)
	}
	r, err := t.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, size+1))
	if err == nil && int64(len(b)) != size {
		err = fmt.Errorf("%s has another length than was listed, %d bytes", name, size)
	}
	return b, err
}
