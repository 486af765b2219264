package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// This file owns the form of the document, as far as the client is made of it.

type document struct {
	Info     struct{ Version string }
	Tags     []tag
	Paths    ordered[ordered[operation]]
	Webhooks ordered[struct{ Post operation }]

	Components struct {
		Schemas    ordered[schema]
		Parameters ordered[parameter]
	}
}

type tag struct{ Name, Description string }

type operation struct {
	ID          string `json:"operationId"`
	Tags        []string
	Summary     string
	Description string
	Scopes      []string `json:"x-scopes"`
	Parameters  []parameter
	RequestBody *body
	Responses   map[string]body
}

type parameter struct {
	Ref         string `json:"$ref"`
	Name, In    string
	Required    bool
	Description string
	Style       string
	Schema      schema
}

type body struct {
	Content map[string]struct{ Schema schema }
}

// json is the schema of a body in JSON, nil where there is none.
func (b *body) json() *schema {
	if b == nil {
		return nil
	}
	if c, ok := b.Content["application/json"]; ok {
		return &c.Schema
	}
	return nil
}

type schema struct {
	Ref         string `json:"$ref"`
	Type        kinds
	Format      string
	Description string
	Enum        []*string
	Properties  ordered[schema]
	Required    []string
	Items       *schema
	AnyOf       []schema
	OneOf       []schema
	Additional  json.RawMessage `json:"additionalProperties"`
}

// kinds is a type of JSON Schema: a name or a list of them.
type kinds []string

func (k *kinds) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		return json.Unmarshal(text, (*[]string)(k))
	}
	*k = kinds{""}
	return json.Unmarshal(text, &(*k)[0])
}

// ordered is an object whose members keep their order.
type ordered[T any] []member[T]

type member[T any] struct {
	name  string
	value T
}

func (o *ordered[T]) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		m := member[T]{name: fmt.Sprint(name)}
		if err := d.Decode(&m.value); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		*o = append(*o, m)
	}
	return nil
}

func (o ordered[T]) get(name string) (value T, ok bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return value, false
}

func read(text []byte) (*document, error) {
	d := &document{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, err
	}
	for _, path := range d.Paths {
		for _, m := range path.value {
			for i, p := range m.value.Parameters {
				name, shared := strings.CutPrefix(p.Ref, "#/components/parameters/")
				if !shared {
					continue
				}
				var ok bool
				if m.value.Parameters[i], ok = d.Components.Parameters.get(name); !ok {
					return nil, fmt.Errorf("%s: there is no %s", m.value.ID, p.Ref)
				}
			}
		}
	}
	return d, nil
}

// schema finds what a reference names.
func (d *document) schema(ref string) (name string, s schema, err error) {
	name, here := strings.CutPrefix(ref, "#/components/schemas/")
	s, ok := d.Components.Schemas.get(name)
	if !here || !ok {
		return "", s, fmt.Errorf("there is no %s", ref)
	}
	return name, s, nil
}

// nullable says whether a schema takes null, and gives the schema of the other values that it takes.
func (s schema) nullable() (schema, bool) {
	if len(s.AnyOf) == 2 && len(s.AnyOf[1].Type) == 1 && s.AnyOf[1].Type[0] == "null" {
		value := s.AnyOf[0]
		value.Description = s.Description
		return value, true
	}
	if len(s.Type) == 2 && s.Type[1] == "null" {
		s.Type = s.Type[:1]
		return s, true
	}
	return s, false
}

// values is the schema of the members whose names are free.
func (s schema) values() (values schema, err error) {
	if len(s.Additional) == 0 || s.Additional[0] != '{' {
		return values, fmt.Errorf("an object without members is not known")
	}
	return values, json.Unmarshal(s.Additional, &values)
}
