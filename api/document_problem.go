package api

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file owns refusals in the document: the one Problem, whose details are typed by its code, and which codes an
// operation can give. Codes that follow from the declaration of an operation are derived from it; codes by which its
// command refuses because of the state are in one table. The tests compare both with every refusal that they meet.

const (
	conflict     = base.CodeConflict
	insufficient = base.CodeInsufficient
	stateRefuses = base.CodeStateNotAllowed
	holdExpired  = base.CodeHoldExpired
	blocked      = base.CodeQuantityBlocked
)

var (
	stateAlone      = []base.Code{stateRefuses}
	conflictAlone   = []base.Code{conflict}
	inUseAlone      = []base.Code{base.CodeInUse}
	ofStock         = []base.Code{insufficient, stateRefuses}
	ofLines         = []base.Code{conflict, insufficient, blocked, stateRefuses}
	discountRefuses = []base.Code{
		stateRefuses, base.CodeDiscountNotFound, base.CodeDiscountExpired, base.CodeDiscountNotStarted,
		base.CodeDiscountUsageLimit,
		base.CodeDiscountNotApplicable, base.CodeDiscountApplied, base.CodeDiscountNoEffect,
	}
	ofCarts = slices.Concat([]base.Code{conflict, insufficient, blocked, holdExpired}, discountRefuses)
)

// ofState are the codes that an operation gives by the state that it meets.
var ofState = map[string][]base.Code{
	"admin.account.update":                inUseAlone,
	"admin.apiKeys.revoke":                stateAlone,
	"admin.articles.create":               conflictAlone,
	"admin.articles.update":               {conflict, blocked},
	"admin.articles.archive":              {blocked},
	"admin.articles.delete":               inUseAlone,
	"admin.articles.linkTags":             conflictAlone,
	"admin.articles.createScheduledEvent": {insufficient},
	"admin.articles.updateScheduledEvent": {insufficient},
	"admin.articles.decreaseQuantity":     {blocked, base.CodePlanChanged},
	"admin.articles.planQuantityChange":   {base.CodePlanChanged},
	"admin.articles.transferQuantity":     {blocked},
	"admin.attributes.create":             conflictAlone,
	"admin.attributes.update":             {conflict, base.CodeInUse},
	"admin.attributes.delete":             inUseAlone,
	"admin.availability.get":              stateAlone,
	"admin.availability.query":            stateAlone,
	"admin.availability.calendar":         stateAlone,
	"admin.availability.calendars":        stateAlone,
	"admin.availability.next":             stateAlone,
	"admin.availability.explain":          stateAlone,
	"admin.availability.whatIf":           {insufficient, blocked, holdExpired, stateRefuses},
	"admin.catalog.create":                conflictAlone,
	"admin.catalog.update":                conflictAlone,
	"admin.catalog.delete":                inUseAlone,
	"admin.catalog.linkTags":              conflictAlone,
	"admin.customers.create":              conflictAlone,
	"admin.customers.update":              {conflict, stateRefuses},
	"admin.customers.delete":              {base.CodeInUse, stateRefuses},
	"admin.customers.erase":               inUseAlone,
	"admin.customers.linkTags":            conflictAlone,
	"admin.discountCodes.create":          conflictAlone,
	"admin.discountCodes.update":          conflictAlone,
	"admin.holds.create":                  ofStock,
	"admin.holds.confirm":                 {holdExpired, stateRefuses},
	"admin.holds.update":                  {insufficient, blocked, holdExpired, stateRefuses},
	"admin.holds.extend":                  {holdExpired, stateRefuses},
	"admin.holds.move":                    {insufficient, blocked, holdExpired, stateRefuses},
	"admin.holds.order":                   ofCarts,
	"admin.locations.create":              conflictAlone,
	"admin.locations.update":              conflictAlone,
	"admin.locations.delete":              inUseAlone,
	"admin.orders.create":                 ofCarts,
	"admin.orders.update":                 {conflict, insufficient, blocked, stateRefuses},
	"admin.orders.delete":                 stateAlone,
	"admin.orders.confirm":                ofLines,
	"admin.orders.cancel":                 stateAlone,
	"admin.orders.prepare":                stateAlone,
	"admin.orders.fulfill":                {conflict, insufficient, stateRefuses},
	"admin.orders.return":                 {conflict, stateRefuses},
	"admin.orders.archive":                stateAlone,
	"admin.orders.unarchive":              stateAlone,
	"admin.orders.assignStockItem":        {insufficient, blocked, stateRefuses, base.CodeSubstitute},
	"admin.orders.cancelStockItem":        stateAlone,
	"admin.orders.undo":                   {conflict, blocked, stateRefuses},
	"admin.orders.readyStockItem":         {conflict, stateRefuses},
	"admin.orders.unassignStockItem":      {insufficient, blocked, stateRefuses},
	"admin.orders.addLineItems":           ofLines,
	"admin.orders.updateLineItem":         ofLines,
	"admin.orders.deleteLineItem":         stateAlone,
	"admin.orders.addComment":             conflictAlone,
	"admin.orders.recordPayment":          conflictAlone,
	"admin.orders.linkTags":               conflictAlone,
	"admin.orders.applyDiscountCode":      discountRefuses,
	"admin.orders.removeDiscountCode":     stateAlone,
	"admin.orders.quote":                  discountRefuses[1:],
	"admin.orders.validateDiscountCode":   stateAlone,
	"admin.pricingTables.delete":          inUseAlone,
	"admin.pricingTables.updateRow":       stateAlone,
	"admin.skus.create":                   conflictAlone,
	"admin.skus.update":                   conflictAlone,
	"admin.skus.delete":                   inUseAlone,
	"admin.subscriptions.cancel":          {conflict, stateRefuses},
	"admin.tags.create":                   conflictAlone,
	"admin.tags.update":                   conflictAlone,
	"admin.webhooks.create":               conflictAlone,
	"admin.webhooks.enable":               stateAlone,
	"admin.webhooks.disable":              stateAlone,
	"admin.webhooks.recover":              stateAlone,
	"admin.webhooks.redeliver":            stateAlone,
	"admin.webhooks.test":                 stateAlone,
}

