package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"holdfast/api/ratelimit"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/persist"
)

// from sends a request as if it came from an address, and returns the answer.
func (s *shop) from(address, raw string) *fasthttp.Response {
	s.Helper()
	var ctx fasthttp.RequestCtx
	require.NoError(s, ctx.Request.Read(bufio.NewReader(strings.NewReader(strings.ReplaceAll(raw, "\n", "\r\n")))))
	ctx.SetRemoteAddr(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address)))
	s.server.serve(&ctx)
	return &ctx.Response
}

// request is a GET of the account with a key, by a person's user agent unless headers say otherwise.
func get(path, key string, headers ...string) string {
	if len(headers) == 0 {
		headers = []string{"User-Agent: Mozilla/5.0"}
	}
	return "GET " + path + " HTTP/1.1\nHost: shop\nX-API-KEY: " + key + "\n" + strings.Join(headers, "\n") + "\n\n"
}

// tells are the headers that tell of limits: limit, remaining, seconds until the reset, Retry-After.
func (s *shop) tells(r *fasthttp.Response) [4]string {
	t := [4]string{
		string(r.Header.Peek("X-RateLimit-Limit")), string(r.Header.Peek("X-RateLimit-Remaining")),
		string(r.Header.Peek("X-RateLimit-Reset")), string(r.Header.Peek("Retry-After")),
	}
	if t[2] != "" {
		reset, err := strconv.ParseInt(t[2], 10, 64)
		require.NoError(s, err)
		t[2] = strconv.FormatInt(reset-s.clock.Load()/1000, 10)
	}
	return t
}

// planned makes an account of a plan, with a key.
func (s *shop) planned(plan, keyID string) (id base.ID, key string) {
	id = base.ID{15: keyID[0], 6: 0x70, 8: 0x80}
	_, err := s.eng.Do(engine.Command{Account: id, Actor: "test",
		Op: base.CreateAccount{AccountFields: base.AccountFields{Name: plan}, Plan: plan}})
	require.NoError(s, err)
	return id, s.newKey(id, engine.CreateKey{PublicID: keyID})
}

func TestAddressLimit(t *testing.T) {
	s := newShop(t)
	const one, path = "192.0.2.1:1000", "/v1/admin/account"
	const none = ""
	for i := range 598 {
		r := s.from(one, get(path, none))
		require.Equal(t, 401, r.StatusCode())
		require.Equal(t, [4]string{"600", strconv.Itoa(599 - i), "60", ""}, s.tells(r))
	}
	s.clock.Add(20_500)
	r := s.from(one, get(path, none, "User-Agent: Googlebot/2.1"))
	require.Equal(t, 429, r.StatusCode(), "a bot's request costs more than is left")
	require.Equal(t, [4]string{"600", "2", "40", "40"}, s.tells(r))
	require.Contains(t, string(r.Body()), `"code":"RATE_LIMITED"`)
	require.Contains(t, string(r.Body()), `"details":{"layer":"ip"}`)
	require.Equal(t, 401, s.from("192.0.2.1:2000", get(path, none)).StatusCode())
	require.Equal(t, 401, s.from(one, get(path, none)).StatusCode())
	require.Equal(t, 429, s.from(one, get(path, none)).StatusCode(), "another port is the same address")
	require.Equal(t, 429, s.from(one, get(path, s.key)).StatusCode(), "whoever asks: no key is looked at")

	// What is refused by the route, or asked by what watches the service, is not charged; another address is another's.
	require.Equal(t, 404, s.from(one, get("/nothing", none)).StatusCode())
	require.Equal(t, 200, s.from(one, get("/readyz", "")).StatusCode())
	require.Equal(t, 401, s.from("192.0.2.2:1", get(path, none)).StatusCode())
	s.clock.Add(39_500)
	r = s.from(one, get(path, none))
	require.Equal(t, [4]string{"600", "599", "60", ""}, s.tells(r))
}

