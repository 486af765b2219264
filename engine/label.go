package engine

import (
	"iter"
	"slices"
)

// This file owns labels: what hangs on records of many kinds, and how a record gets them, keeps them and loses them. A merchant
// hangs tags and attributes on them; what other systems keep on them is in external.go.
//
// A record names its tags, attributes and options by id. What a deleted one leaves behind names nothing and is shown nowhere:
// so the number of records that one command can change bounds no deletion. A record that is changed drops what is gone.

// Labels are what hangs on a record. A row embeds them.
type Labels struct {
	Tags       []ID             `json:",omitempty"` // in the order in which they were linked
	Attributes []AttributeValue `json:",omitempty"` // ascending by attribute
	External   *External        `json:",omitempty"`
}

func (l *Labels) labels() *Labels { return l }

func (l *Labels) externalKeys() []string { return l.External.keys() }

// tagKeys are a row's keys in its index by tag.
func (l *Labels) tagKeys() []string {
	if len(l.Tags) == 0 {
		return nil
	}
	keys := make([]string, len(l.Tags))
	for i, id := range l.Tags {
		keys[i] = string(id[:])
	}
	return keys
}

// LabelsPatch gives labels to a record, new or not: a list of tags replaces those linked; values merge with those there are,
// each by the key of its attribute; null takes all.
type LabelsPatch struct {
	Tags       Opt[[]ID]
	Attributes Opt[[]AttributeInput]
	External   ExternalPatch
}

// maxTags is the most tags of one record.
const maxTags = 100

func (p *LabelsPatch) check(c *checker) {
	if p.Tags.Set && len(p.Tags.Value) > maxTags {
		c.fault("/tags", "length", "must have at most 100 entries")
	}
	if len(p.Attributes.Value) > maxValues {
		c.fault("/attributes", "length", "must have at most 250 members")
	}
	p.External.check(c)
}

// Relabelled says that a tag or an attribute of a record is gone, or has changed at an instant or since: the record shows another
// name then, or none, which is not a change of the record.
func (v View) Relabelled(l *Labels, since int64) bool {
	return slices.ContainsFunc(l.Tags, func(id ID) bool {
		g := v.acc.tags().Get(id)
		return g == nil || g.UpdatedAt >= since
	}) || slices.ContainsFunc(l.Attributes, func(x AttributeValue) bool {
		d := v.acc.attributes().Get(x.Attribute)
		return d == nil || d.UpdatedAt >= since
	})
}

// checkOn names what is wrong with labels for a kind of record as the account stands.
func (p *LabelsPatch) checkOn(a *account, of Labelled) []Fault {
	var c checker
	a.checkTags(&c, of, p.Tags.Value, func(i int) Fault { return Fault{Pointer: "/tags/" + itoa(i)} })
	a.checkValues(&c, "/attributes", p.Attributes.Value)
	return c.faults
}

// checkTags names the tags that are of another scope than the kind of record takes.
func (a *account) checkTags(c *checker, of Labelled, tags []ID, at func(i int) Fault) {
	for i, id := range tags {
		if tag := a.tags().Get(id); tag != nil && tag.Scope != of.tagScope() {
			f := at(i)
			f.Code, f.Message = "scope", "is a tag of scope "+string(tag.Scope)+"; here tags of scope "+string(of.tagScope())+" can be linked"
			c.faults = append(c.faults, f)
		}
	}
}

// merged gives the labels that a patch makes of those that the record of an id has.
func (p *LabelsPatch) merged(a *account, kind Labelled, of ID, was Labels) (Labels, error) {
	n := a.alive(was)
	var err error
	if n.External, err = p.External.merged(n.External, of, kind.name(), kind.with(a)); err != nil {
		return n, err
	}
	if p.Tags.Set {
		tags, err := a.linked(nil, p.Tags.Value)
		if err != nil {
			return n, err
		}
		n.Tags = tags
	}
	switch {
	case p.Attributes.Null:
		n.Attributes = nil
	case p.Attributes.Set:
		if n.Attributes = a.withValues(n.Attributes, p.Attributes.Value); len(n.Attributes) > maxValues {
			return n, refuse(CodeConflict, "a record has values for at most %d attributes", maxValues)
		}
	}
	return n, nil
}

// dropGone takes out what names nothing any more.
func (l *Labels) dropGone(a *account) { *l = a.alive(*l) }

// alive are labels without what names nothing any more.
func (a *account) alive(l Labels) Labels {
	gone := func(id ID) bool { return a.tags().Get(id) == nil }
	if slices.ContainsFunc(l.Tags, gone) {
		l.Tags = slices.DeleteFunc(slices.Clone(l.Tags), gone)
	}
	l.Attributes = a.aliveValues(l.Attributes)
	return l
}

