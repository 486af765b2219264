package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of what there is to watch a server with: the metrics as Prometheus judges them, the
// dashboard and the alert rules.

// promtool judges as Prometheus does. Where it is not installed, its test is skipped, but not in CI.
func promtool(t *testing.T, stdin string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("promtool"); err != nil {
		require.Empty(t, os.Getenv("CI"), "CI installs promtool")
		t.Skip("promtool is not installed: Debian has it in prometheus")
	}
	cmd := exec.Command("promtool", args...)
	cmd.Dir, cmd.Stdin = "deploy", strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestAlertRules(t *testing.T) {
	promtool(t, "", "check", "rules", "alerts.yaml")
	promtool(t, "", "test", "rules", "alerts_test.yaml")
}

// liveMetrics are those of a server of the demo that was asked for something.
func liveMetrics(t *testing.T) string {
	address, metrics := freeAddress(t), freeAddress(t)
	root := newRoot()
	root.SetArgs([]string{"serve", "--demo", "--listen", address, "--metrics-listen", metrics,
		"--data", filepath.Join(t.TempDir(), "data"), "--backup-to", filepath.Join(t.TempDir(), "backups")})
	var out, errs bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&errs)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- root.ExecuteContext(ctx) }()
	require.NoError(t, awaitReady(address))
	defer func() {
		cancel()
		require.NoError(t, <-ended, errs.String())
	}()
	key := regexp.MustCompile(`hf_[0-9A-Za-z_]+`).FindString(out.String())
	require.NotEmpty(t, key)
	var text []byte
	for _, url := range []string{"http://" + address + "/v1/admin/account", "http://" + metrics + "/metrics"} {
		r, err := http.NewRequest("GET", url, nil)
		require.NoError(t, err)
		r.Header.Set("X-API-KEY", key)
		a, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer a.Body.Close()
		require.Equal(t, http.StatusOK, a.StatusCode)
		text, err = io.ReadAll(a.Body)
		require.NoError(t, err)
	}
	return string(text)
}

func TestMetricsAreAsPrometheusWantsThem(t *testing.T) {
	promtool(t, liveMetrics(t), "check", "metrics")
}

// What dashboard and alerts ask for is what a server tells, from its start.
func TestDashboardAndAlertsAskForWhatThereIs(t *testing.T) {
	there := map[string]bool{}
	for line := range strings.Lines(liveMetrics(t)) {
		there[regexp.MustCompile(`^\w*`).FindString(line)] = true
	}
	used := regexp.MustCompile(`\b(holdfast|go|process)_\w+`)
	var dashboard struct {
		Panels []struct {
			Title, Description string
			Targets            []struct{ Expr string }
		}
	}
	text, err := os.ReadFile("deploy/dashboard.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &dashboard))
	shown := 0
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			require.NotEmpty(t, p.Description, p.Title)
			names := used.FindAllString(target.Expr, -1)
			require.NotEmpty(t, names, target.Expr)
			for _, name := range names {
				require.True(t, there[name], "%s asks for %s", p.Title, name)
				shown++
			}
		}
	}
	require.Greater(t, shown, 20)
	rules, err := os.ReadFile("deploy/alerts.yaml")
	require.NoError(t, err)
	for line := range strings.Lines(string(rules)) {
		if expr, ok := strings.CutPrefix(strings.TrimSpace(line), "expr:"); ok {
			for _, name := range used.FindAllString(expr, -1) {
				require.True(t, there[name], "%s", line)
			}
		}
	}
}
