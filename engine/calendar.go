package engine

import "holdfast/timeline"

// This file owns how a window is cut into buckets, and what is said of each.

// Bucket is one part of a calendar.
type Bucket struct {
	Range     Span
	MinFree   int // may be negative where stock is overbooked
	MaxFree   int
	Available int  // units that can be held for the whole bucket, without buffers; 0 where the item takes no new holds
	Exact     bool // false: pinned holds made the search stop, perhaps more could be held
}

// BucketSize is how a calendar is cut.
type BucketSize string

// By days of the location (of the account, over all locations), by hours, or wherever the free units of one of the item's pools change.
const (
	BucketDay    BucketSize = "day"
	BucketHour   BucketSize = "hour"
	BucketChange BucketSize = "change"
)

// maxBuckets is the most parts a calendar may have.
const maxBuckets = 10_000

// edges cuts a window into buckets.
func (a *account) edges(zone string, size BucketSize, pools []timeline.PoolRef, w Span) (edges []int64, err error) {
	switch size {
	case BucketDay:
		edges = timeline.DayEdges(mustZone(zone), w.Start, w.End)
	case BucketHour:
		edges = timeline.HourEdges(mustZone(zone), w.Start, w.End)
	case BucketChange:
		edges = a.stock.Edges(pools, w, maxBuckets+1)
	}
	if len(edges) > maxBuckets+1 {
		return nil, invalid([]Fault{{In: "query", Pointer: "bucket", Code: "range", Message: "would give more than 10000 buckets"}})
	}
	return edges, nil
}
