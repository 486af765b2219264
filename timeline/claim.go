package timeline

// This file owns the count that a request for room is checked against. Units that conflicts wait for are not free, and
// a hold keeps the room that it already has.

// Claim lets the holds that are taken out from now on, to be seated again, keep their claim: if no more is committed
// after the command than now, there is no check whether there are so many units.
func (d *Draft) Claim() {
	if d.work == nil && !d.pending {
		d.claimed = d.base
		return
	}
	d.claimed = d.own().Publish()
}

// Waive ends what Claim began: room for what is seated from now on is newly asked for. It is called after the last of
// the holds that keep their claim.
func (d *Draft) Waive() { d.claimed = nil }

// MayTake says that one more unit of p may be committed over room, as far as conflicts go: at every instant of it a
// unit is free with all conflicts counted, or as much as that was committed when Claim was called, until Waive. Whether
// it can be seated is another question.
func (d *Draft) MayTake(p PoolRef, room Span) bool {
	s := d.Stock()
	if free, _, _, _ := s.MinFree(p, room); free >= 1 {
		return true
	}
	if d.claimed == nil {
		return false
	}
	may := true
	s.Sweep(p, room, func(w Span, now Count) bool {
		if now.Free() < 1 {
			s.sweep(p, w, func(x Span, now Count) bool {
				d.claimed.sweep(p, x, func(_ Span, was Count) bool {
					may = may && was.Committed > now.Committed
					return may
				})
				return may
			})
		}
		return may
	})
	return may
}
