package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns requirements of a line: what an article must have for a unit of it to be the line's. A unit with
// requirements stays on its article: the others of the pool need not meet them.

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

// requirement is one ready to be asked.
func (a *account) requirement(r *Requirement, now int64) func(*Article) bool {
	d := a.attributes().Get(r.Attribute)
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
			general := from.sku(a.skus().Get(*r.SKU))
			v = j.of(&general)
		}
		return v == passed || v == absent && j.without()
	}
}

// meeting parts sources into those of single articles that meet all requirements; without any it leaves them as they are.
func (a *account) meeting(sources []source, requires []Requirement, now int64) (list []source) {
	if len(requires) == 0 {
		return sources
	}
	conditions := make([]func(*Article) bool, len(requires))
	for i := range requires {
		conditions[i] = a.requirement(&requires[i], now)
	}
	for _, s := range sources {
		for _, no := range a.stock.Lots(s.pool) {
			r := a.articles().No(a.stock.Lot(no).Article)
			if r == nil || slices.ContainsFunc(conditions, func(meets func(*Article) bool) bool { return !meets(r) }) {
				continue
			}
			one := s
			one.pool = timeline.LotRef(no)
			list = append(list, one)
		}
	}
	return list
}
