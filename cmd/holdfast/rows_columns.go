package main

// This file owns the columns of CSV files: which a resource has, by the description of its rows, and how a row stands
// in cells.

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"holdfast/api/wire"
)

// column is one column: a member of a row, under its name with dots (address.city, quantities.0.count).
type column struct {
	name     string
	path     []string
	of       *wire.Schema
	required bool
}

// numbered is how many elements of a list of objects an export gives columns of their own. A longer list is JSON, in
// the column of the list.
const numbered = 2

// columnsOf lists the columns of a row, as an export has them.
func columnsOf(s *wire.Schema) []column { return appendColumns(nil, nil, s, true) }

func appendColumns(list []column, path []string, s *wire.Schema, required bool) []column {
	for _, m := range s.Members {
		at, needed := append(slices.Clip(path), m.Name), required && m.Required
		switch {
		case m.Schema.Members != nil:
			list = appendColumns(list, at, m.Schema, needed)
			continue
		case isList(m.Schema):
			for i := range numbered {
				list = appendColumns(list, append(slices.Clip(at), strconv.Itoa(i)), m.Schema.Items, needed && i == 0)
			}
			needed = false // its elements have columns of their own
		}
		list = append(list, column{name: strings.Join(at, "."), path: at, of: m.Schema, required: needed})
	}
	return list
}

// isList says that a value is a list of objects.
func isList(s *wire.Schema) bool { return s.Items != nil && s.Items.Members != nil }

// headerColumns finds the columns that a header names, whatever its case and the blanks around it, and says all that is
// wrong with it.
func headerColumns(s *wire.Schema, header []csvCell) (columns []column, faults []string) {
	var known []string
	for _, c := range columnsOf(s) {
		known = append(known, c.name)
	}
	for i, cell := range header {
		name := strings.TrimSpace(cell.text)
		c, ok := findColumn(s, name)
		switch {
		case !ok && name == "":
			faults = append(faults, "column "+strconv.Itoa(i+1)+" has no name")
		case !ok:
			fault := "unknown column " + strconv.Quote(name)
			if near := nearest(name, known); near != "" {
				fault += ", the nearest is " + near
			}
			faults = append(faults, fault)
		case slices.ContainsFunc(columns, func(x column) bool { return x.name == c.name }):
			faults = append(faults, "column "+c.name+" is there more than once")
		}
		columns = append(columns, c)
	}
	unknown := len(faults) > 0
	for _, m := range s.Members {
		if m.Required && !slices.ContainsFunc(columns, func(c column) bool { return c.path[0] == m.Name }) {
			faults = append(faults, "column "+m.Name+" is missing")
		}
	}
	if unknown {
		faults = append(faults, "columns are "+strings.Join(known, ", "))
	}
	return columns, faults
}

// nearest is the known column whose name is nearest to one that is none; empty where all are other words.
func nearest(name string, known []string) (near string) {
	least := min(4, len(name))
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			near, least = k, d
		}
	}
	return near
}

// maxElement bounds the numbers in the names of columns.
const maxElement = 999

// findColumn finds a column by its name in any case. One that is not found keeps that name.
func findColumn(s *wire.Schema, name string) (column, bool) {
	c := column{name: name, path: strings.Split(name, "."), of: s}
	for i, step := range c.path {
		if isList(c.of) && i > 0 {
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n > maxElement || strconv.Itoa(n) != step {
				return c, false
			}
			c.of = c.of.Items
			continue
		}
		at := slices.IndexFunc(c.of.Members, func(m wire.Member) bool { return strings.EqualFold(m.Name, step) })
		if at < 0 {
			return c, false
		}
		c.path[i], c.of = c.of.Members[at].Name, c.of.Members[at].Schema
	}
	c.name = strings.Join(c.path, ".")
	return c, c.of.Members == nil
}

// rowOfCells makes a row of a record's cells. An empty one is a member that is not given. A row with a bad amount goes
// without it, so that the rest of it is judged; one that cannot be put together is nil.
func rowOfCells(columns []column, rec csvRecord, money *moneyReader) (row []byte, faults []string) {
	root, whole := node{}, true
	for i, c := range columns {
		cell := rec.fields[i].trimmed(c.of)
		if cell.text == "" {
			continue
		}
		if slices.Contains(moneyColumns, c.name) {
			value, fault := money.value(rec.line, c.name, cell.text)
			if fault != "" {
				faults = append(faults, c.name+" "+fault)
				continue
			}
			root.put(c.path, value) // it is a member of its own, and there once
			continue
		}
		value, fault := cellValue(c.of, cell)
		if fault == "" && !root.put(c.path, value) {
			fault = "is given in columns of its own as well"
		}
		if fault != "" {
			faults, whole = append(faults, c.name+" "+fault), false
		}
	}
	if !whole {
		return nil, faults
	}
	return root.append(nil), faults
}

// csvCell is a cell, and whether it stood in quotes.
type csvCell struct {
	text   string
	quoted bool
}

