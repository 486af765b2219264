package api

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lines are what a run of requests leaves in the access log.
func (s *shop) lines(run func()) (lines []map[string]any) {
	var out bytes.Buffer
	was := s.server.log
	s.server.log, s.server.accessLog = slog.New(slog.NewJSONHandler(&out, nil)), true
	run()
	s.server.log, s.server.accessLog = was, false
	for line := range strings.Lines(out.String()) {
		var x map[string]any
		require.NoError(s, json.Unmarshal([]byte(line), &x))
		lines = append(lines, x)
	}
	return lines
}

func TestAccessLog(t *testing.T) {
	s := newShop(t)
	s.server.proxies.networks = networks("10.0.0.0/8")
	secret := strings.Repeat("s", 32)
	lines := s.lines(func() {
		s.from("203.0.113.7:999",
			get("/v1/admin/locations/?pageSize=1&key="+s.key, s.key, "User-Agent: a program/1.0", "X-Request-Id: mine"))
		s.from("10.0.0.1:1", get("/nothing/"+s.key+"/x", "", "X-Forwarded-For: 2001:db8::1", "User-Agent: "+s.key))
		s.from("10.0.0.1:1",
			get("/whsec_"+secret, "", "X-Request-Id: "+s.key, "User-Agent: "+strings.Repeat("long", 500)))
		s.from("203.0.113.8:1", get("/v1/admin/account", "hf_99999999_"+secret))
		s.from("203.0.113.9:1", "GET / HTTP/1.1\nHost: shop\nContent-Length: 0\nTransfer-Encoding: "+
			"chunked\nX-Forwarded-For: 1.1.1.1\n\n0\n\n")
	})
	require.Len(t, lines, 5)
	first := lines[0]
	_, err := time.ParseDuration(first["duration"].(string))
	require.NoError(t, err)
	delete(first, "duration")
	delete(first, "time")
	require.Equal(t, map[string]any{
		"level": "INFO", "msg": "request", "request": "mine", "address": "203.0.113.7", "method": "GET",
		"path": "/v1/admin/locations/",
		// there is no parameter key
		"agent": "a program/1.0", "account": s.account.String(), "key": "11111111", "route": "admin.locations.list",
		"status": 400.0,
	}, first)
	pick := func(i int, name string) any { return lines[i][name] }
	for path, logged := range map[string]string{
		"/v1/%68%66_1_" + secret:           "/v1/hf_1_...",
		"/%2568%2566_1_" + secret + "%20x": "/hf_1_... x",
		"/whsec%5F" + secret:               "/whsec_...",
		"/a%20b/%zz%":                      "/a%20b/%zz%",
	} {
		require.Equal(t, logged, loggable([]byte(path)))
	}
	require.Equal(t, "2001:db8::1", pick(1, "address"))
	require.Equal(t, "/nothing/hf_11111111_.../x", pick(1, "path"))
	require.Equal(t, "hf_11111111_...", pick(1, "agent"))
	require.Equal(t, "/whsec_...", pick(2, "path"))
	require.Equal(t, "hf_11111111_...", pick(2, "request"))
	require.Len(t, pick(2, "agent"), loggedText)
	require.Equal(t, "10.0.0.1", pick(2, "address"))
	require.Equal(t, "", pick(3, "key"), "of a key that there is not nothing is logged")
	require.Equal(t, "203.0.113.9", pick(4, "address"))
	require.Equal(t, 400.0, pick(4, "status"))
	for _, line := range lines {
		for name, value := range line {
			if text, ok := value.(string); ok {
				require.NotContains(t, text, secret[:8], name)
			}
		}
	}
}
