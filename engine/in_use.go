package engine

import "strings"

// This file owns who refers to a record, which keeps it from being removed.

// inUse refuses to remove what n of a resource refer to; nil where none does.
func inUse(resource string, n int) error {
	if n == 0 {
		return nil
	}
	return &Error{Code: CodeInUse, Detail: "something refers to the record; details says what", Details: InUseDetails{resource, n}}
}

// referrer counts the records of a resource that are not over and refer to a record: they keep it from being removed.
type referrer struct {
	resource string
	count    func(a *account, id ID, now int64) int
}

// referrers are in the order in which a refusal names them.
var referrers []referrer

func registerReferrers(list ...referrer) { referrers = append(referrers, list...) }

// unreferred refuses to remove what others refer to.
func (a *account) unreferred(id ID, now int64) error {
	for _, r := range referrers {
		if err := inUse(r.resource, r.count(a, id, now)); err != nil {
			return err
		}
	}
	return nil
}

// pricer counts the records of a resource that have amounts in the account's currency and are not over: they keep the account from
// getting another.
type pricer struct {
	resource string
	count    func(a *account, now int64) int
}

// pricers are in the order in which a refusal names them.
var pricers []pricer

func registerPricer(p pricer) { pricers = append(pricers, p) }

// unpriced refuses another currency while something is priced in the one that there is. Details name the first of what is, the text all.
func (a *account) unpriced(now int64) error {
	var first InUseDetails
	var all []string
	for _, p := range pricers {
		if n := p.count(a, now); n > 0 {
			if all = append(all, p.resource+": "+itoa(n)); first.Count == 0 {
				first = InUseDetails{p.resource, n}
			}
		}
	}
	if all == nil {
		return nil
	}
	return &Error{Code: CodeInUse, Detail: "there are amounts in the account's currency that are not over (" + strings.Join(all, ", ") + ")", Details: first}
}
