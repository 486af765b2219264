package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns requirements of a line: what an article must have for a unit of it to be the line's. A unit with requirements moves
// among the articles of its pool that meet them; where all do, like any other. Its hold says so by a flag (timeline.Choosy), and by its
// order's number and line which requirements they are: the timelines ask for them here. Nothing of it is kept but the flag.

// Requirement is one condition on an attribute of the article.
type Requirement struct {
	Key       string // attribute
	Operator  Operator
	Values    []string
	Attribute ID
}

// RequirementAttribute is the one key of requirements.
const RequirementAttribute = "attribute"

const maxRequirements = 32 // of a line

func (r *Requirement) filter(d *Attribute) Filter {
	f := Filter{Attribute: r.Attribute, Format: d.Format, Operator: r.Operator, Written: true}
	if d.Format == FormatFormula || d.Format == FormatSmartField {
		f.Format = FormatText
	}
	for _, s := range r.Values {
		f.Values = append(f.Values, Value{Kind: TextValue, Text: s})
	}
	return f
}

// requirements names what is wrong with conditions as the account stands.
func (a *account) requirements(c *checker, pointer string, list []Requirement) {
	for at, r := range each(c, pointer, list, 0, maxRequirements) {
		c.oneOf(at+"/key", r.Key, RequirementAttribute)
		d := a.attributes().Get(r.Attribute)
		if d == nil {
			c.fault(at+"/attributeId", "unknown", "is no attribute of the account")
			continue
		}
		f := r.filter(d)
		f.read(c, at)
	}
}

// requirement is one ready to be asked, of the account as a plan leaves it.
func (a *account) requirement(r *Requirement, e *edits, now int64) func(*Article) bool {
	d := e.attribute(a, r.Attribute)
	if d == nil {
		return func(*Article) bool { return false } // nothing has what is gone
	}
	var faults checker
	f := r.filter(d)
	format, operands := f.read(&faults, "")
	if len(faults.faults) > 0 {
		return func(*Article) bool { return false } // the attribute has become something else
	}
	zone := mustZone(a.row.Timezone)
	j := newJudge(format, f.Operator, operands, timeline.DateOf(zone, now), zone, d.chosen)
	if d.Format.Chosen() {
		j.alive = func(id ID) bool { return d.option(id) != nil }
	}
	from := attributeSource(d, format)
	return func(r *Article) bool {
		own := from.own(r)
		v := j.of(&own)
		if v == absent && r.SKU != nil {
			general := from.sku(e.sku(a, *r.SKU))
			v = j.of(&general)
		}
		return v == passed || v == absent && j.without()
	}
}

// wish is what a hold of an order asks of its lot: the requirements of its line. What is not found asks for nothing. lot finds lots.
func (a *account) wish(o *Order, h *timeline.Hold, e *edits, lot func(timeline.LotNo) timeline.Lot, now int64) (key string, meets func(timeline.LotNo) bool) {
	var list []Requirement
	if o != nil {
		if l := o.lineNo(h.Line); l != nil {
			list = l.Rest().Requirements
		}
	}
	var b []byte
	conditions := make([]func(*Article) bool, len(list))
	for i := range list {
		r := &list[i]
		conditions[i] = a.requirement(r, e, now)
		b = appendText(append(b, r.Attribute[:]...), string(r.Operator))
		b = append(b, byte(len(r.Values)))
		for _, v := range r.Values {
			b = appendText(b, v)
		}
	}
	return string(b), func(no timeline.LotNo) bool {
		r := e.article(a, lot(no).Article)
		return r != nil && !slices.ContainsFunc(conditions, func(meets func(*Article) bool) bool { return !meets(r) })
	}
}

func init() {
	wishOf = func(a *account, t *tx, h *timeline.Hold, now int64) (key string, meets func(timeline.LotNo) bool) {
		if t != nil {
			return t.wish(h, now)
		}
		return a.wish(a.orderOf(*h), h, &edits{}, a.stock.Lot, now)
	}
}

// wish is what a hold asks of its lot as the plan leaves it.
func (t *tx) wish(h *timeline.Hold, now int64) (key string, meets func(timeline.LotNo) bool) {
	t.ordering().named.read(t.set)
	o := t.acc.orderOf(*h)
	for _, e := range t.ordering().edits {
		if e.now != nil && e.now.Number == uint32(h.Owner) {
			o = e.now
		}
	}
	return t.acc.wish(o, h, &t.ordering().named, func(no timeline.LotNo) timeline.Lot {
		if lot := t.acc.stock.Lot(no); lot.No != 0 {
			return lot
		}
		return t.draft().Stock().Lot(no) // the plan makes it
	}, now)
}
