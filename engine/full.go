package engine

import "holdfast/engine/base"

// This file owns what is turned away while memory is short: what adds records (base.Adds). What takes stock back, ends
// or removes something, or goes on with an order that there is, is done as ever, so that a merchant can make room and a
// counter can hand over.

// crowdedOut is the refusal of what adds records while memory is short, nil while it is not.
func crowdedOut(full func() bool, op base.Op) *base.Error {
	if full == nil || !base.AddsRecords(op) || !full() {
		return nil
	}
	return base.Refuse(base.CodeOverloaded,
		"the memory of the server is nearly full: nothing can be added; what ends or removes something is done")
}
