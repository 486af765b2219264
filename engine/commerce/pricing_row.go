package commerce

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns the rows of a pricing table that say what is paid, and the terms of a subscription.

// Period is a length of time in the merchant's words. The bounds of a buffer hold for it, too, but it is never 0.
type Period = stock.Buffer

// PricingRow is one way to pay for a catalog item.
type PricingRow struct {
	ID    base.ID
	Table base.ID
	PricingRowFields
	// ISO 4217, of the price; zero: an older program made the row, and it has none yet
	Currency     string             `json:",omitempty"`
	Duration     *Period            // of a booking: what the price is for; nil: the whole booking
	Subscription *SubscriptionTerms // of a subscription, and only there
	base.Stamp
	// since when no line is sold by it any more that was not before; 0: lines are
	RetiredAt int64 `json:",omitempty"`
}

// PricingRowFields are the fields of a row that callers give, in addition to its duration and its terms.
type PricingRowFields struct {
	Label    string            `field:"label text 1..255 required" about:"What people call the price, such as Day."`
	Purchase base.PurchaseType `field:"purchaseType word required" about:"How it is taken: booked for a time, sold, or subscribed to."`
	Price    int64             `field:"price int 0..9007199254740991 required" about:"The price, in minor units." made:"The price, in minor units of the account's currency."`
}

// SubscriptionTerms are how a subscription is paid and how it ends. Nothing is charged here: the terms are for the
// system that charges.
type SubscriptionTerms struct {
	Cycle            Period  // from payment to payment
	RenewalPrice     *int64  `field:"renewalPrice int 0..9007199254740991" about:"What a payment is after the commitment, in minor units; null: the same." made:"What a payment is after the commitment, in minor units of the account's currency. Default: the same."`
	CommitmentCycles *int64  `field:"commitmentCycles int 1..10000" about:"For how many payments the customer is bound; null: none."`
	Commitment       *Period // time before it may end
	CancellationLead *Period // notice
	RenewalType      string  `field:"renewalType text 1..255" default:"none" about:"What follows the commitment, as it was given." made:"What follows the commitment, which is kept as it is. Default: none." changed:"What follows the commitment, which is kept as it is; null: none."`
	InitialCharge    string  `field:"initialChargeType text 1..255" default:"order_creation" about:"When the first payment is due, as it was given." made:"When the first payment is due, which is kept as it is. Default: order_creation." changed:"When the first payment is due, which is kept as it is; null: order_creation."`
}

// What the terms say where nothing is given.
const (
	DefaultRenewalType   = "none"
	DefaultInitialCharge = "order_creation"
)

func period(c *base.Checker, pointer string, p *Period) {
	switch {
	case p == nil:
	case p.Amount < 1 || p.Unit != 0 && !p.Valid():
		c.Fault(pointer, "range", "must be at least 1 and at most 10 years")
	case p.Unit == 0:
		c.Fault(stock.UnitOf(pointer), "required", "is missing")
	}
}

func patchPeriod(c *base.Checker, pointer string, p stock.BufferPatch) {
	if p.Amount.Set && !p.Amount.Null {
		period(c, pointer, &Period{Amount: p.Amount.Value, Unit: stock.OrUnit(p.Unit)})
	}
}

// CheckSubscription names the faults of the terms of a subscription.
func CheckSubscription(c *base.Checker, s *SubscriptionTerms) {
	if s == nil {
		return
	}
	period(c, "/subscription/paymentCycleAmount", &s.Cycle)
	base.CheckFields(c, "/subscription", s)
	period(c, "/subscription/commitmentPeriodAmount", s.Commitment)
	period(c, "/subscription/cancellationLeadTimeAmount", s.CancellationLead)
}

