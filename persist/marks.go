package persist

// This file owns what a restore takes from behind its point: values that are stored beside the log.

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Mark says which value is stored beside the log for a change that a restore takes back, one that leaves a row as it is
// in after. There is none where the key is nil.
type Mark func(table byte, key, after []byte) (Pair, error)

// marks collects what a Mark says of the log behind a point.
type marks struct {
	of     Mark // nil: nothing
	at     Point
	list   []Pair
	faults []error
}

// add takes a record, which counts if it lies behind the point.
func (k *marks) add(r Record) {
	if k.at.Past(r.Position) {
		k.take(r)
	}
}

func (k *marks) take(r Record) {
	if k.of == nil {
		return
	}
	for c := range r.Changes() {
		p, err := k.of(c.Table, c.Key, c.After)
		switch {
		case err != nil:
			k.faults = append(k.faults, fmt.Errorf("record %d: %w", r.Seq, err))
			return
		case p.Key != nil:
			k.list = append(k.list, p)
		}
	}
}

// behind takes all records of segments: a sequence of another log does not say whether it lies behind the point.
func (k *marks) behind(ctx context.Context, list []SegmentFile) {
	for _, s := range list {
		err := s.read(ctx, func(r Record) error {
			k.take(r)
			return ctx.Err()
		})
		if err != nil {
			k.faults = append(k.faults, fmt.Errorf("%s: %w", s.Name, err))
		}
	}
}

func (s SegmentFile) read(ctx context.Context, fn func(Record) error) error {
	r, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = readSegment(r, fn)
	return err
}

// write stores what was found.
func (k *marks) write(db *pebble.DB) error {
	b := db.NewBatch()
	defer b.Close()
	for _, p := range k.list {
		if err := b.Set(append([]byte{unloggedPrefix}, p.Key...), p.Value, nil); err != nil {
			return err
		}
	}
	return db.Apply(b, pebble.NoSync)
}
