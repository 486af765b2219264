// Package script plays scenarios that a person can read, with the twin of fuzz/model judging every step.
//
// A scenario is a text in testdata. A line that begins with # is a comment; every other line is a step, followed by
// what came of it, indented. Time is hours since the scenario began, as in `10-20` or, without end, `10-`; a pool is an
// item at a location.
//
//	# Two bikes of one kind.
//	location shop Europe/Helsinki
//	sku bike after 2h
//	article red bike shop 1
//	article blue bike shop 1
//	book ann bike shop 10-14
//	    red 1
//	available bike shop 13-15
//	    1 of 2 free
//	show
//	            0         10        20        30        40
//	    red 1   ..........aaaa~~..................................
//	    blue 1  ..................................................
//
// Orders are played as holds are: `order anna shop bike 24-48`, `hand anna`, `return anna`, `ready anna 1`, `until anna
// 72`, `stand anna`. `kit` and `offer` make catalog items, `row` what they cost. `starts bike shop 0-240 for 2d` asks
// on which days a rental can begin, and tries each. `times 30 every 24 book guest# bike shop 0-10` does a step thirty
// times, each a day later. The code that reads a command says which words it may have.
//
// `show` draws units: a letter an hour of a hold, ~ of its buffers, a dot where a unit is free, nothing where there is
// none; a line with ! is a conflict. `show from 40` begins later.
//
// HOLDFAST_REWRITE=1 writes down what comes of each step; read the difference before it is committed.
package script
