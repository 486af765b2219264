package label

import (
	"slices"

	"holdfast/engine/base"
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
	ID        base.ID
	Name      string
	Key       string // unique in the account: what values are given under
	Format    AttributeFormat
	Options   []AttributeOption `json:",omitempty"`
	Group     *AttributeGroup   `json:",omitempty"`
	UpdatedAt int64
	Revision  uint64
}

func (d *Attribute) Rev() uint64     { return d.Revision }
func (d *Attribute) Touch(now int64) { d.UpdatedAt, d.Revision = now, d.Revision+1 }

// AttributeOption is one of the values to choose from. Values name it by id, so it can get another name.
type AttributeOption struct {
	ID   base.ID
	Name string
}

// AttributeGroup is a heading that attributes share. It is there as long as an attribute names it.
type AttributeGroup struct {
	ID   base.ID
	Name string
}

const (
	attributeByKey = iota
	attributeByGroup
)

var AttributeKind = base.RowsOf(base.TagAttribute, "attribute", func(d *Attribute) base.ID { return d.ID },
	table.By(func(d *Attribute) []string { return []string{d.Key} }),
	table.By(func(d *Attribute) []string {
		if d.Group == nil {
			return nil
		}
		return []string{d.Group.Name}
	}))

// AttributeTable are all attributes of an account.
func AttributeTable(a *base.AccountState) *table.Table[Attribute] {
	return base.TableOf[Attribute](a, base.TagAttribute)
}

const (
	maxAttributes = 1000 // of an account
	maxKey        = 64
	maxOptions    = 250
)

// CreateAttribute makes an attribute.
type CreateAttribute struct {
	base.Answers[*Attribute]
	base.Adds
	Name    string
	Key     string
	Format  AttributeFormat
	Options []string // of a select or multiselect
	Group   *string
}

func (o CreateAttribute) Check() []base.Fault {
	var c base.Checker
	c.Text("/name", o.Name, 1, base.MaxName)
	key(&c, "/key", o.Key)
	c.OneOf("/format", string(o.Format), string(FormatText), string(FormatNumber), string(FormatBoolean), string(FormatDate), string(FormatDatetime),
		string(FormatFormula), string(FormatSelect), string(FormatMultiselect), string(FormatSmartField))
	checkOptions(&c, "/options", o.Format, len(o.Options), func(i int) string { return o.Options[i] })
	c.Optional("/group", o.Group, 1, base.MaxName)
	return c.Faults
}

// key checks the name under which values are given: one that is fit to be a member of an object in any language.
func key(c *base.Checker, pointer, key string) {
	c.Text(pointer, key, 1, maxKey)
	for _, r := range key {
		if (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') && r != '_' && r != '-' && r != '.' {
			c.Fault(pointer, "format", "must be of letters, digits, underscores, hyphens and dots")
			return
		}
	}
}

// checkOptions checks the names of an attribute's options.
func checkOptions(c *base.Checker, pointer string, format AttributeFormat, n int, name func(int) string) {
	switch {
	case !format.Chosen() && n > 0:
		c.Fault(pointer, "forbidden", "only a select or multiselect has options")
	case format.Chosen() && (n < 1 || n > maxOptions):
		c.Fault(pointer, "length", "must have 1 to 250 elements")
	case n > 0:
		seen := map[string]bool{}
		for i := range n {
			at := pointer + "/" + base.Itoa(i) + "/name"
			c.Text(at, name(i), 1, base.MaxName)
			if seen[name(i)] {
				c.Fault(at, "duplicate", "is the name of an earlier option")
			}
			seen[name(i)] = true
		}
	}
}

func (o CreateAttribute) PlanOn(t *base.Tx) (any, error) {
	if err := keyFree(t.Acc, o.Key, base.ID{}); err != nil {
		return nil, err
	}
	if AttributeTable(t.Acc).Len() >= maxAttributes {
		return nil, base.Refuse(base.CodeConflict, "an account has at most %d attributes", maxAttributes)
	}
	d := &Attribute{ID: t.NewID(), Name: o.Name, Key: o.Key, Format: o.Format, UpdatedAt: t.Now, Revision: 1}
	for _, name := range o.Options {
		d.Options = append(d.Options, AttributeOption{t.NewID(), name})
	}
	if o.Group != nil {
		d.Group = group(t, *o.Group)
	}
	base.Record(t, AttributeKind, nil, d)
	return d, nil
}

func keyFree(a *base.AccountState, key string, of base.ID) error {
	if d := AttributeTable(a).First(attributeByKey, key); d != nil && d.ID != of {
		return base.Refuse(base.CodeConflict, "another attribute has the key %q", key)
	}
	return nil
}

