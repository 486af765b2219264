package engine

import (
	"iter"
)

// This file owns accounts: the tenants.

// Account is a tenant's own record.
type Account struct {
	ID        ID
	Name      string
	Currency  string // ISO 4217
	Timezone  string // IANA name; days of answers over all locations, and "today", are in it
	Plan      string // starter | growth | scale | unlimited
	Revision  uint64 // counts changes of the record itself
	UpdatedAt int64
}

var accountKind = func() *kind[Account] {
	k := rowsOf(tagAccount, "account", func(*Account) ID { return ID{} })
	k.table = nil // the account itself has it
	k.find = func(a *account, _ *Account) *Account { return a.row }
	k.all = func(a *account) iter.Seq[*Account] { return one(a.row) }
	k.put = func(_ *state, a *account, _, after *Account) { a.row = after }
	return k
}()

// CreateAccount makes the account that the command names; the id is drawn by the caller. It answers with the *Account.
type CreateAccount struct {
	Name     string
	Currency string // default EUR
	Timezone string // default UTC
	Plan     string // default unlimited
}

func (o CreateAccount) Check() []Fault {
	var c checker
	c.text("/name", o.Name, 1, maxName)
	c.zone("/timezone", orDefault(o.Timezone, "UTC"))
	c.oneOf("/plan", orDefault(o.Plan, "unlimited"), Plans...)
	c.currency("/currency", orDefault(o.Currency, "EUR"))
	return c.faults
}

func (o CreateAccount) plan(t *tx) (any, error) {
	if t.acc.row != nil {
		return nil, refuse(CodeConflict, "an account with this id exists")
	}
	a := &Account{
		ID: t.acc.id, Name: o.Name, Currency: orDefault(o.Currency, "EUR"), Timezone: orDefault(o.Timezone, "UTC"),
		Plan: orDefault(o.Plan, "unlimited"), Revision: 1, UpdatedAt: t.now,
	}
	record(t, accountKind, nil, a)
	return a, nil
}

func (CreateAccount) result() any { return new(Account) }

func (a *Account) revision() uint64 { return a.Revision }
func (a *Account) touch(now int64)  { a.UpdatedAt, a.Revision = now, a.Revision+1 }

// PatchAccount changes the account. A new zone moves no hold. A new currency changes no amount: it is refused while there are pricing
// rows that are not retired, discount codes of an amount that have not ended, or orders that are not closed. It answers with the *Account.
type PatchAccount struct {
	IfMatch  []uint64
	Name     Opt[string]
	Currency Opt[string]
	Timezone Opt[string]
}

func (o PatchAccount) Check() []Fault {
	var c checker
	c.patchName("/name", o.Name)
	if o.Currency.Set {
		c.currency("/currency", o.Currency.Value)
	}
	if o.Timezone.Set {
		c.zone("/timezone", o.Timezone.Value)
	}
	return c.faults
}

func (o PatchAccount) plan(t *tx) (any, error) {
	a := t.acc.row
	if err := match(o.IfMatch, a.revision()); err != nil {
		return nil, err
	}
	n := *a
	for _, x := range [...]struct {
		given Opt[string]
		at    *string
	}{{o.Name, &n.Name}, {o.Currency, &n.Currency}, {o.Timezone, &n.Timezone}} {
		if x.given.Set {
			*x.at = x.given.Value
		}
	}
	if n.Currency != a.Currency {
		if err := t.acc.unpriced(t.now); err != nil {
			return nil, err
		}
	}
	return revise(t, accountKind, a, n), nil
}

func (PatchAccount) result() any { return new(Account) }
