// Package bench measures what a user does, on the data set of package dataset, and compares it with its targets.
//
//	world.go    the data set in an engine on a real directory, opened again from disk
//	measure.go  how a figure is taken: rate, percentiles, allocations
//	result.go   one figure with its target, and the table of all
//	reads.go    questions: point, SKU, list, calendar, plan
//	writes.go   bookings in process
//	orders.go   what orders cost in memory
//	soldout.go  what is answered about stock that is sold out
//	state.go    start-up and memory
//	accounts.go what many small merchants cost
//	backups.go  backups of the world, as a habit
//	replay.go   the replay of real bookings, in a process of its own
//	profile.go  the CPU profile next to the figures
//	suite.go    all of them in one run
//	dataset/    the merchant that everything is measured on
//	load/       the same over HTTP
//	console/    the page for the merchant's staff, in Chromium: make bench-console
//	vs/         the same work with Holdfast and with PostgreSQL: go run ./bench/vs
//	fair/       what one account waits while another takes what it can get: go run ./bench/fair
//	soak/       whether the program grows under a steady load: go run ./bench/soak
//	growth/     what grows with the stock: go run ./bench/growth
//	run/        the command: go run ./bench/run
//
// A figure is what one run on one machine gave; a figure that compares two things measures both in the same run, in
// turns. No test asserts a time. BENCH_SCALE sets the scale of the data set, 1 where it is not set.
package bench
