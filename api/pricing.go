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
	return wire.ShapeOf("PricingTablePath", wire.Required("pricingTableId", wire.UUID, table).Says("The id of the pricing table."))
}

func byTableRow[In any](table, row func(*In) *base.ID) *wire.Shape[In] {
	return wire.ShapeOf("PricingRowPath", wire.Required("pricingTableId", wire.UUID, table).Says("The id of the pricing table."), wire.Required("rowId", wire.UUID, row).
		Says("The row's id."))
}

var createPricingTableShape = wire.ShapeOf("CreatePricingTable",
	wire.Required("name", wire.Text(1, 255), func(o *commerce.CreatePricingTable) *string { return &o.Name }).Says("What people call the table."),
	wire.Defaulted("externalPricingEnabled", wire.Boolean, false, func(o *commerce.CreatePricingTable) *bool { return &o.External }).
		Says("Listings show the external rows. Those are kept also while this is off."),
	wire.Defaulted("combineRows", wire.Boolean, false, func(o *commerce.CreatePricingTable) *bool { return &o.Combine }).Says(aboutCombineRows))

var patchPricingTableShape = wire.ShapeOf("PatchPricingTable",
	wire.Merged("name", wire.Text(1, 255), false, func(o *commerce.PatchPricingTable) *base.Opt[string] { return &o.Name }).Says("What people call the table."),
	wire.Merged("externalPricingEnabled", wire.Boolean, false, func(o *commerce.PatchPricingTable) *base.Opt[bool] { return &o.External }).
		Says("Whether its external rows are shown."),
	wire.Merged("combineRows", wire.Boolean, false, func(o *commerce.PatchPricingTable) *base.Opt[bool] { return &o.Combine }).Says(aboutCombineRows))

const aboutCombineRows = "Whether a booking whose row is not named costs what the best combination of its rows asks, such as a week and a day. Lines that are there keep how they were sold."

// subscriptionInput is the terms of a subscription as they come in.
type subscriptionInput struct {
	commerce.SubscriptionTerms
	commitment, lead bufferInput
}

var price = wire.Integer[int64](0, wire.MaxSafeInteger)

// subscriptionFields are the terms of a subscription, wherever they stand.
func subscriptionFields[In any](at func(*In) *subscriptionInput) []wire.Field[In] {
	return slices.Concat([]wire.Field[In]{
		wire.Required("paymentCycleAmount", periodAmount, func(in *In) *int64 { return &at(in).Cycle.Amount }).
			Says("How many units there are from payment to payment."),
		wire.Required("paymentCycleUnit", periodUnit, func(in *In) *timeline.Unit { return &at(in).Cycle.Unit }).
			Says("The unit of the time from payment to payment."),
		wire.Optional("renewalPrice", price, func(in *In) **int64 { return &at(in).RenewalPrice }).
			Says("What a payment is after the commitment, in minor units of the account's currency. Default: the same."),
		wire.Optional("commitmentCycles", wire.Integer[int64](1, 10_000), func(in *In) **int64 { return &at(in).CommitmentCycles }).
			Says("For how many payments the customer is bound; null: none."),
	},
		periodFields("commitmentPeriodAmount", "commitmentPeriodUnit", periodAmount, func(in *In) *bufferInput { return &at(in).commitment }),
		periodFields("cancellationLeadTimeAmount", "cancellationLeadTimeUnit", periodAmount, func(in *In) *bufferInput { return &at(in).lead }),
		[]wire.Field[In]{
			wire.Defaulted("renewalType", wire.Text(1, 255), commerce.DefaultRenewalType, func(in *In) *string { return &at(in).RenewalType }).
				Says("What follows the commitment, which is kept as it is. Default: none."),
			wire.Defaulted("initialChargeType", wire.Text(1, 255), commerce.DefaultInitialCharge, func(in *In) *string { return &at(in).InitialCharge }).
				Says("When the first payment is due, which is kept as it is. Default: order_creation."),
		})
}

var subscriptionShape = wire.ShapeOf("SubscriptionTermsInput", subscriptionFields(func(s *subscriptionInput) *subscriptionInput { return s })...)

