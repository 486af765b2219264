package order

import (
	"slices"

	"holdfast/engine/base"
)

// This file owns how many orders that are not closed refer to each record: a location, what a line takes and is priced
// by, a customer. It is derived from the orders.

var orderUsesExtension = base.RegisterExtension(newOrderUses)

func orderUses(a *base.AccountState) *base.Sums[base.ID] { return orderUsesExtension.In(a) }

func init() {
	base.RegisterReferrers(base.Referrer{Resource: "order",
		Count: func(a *base.AccountState, id base.ID, _ int64) int { return int(orderUses(a).Of(id)) }})
}

func newOrderUses() *base.Sums[base.ID] { return base.NewSums(base.ID.Compare) }

// recount counts an order as it is in place of as it was; nil: there is none.
func recount(u *base.Sums[base.ID], was, is *Order) {
	from, to := was.references(), is.references()
	if slices.Equal(from, to) {
		return
	}
	for _, id := range from {
		u.Add(id, -1)
	}
	for _, id := range to {
		u.Add(id, 1)
	}
}

// references are the ids of what an order refers to, each once; of one that is closed none.
func (o *Order) references() (ids []base.ID) {
	if o == nil || o.Status == OrderClosed {
		return nil
	}
	ids = append(append(make([]base.ID, 0, 3+2*len(o.Lines)), o.Pickup, o.Return), o.customers()...)
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
	slices.SortFunc(ids, base.ID.Compare)
	ids = slices.Compact(ids)
	if ids[0] == (base.ID{}) {
		ids = ids[1:]
	}
	return ids
}
