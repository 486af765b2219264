package api

import (
	"slices"

	"holdfast/engine"
)

// This file owns locations on the wire.

var addressShape = shapeOf("Address", addressFields(func(a *engine.Address) *engine.Address { return a })...)

var createLocationShape = shapeOf("CreateLocation", slices.Concat([]field[engine.CreateLocation]{
	required("name", text(1, 255), func(o *engine.CreateLocation) *string { return &o.Name }).says("What the location is called."),
	required("timezone", text(1, 255), func(o *engine.CreateLocation) *string { return &o.Timezone }).says("An IANA time zone name, such as Europe/Lisbon."),
	optional("address", object(addressShape), func(o *engine.CreateLocation) **engine.Address { return &o.Address }).says("Where the location is."),
}, externalFields(func(o *engine.CreateLocation) *engine.ExternalPatch { return &o.External }))...)

var patchLocationShape = shapeOf("PatchLocation", slices.Concat([]field[engine.PatchLocation]{
	merged("name", text(1, 255), false, func(o *engine.PatchLocation) *engine.Opt[string] { return &o.Name }).says("What the location is called."),
	merged("timezone", text(1, 255), false, func(o *engine.PatchLocation) *engine.Opt[string] { return &o.Timezone }).
		says("An IANA time zone name, such as Europe/Lisbon."),
	merged("address", object(shapeOf("Address", addressPatchFields(func(a *engine.AddressPatch) *engine.AddressPatch { return a })...)), true,
		func(o *engine.PatchLocation) *engine.Opt[engine.AddressPatch] { return &o.Address }).says("Where the location is; members that are not given stay."),
}, externalFields(func(o *engine.PatchLocation) *engine.ExternalPatch { return &o.External }))...)

var (
	addressSchema  = recordSchema("LocationAddress", addressMembers...)
	locationSchema = recordSchema("Location", slices.Concat([]Member{
		has("id", idSchema.says("The location's id.")),
		has("name", textSchema.says("What the location is called.")),
		has("address", addressSchema.orNull().says("Where the location is.")),
		has("timezone", textSchema.says("IANA name of the location's time zone, by which its days begin and end.")),
	}, externalMembers, []Member{has("createdAt", createdSchema), has("updatedAt", updatedSchema)})...)
)

func appendLocation(_ *request, b []byte, l *engine.Location) []byte {
	b = appendID(append(b, `{"id":`...), l.ID)
	b = appendText(append(b, `,"name":`...), l.Name)
	b = append(b, `,"address":`...)
	if a := l.Address; a == nil {
		b = append(b, "null"...)
	} else {
		b = append(appendAddress(append(b, '{'), a), '}')
	}
	b = appendText(append(b, `,"timezone":`...), l.Timezone)
	b = appendExternal(b, l.External)
	b = appendInstant(append(b, `,"createdAt":`...), engine.CreatedAt(l.ID))
	b = appendInstant(append(b, `,"updatedAt":`...), l.UpdatedAt)
	return append(b, '}')
}

// answerLocation answers with a location and its entity tag.
func answerLocation(q *request, l *engine.Location) error {
	if q.sameRevision(l.Revision) {
		return nil
	}
	q.out = appendLocation(q, q.out, l)
	return nil
}

var locationOperations = []operation{
	read(operation{
		id: "admin.locations.list", method: "GET", path: "/v1/admin/locations", scopes: []string{"locations.read"},
		summary: "Lists locations in order of creation.", answer: pagedSchema(locationSchema),
	}, input[externalPage]{query: externalQuery("the location")}, func(q *request, p *externalPage) error {
		if p.external != nil {
			one := found(q.view.LocationWith(*p.external))
			appendPage(q, p.page, len(one), func(i int) *engine.Location { return one[i] }, appendLocation)
			return nil
		}
		all := q.view.Locations()
		appendPage(q, p.page, all.Len(), all.At, appendLocation)
		return nil
	}),
	write(operation{
		id: "admin.locations.create", method: "POST", path: "/v1/admin/locations", scopes: []string{"locations.write"},
		summary: "Creates a location.", answer: locationSchema,
	}, input[engine.CreateLocation]{body: createLocationShape},
		func(_ *request, o *engine.CreateLocation) engine.Op { return o }, answerLocation),
	read(operation{
		id: "admin.locations.get", method: "GET", path: "/v1/admin/locations/{id}", scopes: []string{"locations.read"}, cached: true,
		summary: "Returns a location.", answer: locationSchema,
	}, input[engine.ID]{path: byUUID(func(id *engine.ID) *engine.ID { return id })}, func(q *request, id *engine.ID) error {
		l := q.view.Location(*id)
		if l == nil {
			return notFound("location")
		}
		return answerLocation(q, l)
	}),
	write(operation{
		id: "admin.locations.update", method: "PATCH", path: "/v1/admin/locations/{id}", scopes: []string{"locations.write"}, guarded: true,
		summary: "Changes a location; a new time zone is for what is made from then on; no hold moves.", answer: locationSchema,
	}, input[engine.PatchLocation]{path: byUUID(func(o *engine.PatchLocation) *engine.ID { return &o.ID }), body: patchLocationShape},
		func(q *request, o *engine.PatchLocation) engine.Op {
			o.IfMatch = q.ifMatch
			return o
		}, answerLocation),
	write(operation{
		id: "admin.locations.delete", method: "DELETE", path: "/v1/admin/locations/{id}", scopes: []string{"locations.write"}, guarded: true,
		summary: "Deletes a location at which there is and will be no stock, and for which no hold or event is that is not over.", answer: nullSchema,
	}, input[engine.DeleteLocation]{path: byUUID(func(o *engine.DeleteLocation) *engine.ID { return &o.ID })},
		func(q *request, o *engine.DeleteLocation) engine.Op {
			o.IfMatch = q.ifMatch
			return o
		}, answerNull),
}
