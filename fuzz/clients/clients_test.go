//go:build clients

package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file runs the clients against the program.

// mostGenerated is how many lines of Go a generator may make of the document: they are compiled with every program that uses it.
const mostGenerated = 40_000

const key = "hf_clients00_ssssssssssssssssssssssssssssssss"

func TestLint(t *testing.T) {
	dir := typescript(t)
	run(t, dir, nil, "npx", "redocly", "lint", "--config", "redocly.yaml", "--max-problems", "1000", "openapi.json")
}

// A warning fails as an error does.
func TestSpectral(t *testing.T) {
	dir := packages(t, "spectral")
	run(t, dir, nil, "npx", "spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "warn", "openapi.json")
}

func TestTypeScript(t *testing.T) {
	dir := typescript(t)
	run(t, dir, nil, "npx", "openapi-typescript", "openapi.json", "--output", "generated.d.ts")
	run(t, dir, nil, "npx", "tsc")
	run(t, dir, serve(t), "node", "dist/round.js")
}

func TestGo(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("go")))
	document(t, dir)
	own := []string{"GOWORK=off", "GOFLAGS=-mod=readonly"}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "generated"), 0o755))
	run(t, dir, own, "go", "tool", "oapi-codegen", "-config", "oapi-codegen.yaml", "openapi.json")
	client, err := os.ReadFile(filepath.Join(dir, "generated", "client.go"))
	require.NoError(t, err)
	lines := bytes.Count(client, []byte("\n"))
	t.Logf("%d lines generated", lines)
	require.Less(t, lines, mostGenerated)
	run(t, dir, own, "go", "vet", ".")
	run(t, dir, append(serve(t), own...), "go", "run", ".")
}

// typescript is where the client in TypeScript is made.
func typescript(t *testing.T) string {
	t.Helper()
	return packages(t, "ts")
}

// packages is a copy of a directory with the document and the packages of its lock file.
func packages(t *testing.T, of string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(of)))
	document(t, dir)
	run(t, dir, nil, "npm", "ci", "--no-audit", "--no-fund", "--prefer-offline")
	return dir
}

// document puts the committed document where a generator reads it.
func document(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile("../../api/openapi.json")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "openapi.json"), text, 0o644))
}

func run(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s: %s", c, out)
	t.Logf("%s: %s", filepath.Base(c.Path), lastLine(out))
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// serve starts the program on free ports and an empty directory, and returns what tells a client of it.
func serve(t *testing.T, flags ...string) []string {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "holdfast")
	run(t, "../..", nil, "go", "build", "-o", binary, "./cmd/holdfast")
	c := exec.CommandContext(context.Background(), binary, append([]string{"serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "data")}, flags...)...)
	c.Env = append(os.Environ(), "HOLDFAST_BOOTSTRAP_KEY="+key)
	logs, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		require.NoError(t, c.Process.Signal(syscall.SIGTERM))
		require.NoError(t, c.Wait())
	})
	var seen strings.Builder
	lines := bufio.NewScanner(logs)
	for lines.Scan() {
		var line struct{ Msg, URL string }
		seen.WriteString(lines.Text() + "\n")
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "ready" {
			go io.Copy(io.Discard, logs)
			return []string{"HOLDFAST_URL=" + line.URL, "HOLDFAST_KEY=" + key}
		}
	}
	t.Fatalf("the program is not ready: %s", seen.String())
	return nil
}
