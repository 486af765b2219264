package engine

import (
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns how many records there are, for metrics.

// Totals are how many records of a kind all accounts have together.
type Totals struct {
	Accounts int
	Articles int
	Holds    int // of every state, lapsed and released ones as long as they are kept
	Orders   int
	Units    int // that are taken, now or later
}

// Totals counts what the present snapshot has. It takes some nanoseconds an account.
func (e *Engine) Totals() (n Totals) {
	e.current.Load().Accounts.Scan(func(a base.Tenant) bool {
		n.Accounts++
		n.Articles += stock.ArticleTable(a.AccountState).Len()
		n.Holds += hold.Holds(a.AccountState).Rows.Len()
		n.Orders += order.OrderTable(a.AccountState).Len()
		n.Units += a.Stock.Len()
		return true
	})
	return n
}
