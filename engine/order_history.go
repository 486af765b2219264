package engine

import (
	"encoding/binary"
	"errors"
	"reflect"
	"sort"

	"holdfast/persist"
)

// This file owns what the kept log knows of the changes of one order. An order says when it was last changed, and a changed row has its state before that: so
// the log is searched for one instant after the other, backwards, and the cost follows what is answered, not what else happened meanwhile.

// OrderChange is one revision of an order, as it came about.
type OrderChange struct {
	Sequence uint64 // of the account, behind the command
	At       int64
	Actor    string
	Kind     ChangeKind // Created or Updated
	Revision uint64     // behind it
	Status   OrderStatus
	Differs  []string   // members of its record that the command changed, in the order of the record; none where it was created
	Moved    []UnitMove // units of it that the command has moved to another article, their dates kept
}

// OrderPoint is a revision of an order, and when it came about.
type OrderPoint struct {
	Revision uint64
	At       int64
}

// OrderHistory reads the changes of an order, the newest first: those up to a point or, where that is zero, all. older is where to go on; it is zero where
// there are no more, because the last one made the order, or because the log does not reach back further: then whole is false.
func (e *Engine) OrderHistory(v View, id ID, upTo OrderPoint, most int) (list []OrderChange, older OrderPoint, whole bool, err error) {
	o := v.acc.orders().Get(id)
	if o == nil {
		return nil, older, false, notFound(orderKind.name)
	}
	if upTo == (OrderPoint{}) {
		upTo = OrderPoint{o.Revision, o.UpdatedAt}
	}
	<-e.store.Wake(v.seq) // a view is there a moment before its record may be read
	for upTo.Revision > 0 && len(list) < most {
		c, before, found, err := e.orderChange(v, o, upTo)
		if err != nil || !found {
			return list, OrderPoint{}, false, err
		}
		list, upTo = append(list, c), before
	}
	return list, upTo, true, nil
}

// orderChange finds the command that made a revision of an order, and the revision before it.
func (e *Engine) orderChange(v View, o *Order, of OrderPoint) (c OrderChange, before OrderPoint, found bool, err error) {
	first, last := e.store.Marker().FirstKept, v.seq
	var failed error
	// A record is as old as its youngest command, so the one that is looked for is the first that is not older, or follows it.
	log := first + uint64(sort.Search(int(last+1-min(first, last+1)), func(i int) bool {
		r, err := e.store.Record(first + uint64(i))
		if err != nil && !errors.Is(err, persist.ErrPruned) {
			failed = err
		}
		return err == nil && r.At >= of.At
	}))
	if failed != nil {
		return c, before, false, failed
	}
	for ; log <= last; log++ {
		r, err := e.store.Record(log)
		if errors.Is(err, persist.ErrPruned) {
			return c, before, false, nil
		}
		if err != nil {
			return c, before, false, err
		}
		if c, before, found, err = v.acc.orderChanged(r, o, of.Revision); found || err != nil || r.At > of.At {
			return c, before, found, err
		}
	}
	return c, before, false, nil
}

// orderChanged looks in a record of the log for the command that made a revision of an order.
func (a *account) orderChanged(r persist.Record, o *Order, revision uint64) (c OrderChange, before OrderPoint, found bool, err error) {
	if r.Rewrite {
		return c, before, false, nil
	}
	units := false
	for x := range r.Changes() {
		account, key, err := splitKey(x.Key)
		if err != nil {
			return c, before, false, err
		}
		if x.Table == tagLedger { // a command begins
			if found {
				break
			}
			c, units = OrderChange{}, false
			if account == a.id {
				l, err := ledgerKind.decode(account, key, x.After)
				if err != nil {
					return c, before, false, err
				}
				c.Sequence, c.At, c.Actor = l.Sequence, l.At, l.Actor
			}
		}
		if account != a.id || c.Sequence == 0 {
			continue
		}
		switch x.Table {
		case tagOrder:
			if key != o.ID || x.After == nil {
				continue
			}
			if before, found, err = c.between(a.id, o.ID, x, revision); err != nil {
				return c, before, false, err
			}
		case tagOrderUnits:
			units = units || binary.BigEndian.Uint32(key[8:]) == o.Number
		case tagUnit:
			t, err := unitKind.told(a, key, x.Before, x.After)
			if err != nil {
				return c, before, false, err
			}
			if t.resource != orderKind.resource || t.id != o.ID {
				continue
			}
			units = true
			m, moved, err := a.unitMove(key, x)
			if err != nil {
				return c, before, false, err
			}
			if moved {
				c.Moved = append(c.Moved, m)
			}
		}
	}
	if found && units && c.Kind == Updated {
		c.Differs = append(c.Differs, "stockItems")
	}
	return c, before, found, nil
}

