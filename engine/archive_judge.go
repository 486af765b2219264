package engine

import (
	"fmt"
	"math"

	"holdfast/timeline"
)

// This file owns the judgement of an archive's rows as a whole: they are put in place in a state that nothing is kept of, in the steps in
// which an import does it, then all that is derived of them is checked, and every record is asked for once.

// maxNumber is how far an account may have counted what it numbers: what is found by number takes memory up to there.
const (
	maxNumber = 1 << 28 // slots and orders
	maxRecord = 1 << 24 // locations, SKUs, articles and catalog items: answers to some questions take memory by each
)

// judge finds what keeps the rows from being an account.
func (r *archiveReader) judge() error {
	account, _ := ParseID(r.Head.Account)
	n := &r.numbers
	switch {
	case len(r.rows) == 0 || r.rows[0].tag != tagAccount || n.Sequence == 0:
		return &archiveFault{text: "the account's own row, or its ledger, is missing"}
	case max(n.Location, n.SKU, n.Article) > maxRecord || max(n.Slot, n.Order) > maxNumber || int(n.Lot) != r.kinds[lotKind.name]:
		return &archiveFault{text: "the ledger counts what is not there"}
	}
	s := newState()
	s.at = r.Head.At
	a := s.account(account)
	a.ledger = *n
	a.ledger.Lot = 0
	for step := range steps(r.rows) {
		if err := s.judgeStep(a, step); err != nil {
			return &archiveFault{step[0].line, kindByTag[step[0].tag].tableName(), err.Error()}
		}
	}
	s.count(a, tagLedger, ID{}, ledgerKind.encode(nil, &a.ledger))
	if a.row == nil || a.ledger.Lot != n.Lot {
		return &archiveFault{text: "the account's own row, or a lot, is missing"}
	}
	return s.judgeWhole(a)
}

// steps yields rows in the parts that no command takes apart: each for itself, but an order with its units.
func steps(rows []archivedRow) func(yield func([]archivedRow) bool) {
	return func(yield func([]archivedRow) bool) {
		for i, n := 0, 1; i < len(rows); i, n = i+n, 1 {
			for rows[i].tag == tagOrder && i+n < len(rows) && rows[i+n].tag == tagOrderUnits {
				n++
			}
			if !yield(rows[i : i+n]) {
				return
			}
		}
	}
}

// count adds a row to the state hash.
func (s *state) count(a *account, tag byte, id ID, value []byte) {
	sum, _ := rowHash(nil, tag, rowKey(nil, tag, a.id, id)[1:], value)
	s.hash += sum
}

// judgeStep puts rows in place: what they break is an error.
func (s *state) judgeStep(a *account, step []archivedRow) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("does not fit the rows before it: %v", p)
		}
	}()
	set := make([]rowChange, len(step))
	for i, x := range step {
		if set[i], err = kindByTag[x.tag].read(a.id, x.id, nil, x.value); err != nil {
			return err
		}
		if err = a.fits(set[i], set[0]); err != nil {
			return err
		}
		if err = set[i].verify(a); err != nil {
			return err
		}
		s.count(a, x.tag, x.id, x.value)
	}
	if l, is := set[0].(*change[lot]); is {
		a.ledger.Lot = max(a.ledger.Lot, uint32(l.after.no))
	}
	s.apply(a.id, set, nil)
	return nil
}

// fits says what keeps a row from its place where nothing else would: what is named by number is there, and no number is beyond
// what was given out. first is the row that its step begins with.
func (a *account) fits(c, first rowChange) error {
	beyond := func(what string, no, last uint32) error {
		if no == 0 || no > last {
			return fmt.Errorf("%s %d was never given out", what, no)
		}
		return nil
	}
	switch c := c.(type) {
	case *change[Location]:
		return beyond("location", c.after.No, a.ledger.Location)
	case *change[SKU]:
		return beyond("SKU", c.after.No, a.ledger.SKU)
	case *change[Article]:
		if c.after.SKU != nil && a.skus().Get(*c.after.SKU) == nil {
			return fmt.Errorf("there is no SKU %s", c.after.SKU)
		}
		return beyond("article", c.after.No, a.ledger.Article)
	case *change[CatalogItem]:
		return beyond("catalog item", c.after.No, maxRecord)
	case *change[lot]:
		return beyond("lot", uint32(c.after.no), a.ledger.Lot+1)
	case *change[timeline.Slot]:
		if c.after.Span.End <= c.after.Span.Start {
			return fmt.Errorf("it has no time")
		}
		if err := beyond("slot", uint32(c.after.No), a.ledger.Slot); err != nil {
			return err
		}
		return beyond("lot", uint32(c.after.Lot), a.ledger.Lot)
	case *change[timeline.Placed]:
		if at := c.after.Place; at.Seated() {
			if s, ok := a.stock.Slot(at.Slot); !ok || s.Lot != at.Lot {
				return fmt.Errorf("lot %d has no slot %d", at.Lot, at.Slot)
			}
		}
		return beyond("lot", uint32(c.after.Place.Lot), a.ledger.Lot)
	case *change[Order]:
		return beyond("order", c.after.Number, a.ledger.Order)
	case *change[orderUnits]:
		if o, is := first.(*change[Order]); !is || o.after.Number != c.after.order || c.after.part >= o.after.unitsRows() {
			return fmt.Errorf("its order does not stand before it, or has fewer units")
		}
	}
	return nil
}

// judgeWhole checks what is derived of all rows, and reads every record as answers do.
func (s *state) judgeWhole(a *account) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &archiveFault{text: fmt.Sprintf("the rows do not fit each other: %v", p)}
		}
	}()
	if err := s.publish().check(); err != nil {
		return &archiveFault{text: "the rows do not fit each other: " + err.Error()}
	}
	v := View{acc: a, at: s.at}
	for o := range a.orders().All() {
		a.orderRecord(o, a.stock, &edits{}, math.MaxInt)
	}
	for h := range a.stock.Overlapping(Span{Start: math.MinInt64, End: Forever}) {
		if u := a.unavailability(h.Hold, h.Place); u.Owner == (ID{}) {
			return &archiveFault{text: fmt.Sprintf("unavailability %s is nobody's", h.ID)}
		}
	}
	for r := range holdKind.all(a) {
		v.Hold(r.id)
	}
	return nil
}
