//go:build clients

package clients

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file runs the linters, the generator of others, and the two clients.

// mostGenerated is how many lines of Go a generator of others may make of the document: they are compiled with every
// program that uses them. It leaves room for the operations that the counter and the console still ask for.
const mostGenerated = 60_000

// mostBytes is what the client in TypeScript may add to a page.
const mostBytes = 10_000

const key = "hf_clients00_ssssssssssssssssssssssssssssssss"

var update = flag.Bool("update", false, "write the types of the client in TypeScript again")

func TestLint(t *testing.T) {
	dir := packages(t, "redocly")
	run(t, dir, nil, "npx", "redocly", "lint", "--config", "redocly.yaml", "--max-problems", "1000", "openapi.json")
}

// A warning fails as an error does.
func TestSpectral(t *testing.T) {
	dir := packages(t, "spectral")
	run(t, dir, nil, "npx", "spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "warn", "openapi.json")
}

// A generator that others use takes the document, and what it makes is built and is not too long.
func TestGenerator(t *testing.T) {
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
	run(t, dir, own, "go", "vet", "./generated")
}

func TestGoClient(t *testing.T) {
	dir := "../../api/client/go"
	out := run(t, dir, live(t), "go", "test", "-count=1", "-vet=off", "-tags", "live", "-run", "TestLive", "-v", ".")
	require.Equal(t, 4, strings.Count(out, "--- PASS: TestLive"), out)
}

func TestTypeScriptClient(t *testing.T) {
	dir := typescript(t)
	t.Run("is what the document gives", func(t *testing.T) {
		run(t, dir, nil, "npx", "openapi-typescript", "openapi.json", "--output", "made.ts",
			"--root-types", "--root-types-no-schema-prefix", "--root-types-keep-casing")
		made, err := os.ReadFile(filepath.Join(dir, "made.ts"))
		require.NoError(t, err)
		committed := "../../api/client/ts/src/types.ts"
		if *update {
			require.NoError(t, os.WriteFile(committed, made, 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "src", "types.ts"), made, 0o644))
		}
		is, err := os.ReadFile(committed)
		require.NoError(t, err)
		if !bytes.Equal(made, is) {
			t.Error("src/types.ts is not what the document gives: `make clients` writes it again")
		}
	})
	t.Run("is built without the types of Node", func(t *testing.T) {
		run(t, dir, nil, "npm", "run", "build")
	})
	t.Run("is small", func(t *testing.T) {
		run(t, dir, nil, "npm", "run", "size")
		bundle, err := os.ReadFile(filepath.Join(dir, "out", "bundle.js"))
		require.NoError(t, err)
		t.Logf("%d bytes", len(bundle))
		require.Less(t, len(bundle), mostBytes)
		require.Contains(t, string(bundle), "webhook-signature", "all of it is counted")
	})
	t.Run("does what it says", func(t *testing.T) {
		cases, err := filepath.Abs("../../api/docs/examples/webhooks/cases.json")
		require.NoError(t, err)
		out := run(t, dir, append(live(t), "HOLDFAST_CASES="+cases), "npm", "test")
		require.Contains(t, out, "\n# fail 0\n")
		require.NotContains(t, out, "\n# pass 0\n")
	})
}

// typescript is a copy of the client in TypeScript with its packages, the document without examples, and the code of
// its README to be compiled.
func typescript(t *testing.T) string {
	t.Helper()
	dir := packages(t, "../../api/client/ts")
	text, err := os.ReadFile("../../api/openapi.json")
	require.NoError(t, err)
	var document any
	require.NoError(t, json.Unmarshal(text, &document))
	slim, err := json.Marshal(withoutExamples(document, false))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "openapi.json"), slim, 0o644))
	readme, err := os.ReadFile("../../api/client/ts/README.md")
	require.NoError(t, err)
	var code strings.Builder
	blocks := strings.Split(string(readme), "```ts\n")[1:]
	require.Len(t, blocks, 2)
	for _, block := range blocks {
		part, _, _ := strings.Cut(block, "```")
		code.WriteString(strings.ReplaceAll(part, `"@holdfast/client"`, `"../src/index.js"`))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "test", "readme.ts"), []byte(code.String()), 0o644))
	return dir
}

// withoutExamples drops the examples of a document, which the types do not need. A property may be called so.
func withoutExamples(value any, properties bool) any {
	switch v := value.(type) {
	case map[string]any:
		for name, of := range v {
			if !properties && (name == "example" || name == "examples") {
				delete(v, name)
				continue
			}
			v[name] = withoutExamples(of, name == "properties" && !properties)
		}
	case []any:
		for i := range v {
			v[i] = withoutExamples(v[i], false)
		}
	}
	return value
}

// packages is a copy of a directory with the document and the packages of its lock file.
func packages(t *testing.T, of string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(of)))
	for _, built := range []string{"node_modules", "dist", "out"} { // what a developer has there does not count
		require.NoError(t, os.RemoveAll(filepath.Join(dir, built)))
	}
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

func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s: %s", c, out)
	t.Logf("%s: %s", filepath.Base(c.Path), lastLine(out))
	return string(out)
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// serve starts the program on free ports and an empty directory, and returns its address.
func serve(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "holdfast")
	run(t, "../..", nil, "go", "build", "-o", binary, "./cmd/holdfast")
	flags = append([]string{"serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "data")}, flags...)
	c := exec.Command(binary, flags...)
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
			return line.URL
		}
	}
	t.Fatalf("the program is not ready: %s", seen.String())
	return ""
}
