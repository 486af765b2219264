package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns lengths of time on the wire, an amount and a unit each: the buffers of SKUs and articles, before and
// after, and whatever else is said in this form.

// bufferInput is the two fields of a length of time as they come in.
type bufferInput struct {
	amount *int64
	unit   *timeline.Unit
}

var (
	unitNames  = []string{"seconds", "minutes", "hours", "days", "weeks", "months", "years"}
	unitSchema = wire.EnumSchema(unitNames...)
	unitOrNull = unitSchema.OrNull()
	periodUnit = wire.Scalar(wire.JSONString, unitSchema, func(raw []byte, dst *timeline.Unit) wire.Wrong {
		for _, name := range unitNames {
			if string(raw) == name {
				*dst, _ = timeline.ParseUnit(name)
				return wire.Wrong{}
			}
		}
		return wire.Wrong{Code: wire.FaultEnum,
			Message: "must be one of seconds, minutes, hours, days, weeks, months, years"}
	})
	bufferAmount = wire.Integer[int64](0, timeline.MaxAmount)
	periodAmount = wire.Integer[int64](1, timeline.MaxAmount)
)

// length is a length of time, in words.
type length string

func (l length) amount() string {
	return "How long " + string(l) + ", in the unit beside it, ten years at most; both are given, or neither."
}
func (l length) unit() string { return "The unit of how long " + string(l) + "." }

// lengthOf are the lengths of time, by the member that has the amount.
var lengthOf = map[string]length{
	"bufferTimeAmountBefore":     "a unit is kept free before each booking",
	"bufferTimeAmountAfter":      "a unit is kept free after each booking",
	"durationAmount":             "what the price is for lasts",
	"paymentCycleAmount":         "it is from payment to payment",
	"commitmentPeriodAmount":     "the customer is bound",
	"cancellationLeadTimeAmount": "before the end it has to be cancelled",
}

func periodFields[In any](amount, unit string, of wire.Kind[int64], at func(*In) *bufferInput) []wire.Field[In] {
	return []wire.Field[In]{
		wire.Optional(amount, of, func(in *In) **int64 { return &at(in).amount }).Says(lengthOf[amount].amount()),
		wire.Optional(unit, periodUnit, func(in *In) **timeline.Unit { return &at(in).unit }).
			Says(lengthOf[amount].unit()),
	}
}

// period makes a length of time of the two fields at these pointers, of which neither stands alone; nil where neither
// is given.
func (q *request) period(amount, unit string, in bufferInput) *commerce.Period {
	switch {
	case in.amount == nil && in.unit == nil:
		return nil
	case in.amount == nil:
		q.fault("body", amount, wire.FaultRequired, "is needed beside the unit")
		return nil
	case in.unit == nil:
		q.fault("body", unit, wire.FaultRequired, "is needed beside the amount")
		return nil
	case *in.unit == 0:
		return nil // it could not be read, which is said
	}
	return &commerce.Period{Amount: *in.amount, Unit: *in.unit}
}

// periodPatchFields are the same in a PATCH: null in either clears the length.
func periodPatchFields[In any](amount, unit string, of wire.Kind[int64],
	at func(*In) *stock.BufferPatch) []wire.Field[In] {
	return []wire.Field[In]{
		wire.Merged(amount, of, true, func(in *In) *base.Opt[int64] {
			return &at(in).Amount
		}).Says(lengthOf[amount].amount() + " Null in either clears both."),
		wire.Merged(unit, periodUnit, true, func(in *In) *base.Opt[timeline.Unit] {
			return &at(in).Unit
		}).Says(lengthOf[amount].unit() + " Null in either clears both."),
	}
}

// period writes the two members of a length of time.
func (w *scribe) period(amount, unit string, p *commerce.Period) {
	if w.Writes() {
		w.periodOf(amount, "", unit, "", p)
		return
	}
	w.Key(amount, wire.IntegerOrNull, lengthOf[amount].amount())
	w.Key(unit, unitOrNull, lengthOf[amount].unit())
}

// periodOf is period of a length that is always there, with what is said of it.
func (w *scribe) periodOf(amount, aboutAmount, unit, aboutUnit string, p *commerce.Period) {
	given := p != nil && p.Unit != 0
	if w.Key(amount, wire.IntegerSchema, aboutAmount); given {
		w.Out = wire.AppendInt(w.Out, p.Amount)
	} else {
		w.Nil()
	}
	if w.Key(unit, unitSchema, aboutUnit); given {
		w.Out = wire.AppendText(w.Out, p.Unit.String())
	} else {
		w.Nil()
	}
}

func bufferFields[In any](which string, at func(*In) *bufferInput) []wire.Field[In] {
	return periodFields("bufferTimeAmount"+which, "bufferTimeUnit"+which, bufferAmount, at)
}

// buffer makes a buffer of the two fields, of which neither stands alone; nil where neither is given.
func (q *request) buffer(which string, in bufferInput) *stock.Buffer {
	return q.period("/bufferTimeAmount"+which, "/bufferTimeUnit"+which, in)
}

// bufferPatchFields are the same in a PATCH: null in either clears the buffer.
func bufferPatchFields[In any](which string, at func(*In) *stock.BufferPatch) []wire.Field[In] {
	return periodPatchFields("bufferTimeAmount"+which, "bufferTimeUnit"+which, bufferAmount, at)
}

// buffers writes the four members of what is kept free before and after bookings.
func (w *scribe) buffers(before, after *stock.Buffer) {
	w.period("bufferTimeAmountBefore", "bufferTimeUnitBefore", before)
	w.period("bufferTimeAmountAfter", "bufferTimeUnitAfter", after)
}
