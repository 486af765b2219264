package engine

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
