// Package pace says how often the garbage collector runs, by how large the heap is and how much memory there is.
//
// The default of the runtime, a collection whenever the heap has doubled, suits a heap of gigabytes. While an engine
// holds tens of megabytes it means a collection every few thousand writes, each of which leaves copies of tree nodes
// behind, and a start interrupted again and again. A machine that serves can spare some memory: Spare bytes of garbage,
// whatever the heap, and never less than the default.
//
// That spare memory comes back where it is short: a soft limit, by default a share of what the container or the machine
// has, makes collections more frequent near it, and what long answers took is given back to the system.
//
// What a collection cannot give back is Needed. Where that comes near the limit, Short says so: more and more of the
// time would go into collections that find nothing, and then the kernel would end the process.
//
// # Invariants
//
//  1. GOGC in the environment wins: then nothing is changed.
//  2. The target is never below the runtime's default of 100 percent, so a large heap is collected as often as always.
package pace
