package label

import (
	"iter"
	"slices"

	"holdfast/engine/base"
)

// This file owns labels: what hangs on records of many kinds, and how a record gets them, keeps them and loses them. A
// merchant hangs tags and attributes on them; what other systems keep on them is in external.go.
//
// A record names its tags, attributes and options by id. The id of a deleted one stays in the record, names nothing and
// is shown nowhere. So a deletion is not bounded by the number of records that one command can change. A record that is
// changed drops what is gone.

// Labels are what hangs on a record. A row embeds them.
type Labels struct {
	Tags       []base.ID        `json:",omitempty"` // in the order in which they were linked
	Attributes []AttributeValue `json:",omitempty"` // ascending by attribute
	External   *External        `json:",omitempty"`
}

// OwnLabels are the labels of a record that has them in itself.
func (l *Labels) OwnLabels() *Labels { return l }

// ExternalKeys are what the record is found by from outside.
func (l *Labels) ExternalKeys() []string { return l.External.Keys() }

// TagKeys are a row's keys in its index by tag.
func (l *Labels) TagKeys() []string {
	if len(l.Tags) == 0 {
		return nil
	}
	keys := make([]string, len(l.Tags))
	for i, id := range l.Tags {
		keys[i] = string(id[:])
	}
	return keys
}

// LabelsPatch gives labels to a record, new or not: a list of tags replaces those linked; values merge with those there
// are, each by the key of its attribute; null takes all.
type LabelsPatch struct {
	Tags       base.Opt[[]base.ID]
	Attributes base.Opt[[]AttributeInput]
	External   ExternalPatch
}

// MaxTags is the most tags of one record.
const MaxTags = 100

func (p *LabelsPatch) Check(c *base.Checker) {
	if p.Tags.Set && len(p.Tags.Value) > MaxTags {
		c.Fault("/tags", "length", "must have at most 100 entries")
	}
	if len(p.Attributes.Value) > MaxValues {
		c.Fault("/attributes", "length", "must have at most 250 members")
	}
	p.External.Check(c)
}

// Relabelled says that a tag or an attribute of a record is gone, or has changed at an instant or since: the record
// shows another name then, or none, which is not a change of the record.
func Relabelled(v base.View, l *Labels, since int64) bool {
	return slices.ContainsFunc(l.Tags, func(id base.ID) bool {
		g := TagTable(v.Acc).Get(id)
		return g == nil || g.UpdatedAt >= since
	}) || slices.ContainsFunc(l.Attributes, func(x AttributeValue) bool {
		d := AttributeTable(v.Acc).Get(x.Attribute)
		return d == nil || d.UpdatedAt >= since
	})
}

// CheckOn names what is wrong with labels for a kind of record as the account stands.
func (p *LabelsPatch) CheckOn(c *base.Checker, a *base.AccountState, of Labelled) {
	CheckTags(a, c, of, p.Tags.Value, func(i int) base.Fault { return base.Fault{Pointer: "/tags/" + base.Itoa(i)} })
	checkValues(a, c, "/attributes", p.Attributes.Value)
}

// CheckTags names the tags that are of another scope than the kind of record takes.
func CheckTags(a *base.AccountState, c *base.Checker, of Labelled, tags []base.ID, at func(i int) base.Fault) {
	for i, id := range tags {
		if tag := TagTable(a).Get(id); tag != nil && tag.Scope != of.tagScope() {
			f := at(i)
			f.Code, f.Message = "scope",
				"is a tag of scope "+string(tag.Scope)+"; here tags of scope "+string(of.tagScope())+" can be linked"
			c.Faults = append(c.Faults, f)
		}
	}
}

