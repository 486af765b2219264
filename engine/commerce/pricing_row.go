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
	ID           base.ID
	Table        base.ID
	Label        string
	Purchase     base.PurchaseType
	Price        int64              // minor units
	Currency     string             `json:",omitempty"` // ISO 4217, of the price; zero: an older program made the row, and it has none yet
	Duration     *Period            // of a booking: what the price is for; nil: the whole booking
	Subscription *SubscriptionTerms // of a subscription, and only there
	UpdatedAt    int64
	Revision     uint64
	RetiredAt    int64 `json:",omitempty"` // since when no line is sold by it any more that was not before; 0: lines are
}

// SubscriptionTerms are how a subscription is paid and how it ends. Nothing is charged here: they are for who does.
type SubscriptionTerms struct {
	Cycle            Period  // from payment to payment
	RenewalPrice     *int64  // nil: the price of the row
	CommitmentCycles *int64  // payments before it may end
	Commitment       *Period // time before it may end
	CancellationLead *Period // notice
	RenewalType      string
	InitialCharge    string
}

// What the terms say where nothing is given.
const (
	DefaultRenewalType   = "none"
	DefaultInitialCharge = "order_creation"
)

func period(c *base.Checker, pointer string, p *Period) {
	if p != nil && (p.Amount < 1 || !p.Valid()) {
		c.Fault(pointer, "range", "must be at least 1 and at most 10 years")
	}
}

func patchPeriod(c *base.Checker, pointer string, p stock.BufferPatch) {
	if p.Amount.Set && !p.Amount.Null {
		period(c, pointer, &Period{Amount: p.Amount.Value, Unit: stock.OrUnit(p.Unit)})
	}
}

// CheckPrice names the faults of a price.
func CheckPrice(c *base.Checker, pointer string, n int64) {
	if n < 0 || n > base.MaxSafe {
		c.Fault(pointer, "range", "must be a whole number of minor units between 0 and 9007199254740991")
	}
}

// CheckSubscription names the faults of the terms of a subscription.
func CheckSubscription(c *base.Checker, pointer string, s *SubscriptionTerms) {
	if s == nil {
		return
	}
	period(c, pointer+"/paymentCycleAmount", &s.Cycle)
	if s.RenewalPrice != nil {
		CheckPrice(c, pointer+"/renewalPrice", *s.RenewalPrice)
	}
	cycles(c, pointer+"/commitmentCycles", s.CommitmentCycles)
	period(c, pointer+"/commitmentPeriodAmount", s.Commitment)
	period(c, pointer+"/cancellationLeadTimeAmount", s.CancellationLead)
	c.Text(pointer+"/renewalType", s.RenewalType, 1, base.MaxName)
	c.Text(pointer+"/initialChargeType", s.InitialCharge, 1, base.MaxName)
}

