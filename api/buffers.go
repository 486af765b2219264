package api

import (
	"holdfast/engine"
	"holdfast/timeline"
)

// This file owns buffers on the wire: an amount and a unit each before and after, on SKUs and articles.

// bufferInput is the two fields of a buffer as they come in.
type bufferInput struct {
	amount *int64
	unit   *timeline.Unit
}

var (
	unitNames  = []string{"seconds", "minutes", "hours", "days", "weeks", "months", "years"}
	bufferUnit = scalar(jsonString, enumSchema(unitNames...), func(raw []byte, dst *timeline.Unit) wrong {
		for _, name := range unitNames {
			if string(raw) == name {
				*dst, _ = timeline.ParseUnit(name)
				return wrong{}
			}
		}
		return wrong{faultEnum, "must be one of seconds, minutes, hours, days, weeks, months, years"}
	})
	bufferAmount = integer[int64](0, maxSafeInteger)
)

func bufferFields[In any](which string, at func(*In) *bufferInput) []field[In] {
	return []field[In]{
		optional("bufferTimeAmount"+which, bufferAmount, func(in *In) **int64 { return &at(in).amount }),
		optional("bufferTimeUnit"+which, bufferUnit, func(in *In) **timeline.Unit { return &at(in).unit }),
	}
}

// buffer makes a buffer of the two fields, of which neither stands alone; nil where neither is given.
func (q *request) buffer(which string, in bufferInput) *engine.Buffer {
	switch {
	case in.amount == nil && in.unit == nil:
		return nil
	case in.amount == nil:
		q.faults.add(engine.Fault{In: "body", Pointer: "/bufferTimeAmount" + which, Code: faultRequired, Message: "is needed beside the unit"})
		return nil
	case in.unit == nil:
		q.faults.add(engine.Fault{In: "body", Pointer: "/bufferTimeUnit" + which, Code: faultRequired, Message: "is needed beside the amount"})
		return nil
	}
	return &engine.Buffer{Amount: *in.amount, Unit: *in.unit}
}

// bufferPatchFields are the same in a PATCH: null in either clears the buffer.
func bufferPatchFields[In any](which string, at func(*In) *engine.BufferPatch) []field[In] {
	return []field[In]{
		merged("bufferTimeAmount"+which, bufferAmount, true, func(in *In) *engine.Opt[int64] { return &at(in).Amount }),
		merged("bufferTimeUnit"+which, bufferUnit, true, func(in *In) *engine.Opt[timeline.Unit] { return &at(in).Unit }),
	}
}

var bufferMembers = []Member{
	has("bufferTimeAmountBefore", integerSchema.orNull()), has("bufferTimeUnitBefore", enumSchema(unitNames...).orNull()),
	has("bufferTimeAmountAfter", integerSchema.orNull()), has("bufferTimeUnitAfter", enumSchema(unitNames...).orNull()),
}

// appendBuffers appends the four members.
func appendBuffers(b []byte, before, after *engine.Buffer) []byte {
	b = appendBuffer(append(b, `,"bufferTimeAmountBefore":`...), `,"bufferTimeUnitBefore":`, before)
	return appendBuffer(append(b, `,"bufferTimeAmountAfter":`...), `,"bufferTimeUnitAfter":`, after)
}

func appendBuffer(b []byte, unit string, x *engine.Buffer) []byte {
	if x == nil || x.Unit == 0 {
		b = append(b, "null"...)
		return append(append(b, unit...), "null"...)
	}
	b = append(appendInt(b, x.Amount), unit...)
	return appendText(b, x.Unit.String())
}