// check names what is wrong with a row as a whole.
func (r *PricingRow) check(c *base.Checker) {
	base.CheckFields(c, "", &r.PricingRowFields)
	period(c, "/durationAmount", r.Duration)
	CheckSubscription(c, r.Subscription)
	if r.Purchase == "" || !r.Purchase.Valid() {
		return // what else is wrong hangs on it
	}
	if r.Duration != nil && r.Purchase != base.PurchaseBooking {
		c.Fault("/durationAmount", "forbidden", "only a booking is priced by a length of time")
	}
	switch subscription := r.Purchase == base.PurchaseSubscription; {
	case subscription && r.Subscription == nil:
		c.Fault("/subscription", "required", "a subscription needs its terms")
	case !subscription && r.Subscription != nil:
		c.Fault("/subscription", "forbidden", "only a subscription has such terms")
	}
}

// CreatePricingRow adds a row to a pricing table. Retired rows by which no line of an order is sold any more that is
// not closed leave it then.
type CreatePricingRow struct {
	base.Answers[*PricingRow]
	base.Adds
	Table base.ID
	PricingRowFields
	Duration     *Period
	Subscription *SubscriptionTerms
}

func (o CreatePricingRow) Check(c *base.Checker) { o.row().check(c) }

func (o CreatePricingRow) row() *PricingRow {
	return &PricingRow{Table: o.Table, PricingRowFields: o.PricingRowFields, Duration: o.Duration,
		Subscription: o.Subscription}
}

func (o CreatePricingRow) PlanOn(t *base.Tx) (any, error) {
	p, err := base.Found(t, PricingTableKind, o.Table, nil)
	if err != nil {
		return nil, err
	}
	idle := func(r PricingRow) bool { return r.RetiredAt != 0 && t.Acc.Unreferred(r.ID, t.Now) == nil }
	rows := slices.DeleteFunc(slices.Clone(p.Rows), idle)
	if len(rows) >= MaxPricingRows {
		return nil, fullTable()
	}
	r := o.row()
	r.ID, r.Currency, r.Stamp = t.NewID(), t.Acc.Row.Currency, t.Stamp()
	changePricing(t, p, func(n *PricingTable) { n.Rows = append(rows, *r) })
	return r, nil
}

func fullTable() *base.Error {
	return base.Invalid([]base.Fault{
		{Code: "range", Message: "a pricing table has at most " + base.Itoa(MaxPricingRows) + " rows of a kind"}})
}

// SubscriptionPatch changes the terms of a subscription, or makes them.
type SubscriptionPatch struct {
	Fields           base.Changes[SubscriptionTerms]
	Cycle            stock.BufferPatch
	Commitment       stock.BufferPatch
	CancellationLead stock.BufferPatch
}

func (p *SubscriptionPatch) check(c *base.Checker, pointer string) {
	patchPeriod(c, pointer+"/paymentCycleAmount", p.Cycle)
	p.Fields.Check(c, pointer)
	patchPeriod(c, pointer+"/commitmentPeriodAmount", p.Commitment)
	patchPeriod(c, pointer+"/cancellationLeadTimeAmount", p.CancellationLead)
}

// merged gives the terms that a patch makes of those that are there, if any are.
func (p *SubscriptionPatch) merged(c *base.Checker, pointer string, was *SubscriptionTerms) *SubscriptionTerms {
	n, cycle := SubscriptionTerms{}, (*Period)(nil)
	if was != nil {
		n, cycle = *was, &was.Cycle
	}
	n = p.Fields.Of(n)
	cycle = p.Cycle.Merged(c, pointer+"/paymentCycleAmount", cycle)
	if cycle == nil {
		c.Fault(pointer+"/paymentCycleAmount", "required", "a subscription is paid in cycles")
		cycle = new(Period)
	}
	n.Cycle = *cycle
	n.Commitment = p.Commitment.Merged(c, pointer+"/commitmentPeriodAmount", n.Commitment)
	n.CancellationLead = p.CancellationLead.Merged(c, pointer+"/cancellationLeadTimeAmount", n.CancellationLead)
	return &n
}

