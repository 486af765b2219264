package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns pricing tables and their rows on the wire. external_pricing.go has the rows that lead elsewhere.

var (
	pricingRead  = []string{"catalog.price_tables.read"}
	pricingWrite = []string{"catalog.price_tables.write"}
)

// byTable is the path of what belongs to a pricing table; byTableRow that of one row of it.
func byTable[In any](table func(*In) *base.ID) *wire.Shape[In] {
	return wire.ShapeOf("PricingTablePath",
		wire.Required("pricingTableId", wire.UUID, table).Says("The id of the pricing table."))
}

func byTableRow[In any](at func(*In) (table, row *base.ID)) *wire.Shape[In] {
	return byTwo("PricingRowPath", pathID{"pricingTableId", wire.UUID, "The id of the pricing table."},
		pathID{"rowId", wire.UUID, "The row's id."}, at)
}

var createPricingTableShape = wire.ShapeOf("CreatePricingTable",
	wire.MadeOf(func(o *commerce.CreatePricingTable) *commerce.PricingTableFields { return &o.PricingTableFields })...)

var patchPricingTableShape = wire.ShapeOf("PatchPricingTable",
	wire.ChangedBy(func(
		o *commerce.PatchPricingTable) *base.Changes[commerce.PricingTableFields] {
		return &o.Fields
	})...)

// subscriptionInput is the terms of a subscription as they come in.
type subscriptionInput struct {
	commerce.SubscriptionTerms
	commitment, lead bufferInput
}

// subscriptionFields are the terms of a subscription, wherever they stand.
func subscriptionFields[In any](at func(*In) *subscriptionInput) []wire.Field[In] {
	return slices.Concat([]wire.Field[In]{
		wire.Required("paymentCycleAmount", periodAmount, func(in *In) *int64 { return &at(in).Cycle.Amount }).
			Says("How many units there are from payment to payment, ten years at most."),
		wire.Required("paymentCycleUnit", periodUnit, func(in *In) *timeline.Unit { return &at(in).Cycle.Unit }).
			Says("The unit of the time from payment to payment."),
	},
		periodFields("commitmentPeriodAmount", "commitmentPeriodUnit", periodAmount,
			func(in *In) *bufferInput { return &at(in).commitment }),
		periodFields("cancellationLeadTimeAmount", "cancellationLeadTimeUnit", periodAmount,
			func(in *In) *bufferInput { return &at(in).lead }),
		wire.MadeOf(func(in *In) *commerce.SubscriptionTerms { return &at(in).SubscriptionTerms }))
}

var subscriptionShape = wire.ShapeOf("SubscriptionTermsInput",
	subscriptionFields(func(s *subscriptionInput) *subscriptionInput { return s })...)

// terms makes the terms of what came in under a pointer.
func (q *request) terms(pointer string, s subscriptionInput) *commerce.SubscriptionTerms {
	s.Commitment = q.period(pointer+"/commitmentPeriodAmount", pointer+"/commitmentPeriodUnit", s.commitment)
	s.CancellationLead = q.period(pointer+"/cancellationLeadTimeAmount", pointer+"/cancellationLeadTimeUnit", s.lead)
	return new(base.Completed(s.SubscriptionTerms))
}

type createPricingRow struct {
	commerce.CreatePricingRow
	duration     bufferInput
	subscription *subscriptionInput
}

var createPricingRowShape = wire.ShapeOf("CreatePricingRow", slices.Concat(
	wire.MadeOf(func(o *createPricingRow) *commerce.PricingRowFields { return &o.PricingRowFields }),
	periodFields("durationAmount", "durationUnit", periodAmount,
		func(o *createPricingRow) *bufferInput { return &o.duration }),
	[]wire.Field[createPricingRow]{
		wire.Optional("subscription", wire.Object(subscriptionShape),
			func(o *createPricingRow) **subscriptionInput { return &o.subscription }).
			Says("The terms, of a price for a subscription and only there."),
	})...)

