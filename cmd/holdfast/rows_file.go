package main

// This file owns files of rows, as import reads them: lines with a bound and a number, NDJSON, and CSV records put
// together from lines.

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"holdfast/api/wire"
)

// The two forms of a file of rows.
const (
	formatCSV    = "csv"
	formatNDJSON = "ndjson"
)

// maxRow is the most bytes of a row, as of a request's body.
const maxRow = 1 << 20

const tooLong = "is longer than 1 MiB"

// rowForm is how a file of rows is read.
type rowForm struct {
	format    string
	separator byte                   // of CSV; 0: the one that the header has
	currency  func() (string, error) // the account's, asked for where CSV has a column of money
}

// separators may stand between cells. A header with none has the first.
var separators = []byte{',', ';', '\t'}

// fileRow is a row as the server takes it, with the line it begins on.
type fileRow struct {
	line int
	json []byte
}

// rowFault is something wrong with a row, or, of line 0, with the file.
type rowFault struct {
	line int
	text string
}

func (f rowFault) Error() string {
	if f.line == 0 {
		return f.text
	}
	return fmt.Sprintf("line %d: %s", f.line, f.text)
}

// readRows reads a file of rows. Rows that cannot be read are faults; an error is about the whole file.
func readRows(r io.Reader, form rowForm, schema *wire.Schema) (rows []fileRow, faults []rowFault, err error) {
	lines := &lineReader{in: bufio.NewReaderSize(r, 1<<16)}
	if err := lines.begin(); err != nil {
		return nil, nil, err
	}
	if form.format == formatCSV {
		return readCSV(lines, form, schema)
	}
	for {
		l, err := lines.next()
		switch {
		case err == io.EOF:
			return rows, faults, nil
		case err != nil:
			return nil, nil, err
		case l.fault != "":
			faults = append(faults, rowFault{l.no, l.fault})
		case len(bytes.TrimSpace(l.text)) > 0:
			rows = append(rows, fileRow{l.no, l.text})
		}
	}
}

// fileLine is a line without its end. One that is longer than a row may be is not kept.
type fileLine struct {
	no    int
	text  []byte
	crlf  bool // it ends with both characters
	fault string
}

type lineReader struct {
	in   *bufio.Reader
	no   int
	back []fileLine // read before, to be read again
}

// begin looks at the first bytes of the file: a mark of UTF-8 is passed over.
func (r *lineReader) begin() error {
	head, err := r.in.Peek(3)
	if err != nil && err != io.EOF {
		return fmt.Errorf("the file cannot be read: %w", err)
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, err = r.in.Discard(3)
		return err
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return errors.New("the file is UTF-16: it must be UTF-8")
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return errors.New("the file is compressed: it must be plain text")
	}
	return nil
}

