package api

import (
	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/table"
)

// This file owns what other systems keep on a record, on the wire: their id of it, by which lists find it, and metadata.

const (
	maxMetadata      = 50
	maxMetadataValue = 500 // characters
)

var externalID = wire.Text(1, 255)

// externalFields are what other systems keep on a record that is made or changed.
func externalFields[In any](at func(*In) *engine.ExternalPatch) []wire.Field[In] {
	return []wire.Field[In]{
		wire.Merged("externalId", externalID, true, func(in *In) *engine.Opt[string] { return &at(in).ID }).
			Says("The record's id in another system. No other record of the kind has the same. Null clears it.").Shows("null"),
		wire.Merged("metadata", metadata, true, func(in *In) *engine.Opt[[]engine.MetadataInput] { return &at(in).Metadata }).
			Says("Texts of another system by keys of its own, at most 50. Keys that are not named stay; null takes one away, or all.").
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
func (w *scribe) external(x *engine.External) {
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

var noExternal engine.External

// metadata are texts by their keys.
var metadata = wire.ByKey(metadataText.Schema.OrNull(), maxMetadata, func(m *engine.MetadataInput) *string { return &m.Key },
	func(r *wire.Reader, m *engine.MetadataInput) {
		if !r.Null() {
			m.Value = new(string)
			metadataText.JSON(r, m.Value)
		}
	})

var metadataText = wire.Text(0, maxMetadataValue)

// externalPage is a page of records, or of the one that has an external id.
type externalPage struct {
	page
	external *string
}

// externalQuery is the query of a list that takes a page and an external id.
func externalQuery(record string) *wire.Shape[externalPage] {
	return wire.ShapeOf("List", append(pageFields(func(p *externalPage) *page { return &p.page }),
		externalIDFilter(func(p *externalPage) **string { return &p.external }, record))...)
}

// appendExternalPage appends such a page: of all records, or of the one that with finds.
func appendExternalPage[R any](
	q *request, p *externalPage, with func(v engine.View, external string) *R, all *table.Table[R], record func(w *scribe, r *R),
) {
	total, at := all.Len(), all.At
	if p.external != nil {
		one := with(q.view, *p.external)
		if total = 1; one == nil {
			total = 0
		}
		at = func(int) *R { return one }
	}
	appendPage(q, p.page, total, at, record)
}
