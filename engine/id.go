package engine

import (
	"encoding/binary"

	"github.com/google/uuid"

	"holdfast/timeline"
)

// This file owns ids: their form, and how a command's ids come from its instant and its random base.

// ID is the 16 bytes of a UUID. The engine makes UUIDv7 only, and in strictly increasing order over all accounts: the order
// of ids is the order of creation, and an id carries its instant of creation.
type ID = timeline.ID

// Base is the random part of a command's ids: 74 bits, drawn outside the engine. The i-th id of the command is
// UUIDv7(instant, base + i).
type Base struct{ hi, lo uint64 } // hi: the 12 bits above lo's 62

// BaseOf makes a base of ten random bytes. The highest bit stays free, so that counting up cannot overflow.
func BaseOf(random [10]byte) Base {
	return Base{
		hi: uint64(binary.BigEndian.Uint16(random[:2])) & 0x07ff,
		lo: binary.BigEndian.Uint64(random[2:]) >> 2,
	}
}

const lowBits = 62

func (b Base) plus(n uint64) Base {
	lo := b.lo + n
	return Base{hi: b.hi + lo>>lowBits, lo: lo & (1<<lowBits - 1)}
}

func (b Base) less(c Base) bool { return b.hi < c.hi || b.hi == c.hi && b.lo < c.lo }

func makeID(ms int64, b Base) (id ID) {
	binary.BigEndian.PutUint64(id[:8], uint64(ms)<<16|0x7000|b.hi)
	binary.BigEndian.PutUint64(id[8:], 1<<63|b.lo)
	return id
}

// NewID makes an id of an instant and a base: that of an account, which the caller of CreateAccount draws.
func NewID(at int64, b Base) ID { return makeID(at, b) }

func splitID(id ID) (ms int64, b Base) {
	hi, lo := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	return int64(hi >> 16), Base{hi: hi & 0x0fff, lo: lo & (1<<lowBits - 1)}
}

// after gives the id n places behind one of the same command.
func after(id ID, n uint64) ID {
	ms, b := splitID(id)
	return makeID(ms, b.plus(n))
}

// before gives the id n places in front of one of the same command.
func before(id ID, n uint64) ID {
	ms, b := splitID(id)
	if b.lo < n {
		b.hi--
		b.lo += 1 << lowBits
	}
	b.lo -= n
	return makeID(ms, b)
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
