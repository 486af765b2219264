package fuzz

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// This file owns the rules of how files are written.

// Every package says in doc.go what it owns, or, a command, above its package clause; every other file in its first
// comment.
func TestFilesSayWhatTheyOwn(t *testing.T) {
	fset := token.NewFileSet()
	for _, p := range list(t, "./...") {
		files := parse(t, fset, p)
		command := false
		for _, f := range files {
			command = f.Name.Name == "main"
		}
		if doc := files[filepath.Join(p.name(), "doc.go")]; !command && (doc == nil || doc.Doc == nil) {
			t.Errorf("%s has no doc.go", p.name())
		}
		for name, f := range files {
			if !ast.IsGenerated(f) && f.Doc == nil && !says(f) {
				t.Errorf("%s does not open with what it owns", name)
			}
		}
	}
}

// says looks at the comments before the first declaration that is not an import.
func says(f *ast.File) bool {
	first := f.End()
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			first = d.Pos()
			break
		}
	}
	for _, c := range f.Comments {
		if c.Pos() < first && strings.Contains(c.Text(), "This file owns") {
			return true
		}
	}
	return false
}

// A doc.go that lists files of its package lists all that are not tests.
func TestDocListsAllFiles(t *testing.T) {
	fset := token.NewFileSet()
	listed := regexp.MustCompile(`(?m)^\t(\w+\.go) `)
	for _, p := range list(t, "./...") {
		files := parse(t, fset, p)
		doc := files[filepath.Join(p.name(), "doc.go")]
		if doc == nil {
			continue
		}
		names := map[string]bool{"doc.go": true}
		for _, m := range listed.FindAllStringSubmatch(doc.Doc.Text(), -1) {
			names[m[1]] = true
		}
		for name := range files {
			if len(names) > 1 && !names[filepath.Base(name)] {
				t.Errorf("%s is not in the list of its doc.go", name)
			}
		}
		for name := range names {
			if files[filepath.Join(p.name(), name)] == nil {
				t.Errorf("the doc.go of %s lists %s, which is not there", p.name(), name)
			}
		}
	}
}

// mapRanges are the functions of timeline and engine that go through a map, with the reason why its order reaches no
// result.
var mapRanges = map[string]string{
	"engine/recover.go load": "collects ids, which are sorted before they are used",
}

// The core is a function of its inputs: no clock, no chance, no order of a map. It holds invariant 3 of package engine.
func TestCoreIsDeterministic(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range check(t, "./engine/...", "./timeline") {
		for name, f := range c.files {
			for _, d := range f.Decls {
				where := name
				if fn, ok := d.(*ast.FuncDecl); ok {
					where += " " + fn.Name.Name
				}
				ast.Inspect(d, func(n ast.Node) bool {
					if r, ok := n.(*ast.RangeStmt); ok {
						if _, isMap := c.info.TypeOf(r.X).Underlying().(*types.Map); isMap {
							seen[where] = true
							if mapRanges[where] == "" {
								t.Errorf("%s: goes through a map", c.fset.Position(r.Pos()))
							}
						}
					}
					if id, ok := n.(*ast.Ident); ok {
						if o := c.info.Uses[id]; o != nil && o.Pkg() != nil && forbidden(o) {
							t.Errorf("%s: uses %s.%s", c.fset.Position(id.Pos()), o.Pkg().Path(), o.Name())
						}
					}
					return true
				})
			}
		}
	}
	for where := range mapRanges {
		if !seen[where] {
			t.Errorf("%s goes through no map any more: take it off the list", where)
		}
	}
}

// forbidden names what brings in the clock or chance. A ticker is not: it decides when the clock is asked, by whom is
// an option.
func forbidden(o types.Object) bool {
	switch o.Pkg().Path() {
	case "time":
		return o.Name() == "Now" || o.Name() == "Since" || o.Name() == "Until"
	case "math/rand", "math/rand/v2", "crypto/rand", "hash/maphash":
		return true
	case "github.com/google/uuid":
		return strings.HasPrefix(o.Name(), "New")
	}
	return false
}

// tidwall/btree copies rows that have such a method with every node it clones.
func TestNoRowCopiesItself(t *testing.T) {
	fset := token.NewFileSet()
	for _, p := range list(t, "./engine/...", "./timeline") {
		for name, f := range parse(t, fset, p) {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil &&
					(fn.Name.Name == "Copy" || fn.Name.Name == "IsoCopy") {
					t.Errorf("%s has a method %s; call it Clone", name, fn.Name.Name)
				}
			}
		}
	}
}

// No file of the project knows the machine it was written on.
func TestNoPathOfAMachine(t *testing.T) {
	var paths [][]byte
	for _, dir := range []string{"work", "root", "home", "Users"} {
		paths = append(paths, []byte("/"+dir+"/"))
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && (d.Name() == ".git" || d.Name() == "dist" || d.Name() == "data" ||
				d.Name() == "node_modules") {
				return fs.SkipDir
			}
			return err
		}
		switch filepath.Ext(path) {
		case ".go", ".md", ".mod", ".txt", ".txtar", ".json", ".yaml", ".yml", ".sh", ".html", ".css", ".js", ".ts", "":
		default:
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil || bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 {
			return err // a binary
		}
		for _, p := range paths {
			for i, line := range bytes.Split(b, []byte("\n")) {
				if bytes.Contains(line, p) {
					t.Errorf("%s:%d speaks of %s", path, i+1, p)
				}
			}
		}
		return nil
	})
	require.NoError(t, err)
}

// mostColumns is how wide a line of Go is at most; a tab is four columns.
const mostColumns = 120

// Lines are read in full beside a second window. Text between back quotes is as wide as what it says has to be.
func TestLinesAreNotTooWide(t *testing.T) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(f) {
			return err
		}
		quoted := map[int]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Value[0] == '`' {
				for i := fset.Position(l.Pos()).Line; i <= fset.Position(l.End()).Line; i++ {
					quoted[i] = true
				}
			}
			return true
		})
		src, err := os.ReadFile(path)
		for i, line := range strings.Split(string(src), "\n") {
			if n := columns(line); n > mostColumns && !quoted[i+1] {
				t.Errorf("%s:%d has %d columns", path, i+1, n)
			}
		}
		return err
	})
	require.NoError(t, err)
}

func columns(line string) int { return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t") }
