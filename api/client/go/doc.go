// Package holdfast is a client of Holdfast, the availability engine for rental merchants. It needs the standard
// library only.
//
//	hf, err := holdfast.New("https://rent.example.com", os.Getenv("HOLDFAST_KEY"))
//	free, err := hf.Availability.Get(ctx, holdfast.AvailabilityGetQuery{SKUID: sku, From: from, To: to})
//
// Operations stand in services of the [Client], by what they are about: hf.Holds.Create is the operation
// admin.holds.create of the document. A field of a query that is left empty is not sent. A member of a body that may be
// left out is an [Opt]: [Set] gives it a value, and [Null] takes away what is there; in a map, nil does. A member of an
// answer that may be null or absent is a pointer.
//
// # Refusals
//
// Every refusal is a [*Problem]. Decide by its code, and read the details that the code has:
//
//	if errors.Is(err, holdfast.CodeInsufficientAvailability) { … }
//	var p *holdfast.Problem
//	if errors.As(err, &p) {
//		if short, ok := p.InsufficientAvailability(); ok { … }
//	}
//
// # Retries
//
// A request is sent again, three times at most, after 408, 429, 500, 502, 503 and 504, while an earlier attempt is
// still being done (409 IDEMPOTENCY_KEY_IN_USE), and where the connection ends without an answer. Each request that
// changes something has an Idempotency-Key, the same in all its attempts, so that nothing is done twice. The pause
// grows from a quarter of a second, partly by chance, or is what Retry-After says. The context bounds it all: where it
// would end before the next attempt, the last refusal is returned at once. Where it is cancelled during a pause,
// errors.Is finds [context.Canceled], and the last refusal as well.
//
// # Pages
//
// List gives one page, All goes through the records of all pages:
//
//	for order, err := range hf.Orders.All(ctx, holdfast.OrdersListQuery{}) { … }
//
// # Webhooks
//
// [VerifyWebhook] verifies the bytes of a webhook as they came, and reads the [Event].
//
// # How it is made
//
//	types.go       the records of the document; api/client/gen writes it
//	operations.go  the operations of the document; api/client/gen writes it
//	client.go      how a client is made, and its options
//	transport.go   one request and its answer
//	retry.go       when a request is sent again
//	problem.go     refusals as errors
//	optional.go    members that may be left out
//	query.go       how values are written into a query
//	page.go        the way through all pages
//	webhook.go     the verification of webhooks
//
// The invariants: the key is sent to the given address alone, and never stands in an error; an attempt is repeated
// only where the server does nothing twice; what comes from outside never panics.
package holdfast
