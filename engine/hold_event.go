package engine

// This file owns events of holds: of one that lapsed.

func init() { registerEvents("hold", holdEvents, HoldExpired) }

// holdEvents finds the holds that lapsed in what the plan has recorded.
func holdEvents(t *tx, emit func(typ HookEvent, hold ID, data func() eventData)) {
	for _, c := range t.set {
		x, ok := c.(*change[holdRecord])
		if ok && x.before != nil && x.after != nil && x.after.status == Expired && x.before.status != Expired {
			emit(HoldExpired, x.after.id, func() eventData {
				const hold, line = 256, 512 // about what is written
				h := t.acc.hold(x.after, t.draft().Find, 0)
				return t.written(h, hold+line*len(h.Lines))
			})
		}
	}
}
