package main

// This file owns the directory that a whole account is exported to: one file of rows a kind, and a manifest with the
// first and the last line of the archive (engine/archive.go) and a hash over each file.

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"holdfast/engine"
	"holdfast/engine/base"
)

const manifestName = "manifest.json"

// manifest is what an archive's directory says of itself. Head and end are lines of the archive, byte for byte.
type manifest struct {
	Head  json.RawMessage `json:"head"`
	Files []archiveFile   `json:"files"`
	End   json.RawMessage `json:"end"`
}

// archiveFile is a file of rows; they are in the archive in the order of the files.
type archiveFile struct {
	Name   string `json:"name"`
	Rows   int    `json:"rows"`
	SHA256 string `json:"sha256"`
}

// archiveWriter takes an archive apart into the files of a directory.
type archiveWriter struct {
	dir      string
	manifest manifest
	kinds    map[string]bool
	file     *os.File
	out      *bufio.Writer
	hash     hash.Hash
}

// writeArchive writes an archive to a directory that it makes, or that is empty. The manifest appears when all is
// written and synced. Where that fails, what was made is removed.
func writeArchive(dir string, in io.Reader) (m manifest, err error) {
	_, before := os.Lstat(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return m, err
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) > 0 {
		return m, errors.Join(err, fmt.Errorf("%s must not exist or be empty", dir))
	}
	w := &archiveWriter{dir: dir, kinds: map[string]bool{}}
	whole := false
	defer func() {
		if whole { // not so where something panics
			return
		}
		if w.file != nil {
			err = errors.Join(err, w.file.Close())
		}
		err = fmt.Errorf("the export is not whole: %w", errors.Join(err, w.remove(before != nil)))
	}()
	for lines := bufio.NewReaderSize(in, 1<<16); ; {
		line, err := lines.ReadBytes('\n')
		switch {
		case err == io.EOF && len(line) == 0 && w.manifest.End != nil:
			err = w.finish()
			whole = err == nil
			return w.manifest, err
		case err != nil:
			return m, err
		}
		if err := w.line(line); err != nil {
			return m, err
		}
	}
}

func (w *archiveWriter) line(line []byte) error {
	switch {
	case w.manifest.Head == nil:
		w.manifest.Head = bytes.TrimSuffix(line, []byte("\n"))
		return nil
	case !bytes.HasPrefix(line, []byte(`{"kind":`)):
		w.manifest.End = bytes.TrimSuffix(line, []byte("\n"))
		return nil
	}
	var row struct{ Kind string }
	if err := json.Unmarshal(line, &row); err != nil {
		return err
	}
	if !w.kinds[row.Kind] && (w.file == nil || !engine.ArchivedBehind(row.Kind)) {
		if err := w.begin(strings.ToLower(strings.ReplaceAll(row.Kind, " ", "-")) + ".ndjson"); err != nil {
			return err
		}
	}
	w.kinds[row.Kind] = true
	w.manifest.Files[len(w.manifest.Files)-1].Rows++
	w.hash.Write(line)
	_, err := w.out.Write(line)
	return err
}

// begin begins a file of the directory.
func (w *archiveWriter) begin(name string) error {
	if err := w.end(); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	w.manifest.Files = append(w.manifest.Files, archiveFile{Name: name})
	w.file, w.out, w.hash = file, bufio.NewWriterSize(file, 1<<16), sha256.New()
	return nil
}

// remove takes away the files that were made, and the directory where that was, too.
func (w *archiveWriter) remove(dir bool) error {
	var faults []error
	for _, f := range w.manifest.Files {
		faults = append(faults, os.Remove(filepath.Join(w.dir, f.Name)))
	}
	if dir {
		faults = append(faults, os.Remove(w.dir))
	}
	return errors.Join(faults...)
}

// end ends the file that is being written.
func (w *archiveWriter) end() error {
	if w.file == nil {
		return nil
	}
	w.manifest.Files[len(w.manifest.Files)-1].SHA256 = hex.EncodeToString(w.hash.Sum(nil))
	err := errors.Join(w.out.Flush(), w.file.Sync(), w.file.Close())
	w.file = nil
	return err
}

