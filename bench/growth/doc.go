// Command growth does the same work with 10,000, 100,000 and 1,000,000 articles of ten holds each: go run
// ./bench/growth.
//
//	main.go    the command line, and the order of things
//	measure.go what is measured of one size
//	report.go  the table, the JSON and the chart
//
// The merchants are those of package dataset at three scales. The answer to a question is equally long in each of them:
// a pool has as many units in a large stock as in a small one, and a page has 50 articles. So a figure that grows from
// one size to the next grows with the stock.
package main
