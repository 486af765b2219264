package stock

import (
	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns events of conflicts. They are read off a command's write set, whatever the command. A conflict is
// created if a unit has no slot after the command, and had one before or did not exist. It is resolved if a unit had no
// slot before, and has got one or is gone.

func init() {
	base.RegisterEvents("conflict", conflictEvents, base.ConflictCreated, base.ConflictResolved)
}

// conflictEvents finds the events of conflicts in what the plan has recorded.
func conflictEvents(t *base.Tx, emit func(typ base.HookEvent, conflict base.ID, data func() base.EventData)) {
	for _, c := range t.Set {
		x, ok := c.(*base.Change[timeline.Placed])
		if !ok {
			continue
		}
		was, is := x.Before != nil && !x.Before.Place.Seated(), x.After != nil && !x.After.Place.Seated()
		switch {
		case is && !was:
			emit(base.ConflictCreated, x.After.ID, func() base.EventData { return conflictMade(t, *x.After) })
		case was && !is:
			emit(base.ConflictResolved, x.Before.ID,
				func() base.EventData { return conflictOver(t, *x.Before, x.After) })
		}
	}
}

const AboutUnit = 1 << 10 // about what is written of a unit, and of a conflict

// conflictMade is a conflict that the command made, as events say it.
func conflictMade(t *base.Tx, c timeline.Placed) base.EventData {
	now := &Conflict{UnavailabilityOf(t, c), whyUnseated(Draft(t).Stock(), c, t.Now), t.Now}
	return t.Written(base.OfAccount{Account: t.Acc.ID, Record: now}, AboutUnit)
}

// conflictOver is one that is over: the unit where it is now, or, where it is no more, as it was, and why it had no
// place.
func conflictOver(t *base.Tx, was timeline.Placed, is *timeline.Placed) base.EventData {
	c := &Conflict{Reason: whyUnseated(t.Acc.Stock, was, was.Span.Start), Since: since(t.Acc, was.ID)}
	if is != nil {
		c.Unavailability = UnavailabilityOf(t, *is)
	} else {
		c.Unavailability = UnavailabilityAt(t.Acc, was.Hold, was.Place)
	}
	return t.Written(base.OfAccount{Account: t.Acc.ID, Record: c}, AboutUnit)
}
