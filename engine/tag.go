package engine

import (
	"slices"

	"holdfast/engine/table"
)

// This file owns tags: words of the merchant's own that group records of one area.

// TagScope is the area whose records a tag can be linked to. It says, too, who may read and change the tag.
type TagScope string

// Inventory is SKUs and articles.
const (
	TagInventory TagScope = "inventory"
	TagCatalog   TagScope = "catalog"
	TagCustomers TagScope = "customers"
	TagOrders    TagScope = "orders"
)

// Tag is a tag's record. Its scope never changes.
type Tag struct {
	ID        ID
	Value     string
	Scope     TagScope
	UpdatedAt int64
	Revision  uint64
}

const (
	tagByWords = iota
	tagByValue
)

var tagKind = func() *kind[Tag] {
	k := rowsOf(tagTag, "tag", func(g *Tag) ID { return g.ID }, table.By((*Tag).words), table.By(func(g *Tag) []string { return []string{g.name()} }))
	k.area = func(g *Tag) string { return string(g.Scope) }
	return k
}()

// words are those of the tag's text.
func (g *Tag) words() []string { return wordKeys(&g.Value) }

var tagDirectory = directory[Tag]{of: (*account).tags, words: (*Tag).words, byWords: tagByWords}

func (a *account) tags() *table.Table[Tag] { return tableOf[Tag](a, tagTag) }

// name is what no two tags of an account have in common; those of an older program may.
func (g *Tag) name() string { return string(g.Scope) + " " + g.Value }

// nameIsFree refuses what another tag of the scope is called.
func (t *tx) nameIsFree(g *Tag) error {
	if other := t.acc.tags().First(tagByValue, g.name()); other != nil && other.ID != g.ID {
		return refuse(CodeConflict, "another tag of the scope %s is %q", g.Scope, g.Value)
	}
	return nil
}

func (g *Tag) revision() uint64 { return g.Revision }
func (g *Tag) touch(now int64)  { g.UpdatedAt, g.Revision = now, g.Revision+1 }

// CreateTag makes a tag, of which there is none of its value in its scope. It answers with the *Tag.
type CreateTag struct {
	Value string
	Scope TagScope
}

func (o CreateTag) Check() []Fault {
	var c checker
	c.text("/value", o.Value, 1, maxName)
	c.oneOf("/scope", string(o.Scope), string(TagInventory), string(TagCatalog), string(TagCustomers), string(TagOrders))
	return c.faults
}

func (o CreateTag) plan(t *tx) (any, error) {
	g := &Tag{ID: t.newID(), Value: o.Value, Scope: o.Scope, UpdatedAt: t.now, Revision: 1}
	if err := t.nameIsFree(g); err != nil {
		return nil, err
	}
	record(t, tagKind, nil, g)
	return g, nil
}

func (CreateTag) result() any { return new(Tag) }

// PatchTag changes a tag. Every record that it is linked to shows the new value at once. It answers with the *Tag.
type PatchTag struct {
	ID      ID
	IfMatch []uint64
	Value   Opt[string]
}

func (o PatchTag) Check() []Fault {
	var c checker
	c.patchName("/value", o.Value)
	return c.faults
}

func (o PatchTag) plan(t *tx) (any, error) {
	g, err := found(t, tagKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *g
	if o.Value.Set && o.Value.Value != g.Value {
		n.Value = o.Value.Value
		if err := t.nameIsFree(&n); err != nil {
			return nil, err
		}
	}
	return revise(t, tagKind, g, n), nil
}

func (PatchTag) result() any { return new(Tag) }

// DeleteTag removes a tag, and takes it off every record: off 4,000 in the same command, and off the rest in commands of the clock
// before any other of the account. It answers with nil.
type DeleteTag struct {
	ID      ID
	IfMatch []uint64
}

func (DeleteTag) Check() []Fault { return nil }

func (o DeleteTag) plan(t *tx) (any, error) {
	g, err := found(t, tagKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	record(t, tagKind, g, nil)
	t.sweepTag(g)
	return nil, nil
}

func (DeleteTag) result() any { return new(any) }

// Tag returns a tag, or nil.
func (v View) Tag(id ID) *Tag { return v.acc.tags().Get(id) }

// FindTags gives a part of the tags of some scopes that are asked for, in order of creation, and how many there are.
func (v View) FindTags(q *RecordQuery, scopes []TagScope, p Part) (page []*Tag, total int) {
	return tagDirectory.find(v.acc, q, func(g *Tag) bool { return slices.Contains(scopes, g.Scope) }, p)
}

// Tags lists the account's tags in order of creation.
func (v View) Tags() *table.Table[Tag] { return v.acc.tags() }
