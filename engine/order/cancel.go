package order

import (
	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns units that were not fetched: they are cancelled, and their price is not charged.

// CancelUnit cancels a unit of an open or active order that was not fetched: its stock is free again, and its line
// costs one unit less.
type CancelUnit struct {
	base.Answers[*OrderRecord]
	Order, Unit base.ID
}

func (o CancelUnit) PlanOn(t *base.Tx) (any, error) {
	n, err := editUnits(t, CancelItem, o.Order, []base.ID{o.Unit})
	if err != nil {
		return nil, err
	}
	l, u := n.unit(o.Unit)
	if u.State != Pending && u.State != Prepared {
		return nil, unitState(u)
	}
	free(t, u)
	u.State = Cancelled
	l.Waive()
	l.endIfSettled(t.Now)
	stock.SeatFreed(t)
	if err := reprice(n); err != nil {
		return nil, err
	}
	return answer(t, n), nil
}
