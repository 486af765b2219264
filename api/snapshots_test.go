package api

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
)

const snapshotsPath = "/v1/admin/snapshots"

// Every read with asOf answers what it answered when the snapshot was pinned, whatever has happened since.
func TestReadsOfASnapshot(t *testing.T) {
	s, location, sku, article, _ := stocked(t)
	hold := s.ok("POST", "/v1/admin/holds", s.holdBody("sku", sku, location, noon, noon+2*day, 1))["id"].(string)
	reads := []string{
		"/v1/admin/locations/" + location, "/v1/admin/skus/" + sku, "/v1/admin/articles/" + article,
		"/v1/admin/holds/" + hold,
		fmt.Sprintf("/v1/admin/articles/%s/plan-quantity-change?serviceLocationId=%s&amount=1", article, location),
	}
	for i := range operations {
		if op := &operations[i]; op.method == "GET" && len(op.params) == 0 && op.takesAsOf() &&
			op.id != "admin.apiKeys.list" {
			reads = append(reads, op.path+s.listing(op, sku))
		}
	}
	var of map[string]bool // the states that answers were of
	read := func(more string) (bodies []string) {
		of = map[string]bool{}
		for _, path := range reads {
			joint := "?"
			if strings.Contains(path, "?") {
				joint = "&"
			}
			if more == "" {
				joint = ""
			}
			a := s.call("GET", path+joint+more, "")
			require.Equal(t, 200, a.status, "%s: %s", path, a.body)
			bodies = append(bodies, string(a.body)+a.header["Etag"])
			of[a.header["X-Sequence"]] = true
		}
		query := fmt.Sprintf(`{"lines":[{"skuId":%q,"from":%q}]}`, sku, when(noon))
		joint := "?" + more
		if more == "" {
			joint = ""
		}
		return append(bodies, string(s.call("POST", "/v1/admin/availability/query"+joint, query).body))
	}
	was := read("")
	pinned := s.ok("POST", snapshotsPath, "")
	require.Equal(t, when(noon+pinnedFor), pinned["expiresAt"])
	sequence := strconv.Itoa(int(pinned["sequence"].(float64)))
	asOf := "asOf=" + sequence
	require.Equal(t, map[string]bool{sequence: true}, of)

	s.clock.Add(5000)
	s.ok("PATCH", "/v1/admin/skus/"+sku, `{"name":"new"}`)
	s.ok("PATCH", "/v1/admin/locations/"+location, `{"name":"new"}`)
	s.ok("PATCH", "/v1/admin/articles/"+article, `{"name":"new"}`)
	s.ok("POST", "/v1/admin/articles/"+article+"/increase-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":7}`, location))
	s.ok("POST", "/v1/admin/holds", s.holdBody("sku", sku, location, noon+hour, noon+day, 3))
	s.ok("DELETE", "/v1/admin/holds/"+hold, "")
	require.Equal(t, was, read(asOf))
	require.Equal(t, map[string]bool{sequence: true}, of)
	now := read("")
	require.Len(t, of, 1)
	require.NotContains(t, of, sequence)
	for i := range reads {
		if reads[i] != "/v1/admin/account" && !strings.Contains(was[i], `"total":0,`) {
			require.NotEqual(t, was[i], now[i], reads[i])
		}
	}
	require.Equal(t, 304, s.call("GET", "/v1/admin/skus/"+sku+"?"+asOf, "", "If-None-Match", `"1"`).status)
	// What was made since is not there.
	made := s.ok("POST", "/v1/admin/locations", `{"name":"x","timezone":"UTC"}`)["id"].(string)
	s.refused(404, base.CodeNotFound, "GET", "/v1/admin/locations/"+made+"?"+asOf, "")

	// Another account's are nobody's; one that is not pinned, or no more, is gone.
	s.call("GET", "/v1/admin/skus?"+asOf, "", "X-API-KEY", s.other).isRefusal(410, base.CodeSnapshotGone)
	s.refused(410, base.CodeSnapshotGone, "GET", "/v1/admin/skus?asOf=1", "")
	s.refused(400, base.CodeInvalid, "GET", "/v1/admin/skus?asOf=0", "", "query asOf range")
	s.refused(400, base.CodeInvalid, "GET", "/v1/admin/skus?asOf=1&asOf=2", "", "query asOf duplicate")
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/locations?"+asOf, `{"name":"x","timezone":"UTC"}`,
		"query asOf unknown")
	s.refused(400, base.CodeInvalid, "GET", "/healthz?"+asOf, "", "query asOf unknown")
	s.clock.Add(pinnedFor - 5000 - 1)
	require.Equal(t, was, read(asOf))
	s.clock.Add(1)
	s.refused(410, base.CodeSnapshotGone, "GET", "/v1/admin/skus?"+asOf, "")
	require.Zero(t, s.server.pins.count())
}

// A state that nothing has changed since it was pinned is of the instant at which it is pinned again.
func TestAStateThatIsPinnedAgainIsOfThePresent(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	s.ok("POST", ordersPath, rental("open", location, sku, noon+hour, noon+day, 1, ""))
	late := func() any {
		sequence := s.ok("POST", snapshotsPath, "")["sequence"].(float64)
		return at(s.ok("GET", fmt.Sprintf("%s?late=pickup&asOf=%.0f", ordersPath, sequence), ""), "pagination", "total")
	}
	require.EqualValues(t, 0, late())
	s.clock.Add(hour - pinnedFor/2)
	require.EqualValues(t, 0, late())
	s.clock.Add(pinnedFor/2 + 1)
	require.EqualValues(t, 1, late())
}

func TestPinsAreBounded(t *testing.T) {
	s := newShop(t)
	pin := func(key string) *answer { return s.call("POST", snapshotsPath, "", "X-API-KEY", key) }
	change := func() { s.ok("POST", "/v1/admin/skus", `{"name":"x"}`) }
	for range pinsOfAnAccount {
		require.Equal(t, 200, pin(s.key).status)
		s.clock.Add(1000)
		require.Equal(t, 200, pin(s.key).status, "the same state: kept for longer")
		change()
	}
	require.Equal(t, pinsOfAnAccount, s.server.pins.count())
	a := pin(s.key)
	a.isRefusal(429, base.CodeRateLimited)
	require.Equal(t, "53", a.header["Retry-After"])
	require.Equal(t, 200, pin(s.other).status, "another account has its own")
	s.clock.Add(53_000)
	require.Equal(t, 200, pin(s.key).status)

	for i := range pinsInAll - s.server.pins.count() {
		account := base.ID{byte(i), 15: 'p', 6: 0x70, 8: 0x80}
		_, err := s.eng.Do(engine.Command{Account: account, Actor: "test",
			Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "x"}}})
		require.NoError(t, err)
		v, _ := s.eng.View(account)
		_, ok, _ := s.server.pins.add(v, s.clock.Load(), s.clock.Load())
		require.True(t, ok)
	}
	change()
	s.server.pins.mu.Lock()
	for i := range s.server.pins.list {
		s.server.pins.list[i].until = s.clock.Load() + 7000 + int64(i)
	}
	s.server.pins.mu.Unlock()
	a = s.call("POST", snapshotsPath, "", "X-API-KEY", s.other)
	require.Equal(t, 200, a.status, "pinned already")
	_, key := s.planned("unlimited", "newcomer1")
	a = pin(key)
	a.isRefusal(429, base.CodeRateLimited)
	require.Equal(t, "7", a.header["Retry-After"], "until the first of them goes")
	s.server.pins.expire(s.clock.Load() + 7000)
	require.Equal(t, 200, pin(key).status)
}

// Accounts that pin all that they may leave one for each of many others.
func TestAccountsThatPinMuchLeaveSomeToOthers(t *testing.T) {
	s := newShop(t)
	pin := func(key string) *answer { return s.call("POST", snapshotsPath, "", "X-API-KEY", key) }
	account := func(i int) string {
		_, key := s.newAccount("Account", fmt.Sprintf("%c0000000", 'a'+i))
		return key
	}
	pinned := 0
	for i := range pinsInAll / pinsOfAnAccount {
		key := account(i)
		for range pinsOfAnAccount {
			if pin(key).status == 200 {
				pinned++
			}
			s.call("POST", "/v1/admin/skus", `{"name":"x"}`, "X-API-KEY", key)
			s.clock.Add(100)
		}
	}
	require.Equal(t, 36, pinned, "eight of each of the first four, and one of each of the others")
	require.Equal(t, 200, pin(s.key).status)
	s.ok("POST", "/v1/admin/skus", `{"name":"x"}`)
	a := pin(s.key)
	a.isRefusal(429, base.CodeRateLimited)
	require.Equal(t, "55", a.header["Retry-After"], "until fewer than 32 are left")
}