// group is the group of a name: that of other attributes, or a new one.
func group(t *base.Tx, name string) *AttributeGroup {
	if d := AttributeTable(t.Acc).First(attributeByGroup, name); d != nil {
		return d.Group
	}
	return &AttributeGroup{t.NewID(), name}
}

// OptionPatch is an option as it is to be: with an id it is the option of that id, else the one of that name, else a new one.
type OptionPatch struct {
	ID   *base.ID
	Name string
}

// PatchAttribute changes an attribute. An option that is not in a new list goes, and with it the values that chose it, in
// the same command and within the same bounds as a deleted tag; where there are any it is refused, unless Force says so.
type PatchAttribute struct {
	base.Answers[*Attribute]
	ID      base.ID
	IfMatch []uint64
	Name    base.Opt[string]
	Key     base.Opt[string]
	Options base.Opt[[]OptionPatch]
	Group   base.Opt[string]
	Force   bool
}

func (o PatchAttribute) Check() []base.Fault {
	var c base.Checker
	c.PatchName("/name", o.Name)
	if o.Key.Set {
		key(&c, "/key", o.Key.Value)
	}
	c.PatchText("/group", o.Group, 1, base.MaxName)
	return c.Faults
}

func (o PatchAttribute) CheckOn(a *base.AccountState) []base.Fault {
	d := AttributeTable(a).Get(o.ID)
	if d == nil || !o.Options.Set {
		return nil
	}
	var c base.Checker
	list := o.Options.Value
	checkOptions(&c, "/options", d.Format, len(list), func(i int) string { return list[i].Name })
	seen := map[base.ID]bool{}
	for i, p := range list {
		if p.ID == nil {
			continue
		}
		at := "/options/" + base.Itoa(i) + "/id"
		if d.Option(*p.ID) == nil {
			c.Fault(at, "unknown", "is the id of no option of this attribute")
		} else if seen[*p.ID] {
			c.Fault(at, "duplicate", "is the id of an earlier option")
		}
		seen[*p.ID] = true
	}
	return c.Faults
}

// Option finds one of the options, nil if there is none.
func (d *Attribute) Option(id base.ID) *AttributeOption {
	for i := range d.Options {
		if d.Options[i].ID == id {
			return &d.Options[i]
		}
	}
	return nil
}

func (o PatchAttribute) PlanOn(t *base.Tx) (any, error) {
	d, err := base.Found(t, AttributeKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *d
	if o.Name.Set {
		n.Name = o.Name.Value
	}
	if o.Key.Set {
		if err := keyFree(t.Acc, o.Key.Value, d.ID); err != nil {
			return nil, err
		}
		n.Key = o.Key.Value
	}
	if o.Group.Set {
		n.Group = nil
		if !o.Group.Null {
			n.Group = group(t, o.Group.Value)
		}
	}
	if o.Options.Set {
		n.Options = newOptions(t, d, o.Options.Value)
	}
	goes := slices.ContainsFunc(d.Options, func(x AttributeOption) bool { return n.Option(x.ID) == nil })
	if goes && !o.Force {
		if err := unvalued(t.Acc, &n); err != nil {
			return nil, err
		}
	}
	next := base.Revise(t, AttributeKind, d, n)
	if goes {
		sweepValues(t, next)
	}
	return next, nil
}

// newOptions makes the options of a patch of those that an attribute has.
func newOptions(t *base.Tx, d *Attribute, list []OptionPatch) []AttributeOption {
	named := map[base.ID]bool{}
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
			options[i].ID = t.NewID()
		}
	}
	return options
}

// DeleteAttribute removes an attribute and its values from every record, as a deleted tag is
// taken off; where there are any it is refused, unless Force says so.
type DeleteAttribute struct {
	base.Answers[any]
	ID      base.ID
	IfMatch []uint64
	Force   bool
}

func (DeleteAttribute) Check() []base.Fault { return nil }

func (o DeleteAttribute) PlanOn(t *base.Tx) (any, error) {
	d, err := base.Found(t, AttributeKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if !o.Force {
		if err := unvalued(t.Acc, &Attribute{ID: d.ID}); err != nil {
			return nil, err
		}
	}
	base.Record(t, AttributeKind, d, nil)
	sweepValues(t, &Attribute{ID: d.ID})
	return nil, nil
}

// AttributeByID returns an attribute, or nil.
func AttributeByID(v base.View, id base.ID) *Attribute { return AttributeTable(v.Acc).Get(id) }

// Attributes lists the account's attributes in order of creation.
func Attributes(v base.View) *table.Table[Attribute] { return AttributeTable(v.Acc) }
