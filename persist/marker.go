package persist

// This file owns the marker: how far the log is folded into rows.

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/cockroachdb/pebble/v2"
)

// Key space of Pebble, see doc.go.
const (
	logPrefix      = 'L'
	markerPrefix   = 'M'
	rowPrefix      = 'R'
	unloggedPrefix = 'U'
)

func logKey(seq uint64) []byte { return appendLogKey(make([]byte, 0, 9), seq) }

func appendLogKey(b []byte, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(append(b, logPrefix), seq)
}

// Marker says how far the log is folded into the rows, and from where on the
// log is kept.
type Marker struct {
	Position                   // of the last folded record
	FirstKept           uint64 // sequence of the first kept record
	HashBeforeFirstKept Hash   // of the record before it
}

// The marker's value, little-endian: version:1 (1), seq:8, at:8, hash:32,
// state hash:8, first kept:8, hash before it:32, CRC-32C:4 of what precedes.
const (
	markerVersion = 1
	markerSize    = 1 + 8 + 8 + 32 + 8 + 8 + 32 + 4
)

var (
	markerKey  = []byte{markerPrefix}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// firstMarker is the marker of a store in which nothing was folded yet.
var firstMarker = Marker{FirstKept: 1}

func (m Marker) encode() []byte {
	b := make([]byte, 0, markerSize)
	b = append(b, markerVersion)
	b = binary.LittleEndian.AppendUint64(b, m.Seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.At))
	b = append(b, m.Hash[:]...)
	b = binary.LittleEndian.AppendUint64(b, m.StateHash)
	b = binary.LittleEndian.AppendUint64(b, m.FirstKept)
	b = append(b, m.HashBeforeFirstKept[:]...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func decodeMarker(b []byte) (Marker, error) {
	var m Marker
	if len(b) != markerSize || b[0] != markerVersion ||
		crc32.Checksum(b[:markerSize-4], castagnoli) != binary.LittleEndian.Uint32(b[markerSize-4:]) {
		return m, corruptf("the marker of the rows is unreadable")
	}
	m.Seq = binary.LittleEndian.Uint64(b[1:])
	m.At = int64(binary.LittleEndian.Uint64(b[9:]))
	copy(m.Hash[:], b[17:])
	m.StateHash = binary.LittleEndian.Uint64(b[49:])
	m.FirstKept = binary.LittleEndian.Uint64(b[57:])
	copy(m.HashBeforeFirstKept[:], b[65:])
	return m, nil
}

// readMarker reads the marker of r. Without one nothing may have been folded
// yet, so there must be no rows either.
func readMarker(r pebble.Reader) (Marker, error) {
	v, closer, err := r.Get(markerKey)
	if errors.Is(err, pebble.ErrNotFound) {
		it, err := r.NewIter(rowBounds(0, 255))
		if err != nil {
			return Marker{}, err
		}
		rows := it.First()
		if err := it.Close(); err != nil {
			return Marker{}, err
		}
		if rows {
			return Marker{}, corruptf("there are rows without a marker")
		}
		return firstMarker, nil
	}
	if err != nil {
		return Marker{}, err
	}
	defer closer.Close()
	return decodeMarker(v)
}
