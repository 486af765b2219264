package model

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns attributes: which there are, what articles and SKUs have for them, and whether that is what a line of
// an order requires.

// Attribute is an attribute. Like the other records it is a value.
type Attribute struct {
	ID       ID
	Key      string
	Name     string
	Revision uint64
	Format   label.AttributeFormat
	Options  []label.AttributeOption
}

// Has is what a record has for an attribute: a value, or the options that are chosen.
type Has struct {
	Attribute ID
	Value     label.Value
	Chosen    []ID
}

func (a *Account) attribute(id ID) *Attribute {
	return find(a.Attributes, func(d *Attribute) bool { return d.ID == id })
}

func (d *Attribute) option(is func(label.AttributeOption) bool) *label.AttributeOption {
	return at(d.Options, func(o *label.AttributeOption) bool { return is(*o) })
}

// given are the values of a record that is given more.
func (a *Account) given(list []Has, p label.LabelsPatch) []Has {
	if p.Attributes.Null {
		return nil
	}
	for _, in := range p.Attributes.Value {
		d := find(a.Attributes, func(d *Attribute) bool { return d.Key == in.Key })
		list = slices.DeleteFunc(slices.Clone(list), func(h Has) bool { return h.Attribute == d.ID })
		if in.Value.Kind == label.NoValue {
			continue
		}
		h := Has{Attribute: d.ID, Value: in.Value}
		names := in.Value.List
		if d.Format == label.FormatSelect {
			names = []string{in.Value.Text}
		}
		for _, name := range names {
			h.Chosen = append(h.Chosen, d.option(func(o label.AttributeOption) bool { return o.Name == name }).ID)
		}
		if d.Format.Chosen() {
			h.Value = label.Value{} // the options say it, whatever they are called
		}
		if d.Format != label.FormatMultiselect || len(names) > 0 {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(x, y Has) int { return x.Attribute.Compare(y.Attribute) })
	return append([]Has(nil), list...)
}

// without are the values of a record when options are gone, or the attribute as a whole: where no option is given.
func without(list []Has, attribute ID, options []label.AttributeOption) (left []Has) {
	for _, h := range list {
		if h.Attribute == attribute {
			h.Chosen = slices.DeleteFunc(slices.Clone(h.Chosen), func(id ID) bool {
				return !slices.ContainsFunc(options, func(o label.AttributeOption) bool { return o.ID == id })
			})
			if len(h.Chosen) == 0 {
				continue
			}
		}
		left = append(left, h)
	}
	return left
}

// relabels says that the command may change what articles have.
func (s *step) relabels() bool {
	switch s.op.(type) {
	case stock.PatchArticle, stock.PatchSKU, label.PatchAttribute, label.DeleteAttribute:
		return true
	}
	return false
}

// refit judges, after a command that changed what articles have, a unit whose article lost what its line requires.
// Where it is the only such unit, it has to have gone to an article that has what is required, unless no search finds a
// way. Of several, one may be in the way of another, so they are not judged.
func (s *step) refit() error {
	if !s.relabels() {
		return nil
	}
	var lost, stayed []Unit
	for _, u := range s.was.Units {
		o := s.a.unit(u.ID)
		if o == nil || u.Slot == 0 || u.articlePinned() || u.oneWay() || u.out() || u.Hull.End <= s.now ||
			s.was.unmet(u, s.now) || !s.a.unmet(u, s.now) {
			continue
		}
		if lost = append(lost, u); o.Slot == u.Slot {
			stayed = append(stayed, *o)
			s.a.Seen.Unfit++
		}
	}
	if len(lost) != 1 || len(stayed) != 1 {
		return nil
	}
	u := stayed[0]
	v := s.a.clone()
	v.Units = slices.DeleteFunc(v.Units, func(x Unit) bool { return x.ID == u.ID })
	p, need, asks := v.poolOf(u.Lot), rest(u, s.now), s.a.required(u)
	free, _, _, _ := v.least(p, need)
	if ok, known := v.fits(p, need, 1, func(x Slot) bool { return v.suits(x.Lot, asks, s.now) }, s.now); ok && known &&
		free > 0 {
		return wrong("unit %+v was left on an article that lost what its line requires", u)
	}
	return nil
}

// attributes judges the commands on attributes.
func (s *step) attributes(op base.Op, res any, err error) error {
	switch o := op.(type) {
	case label.CreateAttribute:
		if slices.ContainsFunc(s.a.Attributes, func(d *Attribute) bool { return d.Key == o.Key }) {
			return refused(err, base.CodeConflict)
		}
		if err := refused(err, ""); err != nil {
			return err
		}
		r := res.(*label.Attribute)
		s.a.Attributes = append(s.a.Attributes,
			&Attribute{ID: r.ID, Key: o.Key, Name: o.Name, Format: o.Format, Options: r.Options})
		return nil
	case label.PatchAttribute:
		i := slices.IndexFunc(s.a.Attributes, func(d *Attribute) bool { return d.ID == o.ID })
		if i < 0 {
			return refused(err, base.CodeNotFound)
		}
		if was := s.a.Attributes[i]; !o.Force && o.Options.Set {
			left := []label.AttributeOption{}
			for _, x := range was.Options {
				if slices.ContainsFunc(o.Options.Value, func(p label.AttributeOption) bool {
					return p.ID == x.ID || p.ID == (ID{}) && p.Name == x.Name
				}) {
					left = append(left, x)
				}
			}
			if skus, articles := s.having(was.ID, left); skus+articles > 0 {
				return s.valued(err, skus, articles)
			}
		}
		if err := refused(err, ""); err != nil {
			return err
		}
		n := *s.a.Attributes[i]
		if o.Fields.Has("name") {
			n.Name = o.Fields.To.Name
		}
		if len(o.Options.Value) > 0 { // none are of one that has none
			var list []label.AttributeOption
			for k, p := range o.Options.Value {
				made := res.(*label.Attribute).Options[k]
				was := n.option(func(x label.AttributeOption) bool { return x.Name == p.Name })
				if p.ID != (ID{}) && made.ID != p.ID || p.ID == (ID{}) && was != nil && made.ID != was.ID ||
					p.ID == (ID{}) && was == nil &&
						n.option(func(x label.AttributeOption) bool { return x.ID == made.ID }) != nil {
					return wrong("option %q of %x got the id %x", p.Name, n.ID, made.ID)
				}
				list = append(list, label.AttributeOption{ID: made.ID, Name: p.Name})
			}
			n.Options = list
			s.sweep(n.ID, list, n.Format)
		}
		s.a.Attributes[i] = &n
		return nil
	case label.DeleteAttribute:
		d := s.a.attribute(o.ID)
		if d == nil {
			return refused(err, base.CodeNotFound)
		}
		if skus, articles := s.having(d.ID, nil); !o.Force && skus+articles > 0 {
			return s.valued(err, skus, articles)
		}
		s.a.Attributes = slices.DeleteFunc(s.a.Attributes, func(x *Attribute) bool { return x == d })
		s.sweep(d.ID, nil, d.Format)
		return refused(err, "")
	}
	return wrong("the twin does not know %T", op)
}

// having counts the SKUs and articles that have something for an attribute of which it would have no place with these
// options left.
func (s *step) having(attribute ID, left []label.AttributeOption) (skus, articles int) {
	loses := func(has []Has) bool {
		return slices.ContainsFunc(has, func(h Has) bool {
			return h.Attribute == attribute && (left == nil || slices.ContainsFunc(h.Chosen, func(id ID) bool {
				return !slices.ContainsFunc(left, func(o label.AttributeOption) bool { return o.ID == id })
			}))
		})
	}
	for _, k := range s.a.SKUs {
		if !k.Gone && loses(k.Has) {
			skus++
		}
	}
	for _, r := range s.a.Articles {
		if !r.Gone && loses(r.Has) {
			articles++
		}
	}
	return skus, articles
}

// valued demands a refusal that says how many records would lose something, of the first kind that has some.
func (s *step) valued(err error, skus, articles int) error {
	if fault := refused(err, base.CodeInUse); fault != nil {
		return fault
	}
	s.a.Seen.Asked++
	want := base.InUseDetails{Resource: "sku", Count: skus}
	if skus == 0 {
		want = base.InUseDetails{Resource: "article", Count: articles}
	}
	if have := err.(*base.Error).Details; have != want {
		return wrong("what is in use is said to be %+v, the twin says %+v", have, want)
	}
	return nil
}

// sweep takes from all records what an attribute with other options has no place for.
func (s *step) sweep(attribute ID, options []label.AttributeOption, format label.AttributeFormat) {
	if !format.Chosen() && options != nil {
		return
	}
	for i, r := range s.a.Articles {
		n := *r
		n.Has = without(r.Has, attribute, options)
		s.a.Articles[i] = &n
	}
	for i, k := range s.a.SKUs {
		n := *k
		n.Has = without(k.Has, attribute, options)
		s.a.SKUs[i] = &n
	}
}

// negated operators are true of what has no value.
var negated = []label.Operator{label.DoesNotContain, label.NotEqual, label.NotInArray, label.NotBetween}

// fitting are the operators that fit values of a format.
func fitting(f label.AttributeFormat) []label.Operator {
	list := []label.Operator{label.Equal, label.NotEqual, label.InArray, label.NotInArray, label.IsEmpty,
		label.IsNotEmpty}
	switch f {
	case label.FormatText, label.FormatFormula:
		list = append(list, label.StartsWith, label.EndsWith, label.Contains, label.DoesNotContain)
	case label.FormatMultiselect:
		list = append(list, label.Contains, label.DoesNotContain)
	case label.FormatNumber, label.FormatDate:
		list = append(list, label.Greater, label.GreaterOrEqual, label.Less, label.LessOrEqual, label.Between,
			label.NotBetween)
	}
	if f == label.FormatDate {
		list = append(list, label.IsToday, label.IsBeforeToday, label.IsAfterToday)
	}
	return list
}

// sensible says that a requirement can be asked as the account stands.
func (a *Account) sensible(q order.Requirement) bool {
	d := a.attribute(q.Attribute)
	if d == nil || !slices.Contains(fitting(d.Format), q.Operator) {
		return false
	}
	switch q.Operator {
	case label.IsEmpty, label.IsNotEmpty, label.IsToday, label.IsBeforeToday, label.IsAfterToday:
		return len(q.Values) == 0
	case label.Between, label.NotBetween:
		return len(q.Values) == 2 && d.order(q.Values[0], q.Values[1]) <= 0
	}
	return len(q.Values) > 0
}

// order compares two values that are written as texts.
func (d *Attribute) order(x, y string) int {
	if d.Format != label.FormatNumber {
		return strings.Compare(x, y) // days are in the order of their texts
	}
	n, _ := strconv.ParseFloat(x, 64)
	m, _ := strconv.ParseFloat(y, 64)
	switch {
	case n < m:
		return -1
	case n > m:
		return 1
	}
	return 0
}

// has finds the value of an article: its own, else its SKU's; nil: it has none.
func (a *Account) has(r *Article, attribute ID) *Has {
	is := func(h *Has) bool { return h.Attribute == attribute }
	if own := at(r.Has, is); own != nil || r.SKU == nil {
		return own
	}
	return at(a.sku(*r.SKU).Has, is)
}

// meets says that an article has what a requirement asks for. Nothing has what an attribute that is gone would ask for.
func (a *Account) meets(r *Article, q order.Requirement, now int64) bool {
	d := a.attribute(q.Attribute)
	if d == nil {
		return false
	}
	h := a.has(r, d.ID)
	if h != nil && d.Format == label.FormatFormula && h.Value.Kind != label.TextValue {
		h = nil // asked as a text, it is none
	}
	denies := slices.Contains(negated, q.Operator)
	switch {
	case h == nil:
		return denies || q.Operator == label.IsEmpty
	case q.Operator == label.IsEmpty:
		return false
	case q.Operator == label.IsNotEmpty:
		return true
	}
	return d.holds(h, q, a.today(now)) != denies
}

// required is what the line of a unit of an order requires.
func (a *Account) required(u Unit) []order.Requirement {
	if !u.ordered() {
		return nil
	}
	for _, o := range a.Orders {
		for _, l := range o.Lines {
			if uint64(o.No) == u.Nth && l.No == u.Line {
				return l.Requires
			}
		}
	}
	return nil
}

// suits says that the article of a lot has all that is required.
func (a *Account) suits(lot uint32, asks []order.Requirement, now int64) bool {
	return a.meetsAll(a.of(a.lot(lot)), asks, now)
}

// meetsAll says that an article has all that is required.
func (a *Account) meetsAll(r *Article, asks []order.Requirement, now int64) bool {
	return !slices.ContainsFunc(asks, func(x order.Requirement) bool { return !a.meets(r, x, now) })
}

// partly says that some article of a pool that has units does not have what is required.
func (a *Account) partly(p Pool, asks []order.Requirement, now int64) bool {
	return len(asks) > 0 &&
		slices.ContainsFunc(a.Slots, func(x Slot) bool { return p.has(x.Lot) && !a.suits(x.Lot, asks, now) })
}

// unmet says that a unit of an order sits on an article that does not have what its line requires, and is not over.
func (a *Account) unmet(u Unit, now int64) bool {
	return u.Slot != 0 && u.Hull.End > now && !a.suits(u.Lot, a.required(u), now)
}

// today is the day of an instant where the account is.
func (a *Account) today(now int64) string {
	return time.UnixMilli(now).In(zone(a.Zone)).Format(time.DateOnly)
}

// holds says that an operator, less its negation, is true of a value and one of the operands.
func (d *Attribute) holds(h *Has, q order.Requirement, today string) bool {
	for _, value := range d.texts(h) {
		switch q.Operator {
		case label.Between, label.NotBetween:
			return d.order(q.Values[0], value) <= 0 && d.order(value, q.Values[1]) <= 0
		case label.IsToday:
			return value == today
		case label.IsBeforeToday:
			return value < today
		case label.IsAfterToday:
			return value > today
		}
		for _, x := range q.Values {
			if d.compares(value, q.Operator, x) {
				return true
			}
		}
	}
	return false
}

// texts is a value as one would write it; of what is chosen, all of it.
func (d *Attribute) texts(h *Has) (list []string) {
	switch d.Format {
	case label.FormatSelect, label.FormatMultiselect:
		for _, id := range h.Chosen {
			list = append(list, d.option(func(o label.AttributeOption) bool { return o.ID == id }).Name)
		}
		return list
	case label.FormatNumber:
		return []string{strconv.FormatFloat(h.Value.Number, 'g', -1, 64)}
	case label.FormatBoolean:
		return []string{strconv.FormatBool(h.Value.Bool)}
	}
	return []string{h.Value.Text}
}

// compares holds one text against one operand, without case.
func (d *Attribute) compares(value string, o label.Operator, x string) bool {
	small := func(s string) string { return strings.ToLower(strings.ToUpper(s)) } // of sigma there are two
	value, x = small(value), small(x)
	text := d.Format == label.FormatText || d.Format == label.FormatFormula
	switch o {
	case label.StartsWith:
		return strings.HasPrefix(value, x)
	case label.EndsWith:
		return strings.HasSuffix(value, x)
	case label.Contains, label.DoesNotContain:
		if text {
			return strings.Contains(value, x)
		}
		return value == x
	case label.Greater:
		return d.order(value, x) > 0
	case label.GreaterOrEqual:
		return d.order(value, x) >= 0
	case label.Less:
		return d.order(value, x) < 0
	case label.LessOrEqual:
		return d.order(value, x) <= 0
	}
	return d.order(value, x) == 0
}

// attributeRecords judges every attribute, and what articles and SKUs have.
func (a *Account) attributeRecords(v base.View) error {
	if n := label.Attributes(v).Len(); n != len(a.Attributes) {
		return wrong("%d attributes, the twin has %d", n, len(a.Attributes))
	}
	for _, d := range a.Attributes {
		if r := label.AttributeByID(v, d.ID); r == nil || r.Key != d.Key || r.Format != d.Format ||
			!slices.Equal(r.Options, d.Options) {
			return wrong("attribute %+v, the twin says %+v", r, d)
		}
	}
	for _, r := range a.Articles {
		if r.Gone {
			continue
		}
		if err := a.values(v, &stock.ArticleByID(v, r.ID).Labels, r.Has); err != nil {
			return wrong("article %x: %w", r.ID, err)
		}
	}
	for _, k := range a.SKUs {
		if k.Gone {
			continue
		}
		if err := a.values(v, &stock.SKUByID(v, k.ID).Labels, k.Has); err != nil {
			return wrong("SKU %x: %w", k.ID, err)
		}
	}
	return nil
}

// values judges what a record says that it has.
func (a *Account) values(v base.View, l *label.Labels, want []Has) (err error) {
	n := 0
	label.EachAttribute(v, l, nil, func(d *label.Attribute, x label.Value, _ bool) {
		n++
		h := at(want, func(h *Has) bool { return h.Attribute == d.ID })
		switch {
		case h == nil:
			err = wrong("it has %+v for %s, the twin says nothing", x, d.Key)
		case d.Format == label.FormatSelect &&
			(label.Value{Kind: label.TextValue, Text: a.attribute(d.ID).texts(h)[0]}.Text != x.Text),
			d.Format == label.FormatMultiselect && !slices.Equal(a.attribute(d.ID).texts(h), x.List),
			!d.Format.Chosen() && (x.Kind != h.Value.Kind || x.Text != h.Value.Text || x.Number != h.Value.Number ||
				x.Bool != h.Value.Bool):
			err = wrong("it has %+v for %s, the twin says %+v", x, d.Key, *h)
		}
	})
	if err == nil && n != len(want) {
		err = wrong("it has %d values, the twin says %+v", n, want)
	}
	return err
}
