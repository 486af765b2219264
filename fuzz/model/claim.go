package model

import "slices"

// This file owns what a hold that is there already may ask for. It keeps what it has. It gets what it asks for anew
// where a unit is free, with all that waits counted.

// mayTake says that one unit more may be taken of a pool: at each instant either one is free with all conflicts
// counted, or the command held one there more before it let go of what it moves. A unit of an article is taken from its
// SKU's pool, too.
func (s *step) mayTake(v *Account, p Pool, need Span) bool {
	if v.roams(p) && !s.mayTake(v, v.poolOf(p.Lots[0]), need) {
		return false
	}
	held := s.held
	if held == nil {
		held = v
	}
	for _, t := range slices.Concat(v.instants([]Pool{p}, need), held.instants([]Pool{p}, need)) {
		stock, taken := v.at(p, t)
		_, now := v.all(p, t)
		if _, had := held.all(p, t); taken >= stock && now >= had {
			return false
		}
	}
	return true
}

// anew judges a unit that is there already and is seated anew, on any slot. kept: it is certain to be granted, perhaps
// as the conflict that it is.
func (s *step) anew(v *Account, q request, sure bool) (may chance, taken []int, kept bool) {
	own := slices.IndexFunc(q.pools, func(p Pool) bool { return p.has(q.was.Lot) })
	tried := 0
	for i, p := range q.pools {
		need := q.need(i, s.now)
		c := impossible
		switch {
		case p.Closed:
		case need.Start < s.now && !sure:
			c = open // what moved for a line before it may have left the past
		case !s.mayTake(v, p, need) || v.full(p, need):
		case q.picky && v.partly(p, q.asks, s.now):
			c = open
			if ok, known := v.fits(p, need, 1, s.suited(q), s.now); sure && known {
				if c = impossible; ok {
					c = certain
				}
			}
		case v.easy(p, need, s.now) || sure && v.freeThroughout(p, need) > 0:
			c = certain
		default:
			c = open
			if ok, known := v.fits(p, need, 1, nil, s.now); known && !ok && sure {
				c = impossible
			}
		}
		if free, _, _, _ := v.least(p, need); c == certain && free < 1 && i != own {
			c = open // it is not known to be tried
		}
		if c != impossible {
			tried++
			taken = make([]int, len(q.pools))
			taken[i] = 1
		}
		may = max(may, c)
	}
	if tried > 1 {
		taken = nil
	}
	if !q.stays || may == certain {
		return may, taken, false
	}
	if own < 0 || q.pools[own].Closed {
		if hull := q.was.shifted(q.body); q.was.Hull.Covers(hull) {
			return certain, nil, true
		}
		return may, nil, false
	}
	if s.mayTake(v, q.pools[own], q.need(own, s.now)) {
		if may == open && (taken == nil || taken[own] == 0) {
			return open, nil, false // it is seated in another pool, or waits in its own
		}
		if !sure && q.was.articlePinned() {
			return open, nil, false // a line before it may have been seated on its article
		}
		taken = make([]int, len(q.pools))
		taken[own] = 1
		return certain, taken, may == impossible
	}
	if !sure && q.was.articlePinned() && s.mayTake(s.a, q.pools[own], q.need(own, s.now)) {
		return open, nil, false // the lines before it may have been seated elsewhere
	}
	return may, nil, false
}

// shifted is the hull of another body with the buffers that the unit has.
func (u Unit) shifted(body Span) Span {
	hull := Span{Start: body.Start - u.Before, End: body.End}
	if hull.End != Forever {
		hull.End += u.After
	}
	return hull
}

// waits takes over a conflict that was given other dates and is one still: which pool it asked, if any, says where it
// stays. done: that was so.
func (s *step) waits(q request, u Unit, body Span, p int) (done bool, err error) {
	if o := s.obs.unit(u.ID); !q.stays || o == nil || o.Slot != 0 {
		return false, nil
	}
	s.short[u.ID], s.pushed[u.ID] = true, true
	hull := q.was.shifted(body)
	if p >= 0 && !q.pools[p].Closed {
		hull = q.hulls[p]
	}
	return true, s.put(u.over(body, hull), s.a.lotPool(q.was.Lot))
}
