package stock

import (
	"fmt"
	"maps"
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns what articles bring in, by currencies and their numbers. The package whose records bring it in adds
// it. Only amounts in the account's currency are shown.

// Incomes are what articles have brought in, by currency. An account has them as an extension.
type Incomes struct {
	by   []currencyIncomes // of each currency that one was in, in the order of the first
	copy *Incomes          // what Publish gave last, while nothing has changed since
}

type currencyIncomes struct {
	currency base.Word
	articles *timeline.Amounts
}

var incomeExtension = base.RegisterExtension(func() *Incomes { return new(Incomes) })

// Income is what articles have brought in.
func Income(a *base.AccountState) *Incomes { return incomeExtension.In(a) }

// Publish gives a copy that never changes.
func (c *Incomes) Publish() base.Extension {
	if c.copy == nil {
		c.copy = &Incomes{by: slices.Clone(c.by)}
		for i := range c.copy.by {
			c.copy.by[i].articles = c.by[i].articles.Publish()
		}
	}
	return c.copy
}

// find is what articles have brought in, in a currency; nil: nothing yet.
func (c *Incomes) find(currency base.Word) *timeline.Amounts {
	for _, x := range c.by {
		if x.currency == currency {
			return x.articles
		}
	}
	return nil
}

// In is what articles have brought in, in a currency, for the writer to add to.
func (c *Incomes) In(currency base.Word) *timeline.Amounts {
	c.copy = nil
	of := c.find(currency)
	if of == nil {
		of = timeline.NewAmounts()
		c.by = append(c.by, currencyIncomes{currency, of})
	}
	return of
}

// Check says where the incomes are not those that others have added up.
func (c *Incomes) Check(sums *Incomes) error {
	for _, x := range slices.Concat(c.by, sums.by) {
		is, want := c.all(x.currency), sums.all(x.currency)
		if !maps.Equal(is, want) {
			return fmt.Errorf("orders make the incomes %v in %s, the index says %v", want, x.currency, is)
		}
	}
	return nil
}

// all is what articles have brought in, in a currency, by their numbers.
func (c *Incomes) all(currency base.Word) map[uint32]int64 {
	if of := c.find(currency); of != nil {
		return maps.Collect(of.All())
	}
	return nil
}

// earned gives what an article brings in, by its number.
func earned(a *base.AccountState) func(no uint32) int64 {
	of := Income(a).find(base.NewWord(a.Row.Currency))
	if of == nil {
		return func(uint32) int64 { return 0 }
	}
	return of.Of
}

// incomes gives the income of each article by its number, for a list.
func incomes(a *base.AccountState) func(no uint32) float64 {
	of := earned(a)
	return func(no uint32) float64 { return float64(of(no)) }
}
