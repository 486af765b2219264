package order

import (
	"fmt"
	"math"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/timeline"
)

// This file owns the check of orders.

func init() { base.RegisterFollower(base.Follower{Check: checkOrders}) }

// checkOrders holds orders against the timelines and the codes: the units that their lines take are the holds that say
// so, and a code's uses are the orders that carry it.
func checkOrders(a *base.AccountState) error {
	units, uses, named := 0, map[base.ID]int64{}, newOrderUses()
	for o := range OrderTable(a).All() {
		if OrderTable(a).No(o.Number) != o {
			return fmt.Errorf("order %s is not found by its number", o.ID)
		}
		recount(named, nil, o)
		for i := range o.Lines {
			l := &o.Lines[i]
			for j := range l.Units {
				u := &l.Units[j]
				if u.Hold == (base.ID{}) {
					if takes := o.Status != OrderDraft &&
						(u.State == Pending || u.State == Prepared || u.State == Fulfilled); takes {
						return fmt.Errorf("unit %s of order %s is %s and takes no stock", u.ID, o.ID, u.State)
					}
					continue
				}
				if u.Lot != 0 {
					if _, _, ok := a.Stock.Find(u.Hold); ok {
						return fmt.Errorf("unit %s of order %s is sold and has a hold", u.ID, o.ID)
					}
					continue
				}
				units++
				h, _, ok := a.Stock.Find(u.Hold)
				if !ok || h.Flags.Blocker() != timeline.BlockerOrder || h.Owner != uint64(o.Number) || h.Line != l.No {
					return fmt.Errorf("unit %s of order %s has no hold of its own", u.ID, o.ID)
				}
				if out := u.Handed != 0; out != h.Flags.Has(timeline.Out) ||
					(u.Returned != 0) != h.Flags.Has(timeline.Back) {
					return fmt.Errorf("unit %s of order %s is %s, its hold says otherwise", u.ID, o.ID, u.State)
				}
			}
		}
		if _, ok := o.Price(); !ok {
			return fmt.Errorf("order %s has no price", o.ID)
		}
		for i := range o.Codes {
			if !o.Codes[i].Unused {
				uses[o.Codes[i].ID]++
			}
		}
	}
	for h := range a.Stock.Overlapping(base.Span{Start: math.MinInt64, End: base.Forever}) {
		if h.Flags.Blocker() == timeline.BlockerOrder {
			units--
		}
	}
	if units != 0 {
		return fmt.Errorf("orders have %d units more than there are holds of orders", units)
	}
	for d := range commerce.DiscountTable(a).All() {
		if d.Used != uses[d.ID] {
			return fmt.Errorf("discount code %s has %d uses, %d orders have used it", d.ID, d.Used, uses[d.ID])
		}
	}
	if !slices.Equal(named.Items.Items(), orderUses(a).Items.Items()) {
		return fmt.Errorf("orders refer to %v, the index says %v", named.Items.Items(), orderUses(a).Items.Items())
	}
	return nil
}
