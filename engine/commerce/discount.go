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

// Words are those that a discount type can be.
func (DiscountType) Words() []string {
	return []string{string(DiscountPercentage), string(DiscountPerOrder), string(DiscountPerItem)}
}

// DiscountDuration says which payments of a subscription are discounted. Everything else is paid once.
type DiscountDuration string

// The first payment, the first few, or all.
const (
	DiscountOnce      DiscountDuration = "once"
	DiscountRepeating DiscountDuration = "repeating"
	DiscountForever   DiscountDuration = "forever"
)

// Words are those that a duration can be.
func (DiscountDuration) Words() []string {
	return []string{string(DiscountOnce), string(DiscountRepeating), string(DiscountForever)}
}

// DiscountTerms are what a merchant says of a discount code.
type DiscountTerms struct {
	Code         string              `field:"code text 1..64 required" about:"The text that customers enter; case does not count." made:"The text that customers enter: unique in the account, compared without case." example:"SUMMER"`
	ValueType    DiscountType        `field:"valueType word required" about:"Whether value is a percentage, an amount off the order or an amount off each unit." made:"Whether value is a percentage, an amount off each order or an amount off each unit."`
	Value        int64               `field:"value int 1..9007199254740991 required" about:"A percentage from 1 to 100, or an amount in minor units." given:"What it takes off: whole percent, 1 to 100, of a percentage; else minor units of the account's currency." example:"10"`
	Purchases    []base.PurchaseType `field:"applicablePurchaseTypes list 1..3 distinct word" default:"all" about:"The ways of taking an item that it counts for." changed:"The ways of taking an item that it counts for; null: all."`
	UsageLimit   *int64              `field:"usageLimit int 1..9007199254740991" about:"How many orders may use it; null: any number." example:"500"`
	StartsAt     *int64              `field:"startsAt instant" about:"From when on it is valid; null: at once." example:"2025-06-01T00:00:00.000Z"`
	EndsAt       *int64              `field:"endsAt instant" about:"From when on it is no longer valid; null: never." made:"The instant from which on it is over." example:"2025-09-01T00:00:00.000Z"`
	CatalogItems []base.ID           `field:"catalogItemIds list 1..250 distinct id" about:"The catalog items that it counts for; null: all." given:"The catalog items whose lines it is for; null: all."`
	Duration     DiscountDuration    `field:"subscriptionDuration word" default:"once" about:"For which payments of a subscription it counts: the first, some, or all." given:"The payments of a subscription that are discounted: the first, the first few, or all." example:"repeating"`
	Cycles       *int64              `field:"subscriptionDurationCycles int 1..10000" about:"How many payments it counts for, where that is repeating." given:"How many payments it counts for, where that is repeating, and only there." example:"3"`
}

// MaxCode is the most characters of a code.
const MaxCode = 64

// DiscountCode is a discount code's record.
type DiscountCode struct {
	ID base.ID
	DiscountTerms
	// ISO 4217, of an amount; zero: it is a percentage, or an older program made the code, and it has none yet
	Currency string `json:",omitempty"`
	Used     int64  // by orders that carry it; no part of the revision
	base.Stamp
}

const discountByCode = 0

var DiscountKind = func() *base.Kind[DiscountCode] {
	k := base.RowsOf(base.TagDiscount, "discount code", func(d *DiscountCode) base.ID { return d.ID },
		table.By(func(d *DiscountCode) []string { return []string{base.FoldCode(d.Code)} }))
	k.Told = base.ToldBy[struct {
		Revision uint64
		Used     int64
	}]
	k.DueAt(func(d *DiscountCode) int64 {
		if d.lacksCurrency() {
			return base.AsOlder
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
	base.CheckFields(c, "", d)
	if d.ValueType == DiscountPercentage && d.Value > 100 {
		c.Fault("/value", "range", "must be a whole percent between 1 and 100")
	}
	if d.StartsAt != nil && d.EndsAt != nil && *d.StartsAt >= *d.EndsAt {
		c.Fault("/endsAt", "order", "must be later than startsAt")
	}
	switch repeating := d.Duration == DiscountRepeating; {
	case repeating && d.Cycles == nil:
		c.Fault("/subscriptionDurationCycles", "required",
			"a discount that is repeating needs how many payments it is for")
	case !repeating && d.Cycles != nil:
		c.Hanging("/subscriptionDuration", "/subscriptionDurationCycles", "forbidden",
			"only a discount that is repeating counts payments")
	}
	c.Faults = base.InOrder[DiscountTerms](c.Faults)
}

// CreateDiscountCode makes a discount code.
type CreateDiscountCode struct {
	base.Answers[*DiscountCode]
	base.Adds
	DiscountTerms
}

func (o CreateDiscountCode) Check(c *base.Checker) { o.check(c) }

func (o CreateDiscountCode) PlanOn(t *base.Tx) (any, error) {
	if err := refersToItems(t, o.CatalogItems, nil); err != nil {
		return nil, err
	}
	if err := codeIsFree(t, o.Code, base.ID{}); err != nil {
		return nil, err
	}
	d := &DiscountCode{ID: t.NewID(), DiscountTerms: base.Completed(o.DiscountTerms), Stamp: t.Stamp()}
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

// PatchDiscountCode changes a discount code; lists are replaced as a whole, and an amount that is given is in the
// account's currency.
type PatchDiscountCode struct {
	base.Answers[*DiscountCode]
	base.IfMatch
	ID     base.ID
	Fields base.Changes[DiscountTerms]
}

func (o PatchDiscountCode) Check(c *base.Checker) { o.Fields.Check(c, "") }

// CheckOn judges the terms that would come of it as a whole.
func (o PatchDiscountCode) CheckOn(c *base.Checker, a *base.AccountState) {
	if d := DiscountTable(a).Get(o.ID); d != nil && len(base.FaultsIn(o)) == 0 {
		n := o.Fields.Of(d.DiscountTerms)
		n.check(c)
	}
}

func (o PatchDiscountCode) PlanOn(t *base.Tx) (any, error) {
	d, err := base.Found(t, DiscountKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *d
	n.DiscountTerms = o.Fields.Of(d.DiscountTerms)
	switch {
	case !n.amount():
		n.Currency = ""
	case o.Fields.Has("value") || o.Fields.Has("valueType"):
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
type DeleteDiscountCode = base.Delete[DiscountCode, *DiscountCode]

// UseDiscount counts n uses of a code, or gives them back where n is negative, and returns the record as the command
// leaves it. Uses of one command add up: a row has one change in a write set.
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

// DiscountCodes lists discount codes in order of creation: of those of which a text is a part, without case, the ones
// from offset on, at most limit, and how many fit.
func DiscountCodes(v base.View, search string, offset, limit int) (page []*DiscountCode, total int) {
	search = base.FoldCode(search)
	return base.PageOf(DiscountTable(v.Acc).All(),
		func(d *DiscountCode) bool { return strings.Contains(base.FoldCode(d.Code), search) }, offset, limit)
}

func init() {
	DiscountKind.WhenDue.Do = func(t *base.Tx, id base.ID) {
		d := DiscountTable(t.Acc).Get(id)
		n := *d
		n.Currency = t.Acc.Row.Currency
		base.Record(t, DiscountKind, d, &n)
	}
	base.RegisterPricer(base.Pricer{Resource: "discountCode", Count: func(a *base.AccountState, now int64) (n int) {
		for d := range DiscountTable(a).All() {
			if d.amount() && (d.EndsAt == nil || *d.EndsAt > now) {
				n++
			}
		}
		return n
	}})
}
