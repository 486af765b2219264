package main

// This file owns the columns of CSV files: which a resource has, by the description of its rows, and how a row stands in cells.

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"holdfast/api"
)

// column is one column: a member of a row, under its name with dots (address.city, quantities.0.count).
type column struct {
	name     string
	path     []string
	of       *api.Schema
	required bool
}

// numbered is how many elements of a list of objects an export gives columns of their own. A longer list is JSON, in the column of the list.
const numbered = 2

// columnsOf lists the columns of a row, as an export has them.
func columnsOf(s *api.Schema) []column { return appendColumns(nil, nil, s, true) }

func appendColumns(list []column, path []string, s *api.Schema, required bool) []column {
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
		list = append(list, column{strings.Join(at, "."), at, m.Schema, needed})
	}
	return list
}

// isList says that a value is a list of objects.
func isList(s *api.Schema) bool { return s.Items != nil && s.Items.Members != nil }

// headerColumns finds the columns that a header names, and says all that is wrong with it.
func headerColumns(s *api.Schema, names []string) (columns []column, faults []string) {
	for i, name := range names {
		c, ok := findColumn(s, name)
		switch {
		case !ok && name == "":
			faults = append(faults, "column "+strconv.Itoa(i+1)+" has no name")
		case !ok && len(names) == 1 && strings.ContainsAny(name, ";\t"):
			return nil, []string{"columns must be separated by commas"}
		case !ok:
			faults = append(faults, "unknown column "+strconv.Quote(name))
		case slices.Contains(names[:i], name):
			faults = append(faults, "column "+name+" is there more than once")
		}
		columns = append(columns, c)
	}
	unknown := len(faults) > 0
	for _, m := range s.Members {
		if m.Required && !slices.ContainsFunc(names, func(n string) bool { return n == m.Name || strings.HasPrefix(n, m.Name+".") }) {
			faults = append(faults, "column "+m.Name+" is missing")
		}
	}
	if unknown {
		var known []string
		for _, c := range columnsOf(s) {
			known = append(known, c.name)
		}
		faults = append(faults, "columns are "+strings.Join(known, ", "))
	}
	return columns, faults
}

// maxElement bounds the numbers in the names of columns.
const maxElement = 999

func findColumn(s *api.Schema, name string) (column, bool) {
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
		at := slices.IndexFunc(c.of.Members, func(m api.Member) bool { return m.Name == step })
		if at < 0 {
			return c, false
		}
		c.of = c.of.Members[at].Schema
	}
	return c, c.of.Members == nil
}

// rowOfCells makes a row of a record's cells. An empty one is a member that is not given.
func rowOfCells(columns []column, cells []string) (row []byte, faults []string) {
	root := node{}
	for i, c := range columns {
		if cells[i] == "" {
			continue
		}
		value, fault := cellValue(c.of, cells[i])
		if fault == "" && !root.put(c.path, value) {
			fault = "is given in columns of its own as well"
		}
		if fault != "" {
			faults = append(faults, c.name+" "+fault)
		}
	}
	return root.append(nil), faults
}

// cellValue is a cell as JSON. What is not of the type that it should be stays text, which the server names.
func cellValue(s *api.Schema, cell string) (value json.RawMessage, fault string) {
	switch {
	case s.Type == "string":
	case s.Type == "array" && !isList(s):
		if strings.HasPrefix(cell, "[") && json.Valid([]byte(cell)) {
			return compact(cell), ""
		}
		value, _ = json.Marshal(strings.Split(cell, "|"))
		return value, ""
	case s.Type == "array" || s.Type == "object":
		if !json.Valid([]byte(cell)) {
			return nil, "is not JSON"
		}
		return compact(cell), ""
	case json.Valid([]byte(cell)) && strings.TrimSpace(cell) == cell && cell != "null" && !strings.ContainsAny(cell[:1], `"[{`):
		return json.RawMessage(cell), ""
	}
	value, _ = json.Marshal(cell)
	return value, ""
}

func compact(text string) json.RawMessage {
	var b bytes.Buffer
	_ = json.Compact(&b, []byte(text)) // it is valid
	return b.Bytes()
}

// node is a value that is put together: one from a cell, or an object or list of others, in the order in which they came.
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
		if !ok || s == "" || strings.Contains(s, "|") {
			return nil, false
		}
		texts = append(texts, s)
	}
	return texts, !strings.HasPrefix(texts[0], "[")
}
