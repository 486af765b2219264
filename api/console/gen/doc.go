// Gen fetches the packages that the console is built on, and writes their modules next to the console's own.
//
//	go run ./api/console/gen            writes api/console/lib again; the first run of a version needs the network
//	go run ./api/console/gen -check     says whether it is what the pinned versions give
//
// A package is pinned by its version and by the hash that the registry publishes of it. In a module only two things are
// changed: the names of other modules, which a browser without a bundler cannot look up, and the line that names its
// source map.
package main
