package api

import (
	"strconv"

	"holdfast/engine"
)

// This file owns what other systems keep on a record, on the wire: their id of it, by which lists find it, and metadata.

const (
	maxMetadata      = 50
	maxMetadataValue = 500 // characters
)

var externalID = text(1, 255)

// externalFields are what other systems keep on a record that is made or changed.
func externalFields[In any](at func(*In) *engine.ExternalPatch) []field[In] {
	return []field[In]{
		merged("externalId", externalID, true, func(in *In) *engine.Opt[string] { return &at(in).ID }).
			says("The record's id in another system. No other record of the kind has the same. Null clears it.").shows("null"),
		merged("metadata", metadata, true, func(in *In) *engine.Opt[[]engine.MetadataInput] { return &at(in).Metadata }).
			says("Texts of another system by keys of its own, at most 50. Keys that are not named stay; null takes one away, or all.").
			shows(`{"source":"shop"}`),
	}
}

// externalIDFilter is the parameter of a list that finds a record by its external id.
func externalIDFilter[In any](at func(*In) **string, record string) field[In] {
	return optional("externalId", externalID, at).says("Only " + record + " that has this external id.")
}

// externalMembers are what other systems keep on a record, as it is answered.
var externalMembers = []Member{
	has("externalId", textSchema.orNull().says("The record's id in another system; null without one.").shows(`"shop-1042"`)),
	has("metadata", (&Schema{Type: "object", Extra: textSchema}).says("Texts that another system keeps on it, by keys of its own.").
		shows(`{"source":"shop"}`)),
}

// appendExternal appends the members, each with a comma before it.
func appendExternal(b []byte, x *engine.External) []byte {
	if x == nil {
		return append(b, `,"externalId":null,"metadata":{}`...)
	}
	b = append(appendGiven(append(b, `,"externalId":`...), x.ID), `,"metadata":{`...)
	for i, m := range x.Metadata {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(append(appendText(b, m.Key), ':'), m.Value)
	}
	return append(b, '}')
}

// metadata are texts by their keys. They stand in bodies only.
var metadata = kind[[]engine.MetadataInput]{
	schema: &Schema{Type: "object", Extra: metadataText.schema.orNull()},
	json: func(r *jsonReader, dst *[]engine.MetadataInput) {
		if !r.enter('{', "an object") {
			return
		}
		*dst = []engine.MetadataInput{}
		n := 0
		for ; ; n++ {
			name, ok := r.member(n)
			if !ok {
				break
			}
			in := engine.MetadataInput{Key: string(name)}
			switch {
			case n >= maxMetadata:
				r.skip()
				continue
			case givenMetadata(*dst, in.Key):
				r.fault(faultDuplicate, "given more than once")
				r.skip()
				continue
			case !r.null():
				in.Value = new(string)
				metadataText.json(r, in.Value)
			}
			*dst = append(*dst, in)
		}
		if !r.dead && n > maxMetadata {
			r.fault(faultLength, "must have 0 to "+strconv.Itoa(maxMetadata)+" members")
		}
	},
	query: func(*args, string, *[]engine.MetadataInput) bool { return false },
}

var metadataText = text(0, maxMetadataValue)

func givenMetadata(list []engine.MetadataInput, key string) bool {
	for _, in := range list {
		if in.Key == key {
			return true
		}
	}
	return false
}

// found is a list of the record that has an external id, or of none.
func found[R any](r *R) []*R {
	if r == nil {
		return nil
	}
	return []*R{r}
}

// externalPage is a page of records, or of the one that has an external id.
type externalPage struct {
	page
	external *string
}

// externalQuery is the query of a list that takes a page and an external id.
func externalQuery(record string) *shape[externalPage] {
	return shapeOf("List", append(pageFields(func(p *externalPage) *page { return &p.page }),
		externalIDFilter(func(p *externalPage) **string { return &p.external }, record))...)
}
