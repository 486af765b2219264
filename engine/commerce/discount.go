package commerce

import (
	"slices"
	"strings"

	"holdfast/engine/base"
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
	Value        int64               // whole percent, or minor units
	Purchases    []base.PurchaseType // the ways of buying that it is for; never empty in a record
	UsageLimit   *int64              // nil: none
	StartsAt     *int64              // nil: from ever
	EndsAt       *int64              // the first instant at which it is over; nil: never
	CatalogItems []base.ID           // nil: all, and what is no catalog item
	Duration     DiscountDuration    // of a subscription
	Cycles       *int64              // payments that are discounted, where that is repeating
}

// DiscountCode is a discount code's record.
type DiscountCode struct {
	ID base.ID
	DiscountTerms
	Currency  string `json:",omitempty"` // ISO 4217, of an amount; zero: it is a percentage, or an older program made the code, and it has none yet
	Used      int64  // by orders that carry it; no part of the revision
	UpdatedAt int64
	Revision  uint64
}

const (
	MaxCode          = 64
	MaxDiscountItems = 250
)

const discountByCode = 0

var DiscountKind = func() *base.Kind[DiscountCode] {
	k := base.RowsOf(base.TagDiscount, "discount code", func(d *DiscountCode) base.ID { return d.ID },
		table.By(func(d *DiscountCode) []string { return []string{base.FoldCode(d.Code)} }))
	k.Quiet = func(before, after *DiscountCode) bool {
		return before.Revision == after.Revision && before.Used == after.Used
	}
	k.DueAt(func(d *DiscountCode) int64 {
		if d.lacksCurrency() {
			return 1 // an older program made it
		}
		return 0
	})
	return k
}()

// amount says that what a code takes off is an amount of money.
func (d *DiscountTerms) amount() bool { return d.ValueType != DiscountPercentage }

// DiscountTable are all discount codes of an account.
func DiscountTable(a *base.AccountState) *table.Table[DiscountCode] {
	return base.TableOf[DiscountCode](a, base.TagDiscount)
}

// lacksCurrency says that a code of an amount is of an older program, and in no currency yet.
func (d *DiscountCode) lacksCurrency() bool { return d.amount() && d.Currency == "" }

// DiscountByCode finds a discount code as a customer wrote it, nil if there is none.
func DiscountByCode(a *base.AccountState, code string) *DiscountCode {
	return DiscountTable(a).First(discountByCode, base.FoldCode(code))
}

// check names what is wrong with terms as a whole.
func (d *DiscountTerms) check(c *base.Checker) {
	c.Text("/code", d.Code, 1, MaxCode)
	discountType(c, "/valueType", d.ValueType)
	if !d.amount() {
		if d.Value < 1 || d.Value > 100 {
			c.Fault("/value", "range", "must be a whole percent between 1 and 100")
		}
	} else {
		atLeastOne(c, "/value", &d.Value)
	}
	if d.Purchases != nil {
		purchases(c, "/applicablePurchaseTypes", d.Purchases)
	}
	atLeastOne(c, "/usageLimit", d.UsageLimit)
	c.OptionalInstant("/startsAt", d.StartsAt)
	c.OptionalInstant("/endsAt", d.EndsAt)
	if d.StartsAt != nil && d.EndsAt != nil && *d.StartsAt >= *d.EndsAt {
		c.Fault("/endsAt", "order", "must be later than startsAt")
	}
	c.Distinct("/catalogItemIds", d.CatalogItems, MaxDiscountItems)
	discountDuration(c, "/subscriptionDuration", d.Duration)
	cycles(c, "/subscriptionDurationCycles", d.Cycles)
	switch repeating := d.Duration == DiscountRepeating; {
	case repeating && d.Cycles == nil:
		c.Fault("/subscriptionDurationCycles", "required", "a discount that is repeating needs how many payments it is for")
	case !repeating && d.Cycles != nil:
		c.Fault("/subscriptionDurationCycles", "forbidden", "only a discount that is repeating counts payments")
	}
}

func discountType(c *base.Checker, pointer string, t DiscountType) {
	c.OneOf(pointer, string(t), string(DiscountPercentage), string(DiscountPerOrder), string(DiscountPerItem))
}

func discountDuration(c *base.Checker, pointer string, d DiscountDuration) {
	c.OneOf(pointer, string(d), string(DiscountOnce), string(DiscountRepeating), string(DiscountForever))
}