func TestWhoPaysForAnAddress(t *testing.T) {
	s := newShop(t)
	s.server.limits.Exempt = []netip.Prefix{netip.MustParsePrefix("198.51.100.0/24"),
		netip.MustParsePrefix("2001:db8::/32")}
	const path = "/v1/admin/account"
	remaining := func(address, raw string) string { return s.tells(s.from(address, raw))[1] }
	for i, agent := range []string{"", "User-Agent:", "User-Agent: Bingbot", "User-Agent: some CRAWLER",
		"User-Agent: Baiduspider+", "User-Agent: " + strings.Repeat("long ", 200) + "bot"} {
		require.Equal(t, "595", remaining(fmt.Sprintf("192.0.2.%d:1", i),
			strings.Replace(get(path, "x", agent), "\n\n\n", "\n\n", 1)), agent)
	}
	for i, agent := range []string{"User-Agent: curl/8", "User-Agent: bo t", "User-Agent: holdfast-client"} {
		require.Equal(t, "599", remaining(fmt.Sprintf("192.0.2.%d:1", 10+i), get(path, "x", agent)), agent)
	}
	for _, address := range []string{"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1", "198.51.100.7:1",
		"[::ffff:198.51.100.7]:1", "[2001:db8:9::1]:1"} {
		require.Equal(t, "", remaining(address, get(path, "x")), address)
	}
	require.Equal(t, "599", remaining("[2001:db9::1]:1", get(path, "x")))

	// An account without limits gets back what its requests cost, and is told of none.
	for range 700 {
		r := s.from("203.0.113.1:1", get(path, s.key, "User-Agent: a bot of ours"))
		require.Equal(t, 200, r.StatusCode())
		require.Equal(t, [4]string{}, s.tells(r))
	}
	require.Equal(t, "599", remaining("203.0.113.1:1", get(path, "x")))

	s.server.limits.PerAddress = 0
	require.Equal(t, "", remaining("203.0.113.1:1", get(path, "x")))
}

func TestAccountAndKeyLimits(t *testing.T) {
	s := newShop(t)
	_, key := s.planned("starter", "starter11")
	id := base.ID{15: 's', 6: 0x70, 8: 0x80}
	second := s.newKey(id, engine.CreateKey{PublicID: "starter22"})
	call := func(key string) *answer { return s.call("GET", "/v1/admin/account", "", "X-API-KEY", key) }
	tells := func(a *answer) [4]string {
		return [4]string{a.header["X-Ratelimit-Limit"], a.header["X-Ratelimit-Remaining"],
			a.header["X-Ratelimit-Reset"], a.header["Retry-After"]}
	}
	reset := func(in int64) string { return strconv.FormatInt(noon/1000+in, 10) }
	for i := range 50 {
		a := call(key)
		require.Equal(t, 200, a.status)
		require.Equal(t, [4]string{"50", strconv.Itoa(49 - i), reset(int64(i)/2 + 1), ""}, tells(a))
	}
	a := call(key)
	a.isRefusal(429, base.CodeRateLimited)
	require.Equal(t, [4]string{"50", "0", reset(25), "1"}, tells(a))
	require.Equal(t, map[string]any{"layer": "key"}, at(a.object(), "details"))
	// A caller compares the instant with its own clock, not with one that is ahead.
	s.server.behind = func() time.Duration { return 49*time.Minute + time.Millisecond }
	require.Equal(t, [4]string{"50", "0", reset(25 - 49*60), "1"}, tells(call(key)))
	s.server.behind = func() time.Duration { return 0 }

	// A key of the same account has its own burst, but the account's minute is one.
	for range 50 {
		require.Equal(t, 200, call(second).status)
	}
	s.clock.Add(10_000)
	for i := range 20 {
		a = call(second)
		require.Equal(t, 200, a.status)
		require.Equal(t, strconv.Itoa(19-i), tells(a)[1])
	}
	for _, key := range []string{key, second} {
		a = call(key)
		a.isRefusal(429, base.CodeRateLimited)
		require.Equal(t, [4]string{"120", "0", reset(60), "50"}, tells(a))
		require.Equal(t, map[string]any{"layer": "account"}, at(a.object(), "details"))
	}
	// Another account is not touched, and a request that is refused for its key costs none.
	require.Equal(t, 200, call(s.other).status)
	call("hf_starter11_"+strings.Repeat("x", 32)).isRefusal(401, base.CodeUnauthenticated)
	s.call("GET", "/v1/admin/account", "", "X-API-KEY", key, "X-Api-Version", "2020-01").
		isRefusal(400, base.CodeVersion)
	s.clock.Add(50_000)
	a = call(key)
	require.Equal(t, 200, a.status)
	require.Equal(t, "49", tells(a)[1])
	// What is refused later is charged: here for the scope.
	limited := s.newKey(id, engine.CreateKey{PublicID: "starter33", Scopes: []string{"orders.read"}})
	a = call(limited)
	a.isRefusal(403, base.CodeMissingScope)
	require.Equal(t, "49", tells(a)[1])
}

