package api

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"holdfast/engine"
)

// This file owns parameters: the pairs of a query string and of a path, percent-decoded, from which shapes read.

// arg is one parameter as it was given. Its memory belongs to the request.
type arg struct {
	name, value []byte
	used        bool // some field has read it
}

// args are the parameters of a request, of its query or of its path.
type args struct {
	in     string // query or path, for faults
	list   []arg
	buf    []byte // unescaped texts
	faults *faultList
}

func (a *args) fault(name, code, message string) {
	a.faults.add(engine.Fault{In: a.in, Pointer: name, Code: code, Message: message})
}

// parse takes a raw query string apart.
func (a *args) parse(raw []byte) {
	a.reset()
	plain := bytes.IndexByte(raw, '%') < 0 && bytes.IndexByte(raw, '+') < 0 && utf8.Valid(raw) // as most are
	for len(raw) > 0 {
		pair, rest, _ := bytes.Cut(raw, []byte{'&'})
		raw = rest
		if len(pair) == 0 {
			continue
		}
		name, value, _ := bytes.Cut(pair, []byte{'='})
		if plain {
			a.list = append(a.list, arg{name: name, value: value})
			continue
		}
		a.add(name, value, true)
	}
}

func (a *args) reset() {
	a.list, a.buf = a.list[:0], a.buf[:0]
}

// add appends one parameter; plus: a plus sign means a space, as in queries.
func (a *args) add(name, value []byte, plus bool) {
	n, ok1 := a.unescape(name, plus)
	v, ok2 := a.unescape(value, plus)
	if !ok1 || !ok2 {
		a.fault(string(bytes.ToValidUTF8(n, []byte("?"))), faultMalformed, "is not UTF-8 in percent-encoding")
		return
	}
	a.list = append(a.list, arg{name: n, value: v})
}

func (a *args) unescape(text []byte, plus bool) (b []byte, ok bool) {
	if bytes.IndexByte(text, '%') < 0 && (!plus || bytes.IndexByte(text, '+') < 0) {
		return text, utf8.Valid(text)
	}
	start := len(a.buf)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '+' && plus:
			c = ' '
		case c == '%':
			if i+2 >= len(text) {
				return text, false
			}
			hi, ok1 := hexDigit(text[i+1])
			lo, ok2 := hexDigit(text[i+2])
			if !ok1 || !ok2 {
				return text, false
			}
			c = hi<<4 | lo
			i += 2
		}
		a.buf = append(a.buf, c)
	}
	b = a.buf[start:len(a.buf):len(a.buf)]
	return b, utf8.Valid(b)
}

// one returns the only parameter of a name, nil if there is none; a second one is a fault.
func (a *args) one(name string) *arg {
	found := a.next(name)
	if found != nil {
		for more := a.next(name); more != nil; more = a.next(name) {
			a.fault(name, faultDuplicate, "given more than once")
		}
	}
	return found
}

// next returns the next unused parameter of a name, with or without [] behind it, nil if there is none left.
func (a *args) next(name string) *arg {
	for i := range a.list {
		p := &a.list[i]
		if p.used || len(p.name) < len(name) || string(p.name[:len(name)]) != name {
			continue
		}
		if rest := p.name[len(name):]; len(rest) == 0 || string(rest) == "[]" {
			p.used = true
			return p
		}
	}
	return nil
}

// unread tells whether a parameter of a name was given in a coding that could not be read.
func (a *args) unread(name string) bool {
	return slices.ContainsFunc(a.faults.list, func(f engine.Fault) bool {
		return f.In == a.in && f.Code == faultMalformed && strings.TrimSuffix(f.Pointer, "[]") == name
	})
}

// below tells whether any parameter is nested under a name.
func (a *args) below(name string) bool {
	for i := range a.list {
		p := a.list[i].name
		if len(p) > len(name) && string(p[:len(name)]) == name && p[len(name)] == '[' {
			return true
		}
	}
	return false
}

// unknown reports every parameter that no field has read, and names those that there are.
func (a *args) unknown(known []Member) {
	for i := range a.list {
		if p := &a.list[i]; !p.used {
			a.fault(string(p.name), faultUnknown, "unknown parameter; known are "+parameterNames(known, ""))
		}
	}
}

// parameterNames lists the names under which a schema's members are read from a query.
func parameterNames(members []Member, prefix string) string {
	var names []string
	for _, m := range members {
		name := m.Name
		if prefix != "" {
			name = prefix + "[" + name + "]"
		}
		switch {
		case m.Schema.Type == "object":
			names = append(names, parameterNames(m.Schema.Members, name))
		case m.Schema.Type == "array" && m.Schema.Items.Type == "object":
			names = append(names, parameterNames(m.Schema.Items.Members, name+"[0]"))
		default:
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
