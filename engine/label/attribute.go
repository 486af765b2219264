package label

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/table"
)

// This file owns attributes: the fields that a merchant adds to records of many kinds. attribute_value.go owns the
// values.

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

// Words are those that a format can be.
func (AttributeFormat) Words() []string {
	return []string{string(FormatText), string(FormatNumber), string(FormatBoolean), string(FormatDate),
		string(FormatDatetime), string(FormatFormula),
		string(FormatSelect), string(FormatMultiselect), string(FormatSmartField)}
}

// Chosen says that values are chosen among options.
func (f AttributeFormat) Chosen() bool { return f == FormatSelect || f == FormatMultiselect }

// Attribute is an attribute's record. Its format never changes, as its values would have none.
type Attribute struct {
	ID base.ID
	AttributeFields
	Options []AttributeOption `json:",omitempty"`
	Group   *AttributeGroup   `json:",omitempty"`
	base.Stamp
}

// AttributeFields are the fields of an attribute that callers give, in addition to its options and group.
type AttributeFields struct {
	Name   string          `field:"name text 1..255 required" about:"What people call the attribute."`
	Key    string          `field:"key key 1..64 required" about:"The key under which programs find the attribute." given:"What values are given under: letters, digits, underscores, hyphens and dots; unique in the account."`
	Format AttributeFormat `field:"format word required fixed" about:"How its values are meant." made:"It never changes. formula and smart_field hold stored values, nothing is computed."`
}

// AttributeOption is one of the values to choose from. Values name it by id, so it can get another name.
type AttributeOption struct {
	ID   base.ID `field:"id id required" default:"new" about:"The option's id." given:"The id of an option that is there: it stays, with the name given. Without it, the option of that name stays, or a new one is made."`
	Name string  `field:"name text 1..255 required" about:"What people call the option."`
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
	maxOptions    = 250
)

// CreateAttribute makes an attribute.
type CreateAttribute struct {
	base.Answers[*Attribute]
	base.Adds
	AttributeFields
	Options []string // of a select or multiselect
	Group   *string
}

func (o CreateAttribute) Check(c *base.Checker) {
	base.CheckFields(c, "", &o.AttributeFields)
	checkOptions(c, o.Format, len(o.Options), func(i int) string { return o.Options[i] })
	c.Optional("/group", o.Group, 1, base.MaxName)
}

// checkOptions checks the names of an attribute's options.
func checkOptions(c *base.Checker, format AttributeFormat, n int, name func(int) string) {
	switch {
	case format == "": // what else is wrong hangs on it
	case !format.Chosen() && n > 0:
		c.Fault("/options", "forbidden", "only a select or multiselect has options")
	case format.Chosen() && (n < 1 || n > maxOptions):
		c.Fault("/options", "length", "must have 1 to 250 elements")
	case n > 0:
		seen := map[string]bool{}
		for i := range n {
			at := "/options/" + base.Itoa(i) + "/name"
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
	d := &Attribute{ID: t.NewID(), AttributeFields: o.AttributeFields, Stamp: t.Stamp()}
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

// PatchAttribute changes an attribute. An option is the one of its id, without one that of its name, else a new one.
// One that is not in a new list goes, and with it the values that chose it, in the same command and within the same
// bounds as a deleted tag; where there are any it is refused, unless Force says so.
type PatchAttribute struct {
	base.Answers[*Attribute]
	base.IfMatch
	ID      base.ID
	Fields  base.Changes[AttributeFields]
	Options base.Opt[[]AttributeOption]
	Group   base.Opt[string]
	Force   bool
}

func (o PatchAttribute) Check(c *base.Checker) {
	o.Fields.Check(c, "")
	c.PatchText("/group", o.Group, 1, base.MaxName)
}

func (o PatchAttribute) CheckOn(c *base.Checker, a *base.AccountState) {
	d := AttributeTable(a).Get(o.ID)
	if d == nil || !o.Options.Set {
		return
	}
	list := o.Options.Value
	checkOptions(c, d.Format, len(list), func(i int) string { return list[i].Name })
	seen := map[base.ID]bool{}
	for i, p := range list {
		if p.ID == (base.ID{}) {
			continue
		}
		at := "/options/" + base.Itoa(i) + "/id"
		if d.Option(p.ID) == nil {
			c.Fault(at, "unknown", "is the id of no option of this attribute")
		} else if seen[p.ID] {
			c.Fault(at, "duplicate", "is the id of an earlier option")
		}
		seen[p.ID] = true
	}
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

// Size is that of the sweep that it may begin.
func (o PatchAttribute) Size(a *base.AccountState) int { return sizeOfSweep(a) }

func (o PatchAttribute) PlanOn(t *base.Tx) (any, error) {
	d, err := base.Found(t, AttributeKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *d
	n.AttributeFields = o.Fields.Of(d.AttributeFields)
	if err := keyFree(t.Acc, n.Key, d.ID); err != nil {
		return nil, err
	}
	if o.Group.Set {
		n.Group = nil
		if !o.Group.Null {
			n.Group = group(t, o.Group.Value)
		}
	}
	if len(o.Options.Value) > 0 { // none are of one that has none
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

// newOptions are the options of a patch, with the ids of those that an attribute has.
func newOptions(t *base.Tx, d *Attribute, list []AttributeOption) []AttributeOption {
	options := slices.Clone(list)
	for i := range options {
		o := &options[i]
		if o.ID != (base.ID{}) {
			continue
		}
		same := slices.IndexFunc(d.Options, func(x AttributeOption) bool {
			return x.Name == o.Name && !slices.ContainsFunc(list, func(p AttributeOption) bool { return p.ID == x.ID })
		})
		if same >= 0 {
			o.ID = d.Options[same].ID
		} else {
			o.ID = t.NewID()
		}
	}
	return options
}

// DeleteAttribute removes an attribute and its values from every record, as a deleted tag is
// taken off; where there are any it is refused, unless Force says so.
type DeleteAttribute struct {
	base.Answers[any]
	base.IfMatch
	ID    base.ID
	Force bool
}

// Size is that of the sweep.
func (o DeleteAttribute) Size(a *base.AccountState) int { return sizeOfSweep(a) }

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
