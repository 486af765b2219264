package engine

import "holdfast/timeline"

// This file owns what domains have in an account beside their rows: extensions, which follow from rows, and followers, which keep them
// up to date where a row's own kind cannot.

// extension is something that is derived from rows and belongs to one account. The writer changes it; publish gives a copy that
// never changes.
type extension interface{ publish() extension }

// extensionOf is an extension of every account.
type extensionOf[E extension] struct{ no int }

var newExtensions []func() extension

// registerExtension has every account have an extension.
func registerExtension[E extension](create func() E) extensionOf[E] {
	newExtensions = append(newExtensions, func() extension { return create() })
	return extensionOf[E]{len(newExtensions) - 1}
}

// in is an account's.
func (x extensionOf[E]) in(a *account) E { return a.extensions[x.no].(E) }

// follower keeps up what is derived from rows of several kinds. A member may be nil.
type follower struct {
	around func(a *account, set []rowChange) (after func()) // called before a write set is applied; after, if not nil, behind it
	load   func(a *account)                                 // makes what all rows say, at start-up
	check  func(a *account) (due int, err error)            // derives it anew and compares; due is how many of the domain's rows are due
}

var followers []follower

// registerFollower has a follower called for every account.
func registerFollower(f follower) { followers = append(followers, f) }

// chooserOf makes who answers what the timelines of an account ask (timeline.Chooser), as it is, or as a plan leaves it.
var chooserOf func(a *account, t *tx) timeline.Chooser

// choose has the account itself answer what its timelines ask.
func (a *account) choose() { a.stock.SetChooser(chooserOf(a, nil)) }