// filtering are the lists whose ids filter alone: of what is not there they have no rows.
var filtering = []string{"admin.conflicts.list", "admin.orders.list"}

// ofChanges is the operation whose cursors are given up.
const ofChanges = "admin.changes.list"

// gives says whether an operation can be refused with a code.
func (o *operation) gives(code base.Code) bool {
	keyed := o.access != noKey
	switch code {
	case base.CodeInvalid, base.CodeMalformed, base.CodeBodyTooLarge, base.CodeInternal:
		return true
	case base.CodeVersion, base.CodeUnauthenticated, base.CodeKeyExpired, base.CodeKeyRevoked, base.CodeMediaType,
		base.CodeMonthlyCap:
		return keyed
	case base.CodeMissingScope:
		return o.access == scoped || o.access == fullAccess
	case base.CodeDeniedFields:
		return o.body.Any(func(m wire.Member) bool { return m.Scope != "" })
	case base.CodeNotFound:
		return !slices.Contains(filtering, o.id) && (len(o.params) > 0 || o.body.Any(refers) ||
			slices.ContainsFunc(o.queryParams, func(m wire.Member) bool { return refers(m) || m.Schema.Any(refers) }))
	case base.CodeIdempotencyInUse, base.CodeIdempotencyReused:
		return o.write
	case base.CodeCursorGone:
		return o.id == ofChanges
	case base.CodeSnapshotGone:
		return o.takesAsOf()
	case base.CodePrecondition:
		return o.guarded
	case base.CodeRateLimited:
		return true
	case base.CodeNotReady:
		return keyed
	case base.CodeOverloaded:
		return o.write
	case base.CodeStorageFailed:
		return o.write || o.path == deliveryPath
	}
	return slices.Contains(ofState[o.id], code)
}

