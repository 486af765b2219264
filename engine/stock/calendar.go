package stock

import (
	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns how a window is cut into buckets, and what is said of each.

// Bucket is one part of a calendar.
type Bucket struct {
	Range     base.Span
	MinFree   int // may be negative where stock is overbooked
	MaxFree   int
	Available int  // units that can be held for the whole bucket, without buffers; 0 where the item takes no new holds
	Exact     bool // false: pinned holds made the search stop, perhaps more could be held
}

// BucketSize is how a calendar is cut.
type BucketSize string

// By days of the location (of the account, over all locations), by hours, or wherever the free units of one of the
// item's pools change.
const (
	BucketDay    BucketSize = "day"
	BucketHour   BucketSize = "hour"
	BucketChange BucketSize = "change"
)

// MaxBuckets is the most parts a calendar may have.
const MaxBuckets = 10_000

// Edges cuts a window into buckets.
func Edges(a *base.AccountState, zone string, size BucketSize, pools []timeline.PoolRef, w base.Span) (edges []int64,
	err error) {
	switch size {
	case BucketDay:
		edges = timeline.DayEdges(MustZone(zone), w.Start, w.End)
	case BucketHour:
		edges = timeline.HourEdges(MustZone(zone), w.Start, w.End)
	case BucketChange:
		edges = a.Stock.Edges(pools, w, MaxBuckets+1)
	}
	if len(edges) > MaxBuckets+1 {
		return nil, base.InvalidAt("/bucket", "range", "would give more than 10000 buckets")
	}
	return edges, nil
}
