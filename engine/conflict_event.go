package engine

import "holdfast/timeline"

// This file owns events of conflicts. They are read off a command's write set, whatever the command: a unit that has no slot behind it and had
// one before, or was not there, and one that was without and has got one, or is no more.

func init() { registerEvents("conflict", conflictEvents, ConflictCreated, ConflictResolved) }

// conflictEvents finds the events of conflicts in what the plan has recorded.
func conflictEvents(t *tx, emit func(typ HookEvent, conflict ID, data func() eventData)) {
	for _, c := range t.set {
		x, ok := c.(*change[timeline.Placed])
		if !ok {
			continue
		}
		was, is := x.before != nil && !x.before.Place.Seated(), x.after != nil && !x.after.Place.Seated()
		switch {
		case is && !was:
			emit(ConflictCreated, x.after.ID, func() eventData { return t.conflictMade(*x.after) })
		case was && !is:
			emit(ConflictResolved, x.before.ID, func() eventData { return t.conflictOver(*x.before, x.after) })
		}
	}
}

const aboutUnit = 1 << 10 // about what is written of a unit, and of a conflict

// conflictMade is a conflict that the command made, as events say it.
func (t *tx) conflictMade(c timeline.Placed) eventData {
	now := &Conflict{t.unavailability(c), whyUnseated(t.draft().Stock(), c, t.now), t.now}
	return t.written(OfAccount{t.acc.id, now}, aboutUnit)
}

// conflictOver is one that is over: the unit where it is now, or, where it is no more, as it was, and why it had no place.
func (t *tx) conflictOver(was timeline.Placed, is *timeline.Placed) eventData {
	c := &Conflict{Reason: whyUnseated(t.acc.stock, was, was.Span.Start), Since: t.acc.since(was.ID)}
	if is != nil {
		c.Unavailability = t.unavailability(*is)
	} else {
		c.Unavailability = t.acc.unavailability(was.Hold, was.Place)
	}
	return t.written(OfAccount{t.acc.id, c}, aboutUnit)
}
