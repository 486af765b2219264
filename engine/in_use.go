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

// unpriced refuses another currency while something is priced in the one that there is.
func (a *account) unpriced(now int64) error {
	var found []InUseDetails
	for _, p := range pricers {
		if n := p.count(a, now); n > 0 {
			found = append(found, InUseDetails{p.resource, n})
		}
	}
	return inUseAll("there are amounts in the account's currency that are not over", found)
}

// inUseAll refuses what several resources are in the way of; nil where none is. Details name the first, the text all.
func inUseAll(why string, found []InUseDetails) error {
	if len(found) == 0 {
		return nil
	}
	all := make([]string, len(found))
	for i, f := range found {
		all[i] = f.Resource + ": " + itoa(f.Count)
	}
	return &Error{Code: CodeInUse, Detail: why + " (" + strings.Join(all, ", ") + ")", Details: found[0]}
}
