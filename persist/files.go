package persist

// This file owns the file system as the store uses it: modes, health, copies.

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	fileMode = 0o600
	dirMode  = 0o700
	lockName = "LOCK" // Pebble's
)

// privateFS gives every file and directory made through it to its owner alone:
// Pebble leaves the mode of its files to the umask. Only the operating
// system's file system has modes; elsewhere it changes nothing.
type privateFS struct {
	vfs.FS
	onDisk bool
}

func newPrivateFS(f vfs.FS) privateFS {
	return privateFS{FS: f, onDisk: vfs.Root(f) == vfs.Default}
}

// Unwrap is part of vfs.FS.
func (p privateFS) Unwrap() vfs.FS { return p.FS }

func (p privateFS) private(name string, err error) error {
	if err != nil || !p.onDisk {
		return err
	}
	return os.Chmod(name, fileMode)
}

// keep closes f if the mode of its file could not be set.
func (p privateFS) keep(name string, f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return f, err
	}
	if err := p.private(name, nil); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Create syncs the directory before it makes one of Pebble's markers: Pebble
// makes a manifest and the marker that names it under one sync, so a crash could
// keep the marker alone, and a store that names a file that is not there does
// not open.
func (p privateFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasPrefix(p.PathBase(name), "marker.") {
		if err := syncDir(p.FS, p.PathDir(name)); err != nil {
			return nil, err
		}
	}
	f, err := p.FS.Create(name, c)
	return p.keep(name, f, err)
}

// Remove syncs the directory before it drops one of Pebble's markers: Pebble
// makes the new one and drops the old one under one sync, and no file system
// has to keep them in that order, so a crash could keep the removal alone. A
// store without a marker is none: it would be refused, with all that is in it.
func (p privateFS) Remove(name string) error {
	if strings.HasPrefix(p.PathBase(name), "marker.") {
		if err := syncDir(p.FS, p.PathDir(name)); err != nil {
			return err
		}
	}
	return p.FS.Remove(name)
}

func (p privateFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := p.FS.OpenReadWrite(name, c, o...)
	return p.keep(name, f, err)
}

func (p privateFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := p.FS.ReuseForWrite(old, name, c)
	return p.keep(name, f, err)
}

func (p privateFS) MkdirAll(dir string, _ os.FileMode) error { return p.FS.MkdirAll(dir, dirMode) }

func (p privateFS) Lock(name string) (io.Closer, error) {
	l, err := p.FS.Lock(name)
	if err != nil {
		return l, err
	}
	if err := p.private(name, nil); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// withHealth reports writes to a disk that take over five seconds. The closer
// ends the watching; it may be nil.
func withHealth(f vfs.FS, log *slog.Logger) (vfs.FS, io.Closer) {
	if vfs.Root(f) != vfs.Default {
		return f, nil
	}
	return vfs.WithDiskHealthChecks(f, 5*time.Second, nil, func(i vfs.DiskSlowInfo) {
		log.Warn("slow disk", "detail", i.String())
	})
}

// makeDir makes dir and what is missing above it, and syncs the names made.
func makeDir(f vfs.FS, dir string) error {
	var parents []string
	for d := dir; ; {
		if _, err := f.Stat(d); err == nil {
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		up := f.PathDir(d)
		parents = append(parents, up)
		if up == d {
			break
		}
		d = up
	}
	if len(parents) == 0 {
		return nil
	}
	if err := f.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	for _, p := range parents {
		if err := syncDir(f, p); err != nil {
			return err
		}
	}
	return nil
}

func syncDir(f vfs.FS, dir string) error {
	d, err := f.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// list is the names in dir; none if it does not exist.
func list(f vfs.FS, dir string) ([]string, error) {
	names, err := f.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, err
}

// copyFile copies the bytes of a file and syncs them. Never a link: a link
// shares the rot of its blocks.
func copyFile(f vfs.FS, from, to string, progress func(int) error) (err error) {
	src, err := f.Open(from, vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	defer src.Close()
	return writeFile(f, src, to, progress)
}

// writeFile makes a file of what src yields and syncs it: little by little, as
// one large sync would hold up the log on the same disk.
func writeFile(f vfs.FS, src io.Reader, to string, progress func(int) error) (err error) {
	file, err := f.Create(to, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	dst := vfs.NewSyncingFile(file, vfs.SyncingFileOptions{BytesPerSync: 1 << 20})
	defer func() { err = errors.Join(err, dst.Close()) }()
	if err := copyBytes(dst, src, progress); err != nil {
		return err
	}
	return dst.Sync()
}

// copyBytes is io.Copy for a vfs.File, which may change the bytes written and
// so must never be given memory that something else still reads.
func copyBytes(dst io.Writer, src io.Reader, progress func(int) error) error {
	buf := make([]byte, 1<<20)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			if _, err := dst.Write(buf[:n]); err != nil {
				return err
			}
			if progress != nil {
				if err := progress(n); err != nil {
					return err
				}
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
