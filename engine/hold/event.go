package hold

import (
	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns events of holds: of one that lapsed.

func init() { base.RegisterEvents("hold", holdEvents, base.HoldExpired) }

// holdEvents finds the holds that lapsed in what the plan has recorded.
func holdEvents(t *base.Tx, emit func(typ base.HookEvent, hold base.ID, data func() base.EventData)) {
	for _, c := range t.Set {
		x, ok := c.(*base.Change[HoldRecord])
		if ok && x.Before != nil && x.After != nil && x.After.Status == Expired && x.Before.Status != Expired {
			emit(base.HoldExpired, x.After.ID, func() base.EventData {
				const hold, line = 256, 512 // about what is written
				h := HoldFrom(t.Acc, x.After, stock.Draft(t).Find, 0)
				return t.Written(h, hold+line*len(h.Lines))
			})
		}
	}
}
