package model

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns what articles bring in.

// incomes judges what each article brings in: of each line of an order that is not a draft or cancelled, and is in the
// account's currency, an equal share for each unit that is not cancelled, where what does not divide goes to the first.
// A unit that is a conflict or takes no stock is of no article, unless it was sold, or came back at once.
func (a *Account) incomes(v base.View) error {
	brought := map[ID]int64{}
	for _, o := range a.Orders {
		if o.Status == order.OrderDraft || o.Cancelled || o.Currency != a.Currency {
			continue
		}
		prices, _, _ := o.price()
		for i, l := range o.Lines {
			units := slices.DeleteFunc(slices.Clone(l.Units),
				func(u OrderUnit) bool { return u.State == order.Cancelled })
			for j := range units {
				share, n := prices[i].Total, int64(len(units))
				if share = share / n; int64(j) < prices[i].Total%n {
					share++
				}
				if at := a.place(&units[j]).Article; at != (ID{}) {
					brought[at] += share
				}
			}
		}
	}
	for _, r := range a.Articles {
		x := stock.ArticleByID(v, r.ID)
		if x == nil {
			continue
		}
		if n, _ := stock.Earnings(v, x); n != min(brought[r.ID], base.MaxSafe) { // JSON has no more exactly
			return wrong("article %x has brought in %d, the twin says %d", r.ID, n, brought[r.ID])
		}
	}
	return nil
}
