package order

import (
	"holdfast/engine/base"
)

// This file owns payments: what others say that was paid. Nothing is charged here.

// PaymentKind says what a payment is.
type PaymentKind string

// A deposit is authorised, then captured or cancelled.
const (
	Capture          PaymentKind = "capture"
	Refund           PaymentKind = "refund"
	DepositCapture   PaymentKind = "deposit_capture"
	DepositRefund    PaymentKind = "deposit_refund"
	DepositAuthorise PaymentKind = "deposit_authorise"
	DepositCancel    PaymentKind = "deposit_cancel"
)

// PaymentKinds are all of them.
var PaymentKinds = []PaymentKind{Capture, Refund, DepositCapture, DepositRefund, DepositAuthorise, DepositCancel}

// Words are those that a payment can be.
func (PaymentKind) Words() (words []string) {
	for _, k := range PaymentKinds {
		words = append(words, string(k))
	}
	return words
}

// OrderPayment is one payment that was recorded.
type OrderPayment struct {
	ID     base.ID
	Kind   PaymentKind
	Amount int64
	At     int64
	Line   base.ID `json:",omitzero"` // of which line; zero: of the order

	Reference string `json:",omitempty"` // its name in the system that moved the money
	Method    string `json:",omitempty"` // how it was paid
}

// Paid is the sum of an order's payments of a kind; of a line, where one is named.
func (o *Order) Paid(k PaymentKind, line base.ID) (n int64) {
	for i := range o.Payments {
		if p := &o.Payments[i]; p.Kind == k && (line == base.ID{} || p.Line == line) {
			n += p.Amount
		}
	}
	return n
}

// AddPayment records a payment.
type AddPayment struct {
	base.Answers[*OrderRecord]
	Order     base.ID
	Kind      PaymentKind `field:"kind word required" made:"What kind of payment it is."`
	Amount    int64       `field:"amount int 1..9007199254740991 required" made:"How much, in minor units of the account's currency. A refund is at most what the captures of the order leave to give back, a deposit_refund what its deposit_captures leave, a deposit_cancel what was authorised and is not cancelled yet." example:"9000"`
	Line      *base.ID    `field:"lineItemId id" made:"The line that it is for. Default: the order as a whole." example:"null"`
	At        *int64      `field:"at instant" made:"When it was done. Default: now."`
	Reference *string     `field:"reference text 1..255" made:"What whoever moved the money calls the payment." example:"pi_3PqL8c2eZvKYlo2C"`
	Method    *string     `field:"method text 1..255" made:"How it was paid, in a word of the merchant's." example:"card"`
}

func (o AddPayment) Check(c *base.Checker) { base.CheckFields(c, "", &o) }

// CheckOn names what goes beyond what is left of what it takes back.
func (o AddPayment) CheckOn(c *base.Checker, a *base.AccountState) {
	if n := OrderTable(a).Get(o.Order); n != nil {
		n.refundable(c, o)
	}
}

func (o AddPayment) PlanOn(t *base.Tx) (any, error) {
	n, err := Edit(t, o.Order)
	if err != nil {
		return nil, err
	}
	p := OrderPayment{ID: t.NewID(), Kind: o.Kind, Amount: o.Amount, At: t.Now,
		Reference: base.ValueOf(o.Reference), Method: base.ValueOf(o.Method)}
	if o.At != nil {
		p.At = *o.At
	}
	if o.Line != nil {
		if n.line(*o.Line) < 0 {
			return nil, base.NotFound("line item of this order")
		}
		p.Line = *o.Line
	}
	switch {
	case len(n.Payments) == maxPayments:
		return nil, base.Refuse(base.CodeConflict, "an order has at most %d payments", maxPayments)
	case n.Paid(o.Kind, base.ID{}) > base.MaxSafe-o.Amount:
		return nil, base.InvalidAt("/amount", "range", "the total would be beyond 9007199254740991")
	}
	n.Payments = append(n.Payments[:len(n.Payments):len(n.Payments)], p)
	return answer(t, n), nil
}

// takenBefore says of each kind of payment that takes another one back which one that is, and how what is left of it is
// called.
var takenBefore = map[PaymentKind]struct {
	kind  PaymentKind
	words string
}{
	Refund:        {Capture, "to give back of what was captured"},
	DepositRefund: {DepositCapture, "to give back of the deposit"},
	DepositCancel: {DepositAuthorise, "to cancel of what was authorised"},
}

// refundable demands that no more is given back than was taken, of the order as a whole: a merchant that gives back for
// a line may have taken for the order. A deposit that is set aside was not taken: it is cancelled, up to what was
// authorised, also where some of it was captured, as a deposit may be captured that was not authorised here.
func (o *Order) refundable(c *base.Checker, p AddPayment) {
	from, takesBack := takenBefore[p.Kind]
	if !takesBack {
		return
	}
	switch left := o.Paid(from.kind, base.ID{}) - o.Paid(p.Kind, base.ID{}); {
	case p.Amount <= left:
	case left <= 0:
		c.Fault("/amount", "range", "there is nothing left "+from.words)
	default:
		c.Fault("/amount", "range", "must be at most "+base.Itoa(int(left))+", what is left "+from.words)
	}
}
