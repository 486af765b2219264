package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

// This file owns SKUs on the wire.

type createSKU struct {
	stock.CreateSKU
	before, after bufferInput
}

func (o *createSKU) command(q *request) stock.CreateSKU {
	o.Before, o.After = q.buffer("Before", o.before), q.buffer("After", o.after)
	return o.CreateSKU
}

var createSKUShape = wire.ShapeOf("CreateSKU", slices.Concat(
	wire.MadeOf(func(o *createSKU) *stock.SKUFields { return &o.SKUFields }),
	labelFields(func(o *createSKU) *label.LabelsPatch { return &o.Labels }),
	bufferFields("Before", func(o *createSKU) *bufferInput { return &o.before }),
	bufferFields("After", func(o *createSKU) *bufferInput { return &o.after }))...)

var patchSKUShape = wire.ShapeOf("PatchSKU", slices.Concat(
	wire.ChangedBy(func(o *stock.PatchSKU) *base.Changes[stock.SKUFields] { return &o.Fields }),
	labelFields(func(o *stock.PatchSKU) *label.LabelsPatch { return &o.Labels }),
	bufferPatchFields("Before", func(o *stock.PatchSKU) *stock.BufferPatch { return &o.Before }),
	bufferPatchFields("After", func(o *stock.PatchSKU) *stock.BufferPatch { return &o.After }))...)

var skuSchema = describe("SKU", (*scribe).writeSKU)

func (w *scribe) writeSKU(s *stock.SKU) {
	w.ID("id", s.ID, "The SKU's id.")
	wire.WriteFields(&w.Writer, &s.SKUFields)
	w.labels(&s.Labels, "sku")
	w.buffers(s.Before, s.After)
	w.Created(s.ID)
	w.Updated(s.UpdatedAt)
}

// articleSKU writes a SKU as it stands in an article.
func (w *scribe) articleSKU(s *stock.SKU) {
	w.ID("id", s.ID, "The SKU's id.")
	w.Text("name", s.Name, "What the SKU is called.")
	w.TextOrNull("code", s.Code, "The code that people read; null without one.")
	w.tags(&s.Labels, "The tags linked to the SKU.")
	w.buffers(s.Before, s.After)
}

var answerSKU = answersLabelled((*scribe).writeSKU)

var skuOperations = append([]operation{
	found(operation{
		id: "admin.skus.list", method: "GET", path: "/v1/admin/skus", scopes: []string{"inventory.skus.read"},
		summary: "Lists SKUs in order of creation.", answer: pagedSchema(skuSchema),
	}, foundQuery("the SKU", "the name or the code", "code"), stock.SKUDirectory, (*scribe).writeSKU),
	write(operation{
		id: "admin.skus.create", method: "POST", path: "/v1/admin/skus", scopes: []string{"inventory.skus.write"},
		summary: "Creates a SKU; its articles take its buffers where they have none of their own.", answer: skuSchema,
	}, input[createSKU]{body: createSKUShape}, func(q *request, o *createSKU) base.OpOf[*stock.SKU] {
		return o.command(q)
	}, behind(answerSKU)),
	readOne(operation{
		id: "admin.skus.get", method: "GET", path: "/v1/admin/skus/{id}", scopes: []string{"inventory.skus.read"},
		cached:  true,
		summary: "Returns a SKU.", answer: skuSchema,
	}, byUUID(itself), "SKU", stock.SKUByID, answerSKU),
	write(operation{
		id: "admin.skus.update", method: "PATCH", path: "/v1/admin/skus/{id}", scopes: []string{"inventory.skus.write"},
		summary: "Changes a SKU; changed buffers are for holds made from then on; no hold moves.", answer: skuSchema,
	}, input[stock.PatchSKU]{path: byUUID(func(o *stock.PatchSKU) *base.ID { return &o.ID }), body: patchSKUShape},
		asIs, behind(answerSKU)),
	deletion[stock.SKU](operation{
		id: "admin.skus.delete", path: "/v1/admin/skus/{id}", scopes: []string{"inventory.skus.write"},
		summary: "Deletes a SKU without articles that no catalog item, no unclosed order and no current or future " +
			"hold uses.",
	}, byUUID),
}, tagged[*stock.SKU]{
	of: stock.SKULabels, about: "a SKU", area: "skus", path: "/v1/admin/skus", id: wire.UUID,
	scopes: []string{"inventory.skus.write"},
	answer: skuSchema, render: behind(answerSKU),
}.linkOperations()...)
