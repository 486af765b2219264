package engine

import (
	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns previews: what a command would come to, and which units would go elsewhere for it.

// Preview is what a command would come to.
type Preview struct {
	Record any // the record that the operation would answer with
	// units that would go elsewhere, where they would be; the first MaxListed
	Moved []stock.Unavailability
}

// Preview plans a command on the present snapshot and throws the plan away.
func (e *Engine) Preview(cmd Command) (Preview, error) {
	s := e.current.Load()
	v, ok := view(s, cmd.Account)
	if !ok {
		return Preview{}, base.NotFound("account")
	}
	if faults := v.Check(cmd.Op); len(faults) > 0 {
		return Preview{}, base.Invalid(faults)
	}
	t := e.planOn(s, v)
	t.Explain = true
	res, err := e.planned(t, &cmd)
	if err != nil {
		return Preview{}, err
	}
	return Preview{res, moved(t)}, nil
}

// moved lists the units that had a place and would have another, those of the command's own record among them.
func moved(t *base.Tx) (list []stock.Unavailability) {
	for _, c := range stock.Draft(t).Changes().Holds {
		if c.Had && c.Has && c.Before.Place != c.After.Place && len(list) < base.MaxListed {
			list = append(list, stock.UnavailabilityAt(t.Acc, c.After.Hold, c.After.Place))
		}
	}
	return list
}
