package api

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
)

// This file owns the tests of catalog items that take stock, over the interface.

func TestKitIsAskedForAndHeldAsOne(t *testing.T) {
	s, location, sku, first, _ := stocked(t)
	kit := s.ok("POST", "/v1/admin/catalog",
		fmt.Sprintf(`{"name":"Two","components":[{"articleId":%q},{"skuId":%q}]}`, first, sku))["id"].(string)
	empty := s.ok("POST", "/v1/admin/catalog", `{"name":"Voucher"}`)["id"].(string)
	from, to := noon+day, noon+2*day
	require.Equal(t, 1.0, s.available("catalogItem", kit, location, from, to), "one of the two is the article itself")
	everywhere := s.ok("GET",
		fmt.Sprintf("/v1/admin/availability?catalogItemId=%s&from=%s&quantity=3", kit, when(from)), "")
	require.Equal(t, []any{1.0, 1.0, 0.0, 2.0, true}, []any{everywhere["available"], everywhere["stock"],
		everywhere["committed"], everywhere["shortage"], everywhere["exact"]})

	h := s.ok("POST", "/v1/admin/holds", s.holdBody("catalogItem", kit, location, from, to, 1))
	line := at(h, "lines", 0)
	require.Equal(t, []any{nil, nil, kit, 1.0},
		[]any{at(line, "skuId"), at(line, "articleId"), at(line, "catalogItemId"), at(line, "quantity")})
	units := at(line, "unavailabilities").([]any)
	require.Len(t, units, 2)
	require.Equal(t, first, at(units[0], "articleId"), "in the order of the components")
	require.Equal(t, 0.0, s.available("sku", sku, location, from, to))

	a := s.refused(409, base.CodeInsufficient, "POST", "/v1/admin/holds",
		s.holdBody("catalogItem", kit, location, from, to, 2))
	lines := at(a.object(), "details", "lines").([]any)
	require.Len(t, lines, 1)
	require.Equal(t, []any{2.0, 0.0, "not_enough_stock"},
		[]any{at(lines[0], "requested"), at(lines[0], "available"), at(lines[0], "reason")})
	require.Nil(t, at(lines[0], "next"), "there are never two")

	c := s.ok("GET",
		fmt.Sprintf("/v1/admin/availability/calendar?catalogItemId=%s&serviceLocationId=%s&from=%s&to=%s&bucket=change",
			kit, location, when(noon), when(noon+3*day)), "")
	require.Equal(t, []any{1.0, 0.0, 1.0},
		[]any{at(c, "buckets", 0, "available"), at(c, "buckets", 1, "available"), at(c, "buckets", 2, "available")})
	require.Equal(t, when(to+2*hour), at(c, "buckets", 2, "range", "start"), "behind the buffer")
	next := s.ok("POST", "/v1/admin/availability/next",
		fmt.Sprintf(`{"catalogItemId":%q,"serviceLocationId":%q,"notBefore":%q,"seconds":3600}`, kit, location,
			when(from)))
	require.Equal(t, when(to+2*hour), next["from"])
	x := s.ok("POST", "/v1/admin/availability/explain",
		fmt.Sprintf(`{"catalogItemId":%q,"serviceLocationId":%q,"from":%q,"to":%q}`, kit, location, when(from),
			when(to)))
	require.NotEmpty(t, x["blockingUnavailabilities"])
	require.Equal(t, "later", at(x, "alternatives", 0, "kind"))
	q := s.ok("POST", "/v1/admin/availability/query",
		fmt.Sprintf(`{"lines":[{"catalogItemId":%q,"from":%q,"to":%q},{"skuId":%q,"from":%q,"to":%q}]}`, kit,
			when(to+2*hour), when(to+day), sku, when(from), when(to)))
	require.Equal(t, []any{1.0, 0.0}, []any{at(q, "lines", 0, "available"), at(q, "lines", 1, "available")})

	s.refused(409, base.CodeInUse, "DELETE", "/v1/admin/catalog/"+kit, "")
	s.refused(409, base.CodeStateNotAllowed, "GET",
		fmt.Sprintf("/v1/admin/availability?catalogItemId=%s&from=%s", empty, when(from)), "")
	s.refused(409, base.CodeStateNotAllowed, "POST", "/v1/admin/holds",
		s.holdBody("catalogItem", empty, location, from, to, 1))
	s.ok("POST", "/v1/admin/catalog/"+kit+"/archive", "")
	state := s.refused(409, base.CodeStateNotAllowed, "POST", "/v1/admin/holds",
		s.holdBody("catalogItem", kit, location, from+5*day, to+5*day, 1))
	require.Equal(t, map[string]any{"state": "archived", "allowed": []any{"unarchive"}}, at(state.object(), "details"))
	s.refused(404, base.CodeNotFound, "POST", "/v1/admin/holds", s.holdBody("catalogItem", sku, location, from, to, 1))
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/holds",
		fmt.Sprintf(`{"lines":[{"catalogItemId":%q,"skuId":%q,"serviceLocationId":%q,"from":%q}]}`, kit, sku, location,
			when(from)),
		"body /lines/0 exclusive")
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/availability/explain",
		fmt.Sprintf(`{"catalogItemId":%q,"skuId":%q,"from":%q}`, kit, sku, when(from)), "body /skuId exclusive")
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/catalog",
		fmt.Sprintf(`{"name":"x","components":[{"catalogItemId":%q}]}`, kit),
		"body /components/0/catalogItemId unknown", "body /components/0 required")
	s.call("GET", fmt.Sprintf("/v1/admin/availability?catalogItemId=%s&from=%s", kit, when(from)), "", "X-API-KEY",
		s.other).isRefusal(404, base.CodeNotFound)
	s.call("POST", "/v1/admin/catalog", fmt.Sprintf(`{"name":"x","components":[{"skuId":%q}]}`, sku), "X-API-KEY",
		s.other).isRefusal(404, base.CodeNotFound)
}
