package engine

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"

	"holdfast/timeline"
)

// This file owns the rows of the timelines: lots, slots and units. They live in timeline.Stock alone; the rows are how they
// are written and read.

// lot is one article at one location.
type lot struct {
	no                timeline.LotNo
	article, location uint32
}

var lotKind = &kind[lot]{
	tag:  tagLot,
	name: "lot",
	part: func(a *account, l *lot) (string, ID) { return a.stockOf(l.article) },
	key: func(l *lot) (id ID) { // a lot has no id of its own: its number
		binary.BigEndian.PutUint32(id[12:], uint32(l.no))
		return id
	},
	encode: func(dst []byte, l *lot) []byte {
		dst = append(dst, hotVersion)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(l.no))
		dst = binary.LittleEndian.AppendUint32(dst, l.article)
		return binary.LittleEndian.AppendUint32(dst, l.location)
	},
	decode: decodeLot,
	find: func(a *account, like *lot) *lot {
		if uint32(like.no) > a.ledger.Lot {
			return nil
		}
		l := a.stock.Lot(like.no)
		return &lot{no: l.No, article: l.Article, location: l.Location}
	},
	all: func(a *account) iter.Seq[*lot] {
		return func(yield func(*lot) bool) {
			for no := uint32(1); no <= a.ledger.Lot; no++ {
				if l := a.stock.Lot(timeline.LotNo(no)); l.No != 0 && !yield(&lot{no: l.No, article: l.Article, location: l.Location}) {
					return
				}
			}
		}
	},
	put: func(_ *state, a *account, _, after *lot) {
		a.stock.AddLot(after.no, after.article, after.location)
		a.linkLot(after)
	},
	scan: func(l *accountLoader, key ID, b []byte) error {
		r, err := decodeLot(l.id, key, b)
		if err == nil {
			x := stockBulk.on(&l.bulk)
			x.lots = append(x.lots, *r)
		}
		return err
	},
	bulk: loadStock,
}

func decodeLot(_, _ ID, b []byte) (*lot, error) {
	r, err := hotReader("lot", b)
	if err != nil {
		return nil, err
	}
	l := &lot{no: timeline.LotNo(r.u32()), article: r.u32(), location: r.u32()}
	return l, r.done("lot")
}

func decodeSlot(_, key ID, b []byte) (*timeline.Slot, error) {
	r, err := hotReader("slot", b)
	if err != nil {
		return nil, err
	}
	s := &timeline.Slot{ID: key, No: timeline.SlotNo(r.u32()), Lot: timeline.LotNo(r.u32()), Span: Span{Start: r.i64(), End: r.i64()}}
	return s, r.done("slot")
}

// linkLot makes an article know its lot, and puts the lot into its pool. A lot outlives its article.
func (a *account) linkLot(l *lot) {
	of := a.articles().No(l.article)
	if of == nil {
		return
	}
	r := *of
	a.derive(&r, append(slices.Clip(r.lots), articleLot{location: l.location, no: l.no}))
	a.articles().Put(&r)
	if pool := a.poolFor(&r, l.location); pool != 0 {
		a.stock.SetPool(l.no, pool)
	}
}

var slotKind = &kind[timeline.Slot]{
	tag:  tagSlot,
	name: "slot",
	part: func(a *account, s *timeline.Slot) (string, ID) { return a.stockOf(a.stock.Lot(s.Lot).Article) },
	key:  func(s *timeline.Slot) ID { return s.ID },
	encode: func(dst []byte, s *timeline.Slot) []byte {
		dst = append(dst, hotVersion)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.No))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.Lot))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(s.Span.Start))
		return binary.LittleEndian.AppendUint64(dst, uint64(s.Span.End))
	},
	decode: decodeSlot,
	find: func(a *account, like *timeline.Slot) *timeline.Slot {
		s, ok := a.stock.Slot(like.No)
		if !ok {
			return nil
		}
		return &s
	},
	all: func(a *account) iter.Seq[*timeline.Slot] {
		return func(yield func(*timeline.Slot) bool) {
			for no := uint32(1); no <= a.ledger.Slot; no++ {
				if s, ok := a.stock.Slot(timeline.SlotNo(no)); ok && !yield(&s) {
					return
				}
			}
		}
	},
	put: func(_ *state, a *account, before, after *timeline.Slot) {
		switch {
		case a.drafted:
		case after == nil:
			a.stock.RemoveSlot(before.No)
		default:
			a.stock.PutSlot(*after)
		}
	},
	scan: func(l *accountLoader, key ID, b []byte) error {
		r, err := decodeSlot(l.id, key, b)
		if err == nil {
			x := stockBulk.on(&l.bulk)
			x.slots = append(x.slots, *r)
		}
		return err
	},
}

