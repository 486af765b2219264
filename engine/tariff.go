package engine

// This file owns the tariffs of accounts: what an account may ask is by its plan, and decided outside of the engine.

// Plans are the names of all plans.
var Plans = []string{"starter", "growth", "scale", "unlimited"}

// SetPlan puts the account under another plan. It answers with the *Account.
type SetPlan struct{ Plan string }

func (o SetPlan) Check() []Fault {
	var c checker
	c.oneOf("/plan", o.Plan, Plans...)
	return c.faults
}

func (o SetPlan) plan(t *tx) (any, error) {
	n := *t.acc.row
	if n.Plan == o.Plan {
		return t.acc.row, nil
	}
	n.Plan, n.Revision, n.UpdatedAt = o.Plan, n.Revision+1, t.now
	record(t, accountKind, t.acc.row, &n)
	return &n, nil
}

func (SetPlan) result() any { return new(Account) }
