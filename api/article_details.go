package api

import "holdfast/engine"

// This file owns what an article's record says beside its stock: costs, its place in the merchant's own order of things, and
// the records of files that show or describe it.

var size = integer[int64](0, maxSafeInteger)

var categoryShape = shapeOf("TaxonomyCategoryInput",
	required("id", text(1, 255), func(x *engine.TaxonomyCategory) *string { return &x.ID }).says("The category's id in its taxonomy."),
	optional("name", text(0, 255), func(x *engine.TaxonomyCategory) **string { return &x.Name }).says("The category's name."),
	optional("fullName", text(0, 2048), func(x *engine.TaxonomyCategory) **string { return &x.FullName }).
		says("The names from the root of the taxonomy down to the category."),
	optional("level", size, func(x *engine.TaxonomyCategory) **int64 { return &x.Level }).says("How many levels the category is below the root."),
	optional("parentId", text(0, 255), func(x *engine.TaxonomyCategory) **string { return &x.ParentID }).says("The id of the category above."),
	optional("isLeaf", boolean, func(x *engine.TaxonomyCategory) **bool { return &x.IsLeaf }).says("Whether no category is below."))

// anyValue is a value of any attribute format, in a body.
var anyValue = kind[engine.Value]{schema: valueSchema, json: readValue, query: func(*args, string, *engine.Value) bool { return false }}

// nothing is a member that can only be null: it stands in records that are given back as they were read.
func nothing[T any](name string) field[T] {
	return field[T]{
		name: name, schema: nullSchema,
		json: func(r *jsonReader, _ *T) {
			if !r.null() {
				r.wrongType("null")
			}
		},
		query: func(*args, string, *T) bool { return false },
	}
}

var (
	systemGroups = enum("sustainability", "system")
	origins      = enum("article", "sku", "customer", "catalog")
	fieldShape   = shapeOf("FulfillmentField",
		optional("id", text(0, 255), func(f *engine.FieldValue) **string { return &f.ID }).says("The field's id where it was made."),
		optional("name", text(0, 255), func(f *engine.FieldValue) **string { return &f.Name }).says("What people call the field."),
		required("key", text(1, 255), func(f *engine.FieldValue) *string { return &f.Key }).says("The key under which programs find the field."),
		defaulted("value", anyValue, engine.Value{}, func(f *engine.FieldValue) *engine.Value { return &f.Value }).
			says("What the field holds: text, a number, true or false, or a list of texts."),
		optional("format", enum(attributeFormats...), func(f *engine.FieldValue) **engine.AttributeFormat { return &f.Format }).
			says("How the value is meant."),
		optional("groupId", text(0, 255), func(f *engine.FieldValue) **string { return &f.GroupID }).says("The id of the group that the field is shown in."),
		optional("groupName", text(0, 255), func(f *engine.FieldValue) **string { return &f.GroupName }).says("What the group is called."),
		optional("systemGroup", systemGroups, func(f *engine.FieldValue) **string { return &f.SystemGroup }).
			says("The built-in group that the field belongs to, if any."),
		optional("origin", origins, func(f *engine.FieldValue) **string { return &f.Origin }).says("Whose field it is."),
		nothing[engine.FieldValue]("smartFieldMeta").says("Always null: fields are not computed here."))
)

var fileInfo = object(shapeOf("FileInput",
	required("fileUrl", link, func(x *engine.FileInfo) *string { return &x.URL }).says("Absolute, http or https. The file itself lies elsewhere."),
	optional("mimeType", text(1, 255), func(x *engine.FileInfo) **string { return &x.MimeType }).says("The media type of the file, such as image/jpeg."),
	optional("originalName", text(1, 255), func(x *engine.FileInfo) **string { return &x.OriginalName }).says("The file's name where it came from."),
	optional("folderPath", text(0, 2048), func(x *engine.FileInfo) **string { return &x.FolderPath }).says("The folder that the file is shown in."),
	optional("size", size, func(x *engine.FileInfo) **int64 { return &x.Size }).says("Size of the file in bytes.")))

// fileFields are a file of an article; its record stands under a name of its own.
func fileFields(record string) []field[engine.FilePatch] {
	return []field[engine.FilePatch]{
		optional("fileId", uuid, func(f *engine.FilePatch) **engine.ID { return &f.ID }).
			says("The id of a file that the article has: it stays, with the record given, if any.").shows("null"),
		optional(record, fileInfo, func(f *engine.FilePatch) **engine.FileInfo { return &f.Info }).says("The file's record, needed for a new file."),
	}
}

// detailFields are an article's details, in one that is made or changed.
func detailFields[In any](at func(*In) *engine.DetailsPatch) []field[In] {
	return []field[In]{
		merged("itemCosts", money, true, func(in *In) *engine.Opt[int64] { return &at(in).ItemCosts }).
			says("What the article has cost beside its price, in minor units of the account's currency."),
		merged("taxonomyCategoryId", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).CategoryID }).
			says("The id of the category in a taxonomy that is kept elsewhere. Null clears it."),
		merged("taxonomyCategory", object(categoryShape), true, func(in *In) *engine.Opt[engine.TaxonomyCategory] { return &at(in).Category }).
			says("Stored as given."),
		merged("parentId", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).ParentID }).says("Stored as given."),
		merged("path", text(1, 2048), true, func(in *In) *engine.Opt[string] { return &at(in).Path }).says("Stored as given."),
		merged("fulfillmentFields", list(object(fieldShape), 0, 100), true, func(in *In) *engine.Opt[[]engine.FieldValue] { return &at(in).Fulfillment }).
			says("Stored as given; the list replaces what is there."),
		merged("media", list(object(shapeOf("MediaInput", fileFields("media")...)), 0, 100), true, func(in *In) *engine.Opt[[]engine.FilePatch] { return &at(in).Media }).
			says("The article's pictures as a whole, in their order."),
		merged("documents", list(object(shapeOf("DocumentInput", append(fileFields("document"),
			merged("comment", longText, true, func(f *engine.FilePatch) *engine.Opt[string] { return &f.Comment }).
				says("A note on the document. Null clears it."))...)), 0, 100), true,
			func(in *In) *engine.Opt[[]engine.FilePatch] { return &at(in).Documents }).says("The article's documents as a whole, in their order."),
	}
}

