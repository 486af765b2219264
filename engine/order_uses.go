package engine

import (
	"bytes"
	"slices"

	"github.com/tidwall/btree"
)

// This file owns how many orders that are not closed refer to each record: a location, what a line takes and is priced by, a customer.
// It is derived from the orders.

// orderUse is how many orders refer to a record.
type orderUse struct {
	id     ID
	orders int
}

type orderUses struct {
	items *btree.BTreeG[orderUse]
	copy  *orderUses // what publish gave last, while nothing has changed since
}

var orderUsesExtension = registerExtension(newOrderUses)

func (a *account) orderUses() *orderUses { return orderUsesExtension.in(a) }

func init() {
	registerReferrers(referrer{"order", func(a *account, id ID, _ int64) int { return a.orderUses().of(id) }})
}

func newOrderUses() *orderUses {
	return &orderUses{items: btree.NewBTreeGOptions(func(x, y orderUse) bool { return bytes.Compare(x.id[:], y.id[:]) < 0 }, btree.Options{NoLocks: true})}
}

func (u *orderUses) publish() extension {
	if u.copy == nil {
		u.copy = &orderUses{items: u.items.Copy()}
	}
	return u.copy
}

func (u *orderUses) of(id ID) int {
	x, _ := u.items.Get(orderUse{id: id})
	return x.orders
}

// replace counts an order as it is in place of as it was; nil: there is none.
func (u *orderUses) replace(was, is *Order) {
	from, to := was.references(), is.references()
	if slices.Equal(from, to) {
		return
	}
	for _, id := range from {
		u.add(id, -1)
	}
	for _, id := range to {
		u.add(id, 1)
	}
}

func (u *orderUses) add(id ID, n int) {
	u.copy = nil
	if n += u.of(id); n == 0 {
		u.items.Delete(orderUse{id: id})
	} else {
		u.items.Set(orderUse{id, n})
	}
}

// references are the ids of what an order refers to, each once; of one that is closed none.
func (o *Order) references() (ids []ID) {
	if o == nil || o.Status == OrderClosed {
		return nil
	}
	ids = append(append(make([]ID, 0, 3+2*len(o.Lines)), o.Pickup, o.Return), o.customers()...)
	for i := range o.Lines {
		ids = append(ids, o.Lines[i].Of, o.Lines[i].PricingRow)
	}
	slices.SortFunc(ids, ID.Compare)
	ids = slices.Compact(ids)
	if ids[0] == (ID{}) {
		ids = ids[1:]
	}
	return ids
}