// unitKind is the unavailability: one unit of stock taken for a range.
var unitKind = &kind[timeline.Placed]{
	tag:    tagUnit,
	name:   "unavailability",
	part:   ownerOfUnit,
	key:    func(u *timeline.Placed) ID { return u.ID },
	encode: encodeUnit,
	decode: decodeUnit,
	find: func(a *account, like *timeline.Placed) *timeline.Placed {
		h, at, ok := a.stock.Find(like.ID)
		if !ok {
			return nil
		}
		return &timeline.Placed{Hold: h, Place: at}
	},
	all: func(a *account) iter.Seq[*timeline.Placed] {
		return func(yield func(*timeline.Placed) bool) {
			for u := range a.stock.Overlapping(Span{Start: math.MinInt64, End: Forever}) {
				if !yield(&u) {
					return
				}
			}
		}
	},
	remove: func(_ *state, a *account, before *timeline.Placed) {
		a.oneWays().count(before.Hold, -1)
		if !a.drafted {
			a.stock.Remove(before.ID)
		}
		if at, is := unitDue(before.Hold); is {
			a.due.remove(dueItem{at, before.ID, tagUnit})
		}
	},
	put: func(_ *state, a *account, _, after *timeline.Placed) {
		if after == nil {
			return
		}
		a.oneWays().count(after.Hold, 1)
		if !a.drafted {
			a.stock.Put(after.Hold, after.Place)
		}
		if at, is := unitDue(after.Hold); is {
			a.due.add(dueItem{at, after.ID, tagUnit})
		}
	},
	scan: func(l *accountLoader, key ID, b []byte) error {
		x := stockBulk.on(&l.bulk)
		u := x.units.next()
		err := decodeUnitInto(u, key, b)
		x.oneWays.count(u.Hold, 1)
		if at, is := unitDue(u.Hold); is && err == nil {
			l.due = append(l.due, dueItem{at, key, tagUnit})
		}
		return err
	},
}

func init() { unitKind.fall = (*tx).overdue }

// unitDue is when time acts on a unit: one that is out is late, one that was sold by an older program leaves the stock at once.
func unitDue(h timeline.Hold) (at int64, is bool) {
	if h.Kind == timeline.Sale {
		return max(1, h.Body().Start), true
	}
	return outUntil(h)
}

// stockOf is what units of stock are a part of: the article with a number.
func (a *account) stockOf(article uint32) (resource string, of ID) {
	if r := a.articles().No(article); r != nil {
		return "article", r.ID
	}
	return "", ID{}
}

// ownerOfUnit is what a taken unit is a part of.
func ownerOfUnit(a *account, u *timeline.Placed) (resource string, of ID) {
	of = a.ownerOf(u.Hold)
	switch u.Flags.Blocker() {
	case timeline.BlockerOrder:
		if of == (ID{}) {
			return "", of // its order is gone, and told of as such
		}
		return "order", of
	case timeline.BlockerScheduledEvent:
		return "scheduledEvent", of
	}
	return "hold", of
}

func encodeUnit(dst []byte, u *timeline.Placed) []byte {
	dst = append(dst, hotVersion, byte(u.Kind), byte(u.Flags))
	dst = binary.LittleEndian.AppendUint16(dst, u.Line)
	for _, n := range [...]int64{u.Span.Start, u.Span.End, int64(u.Owner), u.Before(), u.After(), u.Cut()} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(u.Place.Lot))
	return binary.LittleEndian.AppendUint32(dst, uint32(u.Place.Slot))
}

func decodeUnit(_, key ID, b []byte) (*timeline.Placed, error) {
	u := new(timeline.Placed)
	return u, decodeUnitInto(u, key, b)
}

func decodeUnitInto(u *timeline.Placed, key ID, b []byte) error {
	const size = 1 + 2 + 2 + 6*8 + 8
	if len(b) != size || b[0] != hotVersion {
		return fmt.Errorf("unavailability: unknown row version or length")
	}
	r := reader{b: b[1:]}
	kind, flags, line := timeline.Kind(r.u8()), timeline.Flags(r.u8()), r.u16()
	span := Span{Start: r.i64(), End: r.i64()}
	owner, before, after, cut := r.u64(), r.i64(), r.i64(), r.i64()
	const most = 1<<48 - 1
	if before < 0 || before > most || after < 0 || after > most || cut < 0 || cut > most {
		return fmt.Errorf("unavailability: stored lengths out of range")
	}
	h := timeline.NewHold(key, span, before, after).WithCut(cut)
	h.Owner, h.Line, h.Kind, h.Flags = owner, line, kind, flags
	*u = timeline.Placed{Hold: h, Place: timeline.Place{Lot: timeline.LotNo(r.u32()), Slot: timeline.SlotNo(r.u32())}}
	return nil
}

// newLot makes the lot of an article at a location.
func (t *tx) newLot(article, location uint32) timeline.LotNo {
	t.ledger.Lot++
	l := &lot{no: timeline.LotNo(t.ledger.Lot), article: article, location: location}
	record(t, lotKind, nil, l)
	return l.no
}

// newSlot makes a unit of a lot.
func (t *tx) newSlot(l timeline.LotNo, over Span) timeline.Slot {
	t.ledger.Slot++
	s := timeline.Slot{ID: t.newID(), No: timeline.SlotNo(t.ledger.Slot), Lot: l, Span: over}
	record(t, slotKind, nil, &s)
	return s
}