func TestMonthlyCap(t *testing.T) {
	s := newShop(t)
	s.server.limits.Plans = map[string]ratelimit.Plan{
		"starter": {PerMinute: 1000, PerSecond: 1000, Burst: 1000, PerMonth: 10}}
	_, key := s.planned("starter", "starter11")
	call := func() *answer { return s.call("GET", "/v1/admin/account", "", "X-API-KEY", key) }
	for i := range 10 {
		a := call()
		require.Equal(t, 200, a.status)
		require.Equal(t, "10", a.header["X-Ratelimit-Limit"])
		require.Equal(t, map[bool]string{true: fmt.Sprintf("%d of the month's 10 requests are used", i+1)}[i+1 >= 8],
			a.header["X-Ratelimit-Warning"])
	}
	a := call()
	a.isRefusal(429, base.CodeMonthlyCap)
	july := time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	require.Equal(t, strconv.FormatInt((july-noon)/1000, 10), a.header["Retry-After"])
	require.Equal(t, strconv.FormatInt(july/1000, 10), a.header["X-Ratelimit-Reset"])
	require.Equal(t, map[string]any{"layer": "key"}, at(a.object(), "details"))
	require.Equal(t, "10 of the month's 10 requests are used", a.header["X-Ratelimit-Warning"])
	s.clock.Store(july)
	require.Equal(t, 200, call().status)
}

// A client that asks before it sends its body is charged once.
func TestExpectIsChargedOnce(t *testing.T) {
	s := newShop(t)
	s.server.limits.Plans = map[string]ratelimit.Plan{
		"unlimited": {PerMinute: 100, PerSecond: 1, Burst: 50, PerMonth: 1000}}
	c, err := s.listener.Dial()
	require.NoError(t, err)
	defer c.Close()
	r := bufio.NewReader(c)
	for i := range 2 {
		const body = `{"name":"x","timezone":"UTC"}`
		_, err = fmt.Fprintf(c, "POST /v1/admin/locations HTTP/1.1\r\nHost: shop\r\nX-API-KEY: %s\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", s.key, len(body))
		require.NoError(t, err)
		var res fasthttp.Response
		require.NoError(t, res.Header.Read(r))
		require.Equal(t, 100, res.StatusCode())
		_, err = c.Write([]byte(body))
		require.NoError(t, err)
		require.NoError(t, res.Read(r))
		require.Equal(t, 200, res.StatusCode())
		require.Equal(t, strconv.Itoa(49-i), string(res.Header.Peek("X-RateLimit-Remaining")))
	}
}

