package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/persist"
)

// This file owns customers on the wire.

var createCustomerShape = wire.ShapeOf("CustomerInput", slices.Concat(
	wire.ChangedBy(func(o *commerce.CreateCustomer) *base.Changes[commerce.Contact] { return &o.Contact }),
	labelFields(func(o *commerce.CreateCustomer) *label.LabelsPatch { return &o.Labels }))...)

var patchCustomerShape = wire.ShapeOf("CustomerInput", slices.Concat(
	wire.ChangedBy(func(o *commerce.PatchCustomer) *base.Changes[commerce.Contact] { return &o.Contact }),
	labelFields(func(o *commerce.PatchCustomer) *label.LabelsPatch { return &o.Labels }))...)

var customerSchema = describe("Customer", (*scribe).writeCustomer)

func (w *scribe) writeCustomer(m *commerce.Customer) {
	w.ID("id", m.ID, "The customer's id.")
	w.contact(&m.Contact)
	w.labels(&m.Labels, "customer")
	w.Created(m.ID)
	w.Updated(m.UpdatedAt)
	w.GivenInstant("erasedAt", m.ErasedAt,
		"When all that says who they are was taken away, here and in their orders; null: it was not.")
}

var erasureSchema = describe("CustomerErasure",
	func(w *scribe, m *commerce.Customer) { w.writeErasure(m, nil, 0, persist.Keep{}) })

// writeErasure writes what an erasure has done, and what it leaves.
func (w *scribe) writeErasure(m *commerce.Customer, remarks []engine.Remarks, total int, log persist.Keep) {
	w.ID("id", m.ID, "The customer's id.")
	w.Instant("erasedAt", m.ErasedAt, "When the customer was erased.")
	w.Bool("complete", !m.BeingErased(),
		"Whether nothing is left to do: many orders, bodies of events with what was answered to them, and kept "+
			"results of requests follow within a minute. Until then the customer cannot be deleted.")
	wire.First(&w.Writer, "remarks", "CustomerRemarks", remarks, total,
		"The customer's orders with comments or notes, which may name the customer: people's own words stay "+
			"as they are.", func(r *engine.Remarks) {
			w.ID("orderId", r.Order, "The order's id.")
			w.Count("comments", r.Comments, "How many comments it has.")
			w.Count("notes", r.Notes, "How many notes there are on it and its lines.")
		})
	w.Object("keptLog", "KeptLog", "How long the log goes on to have the rows before: until it is cut behind them. "+
		"A backup has them as long as it is kept.", func() {
		w.Bool("all", log.All, "Whether the log is never cut.")
		w.Int("bytes", log.Bytes, "How many bytes of it are kept; 0: it is not cut by its length.")
		w.Int("records", int64(log.Records), "How many records of it are kept; 0: it is not cut by their number.")
	})
}

var answerCustomer = answersLabelled((*scribe).writeCustomer)

var customersWrite = []string{"customers.write"}

var customerOperations = append([]operation{
	found(operation{
		id: "admin.customers.list", method: "GET", path: "/v1/admin/customers", scopes: []string{"customers.read"},
		summary: "Lists customers in order of creation.", answer: pagedSchema(customerSchema),
	}, foundQuery("the customer", "the name, the company, the email or the phone", "email"),
		commerce.CustomerDirectory, (*scribe).writeCustomer),
	write(operation{
		id: "admin.customers.create", method: "POST", path: "/v1/admin/customers", scopes: customersWrite,
		summary: "Creates a customer, who has at least a name, a company, an email or a phone.", answer: customerSchema,
	}, input[commerce.CreateCustomer]{body: createCustomerShape}, asIs, behind(answerCustomer)),
	readOne(operation{
		id: "admin.customers.get", method: "GET", path: "/v1/admin/customers/{id}", scopes: []string{"customers.read"},
		cached:  true,
		summary: "Returns a customer.", answer: customerSchema,
	}, byUUID(itself), "customer", commerce.CustomerByID, answerCustomer),
	write(operation{
		id: "admin.customers.update", method: "PATCH", path: "/v1/admin/customers/{id}", scopes: customersWrite,
		summary: "Changes a customer.", answer: customerSchema,
	}, input[commerce.PatchCustomer]{path: byUUID(func(o *commerce.PatchCustomer) *base.ID { return &o.ID }),
		body: patchCustomerShape}, asIs, behind(answerCustomer)),
	deletion[commerce.Customer](operation{
		id: "admin.customers.delete", path: "/v1/admin/customers/{id}", scopes: customersWrite,
		summary: "Deletes a customer. Refused while an erasure of theirs is not complete.",
	}, byUUID),
	write(operation{
		id: "admin.customers.erase", method: "POST", path: "/v1/admin/customers/{id}/erase", scopes: customersWrite,
		answer: erasureSchema,
		summary: "Erases a customer as a person, for good: from the record, from all orders, from events and " +
			"results that are kept. Figures stay. " +
			"Refused while an order of theirs is not closed. " +
			"Asked again, it changes nothing, and says whether it is complete.",
	}, input[engine.EraseCustomer]{path: byUUID(func(o *engine.EraseCustomer) *base.ID { return &o.ID })},
		func(_ *request, o *engine.EraseCustomer) base.OpOf[*commerce.Customer] {
			return *o
		}, behind(func(q *request, m *commerce.Customer) error {
			q.tag = m.Revision
			list, total := engine.RemarksOf(q.view, m.ID, wire.RowEntries)
			appendRecord(&q.scribe, m,
				func(w *scribe, m *commerce.Customer) { w.writeErasure(m, list, total, q.eng.LogKept()) })
			return nil
		})),
}, tagged[*commerce.Customer]{
	of: commerce.CustomerLabels, about: "a customer", area: "customers", path: "/v1/admin/customers", id: wire.UUID,
	scopes: customersWrite, answer: customerSchema, render: behind(answerCustomer),
}.linkOperations()...)
