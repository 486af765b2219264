// Package backup keeps the backups of a running store at a target: a directory, or a bucket of an S3-compatible
// service. It knows bytes, as persist does.
//
// # Model
//
// A backup line is a part of a log without a gap: an archive of the whole state first, from there on every record in
// segments, and further archives on the way.
//
//	records:  ........ 1000 ................ 2000 .................. 2717
//	archives:            '- full, verified      '- full, verified
//	segments:         [990-1100][1101-1180] ... [1990-2010] ... [2700-2717]
//
// One goroutine uploads segments: what was published since the last one, at most one every LogEvery. Another one
// uploads archives, one every Every, lets a process of its own open each, and removes what is beyond Keep. The store's
// writers wait for neither. Records that are not uploaded yet are in the store's own log. When these are more than
// LogMax, or are no longer kept there, the line ends and another one begins, with an archive at once. The same happens
// with a line whose last record the store does not have: then the directory was put back, or copied, by other means
// than a restore.
//
//	                  LogEvery                          put
//	published records ---------> segment, kept in memory ---> target
//	                  Every                put                 opened by Open, hash equal         put
//	checkpoint        ---------> archive ------------> target ---------------------------------> mark
//
// A restore to a point takes the newest line that had begun by then, in it the newest verified archive at or before the
// point, and the segments from there on. Where that line had ended by then, and another one of the same incarnation
// follows, it takes that one's first verified archive, whose kept log may have what was written between the two. Where
// that log has nothing of that time, it takes the line that had ended.
//
// # Invariants
//
//  1. No object is overwritten: the last call that makes one asks the service for that, also at the end of an upload in
//     parts. An object whose Put was not answered is put again with the same bytes, and is found there if it had
//     arrived.
//  2. A line has no gap: each segment begins with the record after the last one's end, and the first one begins at the
//     latest directly after the first archive's end.
//  3. An archive counts when a process has opened what lies at the target, has rebuilt the state, and its record and
//     state hash are those of the running store at that sequence. Before that it has no mark: a restore does not choose
//     it, and nothing is removed because of it.
//  4. The Keep archives that were verified last stay, with every segment after the first of them. Nothing of other
//     incarnations is removed.
//  5. A segment is read with the hash of each record and the chain through all of them; one that is missing, damaged or
//     of another log ends a restore, which keeps nothing that it wrote and says up to which sequence all was in order.
//  6. A lost machine loses the records of the last LogEvery and of the time that one Put takes, while the target takes
//     them; State says since when it does not.
package backup
