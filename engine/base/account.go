package base

import (
	"cmp"
	"iter"
)

// This file owns accounts: the tenants.

// Account is a tenant's own record.
type Account struct {
	ID ID
	AccountFields
	Plan      string // starter | growth | scale | unlimited
	Revision  uint64 // counts changes of the record itself
	UpdatedAt int64
}

// AccountFields are what callers say of an account. Days of answers over all locations, and "today", are in its time
// zone.
type AccountFields struct {
	Name     string `field:"name text 1..255 required" about:"What the merchant is called."`
	Currency string `field:"currency currency required" default:"EUR" about:"ISO 4217 code of the currency of all amounts." changed:"A code of ISO 4217. Amounts stay as they are."`
	Timezone string `field:"timezone zone required" default:"UTC" about:"IANA name of the time zone of what has no location of its own." changed:"An IANA time zone name, such as Europe/Lisbon."`
}

var AccountKind = func() *Kind[Account] {
	k := RowsOf(TagAccount, "account", func(*Account) ID { return ID{} })
	k.table = nil // the account itself has it
	k.Find = func(a *AccountState, _ *Account) *Account { return a.Row }
	k.All = func(a *AccountState) iter.Seq[*Account] { return One(a.Row) }
	k.Put = func(_ *State, a *AccountState, _, after *Account) { a.Row = after }
	return k
}()

// CreateAccount makes the account that the command names; the id is drawn by the caller.
type CreateAccount struct {
	Answers[*Account]
	Adds
	AccountFields
	Plan string // default unlimited
}

func (o CreateAccount) Check(c *Checker) {
	CheckFields(c, "", &o.AccountFields)
	c.OneOf("/plan", cmp.Or(o.Plan, Unlimited), Plans...)
}

func (o CreateAccount) PlanOn(t *Tx) (any, error) {
	switch {
	case t.Acc.ID == ID{}:
		return nil, Refuse(CodeInvalid, "an account needs an id of its own, not the nil one")
	case t.Acc.Row != nil:
		return nil, Refuse(CodeConflict, "an account with this id exists")
	}
	a := &Account{
		ID: t.Acc.ID, AccountFields: Completed(o.AccountFields),
		Plan: cmp.Or(o.Plan, Unlimited), Revision: 1, UpdatedAt: t.Now,
	}
	Record(t, AccountKind, nil, a)
	return a, nil
}

func (a *Account) Rev() uint64     { return a.Revision }
func (a *Account) Touch(now int64) { a.UpdatedAt, a.Revision = now, a.Revision+1 }

// PatchAccount changes the account. A new zone moves no hold. A new currency changes no amount: it is refused while
// there are pricing rows that are not retired, discount codes of an amount that have not ended, or orders that are not
// closed.
type PatchAccount struct {
	Answers[*Account]
	IfMatch
	Fields Changes[AccountFields]
}

func (o PatchAccount) Check(c *Checker) { o.Fields.Check(c, "") }

func (o PatchAccount) PlanOn(t *Tx) (any, error) {
	a := t.Acc.Row
	if err := o.IfMatch.Match(a.Rev()); err != nil {
		return nil, err
	}
	n := *a
	n.AccountFields = o.Fields.Of(a.AccountFields)
	if n.Currency != a.Currency {
		if err := t.Acc.unpriced(t.Now); err != nil {
			return nil, err
		}
	}
	return Revise(t, AccountKind, a, n), nil
}
