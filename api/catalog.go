package api

import (
	"slices"

	"holdfast/engine"
)

// This file owns catalog items on the wire.

var (
	catalogRead  = []string{"catalog.listings.read"}
	catalogWrite = []string{"catalog.listings.write"}

	catalogStatus = enum(engine.CatalogActive, engine.CatalogInactive, engine.CatalogDraft)
)

var componentList = list(object(shapeOf("CatalogComponentInput", slices.Concat(
	stockFields(func(c *engine.Component) *engine.Item { return &c.Item }),
	[]field[engine.Component]{
		defaulted("quantity", count, 1, func(c *engine.Component) *int { return &c.Quantity }).says("Units that one of the catalog item takes."),
	})...)), 0, 100)

var purchaseTypes = list(purchaseType, 1, 3)

var variantList = list(object(shapeOf("CatalogVariantInput",
	defaulted("id", itemID, engine.ID{}, func(v *engine.Variant) *engine.ID { return &v.ID }).says("The id of a variant that is there; a new one has none."),
	required("label", text(1, 255), func(v *engine.Variant) *string { return &v.Label }).says("What can be chosen, such as size."),
	required("values", list(object(shapeOf("CatalogVariantValueInput",
		defaulted("id", itemID, engine.ID{}, func(v *engine.VariantValue) *engine.ID { return &v.ID }).
			says("The id of a choice that is there; a new one has none."),
		required("label", text(1, 255), func(v *engine.VariantValue) *string { return &v.Label }).says("What people call the choice."),
	)), 1, 100), func(v *engine.Variant) *[]engine.VariantValue { return &v.Values }).says("The choices, in their order."),
)), 0, 20)

var createCatalogShape = shapeOf("CreateCatalogItem", append([]field[engine.CreateCatalogItem]{
	required("name", text(1, 255), func(o *engine.CreateCatalogItem) *string { return &o.Name }).says("What customers call it."),
	optional("internalName", text(1, 255), func(o *engine.CreateCatalogItem) **string { return &o.InternalName }).
		says("What the merchant calls it. Default: the name."),
	defaulted("status", catalogStatus, engine.CatalogActive, func(o *engine.CreateCatalogItem) *engine.CatalogStatus { return &o.Status }).
		says("Whether it is offered: only an active one takes holds. Default: active."),
	optional("taxonomyCategoryId", text(1, 255), func(o *engine.CreateCatalogItem) **string { return &o.Category }).
		says("The id of the category in a taxonomy that is kept elsewhere."),
	optional("description", text(0, 10_000), func(o *engine.CreateCatalogItem) **string { return &o.Description }).says("What is told of it to customers."),
	defaulted("components", componentList, nil, func(o *engine.CreateCatalogItem) *[]engine.Component { return &o.Components }).
		says("What one of it takes, all or nothing: one component is the usual case, several are a kit."),
	defaulted("purchaseTypes", purchaseTypes, nil, func(o *engine.CreateCatalogItem) *[]engine.PurchaseType { return &o.Purchases }).
		says("The ways in which it can be taken. Default: all."),
	optional("pricingTableId", uuid, func(o *engine.CreateCatalogItem) **engine.ID { return &o.PricingTable }).
		says("The pricing table whose rows are its prices.").needs("catalog.price_tables.write"),
	defaulted("variants", variantList, nil, func(o *engine.CreateCatalogItem) *[]engine.Variant { return &o.Variants }).
		says("What customers can choose. Default: nothing."),
}, labelFields(func(o *engine.CreateCatalogItem) *engine.LabelsPatch { return &o.Labels })...)...)

