package engine

import (
	"slices"
	"strings"

	"holdfast/engine/table"
)

// This file owns discount codes as records. allocate.go says what one takes off an order.

// DiscountType says what a discount code's value counts.
type DiscountType string

// A percentage is of the sum of the eligible lines, a fixed amount is for an order or for each unit.
const (
	DiscountPercentage DiscountType = "percentage"
	DiscountPerOrder   DiscountType = "fixed_per_order"
	DiscountPerItem    DiscountType = "fixed_per_item"
)

// DiscountDuration says which payments of a subscription are discounted. What else is bought is paid once.
type DiscountDuration string

// The first payment, the first few, or all.
const (
	DiscountOnce      DiscountDuration = "once"
	DiscountRepeating DiscountDuration = "repeating"
	DiscountForever   DiscountDuration = "forever"
)

// DiscountTerms are what a merchant says of a discount code.
type DiscountTerms struct {
	Code         string // as written; compares without case
	ValueType    DiscountType
	Value        int64            // whole percent, or minor units
	Purchases    []PurchaseType   // the ways of buying that it is for; never empty in a record
	UsageLimit   *int64           // nil: none
	StartsAt     *int64           // nil: from ever
	EndsAt       *int64           // the first instant at which it is over; nil: never
	CatalogItems []ID             // nil: all, and what is no catalog item
	Duration     DiscountDuration // of a subscription
	Cycles       *int64           // payments that are discounted, where that is repeating
}

// DiscountCode is a discount code's record.
type DiscountCode struct {
	ID ID
	DiscountTerms
	Currency  string `json:",omitempty"` // ISO 4217, of an amount; zero: it is a percentage, or an older program made the code, and it has none yet
	Used      int64  // by orders that carry it; no part of the revision
	UpdatedAt int64
	Revision  uint64
}

const (
	maxCode          = 64
	maxDiscountItems = 250
)

const discountByCode = 0

var discountKind = func() *kind[DiscountCode] {
	k := rowsOf(tagDiscount, "discount code", func(d *DiscountCode) ID { return d.ID },
		table.By(func(d *DiscountCode) []string { return []string{foldCode(d.Code)} }))
	k.quiet = func(before, after *DiscountCode) bool {
		return before.Revision == after.Revision && before.Used == after.Used
	}
	k.dueAt(func(d *DiscountCode) int64 {
		if d.lacksCurrency() {
			return 1 // an older program made it
		}
		return 0
	})
	return k
}()

// amount says that what a code takes off is an amount of money.
func (d *DiscountTerms) amount() bool { return d.ValueType != DiscountPercentage }

func (a *account) discounts() *table.Table[DiscountCode] {
	return tableOf[DiscountCode](a, tagDiscount)
}

// lacksCurrency says that a code of an amount is of an older program, and in no currency yet.
func (d *DiscountCode) lacksCurrency() bool { return d.amount() && d.Currency == "" }

// discountByCode finds a discount code as a customer wrote it, nil if there is none.
func (a *account) discountByCode(code string) *DiscountCode {
	return a.discounts().First(discountByCode, foldCode(code))
}

// check names what is wrong with terms as a whole.
func (d *DiscountTerms) check(c *checker) {
	c.text("/code", d.Code, 1, maxCode)
	c.discountType("/valueType", d.ValueType)
	if !d.amount() {
		if d.Value < 1 || d.Value > 100 {
			c.fault("/value", "range", "must be a whole percent between 1 and 100")
		}
	} else {
		c.atLeastOne("/value", &d.Value)
	}
	if d.Purchases != nil {
		c.purchases("/applicablePurchaseTypes", d.Purchases)
	}
	c.atLeastOne("/usageLimit", d.UsageLimit)
	c.optionalInstant("/startsAt", d.StartsAt)
	c.optionalInstant("/endsAt", d.EndsAt)
	if d.StartsAt != nil && d.EndsAt != nil && *d.StartsAt >= *d.EndsAt {
		c.fault("/endsAt", "order", "must be later than startsAt")
	}
	c.distinct("/catalogItemIds", d.CatalogItems, maxDiscountItems)
	c.discountDuration("/subscriptionDuration", d.Duration)
	c.cycles("/subscriptionDurationCycles", d.Cycles)
	switch repeating := d.Duration == DiscountRepeating; {
	case repeating && d.Cycles == nil:
		c.fault("/subscriptionDurationCycles", "required", "a discount that is repeating needs how many payments it is for")
	case !repeating && d.Cycles != nil:
		c.fault("/subscriptionDurationCycles", "forbidden", "only a discount that is repeating counts payments")
	}
}

