package order

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	gojson "github.com/goccy/go-json"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns how orders and their units are written. The units have rows of their own, many in one, so that what is
// written of a change is the order without its units, and those rows whose units it changes. In memory an order has its
// units in its lines.

// UnitsPerRow is how many units of an order a row has. They are counted through the order's lines.
const UnitsPerRow = 64

// OrderUnits is such a row: units of the order with a number, from Part*UnitsPerRow on.
type OrderUnits struct {
	Order, Part uint32
	Units       []OrderUnit
}

const OrderUnitsName = "units of an order"

var OrderUnitsKind = &base.Kind[OrderUnits]{
	Tag:  base.TagOrderUnits,
	Name: OrderUnitsName,
	Key: func(r *OrderUnits) (id base.ID) { // it has no id of its own
		binary.BigEndian.PutUint32(id[8:], r.Order)
		binary.BigEndian.PutUint32(id[12:], r.Part)
		return id
	},
	Encode: encodeOrderUnits,
	Weigh:  func(r *OrderUnits) int { return base.HotWeight * (1 + len(r.Units)) },
	Decode: decodeOrderUnits,
	Find: func(a *base.AccountState, like *OrderUnits) *OrderUnits {
		return OrderTable(a).No(like.Order).UnitsRow(like.Part)
	},
	All: func(a *base.AccountState) iter.Seq[*OrderUnits] {
		return func(yield func(*OrderUnits) bool) {
			for o := range OrderTable(a).All() {
				for part := range o.UnitsRows() {
					if !yield(o.UnitsRow(part)) {
						return
					}
				}
			}
		}
	},
	Put: func(_ *base.State, a *base.AccountState, before, after *OrderUnits) {
		followSales(a, before, after)
		if after == nil {
			return // the order has fewer by now
		}
		if o := OrderTable(a).No(after.Order); o != nil { // as the same command leaves it: nothing else has read it yet
			c := o.unitsFrom(int(after.Part) * UnitsPerRow)
			for _, is := range after.Units {
				if u := c.next(); u != nil {
					*u = is
				}
			}
		}
	},
}

// weighOrder is about how long an order is written.
func weighOrder(o *Order) int {
	n := *o
	n.Lines = slices.Clone(o.Lines)
	for i := range n.Lines {
		n.Lines[i].Units = nil // they have rows of their own
	}
	return base.JSONWeight(&n) + 20*len(n.Lines)
}

// UnitsRows is how many rows the units of an order make.
func (o *Order) UnitsRows() uint32 {
	if o == nil {
		return 0
	}
	return uint32(o.UnitCount()+UnitsPerRow-1) / UnitsPerRow
}

// UnitsRow is one of them, or nil.
func (o *Order) UnitsRow(part uint32) *OrderUnits {
	if part >= o.UnitsRows() {
		return nil
	}
	first := int(part) * UnitsPerRow
	r := &OrderUnits{Order: o.Number, Part: part}
	if len(o.Lines) == 1 {
		r.Units = o.Lines[0].Units[first:min(first+UnitsPerRow, len(o.Lines[0].Units))]
		return r
	}
	r.Units = make([]OrderUnit, min(UnitsPerRow, o.UnitCount()-first))
	c := o.unitsFrom(first)
	for i := range r.Units {
		r.Units[i] = *c.next()
	}
	return r
}

// unitCursor goes through the units of an order.
type unitCursor struct {
	order    *Order
	line, at int
}

// unitsFrom is a cursor before the unit at a place.
func (o *Order) unitsFrom(place int) unitCursor {
	c := unitCursor{order: o, at: place}
	for c.line < len(o.Lines) && c.at >= len(o.Lines[c.line].Units) {
		c.at -= len(o.Lines[c.line].Units)
		c.line++
	}
	return c
}

// next is the next unit, or nil.
func (c *unitCursor) next() *OrderUnit {
	for c.line < len(c.order.Lines) {
		if units := c.order.Lines[c.line].Units; c.at < len(units) {
			c.at++
			return &units[c.at-1]
		}
		c.line, c.at = c.line+1, 0
	}
	return nil
}

// recordUnits adds the rows of units that differ between two states of an order to the write set; nil: there is no
// order.
func recordUnits(t *base.Tx, before, after *Order) {
	for part := range max(before.UnitsRows(), after.UnitsRows()) {
		was, is := before.UnitsRow(part), after.UnitsRow(part)
		if was == nil || is == nil || !slices.Equal(was.Units, is.Units) {
			base.Record(t, OrderUnitsKind, was, is)
		}
	}
}

// sameUnits says that two states of an order with the same lines have the same units.
func (o *Order) sameUnits(p *Order) bool {
	return slices.EqualFunc(o.Lines, p.Lines, func(l, m OrderLine) bool { return slices.Equal(l.Units, m.Units) })
}

