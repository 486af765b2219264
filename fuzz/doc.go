// Package fuzz checks the whole project by its rules: which package may import which, and how files are written. The
// packages below it check the engine by its promises.
//
//	model     the slow, obvious twin
//	workload  random commands, engine and twin side by side
//	crash     power cuts, failing disks, rotten bits, killed processes
//	sim       lives of small directories, crashed by the hundred thousand
//	golden    directories of every format there was, opened by the program of today
//	clients   the clients and the document, held against the tools that integrators use
//	history   clients that race, and what they saw
//	script    scenarios that a person can read
//	mutants   planted bugs, and the tests that find them
//
// Nothing outside of it imports anything in it.
package fuzz
