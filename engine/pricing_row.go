package engine

import "slices"

// This file owns the rows of a pricing table that say what is paid, and the terms of a subscription.

// Period is a length of time in the merchant's words. The bounds of a buffer hold for it, too, but it is never 0.
type Period = Buffer

// PricingRow is one way to pay for a catalog item.
type PricingRow struct {
	ID           ID
	Table        ID
	Label        string
	Purchase     PurchaseType
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

func (c *checker) period(pointer string, p *Period) {
	if p != nil && (p.Amount < 1 || !p.Valid()) {
		c.fault(pointer, "range", "must be at least 1 and at most 10 years")
	}
}

func (c *checker) patchPeriod(pointer string, p BufferPatch) {
	if p.Amount.Set && !p.Amount.Null {
		c.period(pointer, &Period{Amount: p.Amount.Value, Unit: orUnit(p.Unit)})
	}
}

func (c *checker) price(pointer string, n int64) {
	if n < 0 || n > maxSafe {
		c.fault(pointer, "range", "must be a whole number of minor units between 0 and 9007199254740991")
	}
}

func (c *checker) subscription(pointer string, s *SubscriptionTerms) {
	if s == nil {
		return
	}
	c.period(pointer+"/paymentCycleAmount", &s.Cycle)
	if s.RenewalPrice != nil {
		c.price(pointer+"/renewalPrice", *s.RenewalPrice)
	}
	c.cycles(pointer+"/commitmentCycles", s.CommitmentCycles)
	c.period(pointer+"/commitmentPeriodAmount", s.Commitment)
	c.period(pointer+"/cancellationLeadTimeAmount", s.CancellationLead)
	c.text(pointer+"/renewalType", s.RenewalType, 1, maxName)
	c.text(pointer+"/initialChargeType", s.InitialCharge, 1, maxName)
}

// check names what is wrong with a row as a whole.
func (r *PricingRow) check(c *checker) {
	c.text("/label", r.Label, 1, maxName)
	c.purchase("/purchaseType", r.Purchase)
	c.price("/price", r.Price)
	c.period("/durationAmount", r.Duration)
	c.subscription("/subscription", r.Subscription)
	if r.Purchase == "" || !r.Purchase.valid() {
		return // what else is wrong hangs on it
	}
	if r.Duration != nil && r.Purchase != PurchaseBooking {
		c.fault("/durationAmount", "forbidden", "only a booking is priced by a length of time")
	}
	switch subscription := r.Purchase == PurchaseSubscription; {
	case subscription && r.Subscription == nil:
		c.fault("/subscription", "required", "a subscription needs its terms")
	case !subscription && r.Subscription != nil:
		c.fault("/subscription", "forbidden", "only a subscription has such terms")
	}
}

func (c *checker) purchase(pointer string, p PurchaseType) {
	c.oneOf(pointer, string(p), string(PurchaseBooking), string(PurchaseSale), string(PurchaseSubscription))
}

// CreatePricingRow adds a row to a pricing table. Retired rows by which no line of an order is sold any more that is not closed leave
// it then. It answers with the *PricingRow.
type CreatePricingRow struct {
	Table        ID
	Label        string
	Purchase     PurchaseType
	Price        int64
	Duration     *Period
	Subscription *SubscriptionTerms
}

func (o CreatePricingRow) Check() []Fault {
	var c checker
	o.row().check(&c)
	return c.faults
}

func (o CreatePricingRow) row() *PricingRow {
	return &PricingRow{Table: o.Table, Label: o.Label, Purchase: o.Purchase, Price: o.Price, Duration: o.Duration, Subscription: o.Subscription}
}

func (o CreatePricingRow) plan(t *tx) (any, error) {
	p, err := found(t, pricingTableKind, o.Table, nil)
	if err != nil {
		return nil, err
	}
	idle := func(r PricingRow) bool { return r.RetiredAt != 0 && t.acc.unreferred(r.ID, t.now) == nil }
	rows := slices.DeleteFunc(slices.Clone(p.Rows), idle)
	if len(rows) >= maxPricingRows {
		return nil, fullTable()
	}
	r := o.row()
	r.ID, r.Currency, r.UpdatedAt, r.Revision = t.newID(), t.acc.row.Currency, t.now, 1
	t.changePricing(p, func(n *PricingTable) { n.Rows = append(rows, *r) })
	return r, nil
}

func fullTable() *Error {
	return invalid([]Fault{{Code: "range", Message: "a pricing table has at most " + itoa(maxPricingRows) + " rows of a kind"}})
}

func (CreatePricingRow) result() any { return new(PricingRow) }

// SubscriptionPatch changes the terms of a subscription, or makes them.
type SubscriptionPatch struct {
	Cycle            BufferPatch
	RenewalPrice     Opt[int64]
	CommitmentCycles Opt[int64]
	Commitment       BufferPatch
	CancellationLead BufferPatch
	RenewalType      Opt[string] // null: the default, as of the next
	InitialCharge    Opt[string]
}

func (p *SubscriptionPatch) check(c *checker, pointer string) {
	c.patchPeriod(pointer+"/paymentCycleAmount", p.Cycle)
	if o := p.RenewalPrice; o.Set && !o.Null {
		c.price(pointer+"/renewalPrice", o.Value)
	}
	if o := p.CommitmentCycles; o.Set && !o.Null {
		c.cycles(pointer+"/commitmentCycles", &o.Value)
	}
	c.patchPeriod(pointer+"/commitmentPeriodAmount", p.Commitment)
	c.patchPeriod(pointer+"/cancellationLeadTimeAmount", p.CancellationLead)
	c.patchText(pointer+"/renewalType", p.RenewalType, 1, maxName)
	c.patchText(pointer+"/initialChargeType", p.InitialCharge, 1, maxName)
}

// merged gives the terms that a patch makes of those that are there, if any are.
func (p *SubscriptionPatch) merged(c *checker, pointer string, was *SubscriptionTerms) *SubscriptionTerms {
	n, cycle := SubscriptionTerms{RenewalType: DefaultRenewalType, InitialCharge: DefaultInitialCharge}, (*Period)(nil)
	if was != nil {
		n, cycle = *was, &was.Cycle
	}
	cycle = p.Cycle.merged(c, pointer+"/paymentCycleAmount", cycle)
	if cycle == nil {
		c.fault(pointer+"/paymentCycleAmount", "required", "a subscription is paid in cycles")
		cycle = new(Period)
	}
	n.Cycle = *cycle
	p.RenewalPrice.merge(&n.RenewalPrice)
	p.CommitmentCycles.merge(&n.CommitmentCycles)
	n.Commitment = p.Commitment.merged(c, pointer+"/commitmentPeriodAmount", n.Commitment)
	n.CancellationLead = p.CancellationLead.merged(c, pointer+"/cancellationLeadTimeAmount", n.CancellationLead)
	if p.RenewalType.Set {
		n.RenewalType = orDefault(p.RenewalType.Value, DefaultRenewalType)
	}
	if p.InitialCharge.Set {
		n.InitialCharge = orDefault(p.InitialCharge.Value, DefaultInitialCharge)
	}
	return &n
}

// PatchPricingRow changes a row. It answers with the *PricingRow.
type PatchPricingRow struct {
	Table        ID
	ID           ID
	IfMatch      []uint64
	Label        Opt[string]
	Purchase     Opt[PurchaseType]
	Price        Opt[int64]
	Duration     BufferPatch
	Subscription Opt[SubscriptionPatch]
}

func (o PatchPricingRow) Check() []Fault {
	var c checker
	c.patchText("/label", o.Label, 1, maxName)
	if o.Purchase.Set {
		c.purchase("/purchaseType", o.Purchase.Value)
	}
	if o.Price.Set {
		c.price("/price", o.Price.Value)
	}
	c.patchPeriod("/durationAmount", o.Duration)
	if o.Subscription.Set && !o.Subscription.Null {
		o.Subscription.Value.check(&c, "/subscription")
	}
	return c.faults
}

// checkOn judges the row that would come of it as a whole.
func (o PatchPricingRow) checkOn(a *account) []Fault {
	p := pricingTableKind.in(a).Get(o.Table)
	if p == nil || p.Row(o.ID) == nil || len(o.Check()) > 0 {
		return nil
	}
	var c checker
	if n := o.merged(&c, *p.Row(o.ID)); len(c.faults) == 0 {
		n.check(&c)
	}
	return c.faults
}

// merged is a row as the patch leaves it.
func (o PatchPricingRow) merged(c *checker, n PricingRow) PricingRow {
	if o.Label.Set {
		n.Label = o.Label.Value
	}
	if o.Purchase.Set {
		n.Purchase = o.Purchase.Value
	}
	if o.Price.Set {
		n.Price = o.Price.Value
	}
	n.Duration = o.Duration.merged(c, "/durationAmount", n.Duration)
	switch {
	case o.Subscription.Null:
		n.Subscription = nil
	case o.Subscription.Set:
		n.Subscription = o.Subscription.Value.merged(c, "/subscription", n.Subscription)
	}
	return n
}

func (o PatchPricingRow) plan(t *tx) (any, error) {
	p, i, err := t.pricingRow(o.Table, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if p.Rows[i].RetiredAt != 0 {
		return nil, &Error{Code: CodeStateNotAllowed, Detail: "the row is retired", Details: StateDetails{State: "retired", Allowed: []string{"delete"}}}
	}
	n := o.merged(new(checker), p.Rows[i])
	if alike(encodeCold[PricingRow], &p.Rows[i], &n) {
		return &n, nil
	}
	n.UpdatedAt = t.now
	n.Revision++
	t.changePricing(p, func(p *PricingTable) { p.Rows[i] = n })
	return &n, nil
}

func (PatchPricingRow) result() any { return new(PricingRow) }

// DeletePricingRow takes a row out of a pricing table. One by which a line of an order is sold that is not closed is retired: it
// stays in the table, and no other line is sold by it. It answers with nil.
type DeletePricingRow struct {
	Table   ID
	ID      ID
	IfMatch []uint64
}

func (DeletePricingRow) Check() []Fault { return nil }

func (o DeletePricingRow) plan(t *tx) (any, error) {
	p, i, err := t.pricingRow(o.Table, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	t.changePricing(p, func(n *PricingTable) {
		switch r := &n.Rows[i]; {
		case t.acc.unreferred(r.ID, t.now) == nil:
			n.Rows = slices.Delete(n.Rows, i, i+1)
		case r.RetiredAt == 0:
			r.RetiredAt, r.UpdatedAt, r.Revision = t.now, t.now, r.Revision+1
		}
	})
	return nil, nil
}

func (DeletePricingRow) result() any { return new(any) }

// pricingRow finds a row of a table in a revision that the caller accepts.
func (t *tx) pricingRow(table, id ID, ifMatch []uint64) (p *PricingTable, i int, err error) {
	if p, err = found(t, pricingTableKind, table, nil); err != nil {
		return nil, 0, err
	}
	if i = p.rowAt(id); i < 0 {
		return nil, 0, notFound("pricing row of this table")
	}
	return p, i, match(ifMatch, p.Rows[i].Revision)
}

func (p *PricingTable) rowAt(id ID) int {
	return slices.IndexFunc(p.Rows, func(r PricingRow) bool { return r.ID == id })
}

// Row returns a row of the table, or nil.
func (p *PricingTable) Row(id ID) *PricingRow {
	if i := p.rowAt(id); i >= 0 {
		return &p.Rows[i]
	}
	return nil
}