func encodeOrderUnits(dst []byte, r *OrderUnits) []byte {
	dst = append(dst, base.HotVersion)
	for i := range r.Units {
		u := &r.Units[i]
		more := base.Flags(u.Lot != 0, u.Substitute, u.WasReady) // what few have
		dst = append(dst, byte(u.State), base.Flags(u.ByHand, u.Hold != (base.ID{}), u.Handed != 0, u.Returned != 0,
			u.UpdatedAt != 0, u.Part != 0, more != 0))
		dst = append(dst, u.ID[:]...)
		if u.Hold != (base.ID{}) {
			dst = append(dst, u.Hold[:]...)
		}
		for _, at := range [...]int64{u.Handed, u.Returned, u.UpdatedAt} {
			if at != 0 {
				dst = binary.LittleEndian.AppendUint64(dst, uint64(at))
			}
		}
		if u.Part != 0 {
			dst = binary.LittleEndian.AppendUint16(dst, u.Part)
		}
		if more != 0 {
			dst = append(dst, more)
		}
		if u.Lot != 0 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(u.Lot))
		}
	}
	return dst
}

func decodeOrderUnits(_, key base.ID, b []byte) (*OrderUnits, error) {
	r, err := base.HotReader(OrderUnitsName, b)
	if err != nil {
		return nil, err
	}
	n := &OrderUnits{Order: binary.BigEndian.Uint32(key[8:]), Part: binary.BigEndian.Uint32(key[12:]),
		Units: make([]OrderUnit, 0, UnitsPerRow)}
	for len(r.B) > 0 && !r.Bad && len(n.Units) < UnitsPerRow {
		u := OrderUnit{State: Fulfillment(r.U8())}
		var held, handed, returned, updated, ofPart, more, hasLot bool
		r.Flags(&u.ByHand, &held, &handed, &returned, &updated, &ofPart, &more)
		u.ID = r.ID()
		if held {
			u.Hold = r.ID()
		}
		if handed {
			u.Handed = r.I64()
		}
		if returned {
			u.Returned = r.I64()
		}
		if updated {
			u.UpdatedAt = r.I64()
		}
		if ofPart {
			u.Part = r.U16()
		}
		if more {
			r.Flags(&hasLot, &u.Substitute, &u.WasReady)
		}
		if hasLot {
			u.Lot = timeline.LotNo(r.U32())
		}
		if int(u.State) >= len(Fulfillments) {
			return nil, fmt.Errorf("%s: stored unit has state %d", OrderUnitsName, u.State)
		}
		n.Units = append(n.Units, u)
	}
	return n, r.Done(OrderUnitsName)
}

// Versions of an order's row. Those of format 1 have their units in them.
const (
	orderWithUnits = base.ColdVersion
	orderVersion   = 2
)

// storedOrder is an order as it is written: of each line it says how many units it has.
type storedOrder struct {
	Order
	Lines []storedLine `json:",omitempty"`
}

type storedLine struct {
	OrderLine
	Units int `json:",omitempty"`
}

// olderOrder makes a row with units in it one without, and theirs.
func olderOrder(account, id base.ID, b []byte) (rows []base.Image, older bool, err error) {
	if len(b) == 0 || b[0] != orderWithUnits {
		return nil, false, nil
	}
	o, err := decodeOrder(account, id, b)
	if err == nil {
		err = base.Knows[Order](b)
	}
	if err != nil {
		return nil, true, err
	}
	rows = append(rows, base.Image{Tag: base.TagOrder, ID: id, Value: encodeOrder(nil, o)})
	for part := range o.UnitsRows() {
		r := o.UnitsRow(part)
		rows = append(rows,
			base.Image{Tag: base.TagOrderUnits, ID: OrderUnitsKind.Key(r), Value: encodeOrderUnits(nil, r)})
	}
	return rows, true, nil
}

// encodeOrder writes an order without its units.
func encodeOrder(dst []byte, o *Order) []byte {
	s := storedOrder{Order: *o, Lines: make([]storedLine, len(o.Lines))}
	if o.Return == o.Pickup {
		s.ReturnAt = nil
	}
	for i := range o.Lines {
		s.Lines[i] = storedLine{o.Lines[i], len(o.Lines[i].Units)}
	}
	return append(append(dst, orderVersion), base.MustJSON(&s)...)
}

func decodeOrder(account, key base.ID, b []byte) (*Order, error) {
	if len(b) == 0 || b[0] != orderVersion {
		o, err := base.DecodeCold[Order]("order")(account, key, b)
		if err != nil {
			return nil, err
		}
		return o.Clone(), nil // reading lists leaves room in them
	}
	var s storedOrder
	if err := gojson.Unmarshal(b[1:], &s); err != nil {
		return nil, fmt.Errorf("order: %w", err)
	}
	s.Order.Lines = make([]OrderLine, len(s.Lines))
	for i := range s.Lines {
		l := s.Lines[i].OrderLine
		if n := s.Lines[i].Units; n < 0 || n > base.MaxUnits {
			return nil, fmt.Errorf("order: stored line has %d units", n)
		} else if n > 0 {
			l.Units = make([]OrderUnit, n)
		}
		s.Order.Lines[i] = l
	}
	if s.Return == s.Pickup {
		s.ReturnAt = s.PickupAt
	}
	s.bare = true
	return s.Clone(), nil // the stored form is not kept with it, nor the spare room that reading leaves in lists
}

// unpack copies the units of the previous row into an order that was read without units. The rows of changed units are
// applied afterwards.
func (o *Order) unpack(before *Order) {
	if !o.bare {
		return
	}
	o.bare = false
	if before == nil {
		return
	}
	old, now := before.unitsFrom(0), o.unitsFrom(0)
	for was, is := old.next(), now.next(); was != nil && is != nil; was, is = old.next(), now.next() {
		*is = *was
	}
}