// linked adds tags to a list, each once.
func (a *account) linked(tags, more []ID) ([]ID, error) {
	tags = slices.Clip(tags)
	for _, id := range more {
		if a.tags().Get(id) == nil {
			return nil, notFound("tag")
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
	name() string
	zero() any // a pointer to a record, for reading one back
	// with finds the record that has an external id.
	with(a *account) func(external string) (ID, bool)
	// edit changes the labels of one record.
	edit(t *tx, id ID, ifMatch []uint64, change func(*Labels) error) (any, error)
	// sweep does a part of what is taken off all records; where there is more, it says with which it goes on.
	sweep(t *tx, p *sweptPart, s *sweeping) (next ID, more bool)
	resource() string
	all(a *account) iter.Seq[*Labels]
	// changed are the labels of a record of the kind before and after a change, nil where there is none; is says that it is of the kind.
	changed(c rowChange) (before, after *Labels, is bool)
}

// labelled lists the kinds that labels hang on.
var labelled []Labelled

// registerLabelled says which kinds labels hang on.
func registerLabelled(kinds ...Labelled) { labelled = append(labelled, kinds...) }

// labelledRow is a row that embeds Labels.
type labelledRow[R any] interface {
	revised[R]
	labels() *Labels
}

// labelledKind is a Labelled.
type labelledKind[R any, P labelledRow[R]] struct {
	kind       *kind[R]
	scope      TagScope
	byTag      int // number of the table's index by tag
	byExternal int // and by external id
}

func (k *labelledKind[R, P]) tagScope() TagScope { return k.scope }
func (k *labelledKind[R, P]) name() string       { return k.kind.name }
func (k *labelledKind[R, P]) zero() any          { return new(R) }
func (k *labelledKind[R, P]) resource() string   { return k.kind.resource }

func (k *labelledKind[R, P]) all(a *account) iter.Seq[*Labels] {
	return func(yield func(*Labels) bool) {
		for r := range k.kind.in(a).All() {
			if !yield(P(r).labels()) {
				return
			}
		}
	}
}

func (k *labelledKind[R, P]) changed(c rowChange) (before, after *Labels, is bool) {
	x, is := c.(*change[R])
	if !is {
		return nil, nil, false
	}
	if x.before != nil {
		before = P(x.before).labels()
	}
	if x.after != nil {
		after = P(x.after).labels()
	}
	return before, after, true
}

func (k *labelledKind[R, P]) with(a *account) func(external string) (ID, bool) {
	return k.kind.with(a, k.byExternal)
}

func (k *labelledKind[R, P]) edit(t *tx, id ID, ifMatch []uint64, change func(*Labels) error) (any, error) {
	r, err := found[R, P](t, k.kind, id, ifMatch)
	if err != nil {
		return nil, err
	}
	n := *r
	now := t.acc.alive(*P(r).labels())
	if err := change(&now); err != nil {
		return nil, err
	}
	*P(&n).labels() = now
	return revise[R, P](t, k.kind, r, n), nil
}

// LinkTags links tags to a record; one that is linked stays as it is. It answers with the record.
type LinkTags struct {
	To   Labelled
	ID   ID
	Tags []ID
}

func (o LinkTags) Check() []Fault {
	var c checker
	c.tagIDs(o.Tags, false)
	return c.faults
}

func (c *checker) tagIDs(tags []ID, inQuery bool) {
	f := Fault{Pointer: "/tagIds", Code: "length", Message: "must have 1 to 100 elements"}
	if inQuery {
		f.In, f.Pointer = "query", "tagIds"
	}
	if len(tags) < 1 || len(tags) > maxTags {
		c.faults = append(c.faults, f)
	}
}

func (o LinkTags) checkOn(a *account) []Fault {
	var c checker
	a.checkTags(&c, o.To, o.Tags, func(i int) Fault { return Fault{Pointer: "/tagIds/" + itoa(i)} })
	return c.faults
}

func (o LinkTags) plan(t *tx) (any, error) {
	return o.To.edit(t, o.ID, nil, func(l *Labels) (err error) {
		if l.Tags, err = t.acc.linked(l.Tags, o.Tags); err == nil && len(l.Tags) > maxTags {
			err = refuse(CodeConflict, "a record has at most %d tags", maxTags)
		}
		return err
	})
}

func (o LinkTags) result() any { return o.To.zero() }

// UnlinkTags takes tags off a record; one that is not linked is no fault, one that is not there is. It answers with nil.
type UnlinkTags struct {
	From    Labelled
	ID      ID
	IfMatch []uint64
	Tags    []ID
	InQuery bool // where the tags were named, for faults
}

func (o UnlinkTags) Check() []Fault {
	var c checker
	c.tagIDs(o.Tags, o.InQuery)
	return c.faults
}

func (o UnlinkTags) plan(t *tx) (any, error) {
	_, err := o.From.edit(t, o.ID, o.IfMatch, func(l *Labels) error {
		if _, err := t.acc.linked(nil, o.Tags); err != nil {
			return err
		}
		l.Tags = slices.DeleteFunc(slices.Clone(l.Tags), func(id ID) bool { return slices.Contains(o.Tags, id) })
		return nil
	})
	return nil, err
}

func (UnlinkTags) result() any { return new(any) }
