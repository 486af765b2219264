// Package clients holds the document against the generators that integrators use: a client made of it in TypeScript and one in
// Go each run the same round through a live server, and two linters read it.
//
//	ts  openapi-typescript and openapi-fetch, checked by the TypeScript compiler; package-lock.json pins them
//	go  oapi-codegen, a module of its own so that the service's stays small; go.mod pins it
//	spectral  the second linter, whose warnings count as errors; package-lock.json pins it
//
// What a webhook sends is held against standardwebhooks, the verifier that receivers use (webhooks/, pinned by its own lock).
//
// The round: a location, a SKU and an article with two units; ask for them, hold both, be refused the third with its reason,
// give them back, ask again. Clients are generated and built in a temporary directory, so nothing generated is kept. It takes
// node, npm and their registries, and the Go module proxy: `make test-clients` runs it, `make test` does not.
package clients
