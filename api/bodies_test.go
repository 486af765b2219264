package api

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"holdfast/engine"
	"holdfast/engine/base"
)

// This file owns the tests of what becomes of the room of bodies: whose it is, and that it is given back.

// upload begins a long body, which is as long as the caller goes on.
func (s *shop) upload(key, how, body string) net.Conn {
	s.Helper()
	c, err := s.listener.Dial()
	require.NoError(s, err)
	s.send(c, key, how, body)
	return c
}

// send begins a long body on a connection.
func (s *shop) send(c net.Conn, key, how, body string) {
	s.Helper()
	_, err := fmt.Fprintf(c, "POST /v1/admin/skus HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\n"+
		"X-API-KEY: %s\r\n%s\r\n\r\n%s", key, how, body)
	require.NoError(s, err)
}

// bodiless demands that no body is under way any more.
func (s *shop) bodiless() {
	s.Helper()
	b := &s.server.bodies
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Zero(s, b.room.taken())
	require.Empty(s, b.by)
	require.Empty(s, b.keys)
}

// However a body breaks off, its room is given back when the connection ends.
func TestBodiesThatBreakOffGiveTheirRoomBack(t *testing.T) {
	s := newShop(t)
	others := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate
	defer others.Close()
	secure := fasthttputil.NewInmemoryListener()
	go s.server.ServeTLS(timely{secure}, others.TLS)
	const inChunks, whole, first = "Transfer-Encoding: chunked", "Content-Length: 900000", "Expect: 100-continue\r\n"
	for _, c := range [][2]string{{inChunks, ""}, {inChunks, "5"}, {inChunks, "5\r\n{"}, {inChunks, "5\r\n{\"a\":\r\n"},
		{inChunks, "zz\r\n"}, {whole, ""}, {whole, "{"}, {first + inChunks, ""}, {first + whole, ""}} {
		for _, listener := range []*fasthttputil.InmemoryListener{s.listener, secure} {
			conn, err := listener.Dial()
			require.NoError(t, err)
			if listener == secure {
				conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
			}
			s.send(conn, s.key, c[0], c[1])
			taken := func() bool { return s.server.bodies.room.taken() > 0 }
			if c[1] == "zz\r\n" { // which is refused at once
				_, err = conn.Read(make([]byte, 1))
				require.NoError(t, err)
			} else {
				require.Eventually(t, taken, time.Minute, time.Millisecond)
			}
			_ = conn.Close() // which may find that the server has closed its end
			require.Eventually(t, func() bool { return !taken() }, time.Minute, time.Millisecond, "%q", c)
		}
	}
	s.bodiless()
}

// A body that nobody says anything of any more is ended when it had to be there. One that has arrived is not: it may
// take long to answer.
func TestBodiesThatDoNotArriveAreEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bodies{room: room{bound: Bytes{PerAccount: 100, InAll: 100}}}
		var lost, kept fasthttp.RequestHeader
		require.True(t, b.begin(&lost, &longBody{n: 10}, time.Minute))
		require.True(t, b.begin(&kept, &longBody{n: 20}, time.Minute))
		b.arrived(&kept)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.EqualValues(t, 20, b.room.taken())
		require.Len(t, b.by, 1)
		require.False(t, b.end(&lost))

		require.True(t, b.begin(&lost, &longBody{n: 10}, time.Hour), "the same connection has another one")
		b.end(&kept)
		b.end(&lost)
		require.Zero(t, b.room.taken())
		require.Empty(t, b.by)
		require.Empty(t, b.keys)
	})
}

// Bodies of a key that opens nothing take no room of its account.
func TestBodiesOfKeysThatOpenNothing(t *testing.T) {
	s := newShop(t)
	expires := noon + hour
	made := s.newKey(s.account, engine.CreateKey{PublicID: "33333333", ExpiresAt: &expires})
	revoked := s.ok("POST", keysPath, `{"label":"old"}`)
	bound := func(key string) int {
		var h fasthttp.RequestHeader
		h.SetContentLength(1 << 20)
		h.Set("X-API-KEY", key)
		defer s.server.bodies.end(&h)
		return s.server.bodyBound(&h)
	}
	require.Equal(t, bulkBodyLimit, bound(made))
	require.Equal(t, bulkBodyLimit, bound(revoked["key"].(string)))
	s.ok("DELETE", keysPath+"/"+revoked["id"].(string), "")
	s.clock.Add(hour)
	require.Equal(t, shortBody, bound(made), "it has expired")
	require.Equal(t, shortBody, bound(revoked["key"].(string)), "it was revoked")
	require.Equal(t, bulkBodyLimit, bound(s.key))
}

// The bodies of one key leave room for those of the account's other keys.
func TestAKeyLeavesRoomForBodiesOfOthers(t *testing.T) {
	s := newShop(t)
	s.server.bodies.room.bound = Bytes{PerAccount: 400 << 10, InAll: 4 << 20}
	other := s.newKey(s.account, engine.CreateKey{PublicID: "33333333"})
	long := `{"name":"Bike"}` + strings.Repeat(" ", 90<<10)
	for n := 1; n <= 2; n++ {
		c := s.upload(s.key, fmt.Sprintf("Content-Length: %d", 100<<10), "{")
		defer c.Close()
		require.Eventually(t, func() bool { return s.server.bodies.room.taken() == int64(n)*100<<10 }, time.Minute,
			time.Millisecond)
	}
	s.refused(429, base.CodeRateLimited, "POST", "/v1/admin/skus", long)
	require.Equal(t, 200, s.call("POST", "/v1/admin/skus", long, "X-API-KEY", other).status)
}
