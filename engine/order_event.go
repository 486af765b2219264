package engine

import "holdfast/timeline"

// This file owns events of orders. They are read off a command's write set, whatever the command: an order's row that was made,
// changed or removed, and a unit of an order that another command, or time, has moved to another article, or taken from one.

// tellOfOrders makes the events of what the plan has recorded, where there is somebody to tell.
func (t *tx) tellOfOrders() {
	if t.acc.webhooks().Len() == 0 {
		return
	}
	told := map[ID]bool{}
	for _, c := range t.set {
		x, ok := c.(*change[Order])
		if !ok {
			continue
		}
		told[x.key()] = true
		switch {
		case x.after == nil:
			t.emit(OrderDeleted, x.before.ID, nil)
		case x.before == nil:
			t.tell(OrderCreated, x.after)
		default:
			t.tell(OrderUpdated, x.after)
		}
	}
	for _, c := range t.set {
		x, ok := c.(*change[timeline.Placed])
		if !ok || x.before == nil || x.after == nil || x.after.Flags.Blocker() != timeline.BlockerOrder || !t.elsewhere(x.before.Place, x.after.Place) {
			continue
		}
		if id := t.acc.ownerOf(x.after.Hold); !told[id] && id != (ID{}) {
			told[id] = true
			t.tell(OrderUpdated, t.order(id))
		}
	}
}

// elsewhere says whether two places show in an order's record as different: by their article, or as one is none.
func (t *tx) elsewhere(p, q timeline.Place) bool {
	if p.Seated() != q.Seated() || !p.Seated() || p.Lot == q.Lot {
		return p.Seated() != q.Seated()
	}
	s := t.draft().Stock()
	return s.Lot(p.Lot).Article != s.Lot(q.Lot).Article
}

func (t *tx) tell(typ OrderEvent, o *Order) {
	t.emit(typ, o.ID, func() eventData {
		if t.payload == nil {
			return eventData{write: func(string) []byte { return []byte("null") }}
		}
		const order, part = 2 << 10, 512 // about what is written of an order, of each line and of each unit
		r, payload := t.shown(o), t.payload
		return eventData{
			about: order + part*(len(r.Lines)+len(r.Units)),
			write: func(version string) []byte { return payload(version, r) },
		}
	})
}
