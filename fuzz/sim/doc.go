// Command sim plays the lives of small data directories in memory, many thousand of them, and sees that nothing is
// lost.
//
// A seed is a history: some accounts, two clients who book, cancel and change quantities, a clock of its own, and a
// disk that meets with a mishap at an operation that was drawn: the power fails, also while it starts or stops, and
// again in the recovery from that; an operation fails, or all from there on fail; there is no room any more, and later
// there is again. What was not synced outlasts a power cut by chance, sector by sector and name by name. After each
// start:
//
//  1. What was acknowledged is there: the log goes at least as far, the state at that point is the same, to the hash,
//     and every booking and every number of units is as the clients were told (book.go).
//  2. What was not acknowledged is there whole or not at all. Asked again under its key, it is done once.
//  3. Nothing is there that no client asked for, and what has expired is gone.
//  4. The engine's own checks are clean. At one start of sixteen the state is also built and checked a second time, by
//     Verify.
//
// An engine whose storage failed takes no more commands; a disk that fails or is full is never reported as damage.
//
// This is a program, and not tests in fuzz/crash, because a process whose disk failed keeps its memory until it ends: a
// run of hours needs many processes. Those of fuzz/crash try every operation of one script; here scripts, mishaps and
// their order are drawn.
//
// # What a seed fixes
//
// All that is drawn. In seven histories of eight also nearly always all that comes of it: the commands of a step are
// one record, as the first waits until the others are queued; HEAD is written when they are answered; the next step
// waits until that, and the folding of the record, are over; all on one processor. So mishaps are counted in operations
// on the log and HEAD, of an opening in all. The eighth history is loose: several records are on their way at once,
// with HEAD, folds, flushes and compactions at the same time, in whatever order the goroutines run. There a seed fixes
// the commands, and by count where the mishap comes; what else is on the disk then may differ from run to run; no
// verdict depends on that, but a loss may take several runs of its seed.
//
// Directories other than the one, backups and restores are not simulated; fuzz/crash and persist/backup have them.
package main
