package engine

import "fmt"

// This file owns batches: many new records made by one command, as an import makes them.

// Row is an Op that a Batch takes: it adds a record, and its plan depends on others of the batch by stock and by what is
// distinct alone.
type Row interface {
	Op
	// distinct are values that no two rows of a kind may have.
	distinct() []distinctValue
}

// Batch makes records, all or none, each judged behind those before it. What is wrong with a row, its refusal included, is a
// fault whose pointer begins with the row's number from 0 (/12/name); all rows are looked at. It answers with the
// *BatchResult.
type Batch struct{ Rows []Row }

// MaxBatch is the most rows of a Batch, and batchRows the most that they may write, units included: so many keep the writer, and all
// who wait for it, for some 20 ms.
const (
	MaxBatch  = 5_000
	batchRows = 25_000
)

// BatchResult is what a batch came to.
type BatchResult struct{ Rows int }

func (o Batch) Check() []Fault {
	if n := len(o.Rows); n < 1 || n > MaxBatch {
		return []Fault{{Code: "length", Message: fmt.Sprintf("must have between 1 and %d rows", MaxBatch)}}
	}
	var faults []Fault
	seen := map[distinctValue]bool{}
	for i, r := range o.Rows {
		faults = addFaults(faults, i, r.Check())
		for _, d := range r.distinct() {
			if seen[d] {
				faults = append(faults, Fault{Pointer: rowPointer(i) + d.pointer, Code: "duplicate", Message: "an earlier row has the same"})
			}
			seen[d] = true
		}
	}
	return faults
}

func (o Batch) checkOn(a *account) (faults []Fault) {
	for i, r := range o.Rows {
		faults = addFaults(faults, i, a.faultsOf(r))
	}
	return faults
}

func (o Batch) plan(t *tx) (any, error) {
	var faults []Fault
	t.seating().gathers = true
	for i, r := range o.Rows {
		_, err := r.plan(t)
		if t.used > batchRows { // each has an id: what the rows make of units is bounded on the way
			return nil, tooManyRows(batchRows)
		}
		if err == nil {
			continue
		}
		refusal, ok := err.(*Error)
		if !ok {
			return nil, err
		}
		// What the row has left in the plan does no harm: the whole is refused.
		faults = addFaults(faults, i, refusal.asFaults())
	}
	if len(faults) > 0 {
		return nil, invalid(faults)
	}
	t.seating().gathers = false
	t.seatFreed()
	return &BatchResult{len(o.Rows)}, nil
}

func (Batch) result() any { return new(BatchResult) }

func rowPointer(i int) string { return "/" + itoa(i) }

// addFaults adds the faults of a row.
func addFaults(faults []Fault, row int, more []Fault) []Fault {
	for _, f := range more {
		f.Pointer = rowPointer(row) + f.Pointer
		faults = append(faults, f)
	}
	return faults
}

// asFaults is a refusal as faults of the input that met it.
func (e *Error) asFaults() []Fault {
	if d, ok := e.Details.(ShortageDetails); ok {
		var faults []Fault
		for _, s := range d.Lines {
			faults = append(faults, Fault{
				Pointer: "/lines/" + itoa(s.Line), Code: string(e.Code), Message: itoa(s.Available) + " of " + itoa(s.Requested) + " units are available",
			})
		}
		return faults
	}
	if len(e.Faults) > 0 {
		return e.Faults
	}
	return []Fault{{Code: string(e.Code), Message: e.Detail}}
}
