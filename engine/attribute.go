package engine

import (
	"slices"

	"holdfast/engine/table"
)

// This file owns attributes: the fields that a merchant adds to records of many kinds. attribute_value.go owns the values.

// AttributeFormat is what the values of an attribute are.
type AttributeFormat string

// A formula and a smart field hold what is stored in them: nothing is computed.
const (
	FormatText        AttributeFormat = "text"
	FormatNumber      AttributeFormat = "number"
	FormatBoolean     AttributeFormat = "boolean"
	FormatDate        AttributeFormat = "date"
	FormatDatetime    AttributeFormat = "datetime"
	FormatFormula     AttributeFormat = "formula"
	FormatSelect      AttributeFormat = "select"
	FormatMultiselect AttributeFormat = "multiselect"
	FormatSmartField  AttributeFormat = "smart_field"
)

// Chosen says that values are chosen among options.
func (f AttributeFormat) Chosen() bool { return f == FormatSelect || f == FormatMultiselect }

// Attribute is an attribute's record. Its format never changes, as its values would have none.
type Attribute struct {
	ID        ID
	Name      string
	Key       string // unique in the account: what values are given under
	Format    AttributeFormat
	Options   []AttributeOption `json:",omitempty"`
	Group     *AttributeGroup   `json:",omitempty"`
	UpdatedAt int64
	Revision  uint64
}

func (d *Attribute) revision() uint64 { return d.Revision }
func (d *Attribute) touch(now int64)  { d.UpdatedAt, d.Revision = now, d.Revision+1 }

// AttributeOption is one of the values to choose from. Values name it by id, so it can get another name.
type AttributeOption struct {
	ID   ID
	Name string
}

// AttributeGroup is a heading that attributes share. It is there as long as an attribute names it.
type AttributeGroup struct {
	ID   ID
	Name string
}

const (
	attributeByKey = iota
	attributeByGroup
)

var attributeKind = rowsOf(tagAttribute, "attribute", func(d *Attribute) ID { return d.ID },
	table.By(func(d *Attribute) []string { return []string{d.Key} }),
	table.By(func(d *Attribute) []string {
		if d.Group == nil {
			return nil
		}
		return []string{d.Group.Name}
	}))

func (a *account) attributes() *table.Table[Attribute] { return tableOf[Attribute](a, tagAttribute) }

const (
	maxAttributes = 1000 // of an account
	maxKey        = 64
	maxOptions    = 250
)

// CreateAttribute makes an attribute. It answers with the *Attribute.
type CreateAttribute struct {
	Name    string
	Key     string
	Format  AttributeFormat
	Options []string // of a select or multiselect
	Group   *string
}

func (o CreateAttribute) Check() []Fault {
	var c checker
	c.text("/name", o.Name, 1, maxName)
	c.key("/key", o.Key)
	c.oneOf("/format", string(o.Format), string(FormatText), string(FormatNumber), string(FormatBoolean), string(FormatDate), string(FormatDatetime),
		string(FormatFormula), string(FormatSelect), string(FormatMultiselect), string(FormatSmartField))
	c.options("/options", o.Format, len(o.Options), func(i int) string { return o.Options[i] })
	c.optional("/group", o.Group, 1, maxName)
	return c.faults
}

// key checks the name under which values are given: one that is fit to be a member of an object in any language.
func (c *checker) key(pointer, key string) {
	c.text(pointer, key, 1, maxKey)
	for _, r := range key {
		if (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') && r != '_' && r != '-' && r != '.' {
			c.fault(pointer, "format", "must be of letters, digits, underscores, hyphens and dots")
			return
		}
	}
}

// options checks the names of an attribute's options.
func (c *checker) options(pointer string, format AttributeFormat, n int, name func(int) string) {
	switch {
	case !format.Chosen() && n > 0:
		c.fault(pointer, "forbidden", "only a select or multiselect has options")
	case format.Chosen() && (n < 1 || n > maxOptions):
		c.fault(pointer, "length", "must have 1 to 250 elements")
	case n > 0:
		seen := map[string]bool{}
		for i := range n {
			at := pointer + "/" + itoa(i) + "/name"
			c.text(at, name(i), 1, maxName)
			if seen[name(i)] {
				c.fault(at, "duplicate", "is the name of an earlier option")
			}
			seen[name(i)] = true
		}
	}
}

func (o CreateAttribute) plan(t *tx) (any, error) {
	if err := t.acc.keyFree(o.Key, ID{}); err != nil {
		return nil, err
	}
	if t.acc.attributes().Len() >= maxAttributes {
		return nil, refuse(CodeConflict, "an account has at most %d attributes", maxAttributes)
	}
	d := &Attribute{ID: t.newID(), Name: o.Name, Key: o.Key, Format: o.Format, UpdatedAt: t.now, Revision: 1}
	for _, name := range o.Options {
		d.Options = append(d.Options, AttributeOption{t.newID(), name})
	}
	if o.Group != nil {
		d.Group = t.group(*o.Group)
	}
	record(t, attributeKind, nil, d)
	return d, nil
}

func (CreateAttribute) result() any { return new(Attribute) }

