// Package webhook sends what the engine has queued: it takes deliveries that are due, makes the attempts, and hands
// their outcomes back as commands. The schedule is the engine's; nothing is kept here that a restart could lose.
//
//	engine.Called -> dispatcher -> call -> POST, signed, to an address that was checked when it was dialled
//	                     ^                            |
//	                     '---- engine.Do <- recorder <'      outcomes in batches, one command an account
//
// # Invariants
//
//  1. A delivery is under way once at a time, and its next attempt is made only after the outcome of the last is
//     durable.
//  2. An endpoint has a bounded number of attempts under way, and only one while many others have some: a slow endpoint
//     delays no other. An account has at most a part of all attempts, not counting the first attempt at each endpoint.
//  3. Only public addresses on port 443 are dialled, unless the operator names their network. No redirect is followed,
//     and no proxy is used.
//  4. A secret is in no log line, error or metric; the text of an error says nothing about the network that the server
//     is in. When an endpoint is set, it is refused by the form of its address alone. A name that leads to an inner
//     address fails with the same words as a name that leads nowhere.
//  5. Deliveries give way: while commands wait for the writer, few attempts are begun, as long as the queue is not half
//     full.
//  6. A webhook is sent nothing that the key that made it could not have read, by the scopes that are recorded with the
//     webhook.
package webhook
