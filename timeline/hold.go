package timeline

// This file owns the rows of the package: the hold, the slot, the lot, and the numbers that name them.

import (
	"encoding/binary"
	"unsafe"
)

// ID is the 16 bytes of a UUIDv7. Ids are made in strictly increasing order over the whole engine, so the order of ids,
// which is that of their bytes, is the order of creation.
type ID [16]byte

// Before says that the id comes earlier in id order.
func (a ID) Before(b ID) bool { return a.key().before(b.key()) }

// Compare orders ids: -1, 0 or +1. For slices.SortFunc.
func (a ID) Compare(b ID) int { return a.key().compare(b.key()) }

// Numbers of one account's slots, lots and pools, dense from 1, in the order of their ids; 0 is none. They are given by
// the caller and never reused.
type (
	SlotNo uint32
	LotNo  uint32
	PoolNo uint32
)

// Kind is what a hold's body is, in the merchant's words.
type Kind uint8

// The zero value is not a kind.
const (
	Booking Kind = iota + 1
	SalesReservation
	Sale
)

// Flags says what binds a hold to where it sits, and which kind of record asked for it.
type Flags uint8

// PinnedArticle: made for one article, so it never moves to another lot. PinnedSlot: made for one slot. Out: its unit
// is handed over, so it never moves at all. Back is set with Out when the unit has been returned: only its buffer is
// left. Choosy: it asks something of its lot (Chooser). OneWay: its unit goes elsewhere for good when it ends, so while
// it is seated it stays in its lot, which has one slot less from then on. The two Blocker bits are an enumeration, read
// with Flags.Blocker.
const (
	PinnedArticle Flags = 1 << iota
	PinnedSlot
	Out
	blockerLow
	blockerHigh
	Back
	Choosy
	OneWay

	// Pinned is any flag that may keep a seated hold where it is.
	Pinned = PinnedArticle | PinnedSlot | Out | OneWay

	// toLot are the flags that keep a seated hold in its lot.
	toLot = PinnedArticle | OneWay
)

// Blocker is the kind of record that asked for a hold.
type Blocker uint8

// The zero value is a hold without an order, such as a cart.
const (
	BlockerHold Blocker = iota
	BlockerOrder
	BlockerScheduledEvent
)

// Has says that all of the bits of o are set.
func (f Flags) Has(o Flags) bool { return f&o == o }

// Any says that one of the bits of o is set.
func (f Flags) Any(o Flags) bool { return f&o != 0 }

// Blocker is the kind of record that asked for the hold.
func (f Flags) Blocker() Blocker { return Blocker(f / blockerLow % 4) }

// WithBlocker is f with another blocker.
func (f Flags) WithBlocker(b Blocker) Flags {
	return f&^(blockerLow|blockerHigh) | Flags(b%4)*blockerLow
}

// uint48 is a length in milliseconds, below 2^48 (8,900 years), in six bytes, low byte first.
type uint48 [6]byte

func toUint48(ms int64) uint48 {
	if ms < 0 || ms >= 1<<48 {
		panic("timeline: length out of range")
	}
	return uint48{byte(ms), byte(ms >> 8), byte(ms >> 16), byte(ms >> 24), byte(ms >> 32), byte(ms >> 40)}
}

func (u uint48) ms() int64 {
	return int64(binary.LittleEndian.Uint32(u[:4])) | int64(binary.LittleEndian.Uint16(u[4:]))<<32
}

// Hold is one unit of stock taken for a range: the unavailability's row. 64 bytes, no pointers, comparable.
//
//	Span.Start        Body().Start          Body().End       Span.End
//	    |---- before ----|------- body ---------|--- after ---|
//	    |-- cut --|
//	              Seat() ------------------------------------>|
//
// Span is the hull, buffers included, and what a conflict is counted for. Seat is the room that the hold takes on a
// rail: the hull except for its cut, the past part of a hold that was seated late.
type Hold struct {
	ID    ID
	Span  Span
	Owner uint64 // its meaning belongs to the engine

	before, after, cut uint48

	Line  uint16 // line number within its owner
	Kind  Kind
	Flags Flags
}

const holdSize = unsafe.Sizeof(Hold{})

// The row's size is part of the memory budget: these two lines do not compile when it changes.
var (
	_ [holdSize - 64]struct{}
	_ [64 - holdSize]struct{}
)

// NewHold makes a hold whose hull is span, with the lengths in milliseconds of the buffers inside it: 0 <= before,
// after < 2^48, and together shorter than the hull. An open end has no buffer after it.
func NewHold(id ID, span Span, before, after int64) Hold {
	return Hold{ID: id, Span: span}.WithBuffers(before, after)
}

// Before and After are the lengths of the buffers inside the hull, Cut the length of the part of its beginning that
// needs no room; all in milliseconds.
func (h Hold) Before() int64 { return h.before.ms() }
func (h Hold) After() int64  { return h.after.ms() }
func (h Hold) Cut() int64    { return h.cut.ms() }

// Body is the hull without its buffers.
func (h Hold) Body() Span {
	if h.Span.End == Forever {
		return Span{h.Span.Start + h.before.ms(), Forever}
	}
	return Span{h.Span.Start + h.before.ms(), h.Span.End - h.after.ms()}
}

// Seat is the room that the hold takes on a rail.
func (h Hold) Seat() Span { return Span{h.Span.Start + h.cut.ms(), h.Span.End} }

// wants is the hull, without an end where the unit goes elsewhere then: what a hold waits for that has no unit.
func (h Hold) wants() Span {
	if h.Flags.Has(OneWay) {
		return Span{h.Span.Start, Forever}
	}
	return h.Span
}

// WithBuffers is h with other buffers inside the same hull; see NewHold.
func (h Hold) WithBuffers(before, after int64) Hold {
	h.before, h.after = toUint48(before), toUint48(after)
	return h
}

// WithCut is h with another cut, 0 <= ms < the hull's length.
func (h Hold) WithCut(ms int64) Hold {
	h.cut = toUint48(ms)
	return h
}

// WithSpan is h with another hull; its buffers and its cut stay as they are.
func (h Hold) WithSpan(s Span) Hold {
	h.Span = s
	return h
}

// Slot is one unit of a lot over a range.
type Slot struct {
	ID   ID
	No   SlotNo
	Lot  LotNo
	Span Span
}

// Lot is one article at one location: the article's own pool. Pool is 0 where it is in none.
type Lot struct {
	No       LotNo
	Article  uint32
	Location uint32
	Pool     PoolNo
}

// Place is where a hold is. Slot 0: it has no unit, it is a conflict of that lot.
type Place struct {
	Lot  LotNo
	Slot SlotNo
}

// Seated says that the hold has a unit.
func (p Place) Seated() bool { return p.Slot != 0 }

// Placed is a hold where it is.
type Placed struct {
	Hold
	Place Place
}

// PoolRef names what is asked: one lot, or a pool of lots whose units may stand in for each other. The zero value names
// nothing.
type PoolRef struct {
	no   uint32
	pool bool
}

// LotRef names one article at one location.
func LotRef(no LotNo) PoolRef { return PoolRef{uint32(no), false} }

// SKURef names a pool of lots.
func SKURef(no PoolNo) PoolRef { return PoolRef{uint32(no), true} }

// Lot is the lot that is named; ok is false where a pool of lots is.
func (p PoolRef) Lot() (no LotNo, ok bool) {
	if p.pool {
		return 0, false
	}
	return LotNo(p.no), true
}
