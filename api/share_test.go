package api

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
)

// This file owns the tests of the share of dear reads.

// waits is how many reads of an account wait.
func (s *shares) waits(account base.ID) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.by[account]; x != nil {
		return len(x.line)
	}
	return 0
}

func (s *shares) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.by) == 0
}

// Reads begin in the order in which they came, as far as what they cost fits; one that has waited for too long leaves
// the others.
func TestSharesAreGivenInOrder(t *testing.T) {
	a, b := base.ID{1}, base.ID{2}
	s := &shares{most: 2, patience: time.Hour}
	require.True(t, s.take(a, 1))
	require.True(t, s.take(b, 2), "another account's is its own")
	began := make(chan int, 3)
	for i, cost := range []int{2, 1} {
		go func() {
			if s.take(a, cost) {
				began <- cost
			}
		}()
		require.Eventually(t, func() bool { return s.waits(a) == i+1 }, 10*time.Second, time.Microsecond)
	}
	require.Empty(t, began, "one that would fit does not go before one that came first")
	s.give(a, 1)
	require.Equal(t, 2, <-began)
	require.Empty(t, began)
	s.mu.Lock()
	s.patience = 0
	s.mu.Unlock()
	require.False(t, s.take(a, 2), "it has waited for too long")
	s.give(a, 2)
	require.Equal(t, 1, <-began)
	s.give(a, 1)
	s.give(b, 2)
	require.True(t, s.empty())
}

func TestCostsAreOfOperations(t *testing.T) {
	for id := range costs {
		require.True(t, slices.ContainsFunc(operations,
			func(o operation) bool { return o.id == id && o.cost == costs[id] }), id)
	}
}

// What is about a large order is dear: it is long, and takes long to be cut to what an answer may be.
func TestLargeOrdersAreDear(t *testing.T) {
	s := newShop(t)
	loc := s.ok("POST", "/v1/admin/locations", `{"name":"Lisboa","timezone":"Europe/Lisbon"}`)["id"].(string)
	article := s.ok("POST", "/v1/admin/articles", `{"name":"Chair"}`)["id"].(string)
	made := func(units int) string {
		o := s.ok("POST", "/v1/admin/orders", fmt.Sprintf(
			`{"pickupLocationId":%q,"lineItems":[{"articleId":%q,"purchaseType":"booking","quantity":%d,`+
				`"startDate":"2025-07-01T00:00:00Z","endDate":"2025-07-02T00:00:00Z"}]}`, loc, article, units))
		return "/v1/admin/orders/" + o["id"].(string)
	}
	small, large := made(1), made(largeOrder)
	require.True(t, s.server.shares.empty())
	s.server.shares.patience = time.Microsecond
	require.True(t, s.server.shares.take(s.account, s.server.shares.most))
	for path, status := range map[string]int{small: 200, large: 429} {
		require.Equal(t, status, s.call("GET", path, "").status)
		require.Equal(t, status, s.call("PATCH", path, `{"note":"Late"}`).status)
	}
	s.server.shares.give(s.account, s.server.shares.most)
	require.Equal(t, 200, s.call("GET", large, "").status)
	require.Equal(t, 200, s.call("PATCH", large, `{"note":"Late"}`).status)
	require.True(t, s.server.shares.empty())
}

