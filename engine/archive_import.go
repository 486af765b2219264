package engine

import (
	"context"
	"encoding/base64"

	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// This file owns the import of an archive: an account is made of it by commands of bounded size, each of which notes
// how far it went.

// ImportArchive says what becomes of an archive.
type ImportArchive struct {
	Account base.ID                         // that it goes into: one that is not there yet, or one without records
	Name    string                          // of the account; empty: as it is called, or as in the archive
	NewIDs  bool                            // its records get ids of their own: IDs of the result says which
	Secret  func() [outbox.SecretBytes]byte // draws a secret for a webhook
}

// ImportedArchive is what came of it.
type ImportedArchive struct {
	Account base.ID
	Rows    int
	Before  int // of these were in place before
	Hooks   int // webhooks, which are disabled and have new secrets
	IDs     base.IDShift
}

// Rows that one command of an import puts in place at most, and about how many bytes of them: so that it does not hold
// the writer long.
const (
	carriedRows  = 2_000
	carriedBytes = 1 << 20
)

// Hash names the archive: two of the same hash are the same.
func (a *AccountArchive) Hash() string { return a.End.SHA256 }

// ImportOf is the account into which an archive was imported, or is being imported, with its own ids or with new ones:
// the first of several.
func (e *Engine) ImportOf(a *AccountArchive, newIDs bool) (account base.ID, ok bool) {
	for _, id := range e.Accounts() {
		v, _ := e.View(id)
		if i := v.Imported(); i != nil && i.Archive == a.Hash() && i.NewIDs == newIDs {
			return id, true
		}
	}
	return account, false
}

// Import makes an account of an archive. One that was cut short is gone on with, and one that is done is not done
// again.
func (e *Engine) Import(ctx context.Context, a *AccountArchive, o ImportArchive) (r ImportedArchive, err error) {
	r = ImportedArchive{Account: o.Account, Rows: len(a.rows), Hooks: a.End.Rows[outbox.WebhookKind.Name]}
	if v, ok := e.View(o.Account); ok {
		if i := v.Imported(); i != nil && i.Archive == a.Hash() && i.NewIDs == o.NewIDs {
			r.Before = i.Done
		}
	}
	if o.NewIDs {
		r.IDs = base.ShiftOf(a.least, a.most, append([]byte(a.Hash()), o.Account[:]...))
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
func (a *AccountArchive) part(from int, o ImportArchive, ids base.IDShift, most int) (p importPart, err error) {
	p = importPart{name: o.Name, at: a.Head.At, numbers: a.numbers, from: from, to: from,
		goal: base.Importing{Archive: a.Hash(), NewIDs: o.NewIDs, Rows: len(a.rows)}}
	bytes := 0
	for step := range steps(a.rows[from:]) {
		for _, x := range step {
			c, err := x.arriving(o, ids)
			if err != nil {
				return p, err
			}
			p.set = append(p.set, c)
			bytes += len(x.Value)
		}
		if p.to += len(step); len(p.set) >= most || bytes >= carriedBytes {
			break
		}
	}
	return p, nil
}

// arriving is the row as a change of the account that it goes into.
func (x archivedRow) arriving(o ImportArchive, ids base.IDShift) (base.RowChange, error) {
	k, i := kindByTag[x.Tag], x.Image
	if o.NewIDs {
		var err error
		if i, err = k.Moved(o.Account, i, ids); err != nil {
			return nil, err
		}
	}
	c, err := k.Read(o.Account, i.ID, nil, i.Value)
	if h, is := c.(*base.Change[outbox.WebhookRow]); is {
		secret := o.Secret()
		h.After.Secret = outbox.SecretPrefix + base64.StdEncoding.EncodeToString(secret[:])
	}
	return c, err
}
