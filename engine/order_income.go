package engine

import (
	"slices"

	"github.com/tidwall/btree"

	"holdfast/timeline"
)

// This file owns what articles bring in. It is derived from the orders and from where their units are, and kept up to date
// with every command that changes one of the two.

// income is what an article brings in, by its number.
type income struct {
	article uint32
	amount  int64
}

// incomes are those of an account that are not 0.
type incomes struct {
	items *btree.BTreeG[income]
	copy  *incomes // what publish gave last, while nothing has changed since
	moved []uint32 // for touched, to be used again
}

func newIncomes() *incomes {
	return &incomes{items: btree.NewBTreeGOptions(func(a, b income) bool { return a.article < b.article }, btree.Options{NoLocks: true})}
}

// publish gives a copy that never changes. Writer only.
func (c *incomes) publish() *incomes {
	if c.copy == nil {
		c.copy = &incomes{items: c.items.Copy()}
	}
	return c.copy
}

func (c *incomes) of(article uint32) int64 {
	x, _ := c.items.Get(income{article: article})
	return x.amount
}

func (c *incomes) add(article uint32, n int64) {
	if n == 0 {
		return
	}
	c.copy = nil
	if n += c.of(article); n == 0 {
		c.items.Delete(income{article: article})
	} else {
		c.items.Set(income{article, n})
	}
}

// ascending is of for articles that are asked for in ascending order.
func (c *incomes) ascending() func(article uint32) int64 {
	it := c.items.Iter()
	some := it.First()
	return func(article uint32) int64 {
		for some && it.Item().article < article {
			some = it.Next()
		}
		if some && it.Item().article == article {
			return it.Item().amount
		}
		return 0
	}
}

// incomes gives the income of each article by its number, for a list; to be asked in ascending order.
func (a *account) incomes() func(no uint32) float64 {
	of := a.income.ascending()
	return func(no uint32) float64 { return float64(of(no)) }
}

// earn visits what each unit of a line brings in of the line's total: its share of it, of which the split rate is the
// merchant's own, rounded half up. The total is divided over the units that are not cancelled; what does not divide goes to
// the first of them, one minor unit each, so that the shares make the total.
func (l *OrderLine) earn(total int64, visit func(u *OrderUnit, n int64)) {
	var c tally
	c.add(l)
	live, rate := int64(c.live), uint64(wholeSplit)
	if s := l.Rest().RevenueSplit; s != nil {
		rate = uint64(*s)
	}
	at := int64(0)
	for j := range l.Units {
		u := &l.Units[j]
		if u.State == Cancelled {
			continue
		}
		share := total / live
		if at < total%live {
			share++
		}
		at++
		visit(u, int64(roundedShare(uint64(share), rate, wholeSplit)))
	}
}

// addOrder adds what the units of an order bring in to the articles that they are of now, or with the sign -1 takes it off. A
// unit that is a conflict is of no article, nor is one that takes no stock (any more).
func (c *incomes) addOrder(o *Order, s *timeline.Stock, sign int64) {
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
			if !ok || !at.Seated() || n == 0 {
				return
			}
			if of := s.Lot(at.Lot).Article; of != article { // most units are of the same one as the unit before
				c.add(article, sign*sum)
				article, sum = of, 0
			}
			sum += n
		})
	}
	c.add(article, sign*sum)
}

// addAll adds what all orders bring in, at start-up and for a check.
func (c *incomes) addAll(a *account) {
	for o := range a.orders().All() {
		c.addOrder(o, a.stock, 1)
	}
}

// addMoved adds what some orders bring in, by their numbers, or takes it off.
func (a *account) addMoved(orders []uint32, sign int64) {
	for _, no := range orders {
		a.income.addOrder(a.orders().No(no), a.stock, sign)
	}
}

// touched are the numbers of the orders whose income a write set may change or move: those that change, and those with a unit
// that gets to another lot or loses its slot. It is called for every command; most touch none.
func (c *incomes) touched(set []rowChange) []uint32 {
	list := c.moved[:0]
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
	c.moved = list
	return list
}
