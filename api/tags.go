package api

import (
	"maps"
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/label"
)

// This file owns tags on the wire, and how they are linked to records and unlinked.

// tagScopes are the areas of the keys' scopes by the scope of a tag.
var tagScopes = map[label.TagScope]string{
	label.TagInventory: "inventory.stock_items", label.TagCatalog: "catalog.listings",
	label.TagCustomers: "customers", label.TagOrders: "orders.details",
}

var tagScope = wire.Words[label.TagScope]()

// listTags is a page of tags, or of those that are asked for.
type listTags struct {
	scopes []label.TagScope
	search string
	page   page
}

var (
	tagsRead  = []string{"inventory.stock_items.read", "catalog.listings.read", "customers.read", "orders.details.read"}
	tagsWrite = []string{"inventory.stock_items.write", "catalog.listings.write", "customers.write",
		"orders.details.write"}
)

var createTagShape = wire.ShapeOf("CreateTag",
	wire.MadeOf(func(o *label.CreateTag) *label.TagFields { return &o.TagFields })...)

var patchTagShape = wire.ShapeOf("PatchTag",
	wire.ChangedBy(func(o *label.PatchTag) *base.Changes[label.TagFields] { return &o.Fields })...)

var (
	tagSchema     = describe("Tag", (*scribe).writeTag)
	tagListSchema = wire.ListSchema(tagSchema)
)

func (w *scribe) writeTag(g *label.Tag) {
	w.TextID("id", g.ID, "The tag's id.")
	wire.WriteFields(&w.Writer, &g.TagFields)
	w.Created(g.ID)
	w.Updated(g.UpdatedAt)
}

// tags is the tags linked to a record; one that was deleted is no more.
func (w *scribe) tags(l *label.Labels, about string) {
	w.Key("tags", tagListSchema, about)
	w.Out = append(w.Out, '[')
	for _, id := range l.Tags {
		if g := label.TagByID(w.view, id); g != nil {
			w.Next()
			appendRecord(w, g, (*scribe).writeTag)
		}
	}
	w.Out = append(w.Out, ']')
}

var answerTag = answers((*scribe).writeTag)

// needTag says that the request needs the write scope of a tag's own scope. Where there is no such tag, the command
// says so.
func (q *request) needTag(id base.ID) {
	if g := label.TagByID(q.view, id); g != nil {
		q.need(tagScopes[g.Scope] + ".write")
	}
}

var tagOperations = []operation{
	read(operation{
		id: "admin.tags.list", method: "GET", path: "/v1/admin/tags", scopes: tagsRead,
		summary: "Lists tags in order of creation: those of the scopes that the key may read.",
		answer:  pagedSchema(tagSchema),
	}, input[listTags]{query: wire.ShapeOf("ListTags", append(pageFields(func(o *listTags) *page { return &o.page }),
		wire.Defaulted("scope", wire.ListOf(tagScope, 1, len(tagScopes)), nil,
			func(o *listTags) *[]label.TagScope { return &o.scopes }).
			Says("Only tags of these scopes. Default: of all that the key may read."),
		searchFilter("the text", func(o *listTags) *string { return &o.search }))...)}, func(q *request,
		o *listTags) error {
		scopes := o.scopes
		if scopes == nil {
			scopes = slices.Collect(maps.Keys(tagScopes))
		}
		scopes = slices.DeleteFunc(slices.Clone(scopes),
			func(s label.TagScope) bool { return !q.may(tagScopes[s] + ".read") })
		tags, total := label.FindTags(q.view, &base.RecordQuery{Search: o.search}, scopes, o.page.part())
		appendRows(q, o.page, tags, total, (*scribe).writeTag)
		return nil
	}),
	write(operation{
		id: "admin.tags.create", method: "POST", path: "/v1/admin/tags", scopes: tagsWrite,
		summary: "Creates a tag; the key needs the write scope that goes with the tag's scope.", answer: tagSchema,
	}, input[label.CreateTag]{body: createTagShape}, func(q *request, o *label.CreateTag) base.OpOf[*label.Tag] {
		if area := tagScopes[o.Scope]; area != "" {
			q.need(area + ".write")
		}
		return o
	}, answerTag),
	write(operation{
		id: "admin.tags.update", method: "PATCH", path: "/v1/admin/tags/{id}", scopes: tagsWrite,
		summary: "Changes a tag's value, wherever it is linked; the key needs the write scope that goes with the " +
			"tag's scope.", answer: tagSchema,
	}, input[label.PatchTag]{path: byID(func(o *label.PatchTag) *base.ID { return &o.ID }), body: patchTagShape},
		func(q *request, o *label.PatchTag) base.OpOf[*label.Tag] {
			q.needTag(o.ID)
			return o
		}, answerTag),
	write(operation{
		id: "admin.tags.delete", method: "DELETE", path: "/v1/admin/tags/{id}", scopes: tagsWrite,
		summary: "Deletes a tag and takes it off every record; the key needs the write scope that goes with the " +
			"tag's scope.", answer: wire.NullSchema,
	}, input[label.DeleteTag]{path: byID(func(o *label.DeleteTag) *base.ID { return &o.ID })},
		func(q *request, o *label.DeleteTag) base.OpOf[any] {
			q.needTag(o.ID)
			return o
		}, answerNull),
}