// Merged gives the labels that a patch makes of those that the record of an id has.
func (p *LabelsPatch) Merged(a *base.AccountState, kind Labelled, of base.ID, was Labels) (Labels, error) {
	n := alive(a, was)
	var err error
	if n.External, err = p.External.Merged(n.External, of, kind.Name(), kind.With(a)); err != nil {
		return n, err
	}
	if p.Tags.Set {
		tags, err := Linked(a, nil, p.Tags.Value)
		if err != nil {
			return n, err
		}
		n.Tags = tags
	}
	switch {
	case p.Attributes.Null:
		n.Attributes = nil
	case p.Attributes.Set:
		if n.Attributes = withValues(a, n.Attributes, p.Attributes.Value); len(n.Attributes) > MaxValues {
			return n, base.Refuse(base.CodeConflict, "a record has values for at most %d attributes", MaxValues)
		}
	}
	return n, nil
}

// DropGone takes out what names nothing any more.
func (l *Labels) DropGone(a *base.AccountState) { *l = alive(a, *l) }

// alive are labels without what names nothing any more.
func alive(a *base.AccountState, l Labels) Labels {
	gone := func(id base.ID) bool { return TagTable(a).Get(id) == nil }
	if slices.ContainsFunc(l.Tags, gone) {
		l.Tags = slices.DeleteFunc(slices.Clone(l.Tags), gone)
	}
	l.Attributes = aliveValues(a, l.Attributes)
	return l
}

// Linked adds tags to a list, each once.
func Linked(a *base.AccountState, tags, more []base.ID) ([]base.ID, error) {
	tags = slices.Clip(tags)
	for _, id := range more {
		if TagTable(a).Get(id) == nil {
			return nil, base.NotFound("tag")
		}
		if !slices.Contains(tags, id) {
			tags = append(tags, id)
		}
	}
	return tags, nil
}

// Labelled is a kind of record that labels hang on.
type Labelled interface {
	tagScope() TagScope
	Name() string
	// With finds the record that has an external id.
	With(a *base.AccountState) func(external string) (base.ID, bool)
	// Edit changes the labels of one record.
	Edit(t *base.Tx, id base.ID, ifMatch base.IfMatch, change func(*Labels) error) (any, error)
	// SizeOf is how large a record is, in units (base.Sized).
	SizeOf(a *base.AccountState, id base.ID) int
	// sweep does a part of what is taken off all records; if there is more, it says with which record it continues.
	sweep(t *base.Tx, p *sweptPart, s *sweeping) (next base.ID, more bool)
	resource() string
	count(a *base.AccountState) int
	All(a *base.AccountState) iter.Seq[*Labels]
	// changed are the labels of a record of the kind before and after a change, nil where there is none.
	changed(c base.RowChange) (before, after *Labels)
	table() byte
}

// LabelledKinds lists the kinds that labels hang on.
var LabelledKinds []Labelled

// labelledNo is, by table, how many of LabelledKinds there are up to its own; 0: no labels hang on its rows.
var labelledNo [256]uint8

// RegisterLabelled says which kinds labels hang on.
func RegisterLabelled(kinds ...Labelled) {
	for _, k := range kinds {
		LabelledKinds = append(LabelledKinds, k)
		labelledNo[k.table()] = uint8(len(LabelledKinds))
	}
}

// labelledRow is a row that embeds Labels.
type labelledRow[R any] interface {
	base.Revised[R]
	OwnLabels() *Labels
}

// LabelledKind is a Labelled.
type LabelledKind[R any, P labelledRow[R]] struct {
	Kind       *base.Kind[R]
	Scope      TagScope
	ByTag      int // number of the table's index by tag
	ByExternal int // and by external id
}

func (k *LabelledKind[R, P]) tagScope() TagScope { return k.Scope }

// Name is what messages call the kind.
func (k *LabelledKind[R, P]) Name() string { return k.Kind.Name }

func (k *LabelledKind[R, P]) resource() string { return k.Kind.Resource }

func (k *LabelledKind[R, P]) count(a *base.AccountState) int { return k.Kind.In(a).Len() }