func atLeastOne(c *base.Checker, pointer string, n *int64) {
	if n != nil && (*n < 1 || *n > base.MaxSafe) {
		c.Fault(pointer, "range", "must be between 1 and 9007199254740991")
	}
}

func cycles(c *base.Checker, pointer string, n *int64) {
	if n != nil {
		c.Number(pointer, int(*n), 1, base.MaxCount)
	}
}

// complete puts in what is meant where nothing is said.
func (d *DiscountTerms) complete() {
	if d.Purchases == nil {
		d.Purchases = []base.PurchaseType{base.PurchaseBooking, base.PurchaseSale, base.PurchaseSubscription}
	}
	if d.Duration == "" {
		d.Duration = DiscountOnce
	}
}

// CreateDiscountCode makes a discount code.
type CreateDiscountCode struct {
	base.Answers[*DiscountCode]
	base.Adds
	DiscountTerms
}

func (o CreateDiscountCode) Check() []base.Fault {
	var c base.Checker
	o.complete()
	o.check(&c)
	return c.Faults
}

func (o CreateDiscountCode) PlanOn(t *base.Tx) (any, error) {
	o.complete()
	if err := refersToItems(t, o.CatalogItems, nil); err != nil {
		return nil, err
	}
	if err := codeIsFree(t, o.Code, base.ID{}); err != nil {
		return nil, err
	}
	d := &DiscountCode{ID: t.NewID(), DiscountTerms: o.DiscountTerms, UpdatedAt: t.Now, Revision: 1}
	if d.amount() {
		d.Currency = t.Acc.Row.Currency
	}
	base.Record(t, DiscountKind, nil, d)
	return d, nil
}

// refersToItems demands that catalog items are there, but those that the record names already: one may have gone since.
func refersToItems(t *base.Tx, items, before []base.ID) error {
	for _, id := range items {
		if CatalogTable(t.Acc).Get(id) == nil && !slices.Contains(before, id) {
			return base.NotFound("catalog item")
		}
	}
	return nil
}

// codeIsFree refuses a code that another record has.
func codeIsFree(t *base.Tx, code string, of base.ID) error {
	if other := DiscountByCode(t.Acc, code); other != nil && other.ID != of {
		return base.Refuse(base.CodeConflict, "another discount code is %q", other.Code)
	}
	return nil
}

func (d *DiscountCode) Rev() uint64     { return d.Revision }
func (d *DiscountCode) Touch(now int64) { d.UpdatedAt, d.Revision = now, d.Revision+1 }

// PatchDiscountCode changes a discount code; lists are replaced as a whole, and an amount that is given is in the account's currency.
type PatchDiscountCode struct {
	base.Answers[*DiscountCode]
	ID           base.ID
	IfMatch      []uint64
	Code         base.Opt[string]
	ValueType    base.Opt[DiscountType]
	Value        base.Opt[int64]
	Purchases    base.Opt[[]base.PurchaseType]
	UsageLimit   base.Opt[int64]
	StartsAt     base.Opt[int64]
	EndsAt       base.Opt[int64]
	CatalogItems base.Opt[[]base.ID]
	Duration     base.Opt[DiscountDuration]
	Cycles       base.Opt[int64]
}

func (o PatchDiscountCode) Check() []base.Fault {
	var c base.Checker
	if o.Code.Set {
		c.Text("/code", o.Code.Value, 1, MaxCode)
	}
	if o.ValueType.Set {
		discountType(&c, "/valueType", o.ValueType.Value)
	}
	atLeastOne(&c, "/value", o.Value.Given())
	if o.Purchases.Set && !o.Purchases.Null {
		purchases(&c, "/applicablePurchaseTypes", o.Purchases.Value)
	}
	atLeastOne(&c, "/usageLimit", o.UsageLimit.Given())
	c.OptionalInstant("/startsAt", o.StartsAt.Given())
	c.OptionalInstant("/endsAt", o.EndsAt.Given())
	if o.CatalogItems.Set && !o.CatalogItems.Null {
		c.Count("/catalogItemIds", len(o.CatalogItems.Value), 1, MaxDiscountItems)
	}
	if o.Duration.Set && !o.Duration.Null {
		discountDuration(&c, "/subscriptionDuration", o.Duration.Value)
	}
	cycles(&c, "/subscriptionDurationCycles", o.Cycles.Given())
	return c.Faults
}

