package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file owns the account's own record.

var (
	planNames     = wire.EnumSchema(base.Plans...)
	accountSchema = describe("Account", (*scribe).writeAccount)
)

func (w *scribe) writeAccount(a *base.Account) {
	w.ID("id", a.ID, "The record's id.")
	wire.WriteFields(&w.Writer, &a.AccountFields)
	w.As(planNames, "plan", a.Plan, "The plan, which says how much may be asked.")
	w.Created(a.ID)
	w.Updated(a.UpdatedAt)
}

var patchAccountShape = wire.ShapeOf("PatchAccount",
	wire.Needing("settings.payments.write", wire.ChangedBy(
		func(o *base.PatchAccount) *base.Changes[base.AccountFields] { return &o.Fields }), "currency")...)

var answerAccount = answers((*scribe).writeAccount)

var accountOperations = []operation{
	read(operation{
		id: "admin.account.get", method: "GET", path: "/v1/admin/account", scopes: []string{"account.read"},
		cached:  true,
		summary: "Returns the account that the key belongs to.", answer: accountSchema,
	}, input[none]{}, func(q *request, _ *none) error { return answerAccount(q, q.view.Account()) }),
	write(operation{
		id: "admin.account.update", method: "PATCH", path: "/v1/admin/account",
		scopes:  []string{"settings.account.write"},
		summary: "Changes the account; its plan is not for it to change.", answer: accountSchema,
	}, input[base.PatchAccount]{body: patchAccountShape}, asIs, answerAccount),
}
