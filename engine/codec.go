package engine

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"holdfast/persist"

	gojson "github.com/goccy/go-json"
)

// This file owns the bytes of rows: those that change seldom as JSON, those of which there are many in fields of fixed length.

// coldVersion is the version byte in front of rows kept as JSON: rows that change seldom, in a form that a newer binary
// still reads. They are written by the standard library, whose bytes the state hash covers, and read by a faster one: of
// 100,000 articles that is half a second of a start. Check decodes, encodes and compares.
const coldVersion = 1

func encodeCold[R any](dst []byte, r *R) []byte {
	return append(append(dst, coldVersion), mustJSON(r)...)
}

func decodeCold[R any](name string) func(account, key ID, b []byte) (*R, error) {
	return func(_, _ ID, b []byte) (*R, error) {
		if len(b) == 0 || b[0] != coldVersion {
			return nil, unknownVersion(name, b)
		}
		r := new(R)
		if err := gojson.Unmarshal(b[1:], r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return r, nil
	}
}

// marshal is a variable so that tests can count what is written, and by whom.
var marshal = json.Marshal

func mustJSON(v any) []byte {
	b, err := marshal(v)
	if err != nil {
		panic(err) // rows and results are plain structs of strings, numbers and lists
	}
	return b
}

// knows refuses a row kept as JSON that has a member which this program has no place for: to write it anew would lose that.
func knows[R any](b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b[1:]))
	d.DisallowUnknownFields()
	if err := d.Decode(new(R)); err != nil && strings.HasPrefix(err.Error(), "json: unknown field") {
		return fmt.Errorf("%w: the row has a member that is not known here (%w): use the program that wrote it, or a newer one", persist.ErrNewerFormat, err)
	}
	return nil
}

// unknownVersion is the refusal of a row whose version byte is none of this program's.
func unknownVersion(name string, b []byte) error {
	if len(b) == 0 {
		return fmt.Errorf("%s: the stored row is empty", name)
	}
	return fmt.Errorf("%w: %s: the row's version %d is not known here: use the program that wrote it, or a newer one", persist.ErrNewerFormat, name, b[0])
}

const hotVersion = 1

func hotReader(name string, b []byte) (*reader, error) {
	if len(b) == 0 || b[0] != hotVersion {
		return nil, unknownVersion(name, b)
	}
	return &reader{b: b[1:]}, nil
}

type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if len(r.b) < n {
		r.bad = true
		r.b = make([]byte, n)
	}
	p := r.b[:n]
	r.b = r.b[n:]
	return p
}

func (r *reader) u8() byte { return r.take(1)[0] }

func (r *reader) u16() uint16 { return binary.LittleEndian.Uint16(r.take(2)) }

func (r *reader) u32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }

func (r *reader) u64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }

func (r *reader) i64() int64 { return int64(r.u64()) }

func (r *reader) id() ID { return ID(r.take(16)) }

func (r *reader) text() string {
	n := int(r.u32())
	if n > len(r.b) {
		r.bad = true
		return ""
	}
	return string(r.take(n))
}

// done reports what was wrong with a row of a kind and version, if anything.
func (r *reader) done(name string) error {
	if r.bad || len(r.b) > 0 {
		return fmt.Errorf("%s: stored row has the wrong length", name)
	}
	return nil
}

func appendText(dst []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...)
}
