// Command soak runs the program for minutes under a steady load and says whether anything in it grows: go run
// ./bench/soak.
//
// Clients first measure how many visits a second the machine carries. Then they come at a share of that, whether or not
// earlier ones have been answered. A visit takes stock and makes it free again: carts that expire, holds that are
// released, orders that are deleted. An ended hold is kept for 24 hours, so a server that is new would gain records all
// the time: the directory is made with a past, in which as many holds have ended a second as will end now. For each
// record that comes, one goes.
//
//	|-- warm-up --|-- second third --|-- last third --|
//
// Each figure is sampled through the operator's listener, the heap after a collection. Its median in the last third is
// compared with that in the second: a growth by more than 10 % and the noise is a fault, and ends the run with status
// 1.
package main
