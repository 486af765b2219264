package base

import "holdfast/timeline"

// This file owns what domains have in an account in addition to their rows: extensions, which follow from rows, and
// followers, which keep them up to date if a row's own kind cannot.

// Extension is something that is derived from rows and belongs to one account. The writer changes it; Publish gives a
// copy that never changes.
type Extension interface{ Publish() Extension }

// extensionOf is an extension of every account.
type extensionOf[E Extension] struct{ No int }

var newExtensions []func() Extension

// RegisterExtension gives every account an extension.
func RegisterExtension[E Extension](create func() E) extensionOf[E] {
	newExtensions = append(newExtensions, func() Extension { return create() })
	return extensionOf[E]{len(newExtensions) - 1}
}

// In is an account's.
func (x extensionOf[E]) In(a *AccountState) E { return a.Extensions[x.No].(E) }

// Follower keeps up what is derived from rows of several kinds. A member may be nil.
type Follower struct {
	// called before a write set is applied; after, if not nil, is called after that
	Around func(a *AccountState, set []RowChange) (after func())
	Load   func(a *AccountState)       // makes what all rows say, at start-up
	Check  func(a *AccountState) error // derives it anew and compares
}

var Followers []Follower

// RegisterFollower makes sure that a follower is called for every account.
func RegisterFollower(f Follower) { Followers = append(Followers, f) }

// ChooserOf makes the value that answers what the timelines of an account ask (timeline.Chooser), as it is, or as a
// plan leaves it.
var ChooserOf func(a *AccountState, t *Tx) timeline.Chooser

// Choose lets the account itself answer what its timelines ask.
func (a *AccountState) Choose() { a.Stock.SetChooser(ChooserOf(a, nil)) }
