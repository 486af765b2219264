package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file owns what records are written by: a Writer, and the state that what they refer to is looked up in.

// scribe writes records. A method named write and a record appends that record's members, without the braces.
type scribe struct {
	wire.Writer
	view    base.View
	account base.ID // of a record that is written without a view, as events are
}

// tenant is the id of the account.
func (w *scribe) tenant() {
	w.Key("tenantId", wire.AccountIDSchema, "")
	switch {
	case !w.Writes():
	case w.account != (base.ID{}):
		w.Out = wire.AppendID(w.Out, w.account)
	default:
		w.Out = wire.AppendID(w.Out, w.view.Account().ID)
	}
}

// describe gives the schema of a record, by what writes it.
func describe[R any](name string, write func(w *scribe, r *R)) *wire.Schema {
	return describeAs(name, new(R), write)
}

// describeAs is describe of a record that cannot be the zero value.
func describeAs[R any](name string, empty R, write func(w *scribe, r R)) *wire.Schema {
	var w scribe
	return w.Describe(name, func() { write(&w, empty) })
}

// appendRecord appends a record as an object.
func appendRecord[R any](w *scribe, r R, write func(w *scribe, r R)) {
	w.Out = append(w.Out, '{')
	write(w, r)
	w.Out = append(w.Out, '}')
}

// words writes a list of words, with its schema.
func words[W ~string](w *scribe, name string, s *wire.Schema, list []W, about string) {
	w.Key(name, s, about)
	w.Out = wire.AppendList(w.Out, list, func(b []byte, v W) []byte { return wire.AppendText(b, string(v)) })
}

// orderedAs writes what a unit of an order or a hold was asked for as, and what that is called.
func (w *scribe) orderedAs(says string, i base.Item, name string, code *string) {
	w.Object("ordered", "OrderedAs", says, func() {
		w.GivenID("skuId", i.SKU, "The SKU; null where an article was asked for.")
		w.GivenID("articleId", i.Article, "The article; null where a SKU was asked for.")
		w.GivenText("name", name, "What that is called.")
		w.TextOrNull("code", code, "The code of the SKU; null without one.")
	})
}