// terms makes the terms of what came in under a pointer.
func (q *request) terms(pointer string, s subscriptionInput) *commerce.SubscriptionTerms {
	s.Commitment = q.period(pointer+"/commitmentPeriodAmount", pointer+"/commitmentPeriodUnit", s.commitment)
	s.CancellationLead = q.period(pointer+"/cancellationLeadTimeAmount", pointer+"/cancellationLeadTimeUnit", s.lead)
	return &s.SubscriptionTerms
}

type createPricingRow struct {
	commerce.CreatePricingRow
	duration     bufferInput
	subscription *subscriptionInput
}

var createPricingRowShape = wire.ShapeOf("CreatePricingRow", slices.Concat([]wire.Field[createPricingRow]{
	wire.Required("label", wire.Text(1, 255), func(o *createPricingRow) *string { return &o.Label }).Says("What people call the price, such as Day."),
	wire.Required("purchaseType", purchaseType, func(o *createPricingRow) *base.PurchaseType { return &o.Purchase }).
		Says("How it is taken: booked for a time, sold, or subscribed to."),
	wire.Required("price", price, func(o *createPricingRow) *int64 { return &o.Price }).Says("The price, in minor units of the account's currency."),
},
	periodFields("durationAmount", "durationUnit", periodAmount, func(o *createPricingRow) *bufferInput { return &o.duration }),
	[]wire.Field[createPricingRow]{
		wire.Optional("subscription", wire.Object(subscriptionShape), func(o *createPricingRow) **subscriptionInput { return &o.subscription }).
			Says("The terms, of a price for a subscription and only there."),
	})...)

var patchSubscriptionShape = wire.ShapeOf("PatchSubscriptionTerms", slices.Concat([]wire.Field[commerce.SubscriptionPatch]{
	wire.Merged("paymentCycleAmount", periodAmount, false, func(s *commerce.SubscriptionPatch) *base.Opt[int64] { return &s.Cycle.Amount }).
		Says("How many units there are from payment to payment."),
	wire.Merged("paymentCycleUnit", periodUnit, false, func(s *commerce.SubscriptionPatch) *base.Opt[timeline.Unit] { return &s.Cycle.Unit }).
		Says("The unit of the time from payment to payment."),
	wire.Merged("renewalPrice", price, true, func(s *commerce.SubscriptionPatch) *base.Opt[int64] { return &s.RenewalPrice }).
		Says("What a payment is after the commitment, in minor units; null: the same."),
	wire.Merged("commitmentCycles", wire.Integer[int64](1, 10_000), true, func(s *commerce.SubscriptionPatch) *base.Opt[int64] { return &s.CommitmentCycles }).
		Says("For how many payments the customer is bound; null: none."),
},
	periodPatchFields("commitmentPeriodAmount", "commitmentPeriodUnit", periodAmount, func(s *commerce.SubscriptionPatch) *stock.BufferPatch { return &s.Commitment }),
	periodPatchFields("cancellationLeadTimeAmount", "cancellationLeadTimeUnit", periodAmount, func(s *commerce.SubscriptionPatch) *stock.BufferPatch { return &s.CancellationLead }),
	[]wire.Field[commerce.SubscriptionPatch]{
		wire.Merged("renewalType", wire.Text(1, 255), true, func(s *commerce.SubscriptionPatch) *base.Opt[string] { return &s.RenewalType }).
			Says("What follows the commitment, which is kept as it is; null: " + commerce.DefaultRenewalType + "."),
		wire.Merged("initialChargeType", wire.Text(1, 255), true, func(s *commerce.SubscriptionPatch) *base.Opt[string] { return &s.InitialCharge }).
			Says("When the first payment is due, which is kept as it is; null: " + commerce.DefaultInitialCharge + "."),
	})...)

