package engine

import (
	"iter"
	"strings"
	"unicode/utf8"
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

// currencies are the codes of ISO 4217 for money in use.
const currencies = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE " +
	"CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW " +
	"KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR " +
	"RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST " +
	"XAF XCD XCG XOF XPF YER ZAR ZMW ZWG"

func (c *checker) currency(pointer, code string) {
	if len(code) != 3 || strings.Contains(code, " ") || !strings.Contains(currencies, code) {
		c.fault(pointer, "format", "must be a currency of ISO 4217 such as EUR")
	}
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

// PatchAccount changes the account. A new currency changes no amount, a new zone moves no hold. It answers with the *Account.
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
	return revise(t, accountKind, a, n), nil
}

func (PatchAccount) result() any { return new(Account) }

// The bounds of the interface, and the checks that many operations share.

const (
	maxName    = 255
	maxNote    = 10_000
	maxCount   = 10_000
	maxSlots   = 100_000
	maxLines   = 1_000
	maxUnits   = 10_000
	minInstant = 0
	maxInstant = 253402300799999 // 9999-12-31T23:59:59.999Z
	maxSafe    = 1<<53 - 1
	maxBatch   = 100_000
	maxRows    = 110_000 // of a write set: an article with all its slots, and what they seat; a unit takes about 160 bytes of log, so about 17 MiB
)

func orDefault(s, d string) string {
	if s == "" {
		return d
	}
	return s
}

// checker collects the faults of an input.
type checker struct{ faults []Fault }

func (c *checker) fault(pointer, code, message string) {
	c.faults = append(c.faults, Fault{Pointer: pointer, Code: code, Message: message})
}

func (c *checker) text(pointer, s string, least, most int) {
	n := utf8.RuneCountInString(s)
	switch {
	case n < least && n == 0:
		c.fault(pointer, "required", "must not be empty")
	case n < least || n > most:
		c.fault(pointer, "length", "must have between "+itoa(least)+" and "+itoa(most)+" characters")
	}
}

func (c *checker) instant(pointer string, t int64) bool {
	if t < minInstant || t > maxInstant {
		c.fault(pointer, "range", "must lie in the years 1970 to 9999")
		return false
	}
	return true
}

func (c *checker) optionalInstant(pointer string, t *int64) {
	if t != nil {
		c.instant(pointer, *t)
	}
}

// window checks a range; an open end is Forever.
func (c *checker) window(fromPointer, toPointer string, w Span) {
	ok := c.instant(fromPointer, w.Start)
	if w.End != Forever {
		ok = c.instant(toPointer, w.End) && ok
	}
	if ok && w.Start >= w.End {
		c.fault(toPointer, "order", "must be later than from")
	}
}

// patchWindow checks what is given of a range; an end that is null is open.
func (c *checker) patchWindow(fromPointer, toPointer string, from, to Opt[int64]) {
	c.optionalInstant(fromPointer, from.given())
	c.optionalInstant(toPointer, to.given())
	if from.Set && to.Set && !to.Null && from.Value >= to.Value {
		c.fault(toPointer, "order", "must be later than startDate")
	}
}

func (c *checker) number(pointer string, n, least, most int) {
	if n < least || n > most {
		c.fault(pointer, "range", "must be between "+itoa(least)+" and "+itoa(most))
	}
}

func (c *checker) oneOf(pointer, s string, allowed ...string) {
	for _, a := range allowed {
		if s == a {
			return
		}
	}
	c.fault(pointer, "enum", "must be one of "+join(allowed))
}
