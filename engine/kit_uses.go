package engine

import "github.com/tidwall/btree"

// This file owns how many lines of hold records name each catalog item, those of ended holds included: an item that is named
// stays. It is derived from the records.

type kitUse struct {
	no    uint32 // of the catalog item
	lines int
}

type kitUses struct {
	items *btree.BTreeG[kitUse]
	copy  *kitUses // what publish gave last, while nothing has changed since
}

var kitExtension = registerExtension(newKitUses)

func (a *account) kits() *kitUses { return kitExtension.in(a) }

func newKitUses() *kitUses {
	return &kitUses{items: btree.NewBTreeGOptions(func(a, b kitUse) bool { return a.no < b.no }, btree.Options{NoLocks: true})}
}

func (u *kitUses) publish() extension {
	if u.copy == nil {
		u.copy = &kitUses{items: u.items.Copy()}
	}
	return u.copy
}

// of is how many lines name an item.
func (u *kitUses) of(no uint32) int {
	x, _ := u.items.Get(kitUse{no: no})
	return x.lines
}

func (u *kitUses) add(no uint32, n int) {
	u.copy = nil
	if n += u.of(no); n == 0 {
		u.items.Delete(kitUse{no: no})
	} else {
		u.items.Set(kitUse{no, n})
	}
}

// count adds the lines of a record n times.
func (u *kitUses) count(r *holdRecord, n int) {
	for i := range r.lines {
		if l := &r.lines[i]; l.named == namesCatalogItem {
			u.add(l.item, n)
		}
	}
}

// kitCounts is kitUses while rows are read: a number for each item.
type kitCounts []int

func (c *kitCounts) count(r *holdRecord) {
	for i := range r.lines {
		if l := &r.lines[i]; l.named == namesCatalogItem {
			for int(l.item) >= len(*c) {
				*c = append(*c, 0)
			}
			(*c)[l.item]++
		}
	}
}
