// Package webhooks shows how a receiver verifies what a webhook is sent, in four languages: verify.js, verify.py,
// verify.go and verify.php. The page webhooks.md has them word for word, and `make test-docs` runs each of them on the
// same deliveries (cases.json).
//
// # Invariants
//
//  1. Each takes the delivery as it came, and one that is signed with two secrets, of which one is right.
//  2. Each refuses a changed body, id, time or signature, another secret, and a time more than five minutes off.
//  3. Each needs what comes with its language, and nothing else.
package webhooks
