package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns what a field of SKUs has to be capable of that is declared in one line: a color. It is compiled
// together with that line alone, by TestAFieldIsOneLine.

func TestColorOfSKUs(t *testing.T) {
	s := newShop(t)
	const skus, about = "/v1/admin/skus", "The color that a SKU has in calendars."
	id := at(s.ok("POST", skus, `{"name":"Bike","color":"green"}`), "id").(string)
	other := at(s.ok("POST", skus, `{"name":"Kayak"}`), "id").(string)
	require.Equal(t, "green", at(s.ok("GET", skus+"/"+id, ""), "color"))
	require.Nil(t, at(s.ok("GET", skus+"/"+other, ""), "color"))
	require.Equal(t, "green", at(s.ok("PATCH", skus+"/"+id, `{"name":"Bicycle"}`), "color"))
	require.Equal(t, "blue", at(s.ok("PATCH", skus+"/"+id, `{"color":"blue"}`), "color"))
	require.Nil(t, at(s.ok("PATCH", skus+"/"+id, `{"color":null}`), "color"))
	for _, call := range [][2]string{{"POST", skus}, {"PATCH", skus + "/" + id}} {
		s.refused(400, base.CodeInvalid, call[0], call[1], `{"name":"x","color":7}`, "body /color type")
		s.refused(400, base.CodeInvalid, call[0], call[1], `{"name":"x","color":"`+strings.Repeat("x", 21)+`"}`,
			"body /color length")
	}

	// The document describes it wherever a SKU is given, changed or shown, and files have a column for it.
	p := theDocument(t)
	for _, name := range []string{"SKU", "CreateSKU", "PatchSKU"} {
		color := at(p.root, "components", "schemas", name, "properties", "color")
		require.Contains(t, at(color, "description"), about, name)
	}
	require.True(t, slices.ContainsFunc(ExchangeRow("skus").Members, func(m wire.Member) bool {
		return m.Name == "color"
	}))

	// It is in the stored row, and comes back from there.
	row := &stock.SKU{}
	require.NoError(t, json.Unmarshal([]byte(`{"Color":"red"}`), row))
	b := stock.SKUKind.Encode(nil, row)
	again, err := stock.SKUKind.Decode(base.ID{}, base.ID{}, b)
	require.NoError(t, err)
	require.Equal(t, row.SKUFields, again.SKUFields)
	require.Contains(t, string(b), "red")
}
