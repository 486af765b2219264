// Package bench measures what a user does, on the data set of package dataset, and holds it against its targets.
//
//	world.go    the data set in an engine on a real directory, opened again from disk
//	measure.go  how a figure is taken: rate, percentiles, allocations
//	result.go   one figure with its target, and the table of all
//	reads.go    questions: point, SKU, list, calendar, plan
//	writes.go   bookings in process
//	soldout.go  what is answered about stock that is sold out
//	state.go    start-up and memory
//	suite.go    all of them in one run
//	load/       the same over HTTP
//	fair/       what one account waits while another takes what it can get: go run ./bench/fair
//	soak/       whether the program grows under a steady load: go run ./bench/soak
//	growth/     what grows with the stock: go run ./bench/growth
//	run/        the command: go run ./bench/run
//
// A figure is what one run on one machine gave; those that compare take both sides in the same run, in turns. No test
// asserts a time. BENCH_SCALE sets the scale of the data set, 1 where it is not set.
package bench
