//go:build !small

package timeline

// This file owns the sizes from which on something is kept or looked at in another way. No answer that is called exact
// depends on them: sizes_small.go has them so small that each random world meets all of them.

// walkMax is the most slots and conflicts of a pool that reads walk. Above it a pool keeps a large; one that shrinks
// gives it up only at walkMin, so that a pool at the edge does not build and drop it in turns.
//
// Walking takes 1.6 us for 10 slots over 7 days and grows with both; the profile takes 0.1 to 3 us whatever the
// numbers.
const (
	walkMax = 32
	walkMin = 24
)

// railMax is the most rows of one run: what a write copies. A longer rail is a list of runs.
const railMax = 64

// The most items of a leaf and children of an inner node. A node other than the root that falls below a quarter joins a
// neighbour.
//
// A write copies one leaf and the children of the inner nodes above it. Leaves of 32 items make a tenth less garbage
// and cost 5 bytes a hold more (BenchmarkPut); in time no difference stood out of the noise, over HTTP neither. One
// child more than 31 in an array of 32 would not fit the allocator's sizes.
const (
	leafMax  = 64
	innerMax = 31
)

const (
	vecLeaf  = 8  // entries of a leaf: what a write copies. Eight slots fill 512 bytes, each a cache line
	vecLower = 16 // leaves below a node of the lower level
	vecUpper = 64 // nodes of the lower level below one of the upper
)

// blockLots is how many lots have their plain facts side by side.
const blockLots = 64

// batchFrom is how many changes in a row a draft makes at once before it thinks that many more will come.
const batchFrom = 8

// boardLanes is the most slots of a pool whose lanes are all known. In a larger pool that is not easy, a search may
// give up where it would find a way in a smaller one; then it does not call its answer exact.
const boardLanes = 64

// rankWalk is how many articles are looked at one by one, at the least, before everything in the window is; of many
// articles one in rankShare: these looks take about as long as the pass over all.
const (
	rankWalk  = 1000
	rankShare = 100
)
