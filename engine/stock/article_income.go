package stock

import (
	"cmp"

	"holdfast/engine/base"
)

// This file owns what articles bring in, by currencies and their numbers. What brings it in adds it; what is shown is
// of the account's currency.

// Earning is by what incomes are summed up.
type Earning struct {
	Currency base.Word
	Article  uint32
}

var incomeExtension = base.RegisterExtension(NewIncomes)

// Income is what articles have brought in.
func Income(a *base.AccountState) *base.Sums[Earning] { return incomeExtension.In(a) }

// NewIncomes makes empty sums of incomes.
func NewIncomes() *base.Sums[Earning] {
	return base.NewSums(func(a, b Earning) int {
		if a.Currency != b.Currency {
			return cmp.Compare(a.Currency.String(), b.Currency.String())
		}
		return cmp.Compare(a.Article, b.Article)
	})
}

// earned is what an article brings in.
func earned(a *base.AccountState, no uint32) int64 {
	return Income(a).Of(Earning{base.NewWord(a.Row.Currency), no})
}

// incomes gives the income of each article by its number, for a list; to be asked in ascending order.
func incomes(a *base.AccountState) func(no uint32) float64 {
	currency, it := base.NewWord(a.Row.Currency), Income(a).Items.Iter()
	some := it.Seek(base.Sum[Earning]{Of: Earning{Currency: currency}})
	return func(no uint32) float64 {
		for some && it.Item().Of.Currency == currency && it.Item().Of.Article < no {
			some = it.Next()
		}
		if some && it.Item().Of == (Earning{currency, no}) {
			return float64(it.Item().N)
		}
		return 0
	}
}
