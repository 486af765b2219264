package engine

import (
	"slices"
)

// This file owns how many orders that are not closed refer to each record: a location, what a line takes and is priced by, a customer.
// It is derived from the orders.

var orderUsesExtension = registerExtension(newOrderUses)

func (a *account) orderUses() *sums[ID] { return orderUsesExtension.in(a) }

func init() {
	registerReferrers(referrer{"order", func(a *account, id ID, _ int64) int { return int(a.orderUses().of(id)) }})
}

func newOrderUses() *sums[ID] { return newSums(ID.Compare) }

// recount counts an order as it is in place of as it was; nil: there is none.
func recount(u *sums[ID], was, is *Order) {
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

// references are the ids of what an order refers to, each once; of one that is closed none.
func (o *Order) references() (ids []ID) {
	if o == nil || o.Status == OrderClosed {
		return nil
	}
	ids = append(append(make([]ID, 0, 3+2*len(o.Lines)), o.Pickup, o.Return), o.customers()...)
	for i := range o.Lines {
		ids = append(ids, o.Lines[i].Of, o.Lines[i].PricingRow)
		more := o.Lines[i].Rest()
		for _, c := range more.Components {
			ids = append(ids, c.SKU, c.Article)
		}
		for _, r := range more.Combined {
			ids = append(ids, r.ID)
		}
	}
	slices.SortFunc(ids, ID.Compare)
	ids = slices.Compact(ids)
	if ids[0] == (ID{}) {
		ids = ids[1:]
	}
	return ids
}