var patchCatalogShape = shapeOf("PatchCatalogItem", append([]field[engine.PatchCatalogItem]{
	merged("name", text(1, 255), false, func(o *engine.PatchCatalogItem) *engine.Opt[string] { return &o.Name }).says("What customers call it."),
	merged("internalName", text(1, 255), true, func(o *engine.PatchCatalogItem) *engine.Opt[string] { return &o.InternalName }).
		says("What the merchant calls it; without one it is the name. Null clears it."),
	merged("status", catalogStatus, false, func(o *engine.PatchCatalogItem) *engine.Opt[engine.CatalogStatus] { return &o.Status }).
		says("Whether it is offered: only an active one takes holds."),
	merged("taxonomyCategoryId", text(1, 255), true, func(o *engine.PatchCatalogItem) *engine.Opt[string] { return &o.Category }).
		says("The id of the category in a taxonomy that is kept elsewhere. Null clears it."),
	merged("description", text(0, 10_000), true, func(o *engine.PatchCatalogItem) *engine.Opt[string] { return &o.Description }).
		says("What is told of it to customers. Null clears it."),
	merged("components", componentList, true, func(o *engine.PatchCatalogItem) *engine.Opt[[]engine.Component] { return &o.Components }).
		says("What each unit of it takes, replaced as a whole."),
	merged("purchaseTypes", purchaseTypes, true, func(o *engine.PatchCatalogItem) *engine.Opt[[]engine.PurchaseType] { return &o.Purchases }).
		says("The ways in which it can be taken; null: all."),
	merged("pricingTableId", uuid, true, func(o *engine.PatchCatalogItem) *engine.Opt[engine.ID] { return &o.PricingTable }).
		says("The pricing table whose rows are its prices. Null clears it.").needs("catalog.price_tables.write"),
	merged("variants", variantList, true, func(o *engine.PatchCatalogItem) *engine.Opt[[]engine.Variant] { return &o.Variants }).
		says("What customers can choose, replaced as a whole."),
}, labelFields(func(o *engine.PatchCatalogItem) *engine.LabelsPatch { return &o.Labels })...)...)

// The members of the list come first in the record, too, and are the only ones of a row of the list.
var (
	catalogRowMembers = []Member{
		has("id", idSchema.says("The catalog item's id.")),
		has("name", textSchema.says("What customers call it.")),
		has("internalName", textSchema.says("What the merchant calls it; without one it is the name.")),
		has("status", catalogStatus.schema.says("Whether it is offered: only an active one takes holds.")),
		has("taxonomyCategoryId", textSchema.orNull().says("The id of the category in a taxonomy that is kept elsewhere.")),
		has("createdAt", createdSchema),
	}
	catalogRowSchema = recordSchema("CatalogItemRow", catalogRowMembers...)
	catalogSchema    = recordSchema("CatalogItem", slices.Concat(catalogRowMembers, []Member{
		has("description", textSchema.orNull().says("What is told of it to customers.")),
		has("components", listSchema(recordSchema("CatalogComponent",
			has("skuId", idSchema.orNull().says("The SKU; null where it is an article.")),
			has("articleId", idSchema.orNull().says("The article; null where it is a SKU.")),
			has("quantity", integerSchema.says("How many units of it.")))).says("What each unit of it takes, all or nothing.")),
		has("purchaseTypes", listSchema(purchaseType.schema).says("The ways in which it can be taken.")),
		has("pricingTableId", idSchema.orNull().says("The pricing table whose rows are its prices.")),
		has("variants", listSchema(recordSchema("CatalogVariant",
			has("id", idSchema.says("The variant's id.")),
			has("label", textSchema.says("What can be chosen, such as size.")),
			has("values", listSchema(recordSchema("CatalogVariantValue",
				has("id", idSchema.says("The choice's id.")),
				has("label", textSchema.says("What people call the choice.")))).says("The choices, in their order.")))).says("What customers can choose.")),
	}, labelMembers, []Member{
		has("archivedAt", instantSchema.orNull().says("When it was archived; null while it is not.")),
		has("updatedAt", updatedSchema)})...)
)

// appendCatalogMembers appends the members of a row of the list, with the opening brace.
func appendCatalogMembers(b []byte, i *engine.CatalogItem) []byte {
	b = appendID(append(b, `{"id":`...), i.ID)
	b = appendText(append(b, `,"name":`...), i.Name)
	b = appendText(append(b, `,"internalName":`...), i.Shown())
	b = appendText(append(b, `,"status":`...), string(i.Status))
	b = appendTextOrNull(append(b, `,"taxonomyCategoryId":`...), i.Category)
	return appendInstant(append(b, `,"createdAt":`...), engine.CreatedAt(i.ID))
}

