package api

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
)

// This file holds the import by rows: faults of all rows are named before anything is made, and all is made or nothing.

func TestImportByRows(t *testing.T) {
	s := newShop(t)
	rows := `[{"name":"Harbour","timezone":"Europe/Helsinki","address":{"city":"Helsinki"}},{"name":"Yard","timezone":"Europe/Lisbon","address":{"city":"Lisboa"}}]`
	require.EqualValues(t, 2,
		s.ok("POST", "/v1/admin/import", `{"resource":"locations","rows":`+rows+`,"dryRun":true}`)["rows"])
	require.Empty(t, s.ok("GET", "/v1/admin/locations", "")["data"], "it was tried, not done")
	require.EqualValues(t, 2, s.ok("POST", "/v1/admin/import", `{"resource":"locations","rows":`+rows+`}`)["rows"])
	require.Len(t, s.ok("GET", "/v1/admin/locations", "")["data"], 2)

	// A row with a fault of its own, one that refers to what is not there, and a good one between them: nothing is
	// made.
	bad := `{"resource":"skus","rows":[{"name":"","code":"A"},{"name":"Bike","code":"B"},{"code":"C"}]`
	s.refused(400, "INVALID_ARGUMENTS", "POST", "/v1/admin/import", bad+`}`, "body /rows/0/name length",
		"body /rows/2/name required")
	s.refused(400, "INVALID_ARGUMENTS", "POST", "/v1/admin/import", bad+`,"dryRun":true}`, "body /rows/0/name length",
		"body /rows/2/name required")
	require.Empty(t, s.ok("GET", "/v1/admin/skus", "")["data"])
	s.ok("POST", "/v1/admin/import", `{"resource":"skus","rows":[{"name":"Bike","code":"B"}]}`)
	s.ok("POST", "/v1/admin/import",
		`{"resource":"articles","rows":[{"name":"Bike 1","skuId":"B","quantities":[{"serviceLocationId":"Harbour","count":2}]}]}`)
	require.Len(t, s.ok("GET", "/v1/admin/articles", "")["articles"], 1)
	s.refused(400, "INVALID_ARGUMENTS", "POST", "/v1/admin/import", `{"resource":"orders","rows":[]}`,
		"body /resource enum")
	s.refused(400, "INVALID_ARGUMENTS", "POST", "/v1/admin/import", `{"resource":"skus","rows":7}`, "body /rows type")
	scoped := s.ok("POST", keysPath, `{"label":"reader","scopes":["inventory.write"]}`)["key"].(string)
	require.Equal(t, 403,
		s.call("POST", "/v1/admin/import", `{"resource":"skus","rows":[]}`, "X-API-KEY", scoped).status)
}

// Done once under a key, an import is a repeat also where its rows cannot be read any more: a name in them is of two
// records by now, or of none.
func TestImportIsRepeatedWhenItsNamesHaveChanged(t *testing.T) {
	s := newExchangeShop(t)
	location := s.ok("POST", "/v1/admin/locations", `{"name":"Harbour","timezone":"UTC"}`)["id"].(string)
	sku := s.ok("POST", "/v1/admin/skus", `{"name":"Bike"}`)["id"].(string)
	const path = "/v1/admin/import"
	row := `{"name":"B1","skuId":"Bike","quantities":[{"serviceLocationId":"Harbour","count":2}]}`
	body := `{"resource":"articles","rows":[` + row + `]}`
	mine, another := []string{"Idempotency-Key", "mine"}, []string{"Idempotency-Key", "another"}
	require.EqualValues(t, 1, s.ok("POST", path, body, mine...)["rows"])
	status, text := s.rows("articles", row, mine...)
	require.Equal(t, 200, status, text)

	s.ok("PATCH", "/v1/admin/locations/"+location, `{"name":"Quay"}`)
	s.ok("POST", "/v1/admin/skus", `{"name":"Bike"}`)
	for range 2 {
		a := s.call("POST", path, body, mine...)
		require.JSONEq(t, `{"rows":1}`, string(a.body))
		require.Equal(t, "true", a.header["Idempotent-Replayed"])
		status, text = s.rows("articles", row, mine...)
		require.Equal(t, 200, status, text)
		require.JSONEq(t, `{"rows":1,"repeated":true}`, text)
	}
	faults := []string{"body /rows/0/skuId reference", "body /rows/0/quantities/0/serviceLocationId reference"}
	s.refused(400, base.CodeInvalid, "POST", path, body, faults...)
	s.call("POST", path, body, another...).isRefusal(400, base.CodeInvalid, faults...)
	dry := strings.Replace(body, `"rows"`, `"dryRun":true,"rows"`, 1)
	s.call("POST", path, dry, mine...).isRefusal(400, base.CodeInvalid, faults...)
	s.call("POST", path, strings.Replace(body, "B1", "B2", 1), mine...).isRefusal(422, base.CodeIdempotencyReused)
	status, _ = s.rows("articles", strings.Replace(row, "B1", "B2", 1), mine...)
	require.Equal(t, 422, status)
	status, _ = s.rows("articles", row, another...)
	require.Equal(t, 400, status)
	require.EqualValues(t, 2, at(s.ok("GET", "/v1/admin/articles", ""), "pagination", "total"))

	// A refusal is not kept: once the names are of one record each, the same request is done.
	s.ok("PATCH", "/v1/admin/locations/"+location, `{"name":"Harbour"}`)
	s.ok("PATCH", "/v1/admin/skus/"+sku, `{"name":"Old bike"}`)
	require.EqualValues(t, 1, s.ok("POST", path, body, another...)["rows"])
	require.EqualValues(t, 3, at(s.ok("GET", "/v1/admin/articles", ""), "pagination", "total"))

	// And one that is kept no longer is done again.
	s.clock.Add(25 * 60 * 60 * 1000)
	s.ok("PATCH", "/v1/admin/locations/"+location, `{"name":"Quay"}`)
	s.call("POST", path, body, mine...).isRefusal(400, base.CodeInvalid, faults[1])
}

func TestHealthTellsTheMetrics(t *testing.T) {
	s := newShop(t)
	s.ok("POST", "/v1/admin/locations", `{"name":"Lisbon","timezone":"Europe/Lisbon","address":{}}`)
	got := s.ok("GET", "/v1/admin/health", "")
	require.EqualValues(t, s.ok("GET", "/v1/admin/articles/bars", "")["sequence"], got["sequence"])
	require.Equal(t, "no backups are kept", got["backupFault"])
	require.Contains(t, got, "syncSeconds")
	require.Nil(t, got["snapshots"], "there is another account, of which the figures would tell")
	require.Nil(t, got["articles"])
	values := s.server.condition(1).values
	for i, f := range figures {
		if f.name == "snapshots" {
			require.Zero(t, values[i])
		}
	}
	scoped := s.ok("POST", keysPath, `{"label":"reader","scopes":["account.read"]}`)["key"].(string)
	require.Equal(t, 403, s.call("GET", "/v1/admin/health", "", "X-API-KEY", scoped).status)
}