// tagsField is the tags of a record that is made or changed.
func tagsField[In any](at func(*In) *label.LabelsPatch) wire.Field[In] {
	return wire.Merged("tags", wire.ListOf(wire.LooseID, 0, 100), true,
		func(in *In) *base.Opt[[]base.ID] { return &at(in).Tags }).
		Says("Ids of tags; the list replaces what is linked.")
}

// unlinkTags is UnlinkTags with the tags as they come in: from the query, the body, or both alike.
type unlinkTags struct {
	label.UnlinkTags
	query, body []base.ID
}

// given gives the ids, from the query or the body.
func (q *request) given(o *unlinkTags) []base.ID {
	tell := func(in, pointer, code, message string) {
		if !q.faults.At(pointer) {
			q.fault(in, pointer, code, message)
		}
	}
	switch {
	case o.query == nil && o.body == nil:
		if !q.json.Dead && !q.faults.At("tagIds") {
			tell("body", "/tagIds", wire.FaultRequired, "is missing, here and in the query")
		}
	case o.query != nil && o.body != nil && !sameIDs(o.query, o.body):
		tell("query", "tagIds", wire.FaultExclusive, "differs from the body's")
	}
	if q.inQuery = o.query != nil; q.inQuery {
		return o.query
	}
	return o.body
}

func sameIDs(a, b []base.ID) bool {
	sorted := func(ids []base.ID) []base.ID {
		ids = slices.SortedFunc(slices.Values(ids), base.ID.Compare)
		return slices.Compact(ids)
	}
	return slices.Equal(sorted(a), sorted(b))
}

// tagged is a kind of record that tags are linked to.
type tagged[R any] struct {
	of     label.Labelled
	about  string // its name in the document, with the article
	area   string // of operation ids
	path   string // of the list
	id     wire.Kind[base.ID]
	scopes []string
	answer *wire.Schema
	render func(*request, R) error
}

// linkTags is LinkTags to a record that is an R.
type linkTags[R any] struct {
	base.Answers[R]
	label.LinkTags
}

func (o linkTags[R]) Check(c *base.Checker) { o.LinkTags.Check(c) }

// linkOperations are the two that link tags to records and unlink them.
func (r tagged[R]) linkOperations() []operation {
	return []operation{
		write(operation{
			id: "admin." + r.area + ".linkTags", method: "POST", path: r.path + "/{id}/tags", scopes: r.scopes,
			answer:  r.answer,
			summary: "Links tags to " + r.about + "; a tag that is linked already stays.",
		}, input[linkTags[R]]{
			path: byIDOf(r.id, func(o *linkTags[R]) *base.ID { return &o.ID }),
			body: wire.ShapeOf("LinkTags", wire.Required("tagIds", wire.ListOf(wire.LooseID, 1, 100),
				func(o *linkTags[R]) *[]base.ID { return &o.Tags }).Says("Ids of the tags.")),
		}, func(_ *request, o *linkTags[R]) base.OpOf[R] {
			o.To = r.of
			return o
		}, r.render),
		write(operation{
			id: "admin." + r.area + ".unlinkTags", method: "DELETE", path: r.path + "/{id}/tags", scopes: r.scopes,
			answer: wire.NullSchema,
			summary: "Unlinks tags from " + r.about +
				"; the tags themselves stay. A tag that is not linked is ignored; a tag that does not exist is " +
				"refused with 404.",
		}, input[unlinkTags]{
			path: byIDOf(r.id, func(o *unlinkTags) *base.ID { return &o.ID }),
			query: wire.ShapeOf("TagIDs", wire.Defaulted("tagIds", wire.Commas(wire.ListOf(wire.LooseID, 1, 100)), nil,
				func(o *unlinkTags) *[]base.ID { return &o.query }).
				Says("Repeated, or with commas between; here or in the body.")),
			body: wire.ShapeOf("TagIDs", wire.Defaulted("tagIds", wire.ListOf(wire.LooseID, 1, 100), nil,
				func(o *unlinkTags) *[]base.ID { return &o.body }).
				Says("Here or in the query.")),
		}, func(q *request, o *unlinkTags) base.OpOf[any] {
			o.From, o.Tags = r.of, q.given(o)
			return o
		}, answerNull),
	}
}
