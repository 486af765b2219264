package api

import (
	"slices"
	"strconv"
	"strings"

	"holdfast/engine"
)

// This file owns what would be: hypothetical changes on the wire, and questions behind them.

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
	hold, article, location *engine.ID
	amount                  *int
	from, expires           *int64
	expected, note          *string
	force                   *bool
	lines                   *[]engine.HoldLineInput
}

var tryChangeShape = shapeOf("WhatIfChange",
	required("kind", enum(changeHold, changeRelease, changeIncrease, changeDecrease), func(c *tryChange) *changeKind { return &c.kind }).
		says("What is played: a hold, the release of one, or more or fewer units."),
	optional("lines", list(object(holdLineShape), 1, 1000), func(c *tryChange) **[]engine.HoldLineInput { return &c.lines }).says("What is held, of a hold."),
	optional("expiresInSeconds", expiry, func(c *tryChange) **int64 { return &c.expires }).says("After how many seconds it gives its stock back, of a hold."),
	optional("note", text(0, 10_000), func(c *tryChange) **string { return &c.note }).says("A text, of a hold."),
	optional("holdId", uuid, func(c *tryChange) **engine.ID { return &c.hold }).says("The hold that is released, of a release."),
	optional("articleId", uuid, func(c *tryChange) **engine.ID { return &c.article }).says("The article, of an increase or decrease."),
	optional("serviceLocationId", uuid, func(c *tryChange) **engine.ID { return &c.location }).says("The location, of an increase or decrease."),
	optional("amount", count, func(c *tryChange) **int { return &c.amount }).says("How many units, of an increase or decrease."),
	optional("effectiveFrom", instant, func(c *tryChange) **int64 { return &c.from }).
		says("From when on there are more or fewer, of an increase or decrease. Default: now."),
	optional("expectedPlan", text(1, 64), func(c *tryChange) **string { return &c.expected }).says("The digest of the plan that is expected, of a decrease."),
	optional("force", boolean, func(c *tryChange) **bool { return &c.force }).says("Whether what cannot be kept becomes a conflict, of a decrease."))

// op makes the command of a change, and names the members that its kind needs or does not have; nil where the kind could not
// be read.
func (c *tryChange) op(q *request, at string) engine.Op {
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
		case q.faults.at(pointer):
		case f.given && !f.has:
			q.faults.add(engine.Fault{In: "body", Pointer: pointer, Code: faultUnknown, Message: "is no member of this kind of change"})
		case f.has && f.demands && !f.given:
			q.faults.add(engine.Fault{In: "body", Pointer: pointer, Code: faultRequired, Message: "is missing"})
		}
	}
	switch c.kind {
	case changeHold:
		return engine.PlaceHold{Lines: given(c.lines), ExpiresIn: c.expires, Note: given(c.note)}
	case changeRelease:
		return engine.ReleaseHold{ID: given(c.hold)}
	case changeIncrease:
		return engine.IncreaseQuantity{Article: given(c.article), Location: given(c.location), Amount: given(c.amount), From: c.from}
	}
	return engine.DecreaseQuantity{
		Article: given(c.article), Location: given(c.location), Amount: given(c.amount), From: c.from, Expected: c.expected, Force: given(c.force),
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
	ops     []engine.Op
	queries []availabilityLine
}

var whatIfShape = shapeOf("WhatIf",
	defaulted("changes", list(object(tryChangeShape), 0, 100), nil, func(w *whatIf) *[]tryChange { return &w.changes }).
		says("Done one after the other; one that is refused refuses the whole.").
		shows(`[{"kind":"increase","articleId":"`+exampleID("Article")+`","serviceLocationId":"`+exampleID("Location")+`","amount":2}]`),
	required("queries", list(object(lineShape), 1, 1000), func(w *whatIf) *[]availabilityLine { return &w.queries }).
		says("The questions, asked once all changes are played."))

var whatIfOperations = []operation{
	readChecked(operation{
		id: "admin.availability.whatIf", method: "POST", path: "/v1/admin/availability/what-if", scopes: stockRead,
		summary: "Answers questions as if changes had been made; nothing is changed.",
		answer:  describe("WhatIfAnswer", func(w *scribe, l *[]availabilityLine) { w.writeAnswers(*l) }).whole(),
	}, input[whatIf]{body: whatIfShape},
		func(q *request, w *whatIf) {
			for i := range w.changes {
				at := "/changes/" + strconv.Itoa(i)
				op := w.changes[i].op(q, at)
				if op == nil {
					continue
				}
				read := q.faults.list
				for _, f := range op.Check() {
					f.In, f.Pointer = "body", at+f.Pointer
					if !coversFault(read, f) {
						q.faults.add(f)
					}
				}
				w.ops = append(w.ops, op)
			}
			q.checkLines("/queries/", w.queries)
		},
		func(q *request, w *whatIf) error {
			v, err := q.view.WhatIf(w.ops, q.now)
			if err != nil {
				return err
			}
			if err := askEach(v, w.queries, 0, q.now); err != nil {
				return err
			}
			q.Braces(func() { q.writeAnswers(w.queries) })
			return nil
		}),
}
