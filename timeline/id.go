package timeline

import (
	"encoding/binary"
	"slices"

	"github.com/google/uuid"
)

// This file owns the text form of ids.

// AppendTo appends the 36-character lower-case form. An answer may have hundreds of ids, so four bytes are written at a
// time.
func (a ID) AppendTo(dst []byte) []byte {
	const length = len("00112233-4455-6677-8899-aabbccddeeff")
	n := len(dst)
	dst = slices.Grow(dst, length)[:n+length]
	b := (*[length]byte)(dst[n:])
	binary.BigEndian.PutUint64(b[0:], hexDigits(binary.BigEndian.Uint32(a[0:])))
	second, third := hexDigits(binary.BigEndian.Uint32(a[4:])), hexDigits(binary.BigEndian.Uint32(a[8:]))
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	binary.BigEndian.PutUint32(b[9:], uint32(second>>32))
	binary.BigEndian.PutUint32(b[14:], uint32(second))
	binary.BigEndian.PutUint32(b[19:], uint32(third>>32))
	binary.BigEndian.PutUint32(b[24:], uint32(third))
	binary.BigEndian.PutUint64(b[28:], hexDigits(binary.BigEndian.Uint32(a[12:])))
	return dst
}

// hexDigits is the lower-case form of four bytes: eight digits, the first in the highest byte.
func hexDigits(four uint32) uint64 {
	x := uint64(four)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f                           // a digit a byte
	letters := (x + 0x0606060606060606) >> 4 & 0x0101010101010101 // 1 where the digit is above 9
	return x + 0x3030303030303030 + letters*('a'-'0'-10)
}

// String is the 36-character lower-case form.
func (a ID) String() string { return uuid.UUID(a).String() }

// MarshalText makes an id a JSON string in stored rows.
func (a ID) MarshalText() ([]byte, error) { return a.AppendTo(nil), nil }

// UnmarshalText reads what MarshalText wrote.
func (a *ID) UnmarshalText(b []byte) error {
	u, err := uuid.ParseBytes(b)
	*a = ID(u)
	return err
}