func (w *archiveWriter) finish() error {
	if err := w.end(); err != nil {
		return err
	}
	return writeFile(filepath.Join(w.dir, manifestName), func(out io.Writer) error {
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		return e.Encode(w.manifest)
	})
}

// archiveDir is the directory of an archive, which is as its manifest says.
type archiveDir struct {
	dir      string
	manifest manifest
}

// openArchiveDir reads the manifest and holds every file against it.
func openArchiveDir(dir string) (*archiveDir, error) {
	name := filepath.Join(dir, manifestName)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no archive of an account, or not whole: it has no %s", dir, manifestName)
	} else if err != nil {
		return nil, err
	}
	a := &archiveDir{dir: dir}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err = d.Decode(&a.manifest)
	_, behind := d.Token()
	if err != nil || behind != io.EOF || a.manifest.Head == nil || a.manifest.End == nil {
		return nil, fmt.Errorf("%s is not as it was written", name)
	}
	for _, f := range a.manifest.Files {
		if err := a.check(f); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// check compares a file with the manifest. Each line is also checked by itself, so that the error names a line that is
// no row, or not as it was written.
func (a *archiveDir) check(f archiveFile) error {
	if filepath.Base(f.Name) != f.Name || !strings.HasSuffix(f.Name, ".ndjson") {
		return fmt.Errorf("%s is not as it was written: it names the file %q", filepath.Join(a.dir, manifestName),
			f.Name)
	}
	in, err := os.Open(filepath.Join(a.dir, f.Name))
	if err != nil {
		return err
	}
	defer in.Close()
	sum, rows := sha256.New(), 0
	for lines := bufio.NewReaderSize(in, 1<<16); ; rows++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			break
		} else if err != nil && err != io.EOF {
			return err
		}
		sum.Write(line)
		if err := engine.CheckArchiveLine(line); err != nil {
			return fmt.Errorf("%s:%d: %w; nothing was imported", in.Name(), rows+1, err)
		}
	}
	switch {
	case rows != f.Rows:
		return fmt.Errorf("%s has %d rows, the manifest says %d; nothing was imported", in.Name(), rows, f.Rows)
	case hex.EncodeToString(sum.Sum(nil)) != f.SHA256:
		return fmt.Errorf("%s does not have the rows that were written, or not in their order; nothing was imported",
			in.Name())
	}
	return nil
}

// lines are the lines of the archive. Close ends reading.
func (a *archiveDir) lines() io.ReadCloser {
	out, in := io.Pipe()
	go func() { in.CloseWithError(a.write(in)) }()
	return out
}

func (a *archiveDir) write(to io.Writer) error {
	if _, err := to.Write(append(bytes.Clone(a.manifest.Head), '\n')); err != nil {
		return err
	}
	for _, f := range a.manifest.Files {
		in, err := os.Open(filepath.Join(a.dir, f.Name))
		if err != nil {
			return err
		}
		_, err = io.Copy(to, in)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	_, err := to.Write(append(bytes.Clone(a.manifest.End), '\n'))
	return err
}

// place says where a line of the archive stands.
func (a *archiveDir) place(line int) string {
	for at, i := 1, 0; i < len(a.manifest.Files) && line > 0; i++ {
		f := a.manifest.Files[i]
		if line < at+f.Rows {
			return fmt.Sprintf("%s:%d", filepath.Join(a.dir, f.Name), line-at+1)
		}
		at += f.Rows
	}
	return filepath.Join(a.dir, manifestName)
}

// writeIDs writes which record has which id now. One that was written before is the same.
func (a *archiveDir) writeIDs(name, shift string) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	ids, err := base.ParseIDShift(shift)
	if err != nil {
		return err
	}
	return writeFile(name, func(w io.Writer) error {
		out, in := bufio.NewWriter(w), a.lines()
		defer in.Close()
		for lines := bufio.NewReaderSize(in, 1<<16); ; {
			line, err := lines.ReadBytes('\n')
			if err == io.EOF {
				return out.Flush()
			} else if err != nil {
				return err
			}
			var row engine.ArchiveLine
			if err := json.Unmarshal(line, &row); err != nil {
				return err
			}
			if from, ok := engine.ArchivedID(row); ok {
				fmt.Fprintf(out, `{"kind":%q,"from":%q,"to":%q}`+"\n", row.Kind, from, ids.Of(from))
			}
		}
	})
}
