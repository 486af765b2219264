package fuzz

import (
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the walls inside of packages: which files reach each other, how many types a package shows, how long a
// function is, and what of the engine's inside nobody else names.

// The most that a package may have.
const (
	mostKnotted  = 20 // files that all reach each other
	mostShown    = 90 // exported types
	mostFunction = 80 // lines
)

// arrows are, by file of a package, the files that it names something of, with what that is.
type arrows map[string]map[string][]string

// checked is a package with its types.
type checked struct {
	name  string
	files map[string]*ast.File // by path
	types *types.Package
	to    arrows
	info  *types.Info
	fset  *token.FileSet
}

// check reads packages and works out who names what.
func check(t *testing.T, patterns ...string) (all []checked) {
	t.Helper()
	exports := map[string]string{}
	for _, p := range list(t, append([]string{"-export", "-deps"}, patterns...)...) {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", // one for all: it keeps what it has read
		func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range list(t, patterns...) {
		c := checked{name: p.name(), files: parse(t, fset, p), to: arrows{}, fset: fset}
		c.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
		var err error
		c.types, err = (&types.Config{Importer: imports}).Check(p.ImportPath, fset, values(c.files), c.info)
		require.NoError(t, err)
		for id, o := range c.info.Uses {
			if from, to := c.file(id.Pos()), c.file(o.Pos()); o.Pkg() == c.types && from != to {
				if c.to[from] == nil {
					c.to[from] = map[string][]string{}
				}
				c.to[from][to] = append(c.to[from][to], o.Name())
			}
		}
		all = append(all, c)
	}
	return all
}

func (c *checked) file(pos token.Pos) string { return filepath.Base(c.fset.Position(pos).Filename) }

// knot is the largest set of files that all reach each other.
func (a arrows) knot() (largest []string) {
	reach := map[string]map[string]bool{}
	var walk func(from, at string)
	walk = func(from, at string) {
		for to := range a[at] {
			if !reach[from][to] {
				reach[from][to] = true
				walk(from, to)
			}
		}
	}
	for f := range a {
		reach[f] = map[string]bool{}
		walk(f, f)
	}
	for f := range a {
		var knot []string
		for to := range reach[f] {
			if reach[to][f] {
				knot = append(knot, to)
			}
		}
		if len(knot) > len(largest) {
			largest = knot
		}
	}
	slices.Sort(largest)
	return largest
}

// product are the packages that are held to it: the others are tables of cases, and rules told in one piece.
var product = []string{"./api/...", "./cmd/...", "./engine/...", "./persist/...", "./timeline/..."}

func TestPackagesAreNotKnotted(t *testing.T) {
	for _, c := range check(t, product...) {
		if knot := c.to.knot(); len(knot) > mostKnotted {
			t.Errorf("%s: %d files all reach each other: %s", c.name, len(knot), strings.Join(knot, " "))
		}
		shown := 0
		for _, n := range c.types.Scope().Names() {
			if o, is := c.types.Scope().Lookup(n).(*types.TypeName); is && o.Exported() {
				shown++
			}
		}
		if generated := slices.ContainsFunc(values(c.files), ast.IsGenerated); shown > mostShown && !generated {
			t.Errorf("%s shows %d types", c.name, shown)
		}
		for name, f := range c.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if d, is := n.(*ast.FuncDecl); is && !ast.IsGenerated(f) {
					if lines := c.fset.Position(d.End()).Line - c.fset.Position(d.Pos()).
						Line + 1; lines > mostFunction {
						t.Errorf("%s: %s has %d lines", name, d.Name.Name, lines)
					}
				}
				return true
			})
		}
	}
}

func values[K comparable, V any](m map[K]V) (list []V) {
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// inside are what only packages of the engine name: the state, and plans on it.
var inside = []string{"AccountState", "Kind", "Record", "State", "Tx", "Acc"}

func TestOnlyTheEngineNamesItsInside(t *testing.T) {
	for _, c := range check(t, "./api/...", "./bench/...", "./cmd/...", "./fuzz/...") {
		for id, o := range c.info.Uses {
			if o.Pkg() != nil && o.Pkg().Path() == module+"/engine/base" && slices.Contains(inside, o.Name()) &&
				(o.Parent() == o.Pkg().Scope() || o.Name() == "Acc") {
				t.Errorf("%s: %s names %s, which is for the engine alone", c.fset.Position(id.Pos()), c.name, o.Name())
			}
		}
	}
	base := check(t, "./engine/base")[0].types.Scope()
	for _, name := range inside {
		view := base.Lookup("View").Type().Underlying().(*types.Struct)
		require.True(t, base.Lookup(name) != nil || view.Field(0).Name() == name, "base has no %s any more", name)
	}
}

// Each test of this file finds something where there is something.
func TestAKnotIsFound(t *testing.T) {
	a := arrows{"a": {"b": nil}, "b": {"c": nil}, "c": {"a": nil, "d": nil}, "d": {"e": nil}, "e": {"d": nil}}
	require.Equal(t, []string{"a", "b", "c"}, a.knot())
	delete(a["b"], "c")
	require.Equal(t, []string{"d", "e"}, a.knot())
}