// check names what is wrong with a row as a whole.
func (r *PricingRow) check(c *base.Checker) {
	c.Text("/label", r.Label, 1, base.MaxName)
	CheckPurchase(c, "/purchaseType", r.Purchase)
	CheckPrice(c, "/price", r.Price)
	period(c, "/durationAmount", r.Duration)
	CheckSubscription(c, "/subscription", r.Subscription)
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

// CheckPurchase names the faults of a purchase type.
func CheckPurchase(c *base.Checker, pointer string, p base.PurchaseType) {
	c.OneOf(pointer, string(p), string(base.PurchaseBooking), string(base.PurchaseSale), string(base.PurchaseSubscription))
}

// CreatePricingRow adds a row to a pricing table. Retired rows by which no line of an order is sold any more that is not closed leave
// it then.
type CreatePricingRow struct {
	base.Answers[*PricingRow]
	base.Adds
	Table        base.ID
	Label        string
	Purchase     base.PurchaseType
	Price        int64
	Duration     *Period
	Subscription *SubscriptionTerms
}

func (o CreatePricingRow) Check() []base.Fault {
	var c base.Checker
	o.row().check(&c)
	return c.Faults
}

func (o CreatePricingRow) row() *PricingRow {
	return &PricingRow{Table: o.Table, Label: o.Label, Purchase: o.Purchase, Price: o.Price, Duration: o.Duration, Subscription: o.Subscription}
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
	r.ID, r.Currency, r.UpdatedAt, r.Revision = t.NewID(), t.Acc.Row.Currency, t.Now, 1
	changePricing(t, p, func(n *PricingTable) { n.Rows = append(rows, *r) })
	return r, nil
}

func fullTable() *base.Error {
	return base.Invalid([]base.Fault{{Code: "range", Message: "a pricing table has at most " + base.Itoa(MaxPricingRows) + " rows of a kind"}})
}

// SubscriptionPatch changes the terms of a subscription, or makes them.
type SubscriptionPatch struct {
	Cycle            stock.BufferPatch
	RenewalPrice     base.Opt[int64]
	CommitmentCycles base.Opt[int64]
	Commitment       stock.BufferPatch
	CancellationLead stock.BufferPatch
	RenewalType      base.Opt[string] // null: the default, as of the next
	InitialCharge    base.Opt[string]
}

func (p *SubscriptionPatch) check(c *base.Checker, pointer string) {
	patchPeriod(c, pointer+"/paymentCycleAmount", p.Cycle)
	if o := p.RenewalPrice; o.Set && !o.Null {
		CheckPrice(c, pointer+"/renewalPrice", o.Value)
	}
	if o := p.CommitmentCycles; o.Set && !o.Null {
		cycles(c, pointer+"/commitmentCycles", &o.Value)
	}
	patchPeriod(c, pointer+"/commitmentPeriodAmount", p.Commitment)
	patchPeriod(c, pointer+"/cancellationLeadTimeAmount", p.CancellationLead)
	c.PatchText(pointer+"/renewalType", p.RenewalType, 1, base.MaxName)
	c.PatchText(pointer+"/initialChargeType", p.InitialCharge, 1, base.MaxName)
}

// merged gives the terms that a patch makes of those that are there, if any are.
func (p *SubscriptionPatch) merged(c *base.Checker, pointer string, was *SubscriptionTerms) *SubscriptionTerms {
	n, cycle := SubscriptionTerms{RenewalType: DefaultRenewalType, InitialCharge: DefaultInitialCharge}, (*Period)(nil)
	if was != nil {
		n, cycle = *was, &was.Cycle
	}
	cycle = p.Cycle.Merged(c, pointer+"/paymentCycleAmount", cycle)
	if cycle == nil {
		c.Fault(pointer+"/paymentCycleAmount", "required", "a subscription is paid in cycles")
		cycle = new(Period)
	}
	n.Cycle = *cycle
	p.RenewalPrice.Merge(&n.RenewalPrice)
	p.CommitmentCycles.Merge(&n.CommitmentCycles)
	n.Commitment = p.Commitment.Merged(c, pointer+"/commitmentPeriodAmount", n.Commitment)
	n.CancellationLead = p.CancellationLead.Merged(c, pointer+"/cancellationLeadTimeAmount", n.CancellationLead)
	if p.RenewalType.Set {
		n.RenewalType = base.OrDefault(p.RenewalType.Value, DefaultRenewalType)
	}
	if p.InitialCharge.Set {
		n.InitialCharge = base.OrDefault(p.InitialCharge.Value, DefaultInitialCharge)
	}
	return &n
}

// PatchPricingRow changes a row.
type PatchPricingRow struct {
	base.Answers[*PricingRow]
	Table        base.ID
	ID           base.ID
	IfMatch      []uint64
	Label        base.Opt[string]
	Purchase     base.Opt[base.PurchaseType]
	Price        base.Opt[int64]
	Duration     stock.BufferPatch
	Subscription base.Opt[SubscriptionPatch]
}

func (o PatchPricingRow) Check() []base.Fault {
	var c base.Checker
	c.PatchText("/label", o.Label, 1, base.MaxName)
	if o.Purchase.Set {
		CheckPurchase(&c, "/purchaseType", o.Purchase.Value)
	}
	if o.Price.Set {
		CheckPrice(&c, "/price", o.Price.Value)
	}
	patchPeriod(&c, "/durationAmount", o.Duration)
	if o.Subscription.Set && !o.Subscription.Null {
		o.Subscription.Value.check(&c, "/subscription")
	}
	return c.Faults
}

// CheckOn judges the row that would come of it as a whole.
func (o PatchPricingRow) CheckOn(a *base.AccountState) []base.Fault {
	p := PricingTableKind.In(a).Get(o.Table)
	if p == nil || p.Row(o.ID) == nil || len(o.Check()) > 0 {
		return nil
	}
	var c base.Checker
	if n := o.merged(&c, *p.Row(o.ID)); len(c.Faults) == 0 {
		n.check(&c)
	}
	return c.Faults
}

// merged is a row as the patch leaves it.
func (o PatchPricingRow) merged(c *base.Checker, n PricingRow) PricingRow {
	if o.Label.Set {
		n.Label = o.Label.Value
	}
	if o.Purchase.Set {
		n.Purchase = o.Purchase.Value
	}
	if o.Price.Set {
		n.Price = o.Price.Value
	}
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
		return nil, &base.Error{Code: base.CodeStateNotAllowed, Detail: "the row is retired", Details: base.StateDetails{State: "retired", Allowed: []string{"delete"}}}
	}
	n := o.merged(new(base.Checker), p.Rows[i])
	if base.Alike(base.EncodeCold[PricingRow], &p.Rows[i], &n) {
		return &n, nil
	}
	n.UpdatedAt = t.Now
	n.Revision++
	changePricing(t, p, func(p *PricingTable) { p.Rows[i] = n })
	return &n, nil
}

// DeletePricingRow takes a row out of a pricing table. One by which a line of an order is sold that is not closed is retired: it
// stays in the table, and no other line is sold by it.
type DeletePricingRow struct {
	base.Answers[any]
	Table   base.ID
	ID      base.ID
	IfMatch []uint64
}

func (DeletePricingRow) Check() []base.Fault { return nil }

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
			r.RetiredAt, r.UpdatedAt, r.Revision = t.Now, t.Now, r.Revision+1
		}
	})
	return nil, nil
}

// pricingRow finds a row of a table in a revision that the caller accepts.
func pricingRow(t *base.Tx, table, id base.ID, ifMatch []uint64) (p *PricingTable, i int, err error) {
	if p, err = base.Found(t, PricingTableKind, table, nil); err != nil {
		return nil, 0, err
	}
	if i = p.rowAt(id); i < 0 {
		return nil, 0, base.NotFound("pricing row of this table")
	}
	return p, i, base.Match(ifMatch, p.Rows[i].Revision)
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
