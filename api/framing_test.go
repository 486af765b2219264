package api

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wire sends bytes as they are and returns the statuses of the answers, and whether the server closed the connection.
func (s *shop) wire(raw string) (statuses []int, closed bool) {
	s.Helper()
	c, err := s.listener.Dial()
	require.NoError(s, err)
	defer c.Close()
	go func(c net.Conn) { _, _ = io.WriteString(c, raw) }(c)
	r := bufio.NewReader(c)
	for {
		_ = c.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			return statuses, err == io.EOF || err == io.ErrUnexpectedEOF || strings.Contains(err.Error(), "closed")
		}
		body, err := io.ReadAll(res.Body)
		require.NoError(s, err)
		if res.StatusCode >= 400 {
			require.Equal(s, "application/problem+json", res.Header.Get("Content-Type"), "%s", body)
			require.NotContains(s, string(body), "fasthttp")
		}
		statuses = append(statuses, res.StatusCode)
	}
}

// What two programs in a row could read differently is answered 400 and the connection is closed; what is plain is one
// request, and the next on the connection is served.
func TestFraming(t *testing.T) {
	s := newShop(t)
	const body = `{"name":"x","timezone":"UTC"}`
	head := "POST /v1/admin/locations HTTP/1.1\r\nHost: shop\r\nX-API-KEY: " + s.key +
		"\r\nContent-Type: application/json\r\n"
	get := "GET /healthz HTTP/1.1\r\nHost: shop\r\n\r\n"
	length := fmt.Sprintf("Content-Length: %d\r\n", len(body))
	chunks := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)

	good := func(raw string, want ...int) {
		t.Helper()
		got, closed := s.wire(raw)
		require.Equal(t, want, got, "%q", raw)
		require.False(t, closed)
	}
	good(head+length+"\r\n"+body, 200)
	good(head+length+"\r\n"+body+get, 200, 200)
	good(head+"Transfer-Encoding: chunked\r\n\r\n"+chunks+get, 200, 200)
	good(head+"transfer-encoding:\tChunked \r\n\r\n"+chunks+get, 200, 200)
	good(get+get, 200, 200)
	good("\r\n"+get, 200)
	good("GET http://shop/healthz HTTP/1.1\r\nHost: shop\r\n\r\n", 200)

	cases := 0
	bad := func(raw string) {
		t.Helper()
		cases++
		seq, hash := s.eng.State()
		got, closed := s.wire(raw + get)
		require.True(t, closed, "%q left the connection open", raw)
		require.LessOrEqual(t, len(got), 1, "%q: nothing behind it is read", raw)
		for _, status := range got {
			require.Equal(t, 400, status, "%q", raw)
		}
		gotSeq, gotHash := s.eng.State()
		require.Equal(t, [2]uint64{seq, hash}, [2]uint64{gotSeq, gotHash}, "%q", raw)
	}
	for _, two := range []string{
		length + "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\n" + length,
		"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
		length + "Transfer-Encoding: identity\r\n", "Transfer-Encoding: identity\r\n",
		"Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: chunked, chunked\r\n",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "Transfer-Encoding: xchunked\r\n",
		"Transfer-Encoding : chunked\r\n", "Transfer-Encoding:\r\n chunked\r\n", "Transfer-Encoding: chun\r\n ked\r\n",
		"Transfer-Encoding: \"chunked\"\r\n", "Transfer-Encoding: chunked;q=1\r\n",
		length + length, length + "Content-Length: 5\r\n", "Content-Length: +5\r\n", "Content-Length: -5\r\n",
		"Content-Length: 0x5\r\n", "Content-Length: 5, 5\r\n", "Content-Length: 5 5\r\n",
		"Content-Length: \r\n", "Content-Length: 99999999999999999999\r\n", "Content-Length : 5\r\n",
		"Content-Length\r\n", ": 5\r\n", " Content-Length: 5\r\n",
		"X-Folded: a\r\n b\r\n" + length, "X-Folded: a\r\n\tb\r\n" + length, "X-Bare: a\n" + length,
		"X-Nul: a\x00b\r\n" + length, "X-CR: a\rb\r\n" + length, "X(bad): 1\r\n" + length,
		"Host: other\r\n" + length, "X Y: z\r\n" + length, "X : z\r\n" + length, "X\tY: z\r\n" + length,
	} {
		bad(head + two + "\r\n" + body)
		bad(head + two + "\r\n" + chunks)
		first, rest, _ := strings.Cut(head, "\r\n")
		bad(first + "\r\n" + two + rest + "\r\n" + body)
		bad(first + "\r\n" + two + rest + "\r\n" + chunks)
	}
	for _, chunk := range []string{
		"5;ext=\nx\r\n12345\r\n0\r\n\r\n", "-5\r\n12345\r\n0\r\n\r\n", "0x5\r\n12345\r\n0\r\n\r\n",
		"5\r\n1234567\r\n0\r\n\r\n", "zz\r\n12345\r\n0\r\n\r\n", "5\n12345\n0\n\n",
		"fffffffffffffffff\r\n12345\r\n0\r\n\r\n", "\r\n5\r\n12345\r\n0\r\n\r\n", "5\r\n12345x\n0\r\n\r\n",
		" 5\r\n12345\r\n0\r\n\r\n",
	} {
		bad(head + "Transfer-Encoding: chunked\r\n\r\n" + chunk)
	}
	for _, line := range []string{
		"GET /healthz\r\nHost: shop\r\n\r\n", "GET  /healthz HTTP/1.1\r\nHost: shop\r\n\r\n",
		"GET /healthz HTTP/1.1 \r\nHost: shop\r\n\r\n", "GET /healthz HTTP/2.0\r\nHost: shop\r\n\r\n",
		"GET /healthz HTTP/1.1\r\n\r\n", "GET /hea lthz HTTP/1.1\r\nHost: shop\r\n\r\n",
		"GET /healthz\x00 HTTP/1.1\r\nHost: shop\r\n\r\n", "G(T /healthz HTTP/1.1\r\nHost: shop\r\n\r\n",
		"GET /healthz HTTP/1.1\nHost: shop\n\n",
		"POST /v1/admin/locations HTTP/1.0\r\nHost: shop\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
		"GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: shop\r\n\x00: 1\r\n\r\n",
	} {
		bad(line)
	}
	require.GreaterOrEqual(t, cases, 150)
}

