package engine

import "cmp"

// This file owns the command that an import is made of: it puts some rows of an archive in place, and notes how far the import is.

// importPart puts rows of an archive in place.
type importPart struct {
	name     string
	at       int64     // the instant that the archive is of
	numbers  ledger    // what its account had given out
	goal     Importing // the import that it is a part of
	from, to int       // rows of it
	set      []rowChange
}

// carries says that an operation is done in an account that an archive is being imported into.
func carries(op Op) bool {
	switch op.(type) {
	case importPart, forget:
		return true
	}
	return false
}

func (o importPart) Check() []Fault {
	var c checker
	if o.name != "" {
		c.text("/name", o.name, 1, maxName)
	}
	return c.faults
}

func (importPart) result() any { return new(Importing) }

func (o importPart) plan(t *tx) (any, error) {
	was, n := t.acc.imported(), o.goal
	n.Since = t.now
	switch {
	case was == nil && t.acc.has() != "":
		return nil, refuse(CodeConflict, "the account has records (%s): an archive goes into an account that has none", t.acc.has())
	case was == nil && o.at > t.now:
		return nil, refuse(CodeConflict, "the archive is from %d seconds ahead of this clock", (o.at-t.now+999)/1000)
	case was == nil && o.from == 0:
	case was == nil || was.Archive != n.Archive || was.NewIDs != n.NewIDs:
		return nil, refuse(CodeConflict, "another archive was imported into the account, or this one with other ids")
	case was.Done != o.from:
		return nil, refuse(CodeConflict, "the archive is being imported by another call")
	default:
		n = *was
	}
	for _, c := range o.set {
		if c, is := c.(*change[Account]); is {
			c = o.account(t, c)
			t.set = append(t.set, c)
			continue
		}
		if l, is := c.(*change[lot]); is {
			t.ledger.Lot = max(t.ledger.Lot, uint32(l.after.no))
		}
		t.set = append(t.set, c)
	}
	if n.Done = o.to; n.Done == n.Rows {
		n.Ended = t.now
	}
	o.count(&t.ledger)
	record(t, importKind, was, &n)
	return &n, nil
}

// count has an account go on with the numbers that the archive's had given out. Lots count as they come: each is asked for by its number.
func (o importPart) count(l *ledger) {
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
func (o importPart) account(t *tx, c *change[Account]) *change[Account] {
	n := *c.after
	n.ID, n.Name = t.acc.id, cmp.Or(o.name, n.Name)
	if was := t.acc.row; was != nil {
		n.Name, n.Plan, n.Revision = cmp.Or(o.name, was.Name), was.Plan, was.Revision+1
	}
	n.UpdatedAt = t.now
	return &change[Account]{kind: accountKind, before: t.acc.row, after: &n}
}

// has names a kind of which the account has a row that would be in an archive, beside its own; empty: there is none.
func (a *account) has() (kind string) {
	for _, k := range archived {
		if tag := k.tableTag(); tag == tagAccount || tag == tagLedger {
			continue
		}
		k.each(a, func(image) bool {
			kind = k.tableName()
			return false
		})
		if kind != "" {
			return kind
		}
	}
	return ""
}

// archived are the kinds whose rows are in an archive, in its order. Of the others it says how many there were, where that is known.
var archived = func() (list []kindOf) {
	for _, k := range schema {
		switch k.tableTag() {
		case tagKey, tagIdempotency, tagBody, tagDelivery, tagAttempt, tagImport, tagOrderUnits: // the last come behind their order
		default:
			list = append(list, k)
		}
	}
	return list
}()