var patchPricingRowShape = wire.ShapeOf("PatchPricingRow", slices.Concat([]wire.Field[commerce.PatchPricingRow]{
	wire.Merged("label", wire.Text(1, 255), false, func(o *commerce.PatchPricingRow) *base.Opt[string] { return &o.Label }).
		Says("What people call the price, such as Day."),
	wire.Merged("purchaseType", purchaseType, false, func(o *commerce.PatchPricingRow) *base.Opt[base.PurchaseType] { return &o.Purchase }).
		Says("How it is taken: booked for a time, sold, or subscribed to."),
	wire.Merged("price", price, false, func(o *commerce.PatchPricingRow) *base.Opt[int64] { return &o.Price }).Says("The price, in minor units."),
},
	periodPatchFields("durationAmount", "durationUnit", periodAmount, func(o *commerce.PatchPricingRow) *stock.BufferPatch { return &o.Duration }),
	[]wire.Field[commerce.PatchPricingRow]{
		wire.Merged("subscription", wire.Object(patchSubscriptionShape), true, func(o *commerce.PatchPricingRow) *base.Opt[commerce.SubscriptionPatch] { return &o.Subscription }).
			Says("The terms, of a price for a subscription; members that are not given stay. Null clears it."),
	})...)

var (
	pricingRowSchema   = describe("PricingRow", (*scribe).writePricingRow)
	pricingTableSchema = describe("PricingTable", (*scribe).writePricingTable)
)

func (w *scribe) writePricingTable(p *commerce.PricingTable) {
	w.ID("id", p.ID, "The table's id.")
	w.Text("name", p.Name, "What people call the table.")
	w.Bool("externalPricingEnabled", p.External, "Whether its external rows are shown.")
	w.Bool("combineRows", p.Combine, aboutCombineRows)
	wire.List(&w.Writer, "pricingRows", "PricingRow", p.Rows, "Its prices, in their order.", w.writePricingRow)
	wire.List(&w.Writer, "externalPricingRows", "ExternalPricingRow", p.Externals,
		"Its links to prices elsewhere; none where they are switched off.", w.writeExternalRow)
	w.Created(p.ID)
	w.Updated(p.UpdatedAt)
}

func (w *scribe) writePricingRow(r *commerce.PricingRow) {
	w.ID("id", r.ID, "The row's id.")
	w.ID("pricingTableId", r.Table, "The id of the pricing table.")
	w.Text("label", r.Label, "What people call the price, such as Day.")
	w.As(purchaseType.Schema, "purchaseType", string(r.Purchase), "How it is taken: booked for a time, sold, or subscribed to.")
	w.Int("price", r.Price, "The price, in minor units.")
	w.Text("currency", r.Currency, "ISO 4217 code of the currency of its amounts: the account's as the row was made.")
	w.period("durationAmount", "durationUnit", r.Duration)
	wire.Nullable(&w.Writer, "subscription", "SubscriptionTerms", r.Subscription, "The terms, of a price for a subscription.", w.terms)
	w.Created(r.ID)
	w.Updated(r.UpdatedAt)
	w.GivenInstant("retiredAt", r.RetiredAt, "Since when it sells no line that it did not sell before; null: it sells. It was deleted while an order that is not closed was sold by it.")
}

func (w *scribe) terms(s *commerce.SubscriptionTerms) {
	w.period("paymentCycleAmount", "paymentCycleUnit", &s.Cycle)
	w.IntOrNull("renewalPrice", s.RenewalPrice, "What a payment is after the commitment, in minor units; null: the same.")
	w.IntOrNull("commitmentCycles", s.CommitmentCycles, "For how many payments the customer is bound; null: none.")
	w.period("commitmentPeriodAmount", "commitmentPeriodUnit", s.Commitment)
	w.period("cancellationLeadTimeAmount", "cancellationLeadTimeUnit", s.CancellationLead)
	w.Text("renewalType", s.RenewalType, "What follows the commitment, as it was given.")
	w.Text("initialChargeType", s.InitialCharge, "When the first payment is due, as it was given.")
}

func answerPricingTable(q *request, p *commerce.PricingTable) error {
	if !q.sameRevision(p.Revision) {
		appendRecord(&q.scribe, p, (*scribe).writePricingTable)
	}
	return nil
}

func answerPricingRow(q *request, r *commerce.PricingRow) error {
	if !q.sameRevision(r.Revision) {
		appendRecord(&q.scribe, r, (*scribe).writePricingRow)
	}
	return nil
}

type rowPath struct{ table, row base.ID }

