package engine

// This file owns units that nobody fetched: they are cancelled, and what they would have cost is not asked for.

// CancelUnit cancels a unit of an open or active order that nobody has fetched: its stock is free again, and its line costs as much less.
// It answers with the *OrderRecord.
type CancelUnit struct{ Order, Unit ID }

func (CancelUnit) Check() []Fault { return nil }

func (o CancelUnit) plan(t *tx) (any, error) {
	n, err := t.editUnits(CancelItem, o.Order, []ID{o.Unit})
	if err != nil {
		return nil, err
	}
	l, u := n.unit(o.Unit)
	if u.State != Pending && u.State != Prepared {
		return nil, unitState(u)
	}
	t.free(u)
	u.State = Cancelled
	l.waive()
	if s := l.Subscription; s != nil && !s.over() && l.Fulfillment() == Cancelled {
		s.end(t.now)
	}
	t.seatFreed()
	if err := t.reprice(n); err != nil {
		return nil, err
	}
	return t.answer(n), nil
}

func (CancelUnit) result() any { return new(OrderRecord) }

// waive works out how much of its quantity a line does not charge for: of kits those of which every unit is cancelled that could be.
func (l *OrderLine) waive() {
	all, live := map[uint16]int{}, map[uint16]int{}
	for i := range l.Units {
		u := &l.Units[i]
		if all[u.Part]++; u.State != Cancelled {
			live[u.Part]++
		}
	}
	n, charged := int(l.Quantity), 0
	for part, of := range all {
		charged = max(charged, (live[part]*n+of-1)/of)
	}
	l.Waived = uint16(n - charged)
}

// charged is how much of its quantity a line costs.
func (l *OrderLine) charged() int { return int(l.Quantity - l.Waived) }
