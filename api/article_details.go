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

var (
	categorySchema = recordSchema("TaxonomyCategory",
		has("id", textSchema.says("The category's id in its taxonomy.")),
		has("name", textSchema.orNull().says("The category's name.")),
		has("fullName", textSchema.orNull().says("The names from the root of the taxonomy down to the category.")),
		has("level", integerSchema.orNull().says("How many levels the category is below the root.")),
		has("parentId", textSchema.orNull().says("The id of the category above.")),
		has("isLeaf", booleanSchema.orNull().says("Whether no category is below.")))
	aggregateSchema = recordSchema("AggregateData",
		has("totalCount", integerSchema.says("How many articles the SKU has.")),
		has("lastCreated", instantSchema.says("When the youngest of them was made.")),
		has("lastUpdated", instantSchema.says("When one of them was last changed.")))
	fieldSchema = recordSchema("FulfillmentFieldValue",
		has("id", textSchema.orNull().says("The field's id where it was made.")),
		has("name", textSchema.orNull().says("What people call the field.")),
		has("key", textSchema.says("The key under which programs find the field.")),
		has("value", valueSchema.says("What the field holds.")),
		has("format", attributeFormatSchema.orNull().says("How the value is meant.")),
		has("groupId", textSchema.orNull().says("The id of the group that the field is shown in.")),
		has("groupName", textSchema.orNull().says("What the group is called.")),
		has("systemGroup", enumSchema("sustainability", "system").orNull().says("The built-in group that the field belongs to, if any.")),
		has("origin", enumSchema("article", "sku", "customer", "catalog").orNull().says("Whose field it is.")),
		has("smartFieldMeta", nullSchema.says("Always null: fields are not computed here.")))
	fileSchema = recordSchema("File",
		has("id", idSchema.says("The record's id.")),
		has("tenantId", accountIDSchema),
		has("fileUrl", (&Schema{Type: "string", Format: "uri"}).says("Where the file can be fetched; files are kept elsewhere.")),
		has("mimeType", textSchema.orNull().says("The media type of the file, such as image/jpeg.")),
		has("originalName", textSchema.orNull().says("The file's name where it came from.")),
		has("folderPath", textSchema.orNull().says("The folder that the file is shown in.")),
		has("size", integerSchema.orNull().says("Size of the file in bytes.")),
		has("createdAt", createdSchema),
		has("updatedAt", updatedSchema),
		has("deletedAt", nullSchema.says("Always null: what is deleted is not shown.")),
		has("updatedById", nullSchema.says("Always null: users are kept elsewhere.")),
		has("createdById", nullSchema.says("Always null: users are kept elsewhere.")))
	mediaSchema = recordSchema("Media",
		has("fileId", idSchema.says("The id of the file.")),
		has("articleId", idSchema.says("The article that shows the file.")),
		has("orderIndex", integerSchema.says("Place among the article's media, from 0.")),
		has("media", fileSchema.says("The file itself.")))
	docSchema = recordSchema("ArticleDocument",
		has("fileId", idSchema.says("The id of the file.")),
		has("articleId", idSchema.says("The article that has the document.")),
		has("orderIndex", integerSchema.says("Place among the article's documents, from 0.")),
		has("comment", textSchema.orNull().says("A note on the document.")), has("document", fileSchema.says("The file itself.")))
)

// details are an article's, empty where it has none.
func details(r *engine.Article) *engine.ArticleDetails {
	if r.Details == nil {
		return &noDetails
	}
	return r.Details
}

var noDetails engine.ArticleDetails

