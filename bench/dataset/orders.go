package dataset

import "slices"

// This file owns the stream of orders: three lines of three units each, after the 24 months of the holds.

// OrderLines and LineUnits say what is in each order: every pool has as many units as a line takes.
const (
	OrderLines = 3
	LineUnits  = 3
)

const longestOrder = 48 // hours

// Order is an order: units of three SKUs at one location, for a time.
type Order struct {
	Location   int
	SKUs       []int // OrderLines of them, where the set has as many
	Start, End int64
}

// Orders draws orders that the stock carries: of a pool no two are out at one time. It is for one goroutine.
type Orders struct {
	set  *Set
	rng  Rand
	free []int64 // pool: until when it is taken
}

// Orders begins the stream: SKUs and locations are drawn alike, each order begins where its three pools are free.
func (s *Set) Orders() *Orders {
	o := &Orders{set: s, rng: 20270101, free: make([]int64, s.SKUs*s.Locations)}
	for i := range o.free {
		o.free[i] = End
	}
	return o
}

// Next draws the next order.
func (o *Orders) Next() Order {
	x := Order{Location: o.rng.Int(o.set.Locations), SKUs: make([]int, 0, OrderLines), Start: End}
	for len(x.SKUs) < min(OrderLines, o.set.SKUs) {
		if sku := o.rng.Int(o.set.SKUs); !slices.Contains(x.SKUs, sku) {
			x.SKUs = append(x.SKUs, sku)
			x.Start = max(x.Start, o.free[o.set.pool(sku, x.Location)])
		}
	}
	x.End = x.Start + int64(1+o.rng.Int(longestOrder))*hour
	for _, sku := range x.SKUs {
		o.free[o.set.pool(sku, x.Location)] = x.End
	}
	return x
}
