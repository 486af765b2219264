// Command run measures everything and prints one table: go run ./bench/run. BENCH_SCALE sets the scale of the data set.
package main
