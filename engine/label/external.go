package label

import (
	"slices"
	"strings"

	"holdfast/engine/base"
)

// This file owns what other systems keep on a record: the id under which they know it, and texts of their own.

// External is what other systems keep on a record.
type External struct {
	ID       string     `json:",omitempty"` // no other record of the kind in the account has it; empty: none
	Metadata []Metadata `json:",omitempty"` // ascending by key
}

// Metadata is one text that another system keeps on a record, under a key of its own. Nothing here reads it.
type Metadata struct{ Key, Value string }

// The bounds of metadata: texts of a record, and characters of a key and of a text.
const (
	MaxMetadata      = 50
	maxMetadataKey   = 40
	MaxMetadataValue = 500
)

// Keys are a row's keys in its index by external id.
func (x *External) Keys() []string {
	if x == nil || x.ID == "" {
		return nil
	}
	return []string{x.ID}
}

// ExternalPatch gives a record an external id and metadata, new or not: texts merge with those there are, each by its
// key; null takes one, or all.
type ExternalPatch struct {
	ID       base.Opt[string]
	Metadata base.Opt[[]MetadataInput]
}

// MetadataInput is a text for a key; a nil one takes away what is there.
type MetadataInput struct {
	Key   string
	Value *string
}

func (p *ExternalPatch) Check(c *base.Checker) {
	c.PatchText("/externalId", p.ID, 1, base.MaxName)
	if len(p.Metadata.Value) > MaxMetadata {
		c.Fault("/metadata", "length", "must have at most 50 members")
		return
	}
	for _, m := range p.Metadata.Value {
		at := "/metadata/" + base.EscapePointer(m.Key)
		c.Text(at, m.Key, 1, maxMetadataKey)
		c.Optional(at, m.Value, 0, MaxMetadataValue)
	}
}

// Merged gives what a patch makes of what the record of an id has. with gives the id of the record of the kind that has
// an external id.
func (p *ExternalPatch) Merged(was *External, of base.ID, kind string,
	with func(external string) (base.ID, bool)) (*External, error) {
	if !p.ID.Set && !p.Metadata.Set {
		return was, nil
	}
	var n External
	if was != nil {
		n = *was
	}
	if p.ID.Set {
		n.ID = p.ID.Value
		if p.ID.Null {
			n.ID = ""
		}
		if other, taken := with(n.ID); taken && other != of {
			return nil, base.Refuse(base.CodeConflict, "another %s has the external id %q: %s", kind, n.ID, other)
		}
	}
	if p.Metadata.Null {
		n.Metadata = nil
	}
	n.Metadata = slices.Clone(n.Metadata)
	for _, m := range p.Metadata.Value {
		at, there := slices.BinarySearchFunc(n.Metadata, m.Key,
			func(m Metadata, key string) int { return strings.Compare(m.Key, key) })
		switch {
		case m.Value == nil && there:
			n.Metadata = slices.Delete(n.Metadata, at, at+1)
		case m.Value != nil && there:
			n.Metadata[at].Value = *m.Value
		case m.Value != nil:
			n.Metadata = slices.Insert(n.Metadata, at, Metadata{m.Key, *m.Value})
		}
	}
	switch {
	case len(n.Metadata) > MaxMetadata:
		return nil, base.Refuse(base.CodeConflict, "a record has at most %d members of metadata", MaxMetadata)
	case n.ID == "" && len(n.Metadata) == 0:
		return nil, nil
	case len(n.Metadata) == 0:
		n.Metadata = nil
	}
	return &n, nil
}

// With finds the record of a kind that has an external id, by the index of its table that has them.
func With[R any](k *base.Kind[R], a *base.AccountState, index int) func(external string) (base.ID, bool) {
	return func(external string) (base.ID, bool) {
		if external == "" {
			return base.ID{}, false
		}
		if r := k.In(a).First(index, external); r != nil {
			return k.Key(r), true
		}
		return base.ID{}, false
	}
}

// Distinct is the id that the patch gives, if any: no two records of a kind have the same.
func (p *ExternalPatch) Distinct() []base.DistinctValue {
	if p.ID.Value == "" {
		return nil
	}
	return []base.DistinctValue{{Pointer: "/externalId", Value: p.ID.Value}}
}
