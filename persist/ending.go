package persist

// This file owns an end to reading a whole store back: the files that are read end with a context. Pebble's own walks
// know none.

import (
	"context"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// endingFS reads files until a context ends; then every read fails with its error.
type endingFS struct {
	vfs.FS
	ctx context.Context
}

// Unwrap is part of vfs.FS.
func (e endingFS) Unwrap() vfs.FS { return e.FS }

func (e endingFS) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := e.FS.Open(name, o...)
	if err != nil {
		return f, err
	}
	return endingFile{f, e.ctx}, nil
}

type endingFile struct {
	vfs.File
	ctx context.Context
}

func (f endingFile) Read(b []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.File.Read(b)
}

func (f endingFile) ReadAt(b []byte, at int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.File.ReadAt(b, at)
}