func TestHeaderSizes(t *testing.T) {
	s := newShop(t)
	check := func(raw string, want int) {
		t.Helper()
		got, closed := s.wire(raw)
		require.Equal(t, []int{want}, got)
		require.Equal(t, want != 200, closed)
	}
	check("GET /healthz HTTP/1.1\r\nHost: shop\r\nX-Pad: "+strings.Repeat("x", 16_000)+"\r\n\r\n", 200)
	check("GET /healthz HTTP/1.1\r\nHost: shop\r\nX-Pad: "+strings.Repeat("x", 17_000)+"\r\n\r\n", 431)
	check("GET /healthz HTTP/1.1\r\nHost: shop\r\n"+strings.Repeat("X-Pad: x\r\n", 2_000)+"\r\n", 431)
	check("GET /healthz?"+strings.Repeat("x", 17_000)+" HTTP/1.1\r\nHost: shop\r\n\r\n", 414)
	check("GET /healthz?"+strings.Repeat("x", 10_000)+" HTTP/1.1\r\nHost: shop\r\nX-Pad: "+strings.Repeat("x", 8_000)+
		"\r\n\r\n", 414)
}

// A client that asks before it sends its body is told on the headers alone.
func TestExpect(t *testing.T) {
	s := newShop(t)
	const body = `{"name":"x","timezone":"UTC"}`
	ask := func(key string, length int) []int {
		t.Helper()
		c, err := s.listener.Dial()
		require.NoError(t, err)
		defer c.Close()
		fmt.Fprintf(c, "POST /v1/admin/locations HTTP/1.1\r\nHost: shop\r\nX-API-KEY: %s\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", key, length)
		r := bufio.NewReader(c)
		var statuses []int
		for {
			res, err := http.ReadResponse(r, nil)
			require.NoError(t, err)
			var b bytes.Buffer
			_, err = b.ReadFrom(res.Body)
			require.NoError(t, err)
			if statuses = append(statuses, res.StatusCode); res.StatusCode != 100 {
				return statuses
			}
			_, _ = io.WriteString(c, body)
		}
	}
	require.Equal(t, []int{100, 200}, ask(s.key, len(body)))
	require.Equal(t, []int{401}, ask("x", len(body)))
	require.Equal(t, []int{413}, ask(s.key, 10<<20))
}
