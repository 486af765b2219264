package engine

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
	e.current.Load().accounts.Scan(func(a tenant) bool {
		n.Accounts++
		n.Articles += a.articles().Len()
		n.Holds += a.holds().rows.Len()
		n.Orders += a.orders().Len()
		n.Units += a.stock.Len()
		return true
	})
	return n
}