// CheckOn judges the terms that would come of it as a whole.
func (o PatchDiscountCode) CheckOn(a *base.AccountState) []base.Fault {
	d := DiscountTable(a).Get(o.ID)
	if d == nil || len(o.Check()) > 0 {
		return nil
	}
	var c base.Checker
	n := o.merged(d.DiscountTerms)
	n.check(&c)
	return c.Faults
}

// merged is terms as the patch leaves them.
func (o PatchDiscountCode) merged(d DiscountTerms) DiscountTerms {
	o.Code.Assign(&d.Code)
	o.ValueType.Assign(&d.ValueType)
	o.Value.Assign(&d.Value)
	o.Purchases.Assign(&d.Purchases)
	o.UsageLimit.Merge(&d.UsageLimit)
	o.StartsAt.Merge(&d.StartsAt)
	o.EndsAt.Merge(&d.EndsAt)
	o.CatalogItems.Assign(&d.CatalogItems)
	o.Duration.Assign(&d.Duration)
	o.Cycles.Merge(&d.Cycles)
	d.complete()
	return d
}

func (o PatchDiscountCode) PlanOn(t *base.Tx) (any, error) {
	d, err := base.Found(t, DiscountKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *d
	n.DiscountTerms = o.merged(d.DiscountTerms)
	switch {
	case !n.amount():
		n.Currency = ""
	case o.Value.Set || o.ValueType.Set:
		n.Currency = t.Acc.Row.Currency
	}
	if err := refersToItems(t, n.CatalogItems, d.CatalogItems); err != nil {
		return nil, err
	}
	if err := codeIsFree(t, n.Code, d.ID); err != nil {
		return nil, err
	}
	return base.Revise(t, DiscountKind, d, n), nil
}

// DeleteDiscountCode removes a discount code; orders that carry it keep what it took off.
type DeleteDiscountCode struct {
	base.Answers[any]
	ID      base.ID
	IfMatch []uint64
}

func (DeleteDiscountCode) Check() []base.Fault { return nil }

func (o DeleteDiscountCode) PlanOn(t *base.Tx) (any, error) {
	d, err := base.Found(t, DiscountKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	base.Record(t, DiscountKind, d, nil)
	return nil, nil
}

// UseDiscount counts n uses of a code, or gives them back where n is negative, and returns the record as the command leaves
// it. Uses of one command add up: a row has one change in a write set.
func UseDiscount(t *base.Tx, d *DiscountCode, n int) *DiscountCode {
	for _, c := range t.Set {
		if c, ok := c.(*base.Change[DiscountCode]); ok && c.After != nil && c.After.ID == d.ID {
			c.After = c.After.used(n)
			return c.After
		}
	}
	was := DiscountTable(t.Acc).Get(d.ID)
	is := was.used(n)
	base.Record(t, DiscountKind, was, is)
	return is
}

func (d *DiscountCode) used(n int) *DiscountCode {
	u := *d
	u.Used += int64(n)
	return &u
}

// DiscountCodeByID returns a discount code, or nil.
func DiscountCodeByID(v base.View, id base.ID) *DiscountCode { return DiscountTable(v.Acc).Get(id) }

// DiscountCodes lists discount codes in order of creation: of those of which a text is a part, without case, the ones from
// offset on, at most limit, and how many fit.
func DiscountCodes(v base.View, search string, offset, limit int) (page []*DiscountCode, total int) {
	search = base.FoldCode(search)
	return base.PageOf(DiscountTable(v.Acc).All(), func(d *DiscountCode) bool { return strings.Contains(base.FoldCode(d.Code), search) }, offset, limit)
}

func init() {
	DiscountKind.Fall = func(t *base.Tx, id base.ID) {
		d := DiscountTable(t.Acc).Get(id)
		n := *d
		n.Currency = t.Acc.Row.Currency
		base.Record(t, DiscountKind, d, &n)
	}
	base.RegisterFollower(base.Follower{Check: func(a *base.AccountState) (due int, err error) {
		for d := range DiscountTable(a).All() {
			if d.lacksCurrency() {
				due++
			}
		}
		return due, nil
	}})
	base.RegisterPricer(base.Pricer{Resource: "discountCode", Count: func(a *base.AccountState, now int64) (n int) {
		for d := range DiscountTable(a).All() {
			if d.amount() && (d.EndsAt == nil || *d.EndsAt > now) {
				n++
			}
		}
		return n
	}})
}
