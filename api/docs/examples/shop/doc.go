// Shop plays the story of a web shop against a live server, from the calendar to the return, as the page shop.md
// describes it. It makes its own location, bikes, prices and customer, so it needs no data, and takes a key with full
// access.
//
//	go run ./api/docs/examples/shop -authority receiver.pem    # writes its certificate, for the server to know
//	holdfast serve --webhook-allow 127.0.0.0/8 --webhook-ca receiver.pem
//	go run ./api/docs/examples/shop -key hf_…
//
//	main.go      the story, one function a step
//	client.go    requests and answers
//	receiver.go  what webhooks are sent to
//
// # Invariants
//
//  1. Each write has an Idempotency-Key, so that the program may be cut short and a step sent again.
//  2. A refusal that is not part of the story ends the program with exit code 1, and is printed as it came.
//  3. An event counts only once it is verified.
package main
