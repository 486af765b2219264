package order

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns what articles bring in. It is derived from the orders and from where their units are, and kept up to
// date with every command that changes one of the two.

// Earn visits what each unit of a line brings in. The merchant's own part of the line's total is given by the split
// rate, and rounded half up once, for the whole line. That part is divided over the units that are not cancelled: for a
// kit in proportion to what its components were bought for, if that is known of all, else evenly. Minor units that are
// left over go to the units with the largest rests, one each, so that the shares sum up to the part. So what a unit
// that the end of a subscription cancelled stays charged for is brought in by the others: it is on no article any more.
func (l *OrderLine) Earn(total int64, visit func(u *OrderUnit, n int64)) {
	var c tally
	c.add(l)
	live, rate := int64(c.live), uint64(WholeSplit)
	if s := l.Rest().RevenueSplit; s != nil {
		rate = uint64(*s)
	}
	income := int64(commerce.RoundedShare(uint64(total), rate, WholeSplit))
	shares := l.sharesOfParts(income)
	at := int64(0)
	for j := range l.Units {
		u := &l.Units[j]
		if u.State == Cancelled {
			continue
		}
		share := income / live
		if at < income%live {
			share++
		}
		if shares != nil {
			share = shares[at]
		}
		at++
		visit(u, share)
	}
}

// sharesOfParts are the shares of the units of a kit that are not cancelled, by what its components were bought for as
// it was booked; nil: that is not known of all.
func (l *OrderLine) sharesOfParts(income int64) []int64 {
	prices := l.Rest().PartPrices
	if prices == nil {
		return nil
	}
	sum, weights := uint64(0), make([]uint64, 0, len(l.Units))
	for j := range l.Units {
		u := &l.Units[j]
		if u.State == Cancelled {
			continue
		}
		if int(u.Part) >= len(prices) {
			return nil // it is of no component that the kit had
		}
		price := uint64(prices[u.Part])
		if sum += price; sum < price {
			return nil // more than can be added up
		}
		weights = append(weights, price)
	}
	if sum == 0 {
		return nil
	}
	shares := make([]int64, len(weights))
	commerce.Apportion(shares, uint64(income), weights, sum)
	return shares
}

// earning is what a unit of an order brings in.
type earning struct {
	hold   base.ID        // it goes to the article that this is of, if it has a slot
	lot    timeline.LotNo // to that of this lot, if it is one: its hold is gone
	amount int64
}

// earnings are those of an order's units that bring in something.
func (o *Order) earnings() (list []earning) {
	if o == nil || o.Status == OrderDraft || o.Cancelled {
		return nil
	}
	prices, _ := o.LinePrices() // what is stored has a price
	for i := range prices {
		if prices[i].Total == 0 {
			continue
		}
		list = slices.Grow(list, len(o.Lines[i].Units))
		o.Lines[i].Earn(prices[i].Total, func(u *OrderUnit, n int64) {
			if n != 0 {
				list = append(list, earning{hold: u.Hold, lot: u.Lot, amount: n})
			}
		})
	}
	return list
}

// addIncome adds what the units of an order bring in to the articles that they are of now, or were of as their holds
// went; with the sign -1 it takes that off. A unit that is a conflict is of no article, nor is one that is cancelled.
func (o *Order) addIncome(c *stock.Incomes, s *timeline.Stock, sign int64) {
	list := o.earnings()
	if len(list) == 0 {
		return
	}
	units, articles := s.Finder(), c.In(o.Currency)
	for _, x := range list {
		lot := x.lot
		if lot == 0 {
			if at, ok := units.Where(x.hold); ok && at.Seated() {
				lot = at.Lot
			}
		}
		if lot != 0 {
			articles.Add(s.Lot(lot).Article, sign*x.amount)
		}
	}
}

// addIncomes adds what all orders bring in, at start-up and for a check.
func addIncomes(a *base.AccountState, c *stock.Incomes) {
	for o := range OrderTable(a).All() {
		o.addIncome(c, a.Stock, 1)
	}
}

// followIncomes keeps up what articles bring in around a write set: it takes off what the orders that it touches bring
// in, and what it returns adds that again, as it is then.
func followIncomes(a *base.AccountState, set []base.RowChange) (after func()) {
	orders := touchedOrders(set)
	if len(orders) == 0 {
		return nil
	}
	add := func(sign int64) {
		for _, no := range orders {
			OrderTable(a).No(no).addIncome(stock.Income(a), a.Stock, sign)
		}
	}
	add(-1)
	return func() { add(1) }
}

// touchedOrders are the numbers of the orders whose income a write set may change or move: those whose units bring in
// something else than before, and those with a unit that gets to another lot or loses its slot. It is called for every
// command; most touch none.
func touchedOrders(set []base.RowChange) (list []uint32) {
	for _, x := range set {
		switch x := x.(type) {
		case *base.Change[Order]:
			if x.Before != nil && x.After != nil && x.Before.Currency == x.After.Currency &&
				slices.Equal(x.Before.earnings(), x.After.earnings()) {
				continue
			}
			list = append(list, cmp.Or(x.After, x.Before).Number)
		case *base.Change[timeline.Placed]:
			u := x.After
			if u == nil {
				u = x.Before
			}
			if u.Flags.Blocker() != timeline.BlockerOrder {
				continue
			}
			if x.Before == nil || x.After == nil || x.Before.Place.Lot != x.After.Place.Lot ||
				x.Before.Place.Seated() != x.After.Place.Seated() {
				list = append(list, uint32(u.Owner))
			}
		}
	}
	if len(list) > 1 {
		slices.Sort(list)
		list = slices.Compact(list)
	}
	return list
}

func init() {
	base.RegisterFollower(base.Follower{Around: followIncomes,
		Load: func(a *base.AccountState) { addIncomes(a, stock.Income(a)) }, Check: checkIncomes})
}

func checkIncomes(a *base.AccountState) error {
	brought := new(stock.Incomes)
	addIncomes(a, brought)
	return stock.Income(a).Check(brought)
}