// refers says that a member names a record by its id.
func refers(m wire.Member) bool {
	return m.Schema.Format == "uuid" || m.Schema.Items != nil && m.Schema.Items.Format == "uuid"
}

// refusals are the codes with which an operation can be refused, by their status.
func refusals(op *operation) map[int][]base.Code {
	all := map[int][]base.Code{}
	for code, s := range statuses {
		if op.gives(code) {
			all[s.number] = append(all[s.number], code)
		}
	}
	for _, codes := range all {
		slices.Sort(codes)
	}
	return all
}

// refusal describes what an operation answers where it refuses: one answer for all codes, because a generator makes
// types and branches for each status of each operation. The possible codes are listed next to it.
func (c *components) refusal(op *operation) ordered {
	all := refusals(op)
	var listed ordered
	var lines []string
	for _, number := range slices.Sorted(maps.Keys(all)) {
		codes := asTexts(all[number])
		listed = listed.with(strconv.Itoa(number), codes)
		lines = append(lines, strconv.Itoa(number)+": "+strings.Join(codes, ", "))
	}
	shown := append([]base.Code{base.CodeInvalid}, ofState[op.id]...)
	var examples ordered
	for _, code := range shown {
		name := "Problem." + string(code)
		c.examples[name] = ordered{{"summary", statuses[code].title}, {"value", problemExample(code)}}
		examples = examples.with(string(code), ordered{{"$ref", "#/components/examples/" + name}})
	}
	return ordered{
		{"description", "Refused, and nothing has changed. " + strings.Join(lines, "; ") + "."},
		{"content", ordered{{string(mediaProblem),
			ordered{{"schema", ordered{{"$ref", "#/components/schemas/Problem"}}}, {"examples", examples}}}}},
		{"x-codes", listed},
	}
}

// addProblem adds the schema of refusals: what all have, and one of the forms that codes give it.
func (c *components) addProblem() {
	var forms []any
	rest := slices.Clone(allCodes)
	add := func(name, about string, codes []base.Code, details *wire.Schema) {
		forms = append(forms, ordered{{"$ref", "#/components/schemas/" + name}})
		properties := ordered{
			{"code", ordered{{"type", "string"}, {"description", "The code of this form."}, {"enum", asTexts(codes)}}}}
		required := []string{"code"}
		if details != nil {
			properties = properties.with("details", c.schema(details, false))
			required = append(required, "details")
		}
		c.schemas[name] = ordered{{"type", "object"}, {"description", about}, {"properties", properties},
			{"required", required}, {"unevaluatedProperties", true}}
		for _, code := range codes {
			rest = slices.DeleteFunc(slices.Clone(rest), func(other base.Code) bool { return other == code })
		}
	}
	for _, d := range detailed {
		add(d.name, d.details.About, d.codes, d.details)
	}
	add("ProblemWithoutDetails", "A refusal whose code says everything.", rest, nil)

	c.schema(problemSchema, false)
	c.schemas["Problem"] = c.schemas["Problem"].with("oneOf", forms)
}

// problemExample is a refusal as it is written, with one fault where there are faults.
func problemExample(code base.Code) ordered {
	s := statuses[code]
	o := ordered{
		{"type", string(appendProblemType(nil, code))}, {"title", s.title}, {"status", s.number}, {"detail", s.title},
		{"code", string(code)},
		{"requestId", "8f3a1c22b7d0-1f"}, {"details", detailsExample(code)},
	}
	if s.number == 400 {
		o = o.with("errors",
			[]any{ordered{{"in", "body"}, {"pointer", "/name"}, {"code", wire.FaultRequired},
				{"message", "is missing"}}})
	}
	return o
}

func detailsExample(code base.Code) any {
	for _, d := range detailed {
		if slices.Contains(d.codes, code) {
			return answerExample(d.details)
		}
	}
	return ordered{}
}