func (c *checker) discountType(pointer string, t DiscountType) {
	c.oneOf(pointer, string(t), string(DiscountPercentage), string(DiscountPerOrder), string(DiscountPerItem))
}

func (c *checker) discountDuration(pointer string, d DiscountDuration) {
	c.oneOf(pointer, string(d), string(DiscountOnce), string(DiscountRepeating), string(DiscountForever))
}

func (c *checker) atLeastOne(pointer string, n *int64) {
	if n != nil && (*n < 1 || *n > maxSafe) {
		c.fault(pointer, "range", "must be between 1 and 9007199254740991")
	}
}

func (c *checker) cycles(pointer string, n *int64) {
	if n != nil {
		c.number(pointer, int(*n), 1, maxCount)
	}
}

// complete puts in what is meant where nothing is said.
func (d *DiscountTerms) complete() {
	if d.Purchases == nil {
		d.Purchases = []PurchaseType{PurchaseBooking, PurchaseSale, PurchaseSubscription}
	}
	if d.Duration == "" {
		d.Duration = DiscountOnce
	}
}

// CreateDiscountCode makes a discount code. It answers with the *DiscountCode.
type CreateDiscountCode struct{ DiscountTerms }

func (o CreateDiscountCode) Check() []Fault {
	var c checker
	o.complete()
	o.check(&c)
	return c.faults
}

func (o CreateDiscountCode) plan(t *tx) (any, error) {
	o.complete()
	if err := t.refersToItems(o.CatalogItems, nil); err != nil {
		return nil, err
	}
	if err := t.codeIsFree(o.Code, ID{}); err != nil {
		return nil, err
	}
	d := &DiscountCode{ID: t.newID(), DiscountTerms: o.DiscountTerms, UpdatedAt: t.now, Revision: 1}
	if d.amount() {
		d.Currency = t.acc.row.Currency
	}
	record(t, discountKind, nil, d)
	return d, nil
}

func (CreateDiscountCode) result() any { return new(DiscountCode) }

// refersToItems demands that catalog items are there, but those that the record names already: one may have gone since.
func (t *tx) refersToItems(items, before []ID) error {
	for _, id := range items {
		if t.acc.catalog().Get(id) == nil && !slices.Contains(before, id) {
			return notFound("catalog item")
		}
	}
	return nil
}

// codeIsFree refuses a code that another record has.
func (t *tx) codeIsFree(code string, of ID) error {
	if other := t.acc.discountByCode(code); other != nil && other.ID != of {
		return refuse(CodeConflict, "another discount code is %q", other.Code)
	}
	return nil
}

func (d *DiscountCode) revision() uint64 { return d.Revision }
func (d *DiscountCode) touch(now int64)  { d.UpdatedAt, d.Revision = now, d.Revision+1 }

// PatchDiscountCode changes a discount code; lists are replaced as a whole, and an amount that is given is in the account's currency. It answers with the *DiscountCode.
type PatchDiscountCode struct {
	ID           ID
	IfMatch      []uint64
	Code         Opt[string]
	ValueType    Opt[DiscountType]
	Value        Opt[int64]
	Purchases    Opt[[]PurchaseType]
	UsageLimit   Opt[int64]
	StartsAt     Opt[int64]
	EndsAt       Opt[int64]
	CatalogItems Opt[[]ID]
	Duration     Opt[DiscountDuration]
	Cycles       Opt[int64]
}

func (o PatchDiscountCode) Check() []Fault {
	var c checker
	if o.Code.Set {
		c.text("/code", o.Code.Value, 1, maxCode)
	}
	if o.ValueType.Set {
		c.discountType("/valueType", o.ValueType.Value)
	}
	c.atLeastOne("/value", o.Value.given())
	if o.Purchases.Set && !o.Purchases.Null {
		c.purchases("/applicablePurchaseTypes", o.Purchases.Value)
	}
	c.atLeastOne("/usageLimit", o.UsageLimit.given())
	c.optionalInstant("/startsAt", o.StartsAt.given())
	c.optionalInstant("/endsAt", o.EndsAt.given())
	if o.CatalogItems.Set && !o.CatalogItems.Null {
		c.count("/catalogItemIds", len(o.CatalogItems.Value), 1, maxDiscountItems)
	}
	if o.Duration.Set && !o.Duration.Null {
		c.discountDuration("/subscriptionDuration", o.Duration.Value)
	}
	c.cycles("/subscriptionDurationCycles", o.Cycles.given())
	return c.faults
}

