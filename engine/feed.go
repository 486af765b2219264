package engine

import "strings"

// This file owns what the feed of changes tells of a changed row: of which record, and what happened to that.

// ChangeKind is what happened to a record.
type ChangeKind string

// The kinds of changes.
const (
	Created ChangeKind = "created"
	Updated ChangeKind = "updated"
	Deleted ChangeKind = "deleted"
)

// toldChange is a changed row as the feed tells it: of which record, and what happened to that.
type toldChange struct {
	resource string // empty: nothing is told
	area     string
	id       ID
	kind     ChangeKind
}

// resourceName is a kind's name as one word: "API key" is apiKey.
func resourceName(name string) string {
	words := strings.Fields(strings.ToLower(name))
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}

func (k *kind[R]) inFeed() string { return k.resource }

func (k *kind[R]) told(a *account, key ID, before, after []byte) (toldChange, error) {
	t := toldChange{resource: k.resource, id: key, kind: Updated}
	switch {
	case k.part != nil:
	case before == nil:
		t.kind = Created
	case after == nil:
		t.kind = Deleted
	}
	if key == (ID{}) {
		t.id = a.id // the account's own record
	}
	if k.quiet != nil && before != nil && after != nil {
		was, err := k.decode(a.id, key, before)
		if err != nil {
			return t, err
		}
		is, err := k.decode(a.id, key, after)
		if err != nil || k.quiet(was, is) {
			return toldChange{}, err
		}
	}
	if k.part == nil && k.area == nil {
		return t, nil
	}
	image := after
	if image == nil {
		image = before
	}
	r, err := k.decode(a.id, key, image)
	switch {
	case err != nil:
		return t, err
	case k.part != nil:
		t.resource, t.id = k.part(a, r)
	default:
		t.area = k.area(r)
	}
	return t, nil
}
