package commerce

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/table"
)

// This file owns pricing tables: what a catalog item costs. A table has its rows inside, so a change of a row is a
// change of the table.

// PricingTable is a pricing table's record.
type PricingTable struct {
	ID base.ID
	PricingTableFields
	Rows      []PricingRow         // in order of creation
	Externals []ExternalPricingRow // in order of creation; kept also while they are not shown
	base.Stamp
}

// PricingTableFields are what callers say of a pricing table, in addition to its rows.
type PricingTableFields struct {
	Name     string `field:"name text 1..255 required" about:"What people call the table."`
	External bool   `field:"externalPricingEnabled flag required" about:"Whether its external rows are shown." made:"Listings show the external rows. Those are kept also while this is off."`
	Combine  bool   `json:",omitempty" field:"combineRows flag required" about:"Whether a booking whose row is not named costs what the best combination of its rows asks, such as a week and a day. Lines that are there keep how they were sold."`
}

// MaxPricingRows bounds the rows of a table, of each of the two kinds.
const MaxPricingRows = 100

const pricingTableByRow = 0

var PricingTableKind = func() *base.Kind[PricingTable] {
	k := base.RowsOf(base.TagPricingTable, "pricing table", func(p *PricingTable) base.ID { return p.ID },
		table.By(func(p *PricingTable) []string {
			rows := make([]string, len(p.Rows))
			for i, id := range p.rowIDs() {
				rows[i] = string(id[:])
			}
			return rows
		}))
	k.Told = base.ToldByRevision
	k.Kept = pricingTableInUse
	k.DueAt(func(p *PricingTable) int64 {
		if p.lacksCurrency() {
			return base.AsOlder
		}
		return 0
	})
	return k
}()

// PricingRowByID finds a row in whatever table it is; nil: there is none.
func PricingRowByID(a *base.AccountState, id base.ID) *PricingRow {
	if p := PricingTableKind.In(a).First(pricingTableByRow, string(id[:])); p != nil {
		return p.Row(id)
	}
	return nil
}

// CreatePricingTable makes a pricing table without rows.
type CreatePricingTable struct {
	base.Answers[*PricingTable]
	base.Adds
	PricingTableFields
}

func (o CreatePricingTable) Check(c *base.Checker) { base.CheckFields(c, "", &o.PricingTableFields) }

func (o CreatePricingTable) PlanOn(t *base.Tx) (any, error) {
	p := &PricingTable{ID: t.NewID(), PricingTableFields: o.PricingTableFields, Stamp: t.Stamp()}
	base.Record(t, PricingTableKind, nil, p)
	return p, nil
}

// PatchPricingTable changes a pricing table; its rows have operations of their own.
type PatchPricingTable struct {
	base.Answers[*PricingTable]
	base.IfMatch
	ID     base.ID
	Fields base.Changes[PricingTableFields]
}

func (o PatchPricingTable) Check(c *base.Checker) { o.Fields.Check(c, "") }

func (o PatchPricingTable) PlanOn(t *base.Tx) (any, error) {
	p, err := base.Found(t, PricingTableKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	return changePricing(t, p, func(n *PricingTable) { n.PricingTableFields = o.Fields.Of(p.PricingTableFields) }), nil
}

// DeletePricingTable removes a pricing table with its rows, where no catalog item names it.
type DeletePricingTable = base.Delete[PricingTable, *PricingTable]

func pricingTableInUse(t *base.Tx, p *PricingTable) error {
	for _, id := range append([]base.ID{p.ID}, p.rowIDs()...) {
		if err := t.Acc.Unreferred(id, t.Now); err != nil {
			return err
		}
	}
	return nil
}

func (p *PricingTable) rowIDs() []base.ID {
	ids := make([]base.ID, len(p.Rows))
	for i := range p.Rows {
		ids[i] = p.Rows[i].ID
	}
	return ids
}

// changePricing records what change makes of a table. change gets lists that nothing else refers to.
func changePricing(t *base.Tx, p *PricingTable, change func(*PricingTable)) *PricingTable {
	n := *p
	n.Rows, n.Externals = slices.Clone(p.Rows), slices.Clone(p.Externals)
	change(&n)
	return base.Revise(t, PricingTableKind, p, n)
}

// PricingTableByID returns a pricing table, or nil.
func PricingTableByID(v base.View, id base.ID) *PricingTable {
	return PricingTableKind.In(v.Acc).Get(id)
}

// PricingTables lists the account's pricing tables in order of creation.
func PricingTables(v base.View) *table.Table[PricingTable] { return PricingTableKind.In(v.Acc) }

// lacksCurrency says that a table has a row of an older program, which is in no currency yet.
func (p *PricingTable) lacksCurrency() bool {
	return slices.ContainsFunc(p.Rows, func(r PricingRow) bool { return r.Currency == "" })
}

// giveCurrency puts the rows of a table that an older program made into the account's currency.
func giveCurrency(t *base.Tx, id base.ID) {
	p := PricingTableKind.In(t.Acc).Get(id)
	n := *p
	n.Rows = slices.Clone(p.Rows)
	for i := range n.Rows {
		n.Rows[i].Currency = cmp.Or(n.Rows[i].Currency, t.Acc.Row.Currency)
	}
	base.Record(t, PricingTableKind, p, &n)
}

func init() {
	PricingTableKind.WhenDue.Do = giveCurrency
	base.RegisterPricer(base.Pricer{Resource: "pricingRow", Count: func(a *base.AccountState, _ int64) (n int) {
		for p := range PricingTableKind.In(a).All() {
			for i := range p.Rows {
				if p.Rows[i].RetiredAt == 0 {
					n++
				}
			}
		}
		return n
	}})
}
