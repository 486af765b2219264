package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine"
)

// This file owns customers on the wire.

var createCustomerShape = wire.ShapeOf("CustomerInput", slices.Concat(
	contactFields(func(o *engine.CreateCustomer) *engine.ContactPatch { return &o.Contact }),
	labelFields(func(o *engine.CreateCustomer) *engine.LabelsPatch { return &o.Labels }))...)

var patchCustomerShape = wire.ShapeOf("CustomerInput", slices.Concat(
	contactFields(func(o *engine.PatchCustomer) *engine.ContactPatch { return &o.Contact }),
	labelFields(func(o *engine.PatchCustomer) *engine.LabelsPatch { return &o.Labels }))...)

var customerSchema = describe("Customer", (*scribe).writeCustomer)

func (w *scribe) writeCustomer(m *engine.Customer) {
	w.ID("id", m.ID, "The customer's id.")
	w.contact(&m.Contact)
	w.labels(&m.Labels, "customer")
	w.Created(m.ID)
	w.Updated(m.UpdatedAt)
}

func answerCustomer(q *request, m *engine.Customer) error {
	if !q.sameLabelled(m.Revision, &m.Labels, m.UpdatedAt) {
		appendRecord(&q.scribe, m, (*scribe).writeCustomer)
	}
	return nil
}

var customersWrite = []string{"customers.write"}

var customerOperations = append([]operation{
	read(operation{
		id: "admin.customers.list", method: "GET", path: "/v1/admin/customers", scopes: []string{"customers.read"},
		summary: "Lists customers in order of creation.", answer: pagedSchema(customerSchema),
	}, input[externalPage]{query: externalQuery("the customer")}, func(q *request, p *externalPage) error {
		appendExternalPage(q, p, engine.View.CustomerWith, q.view.Customers(), (*scribe).writeCustomer)
		return nil
	}),
	write(operation{
		id: "admin.customers.create", method: "POST", path: "/v1/admin/customers", scopes: customersWrite,
		summary: "Creates a customer, who has at least a name, a company, an email or a phone.", answer: customerSchema,
	}, input[engine.CreateCustomer]{body: createCustomerShape},
		func(_ *request, o *engine.CreateCustomer) engine.Op { return o }, behind(answerCustomer)),
	read(operation{
		id: "admin.customers.get", method: "GET", path: "/v1/admin/customers/{id}", scopes: []string{"customers.read"}, cached: true,
		summary: "Returns a customer.", answer: customerSchema,
	}, input[engine.ID]{path: byUUID(func(id *engine.ID) *engine.ID { return id })}, func(q *request, id *engine.ID) error {
		m := q.view.Customer(*id)
		if m == nil {
			return notFound("customer")
		}
		return answerCustomer(q, m)
	}),
	write(operation{
		id: "admin.customers.update", method: "PATCH", path: "/v1/admin/customers/{id}", scopes: customersWrite, guarded: true,
		summary: "Changes a customer.", answer: customerSchema,
	}, input[engine.PatchCustomer]{path: byUUID(func(o *engine.PatchCustomer) *engine.ID { return &o.ID }), body: patchCustomerShape},
		func(q *request, o *engine.PatchCustomer) engine.Op {
			o.IfMatch = q.ifMatch
			return o
		}, behind(answerCustomer)),
	write(operation{
		id: "admin.customers.delete", method: "DELETE", path: "/v1/admin/customers/{id}", scopes: customersWrite, guarded: true,
		summary: "Deletes a customer.", answer: wire.NullSchema,
	}, input[engine.DeleteCustomer]{path: byUUID(func(o *engine.DeleteCustomer) *engine.ID { return &o.ID })},
		func(q *request, o *engine.DeleteCustomer) engine.Op {
			o.IfMatch = q.ifMatch
			return o
		}, answerNull),
}, tagged[*engine.Customer]{
	of: engine.CustomerLabels, about: "a customer", area: "customers", path: "/v1/admin/customers", id: wire.UUID, scopes: customersWrite,
	answer: customerSchema, render: behind(answerCustomer),
}.linkOperations()...)
