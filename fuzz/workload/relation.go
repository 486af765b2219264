package workload

import (
	"fmt"

	"holdfast/engine/hold"
	"holdfast/fuzz/model"
)

// This file owns relations between runs of commands that need no twin to judge. They find what the twin and the engine
// could get wrong in the same way.

// Singles books the units of an answer one by one. As many can be had as the answer said, where it was exact; then one
// more cannot. Released again, there are as many as before.
func (w *World) Singles(d Dice, tenant int) error {
	t := w.Tenants[tenant]
	if _, _, fault := w.Do(tenant, model.Tick{}); fault != nil {
		return fault
	}
	q := hold.Query{Item: known(d, t.Twin), Location: location(d, t.Twin), Window: Window(d, t.Twin, w.Now()),
		Moves: true}
	answer, err := hold.Available(w.View(tenant), q, w.Now())
	if err != nil || !answer.Exact || answer.WithMoves > 12 || q.Window.End <= w.Now() {
		return err // what is over is fixed: the first single would stand in the way of the second
	}
	if q.Article != (ID{}) && !t.Twin.Takes(q.Article) {
		return nil
	}
	conflicts := t.Twin.HasConflicts()
	var holds []ID
	for {
		res, err, fault := w.Do(tenant, hold.PlaceHold{
			AllowPast: true,
			Lines:     []hold.HoldLineInput{{Item: q.Item, Location: q.Location, Window: q.Window, Quantity: 1}},
		})
		if fault != nil {
			return fault
		}
		if err != nil {
			break
		}
		holds = append(holds, res.Record.(*hold.Hold).ID)
	}
	if len(holds) != answer.WithMoves {
		return fmt.Errorf("%+v at %d was answered %+v, and %d could be had one by one", q, w.Now(), answer, len(holds))
	}
	for _, id := range holds {
		if _, _, fault := w.Do(tenant, hold.ReleaseHold{ID: id}); fault != nil {
			return fault
		}
	}
	after, err := hold.Available(w.View(tenant), q, w.Now())
	if q.Article != (ID{}) { // what made room may be elsewhere now
		after.Available, after.Stock, after.Committed = answer.Available, answer.Stock, answer.Committed
	}
	if err == nil && !conflicts && q.Window.Start >= w.Now() && after.Exact && after != answer {
		err = fmt.Errorf("%+v at %d: booked and released, %+v became %+v", q, w.Now(), answer, after)
	}
	return err
}
