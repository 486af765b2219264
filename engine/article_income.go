package engine

import "cmp"

// This file owns what articles bring in, by their numbers. What brings it in adds it.

var incomeExtension = registerExtension(newIncomes)

func (a *account) income() *sums[uint32] { return incomeExtension.in(a) }

func newIncomes() *sums[uint32] { return newSums(cmp.Compare[uint32]) }

// incomes gives the income of each article by its number, for a list; to be asked in ascending order.
func (a *account) incomes() func(no uint32) float64 {
	it := a.income().items.Iter()
	some := it.First()
	return func(no uint32) float64 {
		for some && it.Item().of < no {
			some = it.Next()
		}
		if some && it.Item().of == no {
			return float64(it.Item().n)
		}
		return 0
	}
}
