package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
)

// This file owns the tests of what would be, over the interface.

func TestWhatIfAnswersAndChangesNothing(t *testing.T) {
	s, location, sku, first, _ := stocked(t)
	hold := s.ok("POST", "/v1/admin/holds", s.holdBody("sku", sku, location, noon+day, noon+2*day, 2))["id"].(string)
	fill := strings.NewReplacer("$location", location, "$sku", sku, "$article", first, "$hold", hold, "$from",
		when(noon+day), "$to", when(noon+2*day)).Replace
	query := fill(`{"skuId":"$sku","serviceLocationId":"$location","from":"$from","to":"$to","quantity":3}`)
	body := func(changes ...string) string {
		return fill(fmt.Sprintf(`{"changes":[%s],"queries":[%s,{"articleId":"$article","from":"$from"}]}`,
			strings.Join(changes, ","), query))
	}
	const (
		release  = `{"kind":"release","holdId":"$hold"}`
		increase = `{"kind":"increase","articleId":"$article","serviceLocationId":"$location","amount":4}`
		decrease = `{"kind":"decrease","articleId":"$article","serviceLocationId":"$location","amount":1,"force":true}`
		place    = `{"kind":"hold","lines":[{"skuId":"$sku","serviceLocationId":"$location","from":"$from","to":"$to"}],"expiresInSeconds":60,"note":"x"}`
	)
	ask := func(changes ...string) []any {
		t.Helper()
		seq, hash := s.eng.State()
		a := s.ok("POST", "/v1/admin/availability/what-if", body(changes...))
		gotSeq, gotHash := s.eng.State()
		require.Equal(t, []uint64{seq, hash}, []uint64{gotSeq, gotHash})
		require.Len(t, a, 1)
		return []any{at(a, "lines", 0, "available"), at(a, "lines", 0, "stock"), at(a, "lines", 0, "committed"),
			at(a, "lines", 0, "shortage"), at(a, "lines", 1, "available")}
	}
	require.Equal(t, []any{0.0, 2.0, 2.0, 3.0, 0.0}, ask())
	require.Equal(t, []any{2.0, 2.0, 0.0, 1.0, 1.0}, ask(release))
	require.Equal(t, []any{1.0, 2.0, 1.0, 2.0}, ask(release, place)[:4])
	require.Equal(t, []any{4.0, 6.0, 2.0, 0.0, 4.0}, ask(increase))
	require.Equal(t, []any{0.0, 1.0, 2.0, 3.0}, ask(decrease)[:4], "one hold is a conflict now")
	require.Equal(t, []any{0.0, 2.0, 2.0, 3.0, 0.0}, ask(), "as before")

	a := s.refused(409, base.CodeInsufficient, "POST", "/v1/admin/availability/what-if",
		body(release, place, place, place))
	require.Contains(t, a.object()["detail"], "(change 3)")
	require.Equal(t, 0.0, at(a.object(), "details", "lines", 0, "available"))
	s.refused(404, base.CodeNotFound, "POST", "/v1/admin/availability/what-if", body(release, release))
	s.refused(404, base.CodeNotFound, "POST", "/v1/admin/availability/what-if",
		fill(`{"queries":[{"skuId":"$article","from":"$from"}]}`))
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/availability/what-if",
		fill(`{"changes":[{"kind":"move"},{"kind":"hold","amount":1},{"kind":"increase","articleId":"$article","amount":0,"force":true},{"kind":"hold","lines":[{"serviceLocationId":"$location","from":"$to","to":"$from"}]},{"holdId":"$hold"}],"queries":[{"from":"$from"}]}`),
		"body /changes/0/kind enum", "body /changes/2/amount range", "body /changes/4/kind required",
		"body /changes/1/lines required", "body /changes/1/amount unknown",
		"body /changes/2/serviceLocationId required", "body /changes/2/force unknown",
		"body /changes/3/lines/0 required", "body /changes/3/lines/0/to order", "body /queries/0/skuId required")
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/availability/what-if", "", "body /queries required")
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/availability/what-if", `{"queries":[]}`, "body /queries length")
	reader := s.newKey(s.account,
		engine.CreateKey{PublicID: "66666666", Scopes: []string{"inventory.stock_items.read"}})
	require.Equal(t, 200,
		s.call("POST", "/v1/admin/availability/what-if", body(release, place), "X-API-KEY", reader).status)
	s.call("POST", "/v1/admin/availability/what-if", body(release), "X-API-KEY", s.other).
		isRefusal(404, base.CodeNotFound)
}
