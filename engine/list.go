package engine

import "iter"

// This file owns how a list that looks at every record is cut into pages.

// pageOf takes the records that fit: those from offset on, at most limit, and how many there are.
func pageOf[R any](all iter.Seq[*R], fits func(*R) bool, offset, limit int) (page []*R, total int) {
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
