package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// This file owns who uses attributes: of each kind of records, how many have a value for an attribute, by what they chose of its options. So
// whether one may go is told without a look at the records. It is derived from them.

// use is a kind of records, by its place among those that labels hang on, with an attribute and what was chosen of its options: their ids
// ascending, one behind the other. How many of one kind there are is bounded by how many different choices records made.
type use struct {
	kind      int
	attribute ID
	chosen    string
}

func (u use) compare(o use) int {
	return cmp.Or(u.kind-o.kind, u.attribute.Compare(o.attribute), strings.Compare(u.chosen, o.chosen))
}

var attributeUseExtension = registerExtension(newAttributeUses)

func (a *account) attributeUses() *sums[use] { return attributeUseExtension.in(a) }

func newAttributeUses() *sums[use] { return newSums(use.compare) }

// addUses counts a record's values, or with the sign -1 takes them off; nil: there is no record.
func addUses(u *sums[use], kind int, l *Labels, sign int64) {
	if l == nil {
		return
	}
	for _, v := range l.Attributes {
		chosen := make([]byte, 0, len(v.Options)*len(ID{}))
		for _, id := range slices.SortedFunc(slices.Values(v.Options), ID.Compare) {
			chosen = append(chosen, id[:]...)
		}
		u.add(use{kind, v.Attribute, string(chosen)}, sign)
	}
}

// followAttributeUses counts what a write set changes.
func (a *account) followAttributeUses(set []rowChange) (after func()) {
	for _, c := range set {
		for i, k := range labelled {
			if before, after, is := k.changed(c); is {
				if before == nil || after == nil || !slices.EqualFunc(before.Attributes, after.Attributes, AttributeValue.sameUse) {
					addUses(a.attributeUses(), i, before, -1)
					addUses(a.attributeUses(), i, after, 1)
				}
				break
			}
		}
	}
	return nil
}

// sameUse says that two values are for the same attribute, with the same choice.
func (v AttributeValue) sameUse(o AttributeValue) bool {
	return v.Attribute == o.Attribute && slices.Equal(v.Options, o.Options)
}

func (a *account) addAllUses(u *sums[use]) {
	for i, k := range labelled {
		for l := range k.all(a) {
			addUses(u, i, l, 1)
		}
	}
}

func init() {
	registerFollower(follower{
		around: (*account).followAttributeUses,
		load:   func(a *account) { a.addAllUses(a.attributeUses()) },
		check:  checkAttributeUses,
	})
}

// checkAttributeUses counts anew.
func checkAttributeUses(a *account) (due int, err error) {
	want, have := newAttributeUses(), a.attributeUses()
	a.addAllUses(want)
	want.items.Scan(func(x sum[use]) bool {
		if n := have.of(x.of); n != x.n {
			err = fmt.Errorf("%d records of kind %d use attribute %x as %x, the count says %d", x.n, x.of.kind, x.of.attribute, x.of.chosen, n)
		}
		return err == nil
	})
	if n := have.items.Len(); err == nil && n != want.items.Len() {
		err = fmt.Errorf("attributes are used in %d ways, %d are counted", want.items.Len(), n)
	}
	return 0, err
}

// losing counts the records of a kind that have a value of which an attribute, as it is to be, has no place.
func (a *account) losing(kind int, d *Attribute) (n int) {
	left := make(map[string]bool, len(d.Options))
	for _, o := range d.Options {
		left[string(o.ID[:])] = true
	}
	a.attributeUses().items.Ascend(sum[use]{of: use{kind: kind, attribute: d.ID}}, func(x sum[use]) bool {
		if x.of.kind != kind || x.of.attribute != d.ID {
			return false
		}
		if d.Format == "" || d.Format.Chosen() && !x.of.keeps(left) {
			n += int(x.n)
		}
		return true
	})
	return n
}

// keeps says that something was chosen, of what is left alone.
func (u use) keeps(left map[string]bool) bool {
	for id := range slices.Chunk([]byte(u.chosen), len(ID{})) {
		if !left[string(id)] {
			return false
		}
	}
	return u.chosen != ""
}

// unvalued refuses to take values from records, as an attribute is to be, where there are any.
func (a *account) unvalued(d *Attribute) error {
	var found []InUseDetails
	for i, k := range labelled {
		if n := a.losing(i, d); n > 0 {
			found = append(found, InUseDetails{k.resource(), n})
		}
	}
	return inUseAll("records have values that would go", found)
}
