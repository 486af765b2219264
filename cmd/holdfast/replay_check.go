package main

// This file owns the check of a replay: a sweep of its own over what was accepted, which knows nothing of slots, pools
// or the engine.

import (
	"fmt"
	"slices"

	"holdfast/timeline"
)

// occupancy counts, for each SKU, the units taken between any two neighbouring instants at which anything begins or
// ends.
type occupancy struct {
	edges [][]int64 // by SKU, ascending
	taken [][]int32 // by SKU; taken[i] holds from edges[i] to edges[i+1]
}

func newOccupancy(p *replayPlan) *occupancy {
	o := &occupancy{edges: make([][]int64, len(p.skus)), taken: make([][]int32, len(p.skus))}
	for i := range p.stays {
		s := &p.stays[i]
		o.edges[s.sku] = append(o.edges[s.sku], s.hull.Start, s.hull.End)
	}
	for i, edges := range o.edges {
		slices.Sort(edges)
		o.edges[i] = slices.Compact(edges)
		o.taken[i] = make([]int32, len(o.edges[i]))
	}
	return o
}

// over is the counts over a stay's hull; writing to them changes the occupancy.
func (o *occupancy) over(s *stay) []int32 {
	from, _ := slices.BinarySearch(o.edges[s.sku], s.hull.Start)
	to, _ := slices.BinarySearch(o.edges[s.sku], s.hull.End)
	return o.taken[s.sku][from:to]
}

func (o *occupancy) add(s *stay, n int32) {
	over := o.over(s)
	for i := range over {
		over[i] += n
	}
}

// most is the largest count over a stay's hull.
func (o *occupancy) most(s *stay) int { return int(slices.Max(o.over(s))) }

// verdict is what the check says about one SKU.
type verdict struct {
	accepted, refused, wrongRefusals, nightsSold int
}

// checkReplay plays the events once more over the answers that were given (accepted, by stay) and counts. A refusal was
// wrong when every instant of the hull had a free unit. An instant with more taken than there are units is an error:
// stock was sold twice.
func checkReplay(p *replayPlan, accepted []bool) ([]verdict, error) {
	verdicts := make([]verdict, len(p.skus))
	o := newOccupancy(p)
	for _, e := range p.events {
		s := &p.stays[e.stay]
		v, units := &verdicts[s.sku], p.skus[s.sku].units
		switch {
		case e.off:
			if accepted[e.stay] {
				o.add(s, -1)
				v.nightsSold -= s.nights
			}
		case accepted[e.stay]:
			o.add(s, +1)
			v.accepted++
			v.nightsSold += s.nights
			if most := o.most(s); most > units {
				return nil, fmt.Errorf("row %d was accepted, yet some instant of its window has %d of %d units "+
					"of %s taken", s.row, most, units, p.skus[s.sku].name)
			}
		default:
			v.refused++
			if o.most(s) < units {
				v.wrongRefusals++
			}
		}
	}
	return verdicts, nil
}

// instantText is an instant for people.
func instantText(t int64) string { return string(timeline.AppendInstant(nil, t)) }
