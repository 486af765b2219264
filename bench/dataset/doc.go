// Package dataset draws the merchant that everything is measured on, the same to the byte on every machine and in every
// version of Go.
//
// At scale 1 it has 100,000 articles of 2,000 SKUs at 10 locations. An article is at one location, the articles of a
// SKU are spread evenly over all; nine articles in ten are one unit, the tenth is ten. 1,000,000 holds of one unit,
// each 1 hour to 14 days long, lie in 24 months from Epoch on: SKU by Zipf's law (exponent 1), location, length and
// start uniform, in whole hours. Another scale multiplies articles, SKUs and holds; the locations stay.
//
//	rng.go      the generator: splitmix64 and integer tables, no floating point
//	dataset.go  the merchant and the stream of holds
//	stock.go    the data set as a timeline.Stock, without an engine
//	orders.go   the stream of orders, after the holds
//	commands.go the data set through an engine's commands
//
// A hold is drawn first and then given a unit: the first of its pool, from a drawn one on, that is free all the while.
// One that finds none is counted and skipped, and drawing goes on. So the holds of a set are a schedule: in any order
// and with any placement that may move them, an engine that keeps its promise refuses none.
package dataset
