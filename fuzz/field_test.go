package fuzz

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns what a new field takes: one line.

// A field that is declared in one line can be given, changed, refused, shown, stored, imported and exported, and the
// document describes it: testdata/color_test.go says so of a SKU's color. The files stay as they are; the compiler
// reads the SKU with one more line, and the test, from elsewhere (-overlay). Two things would go with such a field:
// make document and make clients write the document again, and persist.Format moves, as stored rows change.
func TestAFieldIsOneLine(t *testing.T) {
	const line = "\tColor *string `field:\"color text 1..20\" about:\"The color that a SKU has in calendars.\"`\n"
	const behind = "type SKUFields struct {\n"
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	name := filepath.Join(root, "engine", "stock", "sku.go")
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	before, after, ok := strings.Cut(string(b), behind)
	require.True(t, ok)
	dir := t.TempDir()
	changed := filepath.Join(dir, "sku.go")
	require.NoError(t, os.WriteFile(changed, []byte(before+behind+line+after), 0o600))
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{
		name: changed,
		filepath.Join(root, "api", "color_test.go"): filepath.Join(root, "fuzz", "testdata", "color_test.go"),
	}})
	require.NoError(t, err)
	overlay := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, list, 0o600))
	cmd := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-count=1", "-v", "-run", "^TestColorOfSKUs$",
		"./api")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestColorOfSKUs")
}
