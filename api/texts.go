package api

import "holdfast/api/wire"

// This file owns the texts that records of many kinds have: long ones, and addresses on the web.

// maxText is the most characters of a long text.
const maxText = 10_000

var longText = wire.Text(0, maxText)

// link is an address on the web that is given.
var link = func() wire.Kind[string] {
	k, s := wire.Text(1, 2048), *wire.TextSchema
	s.Format, s.Min, s.Max = "uri", k.Schema.Min, k.Schema.Max
	k.Schema = &s
	return k
}()

// uriSchema is of one that is answered.
var uriSchema = &wire.Schema{Type: "string", Format: "uri"}
