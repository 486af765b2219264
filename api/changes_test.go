package api

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
)

const changesPath = "/v1/admin/changes"

// lines are the changes of an answer, each as "resource change".
func lines(a *answer) (list []string) {
	a.Helper()
	require.Equal(a, 200, a.status, "%s", a.body)
	for _, c := range a.object()["changes"].([]any) {
		list = append(list, fmt.Sprint(at(c, "resource"), " ", at(c, "change")))
	}
	return list
}

func TestEveryResourceIsToldOf(t *testing.T) {
	var told []string
	for _, f := range feeds {
		told = append(told, f.resource)
	}
	require.ElementsMatch(t, engine.Resources(), told)
}

func TestChangesFeed(t *testing.T) {
	s, location, sku, article, second := stocked(t)
	all := s.call("GET", changesPath, "")
	require.Equal(t, []string{"account created", "apiKey created", "location created", "sku created", "article created",
		"article created"}, lines(all))
	for i, c := range all.object()["changes"].([]any) {
		require.Equal(t, float64(i+1), at(c, "sequence"))
		require.Equal(t, when(noon), at(c, "at"))
		require.Contains(t, []any{"test", "key 11111111"}, at(c, "actor"))
		require.NotNil(t, at(c, "record"))
	}
	records := at(all.object(), "changes").([]any)
	require.Equal(t, s.ok("GET", "/v1/admin/locations/"+location, ""), at(records, 2, "record"))
	require.Equal(t, s.ok("GET", "/v1/admin/skus/"+sku, ""), at(records, 3, "record"))
	require.Equal(t, s.ok("GET", "/v1/admin/articles/"+second, ""), at(records, 5, "record"))
	require.NotContains(t, string(all.body), strings.Repeat("s", 32))

	// Page by page, and with a cursor or a bare sequence, it is the same.
	var paged []any
	for after := "0"; ; {
		a := s.ok("GET", changesPath+"?limit=1&after="+after, "")
		if len(a["changes"].([]any)) == 0 {
			require.Equal(t, after, a["next"])
			break
		}
		require.Len(t, a["changes"], 1)
		paged = append(paged, a["changes"].([]any)...)
		after = a["next"].(string)
	}
	require.Equal(t, records, paged)
	require.Equal(t, []string{"article created"}, lines(s.call("GET", changesPath+"?after=5", "")))

	// What happened since a state was read, whatever has become of the records.
	since := s.ok("GET", fmt.Sprintf("/v1/admin/availability?skuId=%s&from=%s", sku, when(noon)),
		"")["sequence"].(float64)
	next := s.ok("GET", changesPath+"?after="+strconv.Itoa(int(since)), "")["next"].(string)
	hold := s.ok("POST", "/v1/admin/holds", s.holdBody("sku", sku, location, noon+day, noon+2*day, 1))["id"].(string)
	event := s.ok("POST", "/v1/admin/articles/"+article+"/scheduled-events", fmt.Sprintf(
		`{"type":"note","name":"n","serviceLocationId":%q,"startDate":%q,"endDate":%q}`, location, when(noon),
		when(noon+day)))["id"].(string)
	s.ok("DELETE", "/v1/admin/articles/"+article+"/scheduled-events/"+event, "")
	s.ok("DELETE", "/v1/admin/holds/"+hold, "")
	a := s.call("GET", changesPath+"?after="+next, "")
	require.Equal(t, []string{"hold created", "scheduledEvent created", "scheduledEvent deleted", "hold updated"},
		lines(a))
	require.Equal(t, "released", at(a.object(), "changes", 0, "record", "status"), "as it is now")
	require.Nil(t, at(a.object(), "changes", 1, "record"))
	require.Equal(t, event, at(a.object(), "changes", 2, "resourceId"))
}

