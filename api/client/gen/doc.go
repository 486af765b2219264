// Command gen writes the generated part of the Go client, api/client/go, from the document api/openapi.json, and the
// version that the client in TypeScript sends. The types of that one are made by openapi-typescript: fuzz/clients.
//
//	document.go    reads the document, with members in their order
//	names.go       turns names of the document into names of Go
//	types.go       schemas as types
//	operations.go  operations as methods
//	main.go        writes the files
//
// # Invariants
//
//  1. The output is a function of the document alone, formatted by gofmt, and needs the standard library only.
//  2. A form that the generator does not know is an error, never a guess: a change that adds it to the document adds it
//     here, too.
//  3. What is committed is what the committed document gives; a test compares them.
package main
