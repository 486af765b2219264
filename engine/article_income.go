package engine

import "cmp"

// This file owns what articles bring in, by currencies and their numbers. What brings it in adds it; what is shown is of the account's currency.

// earning is by what incomes are summed up.
type earning struct {
	currency word
	article  uint32
}

var incomeExtension = registerExtension(newIncomes)

func (a *account) income() *sums[earning] { return incomeExtension.in(a) }

func newIncomes() *sums[earning] {
	return newSums(func(a, b earning) int {
		if a.currency != b.currency {
			return cmp.Compare(a.currency.String(), b.currency.String())
		}
		return cmp.Compare(a.article, b.article)
	})
}

// earned is what an article brings in.
func (a *account) earned(no uint32) int64 { return a.income().of(earning{newWord(a.row.Currency), no}) }

// incomes gives the income of each article by its number, for a list; to be asked in ascending order.
func (a *account) incomes() func(no uint32) float64 {
	currency, it := newWord(a.row.Currency), a.income().items.Iter()
	some := it.Seek(sum[earning]{of: earning{currency: currency}})
	return func(no uint32) float64 {
		for some && it.Item().of.currency == currency && it.Item().of.article < no {
			some = it.Next()
		}
		if some && it.Item().of == (earning{currency, no}) {
			return float64(it.Item().n)
		}
		return 0
	}
}
