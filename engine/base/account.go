package base

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
	Name     string
	Currency string // default EUR
	Timezone string // default UTC
	Plan     string // default unlimited
}

func (o CreateAccount) Check() []Fault {
	var c Checker
	c.Text("/name", o.Name, 1, MaxName)
	c.Zone("/timezone", OrDefault(o.Timezone, "UTC"))
	c.OneOf("/plan", OrDefault(o.Plan, "unlimited"), Plans...)
	c.currency("/currency", OrDefault(o.Currency, "EUR"))
	return c.Faults
}

func (o CreateAccount) PlanOn(t *Tx) (any, error) {
	if t.Acc.Row != nil {
		return nil, Refuse(CodeConflict, "an account with this id exists")
	}
	a := &Account{
		ID: t.Acc.ID, Name: o.Name, Currency: OrDefault(o.Currency, "EUR"), Timezone: OrDefault(o.Timezone, "UTC"),
		Plan: OrDefault(o.Plan, "unlimited"), Revision: 1, UpdatedAt: t.Now,
	}
	Record(t, AccountKind, nil, a)
	return a, nil
}

func (a *Account) Rev() uint64     { return a.Revision }
func (a *Account) Touch(now int64) { a.UpdatedAt, a.Revision = now, a.Revision+1 }

// PatchAccount changes the account. A new zone moves no hold. A new currency changes no amount: it is refused while there are pricing
// rows that are not retired, discount codes of an amount that have not ended, or orders that are not closed.
type PatchAccount struct {
	Answers[*Account]
	IfMatch  []uint64
	Name     Opt[string]
	Currency Opt[string]
	Timezone Opt[string]
}

func (o PatchAccount) Check() []Fault {
	var c Checker
	c.PatchName("/name", o.Name)
	if o.Currency.Set {
		c.currency("/currency", o.Currency.Value)
	}
	if o.Timezone.Set {
		c.Zone("/timezone", o.Timezone.Value)
	}
	return c.Faults
}

func (o PatchAccount) PlanOn(t *Tx) (any, error) {
	a := t.Acc.Row
	if err := Match(o.IfMatch, a.Rev()); err != nil {
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
		if err := t.Acc.unpriced(t.Now); err != nil {
			return nil, err
		}
	}
	return Revise(t, AccountKind, a, n), nil
}