// appendPlace appends where an article stands among others.
func appendPlace(b []byte, r *engine.Article, sku *engine.SKU) []byte {
	d := details(r)
	b = appendTextOrNull(append(b, `,"taxonomyCategoryId":`...), d.CategoryID)
	b = appendTextOrNull(append(b, `,"parentId":`...), d.ParentID)
	b = appendTextOrNull(append(b, `,"path":`...), d.Path)
	b = append(b, `,"taxonomyCategory":`...)
	if x := d.Category; x == nil {
		b = append(b, "null"...)
	} else {
		b = appendText(append(b, `{"id":`...), x.ID)
		b = appendTextOrNull(append(b, `,"name":`...), x.Name)
		b = appendTextOrNull(append(b, `,"fullName":`...), x.FullName)
		b = appendIntOrNull(append(b, `,"level":`...), x.Level)
		b = appendTextOrNull(append(b, `,"parentId":`...), x.ParentID)
		b = append(b, `,"isLeaf":`...)
		if x.IsLeaf == nil {
			b = append(b, "null"...)
		} else {
			b = appendBool(b, *x.IsLeaf)
		}
		b = append(b, '}')
	}
	if sku == nil {
		return append(b, `,"aggregateData":null`...)
	}
	sum := sku.Aggregate()
	b = appendInt(append(b, `,"aggregateData":{"totalCount":`...), sum.Count)
	b = appendInstant(append(b, `,"lastCreated":`...), sum.LastCreated)
	return append(appendInstant(append(b, `,"lastUpdated":`...), sum.LastUpdated), '}')
}

// appendFiles appends an article's media and documents.
func (q *request) appendFiles(b []byte, r *engine.Article) []byte {
	d := details(r)
	b = append(b, `,"media":[`...)
	for i := range d.Media {
		b = append(q.appendFile(b, r, i, &d.Media[i], "media"), '}')
	}
	b = append(b, `],"documents":[`...)
	for i := range d.Documents {
		b = q.appendFile(b, r, i, &d.Documents[i], "document")
		b = append(appendTextOrNull(append(b, `,"comment":`...), d.Documents[i].Comment), '}')
	}
	return append(b, ']')
}

// appendFile appends a file in its place, without the closing brace; its record stands under a name of its own.
func (q *request) appendFile(b []byte, r *engine.Article, i int, f *engine.File, record string) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	b = appendID(append(b, `{"fileId":`...), f.ID)
	b = appendID(append(b, `,"articleId":`...), r.ID)
	b = appendInt(append(b, `,"orderIndex":`...), i)
	b = appendID(append(key(b, record), `{"id":`...), f.ID)
	b = appendID(append(b, `,"tenantId":`...), q.view.Account().ID)
	b = appendText(append(b, `,"fileUrl":`...), f.URL)
	b = appendTextOrNull(append(b, `,"mimeType":`...), f.MimeType)
	b = appendTextOrNull(append(b, `,"originalName":`...), f.OriginalName)
	b = appendTextOrNull(append(b, `,"folderPath":`...), f.FolderPath)
	b = appendIntOrNull(append(b, `,"size":`...), f.Size)
	b = appendInstant(append(b, `,"createdAt":`...), engine.CreatedAt(f.ID))
	b = appendInstant(append(b, `,"updatedAt":`...), f.UpdatedAt)
	return append(b, `,"deletedAt":null,"updatedById":null,"createdById":null}`...)
}

// appendFulfillment appends an article's fulfillment fields.
func appendFulfillment(b []byte, r *engine.Article) []byte {
	return appendList(append(b, `,"fulfillmentFields":`...), details(r).Fulfillment, func(b []byte, f engine.FieldValue) []byte {
		b = appendTextOrNull(append(b, `{"id":`...), f.ID)
		b = appendTextOrNull(append(b, `,"name":`...), f.Name)
		b = appendText(append(b, `,"key":`...), f.Key)
		b = appendValue(append(b, `,"value":`...), f.Value)
		b = appendTextOrNull(append(b, `,"format":`...), (*string)(f.Format))
		b = appendTextOrNull(append(b, `,"groupId":`...), f.GroupID)
		b = appendTextOrNull(append(b, `,"groupName":`...), f.GroupName)
		b = appendTextOrNull(append(b, `,"systemGroup":`...), f.SystemGroup)
		b = appendTextOrNull(append(b, `,"origin":`...), f.Origin)
		return append(b, `,"smartFieldMeta":null}`...)
	})
}
