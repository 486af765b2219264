package fuzz

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns what the rules look at: the packages and files of the project.

// module is the project's name in import paths.
const module = "holdfast"

// pkg is a package as `go list` describes it.
type pkg struct {
	ImportPath  string
	Dir         string
	Standard    bool
	Export      string
	GoFiles     []string
	Imports     []string
	TestImports []string

	XTestImports []string
}

// name is the package's path inside the project, empty for the root.
func (p pkg) name() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/") }

// list asks go list for packages, given as patterns from the root of the project.
func list(t *testing.T, args ...string) (pkgs []pkg) {
	t.Helper()
	c := exec.Command("go",
		append([]string{"list", "-json=ImportPath,Dir,Standard,Export,GoFiles,Imports,TestImports,XTestImports"},
			args...)...)
	c.Dir = ".."
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	require.NoError(t, err, stderr.String())
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return pkgs
		}
		require.NoError(t, err)
		pkgs = append(pkgs, p)
	}
}

// parse reads the files of a package that are built, with their comments.
func parse(t *testing.T, fset *token.FileSet, p pkg) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil,
			parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		files[filepath.Join(p.name(), name)] = f
	}
	return files
}
