package wire

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"holdfast/engine/base"
)

// This file owns parameters: the pairs of a query string and of a path, percent-decoded, from which shapes read.

// arg is one parameter as it was given. Its memory belongs to the request.
type arg struct {
	Name, Value []byte
	used        bool // some field has read it
}

// Args are the parameters of a request, of its query or of its path.
type Args struct {
	In     string // query or path, for faults
	ListOf []arg
	buf    []byte // unescaped texts
	Faults *Faults
}

func (a *Args) Fault(name, code, message string) {
	a.Faults.Add(base.Fault{In: a.In, Pointer: name, Code: code, Message: message})
}

// Parse takes a raw query string apart.
func (a *Args) Parse(raw []byte) {
	a.Reset()
	plain := bytes.IndexByte(raw, '%') < 0 && bytes.IndexByte(raw, '+') < 0 && utf8.Valid(raw) // as most are
	for len(raw) > 0 {
		pair, rest, _ := bytes.Cut(raw, []byte{'&'})
		raw = rest
		if len(pair) == 0 {
			continue
		}
		name, value, _ := bytes.Cut(pair, []byte{'='})
		if plain {
			a.ListOf = append(a.ListOf, arg{Name: name, Value: value})
			continue
		}
		a.Add(name, value, true)
	}
}

func (a *Args) Reset() {
	a.ListOf, a.buf = a.ListOf[:0], a.buf[:0]
}

// Add appends one parameter; plus: a plus sign means a space, as in queries.
func (a *Args) Add(name, value []byte, plus bool) {
	n, ok1 := a.unescape(name, plus)
	v, ok2 := a.unescape(value, plus)
	if !ok1 || !ok2 {
		a.Fault(string(bytes.ToValidUTF8(n, []byte("?"))), FaultMalformed, "is not UTF-8 in percent-encoding")
		return
	}
	a.ListOf = append(a.ListOf, arg{Name: n, Value: v})
}

func (a *Args) unescape(text []byte, plus bool) (b []byte, ok bool) {
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
func (a *Args) one(name string) *arg {
	found := a.Next(name)
	if found != nil {
		for more := a.Next(name); more != nil; more = a.Next(name) {
			a.Fault(name, FaultDuplicate, "given more than once")
		}
	}
	return found
}

// Next returns the next unused parameter of a name, with or without [] after it, nil if there is none left.
func (a *Args) Next(name string) *arg {
	for i := range a.ListOf {
		if p := &a.ListOf[i]; !p.used && p.Named(name) {
			p.used = true
			return p
		}
	}
	return nil
}

// Named says whether a parameter has a name, with or without [] after it.
func (p *arg) Named(name string) bool {
	n := len(name)
	return len(p.Name) >= n && string(p.Name[:n]) == name && (len(p.Name) == n || string(p.Name[n:]) == "[]")
}

// gap reports, once, that a list of objects has elements after the n that were read, but none with the number n.
func (a *Args) gap(name string, n int) {
	found := false
	for i := range a.ListOf {
		p := &a.ListOf[i]
		if at, ok := bytes.CutPrefix(p.Name, []byte(name+"[")); ok && !p.used && !numbered(at, n) {
			p.used, found = true, true
		}
	}
	if found {
		a.Fault(name+"["+strconv.Itoa(n)+"]", FaultRequired, "is missing: elements are numbered from 0, without a gap")
	}
}

// numbered says that the text after the bracket of a list begins with a number below n.
func numbered(at []byte, n int) bool {
	digits, _, _ := bytes.Cut(at, []byte{']'})
	i, err := strconv.Atoi(string(digits))
	return err == nil && i < n
}

// split makes several parameters of each of a name that has commas in it.
func (a *Args) split(name string) {
	for i := range a.ListOf {
		p := a.ListOf[i]
		if string(bytes.TrimSuffix(p.Name, []byte("[]"))) != name {
			continue
		}
		for n, part := range bytes.Split(p.Value, []byte{','}) {
			if n == 0 {
				a.ListOf[i].Value = part
				continue
			}
			a.ListOf = append(a.ListOf, arg{Name: p.Name, Value: part})
		}
	}
}

// unread says whether a parameter of a name was given in a coding that could not be read.
func (a *Args) unread(name string) bool {
	return slices.ContainsFunc(a.Faults.ListOf, func(f base.Fault) bool {
		return f.In == a.In && f.Code == FaultMalformed && strings.TrimSuffix(f.Pointer, "[]") == name
	})
}

// below says whether any parameter is nested under a name.
func (a *Args) below(name string) bool {
	for i := range a.ListOf {
		p := a.ListOf[i].Name
		if len(p) > len(name) && string(p[:len(name)]) == name && p[len(name)] == '[' {
			return true
		}
	}
	return false
}

// Unknown reports every parameter that no field has read, and names those that there are.
func (a *Args) Unknown(known []Member) {
	message := ""
	for i := range a.ListOf {
		if p := &a.ListOf[i]; !p.used {
			if message == "" {
				message = "unknown parameter; known are " + parameterNames(known, "")
			}
			a.Fault(string(p.Name), FaultUnknown, message)
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
