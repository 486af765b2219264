package persist

// This file owns the format of a log record.

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"math"
)

// The format of a log record, little-endian:
//
//	 0  version:1 (1), rewritten:1 (1 where it is), zero:6
//	 8  sequence:8
//	16  instant:8            ms since the epoch
//	24  incarnation:8        of the directory it was written in
//	32  state hash:8         the engine's, after this record
//	40  number of changes:4, zero:4
//	48  previous hash:32     the hash of record sequence-1; zero before 1
//	80  changes
//	    hash:32              SHA-256 of everything before it
//
// A change, lengths as unsigned varints:
//
//	len(key)+1, table:1, key, len(before)+1 or 0 for none, before,
//	len(after)+1 or 0 for none, after
const (
	recordVersion = 1
	recordHeader  = 80
	hashSize      = sha256.Size

	// MaxGroup is the largest record taken, in bytes.
	MaxGroup = 128 << 20
)

// Hash is the SHA-256 of a log record: its own checksum and its place in the
// chain.
type Hash [hashSize]byte

func (h Hash) String() string { return hex.EncodeToString(h[:8]) }

// Position is a place in the log: the record with that sequence, its instant
// in milliseconds, its hash and the state hash after it. The zero Position is
// the beginning, before record 1.
type Position struct {
	Seq       uint64
	At        int64
	Hash      Hash
	StateHash uint64
}

// Change is a row before and after. Before is nil where the row is created,
// After is nil where it is deleted. The slices belong to the record and must
// not be changed.
type Change struct {
	Table         byte
	Key           []byte
	Before, After []byte
	row           []byte // table and key
}

// Group collects the changes that are to become durable together. It writes
// them straight into the future record, so that filling it allocates nothing
// once the buffer has grown. Not for concurrent use. The zero Group is empty
// and ready.
type Group struct {
	// Rewrite says that the changes are of how rows are written alone: what
	// they say stays.
	Rewrite bool

	buf []byte
	n   uint32
}

// Reset empties the group and keeps its buffer.
func (g *Group) Reset() {
	g.buf = g.buf[:0]
	g.n = 0
	g.Rewrite = false
}

// Change appends a change: a nil before creates the row, a nil after deletes
// it; an empty slice that is not nil is a value of no bytes. It panics if both
// are nil. The group copies what it is given.
func (g *Group) Change(table byte, key, before, after []byte) {
	if before == nil && after == nil {
		panic("persist: a change from nothing to nothing")
	}
	b := g.buf
	if len(b) == 0 {
		b = append(b, make([]byte, recordHeader)...)
	}
	b = binary.AppendUvarint(b, uint64(len(key))+1)
	b = append(b, table)
	b = append(b, key...)
	b = appendImage(b, before)
	b = appendImage(b, after)
	g.buf = b
	g.n++
}

func appendImage(b, v []byte) []byte {
	if v == nil {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(v))+1)
	return append(b, v...)
}

// Len is the number of changes in the group.
func (g *Group) Len() int { return int(g.n) }

// Bytes is the size of the record the group makes.
func (g *Group) Bytes() int { return max(len(g.buf), recordHeader) + hashSize }

// seal turns the group into its record and leaves the group empty, with a new
// buffer: the record keeps the old one and is immutable from here on.
func (g *Group) seal(prev Position, seq uint64, at int64, incarnation, stateHash uint64) Record {
	b := g.buf
	if len(b) == 0 {
		b = make([]byte, recordHeader, recordHeader+hashSize)
	}
	clear(b[:recordHeader])
	b[0] = recordVersion
	if g.Rewrite {
		b[1] = 1
	}
	binary.LittleEndian.PutUint64(b[8:], seq)
	binary.LittleEndian.PutUint64(b[16:], uint64(at))
	binary.LittleEndian.PutUint64(b[24:], incarnation)
	binary.LittleEndian.PutUint64(b[32:], stateHash)
	binary.LittleEndian.PutUint32(b[40:], g.n)
	copy(b[48:], prev.Hash[:])
	sum := Hash(sha256.Sum256(b))
	b = append(b, sum[:]...)
	r := Record{
		Position:    Position{Seq: seq, At: at, Hash: sum, StateHash: stateHash},
		Incarnation: incarnation,
		Prev:        prev.Hash,
		Rewrite:     g.Rewrite,
		n:           int(g.n),
		raw:         b,
	}
	// The next group is likely of the same size.
	g.buf, g.n, g.Rewrite = make([]byte, 0, min(len(b)+len(b)/4, 1<<20)), 0, false
	return r
}

