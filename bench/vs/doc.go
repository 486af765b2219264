// Command vs does the same work with Holdfast and with PostgreSQL, side by side: go run ./bench/vs.
//
//	main.go      the command line, and the order of things
//	stock.go     the stock that both have, and the plain sweep that both are checked against
//	holdfast.go  Holdfast's side: its REST interface over loopback
//	cluster.go   a PostgreSQL of its own: made, started on a free port, removed
//	postgres.go  PostgreSQL's side: the schema and the statements, prepared, over pgx
//	check.go     the questions that are held against the sweep before they are timed
//	work.go      the kinds of work, and how one is driven from many clients
//	floor.go     what no server of either kind can be faster than: empty handlers, and bare synced writes
//	report.go    the table, the JSON and the chart
//
// Both sides have the same rows, the same questions in the same order, and their clients on the same cores. Each kind
// of question is asked on both sides and held against the sweep before it is timed. PostgreSQL keeps its default
// durability: fsync and synchronous_commit are on.
package main