var patchSubscriptionShape = wire.ShapeOf("PatchSubscriptionTerms",
	slices.Concat([]wire.Field[commerce.SubscriptionPatch]{
		wire.Merged("paymentCycleAmount", periodAmount, false,
			func(s *commerce.SubscriptionPatch) *base.Opt[int64] { return &s.Cycle.Amount }).
			Says("How many units there are from payment to payment, ten years at most."),
		wire.Merged("paymentCycleUnit", periodUnit, false,
			func(s *commerce.SubscriptionPatch) *base.Opt[timeline.Unit] { return &s.Cycle.Unit }).
			Says("The unit of the time from payment to payment."),
	},
		periodPatchFields("commitmentPeriodAmount", "commitmentPeriodUnit", periodAmount,
			func(s *commerce.SubscriptionPatch) *stock.BufferPatch { return &s.Commitment }),
		periodPatchFields("cancellationLeadTimeAmount", "cancellationLeadTimeUnit", periodAmount,
			func(s *commerce.SubscriptionPatch) *stock.BufferPatch { return &s.CancellationLead }),
		wire.ChangedBy(func(
			s *commerce.SubscriptionPatch) *base.Changes[commerce.SubscriptionTerms] {
			return &s.Fields
		}))...)

var patchPricingRowShape = wire.ShapeOf("PatchPricingRow", slices.Concat(
	wire.ChangedBy(func(o *commerce.PatchPricingRow) *base.Changes[commerce.PricingRowFields] { return &o.Fields }),
	periodPatchFields("durationAmount", "durationUnit", periodAmount,
		func(o *commerce.PatchPricingRow) *stock.BufferPatch { return &o.Duration }),
	[]wire.Field[commerce.PatchPricingRow]{
		wire.Merged("subscription", wire.Object(patchSubscriptionShape), true,
			func(o *commerce.PatchPricingRow) *base.Opt[commerce.SubscriptionPatch] { return &o.Subscription }).
			Says("The terms, of a price for a subscription; members that are not given stay. Null clears it."),
	})...)

var (
	pricingRowSchema   = describe("PricingRow", (*scribe).writePricingRow)
	pricingTableSchema = describe("PricingTable", (*scribe).writePricingTable)
)

func (w *scribe) writePricingTable(p *commerce.PricingTable) {
	w.ID("id", p.ID, "The table's id.")
	wire.WriteFields(&w.Writer, &p.PricingTableFields)
	wire.List(&w.Writer, "pricingRows", "PricingRow", p.Rows, "Its prices, in their order.", w.writePricingRow)
	shown := p.Externals
	if !p.External {
		shown = nil
	}
	wire.List(&w.Writer, "externalPricingRows", "ExternalPricingRow", shown,
		"Its links to prices elsewhere; none where they are switched off.", w.writeExternalRow)
	w.Created(p.ID)
	w.Updated(p.UpdatedAt)
}

func (w *scribe) writePricingRow(r *commerce.PricingRow) {
	w.ID("id", r.ID, "The row's id.")
	w.ID("pricingTableId", r.Table, "The id of the pricing table.")
	wire.WriteFields(&w.Writer, &r.PricingRowFields)
	w.Text("currency", r.Currency, "ISO 4217 code of the currency of its amounts: the account's as the row was made.")
	w.period("durationAmount", "durationUnit", r.Duration)
	wire.Nullable(&w.Writer, "subscription", "SubscriptionTerms", r.Subscription,
		"The terms, of a price for a subscription.", w.terms)
	w.Created(r.ID)
	w.Updated(r.UpdatedAt)
	w.GivenInstant("retiredAt", r.RetiredAt, "Since when it is retired: it was deleted while an order that is not "+
		"closed was sold by it, and no new line is sold by it. null: it is not retired.")
}

func (w *scribe) terms(s *commerce.SubscriptionTerms) {
	w.period("paymentCycleAmount", "paymentCycleUnit", &s.Cycle)
	wire.WriteFields(&w.Writer, s, wire.Behind("commitmentCycles", func() {
		w.period("commitmentPeriodAmount", "commitmentPeriodUnit", s.Commitment)
		w.period("cancellationLeadTimeAmount", "cancellationLeadTimeUnit", s.CancellationLead)
	}))
}

var answerPricingTable = answers((*scribe).writePricingTable)

var answerPricingRow = answers((*scribe).writePricingRow)

type rowPath struct{ table, row base.ID }

const (
	pricingTablePath = "/v1/admin/pricing-tables/pricing-table/{pricingTableId}"
	pricingRowPath   = pricingTablePath + "/pricing-row/{rowId}"
)

