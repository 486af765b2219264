package main

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
)

// This file owns what is read and what is written.

func main() {
	document := flag.String("document", "api/openapi.json", "the document")
	to := flag.String("to", "api/client", "the directory of the clients")
	flag.Parse()
	if err := write(*document, *to); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func write(document, to string) error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	files, err := generate(text)
	if err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate makes the files of a document, by name.
func generate(text []byte) (map[string][]byte, error) {
	d, err := read(text)
	if err != nil {
		return nil, err
	}
	types, err := d.types()
	if err != nil {
		return nil, err
	}
	operations, err := d.operations()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, text := range map[string]string{"go/types.go": types, "go/operations.go": operations} {
		files[name], err = format.Source([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	files["ts/src/version.ts"] = fmt.Appendf(nil, versionFile, d.Info.Version)
	return files, nil
}

// versionFile is what the client in TypeScript has of the document in addition to its types, which openapi-typescript
// writes.
const versionFile = `// Made by api/client/gen of api/openapi.json: do not edit.
/** The version of the interface that this client is made for. It is sent with each request. */
export const version = %q;
`
