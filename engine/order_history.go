package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"sort"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/persist"
)

// This file owns what the kept log knows of the changes of one order. An order says when it was last changed, and a
// changed row has its state before that: so the log is searched for one instant after the other, backwards, and the
// cost follows what is answered, not what else happened meanwhile. Only a point that was made up lies where nothing of
// the order is: from there the index of the feed leads on.

// OrderChange is one revision of an order, as it came about.
type OrderChange struct {
	Sequence uint64 // of the account, after the command
	At       int64
	Actor    string
	Kind     base.ChangeKind // Created or Updated
	Revision uint64          // after it
	Status   order.OrderStatus
	// members of its record that the command changed, in the order of the record; none where it was created
	Differs []string
	Moved   []UnitMove // units of it that the command has moved to another article, their dates kept
}

// OrderPoint is a revision of an order, and when it came about.
type OrderPoint struct {
	Revision uint64
	At       int64
}

// OrderHistory reads the changes of an order, the newest first: those up to a point or, where that is zero, all. older
// is where to go on; it is zero where there are no more, because the last one made the order, or because the log does
// not reach back further: then whole is false.
func (e *Engine) OrderHistory(ctx context.Context, v base.View, id base.ID, upTo OrderPoint, most int) (
	list []OrderChange, older OrderPoint, whole bool, err error) {
	o := order.OrderTable(v.Acc).Get(id)
	if o == nil {
		return nil, older, false, base.NotFound(order.OrderKind.Name)
	}
	newest := OrderPoint{o.Revision, o.UpdatedAt}
	if upTo == (OrderPoint{}) {
		upTo = newest
	}
	if upTo.Revision > newest.Revision || upTo.At > newest.At || upTo.Revision == newest.Revision && upTo != newest {
		return nil, older, false, base.InvalidAt("/before", "range",
			"lies beyond the last change of the order: it must be what next was in an earlier answer")
	}
	<-e.store.Wake(v.Seq) // a view is there a moment before its record may be read
	for upTo.Revision > 0 && len(list) < most {
		c, before, found, err := e.orderChange(ctx, v, o, upTo)
		if err != nil || !found {
			return list, OrderPoint{}, false, unreadable(err)
		}
		list, upTo = append(list, c), before
	}
	return list, upTo, true, nil
}

// searchBytes is how much of the log is read for one change, before the index is asked where the account's commands
// are. So much the others write while a large command is planned. Tests make it small.
var searchBytes = 16 << 20

// orderChange finds the command that made a revision of an order, and the revision before it.
func (e *Engine) orderChange(ctx context.Context, v base.View, o *order.Order, of OrderPoint) (c OrderChange,
	before OrderPoint, found bool, err error) {
	first, last := e.store.Marker().FirstKept, v.Seq
	var failed error
	// A record has the instant of its latest command. So the record that is looked for is the first that is not older,
	// or a later one: some way after it if the command was planned outside the writer.
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
	for size := 0; log <= last; log++ {
		if size > searchBytes {
			log, err = e.logIndex.find(ctx, e.store, v.Acc.ID, 0, log, last)
			size = 0
		}
		var r persist.Record
		if err == nil {
			r, err = e.store.Record(log)
		}
		if errors.Is(err, persist.ErrPruned) || errors.Is(err, errCursorGone) {
			return c, before, false, nil
		}
		if err != nil {
			return c, before, false, err
		}
		size += r.Size()
		later := false
		if c, before, found, later, err = orderChanged(v.Acc, r, o, of); found || later || err != nil {
			return c, before, found, err
		}
	}
	return c, before, false, nil
}

// orderChanged looks in a record of the log for the command that made a revision of an order. later says that there is
// none behind the record, as the account has a younger one in it, or the order a later revision.
func orderChanged(a *base.AccountState, r persist.Record, o *order.Order, of OrderPoint) (c OrderChange,
	before OrderPoint, found, later bool, err error) {
	if r.Rewrite {
		return c, before, false, false, nil
	}
	units := false
	for x := range r.Changes() {
		account, key, err := base.SplitKey(x.Key)
		if err != nil {
			return c, before, false, false, err
		}
		if x.Table == base.TagLedger { // a command begins
			if found {
				break
			}
			c, units = OrderChange{}, false
			if account == a.ID {
				l, err := base.LedgerKind.Decode(account, key, x.After)
				if err != nil {
					return c, before, false, false, err
				}
				c.Sequence, c.At, c.Actor = l.Sequence, l.At, l.Actor
				later = l.At > of.At
			}
		}
		if account != a.ID || c.Sequence == 0 {
			continue
		}
		switch x.Table {
		case base.TagOrder:
			if key != o.ID || x.After == nil {
				continue
			}
			past := false
			if before, found, past, err = c.between(a.ID, o.ID, x, of.Revision); err != nil {
				return c, before, false, false, err
			}
			later = later || past
		case base.TagOrderUnits:
			units = units || binary.BigEndian.Uint32(key[8:]) == o.Number
		case base.TagUnit:
			t, err := stock.UnitKind.FeedChange(a, key, x.Before, x.After)
			if err != nil {
				return c, before, false, false, err
			}
			if t.Resource != order.OrderKind.Resource || t.ID != o.ID {
				continue
			}
			units = true
			m, moved, err := unitMove(a, key, x)
			if err != nil {
				return c, before, false, false, err
			}
			if moved {
				c.Moved = append(c.Moved, m)
			}
		}
	}
	if found && units && c.Kind == base.Updated {
		c.Differs = append(c.Differs, "stockItems")
	}
	return c, before, found, later, nil
}

