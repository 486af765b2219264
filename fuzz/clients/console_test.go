//go:build clients

package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds the console's packages against their pinned versions, and its modules against the types in their
// comments.

// The packages that are committed are what the pinned versions give, byte by byte.
func TestPackagesOfTheConsole(t *testing.T) {
	run(t, "../..", nil, "go", "run", "./api/console/gen", "-check")

	// One that differs is found.
	other := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(other, "api/console/lib"), os.DirFS("../../api/console/lib")))
	htm := filepath.Join(other, "api/console/lib/htm.js")
	b, err := os.ReadFile(htm)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(htm, append(b, '\n'), 0o644))
	gen := filepath.Join(other, "gen")
	run(t, "../..", nil, "go", "build", "-o", gen, "./api/console/gen")
	c := exec.Command(gen, "-check")
	c.Dir = other
	out, err := c.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "htm.js is not what")
}

func TestTypesOfTheConsole(t *testing.T) {
	dir := packages(t, "console")
	app := filepath.Join(dir, "app")
	require.NoError(t, os.CopyFS(app, os.DirFS("../../api/console/app")))
	run(t, dir, nil, "npx", "tsc", "--project", ".")

	// A fault that is planted is found.
	planted := filepath.Join(app, "planted.js")
	require.NoError(t,
		os.WriteFile(planted, []byte("import {href} from \"./route.js\";\nexport const at = href(7);\n"), 0o644))
	c := exec.Command("npx", "tsc", "--project", ".")
	c.Dir = dir
	out, err := c.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "planted.js")
}
