package api

import (
	"slices"
	"strconv"
	"strings"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
)

// This file owns what would be: hypothetical changes on the wire, and questions about the state after them.

// changeKind says what a hypothetical change does.
type changeKind string

const (
	changeHold     changeKind = "hold"
	changeRelease  changeKind = "release"
	changeIncrease changeKind = "increase"
	changeDecrease changeKind = "decrease"
)

// tryChange is a change as it comes in: the body of the operation that does it, with the id that stands in its path.
type tryChange struct {
	kind                    changeKind
	hold, article, location *base.ID
	amount                  *int
	from, expires           *int64
	expected, note          *string
	force                   *bool
	lines                   *[]hold.HoldLineInput
}

var tryChangeShape = wire.ShapeOf("WhatIfChange",
	wire.Required("kind", wire.Enum(changeHold, changeRelease, changeIncrease, changeDecrease),
		func(c *tryChange) *changeKind { return &c.kind }).
		Says("What is played: a hold, the release of one, or more or fewer units."),
	wire.Optional("lines", wire.ListOf(wire.Object(holdLineShape), 1, 1000),
		func(c *tryChange) **[]hold.HoldLineInput { return &c.lines }).Says("What is held, of a hold."),
	wire.Optional("expiresInSeconds", expiry, func(c *tryChange) **int64 {
		return &c.expires
	}).Says("After how many seconds it gives its stock back, of a hold."),
	wire.Optional("note", longText, func(c *tryChange) **string { return &c.note }).
		Says("A text, of a hold."),
	wire.Optional("holdId", wire.UUID, func(c *tryChange) **base.ID { return &c.hold }).
		Says("The hold that is released, of a release."),
	wire.Optional("articleId", wire.UUID, func(c *tryChange) **base.ID { return &c.article }).
		Says("The article, of an increase or decrease."),
	wire.Optional("serviceLocationId", wire.UUID, func(c *tryChange) **base.ID { return &c.location }).
		Says("The location, of an increase or decrease."),
	wire.Optional("amount", count, func(c *tryChange) **int { return &c.amount }).
		Says("How many units, of an increase or decrease."),
	wire.Optional("effectiveFrom", wire.Instant, func(c *tryChange) **int64 { return &c.from }).
		Says("From when on there are more or fewer, of an increase or decrease. Default: now."),
	wire.Optional("expectedPlan", wire.Text(1, 64), func(c *tryChange) **string {
		return &c.expected
	}).Says("The digest of the plan that is expected, of a decrease."),
	wire.Optional("force", wire.Boolean, func(c *tryChange) **bool {
		return &c.force
	}).Says("Whether what cannot be kept becomes a conflict, of a decrease."))

// op makes the command of a change, and names the members that its kind needs or does not have; nil where the kind
// could not be read.
func (c *tryChange) op(q *request, at string) base.Op {
	if c.kind == "" {
		return nil
	}
	change := func(kinds string) bool { return slices.Contains(strings.Fields(kinds), string(c.kind)) }
	for _, f := range [...]struct {
		name                string
		given, has, demands bool
	}{
		{"lines", c.lines != nil, change("hold"), true},
		{"expiresInSeconds", c.expires != nil, change("hold"), false},
		{"note", c.note != nil, change("hold"), false},
		{"holdId", c.hold != nil, change("release"), true},
		{"articleId", c.article != nil, change("increase decrease"), true},
		{"serviceLocationId", c.location != nil, change("increase decrease"), true},
		{"amount", c.amount != nil, change("increase decrease"), true},
		{"effectiveFrom", c.from != nil, change("increase decrease"), false},
		{"expectedPlan", c.expected != nil, change("decrease"), false},
		{"force", c.force != nil, change("decrease"), false},
	} {
		switch pointer := at + "/" + f.name; {
		case q.faults.At(pointer):
		case f.given && !f.has:
			q.fault("body", pointer, wire.FaultUnknown, "is no member of this kind of change")
		case f.has && f.demands && !f.given:
			q.fault("body", pointer, wire.FaultRequired, "is missing")
		}
	}
	switch c.kind {
	case changeHold:
		return hold.PlaceHold{Lines: given(c.lines), ExpiresIn: c.expires, Note: given(c.note)}
	case changeRelease:
		return hold.ReleaseHold{ID: given(c.hold)}
	case changeIncrease:
		return stock.IncreaseQuantity{Article: given(c.article), Location: given(c.location), Amount: given(c.amount),
			From: c.from}
	}
	return stock.DecreaseQuantity{
		Article: given(c.article), Location: given(c.location), Amount: given(c.amount), From: c.from,
		Expected: c.expected, Force: given(c.force),
	}
}

// given is a value that may not be there, else its zero value.
func given[V any](v *V) (zero V) {
	if v == nil {
		return zero
	}
	return *v
}

type whatIf struct {
	changes []tryChange
	ops     []base.Op
	queries []availabilityLine
}

var whatIfShape = wire.ShapeOf("WhatIf",
	wire.Defaulted("changes", wire.ListOf(wire.Object(tryChangeShape), 0, 100), nil,
		func(w *whatIf) *[]tryChange { return &w.changes }).
		Says("They are made one after the other; if one is refused, the whole request is.").
		Shows(`[{"kind":"increase","articleId":"`+exampleID("Article")+`","serviceLocationId":"`+exampleID("Location")+
			`","amount":2}]`),
	wire.Required("queries", wire.ListOf(wire.Object(lineShape), 1, 1000),
		func(w *whatIf) *[]availabilityLine { return &w.queries }).
		Says("The questions, asked once all changes are played."))

var whatIfOperations = []operation{
	readChecked(operation{
		id: "admin.availability.whatIf", method: "POST", path: "/v1/admin/availability/what-if", scopes: stockRead,
		summary: "Answers questions as if changes had been made; nothing is changed.",
		answer:  describe("WhatIfAnswer", func(w *scribe, l *[]availabilityLine) { w.writeAnswers(*l) }).Uncut(),
	}, input[whatIf]{body: whatIfShape},
		func(q *request, w *whatIf) {
			var read cover
			for i := range w.changes {
				at := "/changes/" + strconv.Itoa(i)
				op := w.changes[i].op(q, at)
				if op == nil {
					continue
				}
				read.add(q.faults.ListOf)
				for _, f := range base.FaultsIn(op) {
					f.In, f.Pointer = "body", at+f.Pointer
					if !read.has(f) {
						q.faults.Add(f)
					}
				}
				w.ops = append(w.ops, op)
			}
			q.checkLines("/queries/", w.queries)
		},
		func(q *request, w *whatIf) error {
			v, err := hold.WhatIf(q.view, w.ops, q.now)
			if err != nil {
				return err
			}
			if err := askEach(v, w.queries, q.now); err != nil {
				return err
			}
			q.Braces(func() { q.writeAnswers(w.queries) })
			return nil
		}),
}
