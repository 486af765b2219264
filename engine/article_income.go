package engine

import "github.com/tidwall/btree"

// This file owns what articles bring in, by their numbers. What brings it in adds it.

// income is what an article brings in, by its number.
type income struct {
	article uint32
	amount  int64
}

// incomes are those of an account that are not 0.
type incomes struct {
	items *btree.BTreeG[income]
	copy  *incomes // what publish gave last, while nothing has changed since
}

var incomeExtension = registerExtension(newIncomes)

func (a *account) income() *incomes { return incomeExtension.in(a) }

func newIncomes() *incomes {
	return &incomes{items: btree.NewBTreeGOptions(func(a, b income) bool { return a.article < b.article }, btree.Options{NoLocks: true})}
}

// publish gives a copy that never changes. Writer only.
func (c *incomes) publish() extension {
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
	of := a.income().ascending()
	return func(no uint32) float64 { return float64(of(no)) }
}
