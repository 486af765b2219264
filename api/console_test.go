package api

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api/console"
)

// This file holds how the console is given out: without a key, under its policy.

func TestConsoleIsServed(t *testing.T) {
	s := newShop(t)
	for path, media := range map[string]string{"/": "text/html", "/console/main.js": "text/javascript",
		"/console/preact.js": "text/javascript", "/console/console.css": "text/css"} {
		a := s.raw("GET", path, "X-API-KEY", "")
		require.Equal(t, 200, a.StatusCode(), path)
		require.Contains(t, string(a.Header.ContentType()), media, path)
		require.Equal(t, console.Policy, string(a.Header.Peek("Content-Security-Policy")), path)
	}
	require.Equal(t, 404, s.raw("GET", "/console/none.js").StatusCode())
	require.Equal(t, 405, s.raw("POST", "/").StatusCode())
}