// between fills in what a changed row of an order says, if it is that of the revision. past says that it is of a later
// one.
func (c *OrderChange) between(account, id base.ID, x persist.Change, revision uint64) (before OrderPoint, found,
	past bool, err error) {
	is, err := order.OrderKind.Decode(account, id, x.After)
	if err != nil || is.Revision != revision {
		return before, false, err == nil && is.Revision > revision, err
	}
	c.Kind, c.Revision, c.Status = base.Created, is.Revision, is.Status
	if x.Before == nil {
		return before, true, false, nil
	}
	was, err := order.OrderKind.Decode(account, id, x.Before)
	if err != nil || was.Revision == revision { // only how it is kept has changed: the change itself is in front
		return before, false, false, err
	}
	c.Kind = base.Updated
	for _, part := range orderParts {
		if !reflect.DeepEqual(part.of(was), part.of(is)) {
			c.Differs = append(c.Differs, part.member)
		}
	}
	return OrderPoint{was.Revision, was.UpdatedAt}, true, false, nil
}

// orderParts are the members of an order's record that its row keeps, each with what it is made of.
var orderParts = []struct {
	member string
	of     func(o *order.Order) any
}{
	{"reference", func(o *order.Order) any { return more(o).Reference }},
	{"status", func(o *order.Order) any { return [2]any{o.Status, o.Cancelled} }},
	{"archivedAt", func(o *order.Order) any { return o.ArchivedAt }},
	{"assignedTo", func(o *order.Order) any { return more(o).Assigned }},
	{"pickupLocation", func(o *order.Order) any { return [2]any{o.Pickup, o.PickupAt} }},
	{"returnLocation", func(o *order.Order) any { return [2]any{o.Return, o.ReturnAt} }},
	{"customers", shownCustomers},
	{"mainContact", func(o *order.Order) any { return [2]any{o.Customer, o.Contact} }},
	{"checkoutFields", func(o *order.Order) any { return more(o).Fields }},
	{"lineItems", func(o *order.Order) any {
		return o.ShownLines() // with the instants at which they were changed, which says it of their units' states
	}},
	{"documents", func(o *order.Order) any { return more(o).Documents }},
	{"comments", func(o *order.Order) any { return more(o).Comments }},
	{"pricing", func(o *order.Order) any {
		price, _ := o.Price()
		codes := slices.Clone(o.Codes)
		for i := range codes {
			codes[i].Unused = false
		}
		return [2]any{price, codes}
	}},
	{"payments", func(o *order.Order) any { return o.Payments }},
	{"tags", func(o *order.Order) any { return o.Tags }},
	{"externalId", func(o *order.Order) any { return outside(o).ID }},
	{"metadata", func(o *order.Order) any { return outside(o).Metadata }},
	{"paymentMethodKey", func(o *order.Order) any { return more(o).Method }},
	{"note", func(o *order.Order) any { return more(o).Note }},
	{"consentAcceptances", func(o *order.Order) any { return more(o).Consents }},
}

// OrderMembers are the members of an order's record that a change may name.
func OrderMembers() (names []string) {
	for _, part := range orderParts {
		names = append(names, part.member)
	}
	return append(names, "stockItems")
}

// more is what few orders have, empty where this one has none of it.
func more(o *order.Order) order.OrderMore {
	if o.More == nil {
		return order.OrderMore{}
	}
	return *o.More
}

// outside is what another system keeps on an order.
func outside(o *order.Order) label.External {
	if o.External == nil {
		return label.External{}
	}
	return *o.External
}

// shownCustomers are the people whom an order is for as its record shows them: those given, else the main contact.
func shownCustomers(o *order.Order) any {
	if list := more(o).Customers; len(list) > 0 || o.Contact == nil {
		return list
	}
	return []order.OrderCustomer{{ID: o.MainCustomer(), Customer: o.Customer, Contact: *o.Contact,
		Fields: more(o).Fields}}
}
