package engine

import (
	"cmp"

	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns the command that an import is made of: it puts some rows of an archive in place, and notes how far the
// import is.

// importPart puts rows of an archive in place.
type importPart struct {
	base.Answers[*base.Importing]
	base.Adds
	name     string
	at       int64          // the instant that the archive is of
	numbers  base.Ledger    // what its account had given out
	goal     base.Importing // the import that it is a part of
	from, to int            // rows of it
	set      []base.RowChange
}

// carries says that an operation is done in an account that an archive is being imported into.
func carries(op base.Op) bool {
	switch op.(type) {
	case importPart, forget:
		return true
	}
	return false
}

func (o importPart) Check(c *base.Checker) {
	if o.name != "" {
		c.Text("/name", o.name, 1, base.MaxName)
	}
}

func (o importPart) PlanOn(t *base.Tx) (any, error) {
	was, n := t.Acc.Imported(), o.goal
	n.Since = t.Now
	switch {
	case was == nil && has(t.Acc) != "":
		return nil, base.Refuse(base.CodeConflict,
			"the account has records (%s): an archive goes into an account that has none", has(t.Acc))
	case was == nil && o.at > t.Now:
		return nil, base.Refuse(base.CodeConflict, "by this clock the archive was made %d seconds in the future",
			(o.at-t.Now+999)/1000)
	case was == nil && o.from == 0:
	case was == nil || was.Archive != n.Archive || was.NewIDs != n.NewIDs:
		return nil, base.Refuse(base.CodeConflict,
			"another archive was imported into the account, or this one with other ids")
	case was.Done != o.from:
		return nil, base.Refuse(base.CodeConflict, "the archive is being imported by another call")
	default:
		n = *was
	}
	for _, c := range o.set {
		if c, is := c.(*base.Change[base.Account]); is {
			c = o.account(t, c)
			t.Set = append(t.Set, c)
			continue
		}
		if l, is := c.(*base.Change[stock.Lot]); is {
			t.Ledger.Lot = max(t.Ledger.Lot, uint32(l.After.No))
		}
		t.Set = append(t.Set, c)
	}
	if n.Done = o.to; n.Done == n.Rows {
		n.Ended = t.Now
	}
	o.count(&t.Ledger)
	base.Record(t, base.ImportKind, was, &n)
	return &n, nil
}

// count makes an account go on with the numbers that the archive's had given out. Lots count as they come: each is
// asked for by its number.
func (o importPart) count(l *base.Ledger) {
	for _, x := range [...]struct {
		at   *uint32
		last uint32
	}{
		{&l.Location, o.numbers.Location}, {&l.SKU, o.numbers.SKU}, {&l.Article, o.numbers.Article},
		{&l.Slot, o.numbers.Slot}, {&l.Order, o.numbers.Order},
	} {
		*x.at = max(*x.at, x.last)
	}
}

// account is the account's own row: it keeps what it is called, and its plan, where it was there before.
func (o importPart) account(t *base.Tx, c *base.Change[base.Account]) *base.Change[base.Account] {
	n := *c.After
	n.ID, n.Name = t.Acc.ID, cmp.Or(o.name, n.Name)
	if was := t.Acc.Row; was != nil {
		n.Name, n.Plan, n.Revision = cmp.Or(o.name, was.Name), was.Plan, was.Revision+1
	}
	n.UpdatedAt = t.Now
	return &base.Change[base.Account]{Kind: base.AccountKind, Before: t.Acc.Row, After: &n}
}

// has names a kind of which the account has a row that would be in an archive, other than the account's own row; empty:
// there is none.
func has(a *base.AccountState) (kind string) {
	for _, k := range archived {
		if tag := k.TableTag(); tag == base.TagAccount || tag == base.TagLedger {
			continue
		}
		k.Each(a, func(base.Image) bool {
			kind = k.TableName()
			return false
		})
		if kind != "" {
			return kind
		}
	}
	return ""
}

// archived are the kinds whose rows are in an archive, in its order. For the other kinds an archive says how many rows
// there were, if that is known.
var archived = func() (list []base.KindOf) {
	for _, k := range schema {
		switch k.TableTag() {
		// the last come after their order
		case base.TagKey, base.TagIdempotency, base.TagBody, base.TagDelivery, base.TagAttempt, base.TagImport,
			base.TagOrderUnits:
		default:
			list = append(list, k)
		}
	}
	return list
}()