var pricingOperations = []operation{
	read(operation{
		id: "admin.pricingTables.list", method: "GET", path: "/v1/admin/pricing-tables", scopes: pricingRead,
		summary: "Lists pricing tables in order of creation.", answer: pagedSchema(pricingTableSchema),
	}, input[page]{query: listQuery}, func(q *request, p *page) error {
		all := commerce.PricingTables(q.view)
		appendPage(q, *p, all.Len(), all.At, (*scribe).writePricingTable)
		return nil
	}),
	write(operation{
		id: "admin.pricingTables.create", method: "POST", path: "/v1/admin/pricing-tables/pricing-table",
		scopes: pricingWrite, summary: "Creates a pricing table without rows.", answer: pricingTableSchema,
	}, input[commerce.CreatePricingTable]{body: createPricingTableShape}, asIs, answerPricingTable),
	readOne(operation{
		id: "admin.pricingTables.get", method: "GET", path: pricingTablePath, scopes: pricingRead, cached: true,
		summary: "Returns a pricing table with its rows.", answer: pricingTableSchema,
	}, byTable(itself), "pricing table", commerce.PricingTableByID, answerPricingTable),
	write(operation{
		id: "admin.pricingTables.update", method: "PATCH", path: pricingTablePath, scopes: pricingWrite,
		summary: "Changes a pricing table.", answer: pricingTableSchema,
	}, input[commerce.PatchPricingTable]{path: byTable(func(o *commerce.PatchPricingTable) *base.ID { return &o.ID }),
		body: patchPricingTableShape}, asIs, answerPricingTable),
	deletion[commerce.PricingTable](operation{
		id: "admin.pricingTables.delete", path: pricingTablePath, scopes: pricingWrite,
		summary: "Removes a pricing table with its rows; one that a catalog item names is in use.",
	}, byTable),
	partsOf(operation{
		id: "admin.pricingTables.listRows", method: "GET", path: pricingTablePath + "/pricing-row", scopes: pricingRead,
		summary: "Lists a pricing table's rows in order of creation.", answer: pagedSchema(pricingRowSchema),
	}, byTable, func(q *request, l *listParts) error {
		p := commerce.PricingTableByID(q.view, l.of)
		if p == nil {
			return notFound("pricing table")
		}
		appendPage(q, l.page, len(p.Rows), func(i int) *commerce.PricingRow { return &p.Rows[i] },
			(*scribe).writePricingRow)
		return nil
	}),
	write(operation{
		id: "admin.pricingTables.createRow", method: "POST", path: pricingTablePath + "/pricing-row",
		scopes:  pricingWrite,
		summary: "Adds a row to a pricing table.", answer: pricingRowSchema,
	}, input[createPricingRow]{path: byTable(func(o *createPricingRow) *base.ID { return &o.Table }),
		body: createPricingRowShape},
		func(q *request, o *createPricingRow) base.OpOf[*commerce.PricingRow] {
			o.Duration = q.period("/durationAmount", "/durationUnit", o.duration)
			if o.subscription != nil {
				o.Subscription = q.terms("/subscription", *o.subscription)
			}
			return o.CreatePricingRow
		}, answerPricingRow),
	read(operation{
		id: "admin.pricingTables.getRow", method: "GET", path: pricingRowPath, scopes: pricingRead, cached: true,
		summary: "Returns a row of a pricing table.", answer: pricingRowSchema,
	}, input[rowPath]{
		path: byTableRow(func(p *rowPath) (table, row *base.ID) { return &p.table, &p.row }),
	}, func(q *request, at *rowPath) error {
		p := commerce.PricingTableByID(q.view, at.table)
		if p == nil {
			return notFound("pricing table")
		}
		r := p.Row(at.row)
		if r == nil {
			return notFound("pricing row of this table")
		}
		return answerPricingRow(q, r)
	}),
	write(operation{
		id: "admin.pricingTables.updateRow", method: "PATCH", path: pricingRowPath, scopes: pricingWrite,
		summary: "Changes a row of a pricing table.", answer: pricingRowSchema,
	}, input[commerce.PatchPricingRow]{
		path: byTableRow(func(o *commerce.PatchPricingRow) (table, row *base.ID) { return &o.Table, &o.ID }),
		body: patchPricingRowShape,
	}, asIs, answerPricingRow),
	removal(operation{
		id: "admin.pricingTables.deleteRow", path: pricingRowPath, scopes: pricingWrite,
		summary: "Removes a row from a pricing table. If an order that is not closed is sold by it, the row is " +
			"retired: it stays, and sells nothing new.",
	}, input[commerce.DeletePricingRow]{
		path: byTableRow(func(o *commerce.DeletePricingRow) (table, row *base.ID) { return &o.Table, &o.ID }),
	}),
}
