package stock

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns the rows of the timelines: lots, slots and units. They live in timeline.Stock alone; the rows are how
// they are written and read.

// Lot is one article at one location.
type Lot struct {
	No                timeline.LotNo
	article, location uint32
}

var LotKind = &base.Kind[Lot]{
	Tag:  base.TagLot,
	Name: "lot",
	Part: func(a *base.AccountState, l *Lot) (string, base.ID) { return StockOf(a, l.article) },
	Key: func(l *Lot) (id base.ID) { // a lot has no id of its own: its number
		binary.BigEndian.PutUint32(id[12:], uint32(l.No))
		return id
	},
	Encode: func(dst []byte, l *Lot) []byte {
		dst = append(dst, base.HotVersion)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(l.No))
		dst = binary.LittleEndian.AppendUint32(dst, l.article)
		return binary.LittleEndian.AppendUint32(dst, l.location)
	},
	Decode: decodeLot,
	Find: func(a *base.AccountState, like *Lot) *Lot {
		if uint32(like.No) > a.Ledger.Lot {
			return nil
		}
		l := a.Stock.Lot(like.No)
		return &Lot{No: l.No, article: l.Article, location: l.Location}
	},
	All: func(a *base.AccountState) iter.Seq[*Lot] {
		return func(yield func(*Lot) bool) {
			for no := uint32(1); no <= a.Ledger.Lot; no++ {
				if l := a.Stock.Lot(timeline.LotNo(no)); l.No != 0 &&
					!yield(&Lot{No: l.No, article: l.Article, location: l.Location}) {
					return
				}
			}
		}
	},
	Put: func(_ *base.State, a *base.AccountState, _, after *Lot) {
		if !a.Drafted {
			a.Stock.AddLot(after.No, after.article, after.location)
		}
		linkLot(a, after)
	},
	Scan: func(l *base.AccountLoader, key base.ID, b []byte) error {
		r, err := decodeLot(l.ID, key, b)
		if err == nil {
			x := stockBulk.On(&l.Bulk)
			x.lots = append(x.lots, *r)
		}
		return err
	},
	Bulk: loadStock,
}

func decodeLot(_, _ base.ID, b []byte) (*Lot, error) {
	r, err := base.HotReader("lot", b)
	if err != nil {
		return nil, err
	}
	l := &Lot{No: timeline.LotNo(r.U32()), article: r.U32(), location: r.U32()}
	return l, r.Done("lot")
}

func decodeSlot(_, key base.ID, b []byte) (*timeline.Slot, error) {
	r, err := base.HotReader("slot", b)
	if err != nil {
		return nil, err
	}
	s := &timeline.Slot{ID: key, No: timeline.SlotNo(r.U32()), Lot: timeline.LotNo(r.U32()),
		Span: base.Span{Start: r.I64(), End: r.I64()}}
	return s, r.Done("slot")
}

// linkLot makes an article know its lot, and puts the lot into its pool. A lot outlives its article.
func linkLot(a *base.AccountState, l *Lot) {
	of := ArticleTable(a).No(l.article)
	if of == nil {
		return
	}
	r := *of
	derive(a, &r, append(slices.Clip(r.Lots), ArticleLot{Location: l.location, No: l.No}))
	ArticleTable(a).Put(&r)
	if pool := poolFor(a, &r, l.location); pool != 0 {
		a.Stock.SetPool(l.No, pool)
	}
}

var SlotKind = &base.Kind[timeline.Slot]{
	Tag:  base.TagSlot,
	Name: "slot",
	Part: func(a *base.AccountState, s *timeline.Slot) (string, base.ID) {
		return StockOf(a, a.Stock.Lot(s.Lot).Article)
	},
	Key: func(s *timeline.Slot) base.ID { return s.ID },
	Encode: func(dst []byte, s *timeline.Slot) []byte {
		dst = append(dst, base.HotVersion)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.No))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.Lot))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(s.Span.Start))
		return binary.LittleEndian.AppendUint64(dst, uint64(s.Span.End))
	},
	Decode: decodeSlot,
	Find: func(a *base.AccountState, like *timeline.Slot) *timeline.Slot {
		s, ok := a.Stock.Slot(like.No)
		if !ok {
			return nil
		}
		return &s
	},
	All: func(a *base.AccountState) iter.Seq[*timeline.Slot] {
		return func(yield func(*timeline.Slot) bool) {
			for no := uint32(1); no <= a.Ledger.Slot; no++ {
				if s, ok := a.Stock.Slot(timeline.SlotNo(no)); ok && !yield(&s) {
					return
				}
			}
		}
	},
	Put: func(_ *base.State, a *base.AccountState, before, after *timeline.Slot) {
		switch {
		case a.Drafted:
		case after == nil:
			a.Stock.RemoveSlot(before.No)
		default:
			a.Stock.PutSlot(*after)
		}
	},
	Scan: func(l *base.AccountLoader, key base.ID, b []byte) error {
		r, err := decodeSlot(l.ID, key, b)
		if err == nil {
			x := stockBulk.On(&l.Bulk)
			x.slots = append(x.slots, *r)
		}
		return err
	},
}