type rowList struct {
	table base.ID
	page  page
}

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
		id: "admin.pricingTables.create", method: "POST", path: "/v1/admin/pricing-tables/pricing-table", scopes: pricingWrite,
		summary: "Creates a pricing table without rows.", answer: pricingTableSchema,
	}, input[commerce.CreatePricingTable]{body: createPricingTableShape},
		asIs, answerPricingTable),
	read(operation{
		id: "admin.pricingTables.get", method: "GET", path: pricingTablePath, scopes: pricingRead, cached: true,
		summary: "Returns a pricing table with its rows.", answer: pricingTableSchema,
	}, input[base.ID]{path: byTable(func(id *base.ID) *base.ID { return id })}, func(q *request, id *base.ID) error {
		p := commerce.PricingTableByID(q.view, *id)
		if p == nil {
			return notFound("pricing table")
		}
		return answerPricingTable(q, p)
	}),
	write(operation{
		id: "admin.pricingTables.update", method: "PATCH", path: pricingTablePath, scopes: pricingWrite, guarded: true,
		summary: "Changes a pricing table.", answer: pricingTableSchema,
	}, input[commerce.PatchPricingTable]{path: byTable(func(o *commerce.PatchPricingTable) *base.ID { return &o.ID }), body: patchPricingTableShape},
		guarded(func(o *commerce.PatchPricingTable) *[]uint64 { return &o.IfMatch }), answerPricingTable),
	write(operation{
		id: "admin.pricingTables.delete", method: "DELETE", path: pricingTablePath, scopes: pricingWrite, guarded: true,
		summary: "Removes a pricing table with its rows; one that a catalog item names is in use.", answer: wire.NullSchema,
	}, input[commerce.DeletePricingTable]{path: byTable(func(o *commerce.DeletePricingTable) *base.ID { return &o.ID })},
		guarded(func(o *commerce.DeletePricingTable) *[]uint64 { return &o.IfMatch }), answerNull),
	read(operation{
		id: "admin.pricingTables.listRows", method: "GET", path: pricingTablePath + "/pricing-row", scopes: pricingRead,
		summary: "Lists a pricing table's rows in order of creation.", answer: pagedSchema(pricingRowSchema),
	}, input[rowList]{
		path:  byTable(func(l *rowList) *base.ID { return &l.table }),
		query: wire.ShapeOf("ListPricingRows", pageFields(func(l *rowList) *page { return &l.page })...),
	}, func(q *request, l *rowList) error {
		p := commerce.PricingTableByID(q.view, l.table)
		if p == nil {
			return notFound("pricing table")
		}
		appendPage(q, l.page, len(p.Rows), func(i int) *commerce.PricingRow { return &p.Rows[i] }, (*scribe).writePricingRow)
		return nil
	}),
	write(operation{
		id: "admin.pricingTables.createRow", method: "POST", path: pricingTablePath + "/pricing-row", scopes: pricingWrite,
		summary: "Adds a row to a pricing table.", answer: pricingRowSchema,
	}, input[createPricingRow]{path: byTable(func(o *createPricingRow) *base.ID { return &o.Table }), body: createPricingRowShape},
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
		path: byTableRow(func(p *rowPath) *base.ID { return &p.table }, func(p *rowPath) *base.ID { return &p.row }),
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
		id: "admin.pricingTables.updateRow", method: "PATCH", path: pricingRowPath, scopes: pricingWrite, guarded: true,
		summary: "Changes a row of a pricing table.", answer: pricingRowSchema,
	}, input[commerce.PatchPricingRow]{
		path: byTableRow(func(o *commerce.PatchPricingRow) *base.ID { return &o.Table }, func(o *commerce.PatchPricingRow) *base.ID { return &o.ID }),
		body: patchPricingRowShape,
	}, guarded(func(o *commerce.PatchPricingRow) *[]uint64 { return &o.IfMatch }), answerPricingRow),
	write(operation{
		id: "admin.pricingTables.deleteRow", method: "DELETE", path: pricingRowPath, scopes: pricingWrite, guarded: true,
		summary: "Takes a row out of a pricing table. One by which an order is sold that is not closed is retired: it stays, and sells nothing else.", answer: wire.NullSchema,
	}, input[commerce.DeletePricingRow]{
		path: byTableRow(func(o *commerce.DeletePricingRow) *base.ID { return &o.Table }, func(o *commerce.DeletePricingRow) *base.ID { return &o.ID }),
	}, guarded(func(o *commerce.DeletePricingRow) *[]uint64 { return &o.IfMatch }), answerNull),
}
