package order

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns requirements of a line: what an article must have for a unit of it to be the line's. A unit with
// requirements moves among the articles of its pool that meet them; where all do, like any other. Its hold says so by a
// flag (timeline.Choosy), and by its order's number and line which requirements they are: the timelines ask for them
// here. Nothing of it is kept but the flag.

// Requirement is one condition on an attribute of the article.
type Requirement struct {
	Key       string // attribute
	Operator  label.Operator
	Values    []string
	Attribute base.ID
}

// RequirementAttribute is the one key of requirements.
const RequirementAttribute = "attribute"

const maxRequirements = 32 // of a line

func (r *Requirement) filter(d *label.Attribute) stock.Filter {
	f := stock.Filter{Attribute: r.Attribute, Format: d.Format, Operator: r.Operator, Written: true}
	if d.Format == label.FormatFormula || d.Format == label.FormatSmartField {
		f.Format = label.FormatText
	}
	for _, s := range r.Values {
		f.Values = append(f.Values, label.Value{Kind: label.TextValue, Text: s})
	}
	return f
}

// requirements names what is wrong with conditions as the account stands.
func requirements(a *base.AccountState, c *base.Checker, pointer string, list []Requirement) {
	for at, r := range base.Each(c, pointer, list, maxRequirements) {
		c.OneOf(at+"/key", r.Key, RequirementAttribute)
		d := label.AttributeTable(a).Get(r.Attribute)
		if d == nil {
			c.Fault(at+"/attributeId", "unknown", "is no attribute of the account")
			continue
		}
		f := r.filter(d)
		f.Read(c, at)
	}
}

// requirement is one ready to be asked, of the account as a plan leaves it.
func requirement(a *base.AccountState, r *Requirement, e *Edits, now int64) func(*stock.Article) bool {
	d := e.attribute(a, r.Attribute)
	if d == nil {
		return func(*stock.Article) bool { return false } // nothing has what is gone
	}
	var faults base.Checker
	f := r.filter(d)
	format, operands := f.Read(&faults, "")
	if len(faults.Faults) > 0 {
		return func(*stock.Article) bool { return false } // the attribute has become something else
	}
	zone := stock.MustZone(a.Row.Timezone)
	j := label.NewJudge(format, f.Operator, operands, timeline.DateOf(zone, now), zone, d.Chosen)
	if d.Format.Chosen() {
		j.Alive = func(id base.ID) bool { return d.Option(id) != nil }
	}
	from := stock.AttributeSource(d, format)
	return func(r *stock.Article) bool {
		own := from.Own(r)
		v := j.Of(&own)
		if v == label.Absent && r.SKU != nil {
			general := from.SKU(e.sku(a, *r.SKU))
			v = j.Of(&general)
		}
		return v == label.Passed || v == label.Absent && j.Without()
	}
}

// wishOfOrder is what a hold of an order asks of its article: the requirements of its line. If the order or the line is
// not found, the hold asks for nothing.
func wishOfOrder(a *base.AccountState, o *Order, h *timeline.Hold, e *Edits, now int64) (key string,
	meets func(article uint32) bool) {
	var list []Requirement
	if o != nil {
		if l := o.LineNo(h.Line); l != nil {
			list = l.Rest().Requirements
		}
	}
	var b []byte
	conditions := make([]func(*stock.Article) bool, len(list))
	for i := range list {
		r := &list[i]
		conditions[i] = requirement(a, r, e, now)
		b = base.AppendText(append(b, r.Attribute[:]...), string(r.Operator))
		b = append(b, byte(len(r.Values)))
		for _, v := range r.Values {
			b = base.AppendText(b, v)
		}
	}
	return string(b), func(article uint32) bool {
		r := e.article(a, article)
		return r != nil &&
			!slices.ContainsFunc(conditions, func(meets func(*stock.Article) bool) bool { return !meets(r) })
	}
}

func init() {
	stock.OfTheDay = ofTheDay
	stock.WishOf = func(a *base.AccountState, t *base.Tx, h *timeline.Hold, now int64) (key string,
		meets func(article uint32) bool) {
		if t != nil {
			return wishFor(t, h, now)
		}
		return wishOfOrder(a, orderOf(a, *h), h, &Edits{}, now)
	}
}

// wishFor is what a hold asks of its article as the plan leaves it.
func wishFor(t *base.Tx, h *timeline.Hold, now int64) (key string, meets func(article uint32) bool) {
	orderingOf(t).named.read(t.Set)
	return wishOfOrder(t.Acc, orderFor(t, h), h, &orderingOf(t).named, now)
}

// orderFor is the order of a hold as the plan leaves it.
func orderFor(t *base.Tx, h *timeline.Hold) *Order {
	for _, e := range orderingOf(t).edits {
		if e.now != nil && e.now.Number == uint32(h.Owner) {
			return e.now
		}
	}
	return orderOf(t.Acc, *h)
}

// ofTheDay says that some requirement of a hold's line depends on which day it is.
func ofTheDay(t *base.Tx, h *timeline.Hold) bool {
	o := orderFor(t, h)
	if o == nil {
		return false
	}
	l := o.LineNo(h.Line)
	return l != nil && slices.ContainsFunc(l.Rest().Requirements, func(r Requirement) bool {
		return r.Operator == label.IsToday || r.Operator == label.IsBeforeToday || r.Operator == label.IsAfterToday
	})
}
