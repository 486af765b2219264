package engine

import (
	"fmt"
	"math"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the judgement of an archive's rows as a whole: they are put in place in a state that is thrown away,
// in the steps in which an import does it. Then everything that is derived from them is checked, and every record is
// read once.

// maxNumber is how far an account may have counted what it numbers: a look-up by number takes memory up to there.
const (
	maxNumber = 1 << 28 // slots and orders
	maxRecord = 1 << 24 // locations, SKUs, articles and catalog items: answers to some questions take memory by each
)

// judge finds what keeps the rows from being an account.
func (r *archiveReader) judge() error {
	account, _ := base.ParseID(r.Head.Account)
	n := &r.numbers
	switch {
	case len(r.rows) == 0 || r.rows[0].Tag != base.TagAccount || n.Sequence == 0:
		return &archiveFault{text: "the account's own row, or its ledger, is missing"}
	case max(n.Location, n.SKU, n.Article) > maxRecord || max(n.Slot, n.Order) > maxNumber ||
		int(n.Lot) != r.kinds[stock.LotKind.Name]:
		return &archiveFault{text: "the ledger counts what is not there"}
	}
	s := base.NewState()
	s.At = r.Head.At
	a := s.Account(account)
	a.Ledger = *n
	a.Ledger.Lot = 0
	for step := range steps(r.rows) {
		if err := judgeStep(s, a, step); err != nil {
			return &archiveFault{step[0].line, kindByTag[step[0].Tag].TableName(), err.Error()}
		}
	}
	count(s, a, base.TagLedger, base.ID{}, base.LedgerKind.Encode(nil, &a.Ledger))
	if a.Row == nil || a.Ledger.Lot != n.Lot {
		return &archiveFault{text: "the account's own row, or a lot, is missing"}
	}
	return judgeWhole(s, a)
}

// steps yields rows in the parts that no command takes apart: each for itself, but an order with its units.
func steps(rows []archivedRow) func(yield func([]archivedRow) bool) {
	return func(yield func([]archivedRow) bool) {
		for i, n := 0, 1; i < len(rows); i, n = i+n, 1 {
			for rows[i].Tag == base.TagOrder && i+n < len(rows) && rows[i+n].Tag == base.TagOrderUnits {
				n++
			}
			if !yield(rows[i : i+n]) {
				return
			}
		}
	}
}

// count adds a row to the state hash.
func count(s *base.State, a *base.AccountState, tag byte, id base.ID, value []byte) {
	sum, _ := base.RowHash(nil, tag, base.RowKey(nil, tag, a.ID, id)[1:], value)
	s.Hash += sum
}

// judgeStep puts rows in place: what they break is an error.
func judgeStep(s *base.State, a *base.AccountState, step []archivedRow) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("does not fit the rows before it: %v", p)
		}
	}()
	set := make([]base.RowChange, len(step))
	for i, x := range step {
		if set[i], err = kindByTag[x.Tag].Read(a.ID, x.ID, nil, x.Value); err != nil {
			return err
		}
		if err = fits(a, set[i], set[0]); err != nil {
			return err
		}
		if err = set[i].Verify(a); err != nil {
			return err
		}
		count(s, a, x.Tag, x.ID, x.Value)
	}
	if l, is := set[0].(*base.Change[stock.Lot]); is {
		a.Ledger.Lot = max(a.Ledger.Lot, uint32(l.After.No))
	}
	s.Apply(a.ID, set, nil)
	return nil
}

// fits says what keeps a row from its place where nothing else would: what is named by number is there, and no number
// is beyond what was given out. first is the row that its step begins with.
func fits(a *base.AccountState, c, first base.RowChange) error {
	beyond := func(what string, no, last uint32) error {
		if no == 0 || no > last {
			return fmt.Errorf("%s %d was never given out", what, no)
		}
		return nil
	}
	switch c := c.(type) {
	case *base.Change[stock.Location]:
		return beyond("location", c.After.No, a.Ledger.Location)
	case *base.Change[stock.SKU]:
		return beyond("SKU", c.After.No, a.Ledger.SKU)
	case *base.Change[stock.Article]:
		if c.After.SKU != nil && stock.SKUTable(a).Get(*c.After.SKU) == nil {
			return fmt.Errorf("there is no SKU %s", c.After.SKU)
		}
		return beyond("article", c.After.No, a.Ledger.Article)
	case *base.Change[commerce.CatalogItem]:
		return beyond("catalog item", c.After.No, maxRecord)
	case *base.Change[stock.Lot]:
		return beyond("lot", uint32(c.After.No), a.Ledger.Lot+1)
	case *base.Change[timeline.Slot]:
		if c.After.Span.End <= c.After.Span.Start {
			return fmt.Errorf("it has no time")
		}
		if err := beyond("slot", uint32(c.After.No), a.Ledger.Slot); err != nil {
			return err
		}
		return beyond("lot", uint32(c.After.Lot), a.Ledger.Lot)
	case *base.Change[timeline.Placed]:
		if at := c.After.Place; at.Seated() {
			if s, ok := a.Stock.Slot(at.Slot); !ok || s.Lot != at.Lot {
				return fmt.Errorf("lot %d has no slot %d", at.Lot, at.Slot)
			}
		}
		return beyond("lot", uint32(c.After.Place.Lot), a.Ledger.Lot)
	case *base.Change[order.Order]:
		return beyond("order", c.After.Number, a.Ledger.Order)
	case *base.Change[order.OrderUnits]:
		if o, is := first.(*base.Change[order.Order]); !is || o.After.Number != c.After.Order ||
			c.After.Part >= o.After.UnitsRows() {
			return fmt.Errorf("its order does not stand before it, or has fewer units")
		}
	}
	return nil
}

// judgeWhole checks what is derived of all rows, and reads every record as answers do.
func judgeWhole(s *base.State, a *base.AccountState) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &archiveFault{text: fmt.Sprintf("the rows do not fit each other: %v", p)}
		}
	}()
	if err := checkAll(s.Publish()); err != nil {
		return &archiveFault{text: "the rows do not fit each other: " + err.Error()}
	}
	v := base.View{Acc: a, At: s.At}
	for o := range order.OrderTable(a).All() {
		order.RecordWith(a, o, a.Stock, &order.Edits{}, math.MaxInt)
	}
	for h := range a.Stock.Overlapping(base.Span{Start: math.MinInt64, End: base.Forever}) {
		if u := stock.UnavailabilityAt(a, h.Hold, h.Place); u.Owner == (base.ID{}) {
			return &archiveFault{text: fmt.Sprintf("unavailability %s is nobody's", h.ID)}
		}
	}
	for r := range hold.HoldKind.All(a) {
		hold.HoldByID(v, r.ID)
	}
	return nil
}
