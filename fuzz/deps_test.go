package fuzz

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the table of imports: they point down only.
//
//	cmd -> api -> engine -> outbox, order -> hold -> commerce -> stock -> label -> base
//	base -> {engine/table, engine/sorted, timeline, persist}
//
// The packages of the engine's domains are engine/outbox, engine/order and so on; api and cmd name their operations and
// records.

// may lists, by package and everything below it, what its code (not its tests) may import beside the standard library.
// The longest name that fits counts. A name of the project stands for that package alone, `name/...` for all below it
// as well.
var may = map[string][]string{
	"timeline": {"github.com/google/uuid", "github.com/tidwall/btree"},
	"persist": {"github.com/cockroachdb/pebble/v2/...", "github.com/klauspost/compress/...",
		"github.com/prometheus/..."},
	"persist/backup": {"persist", "github.com/cockroachdb/pebble/v2/vfs", "github.com/prometheus/...",
		"github.com/minio/minio-go/v7/..."},
	"persist/backup/s3test": {},
	"engine/pace":           {},
	"engine/sorted":         {"github.com/tidwall/btree"},
	"engine/table":          {"github.com/tidwall/btree"},
	"engine/base": {"engine/table", "timeline", "engine/sorted", "persist", "github.com/google/uuid",
		"github.com/cespare/xxhash/v2", "github.com/goccy/go-json",
		"golang.org/x/text/unicode/norm"},
	"engine/label":    {"engine/base", "engine/table", "timeline"},
	"engine/stock":    {"engine/label", "engine/base", "engine/table", "timeline"},
	"engine/commerce": {"engine/stock", "engine/label", "engine/base", "engine/table", "timeline"},
	"engine/hold": {"github.com/cespare/xxhash/v2", "engine/commerce", "engine/stock", "engine/label",
		"engine/base", "engine/table", "timeline"},
	"engine/order": {"github.com/goccy/go-json", "github.com/tidwall/btree", "engine/hold", "engine/commerce",
		"engine/stock", "engine/label", "engine/base", "engine/table", "timeline"},
	"engine/outbox": {"github.com/klauspost/compress/s2", "engine/sorted", "persist", "engine/base",
		"engine/table", "timeline"},
	"engine": {"engine/...", "github.com/cespare/xxhash/v2", "timeline",
		"persist"},
	"api/admin":           {"github.com/prometheus/..."},
	"api/auth":            {},
	"api/client/gen":      {},
	"api/console":         {},
	"api/console/browser": {"github.com/chromedp/...", "github.com/stretchr/testify/..."},
	"api/docs":            {"github.com/yuin/goldmark/..."},
	"api/docs/examples":   {"api/docs/examples/..."},
	"api/ratelimit":       {},
	"api/wire":            {"engine/base", "timeline"},
	"api/webhook":         {"api/auth", "engine/...", "github.com/prometheus/..."},
	"api": {
		"api/...", "engine/...", "timeline", "persist", "github.com/valyala/fasthttp/...", "github.com/fasthttp/router",
		"github.com/goccy/go-json",
		"github.com/klauspost/compress/...", "github.com/pires/go-proxyproto", "github.com/prometheus/...",
	},
	"cmd":   {"...", "api/...", "engine/...", "timeline", "persist", "persist/backup"},
	"bench": {"...", "bench/...", "api/...", "engine/...", "timeline", "persist", "persist/backup"},
	"fuzz":  {"...", "fuzz/...", "api/...", "engine/...", "timeline", "persist"},
}

// rule finds what a package may import.
func rule(name string) (of string, ok bool) {
	for n := range may {
		if (name == n || strings.HasPrefix(name, n+"/")) && len(n) > len(of) {
			of, ok = n, true
		}
	}
	return of, ok
}

// fits says that an import is one that is allowed.
func fits(allowed []string, path string) bool {
	path = strings.TrimPrefix(path, module+"/")
	return slices.ContainsFunc(allowed, func(a string) bool {
		below, all := strings.CutSuffix(a, "/...")
		return path == a || all && (path == below || strings.HasPrefix(path, below+"/")) ||
			a == "..." && strings.Contains(path, ".")
	})
}

func TestImportsPointDown(t *testing.T) {
	standard := map[string]bool{}
	for _, p := range list(t, "-deps", "./...") {
		standard[p.ImportPath] = p.Standard
	}
	for _, p := range list(t, "./...") {
		of, ok := rule(p.name())
		if !ok {
			t.Errorf("%s is not in the table of imports", p.name())
			continue
		}
		for _, path := range p.Imports {
			if !standard[path] && !fits(may[of], path) {
				t.Errorf("%s imports %s", p.name(), path)
			}
		}
	}
}

// acrossDomains are the files of package engine that are about several domains, and schema.go, where these register.
// All others are about commands and how they last, whatever these are.
var acrossDomains = []string{"api_key.go", "archive.go", "archive_import.go", "archive_judge.go", "archive_part.go",
	"bars.go", "batch.go", "changes.go", "deliveries.go", "erasure.go", "order_history.go", "preview.go", "schema.go",
	"totals.go"}

func TestWhatSchedulesCommandsNamesNoDomain(t *testing.T) {
	domain := regexp.MustCompile(`^"` + module + `/engine/(label|stock|commerce|hold|order|outbox)"$`)
	files, err := filepath.Glob("../engine/*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		names := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
			return domain.MatchString(i.Path.Value)
		})
		require.Equal(t, slices.Contains(acrossDomains, filepath.Base(name)), names, name)
	}
}

// The client is built into other people's programs: a module of its own, which needs no other.
func TestTheClientNeedsTheStandardLibraryOnly(t *testing.T) {
	text, err := os.ReadFile("../api/client/go/go.mod")
	require.NoError(t, err)
	require.Regexp(t, `\Amodule holdfast/api/client/go\n\ngo 1\.\d+\.\d+\n\z`, string(text))
}

// Not even tests import bench or fuzz from outside, and pebble is of one version everywhere.
func TestNobodyImportsBenchOrFuzz(t *testing.T) {
	for _, p := range list(t, "./...") {
		of, _ := rule(p.name())
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			for _, room := range []string{"bench", "fuzz"} {
				in := module + "/" + room
				if of != room && (path == in || strings.HasPrefix(path, in+"/")) {
					t.Errorf("%s imports %s", p.name(), path)
				}
			}
			require.False(t, strings.HasPrefix(path, "github.com/cockroachdb/pebble") &&
				!strings.HasPrefix(path, "github.com/cockroachdb/pebble/v2"), "%s imports %s", p.name(), path)
		}
	}
}
