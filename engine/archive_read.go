package engine

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"

	"holdfast/engine/base"
	"holdfast/persist"
)

// This file owns how an archive is read and judged, all of it before anything is done: its lines by themselves, then
// what they make together, in a state that nothing is kept of.

// The most that an archive may be: bytes of all lines, as it is in memory while it is imported, and of one.
const (
	maxArchive     = 4 << 30
	maxArchiveLine = 64 << 20
)

// AccountArchive is an archive that was read and judged. It is not changed any more.
type AccountArchive struct {
	Head    ArchiveHead
	End     ArchiveEnd
	rows    []archivedRow
	numbers base.Ledger // what the account has given out
	least   base.Base   // of the random parts of the ids of rows
	most    base.Base
}

// archivedRow is a row in the bytes that this program writes, and where it stands.
type archivedRow struct {
	base.Image
	line int
}

// archiveFault is what is wrong with an archive.
type archiveFault struct {
	line int    // from 1; 0: it is of no line
	kind string // of the row in it; empty: it is none
	text string
}

func (f *archiveFault) Error() string { return f.text }

// invalidArchive refuses an archive. The pointer of the fault is the number of its line, from 0.
func invalidArchive(f *archiveFault) *base.Error {
	fault := base.Fault{Code: "format", Message: f.text}
	if f.line > 0 {
		fault.Pointer = "/" + base.Itoa(f.line-1)
	}
	if f.kind != "" {
		fault.Message = f.kind + ": " + f.text
	}
	return &base.Error{Code: base.CodeInvalid, Detail: "the archive is not whole, or is not as it was written",
		Faults: []base.Fault{fault}}
}

// archiveReader reads an archive.
type archiveReader struct {
	*AccountArchive
	lines *bufio.Reader
	line  int
	bytes int
	kinds map[string]int
	ended bool
}

// ReadArchive reads an archive and judges it. If something is wrong with it, the refusal names the line.
func ReadArchive(from io.Reader) (a *AccountArchive, err error) {
	r := &archiveReader{AccountArchive: &AccountArchive{}, lines: bufio.NewReaderSize(from, 1<<16),
		kinds: map[string]int{}}
	defer func() {
		if p := recover(); p != nil {
			err = r.fault("cannot be read: %v", p)
		}
		var f *archiveFault
		if errors.As(err, &f) {
			err = invalidArchive(f)
		}
	}()
	if err := r.read(); err != nil {
		return nil, err
	}
	if err := r.judge(); err != nil {
		return nil, err
	}
	return r.AccountArchive, nil
}

func (r *archiveReader) fault(format string, args ...any) *archiveFault {
	return &archiveFault{line: r.line, text: fmt.Sprintf(format, args...)}
}

// next is the next line, with its end; nil after the last.
func (r *archiveReader) next() ([]byte, error) {
	line, err := r.lines.ReadBytes('\n')
	if len(line) == 0 && err == io.EOF {
		return nil, nil
	}
	r.line++
	switch r.bytes += len(line); {
	case err == io.EOF:
		return nil, r.fault("it has no end")
	case err != nil:
		return nil, base.Refuse(base.CodeBodyTooLarge, "the archive cannot be read: %v", err)
	case len(line) > maxArchiveLine:
		return nil, r.fault("it is longer than %d bytes", maxArchiveLine)
	case r.bytes > maxArchive:
		return nil, r.fault("the archive is larger than %d bytes", maxArchive)
	}
	return line, nil
}

// strict reads JSON that has nothing which is not known.
func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

func (r *archiveReader) read() error {
	sum := sha256.New()
	line, err := r.next()
	if err != nil {
		return err
	}
	if err := r.head(line); err != nil {
		return err
	}
	for sum.Write(line); ; sum.Write(line) {
		if line, err = r.next(); err != nil {
			return err
		}
		switch {
		case line == nil && r.ended:
			return nil
		case line == nil:
			r.line = 0
			return r.fault("the end is missing")
		case r.ended:
			return r.fault("something is behind the end")
		case bytes.HasPrefix(line, []byte(`{"kind":`)):
			err = r.row(line)
		default:
			r.ended = true
			if err := strict(line, &r.End); err != nil {
				return r.fault("it is neither a row nor the end: %v", err)
			}
			bare := r.End
			bare.SHA256 = ""
			sum.Write(mustPlainJSON(bare))
			if is := hex.EncodeToString(sum.Sum(nil)); is != r.End.SHA256 {
				return r.fault("the lines are not those that were written: their hash is %s, it says %q", is,
					r.End.SHA256)
			}
			if !maps.Equal(r.End.Rows, r.kinds) {
				return r.fault("there are the rows %v, it says %v", r.kinds, r.End.Rows)
			}
		}
		if err != nil {
			return err
		}
	}
}

func (r *archiveReader) head(line []byte) error {
	if err := strict(line, &r.Head); err != nil || r.Head.Version == 0 {
		r.line = 1
		return r.fault("it is not the head of an archive")
	}
	if r.Head.Version > archiveVersion || r.Head.Format > persist.Format {
		return r.fault("a newer version of holdfast wrote it, in format %d: this one reads up to %d", r.Head.Format,
			persist.Format)
	}
	if _, ok := base.ParseID(r.Head.Account); !ok || r.Head.Format < 1 {
		return r.fault("it names no account or format")
	}
	return nil
}

// row takes a row in: in the bytes that this program writes, whichever wrote it.
func (r *archiveReader) row(line []byte) error {
	var l ArchiveLine
	if err := strict(line, &l); err != nil {
		return r.fault("it is no row: %v", err)
	}
	r.kinds[l.Kind]++
	fault := func(err error) error {
		return &archiveFault{r.line, l.Kind, err.Error()}
	}
	x, err := l.image()
	if err != nil {
		return fault(err)
	}
	account, _ := base.ParseID(r.Head.Account)
	images, err := kindByTag[x.Tag].Present(nil, account, x.ID, x.Value)
	if err != nil {
		return fault(err)
	}
	for _, x := range images {
		switch x.Tag {
		case base.TagKey, base.TagIdempotency, base.TagBody, base.TagDelivery, base.TagAttempt, base.TagImport:
			return fault(errors.New("rows of this kind are in no archive"))
		case base.TagLedger:
			n, err := base.LedgerKind.Decode(account, x.ID, x.Value)
			if err != nil {
				return fault(err)
			}
			r.numbers = *n
			continue
		}
		r.rows = append(r.rows, archivedRow{Image: x, line: r.line})
		r.spread(x)
	}
	return nil
}

// spread notes how far the random parts of ids reach.
func (r *archiveReader) spread(x base.Image) {
	switch x.Tag {
	case base.TagAccount, base.TagLot, base.TagOrderUnits:
		return // these have no ids
	}
	_, b := base.SplitID(x.ID)
	if len(r.rows) == 1 || b.Less(r.least) || r.least == (base.Base{}) {
		r.least = b
	}
	if r.most.Less(b) {
		r.most = b
	}
}
