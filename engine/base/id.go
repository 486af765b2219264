package base

import (
	"encoding/binary"

	"github.com/google/uuid"

	"holdfast/timeline"
)

// This file owns ids: their form, and how a command's ids come from its instant and its random base.

// ID is the 16 bytes of a UUID. The engine makes UUIDv7 only, and in strictly increasing order over all accounts: the
// order of ids is the order of creation, and an id carries its instant of creation.
type ID = timeline.ID

// Base is the random part of a command's ids: 74 bits, drawn outside the engine. The i-th id of the command is
// UUIDv7(instant, base + i).
type Base struct{ Hi, Lo uint64 } // hi: the 12 bits above lo's 62

// BaseOf makes a base of ten random bytes. The highest bit stays free, so that counting up cannot overflow.
func BaseOf(random [10]byte) Base {
	return Base{
		Hi: uint64(binary.BigEndian.Uint16(random[:2])) & 0x07ff,
		Lo: binary.BigEndian.Uint64(random[2:]) >> 2,
	}
}

const LowBits = 62

// Plus is the base so many ids on.
func (b Base) Plus(n uint64) Base {
	lo := b.Lo + n
	return Base{Hi: b.Hi + lo>>LowBits, Lo: lo & (1<<LowBits - 1)}
}

// Less orders bases as their ids.
func (b Base) Less(c Base) bool { return b.Hi < c.Hi || b.Hi == c.Hi && b.Lo < c.Lo }

// MakeID makes the id of a millisecond and a base.
func MakeID(ms int64, b Base) (id ID) {
	binary.BigEndian.PutUint64(id[:8], uint64(ms)<<16|0x7000|b.Hi)
	binary.BigEndian.PutUint64(id[8:], 1<<63|b.Lo)
	return id
}

// NewID makes an id of an instant and a base: that of an account, which the caller of CreateAccount draws.
func NewID(at int64, b Base) ID { return MakeID(at, b) }

// SplitID takes apart what MakeID put together.
func SplitID(id ID) (ms int64, b Base) {
	hi, lo := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	return int64(hi >> 16), Base{Hi: hi & 0x0fff, Lo: lo & (1<<LowBits - 1)}
}

// After gives the id n places after another id of the same command.
func After(id ID, n uint64) ID {
	ms, b := SplitID(id)
	return MakeID(ms, b.Plus(n))
}

// Before gives the id n places in front of one of the same command.
func Before(id ID, n uint64) ID {
	ms, b := SplitID(id)
	if b.Lo < n {
		b.Hi--
		b.Lo += 1 << LowBits
	}
	b.Lo -= n
	return MakeID(ms, b)
}

// CreatedAt is the instant at which an id was made, in milliseconds since the epoch.
func CreatedAt(id ID) int64 { return int64(binary.BigEndian.Uint64(id[:8]) >> 16) }

// ParseID reads the 36-character form of a UUID: versions 1 to 8 with the RFC variant, nil or max, nothing else.
// Upper and lower case are read alike.
func ParseID(s string) (ID, bool) {
	if len(s) != 36 {
		return ID{}, false
	}
	u, err := uuid.Parse(s)
	if err != nil {
		return ID{}, false
	}
	if u == uuid.Nil || u == uuid.Max {
		return ID(u), true
	}
	return ID(u), u.Variant() == uuid.RFC4122 && u.Version() >= 1 && u.Version() <= 8
}
