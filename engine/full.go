package engine

import "holdfast/engine/base"

// This file owns what is refused while memory is short: commands that add records (base.Adds). A command that takes
// stock back, ends or removes something, or continues an existing order is still allowed, so that a merchant can make
// room and a counter can hand units over.

// crowdedOut is the refusal of what adds records while memory is short, nil while it is not.
func crowdedOut(full func() bool, op base.Op) *base.Error {
	if full == nil || !base.AddsRecords(op) || !full() {
		return nil
	}
	return base.Refuse(base.CodeOverloaded,
		"the memory of the server is nearly full: nothing can be added; what ends or removes something is still done")
}
