package engine

import (
	"cmp"
	"slices"

	"holdfast/engine/table"
)

// This file owns pricing tables: what a catalog item costs. A table has its rows inside, so a change of a row is a change of
// the table.

// PricingTable is a pricing table's record.
type PricingTable struct {
	ID        ID
	Name      string
	External  bool                 // listings show the external rows
	Combine   bool                 `json:",omitempty"` // bookings are sold by the combination of rows that asks least
	Rows      []PricingRow         // in order of creation
	Externals []ExternalPricingRow // in order of creation; kept also while they are not shown
	UpdatedAt int64
	Revision  uint64
}

// maxPricingRows bounds the rows of a table, of each of the two kinds.
const maxPricingRows = 100

const pricingTableByRow = 0

var pricingTableKind = func() *kind[PricingTable] {
	k := rowsOf(tagPricingTable, "pricing table", func(p *PricingTable) ID { return p.ID },
		table.By(func(p *PricingTable) []string {
			rows := make([]string, len(p.Rows))
			for i, id := range p.rowIDs() {
				rows[i] = string(id[:])
			}
			return rows
		}))
	k.quiet = func(before, after *PricingTable) bool { return before.Revision == after.Revision }
	k.dueAt(func(p *PricingTable) int64 {
		if p.lacksCurrency() {
			return 1 // an older program made it
		}
		return 0
	})
	return k
}()

// pricingRowByID finds a row and the table that it is in; nil: there is none.
func (a *account) pricingRowByID(id ID) (*PricingTable, *PricingRow) {
	p := pricingTableKind.in(a).First(pricingTableByRow, string(id[:]))
	if p == nil {
		return nil, nil
	}
	return p, p.Row(id)
}

func (p *PricingTable) revision() uint64 { return p.Revision }
func (p *PricingTable) touch(now int64)  { p.UpdatedAt, p.Revision = now, p.Revision+1 }

// CreatePricingTable makes a pricing table without rows. It answers with the *PricingTable.
type CreatePricingTable struct {
	Name     string
	External bool
	Combine  bool
}

func (o CreatePricingTable) Check() []Fault {
	var c checker
	c.text("/name", o.Name, 1, maxName)
	return c.faults
}

func (o CreatePricingTable) plan(t *tx) (any, error) {
	p := &PricingTable{ID: t.newID(), Name: o.Name, External: o.External, Combine: o.Combine, UpdatedAt: t.now, Revision: 1}
	record(t, pricingTableKind, nil, p)
	return p, nil
}

func (CreatePricingTable) result() any { return new(PricingTable) }

// PatchPricingTable changes a pricing table; its rows have operations of their own. It answers with the *PricingTable.
type PatchPricingTable struct {
	ID       ID
	IfMatch  []uint64
	Name     Opt[string]
	External Opt[bool]
	Combine  Opt[bool]
}

func (o PatchPricingTable) Check() []Fault {
	var c checker
	c.patchName("/name", o.Name)
	return c.faults
}

func (o PatchPricingTable) plan(t *tx) (any, error) {
	p, err := found(t, pricingTableKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	return t.changePricing(p, func(n *PricingTable) {
		if o.Name.Set {
			n.Name = o.Name.Value
		}
		if o.External.Set {
			n.External = o.External.Value
		}
		o.Combine.set(&n.Combine)
	}), nil
}

func (PatchPricingTable) result() any { return new(PricingTable) }

// DeletePricingTable removes a pricing table with its rows, where no catalog item names it. It answers with nil.
type DeletePricingTable struct {
	ID      ID
	IfMatch []uint64
}

func (DeletePricingTable) Check() []Fault { return nil }

func (o DeletePricingTable) plan(t *tx) (any, error) {
	p, err := found(t, pricingTableKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	for _, id := range append([]ID{p.ID}, p.rowIDs()...) {
		if err := t.acc.unreferred(id, t.now); err != nil {
			return nil, err
		}
	}
	record(t, pricingTableKind, p, nil)
	return nil, nil
}

func (DeletePricingTable) result() any { return new(any) }

func (p *PricingTable) rowIDs() []ID {
	ids := make([]ID, len(p.Rows))
	for i := range p.Rows {
		ids[i] = p.Rows[i].ID
	}
	return ids
}

// changePricing records what change makes of a table. change gets lists that nothing else refers to.
func (t *tx) changePricing(p *PricingTable, change func(*PricingTable)) *PricingTable {
	n := *p
	n.Rows, n.Externals = slices.Clone(p.Rows), slices.Clone(p.Externals)
	change(&n)
	return revise(t, pricingTableKind, p, n)
}

// PricingTable returns a pricing table, or nil.
func (v View) PricingTable(id ID) *PricingTable { return pricingTableKind.in(v.acc).Get(id) }

// PricingTables lists the account's pricing tables in order of creation.
func (v View) PricingTables() *table.Table[PricingTable] { return pricingTableKind.in(v.acc) }

// lacksCurrency says that a table has a row of an older program, which is in no currency yet.
func (p *PricingTable) lacksCurrency() bool {
	return slices.ContainsFunc(p.Rows, func(r PricingRow) bool { return r.Currency == "" })
}

// giveCurrency has the rows of a table that an older program made be in the account's currency.
func (t *tx) giveCurrency(id ID) {
	p := pricingTableKind.in(t.acc).Get(id)
	n := *p
	n.Rows = slices.Clone(p.Rows)
	for i := range n.Rows {
		n.Rows[i].Currency = cmp.Or(n.Rows[i].Currency, t.acc.row.Currency)
	}
	record(t, pricingTableKind, p, &n)
}

func init() {
	pricingTableKind.fall = (*tx).giveCurrency
	registerFollower(follower{check: func(a *account) (due int, err error) {
		for p := range pricingTableKind.in(a).All() {
			if p.lacksCurrency() {
				due++
			}
		}
		return due, nil
	}})
	registerPricer(pricer{"pricingRow", func(a *account, _ int64) (n int) {
		for p := range pricingTableKind.in(a).All() {
			for i := range p.Rows {
				if p.Rows[i].RetiredAt == 0 {
					n++
				}
			}
		}
		return n
	}})
}
