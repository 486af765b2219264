package label

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/table"
)

// This file owns tags: words of the merchant's own that group records of one area.

// TagScope is the area whose records a tag can be linked to. It also decides which keys may read and change the tag.
type TagScope string

// Inventory is SKUs and articles.
const (
	TagInventory TagScope = "inventory"
	TagCatalog   TagScope = "catalog"
	TagCustomers TagScope = "customers"
	TagOrders    TagScope = "orders"
)

// Words are those that a scope can be.
func (TagScope) Words() []string {
	return []string{string(TagInventory), string(TagCatalog), string(TagCustomers), string(TagOrders)}
}

// Tag is a tag's record.
type Tag struct {
	ID base.ID
	TagFields
	base.Stamp
}

// TagFields are what callers say of a tag.
type TagFields struct {
	Value string   `field:"value text 1..255 required" about:"The tag's text."`
	Scope TagScope `field:"scope word required fixed" about:"What it can be linked to." made:"The area whose records it can be linked to; the key needs its write scope. It never changes."`
}

const (
	tagByWords = iota
	tagByValue
)

var TagKind = func() *base.Kind[Tag] {
	k := base.RowsOf(base.TagTag, "tag", func(g *Tag) base.ID {
		return g.ID
	}, table.By((*Tag).words), table.By(func(g *Tag) []string { return []string{g.name()} }))
	k.Area = func(g *Tag) string { return string(g.Scope) }
	return k
}()

// words are those of the tag's text.
func (g *Tag) words() []string { return base.WordKeys(&g.Value) }

var tagDirectory = base.Directory[Tag]{Of: TagTable, ByWords: tagByWords}

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

// CreateTag makes a tag, of which there is none of its value in its scope.
type CreateTag struct {
	base.Answers[*Tag]
	base.Adds
	TagFields
}

func (o CreateTag) Check(c *base.Checker) { base.CheckFields(c, "", &o.TagFields) }

func (o CreateTag) PlanOn(t *base.Tx) (any, error) {
	g := &Tag{ID: t.NewID(), TagFields: o.TagFields, Stamp: t.Stamp()}
	if err := nameIsFree(t, g); err != nil {
		return nil, err
	}
	base.Record(t, TagKind, nil, g)
	return g, nil
}

// PatchTag changes a tag. Every record that it is linked to shows the new value at once.
type PatchTag struct {
	base.Answers[*Tag]
	base.IfMatch
	ID     base.ID
	Fields base.Changes[TagFields]
}

func (o PatchTag) Check(c *base.Checker) { o.Fields.Check(c, "") }

func (o PatchTag) PlanOn(t *base.Tx) (any, error) {
	g, err := base.Found(t, TagKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *g
	if n.TagFields = o.Fields.Of(g.TagFields); n.Value != g.Value {
		if err := nameIsFree(t, &n); err != nil {
			return nil, err
		}
	}
	return base.Revise(t, TagKind, g, n), nil
}

// DeleteTag removes a tag, and takes it off every record: off so many as one command changes (base.Bounds), and off the
// rest in commands of the clock before any other of the account.
type DeleteTag struct {
	base.Answers[any]
	base.IfMatch
	ID base.ID
}

// Size is that of the sweep.
func (o DeleteTag) Size(a *base.AccountState) int { return sizeOfSweep(a) }

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
	return tagDirectory.Find(v, q, func(g *Tag) bool { return slices.Contains(scopes, g.Scope) }, p)
}

// Tags lists the account's tags in order of creation.
func Tags(v base.View) *table.Table[Tag] { return TagTable(v.Acc) }
