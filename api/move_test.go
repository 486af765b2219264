package api

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds that a move which is tried says who would make room, and does nothing.

func TestMovesAreShownBeforeTheyAreMade(t *testing.T) {
	s, location, sku, first, second := stocked(t)
	mine := s.ok("POST", "/v1/admin/holds", s.holdBody("article", second, location, noon+3*day, noon+4*day, 1))
	other := s.ok("POST", "/v1/admin/holds", s.holdBody("sku", sku, location, noon+day, noon+2*day, 1))
	unit := func(h map[string]any) map[string]any {
		return h["lines"].([]any)[0].(map[string]any)["unavailabilities"].([]any)[0].(map[string]any)
	}
	home := unit(other)["articleId"].(string)
	away := map[string]string{first: second, second: first}[home]
	move := fmt.Sprintf(`{"lines":[{"unavailabilityId":%q,"from":%q,"to":%q,"articleId":%q}]`, unit(mine)["id"],
		when(noon+day), when(noon+2*day), home)
	path := "/v1/admin/holds/" + mine["id"].(string) + "/move"

	tried := s.ok("POST", path, move+`,"dryRun":true}`)
	moved := tried["moved"].([]any)
	require.Len(t, moved, 1)
	require.Equal(t, unit(other)["id"], moved[0].(map[string]any)["id"])
	require.Equal(t, away, moved[0].(map[string]any)["articleId"])
	require.Equal(t, home, unit(s.ok("GET", "/v1/admin/holds/"+other["id"].(string), ""))["articleId"],
		"nothing was done")

	done := s.ok("POST", path, move+`}`)
	require.Empty(t, done["moved"])
	require.Equal(t, away, unit(s.ok("GET", "/v1/admin/holds/"+other["id"].(string), ""))["articleId"],
		"as it was shown")
}

// The same of a unit of an order, by a line's dates and by an article.
func TestMovesOfOrdersAreShownBeforeTheyAreMade(t *testing.T) {
	s, location, sku, first, second := stocked(t)
	order := s.ok("POST", "/v1/admin/orders",
		fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q}]}`,
			location, sku, when(noon+day), when(noon+2*day)))
	item := order["stockItems"].([]any)[0].(map[string]any)
	home := item["inventoryArticleId"].(string)
	away := map[string]string{first: second, second: first}[home]
	other := s.ok("POST", "/v1/admin/holds", s.holdBody("sku", sku, location, noon+day, noon+2*day, 1))
	unit := other["lines"].([]any)[0].(map[string]any)["unavailabilities"].([]any)[0].(map[string]any)
	require.Equal(t, away, unit["articleId"])
	path := "/v1/admin/orders/" + order["id"].(string)
	assign := path + "/stock-items/" + item["id"].(string) + "/assign"

	moved := s.ok("POST", assign, fmt.Sprintf(`{"articleId":%q,"dryRun":true}`, away))["moved"].([]any)
	require.Len(t, moved, 1)
	require.Equal(t, unit["id"], moved[0].(map[string]any)["id"])
	require.Equal(t, home, moved[0].(map[string]any)["articleId"])
	tried := s.ok("PATCH", path+"/line-items/"+item["lineItemId"].(string),
		fmt.Sprintf(`{"endDate":%q,"dryRun":true}`, when(noon+3*day)))
	require.Equal(t, when(noon+3*day), tried["lineItems"].([]any)[0].(map[string]any)["endDate"])
	require.Empty(t, tried["moved"], "nobody has to make room for a later end")
	require.Equal(t, order["lineItems"], s.ok("GET", path, "")["lineItems"], "nothing was done")

	require.Empty(t, s.ok("POST", assign, fmt.Sprintf(`{"articleId":%q}`, away))["moved"])
	require.Equal(t, home,
		s.ok("GET", "/v1/admin/holds/"+other["id"].(string),
			"")["lines"].([]any)[0].(map[string]any)["unavailabilities"].([]any)[0].(map[string]any)["articleId"],
		"as it was shown")
}
