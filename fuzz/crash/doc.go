// Package crash cuts the power, breaks the disk and rots bits under a running engine, and compares what comes back with
// a run that nothing disturbed.
//
// One script of commands is recorded once, with the state hash and the twins of fuzz/model at every log sequence.
// Commands go one by one and clock and ids are made by the script, so every run of it makes the same log. After each
// mishap:
//
//  1. What was acknowledged is there, and nothing that was not submitted: the log ends between the two.
//  2. Nothing is half there: the state hash is the recorded one of that sequence, and so is every read.
//  3. The engine continues to work: it takes commands, with all checks of its timelines on, and answers as the twin
//     says.
//  4. Damage is refused with an error that says so, or is harmless: the same state, to the hash.
//
// HOLDFAST_LONG=1 fails every file operation, of which the default run takes every third, and flips many more bits.
// Seeds are printed, and taken from HOLDFAST_SEED.
package crash
