// Package console measures the page for the merchant's staff on the data set of the benchmarks, in Chromium: `make
// bench-console`, and on a hundredth of it as a part of `make test-console`. It holds only tests, of the build tag
// console. Times are printed and held against their targets; how many elements the page has is asserted, and that a
// frame which takes too long is measured as such.
package console
