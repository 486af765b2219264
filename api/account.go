package api

import "holdfast/engine"

// This file owns the account's own record.

var accountSchema = recordSchema("Account",
	has("id", idSchema), has("name", textSchema), has("currency", textSchema), has("timezone", textSchema),
	has("plan", enumSchema("starter", "growth", "scale", "unlimited")), has("createdAt", instantSchema), has("updatedAt", instantSchema))

func appendAccount(b []byte, a *engine.Account) []byte {
	b = appendID(append(b, `{"id":`...), a.ID)
	b = appendText(append(b, `,"name":`...), a.Name)
	b = appendText(append(b, `,"currency":`...), a.Currency)
	b = appendText(append(b, `,"timezone":`...), a.Timezone)
	b = appendText(append(b, `,"plan":`...), a.Plan)
	b = appendInstant(append(b, `,"createdAt":`...), engine.CreatedAt(a.ID))
	b = appendInstant(append(b, `,"updatedAt":`...), a.UpdatedAt)
	return append(b, '}')
}

var accountOperations = []operation{
	read(operation{
		id: "admin.account.get", method: "GET", path: "/v1/admin/account", scopes: []string{"account.read"}, cached: true,
		summary: "Returns the account that the key belongs to.", answer: accountSchema,
	}, input[none]{}, func(q *request, _ *none) error {
		a := q.view.Account()
		if q.sameRevision(a.Revision) {
			return nil
		}
		q.out = appendAccount(q.out, a)
		return nil
	}),
}
