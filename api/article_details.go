package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

// This file owns what an article's record says in addition to its stock: costs, its place in the merchant's own order
// of things, and the records of files that show or describe it.

// anyValue is a value of any attribute format, in a body.
var anyValue = wire.Kind[label.Value]{Schema: valueSchema, JSON: readValue,
	Query: func(*wire.Args, string, *label.Value) bool { return false }}

// nothing is a member that can only be null: it stands in records that are given back as they were read.
func nothing[T any](name string) wire.Field[T] {
	return wire.Ignored[T](name, wire.NullSchema, func(r *wire.Reader) {
		if !r.Null() {
			r.WrongType("null")
		}
	})
}

var (
	systemGroups = wire.Words[stock.SystemGroup]()
	origins      = wire.Words[stock.FieldOrigin]()
	fieldShape   = wire.ShapeOf("FulfillmentField", append(wire.With(
		wire.MadeOf(func(f *stock.FieldValue) *stock.FieldValue { return f }), "key",
		wire.Defaulted("value", anyValue, label.Value{}, func(f *stock.FieldValue) *label.Value { return &f.Value }).
			Says("What the field holds: text, a number, true or false, or a list of texts.")),
		nothing[stock.FieldValue]("smartFieldMeta").Says("Always null: fields are not computed here."))...)
)

var fileInfo = wire.ObjectOf[stock.FileInfo]("FileInput")

// fileFields are a file of an article; its record stands under a name of its own.
func fileFields(record string) []wire.Field[stock.FilePatch] {
	return []wire.Field[stock.FilePatch]{
		wire.Optional("fileId", wire.UUID, func(f *stock.FilePatch) **base.ID { return &f.ID }).
			Says("The id of a file that the article has: it stays, with the record given, if any.").Shows("null"),
		wire.Optional(record, fileInfo, func(f *stock.FilePatch) **stock.FileInfo {
			return &f.Info
		}).Says("The file's record, needed for a new file."),
	}
}

// detailFields are an article's details, in one that is made or changed.
func detailFields[In any](at func(*In) *stock.DetailsPatch) []wire.Field[In] {
	return slices.Concat([]wire.Field[In]{
		wire.Merged("itemCosts", wire.Integer[int64](-wire.MaxSafeInteger, wire.MaxSafeInteger), true,
			func(in *In) *base.Opt[int64] { return &at(in).ItemCosts }).
			Says("What the article has cost beside its price, in minor units of the account's currency."),
	}, wire.With(
		wire.ChangedBy(func(in *In) *base.Changes[stock.ArticlePlace] { return &at(in).Place }), "taxonomyCategoryId",
		wire.Merged("taxonomyCategory", wire.ObjectOf[stock.TaxonomyCategory]("TaxonomyCategoryInput"), true,
			func(in *In) *base.Opt[stock.TaxonomyCategory] { return &at(in).Category }).
			Says("Stored as given.")), []wire.Field[In]{
		wire.Merged("fulfillmentFields", wire.ListOf(wire.Object(fieldShape), 0, 100), true,
			func(in *In) *base.Opt[[]stock.FieldValue] { return &at(in).Fulfillment }).
			Says("Stored as given; the list replaces what is there."),
		wire.Merged("media", wire.ListOf(wire.Object(wire.ShapeOf("MediaInput", fileFields("media")...)), 0, 100), true,
			func(in *In) *base.Opt[[]stock.FilePatch] { return &at(in).Media }).
			Says("The article's pictures as a whole, in their order."),
		wire.Merged("documents", wire.ListOf(wire.Object(wire.ShapeOf("DocumentInput", append(fileFields("document"),
			wire.Merged("comment", longText, true, func(f *stock.FilePatch) *base.Opt[string] { return &f.Comment }).
				Says("A note on the document. Null clears it."))...)), 0, 100), true,
			func(in *In) *base.Opt[[]stock.FilePatch] {
				return &at(in).Documents
			}).Says("The article's documents as a whole, in their order."),
	})
}

// details are an article's, empty where it has none.
func details(r *stock.Article) *stock.ArticleDetails {
	if r.Details == nil {
		return &noDetails
	}
	return r.Details
}

var noDetails stock.ArticleDetails

// articlePlace writes where an article stands among others.
func (w *scribe) articlePlace(r *stock.Article, sku *stock.SKU) {
	d := details(r)
	wire.WriteFields(&w.Writer, &d.ArticlePlace)
	wire.Nullable(&w.Writer, "taxonomyCategory", "TaxonomyCategory", d.Category,
		"Its category in a taxonomy that is kept elsewhere.",
		wire.Fields[stock.TaxonomyCategory](&w.Writer))
	wire.Nullable(&w.Writer, "aggregateData", "AggregateData", sku,
		"Figures over all articles of its SKU; null without one.", func(sku *stock.SKU) {
			sum := sku.Aggregate()
			w.Count("totalCount", sum.Count, "How many articles the SKU has.")
			w.Instant("lastCreated", sum.LastCreated, "When the youngest of them was made.")
			w.Instant("lastUpdated", sum.LastUpdated, "When one of them was last changed.")
		})
}

// articleFiles writes an article's media and documents.
func (w *scribe) articleFiles(r *stock.Article) {
	d := details(r)
	i := 0
	wire.List(&w.Writer, "media", "Media", d.Media, "Its pictures, in their order.", func(f *stock.File) {
		w.ID("fileId", f.ID, "The id of the file.")
		w.ID("articleId", r.ID, "The article that shows the file.")
		w.Count("orderIndex", i, "Place among the article's media, from 0.")
		w.file("media", f)
		i++
	})
	i = 0
	wire.List(&w.Writer, "documents", "ArticleDocument", d.Documents, "Its documents, in their order.",
		func(f *stock.File) {
			w.ID("fileId", f.ID, "The id of the file.")
			w.ID("articleId", r.ID, "The article that has the document.")
			w.Count("orderIndex", i, "Place among the article's documents, from 0.")
			w.file("document", f)
			w.TextOrNull("comment", f.Comment, "A note on the document.")
			w.Before("comment", "document")
			i++
		})
}

// file writes the record of a file under a name of its own.
func (w *scribe) file(name string, f *stock.File) {
	w.Object(name, "File", "The file itself.", func() {
		w.ID("id", f.ID, "The record's id.")
		w.tenant()
		wire.WriteFields(&w.Writer, &f.FileInfo)
		w.Created(f.ID)
		w.Updated(f.UpdatedAt)
		w.Null("deletedAt", "Always null: what is deleted is not shown.")
		w.Null("updatedById", "Always null: users are kept elsewhere.")
		w.Null("createdById", "Always null: users are kept elsewhere.")
	})
}

// fulfillmentFields writes an article's fulfillment fields.
func (w *scribe) fulfillmentFields(r *stock.Article) {
	list := details(r).Fulfillment
	wire.List(&w.Writer, "fulfillmentFields", "FulfillmentFieldValue", list, "Fields for those who hand it out.",
		func(f *stock.FieldValue) {
			wire.WriteFields(&w.Writer, f, wire.Behind("key", func() {
				w.Key("value", valueSchema, "What the field holds.")
				w.Out = appendValue(w.Out, f.Value)
			}))
			w.Null("smartFieldMeta", "Always null: fields are not computed here.")
		})
}