func appendCatalogRow(_ *request, b []byte, i *engine.CatalogItem) []byte {
	return append(appendCatalogMembers(b, i), '}')
}

func appendCatalogItem(q *request, b []byte, i *engine.CatalogItem) []byte {
	b = appendTextOrNull(append(appendCatalogMembers(b, i), `,"description":`...), i.Description)
	b = appendList(append(b, `,"components":`...), i.Components, func(b []byte, c engine.Component) []byte {
		b = appendGivenID(append(b, `{"skuId":`...), c.SKU)
		b = appendGivenID(append(b, `,"articleId":`...), c.Article)
		return append(appendInt(append(b, `,"quantity":`...), c.Quantity), '}')
	})
	b = appendList(append(b, `,"purchaseTypes":`...), i.Purchases, func(b []byte, p engine.PurchaseType) []byte { return appendText(b, string(p)) })
	b = appendIDOrNull(append(b, `,"pricingTableId":`...), i.PricingTable)
	b = appendList(append(b, `,"variants":`...), i.Variants, func(b []byte, v engine.Variant) []byte {
		b = appendText(append(appendID(append(b, `{"id":`...), v.ID), `,"label":`...), v.Label)
		b = appendList(append(b, `,"values":`...), v.Values, func(b []byte, x engine.VariantValue) []byte {
			return append(appendText(append(appendID(append(b, `{"id":`...), x.ID), `,"label":`...), x.Label), '}')
		})
		return append(b, '}')
	})
	b = q.appendTags(append(b, `,"tags":`...), &i.Labels)
	b = q.appendAttributes(append(b, `,"attributes":`...), &i.Labels, "catalog", nil, "")
	b = appendExternal(b, i.External)
	b = appendInstantOrNull(append(b, `,"archivedAt":`...), i.ArchivedAt)
	return append(appendInstant(append(b, `,"updatedAt":`...), i.UpdatedAt), '}')
}

func answerCatalogItem(q *request, i *engine.CatalogItem) error {
	if !q.sameLabelled(i.Revision, &i.Labels, i.UpdatedAt) {
		q.out = appendCatalogItem(q, q.out, i)
	}
	return nil
}

// archiveFilter is which of a list's records are asked for, by whether they are archived.
type archiveFilter string

const (
	archiveActive   archiveFilter = "active"
	archiveArchived archiveFilter = "archived"
	archiveAll      archiveFilter = "all"
)

type listCatalog struct {
	filter  engine.CatalogFilter
	archive archiveFilter
	page    page
}

var (
	listCatalogQuery = shapeOf("ListCatalog", listCatalogFields...)
	// findCatalogQuery is the query of the list at a path of our own.
	findCatalogQuery = shapeOf("FindCatalog", append(slices.Clip(listCatalogFields),
		defaulted("externalId", externalID, "", func(o *listCatalog) *string { return &o.filter.External }).
			says("Only the catalog item that has this external id."))...)
)

var listCatalogFields = slices.Concat([]field[listCatalog]{
	defaulted("archive", enum(archiveActive, archiveArchived, archiveAll), archiveActive, func(o *listCatalog) *archiveFilter { return &o.archive }).
		says("Which items by whether they are archived. Default: active."),
	defaulted("status", list(catalogStatus, 0, 3), nil, func(o *listCatalog) *[]engine.CatalogStatus { return &o.filter.Status }).
		says("Only items in one of these states. Default: all."),
	defaulted("search", text(0, 255), "", func(o *listCatalog) *string { return &o.filter.Search }).says("A part of the name or the internal name."),
}, pageFields(func(o *listCatalog) *page { return &o.page }))

var catalogPath = byUUID(func(id *engine.ID) *engine.ID { return id })

