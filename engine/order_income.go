package engine

import (
	"fmt"
	"slices"

	"holdfast/timeline"
)

// This file owns what articles bring in. It is derived from the orders and from where their units are, and kept up to date
// with every command that changes one of the two.

// earn visits what each unit of a line brings in of the line's total, of which the split rate is the merchant's own, rounded half up,
// once. That is divided over the units that are not cancelled: of a kit in proportion to what its components were bought for, where that
// is known of all, else evenly. What does not divide goes to those of the largest rests, one minor unit each, so that the shares make it.
func (l *OrderLine) earn(total int64, visit func(u *OrderUnit, n int64)) {
	var c tally
	c.add(l)
	live, rate := int64(c.live), uint64(wholeSplit)
	if s := l.Rest().RevenueSplit; s != nil {
		rate = uint64(*s)
	}
	income := int64(roundedShare(uint64(total), rate, wholeSplit))
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

// sharesOfParts are the shares of the units of a kit that are not cancelled, by what its components were bought for as the line was made;
// nil: that is not known of all.
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
	apportion(shares, uint64(income), weights, sum)
	return shares
}

// partPrices are what the components of a kit were bought for, in their order; nil: there is one alone, or that is not known of all.
func (a *account) partPrices(i Item) (list []int64) {
	k, err := a.kit(i.CatalogItem)
	if err != nil || len(k.parts) < 2 {
		return nil
	}
	for _, p := range k.parts {
		price := a.purchasePrice(p.article, p.sku)
		if price == nil {
			return nil
		}
		list = append(list, *price)
	}
	return list
}

// addOrder adds what the units of an order bring in to the articles that they are of now, or with the sign -1 takes it off. A
// unit that is a conflict is of no article, nor is one that takes no stock (any more).
func (o *Order) addIncome(c *sums[earning], s *timeline.Stock, sign int64) {
	if o == nil || o.Status == OrderDraft || o.Cancelled {
		return
	}
	prices, _ := o.LinePrices() // what is stored has a price
	units := s.Finder()
	article, sum := uint32(0), int64(0)
	for i := range prices {
		if prices[i].Total == 0 {
			continue
		}
		o.Lines[i].earn(prices[i].Total, func(u *OrderUnit, n int64) {
			at, ok := units.Where(u.Hold)
			gone := u.Lot != 0 && u.Returned == 0 // it was sold
			if gone {
				at.Lot = u.Lot
			}
			if !gone && (!ok || !at.Seated()) || n == 0 {
				return
			}
			if of := s.Lot(at.Lot).Article; of != article { // most units are of the same one as the unit before
				c.add(earning{o.Currency, article}, sign*sum)
				article, sum = of, 0
			}
			sum += n
		})
	}
	c.add(earning{o.Currency, article}, sign*sum)
}

// addIncomes adds what all orders bring in, at start-up and for a check.
func (a *account) addIncomes(c *sums[earning]) {
	for o := range a.orders().All() {
		o.addIncome(c, a.stock, 1)
	}
}

// followIncomes keeps up what articles bring in around a write set: it takes off what the orders that it touches bring in, and what it
// returns adds that again, as it is then.
func (a *account) followIncomes(set []rowChange) (after func()) {
	orders := touchedOrders(set)
	if len(orders) == 0 {
		return nil
	}
	add := func(sign int64) {
		for _, no := range orders {
			a.orders().No(no).addIncome(a.income(), a.stock, sign)
		}
	}
	add(-1)
	return func() { add(1) }
}

// touchedOrders are the numbers of the orders whose income a write set may change or move: those that change, and those with a unit
// that gets to another lot or loses its slot. It is called for every command; most touch none.
func touchedOrders(set []rowChange) (list []uint32) {
	for _, x := range set {
		switch x := x.(type) {
		case *change[Order]:
			for _, o := range [...]*Order{x.before, x.after} {
				if o != nil {
					list = append(list, o.Number)
				}
			}
		case *change[timeline.Placed]:
			u := x.after
			if u == nil {
				u = x.before
			}
			if u.Flags.Blocker() != timeline.BlockerOrder {
				continue
			}
			if x.before == nil || x.after == nil || x.before.Place.Lot != x.after.Place.Lot || x.before.Place.Seated() != x.after.Place.Seated() {
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
	registerFollower(follower{around: (*account).followIncomes, load: func(a *account) { a.addIncomes(a.income()) }, check: checkIncomes})
}

func checkIncomes(a *account) (int, error) {
	brought := newIncomes()
	if a.addIncomes(brought); !slices.Equal(brought.items.Items(), a.income().items.Items()) {
		return 0, fmt.Errorf("orders make the incomes %v, the index says %v", brought.items.Items(), a.income().items.Items())
	}
	return 0, nil
}
