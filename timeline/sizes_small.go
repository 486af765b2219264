//go:build small

package timeline

// This file owns the sizes of sizes.go for random worlds of few units (make worlds).
const (
	walkMax, walkMin            = 3, 2
	railMax                     = 4
	leafMax, innerMax           = 6, 5
	vecLeaf, vecLower, vecUpper = 2, 2, 2
	blockLots                   = 2
	batchFrom                   = 1
	boardLanes                  = 3
	rankWalk, rankShare         = 2, 3
)
