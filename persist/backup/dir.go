package backup

// This file owns the target that is a directory.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Dir is a directory as a target, best one of another machine or disk. It is made with the first object, and not again:
// where a directory was seen and is gone, its disk is, and what were put in its place would be no backup.
type Dir struct {
	Root string

	mu   sync.Mutex
	seen map[string]bool // directories that were there
}

// NewDir names a directory; nothing is asked of it yet.
func NewDir(root string) *Dir { return &Dir{Root: filepath.Clean(root), seen: map[string]bool{}} }

// partPrefix begins the names of files that are being written.
const partPrefix = ".part-"

func (d *Dir) String() string { return d.Root }

func (d *Dir) path(name string) string { return filepath.Join(d.Root, filepath.FromSlash(name)) }

// Put gives the file its name when all of it is on disk.
func (d *Dir) Put(ctx context.Context, name string, r io.Reader, _ int64) (err error) {
	final := d.path(name)
	if _, err := os.Lstat(final); err == nil {
		return fmt.Errorf("%s %w", final, ErrExists)
	}
	dir := filepath.Dir(final)
	if err := d.ready(dir); err != nil {
		return err
	}
	part, err := os.CreateTemp(dir, partPrefix+"*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if e := os.Remove(part.Name()); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}()
	if err := write(ctx, part.Name(), r); err != nil {
		return errors.Join(err, part.Close())
	}
	if err := part.Close(); err != nil {
		return err
	}
	err = os.Link(part.Name(), final)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s %w", final, ErrExists)
	case errors.Is(err, syscall.EPERM), errors.Is(err, errors.ErrUnsupported):
		err = d.withoutLinks(part.Name(), final)
	}
	if err != nil {
		return err
	}
	return SyncDir(dir)
}

// ready makes a directory, the root or one below it, if it is not there.
func (d *Dir) ready(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range [2]string{d.Root, dir} {
		if _, err := os.Stat(x); d.seen[x] && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s was there and is gone: is its disk still mounted?", x)
		}
	}
	err := makeDirs(dir)
	if err == nil {
		d.seen[d.Root], d.seen[dir] = true, true
	}
	return err
}

// withoutLinks names a file where the file system has no links: the name is taken by an empty file, whose place the
// written one takes.
func (d *Dir) withoutLinks(part, final string) error {
	f, err := os.OpenFile(final, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %w", final, ErrExists)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(f.Close(), os.Rename(part, final)); err != nil {
		return errors.Join(err, os.Remove(final))
	}
	return nil
}

// write fills a file and syncs it, little by little: one large sync would hold up the log, where it is on the same
// disk.
func write(ctx context.Context, name string, r io.Reader) error {
	file, err := vfs.Default.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	out := vfs.NewSyncingFile(file, vfs.SyncingFileOptions{BytesPerSync: 1 << 20})
	_, err = io.Copy(struct{ io.Writer }{out}, &cancelled{ctx, r})
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// cancelled reads until a context ends.
type cancelled struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancelled) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

func (d *Dir) Get(_ context.Context, name string) (io.ReadCloser, error) {
	f, err := os.Open(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s %w", d.path(name), ErrMissing)
	}
	return f, err
}

func (d *Dir) List(ctx context.Context, prefix string) (list []Object, err error) {
	err = filepath.WalkDir(d.Root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) { // no root yet, or a file that goes meanwhile
				return nil
			}
			return err
		}
		rel, err := filepath.Rel(d.Root, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if e.IsDir() {
			if name != "." && !strings.HasPrefix(name+"/", prefix) && !strings.HasPrefix(prefix, name+"/") {
				return fs.SkipDir
			}
			d.mu.Lock()
			d.seen[path] = true
			d.mu.Unlock()
			return ctx.Err()
		}
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") || !strings.HasPrefix(name, prefix) {
			return nil
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			list = append(list, Object{Name: name, Size: info.Size()})
		}
		return err
	})
	slices.SortFunc(list, func(a, b Object) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// Delete takes the directory of the object away, too, when nothing else is in it.
func (d *Dir) Delete(_ context.Context, name string) error {
	path := d.path(name)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if dir := filepath.Dir(path); dir != d.Root {
		d.mu.Lock()
		defer d.mu.Unlock()
		if err := os.Remove(dir); err == nil {
			delete(d.seen, dir)
			return SyncDir(filepath.Dir(dir))
		}
	}
	return nil
}

// Clean takes the directory of a line away, too, when nothing else is in it.
func (d *Dir) Clean(_ context.Context, of func(line string) bool) error {
	dirs, err := os.ReadDir(d.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, dir := range dirs {
		if !dir.IsDir() || !of(dir.Name()) {
			continue
		}
		names, e := os.ReadDir(d.path(dir.Name()))
		err = errors.Join(err, e)
		left := len(names)
		for _, n := range names {
			if strings.HasPrefix(n.Name(), partPrefix) {
				err = errors.Join(err, os.Remove(filepath.Join(d.Root, dir.Name(), n.Name())))
				left--
			}
		}
		if left == 0 {
			d.mu.Lock()
			delete(d.seen, d.path(dir.Name()))
			err = errors.Join(err, os.Remove(d.path(dir.Name())))
			d.mu.Unlock()
		}
	}
	return err
}

// makeDirs makes a directory and what is missing above it, and syncs the names made.
func makeDirs(dir string) error {
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	up := filepath.Dir(dir)
	if err := makeDirs(up); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncDir(up)
}

// SyncDir makes the names in a directory last.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
