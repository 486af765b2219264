package api

import (
	"encoding/json"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"holdfast/engine/base"
)

// This file owns the judge of the tests: it holds values against the document as a client would read it, from its text.
// It knows the part of JSON Schema that the document uses and no other; a word it does not know is a failure.

// tree is the document, or a part of it, as decoded JSON.
type tree = map[string]any

// published is the document as it is committed.
type published struct{ root tree }

func (p published) resolve(v any) tree {
	node, _ := v.(tree)
	for node != nil {
		ref, ok := node["$ref"].(string)
		if !ok {
			return node
		}
		var at any = p.root
		for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			at = at.(tree)[name]
		}
		node, _ = at.(tree)
	}
	return nil
}

// operation is the part of the document about a method of a path, nil if there is none.
func (p published) operation(method, path string) tree {
	methods, _ := p.root["paths"].(tree)[path].(tree)
	op, _ := methods[strings.ToLower(method)].(tree)
	return op
}

// schemaWords are the words that a schema may have.
var schemaWords = []string{
	"$ref", "anyOf", "type", "format", "description", "enum", "minimum", "maximum", "minLength", "maxLength",
	"minItems", "maxItems", "items",
	"properties", "required", "additionalProperties", "pattern", "x-scopes", "oneOf", "unevaluatedProperties",
}

// mismatch says where a value, decoded with json.Number, is not as the schema says; "" if it is. An object has the
// declared members only, also where the document leaves open that later versions have more.
func (p published) mismatch(v, schema any, at string) string {
	if schema == false {
		return at + " is not declared"
	}
	given, _ := schema.(tree)
	for word := range given {
		if !slices.Contains(schemaWords, word) {
			return at + ": the schema says " + word + ", which is not understood"
		}
	}
	s := p.resolve(schema)
	if s == nil {
		return at + ": there is no such schema"
	}
	if choices, ok := s["anyOf"].([]any); ok {
		var faults []string
		for _, c := range choices {
			fault := p.mismatch(v, c, at)
			if fault == "" {
				return ""
			}
			faults = append(faults, fault)
		}
		return strings.Join(faults, ", and ")
	}
	if fault := typeMismatch(v, s["type"]); fault != "" {
		return at + fault
	}
	if values, ok := s["enum"].([]any); ok && !slices.Contains(values, v) {
		return at + " is none of the declared values"
	}
	switch v := v.(type) {
	case string:
		if w := outside(int64(utf8.RuneCountInString(v)), s["minLength"], s["maxLength"]); w != "" {
			return at + w
		}
		return formatMismatch(v, s["format"], at)
	case json.Number:
		n, _ := v.Int64()
		if w := outside(n, s["minimum"], s["maximum"]); w != "" {
			return at + w
		}
	case []any:
		if w := outside(int64(len(v)), s["minItems"], s["maxItems"]); w != "" {
			return at + w
		}
		for i, x := range v {
			if fault := p.mismatch(x, s["items"], fmt.Sprint(at, "/", i)); s["items"] != nil && fault != "" {
				return fault
			}
		}
	case tree:
		if fault := p.memberMismatch(v, s, at); fault != "" || s["oneOf"] == nil {
			return fault
		}
		return p.formMismatch(v, s, at)
	}
	return ""
}

// formMismatch says where an object is not of one of its forms, and of one alone. A form says something of some of the
// members; the others are those of the object itself.
func (p published) formMismatch(v, s tree, at string) string {
	var faults []string
	forms := s["oneOf"].([]any)
	for _, form := range forms {
		said := tree{}
		for name := range p.resolve(form)["properties"].(tree) {
			if x, there := v[name]; there {
				said[name] = x
			}
		}
		if fault := p.mismatch(said, form, at); fault != "" {
			faults = append(faults, fault)
		}
	}
	if len(forms)-len(faults) != 1 {
		return fmt.Sprintf("%s is of %d forms: %s", at, len(forms)-len(faults), strings.Join(faults, ", and "))
	}
	return ""
}

func (p published) memberMismatch(v, s tree, at string) string {
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, there := v[name.(string)]; !there {
			return at + "/" + name.(string) + " is missing"
		}
	}
	declared, closed := s["properties"].(tree)
	for name, x := range v {
		member, there := declared[name]
		if !there {
			member, there = s["additionalProperties"]
		}
		if !there {
			if closed {
				return at + "/" + name + " is not declared"
			}
			continue
		}
		if fault := p.mismatch(x, member, at+"/"+name); fault != "" {
			return fault
		}
	}
	return ""
}

func typeMismatch(v, want any) string {
	var types []any
	switch want := want.(type) {
	case nil:
		return ""
	case []any:
		types = want
	default:
		types = []any{want}
	}
	is := []any{"object"}
	switch v := v.(type) {
	case nil:
		is = []any{"null"}
	case string:
		is = []any{"string"}
	case bool:
		is = []any{"boolean"}
	case []any:
		is = []any{"array"}
	case json.Number:
		is = []any{"number"}
		if _, err := v.Int64(); err == nil {
			is = append(is, "integer")
		}
	}
	if slices.ContainsFunc(types, func(t any) bool { return slices.Contains(is, t) }) {
		return ""
	}
	return fmt.Sprintf(" is of type %v, not %v", is[0], want)
}

func outside(n int64, least, most any) string {
	if l, ok := least.(json.Number); ok {
		if l, _ := l.Int64(); n < l {
			return " is below the minimum"
		}
	}
	if m, ok := most.(json.Number); ok {
		if m, _ := m.Int64(); n > m {
			return " is above the maximum"
		}
	}
	return ""
}

func formatMismatch(text string, format any, at string) string {
	good := true
	switch format {
	case nil:
	case "uuid":
		_, good = base.ParseID(text)
	case "date-time":
		_, err := time.Parse("2006-01-02T15:04:05.000Z", text) // the one form of answers
		good = err == nil
	case "date":
		_, err := time.Parse("2006-01-02", text)
		good = err == nil
	case "email":
		_, err := mail.ParseAddress(text)
		good = err == nil
	case "uri":
		u, err := url.Parse(text)
		good = err == nil && u.IsAbs()
	case "uri-reference":
		_, err := url.Parse(text)
		good = err == nil && strings.HasPrefix(text, "/")
	default:
		return fmt.Sprintf("%s: format %v is not understood", at, format)
	}
	if !good {
		return fmt.Sprintf("%s is no %v", at, format)
	}
	return ""
}