// Record is one verified log record. It is immutable and may be kept.
type Record struct {
	Position
	Incarnation uint64
	Prev        Hash
	Rewrite     bool // the changes are of how rows are written, not of what they say
	n           int
	raw         []byte
}

// Len is the number of changes in the record.
func (r Record) Len() int { return r.n }

// Size is the size of the record in bytes.
func (r Record) Size() int { return len(r.raw) }

// Changes yields the changes in the order they were made. One row may be
// changed more than once.
func (r Record) Changes() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		b := r.raw[recordHeader : len(r.raw)-hashSize]
		for len(b) > 0 {
			c, rest, ok := cutChange(b)
			if !ok || !yield(c) {
				return
			}
			b = rest
		}
	}
}

// decodeRecord checks raw's own hash and shape and reads it. The record keeps
// raw. The chain is the caller's to check.
func decodeRecord(raw []byte) (Record, error) {
	body := raw[:max(0, len(raw)-hashSize)]
	if sum, want := sha256.Sum256(body), raw[len(body):]; !bytes.Equal(sum[:], want) {
		return Record{}, corruptf("log record of %d bytes with checksum %x, computed %v", len(raw), want, Hash(sum))
	}
	r, err := recordAt(raw)
	if err != nil {
		return r, err
	}
	n, b := 0, body[recordHeader:]
	for len(b) > 0 {
		_, rest, ok := cutChange(b)
		if !ok {
			return Record{}, corruptf("log record %d: change %d is malformed", r.Seq, n)
		}
		n, b = n+1, rest
	}
	if n != r.n {
		return Record{}, corruptf("log record %d: %d changes, its header says %d", r.Seq, n, r.n)
	}
	return r, nil
}

// recordAt reads raw and believes it, its hash as well. It is for bytes whose
// storage has just been checked by Pebble's own checksums, where no more is
// asked than whether the records are the right ones.
func recordAt(raw []byte) (Record, error) {
	if len(raw) < recordHeader+hashSize {
		return Record{}, corruptf("log record of %d bytes", len(raw))
	}
	if v := raw[0]; v != recordVersion {
		return Record{}, fmt.Errorf("%w: log record version %d, known is %d", ErrNewerFormat, v, recordVersion)
	}
	return Record{
		Position: Position{
			Seq:       binary.LittleEndian.Uint64(raw[8:]),
			At:        int64(binary.LittleEndian.Uint64(raw[16:])),
			Hash:      Hash(raw[len(raw)-hashSize:]),
			StateHash: binary.LittleEndian.Uint64(raw[32:]),
		},
		Incarnation: binary.LittleEndian.Uint64(raw[24:]),
		Prev:        Hash(raw[48 : 48+hashSize]),
		Rewrite:     raw[1] == 1,
		n:           int(binary.LittleEndian.Uint32(raw[40:])),
		raw:         raw,
	}, nil
}

func cutChange(b []byte) (c Change, rest []byte, ok bool) {
	row, b, ok := cutBytes(b)
	if !ok || len(row) == 0 {
		return c, nil, false
	}
	c.row, c.Table, c.Key = row, row[0], row[1:]
	if c.Before, b, ok = cutImage(b); !ok {
		return c, nil, false
	}
	if c.After, b, ok = cutImage(b); !ok {
		return c, nil, false
	}
	return c, b, true
}

func cutBytes(b []byte) (v, rest []byte, ok bool) {
	n, w := binary.Uvarint(b)
	if w <= 0 || n > math.MaxInt32 || int(n) > len(b)-w {
		return nil, nil, false
	}
	end := w + int(n)
	return b[w:end:end], b[end:], true
}

func cutImage(b []byte) (v, rest []byte, ok bool) {
	n, w := binary.Uvarint(b)
	if w <= 0 || n > math.MaxInt32 || int(n)-1 > len(b)-w {
		return nil, nil, false
	}
	if n == 0 {
		return nil, b[w:], true
	}
	end := w + int(n) - 1
	return b[w:end:end], b[end:], true
}
