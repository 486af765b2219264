package engine

// This file owns quotes: what an order of lines would cost. Nothing is made, no stock is asked for, and nobody is told.

// Quote is what an order of lines comes to.
type Quote struct {
	Order        *Order         // with its lines priced and its codes put on; it is not kept
	Combinations []*Combination // by line: rows of its item's table that ask less together than the line costs; nil: none do
}

// Quote prices what would be a draft order, whose input has been checked. It counts no use of a code.
func (v View) Quote(o CreateOrder, now int64) (*Quote, error) {
	t := &tx{acc: v.acc, now: now, base: Base{hi: 0x0fff}, ledger: v.acc.ledger} // no drawn base is as high
	n, err := t.newOrder(&o.OrderInput)
	if err != nil {
		return nil, err
	}
	q := &Quote{Order: n, Combinations: make([]*Combination, len(o.Lines))}
	for i := range o.Lines {
		in := o.Lines[i]
		if in.AddonOfLine != nil {
			in.AddonOf = &n.Lines[*in.AddonOfLine].ID
		}
		if err := t.addLine(n, &in); err != nil {
			return nil, ofNewLine(i, err)
		}
		q.Combinations[i] = v.acc.cheaper(n, &n.Lines[i], &t.ordering().looked)
	}
	if err := t.reprice(n); err != nil {
		return nil, err
	}
	if err := t.applyCodes(n, o.Discounts); err != nil {
		return nil, err
	}
	return q, nil
}

// cheaper is a combination of rows by which a booking would cost less than it does, or nil.
func (a *account) cheaper(o *Order, l *OrderLine, looks *looked) *Combination {
	table := a.tableOf(l.Item())
	if table == nil || l.Purchase.Type() != PurchaseBooking {
		return nil
	}
	c := combine(table.fitting(o, l), l.span(), o.PickupAt.Zone(), looks)
	if c == nil || c.Total >= l.UnitPrice {
		return nil
	}
	return c
}