// details are an article's, empty where it has none.
func details(r *engine.Article) *engine.ArticleDetails {
	if r.Details == nil {
		return &noDetails
	}
	return r.Details
}

var noDetails engine.ArticleDetails

// articlePlace writes where an article stands among others.
func (w *scribe) articlePlace(r *engine.Article, sku *engine.SKU) {
	d := details(r)
	w.TextOrNull("taxonomyCategoryId", d.CategoryID, "The id of the category in a taxonomy that is kept elsewhere.")
	w.TextOrNull("parentId", d.ParentID, "The id of the article that it is a part of, as it was given.")
	w.TextOrNull("path", d.Path, "The path of its category, as it was given.")
	Nullable(&w.Writer, "taxonomyCategory", "TaxonomyCategory", d.Category, "Its category in a taxonomy that is kept elsewhere.",
		func(x *engine.TaxonomyCategory) {
			w.Text("id", x.ID, "The category's id in its taxonomy.")
			w.TextOrNull("name", x.Name, "The category's name.")
			w.TextOrNull("fullName", x.FullName, "The names from the root of the taxonomy down to the category.")
			w.IntOrNull("level", x.Level, "How many levels the category is below the root.")
			w.TextOrNull("parentId", x.ParentID, "The id of the category above.")
			w.BoolOrNull("isLeaf", x.IsLeaf, "Whether no category is below.")
		})
	Nullable(&w.Writer, "aggregateData", "AggregateData", sku, "Figures over all articles of its SKU; null without one.", func(sku *engine.SKU) {
		sum := sku.Aggregate()
		w.Count("totalCount", sum.Count, "How many articles the SKU has.")
		w.Instant("lastCreated", sum.LastCreated, "When the youngest of them was made.")
		w.Instant("lastUpdated", sum.LastUpdated, "When one of them was last changed.")
	})
}

// articleFiles writes an article's media and documents.
func (w *scribe) articleFiles(r *engine.Article) {
	d := details(r)
	i := 0
	List(&w.Writer, "media", "Media", d.Media, "Its pictures, in their order.", func(f *engine.File) {
		w.ID("fileId", f.ID, "The id of the file.")
		w.ID("articleId", r.ID, "The article that shows the file.")
		w.Count("orderIndex", i, "Place among the article's media, from 0.")
		w.file("media", f)
		i++
	})
	i = 0
	List(&w.Writer, "documents", "ArticleDocument", d.Documents, "Its documents, in their order.", func(f *engine.File) {
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
func (w *scribe) file(name string, f *engine.File) {
	w.Object(name, "File", "The file itself.", func() {
		w.ID("id", f.ID, "The record's id.")
		w.tenant()
		w.As(uriSchema, "fileUrl", f.URL, "Where the file can be fetched; files are kept elsewhere.")
		w.TextOrNull("mimeType", f.MimeType, "The media type of the file, such as image/jpeg.")
		w.TextOrNull("originalName", f.OriginalName, "The file's name where it came from.")
		w.TextOrNull("folderPath", f.FolderPath, "The folder that the file is shown in.")
		w.IntOrNull("size", f.Size, "Size of the file in bytes.")
		w.Created(f.ID)
		w.Updated(f.UpdatedAt)
		w.Null("deletedAt", "Always null: what is deleted is not shown.")
		w.Null("updatedById", "Always null: users are kept elsewhere.")
		w.Null("createdById", "Always null: users are kept elsewhere.")
	})
}

// fulfillmentFields writes an article's fulfillment fields.
func (w *scribe) fulfillmentFields(r *engine.Article) {
	list := details(r).Fulfillment
	List(&w.Writer, "fulfillmentFields", "FulfillmentFieldValue", list, "Fields for those who hand it out.", func(f *engine.FieldValue) {
		w.TextOrNull("id", f.ID, "The field's id where it was made.")
		w.TextOrNull("name", f.Name, "What people call the field.")
		w.Text("key", f.Key, "The key under which programs find the field.")
		w.Key("value", valueSchema, "What the field holds.")
		w.Out = appendValue(w.Out, f.Value)
		w.AsOrNull(formatSchema, "format", (*string)(f.Format), "How the value is meant.")
		w.TextOrNull("groupId", f.GroupID, "The id of the group that the field is shown in.")
		w.TextOrNull("groupName", f.GroupName, "What the group is called.")
		w.AsOrNull(systemGroups.schema, "systemGroup", f.SystemGroup, "The built-in group that the field belongs to, if any.")
		w.AsOrNull(origins.schema, "origin", f.Origin, "Whose field it is.")
		w.Null("smartFieldMeta", "Always null: fields are not computed here.")
	})
}
