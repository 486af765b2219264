package engine

import (
	"errors"

	"holdfast/timeline"
)

// This file owns the departures of one-way orders that a program made which planned none: they are planned at the start, by a command
// for each order.

// planDepartures plans the departures of an order's units. What counts on them becomes a conflict.
type planDepartures struct{ Order ID }

func (planDepartures) Check() []Fault { return nil }
func (planDepartures) result() any    { return new(any) }

func (o planDepartures) plan(t *tx) (any, error) {
	n := t.order(o.Order)
	if n == nil {
		return nil, nil
	}
	if err := t.reroute(n, true); err != nil {
		return nil, err
	}
	t.seatFreed()
	return nil, nil
}

// planDepartures plans the departures that no program has planned yet.
func (e *Engine) planDepartures() (err error) {
	for _, id := range e.Accounts() {
		v, ok := e.View(id)
		if !ok {
			continue
		}
		for o := range v.acc.orders().All() {
			if v.acc.unplanned(o) {
				_, failed := e.Do(Command{Account: id, Actor: "clock", Op: planDepartures{o.ID}})
				err = errors.Join(err, failed)
			}
		}
	}
	return err
}

// unplanned says that an order has units that leave their place and do not say so.
func (a *account) unplanned(o *Order) bool {
	if o.Return == o.Pickup || o.Status != OrderOpen && o.Status != OrderActive {
		return false
	}
	for i := range o.Lines {
		l := &o.Lines[i]
		for j := range l.Units {
			u := &l.Units[j]
			if h, _, ok := a.stock.Find(u.Hold); ok && u.Returned == 0 && o.sends(l) != h.Flags&timeline.OneWay {
				return true
			}
		}
	}
	return false
}