func archiveCatalog(name string, archived bool, summary string) operation {
	return write(operation{
		id: "admin.catalog." + name, method: "POST", path: "/v1/admin/catalog/{id}/" + name, scopes: catalogWrite, summary: summary, answer: catalogSchema,
	}, input[engine.ArchiveCatalogItem]{path: byUUID(func(o *engine.ArchiveCatalogItem) *engine.ID { return &o.ID })},
		func(_ *request, o *engine.ArchiveCatalogItem) engine.Op {
			o.Archived = archived
			return o
		}, behind(answerCatalogItem))
}

// listsCatalog is an operation that lists catalog items: under the path that other programs know, and beside the others.
func listsCatalog(id, path string, query *shape[listCatalog], summary string) operation {
	return read(operation{
		id: id, method: "GET", path: path, scopes: catalogRead, summary: summary, answer: pagedSchema(catalogRowSchema),
	}, input[listCatalog]{query: query}, func(q *request, o *listCatalog) error {
		o.filter.Active, o.filter.Archived = o.archive != archiveArchived, o.archive != archiveActive
		items, total := q.view.Catalog(o.filter, o.page.offset(), o.page.size)
		appendRows(q, o.page, items, total, appendCatalogRow)
		return nil
	})
}

var catalogOperations = append([]operation{
	listsCatalog("admin.catalog.listItems", "/v1/admin/catalog", findCatalogQuery, "Lists catalog items in order of creation."),
	listsCatalog("admin.catalog.list", "/internal/catalog", listCatalogQuery, "Lists catalog items in order of creation, as GET /v1/admin/catalog does."),
	write(operation{
		id: "admin.catalog.create", method: "POST", path: "/v1/admin/catalog", scopes: catalogWrite,
		summary: "Creates a catalog item.", answer: catalogSchema,
	}, input[engine.CreateCatalogItem]{body: createCatalogShape},
		func(_ *request, o *engine.CreateCatalogItem) engine.Op { return o }, behind(answerCatalogItem)),
	read(operation{
		id: "admin.catalog.get", method: "GET", path: "/v1/admin/catalog/{id}", scopes: catalogRead, cached: true,
		summary: "Returns a catalog item.", answer: catalogSchema,
	}, input[engine.ID]{path: catalogPath}, func(q *request, id *engine.ID) error {
		i := q.view.CatalogItem(*id)
		if i == nil {
			return notFound("catalog item")
		}
		return answerCatalogItem(q, i)
	}),
	write(operation{
		id: "admin.catalog.update", method: "PATCH", path: "/v1/admin/catalog/{id}", scopes: catalogWrite, guarded: true,
		summary: "Changes a catalog item; holds that were made of other components keep what they have.", answer: catalogSchema,
	}, input[engine.PatchCatalogItem]{path: byUUID(func(o *engine.PatchCatalogItem) *engine.ID { return &o.ID }), body: patchCatalogShape},
		func(q *request, o *engine.PatchCatalogItem) engine.Op {
			o.IfMatch = q.ifMatch
			return o
		}, behind(answerCatalogItem)),
	write(operation{
		id: "admin.catalog.delete", method: "DELETE", path: "/v1/admin/catalog/{id}", scopes: catalogWrite, guarded: true,
		summary: "Removes a catalog item; one that a hold names is in use.", answer: nullSchema,
	}, input[engine.DeleteCatalogItem]{path: byUUID(func(o *engine.DeleteCatalogItem) *engine.ID { return &o.ID })},
		func(q *request, o *engine.DeleteCatalogItem) engine.Op {
			o.IfMatch = q.ifMatch
			return o
		}, answerNull),
	archiveCatalog("archive", true, "Takes a catalog item out of the offer."),
	archiveCatalog("unarchive", false, "Takes an archived catalog item back into the offer."),
}, tagged[*engine.CatalogItem]{
	of: engine.CatalogLabels, about: "a catalog item", area: "catalog", path: "/v1/admin/catalog", id: uuid, scopes: catalogWrite,
	answer: catalogSchema, render: behind(answerCatalogItem),
}.linkOperations()...)