// PatchPricingRow changes a row.
type PatchPricingRow struct {
	base.Answers[*PricingRow]
	base.IfMatch
	Table        base.ID
	ID           base.ID
	Fields       base.Changes[PricingRowFields]
	Duration     stock.BufferPatch
	Subscription base.Opt[SubscriptionPatch]
}

func (o PatchPricingRow) Check(c *base.Checker) {
	o.Fields.Check(c, "")
	patchPeriod(c, "/durationAmount", o.Duration)
	if o.Subscription.Set && !o.Subscription.Null {
		o.Subscription.Value.check(c, "/subscription")
	}
}

// CheckOn judges the row that would come of it as a whole.
func (o PatchPricingRow) CheckOn(c *base.Checker, a *base.AccountState) {
	p := PricingTableKind.In(a).Get(o.Table)
	if p == nil || p.Row(o.ID) == nil || len(base.FaultsIn(o)) > 0 {
		return
	}
	if n := o.merged(c, *p.Row(o.ID)); len(c.Faults) == 0 {
		n.check(c)
	}
}

// merged is a row as the patch leaves it.
func (o PatchPricingRow) merged(c *base.Checker, n PricingRow) PricingRow {
	n.PricingRowFields = o.Fields.Of(n.PricingRowFields)
	n.Duration = o.Duration.Merged(c, "/durationAmount", n.Duration)
	switch {
	case o.Subscription.Null:
		n.Subscription = nil
	case o.Subscription.Set:
		n.Subscription = o.Subscription.Value.merged(c, "/subscription", n.Subscription)
	}
	return n
}

func (o PatchPricingRow) PlanOn(t *base.Tx) (any, error) {
	p, i, err := pricingRow(t, o.Table, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if p.Rows[i].RetiredAt != 0 {
		return nil, base.NotAllowed("the row is retired", "retired", "delete")
	}
	n := o.merged(new(base.Checker), p.Rows[i])
	if base.Alike(base.EncodeCold[PricingRow], &p.Rows[i], &n) {
		return &n, nil
	}
	n.Touch(t.Now)
	changePricing(t, p, func(p *PricingTable) { p.Rows[i] = n })
	return &n, nil
}

// DeletePricingRow takes a row out of a pricing table. One by which a line of an order is sold that is not closed is
// retired: it stays in the table, and no other line is sold by it.
type DeletePricingRow struct {
	base.Answers[any]
	base.IfMatch
	Table base.ID
	ID    base.ID
}

func (o DeletePricingRow) PlanOn(t *base.Tx) (any, error) {
	p, i, err := pricingRow(t, o.Table, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	changePricing(t, p, func(n *PricingTable) {
		switch r := &n.Rows[i]; {
		case t.Acc.Unreferred(r.ID, t.Now) == nil:
			n.Rows = slices.Delete(n.Rows, i, i+1)
		case r.RetiredAt == 0:
			r.RetiredAt = t.Now
			r.Touch(t.Now)
		}
	})
	return nil, nil
}

// pricingRow finds a row of a table in a revision that the caller accepts.
func pricingRow(t *base.Tx, table, id base.ID, ifMatch base.IfMatch) (p *PricingTable, i int, err error) {
	if p, err = base.Found(t, PricingTableKind, table, nil); err != nil {
		return nil, 0, err
	}
	if i = p.rowAt(id); i < 0 {
		return nil, 0, base.NotFound("pricing row of this table")
	}
	return p, i, ifMatch.Match(p.Rows[i].Revision)
}

func (p *PricingTable) rowAt(id base.ID) int {
	return slices.IndexFunc(p.Rows, func(r PricingRow) bool { return r.ID == id })
}

// Row returns a row of the table, or nil.
func (p *PricingTable) Row(id base.ID) *PricingRow {
	if i := p.rowAt(id); i >= 0 {
		return &p.Rows[i]
	}
	return nil
}
