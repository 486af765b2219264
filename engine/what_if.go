package engine

import (
	"fmt"
	"slices"

	"holdfast/timeline"
)

// This file owns what would be: commands planned and applied on a throw-away copy of an account, beside the writer.

const (
	maxWhatIfRows   = 20_000 // changed on the copy
	maxWhatIfRounds = 10     // in which conflicts are seated again, after one change
)

// WhatIf gives the account as it would be behind changes, each judged on what those before it have left: PlaceHold,
// ReleaseHold, IncreaseQuantity and DecreaseQuantity, with their inputs checked. Only stock and availability are as they would
// be; records of holds stay. Nothing is written, and nobody else sees the copy. A change that is refused refuses it all.
func (v View) WhatIf(changes []Op, now int64) (View, error) {
	c := v.acc.scratch()
	base, rows := Base{hi: 0x0fff}, 0 // no drawn base is as high
	released := map[ID]bool{}
	for i, op := range changes {
		switch o := op.(type) {
		case ReleaseHold:
			if released[o.ID] {
				return v, ofChange(i, notFound("hold"))
			}
			released[o.ID] = true
		case PlaceHold, IncreaseQuantity, DecreaseQuantity:
		default:
			panic(fmt.Sprintf("engine: %T cannot be tried", op))
		}
		for round := 0; op != nil && round <= maxWhatIfRounds; round++ {
			t := &tx{acc: c, now: now, base: base, ledger: c.ledger, explain: true}
			if _, err := op.plan(t); err != nil {
				return v, ofChange(i, err)
			}
			t.recordStock()
			if rows += len(t.set); rows > maxWhatIfRows {
				return v, ofChange(i, invalid([]Fault{{Code: "range", Message: "would change more than 20000 rows in all"}}))
			}
			c.tryOut(t)
			if base, op = base.plus(t.used), nil; t.waiting != nil {
				op = seatConflicts{*t.waiting, maxTries}
			}
		}
	}
	v.acc = c
	return v, nil
}

// ofChange says which change was refused.
func ofChange(i int, err error) error {
	refusal, ok := err.(*Error)
	if !ok {
		return err
	}
	e := *refusal
	e.Detail = fmt.Sprintf("%s (change %d)", e.Detail, i)
	e.Faults = nil
	for _, f := range refusal.Faults {
		f.Pointer = "/changes/" + itoa(i) + f.Pointer
		e.Faults = append(e.Faults, f)
	}
	return &e
}

// scratch is a copy of a published account whose stock can be changed, and with it what articles and SKUs know of it. All
// else is shared, and only read.
func (a *account) scratch() *account {
	c := *a
	c.stock = a.stock.Fork()
	c.choose()
	c.extensions = slices.Clone(a.extensions)
	c.extensions[poolExtension.no] = &poolNumbers{last: a.pools().last}
	c.extensions[oneWayExtension.no] = &oneWayUnits{a.oneWays().n}
	c.tables[tagArticle], c.tables[tagSKU] = a.articles().Scratch(), a.skus().Scratch()
	return &c
}

// tryOut applies to a scratch copy what a plan did to the stock.
func (a *account) tryOut(t *tx) {
	var stock []rowChange
	for _, c := range t.set {
		switch c.(type) {
		case *change[lot], *change[timeline.Slot], *change[timeline.Placed]:
			stock = append(stock, c)
		}
	}
	for _, c := range stock {
		c.remove(nil, a)
	}
	for _, c := range stock {
		c.put(nil, a)
	}
	a.ledger = t.ledger
}
