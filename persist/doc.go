// Package persist makes an in-memory engine durable on Pebble. It knows only
// bytes: tables by number, keys, values, and the state hash that the engine
// passes in. It does not know what they mean.
//
// # Model
//
// The log is the truth. One log record is one group of changes that became
// durable together; a change is a row before and after. The rows are the log
// folded up to a sequence, the marker's: the folder follows the log and
// writes the last image of each changed row and the marker in one batch.
// State at start = rows as of the marker + the records after it.
//
//	Append --> log record --> synced (Wait) --> Published --> readers (Wake, Record)
//	                                                |
//	                                                +--> folder --> rows + marker
//
//	seq:   1 ........ FirstKept ........ marker ........ published .. durable
//	       '- deleted -''----- kept -----''--- tail -----''- one group -'
//	                    '-------------- the log --------------------------'
//	       '-------- folded into rows --'
//
// # Use
//
// At a start: Open; ScanRows into the state, and compare its hash with the
// marker's; apply each record of Tail to the state, and compare the hash after
// each; Published with the end. Then for each group: Append, Wait, show it,
// Published. One goroutine appends, one waits, one publishes; everything else
// may be called by any goroutine.
//
// # Keys in Pebble
//
//	'L' seq:8 big-endian          -> a log record (record.go)
//	'M'                           -> the marker (marker.go)
//	'R' table:1 key:n             -> a row
//	'U' key:n                     -> a value that no log record has (unlogged.go, marks.go)
//
// Next to Pebble's files lie HEAD (head.go: how far the log was synced, the
// format number, the incarnation, how the rows are written) and LOCK.
//
// # Formats
//
// Format (form.go) moves with every change of what is stored, and belongs to a
// change of a row as much as to one of a record. A directory takes the number
// when its engine starts to write its rows anew (Rewriting), not when it is
// opened, verified, backed up or restored; from then on an older program
// refuses it. A rewrite is records of the log like any other, marked as parts
// of a rewrite. A restore to an earlier point undoes them, and gives the
// directory the format number that was valid at that point.
//
// # Invariants
//
//  1. Wait returns nil only when the record is synced. A commit that fails
//     may still be there after a restart, as a whole, never in part.
//
//  2. Record n holds the hash of record n-1, and its own over everything in
//     it. A record is trusted only after both were checked. A start does not
//     need the folded records: it checks their order and chain, and leaves
//     their bytes to Pebble's checksums. Their hash is checked when they are
//     read.
//
//  3. Rows and marker are written in one atomic batch at a record boundary,
//     at or before the published sequence. The batch is not synced: it comes
//     after its records in Pebble's write-ahead log, so it can be lost but
//     never outlive them.
//
//  4. HEAD is synced after the log, never before it: a log that ends before
//     HEAD says has lost something and is refused. HEAD is made before the
//     first record. It trails the log by at most HeadInterval, so damage of
//     the log's last block is noticed, except in what was written in that
//     time.
//
//  5. A directory is examined read-only, against HEAD, before anything in it
//     is changed: a refused directory is left as it was found.
//
//  6. After a storage failure nothing is written any more: the commit under
//     way answers ErrOutcomeUnknown, later ones ErrFailed, reads go on.
//
//  7. Records below FirstKept are not read; the marker carries the hash
//     before FirstKept, so the chain can be checked from there.
//
//  8. The record of the marker's sequence is always kept.
//
//  9. A backup holds only records that the live log has synced. Its HEAD is
//     its own, written last, with a new incarnation; so is a restored one's.
//
//     A restored log goes further than its archive only by records that were
//     each checked as the one that follows (segment.go).
//
//  10. Files are 0600 and directories 0700, also in backups.
//
//  11. HEAD has the higher format number before the first row of that format
//     is written. It says that all rows have an encoding only after the last
//     row that had another was written anew.
package persist
