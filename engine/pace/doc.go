// Package pace sets how often the garbage collector runs, by the size of the heap and of the memory.
//
// The default of the runtime, a collection whenever the heap has doubled, suits a heap of gigabytes. While an engine
// holds tens of megabytes, it would mean a collection every few thousand writes, as each write leaves copies of tree
// nodes as garbage, and a start would be interrupted again and again. A server can spare some memory: it allows Spare
// bytes of garbage, however small the heap is, and never less than the default.
//
// Where memory is short, less is spared: a soft limit, by default a share of what the container or the machine has,
// makes collections more frequent near it. Memory that long answers took is given back to the system.
//
// Needed is the memory that a collection cannot free. Short reports that it comes near the limit: more and more time
// would go into collections that free nothing, and then the kernel would end the process.
//
// # Invariants
//
//  1. GOGC in the environment wins: then nothing is changed.
//  2. The target is never below the runtime's default of 100 percent, so a large heap is collected as often as always.
package pace
