package base

import (
	"slices"
	"strings"
)

// This file owns which records refer to another one, which keeps that from being removed.

// InUse refuses to remove what n of a resource refer to; nil where none does.
func InUse(resource string, n int) error {
	if n == 0 {
		return nil
	}
	return &Error{Code: CodeInUse, Detail: "something refers to the record; details says what",
		Details: InUseDetails{resource, n}}
}

// Referrer counts the records of a resource that are not over and refer to a record: they keep it from being removed.
type Referrer struct {
	Resource string
	Count    func(a *AccountState, id ID, now int64) int
}

// referrers are in the order in which a refusal names them.
var referrers []Referrer

// RegisterReferrers registers resources whose records keep what they refer to from being removed.
func RegisterReferrers(list ...Referrer) { referrers = append(referrers, list...) }

// Unreferred refuses to remove what others refer to.
func (a *AccountState) Unreferred(id ID, now int64) error {
	for _, r := range referrers {
		if err := InUse(r.Resource, r.Count(a, id, now)); err != nil {
			return err
		}
	}
	return nil
}

// Delete removes a record. Its kind may refuse that (Kind.Kept). What has a number leaves a tombstone.
type Delete[R any, P Revised[R]] struct {
	Answers[any]
	IfMatch
	ID ID
}

func (o Delete[R, P]) PlanOn(t *Tx) (any, error) {
	k := kindOf[R]()
	r, err := Found[R, P](t, k, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if k.Kept != nil {
		if err := k.Kept(t, r); err != nil {
			return nil, err
		}
	}
	Record(t, k, r, nil)
	if no := k.In(t.Acc).NumberOf(r); no != 0 {
		t.Bury(k.Tag, o.ID, no)
	}
	return nil, nil
}

// Pricer counts the records of a resource that have amounts in the account's currency and are not over: they keep the
// account from getting another.
type Pricer struct {
	Resource string
	Count    func(a *AccountState, now int64) int
}

// pricers are in the order of their resources, in which a refusal names them.
var pricers []Pricer

// RegisterPricer registers a resource whose amounts keep the account's currency from being changed.
func RegisterPricer(p Pricer) {
	pricers = append(pricers, p)
	slices.SortFunc(pricers, func(a, b Pricer) int { return strings.Compare(a.Resource, b.Resource) })
}

// unpriced refuses another currency while something is priced in the one that there is.
func (a *AccountState) unpriced(now int64) error {
	var found []InUseDetails
	for _, p := range pricers {
		if n := p.Count(a, now); n > 0 {
			found = append(found, InUseDetails{p.Resource, n})
		}
	}
	return InUseAll("there are amounts in the account's currency that are not over", found)
}

// InUseAll refuses what several resources are in the way of; nil where none is. Details name the first, the text all.
func InUseAll(why string, found []InUseDetails) error {
	if len(found) == 0 {
		return nil
	}
	all := make([]string, len(found))
	for i, f := range found {
		all[i] = f.Resource + ": " + Itoa(f.Count)
	}
	return &Error{Code: CodeInUse, Detail: why + " (" + strings.Join(all, ", ") + ")", Details: found[0]}
}
