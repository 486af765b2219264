package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
)

// This file owns catalog items on the wire.

var (
	catalogRead  = []string{"catalog.listings.read"}
	catalogWrite = []string{"catalog.listings.write"}

	catalogStatus = wire.Words[commerce.CatalogStatus]()
)

var kitParts = wire.Reads("components", wire.ListOf(wire.Object(wire.ShapeOf("CatalogComponentInput", slices.Concat(
	stockFields(func(c *commerce.Component) *base.Item { return &c.Item }),
	[]wire.Field[commerce.Component]{
		wire.Defaulted("quantity", count, 1, func(c *commerce.Component) *int { return &c.Quantity }).
			Says("Units that one of the catalog item takes."),
	})...)), 0, 100))

var createCatalogShape = wire.ShapeOf("CreateCatalogItem", slices.Concat(
	wire.MadeOf(func(o *commerce.CreateCatalogItem) *commerce.CatalogFields { return &o.CatalogFields }, kitParts),
	wire.Needing("catalog.price_tables.write", wire.MadeOf(
		func(o *commerce.CreateCatalogItem) *commerce.CatalogOffer { return &o.CatalogOffer }), "pricingTableId"),
	labelFields(func(o *commerce.CreateCatalogItem) *label.LabelsPatch { return &o.Labels }))...)

var patchCatalogShape = wire.ShapeOf("PatchCatalogItem", slices.Concat(
	wire.ChangedBy(func(o *commerce.PatchCatalogItem) *base.Changes[commerce.CatalogFields] { return &o.Fields },
		kitParts),
	wire.Needing("catalog.price_tables.write", wire.ChangedBy(
		func(o *commerce.PatchCatalogItem) *base.Changes[commerce.CatalogOffer] { return &o.Offer }), "pricingTableId"),
	labelFields(func(o *commerce.PatchCatalogItem) *label.LabelsPatch { return &o.Labels }))...)

var (
	purchaseTypeList = wire.ListSchema(purchaseType.Schema)
	catalogRowSchema = describe("CatalogItemRow", (*scribe).writeCatalogRow)
	catalogSchema    = describe("CatalogItem", (*scribe).writeCatalogItem)
)

// writeCatalogRow writes a row of the list. Its members come first in the record, too.
func (w *scribe) writeCatalogRow(i *commerce.CatalogItem) {
	w.ID("id", i.ID, "The catalog item's id.")
	w.Text("name", i.Name, "What customers call it.")
	w.Text("internalName", i.Shown(), "What the merchant calls it; without one it is the name.")
	w.As(catalogStatus.Schema, "status", string(i.Status), "Whether it is offered: only an active one takes holds.")
	w.TextOrNull("taxonomyCategoryId", i.Category, "The id of the category in a taxonomy that is kept elsewhere.")
	w.Created(i.ID)
}

func (w *scribe) writeCatalogItem(i *commerce.CatalogItem) {
	w.writeCatalogRow(i)
	w.TextOrNull("description", i.Description, "What is told of it to customers.")
	wire.List(&w.Writer, "components", "CatalogComponent", i.Components, "What each unit of it takes, all or nothing.",
		func(c *commerce.Component) {
			w.GivenID("skuId", c.SKU, "The SKU; null where it is an article.")
			w.GivenID("articleId", c.Article, "The article; null where it is a SKU.")
			w.Count("quantity", c.Quantity, "How many units of it.")
		})
	wire.WriteFields(&w.Writer, &i.CatalogOffer)
	w.labels(&i.Labels, "catalog")
	w.InstantOrNull("archivedAt", i.ArchivedAt, "When it was archived; null while it is not.")
	w.Updated(i.UpdatedAt)
}

var answerCatalogItem = answersLabelled((*scribe).writeCatalogItem)

// archiveFilter is which of a list's records are asked for, by whether they are archived.
type archiveFilter string

const (
	archiveActive   archiveFilter = "active"
	archiveArchived archiveFilter = "archived"
	archiveAll      archiveFilter = "all"
)

type listCatalog struct {
	filter  commerce.CatalogFilter
	archive archiveFilter
	page    page
}

var (
	listCatalogQuery = wire.ShapeOf("ListCatalog", listCatalogFields...)
	// findCatalogQuery is the query of the list at a path of our own.
	findCatalogQuery = wire.ShapeOf("FindCatalog", append(slices.Clip(listCatalogFields),
		wire.Defaulted("externalId", externalID, "", func(o *listCatalog) *string { return &o.filter.External }).
			Says("Only the catalog item that has this external id."))...)
)