// What was counted outlives the process, and is no part of the state.
func TestUsageOutlivesTheProcess(t *testing.T) {
	fs := vfs.NewMem()
	account := base.ID{15: 'u', 6: 0x70, 8: 0x80}
	limits := Limits{
		Plans: map[string]ratelimit.Plan{"starter": {PerMinute: 1000, PerSecond: 1000, Burst: 1000, PerMonth: 1000}}}
	s := &shop{TB: t}
	s.clock.Store(noon)
	run := func(use func()) {
		store, err := persist.Open(persist.Options{Dir: "data", FS: fs})
		require.NoError(t, err)
		s.eng, err = engine.Open(context.Background(),
			engine.Options{Store: store, Now: s.clock.Load, Manual: true, Random: func() (b [10]byte) { return b }})
		require.NoError(t, err)
		s.server = NewServer(Options{Now: s.clock.Load, Limits: limits, Logger: slog.New(slog.DiscardHandler)})
		s.server.Attach(s.eng)
		use()
		require.NoError(t, s.server.Shutdown(context.Background()))
		require.NoError(t, s.eng.Close())
		require.NoError(t, store.Close())
		_, err = persist.Verify("data", persist.VerifyOptions{FS: fs,
			Check: func(s *persist.Store) error { return engine.Verify(context.Background(), s, 0) }})
		require.NoError(t, err)
	}
	var key string
	used := func() string {
		r := s.from("127.0.0.1:1", get("/v1/admin/account", key))
		require.Equal(t, 200, r.StatusCode())
		return string(r.Header.Peek("X-RateLimit-Remaining"))
	}
	var hash uint64
	run(func() {
		_, err := s.eng.Do(engine.Command{Account: account, Actor: "test",
			Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "x"}, Plan: "starter"}})
		require.NoError(t, err)
		key = s.newKey(account, engine.CreateKey{PublicID: "counted11"})
		_, hash = s.eng.State()
		for i := range 900 {
			s.clock.Add(2)
			require.Equal(t, strconv.Itoa(999-i), used())
		}
	})
	last := s.clock.Load()
	s.clock.Add(1000)
	run(func() {
		v, _ := s.eng.View(account)
		require.Equal(t, last, s.server.meters.Last(account, engine.Keys(v).At(0).ID))
		require.Equal(t, "99", used())
		_, got := s.eng.State()
		require.Equal(t, hash, got)
	})
	run(func() { require.Equal(t, "98", used()) })
}

func TestUsageIsSavedOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(Options{Now: func() int64 { return time.Now().UnixMilli() },
			Logger: slog.New(slog.DiscardHandler)})
		saved := make(chan []engine.Usage, 10)
		var fails error
		done := make(chan bool)
		go func() {
			s.keepSaving(func(u []engine.Usage) error {
				saved <- u
				return fails
			})
			close(done)
		}()
		take := func() { s.meters.Of(base.ID{1}).Take(base.ID{2}, time.Now().UnixMilli(), nil) }
		time.Sleep(100 * time.Millisecond)
		for range 1000 {
			take()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		require.Len(t, saved, 1)
		u := <-saved
		require.Equal(t, []int64{1000, 1000}, []int64{u[0].Count, u[1].Count})
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Empty(t, saved, "nothing has changed")
		take()
		s.endUsage(context.Background())
		<-done
		require.Len(t, saved, 1, "at the end whatever is left")
		<-saved

		// The storage fails: it is said once, and nothing more is tried.
		s = NewServer(Options{Now: func() int64 { return 0 }, Logger: slog.New(slog.DiscardHandler)})
		fails = errors.New("disk is gone")
		done = make(chan bool)
		go func() {
			s.keepSaving(func([]engine.Usage) error { return fails })
			close(done)
		}()
		take()
		<-done
	})
}

func TestLastUsedAt(t *testing.T) {
	s := newShop(t)
	made := s.ok("POST", keysPath, `{"label":"x"}`)
	require.Nil(t, made["lastUsedAt"])
	key := made["key"].(string)
	s.clock.Add(5000)
	require.Equal(t, when(noon+5000), at(s.ok("GET", keysPath, ""), "data", 0, "lastUsedAt"))
	require.Nil(t, at(s.ok("GET", keysPath, ""), "data", 1, "lastUsedAt"))
	s.call("GET", "/v1/admin/account", "", "X-API-KEY", key[:len(key)-1]+"_").isRefusal(401, base.CodeUnauthenticated)
	require.Nil(t, at(s.ok("GET", keysPath, ""), "data", 1, "lastUsedAt"))
	s.ok("GET", "/v1/admin/account", "", "X-API-KEY", key)
	require.Equal(t, when(noon+5000), at(s.ok("GET", keysPath, ""), "data", 1, "lastUsedAt"))
}

// What goes through pages by itself says so somewhere in its user agent, in whatever case.
func TestUserAgentsOfMachines(t *testing.T) {
	for agent, machine := range map[string]bool{
		"": true, "Mozilla/5.0 (compatible; GoogleBot/2.1)": true, "bot": true, "A CRAWLER": true, "crawlers": true,
		"Baiduspider": true,
		"curl/8.5.0":  false, "Mozilla/5.0 (X11; Linux x86_64)": false, "bo": false, "robust": false, "Crawl": false,
		"spi der": false,
	} {
		require.Equal(t, machine, noPerson([]byte(agent)), "%q", agent)
	}
}
