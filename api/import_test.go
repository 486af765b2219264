package api

import (
	"testing"

	"github.com/stretchr/testify/require"
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