// Beyond its share an account's dear reads wait, and are refused when they have waited for too long; what is cheap goes
// on, and so do others. A refusal that cannot be explained in time is given without.
func TestDearReadsAreBounded(t *testing.T) {
	s := newShop(t)
	loc := s.ok("POST", "/v1/admin/locations", `{"name":"Lisboa","timezone":"Europe/Lisbon"}`)["id"].(string)
	sku := s.ok("POST", "/v1/admin/skus", `{"name":"Bike"}`)["id"].(string)
	line := fmt.Sprintf(
		`"skuId":%q,"serviceLocationId":%q,"quantity":1,"from":"2025-07-01T00:00:00Z","to":"2025-07-02T00:00:00Z"`, sku,
		loc)
	window := fmt.Sprintf("?skuId=%s&serviceLocationId=%s&from=2025-07-01T00:00:00Z&to=2025-07-02T00:00:00Z", sku, loc)
	next := fmt.Sprintf(`{"skuId":%q,"notBefore":"2025-07-01T00:00:00Z","seconds":60}`, sku)
	const short = "/v1/admin/availability"
	reads := [][3]string{
		{"GET", "/v1/admin/skus", ""}, {"GET", "/v1/admin/orders?pageSize=250", ""},
		{"GET", "/v1/admin/changes?limit=1", ""},
		{"GET", short + "/calendar" + window, ""}, {"POST", short + "/next", next},
		{"GET", "/v1/admin/webhooks/" + sku + "/deliveries/" + sku, ""},
		{"POST", short + "/query", `{"lines":[{` + line + `}]}`}, {"POST", short + "/explain", "{" + line + "}"},
		{"POST", short + "/what-if", `{"queries":[{` + line + `}]}`},
		{"POST", "/v1/admin/articles/search", "{}"}, {"POST", "/v1/admin/quotes", `{"pickupLocationId":"` + loc + `","lineItems":[]}`},
		// what has faults is read, and judged, by the account's share as well
		{"POST", short + "/query", `{"lines":[{}]}`}, {"POST", short + "/what-if", `{"changes":[{}]}`},
		{"POST", "/v1/admin/import", `{"resource":"skus","rows":[{"name":1}]}`},
	}
	refused := func() any {
		a := s.refused(409, base.CodeInsufficient, "POST", "/v1/admin/holds", `{"lines":[{`+line+`}]}`)
		require.EqualValues(t, 1, at(a.object(), "details", "lines", 0, "requested"))
		require.EqualValues(t, 0, at(a.object(), "details", "lines", 0, "available"))
		return at(a.object(), "details", "explained")
	}
	require.Equal(t, true, refused())
	free := map[string]int{}
	for _, r := range reads {
		free[r[0]+r[1]+r[2]] = s.call(r[0], r[1], r[2]).status
	}
	require.True(t, s.server.shares.empty())
	s.server.shares.patience = time.Microsecond
	require.True(t, s.server.shares.take(s.account, s.server.shares.most))
	for _, r := range reads {
		a := s.call(r[0], r[1], r[2])
		a.isRefusal(http.StatusTooManyRequests, base.CodeRateLimited)
		require.Equal(t, "cost", at(a.object(), "details", "layer"), r)
		require.Equal(t, "1", a.header["Retry-After"])
	}
	require.Equal(t, false, refused())
	for _, r := range [][2]string{{"GET", "/v1/admin/account"}, {"GET", "/v1/admin/skus/" + sku},
		{"GET", short + window}} {
		require.Equal(t, 200, s.call(r[0], r[1], "").status, r)
	}
	require.Equal(t, 200, s.call("PATCH", "/v1/admin/skus/"+sku, `{"name":"Tandem"}`).status)
	require.Equal(t, 200, s.call("GET", "/v1/admin/skus", "", "X-API-KEY", s.other).status)

	// A long page costs more, also of a list that is asked for in a body.
	s.server.shares.most++
	for size, status := range map[int]int{longPage: 200, longPage + 1: 429} {
		require.Equal(t, status, s.call("GET", fmt.Sprintf("/v1/admin/articles?pageSize=%d", size), "").status)
		require.Equal(t, status,
			s.call("POST", "/v1/admin/articles/search", fmt.Sprintf(`{"pageSize":%d}`, size)).status)
	}
	s.server.shares.most--

	s.server.shares.patience = time.Hour
	answered := make(chan int, len(reads))
	for _, r := range reads[:3] {
		go func() { answered <- s.call(r[0], r[1], r[2]).status }()
	}
	require.Eventually(t, func() bool { return s.server.shares.waits(s.account) == 3 }, 10*time.Second,
		time.Millisecond)
	require.Empty(t, answered)
	s.server.shares.give(s.account, s.server.shares.most)
	for range 3 {
		require.Equal(t, 200, <-answered)
	}
	for _, r := range reads {
		require.Equal(t, free[r[0]+r[1]+r[2]], s.call(r[0], r[1], r[2]).status, r)
	}
	require.True(t, s.server.shares.empty())
}