// trimmed is a cell without the blanks around it. Free text in quotes keeps its own.
func (c csvCell) trimmed(s *wire.Schema) csvCell {
	free := s.Type == "" || s.Type == "string" && s.Enum == nil && s.Format != "date-time" || s.Type == "array" &&
		!isList(s)
	if !c.quoted || !free {
		c.text = strings.TrimSpace(c.text)
	}
	return c
}

// cellValue is a cell as JSON. A cell that is not of the type of its column stays text, and the server reports it as a
// fault.
func cellValue(s *wire.Schema, cell csvCell) (value json.RawMessage, fault string) {
	text := cell.text
	switch {
	case s.Type == "string":
	case s.Type == "array" && !isList(s):
		if strings.HasPrefix(text, "[") && json.Valid([]byte(text)) {
			return compact(text), ""
		}
		list := strings.Split(text, "|")
		for i := range list {
			if !cell.quoted {
				list[i] = strings.TrimSpace(list[i])
			}
		}
		value, _ = json.Marshal(list)
		return value, ""
	case s.Type == "array" || s.Type == "object":
		if !json.Valid([]byte(text)) {
			return nil, "is not JSON"
		}
		return compact(text), ""
	case json.Valid([]byte(text)) && strings.TrimSpace(text) == text && text != "null" &&
		!strings.ContainsAny(text[:1], `"[{`):
		return json.RawMessage(text), ""
	}
	value, _ = json.Marshal(text)
	return value, ""
}

func compact(text string) json.RawMessage {
	var b bytes.Buffer
	_ = json.Compact(&b, []byte(text)) // it is valid
	return b.Bytes()
}

// node is a value that is put together: one from a cell, or an object or list of others, in the order in which they
// came.
type node struct {
	name  string
	value json.RawMessage
	kids  []*node
}

// put puts a value below the node; ok is false where there is one in its way.
func (n *node) put(path []string, value json.RawMessage) (ok bool) {
	for _, step := range path {
		if n.value != nil {
			return false
		}
		i := slices.IndexFunc(n.kids, func(k *node) bool { return k.name == step })
		if i < 0 {
			i = len(n.kids)
			n.kids = append(n.kids, &node{name: step})
		}
		n = n.kids[i]
	}
	if n.value != nil || n.kids != nil {
		return false
	}
	n.value = value
	return true
}

// append appends the node as JSON. Elements of a list have numbers for names, and stand in their order.
func (n *node) append(b []byte) []byte {
	if n.value != nil {
		return append(b, n.value...)
	}
	open, end := byte('{'), byte('}')
	if len(n.kids) > 0 && n.kids[0].name[0] <= '9' {
		open, end = '[', ']'
		slices.SortFunc(n.kids, func(x, y *node) int { return cmpNumbers(x.name, y.name) })
	}
	b = append(b, open)
	for i, k := range n.kids {
		if i > 0 {
			b = append(b, ',')
		}
		if open == '{' {
			b = append(strconv.AppendQuote(b, k.name), ':')
		}
		b = k.append(b)
	}
	return append(b, end)
}

func cmpNumbers(x, y string) int {
	m, _ := strconv.Atoi(x)
	n, _ := strconv.Atoi(y)
	return m - n
}

// appendRecord appends a line of CSV. A cell whose blanks would be trimmed, or that would be read as something else,
// stands in quotes.
func appendRecord(b []byte, cells []string) []byte {
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		if !strings.ContainsAny(cell, "\",;\t\r\n") && strings.TrimSpace(cell) == cell {
			b = append(b, cell...)
			continue
		}
		b = append(append(append(b, '"'), strings.ReplaceAll(cell, `"`, `""`)...), '"')
	}
	return append(b, '\n')
}

// cellsOf is a row in the cells of columns.
func cellsOf(columns []column, row []byte) ([]string, error) {
	d := json.NewDecoder(bytes.NewReader(row))
	d.UseNumber()
	var root map[string]any
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = cellText(c, root)
	}
	return cells, nil
}

func cellText(c column, root map[string]any) string {
	var v any = root
	for _, step := range c.path {
		switch x := v.(type) {
		case map[string]any:
			v = x[step]
		case []any:
			n, _ := strconv.Atoi(step)
			if len(x) > numbered || n >= len(x) {
				return ""
			}
			v = x[n]
		default:
			return ""
		}
	}
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case []any:
		if len(x) == 0 || isList(c.of) && len(x) <= numbered {
			return ""
		}
		if texts, plain := plainTexts(x); plain {
			return strings.Join(texts, "|")
		}
	case map[string]any:
		if len(x) == 0 {
			return ""
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it was decoded from JSON
	return strings.TrimSuffix(b.String(), "\n")
}

// plainTexts are the elements of a list of texts that can stand with bars between them.
func plainTexts(list []any) (texts []string, plain bool) {
	for _, e := range list {
		s, ok := e.(string)
		if !ok || s == "" || strings.Contains(s, "|") || strings.TrimSpace(s) != s {
			return nil, false
		}
		texts = append(texts, s)
	}
	return texts, !strings.HasPrefix(texts[0], "[")
}
