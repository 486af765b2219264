// Package clients checks the clients of api/client and the document against the outside: a live server, the generators
// and linters that integrators use, and the verifier that receivers of webhooks use.
//
//	go        oapi-codegen, a generator that others use: what it makes of the document is built; go.mod pins it
//	console   tsc, which holds the console's modules against the types in their comments; package-lock.json pins it
//	redocly   a linter; package-lock.json pins it
//	spectral  the second linter, whose warnings count as errors; package-lock.json pins it
//	webhooks  standardwebhooks, which verifies what the program sends; package-lock.json pins it
//
// The clients bring their own tests, which go from the stock to the return; here they are run, through a proxy that
// has each write carried out and then loses or refuses its answer. The types of the client in TypeScript are made
// here, too, with -update written, and else compared with what is committed. All is generated and built in a
// temporary directory. It takes node, npm and their registries, and the Go module proxy: `make test-clients` runs it,
// `make test` does not.
package clients
