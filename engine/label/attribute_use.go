package label

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"holdfast/engine/base"
)

// This file owns the use of attributes: of each kind of records, how many have a value for an attribute, by the options
// that they chose. So it is known without a look at the records whether an attribute may be removed. It is derived from
// them.

// use is a kind of records, by its place among those that labels hang on, with an attribute and the options that were
// chosen of it: their ids ascending, one after the other. How many of one kind there are is bounded by how many
// different choices records made.
type use struct {
	kind      int
	attribute base.ID
	chosen    string
}

func (u use) compare(o use) int {
	return cmp.Or(u.kind-o.kind, u.attribute.Compare(o.attribute), strings.Compare(u.chosen, o.chosen))
}

var attributeUseExtension = base.RegisterExtension(newAttributeUses)

// AttributeUses count the records that have a value, by attribute and option.
func AttributeUses(a *base.AccountState) *base.Sums[use] { return attributeUseExtension.In(a) }

func newAttributeUses() *base.Sums[use] { return base.NewSums(use.compare) }

// addUses counts a record's values, or with the sign -1 takes them off; nil: there is no record.
func addUses(u *base.Sums[use], kind int, l *Labels, sign int64) {
	if l == nil {
		return
	}
	for _, v := range l.Attributes {
		chosen := make([]byte, 0, len(v.Options)*len(base.ID{}))
		for _, id := range slices.SortedFunc(slices.Values(v.Options), base.ID.Compare) {
			chosen = append(chosen, id[:]...)
		}
		u.Add(use{kind, v.Attribute, string(chosen)}, sign)
	}
}

// FollowAttributeUses counts what a write set changes.
func FollowAttributeUses(a *base.AccountState, set []base.RowChange) (after func()) {
	for _, c := range set {
		no := labelledNo[c.Of().TableTag()]
		if no == 0 {
			continue
		}
		kind := int(no) - 1
		before, after := LabelledKinds[kind].changed(c)
		if before == nil || after == nil ||
			!slices.EqualFunc(before.Attributes, after.Attributes, AttributeValue.sameUse) {
			addUses(AttributeUses(a), kind, before, -1)
			addUses(AttributeUses(a), kind, after, 1)
		}
	}
	return nil
}

// sameUse says that two values are for the same attribute, with the same choice.
func (v AttributeValue) sameUse(o AttributeValue) bool {
	return v.Attribute == o.Attribute && slices.Equal(v.Options, o.Options)
}

// AddAllUses counts all records anew.
func AddAllUses(a *base.AccountState, u *base.Sums[use]) {
	for i, k := range LabelledKinds {
		for l := range k.All(a) {
			addUses(u, i, l, 1)
		}
	}
}

func init() {
	base.RegisterFollower(base.Follower{
		Around: FollowAttributeUses,
		Load:   func(a *base.AccountState) { AddAllUses(a, AttributeUses(a)) },
		Check:  checkAttributeUses,
	})
}

// checkAttributeUses counts anew.
func checkAttributeUses(a *base.AccountState) (err error) {
	want, have := newAttributeUses(), AttributeUses(a)
	AddAllUses(a, want)
	want.Items.Scan(func(x base.Sum[use]) bool {
		if n := have.Of(x.Of); n != x.N {
			err = fmt.Errorf("%d records of kind %d use attribute %x as %x, the count says %d", x.N, x.Of.kind,
				x.Of.attribute, x.Of.chosen, n)
		}
		return err == nil
	})
	if n := have.Items.Len(); err == nil && n != want.Items.Len() {
		err = fmt.Errorf("attributes are used in %d ways, %d are counted", want.Items.Len(), n)
	}
	return err
}

// Losing counts the records of a kind that have a value of which an attribute, as it is to be, has no place.
func Losing(a *base.AccountState, kind int, d *Attribute) (n int) {
	left := make(map[string]bool, len(d.Options))
	for _, o := range d.Options {
		left[string(o.ID[:])] = true
	}
	AttributeUses(a).Items.Ascend(base.Sum[use]{Of: use{kind: kind, attribute: d.ID}}, func(x base.Sum[use]) bool {
		if x.Of.kind != kind || x.Of.attribute != d.ID {
			return false
		}
		if d.Format == "" || d.Format.Chosen() && !x.Of.keeps(left) {
			n += int(x.N)
		}
		return true
	})
	return n
}

// keeps says that something was chosen, of what is left alone.
func (u use) keeps(left map[string]bool) bool {
	for id := range slices.Chunk([]byte(u.chosen), len(base.ID{})) {
		if !left[string(id)] {
			return false
		}
	}
	return u.chosen != ""
}

// unvalued refuses to take values from records, as an attribute is to be, where there are any.
func unvalued(a *base.AccountState, d *Attribute) error {
	var found []base.InUseDetails
	for i, k := range LabelledKinds {
		if n := Losing(a, i, d); n > 0 {
			found = append(found, base.InUseDetails{Resource: k.resource(), Count: n})
		}
	}
	return base.InUseAll("records have values that would go", found)
}
