package engine

import (
	"fmt"

	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns batches: many new records made by one command, as an import makes them.

// Row is an Op that a Batch takes: it adds a record, and its plan depends on others of the batch by stock and by what
// is distinct alone.
type Row interface {
	base.Op
	// Distinct are values that no two rows of a kind may have.
	Distinct() []base.DistinctValue
}

// Batch makes records, all or none. Each is judged as if those before it were made already. Everything that is wrong
// with a row, its refusal included, is a fault whose pointer begins with the row's number from 0 (/12/name); all rows
// are looked at.
type Batch struct {
	base.Answers[*BatchResult]
	base.Adds
	Rows []Row
}

// MaxBatch is the most rows of a Batch, and batchRows the most that they may write, units included: so that a batch
// does not occupy the account, and delay all commands that wait for it, for long. One row by itself may write what the
// command may that makes such a record.
const (
	MaxBatch  = 5_000
	batchRows = 25_000
)

// BatchResult is what a batch came to.
type BatchResult struct{ Rows int }

func (o Batch) Check(c *base.Checker) {
	if n := len(o.Rows); n < 1 || n > MaxBatch {
		c.Fault("", "length", fmt.Sprintf("must have between 1 and %d rows", MaxBatch))
		return
	}
	seen := map[base.DistinctValue]bool{}
	for i, r := range o.Rows {
		c.Within(rowPointer(i), base.FaultsIn(r))
		for _, d := range r.Distinct() {
			if seen[d] {
				c.Fault(rowPointer(i)+d.Pointer, "duplicate", "an earlier row has the same")
			}
			seen[d] = true
		}
	}
}

// Size counts the rows, and the units of those that have some.
func (o Batch) Size(a *base.AccountState) int {
	n := len(o.Rows)
	for _, r := range o.Rows {
		if s, ok := r.(base.Sized); ok {
			n += s.Size(a)
		}
	}
	return n
}

func (o Batch) CheckOn(c *base.Checker, a *base.AccountState) {
	for i, r := range o.Rows {
		c.Within(rowPointer(i), a.FaultsOf(r))
	}
}

func (o Batch) PlanOn(t *base.Tx) (any, error) {
	var c base.Checker
	stock.Seating(t).Gathers = true
	for i, r := range o.Rows {
		_, err := r.PlanOn(t)
		if t.Used > batchRows && len(o.Rows) > 1 { // each has an id: what the rows make of units is bounded on the way
			return nil, base.TooManyRows(batchRows)
		}
		if err == nil {
			continue
		}
		refusal, ok := err.(*base.Error)
		if !ok {
			return nil, err
		}
		// What the row has left in the plan does no harm: the whole is refused.
		c.Within(rowPointer(i), asFaults(refusal))
	}
	if len(c.Faults) > 0 {
		return nil, base.Invalid(c.Faults)
	}
	stock.Seating(t).Gathers = false
	stock.SeatFreed(t)
	return &BatchResult{len(o.Rows)}, nil
}

func rowPointer(i int) string { return "/" + base.Itoa(i) }

// asFaults is a refusal as faults of the input that met it.
func asFaults(e *base.Error) []base.Fault {
	if d, ok := e.Details.(base.ShortageDetails); ok {
		var faults []base.Fault
		for _, s := range d.Lines {
			faults = append(faults, base.Fault{
				Pointer: "/lines/" + base.Itoa(s.Line), Code: string(e.Code),
				Message: base.Itoa(s.Available) + " of " + base.Itoa(s.Requested) + " units are available",
			})
		}
		return faults
	}
	if len(e.Faults) > 0 {
		return e.Faults
	}
	return []base.Fault{{Code: string(e.Code), Message: e.Detail}}
}