// next gives the next line, io.EOF after the last one.
func (r *lineReader) next() (fileLine, error) {
	if n := len(r.back); n > 0 {
		l := r.back[n-1]
		r.back = r.back[:n-1]
		return l, nil
	}
	r.no++
	l := fileLine{no: r.no}
	for {
		part, err := r.in.ReadSlice('\n')
		if len(l.text)+len(part) > maxRow+2 {
			l.fault = tooLong
		} else if l.fault == "" {
			l.text = append(l.text, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err == io.EOF && len(l.text) == 0 && l.fault == "" {
			return l, io.EOF
		}
		if err != nil && err != io.EOF {
			return l, fmt.Errorf("the file cannot be read to its end: %w", err)
		}
		break
	}
	l.crlf = bytes.HasSuffix(l.text, []byte("\r\n"))
	l.text = bytes.TrimSuffix(bytes.TrimSuffix(l.text, []byte("\n")), []byte("\r"))
	switch {
	case l.fault != "":
	case len(l.text) > maxRow:
		l.fault = tooLong
	case !utf8.Valid(l.text):
		l.fault = "is not UTF-8"
	}
	if l.fault != "" {
		l.text = nil
	}
	return l, nil
}

// unread gives lines back, to be read again in their order.
func (r *lineReader) unread(lines []fileLine) {
	for i := len(lines) - 1; i >= 0; i-- {
		r.back = append(r.back, lines[i])
	}
}

// csvRecord is the fields of a record, or what is wrong with it.
type csvRecord struct {
	line   int
	fields []csvCell
	fault  string
}

// record gives the next record.
func (r *lineReader) record(separator byte) (csvRecord, error) {
	lines, text, rec, err := r.recordText()
	if err != nil || rec.fault != "" {
		return rec, err
	}
	if rec.fields, rec.fault = splitRecord(text, separator); rec.fault != "" {
		r.unread(lines[1:])
	}
	return rec, nil
}

// recordText gives the text of the next record that is not an empty line. Quotes come in pairs, so a record goes on
// while their number is odd. Where the end of a quoted field is missing, the first line alone is bad.
func (r *lineReader) recordText() (lines []fileLine, text []byte, rec csvRecord, err error) {
	for {
		l, err := r.next()
		if err == io.EOF && len(lines) > 0 || err == nil && len(lines) > 0 &&
			(l.fault != "" || len(text)+len(l.text) > maxRow) {
			if err == nil {
				lines = append(lines, l)
			}
			r.unread(lines[1:])
			return nil, nil, csvRecord{line: lines[0].no, fault: "has a quote without its other half"}, nil
		}
		if err != nil || l.fault != "" {
			return nil, nil, csvRecord{line: l.no, fault: l.fault}, err
		}
		if len(lines) == 0 && len(bytes.Trim(l.text, " ")) == 0 {
			continue
		}
		if n := len(lines); n > 0 && lines[n-1].crlf {
			text = append(text, "\r\r\n"...) // package csv takes one \r from the end of each line, also in quotes
		} else if n > 0 {
			text = append(text, '\n')
		}
		lines, text = append(lines, l), append(text, l.text...)
		if bytes.Count(text, []byte{'"'})%2 == 0 {
			return lines, text, csvRecord{line: lines[0].no}, nil
		}
	}
}

// splitRecord cuts the text of a record into its cells.
func splitRecord(text []byte, separator byte) (fields []csvCell, fault string) {
	in := csv.NewReader(bytes.NewReader(text))
	in.FieldsPerRecord = -1
	in.Comma = rune(separator)
	in.TrimLeadingSpace = separator != '\t' // which is a blank to it
	cells, err := in.Read()
	var p *csv.ParseError
	if errors.As(err, &p) {
		return nil, fmt.Sprintf("has a quote out of place at character %d", p.Column)
	}
	begins := []int{0} // of lines
	for i, c := range text {
		if c == '\n' {
			begins = append(begins, i+1)
		}
	}
	for i, cell := range cells {
		line, column := in.FieldPos(i)
		at := begins[line-1] + column - 1
		fields = append(fields, csvCell{cell, at < len(text) && text[at] == '"'})
	}
	return fields, ""
}

// splitHeader cuts the text of a header at the separator under which it names most columns; where none names any, at
// the one that gives most cells.
func splitHeader(text []byte, given byte, schema *wire.Schema) (fields []csvCell, separator byte, fault string) {
	if given != 0 {
		fields, fault = splitRecord(text, given)
		return fields, given, fault
	}
	most := -1
	for _, s := range separators {
		cells, bad := splitRecord(text, s)
		if separator == 0 {
			separator, fault = s, bad
		}
		known := 0
		for _, c := range cells {
			if _, ok := findColumn(schema, strings.TrimSpace(c.text)); ok {
				known++
			}
		}
		if score := known*maxRow + len(cells); bad == "" && score > most {
			fields, separator, fault, most = cells, s, "", score
		}
	}
	return fields, separator, fault
}

func readCSV(lines *lineReader, form rowForm, schema *wire.Schema) (rows []fileRow, faults []rowFault, err error) {
	_, text, head, err := lines.recordText()
	switch {
	case err == io.EOF:
		return nil, nil, errors.New("the file is empty: it must begin with the names of its columns")
	case err != nil:
		return nil, nil, err
	case head.fault != "":
		return nil, nil, rowFault{head.line, head.fault}
	}
	fields, separator, fault := splitHeader(text, form.separator, schema)
	if fault != "" {
		return nil, nil, rowFault{head.line, fault}
	}
	columns, faulty := headerColumns(schema, fields)
	if len(faulty) > 0 {
		return nil, nil, rowFault{head.line, strings.Join(faulty, "; ")}
	}
	var money moneyReader
	if slices.ContainsFunc(columns, func(c column) bool { return slices.Contains(moneyColumns, c.name) }) {
		currency, err := form.currency()
		if err != nil {
			return nil, nil, err
		}
		// Where semicolons stand between cells, they do so because the comma is a decimal one.
		money = moneyReader{currency: currency, digits: digitsOf(currency), comma: separator == ';'}
	}
	for {
		rec, err := lines.record(separator)
		switch {
		case err == io.EOF:
			return rows, append(faults, money.mixed()...), nil
		case err != nil:
			return nil, nil, err
		case rec.fault != "":
			faults = append(faults, rowFault{rec.line, rec.fault})
			continue
		case len(rec.fields) != len(columns):
			faults = append(faults,
				rowFault{rec.line, fmt.Sprintf("has %d fields, the header has %d", len(rec.fields), len(columns))})
			continue
		}
		text, bad := rowOfCells(columns, rec, &money)
		for _, b := range bad {
			faults = append(faults, rowFault{rec.line, b})
		}
		if text != nil {
			rows = append(rows, fileRow{rec.line, text})
		}
	}
}
