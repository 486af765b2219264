package backup

// This file owns what a place for backups must be able to do.

import (
	"context"
	"errors"
	"io"
)

// Object is a file at a target. Names have slashes, and sort as they were made.
type Object struct {
	Name string
	Size int64
}

// Target is a place for backups. Its methods may be called from many goroutines.
type Target interface {
	// Put makes an object of all that r yields, or none at all. size is how much that is, or -1. An object that exists
	// is never overwritten: that is ErrExists.
	Put(ctx context.Context, name string, r io.Reader, size int64) error
	// Get reads an object; one that is not there is ErrMissing.
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	// List is every object whose name begins with a prefix, in order.
	List(ctx context.Context, prefix string) ([]Object, error)
	// Delete takes an object away. One that is not there is no error.
	Delete(ctx context.Context, name string) error
	// Clean takes away what a Put that was cut short has left in a line, of all lines that it is to be done for.
	Clean(ctx context.Context, of func(line string) bool) error
	// String names the target, without secrets.
	String() string
}

var (
	// ErrExists: there is an object of that name already.
	ErrExists = errors.New("exists already")
	// ErrMissing: there is no object of that name.
	ErrMissing = errors.New("is not there")
	// ErrSeveral: the target holds backups of several servers.
	ErrSeveral = errors.New("it is not clear whose backup is meant")
	// ErrNothing: the target holds no backup that fits what was asked for.
	ErrNothing = errors.New("no such backup")
)
