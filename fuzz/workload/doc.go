// Package workload makes random commands and plays them on a real engine over a real store in memory, and on the twin
// of fuzz/model.
//
//	dice -> Command ----> engine.Do ----> answer, log records, views
//	           |                              |
//	           '--------> model.Step <--------'   every answer and every row is judged
//	                          |
//	                      Compare              reads over random windows are judged
//
// A run is a function of its seed: the clock and the ids are made here, commands go one by one.
//
// The tests take HOLDFAST_LONG=1 for a run of many minutes, and the flags of rapid: -rapid.checks, -rapid.steps and
// -rapid.seed, which a failing run prints. TestWorlds plays short worlds of all sorts, on all processors: -worlds says
// how many, -worlds.from the first seed. With the build tag small (timeline/sizes_small.go) few units are as many as
// pools, trees and lists otherwise have before they are kept in another way.
package workload
