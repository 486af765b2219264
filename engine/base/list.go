package base

import "iter"

// This file owns parts of lists: how a list that looks at every record is cut into pages, and how a long list inside a
// record is cut, of whose entries the record has the first, and how many there are.

// PageOf takes the records that fit: those from offset on, at most limit, and how many there are.
func PageOf[R any](all iter.Seq[*R], fits func(*R) bool, offset, limit int) (page []*R, total int) {
	for r := range all {
		if !fits(r) {
			continue
		}
		if total >= offset && len(page) < limit {
			page = append(page, r)
		}
		total++
	}
	return page, total
}

// MaxListed is how many entries a list inside one record has at most.
const MaxListed = 1000

// Part is a part of a list: so many entries from an offset on.
type Part struct{ Offset, Limit int }

// First is the part that a record has of a list.
var First = Part{0, MaxListed}

// PartOf cuts a list.
func PartOf[T any](list []T, p Part) []T {
	from := min(p.Offset, len(list))
	return list[from:min(from+p.Limit, len(list))]
}
