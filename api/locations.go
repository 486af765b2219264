package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

// This file owns locations on the wire.

var createLocationShape = wire.ShapeOf("CreateLocation", append(
	wire.MadeOf(func(o *stock.CreateLocation) *stock.LocationFields { return &o.LocationFields }),
	externalFields(func(o *stock.CreateLocation) *label.ExternalPatch { return &o.External })...)...)

var patchLocationShape = wire.ShapeOf("PatchLocation", append(
	wire.ChangedBy(func(o *stock.PatchLocation) *base.Changes[stock.LocationFields] { return &o.Fields }),
	externalFields(func(o *stock.PatchLocation) *label.ExternalPatch { return &o.External })...)...)

var locationSchema = describe("Location", (*scribe).writeLocation)

func (w *scribe) writeLocation(l *stock.Location) {
	w.ID("id", l.ID, "The location's id.")
	wire.WriteFields(&w.Writer, &l.LocationFields)
	w.external(l.External)
	w.Created(l.ID)
	w.Updated(l.UpdatedAt)
}

func (w *scribe) locationAddress(a *base.Address) {
	wire.Nullable(&w.Writer, "address", "LocationAddress", a, "Where the location is.",
		wire.Fields[base.Address](&w.Writer))
}

var answerLocation = answers((*scribe).writeLocation)

var locationOperations = []operation{
	found(operation{
		id: "admin.locations.list", method: "GET", path: "/v1/admin/locations", scopes: []string{"locations.read"},
		summary: "Lists locations in order of creation.", answer: pagedSchema(locationSchema),
	}, foundQuery("the location", "the name, or the street, zip code or city of the address", ""),
		stock.LocationDirectory, (*scribe).writeLocation),
	write(operation{
		id: "admin.locations.create", method: "POST", path: "/v1/admin/locations", scopes: []string{"locations.write"},
		summary: "Creates a location.", answer: locationSchema,
	}, input[stock.CreateLocation]{body: createLocationShape}, asIs, answerLocation),
	readOne(operation{
		id: "admin.locations.get", method: "GET", path: "/v1/admin/locations/{id}", scopes: []string{"locations.read"},
		cached:  true,
		summary: "Returns a location.", answer: locationSchema,
	}, byUUID(itself), "location", stock.LocationByID, answerLocation),
	write(operation{
		id: "admin.locations.update", method: "PATCH", path: "/v1/admin/locations/{id}",
		scopes:  []string{"locations.write"},
		summary: "Changes a location. Holds and orders that exist keep their instants under a new time zone.",
		answer:  locationSchema,
	}, input[stock.PatchLocation]{path: byUUID(func(o *stock.PatchLocation) *base.ID { return &o.ID }),
		body: patchLocationShape}, asIs, answerLocation),
	deletion[stock.Location](operation{
		id: "admin.locations.delete", path: "/v1/admin/locations/{id}", scopes: []string{"locations.write"},
		summary: "Deletes a location that has no stock, now or later, and that no unclosed order and no current or " +
			"future hold or event uses.",
	}, byUUID),
}
