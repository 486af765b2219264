package engine

import "cmp"

// This file owns how many lines of hold records name each catalog item, those of ended holds included: an item that is named
// stays. It is derived from the records.

var kitExtension = registerExtension(newKitUses)

func (a *account) kits() *sums[uint32] { return kitExtension.in(a) }

func newKitUses() *sums[uint32] { return newSums(cmp.Compare[uint32]) }

// countKits adds the lines of a record n times.
func countKits(u *sums[uint32], r *holdRecord, n int64) {
	for i := range r.lines {
		if l := &r.lines[i]; l.named == namesCatalogItem {
			u.add(l.item, n)
		}
	}
}

// kitCounts is the same while rows are read: a number for each item.
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