// between fills in what a changed row of an order says, if it is that of the revision.
func (c *OrderChange) between(account, id ID, x persist.Change, revision uint64) (before OrderPoint, found bool, err error) {
	is, err := orderKind.decode(account, id, x.After)
	if err != nil || is.Revision != revision {
		return before, false, err
	}
	c.Kind, c.Revision, c.Status = Created, is.Revision, is.Status
	if x.Before == nil {
		return before, true, nil
	}
	was, err := orderKind.decode(account, id, x.Before)
	if err != nil || was.Revision == revision { // only how it is kept has changed: the change itself is in front
		return before, false, err
	}
	c.Kind = Updated
	for _, part := range orderParts {
		if !reflect.DeepEqual(part.of(was), part.of(is)) {
			c.Differs = append(c.Differs, part.member)
		}
	}
	return OrderPoint{was.Revision, was.UpdatedAt}, true, nil
}

// orderParts are the members of an order's record that its row keeps, each with what it is made of.
var orderParts = []struct {
	member string
	of     func(o *Order) any
}{
	{"reference", func(o *Order) any { return o.more().Reference }},
	{"status", func(o *Order) any { return [2]any{o.Status, o.Cancelled} }},
	{"archivedAt", func(o *Order) any { return o.ArchivedAt }},
	{"assignedTo", func(o *Order) any { return o.more().Assigned }},
	{"pickupLocation", func(o *Order) any { return [2]any{o.Pickup, o.PickupAt} }},
	{"returnLocation", func(o *Order) any { return [2]any{o.Return, o.ReturnAt} }},
	{"customers", func(o *Order) any { return o.more().Customers }},
	{"mainContact", func(o *Order) any { return [2]any{o.Customer, o.Contact} }},
	{"checkoutFields", func(o *Order) any { return o.more().Fields }},
	{"lineItems", func(o *Order) any { return o.bareLines() }},
	{"documents", func(o *Order) any { return o.more().Documents }},
	{"comments", func(o *Order) any { return o.more().Comments }},
	{"pricing", func(o *Order) any { return o.Codes }},
	{"payments", func(o *Order) any { return o.Payments }},
	{"tags", func(o *Order) any { return o.Tags }},
	{"metadata", func(o *Order) any { return o.External }},
	{"paymentMethodKey", func(o *Order) any { return o.more().Method }},
	{"note", func(o *Order) any { return o.more().Note }},
	{"consentAcceptances", func(o *Order) any { return o.more().Consents }},
}

// OrderMembers are the members of an order's record that a change may name.
func OrderMembers() (names []string) {
	for _, part := range orderParts {
		names = append(names, part.member)
	}
	return append(names, "stockItems")
}

// more is what few orders have, empty where this one has none of it.
func (o *Order) more() OrderMore {
	if o.More == nil {
		return OrderMore{}
	}
	return *o.More
}

// bareLines are the lines without their units, and without what the units' steps set.
func (o *Order) bareLines() []OrderLine {
	lines := make([]OrderLine, len(o.Lines))
	for i := range o.Lines {
		lines[i] = o.Lines[i]
		lines[i].Units, lines[i].UpdatedAt = nil, 0
	}
	return lines
}
