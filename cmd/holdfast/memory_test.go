package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/pace"
)

// The option counts before the environment, and that before what the system says that there is.
func TestMemoryLimitComesFromOnePlace(t *testing.T) {
	system := func(name string) string {
		return map[string]string{"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "1000\n"}[name]
	}
	for _, c := range []struct {
		option, environment string
		bytes               int64
		from                string
	}{
		{"32MiB", "1GiB", 32 << 20, "--memory"},
		{"off", "", pace.NoLimit, "--memory"},
		{"", "1GiB", -1, "GOMEMLIMIT"}, // the runtime has it
		{"", "", 900, "container"},
	} {
		bytes, from, err := (&memoryConfig{c.option}).wanted(c.environment, system)
		require.NoError(t, err)
		require.Equal(t, []any{c.bytes, c.from}, []any{bytes, from})
	}
	_, _, err := (&memoryConfig{"lots"}).wanted("", system)
	require.ErrorContains(t, err, "--memory \"lots\"")
	_, _, err = (&memoryConfig{"64"}).wanted("1GiB", system)
	require.ErrorContains(t, err, "--memory \"64\" must be from 32MiB on")
	_, _, err = (&memoryConfig{}).wanted("31MiB", system)
	require.ErrorContains(t, err, "GOMEMLIMIT \"31MiB\" must be from 32MiB on")
}

// The store leaves the most of a limit to what is stored, and never goes without.
func TestTheStoreHasAShareOfTheMemory(t *testing.T) {
	for limit, each := range map[int64]int64{
		1 << 20: 1 << 20, 64 << 20: 2 << 20, 512 << 20: 16 << 20, 2 << 30: 64 << 20, pace.NoLimit: 64 << 20,
	} {
		require.Equal(t, each, storeMemory(limit))
	}
}

// A server with little memory takes articles of 10,000 units until it is nearly full. Then it refuses more, goes on to
// answer and to remove, and takes more again.
func TestAFullServerRefusesToAddAndGoesOn(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	address, key := freeAddress(t), "hf_fulltestkey_"+strings.Repeat("0123456789", 4)
	serve := exec.Command(self)
	serve.Args = []string{"holdfast", "serve", "--listen", address, "--data", t.TempDir(), "--memory", "64MiB"}
	serve.Env = append(os.Environ(), bootstrapVariable+"="+key)
	var errs bytes.Buffer
	serve.Stderr = &errs
	require.NoError(t, serve.Start())
	t.Cleanup(func() { serve.Process.Kill() })
	require.NoError(t, awaitReady(address))

	ask := func(method, path, body string) (status int, retry string, answer struct{ ID, Code string }) {
		r, err := http.NewRequest(method, "http://"+address+"/v1/admin/"+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("X-API-KEY", key)
		r.Header.Set("Content-Type", "application/json")
		a, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		require.NoError(t, err)
		if len(text) > 0 {
			require.NoError(t, json.Unmarshal(text, &answer), "%s", text)
		}
		return a.StatusCode, a.Header.Get("Retry-After"), answer
	}
	_, _, location := ask("POST", "locations", `{"name":"Harbour","timezone":"UTC"}`)
	article := `{"name":"Bike","quantities":[{"serviceLocationId":"` + location.ID + `","count":10000}]}`
	var made []string
	for {
		status, retry, answer := ask("POST", "articles", article)
		if status != http.StatusOK {
			require.Equal(t, []any{http.StatusServiceUnavailable, "OVERLOADED", "1"}, []any{status, answer.Code, retry})
			break
		}
		made = append(made, answer.ID)
		require.Less(t, len(made), 200, "two million units in 64 MiB")
	}
	require.NotEmpty(t, made)
	status, _, _ := ask("GET", "articles/"+made[0], "")
	require.Equal(t, http.StatusOK, status)
	for _, id := range made {
		status, _, answer := ask("DELETE", "articles/"+id, "")
		require.Equal(t, http.StatusOK, status, answer.Code)
	}
	for status = 0; status != http.StatusOK; { // when what was removed has been collected
		status, _, _ = ask("POST", "locations", `{"name":"Quay","timezone":"UTC"}`)
	}
	require.NoError(t, serve.Process.Signal(syscall.SIGTERM))
	require.NoError(t, serve.Wait())
	require.Contains(t, errs.String(), "memory is short")
	require.NotContains(t, errs.String(), "OVERLOADED", "each of many refusals in the log")
}
