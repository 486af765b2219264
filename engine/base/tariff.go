package base

// This file owns the tariffs of accounts: what an account may ask is by its plan, and decided outside of the engine.

// Plans are the names of all plans.
var Plans = []string{"starter", "growth", "scale", Unlimited}

// Unlimited is the plan without limits.
const Unlimited = "unlimited"

// SetPlan puts the account under another plan.
type SetPlan struct {
	Answers[*Account]
	Plan string
}

func (o SetPlan) Check(c *Checker) { c.OneOf("/plan", o.Plan, Plans...) }

func (o SetPlan) PlanOn(t *Tx) (any, error) {
	n := *t.Acc.Row
	if n.Plan == o.Plan {
		return t.Acc.Row, nil
	}
	n.Plan, n.Revision, n.UpdatedAt = o.Plan, n.Revision+1, t.Now
	Record(t, AccountKind, t.Acc.Row, &n)
	return &n, nil
}
