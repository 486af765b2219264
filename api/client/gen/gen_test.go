package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds the committed client against the committed document, and the generator against forms that it does not
// know.

// mostLines is how many lines may be generated: they are compiled with every program that uses the client.
const mostLines = 12_000

func TestClientIsCommitted(t *testing.T) {
	text, err := os.ReadFile("../../openapi.json")
	require.NoError(t, err)
	files, err := generate(text)
	require.NoError(t, err)
	lines := 0
	for name, want := range files {
		lines += bytes.Count(want, []byte("\n"))
		got, err := os.ReadFile("../" + name)
		require.NoError(t, err)
		if string(want) != string(got) {
			t.Errorf("%s is not what the document gives: `make clients` writes it again", name)
		}
	}
	require.Less(t, lines, mostLines)
}

// small is a document with one operation, whose schemas a test changes.
const small = `{"info": {"version": "1"}, "tags": [{"name": "bikes", "description": "Keeps bikes."}],
	"paths": {"/bikes/{id}": {"patch": {"operationId": "admin.bikes.update", "summary": "Changes a bike.",
		"parameters": [{"name": "id", "in": "path", "schema": {"type": "string"}},
			{"$ref": "#/components/parameters/Key"}, {"name": "asOf", "in": "query", "schema": {"type": "integer"}}QUERY],
		"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/PatchBike"}}}},
		"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Bike"}}}}}}}},
	"webhooks": {"bike": {"post": {"requestBody": {"content": {"application/json": {"schema":
		{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}}}}}}},
	"components": {"parameters": {"Key": {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}},
	"schemas": {"Problem": {"type": "object", "properties": {"details": {"type": "object", "additionalProperties": {}}}},
		"Bike": {"type": "object", "properties": {"sku": {"type": ["string", "null"], "description": "Its SKU."},
			"since": {"$ref": "#/components/schemas/Since"}}, "required": ["sku", "since"]},
		"Since": {"type": "string", "format": "date-time", "description": "When it was bought."},
		"PatchBike": {"type": "object", "additionalProperties": false, "properties": {"sku": {"type": ["string", "null"]},
			"notes": {"type": ["object", "null"], "additionalProperties": {"type": ["string", "null"]}},
			"owners": {"type": "array", "items": {"type": "string"}}}}
		SCHEMAS}}}`

func changed(query, schemas string) []byte {
	return []byte(strings.NewReplacer("QUERY", query, "SCHEMAS", schemas).Replace(small))
}

func TestWhatIsGenerated(t *testing.T) {
	files, err := generate(changed("", ""))
	require.NoError(t, err)
	require.Contains(t, string(files["go/types.go"]), `// Bike is the answer of Bikes.Update.
type Bike struct {
	// Its SKU.
	SKU *string `+"`json:\"sku\"`"+`
	// When it was bought.
	Since time.Time `+"`json:\"since\"`"+`
}`)
	require.Contains(t, string(files["go/types.go"]), `// PatchBike is what Bikes.Update takes.
type PatchBike struct {
	SKU    Opt[string]             `+"`json:\"sku,omitzero\"`"+`
	Notes  Opt[map[string]*string] `+"`json:\"notes,omitzero\"`"+`
	Owners Opt[[]string]           `+"`json:\"owners,omitzero\"`"+`
}`)
	require.Contains(t, string(files["go/operations.go"]), `// Update changes a bike.
func (s *BikesService) Update(
	ctx context.Context, id string, body PatchBike, options ...RequestOption,
) (*Bike, error) {
	return do[Bike](ctx, s.t, call{
		method: "PATCH", path: "/bikes/{id}", values: []string{id}, body: body, keyed: true,
	}, options)
}`)
}

// A boolean of a query can be left out, which is not to be false.
func TestBooleansOfQueries(t *testing.T) {
	files, err := generate(changed(
		`, {"name": "rented", "in": "query", "schema": {"type": "boolean"}, "description": "Whether it is out."}`, ""))
	require.NoError(t, err)
	require.Contains(t, string(files["go/operations.go"]), `type BikesUpdateQuery struct {
	// Whether it is out.
	Rented *bool
}`)
	require.Contains(t, string(files["go/operations.go"]), `addBoolean(&to, "rented", q.Rented)`)
}

// A form that the generator does not know is an error that says where: it is not guessed.
func TestUnknownForms(t *testing.T) {
	for says, c := range map[string]struct{ query, schema string }{
		`Odd: of: a schema of the types [] is not known`:          {"", `{"oneOf": [{}, {}]}`},
		`Odd: of: a schema of the types ["string" "integer"]`:     {"", `{"type": ["string", "integer"]}`},
		`Odd: of: the type "date" is not known`:                   {"", `{"type": "date"}`},
		`Odd: of: an object without a name is not known`:          {"", `{"type": "object", "properties": {"a": {}}}`},
		`Odd: of: an object without members is not known`:         {"", `{"type": "object"}`},
		`Odd: of: a list without items is not known`:              {"", `{"type": "array"}`},
		`Odd: of: there is no #/components/schemas/None`:          {"", `{"$ref": "#/components/schemas/None"}`},
		`admin.bikes.update: there is no #/components/parameters`: {`, {"$ref": "#/components/parameters/None"}`, ""},
		`admin.bikes.update: far: a query of float64 is not known`: {
			`, {"name": "far", "in": "query", "schema": {"type": "number"}}`, ""},
	} {
		odd := ""
		if c.schema != "" {
			odd = `, "Odd": {"type": "object", "properties": {"of": ` + c.schema + `}}`
		}
		_, err := generate(changed(c.query, odd))
		require.ErrorContains(t, err, says)
	}
}

func TestEveryOperationIsGenerated(t *testing.T) {
	for _, id := range []string{"admin.cars.update", "update", ""} {
		_, err := generate([]byte(strings.Replace(string(changed("", "")), "admin.bikes.update", id, 1)))
		require.ErrorContains(t, err, "patch /bikes/{id}: the operation \""+id+"\" is of none of the tags")
	}
}

func TestNamesOfTheDocumentInGo(t *testing.T) {
	for name, want := range map[string]string{
		"skuId": "SKUID", "asOf": "AsOf", "tagIds": "TagIDs", "apiKeys": "APIKeys", "order.created": "OrderCreated",
		"MALFORMED_JSON": "MalformedJSON", "sales-reservation": "SalesReservation", "url": "URL",
	} {
		require.Equal(t, want, exported(name))
	}
	require.Equal(t, "lineItemID", local("lineItemId"))
}
