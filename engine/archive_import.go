package engine

import (
	"cmp"
	"context"
	"encoding/base64"
)

// This file owns the import of an archive: an account is made of it by commands of bounded size, each of which notes how far it went.

// ImportArchive says what becomes of an archive.
type ImportArchive struct {
	Account ID                       // that it goes into: one that is not there yet, or one without records
	Name    string                   // of the account; empty: as it is called, or as in the archive
	NewIDs  bool                     // its records get ids of their own: IDs of the result says which
	Secret  func() [SecretBytes]byte // draws a secret for a webhook
}

// ImportedArchive is what came of it.
type ImportedArchive struct {
	Account ID
	Rows    int
	Before  int // of these were in place before
	Hooks   int // webhooks, which are disabled and have new secrets
	IDs     IDShift
}

// Rows that one command of an import puts in place at most, and about how many bytes of them: so that it does not hold the writer long.
const (
	carriedRows  = 4_000
	carriedBytes = 2 << 20
)

// Hash names the archive: two of the same hash are the same.
func (a *AccountArchive) Hash() string { return a.End.SHA256 }

// ImportOf is the account into which an archive was imported, or is being imported, with its own ids or with new ones: the first of several.
func (e *Engine) ImportOf(a *AccountArchive, newIDs bool) (account ID, ok bool) {
	for _, id := range e.Accounts() {
		v, _ := e.View(id)
		if i := v.Imported(); i != nil && i.Archive == a.Hash() && i.NewIDs == newIDs {
			return id, true
		}
	}
	return account, false
}

// Import makes an account of an archive. One that was cut short is gone on with, and one that is done is not done again.
func (e *Engine) Import(ctx context.Context, a *AccountArchive, o ImportArchive) (r ImportedArchive, err error) {
	r = ImportedArchive{Account: o.Account, Rows: len(a.rows), Hooks: a.End.Rows[webhookKind.name]}
	if v, ok := e.View(o.Account); ok {
		if i := v.Imported(); i != nil && i.Archive == a.Hash() && i.NewIDs == o.NewIDs {
			r.Before = i.Done
		}
	}
	if o.NewIDs {
		r.IDs = shiftOf(a.least, a.most, append([]byte(a.Hash()), o.Account[:]...))
	}
	for at := r.Before; at < len(a.rows); {
		part, err := a.part(at, o, r.IDs, min(carriedRows, e.bounds.Group))
		if err != nil {
			return r, err
		}
		if _, err := e.Do(Command{Account: o.Account, Actor: "import", Op: part}); err != nil {
			return r, err
		}
		at = part.to
		if ctx.Err() != nil && at < len(a.rows) {
			return r, ctx.Err()
		}
	}
	return r, nil
}

// part makes the command of the rows from one on.
func (a *AccountArchive) part(from int, o ImportArchive, ids IDShift, most int) (p importPart, err error) {
	p = importPart{archive: a, name: o.Name, newIDs: o.NewIDs, from: from, to: from}
	bytes := 0
	for step := range steps(a.rows[from:]) {
		for _, x := range step {
			c, err := x.arriving(o, ids)
			if err != nil {
				return p, err
			}
			p.set = append(p.set, c)
			bytes += len(x.value)
		}
		if p.to += len(step); len(p.set) >= most || bytes >= carriedBytes {
			break
		}
	}
	return p, nil
}

// arriving is the row as a change of the account that it goes into.
func (x archivedRow) arriving(o ImportArchive, ids IDShift) (rowChange, error) {
	k, i := kindByTag[x.tag], x.image
	if o.NewIDs {
		var err error
		if i, err = k.moved(o.Account, i, ids); err != nil {
			return nil, err
		}
	}
	c, err := k.read(o.Account, i.id, nil, i.value)
	if h, is := c.(*change[webhookRow]); is {
		secret := o.Secret()
		h.after.Secret = SecretPrefix + base64.StdEncoding.EncodeToString(secret[:])
	}
	return c, err
}

// importPart puts rows of an archive in place.
type importPart struct {
	archive  *AccountArchive
	name     string
	newIDs   bool
	from, to int
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
	was, n := t.acc.imported(), Importing{Archive: o.archive.Hash(), NewIDs: o.newIDs, Rows: len(o.archive.rows), Since: t.now}
	switch {
	case was == nil && t.acc.has() != "":
		return nil, refuse(CodeConflict, "the account has records (%s): an archive goes into an account that has none", t.acc.has())
	case was == nil && o.archive.Head.At > t.now:
		return nil, refuse(CodeConflict, "the archive is from %d seconds ahead of this clock", (o.archive.Head.At-t.now+999)/1000)
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
	o.archive.count(&t.ledger)
	record(t, importKind, was, &n)
	return &n, nil
}

// count has an account go on with the numbers that the archive's had given out. Lots count as they come: each is asked for by its number.
func (a *AccountArchive) count(l *ledger) {
	for _, x := range [...]struct {
		at   *uint32
		last uint32
	}{
		{&l.Location, a.numbers.Location}, {&l.SKU, a.numbers.SKU}, {&l.Article, a.numbers.Article},
		{&l.Slot, a.numbers.Slot}, {&l.Order, a.numbers.Order},
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
