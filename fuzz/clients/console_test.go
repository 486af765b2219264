//go:build clients

package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds the console's modules against the types in their comments, with the types of the packages that they are built on.

func TestTypesOfTheConsole(t *testing.T) {
	dir := packages(t, "console")
	app := filepath.Join(dir, "app")
	require.NoError(t, os.CopyFS(app, os.DirFS("../../api/console/app")))
	run(t, dir, nil, "npx", "tsc", "--project", ".")

	// A fault that is planted is found.
	planted := filepath.Join(app, "planted.js")
	require.NoError(t, os.WriteFile(planted, []byte("import {href} from \"./route.js\";\nexport const at = href(7);\n"), 0o644))
	c := exec.Command("npx", "tsc", "--project", ".")
	c.Dir = dir
	out, err := c.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "planted.js")
}