// All goes through the labels of all records.
func (k *LabelledKind[R, P]) All(a *base.AccountState) iter.Seq[*Labels] {
	return func(yield func(*Labels) bool) {
		for r := range k.Kind.In(a).All() {
			if !yield(P(r).OwnLabels()) {
				return
			}
		}
	}
}

func (k *LabelledKind[R, P]) table() byte { return k.Kind.Tag }

func (k *LabelledKind[R, P]) changed(c base.RowChange) (before, after *Labels) {
	x := c.(*base.Change[R])
	if x.Before != nil {
		before = P(x.Before).OwnLabels()
	}
	if x.After != nil {
		after = P(x.After).OwnLabels()
	}
	return before, after
}

// With finds records by external ids.
func (k *LabelledKind[R, P]) With(a *base.AccountState) func(external string) (base.ID, bool) {
	return With(k.Kind, a, k.ByExternal)
}

// Edit changes the labels of a record.
func (k *LabelledKind[R, P]) Edit(t *base.Tx, id base.ID, ifMatch base.IfMatch,
	change func(*Labels) error) (any, error) {
	r, err := base.Found[R, P](t, k.Kind, id, ifMatch)
	if err != nil {
		return nil, err
	}
	n := *r
	now := alive(t.Acc, *P(r).OwnLabels())
	if err := change(&now); err != nil {
		return nil, err
	}
	*P(&n).OwnLabels() = now
	return base.Revise[R, P](t, k.Kind, r, n), nil
}

// SizeOf is that of records that are never large.
func (k *LabelledKind[R, P]) SizeOf(*base.AccountState, base.ID) int { return 0 }

// LinkTags links tags to a record; one that is linked stays as it is.
type LinkTags struct {
	base.Answers[any] // a record of the kind
	To                Labelled
	ID                base.ID
	Tags              []base.ID
}

func (o LinkTags) Check(c *base.Checker) { tagIDs(c, o.Tags) }

func tagIDs(c *base.Checker, tags []base.ID) {
	if len(tags) < 1 || len(tags) > MaxTags {
		c.Fault("/tagIds", "length", "must have 1 to 100 elements")
	}
}

func (o LinkTags) CheckOn(c *base.Checker, a *base.AccountState) {
	CheckTags(a, c, o.To, o.Tags, func(i int) base.Fault { return base.Fault{Pointer: "/tagIds/" + base.Itoa(i)} })
}

// Size is that of the record.
func (o LinkTags) Size(a *base.AccountState) int { return o.To.SizeOf(a, o.ID) }

func (o LinkTags) PlanOn(t *base.Tx) (any, error) {
	return o.To.Edit(t, o.ID, nil, func(l *Labels) (err error) {
		if l.Tags, err = Linked(t.Acc, l.Tags, o.Tags); err == nil && len(l.Tags) > MaxTags {
			err = base.Refuse(base.CodeConflict, "a record has at most %d tags", MaxTags)
		}
		return err
	})
}

// UnlinkTags takes tags off a record; one that is not linked is no fault, one that is not there is.
type UnlinkTags struct {
	base.Answers[any]
	base.IfMatch
	From Labelled
	ID   base.ID
	Tags []base.ID
}

func (o UnlinkTags) Check(c *base.Checker) { tagIDs(c, o.Tags) }

// Size is that of the record.
func (o UnlinkTags) Size(a *base.AccountState) int { return o.From.SizeOf(a, o.ID) }

func (o UnlinkTags) PlanOn(t *base.Tx) (any, error) {
	_, err := o.From.Edit(t, o.ID, o.IfMatch, func(l *Labels) error {
		if _, err := Linked(t.Acc, nil, o.Tags); err != nil {
			return err
		}
		l.Tags = slices.DeleteFunc(slices.Clone(l.Tags), func(id base.ID) bool { return slices.Contains(o.Tags, id) })
		return nil
	})
	return nil, err
}
