package webhooks

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// This file runs verify.go on cases.json.

func TestVerify(t *testing.T) {
	text, err := os.ReadFile("cases.json")
	require.NoError(t, err)
	var cases []struct {
		Name, Secret, Body string
		Good               bool
		Headers            map[string]string
		Now                int64
	}
	require.NoError(t, json.Unmarshal(text, &cases))
	good := 0
	for _, c := range cases {
		h := http.Header{}
		for name, value := range c.Headers {
			h.Set(name, value)
		}
		require.Equal(t, c.Good, Verify(c.Secret, h, []byte(c.Body), time.Unix(c.Now, 0)), c.Name)
		if c.Good {
			good++
		}
	}
	require.Equal(t, 3, good)
	require.Greater(t, len(cases), 15)
}
