package base

import (
	"strings"

	gojson "github.com/goccy/go-json"
)

// This file owns what the feed of changes says about a changed row: which record it belongs to, and what happened to
// that record.

// ChangeKind is what happened to a record.
type ChangeKind string

// The kinds of changes.
const (
	Created ChangeKind = "created"
	Updated ChangeKind = "updated"
	Deleted ChangeKind = "deleted"
)

// feedChange is a changed row as the feed shows it: which record it belongs to, and what happened to that record.
type feedChange struct {
	Resource string // empty: the feed shows nothing
	Area     string
	ID       ID
	Kind     ChangeKind
}

// resourceName is a kind's name as one word: "API key" is apiKey.
func resourceName(name string) string {
	words := strings.Fields(strings.ToLower(name))
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}

// InFeed is what the feed of changes calls the resource; empty: it is not in it.
func (k *Kind[R]) InFeed() string { return k.Resource }

// ToldByRevision puts a change into the feed if it changes the record's revision.
var ToldByRevision = ToldBy[struct{ Revision uint64 }]

// ToldBy reads some members of a row kept as JSON, and skips the others, so that a record of many parts need not be
// built.
func ToldBy[T comparable](row []byte) (any, error) {
	var t T
	err := gojson.Unmarshal(row[min(1, len(row)):], &t) // after the version
	return t, err
}

// FeedChange is a change as the feed shows it.
func (k *Kind[R]) FeedChange(a *AccountState, key ID, before, after []byte) (feedChange, error) {
	t := feedChange{Resource: k.Resource, ID: key, Kind: Updated}
	switch {
	case k.Part != nil:
	case before == nil:
		t.Kind = Created
	case after == nil:
		t.Kind = Deleted
	}
	if key == (ID{}) {
		t.ID = a.ID // the account's own record
	}
	if k.Told != nil && before != nil && after != nil {
		was, err := k.Told(before)
		if err != nil {
			return t, err
		}
		if is, err := k.Told(after); err != nil || was == is {
			return feedChange{}, err
		}
	}
	if k.Part == nil && k.Area == nil {
		return t, nil
	}
	image := after
	if image == nil {
		image = before
	}
	r, err := k.Decode(a.ID, key, image)
	switch {
	case err != nil:
		return t, err
	case k.Part != nil:
		t.Resource, t.ID = k.Part(a, r)
	default:
		t.Area = k.Area(r)
	}
	return t, nil
}
