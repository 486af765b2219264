package engine

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"

	"github.com/cespare/xxhash/v2"

	"holdfast/engine/base"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
	"holdfast/persist"
)

// This file owns archives: a whole account as lines of text, which another account can be made of (archive_import.go).
//
// An archive is the account's rows as they are stored, so that what comes of it is alike in everything: stock, seats,
// orders, numbers, prices, states. It is JSON, one object a line: the head, the rows, each with a sum over it, and the
// end, which says how many there are of each kind, and has a hash over all lines. A row comes after the rows that it
// refers to; the rows of an order's units come after the order.
//
// Keys and secrets are not in it, nor what was answered and sent: results under idempotency keys, deliveries and their
// bodies, the feed of changes. Rows of an older format are read as those of a directory of that format.

// archiveVersion is the number of the form of the lines. Their content has the format persist.Format.
const archiveVersion = 1

// ArchiveHead is the first line of an archive.
type ArchiveHead struct {
	Version  int    `json:"holdfastArchive"`
	Format   int    `json:"format"` // persist.Format of the program that wrote it
	Account  string `json:"account"`
	Name     string `json:"name"`
	At       int64  `json:"at"`       // the instant that it is of, in milliseconds since the epoch
	Sequence uint64 `json:"sequence"` // the account's count of committed changes
}

// ArchiveLine is a row of an archive.
type ArchiveLine struct {
	Kind  string          `json:"kind"`
	ID    string          `json:"id"`
	Row   json.RawMessage `json:"row,omitempty"`   // of a kind that is kept as JSON
	Form  byte            `json:"form,omitempty"`  // the version byte in front of that
	Bytes []byte          `json:"bytes,omitempty"` // of any other
	Sum   string          `json:"sum"`
}

// ArchiveEnd is the last line of an archive.
type ArchiveEnd struct {
	Rows    map[string]int `json:"rows"`    // by kind
	LeftOut map[string]int `json:"leftOut"` // records of the account that are not in it
	SHA256  string         `json:"sha256"`  // over all lines before it, and itself without this
}

// kindNamed finds a kind by its name.
func kindNamed(name string) base.KindOf {
	for _, k := range schema {
		if k.TableName() == name {
			return k
		}
	}
	return nil
}

// sum is what a line says of its row.
func sum(x base.Image) string {
	key := append([]byte{x.Tag}, x.ID[:]...)
	return fmt.Sprintf("%016x", xxhash.Sum64(append(key, x.Value...)))
}

// line is a row as an archive has it.
func line(x base.Image) ArchiveLine {
	l := ArchiveLine{Kind: kindByTag[x.Tag].TableName(), ID: x.ID.String(), Sum: sum(x)}
	if len(x.Value) > 1 && x.Value[1] == '{' && json.Valid(x.Value[1:]) {
		l.Form, l.Row = x.Value[0], x.Value[1:]
	} else {
		l.Bytes = x.Value
	}
	return l
}

// image is the row of a line.
func (l *ArchiveLine) image() (x base.Image, err error) {
	k := kindNamed(l.Kind)
	if k == nil {
		return x, fmt.Errorf("there are no rows of the kind %q", l.Kind)
	}
	var id base.ID
	if id.UnmarshalText([]byte(l.ID)) != nil {
		return x, fmt.Errorf("%q is no id", l.ID)
	}
	x = base.Image{Tag: k.TableTag(), ID: id, Value: l.Bytes}
	if l.Row != nil {
		x.Value = append([]byte{l.Form}, l.Row...)
	}
	if sum(x) != l.Sum {
		return x, fmt.Errorf("the row is not as it was written: its sum is %s, the line says %q", sum(x), l.Sum)
	}
	return x, nil
}

// CheckArchiveLine says what is wrong with a line of a row by itself.
func CheckArchiveLine(line []byte) error {
	var l ArchiveLine
	if err := strict(line, &l); err != nil {
		return fmt.Errorf("it is no row: %w", err)
	}
	_, err := l.image()
	return err
}

// ArchivedBehind says that rows of a kind come after the rows of another kind that they are a part of.
func ArchivedBehind(kind string) bool { return kind == order.OrderUnitsName }

// ArchivedID is the id of the record that a line is of; false: it has none of its own.
func ArchivedID(l ArchiveLine) (id base.ID, ok bool) {
	switch l.Kind {
	case "", base.AccountKind.Name, base.LedgerKind.Name, stock.LotKind.Name, order.OrderUnitsName:
		return id, false
	}
	return id, id.UnmarshalText([]byte(l.ID)) == nil
}

// archiveWriter writes lines and sums them up.
type archiveWriter struct {
	out  *bufio.Writer
	hash hash.Hash
	rows map[string]int
	err  error
}

func (w *archiveWriter) line(v any) {
	b := mustPlainJSON(v)
	w.hash.Write(b)
	if w.err == nil {
		_, w.err = w.out.Write(b)
	}
}

// mustPlainJSON is a line: nothing in it is escaped that need not be, so that rows stand in it as they are stored.
func mustPlainJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // structs of strings, numbers and what is JSON
	}
	return b.Bytes()
}

func (w *archiveWriter) row(x base.Image) bool {
	l := line(x)
	w.line(l)
	w.rows[l.Kind]++
	return w.err == nil
}

// WriteArchive writes the account as an archive. It takes as long as the account is large; nothing waits for it.
func WriteArchive(v base.View, to io.Writer) error {
	a := v.Acc
	w := &archiveWriter{out: bufio.NewWriterSize(to, 1<<16), hash: sha256.New(), rows: map[string]int{}}
	w.line(ArchiveHead{archiveVersion, persist.Format, a.ID.String(), a.Row.Name, v.At, a.Ledger.Sequence})
	for _, k := range archived {
		k.Each(a, func(x base.Image) bool {
			if !w.row(x) || x.Tag != base.TagOrder {
				return w.err == nil
			}
			o := order.OrderTable(a).Get(x.ID)
			for part := range o.UnitsRows() {
				r := o.UnitsRow(part)
				w.row(base.Image{Tag: base.TagOrderUnits, ID: order.OrderUnitsKind.Key(r),
					Value: order.OrderUnitsKind.Encode(nil, r)})
			}
			return w.err == nil
		})
	}
	end := ArchiveEnd{Rows: w.rows, LeftOut: leftOut(a)}
	w.hash.Write(mustPlainJSON(end))
	end.SHA256 = hex.EncodeToString(w.hash.Sum(nil))
	w.line(end)
	if w.err != nil {
		return w.err
	}
	return w.out.Flush()
}

// leftOut counts what an archive does not have, as far as it is known without reading the disk.
func leftOut(a *base.AccountState) map[string]int {
	secrets := outbox.WebhookTable(a).Len()
	return map[string]int{"API keys": base.KeyKind.In(a).Len(), "webhook secrets": secrets,
		"webhook deliveries": outbox.DeliveryTable(a).Len()}
}
