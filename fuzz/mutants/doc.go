// Command mutants shows that the tests catch something: it plants one bug after the other, and runs the tests that must
// find it. The files of the project stay as they are: the compiler reads the changed ones from elsewhere.
//
// A bug is a file NAME.patch in this directory: a sentence that says what is wrong, the packages that must catch it,
// and the change.
//
//	The 31st of January and a month is in March.
//
//	Caught by: ./timeline
//
//	diff --git a/timeline/calendar.go b/timeline/calendar.go
//	...
//
// "Caught by" may be given more than once, and may name tests as `go test` does: `./engine -run Hold`. Tests that are
// named first are run first, and the first failure of a test is enough. A bug for which no test fails is a fault of the
// tests; a patch that does not fit any more, or does not compile, is a fault of the patch. Both end the run with status
// 1, after the other bugs.
package main
