package order

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/tidwall/btree"

	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns units that are sold. At the hand-over the unit leaves the stock: its slot ends, and its hold is gone.
// The rest is history, in the order's row: it is shown with the article in a window that contains the instant, and
// takes no room from other holds.

// sell takes a unit that lies on a slot out of the stock for good.
func sell(t *base.Tx, u *OrderUnit, h timeline.Hold, place timeline.Place, at int64) {
	d := stock.Draft(t)
	d.Take(h.ID)
	d.EndSlot(place.Slot, max(at, h.Seat().Start)) // what lies on the slot before that is another's
	u.State, u.Handed, u.Lot = Fulfilled, at, place.Lot
}

// retire takes out of the stock a unit that an older program sold: such a program kept it as a hold.
func retire(t *base.Tx, h timeline.Hold, place timeline.Place) {
	u := new(OrderUnit)
	if o := orderOf(t.Acc, h); o != nil {
		if n, err := Edit(t, o.ID); err == nil {
			u = n.unitOf(h.Line, h.ID)
		}
	}
	sell(t, u, h, place, u.Handed)
}

func init() { stock.Retired = retire }

// sold is a unit that was sold, as it is found by its article and the instant.
type sold struct {
	article uint32
	at      int64
	hold    base.ID
	order   uint32
	line    uint16
	lot     timeline.LotNo
}

// before is the order of an article's sales.
func (s sold) before(o sold) bool {
	return cmp.Or(cmp.Compare(s.article, o.article), cmp.Compare(s.at, o.at), bytes.Compare(s.hold[:], o.hold[:])) < 0
}

// soldUnits are all units of an account that were sold. They follow from the rows of units.
type soldUnits struct {
	items *btree.BTreeG[sold]
	copy  *soldUnits // what publish gave last, while nothing has changed since
}

var soldExtension = base.RegisterExtension(newSoldUnits)

func soldOf(a *base.AccountState) *soldUnits { return soldExtension.In(a) }

func newSoldUnits() *soldUnits {
	return &soldUnits{items: btree.NewBTreeGOptions(sold.before, btree.Options{NoLocks: true})}
}

// Publish gives a copy that never changes.
func (s *soldUnits) Publish() base.Extension {
	if s.copy == nil {
		s.copy = &soldUnits{items: s.items.Copy()}
	}
	return s.copy
}

func (s *soldUnits) put(x sold) {
	s.items.Set(x)
	s.copy = nil
}

func (s *soldUnits) remove(x sold) {
	if _, ok := s.items.Delete(x); ok {
		s.copy = nil
	}
}

// sale is a unit as one that was sold; ok is false where it was not.
func sale(a *base.AccountState, order uint32, line uint16, u *OrderUnit) (s sold, ok bool) {
	if u.Lot == 0 || u.Returned != 0 {
		return s, false
	}
	return sold{a.Stock.Lot(u.Lot).Article, u.Handed, u.Hold, order, line, u.Lot}, true
}

// followSales keeps up what was sold as rows of units change. The order of those that are is in place already.
func followSales(a *base.AccountState, before, after *OrderUnits) {
	if before != nil {
		for i := range before.Units {
			if s, ok := sale(a, before.Order, 0, &before.Units[i]); ok {
				soldOf(a).remove(s)
			}
		}
	}
	if after == nil {
		return
	}
	o := OrderTable(a).No(after.Order)
	if o == nil {
		return
	}
	c := o.unitsFrom(int(after.Part) * UnitsPerRow)
	for i := range after.Units {
		if c.next() == nil {
			return
		}
		if s, ok := sale(a, after.Order, o.Lines[c.line].No, &after.Units[i]); ok {
			soldOf(a).put(s)
		}
	}
}

func init() { stock.History = salesOf }

// salesOf visits what was sold of a lot at an instant of a window.
func salesOf(a *base.AccountState, lot timeline.LotNo, w base.Span, visit func(timeline.Placed)) {
	of := a.Stock.Lot(lot).Article
	soldOf(a).items.Ascend(sold{article: of, at: w.Start}, func(s sold) bool {
		if s.article != of || s.at >= w.End {
			return false
		}
		if s.lot == lot {
			h := timeline.NewHold(s.hold, base.Span{Start: s.at, End: base.Forever}, 0, 0)
			h.Owner, h.Line, h.Kind, h.Flags = uint64(s.order), s.line, timeline.Sale,
				timeline.Out.WithBlocker(timeline.BlockerOrder)
			visit(timeline.Placed{Hold: h, Place: timeline.Place{Lot: lot}})
		}
		return true
	})
}

func init() { base.RegisterFollower(base.Follower{Check: checkSales}) }

// checkSales holds the index against the orders.
func checkSales(a *base.AccountState) error {
	n := 0
	for o := range OrderTable(a).All() {
		for i := range o.Lines {
			for j := range o.Lines[i].Units {
				s, ok := sale(a, o.Number, o.Lines[i].No, &o.Lines[i].Units[j])
				if !ok {
					continue
				}
				n++
				if x, _ := soldOf(a).items.Get(s); x != s {
					return fmt.Errorf("the sale %+v is not found by its article", s)
				}
			}
		}
	}
	if n != soldOf(a).items.Len() {
		return fmt.Errorf("orders have %d sales, the index says %d", n, soldOf(a).items.Len())
	}
	return nil
}
