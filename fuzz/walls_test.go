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

// This file owns the walls inside of packages: which files reach each other, which rooms the engine has, how many types a package shows,
// and how long a function is.

// The most that a package may have.
const (
	mostKnotted  = 20 // files that all reach each other
	mostShown    = 90 // exported types
	mostFunction = 80 // lines
)

// notYet are what packages have beyond these bounds. A number here goes down only.
var notYet = map[string]struct{ knot, shown int }{
	"api":      {knot: 74},
	"engine":   {knot: 21, shown: 300}, // each command is a type, so these follow the operations
	"timeline": {knot: 28},
}

// rooms of the engine are the files of its domains, from the lowest to the highest: a file names nothing of a higher room.
// What is not here is the engine itself: who runs, when, and how it lasts.
var rooms = []struct{ name, files string }{
	{"base", `account address archive_ids bounds codec due errors event extension feed find id importing in_use input item key ledger list loader opt plan
		purchase revise shelf snapshot stored sums tables tariff text tombstone weight word words writeset`},
	{"label", `sweep attribute attribute_use attribute_value external filter label tag`},
	{"stock", `aggregate article article_details article_field article_filter article_income article_list article_out article_sort article_stock
		blockers calendar chooser conflict conflict_event conflict_home departure location made quantity relabel scheduled_event seat seating sku source stock_check
		stock_load stockrows stretch unavailability`},
	{"commerce", `allocate catalog catalog_list contact customer discount external_pricing_row kit kit_time price price_combine pricing_row
		pricing_table subscription`},
	{"hold", `availability hold hold_change hold_event hold_kit hold_list hold_memo holdstore starts what_if`},
	{"order", `order order_assign order_cancel order_check order_comment order_copies order_create order_discount order_edit
		order_event order_filter order_handover order_hold order_income order_index order_line order_list order_parts order_payment order_plan order_price order_quote order_ready
		order_record order_requirement order_row order_sold order_state order_stock order_subscription order_undo order_units order_uses`},
	{"outbox", `delivery delivery_attempt delivery_trim webhook webhook_event`},
}

// arrows are, by file of a package, the files that it names something of, with what that is.
type arrows map[string]map[string][]string

// checked is a package with its types.
type checked struct {
	name  string
	files map[string]*ast.File // by base name
	types *types.Package
	to    arrows
	fset  *token.FileSet
}

// check reads packages and works out who names what.
func check(t *testing.T, patterns ...string) (all []checked) {
	t.Helper()
	exports := map[string]string{}
	for _, p := range list(t, append([]string{"-export", "-deps"}, patterns...)...) {
		exports[p.ImportPath] = p.Export
	}
	for _, p := range list(t, patterns...) {
		fset := token.NewFileSet()
		c := checked{name: p.name(), files: map[string]*ast.File{}, to: arrows{}, fset: fset}
		var files []*ast.File
		for path, f := range parse(t, fset, p) {
			c.files[filepath.Base(path)] = f
			files = append(files, f)
		}
		importer := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		var err error
		c.types, err = (&types.Config{Importer: importer}).Check(p.ImportPath, fset, files, info)
		require.NoError(t, err)
		for id, o := range info.Uses {
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
		limit, over := notYet[c.name]
		if knot := c.to.knot(); len(knot) > max(mostKnotted, limit.knot) {
			t.Errorf("%s: %d files all reach each other: %s", c.name, len(knot), strings.Join(knot, " "))
		} else if over && limit.knot > len(knot) {
			t.Errorf("%s: %d files are a knot, notYet says %d", c.name, len(knot), limit.knot)
		}
		shown := 0
		for _, n := range c.types.Scope().Names() {
			if o, is := c.types.Scope().Lookup(n).(*types.TypeName); is && o.Exported() {
				shown++
			}
		}
		if generated := slices.ContainsFunc(values(c.files), ast.IsGenerated); shown > max(mostShown, limit.shown) && !generated {
			t.Errorf("%s shows %d types", c.name, shown)
		}
		for name, f := range c.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if d, is := n.(*ast.FuncDecl); is && !ast.IsGenerated(f) {
					if lines := c.fset.Position(d.End()).Line - c.fset.Position(d.Pos()).Line + 1; lines > mostFunction {
						t.Errorf("%s/%s: %s has %d lines", c.name, name, d.Name.Name, lines)
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

func TestRoomsOfTheEngineNameNothingAbove(t *testing.T) {
	c := check(t, "./engine")[0]
	floor := map[string]int{}
	for i, r := range rooms {
		for f := range strings.FieldsSeq(r.files) {
			require.Contains(t, c.files, f+".go", "room %s", r.name)
			floor[f+".go"] = i
		}
	}
	at := func(f string) int {
		if i, ok := floor[f]; ok {
			return i
		}
		return len(rooms)
	}
	for from, all := range c.to {
		for to, names := range all {
			if at(from) < at(to) {
				slices.Sort(names)
				t.Errorf("%s names %s of %s, which is above it", from, strings.Join(slices.Compact(names), ", "), to)
			}
		}
	}
}

// Each test of this file finds something where there is something.
func TestAKnotIsFound(t *testing.T) {
	a := arrows{"a": {"b": nil}, "b": {"c": nil}, "c": {"a": nil, "d": nil}, "d": {"e": nil}, "e": {"d": nil}}
	require.Equal(t, []string{"a", "b", "c"}, a.knot())
	delete(a["b"], "c")
	require.Equal(t, []string{"d", "e"}, a.knot())
}
