package label

import (
	"slices"

	"holdfast/engine/base"
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
	ID        base.ID
	Value     string
	Scope     TagScope
	UpdatedAt int64
	Revision  uint64
}

const (
	tagByWords = iota
	tagByValue
)

var TagKind = func() *base.Kind[Tag] {
	k := base.RowsOf(base.TagTag, "tag", func(g *Tag) base.ID { return g.ID }, table.By((*Tag).words), table.By(func(g *Tag) []string { return []string{g.name()} }))
	k.Area = func(g *Tag) string { return string(g.Scope) }
	return k
}()

// words are those of the tag's text.
func (g *Tag) words() []string { return base.WordKeys(&g.Value) }

var tagDirectory = base.Directory[Tag]{Of: TagTable, Words: (*Tag).words, ByWords: tagByWords}

// TagTable are all tags of an account.
func TagTable(a *base.AccountState) *table.Table[Tag] { return base.TableOf[Tag](a, base.TagTag) }

// name is what no two tags of an account have in common; those of an older program may.
func (g *Tag) name() string { return string(g.Scope) + " " + g.Value }

// nameIsFree refuses what another tag of the scope is called.
func nameIsFree(t *base.Tx, g *Tag) error {
	if other := TagTable(t.Acc).First(tagByValue, g.name()); other != nil && other.ID != g.ID {
		return base.Refuse(base.CodeConflict, "another tag of the scope %s is %q", g.Scope, g.Value)
	}
	return nil
}

func (g *Tag) Rev() uint64     { return g.Revision }
func (g *Tag) Touch(now int64) { g.UpdatedAt, g.Revision = now, g.Revision+1 }

// CreateTag makes a tag, of which there is none of its value in its scope.
type CreateTag struct {
	base.Answers[*Tag]
	base.Adds
	Value string
	Scope TagScope
}

func (o CreateTag) Check() []base.Fault {
	var c base.Checker
	c.Text("/value", o.Value, 1, base.MaxName)
	c.OneOf("/scope", string(o.Scope), string(TagInventory), string(TagCatalog), string(TagCustomers), string(TagOrders))
	return c.Faults
}

func (o CreateTag) PlanOn(t *base.Tx) (any, error) {
	g := &Tag{ID: t.NewID(), Value: o.Value, Scope: o.Scope, UpdatedAt: t.Now, Revision: 1}
	if err := nameIsFree(t, g); err != nil {
		return nil, err
	}
	base.Record(t, TagKind, nil, g)
	return g, nil
}

// PatchTag changes a tag. Every record that it is linked to shows the new value at once.
type PatchTag struct {
	base.Answers[*Tag]
	ID      base.ID
	IfMatch []uint64
	Value   base.Opt[string]
}

func (o PatchTag) Check() []base.Fault {
	var c base.Checker
	c.PatchName("/value", o.Value)
	return c.Faults
}

func (o PatchTag) PlanOn(t *base.Tx) (any, error) {
	g, err := base.Found(t, TagKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *g
	if o.Value.Set && o.Value.Value != g.Value {
		n.Value = o.Value.Value
		if err := nameIsFree(t, &n); err != nil {
			return nil, err
		}
	}
	return base.Revise(t, TagKind, g, n), nil
}

// DeleteTag removes a tag, and takes it off every record: off 4,000 in the same command, and off the rest in commands of the clock
// before any other of the account.
type DeleteTag struct {
	base.Answers[any]
	ID      base.ID
	IfMatch []uint64
}

func (DeleteTag) Check() []base.Fault { return nil }

func (o DeleteTag) PlanOn(t *base.Tx) (any, error) {
	g, err := base.Found(t, TagKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	base.Record(t, TagKind, g, nil)
	sweepTag(t, g)
	return nil, nil
}

// TagByID returns a tag, or nil.
func TagByID(v base.View, id base.ID) *Tag { return TagTable(v.Acc).Get(id) }

// FindTags gives a part of the tags of some scopes that are asked for, in order of creation, and how many there are.
func FindTags(v base.View, q *base.RecordQuery, scopes []TagScope, p base.Part) (page []*Tag, total int) {
	return tagDirectory.Find(v.Acc, q, func(g *Tag) bool { return slices.Contains(scopes, g.Scope) }, p)
}

// Tags lists the account's tags in order of creation.
func Tags(v base.View) *table.Table[Tag] { return TagTable(v.Acc) }
