package timeline

// This file owns many windows of one pool, asked together: how many units can be held over each.

// Windows appends to out how many units of a pool can be held over each of some hulls, which may overlap: Available is
// what Available says of the hull, for a command of the instant now, and Min the least free in it. searches is how
// often it may look for a rearrangement, all hulls together, and is counted down: where it is used up a hull has the
// units that are free throughout it, and is not exact.
func (s *Stock) Windows(p PoolRef, hulls []Span, now int64, searches *int, out []Bucket) []Bucket {
	first := len(out)
	var doubts []doubt
	for i, hull := range hulls {
		free, _, _, _ := s.MinFree(p, hull)
		out = append(out, Bucket{Min: free, Available: max(0, free), Exact: true})
		if free > 0 && s.SlotCount(p) > 1 && s.FreeThroughout(p, hull) < free {
			doubts = append(doubts, doubt{bucket: int32(i), count: int32(free)})
		}
	}
	q := bucketQuery{Stock: s, hulls: hulls, now: now, out: out[first:], searches: *searches, pool: p}
	q.search(doubts)
	*searches = q.searches
	return out
}
