package hold

import (
	"fmt"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns what would be: commands planned and applied on a throw-away copy of an account, not by the writer.

const (
	maxWhatIfRows   = 20_000 // changed on the copy
	maxWhatIfRounds = 10     // in which conflicts are seated again, after one change
)

// WhatIf gives the account as it would be after changes, each judged on what those before it have left: PlaceHold,
// ReleaseHold, IncreaseQuantity and DecreaseQuantity, with their inputs checked. Only stock and availability are as
// they would be; records of holds stay. Nothing is written, and no other reader sees the copy. If one change is
// refused, all are.
func WhatIf(v base.View, changes []base.Op, now int64) (base.View, error) {
	c := scratch(v.Acc)
	proto, rows := base.Base{Hi: 0x0fff}, 0 // no drawn base is as high
	released := map[base.ID]bool{}
	for i, op := range changes {
		switch o := op.(type) {
		case ReleaseHold:
			if released[o.ID] {
				return v, ofChange(i, base.NotFound("hold"))
			}
			released[o.ID] = true
		case PlaceHold, stock.IncreaseQuantity, stock.DecreaseQuantity:
		default:
			panic(fmt.Sprintf("engine: %T cannot be tried", op))
		}
		for round := 0; op != nil && round <= maxWhatIfRounds; round++ {
			t := &base.Tx{Acc: c, Now: now, Base: proto, Ledger: c.Ledger, Explain: true}
			if _, err := op.PlanOn(t); err != nil {
				return v, ofChange(i, err)
			}
			stock.RecordStock(t)
			if rows += len(t.Set); rows > maxWhatIfRows {
				return v, ofChange(i,
					base.Invalid([]base.Fault{{Code: "range", Message: "would change more than 20000 rows in all"}}))
			}
			tryOut(c, t)
			if proto, op = proto.Plus(t.Used), nil; t.Waiting != nil {
				op = stock.SeatConflicts{Waiting: *t.Waiting, Tries: base.MaxTries}
			}
		}
	}
	v.Acc = c
	return v, nil
}

// ofChange says which change was refused.
func ofChange(i int, err error) error {
	refusal, ok := err.(*base.Error)
	if !ok {
		return err
	}
	e := *refusal
	e.Detail = fmt.Sprintf("%s (change %d)", e.Detail, i)
	e.Faults = nil
	for _, f := range refusal.Faults {
		f.Pointer = "/changes/" + base.Itoa(i) + f.Pointer
		e.Faults = append(e.Faults, f)
	}
	return &e
}

// scratch is a copy of a published account whose stock can be changed, and with it what articles and SKUs know of it.
// All else is shared, and only read.
func scratch(a *base.AccountState) *base.AccountState {
	c := *a
	c.Stock = a.Stock.Fork()
	c.Choose()
	c.Extensions = slices.Clone(a.Extensions)
	c.Extensions[stock.PoolExtension.No] = &stock.PoolNumbers{Last: stock.Pools(a).Last}
	c.Extensions[stock.OneWayExtension.No] = &stock.OneWayUnits{N: stock.OneWays(a).N}
	c.Tables[base.TagArticle], c.Tables[base.TagSKU] = stock.ArticleTable(a).Scratch(), stock.SKUTable(a).Scratch()
	return &c
}

// tryOut applies to a scratch copy what a plan did to the stock.
func tryOut(a *base.AccountState, t *base.Tx) {
	var units []base.RowChange
	for _, c := range t.Set {
		switch c.(type) {
		case *base.Change[stock.Lot], *base.Change[timeline.Slot], *base.Change[timeline.Placed]:
			units = append(units, c)
		}
	}
	for _, c := range units {
		c.Remove(nil, a)
	}
	for _, c := range units {
		c.Put(nil, a)
	}
	a.Ledger = t.Ledger
}