// checkOn judges the terms that would come of it as a whole.
func (o PatchDiscountCode) checkOn(a *account) []Fault {
	d := a.discounts().Get(o.ID)
	if d == nil || len(o.Check()) > 0 {
		return nil
	}
	var c checker
	n := o.merged(d.DiscountTerms)
	n.check(&c)
	return c.faults
}

// merged is terms as the patch leaves them.
func (o PatchDiscountCode) merged(d DiscountTerms) DiscountTerms {
	o.Code.set(&d.Code)
	o.ValueType.set(&d.ValueType)
	o.Value.set(&d.Value)
	o.Purchases.set(&d.Purchases)
	o.UsageLimit.merge(&d.UsageLimit)
	o.StartsAt.merge(&d.StartsAt)
	o.EndsAt.merge(&d.EndsAt)
	o.CatalogItems.set(&d.CatalogItems)
	o.Duration.set(&d.Duration)
	o.Cycles.merge(&d.Cycles)
	d.complete()
	return d
}

func (o PatchDiscountCode) plan(t *tx) (any, error) {
	d, err := found(t, discountKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *d
	n.DiscountTerms = o.merged(d.DiscountTerms)
	switch {
	case !n.amount():
		n.Currency = ""
	case o.Value.Set || o.ValueType.Set:
		n.Currency = t.acc.row.Currency
	}
	if err := t.refersToItems(n.CatalogItems, d.CatalogItems); err != nil {
		return nil, err
	}
	if err := t.codeIsFree(n.Code, d.ID); err != nil {
		return nil, err
	}
	return revise(t, discountKind, d, n), nil
}

func (PatchDiscountCode) result() any { return new(DiscountCode) }

// DeleteDiscountCode removes a discount code; orders that carry it keep what it took off. It answers with nil.
type DeleteDiscountCode struct {
	ID      ID
	IfMatch []uint64
}

func (DeleteDiscountCode) Check() []Fault { return nil }

func (o DeleteDiscountCode) plan(t *tx) (any, error) {
	d, err := found(t, discountKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	record(t, discountKind, d, nil)
	return nil, nil
}

func (DeleteDiscountCode) result() any { return new(any) }

// useDiscount counts n uses of a code, or gives them back where n is negative, and returns the record as the command leaves
// it. Uses of one command add up: a row has one change in a write set.
func (t *tx) useDiscount(d *DiscountCode, n int) *DiscountCode {
	for _, c := range t.set {
		if c, ok := c.(*change[DiscountCode]); ok && c.after != nil && c.after.ID == d.ID {
			c.after = c.after.used(n)
			return c.after
		}
	}
	was := t.acc.discounts().Get(d.ID)
	is := was.used(n)
	record(t, discountKind, was, is)
	return is
}

func (d *DiscountCode) used(n int) *DiscountCode {
	u := *d
	u.Used += int64(n)
	return &u
}

// DiscountCode returns a discount code, or nil.
func (v View) DiscountCode(id ID) *DiscountCode { return v.acc.discounts().Get(id) }

// DiscountCodes lists discount codes in order of creation: of those of which a text is a part, without case, the ones from
// offset on, at most limit, and how many fit.
func (v View) DiscountCodes(search string, offset, limit int) (page []*DiscountCode, total int) {
	search = foldCode(search)
	return pageOf(v.acc.discounts().All(), func(d *DiscountCode) bool { return strings.Contains(foldCode(d.Code), search) }, offset, limit)
}

func init() {
	discountKind.fall = func(t *tx, id ID) {
		d := t.acc.discounts().Get(id)
		n := *d
		n.Currency = t.acc.row.Currency
		record(t, discountKind, d, &n)
	}
	registerFollower(follower{check: func(a *account) (due int, err error) {
		for d := range a.discounts().All() {
			if d.lacksCurrency() {
				due++
			}
		}
		return due, nil
	}})
	registerPricer(pricer{"discountCode", func(a *account, now int64) (n int) {
		for d := range a.discounts().All() {
			if d.amount() && (d.EndsAt == nil || *d.EndsAt > now) {
				n++
			}
		}
		return n
	}})
}