// UnitKind is the unavailability: one unit of stock taken for a range.
var UnitKind = &base.Kind[timeline.Placed]{
	Tag:    base.TagUnit,
	Name:   "unavailability",
	Part:   ownerOfUnit,
	Key:    func(u *timeline.Placed) base.ID { return u.ID },
	Encode: encodeUnit,
	Decode: decodeUnit,
	Find: func(a *base.AccountState, like *timeline.Placed) *timeline.Placed {
		h, at, ok := a.Stock.Find(like.ID)
		if !ok {
			return nil
		}
		return &timeline.Placed{Hold: h, Place: at}
	},
	All: func(a *base.AccountState) iter.Seq[*timeline.Placed] {
		return func(yield func(*timeline.Placed) bool) {
			for u := range a.Stock.Overlapping(base.Span{Start: math.MinInt64, End: base.Forever}) {
				if !yield(&u) {
					return
				}
			}
		}
	},
	Remove: func(_ *base.State, a *base.AccountState, before *timeline.Placed) {
		OneWays(a).count(before.Hold, -1)
		if !a.Drafted {
			a.Stock.Remove(before.ID)
		}
	},
	Put: func(_ *base.State, a *base.AccountState, _, after *timeline.Placed) {
		if after == nil {
			return
		}
		OneWays(a).count(after.Hold, 1)
		if !a.Drafted {
			a.Stock.Put(after.Hold, after.Place)
		}
	},
	Scan: func(l *base.AccountLoader, key base.ID, b []byte) error {
		x := stockBulk.On(&l.Bulk)
		u := x.units.Next()
		err := DecodeUnitInto(u, key, b)
		x.oneWays.count(u.Hold, 1)
		if at := unitDue(u); at != 0 && err == nil {
			l.Due = append(l.Due, base.DueItem{At: at, ID: key, Tag: base.TagUnit})
		}
		return err
	},
}

func init() {
	UnitKind.DueAt(unitDue)
	UnitKind.WhenDue.Do, UnitKind.WhenDue.Together = overdue, overdueTogether
}

// unitDue is when time acts on a unit: one that is out is late, one that was sold by an older program leaves the stock
// at once. 0: never.
func unitDue(u *timeline.Placed) int64 {
	if u.Kind == timeline.Sale {
		return max(base.AsOlder+1, u.Body().Start)
	}
	at, _ := OutUntil(u.Hold)
	return at
}

// StockOf is what units of stock are a part of: the article with a number.
func StockOf(a *base.AccountState, article uint32) (resource string, of base.ID) {
	if r := ArticleTable(a).No(article); r != nil {
		return "article", r.ID
	}
	return "", base.ID{}
}

// ownerOfUnit is the record that a taken unit is a part of. It is nothing if that record is gone, which is then
// reported for the record itself, or if its line is gone.
func ownerOfUnit(a *base.AccountState, u *timeline.Placed) (resource string, of base.ID) {
	by := u.Flags.Blocker()
	of = OwnerOf(a, u.Hold)
	if o := ownerships[by]; of == (base.ID{}) || o != nil && o.Kept != nil && !o.Kept(a, of) {
		return "", base.ID{}
	}
	return takerNames[by], of
}

func encodeUnit(dst []byte, u *timeline.Placed) []byte {
	dst = append(dst, base.HotVersion, byte(u.Kind), byte(u.Flags))
	dst = binary.LittleEndian.AppendUint16(dst, u.Line)
	for _, n := range [...]int64{u.Span.Start, u.Span.End, int64(u.Owner), u.Before(), u.After(), u.Cut()} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(u.Place.Lot))
	return binary.LittleEndian.AppendUint32(dst, uint32(u.Place.Slot))
}

func decodeUnit(_, key base.ID, b []byte) (*timeline.Placed, error) {
	u := new(timeline.Placed)
	return u, DecodeUnitInto(u, key, b)
}

// DecodeUnitInto reads the row of a unit.
func DecodeUnitInto(u *timeline.Placed, key base.ID, b []byte) error {
	const size = 1 + 2 + 2 + 6*8 + 8
	if len(b) != size || b[0] != base.HotVersion {
		return fmt.Errorf("unavailability: unknown row version or length")
	}
	r := base.Reader{B: b[1:]}
	kind, flags, line := timeline.Kind(r.U8()), timeline.Flags(r.U8()), r.U16()
	span := base.Span{Start: r.I64(), End: r.I64()}
	owner, before, after, cut := r.U64(), r.I64(), r.I64(), r.I64()
	const most = 1<<48 - 1
	if before < 0 || before > most || after < 0 || after > most || cut < 0 || cut > most {
		return fmt.Errorf("unavailability: stored lengths out of range")
	}
	h := timeline.NewHold(key, span, before, after).WithCut(cut)
	h.Owner, h.Line, h.Kind, h.Flags = owner, line, kind, flags
	*u = timeline.Placed{Hold: h, Place: timeline.Place{Lot: timeline.LotNo(r.U32()), Slot: timeline.SlotNo(r.U32())}}
	return nil
}

// newLot makes the lot of an article at a location.
func newLot(t *base.Tx, article, location uint32) timeline.LotNo {
	t.Ledger.Lot++
	l := &Lot{No: timeline.LotNo(t.Ledger.Lot), article: article, location: location}
	base.Record(t, LotKind, nil, l)
	return l.No
}

// newSlot makes a unit of a lot.
func newSlot(t *base.Tx, l timeline.LotNo, over base.Span) timeline.Slot {
	t.Ledger.Slot++
	s := timeline.Slot{ID: t.NewID(), No: timeline.SlotNo(t.Ledger.Slot), Lot: l, Span: over}
	base.Record(t, SlotKind, nil, &s)
	return s
}
