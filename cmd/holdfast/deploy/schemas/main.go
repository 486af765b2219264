// Schemas writes what the manifests of this project are checked against: the schema of compose files as its authors
// publish it, and one of the kinds in kubernetes.yaml, made of the types of the Kubernetes API.
//
//	make schemas        writes both again, after another version was put into go.mod
//	go run . -check     says whether they are what the pinned versions give
//
// It is a module of its own: the project is built without Kubernetes.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/packages"
)

// This file owns where the schemas come from and go to.

func main() {
	check := flag.Bool("check", false, "write nothing; fail if a file is not what the pinned versions give")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "schemas: %q: there are no arguments but -check\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "schemas:", err)
		os.Exit(1)
	}
}

// composeSchema is the package whose directory has the schema of compose files.
const composeSchema = "github.com/compose-spec/compose-go/v2/schema"

func run(check bool) error {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedDeps | packages.NeedImports |
			packages.NeedFiles | packages.NeedModule,
	}, composeSchema, coreV1, appsV1)
	if err != nil {
		return err
	}
	if packages.PrintErrors(loaded) > 0 {
		return fmt.Errorf("the pinned packages do not load")
	}
	modules := map[string]*packages.Module{}
	for _, p := range loaded {
		modules[p.PkgPath] = p.Module
	}
	made, err := json.MarshalIndent(kubernetes(loaded, modules[coreV1]), "", " ")
	if err != nil {
		return err
	}
	files := map[string][]byte{"kubernetes/kubernetes.json": append(made, '\n')}
	// The authors' bytes, so that only their licence and notice have to lie next to them.
	for name, from := range map[string]string{
		"compose/compose-spec.json": filepath.Join(modules[composeSchema].Dir, "schema", "compose-spec.json"),
		"compose/LICENSE":           filepath.Join(modules[composeSchema].Dir, "LICENSE"),
		"compose/NOTICE":            filepath.Join(modules[composeSchema].Dir, "NOTICE"),
		"kubernetes/LICENSE":        filepath.Join(modules[coreV1].Dir, "LICENSE"),
	} {
		if files[name], err = os.ReadFile(from); err != nil {
			return err
		}
	}
	for name, text := range files {
		if !check {
			if err := os.WriteFile(name, text, 0o644); err != nil {
				return err
			}
			continue
		}
		is, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !bytes.Equal(is, text) {
			return fmt.Errorf("%s is not what the pinned versions give: `make schemas` writes it again", name)
		}
	}
	return nil
}
