package main

// This file owns what backup, restore and verify share: targets and sources by name, files that appear whole or not at
// all, and progress.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"holdfast/persist"
	"holdfast/persist/backup"
)

// archiveSuffix ends the name of a backup in one file.
const archiveSuffix = ".tar.zst"

// partMark comes after the name of a file that is not whole yet.
const partMark = ".part-"

// openArchive opens a file that holds a backup, whatever it is called unless it is not done; nil where the name is not
// of a file.
func openArchive(name string) (*os.File, error) {
	if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() {
		return nil, nil // a directory, or none: the code that opens that says so
	}
	if strings.Contains(filepath.Base(name), archiveSuffix+partMark) {
		return nil, fmt.Errorf("%s is a backup that is not done: if none is being made, remove it", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	begin := make([]byte, len(zstdMagic))
	if _, err := io.ReadFull(f, begin); err != nil || string(begin) != zstdMagic {
		return nil, errors.Join(fmt.Errorf("%s is no directory, and no backup either: those begin as zstd does", name),
			f.Close())
	}
	_, err = f.Seek(0, io.SeekStart)
	return f, err
}

// zstdMagic is how a compressed archive begins.
const zstdMagic = "\x28\xb5\x2f\xfd"

// isArchive says whether a backup's name is of a file or a stream, not of a directory.
func isArchive(name string) bool { return name == "-" || strings.HasSuffix(name, archiveSuffix) }

// errThere is a name that is taken: the file or directory that has it is not replaced.
var errThere = errors.New("exists")

func thereIs(name string) error { return fmt.Errorf("%s %w", name, errThere) }

// writeFile makes a file that appears under its name only when write has returned without an error and all is synced. A
// file of that name is not replaced, also where it comes while this one is written.
func writeFile(name string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(name); err == nil {
		return thereIs(name)
	}
	part, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+partMark+"*")
	if err != nil {
		return err
	}
	published := false
	defer func() {
		if !published { // also where write panics
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	err = write(part)
	if err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err == nil {
		err = publish(part.Name(), name)
	}
	if published = err == nil; !published {
		return err
	}
	return backup.SyncDir(filepath.Dir(name))
}

// publish gives a file a name that no other file has, in place of the one that it has.
func publish(part, name string) error {
	switch err := os.Link(part, name); {
	case err == nil:
		return os.Remove(part)
	case errors.Is(err, fs.ErrExist):
		return thereIs(name)
	}
	return publishUnlinked(part, name)
}

// publishUnlinked is publish for a file system without hard links: an empty file takes the name first, and the whole
// one takes its place.
func publishUnlinked(part, name string) error {
	taken, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return thereIs(name)
	} else if err != nil {
		return err
	}
	if err := errors.Join(taken.Close(), os.Rename(part, name)); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// newBar is a progress bar on errs, silent where that is not a terminal. A max of -1 is not known.
func newBar(errs io.Writer, max int64, what string, bytes bool) *progressbar.ProgressBar {
	options := []progressbar.Option{
		progressbar.OptionSetDescription(what), progressbar.OptionSetWriter(errs),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionSetVisibility(isTerminal(errs)), progressbar.OptionClearOnFinish(),
		progressbar.OptionShowCount(),
	}
	if bytes {
		options = append(options, progressbar.OptionShowBytes(true))
	}
	return progressbar.NewOptions64(max, options...)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// copyProgress shows a copy of persist on a bar. Call done when the copy is over.
func copyProgress(errs io.Writer, what string) (progress persist.Progress, done func()) {
	bar := newBar(errs, -1, what, true)
	return func(at, total int64) {
		if total > 0 && bar.GetMax64() != total {
			bar.ChangeMax64(total)
		}
		bar.Set64(at)
	}, func() { bar.Finish() }
}
