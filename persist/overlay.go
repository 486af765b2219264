package persist

// This file owns the records that are not folded yet, by sequence and by row.

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// overlay holds the durable records that are not folded yet, and the latest
// image of each row they change: what Row must see before Pebble.
type overlay struct {
	bytes atomic.Int64 // of all records held

	mu    sync.RWMutex
	recs  []Record // ascending, consecutive
	first uint64   // sequence of recs[0]
	seen  uint64   // records up to here are in rows
	rows  map[string]image
}

type image struct {
	seq   uint64
	value []byte // nil: deleted
}

func (o *overlay) init(folded uint64) {
	o.first, o.seen = folded+1, folded
	o.rows = make(map[string]image)
}

func (o *overlay) add(r Record) {
	o.mu.Lock()
	o.recs = append(o.recs, r)
	o.mu.Unlock()
	o.bytes.Add(int64(r.Size()))
}

// record is the record of a sequence if it is held.
func (o *overlay) record(seq uint64) (Record, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	if seq < o.first || seq-o.first >= uint64(len(o.recs)) {
		return Record{}, false
	}
	return o.recs[seq-o.first], true
}

// upTo appends the oldest records up to sequence last to buf: until they hold
// limit bytes, but at least one.
func (o *overlay) upTo(last uint64, limit int, buf []Record) []Record {
	o.mu.RLock()
	defer o.mu.RUnlock()
	size := 0
	for _, r := range o.recs {
		size += r.Size()
		if r.Seq > last || len(buf) > 0 && size > limit {
			break
		}
		buf = append(buf, r)
	}
	return buf
}

// get is the latest image of a row (table and key) among the published
// records; ok is false if none of them changes it.
func (o *overlay) get(row []byte, published uint64) (im image, ok bool) {
	o.mu.RLock()
	if o.seen < published && len(o.recs) > 0 {
		o.mu.RUnlock()
		o.index(published)
		o.mu.RLock()
	}
	im, ok = o.rows[string(row)]
	o.mu.RUnlock()
	return im, ok
}

// index enters the records up to published in rows. It is done when someone
// looks, so the writer does not pay for it.
func (o *overlay) index(published uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.recs[o.seen+1-o.first:] {
		if r.Seq > published {
			break
		}
		for c := range r.Changes() {
			o.rows[text(c.row)] = image{seq: r.Seq, value: c.After}
		}
		o.seen = r.Seq
	}
}

// drop forgets the records up to sequence last, which are folded now.
func (o *overlay) drop(recs []Record) {
	size := 0
	o.mu.Lock()
	for i, r := range recs {
		size += r.Size()
		if r.Seq <= o.seen {
			for c := range r.Changes() {
				if o.rows[text(c.row)].seq == r.Seq {
					delete(o.rows, text(c.row))
				}
			}
		}
		o.recs[i] = Record{}
	}
	n := len(recs)
	last := recs[n-1].Seq
	o.recs = o.recs[n:]
	o.first = last + 1
	o.seen = max(o.seen, last)
	o.mu.Unlock()
	o.bytes.Add(-int64(size))
}

// text is b as a string without a copy; b is never written again.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