// A key is told of what it may read, of nothing else, and of keys only where it may do everything.
func TestChangesAreFilteredByScope(t *testing.T) {
	s, _, _, _, _ := stocked(t)
	read := func(id string, scopes ...string) (list []string) {
		key := s.newKey(s.account, engine.CreateKey{PublicID: id, Scopes: scopes})
		for after := "0"; ; {
			a := s.call("GET", changesPath+"?limit=1&after="+after, "", "X-API-KEY", key)
			part := lines(a)
			if len(part) == 0 {
				return list
			}
			list, after = append(list, part...), a.object()["next"].(string)
		}
	}
	require.Equal(t, []string{"account created"}, read("scoped001", "account.read"))
	require.Equal(t, []string{"account created", "location created"},
		read("scoped002", "account.read", "locations.write"))
	require.Equal(t, []string{"account created", "sku created"},
		read("scoped003", "account.read", "inventory.skus.read"))
	require.Equal(t, []string{"account created", "sku created", "article created", "article created"},
		read("scoped004", "account.read", "inventory.read"))
	// Tags are told by their own scope, those that are gone as well.
	for _, scope := range []string{"inventory", "customers"} {
		g := s.ok("POST", "/v1/admin/tags", `{"value":"v","scope":"`+scope+`"}`)
		s.ok("DELETE", "/v1/admin/tags/"+g["id"].(string), "")
	}
	s.ok("POST", "/v1/admin/tags", `{"value":"v","scope":"customers"}`)
	require.Equal(t, []string{"account created", "tag created", "tag deleted", "tag created"},
		read("scoped006", "account.read", "customers.read"))
	require.Equal(t, []string{"account created", "article created", "article created", "tag created", "tag deleted"},
		read("scoped007", "account.read", "inventory.stock_items.read"))
	key := s.newKey(s.account, engine.CreateKey{PublicID: "scoped005", Scopes: []string{"inventory.read"}})
	s.call("GET", changesPath, "", "X-API-KEY", key).isRefusal(403, base.CodeMissingScope)
	require.Equal(t, []string{"account created", "apiKey created"},
		lines(s.call("GET", changesPath, "", "X-API-KEY", s.other)))
}

func TestChangesInputs(t *testing.T) {
	s := newShop(t)
	bad := func(query string, faults ...string) {
		t.Helper()
		s.refused(400, base.CodeInvalid, "GET", changesPath+query, "", faults...)
	}
	bad("?after=x&limit=0&wait=61", "query after format", "query limit range", "query wait range")
	bad("?after=-1", "query after format")
	bad("?after=1.", "query after format")
	bad("?after=1.0", "query after format")
	bad("?after=1.xyz&asOf=1", "query after format", "query asOf unknown")
	bad("?after=1.2.0", "query after format")
	bad("?after=1.2.3.4&wait=a", "query after format", "query wait type")
	s.refused(410, base.CodeCursorGone, "GET", changesPath+"?after=3", "")
	next := s.ok("GET", changesPath, "")["next"].(string)
	sequence, incarnation, _ := strings.Cut(next, ".")
	require.Equal(t, "2", sequence)
	flipped := map[bool]string{true: "2", false: "1"}[incarnation[0] == '1'] + incarnation[1:]
	s.refused(410, base.CodeCursorGone, "GET", changesPath+"?after=1."+flipped, "")
	s.ok("GET", changesPath+"?after=1."+incarnation, "")
}

