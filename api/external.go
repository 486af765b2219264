package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/label"
)

// This file owns what other systems keep on a record, on the wire: their id of it, by which lists find it, and
// metadata.

var externalID = wire.Text(1, base.MaxName)

// externalFields are what other systems keep on a record that is made or changed.
func externalFields[In any](at func(*In) *label.ExternalPatch) []wire.Field[In] {
	return []wire.Field[In]{
		wire.Merged("externalId", externalID, true, func(in *In) *base.Opt[string] { return &at(in).ID }).
			Says("The record's id in another system. No other record of the kind has the same. Null clears it.").
			Shows("null"),
		wire.Merged("metadata", metadata, true,
			func(in *In) *base.Opt[[]label.MetadataInput] { return &at(in).Metadata }).
			Says("Texts of another system by keys of its own, at most 50. Keys that are not named stay; null takes " +
				"one away, or all.").
			Shows(`{"source":"shop"}`),
	}
}

// externalIDFilter is the parameter of a list that finds a record by its external id.
func externalIDFilter[In any](at func(*In) **string, record string) wire.Field[In] {
	return wire.Optional("externalId", externalID, at).Says("Only " + record + " that has this external id.")
}

var (
	externalIDSchema = wire.TextOrNull.Shows(`"shop-1042"`)
	metadataSchema   = (&wire.Schema{Type: "object", Extra: wire.TextSchema}).Shows(`{"source":"shop"}`)
)

// external writes what other systems keep on a record.
func (w *scribe) external(x *label.External) {
	if x == nil {
		x = &noExternal
	}
	w.Key("externalId", externalIDSchema, "The record's id in another system; null without one.")
	w.Out = wire.AppendGiven(w.Out, x.ID)
	w.Key("metadata", metadataSchema, "Texts that another system keeps on it, by keys of its own.")
	w.Out = append(w.Out, '{')
	for _, m := range x.Metadata {
		w.Property(m.Key)
		w.Out = wire.AppendText(w.Out, m.Value)
	}
	w.Out = append(w.Out, '}')
}

var noExternal label.External

// metadata are texts by their keys.
var metadata = wire.ByKey(metadataText.Schema.OrNull(), label.MaxMetadata,
	func(m *label.MetadataInput) *string { return &m.Key },
	func(r *wire.Reader, m *label.MetadataInput) {
		if !r.Null() {
			m.Value = new(string)
			metadataText.JSON(r, m.Value)
		}
	})

var metadataText = wire.Text(0, label.MaxMetadataValue)
