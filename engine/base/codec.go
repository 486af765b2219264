package base

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"holdfast/persist"

	gojson "github.com/goccy/go-json"
)

// This file owns the bytes of rows: those that change seldom as JSON, those of which there are many in fields of fixed
// length.

// ColdVersion is the version byte in front of rows kept as JSON: rows that change seldom, in a form that a newer binary
// still reads. They are written by the standard library, whose bytes the state hash covers, and read by a faster one:
// of 100,000 articles that is half a second of a start. Check decodes, encodes and compares.
const ColdVersion = 1

// EncodeCold appends the version of a row's form, then the row as JSON.
func EncodeCold[R any](dst []byte, r *R) []byte {
	return append(append(dst, ColdVersion), MustJSON(r)...)
}

// DecodeCold makes what reads rows that EncodeCold wrote.
func DecodeCold[R any](name string) func(account, key ID, b []byte) (*R, error) {
	return func(_, _ ID, b []byte) (*R, error) {
		if len(b) == 0 || b[0] != ColdVersion {
			return nil, unknownVersion(name, b)
		}
		r := new(R)
		if err := gojson.Unmarshal(b[1:], r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return r, nil
	}
}

// Marshal is a variable so that tests can count what is written, and by which goroutine.
var Marshal = json.Marshal

// MustJSON writes a value of the program, which cannot fail.
func MustJSON(v any) []byte {
	b, err := Marshal(v)
	if err != nil {
		panic(err) // rows and results are plain structs of strings, numbers and lists
	}
	return b
}

// Knows refuses a row kept as JSON that has a member which this program has no place for: to write it anew would lose
// that.
func Knows[R any](b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b[1:]))
	d.DisallowUnknownFields()
	if err := d.Decode(new(R)); err != nil && strings.HasPrefix(err.Error(), "json: unknown field") {
		return fmt.Errorf("%w: the row has a member that is not known here (%w): use the program that wrote it, or "+
			"a newer one", persist.ErrNewerFormat, err)
	}
	return nil
}

// unknownVersion is the refusal of a row whose version byte is none of this program's.
func unknownVersion(name string, b []byte) error {
	if len(b) == 0 {
		return fmt.Errorf("%s: the stored row is empty", name)
	}
	return fmt.Errorf("%w: %s: the row's version %d is not known here: use the program that wrote it, or a newer one",
		persist.ErrNewerFormat, name, b[0])
}

const HotVersion = 1

// HotReader begins to read a row of fixed fields, and refuses another version. It is small enough to be inlined, so
// that the readers of a start's rows are not on the heap.
func HotReader(name string, b []byte) (*Reader, error) {
	r := &Reader{B: b}
	return r, r.begin(name)
}

// begin reads the version.
func (r *Reader) begin(name string) error {
	if len(r.B) == 0 || r.B[0] != HotVersion {
		return unknownVersion(name, r.B)
	}
	r.B = r.B[1:]
	return nil
}

type Reader struct {
	B   []byte
	Bad bool
}

func (r *Reader) take(n int) []byte {
	if len(r.B) < n {
		r.Bad = true
		r.B = make([]byte, n)
	}
	p := r.B[:n]
	r.B = r.B[n:]
	return p
}

// U8 reads a byte.
func (r *Reader) U8() byte { return r.take(1)[0] }

// U16 reads two bytes.
func (r *Reader) U16() uint16 { return binary.LittleEndian.Uint16(r.take(2)) }

// U32 reads four bytes.
func (r *Reader) U32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }

// U64 reads eight bytes.
func (r *Reader) U64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }

// I64 reads eight bytes with a sign.
func (r *Reader) I64() int64 { return int64(r.U64()) }

// ID reads an id.
func (r *Reader) ID() ID { return ID(r.take(16)) }

// Text reads a length, then a text of that length.
func (r *Reader) Text() string {
	n := int(r.U32())
	if n > len(r.B) {
		r.Bad = true
		return ""
	}
	return string(r.take(n))
}

// Done reports what was wrong with a row of a kind and version, if anything.
func (r *Reader) Done(name string) error {
	if r.Bad || len(r.B) > 0 {
		return fmt.Errorf("%s: stored row has the wrong length", name)
	}
	return nil
}

// Flags is a byte with a bit for each of up to eight things, the lowest for the first: whether it is so.
func Flags(are ...bool) (b byte) {
	for i, is := range are {
		if is {
			b |= 1 << i
		}
	}
	return b
}

// Flags reads what Flags made.
func (r *Reader) Flags(are ...*bool) {
	b := r.U8()
	for i, is := range are {
		*is = b&(1<<i) != 0
	}
}

// AppendText appends the length of a text, then the text.
func AppendText(dst []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...)
}
