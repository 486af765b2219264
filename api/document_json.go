package api

import (
	"bytes"
	"encoding/json"
	"strconv"

	"holdfast/api/wire"
)

// This file owns how the document is written: JSON whose members stand in the order in which they were put, so that the
// golden file changes where an operation does and nowhere else.

// ordered is a JSON object with an order.
type ordered []entry

type entry struct {
	name  string
	value any // ordered, []any, []string, string, bool, int, int64, json.RawMessage or nil
}

// with appends a member.
func (o ordered) with(name string, value any) ordered { return append(o, entry{name, value}) }

// appendOrdered appends a value, indented below a depth.
func appendOrdered(b []byte, v any, depth int) []byte {
	switch v := v.(type) {
	case ordered:
		return appendLines(b, '{', '}', len(v), depth, func(b []byte, i int) []byte {
			return appendOrdered(append(wire.AppendText(b, v[i].name), ':', ' '), v[i].value, depth+1)
		})
	case []any:
		return appendLines(b, '[', ']', len(v), depth,
			func(b []byte, i int) []byte { return appendOrdered(b, v[i], depth+1) })
	case []string:
		return appendLines(b, '[', ']', len(v), depth, func(b []byte, i int) []byte { return wire.AppendText(b, v[i]) })
	case string:
		return wire.AppendText(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case json.RawMessage:
		var out bytes.Buffer
		if err := json.Indent(&out, v, string(indent(nil, depth)), "  "); err != nil {
			panic("api: an example is not JSON: " + string(v))
		}
		return append(b, out.Bytes()...)
	case nil:
		return append(b, "null"...)
	}
	panic("api: the document has a value that cannot be written")
}

func appendLines(b []byte, open, end byte, n, depth int, one func(b []byte, i int) []byte) []byte {
	b = append(b, open)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(indent(append(b, '\n'), depth+1), i)
	}
	if n > 0 {
		b = indent(append(b, '\n'), depth)
	}
	return append(b, end)
}

func indent(b []byte, depth int) []byte {
	for range depth {
		b = append(b, "  "...)
	}
	return b
}
