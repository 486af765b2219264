package persist

// This file owns pieces of the log as files: how a running store makes them, and how they are read.

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A segment is consecutive log records in a file of its own, compressed with
// zstd, little-endian:
//
//	magic:8 ("HOLDLOG1"), format number:4, length:4, form (form.go) of that length
//	for each record: length:4, record
//	zero:4
//
// A record in it is checked like one in the log: by its hash, and by the hash of
// the one before that it holds. The form is the one that the directory had when
// the segment was made: a program must know it to read rows that the records bring.
const (
	segmentMagic  = "HOLDLOG1"
	segmentHeader = 16
)

// Segment says what a segment holds.
type Segment struct {
	First uint64
	End   Position // of its last record
	Bytes int      // of its records
}

var segmentEncoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
})

// Segment makes a segment of the published records after a position: of limit bytes, or of one record that is larger.
// Each record and the chain are checked. There is none if nothing was published since, and ErrPruned if the log after
// the position is not kept any more. ErrCorrupt means that the position is not of this log, too. raw is memory to use,
// and comes back for the next one.
func (s *Store) Segment(raw []byte, after Position, limit int) (file, buf []byte, seg Segment, err error) {
	encoder, err := segmentEncoder()
	if err != nil {
		return nil, raw, seg, err
	}
	raw = s.form.Load().begin(raw[:0])
	head := len(raw)
	seg, err = s.behind(after, limit, func(r Record) {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(len(r.raw)))
		raw = append(raw, r.raw...)
	})
	if err != nil || len(raw) == head {
		return nil, raw, seg, err
	}
	raw = binary.LittleEndian.AppendUint32(raw, 0)
	return encoder.EncodeAll(raw, nil), raw, seg, nil
}

// Behind counts the published records after a position, up to limit bytes, as Segment would take them.
func (s *Store) Behind(after Position, limit int) (Segment, error) {
	return s.behind(after, limit, func(Record) {})
}

// errEnough ends a walk that has what it wants.
var errEnough = errors.New("enough")

func (s *Store) behind(after Position, limit int, take func(Record)) (seg Segment, err error) {
	if s.closed.Load() {
		return seg, ErrClosed
	}
	seg = Segment{First: after.Seq + 1, End: after}
	_, err = walkLog(s.db, after, s.published.Load(), decodeRecord, false, func(r Record) error {
		if seg.Bytes > 0 && seg.Bytes+r.Size() > limit {
			return errEnough
		}
		take(r)
		seg.Bytes += r.Size()
		seg.End = r.Position
		return nil
	})
	if err == nil || errors.Is(err, errEnough) {
		return seg, nil
	}
	// Log and marker are cut in one batch, so the marker shows whether what is missing was cut.
	if m, merr := readMarker(s.db); merr == nil && after.Seq+1 < m.FirstKept {
		return seg, fmt.Errorf("%w: %d, the first one kept is %d", ErrPruned, after.Seq+1, m.FirstKept)
	}
	return seg, damaged(err)
}

// begin is how a segment begins that is made of a directory of this form.
func (f form) begin(b []byte) []byte {
	size := hashSize + 8 + 8*len(f.begins)
	b = append(b, segmentMagic...)
	b = binary.LittleEndian.AppendUint32(b, f.number())
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	at := len(b)
	b = append(b, make([]byte, size)...)
	f.encode(b[at:])
	return b
}

// readSegment calls fn for every record of a segment and returns the form of its
// directory. Each record's own hash was checked, the chain is fn's to check. fn
// may keep records.
func readSegment(r io.Reader, fn func(Record) error) (in form, err error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return in, err
	}
	defer z.Close()
	b := bufio.NewReader(z)
	cut := func(err error) error {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return corruptf("%w", err)
	}
	var head [segmentHeader]byte
	if _, err := io.ReadFull(b, head[:]); err != nil {
		return in, cut(err)
	}
	if string(head[:8]) != segmentMagic {
		return in, corruptf("this is no piece of a log")
	}
	number, size := binary.LittleEndian.Uint32(head[8:]), binary.LittleEndian.Uint32(head[12:])
	if number > Format {
		return in, fmt.Errorf("%w: it has format %d, this program knows formats up to %d: use the program that "+
			"wrote it, or a newer one", ErrNewerFormat, number, Format)
	}
	if int(size) != hashSize+8+8*(int(max(number, 1))-1) {
		return in, corruptf("its form has %d bytes", size)
	}
	image := make([]byte, size)
	if _, err := io.ReadFull(b, image); err != nil {
		return in, cut(err)
	}
	in = decodeForm(number, image)
	for {
		var length [4]byte
		if _, err := io.ReadFull(b, length[:]); err != nil {
			return in, cut(err)
		}
		n := binary.LittleEndian.Uint32(length[:])
		if n == 0 {
			break
		}
		if n > MaxGroup+hashSize {
			return in, corruptf("a log record of %d bytes", n)
		}
		raw, err := readGrowing(b, int(n))
		if err != nil {
			return in, cut(err)
		}
		rec, err := decodeRecord(raw)
		if err != nil {
			return in, err
		}
		if err := fn(rec); err != nil {
			return in, err
		}
	}
	// Up to the end, where the checksum of the whole is.
	if n, err := io.Copy(io.Discard, b); err != nil || n > 0 {
		return in, errors.Join(corruptf("%d bytes behind the last record", n), err)
	}
	return in, nil
}

// readGrowing reads n bytes, whose number was read from outside: the memory for them
// grows with what really comes.
func readGrowing(r io.Reader, n int) ([]byte, error) {
	const step = 1 << 20
	b := make([]byte, 0, min(n, step))
	for len(b) < n {
		at := len(b)
		b = append(b, make([]byte, min(step, n-at))...)
		if _, err := io.ReadFull(r, b[at:]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// CheckSegment reads a segment in full, with its chain, and says what it holds
// and what comes before its first record.
func CheckSegment(r io.Reader) (seg Segment, prev Hash, err error) {
	_, err = readSegment(r, func(r Record) error {
		if seg.First == 0 {
			seg.First, prev = r.Seq, r.Prev
		} else if err := follows(r, seg.End); err != nil {
			return err
		}
		seg.End = r.Position
		seg.Bytes += r.Size()
		return nil
	})
	if err == nil && seg.First == 0 {
		err = corruptf("there is no record in it")
	}
	return seg, prev, err
}