var listCatalogFields = slices.Concat([]wire.Field[listCatalog]{
	wire.Defaulted("archive", wire.Enum(archiveActive, archiveArchived, archiveAll), archiveActive,
		func(o *listCatalog) *archiveFilter { return &o.archive }).
		Says("Filter: active, archived or all items. Default: active."),
	wire.Defaulted("status", wire.ListOf(catalogStatus, 0, 3), nil,
		func(o *listCatalog) *[]commerce.CatalogStatus { return &o.filter.Status }).
		Says("Only items in one of these states. Default: all."),
	wire.Defaulted("search", wire.Text(0, base.MaxName), "", func(o *listCatalog) *string { return &o.filter.Search }).
		Says("A part of the name or the internal name."),
}, pageFields(func(o *listCatalog) *page { return &o.page }))

var catalogPath = byUUID(itself)

func archiveCatalog(name string, archived bool, summary string) operation {
	return write(operation{
		id: "admin.catalog." + name, method: "POST", path: "/v1/admin/catalog/{id}/" + name, scopes: catalogWrite,
		summary: summary, answer: catalogSchema,
	}, input[commerce.ArchiveCatalogItem]{path: byUUID(func(o *commerce.ArchiveCatalogItem) *base.ID { return &o.ID })},
		func(_ *request, o *commerce.ArchiveCatalogItem) base.OpOf[*commerce.CatalogItem] {
			o.Archived = archived
			return o
		}, behind(answerCatalogItem))
}

// listsCatalog is an operation that lists catalog items: under the path that other programs know, and under a path next
// to those of the other resources.
func listsCatalog(id, path string, query *wire.Shape[listCatalog], summary string) operation {
	return read(operation{
		id: id, method: "GET", path: path, scopes: catalogRead, summary: summary, answer: pagedSchema(catalogRowSchema),
	}, input[listCatalog]{query: query}, func(q *request, o *listCatalog) error {
		o.filter.Active, o.filter.Archived = o.archive != archiveArchived, o.archive != archiveActive
		items, total := commerce.Catalog(q.view, o.filter, o.page.offset(), o.page.size)
		appendRows(q, o.page, items, total, (*scribe).writeCatalogRow)
		return nil
	})
}

var catalogOperations = append([]operation{
	listsCatalog("admin.catalog.listItems", "/v1/admin/catalog", findCatalogQuery,
		"Lists catalog items in order of creation."),
	listsCatalog("admin.catalog.list", "/internal/catalog", listCatalogQuery,
		"Lists catalog items in order of creation, as GET /v1/admin/catalog does."),
	write(operation{
		id: "admin.catalog.create", method: "POST", path: "/v1/admin/catalog", scopes: catalogWrite,
		summary: "Creates a catalog item.", answer: catalogSchema,
	}, input[commerce.CreateCatalogItem]{body: createCatalogShape}, asIs, behind(answerCatalogItem)),
	readOne(operation{
		id: "admin.catalog.get", method: "GET", path: "/v1/admin/catalog/{id}", scopes: catalogRead, cached: true,
		summary: "Returns a catalog item.", answer: catalogSchema,
	}, catalogPath, "catalog item", commerce.CatalogItemByID, answerCatalogItem),
	write(operation{
		id: "admin.catalog.update", method: "PATCH", path: "/v1/admin/catalog/{id}", scopes: catalogWrite,
		summary: "Changes a catalog item; holds that were made of other components keep what they have.",
		answer:  catalogSchema,
	}, input[commerce.PatchCatalogItem]{path: byUUID(func(o *commerce.PatchCatalogItem) *base.ID { return &o.ID }),
		body: patchCatalogShape}, asIs, behind(answerCatalogItem)),
	deletion[commerce.CatalogItem](operation{
		id: "admin.catalog.delete", path: "/v1/admin/catalog/{id}", scopes: catalogWrite,
		summary: "Deletes a catalog item that no unclosed order and no current or future hold names.",
	}, byUUID),
	archiveCatalog("archive", true, "Takes a catalog item out of the offer."),
	archiveCatalog("unarchive", false, "Takes an archived catalog item back into the offer."),
}, tagged[*commerce.CatalogItem]{
	of: commerce.CatalogLabels, about: "a catalog item", area: "catalog", path: "/v1/admin/catalog", id: wire.UUID,
	scopes: catalogWrite, answer: catalogSchema, render: behind(answerCatalogItem),
}.linkOperations()...)
