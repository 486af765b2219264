package persist

// This file owns the tar.zst form of a backup.

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/zstd"
)

// WriteArchive writes the files of a sealed store that no process writes to as
// a tar archive compressed with zstd. The head file comes last, so that an
// archive that was cut short holds none. It takes the directory's lock.
func WriteArchive(ctx context.Context, w io.Writer, f vfs.FS, dir string, progress Progress) (err error) {
	lock, err := lockToRead(newPrivateFS(f), dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	names, total, err := storeFiles(f, dir)
	if err != nil {
		return err
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	var done int64
	for _, n := range append(names, headName) {
		err := addFile(t, f, f.PathJoin(dir, n), n, func(n int) error {
			done += int64(n)
			if progress != nil {
				progress(min(done, total), total)
			}
			return ctx.Err()
		})
		if err != nil {
			return errors.Join(fmt.Errorf("archive %s: %w", n, err), z.Close())
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func addFile(t *tar.Writer, f vfs.FS, path, name string, progress func(int) error) error {
	file, err := f.Open(path, vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	defer file.Close()
	st, err := file.Stat()
	if err != nil {
		return err
	}
	err = t.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Mode: fileMode, Size: st.Size(), ModTime: time.Unix(0, 0),
		Format: tar.FormatPAX,
	})
	if err != nil {
		return err
	}
	return copyBytes(t, file, progress)
}

// unpack writes the files of an archive into dir, which must not exist or be
// empty, and leaves out the head file: it returns what that says instead. The
// archive must hold one, at its end.
func unpack(ctx context.Context, r io.Reader, f vfs.FS, dir string, progress Progress) (made bool, h head, err error) {
	if err := emptyTarget(f, dir); err != nil {
		return false, h, err
	}
	if err := makeDir(f, dir); err != nil {
		return true, h, err
	}
	// A store's table files are compressed; 64 MiB of window is ample.
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return true, h, err
	}
	defer z.Close()
	t := tar.NewReader(z)
	var done int64
	count := func(n int) error {
		done += int64(n)
		if progress != nil {
			progress(done, 0)
		}
		return ctx.Err()
	}
	for {
		e, err := t.Next()
		if err == io.EOF {
			return true, h, corruptf("the archive ends without a head file: it is not complete")
		}
		if err != nil {
			return true, h, corruptf("archive: %w", err)
		}
		if e.Typeflag == tar.TypeReg && e.Name == headName {
			h, err = archivedHead(t)
			if err != nil {
				return true, h, err
			}
			if _, err = t.Next(); err != io.EOF {
				return true, h, corruptf("archive: the head file is not the last")
			}
			// Up to the end, where the checksum of the whole is.
			if err := copyBytes(onlyZeros{}, z, nil); err != nil {
				return true, h, corruptf("archive: %w", err)
			}
			return true, h, syncDir(f, dir)
		}
		if e.Typeflag != tar.TypeReg || !isPebbleFile(e.Name) || f.PathBase(e.Name) != e.Name {
			return true, h, corruptf("archive: %q does not belong into a store", e.Name)
		}
		if err := writeFile(f, t, f.PathJoin(dir, e.Name), count); err != nil {
			return true, h, fmt.Errorf("extract %s: %w", e.Name, err)
		}
	}
}

// onlyZeros takes what fills up a tar archive after its end, and nothing else.
type onlyZeros struct{}

func (onlyZeros) Write(b []byte) (int, error) {
	if slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) {
		return 0, errors.New("there is more behind its end")
	}
	return len(b), nil
}

func archivedHead(r io.Reader) (h head, err error) {
	b, err := io.ReadAll(io.LimitReader(r, 2*slotSize))
	if err != nil {
		return h, corruptf("archive: %w", err)
	}
	st, err := parseHead(b)
	if err == nil && !st.valid {
		err = corruptf("archive: the head file does not read")
	}
	return st.head, err
}
