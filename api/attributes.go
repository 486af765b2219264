package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/label"
)

// This file owns attributes on the wire; attribute_values.go owns their values.

var attributeFormat = wire.Words[label.AttributeFormat]()

var createAttributeShape = wire.ShapeOf("CreateAttribute", append(
	wire.MadeOf(func(o *label.CreateAttribute) *label.AttributeFields { return &o.AttributeFields }),
	wire.Defaulted("options", wire.ListOf(optionName, 0, 250), nil,
		func(o *label.CreateAttribute) *[]string { return &o.Options }).
		Says("The values of a select or multiselect."),
	wire.Optional("group", wire.Text(1, base.MaxName), func(o *label.CreateAttribute) **string { return &o.Group }).
		Says("The name of its group."))...)

// optionName is an option as it is made: an object with its name.
var optionName = wire.Object(wire.ShapeOf("NewAttributeOption",
	wire.Required("name", wire.Text(1, base.MaxName), func(s *string) *string { return s }).
		Says("What people call the option.")))

var patchAttributeShape = wire.ShapeOf("PatchAttribute", append(
	wire.ChangedBy(func(o *label.PatchAttribute) *base.Changes[label.AttributeFields] { return &o.Fields }),
	wire.Merged("options", wire.ListOf(wire.ObjectOf[label.AttributeOption]("PatchAttributeOption"), 0, 250), true,
		func(o *label.PatchAttribute) *base.Opt[[]label.AttributeOption] { return &o.Options }).
		Says("All options. One that is not named is deleted, and with it the values that chose it. [] and null "+
			"are for an attribute that has none."),
	wire.Merged("group", wire.Text(1, base.MaxName), true,
		func(o *label.PatchAttribute) *base.Opt[string] { return &o.Group }).
		Says("The name of its group."),
	wire.Flag("force", func(o *label.PatchAttribute) *bool { return &o.Force }).Says(aboutValuesGo))...)

var deleteAttributeQuery = wire.ShapeOf("DeleteAttribute",
	wire.Flag("force", func(o *label.DeleteAttribute) *bool { return &o.Force }).Says(aboutValuesGo))

const aboutValuesGo = "Removes values from records. Without it, a change that would do so is refused with 409 " +
	"IN_USE, and details says how many records have some."

var (
	systemGroupSchema = systemGroups.Schema.OrNull()
	attributeSchema   = describe("Attribute", (*scribe).writeAttribute)
)

func (w *scribe) writeAttribute(d *label.Attribute) {
	w.ID("id", d.ID, "The record's id.")
	wire.WriteFields(&w.Writer, &d.AttributeFields)
	wire.List(&w.Writer, "options", "AttributeOption", d.Options, "What can be chosen, of select and multiselect.",
		wire.Fields[label.AttributeOption](&w.Writer))
	w.attributeGroup(d)
	w.Created(d.ID)
	w.Updated(d.UpdatedAt)
}

// attributeGroup writes the group of an attribute.
func (w *scribe) attributeGroup(d *label.Attribute) {
	g := d.Group
	if g == nil {
		g = &noGroup
	}
	w.GivenID("groupId", g.ID, "The id of the group that the attribute is shown in; null without one.")
	w.GivenText("groupName", g.Name, "The group that the attribute is shown in.")
	w.Key("systemGroup", systemGroupSchema, "Always null: an account's attributes are in no built-in group.")
	w.Nil()
}

var noGroup label.AttributeGroup

var answerAttribute = answers((*scribe).writeAttribute)

var (
	attributesRead  = []string{"inventory.attributes.read"}
	attributesWrite = []string{"inventory.attributes.write"}
)

var attributeOperations = []operation{
	read(operation{
		id: "admin.attributes.list", method: "GET", path: "/v1/admin/attributes", scopes: attributesRead,
		summary: "Lists attributes in order of creation.", answer: pagedSchema(attributeSchema),
	}, input[page]{query: listQuery}, func(q *request, p *page) error {
		all := label.Attributes(q.view)
		appendPage(q, *p, all.Len(), all.At, (*scribe).writeAttribute)
		return nil
	}),
	write(operation{
		id: "admin.attributes.create", method: "POST", path: "/v1/admin/attributes", scopes: attributesWrite,
		summary: "Creates an attribute, for values on articles, SKUs, customers and catalog items.",
		answer:  attributeSchema,
	}, input[label.CreateAttribute]{body: createAttributeShape}, asIs, answerAttribute),
	readOne(operation{
		id: "admin.attributes.get", method: "GET", path: "/v1/admin/attributes/{id}", scopes: attributesRead,
		cached: true, summary: "Returns an attribute.", answer: attributeSchema,
	}, byUUID(itself), "attribute", label.AttributeByID, answerAttribute),
	write(operation{
		id: "admin.attributes.update", method: "PATCH", path: "/v1/admin/attributes/{id}", scopes: attributesWrite,
		summary: "Changes an attribute. Values stay, except those that chose a deleted option: that takes force.",
		answer:  attributeSchema,
	}, input[label.PatchAttribute]{path: byUUID(func(o *label.PatchAttribute) *base.ID { return &o.ID }),
		body: patchAttributeShape}, asIs, answerAttribute),
	removal(operation{
		id: "admin.attributes.delete", path: "/v1/admin/attributes/{id}", scopes: attributesWrite,
		summary: "Deletes an attribute and its values on every record; where there are any it takes force.",
	}, input[label.DeleteAttribute]{path: byUUID(func(o *label.DeleteAttribute) *base.ID { return &o.ID }),
		query: deleteAttributeQuery}),
}