// A request that waits is answered by the first change that its key may read, by the end of its time, by the end of the
// server, and by the end of its key.
func TestChangesAreWaitedFor(t *testing.T) {
	s := newShop(t)
	scoped := s.ok("POST", keysPath, `{"label":"x","scopes":["account.read","locations.read"]}`)
	poll := func(key string) <-chan *answer {
		done := make(chan *answer, 1)
		before := s.waiting()
		go func() { done <- s.poll(changesPath+"?wait=60&after=3", key) }()
		for s.waiting() == before && len(done) == 0 {
			runtime.Gosched()
		}
		return done
	}
	first, second := poll(s.key), poll(scoped["key"].(string))
	s.ok("POST", "/v1/admin/skus", `{"name":"x"}`)
	require.Equal(t, []string{"sku created"}, lines(<-first))
	require.Empty(t, second)
	s.ok("POST", "/v1/admin/locations", `{"name":"x","timezone":"UTC"}`)
	a := <-second
	require.Equal(t, []string{"location created"}, lines(a))
	require.True(t, strings.HasPrefix(a.object()["next"].(string), "5."))

	third := poll(scoped["key"].(string))
	<-third // there is something already
	s.ok("GET", changesPath+"?wait=1&after=5", "")
	require.Zero(t, s.waiting())

	s.ok("POST", "/v1/admin/skus", `{"name":"x"}`) // nothing that the key may read
	gone := make(chan *answer, 1)
	go func() { gone <- s.poll(changesPath+"?wait=60&after=5", scoped["key"].(string)) }()
	for s.waiting() == 0 {
		runtime.Gosched()
	}
	s.ok("DELETE", keysPath+"/"+scoped["id"].(string), "")
	(<-gone).isRefusal(401, base.CodeKeyRevoked)

	last := make(chan *answer, 1)
	go func() { last <- s.poll(changesPath+"?wait=60&after=7", s.key) }()
	for s.waiting() == 0 {
		runtime.Gosched()
	}
	s.server.stopping.Store(true)
	close(s.server.quit)
	require.Empty(t, lines(<-last))
}

// poll is call without a look at the state, which may change meanwhile.
func (s *shop) poll(path, key string) *answer {
	res := s.raw("GET", path, "X-API-KEY", key)
	return &answer{shop: s, what: path, status: res.StatusCode(), body: append([]byte(nil), res.Body()...)}
}

func (s *shop) waiting() int {
	s.server.pollers.mu.Lock()
	defer s.server.pollers.mu.Unlock()
	return s.server.pollers.all
}

// An account that has as many waits as it may ends its oldest for one more, which may be of a client that has gone.
func TestPollersAreBounded(t *testing.T) {
	s := newShop(t)
	other, _, _ := s.eng.Key([]byte("22222222"))
	oldest := make(chan *answer, 1)
	go func() { oldest <- s.poll(changesPath+"?wait=60&after=2", s.key) }()
	for s.waiting() == 0 {
		runtime.Gosched()
	}
	p, now := &s.server.pollers, s.clock.Add(1)
	for range pollersOfAnAccount - 1 {
		_, ok := p.join(s.account, now)
		require.True(t, ok)
	}
	s.clock.Add(pollerLeast - 2)
	a := s.call("GET", changesPath+"?wait=60&after=2", "")
	a.isRefusal(429, base.CodeRateLimited)
	require.Equal(t, "1", a.header["Retry-After"])
	require.Equal(t, map[string]any{"layer": "account"}, at(a.object(), "details"))
	require.Empty(t, lines(s.call("GET", changesPath+"?after=2", "")), "one that does not wait is answered")

	s.clock.Add(1)
	newest := make(chan *answer, 1)
	go func() { newest <- s.poll(changesPath+"?wait=60&after=2", s.key) }()
	require.Empty(t, lines(<-oldest), "it made room")
	require.Equal(t, pollersOfAnAccount, s.waiting())
	require.Empty(t, newest)

	own, ok := p.join(other.ID, now)
	require.True(t, ok)
	p.leave(own)
	p.leave(own)
	for i := range pollersInAll - pollersOfAnAccount {
		_, ok := p.join(base.ID{byte(i >> 8), byte(i)}, now)
		require.True(t, ok)
	}
	_, ok = p.join(other.ID, now)
	require.False(t, ok, "the oldest has only just begun")
	_, ok = p.join(other.ID, now+pollerLeast)
	require.True(t, ok, "the account that has most gives one up")
	require.Equal(t, pollersInAll, s.waiting())
	require.Len(t, p.by[s.account], pollersOfAnAccount-1)
	s.ok("POST", "/v1/admin/skus", `{"name":"x"}`)
	require.Equal(t, []string{"sku created"}, lines(<-newest))
}