func (a *account) keyFree(key string, of ID) error {
	if d := a.attributes().First(attributeByKey, key); d != nil && d.ID != of {
		return refuse(CodeConflict, "another attribute has the key %q", key)
	}
	return nil
}

// group is the group of a name: that of other attributes, or a new one.
func (t *tx) group(name string) *AttributeGroup {
	if d := t.acc.attributes().First(attributeByGroup, name); d != nil {
		return d.Group
	}
	return &AttributeGroup{t.newID(), name}
}

// OptionPatch is an option as it is to be: with an id it is the option of that id, else the one of that name, else a new one.
type OptionPatch struct {
	ID   *ID
	Name string
}

// PatchAttribute changes an attribute. An option that is not in a new list goes, and with it the values that chose it, in
// the same command and within the same bounds as a deleted tag; where there are any it is refused, unless Force says so. It answers
// with the *Attribute.
type PatchAttribute struct {
	ID      ID
	IfMatch []uint64
	Name    Opt[string]
	Key     Opt[string]
	Options Opt[[]OptionPatch]
	Group   Opt[string]
	Force   bool
}

func (o PatchAttribute) Check() []Fault {
	var c checker
	c.patchName("/name", o.Name)
	if o.Key.Set {
		c.key("/key", o.Key.Value)
	}
	c.patchText("/group", o.Group, 1, maxName)
	return c.faults
}

func (o PatchAttribute) checkOn(a *account) []Fault {
	d := a.attributes().Get(o.ID)
	if d == nil || !o.Options.Set {
		return nil
	}
	var c checker
	list := o.Options.Value
	c.options("/options", d.Format, len(list), func(i int) string { return list[i].Name })
	seen := map[ID]bool{}
	for i, p := range list {
		if p.ID == nil {
			continue
		}
		at := "/options/" + itoa(i) + "/id"
		if d.option(*p.ID) == nil {
			c.fault(at, "unknown", "is the id of no option of this attribute")
		} else if seen[*p.ID] {
			c.fault(at, "duplicate", "is the id of an earlier option")
		}
		seen[*p.ID] = true
	}
	return c.faults
}

// option finds one of the options, nil if there is none.
func (d *Attribute) option(id ID) *AttributeOption {
	for i := range d.Options {
		if d.Options[i].ID == id {
			return &d.Options[i]
		}
	}
	return nil
}

func (o PatchAttribute) plan(t *tx) (any, error) {
	d, err := found(t, attributeKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *d
	if o.Name.Set {
		n.Name = o.Name.Value
	}
	if o.Key.Set {
		if err := t.acc.keyFree(o.Key.Value, d.ID); err != nil {
			return nil, err
		}
		n.Key = o.Key.Value
	}
	if o.Group.Set {
		n.Group = nil
		if !o.Group.Null {
			n.Group = t.group(o.Group.Value)
		}
	}
	if o.Options.Set {
		n.Options = t.options(d, o.Options.Value)
	}
	goes := slices.ContainsFunc(d.Options, func(x AttributeOption) bool { return n.option(x.ID) == nil })
	if goes && !o.Force {
		if err := t.acc.unvalued(&n); err != nil {
			return nil, err
		}
	}
	next := revise(t, attributeKind, d, n)
	if goes {
		t.sweepValues(next)
	}
	return next, nil
}

// options makes the options of a patch of those that an attribute has.
func (t *tx) options(d *Attribute, list []OptionPatch) []AttributeOption {
	named := map[ID]bool{}
	for _, p := range list {
		if p.ID != nil {
			named[*p.ID] = true
		}
	}
	options := make([]AttributeOption, len(list))
	for i, p := range list {
		options[i].Name = p.Name
		if p.ID != nil {
			options[i].ID = *p.ID
			continue
		}
		same := slices.IndexFunc(d.Options, func(x AttributeOption) bool { return x.Name == p.Name && !named[x.ID] })
		if same >= 0 {
			options[i].ID = d.Options[same].ID
		} else {
			options[i].ID = t.newID()
		}
	}
	return options
}

func (PatchAttribute) result() any { return new(Attribute) }

// DeleteAttribute removes an attribute and its values from every record, as a deleted tag is
// taken off; where there are any it is refused, unless Force says so. It answers with nil.
type DeleteAttribute struct {
	ID      ID
	IfMatch []uint64
	Force   bool
}

func (DeleteAttribute) Check() []Fault { return nil }

func (o DeleteAttribute) plan(t *tx) (any, error) {
	d, err := found(t, attributeKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if !o.Force {
		if err := t.acc.unvalued(&Attribute{ID: d.ID}); err != nil {
			return nil, err
		}
	}
	record(t, attributeKind, d, nil)
	t.sweepValues(&Attribute{ID: d.ID})
	return nil, nil
}

func (DeleteAttribute) result() any { return new(any) }

// Attribute returns an attribute, or nil.
func (v View) Attribute(id ID) *Attribute { return v.acc.attributes().Get(id) }

// Attributes lists the account's attributes in order of creation.
func (v View) Attributes() *table.Table[Attribute] { return v.acc.attributes() }
