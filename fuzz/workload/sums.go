package workload

import (
	"fmt"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the sums that hold after every command, whatever it was: they are taken from the engine's reads alone,
// not from the twin, and each names two records that could come apart.

// sums are the relations, in the order in which they are judged. That an event is there exactly when its change is, is
// judged command by command, by the twin.
var sums = []func(base.View) error{unitsAreHolds, usesAreOrders, allocationsAreApplied}

// Sums holds an account's records against each other.
func Sums(v base.View) error {
	for _, s := range sums {
		if err := s(v); err != nil {
			return err
		}
	}
	return nil
}

// unitsAreHolds says that the units of an order's lines take stock by one hold each as long as the order runs, and that
// no other hold is an order's.
func unitsAreHolds(v base.View) error {
	left := map[ID]bool{}
	for r := range stock.Articles(v).All() {
		var units stock.ArticleStock
		if err := stock.FillArticleStock(v, &units, r.ID, ID{}, Span{Start: 0, End: base.Forever}, 0); err != nil {
			return err
		}
		for _, u := range units.Units {
			if u.Blocker == timeline.BlockerOrder {
				left[u.ID] = true
			}
		}
	}
	for o := range order.Orders(v).All() {
		for i := range o.Lines {
			l := &o.Lines[i]
			for j := range l.Units {
				u := &l.Units[j]
				runs := o.Status == order.OrderOpen || o.Status == order.OrderActive
				takes := u.State == order.Pending || u.State == order.Prepared || u.State == order.Fulfilled
				if u.Hold == (ID{}) {
					if runs && takes {
						return fmt.Errorf("unit %s of order %d is %s and takes no stock", u.ID, o.Number, u.State)
					}
					continue
				}
				if u.Lot != 0 { // it was sold, and is history
					delete(left, u.Hold)
					continue
				}
				h, ok := stock.UnavailabilityByID(v, u.Hold)
				if !ok || h.Owner != o.ID || h.Item != u.ID || h.Line != int(l.No) || o.Status == order.OrderDraft ||
					u.State == order.Cancelled {
					return fmt.Errorf("unit %s of order %d, which is %s and %s, has the hold %+v (%v)", u.ID, o.Number,
						o.Status, u.State, h, ok)
				}
				if !left[u.Hold] && stock.ArticleByID(v, h.Article) != nil && h.Range.End > 0 {
					return fmt.Errorf("unit %s of order %d has a hold that another has, or that no article lists: %+v",
						u.ID, o.Number, h)
				}
				delete(left, u.Hold)
			}
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("holds of orders that no order has: %v", left)
	}
	return nil
}

// usesAreOrders says that a code was used as often as there are orders that carry it, and not more often than it may
// be.
func usesAreOrders(v base.View) error {
	carry := map[ID]int64{}
	for o := range order.Orders(v).All() {
		seen := map[ID]bool{}
		for i := range o.Codes {
			if seen[o.Codes[i].ID] {
				return fmt.Errorf("order %d carries a code twice", o.Number)
			}
			seen[o.Codes[i].ID] = true
			if draft := o.Cancelled && o.Codes[i].Unused; !draft { // a draft that was cancelled has not used it
				carry[o.Codes[i].ID]++
			}
		}
	}
	page, total := commerce.DiscountCodes(v, "", 0, 1000)
	for _, d := range page {
		if d.Used != carry[d.ID] || d.UsageLimit != nil && d.Used > *d.UsageLimit {
			return fmt.Errorf("code %s was used %d times of %v, %d orders have used it", d.Code, d.Used, d.UsageLimit,
				carry[d.ID])
		}
	}
	if total != len(page) {
		return fmt.Errorf("%d codes are %d", total, len(page))
	}
	return nil
}

// allocationsAreApplied says that what codes take off lines is what they take off the order, and no line costs less
// than nothing.
func allocationsAreApplied(v base.View) error {
	for o := range order.Orders(v).All() {
		lines, ok := o.LinePrices()
		total, fits := o.Price()
		if !ok || !fits {
			return fmt.Errorf("order %d has no price", o.Number)
		}
		off, applied := map[ID]int64{}, int64(0)
		for i := range o.Codes {
			c, sum := &o.Codes[i], int64(0)
			for _, x := range c.Allocations {
				off[x.Line] += x.Value
				sum += x.Value
			}
			if sum != c.Applied() {
				return fmt.Errorf("order %d: code %s takes off %d by parts of %d", o.Number, c.Terms.Code, c.Applied(),
					sum)
			}
			applied += sum
		}
		for i := range lines {
			id := o.Lines[i].ID
			if lines[i].Discount != off[id] || lines[i].Discount > lines[i].Subtotal {
				return fmt.Errorf("order %d: line %d costs %+v, codes take off %d", o.Number, i, lines[i], off[id])
			}
			delete(off, id)
		}
		if total.Discount != applied || len(off) > 0 {
			return fmt.Errorf("order %d costs %+v, codes take off %d, %v of it of lines that are not there", o.Number,
				total, applied, off)
		}
	}
	return nil
}
