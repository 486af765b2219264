package console

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"sync"
)

// This file owns which files the page is made of, and under which policy a browser takes them.

//go:embed app lib/*.js lib/*.css
var files embed.FS

// Policy is the policy of content security of the page: scripts and styles of files of this origin alone, and requests
// to it alone.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Index is the name of the page itself.
const Index = "index.html"

// types are the media types of the files, by how their names end.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// File is what is served under a name.
type File struct {
	Type string
	Body []byte
}

// Find returns what is served under a name.
func Find(name string) (File, bool) {
	f, ok := served()[name]
	return f, ok
}

// served are the files by their names, which are all different.
var served = sync.OnceValue(func() map[string]File {
	all := map[string]File{}
	err := fs.WalkDir(files, ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := files.ReadFile(at)
		if _, twice := all[d.Name()]; twice {
			return fmt.Errorf("two files are called %s", d.Name())
		}
		all[d.Name()] = File{Type: types[path.Ext(d.Name())], Body: b}
		return err
	})
	if err != nil { // what is embedded is read by the tests, and cannot fail where they passed
		panic(fmt.Sprintf("console: %v", err))
	}
	return all
})
